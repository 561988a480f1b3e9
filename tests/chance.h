/* chance.h - whether draws have the shares they should (include after cmocka.h). */
#ifndef NEAP_TESTS_CHANCE_H
#define NEAP_TESTS_CHANCE_H

#include <math.h>
#include <stdint.h>

/* What chi-square with so many degrees of freedom exceeds once in 100,000 (Wilson and Hilferty 1931). */
static inline double chance_limit(uint32_t freedom)
{
    double k = freedom, a = 2 / (9 * k);
    return k * pow(1 - a + 4.265 * sqrt(a), 3);
}

/* Draws fell `count` times on each of n items, whose true chances are in proportion to `share`. */
static inline void assert_chances(const uint64_t *count, const double *share, uint32_t n)
{
    double draws = 0, all = 0, chi2 = 0;
    uint32_t items = 0;
    for (uint32_t i = 0; i < n; i++) draws += (double)count[i], all += share[i];
    for (uint32_t i = 0; i < n; i++) {
        double expected = draws * share[i] / all, off = (double)count[i] - expected;
        if (share[i] == 0) assert_int_equal(count[i], 0);
        if (share[i] == 0) continue;
        assert_true(expected > 5);
        chi2 += off * off / expected;
        items++;
    }
    if (items > 1 && chi2 > chance_limit(items - 1))
        fail_msg("chi-square is %f for %u items, more than %f", chi2, items, chance_limit(items - 1));
}

#endif
