/* Neighbourhoods of at most S: all links, or a sample without replacement whose keys depend on (seed, node,
 * neighbour) alone. O(links log links) for capped rows, O(links) for the others. */
#include "graph/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"

/* A neighbour and its random key: those with the S smallest keys are kept. */
typedef struct ticket {
    double key;
    uint32_t node;
} ticket;

static int by_key(const void *a, const void *b)
{
    const ticket *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int by_node(const void *a, const void *b)
{
    const ticket *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* `keep` of the links of u, without replacement, evenly or by weight: each waits an exponential time with
 * its weight as rate, and the first arrivals are kept (Efraimidis and Spirakis 2006). The time depends on
 * (seed, u, neighbour) only, so that a few links more or less change the sample by a few. */
static void sample(const ni_links *links, uint32_t u, uint32_t keep, uint64_t seed, ticket *tickets,
                   uint32_t *out)
{
    uint64_t first = links->offset[u], n = ni_degree(links, u);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t v = links->node[first + i];
        ni_rng rng = ni_rng_at(seed, NI_STREAM_HOOD, u, v);
        double weight = links->weight ? (double)links->weight[first + i] : 1;
        tickets[i] = (ticket){ -log1p(-ni_uniform(&rng)) / weight, v };
    }
    qsort(tickets, n, sizeof *tickets, by_key);
    qsort(tickets, keep, sizeof *tickets, by_node);
    for (uint32_t i = 0; i < keep; i++) out[i] = tickets[i].node;
}

static void insert_sorted(uint32_t *row, uint32_t n, uint32_t node)
{
    while (n > 0 && row[n - 1] > node) row[n] = row[n - 1], n--;
    row[n] = node;
}

static bool counts_itself(const neap_graph *g, const ni_links *links, const ni_hood_rule *o, uint32_t u)
{
    return (o->self && ni_degree(links, u) > 0) || (o->self_loops && ni_graph_has(g, u, u));
}

neap_status ni_hood_create(const neap_graph *g, const ni_links *links, const ni_hood_rule *o, ni_hood *hood,
                           neap_error *err)
{
    ticket *tickets = NULL;
    uint64_t widest = 0;
    *hood = (ni_hood){ .nodes = g->nodes, .offset = ni_zeros((size_t)g->nodes + 1, sizeof *hood->offset) };
    if (!hood->offset) goto fail;
    for (uint32_t u = 0; u < g->nodes; u++) {
        uint64_t size = ni_degree(links, u) + counts_itself(g, links, o, u);
        if (size > o->neighbors) {
            hood->capped = true;
            if (ni_degree(links, u) > widest) widest = ni_degree(links, u);
            size = o->neighbors;
        }
        hood->offset[u + 1] = hood->offset[u] + size;
    }
    hood->node = ni_array(hood->offset[g->nodes], sizeof *hood->node);
    tickets = ni_array(widest, sizeof *tickets);
    if (!hood->node || !tickets) goto fail;
    for (uint32_t u = 0; u < g->nodes; u++) {
        uint32_t *out = hood->node + hood->offset[u];
        bool itself = counts_itself(g, links, o, u);
        uint32_t keep = ni_hood_size(hood, u) - itself;
        if (keep < ni_degree(links, u)) sample(links, u, keep, o->seed, tickets, out);
        else memcpy(out, links->node + links->offset[u], keep * sizeof *out);
        if (itself) insert_sorted(out, keep, u);
    }
    ni_free(tickets);
    return NEAP_OK;
fail:
    ni_free(tickets);
    ni_hood_free(hood);
    return ni_fail_memory(err, "the neighbourhoods");
}

void ni_hood_free(ni_hood *hood)
{
    ni_free(hood->offset);
    ni_free(hood->node);
    *hood = (ni_hood){ 0 };
}
