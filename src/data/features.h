/* features.h - numbers that are known of nodes, as a sparse matrix of nodes and named features.
 *
 * Dense: the tables of neap_vectors_load. Sparse: Matrix Market, or lines `node feature[:value] ...`. */
#ifndef NI_DATA_FEATURES_H
#define NI_DATA_FEATURES_H

#include "graph/names.h"
#include "neap.h"

struct neap_features {
    uint32_t nodes;
    ni_names names;    /* of the features: in lines as they stand there, in matrices the column's number */
    uint64_t *offset;  /* nodes + 1: the row of node u is offset[u] .. offset[u + 1] - 1                 */
    uint32_t *feature; /* ascending in a row                                                           */
    float *value;      /* finite, not 0                                                                */
    neap_features_facts facts;
};

/* Memory of the features. */
uint64_t ni_features_bytes(const neap_features *features);

/* Names the matrix, but not its features; never 0. */
uint64_t ni_features_hash(const neap_features *features);

#endif
