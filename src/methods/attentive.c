/* One pass over all n^2 pairs of nodes in blocks of 64 sources: powers of T by sparse products, logits by
 * matrix products, gradients by their transposes. O(n^2 (h + powers)) time, O(n) memory per block; see
 * attentive.h. */
#include "methods/attentive.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/blas.h"
#include "support/status.h"

/* The constants of the authors' program. */
static const double q_weight = 0.1, vector_weight = 1e-6;

enum { LANES = NI_ATTENTIVE_LANES, WAVE = NI_ATTENTIVE_WAVE, TILE = 256, SCRATCHES = 4 };

/* ---- making one ---- */

static uint32_t wave_blocks(uint64_t nodes)
{
    uint32_t blocks = ni_tasks(nodes, LANES);
    return blocks < WAVE ? blocks : WAVE;
}

/* T_ij for each arc, and c_i / n for each node. */
static void fill_chances(ni_attentive *a, const float *weight, const ni_attentive_options *options)
{
    uint64_t arcs = a->offset[a->nodes];
    bool even = options->starts == NI_STARTS_EVEN;
    double all = 0, n = a->nodes;
    a->other = (float)(even ? 1 / n : 1 / (n * n));
    for (uint64_t e = 0; e < arcs; e++) all += weight ? (double)weight[e] : 1;
    for (uint32_t u = 0; u < a->nodes; u++) {
        double sum = 0;
        for (uint64_t e = a->offset[u]; e < a->offset[u + 1]; e++) sum += weight ? (double)weight[e] : 1;
        for (uint64_t e = a->offset[u]; e < a->offset[u + 1]; e++)
            a->chance[e] = (float)((weight ? (double)weight[e] : 1) / sum);
        a->count[u] = (float)(options->walk.walks / n * (even ? 1 : sum / (all / (double)arcs)));
    }
}

/* T': for each node the arcs into it, ascending by source. */
static void turn_round(ni_attentive *a)
{
    uint64_t arcs = a->offset[a->nodes], *start = a->start;
    memset(start, 0, ((size_t)a->nodes + 1) * sizeof *start);
    for (uint64_t e = 0; e < arcs; e++) start[a->node[e]]++;
    for (uint32_t u = 1; u <= a->nodes; u++) start[u] += start[u - 1];
    for (uint32_t u = a->nodes; u-- > 0;)
        for (uint64_t e = a->offset[u]; e < a->offset[u + 1]; e++)
            a->into[--start[a->node[e]]] = (ni_term){ u, a->chance[e] };
}

neap_status ni_attentive_create(const neap_graph *graph, const ni_links *links,
                                const ni_attentive_options *options, ni_threads *threads, ni_attentive *a,
                                neap_error *err)
{
    ni_arcs out = ni_arcs_of(graph, links, options->walk.along);
    uint64_t n = links->nodes, numbers = n * LANES;
    *a = (ni_attentive){ .nodes = links->nodes,
                         .half = options->walk.learning.dim / 2,
                         .powers = options->walk.window,
                         .threads = threads,
                         .offset = out.offset,
                         .node = out.node };
    uint64_t arcs = a->offset[n];
    bool ok =
        (a->chance = ni_array(arcs, sizeof *a->chance)) && (a->start = ni_array(n + 1, sizeof *a->start)) &&
        (a->into = ni_array(arcs, sizeof *a->into)) && (a->count = ni_array(n, sizeof *a->count)) &&
        (a->wave = ni_array(wave_blocks(n) * numbers, sizeof *a->wave)) &&
        (a->scratch = ni_array(SCRATCHES * ni_threads_count(threads) * numbers, sizeof *a->scratch)) &&
        (a->sums = ni_array((uint64_t)WAVE * (a->powers + 1), sizeof *a->sums));
    if (!ok) {
        ni_attentive_free(a);
        return ni_fail_memory(err, "comparing all nodes with each other; fewer --threads need less");
    }
    fill_chances(a, out.weight, options);
    turn_round(a);
    return NEAP_OK;
}

void ni_attentive_free(ni_attentive *a)
{
    ni_free(a->chance);
    ni_free(a->start);
    ni_free(a->into);
    ni_free(a->count);
    ni_free(a->wave);
    ni_free(a->scratch);
    ni_free(a->sums);
    *a = (ni_attentive){ 0 };
}

uint64_t ni_attentive_bytes(uint64_t nodes, uint64_t arcs, uint64_t threads, uint64_t powers)
{
    uint64_t numbers = nodes * LANES * (wave_blocks(nodes) + SCRATCHES * threads);
    return 4 * numbers + 12 * nodes + 12 * arcs + WAVE * (powers + 1) * sizeof(double);
}

/* ---- a block: some sources, all targets ---- */

/* Arrays are nodes x lanes: line j has the values of the pairs (source, j), one lane per source. */
typedef struct block {
    const ni_attentive *a;
    const ni_kernels *k;
    const float *E;
    const double *Q;
    float *dE;
    double *sums;                      /* powers + 1                                        */
    uint32_t first, lanes;             /* its sources                                       */
    float count[LANES];                /* of them                                           */
    uint64_t arc[LANES];               /* of each source, the next one that next_arc returns */
    float *miss;                       /* s(-g), then the loss's gradient by g; in the wave */
    float *log, *target, *here, *next; /* log s(g); sum of Q_k T^k; T^k and T^(k+1)         */
} block;

static const float *left(const float *E, uint32_t half, uint64_t node)
{
    return E + node * 2 * half;
}

static const float *right(const float *E, uint32_t half, uint64_t node)
{
    return E + node * 2 * half + half;
}

static void rewind_arcs(block *b)
{
    for (uint32_t l = 0; l < b->lanes; l++) b->arc[l] = b->a->offset[b->first + l];
}

/* The next arc of a source that leads to a node before `end`; false if there is none. */
static bool next_arc(block *b, uint32_t lane, uint64_t end, uint64_t *at)
{
    uint64_t arc = b->arc[lane];
    if (arc >= b->a->offset[b->first + lane + 1] || b->a->node[arc] >= end) return false;
    *at = (uint64_t)b->a->node[arc] * LANES + lane;
    b->arc[lane]++;
    return true;
}

/* e^x of numbers up to 0. */
static void exp_line(const ni_kernels *k, float *x)
{
    for (int l = 0; l < LANES; l++) x[l] = x[l] < -80 ? -80 : x[l];
    k->exp(x, LANES, x);
}

/* Of one line, with e = e^-|g| and log(1 + e) = 2 atanh(e / (2 + e)), whose argument is at most 1/3: seven
 * terms of the series are exact to single precision. */
static void finish_line(const float *restrict e, const float *restrict top, float *restrict g,
                        float *restrict log_hit, float *restrict against)
{
    for (int l = 0; l < LANES; l++) {
        float t = e[l] / (2 + e[l]), u = t * t, size = fabsf(g[l]);
        float series = 1 / 9.0F + u * (1 / 11.0F + u * (1 / 13.0F));
        float log1p_e = 2 * t * (1 + u * (1 / 3.0F + u * (1 / 5.0F + u * (1 / 7.0F + u * series))));
        log_hit[l] = 0.5F * (g[l] - size) - log1p_e;
        against[l] -= 0.5F * (g[l] + size) + log1p_e;
        g[l] = top[l] / (1 + e[l]);
    }
}

static void start_line(const float *restrict g, float *restrict e, float *restrict top)
{
    for (int l = 0; l < LANES; l++) {
        float size = fabsf(g[l]);
        e[l] = -size;
        top[l] = -0.5F * (g[l] + size); /* -max(g, 0) */
    }
}

/* From g to s(-g) and log s(g); adds log s(-g) to `against`. */
static void squash_line(const ni_kernels *k, float *g, float *log_hit, float *against)
{
    float e[LANES], top[LANES];
    start_line(g, e, top);
    exp_line(k, e);
    exp_line(k, top);
    finish_line(e, top, g, log_hit, against);
}

/* g, then s(-g) and log s(g), of the lines from `first` to `end`; returns the sum of (1 - A) log s(-g). */
static double compare(block *b, uint64_t first, uint64_t end)
{
    uint32_t h = b->a->half;
    float *g = b->miss + first * LANES, against[LANES] = { 0 };
    double sum = 0;
    uint64_t at;
    if (b->lanes < LANES) memset(g, 0, (end - first) * LANES * sizeof *g);
    ni_gemm(0, 1, end - first, b->lanes, h, right(b->E, h, first), 2 * h, left(b->E, h, b->first), 2 * h, 0,
            g, LANES);
    for (uint32_t l = 0; l < b->lanes; l++)
        while (next_arc(b, l, end, &at)) sum += ni_surprise(-(double)b->miss[at]);
    for (uint64_t j = first; j < end; j++)
        squash_line(b->k, b->miss + j * LANES, b->log + j * LANES, against);
    for (uint32_t l = 0; l < b->lanes; l++) sum += (double)against[l];
    return sum;
}

/* T^1: one step from each source. */
static void take_first_step(block *b)
{
    const ni_attentive *a = b->a;
    size_t bytes = (size_t)a->nodes * LANES * sizeof *b->here;
    double sum = 0;
    memset(b->here, 0, bytes);
    memset(b->target, 0, bytes);
    for (uint32_t l = 0; l < b->lanes; l++)
        for (uint64_t e = a->offset[b->first + l]; e < a->offset[b->first + l + 1]; e++) {
            uint64_t at = (uint64_t)a->node[e] * LANES + l;
            b->here[at] = a->chance[e];
            b->target[at] = (float)b->Q[0] * a->chance[e];
            sum += (double)(b->count[l] * a->chance[e] * b->log[at]);
        }
    b->sums[0] = sum;
}

static void absorb_line(float share, const float *restrict step, const float *restrict log_hit,
                        float *restrict target, float *restrict hits)
{
    for (int l = 0; l < LANES; l++) {
        target[l] += share * step[l];
        hits[l] += step[l] * log_hit[l];
    }
}

/* T^(k+1) from T^k for the lines from `first` to `end`; returns the sum of count T^(k+1) log s(g). */
static double take_step(block *b, uint32_t power, uint64_t first, uint64_t end)
{
    const ni_attentive *a = b->a;
    float share = (float)b->Q[power], hits[LANES] = { 0 };
    double sum = 0;
    for (uint64_t j = first; j < end; j++) {
        float *step = b->next + j * LANES, *target = b->target + j * LANES, *log_hit = b->log + j * LANES;
        b->k->spmm_row(a->into + a->start[j], a->start[j + 1] - a->start[j], b->here, LANES, step);
        absorb_line(share, step, log_hit, target, hits);
    }
    for (uint32_t l = 0; l < b->lanes; l++) sum += (double)(b->count[l] * hits[l]);
    return sum;
}

static void slope_line(float other, const float *restrict count, const float *restrict target,
                       float *restrict miss)
{
    for (int l = 0; l < LANES; l++) miss[l] = other * (1 - miss[l]) - count[l] * target[l] * miss[l];
}

/* The gradient by g of the lines from `first` to `end`: other (1 - A) (1 - m) - count target m, m =
 * s(-g). At an arc (A = 1) the first term is removed by m = 1, after the target was multiplied by the true
 * m. Then their part of the gradient of the left vectors. */
static void turn_back(block *b, uint64_t first, uint64_t end)
{
    uint32_t h = b->a->half;
    uint64_t at;
    for (uint32_t l = 0; l < b->lanes; l++)
        while (next_arc(b, l, end, &at)) {
            b->target[at] *= b->miss[at];
            b->miss[at] = 1;
        }
    for (uint64_t j = first; j < end; j++)
        slope_line(b->a->other, b->count, b->target + j * LANES, b->miss + j * LANES);
    ni_gemm(1, 0, b->lanes, h, end - first, b->miss + first * LANES, LANES, right(b->E, h, first), 2 * h,
            first > 0, b->dE + (uint64_t)b->first * 2 * h, 2 * h);
}

static void run_block(block *b)
{
    uint64_t n = b->a->nodes, t;
    double against = 0;
    rewind_arcs(b);
    for (t = 0; t < n; t += TILE) against += compare(b, t, ni_task_end(t, TILE, n));
    b->sums[b->a->powers] = against;
    take_first_step(b);
    for (uint32_t power = 1; power < b->a->powers; power++) {
        double sum = 0;
        for (t = 0; t < n; t += TILE) sum += take_step(b, power, t, ni_task_end(t, TILE, n));
        b->sums[power] = sum;
        float *here = b->next;
        b->next = b->here;
        b->here = here;
    }
    rewind_arcs(b);
    for (t = 0; t < n; t += TILE) turn_back(b, t, ni_task_end(t, TILE, n));
}

/* ---- all blocks ---- */

typedef struct pass {
    const ni_attentive *a;
    const float *E;
    const double *Q;
    float *dE;
    uint32_t first_block, blocks; /* of the wave */
} pass;

static uint32_t lanes_of(const ni_attentive *a, uint32_t block_number)
{
    uint32_t first = block_number * LANES;
    return a->nodes - first < LANES ? a->nodes - first : LANES;
}

static void block_task(void *arg, uint32_t task, uint32_t thread)
{
    const pass *p = arg;
    const ni_attentive *a = p->a;
    size_t numbers = (size_t)a->nodes * LANES;
    float *scratch = a->scratch + SCRATCHES * thread * numbers;
    uint32_t number = p->first_block + task;
    block b = { .a = a,
                .k = ni_kernels_get(),
                .E = p->E,
                .Q = p->Q,
                .dE = p->dE,
                .sums = a->sums + (size_t)task * (a->powers + 1),
                .first = number * LANES,
                .lanes = lanes_of(a, number),
                .miss = a->wave + task * numbers,
                .log = scratch,
                .target = scratch + numbers,
                .here = scratch + 2 * numbers,
                .next = scratch + 3 * numbers };
    memcpy(b.count, a->count + b.first, b.lanes * sizeof *b.count);
    run_block(&b);
}

/* dR of TILE nodes: dR_j += sum_i dg_ij L_i over the sources i of the wave, block by block. */
static void right_task(void *arg, uint32_t task, uint32_t thread)
{
    const pass *p = arg;
    const ni_attentive *a = p->a;
    uint64_t n = a->nodes, h = a->half, first = (uint64_t)task * TILE, end = ni_task_end(first, TILE, n);
    (void)thread;
    for (uint32_t i = 0; i < p->blocks; i++) {
        uint32_t number = p->first_block + i;
        ni_gemm(0, 0, end - first, h, lanes_of(a, number), a->wave + (i * n + first) * LANES, LANES,
                left(p->E, a->half, (uint64_t)number * LANES), 2 * h, number > 0, p->dE + first * 2 * h + h,
                2 * h);
    }
}

/* Fills dE and dQ; returns the loss of the pairs. */
static double run_waves(const ni_attentive *a, const float *E, const double *Q, float *dE, double *dQ)
{
    uint32_t blocks = ni_tasks(a->nodes, LANES);
    double loss = 0;
    memset(dQ, 0, a->powers * sizeof *dQ);
    for (uint32_t first = 0; first < blocks; first += WAVE) {
        pass p = { a, E, Q, dE, first, blocks - first < WAVE ? blocks - first : WAVE };
        ni_gemm_run(a->threads, p.blocks, block_task, &p);
        ni_gemm_run(a->threads, ni_tasks(a->nodes, TILE), right_task, &p);
        for (uint32_t i = 0; i < p.blocks; i++) {
            const double *sums = a->sums + (size_t)i * (a->powers + 1);
            for (uint32_t power = 0; power < a->powers; power++) dQ[power] -= sums[power];
            loss -= (double)a->other * sums[a->powers];
        }
    }
    for (uint32_t power = 0; power < a->powers; power++) loss += Q[power] * dQ[power];
    return loss;
}

void ni_attentive_shares(const float *q, uint32_t powers, double *Q)
{
    double most = (double)q[0], sum = 0;
    for (uint32_t i = 1; i < powers; i++) most = (double)q[i] > most ? (double)q[i] : most;
    for (uint32_t i = 0; i < powers; i++) sum += Q[i] = exp((double)q[i] - most);
    for (uint32_t i = 0; i < powers; i++) Q[i] /= sum;
}

/* Adds the gradient of the vectors' L2 penalty; returns the penalty. */
static double weigh_vectors(const ni_attentive *a, const float *E, float *dE)
{
    const ni_kernels *k = ni_kernels_get();
    double each = a->nodes * (double)a->other * vector_weight / a->half, sum = 0;
    uint64_t d = 2 * (uint64_t)a->half;
    for (uint64_t u = 0; u < a->nodes; u++) {
        k->axpy((float)(2 * each), E + u * d, dE + u * d, d);
        sum += (double)k->dot(E + u * d, E + u * d, d);
    }
    return each * sum;
}

double ni_attentive_pass(const ni_attentive *a, const float *E, const float *q, float *dE, float *dq)
{
    enum { POWERS_MOST = 1000 };
    double Q[POWERS_MOST], dQ[POWERS_MOST], mean = 0, n = a->nodes;
    double each = n * n * (double)a->other * q_weight / a->powers;
    ni_attentive_shares(q, a->powers, Q);
    double loss = run_waves(a, E, Q, dE, dQ) + weigh_vectors(a, E, dE);
    for (uint32_t i = 0; i < a->powers; i++) mean += Q[i] * dQ[i];
    for (uint32_t i = 0; i < a->powers; i++) {
        dq[i] = (float)(Q[i] * (dQ[i] - mean) + 2 * each * (double)q[i]);
        loss += each * (double)q[i] * (double)q[i];
    }
    return loss;
}
