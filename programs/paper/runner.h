/* runner.h - measures one cell: the graphs that have been read, and the split that was made last. */
#ifndef NI_RUNNER_H
#define NI_RUNNER_H

#include "paper/cells.h"

typedef struct ni_dataset {
    const ni_paper_graph *source;
    neap_graph *graph;
    uint64_t hash;           /* of the graph                            */
    neap_labels *labels;     /* where the paper clusters it, else NULL  */
    neap_text *text;         /* its own, once asked for                 */
    uint64_t text_hash;      /* of the file of its texts                */
    neap_features *features; /* if there are any, likewise          */
    uint64_t features_hash;
    neap_text *made; /* generated ones, to measure times, likewise */
} ni_dataset;

enum { NI_DATASETS = 16 };

typedef struct ni_runner {
    const char *data;            /* folder of the graphs */
    const neap_options *reading; /* how they are read    */
    ni_attribute_files files;    /* of Cora's nodes      */
    ni_dataset dataset[NI_DATASETS];
    size_t datasets;
    neap_trial *trial; /* of the last cell, for the next one */
    const neap_graph *trial_of;
    const neap_text *trial_text;
    double trial_valid; /* share of its validation pairs, as asked for */
} ni_runner;

void ni_runner_free(ni_runner *runner);

/* Reads or generates a graph, once; and its texts, if they are asked for and it has some. */
neap_status ni_runner_find(ni_runner *runner, const ni_paper_graph *source, bool text,
                           const ni_dataset **out, neap_error *err);

/* The hash of a graph that has been read from a file, and those of its texts and features, into a cell that
 * reads them; else 0: what is generated has none to compare. */
void ni_runner_hash(const ni_runner *runner, ni_cell *cell);

/* Trains with these options and measures. Cells of one graph, protocol, ratio, seed and share of validation
 * pairs that follow each other have one split. With cell->limit above 0 training ends after that many
 * seconds less a reserve for measuring, and what takes longer is given up: outcome->cut, outcome->late. */
neap_status ni_runner_measure(ni_runner *runner, const ni_cell *cell, const neap_options *options,
                              const neap_hooks *hooks, ni_outcome *outcome, neap_error *err);

#endif
