/* What pairs of a view share, near nodes, and the evidence that follows from both and walks; see measure.h.
 */
#include "evidence/measure.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "support/status.h"

enum { ROWS_PER_TASK = 1024 };

static void lengths_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_globals *g = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK;
    (void)thread;
    for (uint64_t u = first; u < ni_task_end(first, ROWS_PER_TASK, g->view->links.nodes); u++) {
        double sum = 0;
        for (uint32_t i = 0; i < g->dim; i++) {
            double x = (double)g->vector[u * g->dim + i];
            sum += fabs((double)g->value[i]) * x * x;
        }
        g->length[u] = (float)sqrt(sum);
    }
}

neap_status ni_globals_finish(ni_globals *g, ni_threads *threads, neap_error *err)
{
    uint32_t n = g->view->links.nodes;
    const ni_attributes *a = g->attributes;
    if (g->dim) g->length = ni_array(n, sizeof *g->length);
    if (g->dim && !g->length) return ni_fail_memory(err, "eigenvectors");
    if (g->dim) ni_threads_run(threads, ni_tasks(n, ROWS_PER_TASK), lengths_task, g);
    if (!a) return NEAP_OK;
    g->around = ni_array(n, a->dim * sizeof *g->around);
    if (!g->around) return ni_fail_memory(err, "the texts of neighbours");
    ni_attributes_around(g->view, a, threads, g->around);
    return ni_attributes_view(g->view, a, &g->united, err);
}

void ni_globals_free(ni_globals *g)
{
    ni_free(g->length);
    ni_free(g->around);
    ni_view_free(&g->united);
    *g = (ni_globals){ 0 };
}

/* ---- near nodes ---- */

neap_status ni_near_create(const ni_globals *globals, ni_near *near, neap_error *err)
{
    uint32_t n = globals->view->links.nodes;
    *near = (ni_near){ .globals = globals, .source = NEAP_NONE };
    near->mark = ni_zeros(n, sizeof *near->mark);
    near->two = ni_zeros(n, sizeof *near->two);
    if (globals->view->way) near->mixed = ni_zeros(n, sizeof *near->mixed);
    for (int p = 0; p < 2; p++) near->toward[p] = ni_zeros(globals->dim, sizeof *near->toward[p]);
    if (globals->attributes) near->term = ni_zeros(globals->attributes->columns, sizeof *near->term);
    bool ok = near->mark && near->two && (near->mixed || !globals->view->way) && near->toward[0] &&
              near->toward[1] && (near->term || !globals->attributes);
    if (ok) return NEAP_OK;
    ni_near_free(near);
    return ni_fail_memory(err, "evidence");
}

void ni_near_free(ni_near *near)
{
    ni_free(near->mark);
    ni_free(near->two);
    ni_free(near->mixed);
    ni_free(near->toward[0]);
    ni_free(near->toward[1]);
    ni_free(near->term);
    *near = (ni_near){ 0 };
}

uint64_t ni_near_bytes(const ni_globals *globals)
{
    return (uint64_t)globals->view->links.nodes * (globals->view->way ? 9 : 5) +
           (2 * globals->dim + (globals->attributes ? globals->attributes->columns : 0)) * sizeof(float);
}

/* The terms of the source, or 0 in their place. */
static void set_terms(ni_near *near, bool clear)
{
    const ni_attributes *a = near->globals->attributes;
    for (uint32_t i = a->terms.start[near->source]; i < a->terms.end[near->source]; i++)
        near->term[a->terms.term[i].row] = clear ? 0 : a->terms.term[i].weight;
}

static void clear(ni_near *near)
{
    const ni_links *l = &near->globals->view->links;
    uint32_t s = near->source;
    if (near->term) set_terms(near, true);
    for (uint64_t i = l->offset[s]; i < l->offset[s + 1]; i++) {
        uint32_t x = l->node[i];
        near->mark[x] = 0;
        for (uint64_t j = l->offset[x]; j < l->offset[x + 1]; j++) {
            near->two[l->node[j]] = 0;
            if (near->mixed) near->mixed[l->node[j]] = 0;
        }
    }
}

/* From neighbour x, which is entry i of the row of the source. */
static void mark_from(ni_near *near, uint64_t i)
{
    const ni_view *v = near->globals->view;
    const ni_links *l = &v->links;
    uint32_t x = l->node[i];
    bool leads = v->way && v->way[i] & NI_WAY_OUT;
    near->mark[x] = (uint8_t)(NI_NEAR | (v->way ? v->way[i] : 0));
    for (uint64_t j = l->offset[x]; j < l->offset[x + 1]; j++) {
        uint32_t y = l->node[j];
        near->two[y] += 1;
        if (leads && v->way[j] & NI_WAY_IN) near->mixed[y] += 1 / ((float)v->in[x] * (float)v->out[y]);
    }
}

void ni_near_to(ni_near *near, uint32_t source)
{
    const ni_globals *g = near->globals;
    const ni_links *l = &g->view->links;
    if (near->source != NEAP_NONE) clear(near);
    near->source = source;
    if (source == NEAP_NONE) return;
    if (near->term) set_terms(near, false);
    for (uint64_t i = l->offset[source]; i < l->offset[source + 1]; i++) mark_from(near, i);
    for (uint32_t i = 0; i < g->dim; i++) {
        float a = g->value[i], x = a * g->vector[(size_t)source * g->dim + i];
        near->toward[0][i] = x;
        near->toward[1][i] = a * a * x;
    }
}

/* ---- evidence ---- */

const struct ni_node_kinds ni_node_kinds[NI_NODE_VALUES] = {
    { NI_NODE_DEGREE, NI_KIND_DEGREE_S },
    { NI_NODE_OUT, NI_KIND_OUT_S },
    { NI_NODE_IN, NI_KIND_IN_S },
    { NI_NODE_AROUND, NI_KIND_AROUND_S },
    { NI_NODE_PAGERANK, NI_KIND_PAGERANK_S },
    { NI_NODE_CORE, NI_KIND_CORE_S },
    { NI_NODE_CLUSTERING, NI_KIND_CLUSTERING_S },
};

static void measure_nodes(const ni_globals *g, uint32_t s, uint32_t t, float *value)
{
    const float *of_s = g->node + (size_t)s * NI_NODE_VALUES, *of_t = g->node + (size_t)t * NI_NODE_VALUES;
    for (size_t i = 0; i < NI_NODE_VALUES; i++) {
        float a = of_s[ni_node_kinds[i].of], b = of_t[ni_node_kinds[i].of];
        bool swap = !g->view->way && a > b;
        value[ni_node_kinds[i].first] = swap ? b : a;
        value[ni_node_kinds[i].first + 1] = swap ? a : b;
    }
}

/* Two or three steps lead from the source to t: without weights no such number is as small as 0. */
static bool is_near(const ni_walks *w, uint32_t lane, uint32_t t)
{
    size_t at = (size_t)t * w->lanes + lane;
    return w->globals->view->links.weight || w->z[2][at] > 0 || w->z[3][at] > 0;
}

/* Over the links of the target: shared neighbours, and paths that end with such a link. */
static void measure_links(const ni_near *near, uint32_t t, float *value)
{
    const ni_view *v = near->globals->view;
    const ni_links *l = &v->links;
    double aa = 0, ra = 0, paths = 0, mixed = 0;
    uint32_t cn = 0, by_way[4] = { 0 };
    for (uint64_t i = l->offset[t]; i < l->offset[t + 1]; i++) {
        uint32_t x = l->node[i], mark = near->mark[x], way = v->way ? v->way[i] : 0;
        paths += (double)near->two[x];
        if (way & NI_WAY_IN) mixed += (double)near->mixed[x];
        if (!mark) continue;
        double k = (double)ni_degree(l, x);
        cn++;
        aa += 1 / log(k > 2 ? k : 2);
        ra += 1 / k;
        by_way[0] += mark & NI_WAY_OUT && way & NI_WAY_IN;
        by_way[1] += mark & NI_WAY_OUT && way & NI_WAY_OUT;
        by_way[2] += mark & NI_WAY_IN && way & NI_WAY_IN;
        by_way[3] += mark & NI_WAY_IN && way & NI_WAY_OUT;
    }
    double all = (double)ni_degree(l, near->source) + (double)ni_degree(l, t) - cn;
    value[NI_KIND_CN] = (float)cn;
    value[NI_KIND_AA] = (float)aa;
    value[NI_KIND_RA] = (float)ra;
    value[NI_KIND_JACCARD] = all > 0 ? (float)(cn / all) : 0;
    for (uint32_t k = 0; k < 4; k++) value[NI_KIND_OUT_OUT + k] = (float)by_way[k];
    value[NI_KIND_A3] = (float)paths;
    value[NI_KIND_OUT_IN_OUT] = (float)mixed;
}

static void measure_walks(const ni_walks *w, uint32_t lane, const ni_near *near, uint32_t t, float *value)
{
    static const ni_kind kinds[NI_WALK_STEPS + 1] = { [2] = NI_KIND_W2, NI_KIND_W3, NI_KIND_W4, NI_KIND_W5,
                                                      NI_KIND_W6,       NI_KIND_W7, NI_KIND_W8 };
    const ni_view *v = near->globals->view;
    float ks = v->strength[near->source], kt = v->strength[t], both = sqrtf(ks) * sqrtf(kt);
    for (uint32_t j = 2; j <= NI_WALK_STEPS; j++)
        value[kinds[j]] = w->z[j][(size_t)t * w->lanes + lane] * both;
    float even = ni_walks_ppr(w, lane, t);
    value[NI_KIND_L3] = value[NI_KIND_W3] * both;
    value[NI_KIND_PPR_EVEN] = even;
    value[NI_KIND_PPR] = v->way ? even * kt : even * (ks + kt);
    value[NI_KIND_PPR_BACK] = even * ks;
}

void ni_measure_spectral(const ni_near *near, uint32_t t, float *value)
{
    const ni_globals *g = near->globals;
    const float *to = g->vector + (size_t)t * g->dim;
    float ks = g->view->strength[near->source], kt = g->view->strength[t];
    float lengths = g->length[near->source] * g->length[t], both = sqrtf(ks) * sqrtf(kt);
    float once = ni_kernels_get()->dot(near->toward[0], to, g->dim);
    value[NI_KIND_SPECTRAL_1] = once * both;
    value[NI_KIND_SPECTRAL_3] = ni_kernels_get()->dot(near->toward[1], to, g->dim) * both;
    value[NI_KIND_SPECTRAL_COSINE] = lengths > 1e-12f ? once / lengths : 0;
}

/* NaN where nothing is known. */
static void measure_texts(const ni_walks *w, uint32_t lane, const ni_near *near, uint32_t t, float *value)
{
    const ni_globals *g = near->globals;
    const ni_attributes *a = g->attributes;
    uint32_t s = near->source;
    size_t d = a->dim;
    const float *x = a->vector + s * d, *y = a->vector + t * d, *x_near = g->around + s * d,
                *y_near = g->around + t * d;
    const ni_kernels *k = ni_kernels_get();
    bool both = ni_attributes_has(a, s) && ni_attributes_has(a, t);
    float words = 0;
    for (uint32_t i = a->terms.start[t]; i < a->terms.end[t]; i++)
        words += a->terms.term[i].weight * near->term[a->terms.term[i].row];
    float to = ni_attributes_has(a, t) ? k->dot(x_near, y, a->dim) : NAN;
    float from = ni_attributes_has(a, s) ? k->dot(x, y_near, a->dim) : NAN;
    bool swap = !g->view->way && (from < to || (isnan(from) && !isnan(to)));
    value[NI_KIND_TEXT] = both ? k->dot(x, y, a->dim) : NAN;
    value[NI_KIND_WORDS] = both ? words : NAN;
    value[NI_KIND_TEXT_TO] = swap ? from : to;
    value[NI_KIND_TEXT_FROM] = swap ? to : from;
    float even = w->reached[(size_t)t * w->lanes + lane];
    float ks = g->united.strength[s], kt = g->united.strength[t];
    value[NI_KIND_TEXT_PPR] = g->view->way ? even * kt : even * (ks + kt);
}

void ni_measure_pair(const ni_walks *walks, uint32_t lane, const ni_near *near, uint32_t target,
                     float *value)
{
    const ni_globals *g = near->globals;
    if (is_near(walks, lane, target)) measure_links(near, target, value);
    else memset(value + NI_KIND_CN, 0, (NI_KIND_OUT_IN_OUT + 1 - NI_KIND_CN) * sizeof *value);
    measure_walks(walks, lane, near, target, value);
    if (g->dim) ni_measure_spectral(near, target, value);
    if (g->attributes) measure_texts(walks, lane, near, target, value);
}

void ni_measure(const ni_walks *walks, uint32_t lane, const ni_near *near, uint32_t target, float *value)
{
    measure_nodes(near->globals, near->source, target, value);
    ni_measure_pair(walks, lane, near, target, value);
}
