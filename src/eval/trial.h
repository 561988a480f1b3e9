/* trial.h - one split of a graph under one protocol: what to train on, and what to score.
 *
 * clean        unordered pairs are split; each test pair has a negative that is no link of the whole graph;
 *              every test pair is scored (docs/evaluation.md)
 * paper        directed edges are split, loops and reciprocal edges stay; GAP reads the neighbourhoods
 *              of the whole graph, test edges included: leaky, to reproduce published numbers
 * paper-clean  the paper's split and metric, but neighbourhoods of training edges only
 *
 * In the two paper protocols a test edge is skipped if one of its nodes has no training edge; its negative
 * is a random node of the test edges that has one, and may be a link; there are ten passes.
 *
 * given        pairs that others drew (neap_trial_from_pairs): a training graph, test pairs, and negatives
 *              that need not be as many and have sources of their own
 *
 * Test pairs are sorted by source and target, so that a method that works by source computes each source
 * once. A trial owns its graphs (shared by count), links and pairs; it does not change once it is made, and
 * any number of threads may read it. */
#ifndef NI_TRIAL_H
#define NI_TRIAL_H

#include "data/split.h"
#include "graph/negatives.h"
#include "io/stream.h"

typedef enum ni_protocol { NI_CLEAN, NI_PAPER, NI_PAPER_CLEAN, NI_GIVEN } ni_protocol;

enum { NI_PASSES = 10, NI_RANK_NEGATIVES = 100 };

/* The default share of validation pairs. */
#define NI_VALID_SHARE 0.1

typedef struct neap_trial {
    ni_protocol protocol;
    ni_negatives kind;
    double ratio; /* share of the pairs that are trained on */
    uint64_t seed;
    neap_graph *whole, *train;
    const struct neap_text *text;  /* of the nodes, the caller's; or NULL            */
    const neap_features *features; /* likewise                                       */
    ni_links known;                /* links of the whole graph                                    */
    ni_links seen;                 /* links of the training graph                                 */
    ni_targets targets;            /* of test pairs; all nodes in the paper's protocols           */
    neap_pair *positive;           /* test pairs that are scored                                  */
    neap_pair *negative;           /* clean: one per test pair, of its source; given: any number  */
    size_t count, negatives;
    size_t held_out;    /* test pairs before any were skipped                    */
    size_t loops;       /* self-loops among the scored                           */
    uint32_t *eligible; /* paper: nodes that may be a negative                   */
    size_t eligible_count;
    neap_pair *valid;          /* training pairs that choose the epoch; NULL: none      */
    neap_pair *valid_negative; /* one each                                              */
    size_t valids;
    struct ni_candidate_file *file; /* candidates are read from here; NULL: they are drawn       */
    neap_trial_facts facts;
} ni_trial;

/* Without validation pairs: a method that validates draws its own. targets may be NULL. */
neap_status ni_trial_create(const neap_graph *graph, ni_protocol protocol, ni_negatives kind,
                            const neap_targets *targets, double ratio, uint64_t seed, ni_trial **out,
                            neap_error *err);

/* Pairs of the training graph that choose the epoch; `share` as in neap_link_spec, 0: the usual one. */
neap_status ni_trial_hold_valid(ni_trial *t, double share, neap_error *err);

/* The words of neap_link_spec, by number; NULL behind the last, so that `given` has none. */
extern const char *const ni_protocols[];

/* The paper's two protocols: skipped pairs, ten passes, averaged vectors. */
static inline bool ni_is_papers(const ni_trial *t)
{
    return t->protocol == NI_PAPER || t->protocol == NI_PAPER_CLEAN;
}

/* Completes the facts from all the rest. */
void ni_trial_count(ni_trial *t);

/* Skipped in the paper protocols otherwise: the node has a training edge, maybe to itself. */
bool ni_trial_trained(const ni_trial *t, uint32_t node);

/* Each test pair has so many candidates, nodes that its target is compared with: those it is ranked among,
 * or one per pass (paper protocols). */
static inline uint32_t ni_trial_candidates(const ni_trial *t)
{
    return ni_is_papers(t) ? NI_PASSES : NI_RANK_NEGATIVES;
}

/* Draws candidate k of test pair i. Scoring reads them through ni_candidates, since they may also be on
 * disk. */
uint32_t ni_trial_draw_candidate(const ni_trial *t, size_t i, uint32_t k);

/* ---- candidates ----
 *
 * The nodes that test pairs are ranked against (ni_trial_candidates each), in the order of the pairs and a
 * few pairs at a time, so that they never are in memory all at once: drawn, or from a file. */

/* Where they are on disk: count x ni_trial_candidates node numbers, uint32 (npy.h), row i for test pair i.
 */
typedef struct ni_candidate_file {
    char *path;
    uint32_t crc; /* CRC32C of the whole file */
} ni_candidate_file;
neap_status ni_candidate_file_create(const char *path, uint32_t crc, ni_candidate_file **out,
                                     neap_error *err);
void ni_candidate_file_free(ni_candidate_file *file);

typedef struct ni_candidates {
    const ni_trial *trial;
    size_t next;      /* the test pair whose candidates come next */
    ni_stream_in *in; /* NULL: they are drawn                     */
    uint32_t crc;     /* of what was read so far                  */
} ni_candidates;

neap_status ni_candidates_open(const ni_trial *trial, ni_candidates *r, neap_error *err);

/* The candidates of the next `count` test pairs: count x ni_trial_candidates. With the last ones it fails
 * if the file is not what it was when the trial was loaded. */
neap_status ni_candidates_next(ni_candidates *r, size_t count, uint32_t *node, neap_error *err);
void ni_candidates_close(ni_candidates *r);

/* ---- the leak check (leak.c) ----
 *
 * No test pair is in the training data, and none in a model.
 *
 * Everything is compared with the two graphs of a trial, edge by edge, and not with what was derived from
 * them. A pair is held out, in whatever order its two nodes are given, if
 *
 * - clean: the whole graph has an edge between them, in either direction, and training has none;
 * - paper, paper-clean: the same; a single edge is held out if the whole graph has it and training has not.
 *   If the reverse of a test edge is a training edge, that is by construction (reciprocal edges are split
 *   one by one): the two are neighbours then, which is counted, and is no leak.
 *
 * O(edges log degree) for a trial and for a model, one thread; the caller owns the report. */

/* The trial alone: test pairs, validation pairs, negatives. NEAP_E_LEAK names the first pair that should
 * not be where it is. Fills its part of the report, which may be NULL. */
neap_status ni_leak_in_trial(const ni_trial *trial, neap_leak_report *report, neap_error *err);

/* A model: its training edges, neighbourhoods, the links that training negatives avoid, its degrees. Nodes
 * are matched by name; NEAP_E_MISMATCH if it has one that the trial has not. */
neap_status ni_leak_in_model(const ni_trial *trial, const neap_model *model, neap_leak_report *report,
                             neap_error *err);

#endif
