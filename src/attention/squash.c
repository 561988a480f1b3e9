/* Arrays of alignments squashed; see squash.h. */
#include "attention/squash.h"

#include "linalg/kernels.h"

void ni_squash(uint32_t kind, uint32_t dim, const float *x, uint64_t n, float *z)
{
    float scale = ni_align_scale(dim);
    if (kind == NI_ALIGN_TANH) ni_kernels_get()->tanh(x, n, z);
    for (uint64_t i = 0; kind == NI_ALIGN_SCALED && i < n; i++) z[i] = ni_squash_scaled(scale, x[i]);
}
