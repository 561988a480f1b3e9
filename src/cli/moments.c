#include "moments.h"

#include <math.h>

void moments_add(moments *m, double x)
{
    double before = x - m->mean;
    m->count++;
    m->mean += before / (double)m->count;
    m->squares += before * (x - m->mean);
}

double moments_std(const moments *m)
{
    return m->count > 1 ? sqrt(m->squares / (double)(m->count - 1)) : 0;
}

void json_moments(json *j, const char *key, const moments *m)
{
    json_open(j, key, '{');
    json_real(j, "mean", m->mean);
    json_real(j, "std", moments_std(m));
    json_close(j, '}');
}
