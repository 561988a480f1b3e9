/* avx2.h - what the files of the AVX2 kernels share. */
#ifndef NI_AVX2_H
#define NI_AVX2_H

#include "linalg/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

/* All ones in the first n of eight lanes. */
INLINE __m256i first_lanes(size_t n)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane);
}

/* Sums in registers: with what is loaded and a weight they are sixteen, or nearly. */
enum { MOST_SUMS = 13 };

/* All whole registers of n columns, of which there are `many` sums each, in passes of nearly equal width:
 * 200 columns are 13 and 12 registers of one sum, or five times five of two. COLUMNS(r) makes the sums of r
 * registers from column `at` on; where it is done, `at` is behind the last. */
/* clang-format off */
#define PASS(r, many, COLUMNS) case r: if ((r) * (many) <= MOST_SUMS) COLUMNS(r); break;
#define IN_PASSES(many, n, at, COLUMNS)                                                                    \
    do {                                                                                                   \
        const size_t most = (size_t)(MOST_SUMS / (many));                                                  \
        size_t whole = (n) / NI_LANES, passes = (whole + most - 1) / most, registers;                      \
        for ((at) = 0; passes; passes--, whole -= registers, (at) += registers * NI_LANES) {               \
            registers = (whole + passes - 1) / passes;                                                     \
            switch (registers) {                                                                           \
            PASS(1, many, COLUMNS) PASS(2, many, COLUMNS) PASS(3, many, COLUMNS) PASS(4, many, COLUMNS)    \
            PASS(5, many, COLUMNS) PASS(6, many, COLUMNS) PASS(7, many, COLUMNS) PASS(8, many, COLUMNS)    \
            PASS(9, many, COLUMNS) PASS(10, many, COLUMNS) PASS(11, many, COLUMNS) PASS(12, many, COLUMNS) \
            PASS(13, many, COLUMNS)                                                                        \
            }                                                                                              \
        }                                                                                                  \
    } while (0)
/* clang-format on */

/* avx2_gather.c; see ni_kernels. */
void ni_avx2_gather_sum(const float *const *weight, uint32_t sides, const uint32_t *row, uint32_t rows,
                        const float *B, size_t n, float *const *out);
void ni_avx2_scatter_sum(const float *const *weight, const float *const *x, uint32_t sides,
                         const uint32_t *row, uint32_t rows, size_t n, float *out);

/* avx2_gemm.c */
ni_product ni_avx2_gemm;

/* avx2_int8.c */
float ni_avx2_quantise(const float *x, size_t n, float least, int8_t *out);
void ni_avx2_gather_max_int8(const int8_t *rows, size_t stride, const uint32_t *row, size_t count,
                             size_t half, ni_int8_sums *out);
#endif

#endif
