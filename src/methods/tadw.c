/* TADW (text-associated DeepWalk): the matrix M = (P + P^2) / 2 of one and two steps of a random walk as
 * W'H T, T the nodes' texts (ridge.h).
 *
 * Once: T (f x n, TF-IDF and singular vectors), F = (P T' + P (P T')) / 2 by two sparse products, K = F'F.
 * Then each alternation, which is an epoch, works in f dimensions; n x n numbers are never made. A node's
 * vector is (w, H t): its column of W and its text, d / 2 numbers each. Memory: 3 n f floats while F is
 * made.
 *
 * A resumed run needs H alone, since W follows from it. Stopped while matrices are solved, eigenvectors may
 * be missing: an alternation counts only if no task was left out. */
#include <string.h>

#include "base/sys.h"
#include "linalg/eigen.h"
#include "linalg/kernels.h"
#include "linalg/tall.h"
#include "methods/dot.h"
#include "methods/ridge.h"
#include "model/content.h"
#include "model/run.h"
#include "support/status.h"

typedef struct tadw_options {
    ni_learning learning;
    ni_text_options text;
    ni_tfidf_options tfidf;
    uint32_t text_dim;
    double ridge;
    uint32_t text_scale; /* SCALE_...  */
    uint32_t halves;     /* HALVES_... */
} tadw_options;

enum { SCALE_COLUMNS, SCALE_ROWS, SCALE_NONE };
enum { HALVES_PLAIN, HALVES_UNIT };

static const ni_option own_options[] = {
    NI_OPTION(tadw_options, U32, text_dim, "text-dim", "", 0, "text", "N", "200", "200", "200", 1, 4096, 1,
              "singular vectors of the texts that are read (tadw)"),
    NI_OPTION(tadw_options, REAL, ridge, "ridge", "", 0, "training", "X", "0.2", "0.2", "0.2", 0, 1e6, 1,
              "weight of the squares of both factors in the loss (tadw)"),
    NI_OPTION(tadw_options, CHOICE, text_scale, "text-scale", "", 0, "text", "columns|rows|none", "columns",
              "columns", "columns", 0, 0, 1,
              "singular vectors of texts have length 1, or those of nodes, or neither (tadw)"),
    NI_OPTION(tadw_options, CHOICE, halves, "halves", "", 0, "model", "plain|unit", "unit", "plain",
              "plain", 0, 0, 1, "the two halves of a vector as they are, or scaled to length 1 (tadw)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(tadw_options, learning), "dim,epochs,valid,patience" },
    { &ni_text_set, offsetof(tadw_options, text), NULL },
    { &ni_tfidf_set, offsetof(tadw_options, tfidf), NULL },
    { &own_set, 0, NULL },
    { 0 },
};

static const ni_default defaults[] = {
    { "dim", { "160", "200", "160" } },
    { "epochs", { "10", "10", "10" } },
    { "valid", { "0", "0", "0" } },
    { "tf", { "binary", "binary", "binary" } },
    { "idf", { "plain", "plain", "plain" } },
    { "text-norm", { "none", "none", "none" } },
    { 0 },
};

static neap_status check(const ni_settings *s, neap_error *err)
{
    const tadw_options *o = s->own;
    if (o->learning.dim % 2 == 0) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "--dim %u is odd; a vector of tadw has two halves of one length",
                   o->learning.dim);
}

static const ni_text_options *text_of(const ni_settings *s)
{
    return &((const tadw_options *)s->own)->text;
}

/* ---- tensors ---- */

typedef struct tadw {
    ni_dot dot;
    float *H;     /* dim/2 x text_dim                                          */
    float *basis; /* words x text_dim: TF-IDF times this is T', TT' is diagonal; NULL without words */
} tadw;

static void declare(neap_model *m, ni_declaration *d)
{
    const tadw_options *o = m->settings->own;
    tadw *own = m->own;
    ni_dot_declare(m, d);
    ni_declare_matrix(d, "H", NI_LEARNED, m->dim / 2, o->text_dim, &own->H);
    if (m->texts.words.count)
        ni_declare_matrix(d, "basis", NI_FIXED, m->texts.words.count, o->text_dim, &own->basis);
    d->positions = m->rows;
}

/* ---- texts ---- */

/* The vectors of texts, rows of T', with the scale that the options say. */
static void scale_rows(const neap_model *m, uint64_t rows, float *T)
{
    const tadw_options *o = m->settings->own;
    for (uint64_t i = 0; i < rows && o->text_scale == SCALE_ROWS; i++)
        ni_make_unit(T + i * o->text_dim, o->text_dim);
}

/* Those of nodes first .. end-1, from their words alone; T is zeros before, and stays so in a model of
 * features alone. */
static neap_status read_texts(const neap_model *m, uint32_t first, uint32_t end, ni_threads *threads,
                              float *T, neap_error *err)
{
    const tadw_options *o = m->settings->own;
    const tadw *own = m->own;
    ni_sparse a;
    if (!own->basis) return NEAP_OK;
    neap_status rc = ni_tfidf_create(&m->texts, first, end, m->rows, &o->tfidf, threads, &a, err);
    if (rc != NEAP_OK) return rc;
    ni_sparse_product(&a, own->basis, o->text_dim, T, threads);
    scale_rows(m, a.rows, T);
    ni_tfidf_free(&a);
    return ni_threads_check(threads, err);
}

/* ---- training ---- */

typedef struct trainer {
    ni_run run;
    float *T, *F;  /* n x f: T', F = M T'                    */
    double *K, *b; /* f x f, f: F'F and the diagonal of TT'   */
    float *Z;      /* k x f: of the last alternation          */
    ni_ridge ridge;
} trainer;

enum { ROWS_PER_TASK = 64 };
static const double START = 0.1; /* entries of H at first */

typedef struct spread {
    ni_arcs arcs;
    const float *X, *plus; /* n x f */
    float *out;
    uint32_t n, f;
} spread;

static void spread_task(void *arg, uint32_t task, uint32_t thread)
{
    const spread *s = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, s->n);
    (void)thread;
    for (uint64_t u = first; u < end; u++) {
        float *row = s->out + u * s->f;
        ni_arcs_mean(&s->arcs, u, s->X, s->f, row);
        for (uint32_t i = 0; i < s->f && s->plus; i++) row[i] = (row[i] + s->plus[u * s->f + i]) / 2;
    }
}

/* F = (P T' + P (P T')) / 2. */
static neap_status walk(trainer *t, uint32_t f, neap_error *err)
{
    const ni_run *run = &t->run;
    uint32_t n = run->model->rows;
    float *once = ni_array(n, f * sizeof *once);
    if (!once) return ni_fail_memory(err, "the texts of neighbours; a smaller --text-dim needs less");
    spread s = {
        .arcs = ni_arcs_of(run->graph, run->links, false), .X = t->T, .out = once, .n = n, .f = f
    };
    ni_threads_run(run->threads, ni_tasks(n, ROWS_PER_TASK), spread_task, &s);
    s.X = s.plus = once;
    s.out = t->F;
    ni_threads_run(run->threads, ni_tasks(n, ROWS_PER_TASK), spread_task, &s);
    ni_free(once);
    return ni_threads_check(run->threads, err);
}

/* T' = C V, C the words and features of nodes, V its singular vectors, each over its value with
 * SCALE_COLUMNS, which makes T' orthonormal. What V says of words stays for new nodes. */
static neap_status find_texts(trainer *t, const neap_features *features, neap_error *err)
{
    const neap_model *m = t->run.model;
    const tadw_options *o = m->settings->own;
    const tadw *own = m->own;
    uint32_t f = o->text_dim, columns = ni_content_columns(&m->texts, features);
    ni_sparse c;
    neap_status rc = ni_content_create(&m->texts, features, &o->tfidf, t->run.threads, &c, err);
    if (rc != NEAP_OK) return rc;
    double *value = ni_array(f, sizeof *value);
    float *V = ni_array((uint64_t)columns * f, sizeof *V);
    rc = value && V
             ? ni_tfidf_basis(&c, columns, f, m->settings->common.seed, t->run.threads, value, V, err)
             : ni_fail_memory(err, "singular vectors");
    for (uint64_t i = 0; i < (uint64_t)columns * f && rc == NEAP_OK && o->text_scale == SCALE_COLUMNS; i++)
        V[i] = value[i % f] > 0 ? (float)((double)V[i] / value[i % f]) : 0;
    if (rc == NEAP_OK) {
        if (own->basis) memcpy(own->basis, V, (uint64_t)m->texts.words.count * f * sizeof *V);
        ni_sparse_product(&c, V, f, t->T, t->run.threads);
        scale_rows(m, m->rows, t->T);
        rc = ni_threads_check(t->run.threads, err);
    }
    ni_free(value);
    ni_free(V);
    ni_tfidf_free(&c);
    return rc;
}

/* X (n x f) = X C', C: f x f. */
static neap_status turn_rows(float *X, uint64_t n, uint32_t f, const float *C, ni_threads *threads,
                             neap_error *err)
{
    float *turned = ni_array(n, f * sizeof *turned);
    if (!turned) return ni_fail_memory(err, "the texts; --text-scale columns needs less");
    ni_tall_transform(X, n, f, C, f, turned, f, threads);
    memcpy(X, turned, (size_t)n * f * sizeof *X);
    ni_free(turned);
    return ni_threads_check(threads, err);
}

/* T and the basis in the eigenvectors of TT' (f x f, in K). */
static neap_status turn_basis(trainer *t, uint32_t f, neap_error *err)
{
    const neap_model *m = t->run.model;
    const tadw *own = m->own;
    double *vector = ni_array(f, f * sizeof *vector), *value = ni_array(f, 4 * sizeof *value);
    float *C = ni_array(f, f * sizeof *C);
    neap_status rc = vector && value && C ? NEAP_OK : ni_fail_memory(err, "the texts");
    if (rc == NEAP_OK) rc = ni_symmetric_eigen(t->K, f, f, value, vector, value + f, err);
    for (size_t i = 0; i < (size_t)f * f && rc == NEAP_OK; i++) C[i] = (float)vector[i];
    for (uint32_t j = 0; j < f && rc == NEAP_OK; j++) t->b[j] = value[j] > 0 ? value[j] : 0;
    if (rc == NEAP_OK) rc = turn_rows(t->T, m->rows, f, C, t->run.threads, err);
    if (rc == NEAP_OK && own->basis)
        rc = turn_rows(own->basis, m->texts.words.count, f, C, t->run.threads, err);
    ni_free(vector);
    ni_free(value);
    ni_free(C);
    return rc;
}

/* b, the diagonal of TT'. It has nothing else but rounding unless rows were scaled: then the basis is
 * turned. */
static neap_status make_diagonal(trainer *t, uint32_t f, neap_error *err)
{
    const tadw_options *o = t->run.model->settings->own;
    neap_status rc = ni_tall_gram(t->T, t->run.model->rows, f, t->run.threads, t->K, err);
    if (rc == NEAP_OK && o->text_scale == SCALE_ROWS) return turn_basis(t, f, err);
    for (size_t j = 0; j < f && rc == NEAP_OK; j++) t->b[j] = t->K[j * f + j];
    return rc;
}

static neap_status make_memory(trainer *t, neap_error *err)
{
    const neap_model *m = t->run.model;
    const tadw_options *o = m->settings->own;
    uint32_t f = o->text_dim, k = m->dim / 2;
    bool ok = (t->T = ni_array(m->rows, f * sizeof *t->T)) &&
              (t->F = ni_array(m->rows, f * sizeof *t->F)) && (t->K = ni_array(f, f * sizeof *t->K)) &&
              (t->b = ni_array(f, sizeof *t->b)) && (t->Z = ni_array(k, f * sizeof *t->Z));
    if (!ok) return ni_fail_memory(err, "the texts; a smaller --text-dim needs less");
    return ni_ridge_create(k, f, o->ridge, t->K, t->b, t->run.threads, &t->ridge, err);
}

/* The halves of all vectors: F Z', where there is a Z, and T'H'. */
static void fill_vectors(trainer *t, bool both)
{
    const neap_model *m = t->run.model;
    const tadw_options *o = m->settings->own;
    const tadw *own = m->own;
    uint32_t k = m->dim / 2;
    if (both) ni_tall_transform(t->F, m->rows, o->text_dim, t->Z, k, own->dot.E, m->dim, t->run.threads);
    ni_tall_transform(t->T, m->rows, o->text_dim, own->H, k, own->dot.E + k, m->dim, t->run.threads);
    for (uint64_t i = 0; i < 2ULL * m->rows && o->halves == HALVES_UNIT; i++)
        ni_make_unit(own->dot.E + i * k, k);
}

/* H uniform within +-0.1, vectors likewise until the first alternation; then T, F and K. */
static neap_status make_tensors(trainer *t, const neap_features *features, neap_error *err)
{
    neap_model *m = t->run.model;
    const tadw_options *o = m->settings->own;
    const tadw *own = m->own;
    uint32_t f = o->text_dim, k = m->dim / 2;
    neap_status rc = ni_model_allocate(m, err);
    if (rc == NEAP_OK) rc = make_memory(t, err);
    if (rc == NEAP_OK) rc = find_texts(t, features, err);
    if (rc == NEAP_OK) rc = make_diagonal(t, f, err);
    if (rc == NEAP_OK) rc = walk(t, f, err);
    if (rc == NEAP_OK) rc = ni_tall_gram(t->F, m->rows, f, t->run.threads, t->K, err);
    if (rc != NEAP_OK) return rc;
    for (uint32_t i = 0; i < k; i++)
        ni_model_draw(m, (uint64_t)m->rows + i, f, START, own->H + (size_t)i * f);
    ni_model_draw_rows(m, START, own->dot.E);
    fill_vectors(t, false);
    return ni_threads_check(t->run.threads, err);
}

static neap_status prepare(trainer *t, const ni_job *job, neap_error *err)
{
    const tadw_options *o = job->settings->own;
    *t = (trainer){ 0 };
    neap_status rc = ni_run_prepare(&t->run, job, &o->learning, err);
    if (rc == NEAP_OK) rc = ni_links_need_some(t->run.links, err);
    if (rc == NEAP_OK) rc = ni_run_hold_out(&t->run, job->data, err);
    return rc == NEAP_OK ? ni_links_need_some(t->run.links, err) : rc;
}

static neap_status begin(trainer *t, const neap_features *features, neap_error *err)
{
    ni_run *run = &t->run;
    run->positions = run->per_step = run->model->rows;
    neap_status rc = make_tensors(t, features, err);
    if (rc == NEAP_OK) rc = ni_run_declare(run, err);
    return rc == NEAP_OK ? ni_run_begin(run, err) : rc;
}

/* An alternation: an epoch. */
static neap_status step(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    const neap_model *m = run->model;
    const tadw *own = m->own;
    size_t cells = (size_t)t->ridge.k * t->ridge.f;
    double loss = 0;
    neap_status rc = ni_ridge_step(&t->ridge, own->H, &loss, err);
    if (!ni_run_may_step(run)) return NEAP_OK; /* what was left out may have spoilt the matrices */
    if (rc != NEAP_OK) return rc;
    for (size_t i = 0; i < cells; i++) {
        own->H[i] = (float)t->ridge.H[i];
        t->Z[i] = (float)t->ridge.Z[i];
    }
    fill_vectors(t, true);
    run->at.updates++;
    ni_run_took(run, m->rows, loss);
    return NEAP_OK;
}

static void trainer_free(trainer *t)
{
    void *arrays[] = { t->T, t->F, t->K, t->b, t->Z };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ni_free(arrays[i]);
    ni_ridge_free(&t->ridge);
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    trainer t;
    ni_run *run = &t.run;
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) rc = begin(&t, job->data->features, err);
    while (rc == NEAP_OK && ni_run_next(run))
        rc = run->judging ? ni_dot_judge(run, NULL, err) : step(&t, err);
    trainer_free(&t);
    return ni_run_end(run, rc, out);
}

static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    const tadw_options *o = job->settings->own;
    trainer t;
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) {
        const neap_model *m = t.run.model;
        uint64_t n = m->rows, f = o->text_dim, k = m->dim / 2;
        const neap_features *features = job->data->features;
        uint64_t svd = ni_content_bytes(&m->texts, features, o->text_dim) +
                       (2 * n + ni_content_columns(&m->texts, features)) * f * sizeof(float);
        uint64_t steps = 3 * n * f * sizeof(float) + f * (f + 1) * sizeof(double) + k * f * sizeof(float) +
                         ni_ridge_bytes((uint32_t)k, o->text_dim);
        ni_run_bytes(&t.run, job->data->graph, r);
        r->bytes_batch = svd > steps ? svd : steps;
    }
    ni_run_free(&t.run);
    return rc;
}

/* ---- new nodes ---- */

/* The first half of a new node's vector is the mean of its neighbours', the second is its text's. */
static neap_status read_new(const neap_model *m, uint32_t first, uint32_t end, ni_threads *threads,
                            float *rows, neap_error *err)
{
    const tadw_options *o = m->settings->own;
    const tadw *own = m->own;
    uint32_t f = o->text_dim, k = m->dim / 2;
    float *T = ni_zeros(end - first, f * sizeof *T);
    neap_status rc = T ? read_texts(m, first, end, threads, T, err) : ni_fail_memory(err, "the new nodes");
    for (uint32_t u = first; u < end && rc == NEAP_OK; u++)
        ni_dot_mean(m, u, rows + (uint64_t)(u - first) * m->dim);
    if (rc == NEAP_OK) ni_tall_transform(T, end - first, f, own->H, k, rows + k, m->dim, threads);
    for (uint64_t i = 0; i < 2ULL * (end - first) && rc == NEAP_OK && o->halves == HALVES_UNIT; i++)
        ni_make_unit(rows + i * k, k);
    ni_free(T);
    if (rc == NEAP_OK) ni_dot_fill_textless(m, first, end, rows);
    return rc;
}

static neap_status open_query(neap_query *q, neap_error *err)
{
    return ni_dot_open(q, read_new, err);
}

const ni_method ni_method_tadw = {
    .info = { .size = sizeof(neap_method_info),
              .name = "tadw",
              .summary = "walks of one and two steps, factored with the nodes' texts",
              .details =
                  "Fits W'H T to the probabilities that one or two random steps lead from a node to\n"
                  "another: T are the texts (TF-IDF, --text-dim singular vectors), W and H are\n"
                  "trained, with a --ridge on both; features, given with --features, count like\n"
                  "words. A vector has two halves: the node's column of W, and H times its text. An\n"
                  "epoch solves for W and then for H, each exactly, in time that does not depend on\n"
                  "the nodes: few are needed. Nothing is as large as all pairs of nodes. Weights of\n"
                  "links count, directions do not. A new node has the mean of its neighbours' first\n"
                  "halves, and its own text.\n"
                  "Yang, Liu, Zhao, Sun and Chang, Network Representation Learning with Rich Text\n"
                  "Information, 2015.",
              .vectors = 1,
              .text = 1,
              .new_text = 1,
              .features = 1 },
    .options = { sizeof(tadw_options), parts, defaults },
    .check = check,
    .text = text_of,
    .own = sizeof(tadw),
    .declare = declare,
    .release = ni_dot_release,
    .open = open_query,
    .train = train,
    .bytes = bytes,
    NI_DOT_ANSWERS,
};
