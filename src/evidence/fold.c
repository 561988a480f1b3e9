/* The non-links of a fold and the evidence about all of its examples, in the graph without its links; see
 * draw.h. First what follows from walks, which choose non-links, then closeness in the eigenvectors: walks
 * take 256 lanes of memory, eigenvectors about as much, and are not there at once. */
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "evidence/draw.h"
#include "evidence/eigenpairs.h"
#include "evidence/measure.h"
#include "model/best.h"
#include "support/status.h"

enum { NEAR_MOST = 100, POPULAR_MOST = 100, POPULAR_LISTED = 400, RANGE = 512, GROUPS_PER_TASK = 16 };
static const float LINK_WEIGHT = 5; /* of the first loss over the second */

typedef struct fold {
    ni_draw *d;
    uint32_t first, end; /* its groups                     */
    ni_view view;        /* without its positives          */
    float *node;         /* nodes x NI_NODE_VALUES         */
    ni_globals globals;  /* all but eigenpairs             */
    ni_walks walks;
    ni_near *near; /* threads                        */
    uint32_t popular[POPULAR_LISTED];
    uint32_t populars;
    ni_ranked (*best)[NEAR_MOST];       /* threads x NI_SPREAD_MOST                  */
    size_t *bests;                      /* likewise: how many                        */
    uint32_t group[NI_SPREAD_MOST + 1]; /* the first group of each source of a panel */
} fold;

static neap_status no_memory(neap_error *err)
{
    return ni_fail_memory(err, "the links that curves are learned from");
}

static neap_status hold_out(fold *f, neap_error *err)
{
    const ni_draw *d = f->d;
    bool *held = ni_zeros(ni_view_arcs(d->view), sizeof *held);
    if (!held) return no_memory(err);
    for (uint32_t g = f->first; g < f->end; g++) {
        uint32_t s = d->source[g], t = d->target[(size_t)g * d->size];
        held[ni_view_find(d->view, s, t)] = held[ni_view_find(d->view, t, s)] = true;
    }
    neap_status rc = ni_view_without(d->view, held, &f->view, err);
    ni_free(held);
    return rc;
}

static neap_status survey(fold *f, neap_error *err)
{
    const ni_draw *d = f->d;
    f->node = ni_array(f->view.links.nodes, NI_NODE_VALUES * sizeof *f->node);
    if (!f->node) return no_memory(err);
    f->globals = (ni_globals){
        .view = &f->view, .groups = d->rule->groups, .node = f->node, .attributes = d->rule->attributes
    };
    neap_status rc = ni_node_values(&f->view, d->threads, f->node, err);
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
    for (uint32_t u = (uint32_t)first; u < end; u++) {
        float ppr[NI_SPREAD_MOST];
        ni_walks_ppr_row(w, u, ppr);
        for (uint32_t q = 0; q < w->count; q++) {
            size_t list = (size_t)thread * NI_SPREAD_MOST + q;
            ni_ranked *best = f->best[list], one = { u, ppr[q] * f->view.strength[u] };
            if (one.score <= 0 || (f->bests[list] == NEAR_MOST && !ni_best_before(one, best[0]))) continue;
            if (may_oppose(f->d, w->source[q], u)) ni_best_offer(best, &f->bests[list], NEAR_MOST, one);
        }
    }
}

/* The lists of the first thread become those of all. */
static void find_likely(fold *f)
{
    uint32_t threads = ni_threads_count(f->d->threads);
    memset(f->bests, 0, (size_t)threads * NI_SPREAD_MOST * sizeof *f->bests);
    ni_threads_run(f->d->threads, ni_tasks(f->view.links.nodes, RANGE), likely_task, f);
    for (size_t list = NI_SPREAD_MOST; list < (size_t)threads * NI_SPREAD_MOST; list++) {
        size_t to = list % NI_SPREAD_MOST;
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

/* Nodes that s may be compared with where t is its target. */
static double strangers_like(const ni_draw *d, uint32_t s, uint32_t t)
{
    const ni_links *l = &d->view->links;
    if (!ni_targets_limit(d->targets)) return (double)l->nodes - 1 - (double)ni_degree(l, s);
    uint8_t side = d->targets->side[t];
    double count = ni_side_count(d->targets, side) - (d->targets->side[s] == side);
    for (uint64_t i = l->offset[s]; i < l->offset[s + 1]; i++)
        count -= d->targets->side[l->node[i]] == side;
    return count;
}

/* Those of the even draws that are neither likely nor popular stand for all such nodes. */
static void stand_for_rest(const fold *f, uint32_t q, const uint32_t *even, const uint32_t *popular,
                           uint32_t populars, double rest, float *stands)
{
    uint32_t outside = 0;
    for (uint32_t i = 0; i < NI_DRAW_EVEN; i++) {
        bool listed = is_among(f->best[q], f->bests[q], even[i]);
        for (uint32_t k = 0; k < populars && !listed; k++) listed = popular[k] == even[i];
        outside += !listed;
        stands[i] = !listed;
    }
    for (uint32_t i = 0; i < NI_DRAW_EVEN && outside; i++) stands[i] *= (float)(fmax(0, rest) / outside);
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
    stands[0] = 1;
    stand_for_rest(f, q, even, popular, populars, strangers_like(d, s, t) - (double)(likely + populars),
                   stands + 1);
    stand_for(stands + 1 + NI_DRAW_EVEN, NI_DRAW_LIKELY, (double)likely);
    stand_for(stands + 1 + NI_DRAW_EVEN + NI_DRAW_LIKELY, NI_DRAW_POPULAR, populars);
}

/* The evidence about the examples of a group: with walks, whose lane q is its source's, all that they and
 * links tell, and without them what eigenvectors tell. */
static void measure_group(const fold *f, const ni_walks *walks, uint32_t q, uint32_t g, const ni_near *near)
{
    const ni_draw *d = f->d;
    size_t count = (size_t)d->groups * d->size;
    for (size_t i = (size_t)g * d->size; i < ((size_t)g + 1) * d->size; i++) {
        float value[NI_KINDS] = { 0 };
        if (walks) ni_measure(walks, q, near, d->target[i], value);
        else ni_measure_spectral(near, d->target[i], value);
        for (uint32_t j = 0; j < d->kinds; j++)
            if ((ni_kind_infos[d->kind[j]].group == NI_GROUP_SPECTRAL) == !walks)
                d->value[j * count + i] = value[d->kind[j]];
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
        measure_group(f, &f->walks, q, g, near);
    }
}

/* The next sources, as many as there are lanes; groups from *g on. */
static void measure_panel(fold *f, uint32_t *g)
{
    uint32_t source[NI_SPREAD_MOST], count = 0, end = f->end;
    for (; *g < end && count < NI_SPREAD_MOST; count++) {
        source[count] = f->d->source[*g];
        f->group[count] = *g;
        while (*g < end && f->d->source[*g] == source[count]) ++*g;
    }
    f->group[count] = *g;
    ni_walks_from(&f->walks, source, count, f->d->threads);
    if (f->d->rule->negatives == NI_UNIFORM) find_likely(f);
    ni_threads_run(f->d->threads, count, source_task, f);
}

static void near_free(fold *f)
{
    for (uint32_t i = 0; f->near && i < ni_threads_count(f->d->threads); i++) ni_near_free(&f->near[i]);
    ni_free(f->near);
    f->near = NULL;
}

/* One for each thread. */
static neap_status near_create(fold *f, const ni_globals *globals, neap_error *err)
{
    uint32_t threads = ni_threads_count(f->d->threads);
    f->near = ni_zeros(threads, sizeof *f->near);
    neap_status rc = f->near ? NEAP_OK : no_memory(err);
    for (uint32_t i = 0; i < threads && rc == NEAP_OK; i++) rc = ni_near_create(globals, &f->near[i], err);
    return rc;
}

/* All that panels of walks need; large. */
static neap_status prepare_panels(fold *f, neap_error *err)
{
    uint32_t threads = ni_threads_count(f->d->threads);
    f->best = ni_array((size_t)threads * NI_SPREAD_MOST, sizeof *f->best);
    f->bests = ni_array((size_t)threads * NI_SPREAD_MOST, sizeof *f->bests);
    if (!f->best || !f->bests) return no_memory(err);
    neap_status rc = near_create(f, &f->globals, err);
    return rc == NEAP_OK ? ni_walks_create(&f->globals, NI_SPREAD_MOST, &f->walks, err) : rc;
}

static void panels_free(fold *f)
{
    near_free(f);
    ni_walks_free(&f->walks);
    ni_free(f->best);
    ni_free(f->bests);
}

static neap_status measure_panels(fold *f, neap_error *err)
{
    uint32_t g = f->first;
    list_popular(f);
    neap_status rc = prepare_panels(f, err);
    while (rc == NEAP_OK && g < f->end) {
        measure_panel(f, &g);
        rc = ni_threads_check(f->d->threads, err);
    }
    panels_free(f);
    return rc;
}

/* ---- closeness ---- */

static void closeness_task(void *arg, uint32_t task, uint32_t thread)
{
    const fold *f = arg;
    const ni_draw *d = f->d;
    ni_near *near = &f->near[thread];
    uint32_t first = f->first + task * GROUPS_PER_TASK;
    uint32_t end = (uint32_t)ni_task_end(first, GROUPS_PER_TASK, f->end);
    for (uint32_t g = first; g < end && ni_threads_go_on(d->threads, thread); g++) {
        if (near->source != d->source[g]) ni_near_to(near, d->source[g]);
        measure_group(f, NULL, 0, g, near);
    }
}

/* Eigenpairs of the fold's graph. */
static neap_status find_eigenpairs(const fold *f, uint32_t number, neap_error *err)
{
    ni_draw *d = f->d;
    uint32_t dim = d->rule->dim;
    d->eigenvalue = ni_array(dim, sizeof *d->eigenvalue);
    if (!d->eigenvalue) return no_memory(err);
    return ni_eigenpairs(&f->view, dim, d->rule->seed + 1 + number, d->threads, d->eigenvalue,
                         &d->eigenvector, err);
}

/* What they say of all examples. */
static neap_status measure_closeness(fold *f, uint32_t number, neap_error *err)
{
    ni_draw *d = f->d;
    ni_globals pairs = { .view = &f->view, .dim = d->rule->dim };
    if (!(d->rule->groups >> NI_GROUP_SPECTRAL & 1)) return NEAP_OK;
    neap_status rc = find_eigenpairs(f, number, err);
    pairs.value = d->eigenvalue;
    pairs.vector = d->eigenvector;
    if (rc == NEAP_OK) rc = ni_globals_finish(&pairs, d->threads, err);
    if (rc == NEAP_OK) rc = near_create(f, &pairs, err);
    if (rc == NEAP_OK) {
        ni_threads_run(d->threads, ni_tasks(f->end - f->first, GROUPS_PER_TASK), closeness_task, f);
        rc = ni_threads_check(d->threads, err);
    }
    near_free(f);
    ni_globals_free(&pairs);
    return rc;
}

/* ---- all of it ---- */

neap_status ni_draw_fold(ni_draw *d, uint32_t number, neap_error *err)
{
    fold f = { .d = d, .first = d->start[number], .end = d->start[number + 1] };
    ni_draw_drop_eigenpairs(d);
    neap_status rc = hold_out(&f, err);
    if (rc == NEAP_OK) rc = survey(&f, err);
    if (rc == NEAP_OK) rc = measure_panels(&f, err);
    ni_free(f.node);
    if (rc == NEAP_OK) rc = measure_closeness(&f, number, err);
    ni_globals_free(&f.globals);
    ni_view_free(&f.view);
    return rc;
}

uint64_t ni_draw_fold_bytes(const ni_draw *d)
{
    const ni_draw_rule *rule = d->rule;
    uint64_t n = d->view->links.nodes, threads = ni_threads_count(d->threads);
    bool known = rule->attributes != NULL, spectral = rule->groups >> NI_GROUP_SPECTRAL & 1;
    ni_globals globals = { .view = d->view, .dim = rule->dim, .attributes = rule->attributes };
    uint64_t near = threads * ni_near_bytes(&globals),
             vectors = spectral ? n * rule->dim * sizeof(float) : 0;
    uint64_t walks = ni_walks_bytes((uint32_t)n, NI_SPREAD_MOST, known) + near +
                     threads * NI_SPREAD_MOST * (NEAR_MOST * sizeof(ni_ranked) + sizeof(size_t));
    uint64_t closeness = ni_eigenpairs_bytes((uint32_t)n, rule->dim) + near;
    uint64_t texts = known ? n * rule->attributes->dim * sizeof(float) + 2 * ni_view_bytes(d->view) : 0;
    uint64_t beside = walks > vectors ? walks - vectors : 0;
    return ni_view_bytes(d->view) + n * (NI_NODE_VALUES + 1) * sizeof(float) + texts +
           (spectral && closeness > beside ? closeness : beside);
}
