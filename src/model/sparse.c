#include "model/sparse.h"

#include <string.h>

typedef struct chunk {
    ni_sparse *matrix;
    uint64_t first, end; /* its entries            */
    uint32_t *place;     /* rows: count, then next */
} chunk;

static chunk chunk_of(ni_sparse *matrices, uint32_t task)
{
    ni_sparse *m = &matrices[task / NI_SPARSE_CHUNKS];
    uint64_t i = task % NI_SPARSE_CHUNKS;
    return (chunk){ m, m->entries * i / NI_SPARSE_CHUNKS, m->entries * (i + 1) / NI_SPARSE_CHUNKS,
                    m->place + i * m->rows };
}

static void count_task(void *arg, uint32_t task, uint32_t thread)
{
    chunk c = chunk_of(arg, task);
    (void)thread;
    memset(c.place, 0, c.matrix->rows * sizeof *c.place);
    for (uint64_t i = c.first; i < c.end; i++)
        if (c.matrix->row[i] != NEAP_NONE) c.place[c.matrix->row[i]]++;
}

static void sum_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_sparse *m = (ni_sparse *)arg + task;
    uint32_t sum = 0;
    (void)thread;
    for (uint64_t r = 0; r < m->rows; r++) {
        m->start[r] = sum;
        for (uint64_t i = r; i < NI_SPARSE_CHUNKS * m->rows; i += m->rows) {
            uint32_t here = m->place[i];
            m->place[i] = sum;
            sum += here;
        }
    }
    m->start[m->rows] = sum;
}

static void write_task(void *arg, uint32_t task, uint32_t thread)
{
    chunk c = chunk_of(arg, task);
    const ni_sparse *m = c.matrix;
    (void)thread;
    for (uint64_t i = c.first; i < c.end; i++)
        if (m->row[i] != NEAP_NONE)
            m->term[c.place[m->row[i]]++] =
                (ni_term){ m->col ? m->col[i] : (uint32_t)i, m->value ? m->value[i] : 1 };
}

void ni_sparse_sort(ni_sparse *matrices, uint32_t count, ni_pool *pool)
{
    ni_pool_run(pool, count * NI_SPARSE_CHUNKS, count_task, matrices);
    ni_pool_run(pool, count, sum_task, matrices);
    ni_pool_run(pool, count * NI_SPARSE_CHUNKS, write_task, matrices);
}

void ni_sparse_times(const ni_sparse *m, uint64_t first, uint64_t end, const float *B, uint64_t d,
                     float *out)
{
    const ni_kernels *k = ni_kernels_get();
    for (uint64_t r = first; r < end; r++)
        k->combine(m->term + m->start[r], m->start[r + 1] - m->start[r], B, d, out + r * d);
}
