/* Node classification: a random split of the labelled nodes, one-vs-rest logistic regression
 * (logistic.c), F1 on the rest. The cost is that of the fits, one task per class; copies of rows, weights
 * and guesses belong to the call. */
#include "eval/classify.h"

#include <math.h>
#include <stdbool.h>

#include "base/rng.h"
#include "base/sized.h"
#include "base/sys.h"
#include "eval/metrics.h"
#include "support/status.h"
#include "support/text.h"

static uint32_t count_labelled(const ni_sample *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->n; i++) count += s->label[i] != NEAP_NONE;
    return count;
}

neap_status ni_class_split_create(const ni_sample *s, double share, uint64_t seed, ni_class_split *split,
                                  neap_error *err)
{
    uint32_t labelled = count_labelled(s), seen = 0;
    double wanted = round(share * labelled);
    *split = (ni_class_split){ 0 };
    if (!(wanted >= 1) || !(wanted < labelled))
        return ni_fail(
            err, NEAP_E_ARG, "a share of %.10g %% of %u labelled nodes leaves none to %s; take a %s one",
            100 * share, labelled, wanted >= 1 ? "test" : "train", wanted >= 1 ? "smaller" : "larger");
    split->train = ni_array(labelled, sizeof *split->train);
    split->test = ni_array(labelled, sizeof *split->test);
    if (!split->train || !split->test) {
        ni_class_split_free(split);
        return ni_fail_memory(err, "a split of the labelled nodes");
    }
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->label[i] == NEAP_NONE) continue;
        uint64_t rank = ni_permute(seed, NI_STREAM_CLASS, 0, labelled, seen++);
        if (rank < (uint64_t)wanted) split->train[split->trains++] = i;
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

static neap_status check(const ni_sample *s, neap_error *err)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->label[i] == NEAP_NONE) continue;
        if (s->label[i] >= s->classes)
            return ni_fail(err, NEAP_E_ARG, "node %u has class %u of %u", i, s->label[i], s->classes);
        if (ni_finite_until(s->x + (size_t)i * s->d, s->d) < s->d)
            return ni_fail(err, NEAP_E_NUMERIC, "vector %u (from 0) has an entry that is no finite number",
                           i);
    }
    return NEAP_OK;
}

typedef struct task {
    const ni_sample *s;
    ni_class_split split;
    double *weight;          /* classes x (d + 1)    */
    uint32_t *truth, *guess; /* one per test node   */
} task;

static neap_status task_init(task *t, const neap_classify_spec *spec, neap_error *err)
{
    neap_status rc = ni_class_split_create(t->s, spec->share, spec->seed, &t->split, err);
    if (rc != NEAP_OK) return rc;
    t->weight = ni_array(t->s->classes, ((size_t)t->s->d + 1) * sizeof *t->weight);
    t->truth = ni_array(t->split.tests, sizeof *t->truth);
    t->guess = ni_array(t->split.tests, sizeof *t->guess);
    if (!t->weight || !t->truth || !t->guess) return ni_fail_memory(err, "classification");
    for (uint32_t i = 0; i < t->split.tests; i++) t->truth[i] = t->s->label[t->split.test[i]];
    return NEAP_OK;
}

static void task_free(task *t)
{
    ni_class_split_free(&t->split);
    ni_free(t->weight);
    ni_free(t->truth);
    ni_free(t->guess);
}

/* The most frequent class of the training nodes, the first of equals. *most is 0 before. */
static neap_status most_frequent(const task *t, uint32_t *most, neap_error *err)
{
    uint32_t *count = ni_zeros(t->s->classes, sizeof *count);
    if (!count) return ni_fail_memory(err, "classification");
    for (uint32_t i = 0; i < t->split.trains; i++) count[t->s->label[t->split.train[i]]]++;
    for (uint32_t c = 1; c < t->s->classes; c++)
        if (count[c] > count[*most]) *most = c;
    ni_free(count);
    return NEAP_OK;
}

static neap_status measure_frequent(task *t, neap_classify_result *r, neap_error *err)
{
    uint32_t most = 0;
    neap_status rc = most_frequent(t, &most, err);
    if (rc != NEAP_OK) return rc;
    for (uint32_t i = 0; i < t->split.tests; i++) t->guess[i] = most;
    return ni_f1(t->truth, t->guess, t->split.tests, t->s->classes, &r->frequent_micro, &r->frequent_macro,
                 err);
}

static void predict(void *arg, uint32_t i, uint32_t thread)
{
    task *t = arg;
    const ni_sample *s = t->s;
    (void)thread;
    t->guess[i] = ni_logistic_predict(t->weight, s->classes, s->x + (size_t)t->split.test[i] * s->d, s->d);
}

static neap_status measure(task *t, ni_threads *threads, neap_classify_result *r, neap_error *err)
{
    const ni_sample *s = t->s;
    neap_status rc = ni_logistic_fit(s->x, s->d, t->split.train, t->split.trains, s->label, s->classes,
                                     threads, t->weight, err);
    if (rc != NEAP_OK) return rc;
    ni_threads_run(threads, t->split.tests, predict, t);
    rc = ni_threads_check(threads, err); /* after a stop there are no guesses */
    if (rc != NEAP_OK) return rc;
    return ni_f1(t->truth, t->guess, t->split.tests, s->classes, &r->micro, &r->macro, err);
}

static void spread(const task *t, uint32_t *predicted)
{
    for (uint32_t i = 0; i < t->s->n; i++) predicted[i] = NEAP_NONE;
    for (uint32_t i = 0; i < t->split.tests; i++) predicted[t->split.test[i]] = t->guess[i];
}

neap_status ni_classify(const ni_sample *s, const neap_classify_spec *spec, ni_threads *threads,
                        uint32_t *predicted, neap_classify_result *result, neap_error *err)
{
    task t = { .s = s };
    neap_status rc = check(s, err);
    if (rc == NEAP_OK) rc = task_init(&t, spec, err);
    *result = (neap_classify_result){ .train = t.split.trains, .test = t.split.tests };
    if (rc == NEAP_OK) rc = measure_frequent(&t, result, err);
    if (rc == NEAP_OK) rc = measure(&t, threads, result, err);
    if (rc == NEAP_OK && predicted) spread(&t, predicted);
    task_free(&t);
    return rc;
}

neap_status neap_classify(const float *vectors, uint32_t dim, const neap_labels *labels,
                          const neap_classify_spec *spec, uint32_t *predicted, neap_classify_result *result,
                          neap_error *err)
{
    ni_threads *threads = NULL;
    neap_classify_spec given;
    neap_classify_result mine;
    neap_hooks heard;
    ni_sample s = ni_sample_of(labels, vectors, dim);
    neap_status rc = ni_sized_in(&given, sizeof given, spec, "neap_classify_spec", err);
    if (rc == NEAP_OK) rc = ni_hooks_in(&heard, &given.hooks, err);
    if (rc == NEAP_OK) rc = ni_sized_look(result, "neap_classify_result", err);
    if (rc == NEAP_OK) rc = ni_threads_create(given.threads, &threads, err);
    if (rc != NEAP_OK) return rc;
    ni_threads_watch(threads, given.hooks, "classify");
    rc = ni_classify(&s, &given, threads, predicted, &mine, err);
    neap_status stopped = ni_threads_check(threads, err);
    if (stopped != NEAP_OK) rc = stopped; /* whatever went wrong then */
    ni_threads_free(threads);
    return rc == NEAP_OK ? ni_sized_out(&mine, sizeof mine, result, "neap_classify_result", err) : rc;
}
