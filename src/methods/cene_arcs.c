/* Arcs of a batch: the distinct nodes, texts and words are numbered on one thread; rows, scores and sums
 * are rounds of tasks. See cene_arcs.h. */
#include "methods/cene_arcs.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"

enum { ROWS_PER_TASK = 16, ARCS_PER_TASK = 16, SUMS_PER_TASK = 64 };

/* ---- memory ---- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t score_tasks(const ni_cene_limits *m)
{
    return ni_tasks(m->arcs, ARCS_PER_TASK) + (uint64_t)ni_tasks(m->readers, ARCS_PER_TASK);
}

static void carve_gru(ni_cene_arcs *a, uint32_t threads, ni_carver *c)
{
    uint64_t d = a->dim, rows = ni_gru_rows((uint32_t)a->texts_most, a->reads_most);
    ni_gru shape = { .d = a->dim, .h = a->dim };
    a->first = ni_carve(c, a->texts_most, sizeof *a->first);
    a->length = ni_carve(c, a->texts_most, sizeof *a->length);
    a->P = ni_carve(c, rows * d, sizeof *a->P);
    a->H = ni_carve(c, rows * d, sizeof *a->H);
    a->dP = ni_carve(c, rows * d, sizeof *a->dP);
    a->dH = ni_carve(c, rows * d, sizeof *a->dH);
    a->gru_dW = ni_carve(c, 3 * d * d, sizeof *a->gru_dW);
    a->gru_dU = ni_carve(c, 3 * d * d, sizeof *a->gru_dU);
    a->gru_db = ni_carve(c, 3 * d, sizeof *a->gru_db);
    a->memory = ni_gru_carve(&shape, rows, (uint32_t)a->texts_most, threads, c);
}

/* All arrays, in the block at `base`; returns its bytes. */
static size_t lay_out(ni_cene_arcs *a, uint32_t threads, char *base)
{
    ni_carver c = { base, 0 };
    uint64_t d = a->dim, words = a->texts->words.count;
    uint64_t rows = a->nodes_most + a->texts_most;
    a->node_at = ni_carve(&c, a->rows, sizeof *a->node_at);
    a->text_at = ni_carve(&c, a->rows, sizeof *a->text_at);
    a->word_at = ni_carve(&c, words, sizeof *a->word_at);
    a->node = ni_carve(&c, a->nodes_most, sizeof *a->node);
    a->text = ni_carve(&c, a->texts_most, sizeof *a->text);
    a->word = ni_carve(&c, a->words_most, sizeof *a->word);
    a->begin = ni_carve(&c, a->texts_most + 1, sizeof *a->begin);
    a->read = ni_carve(&c, a->reads_most, sizeof *a->read);
    a->X = ni_carve(&c, rows * d, sizeof *a->X);
    a->dX = ni_carve(&c, rows * d, sizeof *a->dX);
    a->dW = ni_carve(&c, a->words_most * d, sizeof *a->dW);
    a->G = ni_sparse_carve(&c, 2 * rows, a->nonzeros_most);
    a->T = ni_sparse_carve(&c, a->words_most, a->reads_most);
    a->row = ni_carve(&c, a->nonzeros_most, sizeof *a->row);
    a->col = ni_carve(&c, a->nonzeros_most, sizeof *a->col);
    a->value = ni_carve(&c, a->nonzeros_most, sizeof *a->value);
    a->trow = ni_carve(&c, a->reads_most, sizeof *a->trow);
    a->tcol = ni_carve(&c, a->reads_most, sizeof *a->tcol);
    a->tvalue = ni_carve(&c, a->reads_most, sizeof *a->tvalue);
    a->loss = ni_carve(&c, score_tasks(&a->most), sizeof *a->loss);
    if (a->most.gru) carve_gru(a, threads, &c);
    return c.used;
}

/* Words of the longest text of nodes first .. end-1. */
static uint32_t longest_text(const ni_texts *texts, uint32_t first, uint32_t end)
{
    uint32_t longest = 0;
    for (uint32_t u = first; u < end; u++)
        if (ni_text_size(texts, u) > longest) longest = ni_text_size(texts, u);
    return longest;
}

/* How much a step can hold of each. */
static void set_limits(ni_cene_arcs *a)
{
    const ni_cene_limits *m = &a->most;
    uint64_t longest = longest_text(a->texts, 0, a->rows), all = a->texts->offset[a->rows];
    a->nodes_most = smaller(a->rows, m->arcs * (2 + (uint64_t)m->negatives) + m->readers);
    a->texts_most = smaller(a->rows, m->readers + m->groups * m->text_negatives);
    a->reads_most = smaller(all, a->texts_most * longest);
    a->words_most = smaller(a->texts->words.count, a->reads_most);
    a->nonzeros_most =
        2 * m->arcs * (1 + (uint64_t)m->negatives) + 4 * m->readers * (1 + (uint64_t)m->text_negatives);
}

uint64_t ni_cene_arcs_bytes(const ni_texts *texts, uint32_t rows, uint32_t dim, const ni_cene_limits *most,
                            uint32_t threads)
{
    ni_cene_arcs a = { .texts = texts, .most = *most, .rows = rows, .dim = dim };
    set_limits(&a);
    return lay_out(&a, threads, NULL) + NI_CACHE_LINE;
}

neap_status ni_cene_arcs_create(const ni_texts *texts, const ni_links *links, uint32_t rows, uint32_t dim,
                                const ni_cene_limits *most, ni_threads *threads, ni_cene_arcs *a,
                                neap_error *err)
{
    *a = (ni_cene_arcs){
        .texts = texts, .links = links, .threads = threads, .most = *most, .rows = rows, .dim = dim
    };
    uint32_t count = ni_threads_count(threads);
    set_limits(a);
    if (a->nonzeros_most > UINT32_MAX || a->reads_most + a->texts_most >= INT32_MAX)
        return ni_fail(err, NEAP_E_LIMIT,
                       "a step has too many arcs; a smaller --batch or fewer --text-negatives have fewer");
    a->block = ni_array(lay_out(a, count, NULL) + NI_CACHE_LINE, 1);
    if (!a->block) return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    lay_out(a, count, ni_first_line(a->block));
    memset(a->node_at, 0xff, rows * sizeof *a->node_at); /* NEAP_NONE */
    memset(a->text_at, 0xff, rows * sizeof *a->text_at);
    memset(a->word_at, 0xff, texts->words.count * sizeof *a->word_at);
    return NEAP_OK;
}

void ni_cene_arcs_free(ni_cene_arcs *a)
{
    ni_free(a->block);
    *a = (ni_cene_arcs){ 0 };
}

/* ---- numbering ---- */

/* The place of an id in the list, where it is put if it is new. */
static uint32_t place(uint32_t *at, uint32_t *list, uint32_t *count, uint32_t id)
{
    if (at[id] == NEAP_NONE) {
        at[id] = *count;
        list[(*count)++] = id;
    }
    return at[id];
}

static void clear(uint32_t *at, const uint32_t *list, uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++) at[list[i]] = NEAP_NONE;
    *count = 0;
}

static uint32_t groups_of(const ni_cene_batch *b)
{
    return ni_tasks(b->reader_count, NI_CENE_GROUP);
}

static void number_rows(ni_cene_arcs *a, const ni_cene_batch *b)
{
    uint64_t sides = b->arcs * (2 + (uint64_t)a->most.negatives);
    uint64_t others = (uint64_t)groups_of(b) * a->most.text_negatives;
    clear(a->node_at, a->node, &a->nodes);
    clear(a->text_at, a->text, &a->text_count);
    for (uint64_t i = 0; i < sides; i++) place(a->node_at, a->node, &a->nodes, b->nodes[i]);
    for (uint32_t i = 0; i < b->reader_count; i++) {
        place(a->node_at, a->node, &a->nodes, b->readers[i]);
        place(a->text_at, a->text, &a->text_count, b->readers[i]);
    }
    for (uint64_t i = 0; i < others; i++) place(a->text_at, a->text, &a->text_count, b->others[i]);
}

/* The texts of the batch as sequences of rows, for a GRU. */
static void pack_texts(ni_cene_arcs *a)
{
    for (uint32_t x = 0; x < a->text_count; x++) a->length[x] = ni_text_size(a->texts, a->text[x]);
    uint64_t rows = ni_gru_lay_out(a->length, a->text_count, a->first);
    a->packed = (ni_packed){ a->text_count, a->first, a->length, rows };
}

/* A text is the mean of rows of W, and a word has its share of the gradients of its texts; with a GRU a
 * text is the mean of rows of H, and a word has the gradients of the rows of P that it fills. */
static void number_words(ni_cene_arcs *a)
{
    uint64_t n = 0;
    bool gru = a->most.gru;
    clear(a->word_at, a->word, &a->words);
    if (gru) pack_texts(a);
    for (uint32_t x = 0; x < a->text_count; x++) {
        uint32_t size = ni_text_size(a->texts, a->text[x]);
        const uint32_t *word = a->texts->word + a->texts->offset[a->text[x]];
        float share = 1 / (float)size;
        a->begin[x] = n;
        for (uint32_t i = 0; i < size; i++, n++) {
            uint32_t row = gru ? (uint32_t)a->first[x] + i : word[i];
            a->read[n] = (ni_term){ row, share };
            a->trow[n] = place(a->word_at, a->word, &a->words, word[i]);
            a->tcol[n] = gru ? row : x;
            a->tvalue[n] = gru ? 1 : share;
        }
    }
    a->begin[a->text_count] = n;
}

/* ---- rows ---- */

/* The rows of a text's words, one behind the other (size x d). */
static void copy_words(const uint32_t *word, uint32_t size, const float *W, uint64_t d, float *to)
{
    for (uint32_t i = 0; i < size; i++) memcpy(to + i * d, W + word[i] * d, d * sizeof *to);
}

/* P: the words of the texts. */
static void words_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cene_arcs *a = arg;
    uint64_t d = a->dim, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, a->text_count);
    (void)thread;
    for (uint64_t x = first; x < end; x++)
        copy_words(a->texts->word + a->texts->offset[a->text[x]], a->length[x], a->W, d,
                   a->P + a->first[x] * d);
}

/* dH: every state has its share of the gradient of its text. */
static void states_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cene_arcs *a = arg;
    uint64_t d = a->dim, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, a->text_count);
    (void)thread;
    for (uint64_t x = first; x < end; x++)
        for (uint32_t i = 0; i < a->length[x]; i++) {
            float *to = a->dH + (a->first[x] + i) * d;
            memset(to, 0, d * sizeof *to);
            ni_kernels_get()->axpy(1 / (float)a->length[x], a->dX + (a->nodes + x) * d, to, d);
        }
}

/* X: the nodes' rows of E, then the encodings of the texts. */
static void row_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cene_arcs *a = arg;
    uint64_t d = a->dim, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, (uint64_t)a->nodes + a->text_count);
    (void)thread;
    for (uint64_t i = first; i < end; i++) {
        float *x = a->X + i * d;
        if (i < a->nodes) {
            memcpy(x, a->E + a->node[i] * d, d * sizeof *x);
            continue;
        }
        uint64_t begin = a->begin[i - a->nodes], words = a->begin[i - a->nodes + 1] - begin;
        ni_kernels_get()->spmm_row(a->read + begin, words, a->most.gru ? a->H : a->W, d, x);
    }
}

static void make_rows(ni_cene_arcs *a)
{
    if (a->most.gru) {
        ni_packed_clear(&a->packed, a->dim, a->P);
        ni_threads_run(a->threads, ni_tasks(a->text_count, ROWS_PER_TASK), words_task, a);
        ni_gru_forward(&a->gru, &a->packed, a->P, a->H, &a->memory, a->threads);
    }
    ni_threads_run(a->threads, ni_tasks((uint64_t)a->nodes + a->text_count, ROWS_PER_TASK), row_task, a);
}

/* ---- texts by themselves ---- */

static void add_mean(const float *rows, uint32_t count, uint64_t d, float *out)
{
    for (uint32_t i = 0; i < count; i++) ni_kernels_get()->axpy(1 / (float)count, rows + i * d, out, d);
}

/* One text at a time, so that its encoding depends on nothing else: P and H (size + 2 rows) and what the
 * GRU needs, in a block for the longest. */
static neap_status encode_by_gru(const ni_texts *texts, const float *W, const ni_gru *gru, uint32_t first,
                                 uint32_t end, ni_threads *threads, float *out, neap_error *err)
{
    uint64_t d = gru->d, most = ni_gru_rows(1, longest_text(texts, first, end)), at = 1;
    ni_block block = { 0 };
    ni_carver count = { 0 };
    ni_carve(&count, 2 * most * d, sizeof *W);
    ni_gru_carve(gru, most, 1, ni_threads_count(threads), &count);
    if (!ni_block_grow(&block, count.used)) return ni_fail_memory(err, "a text");
    ni_carver c = { ni_first_line(block.memory), 0 };
    float *P = ni_carve(&c, 2 * most * d, sizeof *P), *H = P + most * d;
    ni_gru_memory memory = ni_gru_carve(gru, most, 1, ni_threads_count(threads), &c);
    for (uint32_t u = first; u < end; u++) {
        uint32_t size = ni_text_size(texts, u);
        ni_packed p = { 1, &at, &size, ni_gru_rows(1, size) };
        if (!size) continue;
        ni_packed_clear(&p, d, P);
        copy_words(texts->word + texts->offset[u], size, W, d, P + d);
        ni_gru_forward(gru, &p, P, H, &memory, threads);
        add_mean(H + d, size, d, out + (u - first) * d);
    }
    ni_free(block.memory);
    return NEAP_OK;
}

neap_status ni_cene_encode(const ni_texts *texts, const float *W, const ni_gru *gru, uint32_t first,
                           uint32_t end, uint32_t dim, ni_threads *threads, float *out, neap_error *err)
{
    memset(out, 0, (end - first) * (uint64_t)dim * sizeof *out);
    if (gru) return encode_by_gru(texts, W, gru, first, end, threads, out, err);
    for (uint32_t u = first; u < end; u++) {
        uint32_t size = ni_text_size(texts, u);
        const uint32_t *word = texts->word + texts->offset[u];
        for (uint32_t i = 0; i < size; i++)
            ni_kernels_get()->axpy(1 / (float)size, W + (uint64_t)word[i] * dim,
                                   out + (u - first) * (uint64_t)dim, dim);
    }
    return NEAP_OK;
}

/* ---- scores ---- */

/* The loss of a score z whose label is 1 or 0, times `weight`; dL/dz into *g. */
static double judge(double z, bool label, double weight, float *g)
{
    *g = (float)(weight * (label ? -1 / (1 + exp(z)) : 1 / (1 + exp(-z))));
    return weight * ni_surprise(label ? z : -z);
}

/* Half rows i and j have g at (i, j) and (j, i), the nonzeros `at` and `at` + 1. */
static void put(const ni_cene_arcs *a, uint64_t at, uint32_t i, uint32_t j, float g)
{
    a->row[at] = a->col[at + 1] = i;
    a->col[at] = a->row[at + 1] = j;
    a->value[at] = a->value[at + 1] = g;
}

static double node_arc(const ni_cene_arcs *a, uint64_t arc, double weight)
{
    uint32_t h = a->dim / 2, count = 1 + a->most.negatives;
    const uint32_t *nodes = a->batch->nodes + arc * (1 + count);
    uint32_t s = 2 * a->node_at[nodes[0]];
    double loss = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t t = 2 * a->node_at[nodes[1 + k]] + 1;
        float g, z = ni_kernels_get()->dot(a->X + (uint64_t)s * h, a->X + (uint64_t)t * h, h);
        loss += judge((double)z, k == 0, weight, &g);
        put(a, 2 * (arc * count + k), s, t, g);
    }
    return loss;
}

static double text_arc(const ni_cene_arcs *a, uint64_t arc, double weight)
{
    uint32_t d = a->dim, count = 1 + a->most.text_negatives, u = a->batch->readers[arc];
    uint32_t s = a->node_at[u];
    const uint32_t *others = a->batch->others + arc / NI_CENE_GROUP * a->most.text_negatives;
    uint64_t at = 2 * (uint64_t)a->batch->arcs * (1 + a->most.negatives) + 4 * arc * count;
    double loss = 0;
    for (uint32_t k = 0; k < count; k++, at += 4) {
        uint32_t v = k ? others[k - 1] : u, x = a->nodes + a->text_at[v];
        if (k && (v == u || ni_linked(a->links, u, v))) {
            put(a, at, NEAP_NONE, NEAP_NONE, 0);
            put(a, at + 2, NEAP_NONE, NEAP_NONE, 0);
            continue;
        }
        float g, z = ni_kernels_get()->dot(a->X + (uint64_t)s * d, a->X + (uint64_t)x * d, d);
        loss += judge((double)z, k == 0, weight, &g);
        put(a, at, 2 * s, 2 * x, g);
        put(a, at + 2, 2 * s + 1, 2 * x + 1, g);
    }
    return loss;
}

/* First the tasks of the arcs to nodes, then those of the arcs to texts. */
static void score_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cene_arcs *a = arg;
    const ni_cene_batch *b = a->batch;
    uint32_t before = ni_tasks(b->arcs, ARCS_PER_TASK);
    bool texts = task >= before;
    uint64_t first = (uint64_t)(texts ? task - before : task) * ARCS_PER_TASK;
    uint64_t end = ni_task_end(first, ARCS_PER_TASK, texts ? b->reader_count : b->arcs);
    double share = 1 / ((double)b->arcs + b->reader_count), loss = 0;
    (void)thread;
    for (uint64_t i = first; i < end; i++)
        loss += texts ? text_arc(a, i, share * a->most.text_weight) : node_arc(a, i, share);
    a->loss[task] = loss;
}

/* ---- sums ---- */

static void row_sum_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cene_arcs *a = arg;
    uint64_t first = (uint64_t)task * SUMS_PER_TASK, end = ni_task_end(first, SUMS_PER_TASK, a->G.rows);
    (void)thread;
    ni_sparse_spmm(&a->G, first, end, a->X, a->dim / 2, a->dX);
}

static void word_sum_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cene_arcs *a = arg;
    uint64_t first = (uint64_t)task * SUMS_PER_TASK, end = ni_task_end(first, SUMS_PER_TASK, a->T.rows);
    (void)thread;
    ni_sparse_spmm(&a->T, first, end, a->most.gru ? a->dP : a->dX + (uint64_t)a->nodes * a->dim, a->dim,
                   a->dW);
}

/* dP, and the gradients of the GRU, from those of the texts. */
static void read_back(ni_cene_arcs *a)
{
    ni_threads_run(a->threads, ni_tasks(a->text_count, ROWS_PER_TASK), states_task, a);
    ni_gru_backward(&a->gru, &a->packed, a->P, a->H, a->dH, &a->memory, a->dP, a->gru_dW, a->gru_dU,
                    a->gru_db, a->threads);
}

static void sum_gradients(ni_cene_arcs *a)
{
    const ni_cene_batch *b = a->batch;
    ni_sparse *G = &a->G, *T = &a->T;
    G->rows = 2 * ((uint64_t)a->nodes + a->text_count);
    G->nonzeros = 2 * (uint64_t)b->arcs * (1 + a->most.negatives) +
                  4 * (uint64_t)b->reader_count * (1 + a->most.text_negatives);
    G->row = a->row, G->col = a->col, G->value = a->value;
    T->rows = a->words, T->nonzeros = a->begin[a->text_count];
    T->row = a->trow, T->col = a->tcol, T->value = a->tvalue;
    ni_sparse_sort(G, a->threads);
    ni_sparse_sort(T, a->threads);
    if (ni_threads_left_out(a->threads)) return; /* stopped: they are not sorted */
    ni_threads_run(a->threads, ni_tasks(G->rows, SUMS_PER_TASK), row_sum_task, a);
    if (a->most.gru) read_back(a);
    ni_threads_run(a->threads, ni_tasks(T->rows, SUMS_PER_TASK), word_sum_task, a);
}

double ni_cene_arcs_pass(ni_cene_arcs *a, const ni_cene_batch *b, const float *E, const float *W,
                         const ni_gru *gru)
{
    uint32_t tasks = ni_tasks(b->arcs, ARCS_PER_TASK) + ni_tasks(b->reader_count, ARCS_PER_TASK);
    double loss = 0;
    a->batch = b, a->E = E, a->W = W;
    if (gru) a->gru = *gru;
    number_rows(a, b);
    number_words(a);
    make_rows(a);
    ni_threads_run(a->threads, tasks, score_task, a);
    if (ni_threads_left_out(a->threads)) return NAN;
    for (uint32_t i = 0; i < tasks; i++) loss += a->loss[i];
    sum_gradients(a);
    return loss;
}
