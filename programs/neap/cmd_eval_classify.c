#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "node_task.h"

typedef struct own {
    node_own common;
    const char *shares;
} own;

static const arg_option options[] = {
    NODE_OPTIONS,
    { "shares", 0, "PERCENT,...", "10,50,90", ARG_TEXT, offsetof(own, shares), 0, 0, false,
      "shares of the labelled nodes that train the classifier; the others are predicted" },
    { 0 },
};

typedef struct cell {
    moments micro, macro, seconds;
    uint32_t train, test;
} cell;

typedef struct run {
    node_task task;
    const own *o;
    name_list shares;
    double share[LIST_MOST]; /* in per cent */
    uint32_t *found;         /* nodes */
    cell *cells;             /* rows x shares; a last row always predicts the most frequent class */
} run;

static cell *cell_of(const run *r, size_t row, size_t share)
{
    return &r->cells[row * r->shares.count + share];
}

static void add(cell *c, double micro, double macro, double seconds, const neap_classify_result *x)
{
    moments_add(&c->micro, micro);
    moments_add(&c->macro, macro);
    moments_add(&c->seconds, seconds);
    c->train = x->train;
    c->test = x->test;
}

/* The most frequent class depends on the seed alone, so it is taken from the first row. */
static neap_status measure_share(run *r, const node_vectors *v, size_t share, neap_error *err)
{
    char name[sizeof v->name + LIST_NAME], detail[LIST_NAME + 24];
    neap_classify_spec spec = { .size = sizeof spec,
                                .share = r->share[share] / 100,
                                .seed = v->seed,
                                .threads = (uint32_t)r->task.threads };
    neap_classify_result x = NEAP_SIZED(neap_classify_result);
    neap_status rc = neap_classify(v->x, v->dim, r->task.labels, &spec, r->found, &x, err);
    if (rc != NEAP_OK) return rc;
    add(cell_of(r, v->row, share), x.micro, x.macro, v->seconds, &x);
    if (v->row == 0)
        add(cell_of(r, node_task_rows(&r->task), share), x.frequent_micro, x.frequent_macro, 0, &x);
    snprintf(detail, sizeof detail, ", %s %% of the labels", r->shares.item[share]);
    node_task_say(&r->task, v, detail, "micro F1", x.micro);
    snprintf(name, sizeof name, "%s-%s", v->name, r->shares.item[share]);
    return node_task_keep(&r->task, name, &(node_found){ "predicted", r->found, true }, err);
}

static neap_status measure(void *user, const node_vectors *v, neap_error *err)
{
    run *r = user;
    neap_status rc = NEAP_OK;
    for (size_t k = 0; k < r->shares.count && rc == NEAP_OK; k++) rc = measure_share(r, v, k, err);
    return rc;
}

/* ---- tables ---- */

static const char frequent[] = "most-frequent";

static void print_cell_of(const run *r, const char *method, const char *edges, size_t row, size_t share)
{
    const cell *c = cell_of(r, row, share);
    print_name(stdout, method, 20);
    printf("%8s%8s %%", edges, r->shares.item[share]);
    print_moments(&c->micro);
    print_moments(&c->macro);
    putchar('\n');
}

static void print_table(const run *r)
{
    const node_task *t = &r->task;
    size_t rows = node_task_rows(t);
    node_task_title(t, "logistic regression on vectors");
    printf("%-20s%8s%10s%10s%17s\n", "method", "edges", "labels", "micro F1", "macro F1");
    for (size_t i = 0; i < rows; i++) {
        node_row name = node_task_row(t, i);
        for (size_t k = 0; k < r->shares.count; k++) print_cell_of(r, name.method, name.text, i, k);
    }
    for (size_t k = 0; k < r->shares.count; k++) print_cell_of(r, frequent, "-", rows, k);
}

static void json_cell(ni_json *j, const run *r, size_t row, size_t share)
{
    const cell *c = cell_of(r, row, share);
    ni_json_real(j, "share", r->share[share]);
    json_moments(j, "micro_f1", &c->micro);
    json_moments(j, "macro_f1", &c->macro);
    ni_json_whole(j, "train", c->train);
    ni_json_whole(j, "test", c->test);
    ni_json_real(j, "seconds", c->seconds.mean);
    ni_json_close(j, '}');
}

static void print_json(const void *user, FILE *to)
{
    const run *r = user;
    ni_json j = json_to(to);
    size_t rows = node_task_rows(&r->task);
    node_task_json(&r->task, &j, "classify");
    ni_json_open(&j, "results", '[');
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < r->shares.count; k++) {
            ni_json_open(&j, NULL, '{');
            node_row_json(&r->task, &j, i);
            json_cell(&j, r, i, k);
        }
    for (size_t k = 0; k < r->shares.count; k++) {
        ni_json_open(&j, NULL, '{');
        ni_json_text(&j, "method", frequent);
        ni_json_text(&j, "protocol", NULL);
        ni_json_real(&j, "ratio", NAN);
        json_cell(&j, r, rows, k);
    }
    ni_json_close(&j, ']');
    ni_json_close(&j, '}');
}

/* ---- the command ---- */

static neap_status read_class_shares(run *r, const args *a, neap_error *err)
{
    neap_status rc = read_list("shares", r->o->shares, &r->shares, err);
    if (rc == NEAP_OK) rc = read_shares("shares", &r->shares, 99.999, r->share, err);
    if (rc == NEAP_OK) warn_of_small_shares(a, "shares", &r->shares, r->share);
    return rc;
}

static neap_status prepare(run *r, const args *a, neap_error *err)
{
    neap_status rc = read_class_shares(r, a, err);
    if (rc == NEAP_OK) rc = node_task_open(&r->task, a, "classifying", err);
    if (rc != NEAP_OK) return rc;
    r->cells = calloc((node_task_rows(&r->task) + 1) * r->shares.count, sizeof *r->cells);
    r->found = calloc(r->task.facts.nodes, sizeof *r->found);
    return r->cells && r->found ? NEAP_OK : ni_fail(err, NEAP_E_MEM, "out of memory for the table");
}

static neap_status run_classify(const args *a, neap_error *err)
{
    run r = { .o = a->own };
    neap_status rc = prepare(&r, a, err);
    if (rc == NEAP_OK) rc = node_task_run(&r.task, measure, &r, err);
    if (rc == NEAP_OK && !a->json) print_table(&r);
    if (rc == NEAP_OK) rc = node_task_report(&r.task, print_json, &r, err);
    free(r.cells);
    free(r.found);
    node_task_close(&r.task);
    return rc;
}

const command cmd_eval_classify = {
    .name = "eval classify",
    .operands = "GRAPH --labels FILE",
    .summary = "predict the classes of nodes from vectors",
    .details = "Trains each method, then a one-vs-rest logistic regression on the vectors of a share of "
               "the labelled nodes, and predicts the classes of the others. Micro F1 is the share that is "
               "right; macro F1 is the mean over the classes, so that small ones count as much. The last "
               "row is the baseline that always predicts the most frequent class.\n"
               "By default all edges are trained on: training never sees a class. With --ratios below 100 "
               "it is the training part of the split of `neap eval link` with the same protocol and seed.\n"
               "--vectors evaluates the vectors of any other tool.\n",
    .examples = "neap eval classify friends.txt --labels circles.txt --shares 50 --epochs 5\n"
                "neap eval classify friends.txt -l circles.txt --vectors vectors.txt\n",
    .least = 1,
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "model,training,walks,text,reading,running,!method,!test",
    .run = run_classify,
};
