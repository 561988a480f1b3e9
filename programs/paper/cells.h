/* cells.h - one measurement of a study, and where it is kept: a small JSON file of its own, so that what is
 * done stays done. A cell is named by what was measured, not by its table: tables with the same cell share
 * it. */
#ifndef NI_CELLS_H
#define NI_CELLS_H

#include "paper/tables.h"

typedef struct ni_cell {
    ni_aim aim;
    const char *protocol;   /* "" where there is no split        */
    ni_condition condition; /* graph, method and ratio are given */
    uint64_t graph_hash;    /* 0: unknown, and not compared      */
    uint64_t seed;
    bool learns; /* a method without training has no settings */
} ni_cell;

typedef struct ni_outcome {
    double value[NI_VALUES]; /* NaN: not defined */
    double seconds;          /* of training      */
    uint32_t epochs;
} ni_outcome;

/* The file of a cell, without its folder: "link-cora-clean-gap-55-1.json". */
enum { NI_CELL_NAME = 128 };
void ni_cell_name(const ni_cell *cell, char name[NI_CELL_NAME]);

/* "dim=200 neighbors=100 ...": every option that is part of the result; "" if the method is not trained. */
enum { NI_CELL_SETTINGS = 4096 };
neap_status ni_cell_settings(const ni_cell *cell, const neap_options *options, char text[NI_CELL_SETTINGS],
                             neap_error *err);

/* The value of an option that is a number; NaN if it is none. */
double ni_option_number(const neap_options *options, const char *name);

/* *found: the cell is on disk, and was made by this version with these settings on this graph. A file that
 * cannot be understood counts as not found; NEAP_E_READ only if it is there and cannot be read. */
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
