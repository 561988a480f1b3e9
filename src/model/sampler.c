/* Which edges and negatives make up a step: a pure function of (seed, epoch, position), so that any
 * thread may draw any position. An unweighted graph needs no memory for the order (ni_permute); weighted
 * edges and powers of degrees are drawn by bisection in their running sums, O(log n). A negative takes one
 * draw, or rejections up to a limit. The items of a step are sorted by source. The sampler owns sums and
 * items. */
#include "model/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sys.h"
#include "support/order.h"
#include "support/status.h"

/* ---- options ---- */

static const ni_option sampling_options[] = {
    NI_OPTION(ni_sampling, U32, batch, "batch", "batch-size", 'b', "training", "N", "256", "64", "64", 1,
              1048576, 1, "edges per step"),
    NI_OPTION(ni_sampling, CHOICE, negative_sampling, "negative-sampling", "", 0, "training",
              "uniform|degree|two-hop|degree-0.75", "uniform", "uniform", "degree-0.75", 0, 0, 1,
              NI_NEGATIVE_HELP),
    NI_OPTION(ni_sampling, SWITCH, fresh_negatives, "fresh-negatives", "", 0, "training", "", "yes", "yes",
              "no", 0, 1, 1, "draw new non-links in each epoch"),
    NI_OPTION(ni_sampling, SWITCH, reject_links, "reject-links", "", 0, "training", "", "yes", "yes", "no",
              0, 1, 1, "never take a link of the training graph for a non-link"),
    NI_OPTION(ni_sampling, SWITCH, shuffle, "shuffle", "", 0, "training", "", "yes", "yes", "no", 0, 1, 1,
              "a new order of the edges in each epoch; otherwise one random order for all"),
};

const ni_option_set ni_sampling_set = NI_OPTION_SET(sampling_options);

/* ---- draws in proportion to a weight: bisection in the running sum ---- */

/* Position of the first running sum above x; sums ascend, x is below the last. */
static uint64_t bisect(const double *sum, uint64_t n, double x)
{
    uint64_t low = 0, high = n - 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (sum[middle] > x) high = middle;
        else low = middle + 1;
    }
    return low;
}

static uint64_t draw_by(const double *sum, uint64_t n, ni_rng *rng)
{
    return bisect(sum, n, ni_uniform(rng) * sum[n - 1]);
}

static bool sum_edges(ni_sampler *s)
{
    double sum = 0;
    if (!s->graph->weight) return true;
    if (!(s->edge_sum = ni_array(s->graph->edges, sizeof *s->edge_sum))) return false;
    for (uint64_t e = 0; e < s->graph->edges; e++) s->edge_sum[e] = sum += (double)s->graph->weight[e];
    return true;
}

static bool sum_degrees(ni_sampler *s)
{
    double sum = 0;
    const ni_targets *t = ni_targets_limit(s->targets) ? s->targets : NULL;
    if (s->options->negative_sampling != NI_BY_DEGREE_75) return true;
    if (!(s->degree_sum = ni_array(s->links->nodes, sizeof *s->degree_sum))) return false;
    for (uint32_t i = 0; i < s->links->nodes; i++) {
        if (t && i == t->start[1]) sum = 0;
        s->degree_sum[i] = sum += floor(1 + pow((double)ni_degree(s->links, t ? t->member[i] : i), 0.75));
    }
    return true;
}

/* ---- negatives ---- */

static bool close_sides(ni_sampler *s)
{
    if (!ni_targets_limit(s->targets)) return true;
    if (!(s->closed = ni_zeros(s->links->nodes, 1))) return false;
    for (uint32_t u = 0; u < s->links->nodes; u++)
        for (uint8_t side = 0; side < 2; side++)
            s->closed[u] |= (uint8_t)(!ni_has_stranger(s->links, s->targets, u, side) << side);
    return true;
}

/* A node that may be a negative of (u, v). */
static bool has_stranger(const ni_sampler *s, uint32_t u, uint32_t v)
{
    if (s->closed) return !(s->closed[u] >> s->targets->side[v] & 1);
    return ni_has_stranger(s->links, NULL, u, 0);
}

/* A node by its running sum, or any: on the side of v where there are targets. */
static uint32_t draw_any(const ni_sampler *s, uint32_t v, ni_rng *rng)
{
    uint64_t count = s->links->nodes, first = 0;
    if (ni_targets_limit(s->targets)) {
        first = s->targets->start[s->targets->side[v]];
        count = ni_side_count(s->targets, s->targets->side[v]);
    }
    uint64_t i = s->degree_sum ? draw_by(s->degree_sum + first, count, rng) : ni_below(rng, count);
    return ni_targets_limit(s->targets) ? s->targets->member[first + i] : (uint32_t)i;
}

static bool may_be_negative(const ni_sampler *s, uint32_t u, uint32_t v, uint32_t n)
{
    if (n == u || n == v) return false;
    return !s->options->reject_links || !ni_linked(s->links, u, n);
}

/* The rules that test negatives have, too. */
static uint32_t draw_by_rule(const ni_sampler *s, uint32_t u, uint32_t v, ni_rng *rng)
{
    ni_negative_rule rule = { .kind = (ni_negatives)s->options->negative_sampling,
                              .seen = s->links,
                              .known = s->links,
                              .targets = s->targets,
                              .links_too = !s->options->reject_links };
    return ni_draw_negative(&rule, (neap_pair){ u, v }, rng);
}

/* A node that u should score lower than v. Evenly and without links it takes one draw; otherwise draws
 * are repeated, and a source that rejects a hundred of them takes a stranger. */
static uint32_t draw_negative(const ni_sampler *s, uint32_t u, uint32_t v, ni_rng *rng)
{
    bool any = s->options->negative_sampling == NI_UNIFORM;
    if (!s->degree_sum && (!any || s->options->reject_links)) return draw_by_rule(s, u, v, rng);
    for (int tries = 0; tries < 100; tries++) {
        uint32_t n = draw_any(s, v, rng);
        if (may_be_negative(s, u, v, n)) return n;
    }
    return ni_stranger_like(s->links, s->targets, u, v, rng);
}

/* ---- items ---- */

/* Which edge stands at a position: an index into 0 .. positions-1; the second half is the first reversed.
 */
static uint64_t item_at(const ni_sampler *s, uint64_t epoch, uint64_t position)
{
    uint64_t edges = s->graph->edges;
    if (s->edge_sum) {
        ni_rng rng = ni_rng_at(s->seed, NI_STREAM_EDGE, epoch, position);
        uint64_t reversed = s->positions > edges ? ni_below(&rng, 2) * edges : 0;
        return draw_by(s->edge_sum, edges, &rng) + reversed;
    }
    /* Without shuffling: one random order for all epochs. The order of the file is not it, because edges
     * lie sorted by source, and a batch would be one source. */
    uint64_t order = s->options->shuffle ? epoch : 0;
    return ni_permute(s->seed, NI_STREAM_ORDER, order, s->positions, position);
}

static bool draw_item(const ni_sampler *s, uint64_t epoch, uint64_t position, uint32_t *nodes)
{
    uint64_t item = item_at(s, epoch, position), edge = item % s->graph->edges;
    uint32_t u = ni_graph_source(s->graph, edge), v = s->graph->target[edge];
    bool reversed = item >= s->graph->edges, fresh = s->options->fresh_negatives;
    nodes[0] = reversed ? v : u;
    nodes[1] = reversed ? u : v;
    if (!has_stranger(s, nodes[0], nodes[1])) return false;
    ni_rng rng = ni_rng_at(s->seed, NI_STREAM_NEGATIVE, fresh ? epoch : 0, fresh ? position : item);
    for (uint32_t k = 0; k < s->negatives; k++) nodes[2 + k] = draw_negative(s, nodes[0], nodes[1], &rng);
    return true;
}

uint32_t ni_sampler_draw(const ni_sampler *s, uint64_t epoch, uint64_t first, uint32_t count,
                         uint32_t *nodes)
{
    uint32_t items = 0, width = 2 + s->negatives;
    for (uint64_t at = first; at < first + count && at < s->positions; at++)
        items += draw_item(s, epoch, at, nodes + (uint64_t)items * width);
    return items;
}

/* ---- a step ---- */

enum { POSITIONS_PER_TASK = 64 };

static uint64_t width_of(const ni_sampler *s)
{
    return 2 + (uint64_t)s->negatives;
}

static uint64_t batch_of(const ni_sampler *s)
{
    return s->options->batch < s->positions ? s->options->batch : s->positions;
}

static void draw_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_sampler *s = arg;
    (void)thread;
    uint64_t first = (uint64_t)task * POSITIONS_PER_TASK;
    uint64_t end = ni_task_end(first, POSITIONS_PER_TASK, s->count);
    s->items[task] = ni_sampler_draw(s, s->epoch, s->first + first, (uint32_t)(end - first),
                                     s->drawn + first * width_of(s));
}

uint32_t ni_sampler_fill(ni_sampler *s, uint64_t epoch, uint64_t first, uint32_t count)
{
    uint64_t width = width_of(s), left = s->positions - first;
    s->epoch = epoch, s->first = first, s->count = left < count ? (uint32_t)left : count;
    uint32_t tasks = ni_tasks(s->count, POSITIONS_PER_TASK), items = 0;
    ni_threads_run(s->threads, tasks, draw_task, s);
    if (ni_threads_left_out(s->threads)) return 0;
    for (uint32_t task = 0; task < tasks; task++)
        for (uint64_t i = 0; i < s->items[task]; i++) {
            uint64_t at = (uint64_t)task * POSITIONS_PER_TASK + i;
            s->key[items++] = (uint64_t)s->drawn[at * width] << 32 | at;
        }
    if (items) qsort(s->key, items, sizeof *s->key, ni_ascending_u64);
    for (uint64_t i = 0; i < items; i++)
        memcpy(s->nodes + i * width, s->drawn + (s->key[i] & UINT32_MAX) * width, width * sizeof *s->nodes);
    return items;
}

/* ---- making one ---- */

/* Whether a source has a pair to train on: one whose target has a stranger beside it. */
static bool is_trained(const ni_sampler *s, uint32_t u)
{
    if (!s->closed) return has_stranger(s, u, 0);
    ni_arcs arcs = ni_arcs_of(s->graph, s->links, true);
    for (uint64_t i = arcs.offset[u]; i < arcs.offset[u + 1]; i++)
        if (has_stranger(s, u, arcs.node[i])) return true;
    return false;
}

/* Counts the sources without a stranger; false if there are no others. */
static bool count_left_out(ni_sampler *s)
{
    bool any = false;
    for (uint32_t u = 0; u < s->graph->nodes; u++) {
        bool source = s->graph->undirected ? ni_degree(s->links, u) > 0
                                           : s->graph->offset[u + 1] > s->graph->offset[u];
        if (source && is_trained(s, u)) any = true;
        else s->left_out += source;
    }
    return any;
}

static bool make_step(ni_sampler *s)
{
    uint64_t batch = batch_of(s);
    s->most = batch * width_of(s);
    return (s->nodes = ni_array(s->most, sizeof *s->nodes)) &&
           (s->drawn = ni_array(s->most, sizeof *s->drawn)) &&
           (s->items = ni_array(ni_tasks(batch, POSITIONS_PER_TASK), sizeof *s->items)) &&
           (s->key = ni_array(batch, sizeof *s->key));
}

neap_status ni_sampler_create(const ni_sampling *options, uint32_t negatives, uint64_t seed,
                              const neap_graph *graph, const ni_links *links, const ni_targets *targets,
                              ni_threads *threads, ni_sampler *s, neap_error *err)
{
    *s = (ni_sampler){ .options = options,
                       .negatives = negatives,
                       .seed = seed,
                       .graph = graph,
                       .links = links,
                       .targets = targets,
                       .threads = threads,
                       .positions = graph->edges * (graph->undirected ? 2 : 1) };
    if (links->offset[links->nodes] == 0)
        return ni_fail(err, NEAP_E_FORMAT,
                       "no edge links two different nodes, so there is nothing to train on");
    if (!close_sides(s)) return ni_fail_memory(err, "drawing edges");
    if (!count_left_out(s)) {
        ni_sampler_free(s);
        return ni_fail(
            err, NEAP_E_FORMAT,
            "every source is linked with every other node%s, so there is no non-link to learn from; %sa "
            "graph with more nodes or fewer edges is needed",
            ni_targets_limit(targets) ? " that might be its target" : "",
            graph->undirected ? "" : "try --undirected, or ");
    }
    if (sum_edges(s) && sum_degrees(s) && make_step(s)) return NEAP_OK;
    ni_sampler_free(s);
    return ni_fail_memory(err, "drawing edges");
}

void ni_sampler_free(ni_sampler *s)
{
    ni_free(s->edge_sum);
    ni_free(s->degree_sum);
    ni_free(s->closed);
    ni_free(s->nodes);
    ni_free(s->drawn);
    ni_free(s->items);
    ni_free(s->key);
    *s = (ni_sampler){ 0 };
}

uint64_t ni_sampler_bytes(const ni_sampling *options, const neap_graph *graph)
{
    return (graph->weight ? 8 * graph->edges : 0) +
           (options->negative_sampling == NI_BY_DEGREE_75 ? 8 * (uint64_t)graph->nodes : 0);
}

uint64_t ni_sampler_step_bytes(const ni_sampler *s)
{
    return 2 * s->most * sizeof *s->nodes + batch_of(s) * sizeof *s->key;
}
