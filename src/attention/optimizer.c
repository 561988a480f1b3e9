#include "attention/optimizer.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "linalg/kernels.h"

static const float beta1 = 0.9F, beta2 = 0.999F, adam_epsilon = 1e-8F, adagrad_epsilon = 1e-10F;

neap_status ni_optimizer_create(const neap_options *options, uint32_t rows, uint32_t dim, ni_optimizer *o,
                                neap_error *err)
{
    uint64_t cells = (uint64_t)rows * dim, square = options->matrix ? (uint64_t)dim * dim : 0;
    bool ok;
    *o = (ni_optimizer){ .options = options, .rows = rows, .dim = dim };
    if (options->optimizer == NI_ADAGRAD) {
        ok = (o->E_sum = ni_zeros(rows, sizeof(float))) && (o->P_sum = ni_zeros(dim, sizeof(float)));
    } else {
        ok = (o->E_m = ni_zeros(cells, sizeof(float))) && (o->E_v = ni_zeros(cells, sizeof(float))) &&
             (o->P_m = ni_zeros(square, sizeof(float))) && (o->P_v = ni_zeros(square, sizeof(float)));
    }
    if (ok && options->optimizer == NI_ADAM) {
        ok = (o->row_of = ni_array(rows, sizeof *o->row_of));
        if (ok) memset(o->row_of, 0xff, rows * sizeof *o->row_of); /* NEAP_NONE */
    }
    if (ok) return NEAP_OK;
    ni_optimizer_free(o);
    return ni_fail_memory(err, "the optimiser; --optimizer adagrad needs less");
}

void ni_optimizer_free(ni_optimizer *o)
{
    ni_free(o->E_m);
    ni_free(o->E_v);
    ni_free(o->P_m);
    ni_free(o->P_v);
    ni_free(o->E_sum);
    ni_free(o->P_sum);
    ni_free(o->row_of);
    *o = (ni_optimizer){ 0 };
}

uint64_t ni_optimizer_bytes(const neap_options *options, uint64_t rows, uint64_t dim)
{
    if (options->optimizer == NI_ADAGRAD) return 4 * (rows + dim);
    return 8 * (rows * dim + dim * dim) + (options->optimizer == NI_ADAM ? 4 * rows : 0);
}

/* ---- one step, spread over the threads by rows ---- */

enum { ROWS_PER_TASK = 64 };

typedef struct work {
    ni_optimizer *o;
    const ni_kernels *k;
    const ni_gradient *g;
    const float *zero; /* dim zeros: the gradient of a row that was not touched */
    float *E, *P;
    float lr;
    ni_adam_step adam;
} work;

/* Row-wise Adagrad: one sum of squares for a whole row. */
static void adagrad_row(const work *w, const float *g, float *x, float *sum)
{
    uint32_t d = w->o->dim;
    *sum += w->k->dot(g, g, d) / (float)d;
    w->k->axpy(-w->lr / (sqrtf(*sum) + adagrad_epsilon), g, x, d);
}

static void E_row(const work *w, uint64_t row, const float *g)
{
    ni_optimizer *o = w->o;
    uint64_t at = row * o->dim;
    if (o->E_sum) adagrad_row(w, g, w->E + at, o->E_sum + row);
    else w->k->adam(&w->adam, g, w->E + at, o->E_m + at, o->E_v + at, o->dim);
}

static void touched_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    (void)thread;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK;
    for (uint64_t i = first; i < w->g->rows && i < first + ROWS_PER_TASK; i++)
        if (w->g->node[i] != NEAP_NONE) E_row(w, w->g->node[i], w->g->dE + i * w->o->dim);
}

/* Every row moves, since Adam's moments live on without a gradient. */
static void every_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    (void)thread;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK;
    for (uint64_t row = first; row < w->o->rows && row < first + ROWS_PER_TASK; row++) {
        uint32_t at = w->o->row_of[row];
        E_row(w, row, at == NEAP_NONE ? w->zero : w->g->dE + (uint64_t)at * w->o->dim);
    }
}

static void step_P(const work *w)
{
    ni_optimizer *o = w->o;
    uint64_t d = o->dim;
    if (o->P_sum)
        for (uint64_t i = 0; i < d; i++) adagrad_row(w, w->g->dP + i * d, w->P + i * d, o->P_sum + i);
    else w->k->adam(&w->adam, w->g->dP, w->P, o->P_m, o->P_v, d * d);
}

ni_adam_step ni_adam_at(double lr, uint64_t steps)
{
    double t = (double)steps;
    return (ni_adam_step){ beta1, beta2, (float)(lr / (1 - pow(beta1, t))),
                           (float)(1 / sqrt(1 - pow(beta2, t))), adam_epsilon };
}

void ni_optimizer_step(ni_optimizer *o, const ni_gradient *g, double lr, float *E, float *P,
                       ni_threads *threads)
{
    static const float zero[65536]; /* as long as the longest vector */
    work w = { o, ni_kernels_get(), g, zero, E, P, (float)lr, ni_adam_at(lr, ++o->steps) };
    if (o->row_of) {
        for (uint32_t i = 0; i < g->rows; i++)
            if (g->node[i] != NEAP_NONE) o->row_of[g->node[i]] = i;
        ni_threads_run(threads, ni_tasks(o->rows, ROWS_PER_TASK), every_task, &w);
        for (uint32_t i = 0; i < g->rows; i++)
            if (g->node[i] != NEAP_NONE) o->row_of[g->node[i]] = NEAP_NONE;
    } else {
        ni_threads_run(threads, ni_tasks(g->rows, ROWS_PER_TASK), touched_task, &w);
    }
    if (P) step_P(&w);
}
