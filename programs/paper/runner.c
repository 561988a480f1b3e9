/* One cell is one training on one split (or, for a time, one epoch over all edges) and what is measured of
 * it. The runner owns the graphs, their labels and the last split; models live as long as a cell.
 * Everything runs on the calling thread but what the library does itself. */
#include "paper/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/clock.h"
#include "support/path.h"

/* ---- graphs ---- */

static neap_status path_to(const ni_runner *r, const ni_paper_graph *s, const char *file,
                           char path[PATH_MAX], neap_error *err)
{
    char folder[PATH_MAX];
    neap_status rc = ni_path_join(r->data, s->name, folder, err);
    return rc == NEAP_OK ? ni_path_join(folder, file, path, err) : rc;
}

static neap_status read_files(const ni_runner *r, ni_dataset *x, neap_error *err)
{
    char path[PATH_MAX];
    neap_status rc = path_to(r, x->source, "graph.txt", path, err);
    if (rc == NEAP_OK) rc = neap_graph_load(path, r->reading, NULL, &x->graph, err);
    if (rc != NEAP_OK || !x->source->labels) return rc;
    rc = path_to(r, x->source, "labels.txt", path, err);
    return rc == NEAP_OK ? neap_labels_load(path, x->graph, 0, &x->labels, err) : rc;
}

static void release(ni_dataset *x)
{
    neap_graph_free(x->graph);
    neap_labels_free(x->labels);
}

neap_status ni_runner_find(ni_runner *r, const ni_paper_graph *source, const ni_dataset **out,
                           neap_error *err)
{
    for (size_t i = 0; i < r->datasets; i++)
        if (r->dataset[i].source == source) {
            *out = &r->dataset[i];
            return NEAP_OK;
        }
    if (r->datasets == NI_DATASETS) return ni_fail(err, NEAP_E_LIMIT, "too many graphs");
    ni_dataset *x = &r->dataset[r->datasets];
    *x = (ni_dataset){ .source = source };
    neap_status rc = source->generator.kind ? neap_graph_generate(&source->generator, &x->graph, err)
                                            : read_files(r, x, err);
    if (rc == NEAP_OK) x->hash = neap_graph_hash(x->graph), r->datasets++;
    else release(x);
    *out = rc == NEAP_OK ? x : NULL;
    return rc;
}

uint64_t ni_runner_hash(const ni_runner *r, const ni_paper_graph *source)
{
    for (size_t i = 0; i < r->datasets && !source->generator.kind; i++)
        if (r->dataset[i].source == source) return r->dataset[i].hash;
    return 0;
}

void ni_runner_free(ni_runner *r)
{
    neap_trial_free(r->trial);
    for (size_t i = 0; i < r->datasets; i++) release(&r->dataset[i]);
    *r = (ni_runner){ 0 };
}

/* ---- measuring ---- */

static neap_status find_trial(ni_runner *r, const neap_graph *graph, const ni_cell *c,
                              const neap_options *options, neap_error *err)
{
    double valid = ni_option_number(options, "valid"); /* NaN: the method keeps nothing back */
    neap_link_spec spec = { .size = sizeof spec,
                            .protocol = c->protocol,
                            .negatives = "uniform",
                            .ratio = c->condition.ratio,
                            .seed = c->seed,
                            .valid = isnan(valid) ? 0 : valid };
    neap_trial_facts have = NEAP_SIZED(neap_trial_facts);
    if (r->trial && r->trial_of == graph && neap_trial_facts_of(r->trial, &have, NULL) == NEAP_OK &&
        !strcmp(have.protocol, spec.protocol) && have.ratio == spec.ratio && have.seed == spec.seed)
        return NEAP_OK;
    neap_trial_free(r->trial);
    r->trial_of = graph;
    neap_data data = { .size = sizeof data, .graph = graph };
    return neap_trial_create(&data, &spec, &r->trial, err);
}

static neap_status measure_link(const ni_runner *r, const neap_model *model, const neap_hooks *hooks,
                                ni_outcome *o, neap_error *err)
{
    neap_link_result got = NEAP_SIZED(neap_link_result);
    neap_status rc = neap_trial_measure(r->trial, model, hooks, &got, err);
    if (rc != NEAP_OK) return rc;
    const double value[NI_VALUES] = { got.auc, got.ap, got.mrr, got.hits[0], got.hits[1], got.hits[2] };
    memcpy(o->value, value, sizeof value);
    return NEAP_OK;
}

static neap_status measure_clusters(const ni_runner *r, const ni_cell *c, const neap_options *options,
                                    const ni_dataset *x, const neap_model *model, ni_outcome *o,
                                    neap_error *err)
{
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    neap_model_facts_of(model, &facts, NULL);
    uint32_t dim = facts.dim;
    neap_cluster_spec spec = { .size = sizeof spec,
                               .trial = r->trial,
                               .seed = c->seed,
                               .threads = (uint32_t)ni_option_number(options, "threads") };
    neap_cluster_result got = NEAP_SIZED(neap_cluster_result);
    float *vectors = malloc((size_t)neap_graph_nodes(x->graph) * dim * sizeof *vectors);
    neap_status rc = vectors ? neap_model_vectors(model, vectors, err) : ni_fail_memory(err, "the vectors");
    if (rc == NEAP_OK) rc = neap_cluster(vectors, dim, x->labels, &spec, NULL, &got, err);
    if (rc == NEAP_OK) {
        const double value[] = { got.nmi, got.ami, got.ari, got.nodes, got.gamma };
        memcpy(o->value, value, sizeof value);
    }
    free(vectors);
    return rc;
}

static neap_status on_split(ni_runner *r, const ni_dataset *x, const ni_cell *c,
                            const neap_options *options, const neap_hooks *hooks, ni_outcome *o,
                            neap_error *err)
{
    neap_model *model = NULL;
    neap_status rc = find_trial(r, x->graph, c, options, err);
    double start = ni_seconds();
    if (rc == NEAP_OK) rc = neap_trial_train(r->trial, options, hooks, &model, err);
    o->seconds = ni_seconds() - start;
    if (rc == NEAP_OK)
        rc = c->aim == NI_AIM_LINK ? measure_link(r, model, hooks, o, err)
                                   : measure_clusters(r, c, options, x, model, o, err);
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    if (rc == NEAP_OK) rc = neap_model_facts_of(model, &facts, err);
    o->epochs = facts.epochs;
    neap_model_free(model);
    return rc;
}

/* The time of the epoch itself, without reading, neighbourhoods and tables. */
typedef struct watch {
    const neap_hooks *hooks;
    double seconds;
} watch;

static int on_epoch(const neap_progress *now, void *user)
{
    watch *w = user;
    if (now->epoch_end) w->seconds = now->seconds;
    return w->hooks && w->hooks->progress ? w->hooks->progress(now, w->hooks->user) : 0;
}

static neap_status on_clock(const ni_dataset *x, const neap_options *options, const neap_hooks *hooks,
                            ni_outcome *o, neap_error *err)
{
    watch w = { hooks, NAN };
    neap_hooks with = { .size = sizeof with, .progress = on_epoch, .user = &w };
    neap_data data = { .size = sizeof data, .graph = x->graph };
    neap_model *model;
    double start = ni_seconds();
    neap_status rc = neap_train(&data, options, &with, &model, err);
    o->seconds = ni_seconds() - start;
    o->epochs = 1;
    o->value[0] = w.seconds;
    o->value[1] = (double)neap_graph_edges(x->graph);
    if (rc == NEAP_OK) neap_model_free(model);
    return rc;
}

neap_status ni_runner_measure(ni_runner *r, const ni_cell *c, const neap_options *options,
                              const neap_hooks *hooks, ni_outcome *o, neap_error *err)
{
    const ni_dataset *x;
    *o = (ni_outcome){ .seconds = NAN };
    for (size_t v = 0; v < NI_VALUES; v++) o->value[v] = NAN;
    neap_status rc = ni_runner_find(r, c->condition.graph, &x, err);
    if (rc != NEAP_OK) return rc;
    return c->aim == NI_AIM_TIME ? on_clock(x, options, hooks, o, err)
                                 : on_split(r, x, c, options, hooks, o, err);
}
