/* What the score would be without a link of either end; see reasons.h. */
#include <math.h>
#include <stdlib.h>

#include "base/sys.h"
#include "evidence/reasons.h"
#include "support/status.h"

/* A link of one end, and how much goes through it. */
typedef struct tried {
    uint32_t end, node;
    float size;
} tried;

static int by_size(const void *a, const void *b)
{
    const tried *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* All links of both ends but their own, the largest parts first. Returns how many. */
static uint32_t list_links(const ni_scorer *s, const ni_why *why, tried *list)
{
    const ni_links *l = &s->globals->view->links;
    uint32_t ends[2] = { why->source, why->target }, count = 0;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < why->links[side]; i++) {
            uint32_t x = l->node[l->offset[ends[side]] + i];
            if (x != ends[!side]) list[count++] = (tried){ ends[side], x, fabsf(why->part[side][i]) };
        }
    qsort(list, count, sizeof *list, by_size);
    return count;
}

static void keep(ni_why *why, ni_change one)
{
    uint32_t at = why->changes;
    double size = fabs(one.score - why->score);
    while (at && fabs(why->change[at - 1].score - why->score) < size) at--;
    if (at == NI_CHANGES_MOST) return;
    if (why->changes < NI_CHANGES_MOST) why->changes++;
    for (uint32_t i = why->changes - 1; i > at; i--) why->change[i] = why->change[i - 1];
    why->change[at] = one;
}

neap_status ni_why_try(ni_scorer *s, ni_why *why, neap_error *err)
{
    tried *list = ni_array((size_t)why->links[0] + why->links[1], sizeof *list);
    if (!list) return ni_fail_memory(err, "an explanation");
    uint32_t count = list_links(s, why, list);
    neap_status rc = NEAP_OK;
    for (uint32_t i = 0; i < count && i < NI_TRIED_MOST && rc == NEAP_OK; i++) {
        ni_change one = { list[i].end, list[i].node, 0 };
        neap_pair link = { one.end, one.node };
        rc = ni_scorer_without(s, (neap_pair){ why->source, why->target }, &link, 1, &one.score, err);
        if (rc == NEAP_OK) keep(why, one);
    }
    ni_free(list);
    return rc;
}
