/* Texts of nodes: words are interned like node names, then sorted by node (a counting sort of the lines),
 * unless the lines are. O(bytes of the file); one thread. Memory: the longest line, 4 bytes per word of the
 * text (while it is read and sorted up to 12), and the distinct words, of which there is a limit. */
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

enum { FAULT = 200 }; /* bytes of an error text */

/* The words of one line: those from `first` to the next piece. */
typedef struct piece {
    uint64_t first;
    uint32_t node;
} piece;

typedef struct collector {
    neap_text *text;
    ni_stream_in *in; /* looked at during a long text for a stop; NULL: from memory */
    uint32_t most;    /* distinct words */
    uint32_t *word;   /* in the order of the file */
    uint64_t words;
    piece *piece;
    uint64_t pieces;
    size_t word_room, piece_room;
} collector;

/* ---- collecting ---- */

/* Words that were found, and are looked up a few at a time, so that cache misses overlap. */
enum { AHEAD = 12, LOOK = 4096 }; /* look: so many words later for a stop */
typedef struct found {
    size_t count;
    struct {
        const char *end; /* in the text */
        uint64_t key;
        size_t length;
        char word[NI_TOKEN];
    } at[AHEAD];
} found;

/* Finds up to AHEAD words; false: these are the last. */
static bool find_words(const ni_names *words, ni_tokens *t, found *f)
{
    for (f->count = 0; f->count < AHEAD; f->count++) {
        if (!ni_tokens_next(t)) return false;
        memcpy(f->at[f->count].word, t->word, t->length);
        f->at[f->count].length = t->length;
        f->at[f->count].end = t->at;
        f->at[f->count].key = ni_names_fetch(words, t->word, t->length);
    }
    return true;
}

static neap_status number_words(collector *c, const found *f, const char **fault, neap_error *err)
{
    if (!ni_grow(&c->word, &c->word_room, c->words + f->count, sizeof *c->word))
        return ni_fail_memory(err, "the texts");
    for (size_t i = 0; i < f->count; i++) {
        uint32_t number;
        *fault = f->at[i].end;
        if (!ni_names_intern_key(&c->text->words, f->at[i].word, f->at[i].length, f->at[i].key, &number))
            return ni_fail_memory(err, "the texts");
        if (number >= c->most) return NEAP_E_LIMIT;
        c->word[c->words++] = number;
    }
    return NEAP_OK;
}

/* Adds the words of a text. At NEAP_E_FORMAT and NEAP_E_LIMIT the text ends at *fault, and the caller, who
 * can name that position, puts fault_text into words. */
static neap_status add_words(collector *c, uint32_t node, const char *at, size_t length, const char **fault,
                             neap_error *err)
{
    ni_tokens t = ni_tokens_of(at, length);
    found f;
    if (!ni_grow(&c->piece, &c->piece_room, c->pieces + 1, sizeof *c->piece))
        return ni_fail_memory(err, "the texts");
    c->piece[c->pieces++] = (piece){ c->words, node };
    uint64_t looked = c->words;
    neap_status rc = NEAP_OK;
    for (bool more = true; more && rc == NEAP_OK;) {
        more = find_words(&c->text->words, &t, &f);
        rc = number_words(c, &f, fault, err);
        if (rc != NEAP_OK || !c->in || c->words - looked < LOOK) continue;
        looked = c->words;
        rc = ni_stream_look(c->in, err);
    }
    if (rc != NEAP_OK) return rc;
    *fault = t.broken;
    return t.broken ? NEAP_E_FORMAT : NEAP_OK;
}

static const char *fault_text(const collector *c, neap_status rc, char text[static FAULT])
{
    if (rc == NEAP_E_FORMAT) return "this is not UTF-8; convert the file, for example by iconv -t utf-8";
    snprintf(text, FAULT,
             "more than %u different words; are these texts of a language? Leave out numbers, hashes or "
             "encoded data, for example by sed",
             c->most);
    return text;
}

static uint64_t piece_size(const collector *c, uint64_t i)
{
    return (i + 1 < c->pieces ? c->piece[i + 1].first : c->words) - c->piece[i].first;
}

static neap_status collector_begin(collector *c, uint32_t most, neap_error *err)
{
    *c = (collector){ .text = ni_zeros(1, sizeof *c->text), .most = most };
    if (!c->text) return ni_fail_memory(err, "the texts");
    ni_names_init(&c->text->words);
    return NEAP_OK;
}

/* ---- by node ---- */

/* The words in the order of nodes are those in the order of the file. */
static bool is_by_node(const collector *c)
{
    for (uint64_t i = 1; i < c->pieces; i++)
        if (c->piece[i].node < c->piece[i - 1].node) return false;
    return c->words > 0;
}

/* Hands the words over as they stand; room behind them, which they have grown by, was never touched. */
static void take_words(collector *c)
{
    c->text->word = c->word;
    c->word = NULL;
}

static bool copy_words(collector *c)
{
    neap_text *t = c->text;
    t->word = ni_array(c->words, sizeof *t->word);
    uint64_t *next = ni_copy(t->offset, (size_t)t->nodes + 1, sizeof *next);
    bool ok = t->word && next;
    for (uint64_t i = 0; i < c->pieces && ok; i++) {
        const piece *p = &c->piece[i];
        uint64_t size = piece_size(c, i);
        if (size) memcpy(t->word + next[p->node], c->word + p->first, size * sizeof *t->word);
        next[p->node] += size;
    }
    ni_free(next);
    return ok;
}

static neap_status sort_by_node(collector *c, neap_error *err)
{
    neap_text *t = c->text;
    t->offset = ni_zeros((size_t)t->nodes + 1, sizeof *t->offset);
    neap_status rc = t->offset ? NEAP_OK : ni_fail_memory(err, "the texts");
    for (uint64_t i = 0; i < c->pieces && rc == NEAP_OK; i++)
        t->offset[c->piece[i].node + 1] += piece_size(c, i);
    for (uint32_t u = 0; u < t->nodes && rc == NEAP_OK; u++) {
        t->facts.with_text += t->offset[u + 1] > 0;
        if (t->offset[u + 1] > t->facts.longest) t->facts.longest = t->offset[u + 1];
        t->offset[u + 1] += t->offset[u];
    }
    if (rc == NEAP_OK && is_by_node(c)) take_words(c);
    else if (rc == NEAP_OK && !copy_words(c)) rc = ni_fail_memory(err, "the texts");
    return rc;
}

static neap_status count_all(collector *c, neap_error *err)
{
    neap_text *t = c->text;
    neap_status rc = sort_by_node(c, err);
    if (rc != NEAP_OK) return rc;
    t->facts.nodes = t->nodes;
    t->facts.words = c->words;
    t->facts.distinct = t->words.count;
    return NEAP_OK;
}

/* Hands the texts over, or frees them; returns rc. */
static neap_status collector_end(collector *c, neap_status rc, neap_text **out)
{
    ni_free(c->word);
    ni_free(c->piece);
    if (rc == NEAP_OK) *out = c->text;
    else neap_text_free(c->text);
    return rc;
}

/* ---- from a file ---- */

typedef struct reader {
    ni_lines lines;
    const ni_text_plan *plan;
    collector all;
} reader;

/* The number of a node; NEAP_NONE: there is none. */
static neap_status find_node(const ni_text_plan *plan, const char *name, size_t length, uint32_t *node,
                             neap_error *err)
{
    *node = NEAP_NONE;
    if (plan->more)
        return ni_names_intern(plan->more, name, length, node) ? NEAP_OK : ni_fail_memory(err, "the texts");
    if (!ni_names_find(plan->names, name, length, node)) *node = NEAP_NONE;
    return NEAP_OK;
}

/* What stands before the tab, and where the text begins behind it. */
static neap_status take_name(const reader *r, char *line, size_t length, ni_field *name, const char **text,
                             neap_error *err)
{
    char *tab = memchr(line, '\t', length);
    if (!tab)
        return ni_lines_fail(
            &r->lines, NEAP_E_FORMAT, line, err,
            "no tab; a line is a node, a tab and its text (--text-by-line: line i, from 0, "
            "is the text of the node named i)");
    *name = ni_field_between(line, tab);
    *text = tab + 1;
    if (!name->length)
        return ni_lines_fail(&r->lines, NEAP_E_FORMAT, line, err,
                             "the name of the node is empty; a line is a node, a tab and its text");
    if (name->length <= NI_NAME_MOST) return NEAP_OK;
    return ni_lines_fail(
        &r->lines, NEAP_E_LIMIT, line, err,
        "%zu bytes before the tab, where the name of a node stands; at most %d are allowed", name->length,
        NI_NAME_MOST);
}

static neap_status read_line(reader *r, char *line, size_t length, neap_error *err)
{
    char number[24];
    const char *text = line;
    ni_field name = { number, 0, false };
    uint32_t node;
    neap_status rc = NEAP_OK;
    if (r->plan->by_line)
        name.length = (size_t)snprintf(number, sizeof number, "%" PRIu64, r->lines.number - 1);
    else rc = take_name(r, line, length, &name, &text, err);
    if (rc == NEAP_OK) rc = find_node(r->plan, name.at, name.length, &node, err);
    if (rc != NEAP_OK) return rc;
    const char *fault;
    char words[FAULT];
    r->all.text->facts.lines++;
    if (node == NEAP_NONE) {
        r->all.text->facts.strangers++;
        return NEAP_OK;
    }
    rc = add_words(&r->all, node, text, length - (size_t)(text - line), &fault, err);
    if (rc != NEAP_E_FORMAT && rc != NEAP_E_LIMIT) return rc;
    return ni_lines_fail(&r->lines, rc, fault, err, "%s", fault_text(&r->all, rc, words));
}

static neap_status read_lines(reader *r, neap_error *err)
{
    for (;;) {
        char *line;
        size_t length;
        neap_status rc = r->plan->by_line ? ni_lines_next(&r->lines, &line, &length, err)
                                          : ni_lines_next_data(&r->lines, &line, &length, err);
        if (rc == NEAP_OK && line) rc = read_line(r, line, length, err);
        if (rc != NEAP_OK || !line) return rc;
    }
}

static neap_status finish(reader *r, neap_error *err)
{
    neap_text *t = r->all.text;
    t->nodes = r->plan->more ? r->plan->more->count : r->plan->names->count;
    neap_status rc = count_all(&r->all, err);
    if (rc != NEAP_OK || t->facts.with_text) return rc;
    if (r->plan->more)
        return ni_fail_at(err, NEAP_E_FORMAT, r->lines.number, "%.200s: there is no word in it",
                          ni_stream_label(r->lines.in));
    return ni_fail_at(err, NEAP_E_FORMAT, r->lines.number,
                      "%.200s: none of its %" PRIu64 " lines has a text of a node of the graph; are the "
                      "names the same? (--text-by-line: line i, from 0, is the text of the node named i)",
                      ni_stream_label(r->lines.in), t->facts.lines);
}

neap_status ni_text_read(const char *path, const ni_text_plan *plan, neap_text **out, neap_error *err)
{
    ni_stream_in *in = NULL;
    reader r = { .plan = plan };
    neap_hooks mine;
    const neap_hooks *hooks = plan->hooks;
    *out = NULL;
    neap_status rc = ni_hooks_in(&mine, &hooks, err);
    if (rc == NEAP_OK) rc = collector_begin(&r.all, plan->most, err);
    if (rc == NEAP_OK) rc = ni_stream_open(path, &in, err);
    if (in) ni_stream_watch(in, hooks);
    r.all.in = in;
    if (rc == NEAP_OK)
        rc = ni_foreign_refuse(in, "texts are read from lines of a node, a tab and its text", err);
    if (rc == NEAP_OK) rc = ni_lines_init(&r.lines, in, NI_LINE_LONG, err);
    if (rc == NEAP_OK) rc = read_lines(&r, err);
    if (rc == NEAP_OK) rc = finish(&r, err);
    ni_lines_free(&r.lines);
    ni_stream_close(in);
    return collector_end(&r.all, rc, out);
}

neap_status neap_text_load(const char *path, const neap_graph *graph, int by_line, const neap_hooks *hooks,
                           neap_text **out, neap_error *err)
{
    ni_text_plan plan = {
        .names = &graph->names, .by_line = by_line, .most = NI_TEXT_WORDS_MOST, .hooks = hooks
    };
    return ni_text_read(path, &plan, out, err);
}

/* ---- of new nodes ---- */

/* The links, among more nodes. */
static neap_status make_graph(const neap_graph *links, const ni_names *names, neap_graph **out,
                              neap_error *err)
{
    uint64_t edges = links ? links->edges : 0;
    const char **name = ni_array(names->count, sizeof *name);
    neap_edge *edge = ni_array(edges, sizeof *edge);
    neap_status rc = name && edge ? NEAP_OK : ni_fail_memory(err, "the new nodes");
    for (uint32_t u = 0; u < names->count && rc == NEAP_OK; u++) name[u] = ni_name(names, u);
    for (uint32_t u = 0; links && u < links->nodes && rc == NEAP_OK; u++)
        for (uint64_t e = links->offset[u]; e < links->offset[u + 1]; e++)
            edge[e] = (neap_edge){ u, links->target[e], links->weight ? links->weight[e] : 1 };
    if (rc == NEAP_OK)
        rc = neap_graph_create(names->count, name, edge, edges, links && links->weight,
                               links && links->undirected, out, err);
    ni_free(name);
    ni_free(edge);
    return rc;
}

neap_status neap_text_load_new(const char *path, const neap_graph *links, const neap_hooks *hooks,
                               neap_graph **graph, neap_text **out, neap_error *err)
{
    ni_names names;
    ni_text_plan plan = { .more = &names, .most = NI_TEXT_WORDS_MOST, .hooks = hooks };
    *graph = NULL;
    *out = NULL;
    ni_names_init(&names);
    bool copied = !links || ni_names_copy(&names, &links->names);
    neap_status rc = copied ? ni_text_read(path, &plan, out, err) : ni_fail_memory(err, "the new nodes");
    if (rc == NEAP_OK) rc = make_graph(links, &names, graph, err);
    ni_names_free(&names);
    if (rc != NEAP_OK) {
        neap_text_free(*out);
        *out = NULL;
    }
    return rc;
}

/* ---- from memory ---- */

neap_status neap_text_create(const neap_graph *graph, const char *const *texts, neap_text **out,
                             neap_error *err)
{
    collector c;
    char words[FAULT];
    *out = NULL;
    neap_status rc = collector_begin(&c, NI_TEXT_WORDS_MOST, err);
    for (uint32_t u = 0; u < graph->nodes && rc == NEAP_OK; u++) {
        const char *fault;
        if (texts[u]) rc = add_words(&c, u, texts[u], strlen(texts[u]), &fault, err);
        if (rc == NEAP_E_FORMAT || rc == NEAP_E_LIMIT)
            ni_fail_at(err, rc, (uint64_t)(fault - texts[u]), "the text of node %u, byte %zu: %s", u,
                       (size_t)(fault - texts[u]), fault_text(&c, rc, words));
    }
    if (rc == NEAP_OK) {
        c.text->nodes = graph->nodes;
        rc = count_all(&c, err);
    }
    return collector_end(&c, rc, out);
}

void neap_text_free(neap_text *t)
{
    if (!t) return;
    ni_free(t->offset);
    ni_free(t->word);
    ni_names_free(&t->words);
    ni_free(t);
}

uint64_t ni_text_bytes(const neap_text *t)
{
    return ((uint64_t)t->nodes + 1) * sizeof *t->offset + t->offset[t->nodes] * sizeof *t->word +
           ni_names_bytes(&t->words);
}

neap_status neap_text_facts_of(const neap_text *text, neap_text_facts *facts, neap_error *err)
{
    return ni_sized_out(&text->facts, sizeof text->facts, facts, "neap_text_facts", err);
}
