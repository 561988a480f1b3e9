/* The links among the neighbours of one node (triangles, by galloping search in sorted rows), and the
 * clusters that they form: label propagation, or components by union-find. One thread per work space; see
 * persona.h for cost and rules. */
#include "graph/persona.h"

#include <string.h>

#include "base/sys.h"

/* ---- links among the neighbours ---- */

/* The first position from `at` on with row[position] >= v: strides that double, then bisection. */
static uint64_t seek(const uint32_t *row, uint64_t n, uint64_t at, uint32_t v)
{
    uint64_t stride = 1, low = at;
    while (at < n && row[at] < v) low = at + 1, at += stride, stride *= 2;
    uint64_t high = at < n ? at : n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (row[middle] < v) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool add_bond(ni_circles *c, uint32_t i, uint32_t j)
{
    if (!ni_grow(&c->bond, &c->bond_room, 2 * (c->bonds + 1), sizeof *c->bond)) return false;
    c->bond[2 * c->bonds] = i;
    c->bond[2 * c->bonds++ + 1] = j;
    return true;
}

/* With components the circles are a forest, circle[i] <= i: of two roots the smaller becomes that of all.
 */
static uint32_t root_of(uint32_t *circle, uint32_t i)
{
    for (; circle[i] != i; i = circle[i]) circle[i] = circle[circle[i]];
    return i;
}

static void unite(uint32_t *circle, uint32_t i, uint32_t j)
{
    i = root_of(circle, i), j = root_of(circle, j);
    if (i < j) circle[j] = i;
    else circle[i] = j;
}

static bool take_bond(ni_circles *c, uint32_t *circle, uint32_t i, uint32_t j)
{
    if (c->rule == NI_CIRCLES_LABELS) return add_bond(c, i, j);
    unite(circle, i, j);
    return true;
}

/* The links of neighbour i of u, which is v, with those behind it in the row: the shorter row is read,
 * the longer one searched. */
static bool find_bonds(ni_circles *c, uint32_t u, uint32_t i, uint32_t *circle)
{
    const ni_links *links = c->links;
    const uint32_t *mine = links->node + links->offset[u] + i + 1;
    uint32_t v = mine[-1];
    const uint32_t *theirs = links->node + links->offset[v];
    uint64_t my_count = ni_degree(links, u) - i - 1, their_count = ni_degree(links, v);
    uint64_t skipped = seek(theirs, their_count, 0, v);
    theirs += skipped, their_count -= skipped;
    bool turn = their_count < my_count;
    const uint32_t *read = turn ? theirs : mine, *searched = turn ? mine : theirs;
    uint64_t reads = turn ? their_count : my_count, searches = turn ? my_count : their_count, at = 0;
    for (uint64_t k = 0; k < reads; k++) {
        at = seek(searched, searches, at, read[k]);
        if (at == searches) break;
        uint32_t j = i + 1 + (uint32_t)(turn ? at : k);
        if (searched[at] == read[k] && !take_bond(c, circle, i, j)) return false;
    }
    return true;
}

/* ---- label propagation ---- */

static bool make_rows(ni_circles *c, uint32_t n)
{
    bool ok = ni_grow(&c->offset, &c->offset_room, (size_t)n + 2, sizeof *c->offset) &&
              ni_grow(&c->near, &c->near_room, 2 * c->bonds, sizeof *c->near) &&
              ni_grow(&c->votes, &c->votes_room, n, sizeof *c->votes);
    if (!ok) return false;
    /* Counted in entry i + 2 and filled through entry i + 1, so that entry i ends as the start of row i. */
    memset(c->offset, 0, ((size_t)n + 2) * sizeof *c->offset);
    memset(c->votes, 0, n * sizeof *c->votes);
    for (size_t k = 0; k < 2 * c->bonds; k++) c->offset[c->bond[k] + 2]++;
    for (uint32_t i = 0; i < n; i++) c->offset[i + 2] += c->offset[i + 1];
    for (size_t k = 0; k < 2 * c->bonds; k++) c->near[c->offset[c->bond[k] + 1]++] = c->bond[k ^ 1];
    return true;
}

/* Ties between labels go to the smallest of these draws. */
static uint64_t drawn(const ni_circles *c, uint32_t u, uint32_t i, uint32_t label)
{
    return ni_rng_at(c->seed, NI_STREAM_LABEL, u, (uint64_t)i << 32 | label).state;
}

/* The label that neighbour i of u takes. */
static uint32_t vote(const ni_circles *c, uint32_t u, uint32_t i, const uint32_t *label)
{
    const uint32_t *near = c->near + c->offset[i];
    uint64_t n = c->offset[i + 1] - c->offset[i];
    uint32_t most = 0, taken = label[i];
    for (uint64_t k = 0; k < n; k++) {
        uint32_t votes = ++c->votes[label[near[k]]];
        most = votes > most ? votes : most;
    }
    for (uint64_t k = 0; k < n && c->votes[label[i]] < most; k++) {
        uint32_t other = label[near[k]];
        if (c->votes[other] < most || other == taken) continue;
        if (taken == label[i] || drawn(c, u, i, other) < drawn(c, u, i, taken)) taken = other;
    }
    for (uint64_t k = 0; k < n; k++) c->votes[label[near[k]]] = 0;
    return taken;
}

static void propagate(const ni_circles *c, uint32_t u, uint32_t n, uint32_t *label)
{
    bool changed = true;
    for (uint32_t round = 0; round < NI_CIRCLES_ROUNDS && changed; round++) {
        changed = false;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t i = (uint32_t)ni_permute(c->seed, NI_STREAM_CIRCLE, u, n, k);
            uint32_t now = vote(c, u, i, label);
            changed |= now != label[i];
            label[i] = now;
        }
    }
}

/* ---- circles ---- */

/* From labels, which are positions in the row of u, to numbers in the order of first members. */
static uint32_t number_labels(const ni_circles *c, uint32_t n, uint32_t *label)
{
    uint32_t *number = c->votes, count = 0; /* all zero: not yet numbered */
    for (uint32_t i = 0; i < n; i++) {
        if (!number[label[i]]) number[label[i]] = ++count;
        label[i] = number[label[i]] - 1;
    }
    return count;
}

/* A root is the first of its circle, and has its number when the others come. */
static uint32_t number_roots(uint32_t n, uint32_t *circle)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) circle[i] = root_of(circle, i);
    for (uint32_t i = 0; i < n; i++) circle[i] = circle[i] == i ? count++ : circle[circle[i]];
    return count;
}

uint32_t ni_circles_find(ni_circles *c, uint32_t u, uint32_t *circle)
{
    uint32_t n = (uint32_t)ni_degree(c->links, u);
    bool ok = true;
    c->bonds = 0;
    for (uint32_t i = 0; i < n; i++) circle[i] = i;
    for (uint32_t i = 0; i < n && ok; i++) ok = find_bonds(c, u, i, circle);
    if (ok && c->rule == NI_CIRCLES_COMPONENTS) return number_roots(n, circle);
    if (ok && !c->bonds) return n;
    if (!ok || !make_rows(c, n)) return NEAP_NONE;
    propagate(c, u, n, circle);
    return number_labels(c, n, circle);
}

void ni_circles_free(ni_circles *c)
{
    ni_free(c->bond);
    ni_free(c->offset);
    ni_free(c->near);
    ni_free(c->votes);
    *c = (ni_circles){ 0 };
}
