/* The neighbours of either end, by what goes through them; see reasons.h. */
#include <math.h>
#include <stdlib.h>

#include "base/sys.h"
#include "evidence/reasons.h"
#include "support/status.h"

static int by_node(const void *a, const void *b)
{
    const ni_through *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int by_size(const void *a, const void *b)
{
    const ni_through *x = a, *y = b;
    double one = fabs(x->part), two = fabs(y->part);
    return one != two ? (one > two ? -1 : 1) : by_node(a, b);
}

/* Half of the parts of all links of either end but their own. Returns how many. */
static uint32_t list_links(const ni_links *l, const ni_why *why, ni_through *list)
{
    uint32_t ends[2] = { why->source, why->target }, count = 0;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < why->links[side]; i++) {
            uint32_t x = l->node[l->offset[ends[side]] + i];
            if (x != ends[!side]) list[count++] = (ni_through){ x, (double)why->part[side][i] / 2 };
        }
    return count;
}

/* A neighbour of both ends is one row. */
static uint32_t join_rows(ni_through *list, uint32_t count)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (rows && list[rows - 1].node == list[i].node) list[rows - 1].part += list[i].part;
        else list[rows++] = list[i];
    }
    return rows;
}

neap_status ni_why_gather(const ni_links *links, ni_why *why, neap_error *err)
{
    why->through = ni_array((size_t)why->links[0] + why->links[1], sizeof *why->through);
    if (!why->through) return ni_fail_memory(err, "an explanation");
    uint32_t count = list_links(links, why, why->through);
    qsort(why->through, count, sizeof *why->through, by_node);
    why->throughs = join_rows(why->through, count);
    qsort(why->through, why->throughs, sizeof *why->through, by_size);
    return NEAP_OK;
}
