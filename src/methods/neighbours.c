/* Heuristics that look at the neighbours of both nodes, nothing learned: degrees (pa), common neighbours
 * (cn, aa, ra), paths of three links (l3, walk3). All on the links in either direction, without weights; a
 * score costs the degrees of its pair, a path score two steps from its source. */
#include <math.h>
#include <string.h>

#include "methods/by_source.h"
#include "model/method.h"

/* ---- degrees ---- */

static neap_status score_pa(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++)
        scores[i] = (float)ni_degree(&q->model->links, pairs[i].source) *
                    (float)ni_degree(&q->model->links, pairs[i].target);
    return NEAP_OK;
}

const ni_method ni_method_pa = {
    .info = { .size = sizeof(neap_method_info),
              .name = "pa",
              .summary = "preferential attachment: the product of the two degrees, nothing learned",
              .details = "The baseline that an embedding must beat. Degrees count distinct neighbours in\n"
                         "either direction." },
    .train = ni_train_nothing,
    .score = score_pa,
};

/* ---- common neighbours ----
 *
 * cn, aa and ra are one sum over the common neighbours w,
 *     score(u, v) = sum of f(k_w),     f = 1,  1 / log k_w,  1 / k_w
 * with less weight on neighbours of high degree. The neighbours of u are marked with f; a target v adds
 * up the marks of its own row. */
/* f or g of a degree. */
typedef double (*worth)(double degree);

static double one(double degree)
{
    (void)degree;
    return 1;
}

/* A node of degree 1 is a common neighbour of the pair (u, u) only. */
static double adamic_adar(double degree)
{
    return degree > 1 ? 1 / log(degree) : 0;
}

static double inverse(double degree)
{
    return 1 / degree;
}

static void mark(const ni_links *links, const void *rule, const uint32_t *source, uint32_t count,
                 void *scratch)
{
    const worth *f = rule;
    double *marks = scratch;
    (void)count;
    for (uint64_t i = links->offset[*source]; i < links->offset[*source + 1]; i++)
        marks[links->node[i]] = (*f)((double)ni_degree(links, links->node[i]));
}

static double add_marks(const ni_links *links, const void *rule, uint32_t source, uint32_t lane,
                        uint32_t target, const void *scratch)
{
    const double *marks = scratch;
    double sum = 0;
    (void)rule, (void)source, (void)lane;
    for (uint64_t i = links->offset[target]; i < links->offset[target + 1]; i++)
        sum += marks[links->node[i]];
    return sum;
}

static void unmark(const ni_links *links, const uint32_t *source, uint32_t count, void *scratch)
{
    double *marks = scratch;
    (void)count;
    for (uint64_t i = links->offset[*source]; i < links->offset[*source + 1]; i++)
        marks[links->node[i]] = 0;
}

static neap_status score_common(neap_query *q, worth f, const neap_pair *pairs, size_t count, float *scores,
                                neap_error *err)
{
    static const ni_by_source by = { 1, sizeof(double), mark, add_marks, unmark };
    return ni_by_source_score(q, &by, &f, pairs, count, scores, err);
}

static neap_status score_cn(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err)
{
    return score_common(q, one, pairs, count, scores, err);
}

static neap_status score_aa(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err)
{
    return score_common(q, adamic_adar, pairs, count, scores, err);
}

static neap_status score_ra(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err)
{
    return score_common(q, inverse, pairs, count, scores, err);
}

const ni_method ni_method_cn = {
    .info = { .size = sizeof(neap_method_info),
              .name = "cn",
              .summary = "common neighbours: how many there are, nothing learned",
              .details = "The number of nodes that are linked with both. Direction and weights of the\n"
                         "edges do not count." },
    .train = ni_train_nothing,
    .score = score_cn,
};

const ni_method ni_method_aa = {
    .info = { .size = sizeof(neap_method_info),
              .name = "aa",
              .summary = "Adamic and Adar: common neighbours, each worth 1 / log of its degree",
              .details =
                  "The sum of 1 / log(degree) over all nodes linked with both: a neighbour with few\n"
                  "links counts more. Direction and weights of the edges do not count.\n"
                  "Adamic and Adar, Friends and neighbors on the Web, 2003." },
    .train = ni_train_nothing,
    .score = score_aa,
};

const ni_method ni_method_ra = {
    .info = { .size = sizeof(neap_method_info),
              .name = "ra",
              .summary = "resource allocation: common neighbours, each worth 1 / its degree",
              .details = "The sum of 1 / degree over all nodes linked with both: what would arrive if\n"
                         "every neighbour divided one unit evenly among its links. Direction and weights\n"
                         "of the edges do not count.\n"
                         "Zhou, Lu and Zhang, Predicting missing links via local information, 2009." },
    .train = ni_train_nothing,
    .score = score_ra,
};

/* ---- paths of three links ----
 *
 * Three steps from u to v: l3 and walk3 are one sum over all x in N(u), y in N(v) with x ~ y,
 *     score(u, v) = g(u) g(v) sum of f(k_x) f(k_y)
 *     l3:     f = 1 / sqrt(k),  g = 1              (Kovacs and others 2019)
 *     walk3:  f = 1 / k,        g = 1 / sqrt(k)    an entry of (D^-1/2 A D^-1/2)^3
 * x may be v, and y may be u, where u and v are linked. From u, every y two steps away collects the sum
 * of f(k_x); a target v sums over its own neighbours y. */
typedef struct rule {
    worth inner; /* f */
    worth end;   /* g */
} rule;

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

static double add_collected(const ni_links *links, const void *context, uint32_t source, uint32_t lane,
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

/* Zeroes what collect has set: by the same two steps, or all nodes where that is cheaper. */
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

static const ni_by_source by = { 1, sizeof(double), collect, add_collected, forget };

static neap_status score_l3(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err)
{
    return ni_by_source_score(q, &by, &(rule){ inverse_root, one }, pairs, count, scores, err);
}

static neap_status score_walk3(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                               neap_error *err)
{
    return ni_by_source_score(q, &by, &(rule){ inverse, inverse_root }, pairs, count, scores, err);
}

const ni_method ni_method_l3 = {
    .info = { .size = sizeof(neap_method_info),
              .name = "l3",
              .summary = "paths of length three, each divided by the root of its inner degrees",
              .details =
                  "The sum over all paths u-x-y-v of 1 / sqrt(degree of x * degree of y): nodes are\n"
                  "linked with those that resemble their neighbours, as proteins are. Where u and v\n"
                  "are linked, paths that turn back over that link count too. Direction and weights\n"
                  "of the edges do not count.\n"
                  "Kovacs and others, Network-based prediction of protein interactions, 2019." },
    .train = ni_train_nothing,
    .score = score_l3,
};

const ni_method ni_method_walk3 = {
    .info = { .size = sizeof(neap_method_info),
              .name = "walk3",
              .summary = "three steps of the normalised adjacency matrix",
              .details = "The entry of (D^-1/2 A D^-1/2)^3, D the degrees: the geometric mean of the\n"
                         "probabilities of walking from u to v and from v to u in three steps. Direction\n"
                         "and weights of the edges do not count." },
    .train = ni_train_nothing,
    .score = score_walk3,
};
