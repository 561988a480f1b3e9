/* study.h - what has been asked for, as sheets of cells, and what is known of them. */
#ifndef NI_STUDY_H
#define NI_STUDY_H

#include "reproduce/cells.h"
#include "reproduce/sheet.h"

/* Names of tables, methods and protocols are looked up; NEAP_E_ARG with the choices if one is unknown. */
neap_status ni_study_create(const neap_reproduction *what, ni_study *study, neap_error *err);
void ni_study_free(ni_study *study);

/* The cell of a row, a column and the i-th seed; false if it is not asked for: another ratio, a method that
 * this version does not have, or one that has no answer to the task. */
bool ni_study_cell(const neap_reproduction *what, const ni_sheet *sheet, size_t row, size_t column,
                   uint32_t i, ni_cell *cell);

/* Adds one seed's outcome; ni_study_finish turns sums into means and deviations. */
void ni_study_add(ni_sheet *sheet, size_t row, size_t column, const ni_outcome *outcome);
void ni_study_finish(ni_study *study);

#endif
