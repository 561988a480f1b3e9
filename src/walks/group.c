/* One update of a group of pairs: K inputs against Q shared outputs as two small matrix products, then K +
 * Q + K row updates. O((K Q + K) d); rows belong to the block that the calling thread has for itself. */
#include "walks/skipgram.h"

#include <string.h>

_Static_assert(NI_GROUP_INPUTS % NI_LANES == 0, "lines of inputs are whole");

/* Products of a group: own x_p.y'_p, shared x_p.y_q, line by line of p; then the steps that they make. */
typedef struct products {
    size_t line;
    float own[NI_GROUP_INPUTS];
    float shared[NI_GROUP_OUTPUTS * NI_GROUP_INPUTS];
} products;

static const float *input_of(const ni_group *g, uint32_t p)
{
    return g->in + g->input[p] * g->dim;
}

static void multiply(const ni_group *g, products *z)
{
    for (uint32_t q = 0; q < g->outputs; q += NI_STRIP_ROWS) {
        uint32_t some = g->outputs - q < NI_STRIP_ROWS ? g->outputs - q : NI_STRIP_ROWS;
        g->k->align(g->out, g->output + q, some, g->in, g->input, g->inputs, g->dim,
                    z->shared + q * z->line);
    }
    for (uint32_t p = 0; p < g->inputs && g->positives; p++)
        z->own[p] = g->k->dot(input_of(g, p), g->out + g->positive[p] * g->dim, g->dim);
}

/* An output that happens to be an input's own is no negative of it. */
static bool is_own(const ni_group *g, uint32_t p, uint32_t q)
{
    return g->positives && g->output[q] == g->positive[p];
}

static double loss_of(const ni_group *g, const products *z)
{
    double sum = 0;
    for (uint32_t q = 0; q < g->outputs; q++)
        for (uint32_t p = 0; p < g->inputs; p++) {
            double x = (double)(z->shared[q * z->line + p] - g->shared_bias);
            if (!is_own(g, p, q)) sum += ni_surprise(g->label[q] ? x : -x);
        }
    for (uint32_t p = 0; p < g->inputs && g->positives; p++)
        sum += ni_surprise((double)(z->own[p] - g->bias));
    return sum;
}

/* A set of rows in 64 bits, by row % 64: a row whose bit is clear is not in it; others may be. */
static uint64_t bit_of(uint32_t row)
{
    return (uint64_t)1 << row % 64;
}

static void turn_into_steps(const ni_group *g, products *z)
{
    uint64_t own = 0;
    for (uint32_t p = 0; p < g->inputs && g->positives; p++) own |= bit_of(g->positive[p]);
    for (uint32_t q = 0; q < g->outputs; q++) {
        float *line = z->shared + q * z->line;
        g->k->logistic_step(line, g->inputs, g->shared_bias, g->label[q], g->rate);
        for (uint32_t p = 0; p < g->inputs && own & bit_of(g->output[q]); p++)
            if (is_own(g, p, q)) line[p] = 0;
    }
    if (g->positives) g->k->logistic_step(z->own, g->inputs, g->bias, 1, g->rate);
}

static float *output_of(const ni_group *g, uint32_t q)
{
    return g->out + g->output[q] * g->dim;
}

/* What the shared outputs are, and how they will change, by the inputs as they are now. */
static void look_at_outputs(const ni_group *g, const products *step, float *old, float *change)
{
    const float *weight[NI_STRIP_ROWS];
    float *to[NI_STRIP_ROWS];
    for (uint32_t q = 0; q < g->outputs; q++)
        memcpy(old + q * g->dim, output_of(g, q), g->dim * sizeof *old);
    for (uint32_t q = 0, some; q < g->outputs; q += some) {
        some = g->outputs - q < NI_STRIP_ROWS ? g->outputs - q : NI_STRIP_ROWS;
        for (uint32_t k = 0; k < some; k++) {
            weight[k] = step->shared + (q + k) * step->line;
            to[k] = change + (q + k) * g->dim;
        }
        g->k->gather_sum(weight, some, g->input, g->inputs, g->in, g->dim, to);
    }
}

/* How many inputs from p on are different rows. */
static uint32_t different(const ni_group *g, uint32_t p)
{
    uint64_t seen = 0;
    for (uint32_t end = p; end < g->inputs; seen |= bit_of(g->input[end++]))
        for (uint32_t i = p; i < end && seen & bit_of(g->input[end]); i++)
            if (g->input[i] == g->input[end]) return end - p;
    return g->inputs - p;
}

static void step_inputs(const ni_group *g, const products *step, const float *old)
{
    const float *weight[NI_GROUP_OUTPUTS], *from[NI_GROUP_OUTPUTS];
    for (uint32_t q = 0; q < g->outputs; q++) from[q] = old + q * g->dim;
    for (uint32_t p = 0, some; p < g->inputs; p += some) {
        some = different(g, p);
        for (uint32_t q = 0; q < g->outputs; q++) weight[q] = step->shared + q * step->line + p;
        g->k->scatter_sum(weight, from, g->outputs, g->input + p, some, g->dim, g->in);
    }
}

static void make_steps(const ni_group *g, const products *step)
{
    float *old = g->scratch, *change = g->scratch + NI_GROUP_OUTPUTS * g->dim;
    look_at_outputs(g, step, old, change);
    for (uint32_t p = 0; p < g->inputs && g->positives; p++)
        g->k->bond(step->own[p], g->in + g->input[p] * g->dim, g->out + g->positive[p] * g->dim, g->dim);
    step_inputs(g, step, old);
    for (uint32_t q = 0; q < g->outputs; q++) g->k->axpy(1, change + q * g->dim, output_of(g, q), g->dim);
}

double ni_group_step(ni_group *g, bool loss)
{
    products z;
    z.line = ni_whole_lanes(g->inputs);
    multiply(g, &z);
    double sum = loss ? loss_of(g, &z) : 0;
    turn_into_steps(g, &z);
    make_steps(g, &z);
    return sum;
}
