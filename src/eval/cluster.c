/* Clusters of vectors against the classes of nodes: k-means or spectral clustering of the labelled
 * nodes, then NMI, AMI and ARI. The same input gives the same clusters for any number of threads. The
 * vectors that take part are copied, n x d. */
#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "base/threads.h"
#include "data/labels.h"
#include "eval/cluster.h"
#include "eval/metrics.h"
#include "eval/trial.h"
#include "support/status.h"

/* The nodes that take part, close together. */
typedef struct dense {
    uint32_t n;
    uint32_t *node;          /* n: their numbers */
    uint32_t *truth, *found; /* n: class, cluster */
    float *x;                /* n x d */
} dense;

static void dense_free(dense *a)
{
    ni_free(a->node);
    ni_free(a->truth);
    ni_free(a->found);
    ni_free(a->x);
}

/* In the paper's protocols a node without a training edge has no vector. */
static bool takes_part(const ni_sample *s, const neap_trial *trial, uint32_t i)
{
    if (s->label[i] == NEAP_NONE) return false;
    return !trial || !ni_is_papers(trial) || ni_trial_trained(trial, i);
}

static neap_status gather(const ni_sample *s, const neap_trial *trial, dense *a, neap_error *err)
{
    for (uint32_t i = 0; i < s->n; i++) a->n += takes_part(s, trial, i);
    a->node = ni_array(a->n, sizeof *a->node);
    a->truth = ni_array(a->n, sizeof *a->truth);
    a->found = ni_array(a->n, sizeof *a->found);
    a->x = ni_array(a->n, s->d * sizeof *a->x);
    if (!a->node || !a->truth || !a->found || !a->x) return ni_fail_memory(err, "clustering");
    for (uint32_t i = 0, k = 0; i < s->n; i++) {
        if (!takes_part(s, trial, i)) continue;
        a->node[k] = i;
        a->truth[k] = s->label[i];
        memcpy(a->x + (size_t)k++ * s->d, s->x + (size_t)i * s->d, s->d * sizeof *a->x);
    }
    return NEAP_OK;
}

/* Whether a choice, which may be NULL for the first of its words, is the second one. */
static neap_status choose(const char *what, const char *choice, const char *first, const char *second,
                          bool *is_second, neap_error *err)
{
    *is_second = choice && !strcmp(choice, second);
    if (*is_second || !choice || !strcmp(choice, first)) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "%s is %s or %s, not '%.40s'", what, first, second, choice);
}

static neap_status find_clusters(const dense *a, uint32_t d, const neap_cluster_spec *spec,
                                 ni_threads *threads, neap_cluster_result *result, neap_error *err)
{
    bool is_auto = !spec->algorithm || !strcmp(spec->algorithm, "auto"), is_kmeans, by_kmeans;
    neap_status rc = choose("assign", spec->assign, "discretise", "kmeans", &by_kmeans, err);
    if (rc == NEAP_OK)
        rc = choose("algorithm", is_auto ? NULL : spec->algorithm, "spectral", "kmeans", &is_kmeans, err);
    if (rc != NEAP_OK) return rc;
    if (is_auto) is_kmeans = a->n > NI_SPECTRAL_MOST;
    result->algorithm = is_kmeans ? "kmeans" : "spectral";
    if (is_kmeans) return ni_kmeans(a->x, a->n, d, result->clusters, spec->seed, threads, a->found, err);
    ni_spectral_options o = { .k = result->clusters,
                              .gamma = spec->gamma,
                              .assign = by_kmeans ? NI_ASSIGN_KMEANS : NI_ASSIGN_DISCRETISE,
                              .seed = spec->seed,
                              .used = NAN };
    rc = ni_spectral(a->x, a->n, d, &o, threads, a->found, err);
    result->gamma = o.used;
    return rc;
}

static neap_status compare(const dense *a, neap_cluster_result *result, neap_error *err)
{
    neap_status rc = ni_nmi(a->truth, a->found, a->n, &result->nmi, err);
    if (rc == NEAP_OK) rc = ni_ami(a->truth, a->found, a->n, &result->ami, err);
    if (rc == NEAP_OK) rc = ni_ari(a->truth, a->found, a->n, &result->ari, err);
    return rc;
}

static void spread(const dense *a, uint32_t n, uint32_t *cluster)
{
    for (uint32_t i = 0; i < n; i++) cluster[i] = NEAP_NONE;
    for (uint32_t k = 0; k < a->n; k++) cluster[a->node[k]] = a->found[k];
}

static neap_status find_and_compare(const ni_sample *s, const neap_cluster_spec *spec, ni_threads *threads,
                                    uint32_t *cluster, neap_cluster_result *result, neap_error *err)
{
    dense a = { 0 };
    neap_status rc = gather(s, spec->trial, &a, err);
    *result = (neap_cluster_result){ .nodes = a.n,
                                     .clusters = spec->clusters ? spec->clusters : s->classes,
                                     .gamma = NAN };
    if (rc == NEAP_OK && !spec->clusters && s->classes > a.n)
        rc = ni_fail(
            err, NEAP_E_FORMAT,
            "%u nodes with a class and a vector are too few for a cluster for each of the %u classes; "
            "--clusters N makes fewer",
            a.n, s->classes);
    if (rc == NEAP_OK) rc = find_clusters(&a, s->d, spec, threads, result, err);
    if (rc == NEAP_OK) rc = compare(&a, result, err);
    if (rc == NEAP_OK && cluster) spread(&a, s->n, cluster);
    dense_free(&a);
    return rc;
}

neap_status neap_cluster(const float *vectors, uint32_t dim, const neap_labels *labels,
                         const neap_cluster_spec *spec, uint32_t *cluster, neap_cluster_result *result,
                         neap_error *err)
{
    ni_threads *threads = NULL;
    neap_cluster_spec given;
    neap_cluster_result mine;
    neap_hooks heard;
    ni_sample s = ni_sample_of(labels, vectors, dim);
    neap_status rc = ni_sized_in(&given, sizeof given, spec, "neap_cluster_spec", err);
    if (rc == NEAP_OK) rc = ni_hooks_in(&heard, &given.hooks, err);
    if (rc == NEAP_OK) rc = ni_sized_look(result, "neap_cluster_result", err);
    if (rc == NEAP_OK) rc = ni_threads_create(given.threads, &threads, err);
    if (rc != NEAP_OK) return rc;
    ni_threads_watch(threads, given.hooks, "cluster");
    rc = find_and_compare(&s, &given, threads, cluster, &mine, err);
    neap_status stopped = ni_threads_check(threads, err);
    if (stopped != NEAP_OK) rc = stopped; /* whatever went wrong then */
    ni_threads_free(threads);
    return rc == NEAP_OK ? ni_sized_out(&mine, sizeof mine, result, "neap_cluster_result", err) : rc;
}
