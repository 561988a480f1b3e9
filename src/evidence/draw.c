/* Positives, folds, groups; see draw.h. */
#include "evidence/draw.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "evidence/eigenpairs.h"
#include "evidence/measure.h"
#include "model/best.h"
#include "support/status.h"

enum { NEAR_MOST = 100, POPULAR_MOST = 100, POPULAR_LISTED = 400, RANGE = 4096 };
static const float LINK_WEIGHT = 5; /* of the first loss over the second */

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
    uint64_t pairs = first[d->view->links.nodes], wanted = d->rule->positives;
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
    uint64_t *first = ni_array((uint64_t)view->links.nodes + 1, sizeof *first);
    uint64_t most = ni_view_arcs(view) / 2 < rule->positives ? ni_view_arcs(view) / 2 : rule->positives;
    neap_pair *positive = ni_array(most, sizeof *positive);
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

void ni_draw_free(ni_draw *d)
{
    ni_free(d->start);
    ni_free(d->source);
    ni_free(d->target);
    ni_free(d->value);
    ni_free(d->weight);
    ni_free(d->stands);
    *d = (ni_draw){ 0 };
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

/* ---- a fold ---- */

typedef struct fold {
    ni_draw *d;
    ni_view view;          /* without the fold's positives   */
    float *node;           /* nodes x NI_NODE_VALUES         */
    float *value, *vector; /* eigenpairs                 */
    ni_globals globals;
    ni_walks walks;
    ni_near *near; /* threads                        */
    uint32_t popular[POPULAR_LISTED];
    uint32_t populars;
    ni_ranked (*best)[NEAR_MOST];        /* threads x NI_SPREAD_LANES                        */
    size_t *bests;                       /* likewise: how many                               */
    uint32_t group[NI_SPREAD_LANES + 1]; /* the first group of each source of a panel */
} fold;

static neap_status hold_out(fold *f, uint32_t number, neap_error *err)
{
    const ni_draw *d = f->d;
    bool *held = ni_zeros(ni_view_arcs(d->view), sizeof *held);
    if (!held) return no_memory(err);
    for (uint32_t g = d->start[number]; g < d->start[number + 1]; g++) {
        uint32_t s = d->source[g], t = d->target[(size_t)g * d->size];
        held[ni_view_find(d->view, s, t)] = held[ni_view_find(d->view, t, s)] = true;
    }
    neap_status rc = ni_view_without(d->view, held, &f->view, err);
    ni_free(held);
    return rc;
}

/* Values of all nodes, eigenvectors. */
static neap_status survey(fold *f, uint32_t number, neap_error *err)
{
    const ni_draw *d = f->d;
    uint32_t n = f->view.links.nodes, dim = d->rule->dim;
    bool spectral = d->rule->groups >> NI_GROUP_SPECTRAL & 1;
    f->node = ni_array(n, NI_NODE_VALUES * sizeof *f->node);
    f->value = ni_array(dim, sizeof *f->value);
    f->vector = ni_array(n, dim * sizeof *f->vector);
    if (!f->node || !f->value || !f->vector) return no_memory(err);
    neap_status rc = ni_node_values(&f->view, d->threads, f->node, err);
    if (rc == NEAP_OK && spectral)
        rc = ni_eigenpairs(&f->view, dim, d->rule->seed + 1 + number, d->threads, f->value, f->vector, err);
    f->globals = (ni_globals){ .view = &f->view,
                               .groups = d->rule->groups,
                               .dim = spectral ? dim : 0,
                               .node = f->node,
                               .value = f->value,
                               .vector = f->vector,
                               .attributes = d->rule->attributes };
    return rc == NEAP_OK ? ni_globals_finish(&f->globals, d->threads, err) : rc;
}

/* The nodes that most links lead to. */
static void list_popular(fold *f)
{
    ni_ranked best[POPULAR_LISTED];
    size_t count = 0, n = f->view.links.nodes;
    const float *links = f->node + (f->view.way ? NI_NODE_IN : NI_NODE_DEGREE);
    for (uint32_t u = 0; u < n; u++)
        ni_best_offer(best, &count, POPULAR_LISTED, (ni_ranked){ u, links[(size_t)u * NI_NODE_VALUES] });
    ni_best_sort(best, count);
    f->populars = (uint32_t)count;
    for (size_t i = 0; i < count; i++) f->popular[i] = best[i].node;
}

static neap_status prepare(fold *f, uint32_t number, neap_error *err)
{
    uint32_t threads = ni_threads_count(f->d->threads);
    neap_status rc = hold_out(f, number, err);
    if (rc == NEAP_OK) rc = survey(f, number, err);
    if (rc != NEAP_OK) return rc;
    list_popular(f);
    f->near = ni_zeros(threads, sizeof *f->near);
    f->best = ni_array((size_t)threads * NI_SPREAD_LANES, sizeof *f->best);
    f->bests = ni_array((size_t)threads * NI_SPREAD_LANES, sizeof *f->bests);
    if (!f->near || !f->best || !f->bests) return no_memory(err);
    for (uint32_t i = 0; i < threads && rc == NEAP_OK; i++)
        rc = ni_near_create(&f->globals, &f->near[i], err);
    return rc == NEAP_OK ? ni_walks_create(&f->globals, NI_SPREAD_LANES, &f->walks, err) : rc;
}

static void fold_free(fold *f)
{
    for (uint32_t i = 0; f->near && i < ni_threads_count(f->d->threads); i++) ni_near_free(&f->near[i]);
    ni_free(f->near);
    ni_free(f->best);
    ni_free(f->bests);
    ni_walks_free(&f->walks);
    ni_globals_free(&f->globals);
    ni_free(f->node);
    ni_free(f->value);
    ni_free(f->vector);
    ni_view_free(&f->view);
}

/* ---- likely nodes ---- */

/* w may be a non-link of s: one of the whole graph that is learned from. */
static bool may_oppose(const ni_draw *d, uint32_t s, uint32_t w)
{
    return s != w && ni_is_target(d->targets, s, w) && !ni_linked(&d->view->links, s, w);
}

/* Offers a range of nodes to the lists of all sources of the panel; each thread has lists of its own, since
 * the best of the best are the best. */
static void likely_task(void *arg, uint32_t task, uint32_t thread)
{
    fold *f = arg;
    const ni_walks *w = &f->walks;
    uint64_t first = (uint64_t)task * RANGE, end = ni_task_end(first, RANGE, f->view.links.nodes);
    for (uint32_t u = (uint32_t)first; u < end; u++)
        for (uint32_t q = 0; q < w->count; q++) {
            size_t list = (size_t)thread * NI_SPREAD_LANES + q;
            ni_ranked *best = f->best[list], one = { u, ni_walks_ppr(w, q, u) * f->view.strength[u] };
            if (one.score <= 0 || (f->bests[list] == NEAR_MOST && !ni_best_before(one, best[0]))) continue;
            if (may_oppose(f->d, w->source[q], u)) ni_best_offer(best, &f->bests[list], NEAR_MOST, one);
        }
}

/* The lists of the first thread become those of all. */
static void find_likely(fold *f)
{
    uint32_t threads = ni_threads_count(f->d->threads);
    memset(f->bests, 0, (size_t)threads * NI_SPREAD_LANES * sizeof *f->bests);
    ni_threads_run(f->d->threads, ni_tasks(f->view.links.nodes, RANGE), likely_task, f);
    for (size_t list = NI_SPREAD_LANES; list < (size_t)threads * NI_SPREAD_LANES; list++) {
        size_t to = list % NI_SPREAD_LANES;
        for (size_t i = 0; i < f->bests[list]; i++)
            ni_best_offer(f->best[to], &f->bests[to], NEAR_MOST, f->best[list][i]);
    }
    for (uint32_t q = 0; q < f->walks.count; q++) ni_best_sort(f->best[q], f->bests[q]);
}

static bool is_among(const ni_ranked *best, size_t count, uint32_t node)
{
    for (size_t i = 0; i < count; i++)
        if (best[i].node == node) return true;
    return false;
}

/* Popular nodes that are not among the likely ones of lane q, into node (POPULAR_MOST). */
static uint32_t popular_for(const fold *f, uint32_t q, uint32_t *node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->populars && count < POPULAR_MOST; i++)
        if (may_oppose(f->d, f->walks.source[q], f->popular[i]) &&
            !is_among(f->best[q], f->bests[q], f->popular[i]))
            node[count++] = f->popular[i];
    return count;
}

/* ---- groups ---- */

/* So many draws, with replacement, of `among` nodes; each stands for its share of them. */
static void stand_for(float *stands, uint32_t draws, double among)
{
    for (uint32_t i = 0; i < draws; i++) stands[i] = (float)(among / draws);
}

/* The non-links of group g by the rule, in the graph of the fold, since there they are measured. */
static void oppose_by_rule(const fold *f, uint32_t g)
{
    ni_draw *d = f->d;
    uint32_t *node = d->target + (size_t)g * d->size;
    float *weight = d->weight + (size_t)g * d->size, *stands = d->stands + (size_t)g * d->size;
    ni_negative_rule rule = {
        .kind = d->rule->negatives, .seen = &f->view.links, .known = &d->view->links, .targets = d->targets
    };
    ni_rng rng = ni_rng_at(d->rule->seed, NI_STREAM_EXAMPLES, 2, g);
    weight[0] = LINK_WEIGHT;
    stands[0] = 1;
    for (uint32_t i = 1; i <= NI_DRAW_EVEN; i++) {
        node[i] = ni_draw_negative(&rule, (neap_pair){ d->source[g], node[0] }, &rng);
        weight[i] = LINK_WEIGHT / NI_DRAW_EVEN;
        stands[i] = 1;
    }
}

/* The non-links of group g, whose source has lane q: even, likely and popular ones. */
static void oppose(const fold *f, uint32_t q, uint32_t g)
{
    ni_draw *d = f->d;
    uint32_t popular[POPULAR_MOST], populars = popular_for(f, q, popular), s = d->source[g];
    uint32_t *node = d->target + (size_t)g * d->size, t = node[0];
    float *weight = d->weight + (size_t)g * d->size, *stands = d->stands + (size_t)g * d->size;
    size_t likely = f->bests[q];
    ni_rng rng = ni_rng_at(d->rule->seed, NI_STREAM_EXAMPLES, 2, g);
    uint32_t *even = node + 1, *near = even + NI_DRAW_EVEN, *top = near + NI_DRAW_LIKELY;
    for (uint32_t i = 0; i < NI_DRAW_EVEN; i++)
        even[i] = ni_stranger_like(&d->view->links, d->targets, s, t, &rng);
    for (uint32_t i = 0; i < NI_DRAW_LIKELY; i++)
        near[i] = likely ? f->best[q][ni_below(&rng, likely)].node : even[i];
    for (uint32_t i = 0; i < NI_DRAW_POPULAR; i++)
        top[i] = populars ? popular[ni_below(&rng, populars)] : even[i];
    weight[0] = LINK_WEIGHT;
    for (uint32_t i = 1; i <= NI_DRAW_EVEN; i++) weight[i] = LINK_WEIGHT / NI_DRAW_EVEN;
    double nodes = ni_targets_limit(d->targets) ? ni_side_count(d->targets, d->targets->side[t])
                                                : d->view->links.nodes;
    stands[0] = 1;
    stand_for(stands + 1, NI_DRAW_EVEN, fmax(NI_DRAW_EVEN, nodes - (double)(likely + populars)));
    stand_for(stands + 1 + NI_DRAW_EVEN, NI_DRAW_LIKELY, (double)likely);
    stand_for(stands + 1 + NI_DRAW_EVEN + NI_DRAW_LIKELY, NI_DRAW_POPULAR, populars);
}

static void measure_group(const fold *f, uint32_t q, uint32_t g, const ni_near *near)
{
    const ni_draw *d = f->d;
    size_t count = (size_t)d->groups * d->size;
    for (size_t i = (size_t)g * d->size; i < ((size_t)g + 1) * d->size; i++) {
        float value[NI_KINDS] = { 0 };
        ni_measure(&f->walks, q, near, d->target[i], value);
        for (uint32_t j = 0; j < d->kinds; j++) d->value[j * count + i] = value[d->kind[j]];
    }
}

/* All groups of one source. */
static void source_task(void *arg, uint32_t q, uint32_t thread)
{
    const fold *f = arg;
    ni_near *near = &f->near[thread];
    ni_near_to(near, f->walks.source[q]);
    for (uint32_t g = f->group[q]; g < f->group[q + 1] && ni_threads_go_on(f->d->threads, thread); g++) {
        if (f->d->rule->negatives == NI_UNIFORM) oppose(f, q, g);
        else oppose_by_rule(f, g);
        measure_group(f, q, g, near);
    }
}

/* The next sources, as many as there are lanes; groups from *g on. */
static void measure_panel(fold *f, uint32_t *g, uint32_t end)
{
    uint32_t source[NI_SPREAD_LANES], count = 0;
    for (; *g < end && count < NI_SPREAD_LANES; count++) {
        source[count] = f->d->source[*g];
        f->group[count] = *g;
        while (*g < end && f->d->source[*g] == source[count]) ++*g;
    }
    f->group[count] = *g;
    ni_walks_from(&f->walks, source, count, f->d->threads);
    if (f->d->rule->negatives == NI_UNIFORM) find_likely(f);
    ni_threads_run(f->d->threads, count, source_task, f);
}

neap_status ni_draw_fold(ni_draw *d, uint32_t number, neap_error *err)
{
    fold f = { .d = d };
    uint32_t g = d->start[number], end = d->start[number + 1];
    neap_status rc = prepare(&f, number, err);
    while (rc == NEAP_OK && g < end) {
        measure_panel(&f, &g, end);
        rc = ni_threads_check(d->threads, err);
    }
    fold_free(&f);
    return rc;
}
