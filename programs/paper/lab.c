#include "paper/lab.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "eval/cluster.h"
#include "io/folder.h"
#include "model/model.h"

/* ---- graphs ---- */

static neap_status path_to(const ni_lab *lab, const ni_source *s, const char *file, char path[PATH_MAX],
                           neap_error *err)
{
    char folder[PATH_MAX];
    neap_status rc = ni_path_join(lab->data, s->name, folder, err);
    return rc == NEAP_OK ? ni_path_join(folder, file, path, err) : rc;
}

static neap_status read_files(const ni_lab *lab, ni_specimen *x, neap_error *err)
{
    char path[PATH_MAX];
    neap_status rc = path_to(lab, x->source, "graph.txt", path, err);
    if (rc == NEAP_OK) rc = neap_graph_load(path, lab->reading, &x->graph, err);
    if (rc != NEAP_OK || !x->source->labels) return rc;
    rc = path_to(lab, x->source, "labels.txt", path, err);
    return rc == NEAP_OK ? ni_labels_read(path, x->graph, false, &x->labels, err) : rc;
}

static void release(ni_specimen *x)
{
    neap_graph_free(x->graph);
    ni_labels_free(&x->labels);
}

neap_status ni_lab_find(ni_lab *lab, const ni_source *source, const ni_specimen **out, neap_error *err)
{
    for (size_t i = 0; i < lab->specimens; i++)
        if (lab->specimen[i].source == source) {
            *out = &lab->specimen[i];
            return NEAP_OK;
        }
    if (lab->specimens == NI_SPECIMENS) return ni_fail(err, NEAP_E_LIMIT, "too many graphs");
    ni_specimen *x = &lab->specimen[lab->specimens];
    *x = (ni_specimen){ .source = source };
    neap_status rc = source->generator.kind ? neap_graph_generate(&source->generator, &x->graph, err)
                                            : read_files(lab, x, err);
    if (rc == NEAP_OK) x->hash = ni_graph_hash(x->graph), lab->specimens++;
    else release(x);
    *out = rc == NEAP_OK ? x : NULL;
    return rc;
}

uint64_t ni_lab_hash(const ni_lab *lab, const ni_source *source)
{
    for (size_t i = 0; i < lab->specimens && !source->generator.kind; i++)
        if (lab->specimen[i].source == source) return lab->specimen[i].hash;
    return 0;
}

void ni_lab_free(ni_lab *lab)
{
    neap_trial_free(lab->trial);
    for (size_t i = 0; i < lab->specimens; i++) release(&lab->specimen[i]);
    *lab = (ni_lab){ 0 };
}

/* ---- measuring ---- */

static neap_status find_trial(ni_lab *lab, const neap_graph *graph, const ni_cell *c, neap_error *err)
{
    neap_link_spec spec = { .protocol = c->protocol,
                            .negatives = "uniform",
                            .ratio = c->place.ratio,
                            .seed = c->seed,
                            .valid = c->options.valid };
    const neap_trial_facts *have = lab->trial ? neap_trial_facts_view(lab->trial) : NULL;
    if (have && lab->trial_of == graph && !strcmp(have->protocol, spec.protocol) &&
        have->ratio == spec.ratio && have->seed == spec.seed)
        return NEAP_OK;
    neap_trial_free(lab->trial);
    lab->trial_of = graph;
    return neap_trial_create(graph, &spec, &lab->trial, err);
}

static neap_status measure_link(const ni_lab *lab, const neap_model *model, const neap_hooks *hooks,
                                ni_outcome *o, neap_error *err)
{
    neap_link_result got;
    neap_status rc = neap_trial_measure(lab->trial, model, hooks, &got, err);
    if (rc != NEAP_OK) return rc;
    const double value[NI_VALUES] = { got.auc, got.ap, got.mrr, got.hits[0], got.hits[1], got.hits[2] };
    memcpy(o->value, value, sizeof value);
    return NEAP_OK;
}

static neap_status measure_clusters(const ni_lab *lab, const ni_cell *c, const ni_specimen *x,
                                    const neap_model *model, ni_outcome *o, neap_error *err)
{
    uint32_t dim = neap_model_dim(model);
    neap_cluster_spec spec = { .trial = lab->trial, .seed = c->seed };
    neap_cluster_result got;
    float *vectors = ni_array((uint64_t)x->graph->nodes * dim, sizeof *vectors);
    neap_status rc = vectors ? neap_model_vectors(model, vectors, err) : ni_fail_memory(err, "the vectors");
    ni_sample sample = ni_sample_of(&x->labels, vectors, dim);
    if (rc == NEAP_OK) rc = ni_cluster(&sample, &spec, model->threads, NULL, &got, err);
    if (rc == NEAP_OK) {
        const double value[] = { got.nmi, got.ami, got.ari, got.nodes, got.gamma };
        memcpy(o->value, value, sizeof value);
    }
    ni_free(vectors);
    return rc;
}

static neap_status on_split(ni_lab *lab, const ni_specimen *x, const ni_cell *c, const neap_hooks *hooks,
                            ni_outcome *o, neap_error *err)
{
    neap_model *model = NULL;
    neap_status rc = find_trial(lab, x->graph, c, err);
    double start = ni_seconds();
    if (rc == NEAP_OK) rc = neap_trial_train(lab->trial, &c->options, hooks, &model, err);
    o->seconds = ni_seconds() - start;
    if (rc == NEAP_OK)
        rc = c->aim == NI_AIM_LINK ? measure_link(lab, model, hooks, o, err)
                                   : measure_clusters(lab, c, x, model, o, err);
    if (rc == NEAP_OK) o->epochs = neap_model_training(model).epochs;
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

static neap_status on_clock(const ni_specimen *x, const ni_cell *c, const neap_hooks *hooks, ni_outcome *o,
                            neap_error *err)
{
    watch w = { hooks, NAN };
    neap_hooks with = { .progress = on_epoch, .user = &w };
    neap_model *model;
    double start = ni_seconds();
    neap_status rc = neap_train(x->graph, &c->options, &with, &model, err);
    o->seconds = ni_seconds() - start;
    o->epochs = 1;
    o->value[0] = w.seconds;
    o->value[1] = (double)neap_graph_edges(x->graph);
    if (rc == NEAP_OK) neap_model_free(model);
    return rc;
}

neap_status ni_lab_measure(ni_lab *lab, const ni_cell *c, const neap_hooks *hooks, ni_outcome *o,
                           neap_error *err)
{
    const ni_specimen *x;
    *o = (ni_outcome){ .seconds = NAN };
    for (size_t v = 0; v < NI_VALUES; v++) o->value[v] = NAN;
    neap_status rc = ni_lab_find(lab, c->place.graph, &x, err);
    if (rc != NEAP_OK) return rc;
    return c->aim == NI_AIM_TIME ? on_clock(x, c, hooks, o, err) : on_split(lab, x, c, hooks, o, err);
}
