/* rng.h - randomness as a function of coordinates.
 *
 * There is no generator to share, save or race on. A draw depends on (seed, stream, epoch, item) and on
 * how many draws that item has made, so neither the number of threads nor an interruption can change
 * it. The coordinates are hashed into the start of a SplitMix64 sequence (Steele, Lea, Flood 2014).  */
#ifndef NI_RNG_H
#define NI_RNG_H

#include <stdint.h>

/* What a draw is for. The numbers are part of every result: never reuse or reorder them. */
typedef enum ni_stream {
    NI_STREAM_TABLE = 1,       /* start values of E: item = node                            */
    NI_STREAM_MATRIX = 2,      /* start values of P: item = row                             */
    NI_STREAM_HOOD = 3,        /* which neighbours are kept: epoch = node, item = neighbour */
    NI_STREAM_ORDER = 4,       /* order of the edges in an epoch                            */
    NI_STREAM_NEGATIVE = 5,    /* training negatives: item = edge                           */
    NI_STREAM_DROPOUT = 6,     /* masks: epoch = step, item = node or row                   */
    NI_STREAM_SPLIT = 7,       /* which pairs are held out                                  */
    NI_STREAM_TEST = 8,        /* test negatives: item = pair                               */
    NI_STREAM_DIRECTION = 9,   /* direction of a reciprocal test pair                       */
    NI_STREAM_VALID = 10,      /* which training pairs validate; negatives                  */
    NI_STREAM_GRAPH = 11,      /* generated graphs                                          */
    NI_STREAM_EDGE = 12,       /* weighted graphs: edge drawn: item = position              */
    NI_STREAM_RANK = 13,       /* negatives a test pair is ranked against                   */
    NI_STREAM_PAPER = 14,      /* the paper's protocol: splits and passes                   */
    NI_STREAM_KMEANS = 15,     /* start of k-means: epoch = run                             */
    NI_STREAM_SPECTRAL = 16,   /* spectral clustering: epoch = purpose                      */
    NI_STREAM_CLASS = 17,      /* training and test nodes of a classification               */
    NI_STREAM_RANGE = 18,      /* skip-gram: which range a node is in                       */
    NI_STREAM_SKIPGRAM = 19,   /* negatives: epoch = step, item = block                     */
    NI_STREAM_START = 20,      /* order of the walks' starts: epoch = round                 */
    NI_STREAM_WALK = 21,       /* steps and windows: item = walk                            */
    NI_STREAM_CIRCLE = 22,     /* personas: order of updates: epoch = node                  */
    NI_STREAM_LABEL = 23,      /* equal labels: epoch = node, item = neighbour and label    */
    NI_STREAM_ENCODER = 24,    /* start values of an encoder: epoch = tensor, item = row    */
    NI_STREAM_ARRANGE = 25,    /* order of a side's ids: item = side                        */
    NI_STREAM_SVD = 30,        /* start vectors of singular ones: item = row                */
    NI_STREAM_READER = 34,     /* cene: order of the texts in an epoch                      */
    NI_STREAM_TEXTS = 35,      /* cene: texts of other nodes: item = position of the first  */
    NI_STREAM_WORD = 36,       /* order of the words of all texts in an epoch               */
    NI_STREAM_READ = 37,       /* negatives for a new text: epoch = pass, item = its word   */
    NI_STREAM_RANK_ALL = 40,   /* which test pairs are ranked among all nodes               */
    NI_STREAM_CURVES = 41,     /* evidence: groups that tell the number of rounds           */
    NI_STREAM_EIGEN = 42,      /* evidence: start vectors of eigenvectors: item = node      */
    NI_STREAM_EXAMPLES = 43,   /* evidence: links and non-links to learn curves from        */
    NI_STREAM_LANDMARK = 44,   /* evidence: whose walks make vectors                        */
    NI_STREAM_CALIBRATION = 50 /* order of equal scores; labels drawn from probabilities   */
} ni_stream;

typedef struct ni_rng {
    uint64_t state;
} ni_rng;

static inline uint64_t ni_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline ni_rng ni_rng_at(uint64_t seed, ni_stream stream, uint64_t epoch, uint64_t item)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
    uint64_t x = ni_mix(seed + odd * (uint64_t)stream);
    x = ni_mix(x + odd * (epoch + 1));
    return (ni_rng){ ni_mix(x + odd * (item + 1)) };
}

/* 64 random bits. */
static inline uint64_t ni_next(ni_rng *r)
{
    return ni_mix(r->state += 0x9e3779b97f4a7c15u);
}

/* Uniform in 0 .. n-1 without bias (Lemire 2019); n > 0. */
static inline uint64_t ni_below(ni_rng *r, uint64_t n)
{
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)ni_next(r) * n;
    if ((uint64_t)product < n) {
        uint64_t least = (0 - n) % n;
        while ((uint64_t)product < least) product = (u128)ni_next(r) * n;
    }
    return (uint64_t)(product >> 64);
}

/* Uniform in [0, 1), 53 bits. */
static inline double ni_uniform(ni_rng *r)
{
    return (double)(ni_next(r) >> 11) * 0x1p-53;
}

/* Standard normal (Box and Muller, the cosine half). */
double ni_normal(ni_rng *r);

/* Where item i of n stands in the order (seed, stream, epoch): a permutation of 0 .. n-1 that needs no
 * memory (a Feistel network on the next power of four, walked until it lands inside). */
uint64_t ni_permute(uint64_t seed, ni_stream stream, uint64_t epoch, uint64_t n, uint64_t i);

#endif
