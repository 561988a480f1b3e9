/* Skip-gram on windows of walks: one round of walks counts visits, which are the frequencies of
 * negatives and tree; then each step makes its own walks. O(nodes x walks x length x window) pairs per
 * epoch; nothing of an earlier step is kept. */
#include "walks/walking.h"

#include "base/sys.h"
#include "support/status.h"

static const ni_option walk_options[] = {
    NI_OPTION(ni_walk_options, U32, walks, "walks", "num-walks,number-walks,walk-number", 0, "walks", "N",
              "10", "10", "10", 1, 100000, 1, "walks from every node in an epoch"),
    NI_OPTION(ni_walk_options, U32, walk_length, "walk-length", "length", 0, "walks", "N", "80", "80", "80",
              2, 10000, 1, "nodes of a walk, its start counted"),
    NI_OPTION(ni_walk_options, U32, window, "window", "window-size", 0, "walks", "N", "10", "10", "10", 1,
              1000, 1, "how far apart in a walk two nodes may be to count as neighbours"),
    NI_OPTION(ni_walk_options, REAL, p, "p", "return", 0, "walks", "X", "1", "1", "1", 1e-6, 1e6, 1,
              "large: a walk seldom goes straight back (node2vec)"),
    NI_OPTION(ni_walk_options, REAL, q, "q", "in-out", 0, "walks", "X", "1", "1", "1", 1e-6, 1e6, 1,
              "large: a walk stays near where it came from; small: it goes far (node2vec)"),
    NI_OPTION(ni_walk_options, SWITCH, along, "along", "", 0, "walks", "", "no", "no", "no", 0, 1, 1,
              "walk along the direction of edges only, rather than in both"),
    NI_OPTION(ni_walk_options, CHOICE, loss, "loss", "", 0, "walks", "ns|hs|both", "ns", "ns", "both", 0, 0,
              1,
              "tell neighbours from drawn nodes (negative sampling), find them in a tree (hierarchical "
              "softmax, on one thread), or both"),
    NI_OPTION(ni_walk_options, REAL, sample, "sample", "subsample", 0, "walks", "X", "0", "0", "1e-3", 0, 1,
              1,
              "leave out visits to nodes that make up more than this share of all, the more the larger it "
              "is; 0: none"),
};

const ni_option_set ni_walk_set = NI_OPTION_SET(walk_options);

/* ---- windows ---- */

static ni_windows windows_of(const ni_walk_options *o, bool scales, const ni_walker *walker, uint64_t seed)
{
    return (ni_windows){ .walker = walker,
                         .rounds = o->walks,
                         .length = o->walk_length,
                         .window = o->window,
                         .scales = scales,
                         .seed = seed };
}

neap_status ni_walking_create(ni_walking *w, const ni_learner *l, const ni_walk_options *o, bool scales,
                              neap_error *err)
{
    *w = (ni_walking){ 0 };
    neap_status rc = ni_walker_create(l->run.graph, l->links, o->along, o->p, o->q, &w->walker, err);
    if (rc != NEAP_OK) return rc;
    w->windows = windows_of(o, scales, &w->walker, l->run.model->settings->common.seed);
    rc = ni_windows_visits(&w->windows, l->run.threads, &w->visits, err);
    if (rc == NEAP_OK) rc = ni_windows_thin(w->visits, w->walker.nodes, o->sample, &w->kept, err);
    w->windows.kept = w->kept;
    w->source = ni_windows_source(&w->windows);
    return rc;
}

void ni_walking_free(ni_walking *w)
{
    ni_free(w->visits);
    ni_free(w->kept);
    ni_walker_free(&w->walker);
}

/* ---- a run ---- */

static void choose_losses(ni_learner *l, const ni_walk_options *o, bool scales)
{
    l->negatives = scales || o->loss != NI_LOSS_TREE;
    l->tree = !scales && o->loss != NI_LOSS_NEGATIVES;
    l->layers = scales ? o->window : 1;
}

neap_status ni_walking_check(const ni_walk_options *o, bool scales, neap_error *err)
{
    if (scales && o->learning.dim % o->window)
        return ni_fail(err, NEAP_E_ARG,
                       "--dim %u cannot be divided into %u scales; use a multiple of --window",
                       o->learning.dim, o->window);
    return scales || o->loss != NI_LOSS_TREE ? ni_learner_check(&o->learning, err) : NEAP_OK;
}

neap_status ni_walking_prepare(ni_learner *l, const ni_job *job, const ni_walk_options *o, bool scales,
                               neap_error *err)
{
    neap_status rc = ni_learner_prepare(l, job, &o->learning, err);
    choose_losses(l, o, scales);
    return rc;
}

neap_status ni_walking_train(ni_learner *l, const ni_walk_options *o, bool scales, neap_error *err)
{
    ni_walking w;
    neap_status rc = ni_walking_create(&w, l, o, scales, err);
    if (rc == NEAP_OK) rc = ni_learner_train(l, &w.source, w.visits, NI_WALKING_POWER, err);
    ni_walking_free(&w);
    return rc;
}

void ni_walking_declare(ni_declaration *d, const ni_walk_options *o, bool scales, uint64_t rows)
{
    ni_learner l = { 0 };
    choose_losses(&l, o, scales);
    ni_learner_declare(d, rows, o->learning.dim, l.negatives, l.tree);
    d->positions = rows * o->walks * o->walk_length;
}

void ni_walking_bytes(const ni_learner *l, const ni_walk_options *o, bool scales, const neap_graph *given,
                      neap_estimate_result *r)
{
    ni_walker walker = { .nodes = l->rows };
    ni_windows windows = windows_of(o, scales, &walker, 0);
    ni_source source = ni_windows_source(&windows);
    ni_learner_bytes(l, &source, given, r);
}
