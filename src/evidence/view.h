/* view.h - a graph as evidence sees it: links with their directions, the whole training graph or what is
 * left of it once some links are held back. Every evidence about a pair is measured in one view, in which
 * the pair itself is not linked; never mix two. */
#ifndef NI_VIEW_H
#define NI_VIEW_H

#include "graph/links.h"

/* Which of both directions a link from the row's node has. */
enum { NI_WAY_OUT = 1, NI_WAY_IN = 2 };

typedef struct ni_view {
    ni_links links; /* owned, or views of those of another */
    bool borrowed;
    uint8_t *way;    /* of each entry of links.node: NI_WAY_OUT, NI_WAY_IN or both; NULL: undirected */
    float *strength; /* nodes: the sum of its links' weights, its number of links without weights    */
    uint32_t *out;   /* nodes: links that lead away; NULL: undirected                                */
    uint32_t *in;    /* nodes: links that lead to it; NULL: undirected                               */
} ni_view;

/* The whole graph; `links` are of it, and must outlive the view. Loops do not count. */
neap_status ni_view_create(const neap_graph *graph, const ni_links *links, ni_view *view, neap_error *err);

/* The view without the links that are `held`: a flag for each entry of view->links.node, the same for both
 * directions of a link. */
neap_status ni_view_without(const ni_view *view, const bool *held, ni_view *out, neap_error *err);

/* A few links that are to be thought away, in either order; pairs that are not linked do not count. */
enum { NI_GONE_MOST = 7 };
typedef struct ni_gone {
    uint32_t count;
    neap_pair link[NI_GONE_MOST];
} ni_gone;

/* The view without these: copies, but nothing is looked at twice. */
neap_status ni_view_less(const ni_view *view, const ni_gone *gone, ni_view *out, neap_error *err);

/* The link of u and v is one of them. */
static inline bool ni_is_gone(const ni_gone *gone, uint32_t u, uint32_t v)
{
    for (uint32_t i = 0; i < gone->count; i++)
        if ((gone->link[i].source == u && gone->link[i].target == v) ||
            (gone->link[i].source == v && gone->link[i].target == u))
            return true;
    return false;
}

/* Degrees by direction, and strengths, of a view whose links and ways are there. */
neap_status ni_view_finish(ni_view *view, neap_error *err);

void ni_view_free(ni_view *view);

/* The entry of links.node that is v in the row of u; offset[u + 1] if they are not linked. */
uint64_t ni_view_find(const ni_view *view, uint32_t u, uint32_t v);

/* Bytes of a view that borrows nothing. */
uint64_t ni_view_bytes(const ni_view *view);

static inline uint64_t ni_view_arcs(const ni_view *view)
{
    return view->links.offset[view->links.nodes];
}

static inline float ni_view_weight(const ni_view *view, uint64_t i)
{
    return view->links.weight ? view->links.weight[i] : 1;
}

#endif
