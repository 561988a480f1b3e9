/* Degrees, PageRank, cores and triangles of a view; see nodes.h. */
#include "evidence/nodes.h"

#include <string.h>

#include "base/sys.h"
#include "evidence/spread.h"
#include "support/status.h"

enum { ROWS_PER_TASK = 256, ITERATIONS = 30 };
static const float RESTART = 0.15f;

static neap_status no_memory(neap_error *err)
{
    return ni_fail_memory(err, "evidence about nodes");
}

static float *row_of(float *value, uint32_t u)
{
    return value + (size_t)u * NI_NODE_VALUES;
}

/* ---- degrees ---- */

void ni_node_degrees(const ni_view *view, uint32_t u, float row[NI_NODE_VALUES])
{
    const ni_links *l = &view->links;
    double sum = 0, k = (double)ni_degree(l, u);
    for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++) sum += (double)ni_degree(l, l->node[i]);
    row[NI_NODE_DEGREE] = (float)k;
    row[NI_NODE_AROUND] = k > 0 ? (float)(sum / k) : 0;
    row[NI_NODE_OUT] = view->out ? (float)view->out[u] : 0;
    row[NI_NODE_IN] = view->in ? (float)view->in[u] : 0;
}

/* ---- PageRank ----
 *
 * r = restart + (1 - restart) A D^-1 r, times n; with r = D x the product is D (D^-1 A) x. A node without
 * links keeps the restart alone. */
static neap_status fill_pagerank(const ni_view *view, ni_threads *threads, float *value, neap_error *err)
{
    uint32_t n = view->links.nodes;
    float *x = ni_array(n, sizeof *x), *next = ni_array(n, sizeof *next), *rank = ni_array(n, sizeof *rank);
    if (x && next && rank) {
        for (uint32_t u = 0; u < n; u++) rank[u] = 1;
        for (uint32_t i = 0; i < ITERATIONS; i++) {
            for (uint32_t u = 0; u < n; u++) x[u] = view->strength[u] > 0 ? rank[u] / view->strength[u] : 0;
            ni_spread(view, 1, 1 - RESTART, x, 0, next, threads);
            for (uint32_t u = 0; u < n; u++) rank[u] = RESTART + view->strength[u] * next[u];
        }
        for (uint32_t u = 0; u < n; u++) row_of(value, u)[NI_NODE_PAGERANK] = rank[u];
    }
    neap_status rc = x && next && rank ? ni_threads_check(threads, err) : no_memory(err);
    ni_free(x);
    ni_free(next);
    ni_free(rank);
    return rc;
}

/* ---- cores ----
 *
 * Batagelj and Zaversnik 2003: take away the node of the lowest degree, again and again; its degree then is
 * its core number. Nodes are kept sorted by what is left of their degrees. O(nodes + links). */
typedef struct peeling {
    uint32_t *left;  /* of the node's degree              */
    uint32_t *order; /* nodes by it                       */
    uint32_t *place; /* of a node in order                */
    uint32_t *start; /* of the nodes with k left in order */
} peeling;

static void sort_by_degree(const ni_links *l, peeling *p, uint32_t most)
{
    memset(p->start, 0, ((size_t)most + 2) * sizeof *p->start);
    for (uint32_t u = 0; u < l->nodes; u++) p->start[(p->left[u] = (uint32_t)ni_degree(l, u)) + 1]++;
    for (uint32_t k = 0; k <= most; k++) p->start[k + 1] += p->start[k];
    for (uint32_t u = 0; u < l->nodes; u++) p->order[p->place[u] = p->start[p->left[u]]++] = u;
    memmove(p->start + 1, p->start, ((size_t)most + 1) * sizeof *p->start);
    p->start[0] = 0;
}

/* One link fewer: v moves to the front of its equals, which begin one later. */
static void lower(peeling *p, uint32_t v)
{
    uint32_t front = p->start[p->left[v]]++, other = p->order[front];
    p->order[p->place[v]] = other;
    p->place[other] = p->place[v];
    p->order[front] = v;
    p->place[v] = front;
    p->left[v]--;
}

static void peel(const ni_links *l, peeling *p, float *value)
{
    for (uint32_t i = 0; i < l->nodes; i++) {
        uint32_t u = p->order[i];
        row_of(value, u)[NI_NODE_CORE] = (float)p->left[u];
        for (uint64_t e = l->offset[u]; e < l->offset[u + 1]; e++)
            if (p->left[l->node[e]] > p->left[u]) lower(p, l->node[e]);
    }
}

static neap_status fill_cores(const ni_links *l, float *value, neap_error *err)
{
    uint32_t n = l->nodes, most = 0;
    for (uint32_t u = 0; u < n; u++) most = ni_degree(l, u) > most ? (uint32_t)ni_degree(l, u) : most;
    peeling p = { ni_array(n, sizeof *p.left), ni_array(n, sizeof *p.order), ni_array(n, sizeof *p.place),
                  ni_array((size_t)most + 2, sizeof *p.start) };
    bool ok = p.left && p.order && p.place && p.start;
    if (ok) {
        sort_by_degree(l, &p, most);
        peel(l, &p, value);
    }
    ni_free(p.left);
    ni_free(p.order);
    ni_free(p.place);
    ni_free(p.start);
    return ok ? NEAP_OK : no_memory(err);
}

/* ---- triangles ----
 *
 * Each link leads from the end of lower degree to the other, which leaves at most sqrt(2 links) per node;
 * a triangle is a node and two of its heads that are linked. Threads count for themselves. */
typedef struct triangles {
    const ni_links *links;
    ni_threads *threads;
    uint64_t *offset; /* nodes + 1                               */
    uint32_t *head;   /* links                                   */
    uint32_t *mark;   /* threads x nodes: 1 + the node whose heads were marked last */
    uint64_t *count;  /* threads x nodes                         */
} triangles;

static bool leads_to(const ni_links *l, uint32_t u, uint32_t v)
{
    uint64_t a = ni_degree(l, u), b = ni_degree(l, v);
    return a < b || (a == b && u < v);
}

static void orient(triangles *t)
{
    const ni_links *l = t->links;
    uint64_t k = 0;
    for (uint32_t u = 0; u < l->nodes; u++) {
        t->offset[u] = k;
        for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++)
            if (leads_to(l, u, l->node[i])) t->head[k++] = l->node[i];
    }
    t->offset[l->nodes] = k;
}

static void count_task(void *arg, uint32_t task, uint32_t thread)
{
    const triangles *t = arg;
    size_t n = t->links->nodes;
    uint32_t *mark = t->mark + thread * n;
    uint64_t *count = t->count + thread * n, first = (uint64_t)task * ROWS_PER_TASK;
    for (uint64_t u = first; u < ni_task_end(first, ROWS_PER_TASK, n); u++) {
        if (!ni_threads_go_on(t->threads, thread)) return;
        for (uint64_t i = t->offset[u]; i < t->offset[u + 1]; i++) mark[t->head[i]] = (uint32_t)u + 1;
        for (uint64_t i = t->offset[u]; i < t->offset[u + 1]; i++) {
            uint32_t v = t->head[i];
            for (uint64_t j = t->offset[v]; j < t->offset[v + 1]; j++) {
                if (mark[t->head[j]] != u + 1) continue;
                count[u]++, count[v]++, count[t->head[j]]++;
            }
        }
    }
}

static void fill_shares(const triangles *t, float *value)
{
    size_t n = t->links->nodes;
    for (uint32_t u = 0; u < n; u++) {
        double k = (double)ni_degree(t->links, u);
        uint64_t all = 0;
        for (uint32_t i = 0; i < ni_threads_count(t->threads); i++) all += t->count[i * n + u];
        row_of(value, u)[NI_NODE_CLUSTERING] = k > 1 ? (float)((double)all / (k * (k - 1) / 2)) : 0;
    }
}

static neap_status fill_clustering(const ni_links *l, ni_threads *threads, float *value, neap_error *err)
{
    size_t n = l->nodes, each = ni_threads_count(threads) * n;
    triangles t = { .links = l, .threads = threads };
    t.offset = ni_array(n + 1, sizeof *t.offset);
    t.head = ni_array(l->offset[n] / 2, sizeof *t.head);
    t.mark = ni_zeros(each, sizeof *t.mark);
    t.count = ni_zeros(each, sizeof *t.count);
    neap_status rc = t.offset && t.head && t.mark && t.count ? NEAP_OK : no_memory(err);
    if (rc == NEAP_OK) {
        orient(&t);
        ni_threads_run(threads, ni_tasks(n, ROWS_PER_TASK), count_task, &t);
        fill_shares(&t, value);
        rc = ni_threads_check(threads, err);
    }
    ni_free(t.offset);
    ni_free(t.head);
    ni_free(t.mark);
    ni_free(t.count);
    return rc;
}

neap_status ni_node_values(const ni_view *view, ni_threads *threads, float *value, neap_error *err)
{
    for (uint32_t u = 0; u < view->links.nodes; u++) ni_node_degrees(view, u, row_of(value, u));
    neap_status rc = fill_pagerank(view, threads, value, err);
    if (rc == NEAP_OK) rc = fill_cores(&view->links, value, err);
    return rc == NEAP_OK ? fill_clustering(&view->links, threads, value, err) : rc;
}
