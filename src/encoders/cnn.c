/* The convolution as matrix products: with rows of all sequences in one matrix, the j-th rows of all
 * windows are that matrix from another row on, hence H = b + sum_j X[+j] W_j,    dX = sum_j dZ[-j] W_j',
 * dW_j = X[+j]' dZ,    db = sum of the rows of dZ. Where rows repeat, the distinct ones are multiplied and
 * the products gathered. Tasks are ranges of rows of H and dX, of rows of dW, of
 * columns of db. Runs on all threads and owns nothing. */
#include "encoders/cnn.h"

#include "linalg/blas.h"

enum {
    ROWS_PER_TASK = 192,
    W_ROWS_PER_TASK = 54, /* nine tiles of avx2_gemm.c */
    COLUMNS_PER_TASK = 64
};

uint64_t ni_cnn_lay_out(const ni_cnn *n, const uint32_t *length, uint32_t count, uint64_t *first)
{
    uint64_t end = n->width - 1;
    for (uint32_t s = 0; s < count; s++) {
        first[s] = end;
        end += length[s] + n->width / 2;
    }
    return end + n->width - 1;
}

typedef struct work {
    const ni_cnn *n;
    uint64_t begin, end;   /* rows between the ends of the matrix */
    const float *X, *kept; /* kept: H */
    float *H, *dH, *dX, *dW, *db;
} work;

static work work_of(const ni_cnn *n, const ni_packed *p, const float *X)
{
    return (work){ .n = n, .begin = n->width - 1, .end = p->rows - (n->width - 1), .X = X };
}

static uint32_t row_tasks(const work *w)
{
    return ni_tasks(w->end - w->begin, ROWS_PER_TASK);
}

/* ---- forward ---- */

static void forward_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    const ni_cnn *n = w->n;
    uint64_t d = n->d, c = n->c, first = w->begin + (uint64_t)task * ROWS_PER_TASK;
    uint64_t rows = ni_task_end(first, ROWS_PER_TASK, w->end) - first;
    const float *X = w->X + (first - ni_cnn_before(n)) * d;
    float *H = w->H + first * c;
    (void)thread;
    for (uint64_t i = 0; n->b && i < rows; i++) memcpy(H + i * c, n->b, c * sizeof *H);
    for (uint64_t j = 0; j < n->width; j++)
        ni_gemm(0, 0, rows, c, d, X + j * d, d, n->W + j * d * c, c, n->b || j > 0, H, c);
    if (n->tanh) ni_kernels_get()->tanh(H, rows * c, H);
}

void ni_cnn_forward(const ni_cnn *n, const ni_packed *p, const float *X, float *H, ni_threads *threads)
{
    work w = work_of(n, p, X);
    w.H = H;
    ni_gemm_run(threads, row_tasks(&w), forward_task, &w);
}

/* ---- forward, rows that repeat ---- */

enum { SEQUENCES_PER_TASK = 8 };

typedef struct shared {
    const ni_cnn *n;
    const ni_packed *p;
    const uint32_t *slot;
    const float *D;
    uint64_t distinct;
    float *T, *H;
} shared;

/* T_kj = D_k W_j */
static void products_task(void *arg, uint32_t task, uint32_t thread)
{
    const shared *w = arg;
    uint64_t d = w->n->d, c = w->n->c, line = w->n->width * c, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t rows = ni_task_end(first, ROWS_PER_TASK, w->distinct) - first;
    (void)thread;
    for (uint64_t j = 0; j < w->n->width; j++)
        ni_gemm(0, 0, rows, c, d, w->D + first * d, d, w->n->W + j * d * c, c, 0,
                w->T + first * line + j * c, line);
}

/* h_i = b + sum_j T_(row i - before + j) j, over the rows that are inside the sequence. */
static void windows_task(void *arg, uint32_t task, uint32_t thread)
{
    const shared *w = arg;
    const ni_cnn *n = w->n;
    const ni_kernels *k = ni_kernels_get();
    uint64_t c = n->c, line = n->width * c, before = ni_cnn_before(n);
    uint64_t begin = (uint64_t)task * SEQUENCES_PER_TASK;
    uint64_t end = ni_task_end(begin, SEQUENCES_PER_TASK, w->p->count);
    (void)thread;
    for (uint64_t s = begin; s < end; s++) {
        const uint32_t *slot = w->slot + w->p->first[s];
        uint64_t length = w->p->length[s];
        float *h = w->H + w->p->first[s] * c;
        for (uint64_t i = 0; i < length; i++, h += c) {
            if (n->b) memcpy(h, n->b, c * sizeof *h);
            else memset(h, 0, c * sizeof *h);
            for (uint64_t j = 0; j < n->width; j++)
                if (i + j >= before && i + j - before < length)
                    k->axpy(1, w->T + slot[i + j - before] * line + j * c, h, c);
        }
        if (n->tanh) k->tanh(h - length * c, length * c, h - length * c);
    }
}

void ni_cnn_forward_shared(const ni_cnn *n, const ni_packed *p, const uint32_t *slot, const float *D,
                           uint32_t distinct, float *T, float *H, ni_threads *threads)
{
    shared w = { n, p, slot, D, distinct, T, H };
    ni_gemm_run(threads, ni_tasks(distinct, ROWS_PER_TASK), products_task, &w);
    ni_threads_run(threads, ni_tasks(p->count, SEQUENCES_PER_TASK), windows_task, &w);
}

/* ---- backward ---- */

/* dZ = dH (1 - H^2) */
static void tanh_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    uint64_t first = w->begin + (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, w->end);
    (void)thread;
    for (uint64_t i = first * w->n->c; i < end * w->n->c; i++) w->dH[i] *= 1 - w->kept[i] * w->kept[i];
}

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    const ni_cnn *n = w->n;
    uint64_t d = n->d, c = n->c, first = w->begin + (uint64_t)task * ROWS_PER_TASK;
    uint64_t rows = ni_task_end(first, ROWS_PER_TASK, w->end) - first;
    (void)thread;
    for (uint64_t j = 0; j < n->width; j++)
        ni_gemm(0, 1, rows, d, c, w->dH + (first + ni_cnn_before(n) - j) * c, c, n->W + j * d * c, c, j > 0,
                w->dX + first * d, d);
}

static void weights_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    const ni_cnn *n = w->n;
    uint64_t d = n->d, c = n->c, per_matrix = ni_tasks(d, W_ROWS_PER_TASK);
    uint64_t j = task / per_matrix, first = task % per_matrix * W_ROWS_PER_TASK;
    uint64_t rows = ni_task_end(first, W_ROWS_PER_TASK, d) - first;
    (void)thread;
    ni_gemm(1, 0, rows, c, w->end - w->begin, w->X + (w->begin - ni_cnn_before(n) + j) * d + first, d,
            w->dH + w->begin * c, c, 0, w->dW + (j * d + first) * c, c);
}

static void bias_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    uint64_t c = w->n->c, first = (uint64_t)task * COLUMNS_PER_TASK;
    uint64_t columns = ni_task_end(first, COLUMNS_PER_TASK, c) - first;
    (void)thread;
    memset(w->db + first, 0, columns * sizeof *w->db);
    for (uint64_t i = w->begin; i < w->end; i++)
        ni_kernels_get()->axpy(1, w->dH + i * c + first, w->db + first, columns);
}

void ni_cnn_backward(const ni_cnn *n, const ni_packed *p, const float *X, const float *H, float *dH,
                     float *dX, float *dW, float *db, ni_threads *threads)
{
    work w = work_of(n, p, X);
    w.kept = H, w.dH = dH, w.dX = dX, w.dW = dW, w.db = db;
    if (n->tanh) ni_threads_run(threads, row_tasks(&w), tanh_task, &w);
    ni_packed_clear(p, n->c, dH);
    if (dX) ni_gemm_run(threads, row_tasks(&w), rows_task, &w);
    ni_gemm_run(threads, n->width * ni_tasks(n->d, W_ROWS_PER_TASK), weights_task, &w);
    if (db) ni_threads_run(threads, ni_tasks(n->c, COLUMNS_PER_TASK), bias_task, &w);
}
