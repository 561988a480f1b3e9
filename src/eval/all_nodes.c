/* Ranks test pairs among all nodes (link.h): the links of NI_RANKED_MOST drawn pairs, one source at a time.
 *
 * A pair (s, t) stands against every node w that could be its negative: a target, not s, and no link of s
 * in the whole graph. So neither the training neighbours of s nor its other test links are above t. Draws
 * are a permutation of the test pairs by the seed of the trial, the same for every scorer. O(nodes) scores
 * and 16 bytes per node; the scorer uses its threads, the rest runs on the calling thread. */
#include <math.h>

#include "base/rng.h"
#include "base/sys.h"
#include "eval/link.h"
#include "eval/metrics.h"
#include "support/status.h"

/* One source and the nodes that its test links stand against. */
typedef struct desk {
    const ni_trial *trial;
    const ni_scorer *scorer;
    const neap_hooks *hooks;
    double start, begin; /* of all scoring, and of this part of it */
    uint64_t draws;      /* test pairs that are ranked                                          */
    bool enough;         /* the caller does not wait for the rest                               */
    neap_pair *pair;     /* (s, w) for all strangers w, behind them the drawn test pairs of s   */
    float *score, *all;  /* of these pairs; of all nodes                                        */
} desk;

uint64_t ni_ranked_count(const ni_trial *t)
{
    uint64_t by_cost = NI_RANKED_SCORES / (t->whole->nodes + (uint64_t)1) + 1;
    uint64_t most = by_cost < NI_RANKED_MOST ? by_cost : NI_RANKED_MOST;
    return t->count < most ? t->count : most;
}

static bool is_drawn(const desk *d, size_t i)
{
    return ni_permute(d->trial->seed, NI_STREAM_RANK_ALL, 0, d->trial->count, i) < d->draws;
}

static neap_status report_progress(desk *d, uint64_t done, neap_error *err)
{
    if (!d->hooks || !d->hooks->progress) return NEAP_OK;
    neap_progress now = { .size = sizeof now,
                          .stage = "score",
                          .done = d->trial->count + done,
                          .total = d->trial->count + d->draws,
                          .loss = NAN,
                          .valid_auc = NAN,
                          .seconds = ni_seconds() - d->start };
    double here = ni_seconds() - d->begin;
    now.rate = here > 0 ? (double)done / here : 0;
    now.left = done ? here * (double)(d->draws - done) / (double)done : NAN;
    int answer = d->hooks->progress(&now, d->hooks->user);
    d->enough = answer == NEAP_ENOUGH;
    if (!answer || d->enough) return NEAP_OK;
    return ni_fail(err, NEAP_E_STOPPED, "stopped after ranking %llu of %llu test pairs",
                   (unsigned long long)done, (unsigned long long)d->draws);
}

/* The strangers of s among the targets, ascending; returns how many. */
static size_t list_strangers(const desk *d, uint32_t s)
{
    const ni_links *known = &d->trial->known;
    uint64_t at = known->offset[s], end = known->offset[s + 1];
    size_t count = 0;
    for (uint32_t w = 0; w < d->trial->whole->nodes; w++) {
        while (at < end && known->node[at] < w) at++;
        if (w == s || (at < end && known->node[at] == w) || !ni_is_target(&d->trial->targets, s, w))
            continue;
        d->pair[count++] = (neap_pair){ s, w };
    }
    return count;
}

static neap_status score_pairs(const desk *d, size_t count, neap_error *err)
{
    const ni_scorer *by = d->scorer;
    neap_status rc = by->all ? by->all(by->self, d->pair[0].source, d->all, err)
                             : by->score(by->self, d->pair, count, d->score, err);
    for (size_t i = 0; i < count && by->all && rc == NEAP_OK; i++) d->score[i] = d->all[d->pair[i].target];
    return rc;
}

/* The drawn test pairs from `first` to `end`, all of one source. */
static neap_status rank_source(desk *d, size_t first, size_t end, uint64_t *done, neap_link_result *r,
                               neap_error *err)
{
    static const double K[NI_HITS] = { 1, 10, 50 };
    size_t strangers = 0, count = 0;
    for (size_t i = first; i < end; i++) {
        if (!is_drawn(d, i)) continue;
        if (!count) count = strangers = list_strangers(d, d->trial->positive[i].source);
        d->pair[count++] = d->trial->positive[i];
    }
    neap_status rc = count ? report_progress(d, *done, err) : NEAP_OK;
    if (d->enough) return rc;
    if (count && rc == NEAP_OK) rc = score_pairs(d, count, err);
    for (size_t i = strangers; i < count && rc == NEAP_OK; i++) {
        double rank = NAN;
        rc = ni_own_rank(d->score[i], d->score, strangers, &rank, err);
        r->mrr_all += 1 / rank;
        for (int h = 0; h < NI_HITS; h++) r->hits_all[h] += rank <= K[h];
        ++*done;
    }
    return rc;
}

static neap_status rank_sources(desk *d, neap_link_result *r, neap_error *err)
{
    const ni_trial *t = d->trial;
    uint64_t done = 0;
    neap_status rc = NEAP_OK;
    for (size_t first = 0, end; first < t->count && rc == NEAP_OK && !d->enough; first = end) {
        for (end = first + 1; end < t->count && t->positive[end].source == t->positive[first].source;)
            end++;
        rc = rank_source(d, first, end, &done, r, err);
    }
    return rc;
}

neap_status ni_link_rank_all(const ni_trial *t, const ni_scorer *scorer, const neap_hooks *hooks,
                             double start, neap_link_result *r, neap_error *err)
{
    desk d = { .trial = t, .scorer = scorer, .hooks = hooks, .start = start, .begin = ni_seconds() };
    uint64_t nodes = t->whole->nodes;
    d.draws = ni_ranked_count(t);
    r->ranked = d.draws;
    r->mrr_all = 0;
    for (int h = 0; h < NI_HITS; h++) r->hits_all[h] = 0;
    d.pair = ni_array(nodes + d.draws, sizeof *d.pair);
    d.score = ni_array(nodes + d.draws, sizeof *d.score);
    d.all = ni_array(nodes, sizeof *d.all);
    neap_status rc =
        d.pair && d.score && d.all ? rank_sources(&d, r, err) : ni_fail_memory(err, "ranking all nodes");
    if (d.enough) r->ranked = 0; /* those ranked so far are of the first sources, not of all */
    r->mrr_all = d.enough ? NAN : r->mrr_all / (double)d.draws;
    for (int h = 0; h < NI_HITS; h++) r->hits_all[h] = d.enough ? NAN : r->hits_all[h] / (double)d.draws;
    ni_free(d.pair);
    ni_free(d.score);
    ni_free(d.all);
    return rc;
}
