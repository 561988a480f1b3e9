/* gapmlp: the paper's ablation of attention (section 4.4): gap with a feed-forward network over the
 * neighbours of each node in place of the attention of both sides. No code of it was released; the shape of
 * the network is ours (mlp.h, docs/methods.md). Sampler, objectives, neighbourhoods and dropout are gap's.
 * A node has one vector for all partners. */
#include <math.h>
#include <string.h>

#include "attention/family.h"
#include "attention/loss.h"
#include "base/sys.h"
#include "methods/mlp.h"
#include "model/edge_learner.h"
#include "model/method.h"
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

static uint32_t list_parameters(const neap_model *m, ni_parameter *list)
{
    const gapmlp *own = m->own;
    const gapmlp_options *o = m->settings->own;
    list[0] = (ni_parameter){ "E", own->E, m->rows, m->dim, .by_rows = true, .rate = 1 };
    list[1] = (ni_parameter){ "W1", own->W1, weight_rows(m), o->hidden, .by_rows = true, .rate = 1 };
    list[2] = (ni_parameter){ "b1", own->b1, 1, o->hidden, .rate = 1 };
    list[3] = (ni_parameter){ "W2", own->W2, o->hidden, m->dim, .rate = 1 };
    list[4] = (ni_parameter){ "b2", own->b2, 1, m->dim, .rate = 1 };
    return 5;
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

/* ---- what a step needs ---- */

typedef struct trainer {
    const gapmlp_options *o;
    ni_mlp net;
    float *vectors; /* rows x dim, for validation; NULL before the first                   */

    ni_block block;        /* of a step; all below lie in it                             */
    uint64_t items;        /* of a step, at most                                         */
    uint32_t *node_at;     /* rows: index in `node`, or NEAP_NONE between steps          */
    uint32_t *node;        /* distinct nodes of the step                                 */
    uint32_t nodes, count; /* how many; items of the step                            */
    const uint32_t *item;  /* the step's: items x (2 + K) nodes                      */
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
    uint64_t width = width_of(t), nonzeros = 2 * t->items * width, rows = t->net.ids;
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
    t->dV = ni_carve(&c, nodes * t->net.out, sizeof *t->dV);
    return c.used;
}

static neap_status create(ni_edge_learner *l, neap_error *err)
{
    trainer *t = l->own;
    const neap_model *m = l->run.model;
    t->o = m->settings->own;
    t->items = l->sampler.most / (1 + width_of(t));
    if (t->items * (uint64_t)width_of(t) > UINT32_MAX / 2)
        return ni_fail(err, NEAP_E_LIMIT, "a step has too many pairs; use a smaller --batch");
    neap_status rc = make_net(m, l->hood, l->run.threads, &t->net, err);
    if (rc != NEAP_OK) return rc;
    if (!ni_block_grow(&t->block, lay_out(t, NULL)))
        return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    lay_out(t, ni_first_line(t->block.memory));
    memset(t->node_at, 0xff, m->rows * sizeof *t->node_at); /* NEAP_NONE */
    return NEAP_OK;
}

static void release(ni_edge_learner *l)
{
    trainer *t = l->own;
    ni_mlp_free(&t->net);
    ni_free(t->vectors);
    ni_free(t->block.memory);
}

/* ---- steps ---- */

enum { ITEMS_PER_TASK = 32, SUMS_PER_TASK = 64 };

/* The distinct nodes of so many items. */
static void number_nodes(trainer *t, const uint32_t *item, uint32_t count)
{
    uint64_t sides = (uint64_t)count * (1 + width_of(t));
    t->item = item, t->count = count;
    t->nodes = 0;
    for (uint64_t i = 0; i < sides; i++) {
        uint32_t u = item[i];
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
    const uint32_t *nodes = t->item + i * (1 + width);
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

static void set_gradients(const ni_mlp *n, ni_parameter *list)
{
    list[0].gradient = n->dE;
    list[1].gradient = n->dW1;
    list[2].gradient = (ni_gradient){ n->db1, NULL, 1 };
    list[3].gradient = (ni_gradient){ n->dW2, NULL, n->hidden };
    list[4].gradient = (ni_gradient){ n->db2, NULL, 1 };
}

static neap_status pass(ni_edge_learner *l, uint32_t items, double *loss, neap_error *err)
{
    trainer *t = l->own;
    ni_threads *threads = l->run.threads;
    number_nodes(t, l->sampler.nodes, items);
    neap_status rc = ni_mlp_forward(&t->net, t->node, t->nodes, l->run.at.updates, err);
    if (rc == NEAP_OK) ni_threads_run(threads, ni_tasks(items, ITEMS_PER_TASK), items_task, t);
    forget_nodes(t);
    if (rc != NEAP_OK) return rc;
    t->G.rows = t->nodes, t->G.nonzeros = 2 * (uint64_t)items * width_of(t);
    t->G.row = t->row, t->G.col = t->col, t->G.value = t->value;
    if (!ni_threads_left_out(threads)) ni_sparse_sort(&t->G, threads);
    if (ni_threads_left_out(threads)) return NEAP_OK; /* stopped */
    ni_threads_run(threads, ni_tasks(t->nodes, SUMS_PER_TASK), sums_task, t);
    ni_mlp_backward(&t->net, t->dV);
    set_gradients(&t->net, l->optimizer.parameter);
    for (uint32_t i = 0; i < items; i++) *loss += t->loss[i] / items;
    *loss *= items;
    return NEAP_OK;
}

static neap_status refresh(ni_edge_learner *l, neap_error *err)
{
    trainer *t = l->own;
    const neap_model *m = l->run.model;
    if (!t->vectors) t->vectors = ni_array((uint64_t)m->rows * m->dim, sizeof *t->vectors);
    return t->vectors ? make_vectors(&t->net, m->rows, t->vectors, err)
                      : ni_fail_memory(err, "the vectors");
}

static neap_status score_held_out(ni_edge_learner *l, const neap_pair *pairs, size_t count, float *scores,
                                  neap_error *err)
{
    const trainer *t = l->own;
    (void)err;
    score_pairs(t->vectors, l->run.model->dim, pairs, count, scores);
    return NEAP_OK;
}

/* ---- memory ---- */

static neap_status measure(ni_edge_learner *l, uint32_t items, uint64_t *bytes, neap_error *err)
{
    trainer *t = l->own;
    (void)err;
    number_nodes(t, l->sampler.nodes, items);
    *bytes = ni_mlp_bytes(&t->net, t->node, t->nodes);
    forget_nodes(t);
    return NEAP_OK;
}

/* Validation may read more at once than a step does. */
static neap_status bytes(ni_edge_learner *l, neap_estimate_result *r, neap_error *err)
{
    trainer *t = l->own;
    uint32_t list[NODES_AT_ONCE], nodes = l->run.split ? l->run.model->rows : 0, count;
    (void)err;
    for (uint32_t first = 0; first < nodes; first += count) {
        count = list_nodes(first, nodes, list);
        uint64_t here = ni_mlp_bytes(&t->net, list, count);
        if (here > r->bytes_batch) r->bytes_batch = here;
    }
    r->bytes_batch += lay_out(t, NULL);
    r->bytes_graph +=
        ni_mlp_fixed_bytes(&t->net) + (uint64_t)nodes * l->run.model->dim * sizeof *t->vectors;
    return NEAP_OK;
}

static const ni_edge_rules rules = {
    .own = sizeof(trainer),
    .options = ni_attention_learning,
    .tensors = make_tensors,
    .parameters = list_parameters,
    .create = create,
    .release = release,
    .pass = pass,
    .refresh = refresh,
    .score = score_held_out,
    .measure = measure,
    .bytes = bytes,
};

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
    .family = &rules,
    .hood = ni_gap_hood,
    .own = sizeof(gapmlp),
    .declare = declare,
    .train = ni_edges_train,
    .bytes = ni_edges_bytes,
    .open = open_query,
    .close = close_query,
    .score = score,
    .score_all = score_all,
    .vectors = all_vectors,
};
