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

/* All arrays, in the block at `base`; returns its bytes. */
static size_t lay_out(ni_cene_arcs *a, char *base)
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
    return c.used;
}

/* How much a step can hold of each. */
static void set_limits(ni_cene_arcs *a)
{
    const ni_cene_limits *m = &a->most;
    uint64_t longest = 0, all = a->texts->offset[a->rows];
    for (uint32_t u = 0; u < a->rows; u++)
        if (ni_text_size(a->texts, u) > longest) longest = ni_text_size(a->texts, u);
    a->nodes_most = smaller(a->rows, m->arcs * (2 + (uint64_t)m->negatives) + m->readers);
    a->texts_most = smaller(a->rows, m->readers + m->groups * m->text_negatives);
    a->reads_most = smaller(all, a->texts_most * longest);
    a->words_most = smaller(a->texts->words.count, a->reads_most);
    a->nonzeros_most =
        2 * m->arcs * (1 + (uint64_t)m->negatives) + 4 * m->readers * (1 + (uint64_t)m->text_negatives);
}

uint64_t ni_cene_arcs_bytes(const ni_texts *texts, uint32_t rows, uint32_t dim, const ni_cene_limits *most)
{
    ni_cene_arcs a = { .texts = texts, .most = *most, .rows = rows, .dim = dim };
    set_limits(&a);
    return lay_out(&a, NULL) + NI_CACHE_LINE;
}

neap_status ni_cene_arcs_create(const ni_texts *texts, const ni_links *links, uint32_t rows, uint32_t dim,
                                const ni_cene_limits *most, ni_threads *threads, ni_cene_arcs *a,
                                neap_error *err)
{
    *a = (ni_cene_arcs){
        .texts = texts, .links = links, .threads = threads, .most = *most, .rows = rows, .dim = dim
    };
    set_limits(a);
    if (a->nonzeros_most > UINT32_MAX || a->reads_most > UINT32_MAX)
        return ni_fail(err, NEAP_E_LIMIT,
                       "a step has too many arcs; a smaller --batch or fewer --text-negatives have fewer");
    a->block = ni_array(lay_out(a, NULL) + NI_CACHE_LINE, 1);
    if (!a->block) return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    lay_out(a, ni_first_line(a->block));
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

static void number_words(ni_cene_arcs *a)
{
    uint64_t n = 0;
    clear(a->word_at, a->word, &a->words);
    for (uint32_t x = 0; x < a->text_count; x++) {
        uint32_t u = a->text[x];
        float share = 1 / (float)ni_text_size(a->texts, u);
        a->begin[x] = n;
        for (uint64_t i = a->texts->offset[u]; i < a->texts->offset[u + 1]; i++, n++) {
            uint32_t w = a->texts->word[i];
            a->read[n] = (ni_term){ w, share };
            a->trow[n] = place(a->word_at, a->word, &a->words, w);
            a->tcol[n] = x;
            a->tvalue[n] = share;
        }
    }
    a->begin[a->text_count] = n;
}

/* ---- rows ---- */

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
        ni_kernels_get()->spmm_row(a->read + begin, words, a->W, d, x);
    }
}

bool ni_cene_encode(const ni_texts *texts, const float *W, uint32_t node, uint32_t dim, float *out)
{
    uint32_t size = ni_text_size(texts, node);
    memset(out, 0, dim * sizeof *out);
    for (uint64_t i = texts->offset[node]; i < texts->offset[node + 1]; i++)
        ni_kernels_get()->axpy(1 / (float)size, W + (uint64_t)texts->word[i] * dim, out, dim);
    return size > 0;
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
    ni_sparse_spmm(&a->T, first, end, a->dX + (uint64_t)a->nodes * a->dim, a->dim, a->dW);
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
    ni_threads_run(a->threads, ni_tasks(T->rows, SUMS_PER_TASK), word_sum_task, a);
}

double ni_cene_arcs_pass(ni_cene_arcs *a, const ni_cene_batch *b, const float *E, const float *W)
{
    uint32_t tasks = ni_tasks(b->arcs, ARCS_PER_TASK) + ni_tasks(b->reader_count, ARCS_PER_TASK);
    double loss = 0;
    a->batch = b, a->E = E, a->W = W;
    number_rows(a, b);
    number_words(a);
    ni_threads_run(a->threads, ni_tasks((uint64_t)a->nodes + a->text_count, ROWS_PER_TASK), row_task, a);
    ni_threads_run(a->threads, tasks, score_task, a);
    if (ni_threads_left_out(a->threads)) return NAN;
    for (uint32_t i = 0; i < tasks; i++) loss += a->loss[i];
    sum_gradients(a);
    return loss;
}
