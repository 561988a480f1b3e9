/* Compares every pair of a trial, and every edge, neighbourhood and degree of a model, with the two
 * graphs of the trial, by bisection in sorted rows; rules and cost in trial.h. */
#include "eval/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "model/method.h"
#include "support/order.h"
#include "support/status.h"

static bool joined(const neap_graph *g, uint32_t u, uint32_t v)
{
    return ni_graph_has(g, u, v) || ni_graph_has(g, v, u);
}

/* Loops are no pairs in clean, where training drops them. */
static bool is_held_out(const ni_trial *t, uint32_t u, uint32_t v)
{
    if (u == v && t->protocol == NI_CLEAN) return false;
    return joined(t->whole, u, v) && !joined(t->train, u, v);
}

static neap_status leak(const ni_trial *t, uint32_t u, uint32_t v, const char *where, neap_error *err)
{
    return ni_fail(err, NEAP_E_LEAK, "leak: the test pair '%.100s' - '%.100s' is %s",
                   ni_name(&t->whole->names, u), ni_name(&t->whole->names, v), where);
}

/* ---- the trial: pairs ---- */

/* No held-out edge is trained on; in clean its reverse is not either. */
static neap_status check_held_out(const ni_trial *t, neap_error *err)
{
    const neap_graph *g = t->whole;
    for (uint32_t u = 0; u < g->nodes && t->protocol == NI_CLEAN; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            if (u != v && !ni_graph_has(t->train, u, v) && ni_graph_has(t->train, v, u))
                return leak(t, u, v, "a training edge of the split, reversed", err);
        }
    return NEAP_OK;
}

static neap_status check_test(const ni_trial *t, neap_error *err)
{
    for (size_t i = 0; i < t->count; i++) {
        neap_pair p = t->positive[i];
        if (!ni_graph_has(t->whole, p.source, p.target))
            return ni_fail(err, NEAP_E_FORMAT, "the test pair '%.100s' - '%.100s' is no edge of the graph",
                           ni_name(&t->whole->names, p.source), ni_name(&t->whole->names, p.target));
        if (ni_graph_has(t->train, p.source, p.target))
            return leak(t, p.source, p.target, "a training edge of the split", err);
        if (!ni_is_target(&t->targets, p.source, p.target))
            return ni_fail(err, NEAP_E_FORMAT,
                           "the test pair '%.100s' - '%.100s' does not lead to a target of the split",
                           ni_name(&t->whole->names, p.source), ni_name(&t->whole->names, p.target));
    }
    return NEAP_OK;
}

static int is_scored(const ni_trial *t, uint32_t u, uint32_t v)
{
    neap_pair p = { u, v };
    return bsearch(&p, t->positive, t->count, sizeof p, ni_ascending_pair) != NULL;
}

/* (u, v) may be left unscored: it leads to no target, or u is linked with all that v could be compared
 * with. */
static bool has_no_negative(const ni_trial *t, uint32_t u, uint32_t v)
{
    if (!ni_is_target(&t->targets, u, v)) return true;
    return !ni_has_stranger(&t->known, &t->targets, u, t->targets.side ? t->targets.side[v] : 0);
}

/* The direction that a held-out pair is scored in where both could be: that which leads to a target. */
static bool may_lead(const ni_trial *t, uint32_t u, uint32_t v)
{
    return ni_is_target(&t->targets, u, v) || !ni_is_target(&t->targets, v, u);
}

/* A pair of directed edges one way is scored that way or not at all; any other, in a direction in which it
 * may lead. */
static bool may_be_unscored(const ni_trial *t, uint32_t u, uint32_t v)
{
    const neap_graph *g = t->whole;
    bool there = g->undirected || ni_graph_has(g, u, v), back = g->undirected || ni_graph_has(g, v, u);
    bool both = there && back;
    return (there && (!both || may_lead(t, u, v)) && has_no_negative(t, u, v)) ||
           (back && (!both || may_lead(t, v, u)) && has_no_negative(t, v, u));
}

/* Whether a held-out edge is scored exactly if the protocol requires it: in clean once per pair, unless
 * it has no negative; in the others, if both ends have a training edge. */
static bool follows_protocol(const ni_trial *t, uint32_t u, uint32_t v)
{
    int scored = is_scored(t, u, v) + (u != v && is_scored(t, v, u));
    if (t->protocol == NI_CLEAN)
        return u == v ? !scored : scored == 1 || (!scored && may_be_unscored(t, u, v));
    bool should = ni_trial_trained(t, u) && ni_trial_trained(t, v);
    return (is_scored(t, u, v) || (t->whole->undirected && scored)) == should;
}

/* The test pairs are not a selection: all that were held out are scored, and their number is that of the
 * ratio. */
static neap_status check_selection(const ni_trial *t, neap_error *err)
{
    if (t->protocol == NI_GIVEN) return NEAP_OK; /* they are others' */
    const neap_graph *g = t->whole;
    bool clean = t->protocol == NI_CLEAN;
    double all = clean ? (double)t->known.offset[g->nodes] / 2 : (double)g->edges;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            if (!ni_graph_has(t->train, u, v) && !follows_protocol(t, u, v))
                return ni_fail(err, NEAP_E_FORMAT,
                               "the split is damaged or picked by hand: whether the held-out pair "
                               "'%.100s' - '%.100s' is scored is not as the protocol says",
                               ni_name(&g->names, u), ni_name(&g->names, v));
        }
    if (fabs((double)t->held_out - (1 - t->ratio) * all) <= 1) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "the split holds out %zu of %.0f pairs, which is not its ratio",
                   t->held_out, all);
}

static neap_status check_valid(const ni_trial *t, neap_error *err)
{
    for (size_t i = 0; i < t->valids; i++) {
        neap_pair p = t->valid[i], n = t->valid_negative[i];
        if (is_held_out(t, p.source, p.target))
            return leak(t, p.source, p.target, "among the validation pairs", err);
        if (!joined(t->train, p.source, p.target) || p.source == p.target)
            return ni_fail(err, NEAP_E_FORMAT,
                           "the validation pair '%.100s' - '%.100s' is none of training",
                           ni_name(&t->whole->names, p.source), ni_name(&t->whole->names, p.target));
        if (n.source != p.source || n.target == n.source || joined(t->train, n.source, n.target) ||
            !ni_is_target(&t->targets, n.source, n.target))
            return ni_fail(err, NEAP_E_FORMAT,
                           "the validation negative '%.100s' - '%.100s' is not one: the split is damaged",
                           ni_name(&t->whole->names, n.source), ni_name(&t->whole->names, n.target));
    }
    return NEAP_OK;
}

/* ---- the trial: negatives ---- */

/* Validation negatives by key, and which of them are test negatives, too. */
typedef struct negative_scan {
    const ni_trial *trial;
    neap_leak_report *report;
    uint64_t *key;
    uint8_t *met;
} negative_scan;

static uint64_t pair_key(uint32_t u, uint32_t v)
{
    return u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
}

static neap_status start_scan(const ni_trial *t, neap_leak_report *report, negative_scan *s,
                              neap_error *err)
{
    *s = (negative_scan){ t, report, ni_array(t->valids, sizeof *s->key), ni_zeros(t->valids, 1) };
    if (!s->key || !s->met) return ni_fail_memory(err, "the leak check");
    for (size_t i = 0; i < t->valids; i++)
        s->key[i] = pair_key(t->valid_negative[i].source, t->valid_negative[i].target);
    qsort(s->key, t->valids, sizeof *s->key, ni_ascending_u64);
    return NEAP_OK;
}

static void end_scan(negative_scan *s)
{
    for (size_t i = 0; s->met && i < s->trial->valids; i++) s->report->shared_negatives += s->met[i];
    ni_free(s->key);
    ni_free(s->met);
}

/* NULL if it may stand against the pair, else what it is. */
static const char *why_not(const ni_trial *t, neap_pair p, uint32_t w, neap_status *code)
{
    *code = NEAP_E_LEAK;
    if (t->protocol == NI_CLEAN && (w == p.source || joined(t->whole, p.source, w)))
        return "an edge of the graph, or a node and itself";
    *code = NEAP_E_FORMAT;
    if (t->protocol == NI_GIVEN && ni_graph_has(t->whole, p.source, w)) return "a test pair, too";
    if (!ni_is_target(&t->targets, p.source, w)) return "none with a target";
    if (ni_is_papers(t) && (w == p.source || w == p.target || !ni_trial_trained(t, w)))
        return "one that the protocol does not allow";
    return NULL;
}

static neap_status check_negative(negative_scan *s, neap_pair positive, uint32_t w, neap_error *err)
{
    const ni_trial *t = s->trial;
    uint64_t key = pair_key(positive.source, w),
             *at = bsearch(&key, s->key, t->valids, sizeof key, ni_ascending_u64);
    if (at) s->met[at - s->key] = 1;
    s->report->negatives++;
    neap_status code;
    const char *why = why_not(t, positive, w, &code);
    if (!why) return NEAP_OK;
    return ni_fail(err, code, "%s: the test negative '%.100s' - '%.100s' is %s",
                   code == NEAP_E_LEAK ? "leak" : "the split is damaged",
                   ni_name(&t->whole->names, positive.source), ni_name(&t->whole->names, w), why);
}

static neap_status check_candidates(negative_scan *s, neap_error *err)
{
    const ni_trial *t = s->trial;
    uint32_t each = ni_trial_candidates(t), node[NI_RANK_NEGATIVES];
    ni_candidates r;
    neap_status rc = ni_candidates_open(t, &r, err);
    for (size_t i = 0; i < t->count && rc == NEAP_OK; i++) {
        rc = ni_candidates_next(&r, 1, node, err);
        for (uint32_t k = 0; k < each && rc == NEAP_OK; k++)
            rc = check_negative(s, t->positive[i], node[k], err);
    }
    ni_candidates_close(&r);
    return rc;
}

static neap_status check_negatives(const ni_trial *t, neap_leak_report *report, neap_error *err)
{
    negative_scan s;
    neap_status rc = start_scan(t, report, &s, err);
    for (size_t i = 0; i < t->negatives && rc == NEAP_OK; i++)
        rc = check_negative(&s, t->negative[i], t->negative[i].target, err);
    if (rc == NEAP_OK) rc = check_candidates(&s, err);
    end_scan(&s);
    return rc;
}

neap_status ni_leak_in_trial(const ni_trial *t, neap_leak_report *report, neap_error *err)
{
    neap_leak_report unasked = { 0 };
    if (!report) report = &unasked;
    report->test_pairs = t->held_out;
    report->reverse = t->facts.reverse;
    neap_status rc = check_held_out(t, err);
    if (rc == NEAP_OK) rc = check_test(t, err);
    if (rc == NEAP_OK) rc = check_selection(t, err);
    if (rc == NEAP_OK) rc = check_valid(t, err);
    return rc == NEAP_OK ? check_negatives(t, report, err) : rc;
}

/* ---- a model ---- */

typedef struct model_scan {
    const ni_trial *trial;
    const neap_model *model;
    uint32_t *node; /* of the trial, for each of the model */
    neap_leak_report *report;
} model_scan;

static neap_status match_nodes(model_scan *s, neap_error *err)
{
    const ni_names *names = &s->model->graph->names;
    s->node = ni_array(names->count, sizeof *s->node);
    if (!s->node) return ni_fail_memory(err, "the leak check");
    for (uint32_t i = 0; i < names->count; i++)
        if (!ni_names_find(&s->trial->whole->names, ni_name(names, i), ni_name_length(names, i),
                           &s->node[i]))
            return ni_fail(err, NEAP_E_MISMATCH,
                           "the model has a node '%.100s', which the split does not have: it was made from "
                           "another graph",
                           ni_name(names, i));
    return NEAP_OK;
}

/* Data of a model that is not in training may be derived from test pairs. */
static neap_status not_in_training(const ni_trial *t, uint32_t u, uint32_t v, const char *what,
                                   neap_error *err)
{
    return ni_fail(err, NEAP_E_LEAK, "leak: '%.100s' - '%.100s' is %s, which the split does not train on",
                   ni_name(&t->whole->names, u), ni_name(&t->whole->names, v), what);
}

static double weight_of(const neap_graph *g, uint32_t u, uint32_t v)
{
    uint64_t edge = ni_graph_find_edge(g, u, v);
    return edge == g->edges ? 0 : g->weight ? (double)g->weight[edge] : 1;
}

/* Weights are data, too. Where only the model is undirected, it has added those of both directions. */
static bool has_training_weight(const ni_trial *t, const neap_graph *g, uint32_t u, uint32_t v,
                                double weight)
{
    double there = weight_of(t->train, u, v), back = weight_of(t->train, v, u);
    double known = there > 0 ? there : back;
    if (g->undirected && !t->train->undirected && u != v) known = there + back;
    return t->train->weight && fabs(weight - known) <= 1e-5 * known;
}

/* Loops are no pairs in clean; direction counts where both the protocol and the model have one. */
static neap_status check_edge(const ni_trial *t, const neap_graph *g, uint32_t u, uint32_t v,
                              const float *weight, neap_error *err)
{
    bool either = g->undirected || t->protocol == NI_CLEAN;
    if (u == v && t->protocol == NI_CLEAN) return NEAP_OK;
    if (!(either ? joined(t->train, u, v) : ni_graph_has(t->train, u, v)))
        return ni_graph_has(t->whole, u, v) || is_held_out(t, u, v)
                   ? leak(t, u, v, "a training edge of the model", err)
                   : not_in_training(t, u, v, "an edge of the model", err);
    if (weight && !has_training_weight(t, g, u, v, (double)*weight))
        return not_in_training(t, u, v, "an edge of the model with a weight", err);
    return NEAP_OK;
}

static neap_status check_edges(const model_scan *s, neap_error *err)
{
    const neap_graph *g = s->model->graph;
    neap_status rc = NEAP_OK;
    for (uint32_t i = 0; i < g->nodes; i++)
        for (uint64_t e = g->offset[i]; e < g->offset[i + 1] && rc == NEAP_OK; e++)
            rc = check_edge(s->trial, g, s->node[i], s->node[g->target[e]],
                            g->weight ? &g->weight[e] : NULL, err);
    s->report->train_edges = g->edges;
    return rc;
}

/* Neighbours are links of training. A node may be its own neighbour by the option `self`,
 * without a loop. */
static neap_status check_neighbourhoods(const model_scan *s, neap_error *err)
{
    const ni_hood *h = &s->model->hood;
    if (!h->offset) return NEAP_OK; /* the method reads none */
    bool self = s->model->method->hood(s->model->settings).self;
    for (uint32_t i = 0; i < h->nodes; i++)
        for (uint64_t k = h->offset[i]; k < h->offset[i + 1]; k++) {
            uint32_t j = h->node[k], u = s->node[i], v = s->node[j];
            if (i == j && self) continue;
            if (is_held_out(s->trial, u, v))
                return leak(s->trial, u, v, "in a neighbourhood of the model", err);
            if (u != v && !ni_linked(&s->trial->seen, u, v))
                return not_in_training(s->trial, u, v, "in a neighbourhood of the model", err);
        }
    s->report->neighbours = h->offset[h->nodes];
    return NEAP_OK;
}

static neap_status check_rejected(const model_scan *s, neap_error *err)
{
    const ni_links *l = &s->model->links;
    for (uint32_t i = 0; i < l->nodes; i++)
        for (uint64_t k = l->offset[i]; k < l->offset[i + 1]; k++) {
            uint32_t u = s->node[i], v = s->node[l->node[k]];
            if (is_held_out(s->trial, u, v))
                return leak(s->trial, u, v, "among the links that training negatives avoid", err);
        }
    s->report->rejected = l->offset[l->nodes];
    return NEAP_OK;
}

/* Training degrees, counted from its edges: each pair at its first edge. */
static uint64_t *count_degrees(const neap_graph *g)
{
    uint64_t *degree = ni_zeros(g->nodes, sizeof *degree);
    for (uint32_t u = 0; degree && u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            if (u == v || (u > v && ni_graph_has(g, v, u))) continue;
            degree[u]++;
            degree[v]++;
        }
    return degree;
}

static neap_status check_degrees(const model_scan *s, neap_error *err)
{
    const ni_links *l = &s->model->links;
    neap_status rc = NEAP_OK;
    uint64_t *degree = count_degrees(s->trial->train);
    if (!degree) return ni_fail_memory(err, "the leak check");
    for (uint32_t i = 0; i < l->nodes && rc == NEAP_OK; i++)
        if (ni_degree(l, i) > degree[s->node[i]])
            rc = ni_fail(err, NEAP_E_LEAK,
                         "leak: the degree of '%.100s' is %llu in the model, but %llu in training",
                         ni_name(&s->model->graph->names, i), (unsigned long long)ni_degree(l, i),
                         (unsigned long long)degree[s->node[i]]);
    ni_free(degree);
    s->report->degrees = l->nodes;
    return rc;
}

neap_status ni_leak_in_model(const ni_trial *t, const neap_model *m, neap_leak_report *report,
                             neap_error *err)
{
    neap_leak_report unasked = { 0 };
    model_scan s = { t, m, NULL, report ? report : &unasked };
    neap_status rc = match_nodes(&s, err);
    if (rc == NEAP_OK) rc = check_edges(&s, err);
    if (rc == NEAP_OK) rc = check_neighbourhoods(&s, err);
    if (rc == NEAP_OK) rc = check_rejected(&s, err);
    if (rc == NEAP_OK) rc = check_degrees(&s, err);
    ni_free(s.node);
    return rc;
}

neap_status neap_trial_check(const neap_trial *trial, const neap_model *model, neap_leak_report *report,
                             neap_error *err)
{
    neap_leak_report mine = { 0 };
    neap_status rc = ni_leak_in_trial(trial, &mine, err);
    if (rc == NEAP_OK && model) rc = ni_leak_in_model(trial, model, &mine, err);
    if (!report) return rc;
    neap_status filled =
        ni_sized_out(&mine, sizeof mine, report, "neap_leak_report", rc == NEAP_OK ? err : NULL);
    return rc == NEAP_OK ? filled : rc;
}
