/* gapmlp: the paper's ablation of attention (section 4.4): gap with a feed-forward network over the
 * neighbours of each node in place of the attention of both sides. No code of it was released; the shape of
 * the network is ours (mlp.h, docs/methods.md). Sampler, objectives, neighbourhoods and dropout are gap's.
 * A node has one vector for all partners. The trainer owns what a step needs. */
#include <math.h>
#include <string.h>

#include "attention/family.h"
#include "attention/loss.h"
#include "base/sys.h"
#include "methods/mlp.h"
#include "model/method.h"
#include "model/run.h"
#include "support/status.h"

typedef struct gapmlp_options {
    ni_attention_options a; /* first: ni_gap_hood reads it */
    uint32_t hidden;
    uint32_t form; /* NI_MLP_... */
} gapmlp_options;

static const ni_option own_options[] = {
    NI_OPTION(gapmlp_options, CHOICE, form, "form", "", 0, "model", "flat|mean", "flat", "flat", "flat", 0,
              0, 1,
              "the network reads all neighbours one behind the other, in the order of their numbers, or "
              "each by itself, and the mean of what it makes of them counts (gapmlp)"),
    NI_OPTION(gapmlp_options, U32, hidden, "hidden", "", 0, "model", "N", "200", "200", "200", 1, 65536, 1,
              "units of the hidden layer (gapmlp)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(gapmlp_options, a.learning), NULL },
    { &ni_attention_set, offsetof(gapmlp_options, a), "neighbors,self,dropout,optimizer,objective,margin" },
    { &ni_sampling_set, offsetof(gapmlp_options, a.sampling), NULL },
    { &own_set, 0, NULL },
    { 0 },
};

static const ni_default defaults[] = {
    { "dropout", { "0.5", "0.95", "0.95" } },
    { 0 },
};

/* ---- tensors ---- */

typedef struct gapmlp {
    float *E;       /* rows x d                                  */
    float *W1, *b1; /* (flat: neighbors) d x hidden; 1 x hidden  */
    float *W2, *b2; /* hidden x d; 1 x d                         */
} gapmlp;

static uint64_t weight_rows(const neap_model *m)
{
    const gapmlp_options *o = m->settings->own;
    return (o->form == NI_MLP_FLAT ? (uint64_t)o->a.neighbors : 1) * m->dim;
}

static void declare(neap_model *m, ni_declaration *d)
{
    gapmlp *own = m->own;
    const gapmlp_options *o = m->settings->own;
    ni_declare_matrix(d, "E", NI_LEARNED, m->rows, m->dim, &own->E);
    ni_declare_matrix(d, "W1", NI_LEARNED, weight_rows(m), o->hidden, &own->W1);
    ni_declare_matrix(d, "b1", NI_LEARNED, 1, o->hidden, &own->b1);
    ni_declare_matrix(d, "W2", NI_LEARNED, o->hidden, m->dim, &own->W2);
    ni_declare_matrix(d, "b2", NI_LEARNED, 1, m->dim, &own->b2);
    d->moments = o->a.optimizer == NI_ADAGRAD ? NI_MOMENTS_ADAGRAD : NI_MOMENTS_ADAM;
    d->positions = 2 * m->graph->edges; /* both orders */
}

/* Rows of a matrix, uniform within +-bound. */
static void draw_matrix(const neap_model *m, uint64_t which, uint64_t rows, uint64_t columns, double bound,
                        float *W)
{
    for (uint64_t i = 0; i < rows; i++) {
        ni_rng rng = ni_rng_at(m->settings->common.seed, NI_STREAM_ENCODER, which, i);
        for (uint64_t k = 0; k < columns; k++)
            W[i * columns + k] = (float)((2 * ni_uniform(&rng) - 1) * bound);
    }
}

/* E as that of gap; W2 and each block of W1 within +-sqrt(6 / (rows + columns)) (Glorot and Bengio 2010): a
 * node has few neighbours beside the S that flat has blocks for. The biases are zero. */
static neap_status make_tensors(neap_model *m, neap_error *err)
{
    const gapmlp *own = m->own;
    const gapmlp_options *o = m->settings->own;
    double d = m->dim, bound = sqrt(6 / (d + o->hidden));
    neap_status rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    for (uint64_t i = 0; i < m->rows; i++)
        ni_model_draw(m, i, m->dim, sqrt(6 / ((double)m->rows + 1 + d)), own->E + i * m->dim);
    draw_matrix(m, 0, weight_rows(m), o->hidden, bound, own->W1);
    draw_matrix(m, 1, o->hidden, m->dim, bound, own->W2);
    return NEAP_OK;
}

enum { PARAMETERS = 5 };

/* Their values may be NULL still. */
static void list_parameters(const neap_model *m, ni_parameter list[PARAMETERS])
{
    const gapmlp *own = m->own;
    const gapmlp_options *o = m->settings->own;
    list[0] = (ni_parameter){ "E", own->E, m->rows, m->dim, .by_rows = true, .rate = 1 };
    list[1] = (ni_parameter){ "W1", own->W1, weight_rows(m), o->hidden, .by_rows = true, .rate = 1 };
    list[2] = (ni_parameter){ "b1", own->b1, 1, o->hidden, .rate = 1 };
    list[3] = (ni_parameter){ "W2", own->W2, o->hidden, m->dim, .rate = 1 };
    list[4] = (ni_parameter){ "b2", own->b2, 1, m->dim, .rate = 1 };
}

static neap_status make_net(const neap_model *m, const ni_hood *hood, ni_threads *threads, ni_mlp *n,
                            neap_error *err)
{
    const gapmlp *own = m->own;
    const gapmlp_options *o = m->settings->own;
    *n = (ni_mlp){ .E = own->E,
                   .W1 = own->W1,
                   .b1 = own->b1,
                   .W2 = own->W2,
                   .b2 = own->b2,
                   .hood = hood,
                   .ids = m->rows,
                   .d = m->dim,
                   .hidden = o->hidden,
                   .out = m->dim,
                   .form = o->form,
                   .options = &o->a,
                   .seed = m->settings->common.seed,
                   .threads = threads };
    return ni_mlp_create(n, err);
}

/* ---- all vectors ---- */

enum { NODES_AT_ONCE = 256 };

/* Lists the nodes first, first + 1, ...; returns how many there are. */
static uint32_t list_nodes(uint32_t first, uint32_t nodes, uint32_t list[NODES_AT_ONCE])
{
    uint32_t count = (uint32_t)(ni_task_end(first, NODES_AT_ONCE, nodes) - first);
    for (uint32_t i = 0; i < count; i++) list[i] = first + i;
    return count;
}

/* r of the nodes 0 .. nodes-1 into vectors (nodes x out). */
static neap_status make_vectors(ni_mlp *n, uint32_t nodes, float *vectors, neap_error *err)
{
    uint32_t list[NODES_AT_ONCE], count;
    neap_status rc = NEAP_OK;
    for (uint32_t first = 0; first < nodes && rc == NEAP_OK; first += count) {
        count = list_nodes(first, nodes, list);
        rc = ni_mlp_forward(n, list, count, NI_MLP_WHOLE, err);
        for (uint32_t i = 0; i < count && rc == NEAP_OK; i++)
            memcpy(vectors + (uint64_t)list[i] * n->out, n->V + (uint64_t)n->at[i] * n->out,
                   n->out * sizeof *vectors);
        if (rc == NEAP_OK) rc = ni_threads_check(n->threads, err);
    }
    return rc;
}

static void score_pairs(const float *vectors, uint32_t dim, const neap_pair *pairs, size_t count,
                        float *scores)
{
    for (size_t i = 0; i < count; i++)
        scores[i] = ni_kernels_get()->dot(vectors + (uint64_t)pairs[i].source * dim,
                                          vectors + (uint64_t)pairs[i].target * dim, dim);
}

/* ---- queries ---- */

/* Vectors do not depend on the partner: they are made when the first question comes, and kept. */
typedef struct answers {
    float *vectors; /* nodes x dim, or NULL still */
} answers;

static neap_status open_query(neap_query *q, neap_error *err)
{
    answers *a = ni_array(1, sizeof *a);
    if (!a) return ni_fail_memory(err, "a query");
    *a = (answers){ 0 };
    q->own = a;
    return NEAP_OK;
}

static void close_query(neap_query *q)
{
    answers *a = q->own;
    if (a) ni_free(a->vectors);
    ni_free(a);
}

static neap_status need_vectors(neap_query *q, const float **vectors, neap_error *err)
{
    answers *a = q->own;
    const neap_model *m = q->model;
    ni_mlp n;
    *vectors = a->vectors;
    if (a->vectors) return NEAP_OK;
    float *made = ni_array((uint64_t)m->graph->nodes * m->dim, sizeof *made);
    if (!made) return ni_fail_memory(err, "the vectors");
    neap_status rc = make_net(m, &m->hood, q->threads, &n, err);
    if (rc == NEAP_OK) rc = make_vectors(&n, m->graph->nodes, made, err);
    ni_mlp_free(&n);
    if (rc == NEAP_OK) *vectors = a->vectors = made;
    else ni_free(made);
    return rc;
}

static neap_status score(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    const float *vectors;
    neap_status rc = need_vectors(q, &vectors, err);
    if (rc == NEAP_OK) score_pairs(vectors, q->model->dim, pairs, count, scores);
    return rc;
}

static neap_status score_all(neap_query *q, uint32_t source, float *scores, neap_error *err)
{
    const float *vectors;
    uint64_t d = q->model->dim;
    neap_status rc = need_vectors(q, &vectors, err);
    for (uint64_t t = 0; rc == NEAP_OK && t < q->model->graph->nodes; t++)
        scores[t] = ni_kernels_get()->dot(vectors + source * d, vectors + t * d, d);
    return rc;
}

static neap_status all_vectors(neap_query *q, float *to, neap_error *err)
{
    const float *vectors;
    neap_status rc = need_vectors(q, &vectors, err);
    if (rc == NEAP_OK) memcpy(to, vectors, (uint64_t)q->model->graph->nodes * q->model->dim * sizeof *to);
    return rc;
}

/* ---- a trainer ---- */

typedef struct trainer {
    ni_run run;
    const gapmlp_options *o;
    ni_hood split_hood; /* of the training pairs, unless neighbourhoods are read around */
    ni_sampler sampler;
    ni_mlp net;
    ni_optimizer optimizer;
    float *vectors; /* rows x dim, for validation; or NULL                         */

    ni_block block;        /* of a step; all below lie in it                             */
    uint64_t items;        /* of a step, at most                                         */
    uint32_t *node_at;     /* rows: index in `node`, or NEAP_NONE between steps          */
    uint32_t *node;        /* distinct nodes of the step                                 */
    uint32_t nodes, count; /* how many; items of the step                            */
    float *score, *slope;  /* items x (1 + K): scores, and the loss's derivatives    */
    double *loss;          /* items                                                  */
    uint32_t *row, *col;   /* 2 items (1 + K): rows of V that a score multiplies     */
    float *value;
    ni_sparse G; /* nodes x nodes: dV = G V */
    float *dV;
} trainer;

static uint32_t width_of(const trainer *t)
{
    return 1 + t->o->a.learning.negatives;
}

static size_t lay_out(trainer *t, void *block)
{
    ni_carver c = { block, 0 };
    uint64_t width = width_of(t), nonzeros = 2 * t->items * width, rows = t->run.model->rows;
    uint64_t nodes = t->items * (1 + width) < rows ? t->items * (1 + width) : rows;
    t->node_at = ni_carve(&c, rows, sizeof *t->node_at);
    t->node = ni_carve(&c, nodes, sizeof *t->node);
    t->score = ni_carve(&c, t->items * width, sizeof *t->score);
    t->slope = ni_carve(&c, t->items * width, sizeof *t->slope);
    t->loss = ni_carve(&c, t->items, sizeof *t->loss);
    t->row = ni_carve(&c, nonzeros, sizeof *t->row);
    t->col = ni_carve(&c, nonzeros, sizeof *t->col);
    t->value = ni_carve(&c, nonzeros, sizeof *t->value);
    t->G = ni_sparse_carve(&c, nodes, nonzeros);
    t->dV = ni_carve(&c, nodes * t->run.model->dim, sizeof *t->dV);
    return c.used;
}

static neap_status make_sampler(trainer *t, neap_error *err)
{
    const ni_run *run = &t->run;
    return ni_sampler_create(&t->o->a.sampling, t->o->a.learning.negatives,
                             run->model->settings->common.seed, run->graph, run->links,
                             &run->model->targets, run->threads, &t->sampler, err);
}

/* Training reads the neighbourhoods of the training pairs alone, unless data->around is given. The
 * sampler is first made on the whole graph, so that its errors refer to the graph that was given. */
static neap_status prepare(trainer *t, const ni_job *job, neap_error *err)
{
    ni_run *run = &t->run;
    *t = (trainer){ .o = job->settings->own };
    neap_status rc = ni_run_prepare(run, job, &t->o->a.learning, err);
    if (rc == NEAP_OK) rc = make_sampler(t, err);
    if (rc == NEAP_OK) rc = ni_run_hold_out(run, job->data, err);
    if (rc == NEAP_OK && run->split && !job->data->around) {
        ni_hood_rule rule = ni_gap_hood(job->settings);
        rc = ni_hood_create(run->graph, run->links, &rule, &t->split_hood, err);
    }
    if (rc == NEAP_OK && run->split) {
        ni_sampler_free(&t->sampler);
        rc = make_sampler(t, err);
    }
    if (rc != NEAP_OK) return rc;
    uint64_t batch = t->o->a.sampling.batch, positions = t->sampler.positions;
    t->items = batch < positions ? batch : positions;
    return make_net(run->model, t->split_hood.offset ? &t->split_hood : &run->model->hood, run->threads,
                    &t->net, err);
}

static void trainer_free(trainer *t)
{
    ni_mlp_free(&t->net);
    ni_sampler_free(&t->sampler);
    ni_optimizer_free(&t->optimizer);
    ni_hood_free(&t->split_hood);
    ni_free(t->vectors);
    ni_free(t->block.memory);
}

static neap_status make_memory(trainer *t, neap_error *err)
{
    const neap_model *m = t->run.model;
    ni_parameter list[PARAMETERS];
    list_parameters(m, list);
    if (!ni_optimizer_create(t->o->a.optimizer, list, PARAMETERS, &t->optimizer))
        return ni_fail_memory(err, "the optimiser; --optimizer adagrad needs less");
    if (t->items * (uint64_t)width_of(t) > UINT32_MAX / 2)
        return ni_fail(err, NEAP_E_LIMIT, "a step has too many pairs; use a smaller --batch");
    if (t->run.split) {
        t->vectors = ni_array((uint64_t)m->rows * m->dim, sizeof *t->vectors);
        if (!t->vectors) return ni_fail_memory(err, "the vectors");
    }
    if (!ni_block_grow(&t->block, lay_out(t, NULL)))
        return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    lay_out(t, ni_first_line(t->block.memory));
    memset(t->node_at, 0xff, m->rows * sizeof *t->node_at); /* NEAP_NONE */
    return NEAP_OK;
}

static neap_status begin(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    run->positions = t->sampler.positions;
    run->per_step = t->o->a.sampling.batch;
    neap_status rc = make_tensors(run->model, err);
    if (rc != NEAP_OK) return rc;
    const gapmlp *own = run->model->own;
    t->net.E = own->E, t->net.W1 = own->W1, t->net.b1 = own->b1, t->net.W2 = own->W2, t->net.b2 = own->b2;
    rc = make_memory(t, err);
    if (rc == NEAP_OK) rc = ni_run_declare(run, err);
    if (rc != NEAP_OK) return rc;
    ni_run_moments(run, &t->optimizer);
    return ni_run_begin(run, err);
}

/* ---- steps ---- */

enum { ITEMS_PER_TASK = 32, SUMS_PER_TASK = 64 };

/* The distinct nodes of the sampler's items. */
static void number_nodes(trainer *t)
{
    uint64_t sides = (uint64_t)t->count * (1 + width_of(t));
    t->nodes = 0;
    for (uint64_t i = 0; i < sides; i++) {
        uint32_t u = t->sampler.nodes[i];
        if (t->node_at[u] != NEAP_NONE) continue;
        t->node_at[u] = t->nodes;
        t->node[t->nodes++] = u;
    }
}

static void forget_nodes(trainer *t)
{
    for (uint32_t i = 0; i < t->nodes; i++) t->node_at[t->node[i]] = NEAP_NONE;
}

static void item(const trainer *t, uint64_t i)
{
    uint32_t width = width_of(t), d = t->net.out;
    const uint32_t *nodes = t->sampler.nodes + i * (1 + width);
    uint32_t s = t->net.at[t->node_at[nodes[0]]];
    float *z = t->score + i * width, *slope = t->slope + i * width;
    for (uint32_t k = 0; k < width; k++) {
        uint32_t r = t->net.at[t->node_at[nodes[1 + k]]];
        uint64_t at = 2 * (i * width + k);
        z[k] = ni_kernels_get()->dot(t->net.V + (uint64_t)s * d, t->net.V + (uint64_t)r * d, d);
        t->row[at] = t->col[at + 1] = s;
        t->col[at] = t->row[at + 1] = r;
    }
    t->loss[i] =
        (double)ni_loss(t->o->a.objective, (float)t->o->a.margin, z[0], z + 1, width - 1, slope, slope + 1);
    for (uint32_t k = 0; k < width; k++)
        t->value[2 * (i * width + k)] = t->value[2 * (i * width + k) + 1] = slope[k] / (float)t->count;
}

static void items_task(void *arg, uint32_t task, uint32_t thread)
{
    const trainer *t = arg;
    uint64_t first = (uint64_t)task * ITEMS_PER_TASK, end = ni_task_end(first, ITEMS_PER_TASK, t->count);
    (void)thread;
    for (uint64_t i = first; i < end; i++) item(t, i);
}

static void sums_task(void *arg, uint32_t task, uint32_t thread)
{
    const trainer *t = arg;
    uint64_t first = (uint64_t)task * SUMS_PER_TASK, end = ni_task_end(first, SUMS_PER_TASK, t->G.rows);
    (void)thread;
    ni_sparse_spmm(&t->G, first, end, t->net.V, t->net.out, t->dV);
}

/* The mean loss of the step, and its gradients in t->net. After a stop they are anything. */
static neap_status pass(trainer *t, double *loss, neap_error *err)
{
    ni_threads *threads = t->run.threads;
    number_nodes(t);
    neap_status rc = ni_mlp_forward(&t->net, t->node, t->nodes, t->run.at.updates, err);
    if (rc == NEAP_OK) ni_threads_run(threads, ni_tasks(t->count, ITEMS_PER_TASK), items_task, t);
    forget_nodes(t);
    if (rc != NEAP_OK) return rc;
    t->G.rows = t->nodes, t->G.nonzeros = 2 * (uint64_t)t->count * width_of(t);
    t->G.row = t->row, t->G.col = t->col, t->G.value = t->value;
    if (!ni_threads_left_out(threads)) ni_sparse_sort(&t->G, threads);
    if (ni_threads_left_out(threads)) return NEAP_OK; /* stopped */
    ni_threads_run(threads, ni_tasks(t->nodes, SUMS_PER_TASK), sums_task, t);
    ni_mlp_backward(&t->net, t->dV);
    *loss = 0;
    for (uint32_t i = 0; i < t->count; i++) *loss += t->loss[i] / t->count;
    return NEAP_OK;
}

static void optimise(trainer *t)
{
    ni_parameter *list = t->optimizer.parameter;
    const ni_mlp *n = &t->net;
    list[0].gradient = n->dE;
    list[1].gradient = n->dW1;
    list[2].gradient = (ni_gradient){ n->db1, NULL, 1 };
    list[3].gradient = (ni_gradient){ n->dW2, NULL, n->hidden };
    list[4].gradient = (ni_gradient){ n->db2, NULL, 1 };
    t->optimizer.steps = t->run.at.updates;
    ni_optimizer_step(&t->optimizer, ni_run_rate(&t->run, 0), t->run.threads);
    t->run.at.updates = t->optimizer.steps;
}

static neap_status step(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    double loss = 0;
    neap_status rc = NEAP_OK;
    t->count =
        ni_sampler_fill(&t->sampler, run->at.epoch, run->at.batch * run->per_step, (uint32_t)run->per_step);
    if (t->count) rc = pass(t, &loss, err);
    if (!ni_run_may_step(run)) return NEAP_OK; /* stopped: ni_run_next ends it */
    if (rc != NEAP_OK) return rc;
    if (t->count && isfinite(loss)) optimise(t);
    ni_run_took(run, t->count, loss * t->count);
    return NEAP_OK;
}

static neap_status validate(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    const neap_model *m = run->model;
    neap_status rc = make_vectors(&t->net, m->rows, t->vectors, err);
    if (rc == NEAP_OK) {
        score_pairs(t->vectors, m->dim, run->split->positive, run->split->count, run->positive);
        score_pairs(t->vectors, m->dim, run->split->negative, run->split->count, run->negative);
    }
    return ni_run_judge(run, rc, err);
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    trainer t;
    ni_run *run = &t.run;
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) rc = begin(&t, err);
    while (rc == NEAP_OK && ni_run_next(run)) rc = run->judging ? validate(&t, err) : step(&t, err);
    trainer_free(&t);
    return ni_run_end(run, rc, out);
}

/* ---- memory ---- */

/* The largest of a few batches, and a margin for the others; or of what validation reads at once. */
static uint64_t measure_batches(trainer *t)
{
    enum { LOOKS = 8 };
    uint64_t batch = t->o->a.sampling.batch, most = 0;
    uint64_t batches = (t->sampler.positions + batch - 1) / batch;
    for (uint64_t i = 0; i < LOOKS && i < batches; i++) {
        t->count =
            ni_sampler_fill(&t->sampler, 0, i * (batches / LOOKS + 1) % batches * batch, (uint32_t)batch);
        number_nodes(t);
        uint64_t here = ni_mlp_bytes(&t->net, t->node, t->nodes);
        forget_nodes(t);
        if (here > most) most = here;
    }
    most += most / 10;
    uint32_t list[NODES_AT_ONCE], nodes = t->run.split ? t->run.model->rows : 0, count;
    for (uint32_t first = 0; first < nodes; first += count) {
        count = list_nodes(first, nodes, list);
        uint64_t here = ni_mlp_bytes(&t->net, list, count);
        if (here > most) most = here;
    }
    return most;
}

static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    trainer t;
    ni_parameter list[PARAMETERS];
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) {
        const neap_model *m = t.run.model;
        ni_run_bytes(&t.run, job->data->graph, r);
        list_parameters(m, list);
        r->bytes_graph += ni_sampler_bytes(&t.o->a.sampling, m->graph) + ni_mlp_fixed_bytes(&t.net);
        if (t.split_hood.offset) r->bytes_graph += ni_hood_bytes(&t.split_hood);
        if (t.run.split) r->bytes_graph += (uint64_t)m->rows * m->dim * sizeof *t.vectors;
        r->bytes_optimizer = ni_optimizer_bytes(t.o->a.optimizer, list, PARAMETERS);
        size_t own = lay_out(&t, NULL);
        if (ni_block_grow(&t.block, own)) {
            lay_out(&t, ni_first_line(t.block.memory));
            memset(t.node_at, 0xff, m->rows * sizeof *t.node_at);
            r->bytes_batch = own + measure_batches(&t) + ni_sampler_step_bytes(&t.sampler);
            rc = ni_threads_check(t.run.threads, err);
        } else rc = ni_fail_memory(err, "a batch; a smaller --batch needs less");
    }
    trainer_free(&t);
    ni_run_free(&t.run);
    return rc;
}

const ni_method ni_method_gapmlp = {
    .info = { .size = sizeof(neap_method_info),
              .name = "gapmlp",
              .summary = "gap with a feed-forward network over neighbours in place of attention",
              .details =
                  "As gap, but the vector of a node is what a network with one hidden layer makes of\n"
                  "its neighbours' vectors, whatever the partner: --form flat reads them one behind\n"
                  "the other, zeros up to --neighbors, so that their order matters; --form mean reads\n"
                  "each by itself and takes the mean. A pair scores the product of its vectors. An\n"
                  "ablation of the paper, which leaves the network open. One epoch is one pass over\n"
                  "the edges.\n"
                  "Kefato and Girdzijauskas, Graph Neighborhood Attentive Pooling, 2020.",
              .vectors = 1 },
    .options = { sizeof(gapmlp_options), parts, defaults },
    .hood = ni_gap_hood,
    .own = sizeof(gapmlp),
    .declare = declare,
    .train = train,
    .bytes = bytes,
    .open = open_query,
    .close = close_query,
    .score = score,
    .score_all = score_all,
    .vectors = all_vectors,
};
