/* rows.h - where the rows of a batch come from: a table, or an encoder of ids or sequences.
 *
 * The engine reads rows and returns their gradients only through a provider; dropout, padding and P are its
 * own. A provider lends: nothing is copied, and a view lives until the provider's next call. */
#ifndef NI_ROWS_H
#define NI_ROWS_H

#include "attention/batch.h"
#include "model/optimizer.h"

/* Row i is at base + at[i] d; with at NULL, at base + i d. */
typedef struct ni_rows_view {
    const float *base;
    const uint32_t *at;
} ni_rows_view;

typedef struct ni_rows {
    void *self;
    ni_row_identity identity; /* NI_ROW_BY_ID or NI_ROW_BY_POSITION */
    uint32_t ids;             /* valid ids are below it             */

    /* The rows of a batch. Those of padding are not read. */
    neap_status (*lend)(void *self, const ni_batch *batch, ni_rows_view *view, neap_error *err);

    /* The gradient of the mean loss by these rows, without dropout; gradient->row has the ids. Where rows
     * are by id, each comes once; else they are the batch's. NULL: the rows do not learn. */
    neap_status (*take)(void *self, const ni_batch *batch, const ni_gradient *gradient, neap_error *err);

    /* All rows, ids x d, one behind the other, as lend has them: what ranking multiplies. Called once;
     * they stay valid until the rows change or the provider ends, whatever else is called. NULL: there is
     * no such table, and pairs are scored one by one. */
    neap_status (*all)(void *self, const float **rows, neap_error *err);

    /* Where rows are by position: those of all positions of all sides, offset[nodes] x d, one behind the
     * other, as `all` has them otherwise. NULL: pairs are scored one by one. */
    neap_status (*all_positions)(void *self, const ni_hood *sides, const float **rows, neap_error *err);

    /* Bytes that lending and taking these rows would hold, for estimates; NULL: none. */
    uint64_t (*bytes)(const void *self, const ni_batch *batch);
} ni_rows;

/* The plain provider: row `id` of E (ids x d). */
typedef struct ni_row_table {
    const float *E;
    ni_gradient *gradient; /* receives what is taken; or NULL */
} ni_row_table;

ni_rows ni_rows_of_table(ni_row_table *table, uint32_t ids);

#endif
