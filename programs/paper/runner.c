/* One cell is one training on one split (or, for a time, one epoch over all edges) and what is measured of
 * it. The runner owns the graphs, their labels, their texts and the last split; models live as long as a
 * cell. Everything runs on the calling thread but what the library does itself. */
#include "paper/runner.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper/words.h"
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

/* FNV-1a over the bytes of a file. */
static neap_status hash_file(const char *path, uint64_t *hash, neap_error *err)
{
    unsigned char bytes[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file) return ni_fail_sys(err, NEAP_E_READ, errno, "cannot read %s", path);
    *hash = 14695981039346656037u;
    while ((got = fread(bytes, 1, sizeof bytes, file)))
        for (size_t i = 0; i < got; i++) *hash = (*hash ^ bytes[i]) * 1099511628211u;
    neap_status rc = ferror(file) ? ni_fail_sys(err, NEAP_E_READ, errno, "cannot read %s", path) : NEAP_OK;
    fclose(file);
    return rc;
}

/* In the folder of the graph line i is the text of the node named i. */
static neap_status read_text(const ni_runner *r, ni_dataset *x, neap_error *err)
{
    char own[PATH_MAX];
    const char *path = r->files.text ? r->files.text : own;
    bool by_line = r->files.text ? r->files.by_line : true;
    neap_status rc = path_to(r, x->source, "text.txt", own, err);
    if (rc == NEAP_OK) rc = hash_file(path, &x->text_hash, err);
    return rc == NEAP_OK ? neap_text_load(path, x->graph, by_line, NULL, &x->text, err) : rc;
}

static neap_status read_features(const ni_runner *r, ni_dataset *x, neap_error *err)
{
    neap_status rc = hash_file(r->files.features, &x->features_hash, err);
    if (rc == NEAP_OK) rc = neap_features_load(r->files.features, x->graph, NULL, &x->features, err);
    return rc;
}

/* Once: text is there when all of it is. */
static neap_status read_attributes(const ni_runner *r, ni_dataset *x, neap_error *err)
{
    if (x->text || x->source->no_text) return NEAP_OK;
    neap_status rc = r->files.features && !x->features ? read_features(r, x, err) : NEAP_OK;
    return rc == NEAP_OK ? read_text(r, x, err) : rc;
}

static void release(ni_dataset *x)
{
    neap_graph_free(x->graph);
    neap_labels_free(x->labels);
    neap_text_free(x->text);
    neap_text_free(x->made);
    neap_features_free(x->features);
}

static neap_status add_dataset(ni_runner *r, const ni_paper_graph *source, ni_dataset **out,
                               neap_error *err)
{
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

neap_status ni_runner_find(ni_runner *r, const ni_paper_graph *source, bool text, const ni_dataset **out,
                           neap_error *err)
{
    ni_dataset *x = NULL;
    for (size_t i = 0; i < r->datasets; i++)
        if (r->dataset[i].source == source) x = &r->dataset[i];
    *out = NULL;
    neap_status rc = x ? NEAP_OK : add_dataset(r, source, &x, err);
    if (rc == NEAP_OK && text) rc = read_attributes(r, x, err);
    if (rc == NEAP_OK) *out = x;
    return rc;
}

void ni_runner_hash(const ni_runner *r, ni_cell *c)
{
    const ni_paper_graph *source = c->condition.graph;
    const neap_method_info *method = neap_method_find(c->condition.method);
    c->graph_hash = c->text_hash = c->features_hash = 0;
    for (size_t i = 0; i < r->datasets && !source->generator.kind; i++) {
        const ni_dataset *x = &r->dataset[i];
        if (x->source != source) continue;
        c->graph_hash = x->hash;
        if (c->reads_text) c->text_hash = x->text_hash;
        if (c->reads_text && method && method->features) c->features_hash = x->features_hash;
    }
}

void ni_runner_free(ni_runner *r)
{
    neap_trial_free(r->trial);
    for (size_t i = 0; i < r->datasets; i++) release(&r->dataset[i]);
    *r = (ni_runner){ 0 };
}

/* ---- the limit ---- */

/* What is left of the limit when training is over is for measuring; a first training, on nine tenths of the
 * pairs to find the best epoch, must leave time for the second. Ranks among all nodes, which come last, are
 * left out if there is no time for them. */
static const double first_share = 0.35, train_share = 0.7, time_share = 0.85, score_share = 0.95;

/* Hands progress on, and ends a training whose time is over. */
typedef struct deadline {
    const neap_hooks *hooks;
    double start, limit; /* seconds; limit 0: none                                        */
    double share;        /* of the limit, for a training that is not the second of two    */
    bool cut, late;
    double epoch;         /* seconds of a whole epoch; NaN: unknown yet                  */
    uint64_t done, total; /* of the epoch under way                                      */
    double seconds;       /* of the steps so far                                         */
    neap_hooks with;
} deadline;

static void note_epoch(deadline *d, const neap_progress *now)
{
    if (now->epoch_end) d->epoch = now->seconds;
    if (now->epoch == 1 && now->done) d->done = now->done, d->total = now->total, d->seconds = now->seconds;
}

static int on_progress(const neap_progress *now, void *user)
{
    deadline *d = user;
    double spent = ni_seconds() - d->start;
    bool all = !strcmp(now->stage, "train-all"), steps = all || !strcmp(now->stage, "train");
    if (steps) note_epoch(d, now);
    if (d->hooks && d->hooks->progress && d->hooks->progress(now, d->hooks->user)) return 1;
    if (!(d->limit > 0)) return 0;
    if (steps && spent > d->limit * (all ? train_share : d->share)) {
        d->cut = true;
        return NEAP_ENOUGH;
    }
    d->late = spent > d->limit * (strcmp(now->stage, "score") ? 1 : score_share);
    return d->late ? NEAP_ENOUGH : 0;
}

static void deadline_begin(deadline *d, const ni_cell *c, const neap_hooks *hooks, double share)
{
    bool limited = c->limit > 0 && isfinite(c->limit);
    *d = (deadline){
        .hooks = hooks, .start = ni_seconds(), .limit = limited ? c->limit : 0, .share = share, .epoch = NAN
    };
    d->with = (neap_hooks){ .size = sizeof d->with, .progress = on_progress, .user = d };
}

/* What the limit stopped is no failure: the cell says so. A method that cannot end early is late when it
 * was to be cut. */
static neap_status deadline_end(const deadline *d, neap_status rc, ni_outcome *o)
{
    bool late = rc == NEAP_E_STOPPED && (d->cut || d->late);
    o->late = late;
    o->cut = !late && d->cut;
    o->limit = d->cut || late || o->unranked ? d->limit : NAN;
    for (size_t v = 0; v < NI_VALUES && late; v++) o->value[v] = NAN;
    return late ? NEAP_OK : rc;
}

/* ---- measuring ---- */

static neap_status find_trial(ni_runner *r, const ni_dataset *x, const ni_cell *c,
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
    bool validates = spec.valid > 0; /* else any share will do */
    if (r->trial && r->trial_of == x->graph && r->trial_text == x->text &&
        (!validates || r->trial_valid == spec.valid) &&
        neap_trial_facts_of(r->trial, &have, NULL) == NEAP_OK && !strcmp(have.protocol, spec.protocol) &&
        have.ratio == spec.ratio && have.seed == spec.seed)
        return NEAP_OK;
    neap_trial_free(r->trial);
    r->trial_of = x->graph;
    r->trial_text = x->text;
    r->trial_valid = spec.valid;
    neap_data data = { .size = sizeof data, .graph = x->graph, .text = x->text, .features = x->features };
    return neap_trial_create(&data, &spec, &r->trial, err);
}

static neap_status measure_link(const ni_runner *r, const neap_model *model, const neap_hooks *hooks,
                                ni_outcome *o, neap_error *err)
{
    neap_link_result got = NEAP_SIZED(neap_link_result);
    neap_status rc = neap_trial_measure(r->trial, model, hooks, &got, err);
    if (rc != NEAP_OK) return rc;
    const double value[NI_VALUES] = {
        got.auc,      got.ap,      got.mrr,         got.hits[0],     got.hits[1],     got.hits[2],
        got.auc_seen, got.mrr_all, got.hits_all[0], got.hits_all[1], got.hits_all[2], (double)got.ranked
    };
    memcpy(o->value, value, sizeof value);
    o->unranked = got.pairs && !got.ranked && isfinite(got.mrr); /* clean, but no ranks among all nodes */
    return NEAP_OK;
}

static neap_status measure_clusters(const ni_runner *r, const ni_cell *c, const neap_options *options,
                                    const ni_dataset *x, const neap_model *model, const neap_hooks *hooks,
                                    ni_outcome *o, neap_error *err)
{
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    neap_model_facts_of(model, &facts, NULL);
    uint32_t dim = facts.dim;
    neap_cluster_spec spec = { .size = sizeof spec,
                               .trial = r->trial,
                               .seed = c->seed,
                               .threads = (uint32_t)ni_option_number(options, "threads"),
                               .hooks = hooks };
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

static neap_status train_and_measure(ni_runner *r, const ni_dataset *x, const ni_cell *c,
                                     const neap_options *options, const neap_hooks *hooks, ni_outcome *o,
                                     neap_error *err)
{
    neap_model *model = NULL;
    double start = ni_seconds();
    neap_status rc = neap_trial_train(r->trial, options, hooks, &model, err);
    o->seconds = ni_seconds() - start;
    if (rc == NEAP_OK)
        rc = c->aim == NI_AIM_LINK ? measure_link(r, model, hooks, o, err)
                                   : measure_clusters(r, c, options, x, model, hooks, o, err);
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    if (rc == NEAP_OK) rc = neap_model_facts_of(model, &facts, err);
    o->epochs = facts.epochs;
    neap_model_free(model);
    return rc;
}

static neap_status on_split(ni_runner *r, const ni_dataset *x, const ni_cell *c,
                            const neap_options *options, const neap_hooks *hooks, ni_outcome *o,
                            neap_error *err)
{
    deadline d;
    bool twice = ni_option_number(options, "valid") > 0;
    deadline_begin(&d, c, hooks, twice ? first_share : train_share);
    neap_status rc = find_trial(r, x, c, options, err);
    if (rc == NEAP_OK) rc = train_and_measure(r, x, c, options, &d.with, o, err);
    return deadline_end(&d, rc, o);
}

/* The time of the epoch itself, without reading, neighbourhoods and tables; of one that was cut short, what
 * it would have taken at the same rate. */
static neap_status on_clock(ni_dataset *x, const ni_cell *c, const neap_options *options,
                            const neap_hooks *hooks, ni_outcome *o, neap_error *err)
{
    deadline d;
    neap_status rc = NEAP_OK;
    if (c->reads_text && !x->text && !x->made) rc = ni_words_make(x->graph, &x->made, err);
    neap_data data = {
        .size = sizeof data, .graph = x->graph, .text = x->text ? x->text : x->made, .features = x->features
    };
    neap_model *model = NULL;
    deadline_begin(&d, c, hooks, time_share);
    if (rc == NEAP_OK) rc = neap_train(&data, options, &d.with, &model, err);
    o->seconds = ni_seconds() - d.start;
    o->epochs = isfinite(d.epoch);
    o->value[0] = isfinite(d.epoch) || !d.done ? d.epoch : d.seconds * (double)d.total / (double)d.done;
    o->value[1] = (double)neap_graph_edges(x->graph);
    neap_model_free(model);
    return deadline_end(&d, rc, o);
}

neap_status ni_runner_measure(ni_runner *r, const ni_cell *c, const neap_options *options,
                              const neap_hooks *hooks, ni_outcome *o, neap_error *err)
{
    const ni_dataset *x;
    double start = ni_seconds();
    *o = (ni_outcome){ .seconds = NAN, .limit = NAN };
    for (size_t v = 0; v < NI_VALUES; v++) o->value[v] = NAN;
    neap_status rc = ni_runner_find(r, c->condition.graph, c->reads_text, &x, err);
    if (rc == NEAP_OK)
        rc = c->aim == NI_AIM_TIME ? on_clock(&r->dataset[x - r->dataset], c, options, hooks, o, err)
                                   : on_split(r, x, c, options, hooks, o, err);
    o->total = ni_seconds() - start;
    return rc;
}
