#include "methods/walking.h"

#include "base/status.h"
#include "base/sys.h"
#include "walks/windows.h"

/* gensim and word2vec draw negatives by the power 3/4 of how often they occur (Mikolov and others 2013). */
static const double power = 0.75;

static void choose_losses(const neap_options *o, ni_learner *l)
{
    l->negatives = o->loss != NI_LOSS_TREE;
    l->tree = o->loss != NI_LOSS_NEGATIVES;
}

static ni_windows windows_of(const neap_options *o, bool scales, const ni_walker *walker)
{
    return (ni_windows){ .walker = walker,
                         .rounds = o->walks,
                         .length = o->walk_length,
                         .window = o->window,
                         .scales = scales,
                         .seed = o->seed };
}

neap_status ni_walking_learn(ni_learner *l, bool scales, const neap_hooks *hooks, neap_error *err)
{
    const neap_options *o = &l->model->options;
    ni_walker walker;
    uint64_t *visits = NULL;
    float *kept = NULL;
    neap_status rc = ni_walker_create(l->graph, l->links, o->along, o->p, o->q, &walker, err);
    if (rc != NEAP_OK) return rc;
    ni_windows windows = windows_of(o, scales, &walker);
    rc = ni_windows_visits(&windows, l->model->threads, &visits, err);
    if (rc == NEAP_OK) rc = ni_windows_thin(visits, walker.nodes, o->sample, &kept, err);
    windows.kept = kept;
    ni_source source = ni_windows_source(&windows);
    if (rc == NEAP_OK) rc = ni_learner_run(l, &source, visits, power, hooks, err);
    ni_free(visits);
    ni_free(kept);
    ni_walker_free(&walker);
    return rc;
}

neap_status ni_walking_start(const neap_graph *graph, const neap_options *options, bool scales,
                             const neap_hooks *hooks, ni_learner *l, neap_error *err)
{
    if (scales && options->dim % options->window)
        return ni_fail(err, NEAP_E_ARG,
                       "--dim %u cannot be divided into %u scales; use a multiple of --window",
                       options->dim, options->window);
    neap_status rc = ni_learner_start(graph, options, hooks, l, err);
    if (scales) l->layers = options->window;
    else choose_losses(options, l);
    return rc;
}

neap_status ni_walking_train(const neap_graph *graph, const neap_options *options, bool scales,
                             const neap_hooks *hooks, neap_model **out, neap_error *err)
{
    ni_learner l = { 0 };
    neap_status rc = ni_walking_start(graph, options, scales, hooks, &l, err);
    if (rc == NEAP_OK) rc = ni_walking_learn(&l, scales, hooks, err);
    return ni_learner_end(&l, rc, out);
}

void ni_walking_count(const ni_learner *l, bool scales, const neap_graph *given, neap_estimate_result *r)
{
    ni_walker walker = { .nodes = l->links->nodes };
    ni_windows windows = windows_of(&l->model->options, scales, &walker);
    ni_source source = ni_windows_source(&windows);
    ni_learner_bytes(l, &source, given, r);
}

neap_status ni_walking_bytes(const neap_graph *graph, const neap_options *options, bool scales,
                             neap_estimate_result *r, neap_error *err)
{
    ni_learner l = { 0 };
    neap_status rc = ni_walking_start(graph, options, scales, NULL, &l, err);
    if (rc == NEAP_OK) ni_walking_count(&l, scales, graph, r);
    return ni_learner_drop(&l, rc);
}

void ni_walking_tables(const neap_model *m, const ni_stand_in *instead, ni_tables *tables)
{
    const neap_options *o = &m->options;
    uint64_t rows = instead ? instead->rows : m->rows;
    ni_learner l = { .model = (neap_model *)m, .instead = instead, .layers = 1 };
    choose_losses(o, &l);
    tables->places = rows * o->walks * o->walk_length;
    ni_learner_tables(&l, tables);
}

void ni_walking_state(const neap_model *m, ni_tables *tables)
{
    ni_walking_tables(m, NULL, tables);
}
