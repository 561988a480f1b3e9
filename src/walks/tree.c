/* A Huffman tree by two queues: leaves sorted by frequency, inner nodes in the order in which they are
 * made, O(n log n) for the sort and O(n) after it. */
#include "walks/skipgram.h"

#include <stdlib.h>

#include "base/sys.h"
#include "support/status.h"

typedef struct leaf {
    uint64_t count;
    uint32_t node;
} leaf;

static int by_count(const void *a, const void *b)
{
    const leaf *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* The two smallest become one, over and over: the smallest is the next of the sorted leaves or the next of
 * the inner nodes, which come into being in ascending order. */
static void join(ni_tree *t, const leaf *sorted, uint64_t *sum)
{
    uint32_t n = t->leaves, leaf_at = 0, inner_at = 0;
    for (uint32_t made = 0; made + 1 < n; made++) {
        sum[made] = 0;
        for (uint8_t turn = 0; turn < 2; turn++) {
            bool is_leaf = leaf_at < n && (inner_at == made || sorted[leaf_at].count <= sum[inner_at]);
            uint32_t child = is_leaf ? sorted[leaf_at].node : n + inner_at;
            sum[made] += is_leaf ? sorted[leaf_at].count : sum[inner_at];
            if (is_leaf) leaf_at++;
            else inner_at++;
            t->parent[child] = n + made;
            t->turn[child] = turn;
        }
    }
    t->parent[2 * n - 2] = NEAP_NONE;
}

/* From the root down, since parents have the larger numbers. */
static uint32_t measure_depth(const ni_tree *t, uint32_t *depth)
{
    uint32_t n = t->leaves, deepest = 0;
    depth[2 * n - 2] = 0;
    for (uint32_t i = 2 * n - 2; i-- > 0;) {
        depth[i] = depth[t->parent[i]] + 1;
        if (depth[i] > deepest) deepest = depth[i];
    }
    return deepest;
}

static bool build(ni_tree *t, const uint64_t *count)
{
    uint32_t n = t->leaves;
    leaf *sorted = ni_array(n, sizeof *sorted);
    uint64_t *sum = ni_array(n, sizeof *sum);
    uint32_t *depth = ni_array(2 * (size_t)n, sizeof *depth);
    bool ok = sorted && sum && depth;
    for (uint32_t u = 0; u < n && ok; u++) sorted[u] = (leaf){ count[u], u };
    if (ok) {
        qsort(sorted, n, sizeof *sorted, by_count);
        join(t, sorted, sum);
        t->depth = measure_depth(t, depth);
    }
    ni_free(sorted);
    ni_free(sum);
    ni_free(depth);
    return ok;
}

neap_status ni_tree_create(const uint64_t *count, uint32_t leaves, uint32_t most, ni_tree *t,
                           neap_error *err)
{
    *t = (ni_tree){ .leaves = leaves,
                    .parent = ni_array(2 * (size_t)leaves, sizeof *t->parent),
                    .turn = ni_zeros(2 * (size_t)leaves, 1) };
    bool ok = t->parent && t->turn && build(t, count);
    if (ok && t->depth <= most) return NEAP_OK;
    ni_tree_free(t);
    if (!ok) return ni_fail_memory(err, "the tree of the softmax");
    return ni_fail(err, NEAP_E_LIMIT, "the tree of the softmax is deeper than %u; use --loss ns", most);
}

void ni_tree_free(ni_tree *t)
{
    ni_free(t->parent);
    ni_free(t->turn);
    *t = (ni_tree){ 0 };
}
