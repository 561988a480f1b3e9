/* cells.h - one measurement of a study, and where it is kept: a small JSON file of its own, so that what is
 * done stays done. A cell is named by what was measured and not by the table that asked for it: tables
 * that ask for the same thing share it.                                                               */
#ifndef NI_CELLS_H
#define NI_CELLS_H

#include "base/options.h"
#include "paper/tables.h"

typedef struct ni_cell {
    ni_aim aim;
    const char *protocol; /* "" where there is no split */
    ni_place place;       /* graph, method and ratio are said             */
    uint64_t graph_hash;  /* 0: not known, and not compared               */
    uint64_t seed;
    bool learns;          /* a method that learns nothing has no settings */
    neap_options options; /* what the method is given                     */
} ni_cell;

typedef struct ni_outcome {
    double value[NI_VALUES]; /* NaN: not defined */
    double seconds;          /* of training      */
    uint32_t epochs;
} ni_outcome;

/* The file of a cell, without its folder: "link-cora-clean-gap-55-1.json". */
enum { NI_CELL_NAME = 128 };
void ni_cell_name(const ni_cell *cell, char name[NI_CELL_NAME]);

/* *found: the cell is on disk, and was made by this version with these settings on this graph. A file that
 * cannot be understood counts as not found; NEAP_E_READ only if it is there and cannot be read. */
neap_status ni_cell_load(const char *folder, const ni_cell *cell, ni_outcome *outcome, bool *found,
                         neap_error *err);
neap_status ni_cell_save(const char *folder, const ni_cell *cell, const ni_outcome *outcome,
                         neap_error *err);

#endif
