/* Positives and folds; see draw.h. */
#include "evidence/draw.h"

#include <math.h>
#include <stdlib.h>

#include "base/sys.h"
#include "support/status.h"

/* Walks are made of so many arcs and no more, but of those of POSITIVES_LEAST links. */
static const uint64_t ARCS_MOST = 120000000000u;
enum { POSITIVES_LEAST = 2000 };

static neap_status no_memory(neap_error *err)
{
    return ni_fail_memory(err, "the links that curves are learned from");
}

/* ---- positives ----
 *
 * Pairs are numbered by their smaller node, then by the larger. */

/* first: nodes + 1, the number of the first pair of each node. */
static void number_pairs(const ni_links *l, uint64_t *first)
{
    uint64_t pairs = 0;
    for (uint32_t u = 0; u < l->nodes; u++) {
        first[u] = pairs;
        for (uint64_t i = l->offset[u + 1]; i > l->offset[u] && l->node[i - 1] > u; i--) pairs++;
    }
    first[l->nodes] = pairs;
}

/* The entry in the row of its smaller node, *u, of pair number i. */
static uint64_t entry_of(const ni_links *l, const uint64_t *first, uint64_t i, uint32_t *u)
{
    uint32_t low = 0, high = l->nodes;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (first[middle] > i) high = middle;
        else low = middle;
    }
    *u = low;
    return l->offset[low + 1] - (first[low + 1] - i);
}

uint32_t ni_draw_positives(const ni_draw_rule *rule, uint64_t arcs)
{
    uint64_t walked = arcs ? ARCS_MOST / arcs : 0, most = arcs / 2;
    if (walked < POSITIVES_LEAST) walked = POSITIVES_LEAST;
    if (walked < most) most = walked;
    return rule->positives < most ? rule->positives : (uint32_t)most;
}

/* Pair i as a positive: along its direction, and by the toss of a coin where it has both or none. Turned
 * around if that leads to a target. False: neither does, or the source has no non-link. */
static bool make_positive(const ni_draw *d, const uint64_t *first, uint64_t i, neap_pair *p)
{
    const ni_view *v = d->view;
    uint32_t u;
    uint64_t at = entry_of(&v->links, first, i, &u);
    uint32_t way = v->way ? v->way[at] : NI_WAY_OUT | NI_WAY_IN, other = v->links.node[at];
    ni_rng rng = ni_rng_at(d->rule->seed, NI_STREAM_EXAMPLES, 1, i);
    bool both = way == (NI_WAY_OUT | NI_WAY_IN), turn = both ? ni_below(&rng, 2) : way == NI_WAY_IN;
    *p = turn ? (neap_pair){ other, u } : (neap_pair){ u, other };
    if (both && !ni_is_target(d->targets, p->source, p->target)) *p = (neap_pair){ p->target, p->source };
    if (!ni_is_target(d->targets, p->source, p->target)) return false;
    uint8_t side = ni_targets_limit(d->targets) ? d->targets->side[p->target] : 0;
    return ni_has_stranger(&v->links, d->targets, p->source, side);
}

/* By source; those of a fold are one behind the other. */
static int by_source(const void *a, const void *b)
{
    const neap_pair *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return x->target < y->target ? -1 : x->target > y->target;
}

static neap_status draw_positives(ni_draw *d, const uint64_t *first, neap_pair *positive, neap_error *err)
{
    uint64_t pairs = first[d->view->links.nodes],
             wanted = ni_draw_positives(d->rule, ni_view_arcs(d->view));
    for (uint64_t i = 0; i < pairs && d->groups < wanted; i++) {
        uint64_t pair = ni_permute(d->rule->seed, NI_STREAM_EXAMPLES, 0, pairs, i);
        d->groups += make_positive(d, first, pair, &positive[d->groups]);
    }
    if (!d->groups)
        return ni_fail(err, NEAP_E_FORMAT,
                       "there is no non-link to learn from: no link leads to a target, or every source is "
                       "linked with all of them");
    double most = fmax(1, d->rule->fold * (double)pairs);
    d->folds = (uint32_t)ceil((double)d->groups / most);
    return NEAP_OK;
}

static neap_status make_arrays(ni_draw *d, neap_error *err)
{
    size_t count = (size_t)d->groups * d->size;
    d->start = ni_array((size_t)d->folds + 1, sizeof *d->start);
    d->source = ni_array(d->groups, sizeof *d->source);
    d->target = ni_array(count, sizeof *d->target);
    d->value = ni_array(count, d->kinds * sizeof *d->value);
    d->weight = ni_zeros(count, sizeof *d->weight);
    d->stands = ni_zeros(count, sizeof *d->stands);
    bool ok = d->start && d->source && d->target && d->value && d->weight && d->stands;
    return ok ? NEAP_OK : no_memory(err);
}

/* Folds as even as can be, each in the order of sources. */
static void deal(ni_draw *d, neap_pair *positive)
{
    for (uint32_t f = 0; f <= d->folds; f++) d->start[f] = (uint32_t)((uint64_t)d->groups * f / d->folds);
    for (uint32_t f = 0; f < d->folds; f++)
        qsort(positive + d->start[f], d->start[f + 1] - d->start[f], sizeof *positive, by_source);
    for (uint32_t g = 0; g < d->groups; g++) {
        d->source[g] = positive[g].source;
        d->target[(size_t)g * d->size] = positive[g].target;
    }
}

neap_status ni_draw_create(ni_draw *d, const ni_view *view, const ni_targets *targets,
                           const ni_draw_rule *rule, ni_threads *threads, neap_error *err)
{
    *d = (ni_draw){ .view = view, .targets = targets, .rule = rule, .threads = threads };
    d->size = rule->negatives == NI_UNIFORM ? NI_DRAW_GROUP : 1 + NI_DRAW_EVEN;
    d->kinds = ni_kinds_choose(rule->groups, view->way != NULL, rule->attributes != NULL, d->kind);
    for (uint32_t j = 0; j < d->kinds; j++) d->plain[j] = ni_kind_infos[d->kind[j]].plain;
    if (!d->kinds)
        return ni_fail(
            err, NEAP_E_ARG,
            "evidence of texts alone needs texts or features; give them with text or features, or "
            "take other evidence, too");
    uint64_t *first = ni_array((uint64_t)view->links.nodes + 1, sizeof *first);
    neap_pair *positive = ni_array(ni_draw_positives(rule, ni_view_arcs(view)), sizeof *positive);
    neap_status rc = first && positive ? NEAP_OK : no_memory(err);
    if (rc == NEAP_OK) {
        number_pairs(&view->links, first);
        rc = draw_positives(d, first, positive, err);
    }
    if (rc == NEAP_OK) rc = make_arrays(d, err);
    if (rc == NEAP_OK) deal(d, positive);
    ni_free(first);
    ni_free(positive);
    if (rc != NEAP_OK) ni_draw_free(d);
    return rc;
}

void ni_draw_drop_eigenpairs(ni_draw *d)
{
    ni_free(d->eigenvalue);
    ni_free(d->eigenvector);
    d->eigenvalue = d->eigenvector = NULL;
}

void ni_draw_free(ni_draw *d)
{
    ni_free(d->start);
    ni_free(d->source);
    ni_free(d->target);
    ni_free(d->value);
    ni_free(d->weight);
    ni_free(d->stands);
    ni_draw_drop_eigenpairs(d);
    *d = (ni_draw){ 0 };
}

uint64_t ni_draw_bytes(const ni_draw *d)
{
    return (uint64_t)d->groups * d->size * (sizeof *d->target + (d->kinds + 2) * sizeof *d->value);
}

ni_examples ni_draw_examples(const ni_draw *d)
{
    return (ni_examples){ .groups = d->groups,
                          .size = d->size,
                          .evidence = d->kinds,
                          .value = d->value,
                          .plain = d->plain,
                          .weight = d->weight,
                          .stands = d->stands };
}
