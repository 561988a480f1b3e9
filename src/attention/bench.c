/* How fast training is: a run for some seconds, the flops of its steps, and the rate of a large matrix
 * product beside it. Work is counted from the shape of each step, and only here. */
#include <math.h>

#include "attention/engine_parts.h"
#include "attention/trainer.h"
#include "base/sized.h"
#include "base/sys.h"
#include "linalg/blas.h"
#include "model/method.h"
#include "support/status.h"

/* ---- peak: the rate of a large matrix product, cut into one band of rows per thread ---- */

enum { SIDE = 2048, TIMES = 3, ENOUGH = 2 /* seconds: a slow build need not do it so often */ };

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

/* The faster of OpenBLAS, which is made for large products, and ours, where OpenBLAS has no kernel for
 * the CPU. */
static double best_rate(product *p, ni_threads *threads)
{
    double best = INFINITY, begin = ni_seconds();
    p->band = ni_tasks(SIDE, ni_threads_count(threads));
    for (int i = 0; i < 2 * TIMES && (i < 2 || ni_seconds() - begin < ENOUGH); i++) {
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
    uint64_t square = (uint64_t)SIDE * SIDE;
    float *block = ni_array(3 * square, sizeof *block);
    if (!block) return ni_fail_memory(err, "the matrix product that training is compared with");
    neap_status rc = ni_threads_create(wanted, &threads, err);
    if (rc == NEAP_OK) {
        for (uint64_t i = 0; i < 2 * square; i++) block[i] = (float)(i % 7) - 3;
        ni_blas_begin();
        r->peak =
            best_rate(&(product){ .A = block, .B = block + square, .C = block + 2 * square }, threads);
        ni_blas_end();
        r->threads = ni_threads_count(threads);
    }
    ni_threads_free(threads);
    ni_free(block);
    return rc;
}

/* ---- work ---- */

/* What the backward pass computes: the positions of live sides, the alignments of live pairs. */
static void count_live(const ni_engine *e, double *positions, double *alignments)
{
    uint64_t width = e->batch.width;
    for (uint64_t side = 0; side < e->shape.sides; side++) {
        const ni_sequence *own = ni_batch_side(&e->batch, side);
        if (!e->live[side]) continue;
        *positions += own->size;
        if (side % width)
            *alignments += (double)own->rows * ni_batch_side(&e->batch, side - side % width)->rows;
    }
}

/* 2 d^2 for a row times P, 2 d for a row that is added or multiplied. The backward pass of mean pooling
 * computes the tiles of its pairs once more. */
void ni_work_add(ni_work *work, const ni_engine *e)
{
    const ni_shape *shape = &e->shape;
    double d = e->in.dim, R = (double)shape->rows, S = (double)shape->source_rows;
    double alignments = (double)e->batch.alignments, live = 0, live_alignments = 0;
    double nonzeros = shape->rows ? e->G_transposed.end[shape->rows - 1] : 0;
    double table = 2 * S * R * d, tiles = 2 * alignments * d, matrix = e->in.P ? 2 * S * d * d : 0;
    bool mean = ni_engine_averages(e);
    count_live(e, &live, &live_alignments);
    double flops[NI_STAGES] = {
        [NI_STAGE_EMBED] = matrix,
        [NI_STAGE_TABLE] = shape->table ? table : 0,
        [NI_STAGE_POOL] = 2 * (double)shape->positions * d + (shape->table ? 0 : tiles),
        [NI_STAGE_LOSS] = 2 * (live + (mean && !shape->table ? live_alignments : 0)) * d,
        [NI_STAGE_PULL] = 2 * (live + 2 * nonzeros) * d + matrix,
        [NI_STAGE_MATRIX] = matrix,
    };
    for (int i = 0; i < NI_STAGES; i++) {
        work->flops[i] += flops[i];
        work->cheapest += flops[i];
    }
    double spent = shape->table ? table : tiles, least = table < tiles ? table : tiles;
    double merged = (mean ? live_alignments : live) - nonzeros;
    work->cheapest += least - spent + 4 * merged * d;
    work->alignments += alignments;
    work->batches++;
    work->table_batches += shape->table;
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

static void fill_in(neap_bench_result *r, const ni_pace *pace, const ni_stages *s, const ni_work *w)
{
    r->edges = pace->items;
    r->seconds = pace->seconds;
    r->edges_per_second = (double)pace->items / pace->seconds;
    r->batches = w->batches;
    r->table_batches = w->table_batches;
    r->entries = w->alignments;
    r->flops = w->cheapest;
    r->share_of_peak = r->flops / (r->seconds * r->peak);
    r->stage_count = NI_STAGES;
    for (uint32_t i = 0; i < NI_STAGES; i++)
        r->stages[i] =
            (neap_bench_stage){ stage_words[i].name, stage_words[i].about, s->seconds[i], w->flops[i] };
}

/* Training alone, for as long as it takes; of gap, unless another method is named. */
static neap_status timed_options(const neap_options *options, neap_options **out, neap_error *err)
{
    neap_status rc = neap_options_copy(options, out, err);
    if (rc == NEAP_OK) rc = neap_options_suggest(*out, "method", "gap", err);
    if (rc == NEAP_OK) rc = neap_options_set(*out, "epochs", "1000000", err);
    if (rc == NEAP_OK) rc = neap_options_set(*out, "valid", "0", err);
    return rc;
}

static neap_status run(const ni_job *job, const neap_hooks *hooks, double seconds, neap_bench_result *r,
                       neap_error *err)
{
    ni_pace pace;
    ni_stages stages = { 0 };
    ni_work work = { 0 };
    neap_model *model = NULL;
    neap_hooks timed = ni_pace_hooks(&pace, hooks, seconds);
    ni_job with = *job;
    with.hooks = &timed;
    neap_status rc = ni_pace_end(&pace, ni_gap_train_timed(&with, &stages, &work, &model, err));
    neap_model_free(model);
    if (rc == NEAP_OK) rc = measure_peak(job->settings->common.threads, r, err);
    if (rc == NEAP_OK) fill_in(r, &pace, &stages, &work);
    return rc;
}

neap_status neap_bench(const neap_data *data, const neap_options *options, const neap_hooks *hooks,
                       double seconds, neap_bench_result *result, neap_error *err)
{
    neap_bench_result r = { 0 };
    neap_options *steps = NULL;
    ni_job_room room;
    ni_job job = { 0 };
    if (!(seconds > 0 && seconds <= 1e6))
        return ni_fail(err, NEAP_E_ARG, "a measurement takes more than 0 and at most 1,000,000 seconds");
    neap_status rc = ni_sized_look(result, "neap_bench_result", err);
    if (rc == NEAP_OK) rc = timed_options(options, &steps, err);
    if (rc == NEAP_OK) rc = ni_job_read(data, steps, hooks, &room, &job, err);
    if (rc == NEAP_OK && job.method->train != ni_gap_train)
        rc = ni_fail(err, NEAP_E_ARG, "only gap and goat have stages to be measured, not %s",
                     job.method->info.name);
    if (rc == NEAP_OK) rc = ni_job_check_memory(&job, err);
    if (rc == NEAP_OK) rc = run(&job, job.hooks, seconds, &r, err);
    if (rc == NEAP_OK) rc = ni_sized_out(&r, sizeof r, result, "neap_bench_result", err);
    ni_job_free(&job);
    neap_options_free(steps);
    return rc;
}
