/* reasons.h - why a pair has its score: what each evidence adds, who stands behind it, and what would
 * change without a link.
 *
 * The score is start + sum of contributions, contribution_j = f_j(x_j) - mean of f_j over the examples.
 * Most kinds are sums over the neighbours of either end: of walks, W^j(s, t) = sum over x in N(s) of W(s,
 * x) W^j-1(x, t), of paths and shared neighbours likewise, of spectral closeness by W v = lambda v. So a
 * contribution is shared out among the neighbours of s, and once more among those of t, in proportion to
 * their parts of the sum. What no neighbour has part in (degrees, texts of the two, walks that begin with a
 * near text) remains. Both divide the same number, so half of each goes through a neighbour of both.
 *
 * Without a link of s or t the score is that of masked.h; only the links behind the largest shares are
 * looked at. If the two are linked themselves, everything is measured without that link. */
#ifndef NI_REASONS_H
#define NI_REASONS_H

#include "evidence/scorer.h"

enum {
    NI_BEHIND_MOST = 10, /* named behind each group            */
    NI_TRIED_MOST = 20,  /* links that are left out to see      */
    NI_CHANGES_MOST = 10 /* of them, those that are told        */
};

/* Who stands behind a group: a node, a path s - node - second - t, or a word. */
typedef struct ni_behind {
    ni_group group;
    uint32_t node, second; /* NEAP_NONE: there is none                            */
    uint32_t word;         /* column of terms, or NEAP_NONE                       */
    float share;           /* of all that stands behind the group, by size        */
} ni_behind;

/* A neighbour of either end, and the part of the score that goes through it. */
typedef struct ni_through {
    uint32_t node;
    double part;
} ni_through;

/* The score without the link of `end` and `node`. */
typedef struct ni_change {
    uint32_t end, node;
    double score;
} ni_change;

typedef struct ni_why {
    uint32_t source, target;
    double start, score;
    float value[NI_KINDS];         /* by the curve's number, not the kind's                   */
    double contribution[NI_KINDS]; /* likewise                                                */
    uint32_t links[2];             /* of source and target                                                */
    float *part[2];                /* links[i]: what goes to each of them, in the order of their rows     */
    ni_through *through;           /* the largest part first, by size */
    uint32_t throughs;
    ni_behind behind[NI_GROUPS * NI_BEHIND_MOST];
    uint32_t behinds; /* by group, the largest share first */
    ni_change change[NI_CHANGES_MOST];
    uint32_t changes; /* the largest change first */
} ni_why;

/* mean: of the curves, as ni_fit has it. To be freed in any case. */
neap_status ni_why_make(ni_scorer *scorer, const float *mean, uint32_t source, uint32_t target, ni_why *why,
                        neap_error *err);
void ni_why_free(ni_why *why);

/* through.c: fills through. */
neap_status ni_why_gather(const ni_links *links, ni_why *why, neap_error *err);

/* whatif.c: fills change. */
neap_status ni_why_try(ni_scorer *scorer, ni_why *why, neap_error *err);

#endif
