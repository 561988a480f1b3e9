/* VERSE: the products of vectors follow personalised PageRank. A pair is a node and the end of a walk
 * from it, which ends with probability --restart before each step; noise-contrastive estimation separates
 * these ends from nodes drawn evenly. Inputs and outputs are the same table. */
#include <math.h>

#include "methods/dot.h"
#include "walks/walking.h"

typedef struct verse_options {
    ni_walk_options walk; /* of which `along` counts */
    double restart;
} verse_options;

static const ni_option own_options[] = {
    NI_OPTION(verse_options, REAL, restart, "restart", "", 0, "walks", "X", "0.15", "0.15", "0.15", 0.01,
              0.99, 1, "how likely a walk ends before each step: small ones look far (verse)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(verse_options, walk.learning), NULL },
    { &ni_walk_set, offsetof(verse_options, walk), "along" },
    { &own_set, 0, NULL },
    { 0 },
};

static neap_status check(const ni_settings *s, neap_error *err)
{
    const verse_options *o = s->own;
    return ni_learner_check(&o->walk.learning, err);
}

/* The bias of noise-contrastive estimation: log of the expected number of noise draws of a node. */
static neap_status prepare(ni_learner *l, const ni_job *job, neap_error *err)
{
    const verse_options *o = job->settings->own;
    neap_status rc = ni_learner_prepare(l, job, &o->walk.learning, err);
    l->tied = 1;
    if (rc != NEAP_OK) return rc;
    l->bias = (float)log(l->rows);
    l->shared_bias = (float)log((double)l->rows / o->walk.learning.negatives);
    return NEAP_OK;
}

static void declare(neap_model *m, ni_declaration *d)
{
    ni_dot_declare(m, d);
    d->positions = (uint64_t)m->rows * NI_END_SAMPLES;
}

/* With the biases of NCE products grow from 0 on, so the start values are not small. */
static neap_status learn(ni_learner *l, const verse_options *o, neap_error *err)
{
    neap_model *m = l->run.model;
    ni_walker walker;
    l->vectors = ((const ni_dot *)m->own)->E;
    ni_model_draw_rows(m, 0.5, l->vectors);
    neap_status rc = ni_walker_create(l->run.graph, l->links, o->walk.along, 1, 1, &walker, err);
    if (rc != NEAP_OK) return rc;
    ni_walk_ends ends = { &walker, o->restart, m->settings->common.seed };
    ni_source source = ni_ends_source(&ends);
    /* Power 0: all nodes have the same weight, whatever the array holds. */
    rc = ni_learner_train(l, &source, l->links->offset, 0, err);
    ni_walker_free(&walker);
    return rc;
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    ni_learner l;
    neap_status rc = prepare(&l, job, err);
    if (rc == NEAP_OK) rc = ni_model_allocate(l.run.model, err);
    if (rc == NEAP_OK) rc = learn(&l, job->settings->own, err);
    return ni_learner_end(&l, rc, out);
}

static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    ni_learner l;
    neap_status rc = prepare(&l, job, err);
    if (rc == NEAP_OK) {
        ni_walker walker = { .nodes = l.rows };
        ni_walk_ends ends = { .walker = &walker };
        ni_source source = ni_ends_source(&ends);
        ni_learner_bytes(&l, &source, job->data->graph, r);
    }
    return ni_learner_drop(&l, rc);
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
    .info = { .size = sizeof(neap_method_info),
              .name = "verse",
              .summary = "nodes where walks from a node end have a large product with it",
              .details = "The products of vectors are trained to follow personalised PageRank: where a\n"
                         "walk from a node ends that stops with probability --restart before each step.\n"
                         "One epoch is 100 walks from every node. Weights count, directions with --along.\n"
                         "Tsitsulin, Mottin, Karras and Mueller, VERSE: Versatile Graph Embeddings from\n"
                         "Similarity Measures, 2018.",
              .vectors = 1 },
    .options = { sizeof(verse_options), parts, defaults },
    .check = check,
    .own = sizeof(ni_dot),
    .declare = declare,
    .train = train,
    .bytes = bytes,
    NI_DOT_ANSWERS,
};
