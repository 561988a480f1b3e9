/* study.h - all tables as sheets of cells, what of them is asked for, and what is known of them. */
#ifndef NI_STUDY_H
#define NI_STUDY_H

#include "paper/cells.h"
#include "paper/sheet.h"

/* Sheets of all tables, whatever is asked for. Names of tables, methods and protocols are looked up;
 * NEAP_E_ARG with the choices if one is unknown, or if together they ask for nothing. */
neap_status ni_study_create(const neap_reproduction *what, ni_study *study, neap_error *err);
void ni_study_free(ni_study *study);

/* The cell of a row, a column and a seed; false if there can be none: the method is not in this version, or
 * it has no answer to the task. */
bool ni_study_cell(const neap_reproduction *what, const ni_sheet *sheet, size_t row, size_t column,
                   uint64_t seed, ni_cell *cell);

/* Whether a cell of a sheet is asked for. */
bool ni_study_asks(const neap_reproduction *what, const ni_sheet *sheet, const ni_cell *cell);

/* Adds a seed that is not among the study's yet. */
neap_status ni_study_add_seed(ni_study *study, uint64_t seed, neap_error *err);

/* Adds one seed's outcome; ni_study_finish turns sums into means and deviations. */
void ni_study_add(ni_sheet *sheet, size_t row, size_t column, const ni_outcome *outcome);
void ni_study_finish(ni_study *study);

#endif
