/* What two nodes have in common: cn, aa and ra are one sum over the common neighbours w,
 *     score(u, v) = sum of f(k_w),     f = 1,  1 / log k_w,  1 / k_w
 * and differ in how little they think of a neighbour that everybody knows. The neighbours of u are marked
 * with f; a target v adds up the marks it finds in its own row. */
#include <math.h>

#include "methods/by_source.h"
#include "model/method.h"

typedef double (*worth)(double degree);

static double one(double degree)
{
    (void)degree;
    return 1;
}

/* A node of degree 1 is nobody's common neighbour: only the pair (u, u) ever asks. */
static double adamic_adar(double degree)
{
    return degree > 1 ? 1 / log(degree) : 0;
}

static double resource(double degree)
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

static double add_up(const ni_links *links, const void *rule, uint32_t source, uint32_t lane,
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

static neap_status score(const neap_model *m, worth f, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    static const ni_by_source by = { 1, sizeof(double), mark, add_up, unmark };
    return ni_by_source_score(m, &by, &f, pairs, count, scores, err);
}

static neap_status score_cn(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err)
{
    return score(m, one, pairs, count, scores, err);
}

static neap_status score_aa(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err)
{
    return score(m, adamic_adar, pairs, count, scores, err);
}

static neap_status score_ra(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err)
{
    return score(m, resource, pairs, count, scores, err);
}

const ni_method ni_method_cn = {
    .info = { "cn", "common neighbours: how many there are, nothing learned",
              "The number of nodes that are linked with both. Direction and weights of the edges do not "
              "count.\n"
              "--epochs has no meaning here.",
              0, 0, "" },
    .train = ni_method_train_nothing,
    .score = score_cn,
};

const ni_method ni_method_aa = {
    .info = { "aa", "Adamic and Adar: common neighbours, each worth 1 / log of its degree",
              "The sum over all nodes linked with both of 1 / log(degree): a rare acquaintance says more "
              "than a popular one. Direction and weights of the edges do not count.\nAdamic and Adar, "
              "Friends and neighbors on the Web, 2003.\n--epochs has no meaning here.",
              0, 0, "" },
    .train = ni_method_train_nothing,
    .score = score_aa,
};

const ni_method ni_method_ra = {
    .info = { "ra", "resource allocation: common neighbours, each worth 1 / its degree",
              "The sum over all nodes linked with both of 1 / degree: what would arrive if every neighbour "
              "shared out one unit evenly. Direction and weights of the edges do not count.\n"
              "Zhou, Lu and Zhang, Predicting missing links via local information, 2009.\n"
              "--epochs has no meaning here.",
              0, 0, "" },
    .train = ni_method_train_nothing,
    .score = score_ra,
};
