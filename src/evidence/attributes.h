/* attributes.h - what is known of nodes beside their links, as evidence reads it: words and features.
 *
 *     terms   C, nodes x columns: TF-IDF of words, and features (model/content.h); rows of length 1
 *
 *     vector  C V, V the leading singular vectors of C; rows of length 1, 0 where nothing is known
 *
 *     near    the NI_NEAR_MOST nodes whose rows of C have the largest cosine, and it; 0: none
 *
 * Text links: a graph of the links of a view and of `near`, each with its cosine as weight. Walks on it
 * reach nodes that no link leads to. */
#ifndef NI_ATTRIBUTES_H
#define NI_ATTRIBUTES_H

#include "evidence/view.h"
#include "linalg/sparse.h"

enum { NI_NEAR_MOST = 10 };

typedef struct ni_attributes {
    ni_sparse terms;      /* start, end and term                 */
    uint32_t columns;     /* of terms                            */
    uint32_t dim;         /* of vector                           */
    const float *vector;  /* nodes x dim                        */
    const uint32_t *near; /* nodes x NI_NEAR_MOST              */
    const float *cosine;  /* likewise                          */
} ni_attributes;

/* Fills near and cosine (rows x NI_NEAR_MOST) of rows first, first + 1, ...: by an inverted index, columns
 * of a row in the order of their weight. Exact for NI_NEAR_EXACT texts; of more each reads at most
 * NI_NEAR_READ entries of the index, its heaviest columns first, and *bounded tells whether that left out
 * any. O(entries read). */
enum { NI_NEAR_EXACT = 100000, NI_NEAR_READ = 1 << 21 };
neap_status ni_attributes_near(const ni_sparse *terms, uint32_t columns, uint32_t first,
                               ni_threads *threads, uint32_t *near, float *cosine, bool *bounded,
                               neap_error *err);

/* Something is known of the node. */
bool ni_attributes_has(const ni_attributes *a, uint32_t node);

/* The view of text links. NEAP_E_MEM. */
neap_status ni_attributes_view(const ni_view *view, const ni_attributes *a, ni_view *out, neap_error *err);

/* out (nodes x dim): the mean of the vectors of each node's neighbours that have one; 0 if none has. */
void ni_attributes_around(const ni_view *view, const ni_attributes *a, ni_threads *threads, float *out);

#endif
