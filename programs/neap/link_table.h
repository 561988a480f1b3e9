/* link_table.h - the results of `neap eval link`: cells, their table for people and for programs. */
#ifndef CLI_LINK_TABLE_H
#define CLI_LINK_TABLE_H

#include "eval_common.h"
#include "link_calibration.h"

/* What is measured: the file of --vectors, or a method. */
typedef struct link_row {
    const char *method;  /* or the name of the file without its folders */
    bool given;          /* it is the file                              */
    bool untrained;      /* the method at 0 epochs                      */
    const char *without; /* the group of evidence that was left out; NULL: none */
} link_row;

/* A row at a ratio, over the splits. */
typedef struct link_cell {
    moments auc, auc_no_loops, auc_seen, ap, mrr, mrr_all, hits[3], pool_hits[3], hits_all[3], pairs,
        skipped, loops, ties, ranked, training, seconds;
    moments auc_shared;
    calibration calibration;
    bool sees_test;
} link_cell;

typedef struct link_table {
    neap_trial_facts facts; /* of the first split */
    splits splits;
    uint64_t seeds;                  /* splits of a ratio, at most */
    link_row row[1 + 3 * LIST_MOST]; /* the file; methods, untrained; groups left out */
    size_t rows;
    link_cell *cells; /* rows x ratios */
} link_table;

link_cell *link_cell_at(const link_table *t, size_t row, size_t column);
void link_cell_add(link_cell *c, const neap_link_result *x, double training);

/* "gap at 55 %, seed 1"; "gap untrained at 55 %, seed 1". */
enum { LINK_WORDS = 128 };
char *link_words(const link_table *t, size_t row, const split_item *item, char text[LINK_WORDS]);

/* Seconds until all cells are full, judged by those of the same row; NaN while a row has none. */
double link_seconds_left(const link_table *t);

/* What the methods were trained on, in words. */
const char *link_sees(const link_table *t);

/* How right its probabilities are was measured at one ratio at least. */
bool link_row_calibrated(const link_table *t, size_t row);

void link_table_print(const link_table *t);
void link_table_json(const link_table *t, FILE *to);

#endif
