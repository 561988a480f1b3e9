/* reproduce.h - the paper's experiments: what to run, its progress, and its results. */
#ifndef NI_REPRODUCE_H
#define NI_REPRODUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "neap.h"
#include "paper/tables.h"

/* The progress of ni_reproduce: called before and after each cell. */
typedef struct ni_cell_progress {
    const char *table, *protocol, *method;
    const char *graph;    /* NULL if the table has only one                                       */
    uint32_t neighbors;   /* S; 0 if the table does not vary it                                   */
    uint32_t kernel;      /* likewise                                                             */
    bool untrained, self; /* before the first step; with the node among its neighbours            */
    bool uniform;         /* all neighbours count alike                                           */
    double ratio;         /* share of the edges that is trained on; 0 if the table has no split   */
    uint64_t seed;
    uint64_t done, total; /* cells asked for, those included that were on disk already */
    double seconds, left; /* since the start; expected until the end, NaN: unknown yet */
    double value;         /* what was measured (AUC, NMI, seconds), NaN before         */
    bool after;           /* the cell has been run                                     */
    bool cut, late;       /* its limit cut it short; or it has no value therefore      */
    const char *unit;     /* of the value: "" or "seconds per epoch"                   */
} ni_cell_progress;

/* The results in cells; tables that share a cell count it each. */
typedef struct ni_reproduced {
    uint64_t asked, done; /* asked for, and of these there at the end                      */
    uint64_t ran;         /* measured by this call; the others were there                  */
    uint64_t shown;       /* in the reports: all that the folder holds for these settings  */
    bool budget;          /* the budget ended it                                           */
} ni_reproduced;

/* A part of what is asked for, in the order in which it is run, and how long what is missing of it will
 * take. */
typedef struct ni_forecast_part {
    const char *title;
    uint64_t asked, missing;
    double seconds; /* of all that is missing, at most the limit for each; NaN: nothing is known          */
    double guessed; /* of these, for cells of a system that was not measured on their graph, as far as
                       other graphs, a few batches or other systems tell */
} ni_forecast_part;

typedef struct ni_reproduction {
    const char *data;             /* folder of the graphs: DATA/cora/graph.txt, ...; may be   */
                                  /* NULL if nothing is to be run                             */
    ni_attribute_files files;     /* for the systems that read texts or features              */
    const char *folder;           /* of the results; made if it is not there                  */
    const char *const *tables;    /* names, NULL behind the last; NULL: all of them           */
    const char *const *methods;   /* likewise                                                 */
    const char *const *protocols; /* likewise: "paper", "paper-clean", "clean"                */
    bool plan;                    /* the cells of plan.h, as far as these lists have them;    */
                                  /* ratios and seeds are its own                             */
    const double *ratios;         /* only these training shares                               */
    size_t ratio_count;           /* 0: those of the paper                                    */
    uint64_t first_seed;
    uint32_t seeds;            /* 1 to 1000, from the first on                             */
    const neap_options *paper; /* settings in the paper's two protocols                    */
    const neap_options *clean; /* and in the clean one                                     */
    bool own_neighbors;        /* S and dropout as in `paper`, not as the paper's          */
    bool own_dropout;          /*    table 2 has them for each graph                       */
    const char *const *given;  /* options that the user has set, NULL behind the last; may */
                               /*    be NULL: they go before those of settings.def         */
    bool plain;                /* nothing of settings.def applies                          */
    double cell_time;          /* seconds that a cell may take; 0: no limit                */
    double budget;             /* seconds after which no further cell is begun; 0: none    */
    bool report_only;          /* run nothing, report what the folder holds                */
    bool dry_run;              /* run nothing and write nothing, forecast                  */
    void (*forecast)(const ni_forecast_part *part, void *user); /* of each part of a dry run */
    ni_reproduced *result; /* filled, also on failure; may be NULL                     */
    void (*cell)(const ni_cell_progress *now, void *user); /* may be NULL                   */
    void *user;
} ni_reproduction;

/* Runs what is asked for of the paper's experiments, as far as it is not in the folder yet. Every finished
 * cell is kept there at once; one that is not valid any more (cells.h) is run again. Writes
 * results.json, results.md and report.html, also if it was stopped: they hold everything that the folder
 * has for these settings, asked for now or before, and mark what was not run. NEAP_E_ARG if nothing is
 * asked for, NEAP_E_READ if there is nothing to report. hooks may be NULL; its progress is that of each
 * training, and its checkpoint is not used. */
neap_status ni_reproduce(const ni_reproduction *what, const neap_hooks *hooks, neap_error *err);

#endif
