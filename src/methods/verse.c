/* VERSE: the products of vectors follow personalised PageRank. A pair is a node and the end of a walk from
 * it, which ends with probability --restart before each step; noise-contrastive estimation tells these ends
 * from nodes drawn evenly. There is one table: both nodes of a pair have their only vector in it. */
#include <math.h>

#include "base/status.h"
#include "base/sys.h"
#include "methods/dot.h"
#include "model/method.h"
#include "walks/ends.h"
#include "walks/learner.h"

/* What noise-contrastive estimation takes off a product: the log of how often its noise brings a node. */
static neap_status start(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         ni_learner *l, neap_error *err)
{
    neap_status rc = ni_learner_start(graph, options, hooks, l, err);
    l->tied = 1;
    if (rc != NEAP_OK) return rc;
    l->bias = (float)log(l->model->rows);
    l->shared_bias = (float)log((double)l->model->rows / options->negatives);
    return NEAP_OK;
}

static neap_status walk_and_learn(ni_learner *l, const neap_hooks *hooks, neap_error *err)
{
    const neap_options *o = &l->model->options;
    ni_walker walker;
    neap_status rc = ni_walker_create(l->graph, l->links, o->along, 1, 1, &walker, err);
    if (rc != NEAP_OK) return rc;
    ni_ends ends = { &walker, o->restart, o->seed };
    ni_source source = ni_ends_source(&ends);
    /* To the power 0 all weights are alike, whatever they are. */
    rc = ni_learner_run(l, &source, l->links->offset, 0, hooks, err);
    ni_walker_free(&walker);
    return rc;
}

static neap_status train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         neap_model **out, neap_error *err)
{
    ni_learner l = { 0 };
    neap_status rc = start(graph, options, hooks, &l, err);
    /* With the biases of NCE, all products are to grow from 0 on: so the vectors are not small. */
    if (rc == NEAP_OK) rc = ni_model_draw_vectors(l.model, 0.5, err);
    if (rc == NEAP_OK) rc = walk_and_learn(&l, hooks, err);
    return ni_learner_end(&l, rc, out);
}

static neap_status bytes(const neap_graph *graph, const neap_options *options, neap_estimate_result *r,
                         neap_error *err)
{
    ni_learner l = { 0 };
    neap_status rc = start(graph, options, NULL, &l, err);
    if (rc == NEAP_OK) {
        ni_walker walker = { .nodes = l.model->rows };
        ni_ends ends = { .walker = &walker };
        ni_source source = ni_ends_source(&ends);
        ni_learner_bytes(&l, &source, graph, r);
    }
    return ni_learner_drop(&l, rc);
}

static void state(const neap_model *m, ni_tables *tables)
{
    ni_learner l = { .model = (neap_model *)m, .layers = 1, .tied = 1, .negatives = true };
    tables->places = (uint64_t)m->rows * NI_END_SAMPLES;
    ni_learner_tables(&l, tables);
}

static const ni_default defaults[] = {
    { "epochs", { "20", "20", "1000" } },
    { "lr", { "0.025", "0.025", "0.0025" } },
    { "decay", { "linear", "linear", "none" } },
    { "negatives", { "3", "3", "3" } },
    { "valid", { "0", "0", "0" } },
    { "dim", { "128", "200", "128" } },
    { 0 },
};

const ni_method ni_method_verse = {
    .info = { "verse", "nodes where walks from a node end have a large product with it",
              "The products of vectors are trained to follow personalised PageRank: where a walk from a "
              "node ends, which stops\nwith probability --restart before each step. One epoch is 100 "
              "walks from every node. Weights count, directions\nwith --along.\nTsitsulin, Mottin, "
              "Karras and Mueller, VERSE: Versatile Graph Embeddings from Similarity Measures, 2018.",
              0, 1, "dim,epochs,lr,decay,negatives,valid,patience,restart,along" },
    .defaults = defaults,
    .tables = "E",
    .train = train,
    .bytes = bytes,
    .state = state,
    .score = ni_dot_score,
    .score_all = ni_dot_score_all,
    .vectors = ni_dot_vectors,
};
