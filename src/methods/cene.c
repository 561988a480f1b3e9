/* CENE: nodes and texts in one space (Sun, Guo, Ding and Liu, A General Framework for Content-enhanced
 * Network Representation Learning, 2016). A step trains on a batch of edges and on its share of the texts
 * (cene_arcs.h); an epoch is one pass over the edges and one over the texts. */
#include <math.h>
#include <string.h>

#include "attention/family.h"
#include "base/sys.h"
#include "methods/cene_arcs.h"
#include "methods/dot.h"
#include "model/edge_learner.h"
#include "support/status.h"

enum { LEFT_RIGHT, CONCAT, BOTH };
enum { AVERAGE, GRU };

typedef struct cene_options {
    ni_attention_options a; /* first; of which learning, sampling and optimizer count */
    ni_text_options text;
    uint32_t text_negatives;
    double text_weight;
    uint32_t pair_score; /* LEFT_RIGHT, CONCAT, BOTH */
    uint32_t content;    /* AVERAGE, GRU */
} cene_options;

static const ni_option own_options[] = {
    NI_OPTION(cene_options, U32, text_negatives, "text-negatives", "", 0, "text", "N", "1", "25", "25", 1,
              1024, 1, "texts of other nodes that a node's own is told from (cene)"),
    NI_OPTION(cene_options, REAL, text_weight, "text-weight", "", 0, "text", "X", "1", "1", "1", 0, 1000, 1,
              "weight of the loss of a text beside that of an edge (cene)"),
    NI_OPTION(cene_options, CHOICE, pair_score, "pair-score", "", 0, "model", "left-right|concat|both",
              "both", "left-right", "left-right", 0, 0, 1,
              "a pair scores the first half of one vector times the second half of the other, or the "
              "product of the whole vectors, or the sum of both (cene)"),
    NI_OPTION(cene_options, CHOICE, content, "content", "", 0, "model", "average|gru", "average", "average",
              "average", 0, 0, 1,
              "a text is the mean of its words' vectors, or of the states of a GRU that reads them (cene)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(cene_options, a.learning), NULL },
    { &ni_sampling_set, offsetof(cene_options, a.sampling), NULL },
    { &ni_attention_set, offsetof(cene_options, a), "optimizer" },
    { &ni_text_set, offsetof(cene_options, text), NULL },
    { &own_set, 0, NULL },
    { 0 },
};

static const ni_default defaults[] = {
    { "epochs", { "100", "500", "500" } },
    { "batch", { "256", "1000", "1000" } },
    { "lr", { "0.003", "0.003", "0.02" } },
    { "negatives", { "1", "15", "15" } },
    { "patience", { "20", "20", "20" } },
    { "negative-sampling", { "degree-0.75", "degree-0.75", "degree-0.75" } },
    { "fresh-negatives", { "yes", "yes", "yes" } },
    { "reject-links", { "yes", "yes", "yes" } },
    { "shuffle", { "yes", "yes", "yes" } },
    { "optimizer", { "lazy-adam", "lazy-adam", "adagrad" } },
    { 0 },
};

static neap_status check(const ni_settings *s, neap_error *err)
{
    const cene_options *o = s->own;
    if (o->a.learning.dim % 2 == 0) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "--dim %u is odd; a vector of cene has two halves of one length",
                   o->a.learning.dim);
}

static const ni_text_options *text_of(const ni_settings *s)
{
    const cene_options *o = s->own;
    return &o->text;
}

/* ---- tensors ---- */

typedef struct cene {
    ni_dot dot;                   /* E: rows x dim, p_u and p_v of each node                 */
    float *W;                     /* words x dim                                             */
    float *gru_W, *gru_U, *gru_b; /* dim x 3 dim, dim x 3 dim, 1 x 3 dim; NULL: the mean of words */
} cene;

static bool has_gru(const neap_model *m)
{
    const cene_options *o = m->settings->own;
    return o->content == GRU;
}

static ni_gru gru_of(const neap_model *m)
{
    const cene *own = m->own;
    return (ni_gru){ m->dim, m->dim, own->gru_W, own->gru_U, own->gru_b };
}

static void declare(neap_model *m, ni_declaration *d)
{
    cene *own = m->own;
    const cene_options *o = m->settings->own;
    ni_dot_declare(m, d);
    ni_declare_matrix(d, "words", NI_LEARNED, m->texts.words.count, m->dim, &own->W);
    if (has_gru(m)) {
        ni_declare_matrix(d, "gru.W", NI_LEARNED, m->dim, 3 * (uint64_t)m->dim, &own->gru_W);
        ni_declare_matrix(d, "gru.U", NI_LEARNED, m->dim, 3 * (uint64_t)m->dim, &own->gru_U);
        ni_declare_matrix(d, "gru.b", NI_LEARNED, 1, 3 * (uint64_t)m->dim, &own->gru_b);
    }
    d->moments = o->a.optimizer == NI_ADAGRAD ? NI_MOMENTS_ADAGRAD : NI_MOMENTS_ADAM;
    d->positions = 2 * m->graph->edges; /* both orders */
}

/* Matrix number `which` of the GRU, uniform within +-1/sqrt(d), as PyTorch has it. */
static void draw_gru(const neap_model *m, uint64_t which, float *W)
{
    uint64_t d = m->dim;
    for (uint64_t i = 0; i < d; i++) {
        ni_rng rng = ni_rng_at(m->settings->common.seed, NI_STREAM_ENCODER, which, i);
        for (uint64_t k = 0; k < 3 * d; k++)
            W[i * 3 * d + k] = (float)((2 * ni_uniform(&rng) - 1) / sqrt((double)d));
    }
}

/* p_u uniform within +-1/d, p_v zero, words within +-0.5/d; before a GRU, whose gates need something to
 * tell words by, within +-1/sqrt(d). */
static neap_status make_tensors(neap_model *m, neap_error *err)
{
    const cene *own = m->own;
    uint64_t d = m->dim;
    neap_status rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    ni_model_draw_rows(m, 1.0 / (double)d, own->dot.E);
    for (uint64_t u = 0; u < m->rows; u++)
        memset(own->dot.E + u * d + d / 2, 0, d / 2 * sizeof *own->dot.E);
    double bound = has_gru(m) ? 1 / sqrt((double)d) : 0.5 / (double)d;
    for (uint64_t w = 0; w < m->texts.words.count; w++)
        ni_model_draw_row(m, (uint64_t)NEAP_NONE + 1 + w, bound, own->W + w * d);
    if (has_gru(m)) draw_gru(m, 0, own->gru_W), draw_gru(m, 1, own->gru_U);
    return NEAP_OK;
}

/* A new node has the encoding of its text, which training brought near to the node's vector. */
static neap_status read_new(const neap_model *m, uint32_t first, uint32_t end, ni_threads *threads,
                            float *rows, neap_error *err)
{
    const cene *own = m->own;
    ni_gru gru = gru_of(m);
    neap_status rc =
        ni_cene_encode(&m->texts, own->W, has_gru(m) ? &gru : NULL, first, end, m->dim, threads, rows, err);
    if (rc == NEAP_OK) ni_dot_fill_textless(m, first, end, rows);
    return rc;
}

static neap_status open_query(neap_query *q, neap_error *err)
{
    return ni_dot_open(q, read_new, err);
}

/* ---- scores ---- */

/* p_u[x] . p_v[y], in an undirected graph the mean of that and p_u[y] . p_v[x]; x . y; or their sum. */
static float score_of(const neap_model *m, const float *x, const float *y)
{
    const ni_kernels *k = ni_kernels_get();
    const cene_options *o = m->settings->own;
    uint32_t h = m->dim / 2;
    float whole = o->pair_score == LEFT_RIGHT ? 0 : k->dot(x, y, m->dim);
    if (o->pair_score == CONCAT) return whole;
    float there = k->dot(x, y + h, h);
    return whole + (m->graph->undirected ? 0.5F * (there + k->dot(y, x + h, h)) : there);
}

static neap_status score(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    return ni_dot_score_by(q->model, score_of, pairs, count, scores, err);
}

static neap_status score_all(neap_query *q, uint32_t source, float *scores, neap_error *err)
{
    return ni_dot_score_all_by(q->model, score_of, source, scores, err);
}

/* ---- what a step needs ---- */

typedef struct trainer {
    const cene_options *o;
    uint32_t *with_text; /* nodes with a text                       */
    uint32_t texts;      /* how many                                */
    uint64_t steps;      /* of an epoch                             */
    uint32_t *readers;   /* of a step: nodes whose texts are read   */
    uint32_t reader_count;
    uint32_t *others; /* of a step: groups x text_negatives      */
    ni_cene_limits most;
    ni_cene_arcs arcs;
} trainer;

/* Steps of the GRU's weights to those of vectors: they step in every batch, a word only where it occurs.
 * Chosen by validation (docs/methods.md). */
#define GRU_RATE 0.03

static uint32_t list_parameters(const neap_model *m, ni_parameter *list)
{
    const cene *own = m->own;
    list[0] = (ni_parameter){ "E", own->dot.E, m->rows, m->dim, .by_rows = true, .rate = 1 };
    list[1] = (ni_parameter){ "words", own->W, m->texts.words.count, m->dim, .by_rows = true, .rate = 1 };
    if (!has_gru(m)) return 2;
    list[2] = (ni_parameter){ "gru.W", own->gru_W, m->dim, 3 * m->dim, .rate = GRU_RATE };
    list[3] = (ni_parameter){ "gru.U", own->gru_U, m->dim, 3 * m->dim, .rate = GRU_RATE };
    list[4] = (ni_parameter){ "gru.b", own->gru_b, 1, 3 * m->dim, .rate = GRU_RATE };
    return 5;
}

/* Step `i` of an epoch reads the texts at positions i texts / steps and on. */
static uint64_t first_reader(const trainer *t, uint64_t step)
{
    return step * t->texts / t->steps;
}

static neap_status make_step(ni_edge_learner *l, neap_error *err)
{
    trainer *t = l->own;
    const neap_model *m = l->run.model;
    t->o = m->settings->own;
    uint64_t batch = t->o->a.sampling.batch, positions = l->sampler.positions;
    if (!(t->with_text = ni_array(m->rows, sizeof *t->with_text))) return ni_fail_memory(err, "the texts");
    for (uint32_t u = 0; u < m->rows; u++)
        if (ni_text_size(&m->texts, u)) t->with_text[t->texts++] = u;
    t->steps = (positions + batch - 1) / batch;
    t->most.arcs = batch < positions ? batch : positions;
    t->most.readers = t->texts / t->steps + (t->texts % t->steps > 0);
    t->most.groups = ni_tasks(t->most.readers, NI_CENE_GROUP);
    t->most.negatives = t->o->a.learning.negatives;
    t->most.text_negatives = t->o->text_negatives;
    t->most.text_weight = t->o->text_weight;
    t->most.gru = t->o->content == GRU;
    t->readers = ni_array(t->most.readers, sizeof *t->readers);
    t->others = ni_array(t->most.groups * t->most.text_negatives, sizeof *t->others);
    return t->readers && t->others ? NEAP_OK : ni_fail_memory(err, "a batch");
}

static neap_status create(ni_edge_learner *l, neap_error *err)
{
    trainer *t = l->own;
    const neap_model *m = l->run.model;
    neap_status rc = make_step(l, err);
    return rc == NEAP_OK ? ni_cene_arcs_create(&m->texts, l->run.links, m->rows, m->dim, &t->most,
                                               l->run.threads, &t->arcs, err)
                         : rc;
}

static void release(ni_edge_learner *l)
{
    trainer *t = l->own;
    ni_cene_arcs_free(&t->arcs);
    ni_free(t->with_text);
    ni_free(t->readers);
    ni_free(t->others);
}

/* ---- steps ---- */

/* The texts of a step, in an order of the epoch's own, and for each group the texts of other nodes. */
static neap_status draw_texts(ni_edge_learner *l, uint32_t items, uint32_t *more, neap_error *err)
{
    trainer *t = l->own;
    uint64_t seed = l->sampler.seed, epoch = l->sampler.epoch, step = l->sampler.first / l->run.per_step;
    uint64_t first = first_reader(t, step);
    uint32_t count = (uint32_t)(first_reader(t, step + 1) - first), k = t->o->text_negatives;
    (void)items, (void)err;
    for (uint32_t i = 0; i < count; i++)
        t->readers[i] = t->with_text[ni_permute(seed, NI_STREAM_READER, epoch, t->texts, first + i)];
    for (uint32_t g = 0; g < ni_tasks(count, NI_CENE_GROUP); g++) {
        ni_rng rng = ni_rng_at(seed, NI_STREAM_TEXTS, epoch, first + (uint64_t)g * NI_CENE_GROUP);
        for (uint32_t i = 0; i < k; i++)
            t->others[(uint64_t)g * k + i] = t->with_text[ni_below(&rng, t->texts)];
    }
    *more = t->reader_count = count;
    return NEAP_OK;
}

static neap_status pass(ni_edge_learner *l, uint32_t items, double *loss, neap_error *err)
{
    trainer *t = l->own;
    const neap_model *m = l->run.model;
    const cene *own = m->own;
    const ni_cene_arcs *a = &t->arcs;
    ni_parameter *list = l->optimizer.parameter;
    ni_gru gru = gru_of(m);
    ni_cene_batch batch = { l->sampler.nodes, items, t->readers, t->reader_count, t->others };
    (void)err;
    *loss = items * ni_cene_arcs_pass(&t->arcs, &batch, own->dot.E, own->W, has_gru(m) ? &gru : NULL);
    list[0].gradient = (ni_gradient){ a->dX, a->node, a->nodes };
    list[1].gradient = (ni_gradient){ a->dW, a->word, a->words };
    if (!has_gru(m)) return NEAP_OK;
    list[2].gradient = (ni_gradient){ a->gru_dW, NULL, a->dim };
    list[3].gradient = (ni_gradient){ a->gru_dU, NULL, a->dim };
    list[4].gradient = (ni_gradient){ a->gru_db, NULL, 1 };
    return NEAP_OK;
}

static neap_status score_held_out(ni_edge_learner *l, const neap_pair *pairs, size_t count, float *scores,
                                  neap_error *err)
{
    return ni_dot_score_by(l->run.model, score_of, pairs, count, scores, err);
}

static neap_status bytes(ni_edge_learner *l, neap_estimate_result *r, neap_error *err)
{
    const trainer *t = l->own;
    const neap_model *m = l->run.model;
    neap_status rc = make_step(l, err);
    if (rc != NEAP_OK) return rc;
    r->bytes_graph += 4 * (uint64_t)m->rows;
    r->bytes_batch +=
        ni_cene_arcs_bytes(&m->texts, m->rows, m->dim, &t->most, ni_threads_count(l->run.threads)) +
        4 * t->most.readers + 4 * t->most.groups * t->most.text_negatives;
    return NEAP_OK;
}

static const ni_edge_rules rules = {
    .own = sizeof(trainer),
    .options = ni_attention_learning,
    .tensors = make_tensors,
    .parameters = list_parameters,
    .create = create,
    .release = release,
    .draw = draw_texts,
    .pass = pass,
    .score = score_held_out,
    .bytes = bytes,
};

const ni_method ni_method_cene = {
    .info = { .size = sizeof(neap_method_info),
              .name = "cene",
              .summary = "nodes and their texts in one space: a node is near its neighbours and its words",
              .details =
                  "A node has a vector of two halves: the first as a source, the second as a target. A\n"
                  "link scores the first half of one node times the second half of the other, and a\n"
                  "text, the mean of its words' vectors, scores its product with the whole vector of the\n"
                  "node. Trained to tell links from non-links and a node's text from other texts. One\n"
                  "epoch is one pass over the edges and one over the texts; sixteen texts share those\n"
                  "they are told from. --content gru: a text is the mean of the states of a GRU that "
                  "reads\n"
                  "its words in their order. A new node with a text has the text's vector. The authors'\n"
                  "program steps by plain gradients, arc by arc, from word vectors that were trained\n"
                  "before; here batches step by Adam or Adagrad, from random ones. With its 15 and 25\n"
                  "negatives all scores must first become negative, which takes many epochs: the preset\n"
                  "neap takes one of each, and adds the product of the whole vectors to the score of a\n"
                  "pair. The authors scale each finished vector to [0, 1]; here vectors stay as they were\n"
                  "trained, since products of numbers that are never negative tell links badly.\n"
                  "Sun, Guo, Ding and Liu, A General Framework for Content-enhanced Network\n"
                  "Representation Learning, 2016.",
              .vectors = 1,
              .text = 1,
              .new_text = 1 },
    .options = { sizeof(cene_options), parts, defaults },
    .family = &rules,
    .check = check,
    .text = text_of,
    .own = sizeof(cene),
    .declare = declare,
    .release = ni_dot_release,
    .open = open_query,
    .train = ni_edges_train,
    .bytes = ni_edges_bytes,
    .score = score,
    .score_all = score_all,
    .vectors = ni_dot_vectors,
    .some_vectors = ni_dot_some_vectors,
};
