/* cane_reference.h - CANE as cane_pairs.h has it, in the plain form: one item at a time, every text padded
 * to its whole length, nothing collapsed. Its specification.
 *
 * ni_real is float, or double: see base/real.h. */
#ifndef NI_CANE_REFERENCE_H
#define NI_CANE_REFERENCE_H

#include "base/real.h"
#include "encoders/cnn_reference.h"

#ifdef NI_REFERENCE_DOUBLE
#define ni_ref_cane_room ni_ref_cane_room_double
#define ni_ref_cane_pair ni_ref_cane_pair_double
#define ni_ref_cane_loss ni_ref_cane_loss_double
#endif

typedef struct ni_ref_cane {
    uint32_t h, length;   /* of a vector; L: words of a text with its padding, at least 2     */
    const ni_real *E;     /* nodes x h                                                        */
    const ni_real *words; /* (V+1) x h, the last for padding                                  */
    const ni_real *C, *R; /* 2 x h x h, h x h                                                 */
    ni_real rho[3];       /* text with text, node with node, text with node                   */
} ni_ref_cane;

/* A node of an item. */
typedef struct ni_ref_cane_node {
    uint32_t node;
    const uint32_t *word; /* L: the words of its text and its padding */
    uint32_t windows;     /* that are read: L-1, or fewer             */
} ni_ref_cane_node;

typedef struct ni_ref_cane_gradients {
    ni_real *E, *words, *C, *R; /* shaped as what they are of */
} ni_ref_cane_gradients;

/* Numbers of work space. */
uint64_t ni_ref_cane_room(const ni_ref_cane *m);

/* t (2 x h): the vectors of both texts of a pair. */
void ni_ref_cane_pair(const ni_ref_cane *m, const ni_ref_cane_node *pair, ni_real *t, ni_real *work);

/* The loss of an item (a, b, z); its gradient is added to g. */
ni_real ni_ref_cane_loss(const ni_ref_cane *m, const ni_ref_cane_node *item, const ni_ref_cane_gradients *g,
                         ni_real *work);

#endif
