/* Neighbours in the order of common neighbours: the links of u are marked, those of each neighbour counted.
 * O(sum of the degrees of all neighbours of all nodes), tasks are ranges of nodes; a mark is the number of
 * the node that set it, so that none has to be erased. */
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "graph/links.h"
#include "support/order.h"
#include "support/status.h"

enum { NODES_PER_TASK = 64 };

typedef struct ordering {
    const ni_hood *hood;
    const ni_links *links;
    uint32_t rows;
    uint32_t *mark; /* threads x nodes: 1 + the last node that is linked with this one, or 0 */
    uint64_t *key;  /* threads x widest                                                      */
    uint32_t widest;
    uint32_t *node; /* the result */
} ordering;

static uint32_t count_marked(const ordering *o, const uint32_t *mark, uint32_t u, uint32_t v)
{
    uint32_t common = 0;
    for (uint64_t i = o->links->offset[v]; i < o->links->offset[v + 1] && o->links->node[i] < o->rows; i++)
        common += mark[o->links->node[i]] == u + 1;
    return common;
}

static void order_node(const ordering *o, uint32_t u, uint32_t *mark, uint64_t *key)
{
    uint64_t first = o->hood->offset[u], n = o->hood->offset[u + 1] - first;
    for (uint64_t i = o->links->offset[u]; i < o->links->offset[u + 1]; i++)
        mark[o->links->node[i]] = u + 1;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t v = o->hood->node[first + i];
        key[i] = (uint64_t)(UINT32_MAX - count_marked(o, mark, u, v)) << 32 | v;
    }
    qsort(key, n, sizeof *key, ni_ascending_u64);
    for (uint64_t i = 0; i < n; i++) o->node[first + i] = (uint32_t)key[i];
}

static void order_task(void *arg, uint32_t task, uint32_t thread)
{
    const ordering *o = arg;
    uint64_t first = (uint64_t)task * NODES_PER_TASK;
    uint64_t end = ni_task_end(first, NODES_PER_TASK, o->hood->nodes);
    for (uint64_t u = first; u < end; u++)
        order_node(o, (uint32_t)u, o->mark + (uint64_t)thread * o->links->nodes,
                   o->key + (uint64_t)thread * o->widest);
}

static bool copy_hood(const ni_hood *hood, ni_hood *out)
{
    *out = (ni_hood){ .nodes = hood->nodes,
                      .offset = ni_copy(hood->offset, (size_t)hood->nodes + 1, sizeof *out->offset),
                      .node = ni_array(hood->offset[hood->nodes], sizeof *out->node),
                      .capped = hood->capped };
    return out->offset && out->node;
}

neap_status ni_hood_order(const ni_hood *hood, const ni_links *links, uint32_t rows, ni_threads *threads,
                          ni_hood *out, neap_error *err)
{
    ordering o = { .hood = hood, .links = links, .rows = rows };
    size_t workers = ni_threads_count(threads);
    for (uint32_t u = 0; u < hood->nodes; u++)
        if (ni_hood_size(hood, u) > o.widest) o.widest = ni_hood_size(hood, u);
    bool ok = copy_hood(hood, out);
    o.node = out->node;
    o.mark = ni_zeros(workers * links->nodes, sizeof *o.mark);
    o.key = ni_array(workers * o.widest, sizeof *o.key);
    neap_status rc = ok && o.mark && o.key ? NEAP_OK : ni_fail_memory(err, "the order of neighbours");
    if (rc == NEAP_OK) {
        ni_threads_run(threads, ni_tasks(hood->nodes, NODES_PER_TASK), order_task, &o);
        rc = ni_threads_check(threads, err);
    }
    ni_free(o.mark);
    ni_free(o.key);
    if (rc != NEAP_OK) ni_hood_free(out);
    return rc;
}
