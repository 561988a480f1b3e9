/* moments.h - a number measured several times: its mean and deviation (Welford's running form). */
#ifndef CLI_MOMENTS_H
#define CLI_MOMENTS_H

#include "json.h"

typedef struct moments {
    uint64_t count;
    double mean, squares; /* squares: sum of squared distances from the mean */
} moments;

void moments_add(moments *m, double x);

/* The sample's deviation, with n - 1; NaN of a single number, which has none. */
double moments_std(const moments *m);

/* "  0.8812 +-0.0034", in this many columns; of a single number the first half. */
enum { MOMENTS_COLUMNS = 17 };
void print_moments(const moments *m);

/* {"mean": ..., "std": ...}, std null of a single number. */
void json_moments(json *j, const char *key, const moments *m);

#endif
