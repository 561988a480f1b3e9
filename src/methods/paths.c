/* Three steps from u to v: l3 and walk3 are one sum over all x in N(u), y in N(v) with x ~ y,
 *     score(u, v) = g(u) g(v) sum of f(k_x) f(k_y)
 *     l3:     f = 1 / sqrt(k),  g = 1              (Kovacs and others 2019)
 *     walk3:  f = 1 / k,        g = 1 / sqrt(k)    an entry of (D^-1/2 A D^-1/2)^3
 * Nothing keeps x from being v, or y from being u, where u and v are linked: the sums are taken as they
 * stand. From u, every y collects f(k_x) over two steps; a target v adds up what its own neighbours have
 * collected. */
#include <math.h>
#include <string.h>

#include "methods/by_source.h"
#include "model/method.h"

typedef struct rule {
    double (*inner)(double degree); /* f */
    double (*end)(double degree);   /* g */
} rule;

static double one(double degree)
{
    (void)degree;
    return 1;
}

static double inverse(double degree)
{
    return 1 / degree;
}

static double inverse_root(double degree)
{
    return 1 / sqrt(degree);
}

static void collect(const ni_links *links, const void *context, const uint32_t *source, uint32_t count,
                    void *scratch)
{
    const rule *r = context;
    double *collected = scratch;
    (void)count;
    for (uint64_t i = links->offset[*source]; i < links->offset[*source + 1]; i++) {
        uint32_t x = links->node[i];
        double f = r->inner((double)ni_degree(links, x));
        for (uint64_t k = links->offset[x]; k < links->offset[x + 1]; k++) collected[links->node[k]] += f;
    }
}

static double add_up(const ni_links *links, const void *context, uint32_t source, uint32_t lane,
                     uint32_t target, const void *scratch)
{
    const rule *r = context;
    const double *collected = scratch;
    double sum = 0;
    (void)lane;
    for (uint64_t i = links->offset[target]; i < links->offset[target + 1]; i++) {
        uint32_t y = links->node[i];
        if (collected[y] > 0) sum += collected[y] * r->inner((double)ni_degree(links, y));
    }
    return sum > 0 ? sum * r->end((double)ni_degree(links, source) * (double)ni_degree(links, target)) : 0;
}

/* Zeroes what collect touched, by the same two steps or, where these are longer than the graph, all. */
static void forget(const ni_links *links, const uint32_t *source, uint32_t count, void *scratch)
{
    double *collected = scratch;
    uint64_t touched = 0;
    (void)count;
    for (uint64_t i = links->offset[*source]; i < links->offset[*source + 1]; i++) {
        uint32_t x = links->node[i];
        touched += ni_degree(links, x);
        if (touched > links->nodes) break;
        for (uint64_t k = links->offset[x]; k < links->offset[x + 1]; k++) collected[links->node[k]] = 0;
    }
    if (touched > links->nodes) memset(collected, 0, links->nodes * sizeof *collected);
}

static const ni_by_source by = { 1, sizeof(double), collect, add_up, forget };

static neap_status score_l3(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err)
{
    return ni_by_source_score(m, &by, &(rule){ inverse_root, one }, pairs, count, scores, err);
}

static neap_status score_walk3(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                               neap_error *err)
{
    return ni_by_source_score(m, &by, &(rule){ inverse, inverse_root }, pairs, count, scores, err);
}

const ni_method ni_method_l3 = {
    .info = { "l3", "paths of length three, each divided by the root of its inner degrees",
              "The sum over all paths u-x-y-v of 1 / sqrt(degree of x * degree of y): you are linked with "
              "those who resemble your neighbours. Made for proteins. Where u and v are linked, paths that "
              "turn back over that link count too. Direction and weights of the edges do not count.\n"
              "Kovacs and others, Network-based prediction of protein interactions, 2019.\n"
              "--epochs has no meaning here.",
              0, 0, "" },
    .train = ni_method_train_nothing,
    .score = score_l3,
};

const ni_method ni_method_walk3 = {
    .info = { "walk3", "three steps of the normalised adjacency matrix",
              "The entry of (D^-1/2 A D^-1/2)^3, D the degrees: the probability of walking from one to "
              "the other in three steps, the geometric mean of both ways. Direction and weights of the "
              "edges do not count.\n--epochs has no meaning here.",
              0, 0, "" },
    .train = ni_method_train_nothing,
    .score = score_walk3,
};
