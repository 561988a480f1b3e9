/* A trial from its folder (docs/split.md). Input is hostile: every file is compared with its checksum,
 * every name is looked up, every edge must be one of the graph, once, either for training or held out.
 * Checksums are compared last, so that errors name a line where they can. */
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "eval/manifest.h"
#include "eval/trial.h"
#include "graph/lines.h"
#include "io/npy.h"
#include "io/stream.h"
#include "support/path.h"
#include "support/status.h"

typedef struct loading {
    const char *folder;
    ni_manifest manifest;
    ni_trial *trial;
    neap_options *options; /* how pairs are read                       */
    char path[PATH_MAX];   /* of the part at hand                      */
    uint8_t *is;           /* of each edge of the whole graph: see below */
} loading;

enum { UNSEEN, TRAINING, HELD_OUT };

static neap_status choose_part(loading *l, ni_part part, neap_error *err)
{
    return ni_path_join(l->folder, ni_part_name(&l->manifest, part), l->path, err);
}

/* ---- nodes ---- */

static neap_status each_name(loading *l,
                             neap_status (*take)(void *to, const ni_lines *lines, const char *name,
                                                 size_t length, neap_error *err),
                             void *to, neap_error *err)
{
    ni_stream_in *in = NULL;
    ni_lines lines = { 0 };
    char *line;
    size_t length;
    neap_status rc = choose_part(l, NI_PART_NODES, err);
    if (rc == NEAP_OK) rc = ni_stream_open(l->path, &in, err);
    if (rc == NEAP_OK) rc = ni_lines_init(&lines, in, NI_LINE_SHORT, err);
    while (rc == NEAP_OK) {
        rc = ni_lines_next(&lines, &line, &length, err);
        if (rc != NEAP_OK || !line) break;
        rc = take(to, &lines, line, length, err);
    }
    ni_lines_free(&lines);
    ni_stream_close(in);
    return rc;
}

/* Line i is the name of node i; `to` counts them. */
typedef struct roll {
    const ni_names *names;
    uint32_t count;
} roll;

static neap_status compare_name(void *to, const ni_lines *lines, const char *name, size_t length,
                                neap_error *err)
{
    roll *r = to;
    uint32_t u = r->count++;
    if (u < r->names->count && ni_name_length(r->names, u) == length &&
        !memcmp(ni_name(r->names, u), name, length))
        return NEAP_OK;
    return ni_lines_fail(lines, NEAP_E_FORMAT, name, err, "this is not the name of node %u of the graph",
                         u);
}

static neap_status compare_names(loading *l, neap_error *err)
{
    roll r = { &l->trial->whole->names, 0 };
    neap_status rc = each_name(l, compare_name, &r, err);
    if (rc != NEAP_OK || r.count == r.names->count) return rc;
    return ni_fail(err, NEAP_E_FORMAT, "%.200s has %u names, but the graph has %u nodes", l->path, r.count,
                   r.names->count);
}

/* ---- the whole graph, where it was not given ---- */

static neap_status intern_name(void *to, const ni_lines *lines, const char *name, size_t length,
                               neap_error *err)
{
    ni_names *names = to;
    uint32_t number, known = names->count;
    if (length == 0 || length > NI_NAME_MOST)
        return ni_lines_fail(lines, NEAP_E_FORMAT, name, err, "a name has 1 to %d bytes", NI_NAME_MOST);
    if (!ni_names_intern(names, name, length, &number)) return ni_fail_memory(err, "node names");
    if (number == known) return NEAP_OK;
    return ni_lines_fail(lines, NEAP_E_FORMAT, name, err, "this name stands in line %u too", number + 1);
}

static neap_status add_edges(loading *l, ni_part part, ni_builder *b, neap_error *err)
{
    neap_graph *g = NULL;
    neap_status rc = choose_part(l, part, err);
    if (rc == NEAP_OK) rc = neap_graph_load(l->path, l->options, NULL, &g, err);
    for (uint32_t i = 0; rc == NEAP_OK && i < g->nodes; i++)
        for (uint64_t e = g->offset[i]; rc == NEAP_OK && e < g->offset[i + 1]; e++) {
            uint32_t ends[2] = { i, g->target[e] }, u[2];
            for (int k = 0; k < 2 && rc == NEAP_OK; k++)
                if (!ni_names_find(&b->names, ni_name(&g->names, ends[k]),
                                   ni_name_length(&g->names, ends[k]), &u[k]))
                    rc = ni_fail(err, NEAP_E_UNKNOWN,
                                 "%.200s has a node '%.100s' that nodes.txt does not have", l->path,
                                 ni_name(&g->names, ends[k]));
            if (rc == NEAP_OK && !ni_builder_add(b, u[0], u[1], g->weight ? g->weight[e] : 1))
                rc = ni_fail_memory(err, "edges");
        }
    neap_graph_free(g);
    return rc;
}

static neap_status assemble(loading *l, neap_graph **out, neap_error *err)
{
    ni_builder b;
    ni_builder_init(&b);
    b.weighted = l->manifest.weighted;
    b.undirected = l->manifest.undirected;
    neap_status rc = each_name(l, intern_name, &b.names, err);
    if (rc == NEAP_OK) rc = add_edges(l, NI_PART_TRAIN, &b, err);
    if (rc == NEAP_OK) rc = add_edges(l, NI_PART_HELD_OUT, &b, err);
    if (rc == NEAP_OK) rc = ni_builder_finish(&b, out, err);
    if (rc == NEAP_OK) (*out)->report.repeats = l->manifest.facts.repeats;
    ni_builder_free(&b);
    return rc;
}

/* Graphs that were read with different options differ for that reason first. */
static neap_status another_graph(const loading *l, const neap_graph *graph, neap_error *err)
{
    const ni_manifest *m = &l->manifest;
    bool undirected = graph->undirected, weighted = graph->weight != NULL;
    const char *mends = m->weighted ? "--weights auto" : "--weights ignore";
    if (m->undirected != undirected) mends = m->undirected ? "--undirected" : "--directed";
    else if (m->weighted == weighted)
        return ni_fail(err, NEAP_E_MISMATCH, "%.200s is a split of another graph", l->folder);
    return ni_fail(
        err, NEAP_E_MISMATCH,
        "%.200s is a split of another graph, or of this one read in another way: that of the split "
        "is %s, %s weights, this one %s, %s weights; try %s",
        l->folder, m->undirected ? "undirected" : "directed", m->weighted ? "with" : "without",
        undirected ? "undirected" : "directed", weighted ? "with" : "without", mends);
}

/* An edge in both files is reported with its line later; here it only makes the hash differ. */
static neap_status take_graph(loading *l, const neap_graph *graph, neap_error *err)
{
    ni_trial *t = l->trial;
    neap_status rc = NEAP_OK;
    if (graph) t->whole = ni_graph_share(graph);
    else rc = assemble(l, &t->whole, err);
    if (rc != NEAP_OK) return rc;
    if (graph && neap_graph_hash(graph) != l->manifest.hash) return another_graph(l, graph, err);
    l->is = ni_zeros(t->whole->edges, 1);
    return l->is ? NEAP_OK : ni_fail_memory(err, "the edges of a split");
}

/* ---- pairs ---- */

static neap_status fail_here(const loading *l, const neap_pair_reader *r, neap_pair p, neap_status code,
                             const char *what, neap_error *err)
{
    const ni_names *names = &l->trial->whole->names;
    uint64_t line = ni_pair_reader_line(r);
    return ni_fail_at(err, code, line, "%.200s:%llu: '%.60s' - '%.60s' %s", l->path,
                      (unsigned long long)line, ni_name(names, p.source), ni_name(names, p.target), what);
}

typedef neap_status (*take_pair)(loading *l, const neap_pair_reader *r, neap_pair p, neap_error *err);

static neap_status each_pair(loading *l, ni_part part, take_pair take, neap_error *err)
{
    neap_pair_reader *r = NULL;
    neap_pair p;
    size_t got = 1;
    neap_status rc = choose_part(l, part, err);
    if (rc == NEAP_OK) rc = neap_pair_reader_open(l->path, l->options, l->trial->whole, &r, err);
    while (rc == NEAP_OK && got) {
        rc = neap_pair_reader_next(r, &p, 1, &got, err);
        if (rc == NEAP_OK && got) rc = take(l, r, p, err);
    }
    neap_pair_reader_close(r);
    return rc;
}

static neap_status take_edge(loading *l, const neap_pair_reader *r, neap_pair p, uint8_t as,
                             neap_error *err)
{
    uint64_t edge = ni_graph_find_edge(l->trial->whole, p.source, p.target);
    if (edge == l->trial->whole->edges)
        return fail_here(l, r, p, NEAP_E_FORMAT, "is no edge of the graph", err);
    if (l->is[edge] == as) return fail_here(l, r, p, NEAP_E_FORMAT, "stands here twice", err);
    if (l->is[edge]) return fail_here(l, r, p, NEAP_E_LEAK, "is in train.tsv, too: a leak", err);
    l->is[edge] = as;
    return NEAP_OK;
}

static neap_status take_train(loading *l, const neap_pair_reader *r, neap_pair p, neap_error *err)
{
    return take_edge(l, r, p, TRAINING, err);
}

static neap_status take_held_out(loading *l, const neap_pair_reader *r, neap_pair p, neap_error *err)
{
    return take_edge(l, r, p, HELD_OUT, err);
}

static bool is_training(void *user, uint32_t u, uint32_t v)
{
    const loading *l = user;
    return l->is[ni_graph_find_edge(l->trial->whole, u, v)] == TRAINING;
}

static neap_status load_edges(loading *l, neap_error *err)
{
    ni_trial *t = l->trial;
    neap_status rc = each_pair(l, NI_PART_TRAIN, take_train, err);
    if (rc == NEAP_OK) rc = each_pair(l, NI_PART_HELD_OUT, take_held_out, err);
    for (uint64_t e = 0; e < t->whole->edges && rc == NEAP_OK; e++)
        if (!l->is[e])
            rc = ni_fail(err, NEAP_E_FORMAT,
                         "%.200s: the edge '%.60s' - '%.60s' is neither in train.tsv nor in held_out.tsv",
                         l->folder, ni_name(&t->whole->names, ni_graph_source(t->whole, e)),
                         ni_name(&t->whole->names, t->whole->target[e]));
    if (rc == NEAP_OK && neap_graph_hash(t->whole) != l->manifest.hash)
        rc = ni_fail(err, NEAP_E_FORMAT, "%.200s: train.tsv and held_out.tsv do not make up the graph",
                     l->folder);
    return rc == NEAP_OK ? ni_graph_filter(t->whole, is_training, l, &t->train, err) : rc;
}

static bool in_order(const neap_pair *pairs, size_t count, neap_pair next)
{
    const neap_pair *last = pairs + count - 1;
    return !count || last->source < next.source ||
           (last->source == next.source && last->target < next.target);
}

static neap_status take_test(loading *l, const neap_pair_reader *r, neap_pair p, neap_error *err)
{
    ni_trial *t = l->trial;
    if (!ni_graph_has(t->whole, p.source, p.target))
        return fail_here(l, r, p, NEAP_E_FORMAT, "is no edge of the graph", err);
    if (ni_graph_has(t->train, p.source, p.target))
        return fail_here(l, r, p, NEAP_E_LEAK, "is in train.tsv, too: a leak", err);
    if (t->count == l->manifest.facts.test || !in_order(t->positive, t->count, p))
        return fail_here(l, r, p, NEAP_E_FORMAT, "is not what should stand here", err);
    t->positive[t->count++] = p;
    t->loops += p.source == p.target;
    return NEAP_OK;
}

static neap_status take_valid(loading *l, const neap_pair_reader *r, neap_pair p, neap_error *err)
{
    ni_trial *t = l->trial;
    if (t->valids == l->manifest.facts.valid || !in_order(t->valid, t->valids, p))
        return fail_here(l, r, p, NEAP_E_FORMAT, "is not what should stand here", err);
    t->valid[t->valids++] = p;
    return NEAP_OK;
}

static neap_status load_targets(loading *l, ni_part part, const neap_pair *positive, size_t count,
                                neap_pair *negative, neap_error *err)
{
    enum { PIECE = 4096 };
    uint32_t number[PIECE];
    ni_stream_in *in = NULL;
    neap_status rc = choose_part(l, part, err);
    if (rc == NEAP_OK) rc = ni_npy_open_u32(l->path, count, 0, &in, err);
    for (size_t i = 0, n; i < count && rc == NEAP_OK; i += n) {
        n = count - i < PIECE ? count - i : PIECE;
        rc = ni_npy_next_u32(in, l->trial->whole->nodes, n, number, err);
        for (size_t k = 0; k < n && rc == NEAP_OK; k++)
            negative[i + k] = (neap_pair){ positive[i + k].source, number[k] };
    }
    ni_stream_close(in);
    return rc;
}

/* The names of side 1: a list of targets, or one side of a bipartite graph. */
static neap_status load_sides(loading *l, neap_error *err)
{
    ni_trial *t = l->trial;
    neap_nodes *nodes = NULL;
    if (!ni_part_name(&l->manifest, NI_PART_TARGETS)) return NEAP_OK;
    if (t->protocol != NI_CLEAN)
        return ni_fail(err, NEAP_E_FORMAT, "%.200s: only a split of the protocol clean has targets",
                       l->folder);
    neap_status rc = choose_part(l, NI_PART_TARGETS, err);
    if (rc == NEAP_OK) rc = neap_nodes_load(l->path, t->whole, &nodes, err);
    if (rc != NEAP_OK) return rc;
    uint8_t *side = ni_zeros(t->whole->nodes, 1);
    bool opposite = !strcmp(l->manifest.facts.targets, "opposite");
    for (size_t i = 0; i < nodes->count && side; i++) side[nodes->node[i]] = 1;
    if (!side) rc = ni_fail_memory(err, "the targets of a split");
    else if (opposite && !ni_sides_fit(t->whole, side, t->whole->nodes))
        rc = ni_fail(err, NEAP_E_FORMAT, "%.200s: an edge of the graph joins two nodes of one side",
                     l->path);
    if (rc == NEAP_OK) rc = ni_targets_create(side, t->whole->nodes, opposite, &t->targets, err);
    ni_free(side);
    neap_nodes_free(nodes);
    return rc;
}

/* Both lists are pairs of the graph, so a manifest cannot cause a larger allocation than the graph. */
static neap_status make_room(loading *l, neap_error *err)
{
    ni_trial *t = l->trial;
    const neap_trial_facts *f = &l->manifest.facts;
    if (f->test == 0 || f->test > t->whole->edges || f->valid > t->whole->edges)
        return ni_fail(err, NEAP_E_FORMAT, "%.200s: there is no test pair, or more pairs than edges",
                       l->folder);
    t->positive = ni_array(f->test, sizeof *t->positive);
    if (t->protocol == NI_CLEAN) t->negative = ni_array(f->test, sizeof *t->negative);
    t->valid = ni_array(f->valid, sizeof *t->valid);
    t->valid_negative = ni_array(f->valid, sizeof *t->valid_negative);
    bool ok = t->positive && (t->negative || t->protocol != NI_CLEAN) && t->valid && t->valid_negative;
    return ok ? NEAP_OK : ni_fail_memory(err, "the pairs of a split");
}

static neap_status load_pairs(loading *l, neap_error *err)
{
    ni_trial *t = l->trial;
    const neap_trial_facts *f = &l->manifest.facts;
    neap_status rc = make_room(l, err);
    if (rc == NEAP_OK) rc = each_pair(l, NI_PART_TEST, take_test, err);
    if (rc == NEAP_OK && f->valid) rc = each_pair(l, NI_PART_VALID, take_valid, err);
    if (rc == NEAP_OK && (t->count != f->test || t->valids != f->valid))
        rc = ni_fail(err, NEAP_E_FORMAT, "%.200s has fewer pairs than its manifest says", l->folder);
    if (rc == NEAP_OK && t->negative) t->negatives = t->count;
    if (rc == NEAP_OK && t->negative)
        rc = load_targets(l, NI_PART_TEST_NEGATIVES, t->positive, t->count, t->negative, err);
    if (rc == NEAP_OK && f->valid)
        rc = load_targets(l, NI_PART_VALID_NEGATIVES, t->valid, t->valids, t->valid_negative, err);
    return rc;
}

/* ---- all together ---- */

static neap_status check_digests(loading *l, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (ni_part p = 0; p < NI_PARTS && rc == NEAP_OK; p++) {
        const ni_digest *listed = &l->manifest.part[p];
        ni_digest found;
        if (!ni_part_name(&l->manifest, p)) continue;
        rc = choose_part(l, p, err);
        if (rc == NEAP_OK) rc = ni_digest_of(l->path, &found, err);
        if (rc == NEAP_OK && (found.crc != listed->crc || found.bytes != listed->bytes))
            rc = ni_fail(err, NEAP_E_FORMAT,
                         "%.200s was changed since the split was made: its checksum is not that of "
                         "manifest.json",
                         l->path);
    }
    return rc;
}

/* Pairs that were held out, scored or not: the rest of the graph, without loops and directions in clean. */
static size_t count_held_out(const loading *l)
{
    const neap_graph *g = l->trial->whole;
    size_t count = 0;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            bool again = u == v || (u > v && ni_graph_has(g, v, u));
            count += l->is[e] == HELD_OUT && !(l->trial->protocol == NI_CLEAN && again);
        }
    return count;
}

static neap_status check_facts(const loading *l, neap_error *err)
{
    const neap_trial_facts *listed = &l->manifest.facts, *is = &l->trial->facts;
    if (listed->nodes == is->nodes && listed->edges == is->edges && listed->train == is->train &&
        listed->skipped == is->skipped && listed->loops == is->loops && listed->reverse == is->reverse &&
        listed->self_loops == is->self_loops && listed->target_count == is->target_count)
        return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "%.200s: manifest.json counts other pairs than there are",
                   l->folder);
}

static neap_status load_all(loading *l, const neap_graph *graph, neap_error *err)
{
    ni_trial *t = l->trial;
    neap_status rc = take_graph(l, graph, err);
    if (rc == NEAP_OK) rc = compare_names(l, err);
    if (rc == NEAP_OK) rc = load_edges(l, err);
    if (rc == NEAP_OK) rc = ni_links_create(t->whole, &t->known, err);
    if (rc == NEAP_OK) rc = ni_links_create(t->train, &t->seen, err);
    if (rc == NEAP_OK) rc = load_sides(l, err);
    if (rc == NEAP_OK) rc = load_pairs(l, err);
    if (rc == NEAP_OK) rc = check_digests(l, err);
    if (rc == NEAP_OK) rc = choose_part(l, NI_PART_CANDIDATES, err);
    if (rc == NEAP_OK)
        rc = ni_candidate_file_create(l->path, l->manifest.part[NI_PART_CANDIDATES].crc, &t->file, err);
    if (rc != NEAP_OK) return rc;
    t->held_out = count_held_out(l);
    ni_trial_count(t);
    rc = check_facts(l, err);
    return rc == NEAP_OK ? ni_leak_in_trial(t, NULL, err) : rc;
}

static neap_status start(loading *l, neap_error *err)
{
    neap_status rc = ni_manifest_read(l->folder, &l->manifest, err);
    if (rc == NEAP_OK) rc = neap_options_create(NULL, &l->options, err);
    if (rc == NEAP_OK) rc = neap_options_set(l->options, "delimiter", "tab", err);
    if (rc == NEAP_OK) rc = neap_options_set(l->options, "format", "edges", err);
    if (rc == NEAP_OK)
        rc = neap_options_set(l->options, "columns", l->manifest.weighted ? "1,2,3" : "1,2", err);
    if (rc == NEAP_OK)
        rc = neap_options_set(l->options, "undirected", l->manifest.undirected ? "yes" : "no", err);
    if (rc != NEAP_OK) return rc;
    l->trial = ni_zeros(1, sizeof *l->trial);
    if (!l->trial) return ni_fail_memory(err, "a split");
    *l->trial = (ni_trial){ .protocol = l->manifest.protocol,
                            .kind = l->manifest.kind,
                            .ratio = l->manifest.facts.ratio,
                            .seed = l->manifest.facts.seed };
    return NEAP_OK;
}

neap_status neap_trial_load(const char *folder, const neap_data *data, neap_trial **out, neap_error *err)
{
    neap_data from = { 0 };
    *out = NULL;
    neap_status rc = data ? ni_sized_in(&from, sizeof from, data, "neap_data", err) : NEAP_OK;
    if (rc != NEAP_OK) return rc;
    loading *l = ni_zeros(1, sizeof *l);
    if (!l) return ni_fail_memory(err, "a split");
    l->folder = folder;
    rc = start(l, err);
    if (rc == NEAP_OK) rc = load_all(l, from.graph, err);
    if (rc == NEAP_OK) l->trial->text = from.text, l->trial->features = from.features;
    if (rc == NEAP_OK) *out = l->trial;
    else neap_trial_free(l->trial);
    neap_options_free(l->options);
    ni_free(l->is);
    ni_free(l);
    return rc;
}
