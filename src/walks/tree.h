/* tree.h - hierarchical softmax: a Huffman tree over the nodes, so that frequent ones have short paths. A
 * node is predicted by the turns on the way to it; each inner node has a vector and decides one turn. */
#ifndef NI_TREE_H
#define NI_TREE_H

#include "neap.h"

typedef struct ni_tree {
    uint32_t leaves;
    uint32_t *parent; /* 2 leaves - 1: of leaves, then of inner nodes; the root has NEAP_NONE. Inner node i
                         is number leaves + i                                                     */
    uint8_t *turn;    /* 2 leaves - 1: whether it is the second child of its parent               */
    uint32_t depth;   /* of the deepest leaf                                                      */
} ni_tree;

/* NEAP_E_LIMIT if a path has more than `most` turns, which takes frequencies that grow without bound. */
neap_status ni_tree_create(const uint64_t *count, uint32_t leaves, uint32_t most, ni_tree *t,
                           neap_error *err);
void ni_tree_free(ni_tree *t);

/* The inner nodes on the way up from a leaf and the turns they make there; returns how many. */
static inline uint32_t ni_tree_path(const ni_tree *t, uint32_t leaf, uint32_t *inner, uint8_t *turn)
{
    uint32_t n = 0;
    for (uint32_t at = leaf; t->parent[at] != NEAP_NONE; at = t->parent[at], n++) {
        inner[n] = t->parent[at] - t->leaves;
        turn[n] = t->turn[at];
    }
    return n;
}

#endif
