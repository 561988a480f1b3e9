/* DeepWalk, node2vec and Walklets: nodes are words, random walks are sentences, and a skip-gram model
 * learns a vector for each node so that nodes that co-occur in walks have a large product
 * (walks/walking.h). They differ in the steps of walks (node2vec's p and q) and in which pairs of a walk
 * count (Walklets: those exactly k steps apart train part k of the vectors). */
#include "methods/dot.h"
#include "walks/walking.h"

extern const ni_method ni_method_deepwalk, ni_method_node2vec, ni_method_walklets;

/* A part of the vectors for each distance, rather than all of them for a window. */
static bool has_scales(const ni_method *method)
{
    return method == &ni_method_walklets;
}

static neap_status check(const ni_settings *s, neap_error *err)
{
    return ni_walking_check(s->own, false, err);
}

static neap_status check_scales(const ni_settings *s, neap_error *err)
{
    return ni_walking_check(s->own, true, err);
}

static void declare(neap_model *m, ni_declaration *d)
{
    ni_dot_declare(m, d);
    ni_walking_declare(d, m->settings->own, has_scales(m->method), m->rows);
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    const ni_walk_options *o = job->settings->own;
    bool scales = has_scales(job->method);
    ni_learner l;
    neap_status rc = ni_walking_prepare(&l, job, o, scales, err);
    neap_model *m = l.run.model;
    if (rc == NEAP_OK) rc = ni_model_allocate(m, err);
    if (rc == NEAP_OK) {
        l.vectors = ((const ni_dot *)m->own)->E;
        ni_model_draw_rows(m, 0.5 / m->dim, l.vectors);
        rc = ni_walking_train(&l, o, scales, err);
    }
    return ni_learner_end(&l, rc, out);
}

static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    const ni_walk_options *o = job->settings->own;
    bool scales = has_scales(job->method);
    ni_learner l;
    neap_status rc = ni_walking_prepare(&l, job, o, scales, err);
    if (rc == NEAP_OK) ni_walking_bytes(&l, o, scales, job->data->graph, r);
    return ni_learner_drop(&l, rc);
}

/* ---- deepwalk ---- */

static const ni_option_part deepwalk_parts[] = {
    { &ni_learning_set, offsetof(ni_walk_options, learning), NULL },
    { &ni_walk_set, 0, "walks,walk-length,window,along,sample,loss" },
    { 0 },
};

static const ni_default deepwalk_defaults[] = {
    { "epochs", { "5", "1", "5" } }, /* paper: see docs/evaluation.md */
    { "lr", { "0.025", "0.025", "0.025" } }, { "decay", { "linear", "linear", "linear" } },
    { "negatives", { "5", "5", "5" } },      { "valid", { "0", "0", "0" } },
    { "walk-length", { "40", "40", "40" } }, { "dim", { "128", "200", "64" } },
    { "window", { "10", "3", "5" } },        { 0 },
};

const ni_method ni_method_deepwalk = {
    .info = { .size = sizeof(neap_method_info),
              .name = "deepwalk",
              .summary = "nodes that meet in random walks have similar vectors",
              .details =
                  "Random walks are sentences, nodes are words: a skip-gram model learns a vector\n"
                  "per node so that nodes within a window of a walk have a large product. One epoch\n"
                  "is --walks new walks from every node. The defaults are for clusters and classes;\n"
                  "links were predicted better, on the mean of three graphs, with --epochs 1\n"
                  "--window 2.\n"
                  "Perozzi, Al-Rfou and Skiena, DeepWalk: Online Learning of Social\n"
                  "Representations, 2014.",
              .vectors = 1 },
    .options = { sizeof(ni_walk_options), deepwalk_parts, deepwalk_defaults },
    .check = check,
    .own = sizeof(ni_dot),
    .declare = declare,
    .train = train,
    .bytes = bytes,
    NI_DOT_ANSWERS,
};

/* ---- node2vec ---- */

static const ni_option_part node2vec_parts[] = {
    { &ni_learning_set, offsetof(ni_walk_options, learning), NULL },
    { &ni_walk_set, 0, "walks,walk-length,window,along,sample,p,q" },
    { 0 },
};

static const ni_default node2vec_defaults[] = {
    { "epochs", { "5", "1", "1" } }, /* paper: see docs/evaluation.md */
    { "lr", { "0.025", "0.025", "0.025" } },
    { "decay", { "linear", "linear", "linear" } },
    { "negatives", { "5", "5", "5" } },
    { "valid", { "0", "0", "0" } },
    { "loss", { "ns", "ns", "ns" } },
    { "dim", { "128", "200", "128" } },
    { "walks", { "10", "5", "10" } },
    { "window", { "10", "4", "10" } },
    { 0 },
};

const ni_method ni_method_node2vec = {
    .info = { .size = sizeof(neap_method_info),
              .name = "node2vec",
              .summary = "deepwalk with walks that can be kept near (--q) or from turning back (--p)",
              .details =
                  "At v, having come from t, a walk goes on to x in proportion to the weight of the\n"
                  "link, times 1/p if x is t, 1 if x is linked with t, 1/q otherwise. The rest is\n"
                  "as in deepwalk with negative sampling. Memory stays linear in the edges. One\n"
                  "epoch is --walks new walks from every node. The defaults are for clusters and\n"
                  "classes; links were predicted better, on the mean of three graphs but not on\n"
                  "each, with --epochs 1 --window 2 --walks 5.\n"
                  "Grover and Leskovec, node2vec: Scalable Feature Learning for Networks, 2016.",
              .vectors = 1 },
    .options = { sizeof(ni_walk_options), node2vec_parts, node2vec_defaults },
    .check = check,
    .own = sizeof(ni_dot),
    .declare = declare,
    .train = train,
    .bytes = bytes,
    NI_DOT_ANSWERS,
};

/* ---- walklets ---- */

static const ni_option_part walklets_parts[] = {
    { &ni_learning_set, offsetof(ni_walk_options, learning), NULL },
    { &ni_walk_set, 0, "walks,walk-length,window,along,sample" },
    { 0 },
};

static const ni_default walklets_defaults[] = {
    { "epochs", { "5", "2", "5" } }, /* paper: see docs/evaluation.md */
    { "lr", { "0.025", "0.025", "0.025" } },
    { "decay", { "linear", "linear", "linear" } },
    { "negatives", { "5", "5", "5" } },
    { "valid", { "0", "0", "0" } },
    { "loss", { "ns", "ns", "ns" } },
    { "dim", { "128", "200", "80" } },
    { "window", { "4", "5", "5" } },
    { "walks", { "5", "5", "5" } },
    { 0 },
};

const ni_method ni_method_walklets = {
    .info = { .size = sizeof(neap_method_info),
              .name = "walklets",
              .summary = "a vector of several scales: nodes one step apart, two steps apart, and so on",
              .details = "Of each walk the pairs exactly k steps apart train part k of the vectors, for\n"
                         "k = 1 .. --window; a vector is the parts side by side, so that --dim must be a\n"
                         "multiple of --window. One epoch is --walks new walks from every node. The\n"
                         "defaults are for classes; links were predicted better, on the mean of three\n"
                         "graphs, with --epochs 2.\n"
                         "Perozzi, Kulkarni, Chen and Skiena, Don't Walk, Skip!, 2017.",
              .vectors = 1 },
    .options = { sizeof(ni_walk_options), walklets_parts, walklets_defaults },
    .check = check_scales,
    .own = sizeof(ni_dot),
    .declare = declare,
    .train = train,
    .bytes = bytes,
    NI_DOT_ANSWERS,
};
