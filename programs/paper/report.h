/* report.h - what the three reports have in common: which value is the best of its column, how a
 * number is written, what a protocol means.
 *
 * Numbers are rounded first and compared then, so that a table never contradicts itself: what looks equal
 * is equal, and a difference is the difference of what is printed.                                      */
#ifndef NI_REPORT_H
#define NI_REPORT_H

#include "pages/pages.h"
#include "paper/study.h"

/* Each renders one file: results.json, results.md, report.html. */
void ni_report_json(ni_page *out, const ni_study *study);
void ni_report_markdown(ni_page *out, const ni_study *study);
void ni_report_html(ni_page *out, const ni_study *study);

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

/* In a leaky sheet: the row's method reads neighbourhoods, and so the test links. */
bool ni_row_sees_test(const ni_sheet *sheet, size_t row);

/* What of lr, epochs and batch of gap is not the paper's in a sheet of its protocols, and how the settings
 * of the other systems were chosen, or that they have none, as sentences; "" if there is nothing of it. */
enum { NI_NOT_PAPERS = 768 };
void ni_sheet_not_papers(const ni_study *study, const ni_sheet *sheet, char words[NI_NOT_PAPERS]);

/* ---- what was run ---- */

const ni_entry *ni_sheet_entry(const ni_sheet *sheet, size_t row, size_t column);
bool ni_row_was_run(const ni_sheet *sheet, size_t row); /* in any column, be it in vain */
bool ni_sheet_was_run(const ni_sheet *sheet);           /* in any row    */
bool ni_row_is_published(const ni_sheet *sheet, size_t row, size_t value);

/* Whether there is anything to show in a column: those of which nothing was run or printed are left out. */
bool ni_sheet_has_column(const ni_sheet *sheet, size_t column);
size_t ni_sheet_columns(const ni_sheet *sheet);

/* Why a row that was not run was not: nobody asked, the graph has no texts, there is no such method yet. */
typedef enum ni_absence { NI_NOT_RUN, NI_NO_TEXT, NI_NOT_IN_VERSION, NI_ABSENCES } ni_absence;
ni_absence ni_row_absence(const ni_sheet *sheet, size_t row);

/* "Not run", "Not run: the posts are not available", "Not in this version". */
enum { NI_ABSENCE_WORDS = 96 };
void ni_absence_words(const ni_sheet *sheet, ni_absence absence, char words[NI_ABSENCE_WORDS]);

/* The values that a sheet has tables of, one after the other: those of the paper, in clean also the ranks
 * among all nodes; NI_VALUES behind the last. */
size_t ni_sheet_value(const ni_sheet *sheet, size_t i);

/* Remarks on a table of links, as sentences; "" if there is none: which text systems are below the plain
 * cosine of texts, and what a cut cell is. */
enum { NI_REMARKS = 1024 };
void ni_sheet_remarks(const ni_study *study, const ni_sheet *sheet, size_t value, char words[NI_REMARKS]);

/* From a sheet on, how many are of the same table, and whether anything of that table was run. */
size_t ni_study_same_table(const ni_study *study, size_t sheet, bool *run);

/* Whether there is a number of ours to be printed. */
bool ni_entry_has(const ni_entry *entry, size_t value);

/* What the paper printed, in per cent; NaN: nothing. */
double ni_entry_paper(const ni_entry *entry, size_t value);

/* Seeds that a cell has if none is missing: those asked for, else as many as the cells of the sheet have at
 * most. */
uint32_t ni_entry_seeds(const ni_sheet *sheet, const ni_entry *entry);

/* The most seeds that a cell of a sheet has, or should have. */
uint32_t ni_sheet_seeds(const ni_sheet *sheet);

/* ---- words and numbers ---- */

/* "AUC", "NMI", "seconds per epoch". */
const char *ni_value_title(const ni_sheet *sheet, size_t value);

/* "gap, untrained" */
enum { NI_ROW_LABEL = 128 };
void ni_row_label(const ni_condition *row, char label[NI_ROW_LABEL]);

/* What a clustering clustered: "885 nodes, γ 0.0287"; false if that is unknown. */
enum { NI_CLUSTERED = 128 };
bool ni_entry_clustered(const ni_entry *entry, char words[NI_CLUSTERED]);

/* A value as it is printed: in per cent where the task has it so, rounded. */
double ni_shown(const ni_sheet *sheet, double value);
int ni_shown_decimals(const ni_sheet *sheet, double value);

/* Decimals that the paper gave in this sheet: one, or none where all its numbers are whole. */
int ni_paper_decimals(const ni_sheet *sheet, size_t value);

/* Ours less the paper's; both must be there. */
double ni_difference(const ni_sheet *sheet, const ni_entry *entry, size_t value);

/* How it stands among those it competes with, of which there must be at least two: the methods of a column
 * that see the same; where the columns are settings of one method (S), those of a row. */
typedef enum ni_standing { NI_BEHIND, NI_TIED, NI_AHEAD } ni_standing;
ni_standing ni_standing_of(const ni_sheet *sheet, size_t row, size_t column, size_t value);

/* Ahead, or tied with others: equals are all best. */
bool ni_is_best(const ni_sheet *sheet, size_t row, size_t column, size_t value);

/* ---- settings ---- */

/* The lines of settings.def that something was run with; NULL behind the last. */
const ni_system_settings *ni_study_system(const ni_study *study, size_t i);

/* "paper, paper-clean": the protocols of a line of settings.def. */
const char *ni_protocols_words(const char *protocols);

/* What the numbers are not, in one sentence; its second half is for more than one seed. */
extern const char ni_nested_words[], ni_deviation_words[];

/* Options of gap that make a result what it is: all that are saved, but for what belongs to a cell. */
bool ni_setting_matters(const neap_option_info *option);

/* Of the settings of the paper's protocols (0) or of clean (1): the option is that of the graph. */
bool ni_setting_is_by_graph(const ni_study *study, const char *option, int which);

/* ---- the parts of report.html, each written by a file of its own ---- */

/* The charts of a sheet of which something was run: a figure with its caption. */
void ni_sheet_write_charts(ni_page *out, const ni_sheet *sheet);

/* One value of it as a table, in a frame that scrolls where the window is narrow. */
void ni_sheet_write_table(ni_page *out, const ni_study *study, const ni_sheet *sheet, size_t value);

/* "1 to 3, 7" */
void ni_write_seeds(ni_page *out, const uint64_t *seed, uint32_t seeds);

/* "Seeds 11 to 13; a number without ± is of one of them." Nothing if none is known. */
void ni_sheet_write_seeds(ni_page *out, const ni_sheet *sheet);

/* Settings, seeds, and what the marks in the tables mean. */
void ni_study_write_settings(ni_page *out, const ni_study *study);

/* The rules of style for the page, NULL behind the last. */
extern const char *const ni_report_style[];

#endif
