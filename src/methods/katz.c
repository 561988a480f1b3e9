/* Katz: the entry of sum over l >= 1 of (beta A)^l, beta = 0.5 / lambda_max: walks of every length, each
 * step worth beta. The terms shrink by half, at last, so forty leave less than a float can hold. */
#include <math.h>

#include "base/status.h"
#include "base/sys.h"
#include "methods/series.h"
#include "model/method.h"

enum { TERMS = 40, STEPS_MOST = 5000, ROWS_PER_TASK = 2048 };

typedef struct power {
    const ni_links *links;
    const double *x;
    double *next;
} power;

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    const power *p = arg;
    const ni_links *links = p->links;
    uint32_t from = task * ROWS_PER_TASK, left = links->nodes - from;
    (void)thread;
    for (uint32_t v = from; v < from + (left < ROWS_PER_TASK ? left : ROWS_PER_TASK); v++) {
        double sum = 0;
        for (uint64_t i = links->offset[v]; i < links->offset[v + 1]; i++) sum += p->x[links->node[i]];
        p->next[v] = sum;
    }
}

/* x = next / |next|; returns |next|. */
static double normalise(const double *next, double *x, uint32_t n)
{
    double squares = 0;
    for (uint32_t v = 0; v < n; v++) squares += next[v] * next[v];
    double length = sqrt(squares), share = length > 0 ? 1 / length : 0;
    for (uint32_t v = 0; v < n; v++) x[v] = next[v] * share;
    return length;
}

/* Power iteration from the vector of ones, which meets the leading vector of every component. |A x| for a
 * unit x rises towards lambda_max, also where -lambda_max is an eigenvalue as well (a bipartite graph). A
 * gain below 1e-11 leaves an error below 1e-7, unless another eigenvalue is closer than 1e-4. */
static double iterate(const neap_model *m, double *x, double *next)
{
    uint32_t n = m->links.nodes, tasks = n / ROWS_PER_TASK + (n % ROWS_PER_TASK != 0);
    double lambda = 0, before = -1;
    for (uint32_t v = 0; v < n; v++) x[v] = 1 / sqrt(n);
    for (int i = 0; i < STEPS_MOST && lambda - before > 1e-11 * lambda; i++) {
        before = lambda;
        ni_threads_run(m->threads, tasks, rows_task, &(power){ &m->links, x, next });
        lambda = normalise(next, x, n);
    }
    return lambda;
}

static neap_status largest_eigenvalue(const neap_model *m, double *lambda, neap_error *err)
{
    double *x = ni_array(m->links.nodes, sizeof *x), *next = ni_array(m->links.nodes, sizeof *next);
    bool ok = x && next;
    *lambda = ok ? iterate(m, x, next) : 0;
    ni_free(x);
    ni_free(next);
    return ok ? NEAP_OK : ni_fail_memory(err, "the largest eigenvalue");
}

static double as_it_is(const ni_links *links, uint32_t source, uint32_t target, double y)
{
    (void)links, (void)source, (void)target;
    return y;
}

static neap_status make_series(const neap_model *m, ni_series *series, neap_error *err)
{
    double lambda;
    neap_status rc = largest_eigenvalue(m, &lambda, err);
    *series = (ni_series){ TERMS, lambda > 0 ? 0.5 / lambda : 0, false, as_it_is };
    return rc;
}

static neap_status score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    ni_series series;
    neap_status rc = make_series(m, &series, err);
    return rc == NEAP_OK ? ni_series_score(m, &series, pairs, count, scores, err) : rc;
}

static neap_status score_all(const neap_model *m, uint32_t source, float *scores, neap_error *err)
{
    ni_series series;
    neap_status rc = make_series(m, &series, err);
    return rc == NEAP_OK ? ni_series_score_all(m, &series, source, scores, err) : rc;
}

const ni_method ni_method_katz = {
    .info = { "katz", "Katz: walks of every length, a longer one worth less",
              "The entry of the sum over l >= 1 of (beta A)^l, A the adjacency matrix and beta half of the "
              "largest value for which the sum exists, 0.5 / its largest eigenvalue. Direction and weights "
              "of the edges do not count.\n"
              "Katz, A new status index derived from sociometric analysis, 1953.\n"
              "--epochs has no meaning here.",
              0, 0, "" },
    .train = ni_method_train_nothing,
    .score = score,
    .score_all = score_all,
};
