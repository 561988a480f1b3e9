/* tables.h - the experiments of the paper: what is measured, on which graphs, and the numbers it printed.
 *
 * A table is a grid. A row and a column each give a part of the condition of a cell (a method, a graph, a
 * training share, a neighbourhood size, a kernel), and together they give all of it. A table is run under
 * one protocol at a time, and each protocol has a sheet of its own (study.h). */
#ifndef NI_TABLES_H
#define NI_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "neap.h"

typedef enum ni_aim { NI_AIM_LINK, NI_AIM_CLUSTER, NI_AIM_TIME } ni_aim;

/* What a table measures: its task, and the values of it. Scores are between 0 and 1, times in seconds. */
enum { NI_VALUES = 12, NI_SHOWN = 2 };
typedef struct ni_aim_info {
    const char *name;             /* "link"                                               */
    const char *value[NI_VALUES]; /* "auc", "ap", ...; NULL behind the last               */
    size_t shown;                 /* so many of them, the first, are what the paper shows */
    bool percent;                 /* printed in per cent, as in the paper                 */
    size_t moments;               /* so many have a deviation in results.json, the others a mean only */
} ni_aim_info;
const ni_aim_info *ni_aim_info_of(ni_aim aim);

enum { NI_CLUSTER_NODES = 3, NI_CLUSTER_GAMMA }; /* values of a clustering that are no scores */
enum { NI_LINK_MRR_ALL = 7 };                    /* that of a link among all nodes; clean only   */

/* A graph of the paper. */
/* What is read of the nodes of Cora, the only graph of the paper that has texts. */
typedef struct ni_attribute_files {
    const char *text;     /* NULL: DATA/cora/text.txt, by line */
    bool by_line;         /* line i of text is of the node named i */
    const char *features; /* NULL: there are none              */
} ni_attribute_files;

typedef struct ni_paper_graph {
    const char *name, *title; /* "cora", "Cora"; the file is DATA/cora/graph.txt */
    uint32_t neighbors;       /* S and dropout as in table 2 of the paper        */
    double dropout;
    bool labels;              /* DATA/email/labels.txt belongs to it             */
    const char *no_text;      /* why it has no texts; NULL: DATA/cora/text.txt, line i is of node i */
    neap_generator generator; /* kind NULL: a file                               */
} ni_paper_graph;

/* A part of the experimental condition of a cell; 0 and NULL: the other axis gives it. */
typedef struct ni_condition {
    const char *label; /* for people */
    const char *method;
    bool untrained; /* the method's model before its first step */
    bool self;      /* a node is among its own neighbours, as in the authors' program */
    bool uniform;   /* all neighbours count alike: gap without its attention          */
    const ni_paper_graph *graph;
    double ratio;       /* share of the edges to train on, at most 1 */
    uint32_t neighbors; /* S; 0 on both axes: as the protocol has it */
    uint32_t kernel;    /* rows that a convolution reads; 0: as the method has it */
} ni_condition;

enum { NI_COLUMNS = 9 };

typedef struct ni_table {
    const char *name;          /* "link-cora": as users type it                   */
    const char *title;         /* "Link prediction on Cora"                       */
    const char *about;         /* one or two sentences: what the paper did        */
    const char *across, *down; /* what the columns and the rows are: "training edges", "method" */
    ni_aim aim;
    ni_condition column[NI_COLUMNS];
    size_t columns;
    ni_condition row[NI_COLUMNS]; /* none: one for each method */
    size_t rows;
} ni_table;

size_t ni_table_count(void);
const ni_table *ni_table_at(size_t i);

/* Row and column together: what one leaves 0 or NULL comes from the other. */
ni_condition ni_condition_join(const ni_condition *row, const ni_condition *column);

/* The methods of the paper that a table has numbers for, in its order; NULL behind the last. */
const char *ni_published_method(const ni_table *table, size_t i);

/* The number that the paper printed in the row of this label, as it stands there (in per cent); NaN if
 * there is none. */
double ni_published(const ni_table *table, const char *label, size_t value, size_t column);

/* A variant of gap that has a row in the table of ablations, and nowhere else. */
bool ni_is_variant(const char *method);

#endif
