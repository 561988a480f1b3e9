/* cells.h - one measurement of a study, and where it is kept: a small JSON file of its own, so that what is
 * done stays done. A cell is named by what was measured, not by its table: tables with the same cell share
 * it.
 *
 * A cell is valid as long as what made its numbers is the same: the graph, texts and features if its method
 * reads them, every option that its method reads, and the revision of its method (revisions.def). The
 * version of neap, options of other methods and values that are measured since do not invalidate it. */
#ifndef NI_CELLS_H
#define NI_CELLS_H

#include "paper/tables.h"

typedef struct ni_cell {
    ni_aim aim;
    const char *protocol;   /* "" where there is no split        */
    ni_condition condition; /* graph, method and ratio are given */
    uint64_t graph_hash;    /* 0: unknown, and not compared      */
    uint64_t text_hash;     /* likewise; of methods that read text */
    uint64_t features_hash; /* of methods that read them; 0: none, compared where the texts are */
    uint64_t seed;
    bool reads_text;
    double limit; /* seconds it may take; one that was cut by less is run again. Below 0: any is shown */
} ni_cell;

typedef struct ni_outcome {
    double value[NI_VALUES]; /* NaN: not defined, or not measured when the cell was made */
    double seconds;          /* of training                                            */
    double total;            /* of the whole cell; NaN: unknown                        */
    uint32_t epochs;         /* complete ones                                          */
    bool cut;      /* training was ended by the limit: values are of what was learned until then */
    bool late;     /* the limit was reached without a model: there are no values */
    bool unranked; /* no time was left for ranks among all nodes, which come last */
    double limit;  /* of a cell that was cut, is late or unranked, in seconds */
    uint64_t graph_hash, text_hash; /* of a cell that was read: what it was made from; 0: unknown */
    uint64_t features_hash;         /* likewise; 0: none                                          */
} ni_outcome;

/* The file of a cell, without its folder: "link-cora-clean-gap-55-1.json". */
enum { NI_CELL_NAME = 128 };
void ni_cell_name(const ni_cell *cell, char name[NI_CELL_NAME]);

/* "dim=200 neighbors=100 ...": every option that the method reads and that is part of the result. */
enum { NI_CELL_SETTINGS = 4096 };
neap_status ni_cell_settings(const neap_options *options, char text[NI_CELL_SETTINGS], neap_error *err);

/* Whether a cell with the settings `had` has the numbers of `now`: the same values, and an option that
 * `had` does not have at the default of its declaration, since it came later and that keeps the meaning of
 * what was before. */
bool ni_cell_settings_agree(const char *method, const char *had, const char *now);

/* How often the results of a method were changed since its cells are kept; revisions.def. */
uint32_t ni_cell_revision(const char *method);

/* The value of an option that is a number; NaN if it is none. */
double ni_option_number(const neap_options *options, const char *name);

/* *found: the cell is on disk, and is valid with these settings. A file that cannot be understood counts as
 * not found; NEAP_E_READ only if it is there and cannot be read. */
neap_status ni_cell_load(const char *folder, const ni_cell *cell, const char *settings, ni_outcome *outcome,
                         bool *found, neap_error *err);
neap_status ni_cell_save(const char *folder, const ni_cell *cell, const char *settings,
                         const ni_outcome *outcome, neap_error *err);

/* The names of the cells that a folder holds, so that only existing files are opened. */
typedef struct ni_cell_index {
    char (*name)[NI_CELL_NAME]; /* ascending */
    size_t count;
} ni_cell_index;

/* A folder that is not there holds nothing; NEAP_E_READ if it is there and cannot be read. */
neap_status ni_cell_index_read(const char *folder, ni_cell_index *index, neap_error *err);
void ni_cell_index_free(ni_cell_index *index);

bool ni_cell_index_has(const ni_cell_index *index, const ni_cell *cell);

/* The seed at the end of the i-th name; false if there is none. */
bool ni_cell_index_seed(const ni_cell_index *index, size_t i, uint64_t *seed);

#endif
