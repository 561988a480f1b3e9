/* Splitter, in the form of its authors: first the vectors of the nodes (deepwalk); each persona begins
 * with its owner's, and is trained by skip-gram on walks over the persona graph, with a penalty for
 * leaving it.
 *
 * So a run has two parts with the same options. A checkpoint with personas is from the second, and holds
 * the vectors of the first. Cost of either: that of deepwalk on as many rows. The model owns E and the
 * vectors; the run's links between personas are freed at its end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "graph/persona.h"
#include "linalg/kernels.h"
#include "methods/persona_scores.h"
#include "support/status.h"

static const char owners_name[] = "persona.owners";

/* ---- options ---- */

static const ni_option own_options[] = {
    NI_OPTION(ni_splitter_options, CHOICE, personas, "personas", "", 0, "walks", "labels|components",
              "labels", "labels", "labels", 0, 0, 1,
              "how a node's neighbours are clustered into circles, one persona each: label propagation, or "
              "connected components (splitter)"),
    NI_OPTION(ni_splitter_options, REAL, lambda, "lambda", "", 0, "walks", "X", "0.1", "0.1", "0.1", 0, 100,
              1, "weight of the term that keeps a persona near the vector of its node (splitter)"),
    NI_OPTION(ni_splitter_options, CHOICE, persona_score, "persona-score", "", 0, "walks", "max|average",
              "max", "max", "max", 0, 0, 1,
              "a pair is as similar as its two most similar personas, or as all of them on average "
              "(splitter)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

/* Walks ignore directions, as circles do. */
static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(ni_splitter_options, walk.learning), NULL },
    { &ni_walk_set, offsetof(ni_splitter_options, walk), "walks,walk-length,window,loss,sample" },
    { &own_set, 0, NULL },
    { 0 },
};

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

/* ni_splitter_options begins with those of walks. */
static neap_status check(const ni_settings *s, neap_error *err)
{
    return ni_walking_check(s->own, false, err);
}

/* ---- tensors ---- */

static void declare(neap_model *m, ni_declaration *d)
{
    ni_splitter *s = m->own;
    const ni_splitter_options *o = m->settings->own;
    uint64_t count = ni_declared_length(d, owners_name, s->split ? s->personas.count : 0);
    bool split = count || d->complete;
    ni_declare_matrix(d, "E", split ? NI_FIXED : NI_LEARNED, m->rows, m->dim, &s->E);
    if (split) ni_declare_list(d, owners_name, NI_FIXED, NI_U32, count, &s->owners);
    if (split) ni_declare_matrix(d, "persona.vectors", NI_LEARNED, count, m->dim, &s->vectors);
    ni_walking_declare(d, &o->walk, false, split ? count : m->rows);
}

static neap_status make_scale(const neap_model *m, neap_error *err)
{
    ni_splitter *s = m->own;
    s->scale = ni_array(s->personas.count, sizeof *s->scale);
    if (!s->scale) return ni_fail_memory(err, "the vectors");
    ni_personas_measure(m);
    return NEAP_OK;
}

/* A persona is a circle of neighbours: a node has no more of them than links, or one. */
static neap_status check_personas(const neap_model *m, neap_error *err)
{
    const ni_personas *p = &((const ni_splitter *)m->own)->personas;
    for (uint32_t u = 0; u < m->rows; u++)
        if (ni_personas_of(p, u) > 1 && ni_personas_of(p, u) > ni_degree(&m->links, u))
            return ni_fail(err, NEAP_E_FORMAT, "a node has more personas than links");
    return NEAP_OK;
}

static neap_status derive(neap_model *m, neap_error *err)
{
    ni_splitter *s = m->own;
    if (!s->owners) return NEAP_OK; /* a checkpoint of the first part */
    uint64_t count = ni_declared_find(&m->tensors->list, owners_name)->shape[0];
    neap_status rc = ni_personas_take(s->owners, count, m->rows, &s->personas, err);
    s->split = true;
    if (rc == NEAP_OK) rc = check_personas(m, err);
    return rc == NEAP_OK ? make_scale(m, err) : rc;
}

static void release(neap_model *m)
{
    ni_splitter *s = m->own;
    ni_personas_free(&s->personas);
    ni_free(s->scale);
}

/* ---- the penalty that keeps personas near their node ----
 *
 * For each persona p, with x_p its vector and y the vector of its owner from the first part, which is fixed
 * (Epasto and Perozzi, Is a Single Embedding Enough?, 2019):
 *     maximise  lambda log s(x_p . y),      s(z) = 1 / (1 + e^-z)
 * One pull is one gradient step:
 *     x_p += rate lambda (1 - s(x_p . y)) y
 * Pull j is one of persona j mod personas: all are pulled equally often, and each pull changes one row,
 * which one task owns. The authors draw one for every fifth word. */

enum { POSITIONS_PER_PULL = 5, PERSONAS_PER_TASK = 256 };

typedef struct pulls {
    const neap_model *model;
    uint64_t from, count;
    double step; /* rate times lambda */
} pulls;

static uint64_t personas_in(const pulls *p)
{
    const ni_splitter *s = p->model->own;
    return p->count < s->personas.count ? p->count : s->personas.count;
}

static void pull(const pulls *p, uint32_t persona, uint64_t times)
{
    const ni_kernels *k = ni_kernels_get();
    const ni_splitter *s = p->model->own;
    uint32_t d = p->model->dim;
    float *x = s->vectors + (uint64_t)persona * d;
    const float *y = s->E + (uint64_t)s->personas.owner[persona] * d;
    for (uint64_t i = 0; i < times; i++) {
        double z = (double)k->dot(x, y, d);
        k->axpy((float)(p->step / (1 + exp(z))), y, x, d); /* 1 - s(z) = 1 / (1 + e^z) */
    }
}

/* Pulls from .. to - 1 are whole rounds over the personas and a part of one. */
static void pull_task(void *arg, uint32_t task, uint32_t thread)
{
    const pulls *p = arg;
    uint64_t personas = ((const ni_splitter *)p->model->own)->personas.count;
    uint64_t first = (uint64_t)task * PERSONAS_PER_TASK;
    uint64_t end = ni_task_end(first, PERSONAS_PER_TASK, personas_in(p));
    (void)thread;
    for (uint64_t i = first; i < end; i++)
        pull(p, (uint32_t)((p->from + i) % personas), p->count / personas + (i < p->count % personas));
}

void ni_personas_pull(const neap_model *m, uint64_t from, uint64_t to, double step, ni_threads *threads)
{
    pulls p = { m, from, to - from, step };
    ni_threads_run(threads, ni_tasks(personas_in(&p), PERSONAS_PER_TASK), pull_task, &p);
}

/* The pulls of `positions` positions from `first` on, counted since the start of training. */
static void pull_all(const ni_learner *l, const ni_splitter_options *o, uint64_t first, uint64_t positions,
                     double rate)
{
    uint64_t from = first / POSITIONS_PER_PULL, to = (first + positions) / POSITIONS_PER_PULL;
    ni_personas_pull(l->run.model, from, to, rate * o->lambda, l->run.threads);
}

/* ---- the second part ---- */

static neap_status validate(ni_run *run, neap_error *err)
{
    neap_query q = { .model = run->model, .threads = run->threads };
    size_t n = run->split->count;
    ni_personas_measure(run->model);
    neap_status rc = ni_personas_score(&q, run->split->positive, n, run->positive, err);
    if (rc == NEAP_OK) rc = ni_personas_score(&q, run->split->negative, n, run->negative, err);
    return ni_run_judge(run, rc, err);
}

/* Each persona begins with the vector of its owner; after a resume, the checkpoint has them all. */
static neap_status make_personas(ni_learner *l, neap_error *err)
{
    neap_model *m = l->run.model;
    ni_splitter *s = m->own;
    uint64_t d = m->dim;
    s->split = true;
    neap_status rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    memcpy(s->owners, s->personas.owner, s->personas.count * sizeof *s->owners);
    for (uint32_t i = 0; i < s->personas.count; i++)
        memcpy(s->vectors + i * d, s->E + s->personas.owner[i] * d, d * sizeof *s->vectors);
    l->rows = s->personas.count;
    l->vectors = s->vectors;
    return make_scale(m, err);
}

/* The owners in a checkpoint must be those of the graph. */
static neap_status check_owners(const ni_splitter *s, neap_error *err)
{
    if (!memcmp(s->owners, s->personas.owner, s->personas.count * sizeof *s->owners)) return NEAP_OK;
    return ni_fail(err, NEAP_E_MISMATCH,
                   "the checkpoint has other personas than the graph; train without --resume");
}

static neap_status step_to_end(ni_learner *l, const ni_splitter_options *o, neap_error *err)
{
    neap_status rc = NEAP_OK;
    while (rc == NEAP_OK && ni_run_next(&l->run)) {
        const ni_position *at = &l->run.at;
        uint64_t items, first = at->epoch * l->run.positions + at->batch * l->run.per_step;
        double loss, rate;
        if (l->run.judging) {
            rc = validate(&l->run, err);
        } else if (ni_learner_step(l, &items, &loss, &rate)) {
            pull_all(l, o, first, items, rate);
            ni_run_took(&l->run, items, loss);
        }
    }
    rc = ni_run_conclude(&l->run, rc);
    if (rc == NEAP_OK) ni_personas_measure(l->run.model);
    return rc;
}

/* A persona is on the side of its owner; NULL in *side without sides. */
static neap_status make_sides(const neap_model *m, uint8_t **side, neap_error *err)
{
    const ni_personas *p = &((const ni_splitter *)m->own)->personas;
    *side = NULL;
    if (!ni_targets_limit(&m->targets)) return NEAP_OK;
    *side = ni_array(p->count, 1);
    for (uint32_t i = 0; i < p->count && *side; i++) (*side)[i] = m->targets.side[p->owner[i]];
    return *side ? NEAP_OK : ni_fail_memory(err, "the personas");
}

static neap_status learn_personas(ni_learner *l, const ni_splitter_options *o, const ni_links *links,
                                  neap_error *err)
{
    ni_walking w;
    uint8_t *side;
    neap_status rc = make_personas(l, err);
    l->links = links;
    if (rc == NEAP_OK) rc = make_sides(l->run.model, &side, err);
    if (rc != NEAP_OK) return rc;
    l->side = side;
    ni_run_prepares(&l->run);
    rc = ni_walking_create(&w, l, &o->walk, false, err);
    if (rc == NEAP_OK) rc = ni_learner_begin(l, &w.source, w.visits, NI_WALKING_POWER, err);
    if (rc == NEAP_OK) rc = check_owners(l->run.model->own, err);
    if (rc == NEAP_OK) rc = step_to_end(l, o, err);
    ni_walking_free(&w);
    ni_free(side);
    l->side = NULL;
    return rc;
}

/* ---- the first part ---- */

static neap_status learn_nodes(ni_learner *l, const ni_splitter_options *o, neap_error *err)
{
    neap_model *m = l->run.model;
    neap_status rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    l->vectors = ((const ni_splitter *)m->own)->E;
    ni_model_draw_rows(m, 0.5 / m->dim, l->vectors);
    rc = ni_walking_train(l, &o->walk, false, err);
    ni_learner_rest(l);
    m->epochs = 0; /* of the first part; what counts is the second */
    m->loss = m->valid_auc = NAN;
    return rc;
}

/* ---- progress: both parts as one run of twice the epochs ---- */

typedef struct report {
    const neap_hooks *theirs;
    bool second;
    uint64_t positions;     /* of an epoch of the second part      */
    double seconds, before; /* of the part so far; of the first one */
} report;

static int on_progress(const neap_progress *now, void *user)
{
    report *r = user;
    neap_progress all = *now;
    if (!now->epochs) return r->theirs->progress(now, r->theirs->user); /* before the steps */
    r->seconds = now->seconds;
    all.epochs = 2 * now->epochs;
    all.epoch += r->second ? now->epochs : 0;
    all.seconds += r->before;
    if (!r->second) all.left += (double)now->epochs * (double)r->positions / now->rate;
    return r->theirs->progress(&all, r->theirs->user);
}

static void on_note(const char *text, void *user)
{
    const report *r = user;
    ni_note(r->theirs, text);
}

static neap_hooks hooks_of(report *r)
{
    neap_hooks with = *r->theirs;
    with.progress = r->theirs->progress ? on_progress : NULL;
    with.note = on_note;
    with.user = r;
    return with;
}

/* ---- a run ---- */

static neap_status learn(ni_learner *l, const ni_splitter_options *o, const ni_links *links,
                         neap_error *err)
{
    static const neap_hooks none = NEAP_SIZED(neap_hooks);
    const neap_hooks *hooks = l->run.hooks ? l->run.hooks : &none;
    report r = { .theirs = hooks,
                 .positions = (uint64_t)links->nodes * o->walk.walks * o->walk.walk_length };
    neap_hooks with = hooks_of(&r);
    neap_status rc = NEAP_OK;
    l->run.hooks = &with;
    if (hooks->resume && hooks->checkpoint)
        rc = ni_checkpoint_holds(hooks->checkpoint, owners_name, &r.second, err);
    if (rc == NEAP_OK && !r.second) {
        rc = learn_nodes(l, o, err);
        with.resume = false; /* the checkpoint was used by the first part */
        r.before = r.seconds;
        r.second = true;
    }
    if (rc == NEAP_OK) rc = learn_personas(l, o, links, err);
    l->run.hooks = hooks;
    return rc;
}

static neap_status split_nodes(ni_learner *l, const ni_splitter_options *o, ni_links *links,
                               neap_error *err)
{
    ni_splitter *s = l->run.model->own;
    return ni_personas_create(l->links, o->personas, l->run.model->settings->common.seed, l->run.threads,
                              &s->personas, links, err);
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    const ni_splitter_options *o = job->settings->own;
    ni_learner l;
    ni_links links = { 0 };
    char text[80];
    neap_status rc = ni_walking_prepare(&l, job, &o->walk, false, err);
    if (rc == NEAP_OK) rc = split_nodes(&l, o, &links, err);
    if (rc == NEAP_OK) {
        const ni_splitter *s = l.run.model->own;
        snprintf(text, sizeof text, "%u nodes have %u personas", l.run.model->rows, s->personas.count);
        ni_note(job->hooks, text);
        rc = learn(&l, o, &links, err);
    }
    ni_links_free(&links);
    return ni_learner_end(&l, rc, out);
}

/* The second part is the larger one. */
static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    const ni_splitter_options *o = job->settings->own;
    ni_learner l;
    ni_links links = { 0 };
    neap_status rc = ni_walking_prepare(&l, job, &o->walk, false, err);
    if (rc == NEAP_OK) rc = split_nodes(&l, o, &links, err);
    if (rc == NEAP_OK) {
        ni_splitter *s = l.run.model->own;
        s->split = true;
        l.rows = s->personas.count;
        l.links = &links;
        ni_walking_bytes(&l, &o->walk, false, job->data->graph, r);
        r->bytes_graph += ni_links_bytes(&links) + 4 * ((uint64_t)l.run.model->rows + 2 * (uint64_t)l.rows);
    }
    ni_links_free(&links);
    return ni_learner_drop(&l, rc);
}

const ni_method ni_method_splitter = {
    .info = { .size = sizeof(neap_method_info),
              .name = "splitter",
              .summary = "a vector for each circle that a node stands in",
              .details = "The neighbours of a node are clustered into circles by the links among them\n"
                         "(--personas), and the node is split into a persona for each. Skip-gram on walks\n"
                         "first gives each node a vector; then each persona, starting there and held near\n"
                         "it by --lambda, learns one of its own from walks over the links between\n"
                         "personas. --epochs counts twice: --walks new walks per epoch from every node,\n"
                         "then from every persona. A pair is as similar as its most similar personas\n"
                         "(--persona-score). Directions do not count.\n"
                         "Epasto and Perozzi, Is a Single Embedding Enough? Learning Node Representations\n"
                         "that Capture Multiple Social Contexts, 2019.",
              .context = 1,
              .vectors = 1,
              .explains = 1 },
    .options = { sizeof(ni_splitter_options), parts, defaults },
    .check = check,
    .own = sizeof(ni_splitter),
    .declare = declare,
    .derive = derive,
    .release = release,
    .train = train,
    .bytes = bytes,
    .score = ni_personas_score,
    .vectors = ni_personas_vectors,
    .context_vectors = ni_personas_context_vectors,
    .pair_vectors = ni_personas_pair_vectors,
    .explain = ni_personas_explain,
};
