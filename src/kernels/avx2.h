/* avx2.h - what the files of the AVX2 kernels share. */
#ifndef NI_AVX2_H
#define NI_AVX2_H

#include "kernels/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

/* All ones in the first n of eight lanes. */
INLINE __m256i first_lanes(size_t n)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane);
}

/* avx2_sides.c; see ni_kernels. */
void ni_avx2_mix(const float *const *weight, uint32_t sides, const uint32_t *row, uint32_t rows,
                 const float *B, size_t n, float *const *out);
void ni_avx2_share(const float *const *weight, const float *const *x, uint32_t sides, const uint32_t *row,
                   uint32_t rows, size_t n, float *out);

/* avx2_gemm.c */
ni_product ni_avx2_gemm;

/* avx2_short.c */
float ni_avx2_shorten(const float *x, size_t n, float least, int8_t *out);
void ni_avx2_meet_short(const int8_t *rows, size_t stride, const uint32_t *row, size_t count, size_t half,
                        ni_met *out);
#endif

#endif
