/* Mean and deviation by Welford's running update. */
#include "eval_common.h"

#include <math.h>
#include <stdio.h>

void moments_add(moments *m, double x)
{
    double before = x - m->mean;
    m->count++;
    m->mean += before / (double)m->count;
    m->squares += before * (x - m->mean);
}

double moments_std(const moments *m)
{
    return m->count > 1 ? sqrt(m->squares / (double)(m->count - 1)) : NAN;
}

void print_moments(const moments *m)
{
    printf("%8.4f", m->mean);
    if (m->count > 1) printf(" +-%.4f", moments_std(m));
    else printf("%*s", MOMENTS_COLUMNS - 8, "");
}

void json_moments(ni_json *j, const char *key, const moments *m)
{
    ni_json_open(j, key, '{');
    ni_json_real(j, "mean", m->mean);
    ni_json_real(j, "std", moments_std(m));
    ni_json_close(j, '}');
}
