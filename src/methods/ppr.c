/* Personalised PageRank, both ways: pi_u(v) + pi_v(u), where pi_u is where a walk from u stands that begins
 * again at u with probability 0.15 before each step. A node without links keeps its walk: pi_u = e_u.
 *     pi_v(u) = 0.15 sum over l >= 0 of 0.85^l P^l[v, u],     P = D^-1 A
 * Since D P^l is symmetric, k_u pi_u(v) = k_v pi_v(u): the series of u alone gives both directions, for all
 * targets at once. What 100 terms leave out is below 1e-7. */
#include "methods/series.h"
#include "model/method.h"

#define RESTART 0.15

/* y = sum over l >= 1, hence without the walk of no steps, which is only there for (u, u). */
static double both_ways(const ni_links *links, uint32_t source, uint32_t target, double y)
{
    double k_u = (double)ni_degree(links, source), k_v = (double)ni_degree(links, target);
    if (source == target) return k_u > 0 ? 2 * RESTART * (1 + y) : 2;
    return k_u > 0 ? RESTART * y * (1 + k_v / k_u) : 0;
}

static const ni_series series = { 100, 1 - RESTART, true, both_ways };

static neap_status score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    return ni_series_score(m, &series, pairs, count, scores, err);
}

static neap_status score_all(const neap_model *m, uint32_t source, float *scores, neap_error *err)
{
    return ni_series_score_all(m, &series, source, scores, err);
}

const ni_method ni_method_ppr = {
    .info = { "ppr", "personalised PageRank: where random walks from one meet the other",
              "The probability that a random walk from u, which begins again with probability 0.15, stands "
              "at v, plus the same from v to u. Direction and weights of the edges do not count.\n"
              "Page and others, The PageRank citation ranking, 1999.\n"
              "--epochs has no meaning here.",
              0, 0, "" },
    .train = ni_method_train_nothing,
    .score = score,
    .score_all = score_all,
};
