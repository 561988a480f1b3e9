/* The cosine of texts and features: TF-IDF, the leading singular vectors, rows of length 1 (content.h).
 * Nothing is learned, and the graph has no part in it. O(words of texts) and an SVD; a new node's text is
 * projected with the basis that the model keeps. */
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "methods/dot.h"
#include "model/content.h"
#include "model/explanation.h"
#include "model/learning.h"
#include "support/status.h"

typedef struct text_options {
    ni_learning learning; /* of which the dimension counts */
    ni_text_options text;
    ni_tfidf_options tfidf;
} text_options;

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(text_options, learning), "dim" },
    { &ni_text_set, offsetof(text_options, text), NULL },
    { &ni_tfidf_set, offsetof(text_options, tfidf), NULL },
    { 0 },
};

static const ni_default defaults[] = {
    { "dim", { "200", "200", "200" } },
    { "tf", { "log", "log", "log" } },
    { 0 },
};

static const ni_text_options *text_of(const ni_settings *s)
{
    return &((const text_options *)s->own)->text;
}

typedef struct text_model {
    ni_dot dot;
    float *basis;  /* words x dim: the rows of V that are words'; NULL without words      */
    float *scales; /* rows: what TF-IDF times the basis is multiplied by in rows of E; NULL
                      without features, since it is as long as 1 then                     */
    bool featured; /* while training: there are features                                  */
} text_model;

static void declare(neap_model *m, ni_declaration *d)
{
    text_model *own = m->own;
    ni_dot_declare(m, d);
    if (!m->texts.words.count) return;
    ni_declare_matrix(d, "basis", NI_FIXED, m->texts.words.count, m->dim, &own->basis);
    if (ni_declared_length(d, "scales", own->featured ? m->rows : 0))
        ni_declare_list(d, "scales", NI_FIXED, NI_F32, m->rows, &own->scales);
}

/* Rows of length 1, or 0. */
static void scale_rows(float *rows, uint64_t count, uint32_t d)
{
    for (uint64_t i = 0; i < count; i++) ni_make_unit(rows + i * d, d);
}

/* The vectors of nodes first .. end-1, zeros before; a model of features alone reads no text. */
static neap_status project(const neap_model *m, uint32_t first, uint32_t end, ni_threads *threads,
                           float *rows, neap_error *err)
{
    const text_options *o = m->settings->own;
    const text_model *own = m->own;
    ni_sparse a;
    if (!own->basis) return NEAP_OK;
    neap_status rc = ni_tfidf_create(&m->texts, first, end, m->rows, &o->tfidf, threads, &a, err);
    if (rc != NEAP_OK) return rc;
    ni_sparse_product(&a, own->basis, m->dim, rows, threads);
    scale_rows(rows, a.rows, m->dim);
    ni_tfidf_free(&a);
    return ni_threads_check(threads, err);
}

static neap_status read_new(const neap_model *m, uint32_t first, uint32_t end, ni_threads *threads,
                            float *rows, neap_error *err)
{
    neap_status rc = project(m, first, end, threads, rows, err);
    if (rc != NEAP_OK) return rc;
    ni_dot_fill_textless(m, first, end, rows);
    scale_rows(rows, end - first, m->dim); /* means are shorter */
    return NEAP_OK;
}

static neap_status open_query(neap_query *q, neap_error *err)
{
    return ni_dot_open(q, read_new, err);
}

/* The share of words in a row of C, over the length of the row of C V, which is in E. */
static void keep_scales(const neap_model *m, const neap_features *f)
{
    const text_options *o = m->settings->own;
    const text_model *own = m->own;
    for (uint32_t u = 0; u < m->rows; u++) {
        bool both = ni_text_size(&m->texts, u) && f->offset[u] < f->offset[u + 1];
        double length = ni_length(own->dot.E + (uint64_t)u * m->dim, m->dim);
        own->scales[u] = length > 0 ? (float)(ni_content_share(&o->tfidf, both) / length) : 0;
    }
}

/* E = C V, rows of length 1; what V says of words stays for new nodes. */
static neap_status fill(neap_model *m, const neap_features *features, ni_threads *threads, neap_error *err)
{
    const text_options *o = m->settings->own;
    const text_model *own = m->own;
    uint32_t columns = ni_content_columns(&m->texts, features), words = m->texts.words.count;
    ni_sparse c;
    neap_status rc = ni_links_need_some(&m->links, err);
    if (rc == NEAP_OK) rc = ni_model_allocate(m, err);
    if (rc == NEAP_OK) rc = ni_content_create(&m->texts, features, &o->tfidf, threads, &c, err);
    if (rc != NEAP_OK) return rc;
    double *value = ni_array(m->dim, sizeof *value);
    float *V = ni_array((uint64_t)columns * m->dim, sizeof *V);
    rc = value && V ? ni_tfidf_basis(&c, columns, m->dim, m->settings->common.seed, threads, value, V, err)
                    : ni_fail_memory(err, "singular vectors");
    if (rc == NEAP_OK) {
        if (words) memcpy(own->basis, V, (uint64_t)words * m->dim * sizeof *V);
        ni_sparse_product(&c, V, m->dim, own->dot.E, threads);
        if (own->scales) keep_scales(m, features);
        scale_rows(own->dot.E, m->rows, m->dim);
        rc = ni_threads_check(threads, err);
    }
    ni_free(value);
    ni_free(V);
    ni_tfidf_free(&c);
    return rc;
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    ni_threads *threads = NULL;
    neap_model *m = NULL;
    neap_status rc = ni_threads_create(job->settings->common.threads, &threads, err);
    if (rc == NEAP_OK) rc = ni_model_create(job, &m, err);
    if (rc == NEAP_OK) {
        ni_threads_watch(threads, job->hooks, "train");
        ((text_model *)m->own)->featured = job->data->features != NULL;
        rc = fill(m, job->data->features, threads, err);
    }
    ni_threads_free(threads);
    if (rc == NEAP_OK) *out = m;
    else neap_model_free(m);
    return rc;
}

static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    neap_model *m;
    neap_status rc = ni_model_create(job, &m, err);
    if (rc != NEAP_OK) return rc;
    r->bytes_graph = ni_model_graph_bytes(m, job->data->graph);
    r->bytes_tables = ((uint64_t)m->rows + m->texts.words.count) * m->dim * sizeof(float);
    if (m->texts.words.count && job->data->features) r->bytes_tables += m->rows * sizeof(float);
    r->bytes_batch = ni_content_bytes(&m->texts, job->data->features, m->dim) +
                     (uint64_t)ni_content_columns(&m->texts, job->data->features) * m->dim * sizeof(float);
    neap_model_free(m);
    return NEAP_OK;
}

/* ---- why ----
 *
 * A score is x V V' y' / (|x V| |y V|), a sum over the different words of either text: word w of the
 * source, whose TF-IDF is x_w, contributes x_w V_w . t / |x V|, where t is the target's vector. Its weight
 * is its share of the text's TF-IDF, and two words are aligned by the cosine of their rows of V; a word
 * that both texts have selects itself.
 *
 * Where nodes have features, too, the vector of the source is a x V + r, a of `scales`: words contribute
 * a x_w V_w . t, and r . t, which comes from features, is the rest. */

typedef struct side {
    ni_sparse terms;  /* one row: the different words of the text and their TF-IDF      */
    uint32_t count;   /* of them                                                        */
    uint32_t *word;   /* count: their numbers                                           */
    float *length;    /* count: of their rows of V                                      */
    float *projected; /* dim: x V                                                       */
    double scale;     /* of it in the node's vector                                     */
} side;

static void side_free(side *s)
{
    ni_tfidf_free(&s->terms);
    ni_free(s->word);
    ni_free(s->length);
    ni_free(s->projected);
}

static const float *word_vector(const neap_model *m, uint32_t word)
{
    return ((const text_model *)m->own)->basis + (uint64_t)word * m->dim;
}

static double scale_of(const neap_model *m, uint32_t node, const side *s)
{
    const float *scales = ((const text_model *)m->own)->scales;
    double length = ni_length(s->projected, m->dim);
    if (scales && node < m->rows) return (double)scales[node];
    return length > 0 ? 1 / length : 0;
}

static neap_status side_of(neap_query *q, uint32_t node, side *s, neap_error *err)
{
    const neap_model *m = q->model;
    const text_options *o = m->settings->own;
    if (!m->texts.words.count)
        return ni_fail(err, NEAP_E_MISMATCH,
                       "this model reads features alone: no word explains a score of it");
    if (!ni_text_size(&m->texts, node) && node >= m->rows)
        return ni_fail(err, NEAP_E_MISMATCH, "%s has no word that could explain its score",
                       ni_name(&m->graph->names, node));
    neap_status rc =
        ni_tfidf_create(&m->texts, node, node + 1, m->rows, &o->tfidf, q->threads, &s->terms, err);
    if (rc != NEAP_OK) return rc;
    s->count = s->terms.end[0] - s->terms.start[0];
    s->word = ni_array(s->count, sizeof *s->word);
    s->length = ni_array(s->count, sizeof *s->length);
    s->projected = ni_zeros(m->dim, sizeof *s->projected);
    if (!s->word || !s->length || !s->projected) return ni_fail_memory(err, "an explanation");
    for (uint32_t i = 0; i < s->count; i++) {
        const ni_term *term = &s->terms.term[s->terms.start[0] + i];
        s->word[i] = term->row;
        s->length[i] = (float)ni_length(word_vector(m, term->row), m->dim);
        ni_kernels_get()->axpy(term->weight, word_vector(m, term->row), s->projected, m->dim);
    }
    s->scale = scale_of(m, node, s);
    return ni_threads_check(q->threads, err);
}

/* The position of each word's first occurrence in the text; words ascend. */
static void find_positions(const neap_model *m, uint32_t node, const side *s, ni_reason *row)
{
    for (uint32_t i = 0; i < s->count; i++) row[i].node = NEAP_NONE;
    for (uint64_t k = m->texts.offset[node]; k < m->texts.offset[node + 1]; k++) {
        uint32_t low = 0, high = s->count;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (s->word[middle] > m->texts.word[k]) high = middle;
            else low = middle;
        }
        if (row[low].node == NEAP_NONE) row[low].node = (uint32_t)(k - m->texts.offset[node]);
    }
}

/* other: the vector of the other node. */
static void contribute(const neap_model *m, const side *s, const float *other, ni_reason *row)
{
    double sum = 0;
    const ni_term *term = s->terms.term + s->terms.start[0];
    for (uint32_t i = 0; i < s->count; i++) sum += (double)term[i].weight;
    for (uint32_t i = 0; i < s->count; i++) {
        float product = ni_kernels_get()->dot(word_vector(m, s->word[i]), other, m->dim);
        row[i].weight = sum > 0 ? (float)((double)term[i].weight / sum) : 1 / (float)s->count;
        row[i].contribution = (float)((double)term[i].weight * (double)product * s->scale);
        row[i].partner = NEAP_NONE;
    }
}

/* r . t, or 0 if r is no more than rounding: that of a node without features. own: its vector. */
static float rest_of(const neap_model *m, const side *s, const float *own, const float *other)
{
    static const double rounding = 1e-5;
    double squares = 0, product = 0;
    for (uint32_t k = 0; k < m->dim; k++) {
        double r = (double)own[k] - s->scale * (double)s->projected[k];
        squares += r * r;
        product += r * (double)other[k];
    }
    return squares > rounding * rounding ? (float)product : 0;
}

static void align(const neap_model *m, const side *s, const side *t, ni_explanation_draft *d)
{
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t j = 0; j < t->count; j++) {
            float lengths = s->length[i] * t->length[j], *at = &d->alignment[(uint64_t)i * t->count + j];
            ni_reason *x = &d->by_source[i], *y = &d->by_target[j];
            bool same = s->word[i] == t->word[j]; /* words of the same texts have the same row, too */
            *at = ni_kernels_get()->dot(word_vector(m, s->word[i]), word_vector(m, t->word[j]), m->dim);
            *at = lengths <= 0 ? 0 : same ? 1 : fmaxf(-1, fminf(1, *at / lengths));
            if (same || x->partner == NEAP_NONE || *at > x->alignment)
                x->partner = y->node, x->alignment = *at;
            if (same || y->partner == NEAP_NONE || *at > y->alignment)
                y->partner = x->node, y->alignment = *at;
        }
}

static void fill_draft(const neap_model *m, const side *s, const side *t, ni_explanation_draft *d)
{
    const float *x = ni_dot_vector(m, d->facts.source, NULL), *y = ni_dot_vector(m, d->facts.target, NULL);
    d->facts.score = ni_kernels_get()->dot(x, y, m->dim);
    d->facts.selects = d->facts.tfidf = 1;
    d->words = &m->texts.words;
    d->source_word = s->word;
    d->target_word = t->word;
    find_positions(m, d->facts.source, s, d->by_source);
    find_positions(m, d->facts.target, t, d->by_target);
    contribute(m, s, y, d->by_source);
    contribute(m, t, x, d->by_target);
    d->source_rest.contribution = rest_of(m, s, x, y);
    d->target_rest.contribution = rest_of(m, t, y, x);
    align(m, s, t, d);
}

static neap_status explain(neap_query *q, uint32_t source, uint32_t target, neap_explanation **out,
                           neap_error *err)
{
    side s = { 0 }, t = { 0 };
    ni_explanation_draft draft = { 0 };
    neap_status rc = side_of(q, source, &s, err);
    if (rc == NEAP_OK) rc = side_of(q, target, &t, err);
    if (rc == NEAP_OK)
        rc = ni_explanation_begin(&draft, &q->model->links, source, target, s.count, t.count, err);
    if (rc == NEAP_OK) fill_draft(q->model, &s, &t, &draft);
    *out = rc == NEAP_OK ? ni_explanation_finish(&draft) : NULL;
    if (rc == NEAP_OK && !*out) rc = ni_fail_memory(err, "an explanation");
    ni_explanation_draft_free(&draft);
    side_free(&s);
    side_free(&t);
    return rc;
}

const ni_method ni_method_text = {
    .info = { .size = sizeof(neap_method_info),
              .name = "text",
              .summary = "cosine of the nodes' texts or features: leading singular vectors of TF-IDF",
              .details = "Words are weighed by --tf and --idf, a text becomes a vector of length 1 in the\n"
                         "space of the --dim leading singular vectors of all texts, and a pair scores the\n"
                         "product of two vectors. Features, given with --features, count like words,\n"
                         "alone or beside text. Nothing is learned and links have no part in it: a\n"
                         "yardstick for methods that read text. A new node's text is read with the\n"
                         "words and the singular vectors of the model.\n"
                         "Deerwester, Dumais, Furnas, Landauer and Harshman, Indexing by Latent Semantic\n"
                         "Analysis, 1990.",
              .vectors = 1,
              .explains = 1,
              .text = 1,
              .new_text = 1,
              .features = 1 },
    .options = { sizeof(text_options), parts, defaults },
    .text = text_of,
    .own = sizeof(text_model),
    .declare = declare,
    .release = ni_dot_release,
    .open = open_query,
    .train = train,
    .bytes = bytes,
    .explain = explain,
    NI_DOT_ANSWERS,
};
