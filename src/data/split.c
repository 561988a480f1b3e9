/* Held-out pairs: the first `share` of a keyed permutation of the unordered pairs, each with one negative,
 * and the graph without them. O(edges log edges); every draw is a function of (seed, stream, pair). */
#include "data/split.h"

#include <math.h>
#include <stdlib.h>

#include "base/options.h"
#include "base/sized.h"
#include "base/sys.h"
#include "support/order.h"
#include "support/status.h"

/* An unordered pair as one number. */
static uint64_t pair_key(uint32_t u, uint32_t v)
{
    return u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
}

/* Each unordered pair is met at one of its edges: the only one, or the one that starts at the smaller
 * node. A loop is no pair. */
static bool stands_for_pair(const neap_graph *g, uint32_t u, uint32_t v)
{
    return u < v || (u > v && !ni_graph_has(g, v, u));
}

static uint64_t count_pairs(const neap_graph *g)
{
    uint64_t pairs = 0;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            pairs += stands_for_pair(g, u, g->target[e]);
    return pairs;
}

/* Where pairs come from. */
typedef struct drawing {
    const neap_graph *graph;
    const ni_links *links;
    const ni_targets *targets;
    uint64_t seed;
    ni_stream stream;
} drawing;

/* The direction of a test pair is that of its edge; where both exist, or none is meant, it leads to a
 * target, and if either does, it is drawn. */
static neap_pair directed(const drawing *d, uint32_t u, uint32_t v, uint64_t index)
{
    const neap_graph *g = d->graph;
    ni_rng rng = ni_rng_at(d->seed, NI_STREAM_DIRECTION, d->stream, index);
    bool either = g->undirected || (ni_graph_has(g, u, v) && ni_graph_has(g, v, u));
    bool turn = either && ni_below(&rng, 2);
    if (either && ni_is_target(d->targets, u, v) != ni_is_target(d->targets, v, u))
        turn = ni_is_target(d->targets, v, u);
    return turn ? (neap_pair){ v, u } : (neap_pair){ u, v };
}

/* Fills positive[] with the pairs whose running numbers are in chosen[] (sorted). */
static void collect(const drawing *d, const uint64_t *chosen, size_t count, neap_pair *positive)
{
    const neap_graph *g = d->graph;
    uint64_t index = 0;
    size_t found = 0;
    for (uint32_t u = 0; u < g->nodes && found < count; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1] && found < count; e++) {
            if (!stands_for_pair(g, u, g->target[e])) continue;
            if (index == chosen[found]) {
                positive[found] = directed(d, u, g->target[e], index);
                found++;
            }
            index++;
        }
}

/* A negative for each positive; positives that have none are dropped from the scored set, and so are those
 * that lead to no target. */
static void draw_negatives(const drawing *d, neap_split *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        ni_rng rng = ni_rng_at(d->seed, NI_STREAM_TEST, d->stream, i);
        neap_pair p = s->positive[i];
        if (!ni_is_target(d->targets, p.source, p.target)) continue;
        uint32_t stranger = ni_stranger_like(d->links, d->targets, p.source, p.target, &rng);
        if (stranger == NEAP_NONE) continue;
        s->positive[kept] = p;
        s->negative[kept++] = (neap_pair){ p.source, stranger };
    }
    s->without_negative = s->count - kept;
    s->count = kept;
}

typedef struct held_out {
    const uint64_t *key; /* sorted */
    size_t count;
    bool loops; /* loops stay: they are no pairs */
} held_out;

static bool not_held_out(void *user, uint32_t u, uint32_t v)
{
    const held_out *h = user;
    uint64_t key = pair_key(u, v);
    return u == v ? h->loops : !bsearch(&key, h->key, h->count, sizeof key, ni_ascending_u64);
}

/* The graph without these pairs, in both directions. */
static neap_status leave_out(const neap_graph *g, const neap_pair *pairs, size_t count, bool loops,
                             neap_graph **out, neap_error *err)
{
    uint64_t *key = ni_array(count, sizeof *key);
    if (!key) return ni_fail_memory(err, "the held-out pairs");
    for (size_t i = 0; i < count; i++) key[i] = pair_key(pairs[i].source, pairs[i].target);
    qsort(key, count, sizeof *key, ni_ascending_u64);
    neap_status rc = ni_graph_filter(g, not_held_out, &(held_out){ key, count, loops }, out, err);
    ni_free(key);
    return rc;
}

static neap_status no_negative(const ni_targets *targets, neap_error *err)
{
    if (ni_targets_limit(targets))
        return ni_fail(err, NEAP_E_FORMAT,
                       "no held-out pair leads to a target that can be compared with another one; a longer "
                       "list of targets, or one of nodes that edges lead to, is needed");
    return ni_fail(err, NEAP_E_FORMAT,
                   "every source is linked with every node, so that there is no non-link to "
                   "compare with; a graph with fewer links is needed");
}

neap_status ni_split_create(const neap_graph *g, const ni_links *links, const ni_targets *targets,
                            double share, uint64_t seed, ni_stream stream, neap_split **out,
                            neap_error *err)
{
    const drawing d = { g, links, targets, seed, stream };
    *out = NULL;
    uint64_t pairs = count_pairs(g);
    double wanted = round(share * (double)pairs);
    if (!(share > 0 && share < 1)) return ni_fail(err, NEAP_E_ARG, "a share of pairs is between 0 and 1");
    if (pairs < 2)
        return ni_fail(err, NEAP_E_FORMAT,
                       "the graph has %llu pair%s of different nodes with an edge: too few to "
                       "hold any out",
                       (unsigned long long)pairs, pairs == 1 ? "" : "s");
    size_t count = wanted < 1 ? 1 : wanted >= (double)pairs ? (size_t)pairs - 1 : (size_t)wanted;

    neap_status rc = NEAP_OK;
    neap_split *s = ni_zeros(1, sizeof *s);
    uint64_t *chosen = ni_array(count, sizeof *chosen);
    if (!s || !chosen || !(s->positive = ni_array(count, sizeof *s->positive)) ||
        !(s->negative = ni_array(count, sizeof *s->negative))) {
        rc = ni_fail_memory(err, "the held-out pairs");
        goto done;
    }
    s->count = count;
    for (size_t i = 0; i < count; i++) chosen[i] = ni_permute(seed, stream, 0, pairs, i);
    qsort(chosen, count, sizeof *chosen, ni_ascending_u64);
    collect(&d, chosen, count, s->positive);
    rc = leave_out(g, s->positive, count, stream != NI_STREAM_SPLIT, &s->train, err);
    if (rc != NEAP_OK) goto done;

    draw_negatives(&d, s);
    if (s->count == 0) rc = no_negative(targets, err);
done:
    ni_free(chosen);
    if (rc == NEAP_OK) *out = s;
    else neap_split_free(s);
    return rc;
}

static bool are_nodes(const neap_graph *g, const neap_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].source >= g->nodes || pairs[i].target >= g->nodes) return false;
    return true;
}

neap_status ni_split_take(const neap_graph *g, const ni_validation *pairs, neap_split **out,
                          neap_error *err)
{
    *out = NULL;
    if (!pairs->count || !are_nodes(g, pairs->positives, pairs->count) ||
        !are_nodes(g, pairs->negatives, pairs->count))
        return ni_fail(err, NEAP_E_ARG, "pairs to hold back must be some, and nodes of the graph");
    neap_split *s = ni_zeros(1, sizeof *s);
    if (!s) return ni_fail_memory(err, "the held-out pairs");
    s->count = pairs->count;
    s->positive = ni_copy(pairs->positives, s->count, sizeof *s->positive);
    s->negative = ni_copy(pairs->negatives, s->count, sizeof *s->negative);
    neap_status rc = s->positive && s->negative ? leave_out(g, s->positive, s->count, true, &s->train, err)
                                                : ni_fail_memory(err, "the held-out pairs");
    if (rc == NEAP_OK) *out = s;
    else neap_split_free(s);
    return rc;
}

neap_status ni_split_hold_out(const neap_graph *g, const ni_links *links, const ni_targets *targets,
                              double share, uint64_t seed, const ni_validation *valid, neap_split **out,
                              ni_links *rest, neap_error *err)
{
    neap_status rc = valid ? ni_split_take(g, valid, out, err)
                           : ni_split_create(g, links, targets, share, seed, NI_STREAM_VALID, out, err);
    return rc == NEAP_OK ? ni_links_create((*out)->train, rest, err) : rc;
}

neap_status neap_split_data(const neap_data *given, double share, uint64_t seed, neap_split **out,
                            neap_error *err)
{
    neap_data data;
    ni_links links;
    ni_targets targets;
    *out = NULL;
    neap_status rc = ni_sized_in(&data, sizeof data, given, "neap_data", err);
    if (rc == NEAP_OK && !data.graph) rc = ni_fail(err, NEAP_E_ARG, "neap_data has no graph");
    if (rc == NEAP_OK) rc = ni_targets_read(data.targets, data.graph, &targets, err);
    if (rc != NEAP_OK) return rc;
    rc = ni_links_create(data.graph, &links, err);
    if (rc == NEAP_OK) {
        rc = ni_split_create(data.graph, &links, &targets, share, seed, NI_STREAM_SPLIT, out, err);
        ni_links_free(&links);
    }
    ni_targets_free(&targets);
    return rc;
}

neap_status neap_split_create(const neap_graph *graph, double share, uint64_t seed, neap_split **out,
                              neap_error *err)
{
    neap_data data = { .size = sizeof data, .graph = graph };
    return neap_split_data(&data, share, seed, out, err);
}

void neap_split_free(neap_split *s)
{
    if (!s) return;
    neap_graph_free(s->train);
    ni_free(s->positive);
    ni_free(s->negative);
    ni_free(s);
}

const neap_graph *neap_split_train(const neap_split *s)
{
    return s->train;
}

size_t neap_split_pairs(const neap_split *s, const neap_pair **positives, const neap_pair **negatives)
{
    *positives = s->positive;
    *negatives = s->negative;
    return s->count;
}
