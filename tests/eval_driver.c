/* The clustering and classification of src/eval as a program, for tests/cluster_oracle.py.
 *
 *   eval_driver kmeans     VECTORS N D SEED K
 *   eval_driver discretise VECTORS N D SEED K GAMMA      (GAMMA 0: from the data)
 *   eval_driver spectral   VECTORS N D SEED K GAMMA      (the same with k-means at the end)
 *   eval_driver classify   VECTORS N D SEED SHARE LABELS
 * VECTORS: N x D float32, LABELS: N uint32 (2^32-1: none), both raw and in the byte order of the machine.
 * Prints one cluster a line; or `micro macro` and then for each node 0 none, 1 train, 2 test. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/classify.h"
#include "eval/kmeans.h"
#include "eval/spectral.h"

static int fail(const char *what)
{
    fprintf(stderr, "eval_driver: %s\n", what);
    return 1;
}

static void *slurp(const char *path, size_t count, size_t width)
{
    void *bytes = malloc(count * width);
    FILE *file = fopen(path, "rb");
    if (!bytes || !file || fread(bytes, width, count, file) != count) exit(fail(path));
    fclose(file);
    return bytes;
}

static void print_each(const uint32_t *value, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) printf("%u\n", value[i]);
}

static neap_status cluster(char **arg, const float *x, uint32_t n, uint32_t d, ni_pool *pool,
                           neap_error *err)
{
    uint32_t k = (uint32_t)atoi(arg[6]), *of = malloc(n * sizeof *of);
    uint64_t seed = (uint64_t)atoll(arg[5]);
    neap_status rc;
    if (!strcmp(arg[1], "kmeans")) rc = ni_kmeans(x, n, d, k, seed, pool, of, err);
    else {
        ni_assign assign = strcmp(arg[1], "spectral") ? NI_ASSIGN_DISCRETISE : NI_ASSIGN_KMEANS;
        ni_spectral_options o = { .k = k, .gamma = atof(arg[7]), .assign = assign, .seed = seed };
        rc = ni_spectral(x, n, d, &o, pool, of, err);
    }
    if (rc == NEAP_OK) print_each(of, n);
    free(of);
    return rc;
}

static neap_status classify(char **arg, const float *x, uint32_t n, uint32_t d, ni_pool *pool,
                            neap_error *err)
{
    uint32_t *label = slurp(arg[7], n, sizeof *label), *part = calloc(n, sizeof *part), classes = 0;
    uint64_t seed = (uint64_t)atoll(arg[5]);
    double share = atof(arg[6]), micro, macro;
    ni_class_split split;
    for (uint32_t i = 0; i < n; i++)
        if (label[i] != NEAP_NONE && label[i] >= classes) classes = label[i] + 1;
    neap_status rc = ni_classify(x, n, d, label, classes, share, seed, pool, &micro, &macro, err);
    if (rc == NEAP_OK) rc = ni_class_split_create(label, n, share, seed, &split, err);
    if (rc == NEAP_OK) {
        for (uint32_t i = 0; i < split.trains; i++) part[split.train[i]] = 1;
        for (uint32_t i = 0; i < split.tests; i++) part[split.test[i]] = 2;
        printf("%.17g %.17g\n", micro, macro);
        print_each(part, n);
        ni_class_split_free(&split);
    }
    free(part);
    free(label);
    return rc;
}

int main(int count, char **arg)
{
    if (count < 7) return fail("see the head of eval_driver.c");
    uint32_t n = (uint32_t)atoi(arg[3]), d = (uint32_t)atoi(arg[4]);
    float *x = slurp(arg[2], (size_t)n * d, sizeof *x);
    neap_error err = { 0 };
    ni_pool *pool = NULL;
    bool classes = !strcmp(arg[1], "classify"), wants_more = strcmp(arg[1], "kmeans") != 0;
    if (wants_more && count < 8) return fail("see the head of eval_driver.c");
    neap_status rc = ni_pool_create(0, &pool, &err);
    if (rc == NEAP_OK) rc = (classes ? classify : cluster)(arg, x, n, d, pool, &err);
    ni_pool_free(pool);
    free(x);
    return rc == NEAP_OK ? 0 : fail(err.text);
}
