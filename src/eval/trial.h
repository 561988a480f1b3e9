/* trial.h - one split of a graph under one protocol: what to train on, and what to score.
 *
 * clean        unordered pairs are split; each test pair has a negative that is no link of the whole graph;
 *              every test pair is scored (docs/evaluation.md)
 * paper        directed edges are split, loops and reciprocal edges stay; methods read the neighbourhoods
 * of the whole graph, test edges included: leaky, to reproduce published numbers paper-clean  the paper's
 * split and metric, but neighbourhoods of training edges only
 *
 * In the two paper protocols a test edge is skipped if one of its nodes has no training edge; its negative
 * is a random node of the test edges that has one, and may be a link; there are ten passes.           */
#ifndef NI_TRIAL_H
#define NI_TRIAL_H

#include "graph/links.h"
#include "graph/split.h"

typedef enum ni_protocol { NI_CLEAN, NI_PAPER, NI_PAPER_CLEAN } ni_protocol;
typedef enum ni_negatives { NI_UNIFORM, NI_BY_DEGREE, NI_TWO_HOP } ni_negatives;

enum { NI_PASSES = 10, NI_RANK_NEGATIVES = 100 };

typedef struct ni_trial {
    ni_protocol protocol;
    ni_negatives kind;
    double ratio; /* share of the pairs that are trained on */
    uint64_t seed;
    neap_graph *whole, *train;
    ni_links known;      /* links of the whole graph                                    */
    ni_links seen;       /* links of the training graph                                 */
    neap_pair *positive; /* test pairs that are scored                                  */
    neap_pair *negative; /* clean: one a test pair                                      */
    size_t count;
    size_t held_out;     /* test pairs before any were skipped                          */
    size_t loops;        /* self-loops among the scored                                 */
    uint32_t *candidate; /* paper: nodes that may be a negative                         */
    size_t candidates;
} ni_trial;

/* test: share of the pairs held out, 1 - ratio. */
neap_status ni_trial_create(const neap_graph *graph, ni_protocol protocol, ni_negatives kind, double ratio,
                            uint64_t seed, ni_trial **out, neap_error *err);
void ni_trial_free(ni_trial *t);

/* The graph whose neighbourhoods a method may read. */
static inline const neap_graph *ni_trial_around(const ni_trial *t)
{
    return t->protocol == NI_PAPER ? t->whole : t->train;
}

/* A target that test pair i is ranked against, k = 0 .. NI_RANK_NEGATIVES-1 (clean). */
uint32_t ni_trial_rank_negative(const ni_trial *t, size_t i, uint32_t k);

/* The negative target of test pair i in a pass (paper protocols). */
uint32_t ni_trial_pass_negative(const ni_trial *t, uint32_t pass, size_t i);

#endif
