/* lab.h - where a cell is measured: the graphs that have been read, and the split that was made last. */
#ifndef NI_LAB_H
#define NI_LAB_H

#include "data/labels.h"
#include "paper/cells.h"

typedef struct ni_specimen {
    const ni_source *source;
    neap_graph *graph;
    uint64_t hash;    /* of the graph                */
    ni_labels labels; /* where the paper clusters it */
} ni_specimen;

enum { NI_SPECIMENS = 16 };

typedef struct ni_lab {
    const char *data;            /* folder of the graphs      */
    const neap_options *reading; /* how they are read         */
    ni_specimen specimen[NI_SPECIMENS];
    size_t specimens;
    neap_trial *trial; /* of the last cell, for the next one */
    const neap_graph *trial_of;
} ni_lab;

void ni_lab_free(ni_lab *lab);

/* Reads or generates a graph, once. */
neap_status ni_lab_find(ni_lab *lab, const ni_source *source, const ni_specimen **out, neap_error *err);

/* The hash of a graph that has been read from a file, else 0: what is generated has none to compare. */
uint64_t ni_lab_hash(const ni_lab *lab, const ni_source *source);

/* Trains and measures. Cells of one graph, protocol, ratio and seed that follow each other share a split.
 */
neap_status ni_lab_measure(ni_lab *lab, const ni_cell *cell, const neap_hooks *hooks, ni_outcome *outcome,
                           neap_error *err);

#endif
