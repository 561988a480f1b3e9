/* node_task.h - what `eval cluster` and `eval classify` share: vectors of methods, or of a file, that are
 * measured against the classes of nodes.                                                             */
#ifndef CLI_NODE_TASK_H
#define CLI_NODE_TASK_H

#include "args.h"
#include "attributes.h"
#include "common.h"
#include "eval_common.h"
#include "progress.h"

/* The options of both; the struct of each command begins with it. */
typedef struct node_own {
    const char *labels, *methods, *vectors, *protocol, *ratios, *folder, *progress;
    bool by_line, allow_missing;
    uint64_t seeds;
    attributes_own attributes;
} node_own;

/* clang-format off */
#define NODE_OPTIONS                                                                                         \
    { "labels", 'l', "FILE", NULL, ARG_TEXT, offsetof(node_own, labels), 0, 0, true,                         \
      "the class of each node: lines of a node, a tab and its class" },                                      \
    { "by-line", 0, "", NULL, ARG_SWITCH, offsetof(node_own, by_line), 0, 0, false,                          \
      "line i of the labels, from 0, is the class of the node named i" },                                    \
    { "methods", 0, "NAME,...", NULL, ARG_TEXT, offsetof(node_own, methods), 0, 0, false,                    \
      "methods whose vectors are evaluated; evidence,gap, unless --vectors is given" },                               \
    { "vectors", 0, "FILE", NULL, ARG_TEXT, offsetof(node_own, vectors), 0, 0, false,                        \
      "evaluate these vectors: word2vec text, .npy or .safetensors with names in .names.txt beside it" },                 \
    { "allow-missing", 0, "", NULL, ARG_SWITCH, offsetof(node_own, allow_missing), 0, 0, false,              \
      "a node that --vectors lacks gets a zero vector" },                                                    \
    { "ratios", 0, "PERCENT,...", "100", ARG_TEXT, offsetof(node_own, ratios), 0, 0, false,                  \
      "shares of the edges to train on" },                                                                   \
    { "protocol", 0, "clean|paper|paper-clean", "clean", ARG_TEXT, offsetof(node_own, protocol), 0, 0,       \
      false, "below 100 %: how the edges are split, and whose neighbourhoods are read" },                    \
    { "seeds", 0, "N", "3", ARG_WHOLE, offsetof(node_own, seeds), 1, 1000, false,                            \
      "runs per row, from --seed on; the table has their mean and deviation" },                              \
    { "output", 'o', "DIR", NULL, ARG_TEXT, offsetof(node_own, folder), 0, 0, false,                         \
      "also keep results.json here, and the cluster or class of each node in each run" },                    \
    ATTRIBUTE_OPTIONS(node_own, attributes),                                                                            \
    { "progress", 0, "auto|always|never", "auto", ARG_TEXT, offsetof(node_own, progress), 0, 0, false,       \
      "show the progress of the run" }
/* clang-format on */

typedef struct node_task {
    const args *a;
    const node_own *o;
    neap_graph *graph;
    neap_labels *labels;
    attributes known;
    neap_labels_facts facts;
    neap_vectors *given; /* of --vectors, or NULL */
    name_list methods, passed_over, ratios;
    double share[LIST_MOST]; /* of the ratios, in per cent */
    uint64_t seed, threads;
    const char *doing; /* "clustering": what is done with the vectors */
    size_t done;       /* vectors evaluated                           */
    size_t kept;       /* files written                               */
    double start;      /* in seconds                                  */
    progress bar;
    bool doubted; /* a degenerate result has been reported */
} node_task;

/* A row of the results: the file, or a method at a ratio. */
typedef struct node_row {
    const char *method;   /* the name of the file without its folders, or of the method */
    const char *protocol; /* NULL: the vectors come from a file                         */
    double ratio;         /* in per cent; NaN likewise                                  */
    char text[LIST_NAME]; /* the ratio as a cell of a table                             */
} node_row;

/* Vectors to measure: those of a row, from one seed. */
typedef struct node_vectors {
    size_t row;
    uint64_t seed;
    const neap_trial *trial; /* that was trained on; NULL: all edges */
    const float *x;          /* nodes x dim                          */
    uint32_t dim;
    double seconds; /* that it took to make them */
    char name[64];  /* "gap-55-2", for files     */
} node_vectors;

typedef neap_status (*node_measure)(void *user, const node_vectors *v, neap_error *err);

/* Reads what the command line names and reports it on standard error. From here on Ctrl-C ends the
 * program at once. node_task_close must be called in any case. */
neap_status node_task_open(node_task *t, const args *a, const char *doing, neap_error *err);
void node_task_close(node_task *t);

size_t node_task_rows(const node_task *t);
node_row node_task_row(const node_task *t, size_t row);

/* The lines above a table: what it shows, under which protocol, and whether that one leaks. */
void node_task_title(const node_task *t, const char *what);

/* A line about a number: "3 of 12: gap, 55 % of the edges, seed 2: NMI 0.6512; about 2 min 10 s left".
 * detail stands behind the seed. */
void node_task_say(node_task *t, const node_vectors *v, const char *detail, const char *metric,
                   double value);

/* Makes the vectors of all rows and seeds, one at a time, and has them measured. */
neap_status node_task_run(node_task *t, node_measure measure, void *user, neap_error *err);

/* The head of the JSON object, which stays open. */
void node_task_json(const node_task *t, ni_json *j, const char *task);

/* The first keys of a result. */
void node_row_json(const node_task *t, ni_json *j, size_t row);

/* What a run found for each node, to be kept in a file. */
typedef struct node_found {
    const char *title;  /* of the column                                    */
    const uint32_t *of; /* nodes: a number, or NEAP_NONE: the node is left out */
    bool is_class;      /* the numbers are classes, and have names          */
} node_found;

/* Warns if nearly all nodes are in one cluster; with -o keeps node, class and result as FOLDER/NAME.tsv.
 */
neap_status node_task_keep(node_task *t, const char *name, const node_found *f, neap_error *err);

/* report_json, and a line about what -o has written. */
neap_status node_task_report(const node_task *t, void (*print)(const void *user, FILE *to),
                             const void *user, neap_error *err);

#endif
