/* From coordinates to CSR by a stable counting sort over fixed chunks, merging of equal columns,
 * transposing, SpMM; see sparse.h. O(nonzeros + chunks x rows). All arrays are the caller's; a task
 * writes its own chunk or its own rows. */
#include "linalg/sparse.h"

#include <string.h>

enum { ROWS_PER_TASK = 64 };

/* ---- sorting ---- */

/* Where the i-th chunk of so many things begins. */
static uint64_t chunk_first(uint64_t things, uint64_t i)
{
    return things * i / NI_SPARSE_CHUNKS;
}

static void count_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_sparse *m = arg;
    uint32_t *next = m->next + task * m->rows;
    uint64_t end = chunk_first(m->nonzeros, task + 1ULL);
    (void)thread;
    memset(next, 0, m->rows * sizeof *next);
    for (uint64_t i = chunk_first(m->nonzeros, task); i < end; i++)
        if (m->row[i] != NEAP_NONE) next[m->row[i]]++;
}

/* The counts of the chunks become the positions they write to next; a row ends where its last chunk does.
 */
static void sum_counts(ni_sparse *m)
{
    uint32_t sum = 0;
    for (uint64_t r = 0; r < m->rows; r++) {
        m->start[r] = sum;
        for (uint64_t i = r; i < NI_SPARSE_CHUNKS * m->rows; i += m->rows) {
            uint32_t here = m->next[i];
            m->next[i] = sum;
            sum += here;
        }
    }
    m->end = m->next + (NI_SPARSE_CHUNKS - 1) * m->rows;
}

static void write_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_sparse *m = arg;
    uint32_t *next = m->next + task * m->rows;
    uint64_t end = chunk_first(m->nonzeros, task + 1ULL);
    (void)thread;
    for (uint64_t i = chunk_first(m->nonzeros, task); i < end; i++)
        if (m->row[i] != NEAP_NONE)
            m->term[next[m->row[i]]++] =
                (ni_term){ m->col ? m->col[i] : (uint32_t)i, m->value ? m->value[i] : 1 };
}

void ni_sparse_sort(ni_sparse *matrix, ni_threads *threads)
{
    ni_threads_run(threads, NI_SPARSE_CHUNKS, count_task, matrix);
    sum_counts(matrix);
    ni_threads_run(threads, NI_SPARSE_CHUNKS, write_task, matrix);
}

/* ---- merging ---- */

typedef struct merging {
    ni_sparse *matrix;
    uint64_t columns;
    uint32_t *known; /* threads x columns: position of the term of a column, if there is one */
} merging;

/* Returns how many are left. `known` is not cleared between rows: a position of another row is recognised,
 * since no term of this column stands there. */
static uint32_t merge_row(ni_term *term, uint32_t count, uint32_t *known)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = known[term[i].row];
        if (at < left && term[at].row == term[i].row) {
            term[at].weight += term[i].weight;
        } else {
            known[term[i].row] = left;
            term[left++] = term[i];
        }
    }
    return left;
}

static void merge_task(void *arg, uint32_t task, uint32_t thread)
{
    const merging *m = arg;
    const ni_sparse *s = m->matrix;
    uint32_t *known = m->known + thread * m->columns;
    uint64_t end = ni_task_end((uint64_t)task * ROWS_PER_TASK, ROWS_PER_TASK, s->rows);
    for (uint64_t r = (uint64_t)task * ROWS_PER_TASK; r < end; r++)
        s->end[r] = s->start[r] + merge_row(s->term + s->start[r], s->end[r] - s->start[r], known);
}

void ni_sparse_merge(ni_sparse *matrix, uint64_t columns, uint32_t *known, ni_threads *threads)
{
    memset(known, 0, ni_threads_count(threads) * columns * sizeof *known);
    ni_threads_run(threads, ni_tasks(matrix->rows, ROWS_PER_TASK), merge_task,
                   &(merging){ matrix, columns, known });
}

/* ---- transposing ---- */

typedef struct transposing {
    const ni_sparse *from;
    ni_sparse *to;
} transposing;

static void count_columns_task(void *arg, uint32_t task, uint32_t thread)
{
    const transposing *t = arg;
    const ni_sparse *from = t->from;
    uint32_t *next = t->to->next + task * t->to->rows;
    uint64_t end = chunk_first(from->rows, task + 1ULL);
    (void)thread;
    memset(next, 0, t->to->rows * sizeof *next);
    for (uint64_t r = chunk_first(from->rows, task); r < end; r++)
        for (uint32_t i = from->start[r]; i < from->end[r]; i++) next[from->term[i].row]++;
}

static void write_columns_task(void *arg, uint32_t task, uint32_t thread)
{
    const transposing *t = arg;
    const ni_sparse *from = t->from;
    uint32_t *next = t->to->next + task * t->to->rows;
    uint64_t end = chunk_first(from->rows, task + 1ULL);
    (void)thread;
    for (uint64_t r = chunk_first(from->rows, task); r < end; r++)
        for (uint32_t i = from->start[r]; i < from->end[r]; i++)
            t->to->term[next[from->term[i].row]++] = (ni_term){ (uint32_t)r, from->term[i].weight };
}

void ni_sparse_transpose(const ni_sparse *matrix, ni_sparse *transposed, ni_threads *threads)
{
    transposing t = { matrix, transposed };
    ni_threads_run(threads, NI_SPARSE_CHUNKS, count_columns_task, &t);
    sum_counts(transposed);
    ni_threads_run(threads, NI_SPARSE_CHUNKS, write_columns_task, &t);
}

/* ---- products ---- */

void ni_sparse_spmm(const ni_sparse *m, uint64_t first, uint64_t end, const float *B, uint64_t d,
                    float *out)
{
    const ni_kernels *k = ni_kernels_get();
    for (uint64_t r = first; r < end; r++)
        k->spmm_row(m->term + m->start[r], m->end[r] - m->start[r], B, d, out + r * d);
}
