/* Normal draws, and permutations without memory: an index is encrypted by a Feistel network whose key is
 * (seed, stream, epoch), and again while the result is not below n (cycle walking). O(1) expected per
 * index; pure functions, any thread. */
#include "base/rng.h"

#include <math.h>

double ni_normal(ni_rng *r)
{
    double radius = sqrt(-2.0 * log(1.0 - ni_uniform(r)));
    return radius * cos(6.283185307179586 * ni_uniform(r));
}

/* Ten Feistel rounds on two halves of `bits` bits each: a bijection on 0 .. 4^bits - 1. (With four
 * rounds, the frequency of single positions of a permutation of ten was off by 5 %.) */
static uint64_t feistel(uint64_t key, unsigned bits, uint64_t x)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1, left = x >> bits, right = x & mask;
    for (unsigned round = 0; round < 10; round++) {
        uint64_t next = left ^ (ni_mix(key + right * 0x9e3779b97f4a7c15u + round) & mask);
        left = right;
        right = next;
    }
    return left << bits | right;
}

uint64_t ni_permute(uint64_t seed, ni_stream stream, uint64_t epoch, uint64_t n, uint64_t i)
{
    uint64_t key = ni_rng_at(seed, stream, epoch, n).state;
    unsigned bits = 1;
    while (bits < 32 && n > UINT64_C(1) << (2 * bits)) bits++;
    /* The domain is at most four times n, so the walk takes at most four steps on average; a cycle that
     * starts inside must come back inside. */
    do i = feistel(key, bits, i);
    while (i >= n);
    return i;
}
