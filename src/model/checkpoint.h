/* checkpoint.h - a run that can go on: the model so far, the tables behind it, the place in the epoch, the
 * best. */
#ifndef NI_CHECKPOINT_H
#define NI_CHECKPOINT_H

#include "model/model.h"

/* Where a run stands. Random draws are functions of coordinates, so that this and the tables are all there
 * is. */
typedef struct ni_run {
    uint64_t epoch;      /* complete epochs                                              */
    uint64_t batch;      /* steps done in the epoch under way                            */
    uint64_t items;      /* edges, or tokens of walks, trained on in it                  */
    uint64_t updates;    /* of the optimiser, since the start                            */
    double loss_sum;     /* the losses of the items                                      */
    double last_loss;    /* mean of the last complete epoch, or NaN                      */
    double last_auc;     /* its validation AUC, or NaN                                   */
    uint64_t best_epoch; /* complete epochs when the validation AUC was best; 0: not yet */
    double best_auc, best_loss;
} ni_run;

/* A table that training changes. A result is part of the model; with validation the best epoch's is kept.
 */
typedef struct ni_table {
    const char *name;       /* in the file                                              */
    float *data;            /* NULL where only the shape is asked for                   */
    uint64_t rows, columns; /* columns 0: one-dimensional                               */
    bool result;
    float *best; /* a copy of the best epoch's; NULL without validation      */
} ni_table;

enum { NI_TABLES_MOST = 8 };

typedef struct ni_tables {
    ni_table table[NI_TABLES_MOST];
    uint32_t count;
    uint64_t places; /* an epoch has at most so many steps, items and updates */
} ni_tables;

void ni_tables_add(ni_tables *tables, const char *name, float *data, uint64_t rows, uint64_t columns,
                   bool result);

static inline uint64_t ni_table_length(const ni_table *t)
{
    return t->rows * (t->columns ? t->columns : 1);
}

neap_status ni_checkpoint_write(const neap_model *model, const ni_tables *tables, const ni_run *run,
                                const char *path, neap_error *err);

/* Fills the tables and the run, made for this graph and these options. NEAP_E_MISMATCH if the checkpoint is
 * of others; *found is false if there is no such file. */
neap_status ni_checkpoint_read(const neap_model *model, const ni_tables *tables, ni_run *run,
                               const char *path, bool *found, neap_error *err);

/* Whether there is such a file that holds this tensor: which part of a run it is from. */
neap_status ni_checkpoint_holds(const char *path, const char *tensor, bool *holds, neap_error *err);

/* What a checkpoint holds besides its model is complete: these tables, of which only the shapes count. */
struct ni_tensors;
neap_status ni_checkpoint_check(const struct ni_tensors *t, const neap_model *model,
                                const ni_tables *tables, neap_error *err);

#endif
