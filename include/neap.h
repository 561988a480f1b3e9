/* neap.h - context-sensitive node embeddings of graphs, on CPUs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Neap implements Graph Neighborhood Attentive Pooling (Kefato and Girdzijauskas, 2020): the vector of
 * a node depends on the node it is paired with, because the two neighbourhoods attend to each other.
 * The same attention explains the score of a pair.
 *
 * In a dozen lines (tests/cli/header_example.sh extracts this, compiles it and runs it):
 *
 *     neap_error err = { 0 };
 *     neap_options *opt = NULL; neap_graph *graph = NULL; neap_model *model = NULL;
 *     neap_data data = NEAP_SIZED(neap_data);
 *     neap_pair pair = { 0, 1 };
 *     float score = 0;
 *     if (neap_options_create("neap", &opt, &err) ||
 *         neap_options_set(opt, "epochs", "5", &err) ||
 *         neap_graph_load("friends.txt", opt, NULL, &graph, &err) ||
 *         (data.graph = graph, neap_train(&data, opt, NULL, &model, &err)) ||
 *         neap_model_score(model, &pair, 1, &score, &err))
 *         fprintf(stderr, "%s\n", err.text);
 *     else
 *         printf("%s - %s: %f\n", neap_graph_name(graph, 0), neap_graph_name(graph, 1), score);
 *     neap_model_free(model); neap_graph_free(graph); neap_options_free(opt);
 *
 * Rules that hold for every function
 *   - It returns NEAP_OK (0) or a negative neap_status, and on failure fills *err if err is not NULL.
 *   - On failure every object is NULL or as it was, a buffer of the caller's may hold anything, nothing
 *     leaks, and no file is half written.
 *   - A pointer argument may be NULL only where its text allows it.
 *   - It never prints, never exits, never asserts on input.
 *   - `_create`, `_load` and `neap_train` give an object; `_free` takes it back and accepts NULL; a
 *     returned `const` pointer is a view that lives as long as the object it came from.
 *   - Different objects may be used from different threads at once. One object may be read by many
 *     threads at once unless its function excludes it; no thread may read while another changes it.
 *   - Nodes are numbered 0 .. n-1 in the order in which their names first appeared in the input.
 *
 * Rules that keep old programs running
 *   - An open struct that is passed by itself begins with its size, in and out: NEAP_SIZED sets it and
 *     makes the rest 0, which is a valid default everywhere. A newer library fills only the fields that
 *     the caller's struct has; an older one refuses (NEAP_E_ARG) fields that it lacks unless they are 0.
 *     The size of a struct that was filled is then the number of bytes that were filled.
 *   - neap_error and elements of arrays (neap_pair, neap_edge, neap_bench_stage) are frozen.
 *   - Results that will grow are objects of the library with one array per column (neap_scores,
 *     neap_ranking, neap_reasons); their size tells which columns exist.
 *   - Facts of an object X come by neap_X_facts_of(x, &facts, err).
 *   - The header has three tiers: simple calls, contexts, what may still change.
 *
 * Everything here is available since version 0.1.0; until 1.0, a minor version may break it, and the name
 * of the shared library contains it (libneap.so.0.1).
 */
#ifndef NEAP_H
#define NEAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NEAP_API __attribute__((visibility("default")))
#else
#define NEAP_API
#endif

/* A struct that begins with its size, with everything else 0: neap_data data = NEAP_SIZED(neap_data); */
#ifdef __cplusplus
#define NEAP_SIZED(type)                                                                                   \
    []() -> type {                                                                                         \
        type sized = type();                                                                               \
        sized.size = sizeof sized;                                                                         \
        return sized;                                                                                      \
    }()
#else
#define NEAP_SIZED(type)                                                                                   \
    {                                                                                                      \
        .size = sizeof(type)                                                                               \
    }
#endif

/* ====================================================================================================
 * FIRST TIER: simple calls
 * From a file to a model, and one query at a time.
 * ================================================================================================= */

/* ---- version ------------------------------------------------------------------------------------ */

#define NEAP_VERSION_MAJOR 0
#define NEAP_VERSION_MINOR 1
#define NEAP_VERSION_PATCH 0

/* "0.1.0". */
NEAP_API const char *neap_version(void);

/* One line for bug reports: instruction set chosen on this machine, matrix library. Static text. */
NEAP_API const char *neap_build_info(void);

/* ---- status and error --------------------------------------------------------------------------- */

/* Fixed for ever, never reused. The status is the kind of a failure; neap_error has its place and cause. */
typedef enum neap_status {
    NEAP_OK = 0,
    NEAP_E_ARG = -1,      /* the caller broke the contract: unknown option, value out of range        */
    NEAP_E_MEM = -2,      /* out of memory                                                            */
    NEAP_E_IO = -3,       /* writing failed; see err->sys                                             */
    NEAP_E_FORMAT = -4,   /* the input is not what it claims to be                                    */
    NEAP_E_LIMIT = -5,    /* the input is legal but above a limit, or the run above its memory limit  */
    NEAP_E_STOPPED = -6,  /* a progress callback returned non-zero; a checkpoint, if set, was written */
    NEAP_E_READ = -7,     /* the input cannot be opened or read; see err->sys                         */
    NEAP_E_NUMERIC = -8,  /* the loss is not finite any more                                          */
    NEAP_E_MISMATCH = -9, /* the parts do not fit together: another graph, other options              */
    NEAP_E_UNKNOWN = -10, /* no such node                                                             */
    NEAP_E_LEAK = -11     /* a model or a split contains test pairs, which would flatter it           */
} neap_status;

/* "NEAP_E_FORMAT"; "unknown" for a number that is no status. Static text. */
NEAP_API const char *neap_status_name(neap_status status);

/* Belongs to the caller, may be NULL everywhere. Frozen: it will never grow. */
typedef struct neap_error {
    int32_t code;   /* a neap_status                                        */
    int32_t sys;    /* errno, or 0                                          */
    uint64_t where; /* line number or byte offset in the input, or 0        */
    char text[488]; /* what is wrong and what would mend it; always ended   */
} neap_error;

/* ---- options ------------------------------------------------------------------------------------ */

/* Options are text by name: some are common, the others belong to methods. The same declarations make the
 * flags of the program, the fields of the model file and the manual page. Ranges and defaults are the
 * method's, so values are checked when they are read for a method, in whatever order they were set. */
typedef struct neap_options neap_options;

typedef struct neap_option_info {
    size_t size;            /* of this struct in the library                                  */
    const char *name;       /* "dim"; the flag is --dim                                       */
    const char *aliases;    /* "dimensions,size", or ""                                       */
    char letter;            /* 'd' for -d, or 0                                               */
    const char *group;      /* "model", "training", "walks", "text", "reading" or "running"   */
    const char *value;      /* "N", "X", "a|b|c" for a choice, "" for a switch                */
    const char *help;       /* one sentence                                                   */
    const char *kind;       /* "U32", "U64", "REAL", "SWITCH", "CHOICE", "BYTES", "TEXT"; one
                               name has one kind in all methods                               */
    double min, max;        /* range of a number                                              */
    const char *presets[3]; /* default in the presets neap, paper, authors, as text           */
    int saved;              /* 1: part of the result, kept in the model; 0: does not change it */
} neap_option_info;

/* All options there are, each name once, the common ones first; NULL behind the last. */
NEAP_API size_t neap_option_count(void);
NEAP_API const neap_option_info *neap_option_at(size_t i);

/* Nothing set, with the defaults of a preset: "neap" (also for NULL), "paper" or "authors". */
NEAP_API neap_status neap_options_create(const char *preset, neap_options **out, neap_error *err);

/* Another set with the same values, given or not, for the caller to change. */
NEAP_API neap_status neap_options_copy(const neap_options *options, neap_options **out, neap_error *err);
NEAP_API void neap_options_free(neap_options *options);

/* Sets one option from text, by name or alias, with `-` and `_` alike. A switch takes "yes" or "no". Text
 * may be of any length. NEAP_E_ARG: an unknown name, and the error names the nearest one, or a value that
 * no method takes. */
NEAP_API neap_status neap_options_set(neap_options *options, const char *name, const char *value,
                                      neap_error *err);

/* As if the preset had this value: what was set by name goes before it, and so does a method's own default.
 */
NEAP_API neap_status neap_options_suggest(neap_options *options, const char *name, const char *value,
                                          neap_error *err);

/* Checks all values against the ranges of the method that is set: NEAP_E_ARG. Training does it, too. */
NEAP_API neap_status neap_options_check(const neap_options *options, neap_error *err);

/* Writes the value that the method will use as text into the caller's buffer. NEAP_E_ARG if the method has
 * no such option, or if there is no room: the error names the bytes that it takes. */
NEAP_API neap_status neap_options_get(const neap_options *options, const char *name, char *text,
                                      size_t room, neap_error *err);

/* Calls visit with the name and the value of each option that is part of the result
 * (neap_option_info.saved), the common ones first, then those of the method that is set. Checks all of them
 * first, as neap_options_check does. The texts live until the call returns. */
NEAP_API neap_status neap_options_saved(const neap_options *options,
                                        void (*visit)(const char *name, const char *value, void *user),
                                        void *user, neap_error *err);

/* ---- methods ------------------------------------------------------------------------------------ */

typedef struct neap_method_info {
    size_t size; /* of this struct in the library                            */
    const char *name;
    const char *summary; /* one line                                                 */
    const char *details; /* a few lines: idea, what an epoch is, source              */
    int context;         /* 1: a node's vector depends on its partner                */
    int vectors;         /* 1: it has a vector per node; 0: it only scores pairs     */
    int text;            /* 1: it needs the text of nodes; 2: it reads it where there is some */
    int new_text;        /* 1: of a new node the text is enough, it needs no links   */
    int features;        /* 1: it reads features of nodes, too, beside texts or in their place */
    int probability;     /* 1: its score is the log-odds of a link against a non-link, drawn as its
                            option negative-sampling says                                      */
    int explains;        /* 1: it has reasons for a score (neap_query_explain)       */
} neap_method_info;
NEAP_API size_t neap_method_count(void);
NEAP_API const neap_method_info *neap_method_at(size_t i);

/* The method of that name, or NULL if this version has none; name may be NULL. */
NEAP_API const neap_method_info *neap_method_find(const char *name);

/* 1 if there is such a method and it has this option, as one of its own or a common one. */
NEAP_API int neap_method_has_option(const char *method, const char *option);

/* The options of a method besides the common ones, with its own defaults, one after the other:
 * NEAP_E_UNKNOWN behind the last. NEAP_E_ARG: there is no such method. */
NEAP_API neap_status neap_method_option(const char *method, size_t i, neap_option_info *info,
                                        neap_error *err);

/* ---- graphs ------------------------------------------------------------------------------------- */

typedef struct neap_graph neap_graph;
typedef struct neap_hooks neap_hooks; /* progress and stop: see "training" */

/* A number that is no node. */
#define NEAP_NONE UINT32_MAX

/* Elements of arrays are frozen: they will never grow. */
typedef struct neap_pair {
    uint32_t source, target;
} neap_pair;

typedef struct neap_edge {
    uint32_t source, target;
    float weight;
} neap_edge;

/* What a reader saw and decided; printed by the program before it does anything else. */
typedef struct neap_graph_report {
    size_t size;
    uint64_t lines;       /* lines read, comments and blanks included                         */
    uint64_t edges_read;  /* edges as written                                                 */
    uint64_t repeats;     /* edges seen again: merged, their weights added                    */
    uint64_t self_loops;  /* edges from a node to itself, kept in the graph                   */
    uint64_t isolated;    /* nodes without an edge (possible in mtx, metis, adjacency)        */
    int weighted;         /* 1: a weight column was found and used                            */
    int header;           /* 1: the first line was taken for a header and skipped             */
    int maybe_header;     /* 1: it was read as an edge, but neither of its names occurs again */
    char delimiter;       /* '\t', ',', ';', '|' or ' '; 0 where the format has none          */
    char format[15];      /* "edges", "adjacency", "mtx", "metis", "safetensors", "generated" */
    char compression[8];  /* "none", "gzip", "zstd"                                           */
    uint32_t time_column; /* that the header calls a time, and that was left out; 0: none     */
} neap_graph_report;

/* Reads a graph; "-" is standard input. The options of the group "reading" and `undirected` apply.
 * gzip, zstd and graphs that neap wrote are recognised by content. A node id is a name, never an index.
 * hooks may be NULL; only the progress is used: NEAP_E_STOPPED. */
NEAP_API neap_status neap_graph_load(const char *path, const neap_options *options, const neap_hooks *hooks,
                                     neap_graph **out, neap_error *err);

/* Writes a graph; `format` as in the option of that name, NULL or "auto": by the ending of the path. The
 * formats mtx and metis have numbers only, so the names go into a file PATH.names.txt beside the graph,
 * line i the name of node i, from 1; there need be none if the names are "1" .. "n". */
NEAP_API neap_status neap_graph_save(const neap_graph *graph, const char *path, const char *format,
                                     neap_error *err);

/* Where neap_graph_save puts the names with this path and format, or "" if the graph file holds them: what
 * stands there is lost, too. NEAP_E_ARG if that does not fit into `room` bytes. */
NEAP_API neap_status neap_graph_names_path(const char *path, const char *format, char *names, size_t room,
                                           neap_error *err);

/* Builds a graph of `nodes` nodes from edges in memory. `names` holds one C string per node; NULL names
 * the nodes "0", "1", ... The arrays are copied. */
NEAP_API neap_status neap_graph_create(uint32_t nodes, const char *const *names, const neap_edge *edges,
                                       uint64_t count, int weighted, int undirected, neap_graph **out,
                                       neap_error *err);
NEAP_API void neap_graph_free(neap_graph *graph);

/* The same from separate arrays, as other programs keep their graphs. They are copied. */
typedef struct neap_graph_arrays {
    size_t size;
    uint32_t nodes;
    uint64_t edges;
    const uint32_t *source; /* edges (COO); NULL: the edges are sorted by source, and offset is given */
    const uint64_t *offset; /* nodes + 1 (CSR): the edges of node u are offset[u] .. offset[u + 1] - 1 */
    const uint32_t *target; /* edges                                                                   */
    const float *weight;    /* edges, or NULL: unweighted                                              */
    const char *name_bytes; /* the names one behind the other; NULL: "0", "1", ...                     */
    const uint64_t *name_offset; /* nodes + 1: name i is name_offset[i] .. name_offset[i + 1] - 1, without a
                                    NUL inside; one at its end is dropped */
    int undirected;
} neap_graph_arrays;
NEAP_API neap_status neap_graph_from_arrays(const neap_graph_arrays *arrays, neap_graph **out,
                                            neap_error *err);

/* The same from and to the bytes of a graph file in memory. To: *need receives how many there are;
 * NEAP_E_LIMIT if that is more than room, and then nothing is written. */
NEAP_API neap_status neap_graph_from_memory(const void *bytes, size_t count, neap_graph **out,
                                            neap_error *err);
NEAP_API neap_status neap_graph_to_memory(const neap_graph *graph, void *bytes, size_t room, size_t *need,
                                          neap_error *err);

NEAP_API uint32_t neap_graph_nodes(const neap_graph *graph);
NEAP_API uint64_t neap_graph_edges(const neap_graph *graph); /* distinct edges, self-loops included */
NEAP_API int neap_graph_is_undirected(const neap_graph *graph);
NEAP_API neap_status neap_graph_report_of(const neap_graph *graph, neap_graph_report *report,
                                          neap_error *err);

/* A number that two graphs share if they have the same nodes, names, edges, weights and direction, in the
 * same order, and that others hardly ever share. It is stored in files, so it stays what it is. */
NEAP_API uint64_t neap_graph_hash(const neap_graph *graph);

/* The edges that leave a node, sorted by target; *weights is NULL in an unweighted graph. In an
 * undirected graph each pair is listed once, at the smaller of its two nodes. */
NEAP_API uint64_t neap_graph_edges_of(const neap_graph *graph, uint32_t node, const uint32_t **targets,
                                      const float **weights);

/* All edges at once, as views: those of node u are offset[u] .. offset[u + 1] - 1. Each pointer may be
 * NULL. Returns the number of edges. */
NEAP_API uint64_t neap_graph_csr(const neap_graph *graph, const uint64_t **offset, const uint32_t **targets,
                                 const float **weights);

/* All names at once, as views: name i is the bytes from offset[i] to offset[i + 1], the last of which is
 * its only NUL. */
NEAP_API void neap_graph_names(const neap_graph *graph, const char **bytes, const uint64_t **offset);

/* The name of a node (UTF-8 or whatever bytes the input had, without NUL), or NULL if there is none. */
NEAP_API const char *neap_graph_name(const neap_graph *graph, uint32_t node);

/* Finds a node by name; NEAP_E_UNKNOWN, with the nearest names in the error, if there is none. */
NEAP_API neap_status neap_graph_find(const neap_graph *graph, const char *name, uint32_t *node,
                                     neap_error *err);

/* Facts for people: `neap info`. Degrees count distinct neighbours in either direction. */
typedef struct neap_graph_facts {
    size_t size;
    uint32_t nodes, isolated, components, largest_component, max_degree, hub;
    uint64_t edges, self_loops, reciprocal, pairs; /* pairs: distinct unordered pairs without loops */
    double mean_degree;
    uint32_t sides[2]; /* of a bipartite graph, in which every edge joins two sides: the nodes on each, the
                          side that most edges lead from first; 0, 0: it is none */
} neap_graph_facts;
NEAP_API neap_status neap_graph_facts_of(const neap_graph *graph, neap_graph_facts *facts, neap_error *err);

/* The side of each node of a bipartite graph, 0 or 1, such that every edge joins the two; `side` has room
 * for all nodes. In each component most edges lead from side 0; without directions, its first node is on
 * side 0. A node without an edge is on side 0. NEAP_E_MISMATCH if the graph is not bipartite. */
NEAP_API neap_status neap_graph_sides(const neap_graph *graph, uint8_t *side, neap_error *err);

/* The nodes that links are suggested to, and that negatives are drawn from: a list for all sources, or for
 * each source the other side of a bipartite graph. Both NULL: all nodes. */
typedef struct neap_targets {
    size_t size;
    const uint32_t *nodes; /* count: these, in any order                                               */
    size_t count;
    const uint8_t *side; /* nodes of the graph: 0 or 1, each edge joins the two (neap_graph_sides)     */
} neap_targets;

/* Nodes from a file, one name per line; "-" is standard input, gzip and zstd are recognised. Lines that
 * begin with # or % and blank lines are passed over; a name may be quoted. NEAP_E_UNKNOWN, with the line in
 * err->where, if there is no such node, NEAP_E_FORMAT if no line names one. */
typedef struct neap_nodes {
    size_t size; /* of this struct in the library */
    size_t count;
    const uint32_t *node; /* count, in the order of the file, repeats included */
} neap_nodes;
NEAP_API neap_status neap_nodes_load(const char *path, const neap_graph *graph, neap_nodes **out,
                                     neap_error *err);
NEAP_API void neap_nodes_free(neap_nodes *nodes);

/* ---- texts of nodes ----------------------------------------------------------------------------- */

/* The words of each node's text (docs/input.md has what a word is). */
typedef struct neap_text neap_text;

/* Reads lines `node<TAB>text`; by_line: line i (from 0) is the text of the node named i. Lines about other
 * nodes are counted and skipped; several lines of a node are joined. NEAP_E_FORMAT, with the line in
 * err->where, if a line has no tab or is not UTF-8, or if no node of the graph has a text. NEAP_E_LIMIT if
 * there are more than 2^24 different words, or a line of more than a GiB. hooks may be NULL; only the
 * progress is used: NEAP_E_STOPPED. */
NEAP_API neap_status neap_text_load(const char *path, const neap_graph *graph, int by_line,
                                    const neap_hooks *hooks, neap_text **out, neap_error *err);
/* The same from memory: texts[u] is that of node u, ended by a NUL, or NULL. err->where is its byte. */
NEAP_API neap_status neap_text_create(const neap_graph *graph, const char *const *texts, neap_text **out,
                                      neap_error *err);
/* The same for nodes that a model does not have (neap_model_extend): *graph has the nodes and edges of
 * `links`, which may be NULL, and each further name of the file as a node without links; *text is of its
 * nodes. */
NEAP_API neap_status neap_text_load_new(const char *path, const neap_graph *links, const neap_hooks *hooks,
                                        neap_graph **graph, neap_text **text, neap_error *err);
NEAP_API void neap_text_free(neap_text *text);

typedef struct neap_text_facts {
    size_t size;
    uint32_t nodes;     /* of the graph                                       */
    uint32_t with_text; /* of them, those with at least one word              */
    uint64_t lines;     /* read                                               */
    uint64_t strangers; /* lines about nodes that the graph does not have     */
    uint64_t words;     /* of all texts                                       */
    uint64_t distinct;  /* different words                                    */
    uint64_t longest;   /* words of the longest text                          */
} neap_text_facts;
NEAP_API neap_status neap_text_facts_of(const neap_text *text, neap_text_facts *facts, neap_error *err);

/* The most frequent words of all texts, at most `most` of them: by how often they occur, then by their
 * bytes. One array per column; more columns may join behind them. */
typedef struct neap_word_counts {
    size_t size; /* of this struct in the library */
    size_t count;
    const char *const *word; /* count; they are the text's, which must outlive them */
    const uint64_t *times;   /* count: occurrences in all texts                     */
    const uint32_t *nodes;   /* count: nodes whose text has the word                */
    uint64_t once;           /* of all different words, those that occur only once  */
} neap_word_counts;
NEAP_API neap_status neap_text_frequent(const neap_text *text, size_t most, neap_word_counts **out,
                                        neap_error *err);
NEAP_API void neap_word_counts_free(neap_word_counts *counts);

/* ---- features of nodes -------------------------------------------------------------------------- */

/* Numbers that are known of nodes: a sparse matrix of nodes and features. */
typedef struct neap_features neap_features;

/* Reads a table of numbers (.npy, .safetensors, .vec: as neap_vectors_load; a node without a row has no
 * feature), a general Matrix Market matrix (.mtx) with a row for each node, named by the lines of
 * X.mtx.names.txt or in the order of the graph's nodes, or lines `node feature[:value] ...`, where a
 * feature without a number behind its last colon has the value 1. Values of the same node and feature are
 * added. Rows of other nodes are counted and skipped. NEAP_E_FORMAT, with the line in err->where, for what
 * cannot be read or is not finite, or if no node of the graph has a feature. hooks may be NULL; only the
 * progress is used: NEAP_E_STOPPED. */
NEAP_API neap_status neap_features_load(const char *path, const neap_graph *graph, const neap_hooks *hooks,
                                        neap_features **out, neap_error *err);
NEAP_API void neap_features_free(neap_features *features);

typedef struct neap_features_facts {
    size_t size;
    uint32_t nodes;         /* of the graph                                              */
    uint32_t with_features; /* of them, those with at least one that is not 0            */
    uint64_t features;      /* different ones                                            */
    uint64_t values;        /* that are not 0                                            */
    uint64_t strangers;     /* rows of nodes that the graph does not have                */
    int by_order;           /* 1: no names were found, and rows are the nodes in order   */
} neap_features_facts;
NEAP_API neap_status neap_features_facts_of(const neap_features *features, neap_features_facts *facts,
                                            neap_error *err);

/* ---- training ----------------------------------------------------------------------------------- */

typedef struct neap_model neap_model;

/* What to learn from. Only the graph must be there. */
typedef struct neap_data {
    size_t size;
    const neap_graph *graph;
    const neap_text *text;            /* of the nodes, for methods that read it                      */
    const neap_features *features;    /* likewise                                                   */
    const struct neap_labels *labels; /* of the nodes; likewise                                      */
    const neap_graph *around;         /* read neighbourhoods from this graph of the same nodes; NULL: from
                                         the training graph. Only to reproduce evaluations that leak. */
    const neap_pair *valid_positives; /* where the option `valid` keeps pairs of the graph back: these, */
    const neap_pair *valid_negatives; /* and as many non-links; NULL: they are drawn. A resumed run     */
    size_t valid_count;               /* must be given the same                                         */
    const neap_targets *targets; /* a pair whose target is one of these is compared with negatives among
                                    them, any other pair with negatives that are none; kept in the model,
                                    whose suggestions are among them. NULL: all nodes */
} neap_data;

/* The i-th group of evidence that the data have, as the option `evidence` of the method of that name takes
 * it ("text" needs texts or features); NULL behind the last. data NULL: of all groups. */
NEAP_API const char *neap_evidence_group(const neap_data *data, size_t i);

typedef struct neap_progress {
    size_t size;
    const char *stage;    /* "train"; "train-all": the second run of neap_train_fully; "score": the test
                             pairs of a trial are scored; "load", "prepare" (before the first step, or
                             the first question), "vectors", "rank", "cluster", "classify". Of all but
                             training only done, total and seconds count, the rest is 0 or NaN */
    uint32_t epoch;       /* current epoch, from 1                                                   */
    uint32_t epochs;      /* epochs of the run                                                       */
    uint64_t done, total; /* edges of this epoch; total is 0 where it is unknown                     */
    double loss;          /* mean over this epoch so far                                             */
    double valid_auc;     /* of the last validated epoch, or NaN                                     */
    double rate;          /* edges per second since the start or the resume                          */
    double seconds, left; /* spent in this run; expected until the last epoch                        */
    int epoch_end;        /* 1: the epoch is complete and `loss` final                               */
} neap_progress;

#define NEAP_ENOUGH 2 /* what a progress hook may return: see there */

struct neap_hooks {
    size_t size;
    /* Called from the thread that made the call: after every batch, at the end of an epoch before its
     * checkpoint is written, and in the middle of anything that takes long, up to ten times a second;
     * non-zero asks to stop. Training stopped in the middle of a batch is as if that had not begun.
     * NEAP_ENOUGH, while a method makes steps, ends them: the model is that of the steps made so far, or
     * with validation of the best epoch, and its epochs are the complete ones. While test pairs are ranked
     * among all nodes, it leaves these ranks out. Elsewhere it stops. */
    int (*progress)(const neap_progress *now, void *user);
    /* Remarks a user should see ("3 sources are linked with every node: left out"), one line each. */
    void (*note)(const char *text, void *user);
    void *user;
    const char *checkpoint;    /* file for checkpoints, or NULL for none                              */
    double checkpoint_seconds; /* also between epochs, this often; 0: 60                              */
    int resume;                /* 1: continue from the checkpoint if it exists                        */
};

/* Trains the method named by the option `method`. hooks may be NULL. The same data, options and seed
 * give the same bytes for any number of threads and after any number of resumes. A checkpoint is
 * written each epoch and is left in place for the caller to remove once the model is saved.
 * NEAP_E_MISMATCH: the checkpoint is of another graph or of other options. */
NEAP_API neap_status neap_train(const neap_data *data, const neap_options *options, const neap_hooks *hooks,
                                neap_model **out, neap_error *err);

/* The same for a measurement: where the options keep a share back for early stopping, that run only finds
 * the number of epochs, and then all pairs are trained on for that many (stage "train-all"). The checkpoint
 * of hooks is not used. */
NEAP_API neap_status neap_train_fully(const neap_data *data, const neap_options *options,
                                      const neap_hooks *hooks, neap_model **out, neap_error *err);

/* ---- models ------------------------------------------------------------------------------------- */

NEAP_API neap_status neap_model_load(const char *path, const neap_hooks *hooks, neap_model **out,
                                     neap_error *err);
NEAP_API neap_status neap_model_save(const neap_model *model, const char *path, neap_error *err);

/* From and to the bytes of a model file in memory; see neap_graph_to_memory. */
NEAP_API neap_status neap_model_from_memory(const void *bytes, size_t count, neap_model **out,
                                            neap_error *err);
NEAP_API neap_status neap_model_to_memory(const neap_model *model, void *bytes, size_t room, size_t *need,
                                          neap_error *err);
NEAP_API void neap_model_free(neap_model *model);

/* A number that two models share if they have the same graph, options and tensors, and that others hardly
 * ever share: whether an answer is of this model. */
NEAP_API neap_status neap_model_hash(const neap_model *model, uint64_t *hash, neap_error *err);

NEAP_API const neap_graph *neap_model_graph(const neap_model *model);
NEAP_API const neap_options *neap_model_options(const neap_model *model);
/* What a model is, and how its training ended. With validation it is that of the best epoch, not the last.
 */
typedef struct neap_model_facts {
    size_t size;
    const char *method;
    uint32_t nodes;        /* of its graph                                                          */
    uint32_t rows;         /* of them, those that were in training; the others came by an extension */
    uint32_t dim;          /* length of a vector; 0 in a method without vectors                     */
    uint32_t epochs;       /* complete epochs behind the model                                      */
    double loss;           /* mean loss of the last of them, or NaN                                 */
    double valid_auc;      /* validation AUC after it, or NaN                                       */
    const char *targets;   /* it was trained for: "all", "list", or "opposite": the other side   */
    uint32_t target_count; /* of a list; else 0                                                */
} neap_model_facts;
NEAP_API neap_status neap_model_facts_of(const neap_model *model, neap_model_facts *facts, neap_error *err);

/* A new model with nodes that were not in training: `links` is a graph whose names are matched with the
 * model's. A node unknown to the model becomes a new node whose neighbourhood is its known neighbours;
 * edges between two known or two unknown nodes are counted and skipped. Known is who was in training: a
 * node of an earlier extension may get further links with such. Nothing is trained, nothing learned is
 * copied: the two models share their tensors, and either may be freed first. report may be NULL.
 * A method that reads texts reads those of new nodes, with the words it was trained with; where that is
 * enough (neap_method_info.new_text), a node with such words needs no known neighbour. In a model for the
 * other side of a bipartite graph a node without links is on the side of node 0. The text of a node that
 * the model has stays what it is. */
typedef struct neap_extension {
    size_t size;
    uint32_t added;       /* new nodes                                                        */
    uint32_t unreachable; /* new names without a known neighbour or text to read: left out    */
    uint64_t ignored;     /* edges that link no new node with a known one                     */
    uint32_t by_text;     /* of the new nodes, those without a known neighbour                */
    uint32_t known_texts; /* nodes of the model for which there was a text, which is not read */
} neap_extension;
NEAP_API neap_status neap_model_extend(const neap_model *model, const neap_data *links, neap_model **out,
                                       neap_extension *report, neap_error *err);

/* ---- simple queries ----------------------------------------------------------------------------- */

/* Each of these makes a query (below) on all cores, uses it once, and frees it. For many calls keep one. */

/* Scores pairs into the caller's array; in a model of an undirected graph the mean of both orders. */
NEAP_API neap_status neap_model_score(const neap_model *model, const neap_pair *pairs, size_t count,
                                      float *scores, neap_error *err);

/* The best targets of one or more sources, one array per column; more columns may join behind them. */
typedef struct neap_ranking {
    size_t size;              /* of this struct in the library                                      */
    size_t sources;           /* of the call                                                        */
    const size_t *start;      /* sources + 1: those of source i are at start[i] .. start[i + 1] - 1 */
    size_t count;             /* of all of them                                                     */
    const uint32_t *node;     /* count: the targets, of each source the best first, ties by number  */
    const float *score;       /* count: their scores, or cosines                                    */
    const float *probability; /* count: see neap_scores; NULL: by cosine, or the method has none */
} neap_ranking;
NEAP_API void neap_ranking_free(neap_ranking *ranking);

/* The k best targets for a source, exactly, of those that the model was trained for. Known links and the
 * source itself are left out unless with_known is not 0. */
NEAP_API neap_status neap_model_rank(const neap_model *model, uint32_t source, size_t k, int with_known,
                                     neap_ranking **out, neap_error *err);

/* One vector per node, nodes x dim floats: the mean over the node's training contexts. */
NEAP_API neap_status neap_model_vectors(const neap_model *model, float *vectors, neap_error *err);

/* ---- why ---------------------------------------------------------------------------------------- */

/* The neighbours of one node of the pair, one array per column, largest weight first, then contribution;
 * more columns may join behind them. The node itself may be one of them. The weights sum to 1, the
 * contributions to the score, both together with what no row has. In an explanation by words they are the
 * words of its text instead, and `node` and `partner` are positions in the two texts, from 0. */
typedef struct neap_reasons {
    size_t size;               /* of this struct in the library                                           */
    uint32_t count;            /* neighbours, or words, that were read                                    */
    const uint32_t *node;      /* count                                                                   */
    const uint32_t *partner;   /* count: the neighbour of the other node it selected; NEAP_NONE: none, or
                                  padding won                                                             */
    const float *weight;       /* count: attention                                                        */
    const float *contribution; /* count: share of the score, weight * (its vector . vector of the other)  */
    const float *alignment;    /* count: tanh of its alignment with the partner; under mean pooling the
                                  mean over all neighbours of the other node; NaN: there is none          */
    const char *const *word;   /* count: the words; NULL: the reasons are neighbours                      */
    float rest_weight;         /* what no row has: attention to padding                                   */
    float rest_contribution;   /* and the part of the score that comes from padding, from vectors of the
                                  nodes' own (cane), from features (text) and from degrees (gap); else 0  */
} neap_reasons;

/* What each kind of evidence about a pair adds to the log-odds that are its score, and who stands behind it
 * (method evidence). score = start + sum of contributions. One array per column; more may join. */
typedef struct neap_evidence {
    size_t size;  /* of this struct in the library                                             */
    double start; /* the same for all pairs: a curve that is at its mean adds nothing          */
    double score; /* start + contributions                                                     */
    double prior; /* of the probabilities below: see neap_query_spec                           */
    double probability;
    uint32_t count;             /* kinds of evidence, group by group                            */
    const char *const *name;    /* count: "degree-t" (docs/methods.md has the list)             */
    const char *const *group;   /* count: "degrees", as --evidence takes them                   */
    const char *const *words;   /* count: what it is, with %s and %t in the place of the nodes  */
    const float *value;         /* count: NaN where it is missing                               */
    const double *contribution; /* count: to the score                                         */

    uint32_t behind_count;         /* who stands behind a group, the largest share first    */
    const char *const *behind;     /* behind_count: the group                               */
    const uint32_t *node, *second; /* behind_count: a neighbour; the inner nodes of a path from source to
                                      target; NEAP_NONE: there is none                      */
    const char *const *word;       /* behind_count: a word that both texts have, or NULL    */
    const float *share;            /* behind_count: its share of the group                  */

    uint32_t change_count;         /* what if a link were not there, the largest change first */
    const uint32_t *end, *without; /* change_count: the link of this node of the pair with that one */
    const float *score_without;    /* change_count: the score; degrees, shared neighbours, paths and walks
                                      are measured anew, the rest is held                   */
    const float *probability_without; /* change_count                                          */

    const char *negatives; /* what probabilities set a link against: "uniform", "degree", "two-hop" */

    uint32_t neighbour_count;  /* neighbours of either node, by the size of what goes through them   */
    const uint32_t *neighbour; /* neighbour_count                                                    */
    const double *through;     /* neighbour_count: half of what it contributes in by_source and in
                                  by_target, which divide the same score                             */

    const uint32_t *curve;    /* count + 1: where the curve of a kind begins in the next two         */
    const float *curve_value; /* ascending values, between which a curve is a line or nearly so      */
    const float *curve_contribution; /* what each of them would contribute                          */
} neap_evidence;

typedef struct neap_explanation {
    size_t size; /* of this struct in the library */
    uint32_t source, target;
    float score;
    int linked; /* 1: the pair is a link of the model's graph, in either direction */
    uint32_t source_links, target_links; /* neighbours in the graph, of which the model reads a sample */
    uint32_t shared; /* nodes that are neighbours of both in the graph                  */
    int selects;     /* 1: max pooling; 0: mean pooling, without partners               */
    int circles; /* 1: no attention, but personas (splitter): members of a circle share its weight evenly,
                    an alignment is the cosine of the personas of two circles, and there are no partners  */
    const neap_reasons *by_source; /* neighbours of the source                                  */
    const neap_reasons *by_target; /* neighbours of the target                                  */
    const float *alignment;        /* by_source->count x by_target->count, tanh, in their order; NULL: the
                                      method aligns nothing (evidence; gap, attention uniform)  */
    int words; /* 1: by words of the texts, as far as the model reads them, not by neighbours    */
    int tfidf; /* 1: no attention, but words with their shares of their text's TF-IDF as weights, and the
                  cosines of two words as alignments (text)                                      */
    const neap_evidence *evidence; /* NULL: the score is no sum of evidence. Else the contributions of
                                      by_source are the parts of evidence that go through each neighbour
                                      of the source, and so of by_target; weights are their sizes, as
                                      shares; there are no partners                              */
} neap_explanation;

/* NEAP_E_LIMIT: the two have more than 2^24 pairs of neighbours that the model reads. */
NEAP_API neap_status neap_model_explain(const neap_model *model, uint32_t source, uint32_t target,
                                        neap_explanation **out, neap_error *err);
NEAP_API void neap_explanation_free(neap_explanation *explanation);

/* ====================================================================================================
 * SECOND TIER: contexts
 * Many queries to one model; evaluation; files of other tools.
 * ================================================================================================= */

/* ---- queries ------------------------------------------------------------------------------------ */

/* A context for calls on one model: it holds threads and scratch memory, which are set up once, in
 * O(nodes), and not in each call. One thread at a time may use a query; several queries may use one model
 * at once, and the model may be freed before them. After fork() the child's calls fail (NEAP_E_ARG): it
 * makes its own. */
typedef struct neap_query neap_query;

typedef struct neap_query_spec {
    size_t size;
    uint32_t threads;        /* 0: all cores                                                          */
    const neap_hooks *hooks; /* or NULL; only the progress is used, and may stop any call of the query
                                (NEAP_E_STOPPED). It must outlive the query.                          */
    double prior;            /* of probabilities: the share of links among the pairs that are asked for, in
                                (0, 1); 0: one half                                                   */
} neap_query_spec;

/* spec may be NULL. */
NEAP_API neap_status neap_query_create(const neap_model *model, const neap_query_spec *spec,
                                       neap_query **out, neap_error *err);
NEAP_API void neap_query_free(neap_query *query);

/* Scores of pairs, one array per column; more columns may join behind them. */
typedef struct neap_scores {
    size_t size; /* of this struct in the library */
    size_t count;
    const float *score;
    const float *probability; /* count: of a link, if a share of neap_query_spec.prior of the pairs are
                                 links and the others non-links of the same source, drawn evenly or as the
                                 model's option negative-sampling says; NULL: the method has none */
} neap_scores;
NEAP_API neap_status neap_query_score(neap_query *query, const neap_pair *pairs, size_t count,
                                      neap_scores **out, neap_error *err);
NEAP_API void neap_scores_free(neap_scores *scores);

typedef enum neap_rank_by {
    NEAP_BY_SCORE = 0, /* what neap_query_score gives for (source, target)                */
    NEAP_BY_COSINE = 1 /* cosine of the vectors of neap_query_vectors; 0 of a zero vector */
} neap_rank_by;

typedef struct neap_rank_spec {
    size_t size;
    const uint32_t *sources;
    size_t source_count;
    const uint32_t *candidates; /* only these targets; NULL: see `targets` */
    size_t candidate_count;
    size_t k;                    /* at most so many for each source, at least 1                  */
    int with_known;              /* 1: known links and the source itself are not left out        */
    int by;                      /* a neap_rank_by                                               */
    int without_self;            /* 1: the source itself is left out, also with with_known          */
    const neap_targets *targets; /* only these; NULL: by score those that the model was trained for (unless
                                    there are candidates), by cosine all nodes                      */
} neap_rank_spec;
NEAP_API neap_status neap_query_rank(neap_query *query, const neap_rank_spec *spec, neap_ranking **out,
                                     neap_error *err);

/* Vectors of some nodes (NULL: all, and count is ignored), count x dim floats: each the mean over the
 * node's training contexts, or, unless context is NEAP_NONE, that which it has when paired with `context`.
 */
NEAP_API neap_status neap_query_vectors(neap_query *query, const uint32_t *nodes, size_t count,
                                        uint32_t context, float *vectors, neap_error *err);

/* For each pair the vectors of its two nodes in the context of each other, count x dim floats each. In a
 * method without contexts they are the nodes' only ones. */
NEAP_API neap_status neap_query_pair_vectors(neap_query *query, const neap_pair *pairs, size_t count,
                                             float *source_vectors, float *target_vectors, neap_error *err);

/* See neap_model_explain. */
NEAP_API neap_status neap_query_explain(neap_query *query, uint32_t source, uint32_t target,
                                        neap_explanation **out, neap_error *err);

/* ---- pairs from files --------------------------------------------------------------------------- */

/* Pairs of nodes from a file, a few at a time, in little memory. The file may be whatever neap_graph_load
 * takes for an edge list, "-" for standard input; the options `delimiter` and `header` apply, columns other
 * than source and target are ignored. One thread at a time may use a reader. */
typedef struct neap_pair_reader neap_pair_reader;

/* The names are looked up in `graph`, which must outlive the reader. Where the names of the graph are all
 * numbers, a first line with two other words is a header. */
NEAP_API neap_status neap_pair_reader_open(const char *path, const neap_options *options,
                                           const neap_graph *graph, neap_pair_reader **out,
                                           neap_error *err);
NEAP_API void neap_pair_reader_close(neap_pair_reader *reader);

/* The next pairs; *count < room only at the end of the file or on failure, and then the pairs before
 * the failure have been delivered. NEAP_E_UNKNOWN (err->where: the line) is a line with an unknown node;
 * the next call continues behind it. Without err no near names are looked for, which takes time. After any
 * other failure, further calls return it again. */
NEAP_API neap_status neap_pair_reader_next(neap_pair_reader *reader, neap_pair *pairs, size_t room,
                                           size_t *count, neap_error *err);

/* The two names on the line of the last NEAP_E_UNKNOWN, until the next call. */
NEAP_API void neap_pair_reader_unknown(const neap_pair_reader *reader, const char **source,
                                       const char **target);

/* ---- vectors from and for other tools ----------------------------------------------------------- */

/* Writes n vectors with the names of the graph's first n nodes. The ending of the path decides: .txt,
 * .vec (word2vec text), .bin (word2vec binary), .npy (+ .names.txt), .npz (vectors and names),
 * .safetensors, .csv (node, x0, x1, ...), .tsv (TensorBoard, + .meta.tsv), .jsonl. */
NEAP_API neap_status neap_vectors_save(const char *path, const neap_graph *graph, const float *vectors,
                                       uint32_t n, uint32_t dim, neap_error *err);

/* Where it puts the names, or "" if the file of vectors holds them; as neap_graph_names_path. */
NEAP_API neap_status neap_vectors_names_path(const char *path, char *names, size_t room, neap_error *err);

/* Vectors from a file, one per node of a graph: what neap_vectors_save or another tool wrote. */
typedef struct neap_vectors {
    size_t size; /* of this struct in the library */
    uint32_t nodes, dim;
    float *values;      /* nodes x dim, in the order of the graph's nodes; all finite               */
    uint32_t missing;   /* nodes that the file does not have: their vectors are zero                */
    uint64_t strangers; /* vectors in the file of unknown nodes, skipped                            */
    int by_order;       /* 1: no names were found, and the rows were taken as the nodes in order    */
} neap_vectors;

/* Reads word2vec text ("n d" in the first line or not) or, by the ending .npy or its first bytes, a NumPy
 * array of shape (n, d) of float32 or float64, or a safetensors file with one tensor of that shape of
 * float32; gzip and zstd are recognised by content (but not of safetensors). The names of the rows of X.npy
 * and X.safetensors are the lines of X.names.txt beside it, unless neap_vectors_save put them inside;
 * without that file there must be a row for each node of the graph, in its order. %XX in a name is the byte
 * XX, as neap_vectors_save writes it. NEAP_E_UNKNOWN if a node has no vector, unless allow_missing is not
 * 0; and in any case if no node has one. NEAP_E_MISMATCH if there are no names and another number of rows.
 * NEAP_E_FORMAT, with the line in err->where, for what cannot be read, is not finite, or occurs twice.
 * NEAP_E_LIMIT for a NumPy file of vectors longer than 65,536. */
NEAP_API neap_status neap_vectors_load(const char *path, const neap_graph *graph, int allow_missing,
                                       neap_vectors **out, neap_error *err);
NEAP_API void neap_vectors_free(neap_vectors *vectors);

/* ---- held-out pairs ----------------------------------------------------------------------------- */

/* The clean protocol: loops are dropped, unordered pairs are split; a test pair keeps its direction; each
 * test pair (u, v) gets one negative (u, w), w uniform over the nodes that u has no edge with. */
typedef struct neap_split neap_split;

/* share: part of the pairs held out, in (0, 1). */
NEAP_API neap_status neap_split_create(const neap_graph *graph, double share, uint64_t seed,
                                       neap_split **out, neap_error *err);

/* The same of data: its graph, and its targets, where there are any. Then a test pair leads to a target (an
 * undirected one is turned around for that, any other is not scored), and so does its negative. */
NEAP_API neap_status neap_split_data(const neap_data *data, double share, uint64_t seed, neap_split **out,
                                     neap_error *err);
NEAP_API void neap_split_free(neap_split *split);

/* The graph without the held-out pairs: same nodes, same names. */
NEAP_API const neap_graph *neap_split_train(const neap_split *split);

/* The held-out pairs and as many negatives, aligned by index; returns their number. */
NEAP_API size_t neap_split_pairs(const neap_split *split, const neap_pair **positives,
                                 const neap_pair **negatives);

/* Probability that a positive outscores a negative, over all pairs of both; ties count half. */
NEAP_API neap_status neap_auc(const float *positives, size_t n, const float *negatives, size_t m,
                              double *auc, neap_error *err);

/* ---- evaluation --------------------------------------------------------------------------------- */

/* A trial is one split of a graph under one protocol: what to train on and what to score. All methods are
 * measured on the same trial, and a trial can be saved and loaded (docs/evaluation.md). */
typedef struct neap_trial neap_trial;

typedef struct neap_link_spec {
    size_t size;
    const char *protocol;  /* "clean", or "paper" (leaky: neighbourhoods of the whole graph, test links
                              included) and "paper-clean" (the same without the leak)                  */
    const char *negatives; /* clean: "uniform", "degree" or "two-hop"                                  */
    double ratio;          /* share of the pairs that is trained on, in (0, 1)                         */
    uint64_t seed;         /* of the split; the options of a method have their own                     */
    double valid;          /* share of the training pairs for early stopping, below 1; 0: 0.1          */
} neap_link_spec;

/* Of the data's graph; clean: test pairs lead to its targets, and so do their negatives. Training has the
 * targets, text and features, too: those must outlive the trial. */
NEAP_API neap_status neap_trial_create(const neap_data *data, const neap_link_spec *spec, neap_trial **out,
                                       neap_error *err);
NEAP_API void neap_trial_free(neap_trial *trial);

/* Pairs that others drew, such as a published split. */
typedef struct neap_given_pairs {
    size_t size;
    const neap_pair *positives, *negatives; /* test links, and non-links to tell them from */
    size_t positive_count, negative_count;  /* at least 1 each; they may differ            */
    double valid;                           /* as in neap_link_spec                        */
    uint64_t seed;                          /* of what is drawn besides: validation pairs, ranks  */
} neap_given_pairs;

/* A trial of them; a test pair that comes again counts once. The graph of data is the training graph and
 * has all nodes, also those that only test pairs have; there are no targets. NEAP_E_LEAK: a test pair is a
 * training edge; NEAP_E_FORMAT: a negative is one or a test pair, or a pair is a node and itself. Its
 * protocol and its negatives are called "given", probabilities are not judged by it (nobody knows how its
 * negatives were drawn), and it is not saved. */
NEAP_API neap_status neap_trial_from_pairs(const neap_data *data, const neap_given_pairs *pairs,
                                           neap_trial **out, neap_error *err);

/* Writes the trial into a folder, which is made if it is not there: the pairs as names with tabs between,
 * their negatives for NumPy, and manifest.json last, with a checksum of each file (docs/split.md). A split
 * of the same graph that is there is replaced; NEAP_E_MISMATCH if it is one of another graph. */
NEAP_API neap_status neap_trial_save(const neap_trial *trial, const char *folder, neap_error *err);

/* Reads it back; it gives the same results to the last bit, and nothing is drawn again. Its largest file
 * is read when it is needed, so the folder must stay. Of data, which may be NULL, the graph (NULL: the
 * folder holds all edges), text and features are used. NEAP_E_FORMAT: the folder is damaged;
 * NEAP_E_UNKNOWN: it names a node that is not there; NEAP_E_MISMATCH: it is a split of another graph;
 * NEAP_E_LEAK: the split itself leaks. */
NEAP_API neap_status neap_trial_load(const char *folder, const neap_data *data, neap_trial **out,
                                     neap_error *err);

typedef struct neap_trial_facts {
    size_t size;
    const char *protocol, *negatives; /* as in neap_link_spec                                        */
    double ratio;
    uint64_t seed;
    uint32_t nodes;
    uint64_t edges;        /* of the whole graph                                                       */
    uint64_t train;        /* edges to train on                                                        */
    uint64_t valid;        /* pairs of them that choose the epoch                                      */
    uint64_t test;         /* test pairs that are scored                                               */
    uint64_t skipped;      /* test pairs that are not: no negative or no target (clean), no training
                              edge (paper)                                                             */
    uint64_t loops;        /* self-loops among the scored (paper protocols)                            */
    uint64_t reverse;      /* scored pairs whose reverse is a training edge (paper protocols: reciprocal
                              edges are split one by one)                                              */
    uint64_t self_loops;   /* of the graph: dropped in clean, split like other edges in the others     */
    uint64_t repeats;      /* edges that were read again and merged                                    */
    const char *targets;   /* "all", "list" or "opposite"                                              */
    uint32_t target_count; /* of a list; else 0                                                      */
} neap_trial_facts;
NEAP_API neap_status neap_trial_facts_of(const neap_trial *trial, neap_trial_facts *facts, neap_error *err);

/* The same from the manifest of a folder alone, without reading the rest. */
NEAP_API neap_status neap_trial_describe(const char *folder, neap_trial_facts *facts, neap_error *err);

/* Trains the method of the options on the trial's training edges. Where the options keep a share back for
 * early stopping, it is the trial's validation pairs, and that run only finds the number of epochs; then
 * all training pairs are trained on for that many. hooks may be NULL; its checkpoint is not used. */
NEAP_API neap_status neap_trial_train(const neap_trial *trial, const neap_options *options,
                                      const neap_hooks *hooks, neap_model **out, neap_error *err);

/* Bins of a reliability diagram. */
#define NEAP_BINS 15

/* NaN where a protocol does not define a number, or no test pair could be scored. docs/evaluation.md has
 * the definitions. */
typedef struct neap_link_result {
    size_t size;
    double auc;
    double auc_std;      /* paper protocols: over ten passes                                     */
    double auc_no_loops; /* paper protocols: without the self-loops among the test pairs         */
    double ap;           /* average precision                                                    */
    double mrr;          /* each test pair among 100 negatives of its own                        */
    double hits[3];      /* likewise: rank at most 1, 10, 50                                     */
    double pool_hits[3]; /* OGB's form: above all but 0, 9, 49 of the pool of all negatives      */
    uint64_t pairs;      /* test pairs scored                                                    */
    uint64_t skipped;    /* test pairs not scored                                                */
    uint64_t loops;      /* self-loops among the scored (paper protocols)                        */
    uint64_t ties;       /* test pairs that score like their negative (paper: in the first pass) */
    double seconds;      /* of scoring                                                           */
    uint32_t epochs;     /* behind the model                                                     */
    int sees_test;       /* 1: the model holds test pairs (possible in "paper" only)             */
    double auc_seen;     /* clean: over pairs and negatives whose nodes both have training links */
    double mrr_all;      /* clean: up to 1,000 drawn test pairs among all nodes; links left out  */
    double hits_all[3];  /* likewise: rank at most 1, 10, 50                                     */
    uint64_t ranked;     /* test pairs drawn for that                                            */
    double auc_shared;   /* clean, two-hop negatives: over pairs and negatives with a shared neighbour in
                            training                                                             */

    /* How right probabilities are: clean, a method that has them, and negatives of the kind that they
     * concern. Else NaN, and bins is 0. */
    double brier;                    /* Brier score: mean (probability - truth)^2, one to one        */
    double ece;                      /* expected calibration error: mean |predicted - observed|      */
    double ece_own;                  /* what labels drawn from these very probabilities would show   */
    uint32_t bins;                   /* NEAP_BINS, of equal count, by probability                    */
    double bin_predicted[NEAP_BINS]; /* mean probability of a bin; NaN: it is empty                  */
    double bin_observed[NEAP_BINS];  /* its share of links                                           */
    uint64_t bin_count[NEAP_BINS];   /* its pairs, links and non-links                               */
} neap_link_result;

/* Measures a model whose nodes are those of the trial. In clean and paper-clean the model is checked for
 * leaks first: NEAP_E_LEAK. Of hooks, which may be NULL, only the progress is used: NEAP_E_STOPPED. */
NEAP_API neap_status neap_trial_measure(const neap_trial *trial, const neap_model *model,
                                        const neap_hooks *hooks, neap_link_result *result, neap_error *err);

/* Measures given vectors, nodes x dim in the order of the graph: a pair scores the product of its two
 * vectors, or their cosine (0 with a zero vector). What they were trained on cannot be checked. */
NEAP_API neap_status neap_trial_measure_vectors(const neap_trial *trial, const float *vectors, uint32_t dim,
                                                int cosine, const neap_hooks *hooks,
                                                neap_link_result *result, neap_error *err);

/* What the leak check has compared; all of it free of test pairs, unless the check failed. */
typedef struct neap_leak_report {
    size_t size;
    uint64_t test_pairs;       /* held-out pairs, those that are not scored included               */
    uint64_t train_edges;      /* edges of the model                                               */
    uint64_t neighbours;       /* entries of its neighbourhoods                                    */
    uint64_t rejected;         /* entries of the list of links that training negatives avoid       */
    uint64_t degrees;          /* degrees recounted from the training pairs                        */
    uint64_t negatives;        /* test negatives; in clean no edge of the whole graph              */
    uint64_t reverse;          /* as in neap_trial_facts; no leak: part of the protocol            */
    uint64_t shared_negatives; /* validation negatives that are test negatives too; no leak: both
                                  are drawn independently, and the first only choose an epoch      */
} neap_leak_report;

/* Checks that neither the trial nor the model (matched by names; NULL: the trial alone) contains a test
 * pair: in training edges, neighbourhoods, degrees or the links that training negatives avoid. NEAP_E_LEAK
 * names the first one that is found. report may be NULL. */
NEAP_API neap_status neap_trial_check(const neap_trial *trial, const neap_model *model,
                                      neap_leak_report *report, neap_error *err);

/* ---- classes of nodes --------------------------------------------------------------------------- */

typedef struct neap_labels neap_labels;

/* Reads a class for each node: lines `node<TAB>class`; by_line: line i (from 0) is the class of the node
 * named i. NEAP_E_FORMAT, with the line in err->where, if a line is bad, a node has two classes, no node of
 * the graph has one, all have the same, or each has its own. Lines about other nodes are counted and
 * skipped. */
NEAP_API neap_status neap_labels_load(const char *path, const neap_graph *graph, int by_line,
                                      neap_labels **out, neap_error *err);
NEAP_API void neap_labels_free(neap_labels *labels);

typedef struct neap_labels_facts {
    size_t size;
    uint32_t nodes;        /* of the graph                                       */
    uint32_t labelled;     /* of them, those with a class                        */
    uint32_t classes;      /* at least 2                                         */
    uint64_t strangers;    /* lines about nodes that the graph does not have     */
    const uint32_t *of;    /* nodes: the class of each, or NEAP_NONE             */
    const uint32_t *count; /* classes: how many nodes are of each                */
} neap_labels_facts;
NEAP_API neap_status neap_labels_facts_of(const neap_labels *labels, neap_labels_facts *facts,
                                          neap_error *err);

/* The name of a class, or NULL if there is none. */
NEAP_API const char *neap_labels_class(const neap_labels *labels, uint32_t class_number);

/* All 0 is the default: as many clusters as classes, by spectral clustering where that fits. */
typedef struct neap_cluster_spec {
    size_t size;
    const char *algorithm; /* "spectral", "kmeans", or "auto" (also NULL): spectral clustering of up to
                              20,000 vectors, k-means of more                                            */
    const char *assign;    /* the last step of spectral clustering: "discretise" (also NULL), "kmeans"   */
    double gamma;          /* width of the affinity exp(-gamma |x - y|^2); 0: from the data              */
    uint32_t clusters;     /* 0: as many as classes                                                      */
    const neap_trial *trial; /* that was trained on: in the paper's protocols, nodes without a training
                                edge have no vector and are left out; NULL: all labelled nodes           */
    uint64_t seed;
    uint32_t threads;        /* 0: all cores                            */
    const neap_hooks *hooks; /* or NULL; only the progress is used      */
} neap_cluster_spec;

typedef struct neap_cluster_result {
    size_t size;
    double nmi; /* mutual information over the mean of the entropies              */
    double ami; /* the same adjusted for chance                                   */
    double ari; /* Rand index adjusted for chance                                 */
    uint32_t nodes, clusters;
    double gamma;          /* that was used; NaN: none was                        */
    const char *algorithm; /* "spectral" or "kmeans"                              */
} neap_cluster_result;

/* Clusters the vectors of the labelled nodes, without their classes, and compares both. vectors:
 * nodes x dim. cluster: nodes, or NULL; filled with the cluster of each labelled node, else NEAP_NONE. */
NEAP_API neap_status neap_cluster(const float *vectors, uint32_t dim, const neap_labels *labels,
                                  const neap_cluster_spec *spec, uint32_t *cluster,
                                  neap_cluster_result *result, neap_error *err);

typedef struct neap_classify_spec {
    size_t size;
    double share;  /* of the labelled nodes that trains, in (0, 1)                   */
    uint64_t seed; /* which ones                                                     */
    uint32_t threads;
    const neap_hooks *hooks; /* or NULL; only the progress is used                   */
} neap_classify_spec;

typedef struct neap_classify_result {
    size_t size;
    double micro, macro;                   /* F1 over the other labelled nodes                  */
    double frequent_micro, frequent_macro; /* of always predicting the most frequent class      */
    uint32_t train, test;                  /* nodes                                             */
} neap_classify_result;

/* Trains a one-vs-rest logistic regression on the vectors of a share of the labelled nodes and predicts the
 * others. predicted: nodes, or NULL; filled with the class predicted for each test node, else NEAP_NONE. */
NEAP_API neap_status neap_classify(const float *vectors, uint32_t dim, const neap_labels *labels,
                                   const neap_classify_spec *spec, uint32_t *predicted,
                                   neap_classify_result *result, neap_error *err);

/* ====================================================================================================
 * THIRD TIER: what may still change
 * Measurements, generators, files, the allocator.
 * ================================================================================================= */

/* ---- before and beside training ----------------------------------------------------------------- */

/* How many threads 0 stands for: the cores that this process may use, by its CPU mask, at most 1024. */
NEAP_API uint32_t neap_cores(void);

/* What a run will need. Memory is computed; time is measured on a few batches, if they fit. */
typedef struct neap_estimate_result {
    size_t size;
    uint64_t bytes;       /* peak of the whole run, reading included */
    uint64_t bytes_graph; /* texts and features included */
    uint64_t bytes_tables, bytes_optimizer, bytes_batch;
    double seconds_epoch; /* NaN: not measured                       */
    double seconds;
} neap_estimate_result;
NEAP_API neap_status neap_estimate(const neap_data *data, const neap_options *options,
                                   neap_estimate_result *result, neap_error *err);

/* A part of a training step, in the order in which a step does them. */
typedef struct neap_bench_stage {
    const char *name;  /* "pool"                                              */
    const char *about; /* "alignments of each pair, maxima, attention"        */
    double seconds;    /* all threads work on one stage, so these add up      */
    double flops;      /* additions and multiplications, as they were done    */
} neap_bench_stage;

#define NEAP_BENCH_STAGES 16

/* How fast training is on this graph and machine, and where its time goes. */
typedef struct neap_bench_result {
    size_t size;
    uint64_t edges; /* trained on                                                              */
    double seconds; /* of training alone: no reading, no validation                            */
    double edges_per_second;
    uint32_t threads;
    uint64_t batches;
    uint64_t table_batches; /* of these, how many were aligned by one large product            */
    double entries;         /* alignments: products of two neighbours, summed over the pairs   */
    double flops;           /* needed, had each batch been aligned by the cheaper method and
                               every entry of the gradient been added by itself               */
    double peak;            /* flops/s of a 2048 x 2048 x 2048 product by these threads */
    double share_of_peak;   /* flops / (seconds x peak)                                        */
    uint32_t stage_count;
    neap_bench_stage stages[NEAP_BENCH_STAGES];
} neap_bench_result;

/* Trains gap, or goat if the options name it, for about so many seconds, compares the speed with that of a
 * large matrix product in the same run, and keeps nothing. The options `epochs`, `valid`, `patience` and
 * `test` do not count. Of the hooks, which may be NULL, only the progress is used: NEAP_E_STOPPED. */
NEAP_API neap_status neap_bench(const neap_data *data, const neap_options *options, const neap_hooks *hooks,
                                double seconds, neap_bench_result *result, neap_error *err);

/* ---- random graphs ------------------------------------------------------------------------------ */

/* Reproducible random graphs. kind "er": `nodes`, `edges` distinct directed edges without loops.
 * "ba": each new node brings `links` edges, chosen by degree. "sbm": `blocks` equal blocks, each pair
 * inside a block is an edge with probability p_in, each other pair with p_out. */
typedef struct neap_generator {
    size_t size;
    const char *kind;
    uint32_t nodes, links, blocks;
    uint64_t edges, seed;
    double p_in, p_out;
} neap_generator;
NEAP_API neap_status neap_graph_generate(const neap_generator *what, neap_graph **out, neap_error *err);

/* ---- files -------------------------------------------------------------------------------------- */

/* Reads a model, checkpoint or graph file (docs/format.md) in full, checks every byte of it, and then
 * calls fact(key, value) for each thing it holds, if fact is not NULL. */
NEAP_API neap_status neap_file_check(const char *path,
                                     void (*fact)(const char *key, const char *value, void *user),
                                     void *user, neap_error *err);

/* 1 if the file looks like one of ours (safetensors), 0 if not or if it cannot be read. */
NEAP_API int neap_file_is_ours(const char *path);

/* Replaces a file whole or not at all: temporary file beside it, fsync, rename, fsync of the folder. A
 * path that exists and is not a regular file is written in place. */
NEAP_API neap_status neap_file_replace(const char *path, const void *bytes, size_t count, neap_error *err);

/* A file that takes long to make, part by part, so that an interrupted program can go on. PATH.part holds
 * the parts that are safe; in the end PATH is replaced whole. One thread at a time may use it. */
typedef struct neap_parts neap_parts;

typedef struct neap_parts_spec {
    size_t size;
    const char *path;  /* of the finished file; with .gz at its end each part becomes a gzip member */
    const char *about; /* what is made, in one line: going on needs the same                        */
    int resume;        /* 1: go on behind the parts that are there; 0: start again                  */
} neap_parts_spec;

/* NEAP_E_MISMATCH: the parts are about something else. NEAP_E_FORMAT: PATH.part is no such file, and stays.
 * NEAP_E_IO: another run is writing it, or it cannot be written. */
NEAP_API neap_status neap_parts_open(const neap_parts_spec *spec, neap_parts **out, neap_error *err);

/* How many there are. */
NEAP_API uint64_t neap_parts_count(const neap_parts *parts);

/* Adds one; it is on the disk when the call returns. After a failure nothing but closing is possible. */
NEAP_API neap_status neap_parts_add(neap_parts *parts, const void *bytes, size_t count, neap_error *err);

/* Puts the file in its place and removes the parts, which a failure leaves. Consumes `parts` in any case.
 */
NEAP_API neap_status neap_parts_finish(neap_parts *parts, neap_error *err);

/* Leaves what is there, for somebody to go on. Accepts NULL. */
NEAP_API void neap_parts_close(neap_parts *parts);

/* Makes a folder inside one that exists; one that exists already is no error. NEAP_E_IO, also if there is
 * a file of that name. */
NEAP_API neap_status neap_folder_create(const char *path, neap_error *err);

/* ---- the allocator ------------------------------------------------------------------------------ */

/* Replaces the allocator of all code of ours (zstd, jansson and OpenBLAS keep their own). Call it before
 * anything else, once, from one thread. resize(NULL, n) allocates, as realloc does.
 * (OpenBLAS's number of threads is another thing of the whole process. Neap has threads of its own, so it
 * sets that number to one while it uses OpenBLAS, which only clustering does on CPUs with AVX2, and
 * restores it before it returns; a progress callback may see the one.) */
typedef struct neap_allocator {
    size_t size;
    void *(*allocate)(size_t bytes);
    void *(*resize)(void *block, size_t bytes);
    void (*release)(void *block);
} neap_allocator;
NEAP_API neap_status neap_allocator_use(const neap_allocator *allocator, neap_error *err);

#ifdef __cplusplus
}
#endif
#endif
