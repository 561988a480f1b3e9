/* classify.h - node classification: F1 of a linear classifier on the vectors of nodes.
 *
 * A share of the labelled nodes trains a one-vs-rest logistic regression (below), the others are
 * predicted. The vectors go in as they are; since C = 1 is fixed, longer vectors are penalised less. */
#ifndef NI_CLASSIFY_H
#define NI_CLASSIFY_H

#include <stdint.h>

#include "base/threads.h"
#include "data/labels.h"

/* The labelled nodes in two lists, each ascending. */
typedef struct ni_class_split {
    uint32_t *train, *test;
    uint32_t trains, tests;
} ni_class_split;

/* share: part of the labelled nodes that trains, in (0, 1), rounded to whole nodes; NEAP_E_ARG if it leaves
 * none to train or none to test. Drawn without regard to classes. */
neap_status ni_class_split_create(const ni_sample *s, double share, uint64_t seed, ni_class_split *split,
                                  neap_error *err);
void ni_class_split_free(ni_class_split *split);

/* neap_classify with threads instead of spec->threads. NEAP_E_NUMERIC if a labelled vector is not finite.
 * The same input gives the same bits for any number of threads. */
neap_status ni_classify(const ni_sample *s, const neap_classify_spec *spec, ni_threads *threads,
                        uint32_t *predicted, neap_classify_result *result, neap_error *err);

/* ---- logistic regression ----
 *
 * One-vs-rest logistic regression with an L2 penalty.
 *
 * For each class c on its own, y_i = 1 where the label of row i is c, else 0, minimise over w, b
 *
 *     |w|^2 / 2 + C sum_i log(1 + exp(-(2 y_i - 1)(w x_i + b))),      C = 1
 *
 * which is scikit-learn's LogisticRegression(multi_class="ovr") with its defaults; b is not penalised. The
 * objective is convex and smooth: truncated Newton, each step solved by conjugate gradients and followed by
 * a backtracking line search (Lin, Weng and Keerthi 2008), all in double. A product with the Hessian takes
 * 4 m d flops. One task per class; scratch of 3 m + 5 d doubles per thread. */

/* x: vectors of length d, the training ones are row[0 .. m-1] with label[row[i]] below classes. weight:
 * classes x (d + 1), filled with w and b of each class. A class without a row gets b = -infinity, one that
 * has all rows b = +infinity. Vectors must be finite. */
neap_status ni_logistic_fit(const float *x, uint32_t d, const uint32_t *row, uint32_t m,
                            const uint32_t *label, uint32_t classes, ni_threads *threads, double *weight,
                            neap_error *err);

/* The class with the largest w x + b; the first of equals. */
uint32_t ni_logistic_predict(const double *weight, uint32_t classes, const float *x, uint32_t d);

#endif
