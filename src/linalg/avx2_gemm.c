/* Matrix products of our own: OpenBLAS has kernels for CPUs older than itself only, and on a newer one
 * Debian 12's falls back to SSE3, at less than half the speed (bench/run products measures both). Every
 * number is
 *
 *     c = add ? C_ij : 0;   for p = 0 .. k-1:  c = fma(A_ip, B_pj, c)
 *
 * whatever the tiles, so that the result depends neither on how rows are dealt to threads nor on the CPU.
 * A panel of B, PANEL columns and at most DEEP rows, is copied so that it is read in one go; then tiles of
 * six rows and two registers pass over it. The rows of A lie as they are. */
#include "linalg/avx2.h"

#if defined(__x86_64__)
#include <string.h>

enum {
    ROWS = 6,             /* twelve sums, two registers of B and one of A are fifteen */
    PANEL = 2 * NI_LANES, /* columns                                                  */
    DEEP = 256,           /* a panel is 16 KB, half of the first cache                */
    TALL = 48 * ROWS      /* rows of A that stay in the second cache meanwhile        */
};

static size_t least(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* The rows of the next tile: tiles are about equally tall, because a flat one wastes registers. */
static size_t even_share(size_t left)
{
    size_t tiles = (left + ROWS - 1) / ROWS;
    return (left + tiles - 1) / tiles;
}

/* ---- panels of B ---- */

/* Eight rows of eight numbers, `stride` apart, become columns, PANEL apart. */
static void turn_block(const float *from, size_t stride, float *to)
{
    __m256 x[8], y[8];
    for (int i = 0; i < 8; i++) x[i] = _mm256_loadu_ps(from + (size_t)i * stride);
    for (int i = 0; i < 8; i += 2) {
        y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            x[i + 2 * j] = _mm256_shuffle_ps(y[i + j], y[i + j + 2], 0x44);
            x[i + 2 * j + 1] = _mm256_shuffle_ps(y[i + j], y[i + j + 2], 0xee);
        }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(to + i * PANEL, _mm256_permute2f128_ps(x[i], x[i + 4], 0x20));
        _mm256_storeu_ps(to + (i + 4) * PANEL, _mm256_permute2f128_ps(x[i], x[i + 4], 0x31));
    }
}

/* B is given by columns: `width` of them, `deep` numbers each. */
static void pack_transposed(const float *B, size_t stride, size_t deep, size_t width, float *panel)
{
    size_t blocks = width / 8 * 8, whole = deep / 8 * 8;
    for (size_t j = 0; j < blocks; j += 8)
        for (size_t p = 0; p < whole; p += 8) turn_block(B + j * stride + p, stride, panel + p * PANEL + j);
    for (size_t j = 0; j < width; j++)
        for (size_t p = j < blocks ? whole : 0; p < deep; p++) panel[p * PANEL + j] = B[j * stride + p];
}

/* B is given by rows. The width of a whole panel is a constant, which makes it two registers. */
static void pack_rows(const float *B, size_t stride, size_t deep, size_t width, float *panel)
{
    for (size_t p = 0; p < deep; p++) {
        if (width == PANEL) memcpy(panel + p * PANEL, B + p * stride, PANEL * sizeof *B);
        else memcpy(panel + p * PANEL, B + p * stride, width * sizeof *B);
    }
}

static void pack(const ni_factor *B, size_t p, size_t j, size_t deep, size_t width, float *panel)
{
    if (width < PANEL) memset(panel, 0, deep * PANEL * sizeof *panel);
    if (B->transposed) pack_transposed(B->at + j * B->stride + p, B->stride, deep, width, panel);
    else pack_rows(B->at + p * B->stride + j, B->stride, deep, width, panel);
}

/* ---- tiles of C ---- */

/* A_ip is A[i * down + p * along]. */
INLINE void tile(const int rows, const float *A, size_t down, size_t along, const float *panel, size_t deep,
                 bool add, float *C, size_t ldc)
{
    __m256 sum[2 * ROWS];
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < 2; v++)
            sum[2 * i + v] =
                add ? _mm256_loadu_ps(C + (size_t)i * ldc + v * NI_LANES) : _mm256_setzero_ps();
    for (size_t p = 0; p < deep; p++) {
        __m256 left = _mm256_loadu_ps(panel + p * PANEL),
               right = _mm256_loadu_ps(panel + p * PANEL + NI_LANES);
        for (int i = 0; i < rows; i++) {
            __m256 a = _mm256_broadcast_ss(A + (size_t)i * down + p * along);
            sum[2 * i] = _mm256_fmadd_ps(a, left, sum[2 * i]);
            sum[2 * i + 1] = _mm256_fmadd_ps(a, right, sum[2 * i + 1]);
        }
    }
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < 2; v++) _mm256_storeu_ps(C + (size_t)i * ldc + v * NI_LANES, sum[2 * i + v]);
}

static void tile_of(size_t rows, const ni_factor *A, const float *from, const float *panel, size_t deep,
                    bool add, float *C, size_t ldc)
{
    switch (2 * rows + A->transposed) { /* clang-format off */
#define TILE(r) case 2 * r: tile(r, from, A->stride, 1, panel, deep, add, C, ldc); break; \
                case 2 * r + 1: tile(r, from, 1, A->stride, panel, deep, add, C, ldc); break;
    TILE(1) TILE(2) TILE(3) TILE(4) TILE(5) TILE(6)
#undef TILE
    } /* clang-format on */
}

/* The last panel may be narrower than a tile, which then goes through a copy. */
static void narrow_tile(size_t rows, const ni_factor *A, const float *from, const float *panel, size_t deep,
                        bool add, float *C, size_t ldc, size_t width)
{
    float copy[ROWS * PANEL];
    memset(copy, 0, sizeof copy);
    for (size_t i = 0; add && i < rows; i++) memcpy(copy + i * PANEL, C + i * ldc, width * sizeof *C);
    tile_of(rows, A, from, panel, deep, add, copy, PANEL);
    for (size_t i = 0; i < rows; i++) memcpy(C + i * ldc, copy + i * PANEL, width * sizeof *C);
}

void ni_avx2_gemm(const ni_factor *A, const ni_factor *B, size_t m, size_t n, size_t k, bool add, float *C,
                  size_t ldc)
{
    _Alignas(NI_CACHE_LINE) float panel[DEEP * PANEL];
    for (size_t i = 0; !k && !add && i < m; i++) memset(C + i * ldc, 0, n * sizeof *C);
    for (size_t p = 0; p < k; p += DEEP, add = true)
        for (size_t top = 0; top < m; top += TALL)
            for (size_t j = 0; j < n; j += PANEL) {
                size_t deep = least(DEEP, k - p), bottom = least(top + TALL, m),
                       width = least(PANEL, n - j);
                pack(B, p, j, deep, width, panel);
                for (size_t i = top, rows; i < bottom; i += rows) {
                    const float *from = A->at + (A->transposed ? p * A->stride + i : i * A->stride + p);
                    rows = even_share(bottom - i);
                    float *to = C + i * ldc + j;
                    if (width == PANEL) tile_of(rows, A, from, panel, deep, add, to, ldc);
                    else narrow_tile(rows, A, from, panel, deep, add, to, ldc, width);
                }
            }
}
#else
typedef int ni_no_avx2_gemm; /* C forbids an empty file */
#endif
