/* Texts of nodes: words are interned like node names, then sorted by node (a counting sort of the lines).
 * O(bytes of the file); one thread. Memory: 4 bytes per word of the text, twice while it is sorted, and the
 * distinct words. */
#include "data/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "data/tokens.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "io/stream.h"
#include "support/status.h"

/* The words of one line. */
typedef struct piece {
    uint32_t node, count;
    uint64_t first;
} piece;

typedef struct reader {
    ni_lines lines;
    const neap_graph *graph;
    bool by_line;
    neap_text *text;
    uint32_t *word; /* in the order of the file */
    uint64_t words;
    piece *piece;
    uint64_t pieces;
    size_t word_room, piece_room;
} reader;

/* ---- reading ---- */

static neap_status add_words(reader *r, uint32_t node, const char *at, size_t length, neap_error *err)
{
    ni_tokens t = ni_tokens_of(at, length);
    uint64_t first = r->words;
    while (ni_tokens_next(&t)) {
        uint32_t number;
        if (!ni_names_intern(&r->text->words, t.word, t.length, &number) ||
            !ni_grow(&r->word, &r->word_room, r->words + 1, sizeof *r->word))
            return ni_fail_memory(err, "the texts");
        r->word[r->words++] = number;
    }
    if (t.broken)
        return ni_lines_fail(&r->lines, NEAP_E_FORMAT, t.broken, err,
                             "this is not UTF-8; convert the file, for example by iconv -t utf-8");
    if (r->words - first > UINT32_MAX)
        return ni_lines_fail(&r->lines, NEAP_E_LIMIT, at, err, "a text of more than 2^32 words");
    if (!ni_grow(&r->piece, &r->piece_room, r->pieces + 1, sizeof *r->piece))
        return ni_fail_memory(err, "the texts");
    r->piece[r->pieces++] = (piece){ node, (uint32_t)(r->words - first), first };
    return NEAP_OK;
}

static neap_status read_line(reader *r, char *line, size_t length, neap_error *err)
{
    char number[24];
    const char *name = line, *text = line;
    size_t name_length = 0;
    uint32_t node;
    if (r->by_line) {
        name_length = (size_t)snprintf(number, sizeof number, "%" PRIu64, r->lines.number - 1);
        name = number;
    } else {
        const char *tab = memchr(line, '\t', length);
        if (!tab)
            return ni_lines_fail(&r->lines, NEAP_E_FORMAT, line, err,
                                 "no tab; a line is a node, a tab and its text (--text-by-line: line i, "
                                 "from 0, is the text of the node named i)");
        name_length = (size_t)(tab - line);
        text = tab + 1;
    }
    r->text->facts.lines++;
    if (!ni_names_find(&r->graph->names, name, name_length, &node)) {
        r->text->facts.strangers++;
        return NEAP_OK;
    }
    return add_words(r, node, text, length - (size_t)(text - line), err);
}

static neap_status read_lines(reader *r, neap_error *err)
{
    for (;;) {
        char *line;
        size_t length;
        neap_status rc = r->by_line ? ni_lines_next(&r->lines, &line, &length, err)
                                    : ni_lines_next_data(&r->lines, &line, &length, err);
        if (rc == NEAP_OK && line) rc = read_line(r, line, length, err);
        if (rc != NEAP_OK || !line) return rc;
    }
}

/* ---- by node ---- */

static neap_status sort_by_node(reader *r, neap_error *err)
{
    neap_text *t = r->text;
    t->offset = ni_zeros((size_t)t->nodes + 1, sizeof *t->offset);
    t->word = ni_array(r->words, sizeof *t->word);
    uint64_t *next = ni_array((size_t)t->nodes + 1, sizeof *next);
    neap_status rc = t->offset && t->word && next ? NEAP_OK : ni_fail_memory(err, "the texts");
    for (uint64_t i = 0; i < r->pieces && rc == NEAP_OK; i++)
        t->offset[r->piece[i].node + 1] += r->piece[i].count;
    for (uint32_t u = 0; u < t->nodes && rc == NEAP_OK; u++) {
        t->facts.with_text += t->offset[u + 1] > 0;
        if (t->offset[u + 1] > t->facts.longest) t->facts.longest = t->offset[u + 1];
        t->offset[u + 1] += t->offset[u];
    }
    if (rc == NEAP_OK) memcpy(next, t->offset, ((size_t)t->nodes + 1) * sizeof *next);
    for (uint64_t i = 0; i < r->pieces && rc == NEAP_OK; i++) {
        const piece *p = &r->piece[i];
        memcpy(t->word + next[p->node], r->word + p->first, p->count * sizeof *t->word);
        next[p->node] += p->count;
    }
    ni_free(next);
    return rc;
}

static neap_status finish(reader *r, neap_error *err)
{
    neap_text *t = r->text;
    neap_status rc = sort_by_node(r, err);
    if (rc != NEAP_OK) return rc;
    t->facts.nodes = t->nodes;
    t->facts.words = r->words;
    t->facts.distinct = t->words.count;
    if (t->facts.with_text) return NEAP_OK;
    return ni_fail_at(err, NEAP_E_FORMAT, r->lines.number,
                      "%.200s: none of its %" PRIu64 " lines has a text of a node of the graph; are the "
                      "names the same? (--text-by-line: line i, from 0, is the text of the node named i)",
                      ni_stream_label(r->lines.in), t->facts.lines);
}

neap_status neap_text_load(const char *path, const neap_graph *graph, int by_line, neap_text **out,
                           neap_error *err)
{
    ni_stream_in *in = NULL;
    *out = NULL;
    neap_text *t = ni_zeros(1, sizeof *t);
    if (!t) return ni_fail_memory(err, "the texts");
    reader r = { .graph = graph, .by_line = by_line, .text = t };
    t->nodes = graph->nodes;
    ni_names_init(&t->words);
    neap_status rc = ni_stream_open(path, &in, err);
    if (rc == NEAP_OK)
        rc = ni_foreign_refuse(in, "texts are read from lines of a node, a tab and its text", err);
    if (rc == NEAP_OK) rc = ni_lines_init(&r.lines, in, NI_LINE_LONG, err);
    if (rc == NEAP_OK) rc = read_lines(&r, err);
    if (rc == NEAP_OK) rc = finish(&r, err);
    ni_lines_free(&r.lines);
    ni_stream_close(in);
    ni_free(r.word);
    ni_free(r.piece);
    if (rc == NEAP_OK) *out = t;
    else neap_text_free(t);
    return rc;
}

void neap_text_free(neap_text *t)
{
    if (!t) return;
    ni_free(t->offset);
    ni_free(t->word);
    ni_names_free(&t->words);
    ni_free(t);
}

neap_status neap_text_facts_of(const neap_text *text, neap_text_facts *facts, neap_error *err)
{
    return ni_sized_out(&text->facts, sizeof text->facts, facts, "neap_text_facts", err);
}
