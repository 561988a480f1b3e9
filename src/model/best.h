/* best.h - the k best of many scored nodes: a heap with its worst on top, O(log k) for each that beats it.
 */
#ifndef NI_BEST_H
#define NI_BEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct ni_ranked {
    uint32_t node;
    float score;
} ni_ranked;

/* Higher scores first, equal ones by number. */
static inline bool ni_best_before(ni_ranked a, ni_ranked b)
{
    return a.score > b.score || (a.score == b.score && a.node < b.node);
}

static inline void ni_best_sift(ni_ranked *heap, size_t count, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && ni_best_before(heap[child], heap[child + 1])) child++;
        if (!ni_best_before(heap[at], heap[child])) return;
        ni_ranked moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

/* heap: room for k, of which *count are there. */
static inline void ni_best_offer(ni_ranked *heap, size_t *count, size_t k, ni_ranked candidate)
{
    if (*count == k) {
        if (!ni_best_before(candidate, heap[0])) return;
        heap[0] = candidate;
        ni_best_sift(heap, k, 0);
        return;
    }
    size_t at = (*count)++;
    for (; at > 0 && ni_best_before(heap[(at - 1) / 2], candidate); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = candidate;
}

static inline int ni_best_compare(const void *a, const void *b)
{
    const ni_ranked *x = a, *y = b;
    return ni_best_before(*x, *y) ? -1 : ni_best_before(*y, *x);
}

/* The best first. */
static inline void ni_best_sort(ni_ranked *heap, size_t count)
{
    if (count) qsort(heap, count, sizeof *heap, ni_best_compare);
}

#endif
