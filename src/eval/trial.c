#include "eval/trial.h"

#include <string.h>

#include "base/rng.h"
#include "base/status.h"
#include "base/sys.h"

/* ---- negatives ---- */

/* A node that u has no link with, drawn in proportion to its training degree: the target of a random
 * training link, drawn again while it is u or linked with it. */
static uint32_t by_degree(const ni_trial *t, uint32_t u, ni_rng *rng)
{
    uint64_t ends = t->seen.offset[t->seen.nodes];
    for (int tries = 0; ends && tries < 1000; tries++) {
        uint32_t w = t->seen.node[ni_below(rng, ends)];
        if (w != u && !ni_linked(&t->known, u, w)) return w;
    }
    return ni_stranger(&t->known, u, rng);
}

/* A neighbour of a neighbour of u in training that is no link of u: the harder it is to tell from one. The
 * walk favours nodes with many paths to u; where a thousand find none, any stranger serves. */
static uint32_t two_hop(const ni_trial *t, uint32_t u, ni_rng *rng)
{
    for (int tries = 0; ni_degree(&t->seen, u) && tries < 1000; tries++) {
        uint32_t x = t->seen.node[t->seen.offset[u] + ni_below(rng, ni_degree(&t->seen, u))];
        uint32_t w = t->seen.node[t->seen.offset[x] + ni_below(rng, ni_degree(&t->seen, x))];
        if (w != u && !ni_linked(&t->known, u, w)) return w;
    }
    return ni_stranger(&t->known, u, rng);
}

static uint32_t draw_negative(const ni_trial *t, uint32_t u, ni_rng *rng)
{
    if (t->kind == NI_BY_DEGREE) return by_degree(t, u, rng);
    return t->kind == NI_TWO_HOP ? two_hop(t, u, rng) : ni_stranger(&t->known, u, rng);
}

uint32_t ni_trial_rank_negative(const ni_trial *t, size_t i, uint32_t k)
{
    ni_rng rng = ni_rng_at(t->seed, NI_STREAM_RANK, i, k);
    return draw_negative(t, t->positive[i].source, &rng);
}

uint32_t ni_trial_pass_negative(const ni_trial *t, uint32_t pass, size_t i)
{
    ni_rng rng = ni_rng_at(t->seed, NI_STREAM_PAPER, 1 + pass, i);
    neap_pair p = t->positive[i];
    for (;;) {
        uint32_t w = t->candidate[ni_below(&rng, t->candidates)];
        if (w != p.source && w != p.target) return w;
    }
}

/* ---- clean ---- */

static neap_status split_clean(ni_trial *t, neap_error *err)
{
    neap_split *s;
    neap_status rc = ni_split_create(t->whole, &t->known, 1 - t->ratio, t->seed, NI_STREAM_SPLIT, &s, err);
    if (rc != NEAP_OK) return rc;
    t->train = ni_graph_share(s->train);
    t->positive = s->positive;
    t->negative = s->negative;
    t->count = s->count;
    t->held_out = s->count + s->without_negative;
    s->positive = s->negative = NULL;
    neap_split_free(s);
    rc = ni_links_create(t->train, &t->seen, err);
    for (size_t i = 0; i < t->count && rc == NEAP_OK && t->kind != NI_UNIFORM; i++) {
        ni_rng rng = ni_rng_at(t->seed, NI_STREAM_TEST, 100 + t->kind, i);
        t->negative[i].target = draw_negative(t, t->positive[i].source, &rng);
    }
    return rc;
}

/* ---- paper: directed edges, whatever they are ---- */

typedef struct chosen {
    const ni_trial *trial;
    uint64_t train; /* edges kept for training */
} chosen;

static bool in_training(const ni_trial *t, uint64_t edge, uint64_t train)
{
    return ni_permute(t->seed, NI_STREAM_PAPER, 0, t->whole->edges, edge) < train;
}

static bool keep_chosen(void *user, uint32_t s, uint32_t t)
{
    const chosen *c = user;
    return in_training(c->trial, ni_graph_place(c->trial->whole, s, t), c->train);
}

/* The nodes of the scored test edges, which all have a training edge, once each. */
static bool collect_candidates(ni_trial *t)
{
    uint8_t *is_test = ni_zeros(t->whole->nodes, 1);
    t->candidate = ni_array(t->whole->nodes, sizeof *t->candidate);
    bool ok = is_test && t->candidate;
    if (ok) {
        for (size_t i = 0; i < t->count; i++)
            is_test[t->positive[i].source] = is_test[t->positive[i].target] = 1;
        for (uint32_t u = 0; u < t->whole->nodes; u++)
            if (is_test[u]) t->candidate[t->candidates++] = u;
    }
    ni_free(is_test);
    return ok;
}

static bool has_edge(const ni_trial *t, uint32_t u)
{
    return ni_degree(&t->seen, u) || ni_graph_has(t->train, u, u);
}

static void collect_test(ni_trial *t, uint64_t train)
{
    const neap_graph *g = t->whole;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            if (in_training(t, e, train)) continue;
            t->held_out++;
            if (!has_edge(t, u) || !has_edge(t, g->target[e])) continue;
            t->positive[t->count++] = (neap_pair){ u, g->target[e] };
            t->loops += u == g->target[e];
        }
}

static neap_status split_paper(ni_trial *t, neap_error *err)
{
    chosen c = { .trial = t, .train = (uint64_t)((double)t->whole->edges * t->ratio) };
    neap_status rc = ni_graph_filter(t->whole, keep_chosen, &c, &t->train, err);
    if (rc == NEAP_OK) rc = ni_links_create(t->train, &t->seen, err);
    if (rc != NEAP_OK) return rc;
    t->positive = ni_array(t->whole->edges - c.train, sizeof *t->positive);
    if (!t->positive) return ni_fail_memory(err, "the test edges");
    collect_test(t, c.train);
    if (!collect_candidates(t)) return ni_fail_memory(err, "the test edges");
    if (t->candidates < 3)
        return ni_fail(err, NEAP_E_FORMAT,
                       "too few test edges have nodes with a training edge; use another ratio");
    return NEAP_OK;
}

/* ---- both ---- */

neap_status ni_trial_create(const neap_graph *graph, ni_protocol protocol, ni_negatives kind, double ratio,
                            uint64_t seed, ni_trial **out, neap_error *err)
{
    *out = NULL;
    if (!(ratio > 0 && ratio < 1)) return ni_fail(err, NEAP_E_ARG, "a training share is between 0 and 1");
    ni_trial *t = ni_zeros(1, sizeof *t);
    if (!t) return ni_fail_memory(err, "a split");
    *t = (ni_trial){
        .protocol = protocol, .kind = kind, .ratio = ratio, .seed = seed, .whole = ni_graph_share(graph)
    };
    neap_status rc = ni_links_create(graph, &t->known, err);
    if (rc == NEAP_OK) rc = protocol == NI_CLEAN ? split_clean(t, err) : split_paper(t, err);
    if (rc == NEAP_OK) *out = t;
    else ni_trial_free(t);
    return rc;
}

void ni_trial_free(ni_trial *t)
{
    if (!t) return;
    neap_graph_free(t->whole);
    neap_graph_free(t->train);
    ni_links_free(&t->known);
    ni_links_free(&t->seen);
    ni_free(t->positive);
    ni_free(t->negative);
    ni_free(t->candidate);
    ni_free(t);
}
