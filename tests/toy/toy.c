/* toy - what it takes to add a method: this file, and one line in src/methods/methods.def.
 *
 * It is gap with rows of its own. A node u has two vectors, T[u][0] and T[u][1], in one tensor of rank 3,
 * and the row that the attention reads is row(u) = T[u][0] + c(u) T[u][1],   c(u) = charm / (1 + neighbours
 * of u), so that the second vector counts where there are few neighbours. With --charm 0 it is gap without
 * a matrix, to the last bit (tests/cli/toy_method.sh).
 *
 * It lies here and not in examples/, since those see neap.h alone and are compiled against the installed
 * library, while a method looks inside it. In the library it would be src/methods/toy.c;
 * tests/CMakeLists.txt builds it beside the source tree, with a methods.def that has one more line and
 * every other object of libneap and of the program as it is. What a method must say of itself: options
 * name, range, help and presets: flags, manual, completion and model file follow declare   its tensors:
 * model file, checkpoint, memory estimate, `neap check` follow train     a run (model/run.h) that it drives
 *     answers   score, vectors, ...; what it leaves out, it does not have                              */
#include <math.h>

#include "attention/attention.h"
#include "attention/trainer.h"
#include "base/sys.h"
#include "model/method.h"
#include "model/run.h"
#include "support/status.h"

/* ---- options ---- */

typedef struct toy_options {
    ni_attention_options attention;
    double charm;
} toy_options;

static const ni_option own_options[] = {
    NI_OPTION(toy_options, REAL, charm, "charm", "appeal", 0, "model", "X", "0.5", "1", "2", 0, 8, 1,
              "how much the second vector of a node without neighbours would count (toy)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

/* All that gap has, but for the matrix and padding. */
static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(toy_options, attention.learning), NULL },
    { &ni_attention_set, offsetof(toy_options, attention),
      "neighbors,self,pooling,dropout,dropout-per,dropout-at-inference,optimizer,objective,margin" },
    { &ni_sampling_set, offsetof(toy_options, attention.sampling), NULL },
    { &own_set, 0, NULL },
    { 0 },
};

static const ni_default defaults[] = {
    { "matrix", { "no", "no", "no" } },
    { "padding", { "none", "none", "none" } },
    { 0 },
};

static ni_hood_rule hood_rule(const ni_settings *s)
{
    const ni_attention_options *o = s->own;
    return (ni_hood_rule){ o->neighbors, o->self, s->common.self_loops, s->common.seed };
}

/* ---- tensors ---- */

enum { VECTORS = 2 };

typedef struct toy {
    float *T; /* rows x 2 x dim */
} toy;

static void declare(neap_model *m, ni_declaration *d)
{
    toy *own = m->own;
    const ni_attention_options *o = m->settings->own;
    ni_declare(d, "T", NI_LEARNED, NI_F32, 3, (uint64_t[]){ m->rows, VECTORS, m->dim }, &own->T);
    d->moments = o->optimizer == NI_ADAGRAD ? NI_MOMENTS_ADAGRAD : NI_MOMENTS_ADAM;
    d->positions = 2 * m->graph->edges; /* both orders */
}

/* The first vectors as gap has them, the second from numbers that no node has. */
static neap_status make_tensors(neap_model *m, neap_error *err)
{
    uint64_t d = m->dim;
    double bound = sqrt(6.0 / ((double)m->rows + 1 + (double)d));
    neap_status rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    float *T = ((const toy *)m->own)->T;
    for (uint64_t u = 0; u < m->rows; u++) {
        ni_model_draw_row(m, u, bound, T + VECTORS * u * d);
        ni_model_draw_row(m, ((uint64_t)1 << 32) + u, bound, T + (VECTORS * u + 1) * d);
    }
    return NEAP_OK;
}

/* ---- rows ---- */

/* A provider for the engine (attention/rows.h): rows that are computed, and the way back. */
typedef struct provider {
    const float *T;
    const ni_hood *hood;
    double charm;
    uint32_t rows, dim;
    ni_gradient *gradient; /* of T, as rows of 2 dim numbers; NULL: it does not learn */

    float *lent, *taken, *all;
    size_t lent_room, taken_room;
} provider;

static float charm_of(const provider *p, uint32_t u)
{
    return (float)(p->charm / (1 + (double)ni_hood_size(p->hood, u)));
}

static void make_row(const provider *p, uint32_t u, float *row)
{
    const float *x = p->T + VECTORS * (uint64_t)u * p->dim, *y = x + p->dim;
    float c = charm_of(p, u);
    for (uint32_t k = 0; k < p->dim; k++) row[k] = x[k] + c * y[k];
}

static neap_status lend(void *self, const ni_batch *b, ni_rows_view *view, neap_error *err)
{
    provider *p = self;
    uint64_t d = p->dim;
    if (!ni_grow(&p->lent, &p->lent_room, b->rows * d, sizeof *p->lent)) return ni_fail_memory(err, "rows");
    for (uint64_t row = 0; row < b->rows; row++)
        if (b->id[row] != NEAP_NONE) make_row(p, b->id[row], p->lent + row * d);
    *view = (ni_rows_view){ p->lent, NULL };
    return NEAP_OK;
}

/* dT[u][0] = g,  dT[u][1] = c(u) g. */
static neap_status take(void *self, const ni_batch *b, const ni_gradient *g, neap_error *err)
{
    provider *p = self;
    uint64_t d = p->dim;
    (void)b;
    if (!ni_grow(&p->taken, &p->taken_room, g->rows * VECTORS * d, sizeof *p->taken))
        return ni_fail_memory(err, "gradients");
    for (uint64_t row = 0; row < g->rows; row++) {
        if (g->row[row] == NEAP_NONE) continue;
        const float *from = g->values + row * d;
        float *to = p->taken + row * VECTORS * d, c = charm_of(p, g->row[row]);
        for (uint64_t k = 0; k < d; k++) to[k] = from[k], to[d + k] = c * from[k];
    }
    *p->gradient = (ni_gradient){ p->taken, g->row, g->rows };
    return NEAP_OK;
}

static neap_status lend_all(void *self, const float **rows, neap_error *err)
{
    provider *p = self;
    p->all = ni_array((uint64_t)p->rows * p->dim, sizeof *p->all);
    if (!p->all) return ni_fail_memory(err, "rows");
    for (uint32_t u = 0; u < p->rows; u++) make_row(p, u, p->all + (uint64_t)u * p->dim);
    *rows = p->all;
    return NEAP_OK;
}

/* The attention of a model, on these neighbourhoods; it does not move while it is in use. */
typedef struct context {
    ni_attention attention; /* first: see NI_ATTENTION_ANSWERS */
    provider provider;
    ni_rows rows;
} context;

static neap_status context_create(context *c, const neap_model *m, const ni_hood *hood,
                                  ni_gradient *gradient, ni_threads *threads, neap_error *err)
{
    const toy_options *o = m->settings->own;
    c->provider = (provider){ .T = ((const toy *)m->own)->T,
                              .hood = hood,
                              .charm = o->charm,
                              .rows = m->rows,
                              .dim = m->dim,
                              .gradient = gradient };
    c->rows = (ni_rows){ .self = &c->provider,
                         .identity = NI_ROW_BY_ID,
                         .ids = m->rows,
                         .lend = lend,
                         .take = gradient ? take : NULL,
                         .all = lend_all };
    c->attention = (ni_attention){ .options = &o->attention,
                                   .seed = m->settings->common.seed,
                                   .hood = hood,
                                   .rows = &c->rows,
                                   .dim = m->dim,
                                   .threads = threads,
                                   .both_orders = m->graph->undirected };
    return ni_attention_create(&c->attention, err);
}

static void context_free(context *c)
{
    ni_attention_free(&c->attention);
    ni_free(c->provider.lent);
    ni_free(c->provider.taken);
    ni_free(c->provider.all);
}

/* ---- training ---- */

typedef struct trainer {
    ni_run run;
    const ni_attention_options *o;
    ni_hood split_hood; /* of the training pairs, where some are held back */
    ni_sampler sampler;
    ni_side *sides;
    context context;
    ni_optimizer optimizer;
} trainer;

static uint64_t sides_of_step(const trainer *t)
{
    return (uint64_t)t->o->sampling.batch * (2 + (uint64_t)t->o->learning.negatives);
}

static neap_status prepare(trainer *t, const ni_job *job, neap_error *err)
{
    ni_run *run = &t->run;
    ni_hood_rule rule = hood_rule(job->settings);
    *t = (trainer){ .o = job->settings->own };
    neap_status rc = ni_run_prepare(run, job, &t->o->learning, err);
    if (rc == NEAP_OK) rc = ni_run_hold_out(run, job->data, err);
    if (rc == NEAP_OK && run->split && !job->data->around)
        rc = ni_hood_create(run->graph, run->links, &rule, &t->split_hood, err);
    if (rc == NEAP_OK)
        rc =
            ni_sampler_create(&t->o->sampling, t->o->learning.negatives, job->settings->common.seed,
                              run->graph, run->links, &run->model->targets, run->threads, &t->sampler, err);
    if (rc != NEAP_OK) return rc;
    t->sides = ni_array(sides_of_step(t), sizeof *t->sides);
    return t->sides ? NEAP_OK : ni_fail_memory(err, "a batch");
}

static void trainer_free(trainer *t)
{
    context_free(&t->context);
    ni_optimizer_free(&t->optimizer);
    ni_sampler_free(&t->sampler);
    ni_hood_free(&t->split_hood);
    ni_free(t->sides);
}

/* What is learned: T, a row of 2 dim numbers a node. */
static ni_parameter parameter_of(const neap_model *m)
{
    return (ni_parameter){ "T",      ((const toy *)m->own)->T, m->rows, VECTORS * m->dim, .by_rows = true,
                           .rate = 1 };
}

static neap_status begin(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    neap_model *m = run->model;
    run->positions = t->sampler.positions;
    run->per_step = t->o->sampling.batch;
    neap_status rc = make_tensors(m, err);
    if (rc != NEAP_OK) return rc;
    ni_parameter T = parameter_of(m);
    if (!ni_optimizer_create(t->o->optimizer, &T, 1, &t->optimizer))
        return ni_fail_memory(err, "the optimiser");
    rc = context_create(&t->context, m, t->split_hood.offset ? &t->split_hood : &m->hood,
                        &t->optimizer.parameter[0].gradient, run->threads, err);
    if (rc == NEAP_OK) rc = ni_run_declare(run, err);
    if (rc != NEAP_OK) return rc;
    ni_run_moments(run, &t->optimizer);
    return ni_run_begin(run, err);
}

/* One step: draw, forth and back, update. */
static neap_status step(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    ni_engine_gradients others;
    ni_items items = { .sides = t->sides, .negatives = t->o->learning.negatives };
    double loss = 0;
    neap_status rc = NEAP_OK;
    items.count =
        ni_sampler_fill(&t->sampler, run->at.epoch, run->at.batch * run->per_step, t->o->sampling.batch);
    for (uint64_t i = 0; i < (uint64_t)items.count * (2 + items.negatives); i++)
        t->sides[i] = ni_hood_side(t->context.attention.hood, t->sampler.nodes[i]);
    if (items.count)
        rc = ni_engine_step(t->context.attention.engine, &items, run->at.updates, &others, &loss, err);
    if (!ni_run_may_step(run)) return NEAP_OK;
    if (rc != NEAP_OK) return rc;
    t->optimizer.steps = run->at.updates;
    if (items.count && isfinite(loss)) ni_optimizer_step(&t->optimizer, ni_run_rate(run, 0), run->threads);
    run->at.updates = t->optimizer.steps;
    ni_run_took(run, items.count, loss * items.count);
    return NEAP_OK;
}

static neap_status validate(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    const neap_split *s = run->split;
    neap_status rc = ni_attention_score(&t->context.attention, s->positive, s->count, run->positive, err);
    if (rc == NEAP_OK)
        rc = ni_attention_score(&t->context.attention, s->negative, s->count, run->negative, err);
    return ni_run_judge(run, rc, err);
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    trainer t;
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) rc = begin(&t, err);
    while (rc == NEAP_OK && ni_run_next(&t.run)) rc = t.run.judging ? validate(&t, err) : step(&t, err);
    trainer_free(&t);
    return ni_run_end(&t.run, rc, out);
}

/* Tensors, moments and graphs follow from the declaration; what a batch takes is not looked at. */
static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    trainer t;
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) {
        ni_run_bytes(&t.run, job->data->graph, r);
        r->bytes_batch = ni_sampler_step_bytes(&t.sampler) + sides_of_step(&t) * sizeof *t.sides;
    }
    trainer_free(&t);
    ni_run_free(&t.run);
    return rc;
}

/* ---- answers ---- */

static neap_status open_query(neap_query *q, neap_error *err)
{
    context *c = q->own = ni_zeros(1, sizeof *c);
    return c ? context_create(c, q->model, &q->model->hood, NULL, q->threads, err)
             : ni_fail_memory(err, "a query");
}

static void close_query(neap_query *q)
{
    context_free(q->own);
    ni_free(q->own);
}

const ni_method ni_method_toy = {
    .info = { .size = sizeof(neap_method_info),
              .name = "toy",
              .summary = "gap with two vectors per node, the second for nodes with few neighbours",
              .details =
                  "A row of the attention is the first vector plus --charm times the second over one more "
                  "than\nthe number of neighbours. One epoch is one pass over the edges.",
              .context = 1,
              .vectors = 1,
              .explains = 1 },
    .options = { sizeof(toy_options), parts, defaults },
    .hood = hood_rule,
    .own = sizeof(toy),
    .declare = declare,
    .train = train,
    .bytes = bytes,
    .open = open_query,
    .close = close_query,
    NI_ATTENTION_ANSWERS,
};
