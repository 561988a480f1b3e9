/* Random graphs in O(edges): Erdos-Renyi with m distinct edges, Barabasi-Albert by drawing ends of earlier
 * edges, stochastic blocks by geometric skips over the pairs that are no edge (Batagelj and Brandes 2005).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/sized.h"
#include "base/sys.h"
#include "graph/graph.h"
#include "support/status.h"

static neap_status no_room(neap_error *err)
{
    return ni_fail_memory(err, "a random graph");
}

/* Erdős–Rényi: the n (n - 1) ordered pairs are numbered, and the first m entries of a random permutation
 * of them are the edges: distinct, without a table of those drawn before. */
static neap_status generate_er(const neap_generator *what, ni_builder *b, neap_error *err)
{
    uint64_t n = what->nodes, pairs = n * (n - 1);
    if (what->edges < 1 || what->edges > pairs)
        return ni_fail(err, NEAP_E_ARG, "%u nodes have between 1 and %llu edges, not %llu", what->nodes,
                       (unsigned long long)pairs, (unsigned long long)what->edges);
    for (uint64_t i = 0; i < what->edges; i++) {
        uint64_t entry = ni_permute(what->seed, NI_STREAM_GRAPH, 0, pairs, i);
        uint64_t source = entry / (n - 1), target = entry % (n - 1);
        target += target >= source; /* steps over the loop */
        if (!ni_builder_add(b, (uint32_t)source, (uint32_t)target, 1)) return no_room(err);
    }
    return NEAP_OK;
}

/* Draws `links` different old nodes for a new one, each by its degree: a random end of a random edge.
 * mark[u] is the last new node that chose u. */
static bool attach(const neap_generator *what, ni_builder *b, uint32_t *mark, uint32_t node)
{
    ni_rng rng = ni_rng_at(what->seed, NI_STREAM_GRAPH, 1, node);
    size_t before = b->count;
    for (uint32_t k = 0; k < what->links;) {
        uint64_t end = ni_below(&rng, 2 * (uint64_t)before), pair = b->pair[end / 2];
        uint32_t target = (uint32_t)(end % 2 ? pair : pair >> 32);
        if (mark[target] == node) continue;
        mark[target] = node;
        if (!ni_builder_add(b, node, target, 1)) return false;
        k++;
    }
    return true;
}

/* Barabási–Albert: a star of links + 1 nodes, then one node after the other. */
static neap_status generate_ba(const neap_generator *what, ni_builder *b, neap_error *err)
{
    if (what->links < 1 || what->links >= what->nodes)
        return ni_fail(err, NEAP_E_ARG, "links must be between 1 and %u, not %u", what->nodes - 1,
                       what->links);
    uint32_t *mark = ni_zeros(what->nodes, sizeof *mark);
    bool room = mark != NULL;
    for (uint32_t u = 0; u < what->links && room; u++) room = ni_builder_add(b, what->links, u, 1);
    for (uint32_t u = what->links + 1; u < what->nodes && room; u++) room = attach(what, b, mark, u);
    ni_free(mark);
    b->undirected = true;
    return room ? NEAP_OK : no_room(err);
}

/* A walk over the pairs (low, high), low < high, of `size` nodes that stops at each with probability p: the
 * distance to the next stop is geometric (Batagelj and Brandes 2005), so that time goes with the edges. */
typedef struct walk {
    ni_rng rng;
    double scale; /* 1 / log(1 - p) */
    uint64_t size, low, high;
} walk;

static walk walk_start(ni_rng rng, uint64_t size, double p)
{
    return (walk){ .rng = rng, .scale = 1 / log1p(-p), .size = size, .low = UINT64_MAX, .high = 1 };
}

static bool walk_next(walk *w)
{
    double skip = floor(log1p(-ni_uniform(&w->rng)) * w->scale); /* scale 0: p is 1, no pair is skipped */
    if (!(skip < 0x1p62)) return false;
    for (w->low += 1 + (uint64_t)skip; w->high < w->size && w->low >= w->high; w->high++) w->low -= w->high;
    return w->high < w->size;
}

static uint32_t block_start(const neap_generator *what, uint64_t block)
{
    return (uint32_t)(block * what->nodes / what->blocks);
}

static bool add_inside(const neap_generator *what, ni_builder *b, uint32_t block)
{
    uint32_t start = block_start(what, block), end = block_start(what, (uint64_t)block + 1);
    walk w = walk_start(ni_rng_at(what->seed, NI_STREAM_GRAPH, 2, block), end - start, what->p_in);
    while (walk_next(&w))
        if (!ni_builder_add(b, start + (uint32_t)w.low, start + (uint32_t)w.high, 1)) return false;
    return true;
}

/* Over all pairs, those inside a block left out: with two blocks or more at least half of them count. */
static bool add_between(const neap_generator *what, const uint32_t *block_of, ni_builder *b)
{
    walk w = walk_start(ni_rng_at(what->seed, NI_STREAM_GRAPH, 3, 0), what->nodes, what->p_out);
    while (walk_next(&w))
        if (block_of[w.low] != block_of[w.high] && !ni_builder_add(b, (uint32_t)w.low, (uint32_t)w.high, 1))
            return false;
    return true;
}

/* Stochastic block model: node u is in block u * blocks / nodes, so that sizes differ by one at most. */
static neap_status generate_sbm(const neap_generator *what, ni_builder *b, neap_error *err)
{
    if (what->blocks < 1 || what->blocks > what->nodes)
        return ni_fail(err, NEAP_E_ARG, "blocks must be between 1 and %u, not %u", what->nodes,
                       what->blocks);
    if (!(what->p_in >= 0 && what->p_in <= 1 && what->p_out >= 0 && what->p_out <= 1))
        return ni_fail(err, NEAP_E_ARG, "p_in and p_out are probabilities, between 0 and 1");
    uint32_t *block_of = ni_array(what->nodes, sizeof *block_of);
    bool room = block_of != NULL;
    for (uint32_t block = 0; block < what->blocks && room; block++) {
        for (uint32_t u = block_start(what, block); u < block_start(what, (uint64_t)block + 1); u++)
            block_of[u] = block;
        if (what->p_in > 0) room = add_inside(what, b, block);
    }
    if (room && what->blocks > 1 && what->p_out > 0) room = add_between(what, block_of, b);
    ni_free(block_of);
    b->undirected = true;
    return room ? NEAP_OK : no_room(err);
}

static neap_status generate(const neap_generator *what, neap_graph **out, neap_error *err)
{
    if (!what->kind) return ni_fail(err, NEAP_E_ARG, "a generator needs a kind: er, ba or sbm");
    bool er = !strcmp(what->kind, "er"), ba = !strcmp(what->kind, "ba"), sbm = !strcmp(what->kind, "sbm");
    if (!er && !ba && !sbm)
        return ni_fail(err, NEAP_E_ARG, "there is no kind of graph '%.100s'; there are er, ba and sbm",
                       what->kind);
    if (what->nodes < 2 || what->nodes > NI_NAMES_MOST)
        return ni_fail(err, NEAP_E_ARG, "nodes must be between 2 and %d, not %u", NI_NAMES_MOST,
                       what->nodes);
    ni_builder b;
    ni_builder_init(&b);
    snprintf(b.report.format, sizeof b.report.format, "generated");
    snprintf(b.report.compression, sizeof b.report.compression, "none");
    neap_status rc = er   ? generate_er(what, &b, err)
                     : ba ? generate_ba(what, &b, err)
                          : generate_sbm(what, &b, err);
    if (rc == NEAP_OK && b.count == 0)
        rc = ni_fail(err, NEAP_E_ARG, "no edge was drawn; larger probabilities or more nodes give some");
    if (rc == NEAP_OK && !ni_names_number(&b.names, 0, what->nodes)) rc = no_room(err);
    if (rc == NEAP_OK) rc = ni_builder_finish(&b, out, err);
    ni_builder_free(&b);
    return rc;
}

neap_status neap_graph_generate(const neap_generator *what, neap_graph **out, neap_error *err)
{
    neap_generator given;
    *out = NULL;
    neap_status rc = ni_sized_in(&given, sizeof given, what, "neap_generator", err);
    return rc == NEAP_OK ? generate(&given, out, err) : rc;
}
