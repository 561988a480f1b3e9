/* packed.h - sequences of rows, one behind the other in one matrix: what encoders read and write.
 *
 * Row i of sequence s is row first[s] + i of the matrix. Sequences come in ascending order and do not
 * overlap; between them there may be rows that belong to none. */
#ifndef NI_PACKED_H
#define NI_PACKED_H

#include <stdint.h>
#include <string.h>

typedef struct ni_packed {
    uint32_t count;
    const uint64_t *first;  /* count                        */
    const uint32_t *length; /* count: rows, 0 is an empty sequence */
    uint64_t rows;          /* of the matrix                */
} ni_packed;

/* Sets the rows of M (rows x d) that belong to no sequence to zero. */
static inline void ni_packed_clear(const ni_packed *p, uint64_t d, float *M)
{
    uint64_t at = 0;
    for (uint32_t s = 0; s <= p->count; s++) {
        uint64_t end = s < p->count ? p->first[s] : p->rows;
        memset(M + at * d, 0, (end - at) * d * sizeof *M);
        if (s < p->count) at = p->first[s] + p->length[s];
    }
}

#endif
