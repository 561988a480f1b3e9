/* curves_batch.c - prints examples as JSON, with the curves that src/evidence fits to them, part by part:
 * what tests/curves_oracle.py compares with NumPy and scikit-learn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "evidence/fit.h"

enum { GROUPS = 120, SIZE = 31, CURVES = 6, COUNT = GROUPS * SIZE, ROUNDS = 40 };

static float value[CURVES * COUNT], weight[COUNT], stands[COUNT], z[COUNT * CURVES];
static uint8_t bin[CURVES * COUNT];
static double lines_score[COUNT], score[COUNT];
static float line[CURVES * NI_LINE], edge[CURVES * NI_CURVE_EDGES], step[CURVES * NI_CURVE_STEPS],
    mean[CURVES];
static bool plain[CURVES];

/* Counts, amounts and cosines; links have larger ones. Some are missing, one curve is constant. */
static void fill(void)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t place = i % SIZE;
        weight[i] = place == 0 ? 5 : place <= 10 ? 0.5F : 0;
        stands[i] = place == 0 ? 1 : place <= 10 ? 30 : place <= 20 ? 10 : 0.5F;
        for (uint32_t j = 0; j < CURVES; j++) {
            ni_rng rng = ni_rng_at(7, NI_STREAM_GRAPH, j, i);
            double x = ni_normal(&rng) + (place == 0 ? 0.4 * j : place > 10 ? 0.2 : 0);
            float v = j == 0   ? 3
                      : j == 1 ? (float)floor(exp(x))
                      : j < 4  ? (float)exp(2 * x)
                               : (float)tanh(x);
            value[j * COUNT + i] = j == 5 && i % 7 == 0 ? NAN : v;
        }
    }
    plain[4] = plain[5] = true;
}

static void print_floats(const char *name, const float *x, size_t count)
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        if (isfinite(x[i])) printf("%s%.9g", i ? ", " : "", (double)x[i]);
        else printf("%snull", i ? ", " : "");
    }
    printf("]");
}

static void print_doubles(const char *name, const double *x, size_t count)
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) printf("%s%.17g", i ? ", " : "", x[i]);
    printf("]");
}

/* Lines and steps on the scales and bins that ni_fit has found; without a held part, so that the twin needs
 * no draw. */
static neap_status fit_parts(const ni_examples *e, const ni_fit_rule *rule, ni_threads *threads,
                             ni_additive *a, neap_error *err)
{
    ni_fit_part part = { e, rule, z, bin, NULL, ROUNDS, score };
    for (size_t i = 0; i < COUNT; i++)
        for (uint32_t j = 0; j < CURVES; j++) {
            z[i * CURVES + j] = ni_curve_scaled(line + (size_t)j * NI_LINE, value[j * COUNT + i]);
            bin[j * COUNT + i] =
                (uint8_t)ni_curve_bin(edge + (size_t)j * NI_CURVE_EDGES, value[j * COUNT + i]);
        }
    neap_status rc = ni_fit_lines(&part, threads, a, err);
    for (size_t i = 0; i < COUNT; i++) {
        lines_score[i] = a->start;
        for (uint32_t j = 0; j < CURVES; j++)
            lines_score[i] += (double)line[(size_t)j * NI_LINE + NI_LINE_SLOPE] * (double)z[i * CURVES + j];
        score[i] = lines_score[i];
    }
    return rc == NEAP_OK ? ni_fit_steps(&part, threads, a, err) : rc;
}

int main(void)
{
    ni_examples e = { .groups = GROUPS, .size = SIZE, .evidence = CURVES, .value = value, .plain = plain };
    ni_fit_rule rule = {
        .ridge = 60, .rate = 0.15, .lambda = 20, .rounds_least = ROUNDS, .leaf = 20, .seed = 1
    };
    ni_additive a = { .curves = CURVES, .line = line, .edge = edge, .step = step };
    ni_fit_report report;
    ni_threads *threads;
    neap_error err = { 0 };
    double start, slope;
    e.weight = weight, e.stands = stands;
    rule.rounds_most = ROUNDS;
    fill();
    if (ni_threads_create(2, &threads, &err) || ni_fit(&e, &rule, threads, &a, mean, &report, &err) ||
        fit_parts(&e, &rule, threads, &a, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    ni_calibrate(&e, score, NULL, &start, &slope);
    printf("{\"groups\": %d, \"size\": %d, \"curves\": %d, \"rounds\": %d", GROUPS, SIZE, CURVES, ROUNDS);
    printf(", \"ridge\": %g, \"rate\": %g, \"lambda\": %g, \"leaf\": %u", rule.ridge, rule.rate,
           rule.lambda, rule.leaf);
    printf(", \"calibration\": [%.17g, %.17g]", start, slope);
    print_floats("value", value, CURVES * COUNT);
    print_floats("weight", weight, COUNT), print_floats("stands", stands, COUNT);
    print_floats("line", line, CURVES * NI_LINE), print_floats("edge", edge, CURVES * NI_CURVE_EDGES);
    print_floats("step", step, CURVES * NI_CURVE_STEPS);
    print_doubles("lines_score", lines_score, COUNT), print_doubles("score", score, COUNT);
    printf("}\n");
    ni_threads_free(threads);
    return 0;
}
