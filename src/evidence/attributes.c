/* Nearest texts, text links, and what a node's neighbours say; see attributes.h. */
#include "evidence/attributes.h"

#include <string.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "model/best.h"
#include "support/status.h"

enum { ROWS_PER_TASK = 64 };

/* ---- the nearest ----
 *
 * All cosines of a row are sums over its columns of products with the entries of the index. Threads have an
 * array of n sums each, cleared by the list of what was touched. */

typedef struct inverted {
    const ni_sparse *terms;
    uint64_t *offset; /* columns + 1                           */
    uint32_t *row;    /* entries of a column, by row           */
    float *weight;
    ni_threads *threads;
    float *sum;        /* threads x rows                       */
    uint32_t *stamp;   /* threads x rows: 1 + the row that sum is of */
    uint32_t *touched; /* threads x rows                       */
    ni_term *term;     /* threads x the longest row            */
    uint32_t longest;
    bool *bounded; /* threads                              */
    uint32_t from; /* the first row that asks              */
    uint32_t *near;
    float *cosine;
} inverted;

static void fill_index(inverted *x, uint32_t columns)
{
    const ni_sparse *a = x->terms;
    for (uint64_t r = 0; r < a->rows; r++)
        for (uint32_t i = a->start[r]; i < a->end[r]; i++) x->offset[a->term[i].row + 1]++;
    for (uint32_t c = 0; c < columns; c++) x->offset[c + 1] += x->offset[c];
    for (uint64_t r = 0; r < a->rows; r++)
        for (uint32_t i = a->start[r]; i < a->end[r]; i++) {
            uint64_t at = x->offset[a->term[i].row]++;
            x->row[at] = (uint32_t)r;
            x->weight[at] = a->term[i].weight;
        }
    memmove(x->offset + 1, x->offset, columns * sizeof *x->offset);
    x->offset[0] = 0;
}

/* The heaviest columns first, equal ones by number. */
static int heaviest_first(const void *a, const void *b)
{
    const ni_term *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* What a thread works with. */
typedef struct desk {
    float *sum;
    uint32_t *stamp, *touched;
    ni_term *term;
    bool *bounded;
} desk;

static desk desk_of(const inverted *x, uint32_t thread)
{
    size_t n = x->terms->rows;
    return (desk){ x->sum + thread * n, x->stamp + thread * n, x->touched + thread * n,
                   x->term + (size_t)thread * x->longest, &x->bounded[thread] };
}

/* Adds up what row r has in common with others; returns with how many. */
static uint32_t add_up(const inverted *x, uint32_t r, const desk *d)
{
    const ni_sparse *a = x->terms;
    uint32_t size = a->end[r] - a->start[r], count = 0;
    uint64_t read = 0;
    memcpy(d->term, a->term + a->start[r], size * sizeof *d->term);
    qsort(d->term, size, sizeof *d->term, heaviest_first);
    for (uint32_t i = 0; i < size; i++) {
        uint64_t first = x->offset[d->term[i].row], end = x->offset[d->term[i].row + 1];
        read += end - first;
        if (read > NI_NEAR_READ && a->rows > NI_NEAR_EXACT) {
            *d->bounded = true;
            break;
        }
        for (uint64_t k = first; k < end; k++) {
            uint32_t other = x->row[k];
            if (d->stamp[other] != r + 1) {
                d->stamp[other] = r + 1;
                d->sum[other] = 0;
                d->touched[count++] = other;
            }
            d->sum[other] += d->term[i].weight * x->weight[k];
        }
    }
    return count;
}

static void choose(const inverted *x, uint32_t r, uint32_t count, const desk *d)
{
    ni_ranked best[NI_NEAR_MOST];
    size_t found = 0, at = (size_t)r * NI_NEAR_MOST;
    for (uint32_t i = 0; i < count; i++) {
        ni_ranked one = { d->touched[i], d->sum[d->touched[i]] };
        if (one.node != r && one.score > 0) ni_best_offer(best, &found, NI_NEAR_MOST, one);
    }
    ni_best_sort(best, found);
    for (size_t i = 0; i < NI_NEAR_MOST; i++) {
        x->near[at + i] = i < found ? best[i].node : 0;
        x->cosine[at + i] = i < found ? best[i].score : 0;
    }
}

static void near_task(void *arg, uint32_t task, uint32_t thread)
{
    const inverted *x = arg;
    desk d = desk_of(x, thread);
    uint64_t first = x->from + (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, x->terms->rows);
    for (uint32_t r = (uint32_t)first; r < end && ni_threads_go_on(x->threads, thread); r++)
        choose(x, r, add_up(x, r, &d), &d);
}

static uint32_t longest_row(const ni_sparse *a)
{
    uint32_t most = 1;
    for (uint64_t r = 0; r < a->rows; r++)
        most = a->end[r] - a->start[r] > most ? a->end[r] - a->start[r] : most;
    return most;
}

neap_status ni_attributes_near(const ni_sparse *terms, uint32_t columns, uint32_t first,
                               ni_threads *threads, uint32_t *near, float *cosine, bool *bounded,
                               neap_error *err)
{
    size_t n = terms->rows, count = ni_threads_count(threads);
    inverted x = { .terms = terms, .threads = threads, .longest = longest_row(terms), .from = first };
    x.near = near;
    x.cosine = cosine;
    x.offset = ni_zeros((size_t)columns + 1, sizeof *x.offset);
    x.row = ni_array(terms->nonzeros, sizeof *x.row);
    x.weight = ni_array(terms->nonzeros, sizeof *x.weight);
    x.sum = ni_array(count * n, sizeof *x.sum);
    x.stamp = ni_zeros(count * n, sizeof *x.stamp);
    x.touched = ni_array(count * n, sizeof *x.touched);
    x.term = ni_array(count * x.longest, sizeof *x.term);
    x.bounded = ni_zeros(count, sizeof *x.bounded);
    bool ok = x.offset && x.row && x.weight && x.sum && x.stamp && x.touched && x.term && x.bounded;
    neap_status rc = ok ? NEAP_OK : ni_fail_memory(err, "the nearest texts");
    if (ok) {
        fill_index(&x, columns);
        ni_threads_run(threads, ni_tasks(n - first, ROWS_PER_TASK), near_task, &x);
        rc = ni_threads_check(threads, err);
    }
    *bounded = false;
    for (size_t i = 0; x.bounded && i < count; i++) *bounded |= x.bounded[i];
    void *arrays[] = { x.offset, x.row, x.weight, x.sum, x.stamp, x.touched, x.term, x.bounded };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ni_free(arrays[i]);
    return rc;
}

/* ---- text links ---- */

/* An arc of the view that is being made. */
typedef struct arc {
    uint32_t node;
    float weight;
} arc;

static int by_node(const void *a, const void *b)
{
    const arc *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

/* Sorts the arcs of a row and adds up those to one node; returns how many are left. */
static uint64_t merge_row(arc *row, uint64_t count)
{
    uint64_t kept = 0;
    qsort(row, count, sizeof *row, by_node);
    for (uint64_t i = 0; i < count; i++) {
        if (kept && row[kept - 1].node == row[i].node) row[kept - 1].weight += row[i].weight;
        else row[kept++] = row[i];
    }
    return kept;
}

/* first: nodes + 1; where the arcs of a node begin, before any are merged. */
static void count_arcs(const ni_view *v, const ni_attributes *a, uint64_t *first)
{
    uint32_t n = v->links.nodes;
    memset(first, 0, ((size_t)n + 1) * sizeof *first);
    for (uint32_t u = 0; u < n; u++) {
        first[u + 1] += ni_degree(&v->links, u);
        for (size_t i = (size_t)u * NI_NEAR_MOST; i < ((size_t)u + 1) * NI_NEAR_MOST; i++)
            if (a->cosine[i] > 0) first[u + 1]++, first[(size_t)a->near[i] + 1]++;
    }
    for (uint32_t u = 0; u < n; u++) first[u + 1] += first[u];
}

/* at: nodes, where the next arc of each goes. */
static void fill_arcs(const ni_view *v, const ni_attributes *a, uint64_t *at, arc *arcs)
{
    for (uint32_t u = 0; u < v->links.nodes; u++) {
        for (uint64_t i = v->links.offset[u]; i < v->links.offset[u + 1]; i++)
            arcs[at[u]++] = (arc){ v->links.node[i], ni_view_weight(v, i) };
        for (size_t i = (size_t)u * NI_NEAR_MOST; i < ((size_t)u + 1) * NI_NEAR_MOST; i++) {
            if (!(a->cosine[i] > 0)) continue;
            arcs[at[u]++] = (arc){ a->near[i], a->cosine[i] };
            arcs[at[a->near[i]]++] = (arc){ u, a->cosine[i] };
        }
    }
}

static neap_status take_arcs(uint32_t n, const uint64_t *first, arc *arcs, ni_view *out, neap_error *err)
{
    ni_links *l = &out->links;
    l->nodes = n;
    l->offset = ni_zeros((size_t)n + 1, sizeof *l->offset);
    l->node = ni_array(first[n], sizeof *l->node);
    l->weight = ni_array(first[n], sizeof *l->weight);
    if (!l->offset || !l->node || !l->weight) return ni_fail_memory(err, "text links");
    for (uint32_t u = 0; u < n; u++) {
        uint64_t kept = merge_row(arcs + first[u], first[u + 1] - first[u]), at = l->offset[u];
        for (uint64_t i = 0; i < kept; i++) {
            l->node[at + i] = arcs[first[u] + i].node;
            l->weight[at + i] = arcs[first[u] + i].weight;
        }
        l->offset[u + 1] = at + kept;
    }
    return ni_view_finish(out, err);
}

neap_status ni_attributes_view(const ni_view *v, const ni_attributes *a, ni_view *out, neap_error *err)
{
    uint32_t n = v->links.nodes;
    uint64_t *first = ni_array((size_t)n + 1, sizeof *first), *at = ni_array(n, sizeof *at);
    arc *arcs = NULL;
    *out = (ni_view){ 0 };
    if (first && at) {
        count_arcs(v, a, first);
        memcpy(at, first, n * sizeof *at);
        arcs = ni_array(first[n], sizeof *arcs);
    }
    neap_status rc = arcs ? NEAP_OK : ni_fail_memory(err, "text links");
    if (rc == NEAP_OK) {
        fill_arcs(v, a, at, arcs);
        rc = take_arcs(n, first, arcs, out, err);
    }
    ni_free(first);
    ni_free(at);
    ni_free(arcs);
    if (rc != NEAP_OK) ni_view_free(out);
    return rc;
}

/* ---- around ---- */

typedef struct around {
    const ni_view *view;
    const ni_attributes *a;
    float *out;
} around;

bool ni_attributes_has(const ni_attributes *a, uint32_t node)
{
    return a->terms.end[node] > a->terms.start[node];
}

static void around_task(void *arg, uint32_t task, uint32_t thread)
{
    const around *x = arg;
    const ni_links *l = &x->view->links;
    size_t d = x->a->dim;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, l->nodes);
    (void)thread;
    for (uint32_t u = (uint32_t)first; u < end; u++) {
        float *mean = x->out + u * d, count = 0;
        memset(mean, 0, d * sizeof *mean);
        for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++) {
            if (!ni_attributes_has(x->a, l->node[i])) continue;
            ni_kernels_get()->axpy(1, x->a->vector + l->node[i] * d, mean, d);
            count++;
        }
        for (size_t k = 0; k < d && count > 0; k++) mean[k] /= count;
    }
}

void ni_attributes_around(const ni_view *view, const ni_attributes *a, ni_threads *threads, float *out)
{
    ni_threads_run(threads, ni_tasks(view->links.nodes, ROWS_PER_TASK), around_task,
                   &(around){ view, a, out });
}
