/* DMTE: vectors of text that spreads over links, side by side with vectors of structure, by Adam on edges
 * and drawn non-edges (diffusion.h has the equations). Every edge comes in both orders, each with a
 * negative of its own: the loss is symmetric in its ends. The released program spreads text only among the
 * nodes of a batch and squares P element by element; this is the paper's form, over the whole training
 * graph. */
#include <string.h>

#include "base/sys.h"
#include "methods/diffusion.h"
#include "methods/dot.h"
#include "model/edge_learner.h"
#include "model/sampler.h"
#include "support/status.h"

enum { MEAN_WORDS, MEAN_PADDED };
enum { SPREAD_GRAPH, SPREAD_BATCH };

typedef struct dmte_options {
    ni_learning learning;
    ni_sampling sampling;
    ni_text_options text;
    uint32_t word_dim;
    uint32_t text_mean; /* MEAN_...   */
    uint32_t diffusion; /* SPREAD_... */
    double init;
} dmte_options;

static const ni_option own_options[] = {
    NI_OPTION(dmte_options, U32, word_dim, "word-dim", "", 0, "text", "N", "200", "200", "200", 1, 4096, 1,
              "numbers in the vector of a word (dmte)"),
    NI_OPTION(dmte_options, CHOICE, text_mean, "text-mean", "", 0, "text", "words|padded", "words", "words",
              "padded", 0, 0, 1,
              "a text is the mean over its words, or over --text-length words, of which those that it does "
              "not have are 0 (dmte)"),
    NI_OPTION(dmte_options, CHOICE, diffusion, "diffusion", "", 0, "text", "graph|batch", "graph", "graph",
              "batch", 0, 0, 1,
              "text spreads over the whole graph, or as in the released program only among the nodes of a "
              "step (dmte)"),
    NI_OPTION(dmte_options, REAL, init, "init", "", 0, "text", "X", "0.1", "0.1", "0.3", 0, 100, 1,
              "standard deviation of start values (dmte)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(dmte_options, learning), "dim,epochs,lr,decay,valid,patience" },
    { &ni_sampling_set, offsetof(dmte_options, sampling), NULL },
    { &ni_text_set, offsetof(dmte_options, text), NULL },
    { &own_set, 0, NULL },
    { 0 },
};

static const ni_default defaults[] = {
    { "dim", { "200", "200", "200" } },
    { "epochs", { "200", "200", "200" } },
    { "lr", { "0.001", "0.001", "0.001" } },
    { "valid", { "0.1", "0.1", "0" } },
    { "patience", { "10", "10", "10" } },
    { "min-count", { "2", "5", "1" } },
    { "batch", { "256", "256", "256" } },
    { "negative-sampling", { "uniform", "uniform", "degree-0.75" } },
    { "fresh-negatives", { "yes", "yes", "yes" } },
    { "reject-links", { "yes", "no", "no" } },
    { "shuffle", { "yes", "yes", "yes" } },
    { 0 },
};

static neap_status check(const ni_settings *s, neap_error *err)
{
    const dmte_options *o = s->own;
    if (o->learning.dim % 2 == 0) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG,
                   "--dim %u is odd; a vector of dmte has two halves of one length, text and structure",
                   o->learning.dim);
}

static const ni_text_options *text_of(const ni_settings *s)
{
    return &((const dmte_options *)s->own)->text;
}

static bool spreads_in_batches(const neap_model *m)
{
    return ((const dmte_options *)m->settings->own)->diffusion == SPREAD_BATCH;
}

/* ---- tensors ---- */

typedef struct dmte {
    ni_dot dot; /* E: rows x dim: [t ; N], made in the end */
    float *M;   /* words x word_dim                        */
    float *W;   /* 3 word_dim x dim / 2                    */
    float *N;   /* rows x dim / 2                          */
} dmte;

static void declare(neap_model *m, ni_declaration *d)
{
    dmte *own = m->own;
    const dmte_options *o = m->settings->own;
    uint32_t h = m->dim / 2;
    ni_declare_matrix(d, "E", NI_FIXED, m->rows, m->dim, &own->dot.E);
    ni_declare_matrix(d, "words", NI_LEARNED, m->texts.words.count, o->word_dim, &own->M);
    ni_declare_matrix(d, "W", NI_LEARNED, NI_DIFFUSION_HOPS * (uint64_t)o->word_dim, h, &own->W);
    ni_declare_matrix(d, "nodes", NI_LEARNED, m->rows, h, &own->N);
    d->moments = NI_MOMENTS_ADAM;
    d->positions = 2 * m->graph->edges;
}

/* Normal, drawn again beyond two deviations, as in the released program. */
static void draw(const neap_model *m, ni_stream stream, uint64_t tensor, uint64_t rows, uint64_t columns,
                 float *to)
{
    double init = ((const dmte_options *)m->settings->own)->init;
    for (uint64_t r = 0; r < rows; r++) {
        ni_rng rng = ni_rng_at(m->settings->common.seed, stream, tensor, r);
        for (uint64_t i = 0; i < columns; i++) {
            double x;
            do x = ni_normal(&rng);
            while (x < -2 || x > 2);
            to[r * columns + i] = (float)(init * x);
        }
    }
}

static neap_status make_tensors(neap_model *m, neap_error *err)
{
    const dmte *own = m->own;
    const dmte_options *o = m->settings->own;
    neap_status rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    draw(m, NI_STREAM_ENCODER, 0, m->texts.words.count, o->word_dim, own->M);
    draw(m, NI_STREAM_ENCODER, 1, NI_DIFFUSION_HOPS * (uint64_t)o->word_dim, m->dim / 2, own->W);
    draw(m, NI_STREAM_TABLE, 0, m->rows, m->dim / 2, own->N);
    return NEAP_OK;
}

/* ---- new nodes ----
 *
 * A node of an extension reads, and is not read: with P over links with nodes that were in training,
 *   t = [c, 0.3 P c, 0.1 P^2 c] W,    N = the mean of its neighbours'.
 * With --diffusion batch nobody is in a step with it: t = c W_0.
 * Made by the first query, in stripes of c's columns, so that memory does not depend on word_dim. One
 * thread. */

enum { COLUMNS = 16 };

typedef struct stripe {
    const neap_model *m;
    uint32_t first, width; /* columns of c       */
    float *c, *x;          /* nodes x width: c; P c */
} stripe;

static void stripe_mean(const stripe *s, uint32_t u, float *c)
{
    const neap_model *m = s->m;
    const dmte *own = m->own;
    const dmte_options *o = m->settings->own;
    const ni_kernels *k = ni_kernels_get();
    uint32_t length = o->text_mean == MEAN_PADDED ? o->text.text_length : ni_text_size(&m->texts, u);
    memset(c, 0, s->width * sizeof *c);
    for (uint64_t i = m->texts.offset[u]; i < m->texts.offset[u + 1]; i++)
        k->axpy(1 / (float)length, own->M + (uint64_t)m->texts.word[i] * o->word_dim + s->first, c,
                s->width);
    k->tanh(c, s->width, c);
}

/* Row u of P B. */
static void stripe_hop(const stripe *s, uint32_t u, const float *B, float *to)
{
    const ni_links *l = &s->m->links;
    double strength = 0;
    memset(to, 0, s->width * sizeof *to);
    for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++)
        if (l->node[i] < s->m->rows) strength += l->weight ? (double)l->weight[i] : 1;
    for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++)
        if (l->node[i] < s->m->rows)
            ni_kernels_get()->axpy((float)((l->weight ? (double)l->weight[i] : 1) / strength),
                                   B + (uint64_t)l->node[i] * s->width, to, s->width);
}

/* What the stripe adds to t of node u. */
static void stripe_add(const stripe *s, uint32_t u, float *t)
{
    const dmte *own = s->m->own;
    uint64_t wide = ((const dmte_options *)s->m->settings->own)->word_dim, h = s->m->dim / 2;
    float hops[NI_DIFFUSION_HOPS][COLUMNS];
    memcpy(hops[0], s->c + (uint64_t)u * s->width, s->width * sizeof *s->c);
    memcpy(hops[1], s->x + (uint64_t)u * s->width, s->width * sizeof *s->x);
    stripe_hop(s, u, s->x, hops[2]);
    uint32_t count = spreads_in_batches(s->m) ? 1 : NI_DIFFUSION_HOPS;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < s->width; i++)
            ni_kernels_get()->axpy(ni_diffusion_hops[k] * hops[k][i],
                                   own->W + (k * wide + s->first + i) * h, t, h);
}

static neap_status read_new(const neap_model *m, uint32_t from, uint32_t end, ni_threads *threads,
                            float *rows, neap_error *err)
{
    uint32_t wide = ((const dmte_options *)m->settings->own)->word_dim;
    stripe s = { .m = m,
                 .c = ni_array(end, COLUMNS * sizeof *s.c),
                 .x = ni_array(end, COLUMNS * sizeof *s.x) };
    neap_status rc = s.c && s.x ? NEAP_OK : ni_fail_memory(err, "the vectors of new nodes");
    for (uint32_t u = from; u < end && rc == NEAP_OK; u++) {
        float *to = rows + (uint64_t)(u - from) * m->dim;
        ni_dot_mean(m, u, to);
        memset(to, 0, m->dim / 2 * sizeof *to);
    }
    for (; s.first < wide && rc == NEAP_OK; s.first += s.width) {
        s.width = wide - s.first < COLUMNS ? wide - s.first : COLUMNS;
        for (uint32_t u = 0; u < end; u++) stripe_mean(&s, u, s.c + (uint64_t)u * s.width);
        for (uint32_t u = 0; u < end; u++) stripe_hop(&s, u, s.c, s.x + (uint64_t)u * s.width);
        for (uint32_t u = from; u < end; u++) stripe_add(&s, u, rows + (uint64_t)(u - from) * m->dim);
        rc = ni_threads_check(threads, err);
    }
    ni_free(s.c);
    ni_free(s.x);
    return rc;
}

static neap_status open_query(neap_query *q, neap_error *err)
{
    return ni_dot_open(q, read_new, err);
}

/* ---- training: l->own is an ni_diffusion over the links that are trained on ---- */

static ni_edge_options learns_by(const ni_settings *s)
{
    const dmte_options *o = s->own;
    return (ni_edge_options){ .learning = &o->learning,
                              .sampling = &o->sampling,
                              .optimizer = NI_ADAM,
                              .negatives = 1,
                              .both_orders = true };
}

static uint32_t list_parameters(const neap_model *m, ni_parameter *list)
{
    const dmte *own = m->own;
    const dmte_options *o = m->settings->own;
    uint32_t h = m->dim / 2;
    list[0] = (ni_parameter){ "words", own->M, m->texts.words.count, o->word_dim, .rate = 1 };
    list[1] = (ni_parameter){ "W", own->W, NI_DIFFUSION_HOPS * (uint64_t)o->word_dim, h, .rate = 1 };
    list[2] = (ni_parameter){ "nodes", own->N, m->rows, h, .rate = 1 };
    return 3;
}

static ni_diffusion_shape shape_of(const neap_model *m, uint64_t edges)
{
    const dmte_options *o = m->settings->own;
    uint64_t batch = o->sampling.batch < 2 * edges ? o->sampling.batch : 2 * edges;
    return (ni_diffusion_shape){ .nodes = m->rows,
                                 .words = m->texts.words.count,
                                 .width = o->word_dim,
                                 .half = m->dim / 2,
                                 .most = (uint32_t)(3 * batch),
                                 .padded = o->text_mean == MEAN_PADDED ? o->text.text_length : 0,
                                 .batch = o->diffusion == SPREAD_BATCH };
}

/* Text spreads over these links: those that are trained on, in the end all. */
static neap_status diffuse_over(ni_edge_learner *l, const ni_links *links, neap_error *err)
{
    const neap_model *m = l->run.model;
    const dmte *own = m->own;
    ni_diffusion_shape shape = shape_of(m, l->run.graph->edges);
    ni_diffusion_parameters p = { own->M, own->W, own->N };
    ni_diffusion_free(l->own);
    return ni_diffusion_create(&shape, links, &m->texts, &p, l->run.threads, l->own, err);
}

static neap_status create(ni_edge_learner *l, neap_error *err)
{
    return diffuse_over(l, l->run.links, err);
}

static void release(ni_edge_learner *l)
{
    ni_diffusion_free(l->own);
}

static neap_status pass(ni_edge_learner *l, uint32_t items, double *loss, neap_error *err)
{
    ni_diffusion *d = l->own;
    (void)err;
    *loss = ni_diffusion_pass(d, l->sampler.nodes, items);
    l->optimizer.parameter[0].gradient.values = d->dM;
    l->optimizer.parameter[1].gradient.values = d->dW;
    l->optimizer.parameter[2].gradient.values = d->dN;
    return NEAP_OK;
}

/* [t ; N] of all nodes into E; in batches t is the mean over the steps of the first epoch. */
static neap_status fill_vectors(ni_edge_learner *l, neap_error *err)
{
    ni_diffusion *d = l->own;
    float *E = ((const dmte *)l->run.model->own)->dot.E;
    (void)err;
    ni_diffusion_vectors(d, E);
    if (!spreads_in_batches(l->run.model)) return NEAP_OK;
    uint32_t batch = l->o.sampling->batch;
    ni_diffusion_average_begin(d);
    for (uint64_t first = 0; first < l->sampler.positions; first += batch) {
        uint32_t items = ni_sampler_fill(&l->sampler, 0, first, batch);
        ni_diffusion_average_add(d, l->sampler.nodes, items);
    }
    ni_diffusion_average_end(d, E);
    return NEAP_OK;
}

static neap_status score_held_out(ni_edge_learner *l, const neap_pair *pairs, size_t count, float *scores,
                                  neap_error *err)
{
    return ni_dot_score_by(l->run.model, NULL, pairs, count, scores, err);
}

/* Of the best epoch, over all links of the model. */
static neap_status finish(ni_edge_learner *l, neap_error *err)
{
    neap_status rc = diffuse_over(l, &l->run.model->links, err);
    return rc == NEAP_OK ? fill_vectors(l, err) : rc;
}

static neap_status bytes(ni_edge_learner *l, neap_estimate_result *r, neap_error *err)
{
    const neap_model *m = l->run.model;
    ni_diffusion_shape shape = shape_of(m, l->run.graph->edges);
    (void)err;
    r->bytes_batch += ni_diffusion_bytes(&shape, &m->links, &m->texts, ni_threads_count(l->run.threads));
    return NEAP_OK;
}

static const ni_edge_rules rules = {
    .own = sizeof(ni_diffusion),
    .options = learns_by,
    .tensors = make_tensors,
    .parameters = list_parameters,
    .create = create,
    .release = release,
    .pass = pass,
    .refresh = fill_vectors,
    .score = score_held_out,
    .finish = finish,
    .bytes = bytes,
};

const ni_method ni_method_dmte = {
    .info = { .size = sizeof(neap_method_info),
              .name = "dmte",
              .summary = "text of nodes that spreads over links, beside vectors of structure",
              .details =
                  "Half of a vector is made of text: the mean of the words' vectors, of the node\n"
                  "and, with less weight, of the nodes one and two links away; the other half is the\n"
                  "node's own. Both are trained on edges against drawn non-edges, each half with its\n"
                  "like and with the other; a pair scores by the product. Text spreads over the\n"
                  "whole graph, as in the paper; the released program (--diffusion batch) spreads\n"
                  "it among the nodes of a step, and a vector is a mean over steps.\n"
                  "Zhang, Li, Song, Duan, Huang, Wan and Carin, Diffusion Maps for Textual Network\n"
                  "Embedding, 2018.",
              .vectors = 1,
              .text = 1,
              .new_text = 1 },
    .options = { sizeof(dmte_options), parts, defaults },
    .family = &rules,
    .check = check,
    .text = text_of,
    .own = sizeof(dmte),
    .declare = declare,
    .release = ni_dot_release,
    .open = open_query,
    .train = ni_edges_train,
    .bytes = ni_edges_bytes,
    NI_DOT_ANSWERS,
};
