/* FastRP: random vectors, averaged over neighbours k times.
 *     N_k = (D^-1 A)^k D^beta R,     E = sum over k = 1, 2, ... of weight_k x (N_k with rows of length 1)
 * R (n x d) is a very sparse random projection: +-sqrt(3) with probability 1/6 each, else 0 (Achlioptas
 * 2003). Rows of N_k are scaled to length 1, as the popular implementations do; so a constant factor of R
 * or D has no effect, nor has the shrinking of means over many neighbours. O(hops x arcs x d), three
 * tables of n x d; one task per range of rows. */
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "methods/dot.h"
#include "support/status.h"
#include "support/text.h"
#include "walks/walking.h"

enum { HOPS_MOST = 12, ROWS_PER_TASK = 64 };

typedef struct fastrp_options {
    ni_walk_options walk; /* of which `along` and the dimension count */
    const char *hop_weights;
    double beta;
} fastrp_options;

static const ni_option own_options[] = {
    NI_OPTION(fastrp_options, TEXT, hop_weights, "hop-weights", "iteration-weights", 0, "model", "LIST",
              "0,0,1,1", "0,0,1,1", "0,0,1,1", 0, 0, 1,
              "weights of the hops: of nodes 1 step away, 2 steps, and so on (fastrp)"),
    NI_OPTION(fastrp_options, REAL, beta, "beta", "normalization-strength", 0, "model", "X", "0", "0", "0",
              -1, 1, 1, "random vectors are multiplied by degree^X; below 0: hubs count less (fastrp)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(fastrp_options, walk.learning), "dim" },
    { &ni_walk_set, offsetof(fastrp_options, walk), "along" },
    { &own_set, 0, NULL },
    { 0 },
};

/* ---- the weights of hops ---- */

typedef struct hop_weights {
    double weight[HOPS_MOST];
    uint32_t count;
} hop_weights;

static neap_status read_hops(const char *text, hop_weights *h, neap_error *err)
{
    double sum = 0;
    h->count = 0;
    for (const char *at = text;; at++, h->count++) {
        size_t length = strcspn(at, ",");
        double *w = &h->weight[h->count];
        if (h->count == HOPS_MOST || !ni_parse_double(at, length, w) || *w < 0 || *w > 1e6) break;
        sum += *w;
        at += length;
        if (!*at && sum > 0) return h->count++, NEAP_OK;
        if (!*at) break;
    }
    return ni_fail(err, NEAP_E_ARG,
                   "--hop-weights takes a number from 0 to 1,000,000 for each of up to %d hops, not all 0, "
                   "such as 0,1,1; not '%s'",
                   HOPS_MOST, text);
}

static neap_status check(const ni_settings *s, neap_error *err)
{
    hop_weights h;
    return read_hops(((const fastrp_options *)s->own)->hop_weights, &h, err);
}

/* ---- averaging ---- */

typedef struct spread {
    const neap_model *model;
    const fastrp_options *o;
    float *E;          /* rows x dim                       */
    ni_arcs arcs;      /* the neighbours that are averaged */
    float *now, *next; /* rows x dim: N_(k-1) and N_k      */
    hop_weights hops;
    uint32_t k;
} spread;

/* Row u of D^beta R. Degrees are clamped to a range that floats can average. */
static void draw_task(void *arg, uint32_t task, uint32_t thread)
{
    const spread *s = arg;
    const neap_model *m = s->model;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, m->rows);
    ni_arcs links = ni_arcs_of(m->graph, &m->links, false);
    (void)thread;
    for (uint64_t u = first; u < end; u++) {
        ni_rng rng = ni_rng_at(m->settings->common.seed, NI_STREAM_TABLE, 0, u);
        double degree = fmin(fmax(ni_arcs_strength(&links, u), 1e-12), 1e12);
        float high = (float)pow(degree, s->o->beta), *row = s->now + u * m->dim;
        for (uint32_t i = 0; i < m->dim; i++) {
            uint64_t side = ni_below(&rng, 6);
            row[i] = side == 0 ? high : side == 1 ? -high : 0;
        }
    }
}

static void hop_task(void *arg, uint32_t task, uint32_t thread)
{
    const spread *s = arg;
    const neap_model *m = s->model;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, m->rows);
    (void)thread;
    for (uint64_t u = first; u < end; u++) {
        const float *row = s->next + u * m->dim;
        ni_arcs_mean(&s->arcs, u, s->now, m->dim, s->next + u * m->dim); /* N_k = P N_(k-1) */
        double length = ni_length(row, m->dim); /* may be so short that 1 / length is no float */
        for (uint32_t i = 0; length > 0 && i < m->dim; i++)
            s->E[u * m->dim + i] += (float)(s->hops.weight[s->k] * ((double)row[i] / length));
    }
}

static void run(spread *s, ni_threads *threads)
{
    const neap_model *m = s->model;
    ni_threads_run(threads, ni_tasks(m->rows, ROWS_PER_TASK), draw_task, s);
    for (s->k = 0; s->k < s->hops.count; s->k++) {
        ni_threads_run(threads, ni_tasks(m->rows, ROWS_PER_TASK), hop_task, s);
        float *averaged = s->next;
        s->next = s->now;
        s->now = averaged;
    }
}

/* ---- the method ---- */

static neap_status fill(neap_model *m, spread *s, ni_threads *threads, neap_error *err)
{
    size_t numbers = (size_t)m->rows * m->dim;
    neap_status rc = ni_links_need_some(&m->links, err);
    if (rc == NEAP_OK) rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    s->model = m;
    s->E = ((const ni_dot *)m->own)->E;
    s->arcs = ni_arcs_of(m->graph, &m->links, s->o->walk.along);
    s->now = ni_array(numbers, sizeof *s->now);
    s->next = ni_array(numbers, sizeof *s->next);
    bool ok = s->now && s->next;
    if (ok) run(s, threads);
    ni_free(s->now);
    ni_free(s->next);
    return ok ? ni_threads_check(threads, err)
              : ni_fail_memory(err, "the vectors; a smaller --dim needs less");
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    spread s = { .o = job->settings->own };
    ni_threads *threads = NULL;
    neap_model *m = NULL;
    neap_status rc = read_hops(s.o->hop_weights, &s.hops, err);
    if (rc == NEAP_OK) rc = ni_threads_create(job->settings->common.threads, &threads, err);
    if (rc == NEAP_OK) rc = ni_model_create(job, &m, err);
    if (rc == NEAP_OK) {
        ni_threads_watch(threads, job->hooks, "train");
        rc = fill(m, &s, threads, err);
    }
    ni_threads_free(threads);
    if (rc == NEAP_OK) *out = m;
    else neap_model_free(m);
    return rc;
}

static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    const fastrp_options *o = job->settings->own;
    (void)err;
    r->bytes_graph = 2 * ni_graph_bytes(job->data->graph); /* and its links */
    r->bytes_tables = (uint64_t)job->data->graph->nodes * o->walk.learning.dim * sizeof(float);
    r->bytes_batch = 2 * r->bytes_tables;
    return NEAP_OK;
}

static const ni_default defaults[] = {
    { "dim", { "128", "200", "128" } },
    { 0 },
};

const ni_method ni_method_fastrp = {
    .info = { .size = sizeof(neap_method_info),
              .name = "fastrp",
              .summary =
                  "random vectors, averaged over neighbours a few times: nothing is learned, hence fast",
              .details =
                  "Each node begins with a sparse random vector, times its degree to the power\n"
                  "--beta. Hop k of a node is the mean of its neighbours' hop k - 1, and its vector\n"
                  "is the sum of its hops, each scaled to the length in --hop-weights. Weights\n"
                  "count, directions with --along. Nothing is trained.\n"
                  "Chen, Sultan, Tian, Chen and Skiena, Fast and Accurate Network Embeddings via\n"
                  "Very Sparse Random Projection, 2019.",
              .vectors = 1 },
    .options = { sizeof(fastrp_options), parts, defaults },
    .check = check,
    .own = sizeof(ni_dot),
    .declare = ni_dot_declare,
    .train = train,
    .bytes = bytes,
    NI_DOT_ANSWERS,
};
