/* Scales and bins of all curves, then their lines and steps; see fit.h. */
#include "evidence/fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sys.h"
#include "support/status.h"

enum { ROWS_PER_TASK = 4096, FIFTHS = 5, FEW = 2500 }; /* FEW: with fewer groups each fifth is held once */

typedef struct fitting {
    const ni_examples *e;
    const ni_fit_rule *rule;
    ni_additive *out;
    ni_threads *threads;
    float *z;       /* count x evidence                  */
    uint8_t *bin;   /* evidence x count                  */
    double *score;  /* count: of one fit                 */
    double *apart;  /* count: of groups while they are held */
    uint8_t *fifth; /* groups: when it is held           */
    bool *held;     /* groups: it is now                 */
    float *mean;    /* evidence: of the finished curves  */
    uint64_t *sort; /* threads x 2 x count: a key and an example; room */
} fitting;

/* ---- scales ---- */

/* The order of floats as that of unsigned integers. */
static uint32_t ordered(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* Sorts by the upper half, equal ones stay in their order: a radix sort by eleven bits at a time. */
static void sort_keys(uint64_t *entry, size_t n, uint64_t *room)
{
    enum { BITS = 11, DIGITS = 1 << BITS };
    for (uint32_t shift = 32; shift < 64; shift += BITS) {
        size_t start[DIGITS + 1] = { 0 };
        for (size_t i = 0; i < n; i++) start[(entry[i] >> shift & (DIGITS - 1)) + 1]++;
        for (size_t k = 0; k < DIGITS; k++) start[k + 1] += start[k];
        for (size_t i = 0; i < n; i++) room[start[entry[i] >> shift & (DIGITS - 1)]++] = entry[i];
        memcpy(entry, room, n * sizeof *entry);
    }
}

/* The finite values in ascending order, equal ones by example: key << 32 | example. room: count. */
static size_t sort_values(const float *value, size_t count, uint64_t *sorted, uint64_t *room)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(value[i])) sorted[n++] = (uint64_t)ordered(value[i]) << 32 | i;
    sort_keys(sorted, n, room);
    return n;
}

static float sorted_value(const float *value, uint64_t entry)
{
    return value[entry & 0xffffffffu];
}

/* The first percentile of the positive values: small beside most of them, so that 0 is told from them. */
static float offset_of(const float *value, const uint64_t *sorted, size_t n)
{
    size_t first = 0;
    while (first < n && sorted_value(value, sorted[first]) <= 0) first++;
    if (first == n) return 1e-9f;
    return fmaxf(sorted_value(value, sorted[first + (n - first) / 100]), 1e-12f);
}

/* Two values that differ by more than the rounding of sums: an edge between them tells them apart however
 * they were summed, from either end of the pair or with other pairs. */
static bool are_apart(float x, float y)
{
    return (double)y - (double)x > 2e-6 * fabs((double)x) + 1e-30;
}

/* Quantiles of the values, where all links weigh as much as all non-links; an edge is in the middle between
 * two values that are apart. */
static void find_edges(const ni_examples *e, const float *value, const uint64_t *sorted, size_t n,
                       float *edge)
{
    uint64_t links = 0, weight = 0;
    uint32_t k = 0, next = 1;
    for (size_t i = 0; i < n; i++) links += (sorted[i] & 0xffffffffu) % e->size == 0;
    uint64_t others = n - links,
             all = links && others ? 2 * links * others : n; /* one kind: each weighs 1 */
    for (size_t i = 0; i + 1 < n && k < NI_CURVE_EDGES; i++) {
        bool link = (sorted[i] & 0xffffffffu) % e->size == 0;
        float x = sorted_value(value, sorted[i]), y = sorted_value(value, sorted[i + 1]);
        weight += all == n ? 1 : link ? others : links;
        if (weight * (NI_CURVE_EDGES + 1) < next * all || !are_apart(x, y)) continue;
        while (weight * (NI_CURVE_EDGES + 1) >= next * all) next++;
        edge[k++] = x + (y - x) / 2;
    }
    for (; k < NI_CURVE_EDGES; k++) edge[k] = FLT_MAX;
}

static void find_scale(const float *value, const uint64_t *sorted, size_t n, bool plain, float *line)
{
    double sum = 0, squares = 0;
    line[NI_LINE_OFFSET] = plain ? -1 : offset_of(value, sorted, n);
    line[NI_LINE_MEAN] = 0;
    line[NI_LINE_DEVIATION] = 1;
    for (size_t i = 0; i < n; i++) sum += (double)ni_curve_scaled(line, sorted_value(value, sorted[i]));
    double mean = n ? sum / (double)n : 0;
    for (size_t i = 0; i < n; i++) {
        double off = (double)ni_curve_scaled(line, sorted_value(value, sorted[i])) - mean;
        squares += off * off;
    }
    double deviation = n ? sqrt(squares / (double)n) : 0;
    line[NI_LINE_MEAN] = (float)mean;
    line[NI_LINE_DEVIATION] = deviation > 1e-6 ? (float)deviation : 1;
}

static void scale_task(void *arg, uint32_t j, uint32_t thread)
{
    const fitting *f = arg;
    size_t count = ni_examples_count(f->e);
    const float *value = f->e->value + j * count;
    float *line = f->out->line + (size_t)j * NI_LINE, *edge = f->out->edge + (size_t)j * NI_CURVE_EDGES;
    uint64_t *sorted = f->sort + (size_t)2 * thread * count;
    size_t n = sort_values(value, count, sorted, sorted + count);
    find_scale(value, sorted, n, f->e->plain[j], line);
    find_edges(f->e, value, sorted, n, edge);
    for (size_t i = 0; i < count; i++) {
        f->z[i * f->e->evidence + j] = ni_curve_scaled(line, value[i]);
        f->bin[j * count + i] = (uint8_t)ni_curve_bin(edge, value[i]);
    }
}

/* ---- lines, then steps ---- */

static void score_task(void *arg, uint32_t task, uint32_t thread)
{
    const fitting *f = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, ni_examples_count(f->e));
    (void)thread;
    for (uint64_t i = first; i < end; i++) {
        double sum = f->out->start;
        for (uint32_t j = 0; j < f->e->evidence; j++)
            sum += (double)f->out->line[(size_t)j * NI_LINE + NI_LINE_SLOPE] *
                   (double)f->z[i * f->e->evidence + j];
        f->score[i] = sum;
    }
}

/* Lines and steps of the groups that are not held. */
static neap_status fit_part(fitting *f, const bool *held, uint32_t *rounds, neap_error *err)
{
    ni_fit_part part = { f->e, f->rule, f->z, f->bin, held, *rounds, f->score };
    neap_status rc = ni_fit_lines(&part, f->threads, f->out, err);
    if (rc != NEAP_OK) return rc;
    ni_threads_run(f->threads, ni_tasks(ni_examples_count(f->e), ROWS_PER_TASK), score_task, f);
    rc = ni_fit_steps(&part, f->threads, f->out, err);
    *rounds = part.rounds;
    return rc;
}

/* Which fifth a group is in, at random. */
static void deal(fitting *f)
{
    for (uint32_t g = 0; g < f->e->groups; g++) {
        ni_rng rng = ni_rng_at(f->rule->seed, NI_STREAM_CURVES, 0, g);
        f->fifth[g] = (uint8_t)ni_below(&rng, FIFTHS);
    }
}

/* Scores of groups by curves that have not seen them. *rounds: the mean of what was best. */
static neap_status hold_fifths(fitting *f, uint32_t fifths, uint32_t *rounds, neap_error *err)
{
    neap_status rc = NEAP_OK;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < fifths && rc == NEAP_OK; k++) {
        uint32_t best = 0;
        for (uint32_t g = 0; g < f->e->groups; g++) f->held[g] = f->fifth[g] == k;
        rc = fit_part(f, f->held, &best, err);
        sum += best;
        for (uint32_t g = 0; g < f->e->groups && rc == NEAP_OK; g++)
            if (f->held[g])
                memcpy(f->apart + (size_t)g * f->e->size, f->score + (size_t)g * f->e->size,
                       f->e->size * sizeof *f->apart);
    }
    for (uint32_t g = 0; g < f->e->groups; g++) f->held[g] = f->fifth[g] < fifths;
    *rounds = (uint32_t)((sum + fifths / 2) / fifths);
    return rc;
}

/* Curves times slope, from the new start. */
static void stretch(ni_additive *a, double start, double slope)
{
    a->start = (float)(start + slope * a->start);
    for (uint32_t j = 0; j < a->curves; j++) {
        a->line[(size_t)j * NI_LINE + NI_LINE_SLOPE] *= (float)slope;
        for (uint32_t q = 0; q < NI_CURVE_STEPS; q++)
            a->step[(size_t)j * NI_CURVE_STEPS + q] *= (float)slope;
    }
}

static void mean_task(void *arg, uint32_t j, uint32_t thread)
{
    const fitting *f = arg;
    size_t count = ni_examples_count(f->e);
    const float *value = f->e->value + j * count;
    double sum = 0, weight = 0;
    (void)thread;
    for (size_t i = 0; i < count; i++) {
        double w = (double)f->e->weight[i];
        if (w > 0) sum += w * (double)ni_curve_at(f->out, j, value[i]);
        weight += w;
    }
    f->mean[j] = weight > 0 ? (float)(sum / weight) : 0;
}

static neap_status fit(fitting *f, ni_fit_report *report, neap_error *err)
{
    const ni_examples *e = f->e;
    ni_threads_run(f->threads, e->evidence, scale_task, f);
    neap_status rc = ni_threads_check(f->threads, err);
    deal(f);
    if (rc == NEAP_OK) rc = hold_fifths(f, e->groups < FEW ? FIFTHS : 1, &report->rounds, err);
    if (rc == NEAP_OK) ni_calibrate(e, f->apart, f->held, &report->start, &report->slope);
    if (rc == NEAP_OK) rc = fit_part(f, NULL, &report->rounds, err);
    if (rc != NEAP_OK) return rc;
    stretch(f->out, report->start, report->slope);
    ni_threads_run(f->threads, e->evidence, mean_task, f);
    return ni_threads_check(f->threads, err);
}

neap_status ni_fit(const ni_examples *e, const ni_fit_rule *rule, ni_threads *threads, ni_additive *out,
                   float *mean, ni_fit_report *report, neap_error *err)
{
    size_t count = ni_examples_count(e);
    fitting f = { .e = e, .rule = rule, .out = out, .mean = mean, .threads = threads };
    f.z = ni_array(count, e->evidence * sizeof *f.z);
    f.bin = ni_array(count, e->evidence);
    f.score = ni_array(count, sizeof *f.score);
    f.apart = ni_array(count, sizeof *f.apart);
    f.fifth = ni_array(e->groups, sizeof *f.fifth);
    f.held = ni_array(e->groups, sizeof *f.held);
    f.sort = ni_array(count, (size_t)2 * ni_threads_count(threads) * sizeof *f.sort);
    bool ok = f.z && f.bin && f.score && f.apart && f.fifth && f.held && f.sort;
    neap_status rc = ok ? fit(&f, report, err) : ni_fail_memory(err, "the fit of the curves");
    ni_free(f.z);
    ni_free(f.bin);
    ni_free(f.score);
    ni_free(f.apart);
    ni_free(f.fifth);
    ni_free(f.held);
    ni_free(f.sort);
    return rc;
}

uint64_t ni_fit_bytes(const ni_examples *e, uint32_t threads)
{
    uint64_t each = e->evidence * (sizeof(float) + 1) + 3 * sizeof(double) + 2 * threads * sizeof(uint64_t);
    uint64_t lines = (uint64_t)(e->evidence + 1) * (e->evidence + e->size + 3) * sizeof(double);
    return ni_examples_count(e) * (each + 2 * sizeof(double)) + (1 + e->groups / 256) * lines;
}
