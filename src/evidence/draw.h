/* draw.h - the links and non-links that curves are learned from, and the evidence about them, masked.
 *
 * Evidence about a link is measured in a graph without it, or every curve would learn that links are
 * linked. Links are drawn as positives and dealt into folds; the graph of a fold lacks its positives, in
 * both directions, and everything about them and their non-links is measured there: degrees, walks,
 * eigenvectors, all of one graph. (Removing only the link in question, one at a time, is a trap: a hub of
 * K links then has K - 1 in each of its links and K in each of its non-links.)
 *
 * A group is a positive (s, t) and 30 non-links (s, w) of the whole graph that is learned from:
 *     10 drawn evenly
 *     10 of the 100 nodes that walks from s reach most (personalised PageRank)
 *     10 of the 100 most popular ones that are not among these
 * For the second loss, which ranks all nodes, each stands for its share of the nodes that it was drawn
 * from; an even one for its share of those that are neither likely nor popular, or for none if it is
 * either. In a directed graph popular is who has the most links to it; otherwise s is either end, by the
 * toss of a coin.
 *
 * Where the rule has other negatives, a group is a positive and ten of those, and each stands for one:
 * the second loss asks which of the eleven is the link. Drawn by degree or two hops away, most nodes cannot
 * be drawn, so that no weights would make them stand for all nodes; and a second loss about all nodes, with
 * even, likely and popular ones besides, answers another question than the first. Cora and email at 55 %,
 * seeds from 101 on, AUC against such test negatives / MRR among all nodes, with ten that stand for one,
 * and with those besides: by degree 90.1/7 and 89.3/22, 87.5/6 and 87.2/13; two-hop 87.1/5
 * and 86.5/9, 78.9/1 and 76.4/7. So such a model tells links from such non-links, and is not one to rank
 * all nodes with.
 *
 * Cost: per fold a view, its node values and eigenvectors; per source eight steps of walks, NI_SPREAD_MOST
 * sources at a time. Walks and eigenvectors are never in memory at once. A graph of more than 20 million
 * arcs has fewer positives, so that walks take no longer. Draws are functions of (seed, positive), sums
 * have one owner: same bytes for any number of threads. */
#ifndef NI_DRAW_H
#define NI_DRAW_H

#include "evidence/attributes.h"
#include "evidence/examples.h"
#include "evidence/kinds.h"
#include "evidence/view.h"
#include "graph/negatives.h"

enum {
    NI_DRAW_EVEN = 10,
    NI_DRAW_LIKELY = 10,
    NI_DRAW_POPULAR = 10,
    NI_DRAW_GROUP = 1 + NI_DRAW_EVEN + NI_DRAW_LIKELY + NI_DRAW_POPULAR
};

typedef struct ni_draw_rule {
    uint32_t positives;              /* at most so many                                           */
    double fold;                     /* share of the links that the graph of a fold lacks, at most */
    ni_negatives negatives;          /* what probabilities concern                                */
    uint32_t groups;                 /* bits of ni_group: the evidence that is measured           */
    uint32_t dim;                    /* eigenpairs wanted                                         */
    const ni_attributes *attributes; /* or NULL                                      */
    uint64_t seed;
} ni_draw_rule;

typedef struct ni_draw {
    const ni_view *view; /* what is learned from */
    const ni_targets *targets;
    const ni_draw_rule *rule;
    ni_threads *threads;
    uint32_t kinds, kind[NI_KINDS]; /* the evidence that is measured, ascending              */
    bool plain[NI_KINDS];
    uint32_t groups, folds, size;    /* size: examples of a group                             */
    uint32_t *start;                 /* folds + 1: the groups of a fold                              */
    uint32_t *source;                /* groups                                                       */
    uint32_t *target;                /* groups x NI_DRAW_GROUP: t, then its non-links                */
    float *value, *weight, *stands;  /* as in ni_examples                              */
    float *eigenvalue, *eigenvector; /* dim; nodes x dim: of the graph of the last fold; or NULL */
} ni_draw;

/* How many positives a graph of so many arcs has, at most. */
uint32_t ni_draw_positives(const ni_draw_rule *rule, uint64_t arcs);

/* Chooses positives and folds. NEAP_E_FORMAT if no link can serve; NEAP_E_ARG if there is no evidence. */
neap_status ni_draw_create(ni_draw *d, const ni_view *view, const ni_targets *targets,
                           const ni_draw_rule *rule, ni_threads *threads, neap_error *err);

/* fold.c: draws and measures what belongs to a fold. */
neap_status ni_draw_fold(ni_draw *d, uint32_t fold, neap_error *err);

void ni_draw_drop_eigenpairs(ni_draw *d);

/* Bytes of what is drawn in all folds; and what a fold takes besides, but for its eigenpairs: they are the
 * model's in the end. */
uint64_t ni_draw_bytes(const ni_draw *d);
uint64_t ni_draw_fold_bytes(const ni_draw *d);

/* What was drawn; views. */
ni_examples ni_draw_examples(const ni_draw *d);

void ni_draw_free(ni_draw *d);

#endif
