/* The plain provider: a table that lends its rows without a copy, by the ids of the batch. */
#include "attention/rows.h"

static neap_status lend(void *self, const ni_batch *b, ni_rows_view *view, neap_error *err)
{
    const ni_row_table *t = self;
    (void)err;
    *view = (ni_rows_view){ t->E, b->id };
    return NEAP_OK;
}

static neap_status take(void *self, const ni_batch *b, const ni_gradient *gradient, neap_error *err)
{
    const ni_row_table *t = self;
    (void)b, (void)err;
    if (t->gradient) *t->gradient = *gradient;
    return NEAP_OK;
}

static neap_status all(void *self, const float **rows, neap_error *err)
{
    (void)err;
    *rows = ((const ni_row_table *)self)->E;
    return NEAP_OK;
}

ni_rows ni_rows_of_table(ni_row_table *table, uint32_t ids)
{
    return (ni_rows){
        .self = table, .identity = NI_ROW_BY_ID, .ids = ids, .lend = lend, .take = take, .all = all
    };
}
