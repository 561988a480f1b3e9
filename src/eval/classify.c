#include "eval/classify.h"

#include <math.h>
#include <stdbool.h>

#include "base/rng.h"
#include "base/status.h"
#include "base/sys.h"
#include "eval/logistic.h"
#include "metrics/metrics.h"

static uint32_t count_labelled(const uint32_t *label, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) count += label[i] != NEAP_NONE;
    return count;
}

neap_status ni_class_split_create(const uint32_t *label, uint32_t n, double share, uint64_t seed,
                                  ni_class_split *split, neap_error *err)
{
    uint32_t labelled = count_labelled(label, n), seen = 0;
    double wanted = round(share * labelled);
    *split = (ni_class_split){ 0 };
    if (!(wanted >= 1) || !(wanted < labelled))
        return ni_fail(err, NEAP_E_ARG,
                       "a share of %g of %u labelled nodes leaves none to %s; it must be between 0 and 1",
                       share, labelled, wanted >= 1 ? "test" : "train");
    split->train = ni_array(labelled, sizeof *split->train);
    split->test = ni_array(labelled, sizeof *split->test);
    if (!split->train || !split->test) {
        ni_class_split_free(split);
        return ni_fail_memory(err, "a split of the labelled nodes");
    }
    for (uint32_t i = 0; i < n; i++) {
        if (label[i] == NEAP_NONE) continue;
        uint64_t place = ni_permute(seed, NI_STREAM_CLASS, 0, labelled, seen++);
        if (place < (uint64_t)wanted) split->train[split->trains++] = i;
        else split->test[split->tests++] = i;
    }
    return NEAP_OK;
}

void ni_class_split_free(ni_class_split *split)
{
    ni_free(split->train);
    ni_free(split->test);
    *split = (ni_class_split){ 0 };
}

static neap_status check(const float *x, uint32_t n, uint32_t d, const uint32_t *label, uint32_t classes,
                         neap_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        if (label[i] == NEAP_NONE) continue;
        if (label[i] >= classes)
            return ni_fail(err, NEAP_E_ARG, "node %u has class %u of %u", i, label[i], classes);
        for (uint32_t j = 0; j < d; j++)
            if (!isfinite(x[(size_t)i * d + j]))
                return ni_fail(err, NEAP_E_NUMERIC,
                               "vector %u (from 0) has an entry that is no finite number", i);
    }
    return NEAP_OK;
}

typedef struct prediction {
    const float *x;
    const uint32_t *label, *node;
    const double *weight;
    uint32_t d, classes;
    uint32_t *truth, *guess; /* one each a test node */
} prediction;

static void predict(void *arg, uint32_t i, uint32_t thread)
{
    prediction *p = arg;
    (void)thread;
    p->truth[i] = p->label[p->node[i]];
    p->guess[i] = ni_logistic_predict(p->weight, p->classes, p->x + (size_t)p->node[i] * p->d, p->d);
}

neap_status ni_classify(const float *x, uint32_t n, uint32_t d, const uint32_t *label, uint32_t classes,
                        double share, uint64_t seed, ni_pool *pool, double *micro, double *macro,
                        neap_error *err)
{
    ni_class_split split = { 0 };
    prediction p = { .x = x, .label = label, .d = d, .classes = classes };
    double *weight = NULL;
    neap_status rc = check(x, n, d, label, classes, err);
    if (rc == NEAP_OK) rc = ni_class_split_create(label, n, share, seed, &split, err);
    if (rc != NEAP_OK) goto done;
    weight = ni_array(classes, ((size_t)d + 1) * sizeof *weight);
    p.truth = ni_array(split.tests, sizeof *p.truth);
    p.guess = ni_array(split.tests, sizeof *p.guess);
    if (!weight || !p.truth || !p.guess) {
        rc = ni_fail_memory(err, "classification");
        goto done;
    }
    rc = ni_logistic_fit(x, d, split.train, split.trains, label, classes, pool, weight, err);
    if (rc != NEAP_OK) goto done;
    p.node = split.test;
    p.weight = weight;
    ni_pool_run(pool, split.tests, predict, &p);
    rc = ni_f1(p.truth, p.guess, split.tests, classes, micro, macro, err);
done:
    ni_class_split_free(&split);
    ni_free(weight);
    ni_free(p.truth);
    ni_free(p.guess);
    return rc;
}
