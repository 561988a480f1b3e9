#include "node_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval_common.h"
#include "interrupt.h"

/* ---- what is asked for ---- */

static bool has_vectors(const char *method)
{
    for (size_t i = 0; i < neap_method_count(); i++)
        if (!strcmp(neap_method_at(i)->name, method)) return neap_method_at(i)->vectors;
    return false;
}

/* Methods that only score pairs have nothing to cluster. */
static neap_status pass_over(node_task *t, neap_error *err)
{
    list asked = t->methods;
    t->methods.count = 0;
    for (size_t i = 0; i < asked.count; i++) {
        list *to = has_vectors(asked.item[i]) ? &t->methods : &t->passed_over;
        memcpy(to->item[to->count++], asked.item[i], LIST_NAME);
    }
    for (size_t i = 0; i < t->passed_over.count; i++)
        say(t->a, "%s has no vectors, it only scores pairs: passed over", t->passed_over.item[i]);
    if (t->methods.count || t->o->vectors) return NEAP_OK;
    return fail(err, NEAP_E_ARG, "none of these methods has vectors; gap has");
}

static neap_status read_lists(node_task *t, neap_error *err)
{
    char method[SHORT];
    bool given = t->o->methods || args_given(t->a, "method");
    neap_status rc = neap_options_get(t->a->options, "method", method, sizeof method, err);
    if (rc == NEAP_OK && (given || !t->o->vectors))
        rc = read_list("methods", t->o->methods ? t->o->methods : method, &t->methods, err);
    if (rc == NEAP_OK) rc = check_methods(&t->methods, err);
    if (rc == NEAP_OK) rc = pass_over(t, err);
    if (rc == NEAP_OK) rc = read_list("ratios", t->o->ratios, &t->ratios, err);
    if (rc == NEAP_OK) rc = read_shares(&t->ratios, 100, t->share, err);
    return rc;
}

static neap_status read_labels(node_task *t, neap_error *err)
{
    char nodes[SHORT], labelled[SHORT], strangers[SHORT];
    neap_status rc = neap_labels_load(t->o->labels, t->graph, t->o->by_line, &t->labels, err);
    if (rc != NEAP_OK) return rc;
    t->facts = neap_labels_facts_of(t->labels);
    say(t->a, "%s: %s of %s nodes labelled, %u classes", t->o->labels,
        with_commas(t->facts.labelled, labelled), with_commas(t->facts.nodes, nodes), t->facts.classes);
    if (t->facts.strangers)
        say(t->a, "  %s line%s about nodes that the graph does not have: passed over",
            with_commas(t->facts.strangers, strangers), plural(t->facts.strangers));
    return NEAP_OK;
}

neap_status node_task_open(node_task *t, const args *a, neap_error *err)
{
    *t = (node_task){ .a = a, .o = a->own };
    neap_status rc = read_lists(t, err);
    if (rc == NEAP_OK) rc = read_whole_option(a, "seed", &t->seed, err);
    if (rc == NEAP_OK) rc = read_whole_option(a, "threads", &t->threads, err);
    if (rc == NEAP_OK) rc = make_folder(t->o->folder, err);
    if (rc == NEAP_OK) rc = read_graph(a, a->operands[0], &t->graph, err);
    if (rc == NEAP_OK) rc = read_labels(t, err);
    if (rc == NEAP_OK && t->o->vectors)
        rc = read_vectors(a, t->o->vectors, t->graph, t->o->allow_missing, &t->given, err);
    return rc;
}

void node_task_close(node_task *t)
{
    neap_vectors_free(t->given);
    neap_labels_free(t->labels);
    neap_graph_free(t->graph);
}

/* ---- rows: the file first, then the methods, each with its ratios ---- */

size_t node_task_rows(const node_task *t)
{
    return (t->given != NULL) + t->methods.count * t->ratios.count;
}

node_row node_task_row(const node_task *t, size_t row)
{
    if (t->given && row == 0)
        return (node_row){ .method = last_part(t->o->vectors), .ratio = NAN, .text = "-" };
    row -= t->given != NULL;
    size_t ratio = row % t->ratios.count;
    node_row r = { t->methods.item[row / t->ratios.count], t->o->protocol, t->share[ratio], "" };
    snprintf(r.text, sizeof r.text, "%.*s %%", LIST_NAME - 3, t->ratios.item[ratio]);
    return r;
}

/* Neighbourhoods of the whole graph are read although not all of it is trained on. */
static bool is_leaky(const node_task *t)
{
    bool part = false;
    for (size_t j = 0; j < t->ratios.count; j++) part |= t->share[j] < 100;
    return part && t->methods.count && !strcmp(t->o->protocol, "paper");
}

void node_task_title(const node_task *t, const char *what)
{
    printf("%s", what);
    if (t->methods.count) printf(", protocol %s%s", t->o->protocol, is_leaky(t) ? " (leaky)" : "");
    printf(", %llu seed%s\n", (unsigned long long)t->o->seeds, plural(t->o->seeds));
    if (is_leaky(t))
        puts("leaky: gap reads the neighbourhoods of the whole graph, held-out links included");
}

char *node_vectors_words(const node_task *t, const node_vectors *v, char text[96])
{
    node_row r = node_task_row(t, v->row);
    snprintf(text, 96, "%.40s%s%s%s, seed %llu", r.method, r.protocol ? ", " : "", r.protocol ? r.text : "",
             r.protocol ? " of the edges" : "", (unsigned long long)v->seed);
    return text;
}

/* ---- vectors ---- */

static int on_progress(const neap_progress *now, void *user)
{
    node_task *t = user;
    if (!now->epoch_end) progress_show(&t->bar, now);
    return interrupt_seen();
}

/* A long measurement is not interrupted, but the next one does not begin. */
static neap_status measure_unless_stopped(node_measure measure, void *user, const node_vectors *v,
                                          neap_error *err)
{
    return interrupt_seen() ? NEAP_E_STOPPED : measure(user, v, err);
}

/* trial is NULL where all edges are trained on. */
static neap_status train(node_task *t, const neap_trial *trial, const char *method, uint64_t seed,
                         neap_model **model, neap_error *err)
{
    neap_options *set = NULL;
    neap_hooks hooks = { .progress = on_progress, .user = t };
    neap_status rc = options_for(t->a, method, seed, &set, err);
    if (rc == NEAP_OK)
        rc = trial ? neap_trial_train(trial, set, &hooks, model, err)
                   : neap_train_fully(t->graph, set, &hooks, model, err);
    neap_options_free(set);
    progress_clear(&t->bar);
    return rc;
}

static neap_status make_vectors(const neap_model *model, float **x, node_vectors *v, neap_error *err)
{
    size_t n = neap_graph_nodes(neap_model_graph(model));
    v->dim = neap_model_dim(model);
    v->x = *x = calloc(n, v->dim * sizeof **x);
    return *x ? neap_model_vectors(model, *x, err) : fail(err, NEAP_E_MEM, "out of memory for vectors");
}

static neap_status run_method(node_task *t, const neap_trial *trial, size_t method, size_t ratio,
                              uint64_t seed, node_measure measure, void *user, neap_error *err)
{
    neap_model *model = NULL;
    float *x = NULL;
    double start = seconds_now();
    node_vectors v = { .row = (t->given != NULL) + method * t->ratios.count + ratio,
                       .seed = seed,
                       .trial = trial };
    snprintf(v.name, sizeof v.name, "%s-%s-%llu", t->methods.item[method], t->ratios.item[ratio],
             (unsigned long long)seed);
    neap_status rc = train(t, trial, t->methods.item[method], seed, &model, err);
    if (rc == NEAP_OK) rc = make_vectors(model, &x, &v, err);
    v.seconds = seconds_now() - start;
    neap_model_free(model);
    if (rc == NEAP_OK) rc = measure_unless_stopped(measure, user, &v, err);
    free(x);
    return rc;
}

/* All methods on one split. */
static neap_status run_methods(node_task *t, size_t ratio, uint64_t seed, node_measure measure, void *user,
                               neap_error *err)
{
    neap_trial *trial = NULL;
    neap_link_spec spec = {
        .protocol = t->o->protocol, .negatives = "uniform", .ratio = t->share[ratio] / 100, .seed = seed
    };
    neap_status rc = t->share[ratio] < 100 ? neap_trial_create(t->graph, &spec, &trial, err) : NEAP_OK;
    for (size_t i = 0; i < t->methods.count && rc == NEAP_OK; i++)
        rc = run_method(t, trial, i, ratio, seed, measure, user, err);
    neap_trial_free(trial);
    return rc;
}

static neap_status run_given(node_task *t, uint64_t seed, node_measure measure, void *user, neap_error *err)
{
    node_vectors v = { .seed = seed, .x = t->given->values, .dim = t->given->dim };
    snprintf(v.name, sizeof v.name, "vectors-%llu", (unsigned long long)seed);
    return measure_unless_stopped(measure, user, &v, err);
}

neap_status node_task_run(node_task *t, node_measure measure, void *user, neap_error *err)
{
    neap_status rc = NEAP_OK;
    interrupt_watch();
    progress_start(&t->bar, t->o->progress, t->a->quiet);
    for (uint64_t i = 0; i < t->o->seeds && t->given && rc == NEAP_OK; i++)
        rc = run_given(t, t->seed + i, measure, user, err);
    for (size_t j = 0; j < t->ratios.count && t->methods.count; j++)
        for (uint64_t i = 0; i < t->o->seeds && rc == NEAP_OK; i++)
            rc = run_methods(t, j, t->seed + i, measure, user, err);
    progress_clear(&t->bar);
    return rc == NEAP_E_STOPPED ? fail(err, rc, "interrupted; the table is not complete") : rc;
}

/* ---- what is printed and kept ---- */

void node_task_json(const node_task *t, json *j, const char *task)
{
    json_open(j, NULL, '{');
    json_text(j, "task", task);
    json_text(j, "protocol", t->o->protocol);
    json_switch(j, "leaky", is_leaky(t));
    json_whole(j, "nodes", t->facts.nodes);
    json_whole(j, "edges", neap_graph_edges(t->graph));
    json_whole(j, "labelled", t->facts.labelled);
    json_whole(j, "classes", t->facts.classes);
    json_whole(j, "strangers", t->facts.strangers);
    json_whole(j, "missing", t->given ? t->given->missing : 0);
    json_open(j, "passed_over", '[');
    for (size_t i = 0; i < t->passed_over.count; i++) json_text(j, NULL, t->passed_over.item[i]);
    json_close(j, ']');
    json_whole(j, "seed", t->seed);
    json_whole(j, "seeds", t->o->seeds);
}

void node_row_json(const node_task *t, json *j, size_t row)
{
    node_row r = node_task_row(t, row);
    json_text(j, "method", r.method);
    json_text(j, "protocol", r.protocol);
    json_real(j, "ratio", r.ratio);
}

typedef struct found_table {
    const node_task *task;
    const node_found *found;
} found_table;

static void print_found(const void *user, FILE *to)
{
    const node_task *t = ((const found_table *)user)->task;
    const node_found *f = ((const found_table *)user)->found;
    fprintf(to, "node\tclass\t%s\n", f->title);
    for (uint32_t u = 0; u < t->facts.nodes; u++) {
        if (f->of[u] == NEAP_NONE) continue;
        fprintf(to, "%s\t%s\t", neap_graph_name(t->graph, u), neap_labels_class(t->labels, t->facts.of[u]));
        if (f->is_class) fprintf(to, "%s\n", neap_labels_class(t->labels, f->of[u]));
        else fprintf(to, "%u\n", f->of[u]);
    }
}

neap_status node_task_keep(const node_task *t, const char *name, const node_found *f, neap_error *err)
{
    char file[128];
    snprintf(file, sizeof file, "%s.tsv", name);
    return keep_printed(t->o->folder, file, print_found, &(found_table){ t, f }, err);
}
