/* Vose's construction of an alias table: O(n), numerically safe because remainders are handed on, not
 * recomputed. */
#include "walks/walker.h"

/* Weights are scaled to mean 1, columns have height 1: a column with a weight below 1 is filled up from
 * one above 1. scratch holds the low ones from the left and the high ones from the right. */
void ni_alias_fill(ni_alias *table, double *weight, uint32_t n, uint32_t *scratch)
{
    double sum = 0;
    uint32_t low = 0, high = n;
    for (uint32_t i = 0; i < n; i++) sum += weight[i];
    for (uint32_t i = 0; i < n; i++) {
        weight[i] *= n / sum;
        table[i] = (ni_alias){ 1, i };
        if (weight[i] < 1) scratch[low++] = i;
        else scratch[--high] = i;
    }
    while (low > 0 && high < n) {
        uint32_t small = scratch[--low], large = scratch[high];
        table[small] = (ni_alias){ (float)weight[small], large };
        weight[large] -= 1 - weight[small];
        if (weight[large] < 1) scratch[low++] = scratch[high++];
    }
}
