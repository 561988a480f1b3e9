/* One source against a few targets, to the bit as rank.c has them among all: a small table of the rows that
 * they need is made, and ranked like the whole. Each row is multiplied in a tile of the same height and at
 * the same place of it. The last tile, which may be less tall, is taken over as it is. */
#include <string.h>

#include "attention/queries.h"
#include "attention/rank.h"
#include "base/status.h"
#include "base/sys.h"

typedef struct part {
    const neap_model *model;
    ni_hood hood;  /* of the targets, in rows of E                */
    uint32_t *row; /* model's rows: their place in E, or NEAP_NONE     */
    uint32_t rows; /* of E, which is zero where nothing stands    */
    float *E;
} part;

/* Every neighbour of the targets gets the first tile that is free at its place. */
static void place_rows(part *p, const uint32_t *targets, size_t count)
{
    const ni_hood *all = &p->model->hood;
    uint32_t taken[NI_RANK_ROWS] = { 0 }, tiles = 0, last = p->model->rows % NI_RANK_ROWS;
    uint32_t whole = p->model->rows - last;
    memset(p->row, 0xff, p->model->rows * sizeof *p->row);
    for (size_t i = 0; i < count; i++)
        for (uint64_t j = all->offset[targets[i]]; j < all->offset[targets[i] + 1]; j++) {
            uint32_t node = all->node[j], place = node % NI_RANK_ROWS;
            if (node >= whole || p->row[node] != NEAP_NONE) continue;
            p->row[node] = taken[place]++ * NI_RANK_ROWS + place;
            if (taken[place] > tiles) tiles = taken[place];
        }
    for (uint32_t i = 0; i < last; i++) p->row[whole + i] = tiles * NI_RANK_ROWS + i;
    p->rows = tiles * NI_RANK_ROWS + last;
}

static void link_targets(part *p, const uint32_t *targets, size_t count)
{
    const ni_hood *all = &p->model->hood;
    uint64_t links = 0;
    for (size_t i = 0; i < count; i++) {
        p->hood.offset[i] = links;
        for (uint64_t j = all->offset[targets[i]]; j < all->offset[targets[i] + 1]; j++)
            p->hood.node[links++] = p->row[all->node[j]];
    }
    p->hood.offset[count] = links;
}

static void copy_rows(part *p)
{
    uint64_t d = p->model->dim;
    for (uint64_t j = 0; j < p->model->rows; j++)
        if (p->row[j] != NEAP_NONE) memcpy(p->E + p->row[j] * d, p->model->E + j * d, d * sizeof *p->E);
}

static neap_status among_all(const neap_model *m, uint32_t source, const uint32_t *targets, size_t count,
                             float *scores, neap_error *err)
{
    float *all = ni_array(m->graph->nodes, sizeof *all);
    neap_status rc = all ? ni_gap_score_all(m, source, all, err) : ni_fail_memory(err, "ranking all nodes");
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) scores[i] = all[targets[i]];
    ni_free(all);
    return rc;
}

/* The small table, unless it is not small: *small. */
static neap_status make_part(part *p, const uint32_t *targets, size_t count, bool *small, neap_error *err)
{
    uint64_t links = 0;
    for (size_t i = 0; i < count; i++) links += ni_hood_size(&p->model->hood, targets[i]);
    p->hood.nodes = (uint32_t)count;
    *small = links <= p->model->hood.offset[p->model->hood.nodes] / 4;
    if (!*small) return NEAP_OK;
    p->hood.offset = ni_array(count + 1, sizeof *p->hood.offset);
    p->hood.node = ni_array(links, sizeof *p->hood.node);
    p->row = ni_array(p->model->rows, sizeof *p->row);
    if (!p->hood.offset || !p->hood.node || !p->row) return ni_fail_memory(err, "ranking some nodes");
    place_rows(p, targets, count);
    *small = p->rows <= p->model->rows / 2;
    if (!*small) return NEAP_OK;
    p->E = ni_zeros((uint64_t)p->rows * p->model->dim, sizeof *p->E);
    if (!p->E) return ni_fail_memory(err, "ranking some nodes");
    link_targets(p, targets, count);
    copy_rows(p);
    return NEAP_OK;
}

static void free_part(part *p)
{
    ni_hood_free(&p->hood);
    ni_free(p->row);
    ni_free(p->E);
}

neap_status ni_gap_score_some(const neap_model *m, uint32_t source, const uint32_t *targets, size_t count,
                              float *scores, neap_error *err)
{
    part p = { .model = m };
    bool small = false;
    neap_status rc = ni_rank_by_products(m) ? make_part(&p, targets, count, &small, err) : NEAP_OK;
    if (rc == NEAP_OK && small) rc = ni_rank_targets(m, source, p.E, p.rows, &p.hood, scores, err);
    free_part(&p);
    return rc == NEAP_OK && !small ? among_all(m, source, targets, count, scores, err) : rc;
}
