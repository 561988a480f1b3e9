/* persona.h - the persona graph: a node that stands in several circles (circles.h) is split, into one
 * persona for each (Epasto, Lattanzi and Paes Leme 2017).
 *
 * A link (u, v) becomes one between the persona of u whose circle holds v and the persona of v whose circle
 * holds u: there are as many links as before, of the same weights. A node without links has one persona
 * without links. */
#ifndef NI_PERSONA_H
#define NI_PERSONA_H

#include "base/threads.h"
#include "graph/links.h"

typedef struct ni_personas {
    uint32_t nodes, count;
    uint32_t *offset; /* nodes + 1: the personas of u are offset[u] .. offset[u+1]-1, at least one */
    uint32_t *owner;  /* count: whose a persona is, ascending                                      */
} ni_personas;

/* way: NI_CIRCLES_LABELS, ... The same for any number of threads. NEAP_E_LIMIT: too many to be numbered. */
neap_status ni_personas_create(const ni_links *links, uint32_t way, uint64_t seed, ni_threads *threads,
                               ni_personas *personas, ni_links *persona_links, neap_error *err);

/* From a file: NEAP_E_FORMAT if owners do not ascend or leave out one of the nodes. */
neap_status ni_personas_take(const uint32_t *owner, uint64_t count, uint32_t nodes, ni_personas *personas,
                             neap_error *err);
void ni_personas_free(ni_personas *personas);

static inline uint32_t ni_personas_of(const ni_personas *p, uint32_t u)
{
    return p->offset[u + 1] - p->offset[u];
}

#endif
