/* The LSTM as matrix products. Z = b + X W for all rows is one; then a group of sequences, the longest
 * first, takes its steps together: at step t those that are longer than t are the first of the group, and
 * their states times U are one product. Back again from the last step to the first, which leaves dL/dz in
 * Z; with H read one row earlier (later, from behind), dU = H[-1]' dZ, as dW = X' dZ and dX = dZ W'. Tasks
 * are groups of sequences and rows of dU; affine.h has the rest. Runs on all threads and owns nothing. */
#include "encoders/lstm.h"

#include "encoders/affine.h"
#include "encoders/steps.h"
#include "linalg/blas.h"

enum { GROUP = NI_STEPS_GROUP, U_ROWS_PER_TASK = 54 };

uint64_t ni_lstm_lay_out(const uint32_t *length, uint32_t count, uint64_t *first)
{
    return ni_steps_lay_out(length, count, first);
}

/* Per thread: z (GROUP x 4h), state (GROUP x h), forward c (GROUP x h), and backward the gradients of h and
 * c (GROUP x h) and tanh(c) (h). */
static uint64_t scratch_of(const ni_lstm *n)
{
    return ni_whole_lanes((uint64_t)n->h * (GROUP * 6 + 1));
}

ni_lstm_memory ni_lstm_carve(const ni_lstm *n, uint64_t rows, uint32_t sequences, uint32_t threads,
                             ni_carver *c)
{
    ni_lstm_memory m;
    m.Z = ni_carve(c, rows * 8 * n->h, sizeof *m.Z);
    m.C = ni_carve(c, rows * 2 * n->h, sizeof *m.C);
    m.order = ni_carve(c, sequences, sizeof *m.order);
    m.scratch = ni_carve(c, threads * scratch_of(n), sizeof *m.scratch);
    return m;
}

typedef struct work {
    const ni_lstm *n;
    const ni_packed *p;
    ni_lstm_memory *m;
    ni_threads *threads;
    const float *X, *dH, *states; /* states: H of the forward */
    float *H, *dU;
    const uint32_t *slot; /* rows: the row of Z0; NULL: their own */
    uint64_t inputs;      /* rows of X and Z0 */
    float *Z0;            /* b + X W */
    bool keep;            /* gates and c, for a backward */
} work;

/* ---- a group ---- */

typedef struct group {
    const work *w;
    ni_steps steps;
    uint64_t gates, h;       /* where the direction's gates begin in a row of Z; length of a state */
    float *z, *state;        /* GROUP x 4h, GROUP x h */
    float *c;                /* GROUP x h: forward */
    float *dh, *dc, *bent_c; /* GROUP x h, GROUP x h, h: backward; dh is `state`, dc is `c` */
} group;

static group group_of(const work *w, uint32_t task, uint32_t thread)
{
    uint32_t groups = ni_tasks(w->p->count, GROUP);
    group g = { .w = w, .steps = ni_steps_of(w->p, w->m->order, task % groups, task >= groups) };
    g.h = w->n->h;
    g.gates = g.steps.behind ? 4 * g.h : 0;
    g.z = w->m->scratch + thread * scratch_of(w->n);
    g.state = g.dh = g.z + GROUP * 4 * g.h;
    g.c = g.dc = g.state + GROUP * g.h;
    g.bent_c = g.dc + GROUP * g.h;
    return g;
}

static float *gates_of(const group *g, uint64_t row)
{
    return g->w->m->Z + row * 8 * g->h + g->gates;
}

static float *cell_of(const group *g, uint64_t row)
{
    return g->w->m->C + row * 2 * g->h + (g->steps.behind ? g->h : 0);
}

/* ---- forward ---- */

/* z (4h) becomes the gates; then c from c_p to c_t, and h_t. s(z) = (1 + tanh(z / 2)) / 2. */
static void forward_cell(float *z, uint64_t h, float *c, float *out)
{
    for (uint64_t i = 0; i < 3 * h; i++) z[i] *= 0.5F;
    ni_kernels_get()->tanh(z, 4 * h, z);
    for (uint64_t i = 0; i < 3 * h; i++) z[i] = 0.5F + 0.5F * z[i];
    for (uint64_t i = 0; i < h; i++) c[i] = z[h + i] * c[i] + z[i] * z[3 * h + i];
    ni_kernels_get()->tanh(c, h, out);
    for (uint64_t i = 0; i < h; i++) out[i] *= z[2 * h + i];
}

/* b + x W of a row, in the group's direction. */
static const float *input_of(const group *g, uint64_t row)
{
    const work *w = g->w;
    return w->Z0 + (w->slot ? w->slot[row] : row) * 8 * g->h + g->gates;
}

static void forward_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    group g = group_of(w, task, thread);
    uint64_t h = g.h, side = g.steps.behind ? h : 0;
    const float *U = w->n->U + side * 4 * h;
    uint32_t active = g.steps.count;
    memset(g.c, 0, GROUP * h * sizeof *g.c);
    for (uint32_t t = 0;
         (active = ni_steps_active(&g.steps, t, active)) && ni_threads_go_on(w->threads, thread); t++) {
        for (uint32_t k = 0; k < active; k++)
            memcpy(g.z + k * 4 * h, input_of(&g, ni_steps_row(&g.steps, k, t)), 4 * h * sizeof *g.z);
        if (t > 0) ni_gemm(0, 0, active, 4 * h, h, g.state, h, U, 4 * h, 1, g.z, 4 * h);
        for (uint32_t k = 0; k < active; k++) {
            uint64_t row = ni_steps_row(&g.steps, k, t);
            float *z = g.z + k * 4 * h, *c = g.c + k * h, *state = g.state + k * h;
            forward_cell(z, h, c, state);
            memcpy(w->H + row * 2 * h + side, state, h * sizeof *state);
            if (!w->keep) continue;
            memcpy(gates_of(&g, row), z, 4 * h * sizeof *z);
            memcpy(cell_of(&g, row), c, h * sizeof *c);
        }
    }
}

static ni_affine inputs_of(const ni_lstm *n, uint64_t rows, const float *X)
{
    return (ni_affine){ rows, n->d, 8 * (uint64_t)n->h, X, n->W, n->b };
}

static void forward(work *w)
{
    uint64_t h = w->n->h;
    ni_steps_sort(w->p, w->m->order);
    if (w->keep) ni_packed_clear(w->p, 2 * h, w->m->C);
    ni_packed_clear(w->p, 2 * h, w->H);
    ni_affine inputs = inputs_of(w->n, w->inputs, w->X);
    ni_affine_forward(&inputs, w->Z0, w->threads);
    ni_gemm_run(w->threads, 2 * ni_tasks(w->p->count, GROUP), forward_task, w);
}

void ni_lstm_forward(const ni_lstm *n, const ni_packed *p, const float *X, float *H, ni_lstm_memory *m,
                     ni_threads *threads)
{
    work w = { .n = n, .p = p, .m = m, .threads = threads, .X = X, .H = H };
    w.inputs = p->rows, w.Z0 = m->Z, w.keep = true;
    forward(&w);
}

void ni_lstm_forward_shared(const ni_lstm *n, const ni_packed *p, const uint32_t *slot, const float *D,
                            uint32_t distinct, bool keep, float *T, float *H, ni_lstm_memory *m,
                            ni_threads *threads)
{
    work w = { .n = n, .p = p, .m = m, .threads = threads, .X = D, .H = H };
    w.slot = slot, w.inputs = distinct, w.Z0 = T, w.keep = keep;
    forward(&w);
}

/* ---- backward ---- */

/* The gates (4h) become dL/dz; dh: dL/dh_t; dc: dL/dc_t from later steps, becomes that of c_p. */
static void backward_cell(const group *g, uint64_t row, const float *dh, float *dc)
{
    uint64_t h = g->h;
    float *z = gates_of(g, row), *bent = g->bent_c;
    const float *before = cell_of(g, ni_steps_before(&g->steps, row));
    ni_kernels_get()->tanh(cell_of(g, row), h, bent);
    for (uint64_t k = 0; k < h; k++) {
        float i = z[k], f = z[h + k], o = z[2 * h + k], a = z[3 * h + k];
        float dcell = dc[k] + dh[k] * o * (1 - bent[k] * bent[k]);
        z[k] = dcell * a * i * (1 - i);
        z[h + k] = dcell * before[k] * f * (1 - f);
        z[2 * h + k] = dh[k] * bent[k] * o * (1 - o);
        z[3 * h + k] = dcell * i * (1 - a * a);
        dc[k] = dcell * f;
    }
}

static void back_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    group g = group_of(w, task, thread);
    uint64_t h = g.h, side = g.steps.behind ? h : 0;
    const float *U = w->n->U + side * 4 * h;
    uint32_t active = 0;
    memset(g.dh, 0, 2 * GROUP * h * sizeof *g.dh); /* and dc */
    for (uint32_t t = ni_steps_length(&g.steps, 0); t-- > 0 && ni_threads_go_on(w->threads, thread);) {
        active = ni_steps_active(&g.steps, t, active);
        for (uint32_t k = 0; k < active; k++) {
            uint64_t row = ni_steps_row(&g.steps, k, t);
            ni_kernels_get()->axpy(1, w->dH + row * 2 * h + side, g.dh + k * h, h);
            backward_cell(&g, row, g.dh + k * h, g.dc + k * h);
            memcpy(g.z + k * 4 * h, gates_of(&g, row), 4 * h * sizeof *g.z);
        }
        ni_gemm(0, 1, active, h, 4 * h, g.z, 4 * h, U, 4 * h, 0, g.dh, h); /* of h_p */
    }
}

/* dU = sum over rows of h_p' dz; the zero rows between the sequences are the h_p of their first rows. */
static void states_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    uint64_t h = w->n->h, tasks = ni_tasks(h, U_ROWS_PER_TASK);
    bool behind = task >= tasks;
    uint64_t first = task % tasks * U_ROWS_PER_TASK, side = behind ? h : 0;
    uint64_t rows = ni_task_end(first, U_ROWS_PER_TASK, h) - first;
    const float *before = w->states + (behind ? 2 * h : 0) + side + first;
    const float *dZ = w->m->Z + (behind ? 4 * h : 8 * h);
    (void)thread;
    ni_gemm(1, 0, rows, 4 * h, w->p->rows - 1, before, 2 * h, dZ, 8 * h, 0, w->dU + (side + first) * 4 * h,
            4 * h);
}

void ni_lstm_backward(const ni_lstm *n, const ni_packed *p, const float *X, const float *H, const float *dH,
                      ni_lstm_memory *m, float *dX, float *dW, float *dU, float *db, ni_threads *threads)
{
    work w = { .n = n, .p = p, .m = m, .threads = threads, .dH = dH, .states = H, .dU = dU };
    ni_affine inputs = inputs_of(n, p->rows, X);
    ni_gemm_run(threads, 2 * ni_tasks(p->count, GROUP), back_task, &w);
    ni_packed_clear(p, 8 * (uint64_t)n->h, m->Z);
    ni_affine_backward(&inputs, m->Z, dX, dW, db, threads);
    ni_gemm_run(threads, 2 * ni_tasks(n->h, U_ROWS_PER_TASK), states_task, &w);
}
