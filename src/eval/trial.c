/* Splits a graph under a protocol (trial.h). O(edges log edges); every draw is a function of (seed,
 * stream, pair), so that a trial does not depend on threads or on what else is drawn. */
#include "eval/trial.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sized.h"
#include "base/sys.h"
#include "support/order.h"
#include "support/status.h"

const char *const ni_protocols[] = { "clean", "paper", "paper-clean", NULL };

/* ---- negatives ---- */

static uint32_t draw_negative(const ni_trial *t, neap_pair p, ni_rng *rng)
{
    ni_negative_rule rule = {
        .kind = t->kind, .seen = &t->seen, .known = &t->known, .targets = &t->targets
    };
    return ni_draw_negative(&rule, p, rng);
}

static uint32_t draw_ranked(const ni_trial *t, size_t i, uint32_t k)
{
    ni_rng rng = ni_rng_at(t->seed, NI_STREAM_RANK, i, k);
    return draw_negative(t, t->positive[i], &rng);
}

static uint32_t draw_in_pass(const ni_trial *t, size_t i, uint32_t pass)
{
    ni_rng rng = ni_rng_at(t->seed, NI_STREAM_PAPER, 1 + pass, i);
    neap_pair p = t->positive[i];
    for (;;) {
        uint32_t w = t->eligible[ni_below(&rng, t->eligible_count)];
        if (w != p.source && w != p.target) return w;
    }
}

uint32_t ni_trial_draw_candidate(const ni_trial *t, size_t i, uint32_t k)
{
    return ni_is_papers(t) ? draw_in_pass(t, i, k) : draw_ranked(t, i, k);
}

/* ---- pairs in order ---- */

typedef struct couple {
    neap_pair positive, negative;
} couple;

/* Positives by source and target, each with its negative. */
static neap_status put_in_order(neap_pair *positive, neap_pair *negative, size_t count, neap_error *err)
{
    couple *both = ni_array(count, sizeof *both);
    if (!both) return ni_fail_memory(err, "the held-out pairs");
    for (size_t i = 0; i < count; i++) both[i] = (couple){ positive[i], negative[i] };
    qsort(both, count, sizeof *both, ni_ascending_pair);
    for (size_t i = 0; i < count; i++) positive[i] = both[i].positive, negative[i] = both[i].negative;
    ni_free(both);
    return NEAP_OK;
}

/* ---- clean ---- */

static neap_status split_clean(ni_trial *t, neap_error *err)
{
    neap_split *s;
    neap_status rc =
        ni_split_create(t->whole, &t->known, &t->targets, 1 - t->ratio, t->seed, NI_STREAM_SPLIT, &s, err);
    if (rc != NEAP_OK) return rc;
    t->train = ni_graph_share(s->train);
    t->positive = s->positive;
    t->negative = s->negative;
    t->count = t->negatives = s->count;
    t->held_out = s->count + s->without_negative;
    s->positive = s->negative = NULL;
    neap_split_free(s);
    rc = put_in_order(t->positive, t->negative, t->count, err);
    if (rc == NEAP_OK) rc = ni_links_create(t->train, &t->seen, err);
    for (size_t i = 0; i < t->count && rc == NEAP_OK && t->kind != NI_UNIFORM; i++) {
        ni_rng rng = ni_rng_at(t->seed, NI_STREAM_TEST, 100 + t->kind, i);
        t->negative[i].target = draw_negative(t, t->positive[i], &rng);
    }
    return rc;
}

/* ---- paper: directed edges, loops and reciprocal ones included ---- */

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
    return in_training(c->trial, ni_graph_find_edge(c->trial->whole, s, t), c->train);
}

/* The nodes of all test edges, scored or not, that have a training edge, once each. */
static bool collect_eligible(ni_trial *t)
{
    const neap_graph *g = t->whole;
    uint8_t *is_test = ni_zeros(t->whole->nodes, 1);
    t->eligible = ni_array(t->whole->nodes, sizeof *t->eligible);
    bool ok = is_test && t->eligible;
    if (ok) {
        for (uint32_t u = 0; u < g->nodes; u++)
            for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
                if (!ni_graph_has(t->train, u, g->target[e])) is_test[u] = is_test[g->target[e]] = 1;
        for (uint32_t u = 0; u < g->nodes; u++)
            if (is_test[u] && ni_trial_trained(t, u)) t->eligible[t->eligible_count++] = u;
    }
    ni_free(is_test);
    return ok;
}

bool ni_trial_trained(const ni_trial *t, uint32_t u)
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
            if (!ni_trial_trained(t, u) || !ni_trial_trained(t, g->target[e])) continue;
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
    if (!collect_eligible(t)) return ni_fail_memory(err, "the test edges");
    if (t->eligible_count < 3)
        return ni_fail(err, NEAP_E_FORMAT,
                       "too few test edges have nodes with a training edge; use another ratio");
    return NEAP_OK;
}

/* ---- validation ---- */

/* Draws them as training would by itself with the seed of the trial. None if there are too few training
 * pairs to spare some, or if all their sources are linked with every node. */
neap_status ni_trial_hold_valid(ni_trial *t, double share, neap_error *err)
{
    neap_split *s;
    neap_error why;
    if (share == 0) share = NI_VALID_SHARE;
    if (!(share > 0 && share < 1)) return ni_fail(err, NEAP_E_ARG, "a share of pairs is between 0 and 1");
    neap_status rc =
        ni_split_create(t->train, &t->seen, &t->targets, share, t->seed, NI_STREAM_VALID, &s, &why);
    if (rc == NEAP_E_FORMAT) return NEAP_OK;
    if (rc != NEAP_OK) return err ? (*err = why, rc) : rc;
    t->valid = s->positive;
    t->valid_negative = s->negative;
    t->valids = s->count;
    s->positive = s->negative = NULL;
    neap_split_free(s);
    return put_in_order(t->valid, t->valid_negative, t->valids, err);
}

/* ---- all protocols ---- */

static uint64_t count_reverse(const ni_trial *t)
{
    uint64_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        neap_pair p = t->positive[i];
        count += p.source != p.target && ni_graph_has(t->train, p.target, p.source);
    }
    return count;
}

void ni_trial_count(ni_trial *t)
{
    t->facts = (neap_trial_facts){
        .protocol = t->protocol == NI_GIVEN ? "given" : ni_protocols[t->protocol],
        .negatives = t->protocol == NI_GIVEN ? "given" : ni_negative_words[t->kind],
        .ratio = t->ratio,
        .seed = t->seed,
        .nodes = t->whole->nodes,
        .edges = t->whole->edges,
        .train = t->train->edges,
        .valid = t->valids,
        .test = t->count,
        .skipped = t->held_out - t->count,
        .loops = t->loops,
        .reverse = count_reverse(t),
        .self_loops = t->whole->report.self_loops,
        .repeats = t->whole->report.repeats,
        .targets = ni_targets_word(&t->targets),
    };
    if (ni_targets_limit(&t->targets) && !t->targets.opposite)
        t->facts.target_count = ni_side_count(&t->targets, 1);
}

neap_status ni_trial_create(const neap_graph *graph, ni_protocol protocol, ni_negatives kind,
                            const neap_targets *targets, double ratio, uint64_t seed, ni_trial **out,
                            neap_error *err)
{
    *out = NULL;
    if (!(ratio > 0 && ratio < 1)) return ni_fail(err, NEAP_E_ARG, "a training share is between 0 and 1");
    if (targets && protocol != NI_CLEAN)
        return ni_fail(
            err, NEAP_E_ARG,
            "targets are for the protocol clean; the others compare with nodes of the test edges, "
            "as the paper does");
    ni_trial *t = ni_zeros(1, sizeof *t);
    if (!t) return ni_fail_memory(err, "a split");
    *t = (ni_trial){
        .protocol = protocol, .kind = kind, .ratio = ratio, .seed = seed, .whole = ni_graph_share(graph)
    };
    neap_status rc = ni_links_create(graph, &t->known, err);
    if (rc == NEAP_OK) rc = ni_targets_read(targets, graph, &t->targets, err);
    if (rc == NEAP_OK) rc = protocol == NI_CLEAN ? split_clean(t, err) : split_paper(t, err);
    if (rc == NEAP_OK) {
        ni_trial_count(t);
        *out = t;
    } else neap_trial_free(t);
    return rc;
}

void neap_trial_free(ni_trial *t)
{
    if (!t) return;
    neap_graph_free(t->whole);
    neap_graph_free(t->train);
    ni_links_free(&t->known);
    ni_links_free(&t->seen);
    ni_targets_free(&t->targets);
    ni_free(t->positive);
    ni_free(t->negative);
    ni_free(t->eligible);
    ni_free(t->valid);
    ni_free(t->valid_negative);
    ni_candidate_file_free(t->file);
    ni_free(t);
}

/* ---- in public ---- */

/* Position of a word in a list that ends with NULL, or -1. */
static int find(const char *const *list, const char *word)
{
    for (int i = 0; word && list[i]; i++)
        if (!strcmp(list[i], word)) return i;
    return -1;
}

neap_status neap_trial_create(const neap_data *data, const neap_link_spec *given, neap_trial **out,
                              neap_error *err)
{
    neap_data from;
    neap_link_spec mine, *spec = &mine;
    neap_trial *t = NULL;
    *out = NULL;
    neap_status rc = ni_sized_in(&from, sizeof from, data, "neap_data", err);
    if (rc == NEAP_OK) rc = ni_sized_in(&mine, sizeof mine, given, "neap_link_spec", err);
    if (rc == NEAP_OK && !from.graph) rc = ni_fail(err, NEAP_E_ARG, "neap_data has no graph");
    if (rc != NEAP_OK) return rc;
    int protocol = find(ni_protocols, spec->protocol), kind = find(ni_negative_words, spec->negatives);
    if (protocol < 0)
        return ni_fail(err, NEAP_E_ARG, "there is no protocol '%s'; there are clean, paper and paper-clean",
                       spec->protocol ? spec->protocol : "");
    if (kind < 0)
        return ni_fail(err, NEAP_E_ARG,
                       "there are no negatives '%s'; there are uniform, degree and two-hop",
                       spec->negatives ? spec->negatives : "");
    rc = ni_trial_create(from.graph, (ni_protocol)protocol, (ni_negatives)kind, from.targets, spec->ratio,
                         spec->seed, &t, err);
    if (rc == NEAP_OK) rc = ni_trial_hold_valid(t, spec->valid, err);
    if (rc == NEAP_OK) rc = ni_leak_in_trial(t, NULL, err);
    if (rc == NEAP_OK) {
        t->text = from.text;
        t->features = from.features;
        ni_trial_count(t);
        *out = t;
    } else neap_trial_free(t);
    return rc;
}

neap_status neap_trial_facts_of(const neap_trial *t, neap_trial_facts *facts, neap_error *err)
{
    return ni_sized_out(&t->facts, sizeof t->facts, facts, "neap_trial_facts", err);
}
