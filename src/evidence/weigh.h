/* weigh.h - the sum of all curves, for many pairs: what can be known before a pair is, is added up once.
 *
 *     curves of node values    f(x_u) of every node u: their sum, as a source and as a target; in an
 *                              undirected graph, where the smaller value has one curve and the larger
 *                              another, each apart
 *     curves at 0              most nodes are far from the source: they share no neighbour, no path
 *     other curves             slope and deviation in one number
 *
 * 2 floats a node, in an undirected graph 10. A pair costs about 15 logarithms. */
#ifndef NI_WEIGH_H
#define NI_WEIGH_H

#include "evidence/additive.h"
#include "evidence/measure.h"

/* A curve for quick evaluation: slope g(x) + shift + step[bin]. */
typedef struct ni_weigh_curve {
    double slope, shift;
    float offset;               /* below 0: g(x) = x, else ln(x + offset)       */
    float edge[NI_CURVE_STEPS]; /* NI_CURVE_EDGES, and FLT_MAX behind them      */
    float step[NI_CURVE_STEPS];
    double zero; /* the curve at 0                               */
} ni_weigh_curve;

typedef struct ni_weigher {
    const ni_globals *globals;
    double start;
    uint32_t curves, kind[NI_KINDS]; /* that are not of node values            */
    uint32_t ends;
    ni_node_value end[NI_NODE_VALUES]; /* node values, each with two curves */
    ni_weigh_curve *curve;             /* `curves`, then those of node values */
    float *part;                       /* nodes x columns: see above */
    uint32_t columns;
} ni_weigher;

neap_status ni_weigher_create(ni_weigher *w, const ni_globals *globals, const ni_additive *curves,
                              const uint32_t *kind, ni_threads *threads, neap_error *err);
void ni_weigher_free(ni_weigher *w);

/* The log-odds of a pair. value (NI_KINDS): as ni_measure_pair fills it. */
double ni_weigh(const ni_weigher *w, uint32_t source, uint32_t target, const float *value);

#endif
