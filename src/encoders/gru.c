/* The GRU as matrix products: Z = b + X W for all rows at once, the states of a group of sequences times U
 * at every step (steps.h), and back again from the last step to the first, which leaves dL/dz in Z and
 * dL/d(h_p U_g) in Q. With H read one row earlier, dU = H[-1]' [dZ_r dZ_u Q], as dW = X' dZ and dX = dZ W'.
 * Runs on all threads and owns nothing. */
#include "encoders/gru.h"

#include "encoders/affine.h"
#include "encoders/steps.h"
#include "linalg/blas.h"

enum { GROUP = NI_STEPS_GROUP, U_ROWS_PER_TASK = 54 };

uint64_t ni_gru_lay_out(const uint32_t *length, uint32_t count, uint64_t *first)
{
    return ni_steps_lay_out(length, count, first);
}

/* Per thread: products (GROUP x 3h), states or their gradients (GROUP x h). */
static uint64_t scratch_of(const ni_gru *n)
{
    return ni_whole_lanes((uint64_t)n->h * GROUP * 4);
}

ni_gru_memory ni_gru_carve(const ni_gru *n, uint64_t rows, uint32_t sequences, uint32_t threads,
                           ni_carver *c)
{
    ni_gru_memory m;
    m.Z = ni_carve(c, rows * 3 * n->h, sizeof *m.Z);
    m.Q = ni_carve(c, rows * n->h, sizeof *m.Q);
    m.order = ni_carve(c, sequences, sizeof *m.order);
    m.scratch = ni_carve(c, threads * scratch_of(n), sizeof *m.scratch);
    return m;
}

typedef struct work {
    const ni_gru *n;
    const ni_packed *p;
    ni_gru_memory *m;
    ni_threads *threads;
    const float *dH, *states; /* states: H of the forward */
    float *H, *dU;
} work;

/* ---- forward ---- */

/* z (3h): b + x W becomes the gates; s (3h): h_p U; h: h_p becomes h_t. s(z) = (1 + tanh(z / 2)) / 2. */
static void forward_cell(float *z, const float *s, uint64_t size, float *h)
{
    for (uint64_t i = 0; i < 2 * size; i++) z[i] = 0.5F * (z[i] + s[i]);
    ni_kernels_get()->tanh(z, 2 * size, z);
    for (uint64_t i = 0; i < 2 * size; i++) z[i] = 0.5F + 0.5F * z[i];
    for (uint64_t i = 0; i < size; i++) z[2 * size + i] += z[i] * s[2 * size + i];
    ni_kernels_get()->tanh(z + 2 * size, size, z + 2 * size);
    for (uint64_t i = 0; i < size; i++) {
        float u = z[size + i], g = z[2 * size + i];
        h[i] = (1 - u) * g + u * h[i];
    }
}

static void forward_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    ni_steps g = ni_steps_of(w->p, w->m->order, task, false);
    uint64_t h = w->n->h;
    float *s = w->m->scratch + thread * scratch_of(w->n), *state = s + GROUP * 3 * h;
    uint32_t active = g.count;
    memset(s, 0, GROUP * 4 * h * sizeof *s); /* and the states */
    for (uint32_t t = 0; (active = ni_steps_active(&g, t, active)) && ni_threads_go_on(w->threads, thread);
         t++) {
        if (t > 0) ni_gemm(0, 0, active, 3 * h, h, state, h, w->n->U, 3 * h, 0, s, 3 * h);
        for (uint32_t k = 0; k < active; k++) {
            uint64_t row = ni_steps_row(&g, k, t);
            const float *product = s + k * 3 * h;
            forward_cell(w->m->Z + row * 3 * h, product, h, state + k * h);
            memcpy(w->m->Q + row * h, product + 2 * h, h * sizeof *s);
            memcpy(w->H + row * h, state + k * h, h * sizeof *s);
        }
    }
}

static ni_affine inputs_of(const ni_gru *n, const ni_packed *p, const float *X)
{
    return (ni_affine){ p->rows, n->d, 3 * (uint64_t)n->h, X, n->W, n->b };
}

void ni_gru_forward(const ni_gru *n, const ni_packed *p, const float *X, float *H, ni_gru_memory *m,
                    ni_threads *threads)
{
    work w = { .n = n, .p = p, .m = m, .threads = threads, .H = H };
    ni_affine inputs = inputs_of(n, p, X);
    ni_steps_sort(p, m->order);
    ni_packed_clear(p, n->h, H);
    ni_affine_forward(&inputs, m->Z, threads);
    ni_gemm_run(threads, ni_tasks(p->count, GROUP), forward_task, &w);
}

/* ---- backward ---- */

/* The gates (3h) become dL/dz, q (h) becomes dL/d(h_p U_g), dh: of h_t becomes that part of h_p which does
 * not pass U; s (3h): what is multiplied by U'. */
static void backward_cell(float *z, float *q, const float *before, uint64_t h, float *dh, float *s)
{
    for (uint64_t i = 0; i < h; i++) {
        float r = z[i], u = z[h + i], g = z[2 * h + i];
        float dg = dh[i] * (1 - u) * (1 - g * g);
        z[i] = dg * q[i] * r * (1 - r);
        z[h + i] = dh[i] * (before[i] - g) * u * (1 - u);
        z[2 * h + i] = dg;
        q[i] = dg * r;
        dh[i] *= u;
    }
    memcpy(s, z, 2 * h * sizeof *s);
    memcpy(s + 2 * h, q, h * sizeof *s);
}

static void back_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    ni_steps g = ni_steps_of(w->p, w->m->order, task, false);
    uint64_t h = w->n->h;
    float *s = w->m->scratch + thread * scratch_of(w->n), *dh = s + GROUP * 3 * h;
    uint32_t active = 0;
    memset(dh, 0, GROUP * h * sizeof *dh);
    for (uint32_t t = ni_steps_length(&g, 0); t-- > 0 && ni_threads_go_on(w->threads, thread);) {
        active = ni_steps_active(&g, t, active);
        for (uint32_t k = 0; k < active; k++) {
            uint64_t row = ni_steps_row(&g, k, t);
            ni_kernels_get()->axpy(1, w->dH + row * h, dh + k * h, h);
            backward_cell(w->m->Z + row * 3 * h, w->m->Q + row * h, w->states + (row - 1) * h, h,
                          dh + k * h, s + k * 3 * h);
        }
        ni_gemm(0, 1, active, h, 3 * h, s, 3 * h, w->n->U, 3 * h, 1, dh, h); /* of h_p */
    }
}

/* dU = sum over rows of h_p' [dz_r dz_u q]; the zero rows between the sequences are the h_p of first rows.
 */
static void states_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    uint64_t h = w->n->h, z = 3 * h, first = (uint64_t)task * U_ROWS_PER_TASK, deep = w->p->rows - 1;
    uint64_t rows = ni_task_end(first, U_ROWS_PER_TASK, h) - first;
    float *dU = w->dU + first * z;
    (void)thread;
    if (!deep) memset(dU, 0, rows * z * sizeof *dU); /* no sequence at all */
    ni_gemm(1, 0, rows, 2 * h, deep, w->states + first, h, w->m->Z + z, z, 0, dU, z);
    ni_gemm(1, 0, rows, h, deep, w->states + first, h, w->m->Q + h, h, 0, dU + 2 * h, z);
}

void ni_gru_backward(const ni_gru *n, const ni_packed *p, const float *X, const float *H, const float *dH,
                     ni_gru_memory *m, float *dX, float *dW, float *dU, float *db, ni_threads *threads)
{
    work w = { .n = n, .p = p, .m = m, .threads = threads, .dH = dH, .states = H, .dU = dU };
    ni_affine inputs = inputs_of(n, p, X);
    ni_gemm_run(threads, ni_tasks(p->count, GROUP), back_task, &w);
    ni_packed_clear(p, 3 * (uint64_t)n->h, m->Z);
    ni_packed_clear(p, n->h, m->Q);
    ni_affine_backward(&inputs, m->Z, dX, dW, db, threads);
    ni_gemm_run(threads, ni_tasks(n->h, U_ROWS_PER_TASK), states_task, &w);
}
