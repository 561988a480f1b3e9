/* Compiled for AVX2 and FMA, alone of all files with avx2_*.c. The small loops over a constant number of
 * registers are unrolled by the compiler. */
#include "linalg/avx2.h"

#if defined(__x86_64__)
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- lanes ---- */

/* The sums of four registers, each ((0+4) + (2+6)) + ((1+5) + (3+7)), the tree of scalar.c. */
INLINE __m128 sum_four(__m256 a, __m256 b, __m256 c, __m256 d)
{
    __m256 ab = _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
    __m256 cd = _mm256_add_ps(_mm256_permute2f128_ps(c, d, 0x20), _mm256_permute2f128_ps(c, d, 0x31));
    __m256 two = _mm256_add_ps(_mm256_unpacklo_ps(ab, cd), _mm256_unpackhi_ps(ab, cd));
    __m256 one = _mm256_add_ps(two, _mm256_permute_ps(two, 0x4e));
    return _mm_unpacklo_ps(_mm256_castps256_ps128(one), _mm256_extractf128_ps(one, 1));
}

static float sum_lanes(__m256 v)
{
    return _mm_cvtss_f32(sum_four(v, v, v, v));
}

/* ---- rows ---- */

static float dot(const float *x, const float *y, size_t n)
{
    __m256 sum = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + NI_LANES <= n; i += NI_LANES)
        sum = _mm256_fmadd_ps(_mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i), sum);
    if (i < n) {
        __m256i some = first_lanes(n - i);
        sum = _mm256_fmadd_ps(_mm256_maskload_ps(x + i, some), _mm256_maskload_ps(y + i, some), sum);
    }
    return sum_lanes(sum);
}

static void axpy(float a, const float *x, float *y, size_t n)
{
    __m256 wide = _mm256_set1_ps(a);
    size_t i = 0;
    for (; i + NI_LANES <= n; i += NI_LANES)
        _mm256_storeu_ps(y + i, _mm256_fmadd_ps(wide, _mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
    for (; i < n; i++) y[i] = fmaf(a, x[i], y[i]);
}

/* y is read again after x has been written: they may be one row. */
static void bond(float a, float *x, float *y, size_t n)
{
    __m256 wide = _mm256_set1_ps(a);
    size_t i = 0;
    for (; i + NI_LANES <= n; i += NI_LANES) {
        __m256 u = _mm256_loadu_ps(x + i);
        _mm256_storeu_ps(x + i, _mm256_fmadd_ps(wide, _mm256_loadu_ps(y + i), u));
        _mm256_storeu_ps(y + i, _mm256_fmadd_ps(wide, u, _mm256_loadu_ps(y + i)));
    }
    for (; i < n; i++) {
        float was = x[i];
        x[i] = fmaf(a, y[i], was);
        y[i] = fmaf(a, was, y[i]);
    }
}

/* Some registers of columns, which hold their sums over all terms. Rows lie far apart: those of the
 * terms to come are prefetched, two registers a cache line. */
INLINE void spmm_columns(const int registers, const ni_term *term, size_t count, const float *B,
                         size_t stride, float *out)
{
    enum { AHEAD = 4 };
    __m256 sum[16];
    for (int v = 0; v < registers; v++) sum[v] = _mm256_setzero_ps();
    for (size_t i = 0; i < count; i++) {
        const float *x = B + term[i].row * stride;
        const float *ahead = B + term[i + AHEAD < count ? i + AHEAD : count - 1].row * stride;
        __m256 weight = _mm256_broadcast_ss(&term[i].weight);
        for (int v = 0; v < registers; v += 2)
            _mm_prefetch((const char *)(ahead + v * NI_LANES), _MM_HINT_T0);
        for (int v = 0; v < registers; v++)
            sum[v] = _mm256_fmadd_ps(weight, _mm256_loadu_ps(x + v * NI_LANES), sum[v]);
    }
    for (int v = 0; v < registers; v++) _mm256_storeu_ps(out + v * NI_LANES, sum[v]);
}

static void spmm_last(const ni_term *term, size_t count, const float *B, size_t stride, size_t left,
                      float *out)
{
    __m256i some = first_lanes(left);
    __m256 sum = _mm256_setzero_ps();
    for (size_t i = 0; i < count; i++)
        sum = _mm256_fmadd_ps(_mm256_broadcast_ss(&term[i].weight),
                              _mm256_maskload_ps(B + term[i].row * stride, some), sum);
    _mm256_maskstore_ps(out, some, sum);
}

static void spmm_row(const ni_term *term, size_t count, const float *B, size_t n, float *out)
{
    size_t at;
#define COLUMNS(r) spmm_columns(r, term, count, B + at, n, out + at)
    IN_PASSES(1, n, at, COLUMNS);
#undef COLUMNS
    if (at < n) spmm_last(term, count, B + at, n, n - at, out + at);
}

/* Rows of a graph's matrix lie anywhere: those of AHEAD entries further on are fetched meanwhile, across
 * the ends of rows. */
INLINE void sum_narrow(const int registers, const bool weighted, const uint32_t *row, const float *weight,
                       size_t count, size_t more, const float *B, float *out)
{
    enum { AHEAD = 12 };
    const size_t lanes = (size_t)registers * NI_LANES, fetched = count + more;
    __m256 sum[4];
    for (int v = 0; v < registers; v++) sum[v] = _mm256_setzero_ps();
    for (size_t i = 0; i < count; i++) {
        const float *x = B + row[i] * lanes;
        const float *ahead = B + row[i + AHEAD < fetched ? i + AHEAD : i] * lanes;
        for (int v = 0; v < registers; v += 2)
            _mm_prefetch((const char *)(ahead + v * NI_LANES), _MM_HINT_T0);
        __m256 w = weighted ? _mm256_broadcast_ss(weight + i) : _mm256_setzero_ps();
        for (int v = 0; v < registers; v++) {
            __m256 part = _mm256_loadu_ps(x + v * NI_LANES);
            sum[v] = weighted ? _mm256_fmadd_ps(w, part, sum[v]) : _mm256_add_ps(sum[v], part);
        }
    }
    for (int v = 0; v < registers; v++) _mm256_storeu_ps(out + v * NI_LANES, sum[v]);
}

static void sum_rows(const uint32_t *row, const float *weight, size_t count, size_t more, const float *B,
                     size_t lanes, float *out)
{
    bool wide = lanes > NI_NARROW;
    if (wide && weight) sum_narrow(4, true, row, weight, count, more, B, out);
    else if (wide) sum_narrow(4, false, row, NULL, count, more, B, out);
    else if (weight) sum_narrow(2, true, row, weight, count, more, B, out);
    else sum_narrow(2, false, row, NULL, count, more, B, out);
}

/* ---- tiles ---- */

/* a x b dot products at once, in as many registers; where there are fewer rows, the last one is
 * repeated. */
INLINE void align_block(const int a, const int b, const float *const *x, const float *const *y, size_t n,
                        __m256 sum[16])
{
    size_t k = 0;
    for (int i = 0; i < a * b; i++) sum[i] = _mm256_setzero_ps();
    for (; k + NI_LANES <= n; k += NI_LANES) {
        __m256 right[8];
        for (int j = 0; j < b; j++) right[j] = _mm256_loadu_ps(y[j] + k);
        for (int i = 0; i < a; i++) {
            __m256 left = _mm256_loadu_ps(x[i] + k);
            for (int j = 0; j < b; j++) sum[i * b + j] = _mm256_fmadd_ps(left, right[j], sum[i * b + j]);
        }
    }
    if (k == n) return;
    __m256i some = first_lanes(n - k);
    for (int i = 0; i < a; i++)
        for (int j = 0; j < b; j++)
            sum[i * b + j] = _mm256_fmadd_ps(_mm256_maskload_ps(x[i] + k, some),
                                             _mm256_maskload_ps(y[j] + k, some), sum[i * b + j]);
}

/* Twelve sums, a loaded register of the left and three of the right make sixteen. */
static void align_strip(const float *const x[4], uint32_t a, const float *B, const uint32_t *b_row,
                        uint32_t b, size_t n, float *strip)
{
    size_t line = ni_whole_lanes(b);
    for (uint32_t j = 0; j < b; j += 3) {
        const float *y[3];
        __m256 sum[16];
        float four[3][4];
        uint32_t columns = b - j < 3 ? b - j : 3;
        for (uint32_t k = 0; k < 3; k++) y[k] = B + b_row[k < columns ? j + k : b - 1] * n;
        align_block(4, 3, x, y, n, sum);
        for (int k = 0; k < 3; k++)
            _mm_storeu_ps(four[k], sum_four(sum[k], sum[3 + k], sum[6 + k], sum[9 + k]));
        for (uint32_t i = 0; i < a; i++)
            for (uint32_t k = 0; k < columns; k++) strip[i * line + j + k] = four[k][i];
    }
}

/* One row on the left: eight dot products at once. */
static void align_row(const float *x, const float *B, const uint32_t *b_row, uint32_t b, size_t n,
                      float *out)
{
    for (uint32_t j = 0; j < b; j += 8) {
        const float *y[8];
        __m256 sum[16];
        float eight[8];
        uint32_t columns = b - j < 8 ? b - j : 8;
        for (uint32_t k = 0; k < 8; k++) y[k] = B + b_row[k < columns ? j + k : b - 1] * n;
        align_block(8, 1, y, &x, n, sum);
        _mm_storeu_ps(eight, sum_four(sum[0], sum[1], sum[2], sum[3]));
        _mm_storeu_ps(eight + 4, sum_four(sum[4], sum[5], sum[6], sum[7]));
        memcpy(out + j, eight, columns * sizeof *out);
    }
}

static void align(const float *A, const uint32_t *a_row, uint32_t a, const float *B, const uint32_t *b_row,
                  uint32_t b, size_t n, float *strip)
{
    const float *x[NI_STRIP_ROWS];
    if (a == 1) {
        align_row(A + a_row[0] * n, B, b_row, b, n, strip);
        return;
    }
    for (uint32_t i = 0; i < NI_STRIP_ROWS; i++) x[i] = A + a_row[i < a ? i : a - 1] * n;
    align_strip(x, a, B, b_row, b, n, strip);
}

/* Running maxima, a lane each, and where they were. */
typedef struct running {
    __m256 max;
    __m256i arg;
} running;

INLINE running raise(running best, __m256 v, __m256i index)
{
    __m256 wins = _mm256_cmp_ps(v, best.max, _CMP_GT_OQ);
    return (running){ _mm256_blendv_ps(best.max, v, wins),
                      _mm256_blendv_epi8(best.arg, index, _mm256_castps_si256(wins)) };
}

/* The largest of eight lanes and, of equals, the first index. */
static void reduce_max(running best, float *max, uint32_t *arg)
{
    __m256 top = _mm256_max_ps(best.max, _mm256_permute2f128_ps(best.max, best.max, 1));
    top = _mm256_max_ps(top, _mm256_permute_ps(top, 0x4e));
    top = _mm256_max_ps(top, _mm256_permute_ps(top, 0xb1));
    __m256i is_top = _mm256_castps_si256(_mm256_cmp_ps(best.max, top, _CMP_EQ_OQ));
    __m256i index = _mm256_blendv_epi8(_mm256_set1_epi32(INT32_MAX), best.arg, is_top);
    index = _mm256_min_epi32(index, _mm256_permute2x128_si256(index, index, 1));
    index = _mm256_min_epi32(index, _mm256_shuffle_epi32(index, 0x4e));
    index = _mm256_min_epi32(index, _mm256_shuffle_epi32(index, 0xb1));
    *max = _mm256_cvtss_f32(top);
    *arg = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(index));
}

INLINE void pool_rows(const int a, const bool with_rows, const float *strip, uint32_t b, uint32_t first,
                      const ni_maxima *row, const ni_maxima *col)
{
    const __m256 least = _mm256_set1_ps(-INFINITY);
    size_t line = ni_whole_lanes(b);
    __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    running best[NI_STRIP_ROWS];
    for (int i = 0; i < a; i++) best[i] = (running){ least, _mm256_setzero_si256() };
    for (uint32_t j = 0; j < b; j += NI_LANES) {
        __m256 some = _mm256_castsi256_ps(first_lanes(b - j < NI_LANES ? b - j : NI_LANES));
        running down = { _mm256_loadu_ps(col->max + j),
                         _mm256_loadu_si256((const __m256i *)(col->arg + j)) };
        for (int i = 0; i < a; i++) {
            __m256 v = _mm256_blendv_ps(least, _mm256_loadu_ps(strip + i * line + j), some);
            if (with_rows) best[i] = raise(best[i], v, index);
            down = raise(down, v, _mm256_set1_epi32((int)first + i));
        }
        _mm256_storeu_ps(col->max + j, down.max);
        _mm256_storeu_si256((__m256i *)(col->arg + j), down.arg);
        index = _mm256_add_epi32(index, _mm256_set1_epi32(NI_LANES));
    }
    for (int i = 0; with_rows && i < a; i++) reduce_max(best[i], row->max + i, row->arg + i);
}

static void pool(const float *strip, uint32_t a, uint32_t b, uint32_t first, const ni_maxima *row,
                 const ni_maxima *col)
{
    switch (2 * a + (row != NULL)) { /* clang-format off */
#define POOL(r) case 2 * r: pool_rows(r, false, strip, b, first, row, col); break; \
                case 2 * r + 1: pool_rows(r, true, strip, b, first, row, col); break;
    POOL(1) POOL(2) POOL(3) POOL(4)
#undef POOL
    } /* clang-format on */
}

/* Two registers of columns at a time: one is too slow to add to, and neighbourhoods are short. */
INLINE void gather_max_columns(const int registers, const bool max, const float *B, size_t stride,
                               const uint32_t *row, size_t count, float *out)
{
    __m256 best[2];
    for (int v = 0; v < registers; v++) best[v] = max ? _mm256_set1_ps(-INFINITY) : _mm256_setzero_ps();
    for (size_t i = 0; i < count; i++)
        for (int v = 0; v < registers; v++) {
            __m256 x = _mm256_loadu_ps(B + row[i] * stride + v * NI_LANES);
            best[v] = max ? _mm256_max_ps(x, best[v]) : _mm256_add_ps(best[v], x);
        }
    for (int v = 0; v < registers; v++) _mm256_storeu_ps(out + v * NI_LANES, best[v]);
}

static void gather_max(const float *B, size_t stride, const uint32_t *row, size_t count, size_t maxima,
                       size_t lanes, float *out)
{
    size_t k = 0;
    for (; k + 2 * NI_LANES <= maxima; k += 2 * NI_LANES)
        gather_max_columns(2, true, B + k, stride, row, count, out + k);
    if (k < maxima) gather_max_columns(1, true, B + k, stride, row, count, out + k);
    for (k = maxima; k + 2 * NI_LANES <= lanes; k += 2 * NI_LANES)
        gather_max_columns(2, false, B + k, stride, row, count, out + k);
    if (k < lanes) gather_max_columns(1, false, B + k, stride, row, count, out + k);
}

/* ---- functions ---- */

INLINE __m256 polynomial(const float *term, const int terms, __m256 x)
{
    __m256 p = _mm256_set1_ps(term[0]);
    for (int i = 1; i < terms; i++) p = _mm256_fmadd_ps(p, x, _mm256_set1_ps(term[i]));
    return p;
}

static __m256 exp_eight(__m256 x)
{
    static const float term[] = NI_EXP_TERMS;
    __m256 k = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(NI_LOG2E)),
                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256 r = _mm256_fmadd_ps(k, _mm256_set1_ps(-NI_LN2_LOW),
                               _mm256_fmadd_ps(k, _mm256_set1_ps(-NI_LN2_HIGH), x));
    __m256 p = polynomial(term, NI_EXP_COUNT, r);
    __m256 e = _mm256_add_ps(_mm256_fmadd_ps(p, _mm256_mul_ps(r, r), r), _mm256_set1_ps(1));
    __m256i power = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(k), _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(e, _mm256_castsi256_ps(power));
}

static __m256 tanh_eight(__m256 x)
{
    static const float term[] = NI_TANH_TERMS;
    const __m256 sign = _mm256_set1_ps(-0.0F), one = _mm256_set1_ps(1), two = _mm256_set1_ps(2);
    __m256 size = _mm256_andnot_ps(sign, x), square = _mm256_mul_ps(x, x);
    __m256 small = _mm256_fmadd_ps(_mm256_mul_ps(polynomial(term, NI_TANH_COUNT, square), square), x, x);
    __m256 capped = _mm256_min_ps(_mm256_set1_ps(NI_TANH_LARGE), size); /* NaN propagates */
    __m256 e = _mm256_add_ps(exp_eight(_mm256_mul_ps(two, capped)), one);
    __m256 large = _mm256_or_ps(_mm256_sub_ps(one, _mm256_div_ps(two, e)), _mm256_and_ps(sign, x));
    return _mm256_blendv_ps(large, small, _mm256_cmp_ps(size, _mm256_set1_ps(NI_TANH_SMALL), _CMP_LT_OQ));
}

static void tanh_all(const float *x, size_t n, float *out)
{
    size_t i = 0;
    for (; i + NI_LANES <= n; i += NI_LANES) _mm256_storeu_ps(out + i, tanh_eight(_mm256_loadu_ps(x + i)));
    if (i == n) return;
    __m256i some = first_lanes(n - i);
    _mm256_maskstore_ps(out + i, some, tanh_eight(_mm256_maskload_ps(x + i, some)));
}

static float exp_all(const float *x, size_t n, float *out)
{
    __m256 sum = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + NI_LANES <= n; i += NI_LANES) {
        __m256 e = exp_eight(_mm256_loadu_ps(x + i));
        _mm256_storeu_ps(out + i, e);
        sum = _mm256_add_ps(sum, e);
    }
    if (i < n) {
        __m256i some = first_lanes(n - i);
        __m256 e = exp_eight(_mm256_maskload_ps(x + i, some));
        _mm256_maskstore_ps(out + i, some, e);
        sum = _mm256_add_ps(sum, _mm256_and_ps(e, _mm256_castsi256_ps(some)));
    }
    return sum_lanes(sum);
}

static __m256 logistic_eight(__m256 z, __m256 bias, __m256 label, __m256 rate)
{
    const __m256 one = _mm256_set1_ps(1), most = _mm256_set1_ps(NI_LOGISTIC_LARGE);
    const __m256 least = _mm256_set1_ps(-NI_LOGISTIC_LARGE);
    __m256 x = _mm256_sub_ps(bias, z);
    x = _mm256_max_ps(least, _mm256_min_ps(most, x)); /* NaN propagates */
    __m256 s = _mm256_div_ps(one, _mm256_add_ps(one, exp_eight(x)));
    return _mm256_mul_ps(rate, _mm256_sub_ps(label, s));
}

static void logistic_step(float *z, size_t n, float bias, float label, float rate)
{
    __m256 b = _mm256_set1_ps(bias), l = _mm256_set1_ps(label), r = _mm256_set1_ps(rate);
    size_t i = 0;
    for (; i + NI_LANES <= n; i += NI_LANES)
        _mm256_storeu_ps(z + i, logistic_eight(_mm256_loadu_ps(z + i), b, l, r));
    if (i == n) return;
    __m256i some = first_lanes(n - i);
    _mm256_maskstore_ps(z + i, some, logistic_eight(_mm256_maskload_ps(z + i, some), b, l, r));
}

/* ---- entries ---- */

/* 32 draws become 32 bits: packing works within halves, so the quarters are permuted before. */
static uint32_t keep_some(const uint16_t *draw, __m256i limit)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)draw);
    __m256i high = _mm256_loadu_si256((const __m256i *)(draw + 16));
    __m256i low_kept = _mm256_cmpeq_epi16(_mm256_max_epu16(low, limit), low);
    __m256i high_kept = _mm256_cmpeq_epi16(_mm256_max_epu16(high, limit), high);
    __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low_kept, high_kept), 0xd8);
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

static uint64_t keep_bits(const uint16_t *draw, uint16_t limit)
{
    __m256i least = _mm256_set1_epi16((short)limit);
    return keep_some(draw, least) | (uint64_t)keep_some(draw + 32, least) << 32;
}

static void apply_mask(const float *x, const uint64_t *mask, float scale, float *out, size_t n)
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
    .name = "avx2",
    .about = "instruction set avx2",
    .dot = dot,
    .axpy = axpy,
    .bond = bond,
    .spmm_row = spmm_row,
    .sum_rows = sum_rows,
    .gather_sum = ni_avx2_gather_sum,
    .scatter_sum = ni_avx2_scatter_sum,
    .align = align,
    .gemm = ni_avx2_gemm,
    .pool = pool,
    .tanh = tanh_all,
    .exp = exp_all,
    .logistic_step = logistic_step,
    .gather_max = gather_max,
    .quantise = ni_avx2_quantise,
    .gather_max_int8 = ni_avx2_gather_max_int8,
    .keep_bits = keep_bits,
    .apply_mask = apply_mask,
    .adam = adam,
};
#else
typedef int ni_no_avx2; /* C forbids an empty file */
#endif
