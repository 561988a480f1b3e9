/* Contributions and their shares; see reasons.h. */
#include "evidence/reasons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "support/status.h"

static const float RESTART = 0.15f;

typedef struct finder {
    ni_scorer *s;
    const ni_globals *g;
    ni_why *why;
    ni_walks walks[2]; /* of the two ends                                          */
    ni_near near[2];   /* of the two ends                                            */
    float *share[2];   /* links[i]: shares of one kind                               */
    float *size[2];    /* links[i]: what a neighbour has part in of one group, by size */
} finder;

static const ni_links *links_of(const finder *f)
{
    return &f->g->view->links;
}

static uint32_t end_of(const finder *f, int side)
{
    return side ? f->why->target : f->why->source;
}

static uint64_t first_of(const finder *f, int side)
{
    return links_of(f)->offset[end_of(f, side)];
}

/* ---- shares of a kind, among the neighbours of one end ---- */

/* Shared neighbours, each by what the kind counts. */
static void share_neighbours(const finder *f, ni_kind kind, int side)
{
    const ni_view *v = f->g->view;
    for (uint32_t i = 0; i < f->why->links[side]; i++) {
        uint64_t at = first_of(f, side) + i;
        uint32_t x = v->links.node[at], other = f->near[!side].mark[x], own = v->way ? v->way[at] : 0;
        uint32_t by_s = side ? other : own, by_t = side ? own : other;
        double k = (double)ni_degree(&v->links, x);
        bool out_s = by_s & NI_WAY_OUT, in_s = by_s & NI_WAY_IN, out_t = by_t & NI_WAY_OUT,
             in_t = by_t & NI_WAY_IN;
        double share = kind == NI_KIND_AA ? 1 / log(k > 2 ? k : 2) : kind == NI_KIND_RA ? 1 / k : 1;
        if (kind == NI_KIND_OUT_OUT) share = out_s && in_t;
        if (kind == NI_KIND_OUT_IN) share = out_s && out_t;
        if (kind == NI_KIND_IN_OUT) share = in_s && in_t;
        if (kind == NI_KIND_IN_IN) share = in_s && out_t;
        f->share[side][i] = other ? (float)share : 0;
    }
}

static void share_paths(const finder *f, int side)
{
    for (uint32_t i = 0; i < f->why->links[side]; i++)
        f->share[side][i] = f->near[!side].two[links_of(f)->node[first_of(f, side) + i]];
}

/* s > x < y > t, 1 / (in(x) out(y)): over all y that lead to t and x that s and y lead to. */
static void share_mixed(const finder *f, int side)
{
    const ni_view *v = f->g->view;
    const ni_links *l = &v->links;
    uint32_t s = f->why->source, t = f->why->target;
    memset(f->share[side], 0, f->why->links[side] * sizeof *f->share[side]);
    for (uint64_t i = l->offset[t]; i < l->offset[t + 1]; i++) {
        uint32_t y = l->node[i];
        if (!(v->way[i] & NI_WAY_IN)) continue;
        for (uint64_t j = l->offset[y]; j < l->offset[y + 1]; j++) {
            uint32_t x = l->node[j];
            if (!(v->way[j] & NI_WAY_OUT) || !(f->near[0].mark[x] & NI_WAY_OUT)) continue;
            uint64_t at = side ? i - l->offset[t] : ni_view_find(v, s, x) - l->offset[s];
            f->share[side][at] += 1 / ((float)v->in[x] * (float)v->out[y]);
        }
    }
}

/* Steps j - 1 from the other end: W(s, x) W^j-1(x, t), but for a factor that all x have. */
static void share_steps(const finder *f, uint32_t steps, int side)
{
    const float *z = f->walks[!side].z[steps - 1];
    for (uint32_t i = 0; i < f->why->links[side]; i++) {
        uint64_t at = first_of(f, side) + i;
        f->share[side][i] = ni_view_weight(f->g->view, at) * z[links_of(f)->node[at]];
    }
}

static void share_pagerank(const finder *f, int side)
{
    for (uint32_t i = 0; i < f->why->links[side]; i++) {
        uint64_t at = first_of(f, side) + i;
        float sum = 0, factor = 1;
        for (uint32_t j = 2; j <= NI_WALK_STEPS; j++) {
            factor *= 1 - RESTART;
            sum += factor * f->walks[!side].z[j - 1][links_of(f)->node[at]];
        }
        f->share[side][i] = ni_view_weight(f->g->view, at) * sum;
    }
}

/* v(s) = sum over x of W(s, x) v(x) / lambda. */
static void share_closeness(const finder *f, int side)
{
    const ni_globals *g = f->g;
    const float *other = g->vector + (size_t)end_of(f, !side) * g->dim;
    for (uint32_t i = 0; i < f->why->links[side]; i++) {
        uint64_t at = first_of(f, side) + i;
        uint32_t x = links_of(f)->node[at];
        float dot = ni_kernels_get()->dot(g->vector + (size_t)x * g->dim, other, g->dim);
        f->share[side][i] = ni_view_weight(g->view, at) * dot / sqrtf(g->view->strength[x]);
    }
}

/* Texts of the neighbours beside that of the other end. */
static void share_texts(const finder *f, int side)
{
    const ni_attributes *a = f->g->attributes;
    const float *other = a->vector + (size_t)end_of(f, !side) * a->dim;
    for (uint32_t i = 0; i < f->why->links[side]; i++) {
        uint32_t x = links_of(f)->node[first_of(f, side) + i];
        f->share[side][i] = ni_kernels_get()->dot(a->vector + (size_t)x * a->dim, other, a->dim);
    }
}

/* From a node on: walks to the other end, over links and near texts. */
static float reached_from(const finder *f, uint32_t node, int side)
{
    return f->walks[!side].reached[node];
}

/* Walks over links and near texts that begin with a link. Returns those that begin with a near text. */
static float share_reached(const finder *f, int side)
{
    const ni_view *v = f->g->view, *u = &f->g->united;
    uint32_t end = end_of(f, side);
    float all = 0;
    for (uint64_t i = u->links.offset[end]; i < u->links.offset[end + 1]; i++)
        all += ni_view_weight(u, i) * reached_from(f, u->links.node[i], side);
    for (uint32_t i = 0; i < f->why->links[side]; i++) {
        uint64_t at = first_of(f, side) + i;
        f->share[side][i] = ni_view_weight(v, at) * reached_from(f, links_of(f)->node[at], side);
        all -= f->share[side][i];
    }
    return fmaxf(all, 0);
}

/* False: nobody has part in this kind. *rest: the share that no neighbour has. */
static bool share_out(const finder *f, ni_kind kind, int side, float *rest)
{
    static const uint8_t steps[NI_KINDS] = {
        [NI_KIND_W2] = 2, [NI_KIND_W3] = 3, [NI_KIND_L3] = 3, [NI_KIND_W4] = 4,
        [NI_KIND_W5] = 5, [NI_KIND_W6] = 6, [NI_KIND_W7] = 7, [NI_KIND_W8] = 8
    };
    ni_group group = ni_kind_infos[kind].group;
    *rest = 0;
    if (steps[kind]) share_steps(f, steps[kind], side);
    else if (group == NI_GROUP_SHARED) share_neighbours(f, kind, side);
    else if (kind == NI_KIND_A3) share_paths(f, side);
    else if (kind == NI_KIND_OUT_IN_OUT) share_mixed(f, side);
    else if (group == NI_GROUP_WALKS) share_pagerank(f, side);
    else if (group == NI_GROUP_SPECTRAL) share_closeness(f, side);
    else if (kind == (side ? NI_KIND_TEXT_FROM : NI_KIND_TEXT_TO)) share_texts(f, side);
    else if (kind == NI_KIND_TEXT_PPR) *rest = share_reached(f, side);
    else return false;
    return true;
}

/* Hands out a contribution in proportion to the shares, which may be negative. Their own link has none. */
static void hand_out(const finder *f, uint32_t curve, int side, float rest)
{
    float contribution = (float)f->why->contribution[curve], sum = rest;
    uint32_t count = f->why->links[side];
    uint64_t own = ni_view_find(f->g->view, end_of(f, side), end_of(f, !side)) - first_of(f, side);
    if (own < count) f->share[side][own] = 0;
    for (uint32_t i = 0; i < count; i++) sum += fabsf(f->share[side][i]);
    for (uint32_t i = 0; i < count && sum > 0; i++) {
        float part = f->share[side][i] / sum;
        f->why->part[side][i] += contribution * part;
        f->size[side][i] += fabsf(contribution * part);
    }
}

/* ---- who stands behind a group ---- */

static void tell(ni_why *why, ni_behind one)
{
    uint32_t first = why->behinds, at = why->behinds;
    while (first && why->behind[first - 1].group == one.group) first--;
    while (at > first && why->behind[at - 1].share < one.share) at--;
    if (at == first + NI_BEHIND_MOST) return;
    if (why->behinds < first + NI_BEHIND_MOST) why->behinds++;
    memmove(&why->behind[at + 1], &why->behind[at], (why->behinds - 1 - at) * sizeof one);
    why->behind[at] = one;
}

/* Shares of what is told become parts of `all`. */
static void scale_group(ni_why *why, ni_group group, double all)
{
    for (uint32_t i = 0; i < why->behinds; i++)
        if (why->behind[i].group == group)
            why->behind[i].share = all > 0 ? (float)(why->behind[i].share / all) : 0;
}

static void tell_neighbours(const finder *f, ni_group group)
{
    double all = 0;
    for (uint32_t i = 0; i < f->why->links[0]; i++) {
        float size = f->size[0][i];
        all += (double)size;
        if (size > 0)
            tell(f->why,
                 (ni_behind){ group, links_of(f)->node[first_of(f, 0) + i], NEAP_NONE, NEAP_NONE, size });
    }
    scale_group(f->why, group, all);
}

/* Paths s - x - y - t by w(s,x) w(x,y) w(y,t) / (k_x k_y). */
static void tell_paths(const finder *f)
{
    const ni_view *v = f->g->view;
    const ni_links *l = &v->links;
    uint32_t s = f->why->source, t = f->why->target;
    double all = 0;
    for (uint64_t i = l->offset[s]; i < l->offset[s + 1]; i++) {
        uint32_t x = l->node[i];
        for (uint64_t j = l->offset[x]; x != t && j < l->offset[x + 1]; j++) {
            uint32_t y = l->node[j];
            if (y == s || !f->near[1].mark[y]) continue;
            float size = ni_view_weight(v, i) * ni_view_weight(v, j) *
                         ni_view_weight(v, ni_view_find(v, t, y)) / (v->strength[x] * v->strength[y]);
            all += (double)size;
            tell(f->why, (ni_behind){ NI_GROUP_PATHS, x, y, NEAP_NONE, size });
        }
    }
    scale_group(f->why, NI_GROUP_PATHS, all);
}

/* Words that both have, by the product of their weights. */
static void tell_words(const finder *f)
{
    const ni_sparse *a = &f->g->attributes->terms;
    double all = 0;
    for (uint32_t i = a->start[f->why->target]; i < a->end[f->why->target]; i++) {
        float size = a->term[i].weight * f->near[0].term[a->term[i].row];
        if (!(size > 0)) continue;
        all += (double)size;
        tell(f->why, (ni_behind){ NI_GROUP_TEXT, NEAP_NONE, NEAP_NONE, a->term[i].row, size });
    }
    scale_group(f->why, NI_GROUP_TEXT, all);
}

/* ---- all of it ---- */

static void hand_out_group(const finder *f, ni_group group)
{
    const ni_additive *a = f->s->curves;
    for (int side = 0; side < 2; side++) {
        memset(f->size[side], 0, f->why->links[side] * sizeof *f->size[side]);
        for (uint32_t j = 0; j < a->curves; j++) {
            float rest;
            if (ni_kind_infos[f->s->kind[j]].group == group && share_out(f, f->s->kind[j], side, &rest))
                hand_out(f, j, side, rest);
        }
    }
    if (group == NI_GROUP_PATHS) tell_paths(f);
    else if (group == NI_GROUP_TEXT && f->g->attributes) tell_words(f);
    else if (group != NI_GROUP_DEGREES) tell_neighbours(f, group);
}

static void add_up(const finder *f, const float *mean, const float *value)
{
    ni_why *why = f->why;
    const ni_additive *a = f->s->curves;
    why->start = a->start;
    for (uint32_t j = 0; j < a->curves; j++) {
        double add = (double)ni_curve_at(a, j, value[f->s->kind[j]]);
        why->value[j] = value[f->s->kind[j]];
        why->contribution[j] = add - (double)mean[j];
        why->start += (double)mean[j];
    }
}

static neap_status prepare(finder *f, neap_error *err)
{
    ni_why *why = f->why;
    uint32_t ends[2] = { why->source, why->target };
    neap_status rc = NEAP_OK;
    for (int side = 0; side < 2 && rc == NEAP_OK; side++) {
        why->links[side] = (uint32_t)ni_degree(links_of(f), ends[side]);
        why->part[side] = ni_zeros(why->links[side], sizeof *why->part[side]);
        f->share[side] = ni_zeros(why->links[side], sizeof *f->share[side]);
        f->size[side] = ni_zeros(why->links[side], sizeof *f->size[side]);
        if (!why->part[side] || !f->share[side] || !f->size[side])
            return ni_fail_memory(err, "an explanation");
        rc = ni_near_create(f->g, &f->near[side], err);
        if (rc == NEAP_OK) ni_near_to(&f->near[side], ends[side]);
        if (rc == NEAP_OK) rc = ni_walks_create(f->g, 1, &f->walks[side], err);
        if (rc == NEAP_OK) ni_walks_from(&f->walks[side], &ends[side], 1, f->s->threads);
    }
    return rc == NEAP_OK ? ni_threads_check(f->s->threads, err) : rc;
}

neap_status ni_why_make(ni_scorer *s, const float *mean, uint32_t source, uint32_t target, ni_why *why,
                        neap_error *err)
{
    *why = (ni_why){ .source = source, .target = target };
    finder f = { .s = s, .g = s->globals, .why = why };
    float value[NI_KINDS] = { 0 };
    neap_status rc = prepare(&f, err);
    if (rc == NEAP_OK) rc = ni_scorer_measure(s, (neap_pair){ source, target }, value, &why->score, err);
    if (rc == NEAP_OK) {
        add_up(&f, mean, value);
        for (ni_group group = 0; group < NI_GROUPS; group++) hand_out_group(&f, group);
    }
    for (int side = 0; side < 2; side++) {
        ni_walks_free(&f.walks[side]);
        ni_near_free(&f.near[side]);
        ni_free(f.share[side]);
        ni_free(f.size[side]);
    }
    if (rc == NEAP_OK) rc = ni_why_gather(links_of(&f), why, err);
    return rc == NEAP_OK ? ni_why_try(s, why, err) : rc;
}

void ni_why_free(ni_why *why)
{
    ni_free(why->part[0]);
    ni_free(why->part[1]);
    ni_free(why->through);
    *why = (ni_why){ 0 };
}
