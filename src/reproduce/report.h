/* report.h - what the three reports say in the same way: which value is the best of its column, how a
 * number is written, what a protocol means.
 *
 * Numbers are rounded first and compared then, so that a table never contradicts itself: what looks equal
 * is equal, and a difference is the difference of what is printed.                                      */
#ifndef NI_REPORT_H
#define NI_REPORT_H

#include "reproduce/sheet.h"

/* ---- protocols ---- */

typedef struct ni_protocol_info {
    const char *name;  /* "paper"                        */
    const char *words; /* what it does, in two sentences */
    bool leaky;
} ni_protocol_info;

/* NULL behind the last, in the order of the reports. */
const ni_protocol_info *ni_protocol_at(size_t i);
bool ni_sheet_is_leaky(const ni_sheet *sheet);

/* Why, in one line; it begins with "Leaky". */
extern const char ni_leak_words[];

/* ---- what was run ---- */

const ni_entry *ni_sheet_entry(const ni_sheet *sheet, size_t row, size_t column);
bool ni_row_was_run(const ni_sheet *sheet, size_t row); /* in any column */
bool ni_sheet_was_run(const ni_sheet *sheet);           /* in any row    */
bool ni_row_is_published(const ni_sheet *sheet, size_t row, size_t value);

/* Whether there is a number of ours to be printed. */
bool ni_entry_has(const ni_entry *entry, size_t value);

/* Seeds that a complete cell has: a time is taken once. */
uint32_t ni_sheet_seeds(const ni_study *study, const ni_sheet *sheet);

/* ---- words and numbers ---- */

/* "AUC", "NMI", "seconds an epoch". */
const char *ni_value_title(const ni_sheet *sheet, size_t value);

/* "gap, untrained" */
enum { NI_ROW_LABEL = 128 };
void ni_row_label(const ni_place *row, char label[NI_ROW_LABEL]);

/* A value as it is printed: in per cent where the task has it so, rounded. */
double ni_shown(const ni_sheet *sheet, double value);
int ni_shown_decimals(const ni_sheet *sheet, double value);

/* Decimals that the paper gave in this sheet: one, or none where all its numbers are whole. */
int ni_paper_decimals(const ni_sheet *sheet, size_t value);

/* Ours less the paper's; both must be there. */
double ni_difference(const ni_sheet *sheet, const ni_entry *entry, size_t value);

/* Whether it is the best of those it competes with, of which there must be at least two: the methods of a
 * column; where the columns are settings of one method (S), those of a row. Equals are all best. */
bool ni_is_best(const ni_sheet *sheet, size_t row, size_t column, size_t value);

/* ---- settings ---- */

/* Options that make a result what it is: all that are saved, but for what belongs to a cell. */
bool ni_setting_matters(const neap_option_info *option);

/* Of the settings of the paper's protocols (0) or of clean (1): the option is that of the graph. */
bool ni_setting_is_by_graph(const ni_study *study, const char *option, int which);

#endif
