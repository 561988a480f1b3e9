/* Boosted stumps on the bins of all curves; see fit.h. A round has two parts, each cut into tasks that
 * write what is theirs: scores after the last cut and their derivatives by ranges of groups, histograms by
 * curve. O(rounds x count x curves); 24 bytes per example and one per example and curve. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/sys.h"
#include "evidence/fit.h"
#include "support/status.h"

/* Neighbouring examples often fall into one bin: LANES sums per bin need not wait for each other. */
enum { LANES = 4, BINS = NI_CURVE_STEPS };

/* The gain of a curve changes slowly: all curves are looked at every PASS rounds, in between only those
 * that gained most when they were last looked at. */
enum { PASS = 8, LIKELY = 8 };

/* Fewer examples than this, of several curves together, are not worth another thread's attention. The
 * derivatives are read once for CURVES_PER_TASK curves. */
enum { EXAMPLES_PER_TASK = 1 << 14, CURVES_PER_TASK = 4 };

/* First and second derivative of the loss by the score, or sums of them: vectors of the compiler, which
 * adds both at once. */
typedef double slope __attribute__((vector_size(16)));

typedef struct cut {
    double gain;        /* 0: none */
    uint32_t bin;       /* bins 0 .. bin are left */
    double left, right; /* shifts                 */
} cut;

typedef struct boosting {
    const ni_fit_part *part;
    const ni_examples *e;
    const ni_fit_rule *rule;
    const uint8_t *bin;
    double *score;      /* count                                         */
    double *kept;       /* count: the scores of the best round           */
    slope *slopes;      /* count; 0 in groups that are held              */
    double *loss;       /* of the held groups, per task                  */
    uint32_t *members;  /* curves x BINS: examples that are not held     */
    cut *best;          /* curves: as they were last looked at           */
    uint32_t *look;     /* curves: those of a round first                */
    uint32_t looked;    /* in this round                                 */
    uint32_t per_task;  /* curves                                        */
    uint32_t chosen;    /* curve of the last round                       */
    bool moves;         /* there was one                                 */
    bool judged;        /* the loss of what is held counts in this round */
    double shift[BINS]; /* of its bins                                   */
} boosting;

/* The scores of a group after the last cut. */
static void move_group(const boosting *b, uint64_t group)
{
    uint32_t size = b->e->size;
    const uint8_t *bin = b->bin + b->chosen * ni_examples_count(b->e) + group * size;
    double *score = b->score + group * size;
    for (uint32_t i = 0; i < size; i++) score[i] += b->shift[bin[i]];
}

static void derivatives_task(void *arg, uint32_t task, uint32_t thread)
{
    boosting *b = arg;
    double loss = 0;
    uint32_t size = b->e->size;
    uint64_t first = (uint64_t)task * NI_GROUPS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_GROUPS_PER_TASK, b->e->groups);
    (void)thread;
    for (uint64_t group = first; group < end; group++) {
        const double *score = b->score + group * size;
        slope *slopes = b->slopes + group * size;
        if (b->moves) move_group(b, group);
        if (ni_fit_holds(b->part, (uint32_t)group)) {
            if (b->judged) loss += ni_group_value(b->e, (uint32_t)group, score);
            memset(slopes, 0, size * sizeof *slopes);
        } else ni_group_slopes(b->e, (uint32_t)group, score, (double *)slopes);
    }
    b->loss[task] = loss;
}

typedef slope histogram[LANES][BINS];

/* Adds the derivatives of all examples to the bins that they are in, in a fixed order. `curves` is a
 * constant where this is called. Sums of several curves need not wait for each other either. */
static inline void add_bins(const boosting *b, const uint8_t *const *bin, uint32_t curves, histogram *lanes)
{
    size_t count = ni_examples_count(b->e), i = 0;
    for (; i + LANES <= count; i += LANES)
        for (uint32_t c = 0; c < curves; c++)
            for (uint32_t k = 0; k < LANES; k++) lanes[c][k][bin[c][i + k]] += b->slopes[i + k];
    for (; i < count; i++)
        for (uint32_t c = 0; c < curves; c++) lanes[c][0][bin[c][i]] += b->slopes[i];
}

static void join_lanes(histogram lane, slope sum[BINS])
{
    for (uint32_t q = 0; q < BINS; q++) sum[q] = (lane[0][q] + lane[1][q]) + (lane[2][q] + lane[3][q]);
}

/* The best cut of a curve, from the derivatives in its bins. */
static cut find_cut(const boosting *b, const slope *sum, const uint32_t *members)
{
    double G = 0, H = 0, g = 0, h = 0, lambda = b->rule->lambda;
    uint64_t all = 0, left = 0;
    cut best = { .gain = 1e-12 };
    for (uint32_t q = 0; q < BINS; q++) {
        G += sum[q][0];
        H += sum[q][1];
        all += members[q];
    }
    for (uint32_t q = 0; q + 1 < BINS; q++) {
        g += sum[q][0];
        h += sum[q][1];
        left += members[q];
        if (!members[q] || left < b->rule->leaf || all - left < b->rule->leaf || h < 1e-6 || H - h < 1e-6)
            continue;
        double gain = g * g / (h + lambda) + (G - g) * (G - g) / (H - h + lambda) - G * G / (H + lambda);
        if (gain > best.gain) best = (cut){ gain, q, -g / (h + lambda), -(G - g) / (H - h + lambda) };
    }
    if (best.gain <= 1e-12) best.gain = 0;
    return best;
}

/* The best cuts of some curves at once. */
static void cut_some(const boosting *b, const uint32_t *curve, uint32_t curves)
{
    histogram lanes[CURVES_PER_TASK];
    slope sum[BINS];
    const uint8_t *bin[CURVES_PER_TASK];
    for (uint32_t i = 0; i < curves; i++) bin[i] = b->bin + curve[i] * ni_examples_count(b->e);
    memset(lanes, 0, curves * sizeof *lanes);
    if (curves == CURVES_PER_TASK) add_bins(b, bin, CURVES_PER_TASK, lanes);
    else
        for (uint32_t i = 0; i < curves; i++) add_bins(b, bin + i, 1, lanes + i);
    for (uint32_t i = 0; i < curves; i++) {
        join_lanes(lanes[i], sum);
        b->best[curve[i]] = find_cut(b, sum, b->members + (size_t)curve[i] * BINS);
    }
}

static void curve_task(void *arg, uint32_t task, uint32_t thread)
{
    const boosting *b = arg;
    uint64_t first = (uint64_t)task * b->per_task, end = ni_task_end(first, b->per_task, b->looked);
    (void)thread;
    for (; first < end; first += CURVES_PER_TASK)
        cut_some(b, b->look + first, (uint32_t)(ni_task_end(first, CURVES_PER_TASK, end) - first));
}

static void count_task(void *arg, uint32_t curve, uint32_t thread)
{
    boosting *b = arg;
    const uint8_t *bin = b->bin + curve * ni_examples_count(b->e);
    uint32_t *members = b->members + (size_t)curve * BINS;
    (void)thread;
    memset(members, 0, BINS * sizeof *members);
    for (uint32_t group = 0; group < b->e->groups; group++, bin += b->e->size)
        for (uint32_t i = 0; i < b->e->size && !ni_fit_holds(b->part, (uint32_t)group); i++)
            members[bin[i]]++;
}

static double held_loss(const boosting *b)
{
    double sum = 0;
    for (uint32_t t = 0; t < ni_tasks(b->e->groups, NI_GROUPS_PER_TASK); t++) sum += b->loss[t];
    return sum;
}

/* Curves that were just looked at by their gain, of equals the first, as far as `most`. */
static void sort_curves(const boosting *b, uint32_t most)
{
    for (uint32_t i = 0; i < most; i++)
        for (uint32_t j = i + 1; j < b->looked; j++) {
            uint32_t x = b->look[i], y = b->look[j];
            double gain = b->best[y].gain - b->best[x].gain;
            if (gain > 0 || (gain == 0 && y < x)) b->look[i] = y, b->look[j] = x;
        }
}

/* Takes the best cut of the curves that are looked at, by which scores are moved next; false: no cut gains
 * anything. */
static bool make_round(boosting *b, uint32_t round, ni_threads *threads, float *step)
{
    uint32_t curves = b->e->evidence;
    b->looked = round % PASS && curves > LIKELY ? LIKELY : curves;
    ni_threads_run(threads, ni_tasks(b->looked, b->per_task), curve_task, b);
    sort_curves(b, curves < LIKELY ? curves : LIKELY);
    b->chosen = b->look[0];
    const cut *c = &b->best[b->chosen];
    if (c->gain <= 0) return false;
    b->moves = true;
    for (uint32_t q = 0; q < BINS; q++) {
        b->shift[q] = b->rule->rate * (q <= c->bin ? c->left : c->right);
        step[(size_t)b->chosen * BINS + q] += (float)b->shift[q];
    }
    return true;
}

static void keep(boosting *b, ni_fit_part *part, uint32_t round)
{
    part->rounds = round;
    if (part->held) memcpy(b->kept, b->score, ni_examples_count(b->e) * sizeof *b->kept);
}

/* As many rounds as are asked for; or with something held, at least the least number of them, until its
 * loss has not fallen for `patience` more. */
static neap_status boost(boosting *b, ni_fit_part *part, ni_threads *threads, float *step, neap_error *err)
{
    const ni_fit_rule *rule = b->rule;
    uint32_t most = part->held ? rule->rounds_most : part->rounds;
    double least = INFINITY;
    ni_threads_run(threads, b->e->evidence, count_task, b);
    for (uint32_t round = 0;; round++) {
        b->judged = round >= rule->rounds_least;
        ni_threads_run(threads, ni_tasks(b->e->groups, NI_GROUPS_PER_TASK), derivatives_task, b);
        neap_status rc = ni_threads_check(threads, err);
        if (rc != NEAP_OK) return rc;
        double loss = held_loss(b);
        if (!part->held || round <= rule->rounds_least || loss < least) {
            least = round < rule->rounds_least ? INFINITY : loss;
            keep(b, part, round);
        }
        if (round == most || (part->held && round > part->rounds + rule->patience)) return NEAP_OK;
        if (!make_round(b, round, threads, step)) return NEAP_OK;
    }
}

neap_status ni_fit_steps(ni_fit_part *part, ni_threads *threads, ni_additive *out, neap_error *err)
{
    const ni_examples *e = part->e;
    size_t count = ni_examples_count(e);
    boosting b = { .part = part, .e = e, .rule = part->rule, .bin = part->bin, .score = part->score };
    b.per_task = 1 + (uint32_t)(EXAMPLES_PER_TASK / count);
    uint32_t even = LIKELY / ni_threads_count(threads) < CURVES_PER_TASK
                        ? LIKELY / ni_threads_count(threads)
                        : CURVES_PER_TASK;
    if (b.per_task < even) b.per_task = even;
    b.slopes = ni_array(count, sizeof *b.slopes);
    b.kept = ni_copy(part->score, count, sizeof *b.kept);
    b.loss = ni_array(ni_tasks(e->groups, NI_GROUPS_PER_TASK), sizeof *b.loss);
    b.members = ni_array((size_t)e->evidence * BINS, sizeof *b.members);
    b.best = ni_zeros(e->evidence, sizeof *b.best);
    b.look = ni_array(e->evidence, sizeof *b.look);
    for (uint32_t j = 0; b.look && j < e->evidence; j++) b.look[j] = j;
    memset(out->step, 0, (size_t)e->evidence * BINS * sizeof *out->step);
    neap_status rc = b.slopes && b.kept && b.loss && b.members && b.best && b.look
                         ? boost(&b, part, threads, out->step, err)
                         : ni_fail_memory(err, "the steps of the curves");
    if (rc == NEAP_OK && part->held) memcpy(part->score, b.kept, count * sizeof *b.kept);
    ni_free(b.slopes);
    ni_free(b.kept);
    ni_free(b.loss);
    ni_free(b.members);
    ni_free(b.best);
    ni_free(b.look);
    return rc;
}
