/* Gather-sum and scatter-sum for several sides of one neighbourhood: a loaded row serves all sides, and
 * their sums stay in registers, as in avx2.c. */
#include "linalg/avx2.h"

#if defined(__x86_64__)

_Static_assert(NI_STRIP_ROWS == 4, "so many cases have the switches below");

/* sum_kv += *weight_k x_v, for k < many and v < registers. The fewer of weights and x wait in registers. */
INLINE void add_products(const int many, const int registers, const float *const *weight, const float *x,
                         __m256 *sum)
{
    __m256 kept[MOST_SUMS];
    if (many < registers) {
        for (int k = 0; k < many; k++) kept[k] = _mm256_broadcast_ss(weight[k]);
        for (int v = 0; v < registers; v++) {
            __m256 one = _mm256_loadu_ps(x + v * NI_LANES);
            for (int k = 0; k < many; k++)
                sum[k * registers + v] = _mm256_fmadd_ps(kept[k], one, sum[k * registers + v]);
        }
        return;
    }
    for (int v = 0; v < registers; v++) kept[v] = _mm256_loadu_ps(x + v * NI_LANES);
    for (int k = 0; k < many; k++) {
        __m256 one = _mm256_broadcast_ss(weight[k]);
        for (int v = 0; v < registers; v++)
            sum[k * registers + v] = _mm256_fmadd_ps(one, kept[v], sum[k * registers + v]);
    }
}

/* ---- gather_sum ---- */

/* Some registers of columns of all sums, held over all rows. */
INLINE void gather_sum_columns(const int sides, const int registers, const float *const *weight,
                               const uint32_t *row, uint32_t rows, const float *B, size_t stride,
                               float *const *out, size_t at)
{
    enum { AHEAD = 4 };
    __m256 sum[MOST_SUMS];
    for (int v = 0; v < sides * registers; v++) sum[v] = _mm256_setzero_ps();
    for (uint32_t i = 0; i < rows; i++) {
        const float *x = B + row[i] * stride + at;
        const float *ahead = B + row[i + AHEAD < rows ? i + AHEAD : rows - 1] * stride + at;
        const float *w[MOST_SUMS];
        for (int v = 0; v < registers; v += 2)
            _mm_prefetch((const char *)(ahead + v * NI_LANES), _MM_HINT_T0);
        for (int k = 0; k < sides; k++) w[k] = &weight[k][i];
        add_products(sides, registers, w, x, sum);
    }
    for (int k = 0; k < sides; k++)
        for (int v = 0; v < registers; v++)
            _mm256_storeu_ps(out[k] + at + v * NI_LANES, sum[k * registers + v]);
}

static void gather_sum_last(const float *weight, const uint32_t *row, uint32_t rows, const float *B,
                            size_t stride, size_t left, float *out)
{
    __m256i some = first_lanes(left);
    __m256 sum = _mm256_setzero_ps();
    for (uint32_t i = 0; i < rows; i++)
        sum = _mm256_fmadd_ps(_mm256_broadcast_ss(&weight[i]),
                              _mm256_maskload_ps(B + row[i] * stride, some), sum);
    _mm256_maskstore_ps(out, some, sum);
}

INLINE void gather_sum_sides(const int sides, const float *const *weight, const uint32_t *row,
                             uint32_t rows, const float *B, size_t n, float *const *out)
{
    size_t at;
#define COLUMNS(r) gather_sum_columns(sides, r, weight, row, rows, B, n, out, at)
    IN_PASSES(sides, n, at, COLUMNS);
#undef COLUMNS
    for (int k = 0; at < n && k < sides; k++)
        gather_sum_last(weight[k], row, rows, B + at, n, n - at, out[k] + at);
}

void ni_avx2_gather_sum(const float *const *weight, uint32_t sides, const uint32_t *row, uint32_t rows,
                        const float *B, size_t n, float *const *out)
{
    switch (sides) { /* clang-format off */
    case 1: gather_sum_sides(1, weight, row, rows, B, n, out); break;
    case 2: gather_sum_sides(2, weight, row, rows, B, n, out); break;
    case 3: gather_sum_sides(3, weight, row, rows, B, n, out); break;
    case 4: gather_sum_sides(4, weight, row, rows, B, n, out); break;
    } /* clang-format on */
}

/* ---- scatter_sum ---- */

/* Some registers of columns of a few rows, held over all sides. weight_k[i] is that of the first row. */
INLINE void scatter_sum_columns(const int rows, const int registers, const float *const *weight,
                                const float *const *x, uint32_t sides, uint32_t i, float *const *out,
                                size_t at)
{
    __m256 sum[MOST_SUMS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < registers; v++)
            sum[r * registers + v] = _mm256_loadu_ps(out[r] + at + v * NI_LANES);
    for (uint32_t k = 0; k < sides; k++) {
        const float *w[MOST_SUMS];
        for (int r = 0; r < rows; r++) w[r] = &weight[k][i + (uint32_t)r];
        add_products(rows, registers, w, x[k] + at, sum);
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < registers; v++)
            _mm256_storeu_ps(out[r] + at + v * NI_LANES, sum[r * registers + v]);
}

static void scatter_sum_last(const float *const *weight, const float *const *x, uint32_t sides, uint32_t i,
                             size_t left, float *out, size_t at)
{
    __m256i some = first_lanes(left);
    __m256 sum = _mm256_maskload_ps(out + at, some);
    for (uint32_t k = 0; k < sides; k++)
        sum = _mm256_fmadd_ps(_mm256_broadcast_ss(&weight[k][i]), _mm256_maskload_ps(x[k] + at, some), sum);
    _mm256_maskstore_ps(out + at, some, sum);
}

INLINE void scatter_sum_rows(const int rows, const float *const *weight, const float *const *x,
                             uint32_t sides, uint32_t i, size_t n, float *const *out)
{
    size_t at;
#define COLUMNS(r) scatter_sum_columns(rows, r, weight, x, sides, i, out, at)
    IN_PASSES(rows, n, at, COLUMNS);
#undef COLUMNS
    for (int r = 0; at < n && r < rows; r++)
        scatter_sum_last(weight, x, sides, i + (uint32_t)r, n - at, out[r], at);
}

void ni_avx2_scatter_sum(const float *const *weight, const float *const *x, uint32_t sides,
                         const uint32_t *row, uint32_t rows, size_t n, float *out)
{
    for (uint32_t i = 0, some; i < rows; i += some) {
        float *to[NI_STRIP_ROWS];
        some = rows - i < NI_STRIP_ROWS ? rows - i : NI_STRIP_ROWS;
        for (uint32_t r = 0; r < some; r++) to[r] = out + row[i + r] * n;
        switch (some) { /* clang-format off */
        case 1: scatter_sum_rows(1, weight, x, sides, i, n, to); break;
        case 2: scatter_sum_rows(2, weight, x, sides, i, n, to); break;
        case 3: scatter_sum_rows(3, weight, x, sides, i, n, to); break;
        case 4: scatter_sum_rows(4, weight, x, sides, i, n, to); break;
        } /* clang-format on */
    }
}

#else
typedef int ni_no_avx2_gather; /* C forbids an empty file */
#endif
