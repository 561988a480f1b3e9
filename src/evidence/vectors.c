/* Walks of NI_SPREAD_LANES landmarks at a time fill columns of F; see vectors.h. The singular vectors are
 * eigenvectors of F'F, which is small. */
#include "evidence/vectors.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/sys.h"
#include "evidence/spread.h"
#include "linalg/eigen.h"
#include "linalg/kernels.h"
#include "linalg/tall.h"
#include "support/status.h"

enum {
    STEPS = 8,
    LANES = NI_SPREAD_LANES,
    LANDMARKS_MOST = 1024,
    ENTRIES_MOST = 40000000,
    ROWS_PER_TASK = 1024
};
static const double STOP = 0.15; /* chance that a walk ends at a step */

typedef struct vectors {
    const ni_view *view;
    ni_threads *threads;
    uint32_t nodes, landmarks, d;
    double total;                 /* of all strengths         */
    uint32_t *landmark;           /* ascending                */
    float *F;                     /* nodes x landmarks        */
    float *here, *next;           /* nodes x LANES            */
    float *sum;                   /* likewise: of all steps   */
    double *gram, *basis, *value; /* landmarks x landmarks; the same; 4 landmarks */
    float *C;                     /* d x landmarks: V'        */
} vectors;

static uint32_t landmarks_of(uint32_t nodes)
{
    uint64_t most = nodes ? ENTRIES_MOST / (uint64_t)nodes : 1;
    most = most < LANDMARKS_MOST ? most : LANDMARKS_MOST;
    return nodes < most ? nodes : (uint32_t)most;
}

uint64_t ni_evidence_vectors_bytes(uint32_t nodes)
{
    uint64_t m = landmarks_of(nodes);
    return nodes * (m + 3 * LANES) * sizeof(float) + (2 * m + 8) * m * sizeof(double) +
           ni_tall_bytes(nodes, (uint32_t)m);
}

static neap_status set_up(vectors *x, neap_error *err)
{
    size_t n = x->nodes, m = x->landmarks, lanes = LANES * sizeof(float);
    x->landmark = ni_array(m, sizeof *x->landmark);
    x->F = ni_array(n, m * sizeof *x->F);
    x->here = ni_array(n, lanes);
    x->next = ni_array(n, lanes);
    x->sum = ni_array(n, lanes);
    x->gram = ni_array(m, m * sizeof *x->gram);
    x->basis = ni_array(m, m * sizeof *x->basis);
    x->value = ni_array(m, 4 * sizeof *x->value);
    x->C = ni_array(x->d, m * sizeof *x->C);
    bool all =
        x->landmark && x->F && x->here && x->next && x->sum && x->gram && x->basis && x->value && x->C;
    return all ? NEAP_OK : ni_fail_memory(err, "the vectors");
}

static void tear_down(vectors *x)
{
    void *arrays[] = { x->landmark, x->F, x->here, x->next, x->sum, x->gram, x->basis, x->value, x->C };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ni_free(arrays[i]);
}

static void choose_landmarks(vectors *x, uint64_t seed)
{
    uint32_t count = 0;
    for (uint32_t u = 0; u < x->nodes; u++)
        if (ni_permute(seed, NI_STREAM_LANDMARK, 0, x->nodes, u) < x->landmarks) x->landmark[count++] = u;
}

/* ---- F ---- */

/* A block of landmarks, those from `first` on. */
typedef struct panel {
    vectors *x;
    uint32_t first, count;
    float weight; /* of the step at hand */
} panel;

static void add_task(void *arg, uint32_t task, uint32_t thread)
{
    const panel *p = arg;
    const vectors *x = p->x;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK * LANES;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK * LANES, (uint64_t)x->nodes * LANES);
    (void)thread;
    for (uint64_t i = first; i < end; i++) x->sum[i] += p->weight * x->here[i];
}

static void log_task(void *arg, uint32_t task, uint32_t thread)
{
    const panel *p = arg;
    const vectors *x = p->x;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, x->nodes);
    (void)thread;
    for (uint64_t u = first; u < end; u++)
        for (uint32_t q = 0; q < p->count; q++) {
            double ratio = x->total * (double)x->sum[u * LANES + q];
            x->F[u * x->landmarks + p->first + q] = ratio > 1 ? (float)log(ratio) : 0;
        }
}

/* The series z_0 = e_l / strength(l), z_j = D^-1 A z_(j-1): z_j(u) is the chance to be at u after j steps,
 * over strength(u). */
static neap_status fill_panel(panel *p, neap_error *err)
{
    vectors *x = p->x;
    size_t bytes = (size_t)x->nodes * LANES * sizeof *x->here;
    uint32_t tasks = ni_tasks(x->nodes, ROWS_PER_TASK);
    memset(x->here, 0, bytes);
    memset(x->sum, 0, bytes);
    for (uint32_t q = 0; q < p->count; q++) {
        uint32_t l = x->landmark[p->first + q];
        float strength = x->view->strength[l];
        if (strength > 0) x->here[(size_t)l * LANES + q] = 1 / strength;
    }
    p->weight = (float)STOP;
    for (int step = 0;; step++) {
        ni_threads_run(x->threads, tasks, add_task, p);
        if (step == STEPS) break;
        ni_spread(x->view, LANES, 1, x->here, 0, x->next, x->threads);
        float *swap = x->here;
        x->here = x->next, x->next = swap;
        p->weight *= (float)(1 - STOP);
    }
    ni_threads_run(x->threads, tasks, log_task, p);
    return ni_threads_check(x->threads, err);
}

static neap_status fill(vectors *x, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (uint32_t u = 0; u < x->nodes; u++) x->total += (double)x->view->strength[u];
    for (uint32_t first = 0; first < x->landmarks && rc == NEAP_OK; first += LANES) {
        uint32_t left = x->landmarks - first;
        rc = fill_panel(&(panel){ .x = x, .first = first, .count = left < LANES ? left : LANES }, err);
    }
    return rc;
}

/* ---- its singular vectors ---- */

static neap_status factor(vectors *x, float *vector, neap_error *err)
{
    uint32_t m = x->landmarks, found = x->d < m ? x->d : m;
    neap_status rc = ni_tall_gram(x->F, x->nodes, m, x->threads, x->gram, err);
    if (rc == NEAP_OK) rc = ni_symmetric_eigen(x->gram, m, found, x->value, x->basis, x->value + m, err);
    if (rc != NEAP_OK) return rc;
    for (size_t i = 0; i < (size_t)x->d * m; i++) x->C[i] = i < (size_t)found * m ? (float)x->basis[i] : 0;
    ni_tall_transform(x->F, x->nodes, m, x->C, x->d, vector, x->d, x->threads);
    return ni_threads_check(x->threads, err);
}

void ni_vector_scale(float *row, uint32_t d)
{
    ni_make_unit(row, d);
    for (uint32_t i = 0; i < d; i++) row[i] *= (float)NI_VECTOR_LENGTH;
}

neap_status ni_evidence_vectors(const ni_view *view, uint32_t d, uint64_t seed, ni_threads *threads,
                                float *vector, neap_error *err)
{
    uint32_t n = view->links.nodes;
    vectors x = { .view = view, .threads = threads, .nodes = n, .landmarks = landmarks_of(n), .d = d };
    neap_status rc = set_up(&x, err);
    if (rc == NEAP_OK) {
        choose_landmarks(&x, seed);
        rc = fill(&x, err);
    }
    if (rc == NEAP_OK) rc = factor(&x, vector, err);
    for (uint32_t u = 0; u < n && rc == NEAP_OK; u++) ni_vector_scale(vector + (size_t)u * d, d);
    tear_down(&x);
    return rc;
}
