/* A trial of pairs that others drew: the training graph of the caller, its test pairs and its negatives.
 * O(edges + pairs log pairs). */
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "eval/trial.h"
#include "support/order.h"
#include "support/status.h"

/* ---- what is given ---- */

static neap_status refuse(const neap_graph *g, neap_pair p, const char *what, const char *why,
                          neap_status code, neap_error *err)
{
    return ni_fail(err, code, "the %s '%.100s' - '%.100s' is %s", what, ni_name(&g->names, p.source),
                   ni_name(&g->names, p.target), why);
}

static neap_status check_pair(const neap_graph *train, neap_pair p, const char *what, neap_error *err)
{
    if (p.source >= train->nodes || p.target >= train->nodes)
        return ni_fail(err, NEAP_E_ARG, "a %s has node %u, the graph has nodes 0 to %u", what,
                       p.source < train->nodes ? p.target : p.source, train->nodes - 1);
    if (p.source == p.target) return refuse(train, p, what, "a node and itself", NEAP_E_FORMAT, err);
    return NEAP_OK;
}

static neap_status check_given(const neap_graph *train, const neap_given_pairs *from, neap_error *err)
{
    neap_status rc = NEAP_OK;
    if (!from->positive_count || !from->negative_count)
        return ni_fail(err, NEAP_E_FORMAT, "there is no %s to score",
                       from->positive_count ? "test negative" : "test pair");
    for (size_t i = 0; i < from->positive_count && rc == NEAP_OK; i++) {
        neap_pair p = from->positives[i];
        rc = check_pair(train, p, "test pair", err);
        if (rc == NEAP_OK && ni_graph_has(train, p.source, p.target))
            rc = refuse(train, p, "test pair", "a training edge: it would be no test", NEAP_E_LEAK, err);
    }
    for (size_t i = 0; i < from->negative_count && rc == NEAP_OK; i++) {
        neap_pair p = from->negatives[i];
        rc = check_pair(train, p, "test negative", err);
        if (rc == NEAP_OK && ni_graph_has(train, p.source, p.target))
            rc = refuse(train, p, "test negative", "a training edge, so it is no negative", NEAP_E_FORMAT,
                        err);
    }
    return rc;
}

/* ---- the trial ---- */

static bool is_listed(const neap_pair *pairs, size_t count, neap_pair p)
{
    return bsearch(&p, pairs, count, sizeof p, ni_ascending_pair) != NULL;
}

/* By source, as scoring wants them. */
static neap_status keep(const neap_pair *pairs, size_t count, neap_pair **out, size_t *kept,
                        neap_error *err)
{
    *out = ni_array(count, sizeof **out);
    if (!*out) return ni_fail_memory(err, "the pairs to score");
    memcpy(*out, pairs, count * sizeof *pairs);
    qsort(*out, count, sizeof **out, ni_ascending_pair);
    *kept = count;
    return NEAP_OK;
}

/* Each test pair counts once, without directions in whatever order. (A negative may have been drawn twice.)
 */
static void count_once(ni_trial *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++) {
        neap_pair p = t->positive[i], back = { p.target, p.source };
        bool again = is_listed(t->positive, n, p);
        if (t->train->undirected) again |= is_listed(t->positive, n, back);
        if (!again) t->positive[n++] = p;
    }
    t->count = n;
}

static neap_edge *list_edges(const ni_trial *t)
{
    const neap_graph *g = t->train;
    neap_edge *edge = ni_array(g->edges + t->count, sizeof *edge), *next = edge;
    if (!edge) return NULL;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            *next++ = (neap_edge){ u, g->target[e], g->weight ? g->weight[e] : 1 };
    for (size_t i = 0; i < t->count; i++)
        *next++ = (neap_edge){ t->positive[i].source, t->positive[i].target, 1 };
    return edge;
}

/* The training graph and the test pairs: the links that no drawn negative may be. */
static neap_status join(ni_trial *t, neap_error *err)
{
    const neap_graph *g = t->train;
    neap_status rc = NEAP_E_MEM;
    const char **name = ni_array(g->nodes, sizeof *name);
    neap_edge *edge = list_edges(t);
    for (uint32_t i = 0; name && i < g->nodes; i++) name[i] = ni_name(&g->names, i);
    if (name && edge)
        rc = neap_graph_create(g->nodes, name, edge, g->edges + t->count, g->weight != NULL, g->undirected,
                               &t->whole, err);
    else ni_fail_memory(err, "the graph with its test pairs");
    ni_free(edge);
    ni_free(name);
    return rc;
}

static neap_status fill(ni_trial *t, const neap_data *data, const neap_given_pairs *from, neap_error *err)
{
    neap_status rc = keep(from->positives, from->positive_count, &t->positive, &t->count, err);
    if (rc == NEAP_OK) rc = keep(from->negatives, from->negative_count, &t->negative, &t->negatives, err);
    if (rc == NEAP_OK) count_once(t);
    if (rc == NEAP_OK) rc = join(t, err);
    if (rc == NEAP_OK) rc = ni_links_create(t->whole, &t->known, err);
    if (rc == NEAP_OK) rc = ni_links_create(t->train, &t->seen, err);
    if (rc == NEAP_OK) rc = ni_targets_read(NULL, t->whole, &t->targets, err);
    if (rc != NEAP_OK) return rc;
    t->held_out = t->count;
    t->ratio = (double)t->train->edges / (double)t->whole->edges;
    t->text = data->text;
    t->features = data->features;
    rc = ni_trial_hold_valid(t, from->valid, err);
    ni_trial_count(t);
    return rc == NEAP_OK ? ni_leak_in_trial(t, NULL, err) : rc;
}

neap_status neap_trial_from_pairs(const neap_data *data, const neap_given_pairs *pairs, neap_trial **out,
                                  neap_error *err)
{
    neap_data mine;
    neap_given_pairs from;
    *out = NULL;
    neap_status rc = ni_sized_in(&mine, sizeof mine, data, "neap_data", err);
    if (rc == NEAP_OK) rc = ni_sized_in(&from, sizeof from, pairs, "neap_given_pairs", err);
    if (rc == NEAP_OK && (!mine.graph || mine.targets))
        rc = ni_fail(err, NEAP_E_ARG, "given pairs need a training graph, and take no targets");
    if (rc == NEAP_OK) rc = check_given(mine.graph, &from, err);
    if (rc != NEAP_OK) return rc;
    ni_trial *t = ni_zeros(1, sizeof *t);
    if (!t) return ni_fail_memory(err, "a split");
    t->protocol = NI_GIVEN;
    t->seed = from.seed;
    t->train = ni_graph_share(mine.graph);
    rc = fill(t, &mine, &from, err);
    if (rc == NEAP_OK) *out = t;
    else neap_trial_free(t);
    return rc;
}
