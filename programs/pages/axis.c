/* Scales: round ticks (1, 2, 5 times a power of ten), positions of values, and labels moved apart by
 * isotonic regression (pool adjacent violators, O(n)). */
#include "pages/pages.h"

#include <math.h>
#include <stdio.h>

#include "support/text.h"

ni_axis ni_axis_create(bool log)
{
    return (ni_axis){ .low = INFINITY, .high = -INFINITY, .log = log };
}

/* Beyond these bounds differences and powers overflow. */
static bool is_drawable(bool log, double value)
{
    return fabs(value) <= 1e15 && (!log || value >= 1e-15);
}

void ni_axis_cover(ni_axis *a, double value)
{
    if (!is_drawable(a->log, value)) return;
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

bool ni_axis_holds(const ni_axis *a, double value)
{
    return is_drawable(a->log, value) && value >= a->low && value <= a->high;
}

/* The smallest of 1, 2, 5, 10 times a power of ten that is not below x > 0. */
static double round_up(double x)
{
    double power = pow(10, floor(log10(x)));
    static const double steps[] = { 1, 2, 5 };
    for (int i = 0; i < 3; i++)
        if (steps[i] * power >= x * (1 - 1e-9)) return steps[i] * power;
    return 10 * power;
}

static void round_linear(ni_axis *a, int wanted, double most)
{
    double span = a->high - a->low;
    if (!(span > 1e-9 * fabs(a->high))) span = a->high != 0 ? fabs(a->high) / 10 : 1;
    double step = round_up(span / wanted);
    double first = floor(a->low / step + 1e-9), last = ceil(a->high / step - 1e-9);
    if (first >= last) first--, last++;
    for (double k = first; k <= last && a->ticks < NI_TICKS; k++)
        if (k * step <= most) a->tick[a->ticks++] = k * step;
    a->low = first * step;
    a->high = fmin(last * step, fmax(most, a->high));
}

/* Powers of ten; also their doubles and halves where there are few. */
static void round_log(ni_axis *a, int wanted)
{
    double air = pow(a->high / a->low, 0.06);
    if (air < 1.1) air = 1.1;
    a->low /= air, a->high *= air;
    double decades = log10(a->high / a->low);
    static const double parts[] = { 1, 2, 5 };
    int finest = decades * 3 <= wanted + 2 ? 3 : 1;
    double skip = ceil(decades / (NI_TICKS - 2));
    for (double k = floor(log10(a->low)); k <= log10(a->high); k += skip)
        for (int i = 0; i < finest && a->ticks < NI_TICKS; i++) {
            double tick = parts[i] * pow(10, k);
            if (tick >= a->low && tick <= a->high) a->tick[a->ticks++] = tick;
        }
}

void ni_axis_round(ni_axis *a, int wanted, double most)
{
    a->ticks = 0;
    if (a->low > a->high) return;
    if (a->log) round_log(a, wanted);
    else round_linear(a, wanted, most);
}

double ni_axis_at(const ni_axis *a, double value)
{
    double share = 0.5;
    if (a->high > a->low)
        share =
            a->log ? log(value / a->low) / log(a->high / a->low) : (value - a->low) / (a->high - a->low);
    return a->from + fmin(1, fmax(0, share)) * (a->to - a->from);
}

void ni_tick_format(double value, char text[NI_TICK_BYTES])
{
    double unit = fabs(value) >= 1e6 ? 1e6 : fabs(value) >= 1e4 ? 1e3 : 1, scaled = value / unit;
    int decimals = 0;
    char digits[NI_FIXED_BYTES];
    while (decimals < 9 && fabs(scaled * pow(10, decimals) - round(scaled * pow(10, decimals))) > 1e-6)
        decimals++;
    if (!ni_format_fixed(scaled, decimals, digits)) digits[0] = 0;
    snprintf(text, NI_TICK_BYTES, "%s%s", digits, unit > 1e3 ? "M" : unit > 1 ? "k" : "");
}

/* Minimises the sum of (y_i - position_i)^2 under y_i >= y_(i-1) + gap. With z_i = y_i - i gap this is
 * isotonic regression: neighbours in the wrong order are pooled at their mean. */
void ni_positions_spread(double *position, size_t count, double gap, double low, double high)
{
    double mean[NI_POSITIONS_MOST], weight[NI_POSITIONS_MOST];
    size_t blocks = 0, i = 0;
    if (count < 2 || count > NI_POSITIONS_MOST) return;
    gap = fmin(gap, (high - low) / (double)(count - 1));
    for (size_t k = 0; k < count; k++) {
        mean[blocks] = position[k] - (double)k * gap, weight[blocks++] = 1;
        for (; blocks > 1 && mean[blocks - 2] > mean[blocks - 1]; blocks--) {
            double sum = weight[blocks - 2] + weight[blocks - 1];
            mean[blocks - 2] =
                (mean[blocks - 2] * weight[blocks - 2] + mean[blocks - 1] * weight[blocks - 1]) / sum;
            weight[blocks - 2] = sum;
        }
    }
    for (size_t b = 0; b < blocks; b++) {
        double z = fmax(low, fmin(mean[b], high - (double)(count - 1) * gap));
        for (double n = weight[b]; n > 0; n--, i++) position[i] = z + (double)i * gap;
    }
}
