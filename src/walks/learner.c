#include "walks/learner.h"

#include "base/status.h"
#include "base/sys.h"
#include "walks/group.h"

/* ---- start ---- */

static neap_status hold_out(ni_learner *l, const neap_validation *valid, neap_error *err)
{
    const neap_model *m = l->model;
    neap_status rc =
        ni_split_hold_out(m->graph, &m->links, &m->options, valid, &l->split, &l->split_links, err);
    if (rc != NEAP_OK) return rc;
    l->graph = l->split->train;
    l->links = &l->split_links;
    return ni_links_need_some(l->links, err);
}

neap_status ni_learner_start(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                             ni_learner *l, neap_error *err)
{
    *l = (ni_learner){ .layers = 1, .negatives = true };
    neap_status rc = ni_model_create(graph, options, &l->model, err);
    if (rc != NEAP_OK) return rc;
    l->graph = l->model->graph;
    l->links = &l->model->links;
    rc = ni_links_need_some(l->links, err);
    if (rc == NEAP_OK && options->valid > 0 && options->epochs > 0)
        rc = hold_out(l, hooks ? hooks->valid : NULL, err);
    return rc;
}

/* ---- who is trained ---- */

static uint32_t rows_of(const ni_learner *l)
{
    return l->instead ? l->instead->rows : l->model->rows;
}

static float *vectors_of(const ni_learner *l)
{
    return l->instead ? l->instead->vectors : l->model->E;
}

static bool has_outputs(const ni_learner *l)
{
    return l->negatives && l->tied < l->layers;
}

/* ---- memory ---- */

/* So many that the step size falls smoothly, that threads have enough to do, and that its pairs need little
 * memory. */
static uint64_t places_per_step(const ni_source *source, uint64_t epochs)
{
    enum { TASKS_MOST = 64, STEPS_LEAST = 64, PAIRS_MOST = 1 << 22 };
    uint64_t all = (source->places + source->per_task - 1) / source->per_task * epochs;
    uint64_t most = PAIRS_MOST / ((uint64_t)source->per_task * source->couples);
    uint64_t tasks = all / STEPS_LEAST;
    if (most > TASKS_MOST) most = TASKS_MOST;
    if (tasks > most) tasks = most;
    return (tasks ? tasks : 1) * source->per_task;
}

void ni_learner_bytes(const ni_learner *l, const ni_source *source, const neap_graph *given,
                      neap_estimate_result *r)
{
    const neap_model *m = l->model;
    const neap_options *o = &m->options;
    uint64_t row = o->dim * sizeof(float), rows = rows_of(l), table = rows * row;
    ni_grid grid = { .layers = l->layers, .ranges = NI_RANGES_MOST };
    ni_skipgram s = { .source = *source, .grid = &grid, .threads = m->threads, .dim = o->dim / l->layers };
    uint64_t outputs = has_outputs(l), losses = (uint64_t)l->negatives + l->tree;
    r->bytes_graph = ni_model_graph_bytes(m, given) + 40 * rows; /* visits, ranges, aliases, tree */
    if (l->split) r->bytes_graph += ni_split_bytes(l->split, &l->split_links);
    if (l->links->weight) r->bytes_graph += l->links->offset[rows] * sizeof(ni_alias);
    r->bytes_tables = table * (1 + outputs + l->tree + (l->split != NULL));
    if (l->instead) r->bytes_tables += m->rows * row;
    r->bytes_batch = losses * ni_skipgram_bytes(&s, places_per_step(source, o->epochs));
}

/* ---- tables ---- */

void ni_learner_tables(const ni_learner *l, ni_tables *tables)
{
    const neap_model *m = l->model;
    uint64_t n = rows_of(l), d = m->options.dim;
    ni_tables_add(tables, "E", m->E, m->rows, d, !l->instead);
    if (l->instead) ni_tables_add(tables, l->instead->name, l->instead->vectors, n, d, true);
    if (has_outputs(l)) ni_tables_add(tables, "outputs", l->outputs, n, d, false);
    if (l->tree) ni_tables_add(tables, "inner", l->inner, n, d, false);
}

static neap_status make_tables(ni_learner *l, neap_error *err)
{
    size_t cells = (size_t)rows_of(l) * l->model->dim;
    if (has_outputs(l)) l->outputs = ni_zeros(cells, sizeof *l->outputs);
    if (l->tree) l->inner = ni_zeros(cells, sizeof *l->inner);
    bool ok = (l->outputs || !has_outputs(l)) && (l->inner || !l->tree);
    return ok ? NEAP_OK : ni_fail_memory(err, "the vectors; a smaller --dim needs less");
}

/* ---- run ---- */

static neap_status step(void *self, ni_run *run, uint64_t *items, double *loss, neap_error *err)
{
    ni_learner *l = self;
    const ni_course *c = &l->course;
    uint64_t first = run->batch * c->per_step, left = c->places - first;
    double rate = ni_course_rate(c, 1e-4), by_negatives = 0, by_tree = 0;
    (void)err;
    if (l->negatives)
        ni_skipgram_step(&l->by_negatives, run->epoch, first, run->updates, rate, &by_negatives);
    if (l->tree) ni_skipgram_step(&l->by_tree, run->epoch, first, run->updates, rate, &by_tree);
    run->updates++;
    *items = left < c->per_step ? left : c->per_step;
    if (l->instead) l->instead->after(l->instead->self, run->epoch * c->places + first, *items, rate);
    *loss = (by_negatives + by_tree) * (double)*items;
    return NEAP_OK;
}

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

static neap_status score(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err)
{
    const ni_learner *l = self;
    const neap_model *m = l->model;
    const ni_kernels *k = ni_kernels_get();
    if (l->instead) return l->instead->score(l->instead->self, pairs, count, scores, err);
    for (size_t i = 0; i < count; i++) {
        const float *x = m->E + (uint64_t)pairs[i].source * m->dim;
        const float *y = m->E + (uint64_t)pairs[i].target * m->dim;
        scores[i] = l->unit ? sum_of_cosines(x, y, l->layers, m->dim) : k->dot(x, y, m->dim);
    }
    return NEAP_OK;
}

static void make_unit(const ni_learner *l)
{
    uint32_t part = l->model->dim / l->layers;
    for (uint64_t row = 0; row < (uint64_t)l->model->rows * l->layers; row++)
        ni_make_unit(l->model->E + row * part, part);
}

static neap_status make_negatives(ni_learner *l, const uint64_t *weight, double power, neap_error *err)
{
    const neap_model *m = l->model;
    if (!l->negatives) return NEAP_OK;
    neap_status rc =
        ni_grid_create(rows_of(l), l->layers, 0, weight, power, m->options.seed, &l->grid, err);
    if (rc != NEAP_OK) return rc;
    l->by_negatives.grid = &l->grid;
    l->by_negatives.out = l->outputs;
    l->by_negatives.tied = l->tied;
    l->by_negatives.negatives = m->options.negatives;
    return ni_skipgram_create(&l->by_negatives, l->course.per_step, err);
}

static neap_status make_tree(ni_learner *l, const uint64_t *weight, neap_error *err)
{
    const neap_model *m = l->model;
    if (!l->tree) return NEAP_OK;
    neap_status rc = ni_tree_create(weight, rows_of(l), NI_GROUP_OUTPUTS, &l->huffman, err);
    if (rc == NEAP_OK) rc = ni_grid_create(rows_of(l), 1, 1, weight, 0, m->options.seed, &l->alone, err);
    if (rc != NEAP_OK) return rc;
    l->by_tree.grid = &l->alone;
    l->by_tree.tree = &l->huffman;
    l->by_tree.out = l->inner;
    return ni_skipgram_create(&l->by_tree, l->course.per_step, err);
}

/* A group has so many outputs, and rows of layers are counted in 32 bits. */
static neap_status check_limits(const ni_learner *l, neap_error *err)
{
    const neap_options *o = &l->model->options;
    if (l->negatives && o->negatives > NI_GROUP_OUTPUTS)
        return ni_fail(err, NEAP_E_ARG, "--negatives is at most %d for %s", NI_GROUP_OUTPUTS,
                       o->method.text);
    if ((uint64_t)rows_of(l) * l->layers > UINT32_MAX)
        return ni_fail(err, NEAP_E_LIMIT,
                       "%u vectors of %u parts each are more than %s can number; the most is %u parts",
                       rows_of(l), l->layers, o->method.text, UINT32_MAX);
    return NEAP_OK;
}

neap_status ni_learner_run(ni_learner *l, const ni_source *source, const uint64_t *weight, double power,
                           const neap_hooks *hooks, neap_error *err)
{
    neap_model *m = l->model;
    neap_status rc = check_limits(l, err);
    if (rc == NEAP_OK && !m->E) rc = ni_model_draw_vectors(m, 0.5 / m->options.dim, err);
    if (rc == NEAP_OK) rc = make_tables(l, err);
    if (rc != NEAP_OK) return rc;
    l->by_negatives = (ni_skipgram){ .source = *source,
                                     .threads = m->threads,
                                     .in = vectors_of(l),
                                     .dim = m->dim / l->layers,
                                     .bias = l->bias,
                                     .shared_bias = l->shared_bias,
                                     .seed = m->options.seed };
    l->by_tree = l->by_negatives;
    l->course = (ni_course){ .model = m,
                             .split = l->split,
                             .places = source->places,
                             .per_step = places_per_step(source, m->options.epochs),
                             .step = step,
                             .score = score,
                             .self = l };
    l->course.tables.places = source->places;
    ni_learner_tables(l, &l->course.tables);
    rc = make_negatives(l, weight, power, err);
    if (rc == NEAP_OK) rc = make_tree(l, weight, err);
    if (rc == NEAP_OK) rc = ni_course_run(&l->course, hooks, err);
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
    ni_links_free(&l->split_links);
    neap_split_free(l->split);
    if (rc == NEAP_OK) *out = l->model;
    else neap_model_free(l->model);
    *l = (ni_learner){ 0 };
    return rc;
}

neap_status ni_learner_drop(ni_learner *l, neap_status rc)
{
    neap_model *model = NULL;
    rc = ni_learner_end(l, rc, &model);
    neap_model_free(model);
    return rc;
}
