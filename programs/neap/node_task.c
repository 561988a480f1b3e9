/* Vectors of methods or of a file, one row and seed at a time, measured by the command that calls. */
#include "node_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval_common.h"
#include "progress.h"
#include "support/clock.h"
#include "support/path.h"

/* ---- what to run ---- */

/* Methods that only score pairs have nothing to cluster. */
static neap_status pass_over(node_task *t, neap_error *err)
{
    name_list asked = t->methods;
    t->methods.count = 0;
    for (size_t i = 0; i < asked.count; i++) {
        name_list *to = has_vectors(asked.item[i]) ? &t->methods : &t->passed_over;
        memcpy(to->item[to->count++], asked.item[i], LIST_NAME);
    }
    for (size_t i = 0; i < t->passed_over.count; i++)
        say(t->a, "%s has no vectors, it only scores pairs: left out", t->passed_over.item[i]);
    if (t->methods.count || t->o->vectors) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "none of these methods has vectors; evidence has");
}

static neap_status read_lists(node_task *t, neap_error *err)
{
    neap_status rc = check_vectors(t->a, err);
    if (rc == NEAP_OK && (t->o->methods || !t->o->vectors))
        rc = read_list("methods", t->o->methods ? t->o->methods : "evidence,gap", &t->methods, err);
    if (rc == NEAP_OK) rc = check_methods(&t->methods, err);
    if (rc == NEAP_OK) rc = pass_over(t, err);
    if (rc == NEAP_OK) rc = read_list("ratios", t->o->ratios, &t->ratios, err);
    if (rc == NEAP_OK) rc = read_shares("ratios", &t->ratios, 100, t->share, err);
    if (rc == NEAP_OK) warn_of_small_shares(t->a, "ratios", &t->ratios, t->share);
    return rc;
}

static neap_status read_labels(node_task *t, neap_error *err)
{
    char nodes[SHORT], labelled[SHORT], classes[SHORT], strangers[SHORT];
    neap_status rc = neap_labels_load(t->o->labels, t->graph, t->o->by_line, &t->labels, err);
    if (rc != NEAP_OK) return rc;
    t->facts.size = sizeof t->facts;
    rc = neap_labels_facts_of(t->labels, &t->facts, err);
    if (rc != NEAP_OK) return rc;
    say(t->a, "%s: %s of %s nodes labelled, %s classes", t->o->labels,
        ni_format_count(t->facts.labelled, labelled), ni_format_count(t->facts.nodes, nodes),
        ni_format_count(t->facts.classes, classes));
    if (t->facts.strangers)
        say(t->a, "  %s line%s with unknown nodes: ignored", ni_format_count(t->facts.strangers, strangers),
            plural(t->facts.strangers));
    return NEAP_OK;
}

/* Whether a file of this name is one that a run keeps in its folder: METHOD-RATIO-SEED.tsv and so on. */
static bool is_result(const char *name)
{
    char word[LIST_NAME];
    int length = (int)strcspn(name, "-");
    snprintf(word, sizeof word, "%.*s", length, name);
    if (!strcmp(name, "results.json")) return true;
    if (!ni_path_ends(name, strlen(name), ".tsv") || name[length] != '-') return false;
    return !strcmp(word, "vectors") || neap_method_find(word);
}

/* What is kept overwrites no input, not even one that an earlier run kept there. */
static neap_status check_folder(const node_task *t, neap_error *err)
{
    const char *inputs[] = { t->a->operands[0], t->o->labels, t->o->vectors, t->o->attributes.text,
                             t->o->attributes.features };
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs && rc == NEAP_OK && t->o->folder; i++) {
        char path[PATH_MAX];
        if (!inputs[i] || !is_result(ni_path_name(inputs[i]))) continue;
        rc = ni_path_join(t->o->folder, ni_path_name(inputs[i]), path, err);
        if (rc == NEAP_OK) rc = check_apart((const char *[]){ inputs[i], path }, 1, 2, err);
    }
    return rc;
}

/* Ctrl-C waits for files only: a run can be repeated from its seed. */
static void allow_interrupt(const node_task *t)
{
    char kept[256] = "";
    if (t->kept)
        snprintf(kept, sizeof kept, "what was found is kept in %zu file%s in %.150s", t->kept,
                 plural(t->kept), t->o->folder);
    end_if_interrupted(&t->bar, kept);
}

neap_status node_task_open(node_task *t, const args *a, const char *doing, neap_error *err)
{
    *t = (node_task){ .a = a, .o = a->own, .doing = doing };
    interrupt_watch();
    progress_start(&t->bar, t->o->progress, a->quiet);
    allow_interrupt(t);
    neap_status rc = read_lists(t, err);
    if (rc == NEAP_OK) rc = read_whole_option(a, "seed", &t->seed, err);
    if (rc == NEAP_OK) rc = read_whole_option(a, "threads", &t->threads, err);
    if (rc == NEAP_OK) rc = check_folder(t, err);
    if (rc == NEAP_OK && t->o->folder) rc = neap_folder_create(t->o->folder, err);
    if (rc == NEAP_OK) rc = read_graph(a, a->operands[0], &t->graph, err);
    if (rc == NEAP_OK) rc = read_labels(t, err);
    if (rc == NEAP_OK) rc = attributes_read(t->a, &t->o->attributes, t->graph, &t->known, err);
    if (rc == NEAP_OK && t->o->vectors)
        rc = read_vectors(a, t->o->vectors, t->graph, t->o->allow_missing, &t->given, err);
    return rc;
}

void node_task_close(node_task *t)
{
    neap_vectors_free(t->given);
    neap_labels_free(t->labels);
    attributes_free(&t->known);
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
        return (node_row){ .method = ni_path_name(t->o->vectors), .ratio = NAN, .text = "-" };
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
    char seeds[SHORT];
    printf(", %s seed%s\n", ni_format_count(t->o->seeds, seeds), plural(t->o->seeds));
    if (is_leaky(t))
        puts("leaky: gap reads the neighbourhoods of the whole graph, held-out links included");
}

enum { WORDS = 96 };

/* "gap, 55 % of the edges, seed 2". */
static char *words_of(const node_task *t, size_t row, uint64_t seed, char text[WORDS])
{
    node_row r = node_task_row(t, row);
    snprintf(text, WORDS, "%.40s%s%s%s, seed %llu", r.method, r.protocol ? ", " : "",
             r.protocol ? r.text : "", r.protocol ? " of the edges" : "", (unsigned long long)seed);
    return text;
}

void node_task_say(node_task *t, const node_vectors *v, const char *detail, const char *metric,
                   double value)
{
    char words[WORDS], text[LEFT_WORDS], number[SHORT];
    size_t now = t->done + 1, all = node_task_rows(t) * (size_t)t->o->seeds;
    double left = (ni_seconds() - t->start) / (double)now * (double)(all - now);
    progress_clear(&t->bar);
    say(t->a, "%zu of %zu: %s%s: %s %s%s", now, all, words_of(t, v->row, v->seed, words), detail, metric,
        human_metric(value, number), words_left(left, text));
}

/* ---- vectors ---- */

static int on_progress(const neap_progress *now, void *user)
{
    node_task *t = user;
    if (!now->epoch_end) progress_show(&t->bar, now);
    return 0;
}

/* Clusters of more nodes than these take long enough to print a line. */
enum { MANY = 5000 };

static neap_status measure_one(node_task *t, node_measure measure, void *user, const node_vectors *v,
                               neap_error *err)
{
    char count[SHORT], words[WORDS];
    snprintf(words, sizeof words, "%s %s vectors", t->doing, ni_format_count(t->facts.labelled, count));
    if (t->bar.live || t->facts.labelled > MANY) progress_words(&t->bar, words);
    neap_status rc = measure(user, v, err);
    progress_clear(&t->bar);
    t->done++;
    return rc;
}

static neap_data node_data(const node_task *t)
{
    return (neap_data){
        .size = sizeof(neap_data), .graph = t->graph, .text = t->known.text, .features = t->known.features
    };
}

/* trial is NULL where all edges are trained on. */
static neap_status train(node_task *t, const neap_trial *trial, const char *method, uint64_t seed,
                         neap_model **model, neap_error *err)
{
    neap_options *set = NULL;
    neap_hooks hooks = { .size = sizeof hooks, .progress = on_progress, .user = t };
    neap_data data = node_data(t);
    neap_status rc = options_for(t->a, method, seed, &set, err);
    if (rc == NEAP_OK)
        rc = trial ? neap_trial_train(trial, set, &hooks, model, err)
                   : neap_train_fully(&data, set, &hooks, model, err);
    neap_options_free(set);
    progress_clear(&t->bar);
    return rc;
}

static neap_status make_vectors(const neap_model *model, float **x, node_vectors *v, neap_error *err)
{
    size_t n = neap_graph_nodes(neap_model_graph(model));
    v->dim = model_dim(model);
    v->x = *x = calloc(n, v->dim * sizeof **x);
    return *x ? neap_model_vectors(model, *x, err) : ni_fail(err, NEAP_E_MEM, "out of memory for vectors");
}

static neap_status run_method(node_task *t, const neap_trial *trial, size_t method, size_t ratio,
                              uint64_t seed, node_measure measure, void *user, neap_error *err)
{
    neap_model *model = NULL;
    float *x = NULL;
    char words[WORDS];
    double start = ni_seconds();
    node_vectors v = { .row = (t->given != NULL) + method * t->ratios.count + ratio,
                       .seed = seed,
                       .trial = trial };
    snprintf(v.name, sizeof v.name, "%s-%s-%llu", t->methods.item[method], t->ratios.item[ratio],
             (unsigned long long)seed);
    progress_name(&t->bar, words_of(t, v.row, seed, words));
    neap_status rc = train(t, trial, t->methods.item[method], seed, &model, err);
    if (rc == NEAP_OK) rc = make_vectors(model, &x, &v, err);
    v.seconds = ni_seconds() - start;
    neap_model_free(model);
    if (rc == NEAP_OK) rc = measure_one(t, measure, user, &v, err);
    free(x);
    return rc;
}

/* All methods on one split. */
static neap_status run_methods(node_task *t, size_t ratio, uint64_t seed, node_measure measure, void *user,
                               neap_error *err)
{
    neap_trial *trial = NULL;
    neap_link_spec spec = { .size = sizeof spec,
                            .protocol = t->o->protocol,
                            .negatives = "uniform",
                            .ratio = t->share[ratio] / 100,
                            .seed = seed };
    neap_data data = node_data(t);
    neap_status rc = t->share[ratio] < 100 ? neap_trial_create(&data, &spec, &trial, err) : NEAP_OK;
    for (size_t i = 0; i < t->methods.count && rc == NEAP_OK; i++)
        rc = run_method(t, trial, i, ratio, seed, measure, user, err);
    neap_trial_free(trial);
    return rc;
}

static neap_status run_given(node_task *t, uint64_t seed, node_measure measure, void *user, neap_error *err)
{
    node_vectors v = { .seed = seed, .x = t->given->values, .dim = t->given->dim };
    snprintf(v.name, sizeof v.name, "vectors-%llu", (unsigned long long)seed);
    char words[WORDS];
    progress_name(&t->bar, words_of(t, v.row, seed, words));
    return measure_one(t, measure, user, &v, err);
}

neap_status node_task_run(node_task *t, node_measure measure, void *user, neap_error *err)
{
    neap_status rc = NEAP_OK;
    t->start = ni_seconds();
    for (uint64_t i = 0; i < t->o->seeds && t->given && rc == NEAP_OK; i++)
        rc = run_given(t, t->seed + i, measure, user, err);
    for (size_t j = 0; j < t->ratios.count && t->methods.count; j++)
        for (uint64_t i = 0; i < t->o->seeds && rc == NEAP_OK; i++)
            rc = run_methods(t, j, t->seed + i, measure, user, err);
    interrupt_ends(NULL);
    return rc;
}

/* ---- what is printed and kept ---- */

void node_task_json(const node_task *t, ni_json *j, const char *task)
{
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "task", task);
    ni_json_text(j, "protocol", t->o->protocol);
    ni_json_switch(j, "leaky", is_leaky(t));
    ni_json_whole(j, "nodes", t->facts.nodes);
    ni_json_whole(j, "edges", neap_graph_edges(t->graph));
    ni_json_whole(j, "labelled", t->facts.labelled);
    ni_json_whole(j, "classes", t->facts.classes);
    ni_json_whole(j, "strangers", t->facts.strangers);
    ni_json_whole(j, "missing", t->given ? t->given->missing : 0);
    ni_json_open(j, "passed_over", '[');
    for (size_t i = 0; i < t->passed_over.count; i++) ni_json_text(j, NULL, t->passed_over.item[i]);
    ni_json_close(j, ']');
    ni_json_whole(j, "seed", t->seed);
    ni_json_whole(j, "seeds", t->o->seeds);
}

void node_row_json(const node_task *t, ni_json *j, size_t row)
{
    node_row r = node_task_row(t, row);
    ni_json_text(j, "method", r.method);
    ni_json_text(j, "protocol", r.protocol);
    ni_json_real(j, "ratio", r.ratio);
}

typedef struct found_table {
    const node_task *task;
    const node_found *found;
} found_table;

/* In quotes where it would be taken for something else, as in the files of a split (docs/split.md). */
static void print_field(FILE *to, const char *name, char end)
{
    bool plain = !strpbrk(name, "\t\"\r\n") && !strchr("#% ", name[0]) && name[strlen(name) - 1] != ' ';
    if (plain) fputs(name, to);
    else putc('"', to);
    for (const char *c = name; !plain && *c; c++) fputs(*c == '"' ? "\"\"" : (char[]){ *c, 0 }, to);
    if (!plain) putc('"', to);
    putc(end, to);
}

static void print_found(const void *user, FILE *to)
{
    const node_task *t = ((const found_table *)user)->task;
    const node_found *f = ((const found_table *)user)->found;
    fprintf(to, "node\tclass\t%s\n", f->title);
    for (uint32_t u = 0; u < t->facts.nodes; u++) {
        if (f->of[u] == NEAP_NONE) continue;
        print_field(to, neap_graph_name(t->graph, u), '\t');
        print_field(to, neap_labels_class(t->labels, t->facts.of[u]), '\t');
        if (f->is_class) print_field(to, neap_labels_class(t->labels, f->of[u]), '\n');
        else fprintf(to, "%u\n", f->of[u]);
    }
}

/* The share of the nodes that are in the largest cluster or predicted class. */
static double largest_share(const uint32_t *heap, const node_found *f, uint32_t nodes)
{
    uint32_t *count = calloc(nodes, sizeof *count), all = 0, most = 0;
    for (uint32_t u = 0; count && u < nodes; u++) {
        if (f->of[u] == NEAP_NONE) continue;
        all++;
        if (++count[heap[u]] > most) most = count[heap[u]];
    }
    free(count);
    return all ? (double)most / all : 0;
}

/* A single cluster where there are several classes usually comes from the lengths of the vectors. */
static void doubt(node_task *t, const node_found *f)
{
    double found = largest_share(f->of, f, t->facts.nodes);
    bool heap = f->is_class ? found == 1 : found > 0.9;
    if (t->doubted || !heap || largest_share(t->facts.of, f, t->facts.nodes) > 0.9) return;
    t->doubted = true;
    if (f->is_class)
        say(t->a,
            "  all nodes are predicted to be of one class; if the vectors are very short, scale them");
    else
        say(t->a, "  more than nine tenths of the nodes are in one cluster; if the vectors are very "
                  "short, scale them, or try --algorithm kmeans or another --gamma");
}

neap_status node_task_keep(node_task *t, const char *name, const node_found *f, neap_error *err)
{
    char file[128];
    doubt(t, f);
    if (!t->o->folder) return NEAP_OK;
    snprintf(file, sizeof file, "%s.tsv", name);
    interrupt_ends(NULL);
    neap_status rc = keep_printed(t->o->folder, file, print_found, &(found_table){ t, f }, err);
    t->kept += rc == NEAP_OK;
    allow_interrupt(t);
    return rc;
}

neap_status node_task_report(const node_task *t, void (*print)(const void *user, FILE *to),
                             const void *user, neap_error *err)
{
    char count[SHORT];
    neap_status rc = report_json(t->a, t->o->folder, print, user, err);
    if (rc == NEAP_OK && t->o->folder)
        say(t->a, "%s: %s table%s of nodes and results.json written", t->o->folder,
            ni_format_count(t->kept, count), plural(t->kept));
    return rc;
}
