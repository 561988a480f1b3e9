#include <math.h>

#include "attention/trainer.h"
#include "base/status.h"
#include "base/sys.h"
#include "linalg/blas.h"
#include "model/method.h"
#include "model/pace.h"

/* ---- peak: the rate of a large matrix product, cut into one band of rows a thread ---- */

enum { SIDE = 2048, TIMES = 3 };

typedef struct product {
    float *A, *B, *C; /* SIDE x SIDE each; C = A B */
    uint32_t band;    /* rows of a thread          */
    ni_product *gemm;
} product;

static void product_task(void *arg, uint32_t task, uint32_t thread)
{
    const product *p = arg;
    uint64_t first = (uint64_t)task * p->band, end = ni_task_end(first, p->band, SIDE);
    ni_factor A = { p->A + first * SIDE, SIDE, false }, B = { p->B, SIDE, false };
    (void)thread;
    p->gemm(&A, &B, end - first, SIDE, SIDE, false, p->C + first * SIDE, SIDE);
}

/* The better of OpenBLAS, which is made for large products, and ours, if OpenBLAS does not know the CPU. */
static double best_rate(product *p, ni_threads *threads)
{
    double best = INFINITY;
    p->band = ni_tasks(SIDE, ni_threads_count(threads));
    for (int i = 0; i < 2 * TIMES; i++) {
        double start = ni_seconds();
        p->gemm = i % 2 ? ni_blas_gemm : ni_kernels_get()->gemm;
        ni_threads_run(threads, ni_tasks(SIDE, p->band), product_task, p);
        double seconds = ni_seconds() - start;
        if (seconds < best) best = seconds;
    }
    return 2.0 * SIDE * SIDE * SIDE / best;
}

/* Flops a second, and the threads that make them. */
static neap_status measure_peak(uint32_t wanted, neap_bench_result *r, neap_error *err)
{
    ni_threads *threads = NULL;
    uint64_t cells = (uint64_t)SIDE * SIDE;
    float *block = ni_array(3 * cells, sizeof *block);
    if (!block) return ni_fail_memory(err, "the matrix product that training is compared with");
    neap_status rc = ni_threads_create(wanted, &threads, err);
    if (rc == NEAP_OK) {
        for (uint64_t i = 0; i < 2 * cells; i++) block[i] = (float)(i % 7) - 3;
        ni_blas_begin();
        r->peak = best_rate(&(product){ .A = block, .B = block + cells, .C = block + 2 * cells }, threads);
        ni_blas_end();
        r->threads = ni_threads_count(threads);
    }
    ni_threads_free(threads);
    ni_free(block);
    return rc;
}

/* ---- the measurement ---- */

static const struct stage_words {
    const char *name, *about;
} stage_words[] = {
#define STAGE(id, name, about) { name, about },
    NI_STAGE_LIST(STAGE)
#undef STAGE
};

_Static_assert((int)NI_STAGES <= NEAP_BENCH_STAGES, "neap.h has room for every stage");

static void fill_in(neap_bench_result *r, const ni_pace *pace, const ni_stages *s)
{
    r->edges = pace->items;
    r->seconds = pace->seconds;
    r->edges_per_second = (double)pace->items / pace->seconds;
    r->batches = s->batches;
    r->table_batches = s->table_batches;
    r->entries = s->entries;
    r->flops = s->cheapest;
    r->share_of_peak = r->flops / (r->seconds * r->peak);
    r->stage_count = NI_STAGES;
    for (uint32_t i = 0; i < NI_STAGES; i++)
        r->stages[i] =
            (neap_bench_stage){ stage_words[i].name, stage_words[i].about, s->seconds[i], s->flops[i] };
}

neap_status neap_bench(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                       double seconds, neap_bench_result *result, neap_error *err)
{
    neap_bench_result r = { 0 };
    ni_pace pace;
    ni_stages stages;
    neap_model *model;
    neap_options steps = *options; /* of training alone, for as long as it takes */
    steps.epochs = UINT32_MAX;
    steps.valid = 0;
    if (!(seconds > 0 && seconds <= 1e6))
        return ni_fail(err, NEAP_E_ARG, "a measurement takes more than 0 and at most 1,000,000 seconds");
    neap_status rc = ni_method_check_memory(&ni_method_gap, graph, &steps, err);
    if (rc != NEAP_OK) return rc;
    neap_hooks timed = ni_pace_hooks(&pace, hooks, seconds);
    rc = ni_pace_end(&pace, ni_train_timed(graph, &steps, &timed, &stages, &model, err));
    neap_model_free(model);
    if (rc == NEAP_OK) rc = measure_peak(options->threads, &r, err);
    if (rc != NEAP_OK) return rc;
    fill_in(&r, &pace, &stages);
    *result = r;
    return NEAP_OK;
}
