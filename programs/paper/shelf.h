/* shelf.h - the names of the cells that a folder holds, to look only for what is there. */
#ifndef NI_SHELF_H
#define NI_SHELF_H

#include "paper/cells.h"

typedef struct ni_shelf {
    char (*name)[NI_CELL_NAME]; /* ascending */
    size_t count;
} ni_shelf;

/* A folder that is not there holds nothing; NEAP_E_READ if it is there and cannot be read. */
neap_status ni_shelf_read(const char *folder, ni_shelf *shelf, neap_error *err);
void ni_shelf_free(ni_shelf *shelf);

bool ni_shelf_has(const ni_shelf *shelf, const ni_cell *cell);

/* The seed at the end of the i-th name; false if there is none. */
bool ni_shelf_seed(const ni_shelf *shelf, size_t i, uint64_t *seed);

#endif
