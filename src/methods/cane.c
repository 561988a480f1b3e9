/* CANE (Tu, Liu, Liu and Sun 2017): a node has a vector of its own and, in each pair, one of its text, in
 * which the texts of both nodes attend to each other (cane_pairs.h). Trained by Adam on edges (a, b) and a
 * drawn non-link (a, z) for each. A model's vectors have two halves of h = dim / 2 numbers, [t ; n].
 * Training and a query own a reader each: a batch, and with --score-by mean the vectors of all nodes. */
#include <math.h>
#include <string.h>

#include "attention/options.h"
#include "base/rng.h"
#include "base/sys.h"
#include "linalg/kernels.h"
#include "methods/cane_explain.h"
#include "methods/cane_pairs.h"
#include "model/edge_learner.h"
#include "model/method.h"
#include "support/status.h"

enum { BY_CONTEXT, BY_MEAN };

typedef struct cane_options {
    ni_attention_options attention; /* learning, sampling, optimizer */
    ni_text_options text;
    ni_cane_rho rho;
    bool attend_padding;
    double deviation;  /* of start values */
    uint32_t score_by; /* BY_... */
} cane_options;

static const ni_option own_options[] = {
    NI_OPTION(cane_options, REAL, rho.text, "rho-text", "", 0, "model", "X", "1", "1", "1", 0, 1000, 1,
              "weight of text with text in the loss (cane)"),
    NI_OPTION(cane_options, REAL, rho.node, "rho-node", "", 0, "model", "X", "1", "0.3", "0.3", 0, 1000, 1,
              "weight of node with node in the loss (cane)"),
    NI_OPTION(cane_options, REAL, rho.cross, "rho-cross", "", 0, "model", "X", "1", "0.3", "0.3", 0, 1000,
              1, "weight of text with node in the loss (cane)"),
    NI_OPTION(cane_options, SWITCH, attend_padding, "attend-padding", "", 0, "model", "", "no", "yes",
              "yes", 0, 1, 1,
              "fill short texts up to --text-length with a word of its own, and read that, too (cane)"),
    NI_OPTION(cane_options, REAL, deviation, "deviation", "", 0, "model", "X", "0.1", "0.3", "0.3", 0, 100,
              1, "standard deviation of start values (cane)"),
    NI_OPTION(
        cane_options, CHOICE, score_by, "score-by", "", 0, "model", "context|mean", "context", "mean",
        "mean", 0, 0, 1,
        "a pair scores the product of the vectors that its nodes have in this pair, or of their means over "
        "all training pairs (cane)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(cane_options, attention.learning), "dim,epochs,lr,decay,valid,patience" },
    { &ni_attention_set, offsetof(cane_options, attention), "optimizer" },
    { &ni_sampling_set, offsetof(cane_options, attention.sampling), NULL },
    { &ni_text_set, offsetof(cane_options, text), NULL },
    { &own_set, 0, NULL },
    { 0 },
};

static const ni_default defaults[] = {
    { "dim", { "200", "200", "200" } },
    { "epochs", { "20", "200", "200" } },
    { "lr", { "0.003", "0.001", "0.001" } },
    { "batch", { "64", "64", "64" } },
    { "negative-sampling", { "degree-0.75", "degree-0.75", "degree-0.75" } },
    { "fresh-negatives", { "yes", "yes", "yes" } },
    { "reject-links", { "yes", "no", "no" } },
    { "shuffle", { "yes", "yes", "yes" } },
    { 0 },
};

static neap_status check(const ni_settings *s, neap_error *err)
{
    const cane_options *o = s->own;
    if (o->attention.learning.dim % 2)
        return ni_fail(err, NEAP_E_ARG, "--dim %u is odd; a vector of cane has two halves of one length",
                       o->attention.learning.dim);
    if (o->text.text_length < 2)
        return ni_fail(err, NEAP_E_ARG, "--text-length must be at least 2: cane reads two words at a time");
    return NEAP_OK;
}

static const ni_text_options *text(const ni_settings *s)
{
    const cane_options *o = s->own;
    return &o->text;
}

/* ---- tensors ---- */

typedef struct cane {
    float *E;       /* rows x h: vectors of nodes      */
    float *words;   /* (V+1) x h, the last: padding    */
    float *filters; /* 2 h x h: the convolution        */
    float *R;       /* h x h                           */
} cane;

static uint32_t half(const neap_model *m)
{
    return m->dim / 2;
}

static void declare(neap_model *m, ni_declaration *d)
{
    cane *own = m->own;
    const cane_options *o = m->settings->own;
    uint64_t h = half(m);
    ni_declare_matrix(d, "E", NI_LEARNED, m->rows, h, &own->E);
    ni_declare_matrix(d, "words", NI_LEARNED, (uint64_t)m->texts.words.count + 1, h, &own->words);
    ni_declare_matrix(d, "filters", NI_LEARNED, 2 * h, h, &own->filters);
    ni_declare_matrix(d, "R", NI_LEARNED, h, h, &own->R);
    d->moments = o->attention.optimizer == NI_ADAGRAD ? NI_MOMENTS_ADAGRAD : NI_MOMENTS_ADAM;
    d->positions = 2 * m->graph->edges; /* both orders */
}

/* Normal, none beyond two deviations. */
static void draw(const neap_model *m, ni_stream stream, uint64_t tensor, uint64_t rows, float *to)
{
    const cane_options *o = m->settings->own;
    uint64_t h = half(m);
    for (uint64_t i = 0; i < rows; i++) {
        ni_rng rng = ni_rng_at(m->settings->common.seed, stream, tensor, i);
        for (uint64_t k = 0; k < h; k++) {
            double x;
            do x = ni_normal(&rng);
            while (fabs(x) > 2);
            to[i * h + k] = (float)(o->deviation * x);
        }
    }
}

static neap_status make_tensors(neap_model *m, neap_error *err)
{
    const cane *own = m->own;
    uint64_t h = half(m);
    neap_status rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    draw(m, NI_STREAM_TABLE, 0, m->rows, own->E);
    draw(m, NI_STREAM_ENCODER, 0, (uint64_t)m->texts.words.count + 1, own->words);
    draw(m, NI_STREAM_ENCODER, 1, 2 * h, own->filters);
    draw(m, NI_STREAM_MATRIX, 0, h, own->R);
    return NEAP_OK;
}

static ni_cane_weights weights_of(const neap_model *m)
{
    const cane *own = m->own;
    const cane_options *o = m->settings->own;
    return (ni_cane_weights){ .h = half(m),
                              .length = o->text.text_length,
                              .padded = o->attend_padding,
                              .nodes = m->graph->nodes,
                              .texts = &m->texts,
                              .E = own->E,
                              .words = own->words,
                              .C = own->filters,
                              .R = own->R };
}

/* ---- vectors of pairs ---- */

/* In an undirected graph the text of a node is the mean of both orders of the pair. CELLS_MOST: pairs of
 * windows that are aligned at once, 64 MiB of them. */
enum { PAIRS_MOST = 128, CELLS_MOST = 1 << 24 };

/* What reads pairs: of a query, or of a run, whose graph may lack the pairs held back. */
typedef struct reader {
    const neap_model *model;
    const neap_graph *graph; /* whose edges are the contexts of the mean  */
    ni_threads *threads;
    ni_cane_batch *batch;
    float *mean; /* nodes x dim, or NULL: not made yet       */
    neap_pair pair[2 * PAIRS_MOST];
    float *vectors; /* 2 x PAIRS_MOST x dim */
} reader;

static neap_status reader_create(reader *r, const neap_model *m, const neap_graph *graph,
                                 ni_threads *threads, neap_error *err)
{
    ni_cane_weights w = weights_of(m);
    *r = (reader){ .model = m, .graph = graph, .threads = threads };
    r->vectors = ni_array(2 * PAIRS_MOST * (size_t)m->dim, sizeof *r->vectors);
    if (!r->vectors) return ni_fail_memory(err, "the vectors of pairs");
    return ni_cane_batch_create(&w, threads, &r->batch, err);
}

static void reader_free(reader *r)
{
    ni_cane_batch_free(r->batch);
    ni_free(r->mean);
    ni_free(r->vectors);
}

/* n of a node; one that was added by an extension has the mean of its neighbours', zeros if it has none. */
static void node_vector(const neap_model *m, uint32_t u, float *out)
{
    const cane *own = m->own;
    uint32_t h = half(m);
    if (u < m->rows) {
        ni_cane_clip(own->E + (uint64_t)u * h, h, out);
        return;
    }
    uint64_t known = ni_model_known_links(m, u);
    float share = known ? 1 / (float)known : 0;
    memset(out, 0, h * sizeof *out);
    for (uint64_t i = m->links.offset[u]; i < m->links.offset[u + 1]; i++) {
        uint32_t v = m->links.node[i];
        if (v >= m->rows) continue;
        const float *x = own->E + (uint64_t)v * h;
        double length = ni_length(x, h);
        ni_kernels_get()->axpy(length > 1 ? (float)((double)share / length) : share, x, out, h);
    }
}

static uint64_t orders_of(const neap_model *m)
{
    return m->graph->undirected ? 2 : 1;
}

/* Lists pairs in all their orders; returns how many. */
static size_t list_orders(reader *r, const neap_pair *pairs, size_t count)
{
    uint64_t orders = orders_of(r->model);
    for (size_t i = 0; i < count * orders; i++) {
        neap_pair p = pairs[i / orders];
        r->pair[i] = i % orders ? (neap_pair){ p.target, p.source } : p;
    }
    return count * orders;
}

/* [t ; n] of both nodes of pairs that were read, to 2 x count x dim. */
static void take_vectors(const reader *r, const neap_pair *pairs, size_t count, float *to)
{
    const neap_model *m = r->model;
    uint64_t h = half(m), orders = orders_of(m);
    for (size_t i = 0; i < count; i++)
        for (uint32_t side = 0; side < 2; side++, to += m->dim) {
            memset(to, 0, h * sizeof *to);
            for (uint32_t k = 0; k < orders; k++)
                ni_kernels_get()->axpy(1 / (float)orders, ni_cane_text(r->batch, i * orders + k, side ^ k),
                                       to, h);
            node_vector(m, side ? pairs[i].target : pairs[i].source, to + h);
        }
}

/* The same of pairs that are read now, at most PAIRS_MOST, into r->vectors. Long texts are read a few pairs
 * at a time: no number depends on what is read beside it. */
static neap_status read_pairs(reader *r, const neap_pair *pairs, size_t count, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t at = 0, n; at < count && rc == NEAP_OK; at += n) {
        n = ni_cane_fitting(r->batch, pairs + at, count - at, CELLS_MOST / orders_of(r->model));
        rc = ni_cane_read(r->batch, r->pair, list_orders(r, pairs + at, n), err);
        if (rc == NEAP_OK) rc = ni_threads_check(r->threads, err); /* after a stop t is anything */
        if (rc == NEAP_OK) take_vectors(r, pairs + at, n, r->vectors + 2 * at * r->model->dim);
    }
    return rc;
}

/* ---- the mean over a node's edges ---- */

typedef struct averaging {
    reader *r;
    float *sum;      /* nodes x dim */
    uint32_t *count; /* nodes       */
    neap_pair pair[PAIRS_MOST];
    size_t pairs;
} averaging;

/* Adds the vectors of the collected pairs to both of their nodes, in the order of the pairs. */
static neap_status flush(averaging *a, neap_error *err)
{
    uint64_t d = a->r->model->dim;
    neap_status rc = a->pairs ? read_pairs(a->r, a->pair, a->pairs, err) : NEAP_OK;
    for (size_t i = 0; i < a->pairs && rc == NEAP_OK; i++) {
        uint32_t node[2] = { a->pair[i].source, a->pair[i].target };
        for (uint32_t k = 0; k < 2; k++) {
            ni_kernels_get()->axpy(1, a->r->vectors + (2 * i + k) * d, a->sum + node[k] * d, d);
            a->count[node[k]]++;
        }
    }
    a->pairs = 0;
    return rc;
}

static neap_status collect(averaging *a, uint32_t u, uint32_t v, neap_error *err)
{
    a->pair[a->pairs++] = (neap_pair){ u, v };
    return a->pairs == PAIRS_MOST ? flush(a, err) : NEAP_OK;
}

/* A node without edges is read in the context of itself. */
static neap_status sum_contexts(averaging *a, neap_error *err)
{
    const neap_graph *g = a->r->graph;
    neap_status rc = NEAP_OK;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1] && rc == NEAP_OK; e++)
            if (g->target[e] != u) rc = collect(a, u, g->target[e], err);
    if (rc == NEAP_OK) rc = flush(a, err);
    for (uint32_t u = 0; u < a->r->model->graph->nodes && rc == NEAP_OK; u++)
        if (a->count[u] == 0) rc = collect(a, u, u, err);
    return rc == NEAP_OK ? flush(a, err) : rc;
}

/* Makes r->mean anew. */
static neap_status average(reader *r, neap_error *err)
{
    uint64_t d = r->model->dim, n = r->model->graph->nodes;
    averaging a = { .r = r };
    ni_free(r->mean);
    a.sum = r->mean = ni_zeros(n * d, sizeof *a.sum);
    a.count = ni_zeros(n, sizeof *a.count);
    neap_status rc = a.sum && a.count ? sum_contexts(&a, err) : ni_fail_memory(err, "the vectors");
    for (uint64_t u = 0; u < n && rc == NEAP_OK; u++)
        for (uint64_t k = 0; k < d; k++) a.sum[u * d + k] /= (float)a.count[u];
    ni_free(a.count);
    if (rc == NEAP_OK) return rc;
    ni_free(r->mean);
    r->mean = NULL;
    return rc;
}

/* ---- scores ---- */

static neap_status score_by_mean(const reader *r, const neap_pair *pairs, size_t count, float *scores)
{
    uint64_t d = r->model->dim;
    for (size_t i = 0; i < count; i++)
        scores[i] = ni_kernels_get()->dot(r->mean + pairs[i].source * d, r->mean + pairs[i].target * d, d);
    return NEAP_OK;
}

static neap_status score_by_context(reader *r, const neap_pair *pairs, size_t count, float *scores,
                                    neap_error *err)
{
    uint64_t d = r->model->dim;
    neap_status rc = NEAP_OK;
    for (size_t at = 0; at < count && rc == NEAP_OK; at += PAIRS_MOST) {
        size_t n = count - at < PAIRS_MOST ? count - at : PAIRS_MOST;
        rc = read_pairs(r, pairs + at, n, err);
        for (size_t i = 0; i < n && rc == NEAP_OK; i++)
            scores[at + i] = ni_kernels_get()->dot(r->vectors + 2 * i * d, r->vectors + (2 * i + 1) * d, d);
    }
    return rc;
}

static neap_status score_pairs(reader *r, const neap_pair *pairs, size_t count, float *scores,
                               neap_error *err)
{
    const cane_options *o = r->model->settings->own;
    if (o->score_by == BY_CONTEXT) return score_by_context(r, pairs, count, scores, err);
    neap_status rc = r->mean ? NEAP_OK : average(r, err);
    return rc == NEAP_OK ? score_by_mean(r, pairs, count, scores) : rc;
}

/* ---- queries ---- */

static neap_status context_open(neap_query *q, neap_error *err)
{
    reader *r = q->own = ni_zeros(1, sizeof *r);
    return r ? reader_create(r, q->model, q->model->graph, q->threads, err)
             : ni_fail_memory(err, "a query");
}

static void context_close(neap_query *q)
{
    reader_free(q->own);
    ni_free(q->own);
}

static neap_status score(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    return score_pairs(q->own, pairs, count, scores, err);
}

/* Of a query that was stopped the mean is not kept. */
static neap_status vectors(neap_query *q, float *to, neap_error *err)
{
    reader *r = q->own;
    neap_status rc = r->mean ? NEAP_OK : average(r, err);
    if (rc == NEAP_OK) memcpy(to, r->mean, (uint64_t)q->model->graph->nodes * q->model->dim * sizeof *to);
    return rc;
}

static neap_status pair_vectors(neap_query *q, const neap_pair *pairs, size_t count, float *sources,
                                float *targets, neap_error *err)
{
    reader *r = q->own;
    size_t d = q->model->dim;
    neap_status rc = NEAP_OK;
    for (size_t at = 0; at < count && rc == NEAP_OK; at += PAIRS_MOST) {
        size_t n = count - at < PAIRS_MOST ? count - at : PAIRS_MOST;
        rc = read_pairs(r, pairs + at, n, err);
        for (size_t i = 0; i < n && rc == NEAP_OK; i++) {
            memcpy(sources + (at + i) * d, r->vectors + 2 * i * d, d * sizeof *sources);
            if (targets) memcpy(targets + (at + i) * d, r->vectors + (2 * i + 1) * d, d * sizeof *targets);
        }
    }
    return rc;
}

static neap_status context_vectors(neap_query *q, uint32_t context, float *to, neap_error *err)
{
    uint32_t n = q->model->graph->nodes;
    neap_pair pairs[PAIRS_MOST];
    neap_status rc = NEAP_OK;
    for (uint32_t u = 0; u < n && rc == NEAP_OK; u += PAIRS_MOST) {
        uint32_t count = n - u < PAIRS_MOST ? n - u : PAIRS_MOST;
        for (uint32_t i = 0; i < count; i++) pairs[i] = (neap_pair){ u + i, context };
        rc = pair_vectors(q, pairs, count, to + (uint64_t)u * q->model->dim, NULL, err);
    }
    return rc;
}

static neap_status explain(neap_query *q, uint32_t source, uint32_t target, neap_explanation **out,
                           neap_error *err)
{
    reader *r = q->own;
    const cane_options *o = q->model->settings->own;
    neap_pair pair = { source, target };
    if (o->score_by == BY_MEAN)
        return ni_fail(
            err, NEAP_E_ARG,
            "cane scores by means over training pairs here, in which no text attends to that of this "
            "partner; --score-by context has explanations");
    neap_status rc = read_pairs(r, &pair, 1, err);
    if (rc != NEAP_OK) return rc;
    return ni_cane_explain(q->model, r->batch, (uint32_t)orders_of(q->model), r->vectors, pair, out, err);
}

/* ---- training: l->own is a reader on the training graph ---- */

static ni_edge_options learns_by(const ni_settings *s)
{
    const ni_attention_options *o = &((const cane_options *)s->own)->attention;
    return (ni_edge_options){
        .learning = &o->learning, .sampling = &o->sampling, .optimizer = o->optimizer, .negatives = 1
    };
}

/* In the order of ni_cane_gradients. */
static uint32_t list_parameters(const neap_model *m, ni_parameter *list)
{
    const cane *own = m->own;
    uint32_t h = half(m);
    uint64_t words = (uint64_t)m->texts.words.count + 1;
    list[0] = (ni_parameter){ "E", own->E, m->rows, h, .by_rows = true, .rate = 1 };
    list[1] = (ni_parameter){ "words", own->words, words, h, .by_rows = true, .rate = 1 };
    list[2] = (ni_parameter){ "filters", own->filters, 2 * (uint64_t)h, h, .rate = 1 };
    list[3] = (ni_parameter){ "R", own->R, h, h, .rate = 1 };
    return 4;
}

static neap_status create(ni_edge_learner *l, neap_error *err)
{
    return reader_create(l->own, l->run.model, l->run.graph, l->run.threads, err);
}

static void release(ni_edge_learner *l)
{
    reader_free(l->own);
}

static neap_status pass(ni_edge_learner *l, uint32_t items, double *loss, neap_error *err)
{
    const reader *r = l->own;
    const cane_options *o = l->run.model->settings->own;
    ni_cane_gradients g;
    neap_status rc = ni_cane_step(r->batch, &o->rho, l->sampler.nodes, items, &g, err);
    const ni_gradient list[] = { g.E, g.words, g.C, g.R };
    for (uint32_t i = 0; i < l->optimizer.count; i++) l->optimizer.parameter[i].gradient = list[i];
    *loss = g.loss;
    return rc;
}

/* The mean is that of the epoch before. */
static neap_status refresh(ni_edge_learner *l, neap_error *err)
{
    reader *r = l->own;
    (void)err;
    ni_free(r->mean);
    r->mean = NULL;
    return NEAP_OK;
}

static neap_status score_held_out(ni_edge_learner *l, const neap_pair *pairs, size_t count, float *scores,
                                  neap_error *err)
{
    return score_pairs(l->own, pairs, count, scores, err);
}

static neap_status measure(ni_edge_learner *l, uint32_t items, uint64_t *bytes, neap_error *err)
{
    const reader *r = l->own;
    return ni_cane_measure(r->batch, l->sampler.nodes, items, bytes, err);
}

/* Validation reads more pairs at once than a step does. */
static neap_status measure_validation(ni_edge_learner *l, uint64_t *bytes, neap_error *err)
{
    reader *r = l->own;
    const neap_model *m = r->model;
    const neap_split *split = l->run.split;
    neap_status rc = NEAP_OK;
    for (size_t at = 0, n; at < split->count && rc == NEAP_OK; at += n) {
        uint64_t here = 0;
        n = split->count - at < PAIRS_MOST ? split->count - at : PAIRS_MOST;
        n = ni_cane_fitting(r->batch, split->positive + at, n, CELLS_MOST / orders_of(m));
        rc = ni_cane_measure_read(r->batch, r->pair, list_orders(r, split->positive + at, n), &here, err);
        if (here > *bytes) *bytes = here;
    }
    if (((const cane_options *)m->settings->own)->score_by == BY_MEAN)
        *bytes += m->rows * (m->dim * sizeof *r->mean + sizeof(uint32_t));
    return rc;
}

static neap_status bytes(ni_edge_learner *l, neap_estimate_result *r, neap_error *err)
{
    const neap_model *m = l->run.model;
    uint64_t validation = 0;
    neap_status rc = l->run.split ? measure_validation(l, &validation, err) : NEAP_OK;
    r->bytes_batch += validation;
    r->bytes_batch += sizeof(float) * (2 * PAIRS_MOST * (uint64_t)m->dim) +
                      sizeof(uint32_t) * ((uint64_t)m->rows + m->texts.words.count);
    return rc;
}

static const ni_edge_rules rules = {
    .own = sizeof(reader),
    .options = learns_by,
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

const ni_method ni_method_cane = {
    .info = { .size = sizeof(neap_method_info),
              .name = "cane",
              .summary = "the texts of both nodes attend to each other; a vector of the node beside them",
              .details =
                  "Every two words in a row become a vector (a convolution). Those of one text are\n"
                  "aligned with those of the other; the softmax of the mean alignments weighs them\n"
                  "into the vector that a text has in this pair. Each node has a vector besides, no\n"
                  "longer than 1. The halves of the result are trained with each other as the\n"
                  "log-odds of a link (--rho-text, --rho-node, --rho-cross). With\n"
                  "--attend-padding a text is padded to --text-length, which costs nothing.\n"
                  "Tu, Liu, Liu and Sun, CANE: Context-Aware Network Embedding for Relation\n"
                  "Modeling, 2017.",
              .context = 1,
              .vectors = 1,
              .explains = 1,
              .text = 1,
              .new_text = 1 },
    .options = { sizeof(cane_options), parts, defaults },
    .family = &rules,
    .check = check,
    .text = text,
    .own = sizeof(cane),
    .declare = declare,
    .train = ni_edges_train,
    .bytes = ni_edges_bytes,
    .open = context_open,
    .close = context_close,
    .score = score,
    .vectors = vectors,
    .context_vectors = context_vectors,
    .pair_vectors = pair_vectors,
    .explain = explain,
};
