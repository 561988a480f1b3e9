/* sheet.h - one table under one protocol, as far as it has been run: means and deviations over the seeds,
 * and the paper's numbers beside them, never in their place.                                        */
#ifndef NI_SHEET_H
#define NI_SHEET_H

#include "paper/tables.h"

typedef struct ni_entry {
    uint32_t seeds;         /* runs behind it; 0: not run, and then all else of ours is NaN     */
    double mean[NI_VALUES]; /* in the order of ni_aim_info.value; NaN: the protocol has none   */
    double std[NI_VALUES];  /* sample deviation over the seeds; NaN for one seed                */
    double seconds;         /* of training, mean over the seeds                                 */
    double paper[NI_SHOWN]; /* in per cent; NaN: the paper has none, or it is not comparable    */
} ni_entry;

typedef struct ni_sheet {
    const ni_table *table;
    const char *protocol; /* "paper" (leaky), "paper-clean" or "clean"; "" where there is no split */
    ni_place *row;
    size_t rows;
    ni_entry *entry; /* rows x table->columns */
} ni_sheet;

/* Everything that a report shows. */
typedef struct ni_study {
    ni_sheet *sheet; /* grouped by table, in the order of tables.c; protocols in the order paper,
                        paper-clean, clean */
    size_t sheets;
    uint64_t *seed; /* ascending: those asked for, and those that something shown was made with */
    uint32_t seeds;
    const neap_options *settings[2]; /* of the paper's two protocols, and of clean */
    bool own_neighbors, own_dropout; /* of the first; else each graph has those of the paper's table 2 */
    bool chosen_on_leaky;            /* lr, epochs and batch of the first were chosen on leaky results */
    uint64_t asked, missing;         /* cells asked for, and of these not run yet */
    uint64_t shown;                  /* measurements behind the entries           */
} ni_study;

/* Each writes one file, whole or not at all: results.json, results.md, report.html. */
neap_status ni_report_json(const ni_study *study, const char *path, neap_error *err);
neap_status ni_report_markdown(const ni_study *study, const char *path, neap_error *err);
neap_status ni_report_html(const ni_study *study, const char *path, neap_error *err);

#endif
