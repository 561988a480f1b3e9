/* logistic.h - one-vs-rest logistic regression with an L2 penalty.
 *
 * For each class c on its own, y_i = 1 where the label of row i is c, else 0, minimise over w, b
 *
 *     |w|^2 / 2 + C sum_i log(1 + exp(-(2 y_i - 1)(w x_i + b))),      C = 1
 *
 * which is scikit-learn's LogisticRegression(multi_class="ovr") with its defaults; b is not penalised. The
 * objective is convex and smooth: truncated Newton, each step solved by conjugate gradients and followed by
 * a backtracking line search (Lin, Weng and Keerthi 2008), all in double. A product with the Hessian takes
 * 4 m d flops. One task per class; scratch of 3 m + 5 d doubles per thread. */
#ifndef NI_LOGISTIC_H
#define NI_LOGISTIC_H

#include <stdint.h>

#include "base/threads.h"
#include "neap.h"

/* x: vectors of length d, the training ones are row[0 .. m-1] with label[row[i]] below classes. weight:
 * classes x (d + 1), filled with w and b of each class. A class without a row gets b = -infinity, one that
 * has all rows b = +infinity. Vectors must be finite. */
neap_status ni_logistic_fit(const float *x, uint32_t d, const uint32_t *row, uint32_t m,
                            const uint32_t *label, uint32_t classes, ni_threads *threads, double *weight,
                            neap_error *err);

/* The class with the largest w x + b; the first of equals. */
uint32_t ni_logistic_predict(const double *weight, uint32_t classes, const float *x, uint32_t d);

#endif
