/* negatives.h - nodes that stand against the target of a link: non-links of its source, drawn by a rule.
 * Test links are compared with them, and training may learn from the same kind. */
#ifndef NI_NEGATIVES_H
#define NI_NEGATIVES_H

#include "graph/targets.h"

typedef enum ni_negatives {
    NI_UNIFORM,   /* any node                                                          */
    NI_BY_DEGREE, /* in proportion to its links                                        */
    NI_TWO_HOP    /* the end of two random steps from the source, so a near one        */
} ni_negatives;

/* The words, by number; NULL behind the last. */
extern const char *const ni_negative_words[];

/* The option that chooses them, in every method; not each has degree-0.75. */
#define NI_NEGATIVE_HELP                                                                                   \
    "non-links to learn from, and for probabilities to concern: any, in proportion to their degree or to " \
    "1 "                                                                                                   \
    "+ degree^0.75 (rounded down), or neighbours of neighbours"

typedef struct ni_negative_rule {
    ni_negatives kind;
    const ni_links *seen;      /* whose degrees and steps count                     */
    const ni_links *known;     /* what is linked there is no non-link               */
    const ni_targets *targets; /* or NULL                                           */
    bool links_too;            /* unless this says that links may be drawn as well  */
} ni_negative_rule;

/* A node that may stand against p.target, on its side and not p.source; where a thousand draws find none by
 * degree or two hops away, any node. p.source has a stranger on that side. */
uint32_t ni_draw_negative(const ni_negative_rule *rule, neap_pair p, ni_rng *rng);

#endif
