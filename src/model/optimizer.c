/* Each row moves by itself, so that a step is one round of tasks over the rows of all parameters and has
 * the same bits for any number of threads. docs/math.md, section 8, has the equations. O(numbers touched);
 * Adam touches all rows in every step, since its moments live on without a gradient. */
#include "model/optimizer.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"

static const float beta1 = 0.9F, beta2 = 0.999F, adam_epsilon = 1e-8F, adagrad_epsilon = 1e-10F;

/* ---- making one ---- */

static bool moves_all_rows(uint32_t kind, const ni_parameter *p)
{
    return kind == NI_ADAM && p->by_rows;
}

static bool make_moments(uint32_t kind, ni_parameter *p)
{
    size_t numbers = p->rows * p->columns;
    p->gradient = (ni_gradient){ 0 };
    p->m = p->v = p->sum = NULL;
    p->row_of = NULL;
    if (kind == NI_ADAGRAD) return (p->sum = ni_zeros(p->rows, sizeof *p->sum));
    if (!(p->m = ni_zeros(numbers, sizeof *p->m)) || !(p->v = ni_zeros(numbers, sizeof *p->v)))
        return false;
    if (!moves_all_rows(kind, p)) return true;
    if (!(p->row_of = ni_array(p->rows, sizeof *p->row_of))) return false;
    memset(p->row_of, 0xff, p->rows * sizeof *p->row_of); /* NEAP_NONE */
    return true;
}

bool ni_optimizer_create(uint32_t kind, const ni_parameter *list, uint32_t count, ni_optimizer *o)
{
    uint32_t longest = 0;
    *o = (ni_optimizer){ .kind = kind, .parameter = ni_zeros(count, sizeof *o->parameter) };
    bool ok = true;
    if (!o->parameter) return false;
    for (; ok && o->count < count; o->count++) {
        ni_parameter *p = &o->parameter[o->count];
        *p = list[o->count];
        ok = make_moments(kind, p);
        if (p->columns > longest) longest = p->columns;
    }
    ok = ok && (o->zero = ni_zeros(longest, sizeof *o->zero));
    if (!ok) ni_optimizer_free(o);
    return ok;
}

void ni_optimizer_free(ni_optimizer *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        ni_free(o->parameter[i].m);
        ni_free(o->parameter[i].v);
        ni_free(o->parameter[i].sum);
        ni_free(o->parameter[i].row_of);
    }
    ni_free(o->parameter);
    ni_free(o->zero);
    *o = (ni_optimizer){ 0 };
}

ni_parameter *ni_optimizer_find(const ni_optimizer *o, const char *name)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (strcmp(o->parameter[i].name, name) == 0) return &o->parameter[i];
    return NULL;
}

uint64_t ni_optimizer_bytes(uint32_t kind, const ni_parameter *list, uint32_t count)
{
    uint64_t bytes = 0;
    for (const ni_parameter *p = list; p < list + count; p++)
        bytes += kind == NI_ADAGRAD
                     ? 4 * p->rows
                     : 8 * p->rows * p->columns + (moves_all_rows(kind, p) ? 4 * p->rows : 0);
    return bytes;
}

/* ---- one step ---- */

enum { ROWS_PER_TASK = 64 };

typedef struct work {
    const ni_optimizer *o;
    const ni_kernels *k;
    double lr;
    double bias1, bias2; /* 1 - beta1^t, 1 - beta2^t */
} work;

static uint64_t rows_to_move(const ni_optimizer *o, const ni_parameter *p)
{
    return p->gradient.row && !moves_all_rows(o->kind, p) ? p->gradient.rows : p->rows;
}

/* One sum of squares for a whole row. */
static void adagrad_row(const ni_kernels *k, float lr, const float *g, float *x, float *sum, uint32_t d)
{
    *sum += k->dot(g, g, d) / (float)d;
    k->axpy(-lr / (sqrtf(*sum) + adagrad_epsilon), g, x, d);
}

/* The i-th row to be moved, and its gradient; false: it is to be skipped. */
static bool row_to_move(const ni_optimizer *o, const ni_parameter *p, uint64_t i, uint64_t *row,
                        const float **g)
{
    const ni_gradient *of = &p->gradient;
    uint64_t at = p->row_of ? p->row_of[i] : i;
    *row = of->row && !p->row_of ? of->row[i] : i;
    *g = at == NEAP_NONE ? o->zero : of->values + at * p->columns;
    return *row != NEAP_NONE;
}

static void move_rows(const work *w, const ni_parameter *p, uint64_t first)
{
    uint32_t d = p->columns;
    double lr = w->lr * p->rate;
    ni_adam_step adam = { beta1, beta2, (float)(lr / w->bias1), (float)(1 / sqrt(w->bias2)), adam_epsilon };
    uint64_t row, end = ni_task_end(first, ROWS_PER_TASK, rows_to_move(w->o, p));
    const float *g;
    for (uint64_t i = first; i < end; i++) {
        if (!row_to_move(w->o, p, i, &row, &g)) continue;
        float *x = p->value + row * d;
        for (uint32_t k = 0; p->decay > 0 && k < d; k++) x[k] -= (float)(lr * p->decay) * x[k];
        if (p->sum) adagrad_row(w->k, (float)lr, g, x, p->sum + row, d);
        else w->k->adam(&adam, g, x, p->m + row * d, p->v + row * d, d);
    }
}

/* Tasks are numbered parameter by parameter. */
static void step_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    const ni_parameter *p = w->o->parameter;
    (void)thread;
    for (uint32_t tasks; task >= (tasks = ni_tasks(rows_to_move(w->o, p), ROWS_PER_TASK)); p++)
        task -= tasks;
    move_rows(w, p, (uint64_t)task * ROWS_PER_TASK);
}

/* Where each row's gradient is; or, afterwards, that it is nowhere. */
static void note_rows(const ni_parameter *p, bool there)
{
    for (uint32_t i = 0; p->row_of && i < p->gradient.rows; i++)
        if (p->gradient.row[i] != NEAP_NONE) p->row_of[p->gradient.row[i]] = there ? i : NEAP_NONE;
}

void ni_optimizer_step(ni_optimizer *o, double lr, ni_threads *threads)
{
    double t = (double)++o->steps;
    work w = { o, ni_kernels_get(), lr, 1 - pow(beta1, t), 1 - pow(beta2, t) };
    uint32_t tasks = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        note_rows(&o->parameter[i], true);
        tasks += ni_tasks(rows_to_move(o, &o->parameter[i]), ROWS_PER_TASK);
    }
    ni_threads_run(threads, tasks, step_task, &w);
    for (uint32_t i = 0; i < o->count; i++) note_rows(&o->parameter[i], false);
}
