/* report_html.h - the parts of report.html, each written by a file of its own. */
#ifndef NI_REPORT_HTML_H
#define NI_REPORT_HTML_H

#include "io/output.h"
#include "paper/report.h"

/* The charts of a sheet of which something was run: a figure with its caption. */
void ni_sheet_write_charts(ni_output *out, const ni_study *study, const ni_sheet *sheet);

/* One value of it as a table, in a frame that scrolls where the window is narrow. */
void ni_sheet_write_table(ni_output *out, const ni_study *study, const ni_sheet *sheet, size_t value);

/* "1 to 3, 7" */
void ni_study_write_seeds(ni_output *out, const ni_study *study);

/* Settings, seeds, and what the marks in the tables mean. */
void ni_study_write_settings(ni_output *out, const ni_study *study);

/* The rules of style for the page, NULL behind the last. */
extern const char *const ni_report_style[];

#endif
