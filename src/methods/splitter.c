/* Splitter, in the form of its authors: vectors of the nodes come first (deepwalk), each persona begins
 * with its owner's, and a skip-gram model of walks over the persona graph moves them, held back by
 * owners.h.
 *
 * So a run has two parts, which use the same options. A checkpoint with personas is from the second, and
 * holds the vectors that the first one made. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "methods/faces.h"
#include "methods/walking.h"
#include "walks/owners.h"

static const char table[] = "persona.vectors";

/* The authors draw a constraint for every fifth word. */
enum { PLACES_A_PULL = 5 };

/* Walks go both ways: circles, too, have no direction. */
static neap_options options_of(const neap_options *options)
{
    neap_options plain = *options;
    plain.p = plain.q = 1;
    plain.along = false;
    return plain;
}

/* ---- the second part ---- */

static ni_stand_in personas_instead(neap_model *m)
{
    return (ni_stand_in){ .name = table, .rows = m->personas.count, .vectors = m->persona, .self = m };
}

static void pull(void *self, uint64_t first, uint64_t places, double rate)
{
    const neap_model *m = self;
    ni_owners owners = { .personas = m->personas.count,
                         .owner = m->personas.owner,
                         .vector = m->persona,
                         .before = m->E,
                         .dim = m->dim,
                         .lambda = m->options.lambda };
    ni_owners_pull(&owners, first / PLACES_A_PULL, (first + places) / PLACES_A_PULL, rate, m->threads);
}

static neap_status score_so_far(void *self, const neap_pair *pairs, size_t count, float *scores,
                                neap_error *err)
{
    ni_model_measure_personas(self);
    return ni_faces_score(self, pairs, count, scores, err);
}

static neap_status make_vectors(neap_model *m, neap_error *err)
{
    const ni_personas *p = &m->personas;
    uint64_t d = m->dim = m->options.dim;
    if (!m->E) m->E = ni_zeros(m->rows * d, sizeof *m->E); /* the checkpoint has them */
    m->persona = ni_array(p->count * d, sizeof *m->persona);
    m->persona_scale = ni_array(p->count, sizeof *m->persona_scale);
    if (!m->E || !m->persona || !m->persona_scale)
        return ni_fail_memory(err, "the vectors; a smaller --dim needs less");
    for (uint32_t i = 0; i < p->count; i++)
        memcpy(m->persona + i * d, m->E + p->owner[i] * d, d * sizeof *m->persona);
    return NEAP_OK;
}

static neap_status learn_personas(ni_learner *l, const ni_links *links, const neap_hooks *hooks,
                                  neap_error *err)
{
    neap_model *m = l->model;
    neap_status rc = make_vectors(m, err);
    ni_stand_in instead = personas_instead(m);
    instead.after = pull;
    instead.score = score_so_far;
    l->instead = &instead;
    l->links = links;
    if (rc == NEAP_OK) rc = ni_walking_learn(l, false, hooks, err);
    if (rc == NEAP_OK) ni_model_measure_personas(m);
    l->instead = NULL;
    l->links = NULL;
    return rc;
}

/* ---- what is heard of a run: its parts are one, of twice the epochs ---- */

typedef struct parts {
    const neap_hooks *theirs;
    bool second;
    uint64_t places;        /* of an epoch of the second part      */
    double seconds, before; /* of the part so far; of the first one */
} parts;

static int on_progress(const neap_progress *now, void *user)
{
    parts *p = user;
    neap_progress all = *now;
    p->seconds = now->seconds;
    all.epochs = 2 * now->epochs;
    all.epoch += p->second ? now->epochs : 0;
    all.seconds += p->before;
    if (!p->second) all.left += (double)now->epochs * (double)p->places / now->rate;
    return p->theirs->progress(&all, p->theirs->user);
}

static void on_note(const char *text, void *user)
{
    const parts *p = user;
    p->theirs->note(text, p->theirs->user);
}

static neap_hooks hooks_of(parts *p)
{
    neap_hooks with = *p->theirs;
    with.progress = p->theirs->progress ? on_progress : NULL;
    with.note = p->theirs->note ? on_note : NULL;
    with.user = p;
    return with;
}

/* ---- a run ---- */

static neap_status learn_nodes(ni_learner *l, const neap_hooks *hooks, neap_error *err)
{
    neap_status rc = ni_walking_learn(l, false, hooks, err);
    ni_learner_rest(l);
    l->model->epochs = 0; /* of the first part; what counts is the second */
    l->model->loss = l->model->valid_auc = NAN;
    return rc;
}

static neap_status learn(ni_learner *l, const ni_links *links, const neap_hooks *hooks, neap_error *err)
{
    const neap_options *o = &l->model->options;
    parts p = { .theirs = hooks, .places = (uint64_t)links->nodes * o->walks * o->walk_length };
    neap_hooks with = hooks_of(&p);
    neap_status rc = NEAP_OK;
    if (hooks->resume && hooks->checkpoint)
        rc = ni_checkpoint_holds(hooks->checkpoint, table, &p.second, err);
    if (rc == NEAP_OK && !p.second) {
        rc = learn_nodes(l, &with, err);
        with.resume = false; /* what there is to go on from has been used */
        p.before = p.seconds;
        p.second = true;
    }
    return rc == NEAP_OK ? learn_personas(l, links, &with, err) : rc;
}

static neap_status split_nodes(ni_learner *l, ni_links *links, neap_error *err)
{
    neap_model *m = l->model;
    return ni_personas_create(l->links, m->options.personas, m->options.seed, m->threads, &m->personas,
                              links, err);
}

static neap_status train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         neap_model **out, neap_error *err)
{
    neap_options plain = options_of(options);
    const neap_hooks none = { 0 };
    ni_learner l = { 0 };
    ni_links links = { 0 };
    char text[80];
    neap_status rc = ni_walking_start(graph, &plain, false, hooks, &l, err);
    if (rc == NEAP_OK) rc = split_nodes(&l, &links, err);
    if (rc == NEAP_OK) {
        snprintf(text, sizeof text, "%u nodes have %u personas", l.model->rows, l.model->personas.count);
        ni_note(hooks, text);
        rc = learn(&l, &links, hooks ? hooks : &none, err);
    }
    ni_links_free(&links);
    return ni_learner_end(&l, rc, out);
}

/* The second part is the larger one. */
static neap_status bytes(const neap_graph *graph, const neap_options *options, neap_estimate_result *r,
                         neap_error *err)
{
    neap_options plain = options_of(options);
    ni_learner l = { 0 };
    ni_links links = { 0 };
    neap_status rc = ni_walking_start(graph, &plain, false, NULL, &l, err);
    if (rc == NEAP_OK) rc = split_nodes(&l, &links, err);
    if (rc == NEAP_OK) {
        ni_stand_in instead = personas_instead(l.model);
        l.instead = &instead;
        l.links = &links;
        ni_walking_count(&l, false, graph, r);
        r->bytes_graph += ni_links_bytes(&links) + 4 * ((uint64_t)l.model->rows + 2 * instead.rows);
    }
    ni_links_free(&links);
    return ni_learner_drop(&l, rc);
}

static void state(const neap_model *m, ni_tables *tables)
{
    ni_stand_in instead = personas_instead((neap_model *)m);
    ni_walking_tables(m, m->persona ? &instead : NULL, tables);
}

/* The preset neap is a first setting, from a few trials on Cora and Email that are not kept here. */
static const ni_default defaults[] = {
    { "epochs", { "1", "1", "10" } },
    { "personas", { "components", "labels", "labels" } },
    { "lr", { "0.025", "0.025", "0.025" } },
    { "decay", { "linear", "linear", "linear" } },
    { "negatives", { "5", "5", "5" } },
    { "valid", { "0", "0", "0" } },
    { "loss", { "ns", "ns", "hs" } },
    { "sample", { "0", "0", "0" } },
    { "dim", { "128", "200", "128" } },
    { "walks", { "10", "10", "40" } },
    { "walk-length", { "40", "40", "11" } },
    { "window", { "5", "5", "5" } },
    { 0 },
};

const ni_method ni_method_splitter = {
    .info = { "splitter", "a vector for each circle that a node stands in",
              "The neighbours of a node fall into circles by the links among them (--personas), and the "
              "node is split\ninto a persona for each. Skip-gram on walks first gives each node a "
              "vector; then each persona, starting\nthere and held near it by --lambda, learns one of "
              "its own from walks over the links between personas.\n--epochs counts both times: --walks "
              "walks from every node, then from every persona, made anew each\nepoch. A pair is as "
              "similar as its most similar personas (--persona-score). Directions do not count.\nEpasto "
              "and Perozzi, Is a Single Embedding Enough? Learning Node Representations that Capture "
              "Multiple\nSocial Contexts, 2019.",
              1, 1,
              "dim,epochs,lr,decay,negatives,valid,patience,walks,walk-length,window,loss,sample,personas,"
              "lambda,persona-score" },
    .defaults = defaults,
    .tables = "E,persona.vectors",
    .train = train,
    .bytes = bytes,
    .state = state,
    .score = ni_faces_score,
    .vectors = ni_faces_vectors,
    .context_vectors = ni_faces_context_vectors,
    .explain = ni_faces_explain,
};
