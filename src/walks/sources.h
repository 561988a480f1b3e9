/* sources.h - where the pairs of a skip-gram model come from: windows of random walks (deepwalk, node2vec,
 * walklets, splitter), edges drawn by weight (line), ends of walks (verse), words of texts (tridnr).
 *
 * An epoch has a number of positions, and each position makes some pairs as a pure function of (seed,
 * epoch, position): nothing is kept between steps, and threads make what they need. */
#ifndef NI_SOURCES_H
#define NI_SOURCES_H

#include "base/threads.h"
#include "graph/graph.h"
#include "walks/walker.h"

/* A training pair: a row of the inputs and a row of the outputs. */
typedef struct ni_couple {
    uint32_t in, out;
} ni_couple;

struct ni_windows;
struct ni_edges;
struct ni_walk_ends;
struct ni_documents;

typedef struct ni_source {
    enum { NI_FROM_WINDOWS, NI_FROM_EDGES, NI_FROM_ENDS, NI_FROM_DOCUMENTS } kind;
    union {
        const struct ni_windows *windows;
        const struct ni_edges *edges;
        const struct ni_walk_ends *ends;
        const struct ni_documents *documents;
    } from;
    uint64_t positions; /* of an epoch                                   */
    uint32_t per_task;  /* positions that are made at once               */
    uint32_t couples;   /* at most so many per position                  */
    size_t scratch;     /* bytes that a thread needs while it makes them */
} ni_source;

/* Writes the pairs of `count` positions from `first` on, a multiple of per_task; returns how many. */
uint64_t ni_source_make(const ni_source *source, uint64_t epoch, uint64_t first, uint32_t count,
                        void *scratch, ni_couple *out);

/* ---- windows of walks: an epoch has `rounds` walks from every node; a position is a node of a walk ----
 */

typedef struct ni_windows {
    const ni_walker *walker;
    uint32_t rounds, length, window;
    bool scales;       /* layer k holds the pairs exactly k + 1 steps apart, window layers in all; otherwise
                          each centre draws a window from 1 to `window`, so that near ones come more often */
    const float *kept; /* nodes: share of its visits that count; NULL: all                                */
    uint64_t seed;
} ni_windows;

/* Walks first .. first + count - 1 of an epoch, at most NI_ABREAST, `length` nodes apart. rng: count,
 * the state of each walk's draws after it. */
void ni_windows_walks(const ni_windows *w, uint64_t epoch, uint64_t first, uint32_t count, ni_rng *rng,
                      uint32_t *walk, uint32_t *lengths);

ni_source ni_windows_source(const ni_windows *w);

/* How often each node is visited by one walk from every node. */
neap_status ni_windows_visits(const ni_windows *w, ni_threads *threads, uint64_t **visits, neap_error *err);

/* The share of its visits that a frequent node keeps: (sqrt(f/t) + 1) t/f for a frequency f above t, as
 * word2vec has it. NULL in *kept if t is 0. */
neap_status ni_windows_thin(const uint64_t *visits, uint32_t nodes, double t, float **kept,
                            neap_error *err);

/* ---- edges: a position is a draw by weight; an epoch has NI_EDGE_SAMPLES of them for each edge ---- */

enum { NI_EDGE_SAMPLES = 100 };

typedef struct ni_edges {
    const neap_graph *graph;
    bool first, second; /* orders: a layer for each, with one pair per position                         */
    bool along;         /* the second follows the direction of edges; the first has none             */
    uint64_t seed;
    uint32_t *source; /* edges: where each begins                                                    */
    ni_alias *alias;  /* edges, by weight; NULL: all alike                                           */
} ni_edges;

/* Fills source and alias; the fields above are set. */
neap_status ni_edges_create(ni_edges *e, neap_error *err);
void ni_edges_free(ni_edges *e);

ni_source ni_edges_source(const ni_edges *e);

/* The weights of each node's edges, in and out, as whole numbers up to 2^40. */
neap_status ni_edges_degrees(const ni_edges *e, uint64_t **degrees, neap_error *err);

/* ---- ends of walks: a position is a walk that stops with probability `restart` before each step, as
 * personalised PageRank has it; its pair is its start and its end. An epoch has NI_END_SAMPLES from every
 * node ---- */

enum { NI_END_SAMPLES = 100 };

typedef struct ni_walk_ends {
    const ni_walker *walker;
    double restart; /* at least 0.01 */
    uint64_t seed;
} ni_walk_ends;

ni_source ni_ends_source(const ni_walk_ends *e);

/* ---- words of texts: a position is a word of a text, in an order of the epoch's own; its pair is the text
 * and the word (PV-DBOW: Le and Mikolov, Distributed Representations of Sentences and Documents, 2014).
 * Inputs are texts, outputs are words ---- */

typedef struct ni_documents {
    uint64_t count;       /* words of all texts                        */
    const uint32_t *text; /* count: the text that each of them is in   */
    const uint32_t *word; /* count: which word it is                   */
    uint64_t seed;
} ni_documents;

ni_source ni_documents_source(const ni_documents *d, uint32_t per_task);

#endif
