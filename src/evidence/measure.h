/* measure.h - the evidence about pairs, source by source.
 *
 *     ni_globals    what all pairs of a view share: node values, eigenvectors
 *     ni_walks     walks from some sources at once, to all nodes
 *     ni_near      the neighbours of one source and theirs, marked
 *     ni_measure   from these, the evidence about (source, target) for some targets
 *
 * Walks: z_0 = e_s / k_s, z_j = D^-1 A z_j-1. Then W^j(s, t) = z_j(t) sqrt(k_s k_t), and personalised
 * PageRank is a sum of the same: ppr_s(t) = 0.15 sum over j of 0.85^j z_j(t) k_t, up to eight steps. k is
 * the strength of a node, its number of links where these have no weights.
 *
 * The first steps reach few nodes, whose links alone are followed; the others are products with all links.
 * A source costs at most seven of them and its neighbours' links, a target its own links. */
#ifndef NI_MEASURE_H
#define NI_MEASURE_H

#include "evidence/attributes.h"
#include "evidence/kinds.h"
#include "evidence/nodes.h"
#include "evidence/spread.h"

enum { NI_WALK_STEPS = 8 };

typedef struct ni_globals {
    const ni_view *view;
    uint32_t groups;                 /* bits of ni_group: what is measured; the rest is 0      */
    uint32_t dim;                    /* eigenpairs                                             */
    const float *node;               /* nodes x NI_NODE_VALUES                                 */
    const float *value;              /* dim                                                    */
    const float *vector;             /* nodes x dim                                            */
    const ni_attributes *attributes; /* or NULL: nothing is known but links        */

    /* what follows from these */
    float *length;  /* nodes: sqrt of sum |value_i| vector_i^2                         */
    float *around;  /* nodes x attributes->dim: ni_attributes_around; or NULL          */
    ni_view united; /* with text links; empty without attributes                      */
} ni_globals;

/* Fills what follows; to be freed in any case. */
neap_status ni_globals_finish(ni_globals *globals, ni_threads *threads, neap_error *err);
void ni_globals_free(ni_globals *globals);

/* ---- walks ---- */

typedef struct ni_walks {
    const ni_globals *globals;
    uint32_t lanes, count;           /* of each row; of them used              */
    uint32_t source[NI_SPREAD_MOST]; /* count                                  */
    float *z[NI_WALK_STEPS + 1];     /* nodes x lanes; z[0] is not there       */
    uint64_t *set[2];                /* lanes x words: nodes that two consecutive steps reach      */
    float *united[2];                /* nodes x lanes: steps on globals->united; or NULL         */
    float *reached;                  /* nodes x lanes: their sum, ppr_s(t) / k_t there           */
} ni_walks;

/* Lanes for many sources: NI_SPREAD_MOST, as long as all walks of a panel take no more than half a
 * gigabyte. */
uint32_t ni_walks_lanes(uint32_t nodes);

/* lanes: as in spread.h. */
neap_status ni_walks_create(const ni_globals *globals, uint32_t lanes, ni_walks *w, neap_error *err);
void ni_walks_free(ni_walks *w);
uint64_t ni_walks_bytes(uint32_t nodes, uint32_t lanes, bool known);

/* The walks of these sources, at most `lanes`. */
void ni_walks_from(ni_walks *w, const uint32_t *source, uint32_t count, ni_threads *threads);

/* The same, each as if a few links were not there. Text links are as ever. */
void ni_walks_without(ni_walks *w, const uint32_t *source, const ni_gone *gone, uint32_t count,
                      ni_threads *threads);

/* ppr_s(t) / k_t of a lane; of all lanes, which are more than one, into ppr (lanes). */
float ni_walks_ppr(const ni_walks *w, uint32_t lane, uint32_t target);
void ni_walks_ppr_row(const ni_walks *w, uint32_t target, float *ppr);

/* ---- near nodes ---- */

typedef struct ni_near {
    const ni_globals *globals;
    uint32_t source;
    uint8_t *mark;    /* nodes: of a neighbour its direction and NI_NEAR; else 0               */
    float *two;       /* nodes: walks of two links from the source                             */
    float *mixed;     /* nodes: over x with s > x < y, 1 / (in(x) out(y)); NULL: undirected    */
    float *toward[2]; /* dim: value_i^p vector_i of the source, p = 1, 3                    */
    float *term;      /* attributes->columns: the source's row of terms, else 0; or NULL    */
} ni_near;

enum { NI_NEAR = 4 };

neap_status ni_near_create(const ni_globals *globals, ni_near *near, neap_error *err);
void ni_near_free(ni_near *near);
uint64_t ni_near_bytes(const ni_globals *globals);

/* Marks the surroundings of a source, those of the one before are cleared. NEAP_NONE: only clears. */
void ni_near_to(ni_near *near, uint32_t source);

/* ---- evidence ---- */

/* Which kinds a node value makes: that of the source, or of the smaller value, and behind it the other. */
extern const struct ni_node_kinds {
    ni_node_value of;
    ni_kind first;
} ni_node_kinds[NI_NODE_VALUES];

/* value (NI_KINDS): the evidence about (near->source, target) in the view of near; walks: of that source,
 * in a lane. */
void ni_measure(const ni_walks *walks, uint32_t lane, const ni_near *near, uint32_t target, float *value);

/* The same but for node values. */
void ni_measure_pair(const ni_walks *walks, uint32_t lane, const ni_near *near, uint32_t target,
                     float *value);

/* Only closeness in the eigenvectors. */
void ni_measure_spectral(const ni_near *near, uint32_t target, float *value);

#endif
