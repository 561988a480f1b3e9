/* Quantised rows, one byte per number: making, gathering and reducing them. O(numbers); nothing is
 * allocated. */
#include "linalg/avx2.h"

#if defined(__x86_64__)
#include <math.h>
#include <string.h>

/* max(|x|, most) by their bits, which as integers have the order of the floats, with NaN above all. */
INLINE __m256i farther(__m256 x, __m256i most)
{
    return _mm256_max_epi32(_mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(INT32_MAX)), most);
}

INLINE float farthest(__m256i most)
{
    __m128i four = _mm_max_epi32(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
    __m128i two = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    return _mm_cvtss_f32(_mm_castsi128_ps(_mm_max_epi32(two, _mm_shuffle_epi32(two, 0xb1))));
}

/* Eight floats rounded to int8, in the low half. */
INLINE __m128i to_bytes(__m256 x)
{
    __m256i whole = _mm256_cvtps_epi32(x);
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    return _mm_packs_epi16(words, words);
}

float ni_avx2_quantise(const float *x, size_t n, float least, int8_t *out)
{
    size_t i = 0, whole = n / NI_LANES * NI_LANES;
    __m256 last = _mm256_maskload_ps(x + whole, first_lanes(n - whole));
    __m256i far = farther(last, _mm256_castps_si256(_mm256_set1_ps(least)));
    for (; i < whole; i += NI_LANES) far = farther(_mm256_loadu_ps(x + i), far);
    float most = farthest(far);
    if (!isfinite(most)) return most;
    __m256 scale = _mm256_set1_ps(127 / most);
    for (i = 0; i < whole; i += NI_LANES)
        _mm_storel_epi64((__m128i *)(out + i), to_bytes(_mm256_mul_ps(_mm256_loadu_ps(x + i), scale)));
    int64_t bytes = _mm_cvtsi128_si64(to_bytes(_mm256_mul_ps(last, scale)));
    memcpy(out + whole, &bytes, n - whole);
    return most;
}

INLINE __m256 add_bytes(__m256 sum, __m256 q, const int8_t *B)
{
    __m256i whole = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)B));
    return _mm256_fmadd_ps(q, _mm256_cvtepi32_ps(whole), sum);
}

/* NI_BYTES columns. A and B of a row stand `half` apart, and their scale behind them. */
INLINE ni_int8_scale gather_max_bytes(const int8_t *rows, size_t stride, const uint32_t *row, size_t count,
                                      size_t half, size_t tail, int8_t *A, float *qB)
{
    enum { PARTS = NI_BYTES / NI_LANES };
    __m256i most = _mm256_set1_epi8(INT8_MIN);
    __m256 sum[PARTS];
    ni_int8_scale all = { 0, 0 }, one;
    for (int p = 0; p < PARTS; p++) sum[p] = _mm256_setzero_ps();
    for (size_t i = 0; i < count; i++) {
        const int8_t *x = rows + row[i] * stride;
        memcpy(&one, x + tail, sizeof one);
        most = _mm256_max_epi8(most, _mm256_loadu_si256((const __m256i *)x));
        for (int p = 0; p < PARTS; p++)
            sum[p] = add_bytes(sum[p], _mm256_set1_ps(one.q), x + half + p * NI_LANES);
        all.v += one.v, all.q += one.q;
    }
    _mm256_storeu_si256((__m256i *)A, most);
    for (int p = 0; p < PARTS; p++) _mm256_storeu_ps(qB + p * NI_LANES, sum[p]);
    return all;
}

void ni_avx2_gather_max_int8(const int8_t *rows, size_t stride, const uint32_t *row, size_t count,
                             size_t half, ni_int8_sums *out)
{
    for (size_t k = 0; k < half; k += NI_BYTES)
        out->sum =
            gather_max_bytes(rows + k, stride, row, count, half, 2 * half - k, out->A + k, out->qB + k);
}
#else
typedef int ni_no_avx2_int8; /* C forbids an empty file */
#endif
