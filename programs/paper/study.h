/* study.h - all tables as sheets of cells, which of them are requested, and their results.
 *
 * A sheet is one table under one protocol, as far as it has been run: means and deviations over the seeds,
 * and the paper's numbers beside them, never in their place.                                           */
#ifndef NI_STUDY_H
#define NI_STUDY_H

#include "paper/cells.h"
#include "paper/reproduce.h"
#include "paper/settings.h"

typedef struct ni_entry {
    uint32_t seeds;         /* runs behind it; 0: not run, and then all else of ours is NaN     */
    double mean[NI_VALUES]; /* in the order of ni_aim_info.value; NaN: the protocol has none   */
    double std[NI_VALUES];  /* sample deviation over the seeds; NaN for one seed                */
    double seconds;         /* of training, mean over the seeds                                 */
    double paper[NI_SHOWN]; /* in per cent; NaN: the paper has none, or it is not comparable    */
    uint32_t asked;         /* seeds asked for                                                  */
    uint32_t cut, late;     /* seeds whose training was cut short; that have no value therefore */
    uint32_t unranked;      /* seeds without ranks among all nodes, for which no time was left  */
    double limit;           /* seconds, the largest of those that cut any of these short        */
} ni_entry;

typedef struct ni_sheet {
    const ni_table *table;
    const char *protocol; /* "paper" (leaky), "paper-clean" or "clean"; "" where there is no split */
    ni_condition *row;
    size_t rows;
    ni_entry *entry; /* rows x table->columns */
    uint64_t *seed;  /* ascending: those that something shown in it was made with */
    uint32_t seeds;
} ni_sheet;

/* A part of what was asked for. */
typedef struct ni_study_part {
    const char *title;
    uint64_t asked, missing;
} ni_study_part;

/* Everything that a report shows. */
typedef struct ni_study {
    ni_sheet *sheet; /* grouped by table, in the order of tables.c; protocols in the order paper,
                        paper-clean, clean */
    size_t sheets;
    uint64_t *seed; /* ascending: those asked for, and those that something shown was made with */
    uint32_t seeds;
    const neap_options *settings[2]; /* of gap in the paper's two protocols, and in clean */
    neap_options *own[2];            /* these, if they are the study's to free            */
    bool own_neighbors, own_dropout; /* of the first; else each graph has those of the paper's table 2 */
    uint64_t asked, missing;         /* cells asked for, and of these not run yet */
    uint64_t shown;                  /* measurements behind the entries           */
    double cell_time;                /* seconds; 0: no limit                      */
    bool plain;                      /* nothing of settings.def applies           */
    ni_study_part *part;             /* in the order in which they are run        */
    size_t parts;
} ni_study;

/* Sheets of all tables, whatever is asked for. Names of tables, methods and protocols are looked up;
 * NEAP_E_ARG with the choices if one is unknown, or if together they ask for nothing. */
neap_status ni_study_create(const ni_reproduction *what, ni_study *study, neap_error *err);
void ni_study_free(ni_study *study);

/* The cell of a row, a column and a seed; false if there can be none: the method is not in this version,
 * it cannot do the task, or the graph does not have the texts that it reads. */
bool ni_sheet_cell(const ni_sheet *sheet, size_t row, size_t column, uint64_t seed, ni_cell *cell);

/* What its method is given; the caller's to free. */
neap_status ni_study_options(const ni_reproduction *what, const ni_cell *cell, neap_options **out,
                             neap_error *err);

/* The part that a cell of a sheet belongs to; -1 if it is not asked for. */
int ni_study_part_of(const ni_reproduction *what, const ni_sheet *sheet, const ni_cell *cell);

/* The seeds that are asked for, ascending. */
size_t ni_study_asked_seeds(const ni_reproduction *what, uint64_t **seed, neap_error *err);

/* Adds a seed that is not among the study's yet, or the sheet's. */
neap_status ni_study_add_seed(ni_study *study, uint64_t seed, neap_error *err);
neap_status ni_sheet_add_seed(ni_sheet *sheet, uint64_t seed, neap_error *err);

/* Adds one seed's outcome; ni_study_finish turns sums into means and deviations. */
void ni_study_add(ni_sheet *sheet, size_t row, size_t column, const ni_outcome *outcome);
void ni_study_finish(ni_study *study);

#endif
