/* Edge lists: two names per line, and perhaps a weight. What strange input means, beside lines.h:
 *
 *   names          any bytes; 7 and 007 are two names, 9223372036854775807 is one like any other. Split
 *                  at blanks, a name with a blank needs quotes; split at anything else, it does not.
 *   delimiter      option `delimiter`; auto: see ni_columns_choose, from the first line with data.
 *   comments       lines that start with # or %. Elsewhere these are letters. Blank lines are skipped.
 *   header         option `header`; auto: the first line with data is a header if its words name source
 *                  and target (lines.h, which chooses the columns by them), or if neither of its first
 *                  two words is a number while all ids below it are. What might be one, but is read as
 *                  an edge, is reported if neither of its names occurs again.
 *   columns        option `columns`; auto: by the header, else the first three.
 *   weights        used if the first edge has a number in the column of the weight, unless the option
 *                  `weights` is ignore; then each edge must have one. NaN, infinities, negative
 *                  numbers and 0 are refused.
 *   other columns  ignored if a header or the option `columns` names the columns, or with --weights ignore.
 *                  Else a third column that is no number, or that the first edge has not, is refused, and
 *                  so are times in columns 3 and 4 (looks.h).
 *   other formats  refused by their name (looks.h).
 *   one column, an empty name, a name of more than NI_NAME_MOST bytes, a line of more than
 *   NI_LINE_SHORT bytes, a broken quote: refused.                                                   */
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "base/threads.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "graph/looks.h"
#include "support/status.h"

/* A block of lines is cut into chunks, which threads read at the same time: they take lines apart and
 * look names up, but add none. New names are numbered afterwards, in the order of the file, so that nothing
 * depends on the number of threads. Within a chunk, so many edges have their names prefetched at once: */
enum { CHUNKS = 16, BATCH = 64 };

typedef struct edge_text {
    ni_field source, target;
    uint64_t source_key, target_key;
    float weight;
} edge_text;

typedef struct newcomer {
    ni_field name;
    uint64_t key;
    size_t edge;
    bool is_target;
} newcomer;

typedef struct edge_reader edge_reader;

typedef struct chunk {
    edge_reader *reader;
    ni_lines lines; /* this chunk's part of the block */
    edge_text batch[BATCH];
    uint32_t pending;
    neap_edge *edge; /* ends that are new names are filled in later */
    size_t edges, edge_room;
    newcomer *newcomer;
    size_t newcomers, newcomer_room;
    neap_status rc; /* why it ended early */
} chunk;

struct edge_reader {
    ni_lines lines;
    const ni_common *options;
    ni_builder *b;
    ni_threads *threads; /* NULL until there is much to read */
    ni_layout layout;
    bool weighted;
    bool bare;             /* the first edge has two columns, and so must all          */
    bool wordy;            /* edge 0 looks as a header might                           */
    bool maybe_header;     /* edge 0 is one if all names below it are numbers          */
    neap_error no_edge;    /* why it can be nothing else; code 0: it can               */
    neap_error unweighted; /* why it can be nothing else if there are weights below it */
    uint32_t heading;      /* how many names it has: 2, or 1 if they are equal         */
    chunk *chunk;          /* CHUNKS */
};

static neap_status parse_weight(const edge_reader *r, const ni_lines *lines, char *rest, edge_text *e,
                                neap_error *err)
{
    ni_field field = { NULL, 0, false };
    ni_layout_weight(&r->layout, rest, &field);
    if (!field.at || field.length == 0)
        return ni_lines_fail(lines, NEAP_E_FORMAT, lines->line, err,
                             "no weight in column %u, though %s; add it, or --weights ignore",
                             r->layout.column[NI_WEIGHT],
                             r->layout.demanded ? "--columns names it" : "the first edge has one");
    if (r->layout.demanded && !ni_field_is_number(&field))
        return ni_lines_fail(lines, NEAP_E_FORMAT, field.at, err,
                             "'%.*s' is no number, hence no weight, but --columns, which is "
                             "source,target,weight, takes column %u for it (there are no relations)",
                             field.length < 40 ? (int)field.length : 40, field.at,
                             r->layout.column[NI_WEIGHT]);
    return ni_field_weight(lines, &field, &e->weight, err);
}

/* Where the first edge has two columns, all have. */
static neap_status refuse_more(const edge_reader *r, const ni_lines *lines, char *rest, neap_error *err)
{
    ni_field field;
    if (!ni_field_next(&r->layout.columns, &rest, &field) || !field.at || !field.length) return NEAP_OK;
    return ni_lines_fail(lines, NEAP_E_FORMAT, field.at, err,
                         "a third column, which the first edge has not; --columns 1,2 or --weights ignore "
                         "leaves it out; if these are the neighbours of a node: --format adjacency");
}

static neap_status parse_edge(const edge_reader *r, const ni_lines *lines, char *line, edge_text *e,
                              neap_error *err)
{
    char *rest;
    neap_status rc = ni_layout_names(&r->layout, lines, line, &e->source, &e->target, &rest, err);
    e->weight = 1;
    if (rc == NEAP_OK && r->weighted) rc = parse_weight(r, lines, rest, e, err);
    else if (rc == NEAP_OK && r->bare && rest) rc = refuse_more(r, lines, rest, err);
    if (rc != NEAP_OK) return rc;
    ni_field_undouble(&e->source);
    ni_field_undouble(&e->target);
    return NEAP_OK;
}

/* ---- one chunk, in any thread ---- */

static bool look_up(chunk *c, const ni_field *name, uint64_t key, uint32_t *number, bool is_target)
{
    *number = NEAP_NONE;
    if (ni_names_find_key(&c->reader->b->names, name->at, name->length, key, number)) return true;
    if (!ni_grow(&c->newcomer, &c->newcomer_room, c->newcomers + 1, sizeof *c->newcomer)) return false;
    c->newcomer[c->newcomers++] = (newcomer){ *name, key, c->edges, is_target };
    return true;
}

static bool flush(chunk *c)
{
    if (!ni_grow(&c->edge, &c->edge_room, c->edges + c->pending, sizeof *c->edge)) return false;
    for (uint32_t i = 0; i < c->pending; i++, c->edges++) {
        const edge_text *e = &c->batch[i];
        neap_edge *edge = &c->edge[c->edges];
        edge->weight = e->weight;
        if (!look_up(c, &e->source, e->source_key, &edge->source, false)) return false;
        if (!look_up(c, &e->target, e->target_key, &edge->target, true)) return false;
    }
    c->pending = 0;
    return true;
}

static void fetch_names(const ni_names *names, edge_text *e)
{
    e->source_key = ni_names_fetch(names, e->source.at, e->source.length);
    e->target_key = ni_names_fetch(names, e->target.at, e->target.length);
}

/* The next line; *more is false at the end of the chunk. */
static neap_status read_line(chunk *c, bool *more, neap_error *err)
{
    char *line;
    size_t length;
    neap_status rc = ni_lines_next(&c->lines, &line, &length, err);
    *more = rc == NEAP_OK && line;
    if (!*more || !ni_line_is_data(line, length)) return rc;
    edge_text *e = &c->batch[c->pending];
    rc = parse_edge(c->reader, &c->lines, line, e, err);
    if (rc != NEAP_OK) return rc;
    fetch_names(&c->reader->b->names, e);
    if (++c->pending == BATCH && !flush(c)) return ni_fail_memory(err, "edges");
    return NEAP_OK;
}

/* Reads up to the first error, whose text is made later, when the line number is known. */
static void read_chunk(void *arg, uint32_t task, uint32_t thread)
{
    (void)thread;
    chunk *c = (chunk *)arg + task;
    bool more = true;
    while (more && c->rc == NEAP_OK) c->rc = read_line(c, &more, NULL);
    if (!flush(c)) c->rc = NEAP_E_MEM;
}

/* ---- a block, in order ---- */

/* A name below the first line is no number, so that is an edge, unless there is a reason against it. */
static neap_status rule_out_header(edge_reader *r, neap_error *err)
{
    const neap_error *why = r->no_edge.code ? &r->no_edge : r->weighted ? &r->unweighted : NULL;
    r->maybe_header = false;
    if (why && err) *err = *why;
    return why ? (neap_status)why->code : NEAP_OK;
}

static neap_status intern(edge_reader *r, const ni_field *name, uint64_t key, uint32_t *number,
                          neap_error *err)
{
    uint32_t known = r->b->names.count;
    if (!ni_names_intern_key(&r->b->names, name->at, name->length, key, number)) {
        if (known < NI_NAMES_MOST) return ni_fail_memory(err, "node names");
        return ni_fail(err, NEAP_E_LIMIT,
                       "%.200s: more than %d different names; that many nodes are too many",
                       ni_stream_label(r->lines.in), NI_NAMES_MOST);
    }
    return r->maybe_header && *number == known && !ni_field_is_number(name) ? rule_out_header(r, err)
                                                                            : NEAP_OK;
}

static neap_status add_edge(edge_reader *r, const neap_edge *e, neap_error *err)
{
    bool known = r->maybe_header && (e->source < r->heading || e->target < r->heading);
    neap_status rc = known ? rule_out_header(r, err) : NEAP_OK;
    if (rc != NEAP_OK) return rc;
    return ni_builder_add(r->b, e->source, e->target, e->weight) ? NEAP_OK : ni_fail_memory(err, "edges");
}

static neap_status number_newcomers(edge_reader *r, chunk *c, neap_error *err)
{
    neap_status rc = NEAP_OK;
    enum { AHEAD = 16 };
    for (size_t i = 0; i < c->newcomers && rc == NEAP_OK; i++) {
        const newcomer *n = &c->newcomer[i];
        if (i + AHEAD < c->newcomers) ni_names_fetch(&r->b->names, n[AHEAD].name.at, n[AHEAD].name.length);
        neap_edge *edge = &c->edge[n->edge];
        rc = intern(r, &n->name, n->key, n->is_target ? &edge->target : &edge->source, err);
    }
    c->newcomers = 0;
    return rc;
}

static neap_status take_edges(edge_reader *r, chunk *c, neap_error *err)
{
    neap_status rc = number_newcomers(r, c, err);
    for (size_t i = 0; i < c->edges && rc == NEAP_OK; i++) rc = add_edge(r, &c->edge[i], err);
    c->edges = 0;
    return rc;
}

/* Reads the line again at which a chunk ended early, with its number known, for the text of the error. */
static neap_status explain(edge_reader *r, chunk *c, neap_error *err)
{
    bool more;
    if (c->rc == NEAP_E_MEM) return ni_fail_memory(err, "edges");
    c->lines.from = (size_t)(c->lines.line - c->lines.bytes);
    c->lines.number = r->lines.number + c->lines.number - 1;
    read_line(c, &more, err);
    return c->rc;
}

static neap_status take_chunk(edge_reader *r, chunk *c, neap_error *err)
{
    neap_status rc = take_edges(r, c, err);
    if (rc == NEAP_OK && c->rc != NEAP_OK) return explain(r, c, err);
    r->lines.number += c->lines.number;
    return rc;
}

/* Cuts the block into chunks of whole lines; returns how many. */
static uint32_t cut(edge_reader *r)
{
    ni_lines *all = &r->lines;
    uint32_t count = 0, most = r->threads ? CHUNKS : 1;
    size_t size = (all->whole - all->from) / most + 1;
    while (all->from < all->whole) {
        size_t left = all->whole - all->from, end = all->whole;
        if (left > size)
            end = (size_t)((char *)memchr(all->bytes + all->from + size - 1, '\n', left - size + 1) -
                           all->bytes) +
                  1;
        chunk *c = &r->chunk[count++];
        c->reader = r;
        c->lines = *all;
        c->lines.to = c->lines.whole = end;
        c->lines.ended = true;
        c->lines.number = 0;
        c->rc = NEAP_OK;
        all->from = end;
    }
    return count;
}

static neap_status read_block(edge_reader *r, neap_error *err)
{
    neap_status rc = NEAP_OK;
    if (!r->threads && !r->lines.ended) rc = ni_threads_create(r->options->threads, &r->threads, err);
    if (rc != NEAP_OK) return rc;
    uint32_t count = cut(r);
    if (r->threads) ni_threads_run(r->threads, count, read_chunk, r->chunk);
    else read_chunk(r->chunk, 0, 0);
    for (uint32_t i = 0; i < count && rc == NEAP_OK; i++) rc = take_chunk(r, &r->chunk[i], err);
    return rc;
}

static neap_status read_blocks(edge_reader *r, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (;;) {
        if (r->lines.from == r->lines.whole) rc = ni_lines_fill(&r->lines, err);
        if (rc != NEAP_OK || r->lines.from == r->lines.whole) return rc;
        rc = read_block(r, err);
        if (rc != NEAP_OK) return rc;
    }
}

/* ---- the first lines ---- */

/* Decides about weights from the first edge; `rest` is what stands behind its names. */
static neap_status decide(edge_reader *r, char *line, char *rest, const ni_field *second, neap_error *err)
{
    const ni_layout *layout = &r->layout;
    ni_field third = { NULL, 0, false };
    r->weighted = r->bare = false;
    if (r->options->weights == NI_WEIGHTS_IGNORE) return NEAP_OK;
    ni_layout_weight(layout, rest, &third);
    bool there = third.at && third.length > 0, number = there && ni_field_is_number(&third);
    /* What a header calls a weight must be a number. */
    r->weighted = number || layout->demanded || (layout->named && there && r->b->report.header);
    if (layout->named) return NEAP_OK;
    r->bare = !there && layout->ordered;
    if (there && !number) return ni_looks_third(&r->lines, second, &third, err);
    return number && layout->ordered ? ni_looks_time(&r->lines, &layout->columns, line, err) : NEAP_OK;
}

/* An edge that decides about weights. */
static neap_status read_decisive(edge_reader *r, char *line, neap_error *err)
{
    edge_text e;
    neap_edge edge;
    char *rest;
    neap_status rc = ni_layout_names(&r->layout, &r->lines, line, &e.source, &e.target, &rest, err);
    if (rc == NEAP_OK) rc = decide(r, line, rest, &e.target, err);
    if (rc == NEAP_OK) rc = parse_edge(r, &r->lines, line, &e, err);
    if (rc != NEAP_OK) return rc;
    fetch_names(&r->b->names, &e);
    edge.weight = e.weight;
    rc = intern(r, &e.source, e.source_key, &edge.source, err);
    if (rc == NEAP_OK) rc = intern(r, &e.target, e.target_key, &edge.target, err);
    return rc == NEAP_OK ? add_edge(r, &edge, err) : rc;
}

/* Notes why a line that may be a header could be nothing else. */
static void doubt(edge_reader *r, char *line)
{
    ni_field second, third;
    bool names = ni_field_next(&r->layout.columns, &line, &second) &&
                 ni_field_next(&r->layout.columns, &line, &second) && second.at;
    if (strcmp(r->options->columns, "auto") || r->options->weights == NI_WEIGHTS_IGNORE || !names) return;
    if (ni_field_next(&r->layout.columns, &line, &third) && third.at && third.length) {
        ni_looks_third(&r->lines, &second, &third, &r->no_edge);
        size_t used = strlen(r->no_edge.text);
        snprintf(r->no_edge.text + used, sizeof r->no_edge.text - used,
                 "; if this line is a header: --header yes");
    }
    ni_lines_fail(&r->lines, NEAP_E_FORMAT, r->lines.line, &r->unweighted,
                  "no weight in column %u, though the lines below have one; if this line is a header: "
                  "--header yes",
                  r->layout.column[NI_WEIGHT]);
}

/* The first line with data, unless it is that of another format. */
static neap_status read_first(edge_reader *r, char **line, neap_error *err)
{
    size_t length;
    neap_status rc = ni_lines_next_data(&r->lines, line, &length, err);
    bool named = strcmp(r->options->columns, "auto") != 0;
    return rc == NEAP_OK && *line && !named ? ni_looks_foreign(&r->lines, *line, err) : rc;
}

/* The first line with data decides about delimiter, header and columns, the first edge about weights. What
 * may be a header becomes edge 0 for the time being. */
static neap_status read_start(edge_reader *r, neap_error *err)
{
    char *line;
    size_t length;
    ni_header is;
    neap_status rc = read_first(r, &line, err);
    if (rc != NEAP_OK || !line) return rc;
    rc = ni_layout_choose(&r->layout, r->options, &r->lines, line, &is, err);
    if (rc == NEAP_OK && is == NI_MAYBE_HEADER) doubt(r, line);
    if (rc == NEAP_OK && is != NI_IS_HEADER) rc = read_decisive(r, line, err);
    if (rc != NEAP_OK || is == NI_NO_HEADER) return rc;
    r->wordy = r->maybe_header = is == NI_MAYBE_HEADER;
    r->heading = r->b->names.count;
    r->b->report.header = is == NI_IS_HEADER;
    rc = ni_lines_next_data(&r->lines, &line, &length, err);
    return rc == NEAP_OK && line ? read_decisive(r, line, err) : rc;
}

/* Neither name of edge 0 occurs in another edge. */
static bool is_alone(const edge_reader *r)
{
    const ni_builder *b = r->b;
    for (size_t i = 1; i < b->count; i++)
        if (b->pair[i] >> 32 < r->heading || (uint32_t)b->pair[i] < r->heading) return false;
    return b->count > 1;
}

/* Edge 0 was a header: its names go, all others move up, and the last edge takes its place. */
static neap_status remove_header(edge_reader *r, neap_error *err)
{
    ni_builder *b = r->b;
    uint64_t both = (uint64_t)r->heading << 32 | r->heading;
    b->report.header = 1;
    b->pair[0] = b->pair[--b->count];
    if (b->weight) b->weight[0] = b->weight[b->count];
    for (size_t i = 0; i < b->count; i++) b->pair[i] -= both;
    return ni_names_drop(&b->names, r->heading) ? NEAP_OK : ni_fail_memory(err, "node names");
}

/* A first line that is still a header at the end is one, unless it stands alone. */
static neap_status settle_header(edge_reader *r, neap_error *err)
{
    ni_builder *b = r->b;
    if (r->maybe_header && b->count == 1) {
        neap_status rc = rule_out_header(r, err);
        if (rc != NEAP_OK) return rc;
    }
    if (b->report.header || r->maybe_header) b->report.time_column = r->layout.time;
    if (r->maybe_header) return remove_header(r, err);
    if (r->wordy) b->report.maybe_header = is_alone(r);
    return NEAP_OK;
}

static void reader_free(edge_reader *r)
{
    for (uint32_t i = 0; r->chunk && i < CHUNKS; i++) {
        ni_free(r->chunk[i].edge);
        ni_free(r->chunk[i].newcomer);
    }
    ni_free(r->chunk);
    ni_threads_free(r->threads);
    ni_lines_free(&r->lines);
}

neap_status ni_read_edges(ni_stream_in *in, const ni_common *options, ni_builder *b, neap_error *err)
{
    edge_reader r = { .options = options, .b = b };
    neap_status rc = ni_lines_init(&r.lines, in, NI_LINE_SHORT, err);
    r.chunk = ni_zeros(CHUNKS, sizeof *r.chunk);
    if (rc == NEAP_OK && !r.chunk) rc = ni_fail_memory(err, "reading edges");
    if (rc == NEAP_OK) rc = read_start(&r, err);
    if (rc == NEAP_OK) rc = read_blocks(&r, err);
    if (rc == NEAP_OK) rc = settle_header(&r, err);
    b->weighted = r.weighted;
    b->report.delimiter = r.layout.columns.delimiter;
    b->report.lines = r.lines.number;
    reader_free(&r);
    return rc;
}
