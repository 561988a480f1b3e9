/* A step of a skip-gram model: make pairs (tasks), counting sort by block (stable, so that the order does
 * not depend on threads), train the blocks of the grid. O(pairs (1 + Q) d) for Q shared negatives; memory
 * O(pairs of a step). Tasks write to their own slices; blocks that run at once share no row. */
#include "walks/skipgram.h"

#include <string.h>

#include "base/sys.h"
#include "support/status.h"

enum { LOSS_EVERY = 64 }; /* groups: a logarithm costs as much as a product of vectors */

typedef struct ni_workshop {
    uint32_t tasks;
    uint64_t room;    /* pairs that a task may make                            */
    ni_couple *made;  /* tasks x room                                          */
    uint64_t *amount; /* tasks: how many it made                               */
    uint64_t *next;   /* tasks x blocks: how many, then where they go          */
    ni_couple *pair;  /* sorted by block, within a block by task               */
    uint64_t *start;  /* blocks + 1                                            */
    double *loss;     /* blocks: summed over the groups that were looked at    */
    uint64_t *looked; /* blocks: their pairs                                   */
    char *scratch;    /* threads x scratch_room                                */
    size_t scratch_room;

    uint64_t epoch, first, step;
    float rate;
} ni_workshop;

/* ---- room ---- */

static size_t scratch_room(const ni_skipgram *s)
{
    size_t change = NI_GROUP_SCRATCH * (size_t)s->dim * sizeof(float);
    size_t most = change > s->source.scratch ? change : s->source.scratch;
    return (most + NI_CACHE_LINE) / NI_CACHE_LINE * NI_CACHE_LINE;
}

static uint32_t tasks_for(const ni_skipgram *s, uint64_t positions)
{
    return ni_tasks(positions, s->source.per_task);
}

uint64_t ni_skipgram_bytes(const ni_skipgram *s, uint64_t positions)
{
    uint64_t tasks = tasks_for(s, positions), blocks = ni_grid_blocks(s->grid);
    uint64_t pairs = tasks * s->source.per_task * s->source.couples;
    return 2 * pairs * sizeof(ni_couple) + tasks * (blocks + 1) * 8 + blocks * 24 +
           ni_threads_count(s->threads) * scratch_room(s);
}

neap_status ni_skipgram_create(ni_skipgram *s, uint64_t positions, neap_error *err)
{
    uint32_t tasks = tasks_for(s, positions), blocks = ni_grid_blocks(s->grid);
    uint64_t room = (uint64_t)s->source.per_task * s->source.couples;
    ni_workshop *w = s->workshop = ni_zeros(1, sizeof *w);
    if (!w) return ni_fail_memory(err, "a step");
    *w = (ni_workshop){ .tasks = tasks,
                        .room = room,
                        .made = ni_array(tasks * room, sizeof *w->made),
                        .amount = ni_array(tasks, sizeof *w->amount),
                        .next = ni_array((size_t)tasks * blocks, sizeof *w->next),
                        .pair = ni_array(tasks * room, sizeof *w->pair),
                        .start = ni_array((size_t)blocks + 1, sizeof *w->start),
                        .loss = ni_array(blocks, sizeof *w->loss),
                        .looked = ni_array(blocks, sizeof *w->looked),
                        .scratch_room = scratch_room(s),
                        .scratch = ni_array(ni_threads_count(s->threads), scratch_room(s)) };
    bool ok = w->made && w->amount && w->next && w->pair && w->start && w->loss && w->looked && w->scratch;
    return ok ? NEAP_OK : ni_fail_memory(err, "a step");
}

void ni_skipgram_free(ni_skipgram *s)
{
    ni_workshop *w = s->workshop;
    if (!w) return;
    void *arrays[] = { w->made, w->amount, w->next, w->pair, w->start, w->loss, w->looked, w->scratch, w };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ni_free(arrays[i]);
    s->workshop = NULL;
}

/* ---- pairs, sorted by block ---- */

static void make_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_skipgram *s = arg;
    ni_workshop *w = s->workshop;
    uint32_t blocks = ni_grid_blocks(s->grid);
    uint64_t first = w->first + (uint64_t)task * s->source.per_task, *next = w->next + task * blocks;
    uint64_t end = ni_task_end(first, s->source.per_task, s->source.positions);
    ni_couple *made = w->made + task * w->room;
    w->amount[task] = ni_source_make(&s->source, w->epoch, first, (uint32_t)(end - first),
                                     w->scratch + thread * w->scratch_room, made);
    memset(next, 0, blocks * sizeof *next);
    for (uint64_t i = 0; i < w->amount[task]; i++) next[ni_grid_block(s->grid, made[i].in, made[i].out)]++;
}

/* Prefix sums: from counts to positions, by block, then by task. */
static void number_positions(const ni_skipgram *s, uint32_t tasks)
{
    ni_workshop *w = s->workshop;
    uint32_t blocks = ni_grid_blocks(s->grid);
    uint64_t at = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        w->start[b] = at;
        for (uint32_t t = 0; t < tasks; t++) {
            uint64_t here = w->next[t * blocks + b];
            w->next[t * blocks + b] = at;
            at += here;
        }
    }
    w->start[blocks] = at;
}

static void sort_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_skipgram *s = arg;
    ni_workshop *w = s->workshop;
    uint64_t *next = w->next + (uint64_t)task * ni_grid_blocks(s->grid);
    const ni_couple *made = w->made + task * w->room;
    (void)thread;
    for (uint64_t i = 0; i < w->amount[task]; i++)
        w->pair[next[ni_grid_block(s->grid, made[i].in, made[i].out)]++] = made[i];
}

/* ---- blocks ---- */

static float *outputs_of(const ni_skipgram *s, uint32_t block)
{
    return block / s->grid->ranges / s->grid->ranges < s->tied ? s->in : s->out;
}

static void prefetch_rows(const ni_skipgram *s, const float *out, const ni_couple *pair, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        ni_prefetch(s->in + (uint64_t)pair[i].in * s->dim, s->dim);
        if (!s->tree) ni_prefetch(out + (uint64_t)pair[i].out * s->dim, s->dim);
    }
}

/* The next pairs, as many as make a group: any with negatives, those of one output with a tree. */
static uint32_t fill_group(const ni_skipgram *s, const ni_couple *pair, uint64_t left, ni_group *g)
{
    uint32_t n = 0;
    for (; n < NI_GROUP_INPUTS && n < left && (!s->tree || pair[n].out == pair[0].out); n++) {
        g->input[n] = pair[n].in;
        g->positive[n] = pair[n].out;
    }
    if (s->tree) g->outputs = ni_tree_path(s->tree, pair[0].out, g->output, g->label);
    return g->inputs = n;
}

static void block_task(void *arg, uint32_t block, uint32_t thread)
{
    const ni_skipgram *s = arg;
    ni_workshop *w = s->workshop;
    ni_group g = { .k = ni_kernels_get(),
                   .in = s->in,
                   .out = outputs_of(s, block),
                   .dim = s->dim,
                   .rate = w->rate,
                   .bias = s->bias,
                   .shared_bias = s->shared_bias,
                   .outputs = s->negatives,
                   .positives = !s->tree,
                   .scratch = (float *)(void *)(w->scratch + thread * w->scratch_room) };
    ni_rng rng = ni_rng_at(s->seed, NI_STREAM_SKIPGRAM, w->step, block);
    uint64_t at = w->start[block], end = w->start[block + 1];
    double loss = 0;
    uint64_t looked = 0;
    for (uint64_t group = 0; at < end; group++) {
        bool look = group % LOSS_EVERY == 0;
        at += fill_group(s, w->pair + at, end - at, &g);
        prefetch_rows(s, g.out, w->pair + at, end - at < NI_GROUP_INPUTS ? end - at : NI_GROUP_INPUTS);
        for (uint32_t q = 0; q < g.outputs && !s->tree; q++)
            g.output[q] = ni_grid_negative(s->grid, block, &rng);
        loss += ni_group_step(&g, look);
        looked += look ? g.inputs : 0;
    }
    w->loss[block] = loss;
    w->looked[block] = looked;
}

void ni_skipgram_step(ni_skipgram *s, uint64_t epoch, uint64_t first, uint64_t step, double rate,
                      double *loss)
{
    ni_workshop *w = s->workshop;
    uint64_t left = s->source.positions - first, room = (uint64_t)w->tasks * s->source.per_task;
    uint32_t tasks = tasks_for(s, left < room ? left : room);
    w->epoch = epoch, w->first = first, w->step = step, w->rate = (float)rate;
    ni_threads_run(s->threads, tasks, make_task, s);
    number_positions(s, tasks);
    ni_threads_run(s->threads, tasks, sort_task, s);
    ni_grid_run(s->grid, s->threads, block_task, s);
    double sum = 0;
    uint64_t pairs = 0;
    for (uint32_t b = 0; b < ni_grid_blocks(s->grid); b++) sum += w->loss[b], pairs += w->looked[b];
    *loss = pairs ? sum / (double)pairs : 0;
}
