/* The run of a skip-gram model: tables, grids and trees around ni_run's steps. It owns the outputs and the
 * inner nodes; the inputs are the model's tensors. */
#include "walks/learner.h"

#include "base/sys.h"
#include "model/method.h"
#include "support/status.h"
#include "walks/skipgram.h"

/* ---- before the run ---- */

neap_status ni_learner_prepare(ni_learner *l, const ni_job *job, const ni_learning *o, neap_error *err)
{
    *l = (ni_learner){ .layers = 1, .negatives = true };
    neap_status rc = ni_run_prepare(&l->run, job, o, err);
    if (rc == NEAP_OK) rc = ni_links_need_some(l->run.links, err);
    if (rc == NEAP_OK) rc = ni_run_hold_out(&l->run, job->data, err);
    if (rc != NEAP_OK) return rc;
    l->links = l->run.links;
    l->rows = l->run.model->rows;
    l->side = l->run.model->targets.side;
    return ni_links_need_some(l->links, err);
}

static bool has_outputs(const ni_learner *l)
{
    return l->negatives && l->tied < l->layers;
}

void ni_learner_declare(ni_declaration *d, uint64_t rows, uint64_t dim, bool outputs, bool inner)
{
    if (outputs) ni_declare_matrix(d, "outputs", NI_STATE, rows, dim, NULL);
    if (inner) ni_declare_matrix(d, "inner", NI_STATE, rows, dim, NULL);
}

/* ---- memory ---- */

uint64_t ni_learner_per_step(const ni_source *source, uint64_t epochs)
{
    enum { TASKS_MOST = 64, STEPS_LEAST = 64, PAIRS_MOST = 1 << 22 };
    uint64_t all = (source->positions + source->per_task - 1) / source->per_task * epochs;
    uint64_t most = PAIRS_MOST / ((uint64_t)source->per_task * source->couples);
    uint64_t tasks = all / STEPS_LEAST;
    if (most > TASKS_MOST) most = TASKS_MOST;
    if (tasks > most) tasks = most;
    return (tasks ? tasks : 1) * source->per_task;
}

void ni_learner_bytes(const ni_learner *l, const ni_source *source, const neap_graph *given,
                      neap_estimate_result *r)
{
    const ni_learning *o = l->run.o;
    ni_grid grid = { .layers = l->layers, .ranges = NI_RANGES_MOST };
    ni_skipgram s = {
        .source = *source, .grid = &grid, .threads = l->run.threads, .dim = o->dim / l->layers
    };
    uint64_t losses = (uint64_t)l->negatives + l->tree;
    ni_run_bytes(&l->run, given, r);
    r->bytes_graph += 40 * (uint64_t)l->rows; /* visits, ranges, aliases, tree */
    if (l->links->weight) r->bytes_graph += l->links->offset[l->rows] * sizeof(ni_alias);
    r->bytes_batch = losses * ni_skipgram_bytes(&s, ni_learner_per_step(source, o->epochs));
}

/* ---- what a run needs ---- */

static neap_status make_tables(ni_learner *l, neap_error *err)
{
    size_t numbers = (size_t)l->rows * l->run.model->dim;
    if (has_outputs(l)) l->outputs = ni_zeros(numbers, sizeof *l->outputs);
    if (l->tree) l->inner = ni_zeros(numbers, sizeof *l->inner);
    bool ok = (l->outputs || !has_outputs(l)) && (l->inner || !l->tree);
    return ok ? NEAP_OK : ni_fail_memory(err, "the vectors; a smaller --dim needs less");
}

static neap_status make_negatives(ni_learner *l, const uint64_t *weight, double power, neap_error *err)
{
    if (!l->negatives) return NEAP_OK;
    neap_status rc = ni_grid_create(l->rows, l->layers, 0, l->side, weight, power,
                                    l->run.model->settings->common.seed, &l->grid, err);
    if (rc != NEAP_OK) return rc;
    l->by_negatives.grid = &l->grid;
    l->by_negatives.out = l->outputs;
    l->by_negatives.tied = l->tied;
    l->by_negatives.negatives = l->run.o->negatives;
    return ni_skipgram_create(&l->by_negatives, l->run.per_step, err);
}

static neap_status make_tree(ni_learner *l, const uint64_t *weight, neap_error *err)
{
    if (!l->tree) return NEAP_OK;
    neap_status rc = ni_tree_create(weight, l->rows, NI_GROUP_OUTPUTS, &l->huffman, err);
    if (rc == NEAP_OK)
        rc = ni_grid_create(l->rows, 1, 1, NULL, weight, 0, l->run.model->settings->common.seed, &l->alone,
                            err);
    if (rc != NEAP_OK) return rc;
    l->by_tree.grid = &l->alone;
    l->by_tree.tree = &l->huffman;
    l->by_tree.out = l->inner;
    return ni_skipgram_create(&l->by_tree, l->run.per_step, err);
}

neap_status ni_learner_check(const ni_learning *o, neap_error *err)
{
    if (o->negatives <= NI_GROUP_OUTPUTS) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "--negatives is at most %d for this method, not %u", NI_GROUP_OUTPUTS,
                   o->negatives);
}

/* Rows of layers are counted in 32 bits. */
static neap_status check_limits(const ni_learner *l, neap_error *err)
{
    if ((uint64_t)l->rows * l->layers <= UINT32_MAX) return NEAP_OK;
    return ni_fail(err, NEAP_E_LIMIT,
                   "%u vectors of %u parts each are more than %s can number; the most is %u parts", l->rows,
                   l->layers, l->run.model->method->info.name, UINT32_MAX);
}

static neap_status declare_state(ni_learner *l, neap_error *err)
{
    neap_status rc = ni_run_declare(&l->run, err);
    if (rc != NEAP_OK) return rc;
    ni_run_state(&l->run, "outputs", l->outputs);
    ni_run_state(&l->run, "inner", l->inner);
    return NEAP_OK;
}

neap_status ni_learner_begin(ni_learner *l, const ni_source *source, const uint64_t *weight, double power,
                             neap_error *err)
{
    const neap_model *m = l->run.model;
    neap_status rc = check_limits(l, err);
    if (rc == NEAP_OK) rc = make_tables(l, err);
    if (rc != NEAP_OK) return rc;
    l->by_negatives = (ni_skipgram){ .source = *source,
                                     .threads = l->run.threads,
                                     .in = l->vectors,
                                     .dim = m->dim / l->layers,
                                     .bias = l->bias,
                                     .shared_bias = l->shared_bias,
                                     .noise = l->noise,
                                     .seed = m->settings->common.seed };
    l->by_tree = l->by_negatives;
    l->run.positions = source->positions;
    l->run.per_step = ni_learner_per_step(source, l->run.o->epochs);
    rc = make_negatives(l, weight, power, err);
    if (rc == NEAP_OK) rc = make_tree(l, weight, err);
    if (rc == NEAP_OK) rc = declare_state(l, err);
    return rc == NEAP_OK ? ni_run_begin(&l->run, err) : rc;
}

/* ---- steps ---- */

bool ni_learner_step(ni_learner *l, uint64_t *items, double *loss, double *rate)
{
    ni_position *at = &l->run.at;
    uint64_t first = at->batch * l->run.per_step, left = l->run.positions - first;
    double by_negatives = 0, by_tree = 0;
    *rate = ni_run_rate(&l->run, 1e-4);
    if (l->negatives) ni_skipgram_make(&l->by_negatives, at->epoch, first);
    if (l->tree) ni_skipgram_make(&l->by_tree, at->epoch, first);
    if (!ni_run_may_step(&l->run)) return false;
    if (l->negatives) by_negatives = ni_skipgram_train(&l->by_negatives, at->updates, *rate);
    if (l->tree) by_tree = ni_skipgram_train(&l->by_tree, at->updates, *rate);
    at->updates++;
    *items = left < l->run.per_step ? left : l->run.per_step;
    *loss = (by_negatives + by_tree) * (double)*items;
    return true;
}

/* ---- validation ---- */

static float sum_of_cosines(const float *x, const float *y, uint32_t layers, uint32_t dim)
{
    size_t part = dim / layers;
    double sum = 0;
    for (size_t i = 0; i < dim; i += part) {
        double lengths = ni_length(x + i, part) * ni_length(y + i, part);
        if (lengths > 0) sum += (double)ni_kernels_get()->dot(x + i, y + i, part) / lengths;
    }
    return (float)sum;
}

static void score(const ni_learner *l, const neap_pair *pairs, size_t count, float *scores)
{
    uint32_t d = l->run.model->dim;
    for (size_t i = 0; i < count; i++) {
        const float *x = l->vectors + (uint64_t)pairs[i].source * d;
        const float *y = l->vectors + (uint64_t)pairs[i].target * d;
        scores[i] = l->unit ? sum_of_cosines(x, y, l->layers, d) : ni_kernels_get()->dot(x, y, d);
    }
}

neap_status ni_learner_validate(ni_learner *l, neap_error *err)
{
    ni_run *run = &l->run;
    score(l, run->split->positive, run->split->count, run->positive);
    score(l, run->split->negative, run->split->count, run->negative);
    return ni_run_judge(run, NEAP_OK, err);
}

static void make_unit(const ni_learner *l)
{
    uint32_t part = l->run.model->dim / l->layers;
    for (uint64_t row = 0; row < (uint64_t)l->rows * l->layers; row++)
        ni_make_unit(l->vectors + row * part, part);
}

/* ---- from start to end ---- */

neap_status ni_learner_train(ni_learner *l, const ni_source *source, const uint64_t *weight, double power,
                             neap_error *err)
{
    neap_status rc = ni_learner_begin(l, source, weight, power, err);
    while (rc == NEAP_OK && ni_run_next(&l->run)) {
        uint64_t items;
        double loss, rate;
        if (l->run.judging) rc = ni_learner_validate(l, err);
        else if (ni_learner_step(l, &items, &loss, &rate)) ni_run_took(&l->run, items, loss);
    }
    rc = ni_run_conclude(&l->run, rc);
    if (rc == NEAP_OK && l->unit) make_unit(l);
    return rc;
}

void ni_learner_rest(ni_learner *l)
{
    ni_skipgram_free(&l->by_negatives);
    ni_skipgram_free(&l->by_tree);
    ni_grid_free(&l->grid);
    ni_grid_free(&l->alone);
    ni_tree_free(&l->huffman);
    ni_free(l->outputs);
    ni_free(l->inner);
    l->outputs = l->inner = NULL;
}

neap_status ni_learner_end(ni_learner *l, neap_status rc, neap_model **out)
{
    ni_learner_rest(l);
    rc = ni_run_end(&l->run, rc, out);
    *l = (ni_learner){ 0 };
    return rc;
}

neap_status ni_learner_drop(ni_learner *l, neap_status rc)
{
    ni_learner_rest(l);
    ni_run_free(&l->run);
    return rc;
}
