#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "node_task.h"

typedef struct own {
    node_own common;
    const char *algorithm, *assign, *gamma;
    uint64_t clusters;
} own;

static const arg_option options[] = {
    NODE_OPTIONS,
    { "algorithm", 0, "auto|spectral|kmeans", "auto", ARG_TEXT, offsetof(own, algorithm), 0, 0, false,
      "auto: spectral clustering of up to 20,000 labelled nodes, k-means of more" },
    { "assign", 0, "discretise|kmeans", "discretise", ARG_TEXT, offsetof(own, assign), 0, 0, false,
      "the last step of spectral clustering" },
    { "gamma", 0, "X", "auto", ARG_TEXT, offsetof(own, gamma), 0, 0, false,
      "affinity of two vectors: exp(-X |x - y|^2); auto: from the data; scikit-learn's default is 1" },
    { "clusters", 0, "N", NULL, ARG_WHOLE, offsetof(own, clusters), 1, 1e9, false,
      "number of clusters; that of the classes, if not given" },
    { 0 },
};

typedef struct row {
    moments nmi, ami, ari, gamma, seconds;
    uint32_t clusters;
    const char *algorithm;
} row;

typedef struct run {
    node_task task;
    const own *o;
    neap_cluster_spec spec;
    uint32_t *found; /* nodes */
    row *rows;
} run;

static neap_status measure(void *user, const node_vectors *v, neap_error *err)
{
    run *r = user;
    row *to = &r->rows[v->row];
    neap_cluster_result x = NEAP_SIZED(neap_cluster_result);
    r->spec.size = sizeof r->spec;
    r->spec.seed = v->seed;
    r->spec.trial = v->trial;
    neap_status rc = neap_cluster(v->x, v->dim, r->task.labels, &r->spec, r->found, &x, err);
    if (rc != NEAP_OK) return rc;
    if (!strcmp(r->o->algorithm, "auto") && strcmp(x.algorithm, "spectral") && !to->nmi.count)
        progress_clear(&r->task.bar),
            say(r->task.a, "too many labelled nodes for spectral clustering: k-means");
    moments_add(&to->nmi, x.nmi);
    moments_add(&to->ami, x.ami);
    moments_add(&to->ari, x.ari);
    moments_add(&to->gamma, x.gamma);
    moments_add(&to->seconds, v->seconds);
    to->clusters = x.clusters;
    to->algorithm = x.algorithm;
    node_task_say(&r->task, v, "", "NMI", x.nmi);
    return node_task_keep(&r->task, v->name, &(node_found){ "cluster", r->found, false }, err);
}

/* ---- tables ---- */

static void print_table(const run *r)
{
    const node_task *t = &r->task;
    bool spectral = !strcmp(r->rows[0].algorithm, "spectral");
    node_task_title(t, spectral ? "spectral clusters against classes" : "k-means clusters against classes");
    printf("%-20s%8s%8s%17s%17s\n", "method", "edges", "NMI", "AMI", "ARI");
    for (size_t i = 0; i < node_task_rows(t); i++) {
        node_row name = node_task_row(t, i);
        const moments *columns[] = { &r->rows[i].nmi, &r->rows[i].ami, &r->rows[i].ari };
        print_name(stdout, name.method, 20);
        printf("%8s", name.text);
        for (int k = 0; k < 3; k++) print_moments(columns[k]);
        putchar('\n');
    }
}

static void print_json(const void *user, FILE *to)
{
    const run *r = user;
    ni_json j = json_to(to);
    node_task_json(&r->task, &j, "cluster");
    ni_json_text(&j, "algorithm", r->rows[0].algorithm);
    ni_json_text(&j, "assign", strcmp(r->rows[0].algorithm, "spectral") ? NULL : r->o->assign);
    ni_json_open(&j, "results", '[');
    for (size_t i = 0; i < node_task_rows(&r->task); i++) {
        const row *x = &r->rows[i];
        ni_json_open(&j, NULL, '{');
        node_row_json(&r->task, &j, i);
        json_moments(&j, "nmi", &x->nmi);
        json_moments(&j, "ami", &x->ami);
        json_moments(&j, "ari", &x->ari);
        ni_json_whole(&j, "clusters", x->clusters);
        ni_json_real(&j, "gamma", x->gamma.mean);
        ni_json_real(&j, "seconds", x->seconds.mean);
        ni_json_close(&j, '}');
    }
    ni_json_close(&j, ']');
    ni_json_close(&j, '}');
}

/* ---- the command ---- */

static neap_status prepare(run *r, const args *a, neap_error *err)
{
    r->spec = (neap_cluster_spec){ .algorithm = r->o->algorithm,
                                   .assign = r->o->assign,
                                   .clusters = (uint32_t)r->o->clusters };
    bool fixed = strcmp(r->o->gamma, "auto") != 0;
    if (fixed && (!ni_parse_double(r->o->gamma, strlen(r->o->gamma), &r->spec.gamma) || r->spec.gamma <= 0))
        return ni_fail(err, NEAP_E_ARG, "--gamma is auto or a positive number, not '%s'", r->o->gamma);
    neap_status rc = node_task_open(&r->task, a, "clustering", err);
    if (rc != NEAP_OK) return rc;
    if (r->o->clusters > r->task.facts.labelled)
        return ni_fail(err, NEAP_E_ARG, "--clusters %llu is more than the %u labelled nodes",
                       (unsigned long long)r->o->clusters, r->task.facts.labelled);
    r->spec.threads = (uint32_t)r->task.threads;
    r->rows = calloc(node_task_rows(&r->task), sizeof *r->rows);
    r->found = calloc(r->task.facts.nodes, sizeof *r->found);
    return r->rows && r->found ? NEAP_OK : ni_fail(err, NEAP_E_MEM, "out of memory for the table");
}

static neap_status run_cluster(const args *a, neap_error *err)
{
    run r = { .o = a->own };
    neap_status rc = prepare(&r, a, err);
    if (rc == NEAP_OK) rc = node_task_run(&r.task, measure, &r, err);
    if (rc == NEAP_OK && !a->json) print_table(&r);
    if (rc == NEAP_OK) rc = node_task_report(&r.task, print_json, &r, err);
    free(r.rows);
    free(r.found);
    node_task_close(&r.task);
    return rc;
}

const command cmd_eval_cluster = {
    .name = "eval cluster",
    .operands = "GRAPH --labels FILE",
    .summary = "compare clusters of vectors with the classes of nodes",
    .details = "Trains each method, clusters the vectors of the labelled nodes without their classes, and "
               "prints how well the clusters agree with the classes: normalised and adjusted mutual "
               "information (NMI, AMI) and adjusted Rand index (ARI), mean and deviation over the seeds. 1 "
               "is perfect; by chance AMI and ARI are 0, while NMI is not.\n"
               "By default all edges are trained on: there is nothing to hold out, since training never "
               "sees a class. With --ratios below 100 it is the training part of the split of `neap eval "
               "link` with the same protocol and seed.\n"
               "--vectors evaluates the vectors of any other tool.\n",
    .examples = "neap eval cluster friends.txt --labels circles.txt --epochs 5\n"
                "neap eval cluster friends.txt -l circles.txt --ratios 50,80 --seeds 2 --json\n"
                "neap eval cluster friends.txt -l circles.txt --vectors vectors.txt --gamma 1\n",
    .least = 1,
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "model,training,walks,text,reading,running,!method,!test",
    .run = run_cluster,
};
