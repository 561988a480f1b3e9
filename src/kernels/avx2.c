#include "kernels/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

/* ((0+4) + (2+6)) + ((1+5) + (3+7)), the tree of scalar.c. */
static float sum_lanes(__m256 v)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

/* All ones in the first n of eight lanes; n below 8. */
static __m256i first_lanes(size_t n)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane);
}

static float dot(const float *x, const float *y, size_t n)
{
    __m256 sum = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + 8 <= n; i += 8) sum = _mm256_fmadd_ps(_mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i), sum);
    if (i < n) {
        __m256i some = first_lanes(n - i);
        __m256 more =
            _mm256_fmadd_ps(_mm256_maskload_ps(x + i, some), _mm256_maskload_ps(y + i, some), sum);
        sum = _mm256_blendv_ps(sum, more, _mm256_castsi256_ps(some));
    }
    return sum_lanes(sum);
}

static void axpy(float a, const float *x, float *y, size_t n)
{
    __m256 wide = _mm256_set1_ps(a);
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_fmadd_ps(wide, _mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
    for (; i < n; i++) y[i] = fmaf(a, x[i], y[i]);
}

/* One row: keeps a running maximum and its place in each lane, and raises the columns it beats. */
static void pool_row(const float *row, uint32_t i, uint32_t b, float *row_max, uint32_t *row_arg,
                     float *col_max, uint32_t *col_arg)
{
    float best = row[0];
    uint32_t at = 0, j = 0;
    if (b >= 8) {
        const __m256i eight = _mm256_set1_epi32(8), here = _mm256_set1_epi32((int)i);
        __m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), arg = place;
        __m256 max = _mm256_loadu_ps(row);
        for (; j + 8 <= b; j += 8, place = _mm256_add_epi32(place, eight)) {
            __m256 v = _mm256_loadu_ps(row + j), top = _mm256_loadu_ps(col_max + j);
            __m256 wins = _mm256_cmp_ps(v, max, _CMP_GT_OQ), rises = _mm256_cmp_ps(v, top, _CMP_GT_OQ);
            max = _mm256_blendv_ps(max, v, wins);
            arg = _mm256_castps_si256(
                _mm256_blendv_ps(_mm256_castsi256_ps(arg), _mm256_castsi256_ps(place), wins));
            _mm256_storeu_ps(col_max + j, _mm256_blendv_ps(top, v, rises));
            _mm256_maskstore_epi32((int *)col_arg + j, _mm256_castps_si256(rises), here);
        }
        float lane[8];
        uint32_t lane_arg[8];
        _mm256_storeu_ps(lane, max);
        _mm256_storeu_si256((__m256i *)lane_arg, arg);
        best = lane[0], at = lane_arg[0];
        for (int k = 1; k < 8; k++)
            if (lane[k] > best || (lane[k] == best && lane_arg[k] < at)) best = lane[k], at = lane_arg[k];
    }
    for (; j < b; j++) {
        if (row[j] > best) best = row[j], at = j;
        if (row[j] > col_max[j]) col_max[j] = row[j], col_arg[j] = i;
    }
    *row_max = best;
    *row_arg = at;
}

static void pool_max(const float *tile, uint32_t a, uint32_t b, float *row_max, uint32_t *row_arg,
                     float *col_max, uint32_t *col_arg)
{
    for (uint32_t j = 0; j < b; j++) col_max[j] = tile[j], col_arg[j] = 0;
    for (uint32_t i = 0; i < a; i++)
        pool_row(tile + (size_t)i * b, i, b, row_max + i, row_arg + i, col_max, col_arg);
}

static void masked(const float *x, const uint64_t *mask, float scale, float *out, size_t n)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256 wide = _mm256_set1_ps(scale);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256i byte = _mm256_set1_epi32((int)(mask[i / 64] >> (i % 64) & 255));
        __m256i keep = _mm256_cmpeq_epi32(_mm256_and_si256(byte, bit), bit);
        __m256 v = _mm256_mul_ps(_mm256_loadu_ps(x + i), wide);
        _mm256_storeu_ps(out + i, _mm256_and_ps(v, _mm256_castsi256_ps(keep)));
    }
    for (; i < n; i++) out[i] = mask[i / 64] >> (i % 64) & 1 ? x[i] * scale : 0;
}

static void adam(const ni_adam_step *s, const float *g, float *x, float *m, float *v, size_t n)
{
    __m256 beta1 = _mm256_set1_ps(s->beta1), beta2 = _mm256_set1_ps(s->beta2);
    __m256 fresh1 = _mm256_set1_ps(1 - s->beta1), fresh2 = _mm256_set1_ps(1 - s->beta2);
    __m256 rate = _mm256_set1_ps(s->rate), scale = _mm256_set1_ps(s->root_scale);
    __m256 epsilon = _mm256_set1_ps(s->epsilon);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256 gi = _mm256_loadu_ps(g + i);
        __m256 mi = _mm256_fmadd_ps(beta1, _mm256_loadu_ps(m + i), _mm256_mul_ps(fresh1, gi));
        __m256 vi =
            _mm256_fmadd_ps(beta2, _mm256_loadu_ps(v + i), _mm256_mul_ps(_mm256_mul_ps(fresh2, gi), gi));
        __m256 root = _mm256_fmadd_ps(_mm256_sqrt_ps(vi), scale, epsilon);
        __m256 step = _mm256_div_ps(_mm256_mul_ps(rate, mi), root);
        _mm256_storeu_ps(m + i, mi);
        _mm256_storeu_ps(v + i, vi);
        _mm256_storeu_ps(x + i, _mm256_sub_ps(_mm256_loadu_ps(x + i), step));
    }
    for (; i < n; i++) {
        m[i] = fmaf(s->beta1, m[i], (1 - s->beta1) * g[i]);
        v[i] = fmaf(s->beta2, v[i], (1 - s->beta2) * g[i] * g[i]);
        x[i] -= s->rate * m[i] / fmaf(sqrtf(v[i]), s->root_scale, s->epsilon);
    }
}

const ni_kernels ni_kernels_avx2 = {
    "avx2", "instruction set avx2, matrix products by OpenBLAS", dot, axpy, pool_max, masked, adam
};
#else
typedef int ni_no_avx2; /* C forbids an empty file */
#endif
