/* See cane_pairs.h. A batch is a list of tiles, one per pair: F of the windows of both texts. Sequences are
 * the windows of the distinct nodes, those of first nodes of pairs in front, so that Q = H R is one product
 * over the first rows. Of the convolution the products are made once for each distinct word of the batch,
 * P = x C_0 and x C_1, and a window adds two of their rows: the same sums, h^2 flops less for each word
 * that comes again. Flops: of a tile 2 p q h forward, 4 p q h backward, p and q the windows of its texts;
 * of a distinct word 4 h^2 and 8 h^2, of a window of a source 2 h^2 and 4 h^2. Runs on all threads of its
 * owner. */
#include "methods/cane_pairs.h"

#include <math.h>
#include <string.h>

#include "linalg/blas.h"
#include "support/status.h"

enum { ROWS_PER_TASK = 192, MATRIX_ROWS_PER_TASK = 54, WORDS_PER_TASK = 96, SIDES = 2, WIDTH = 2 };

typedef struct tile {
    uint32_t side[SIDES]; /* sequences                                        */
    uint64_t F;           /* where its alignments begin                       */
    uint64_t mark[SIDES]; /* where the numbers per window of its sides begin  */
} tile;

/* An array that is as long as the largest batch needs. */
typedef struct numbers {
    float *at;
    size_t room;
} numbers;

typedef struct integers {
    uint32_t *at;
    size_t room;
} integers;

typedef struct offsets {
    uint64_t *at;
    size_t room;
} offsets;

/* The words at one place of all windows. */
typedef struct slot {
    integers place; /* rows: which of the distinct words                              */
    offsets start;  /* words + 1, into `row`                                          */
    integers row;   /* rows: the windows that have a word there, by word, ascending   */
} slot;

struct ni_cane_batch {
    ni_cane_weights w;
    ni_threads *threads;
    uint32_t *sequence_of; /* nodes: its sequence, or NEAP_NONE between calls              */
    uint32_t *place_of;    /* V+1: its place among the distinct words, likewise            */

    tile *tile;
    size_t tiles, tile_room;
    integers node, windows; /* of sequences                                                */
    offsets first;          /* sequences + 1: rows of the matrices                         */
    uint32_t sequences, sources;
    integers word; /* the distinct words                                                   */
    uint32_t words;
    slot slot[WIDTH];
    uint64_t cells, marks;
    offsets occurrence; /* sequences + 1, into `where`                                     */
    integers where;     /* 2 x tiles: tile << 1 | side, by sequence, ascending             */

    numbers W, P, H, Q, F, attention, t; /* forward; P: words x 2 h                        */
    numbers dt, n, slope;                /* tiles x 2 x h; x 2 h: dL/dn and n; as attention */
    numbers dH, dQ, dP, dE, dW, dC, dR;
    double *loss; /* of items */
    size_t loss_room;
    const ni_cane_rho *rho;
};

/* ---- layout ---- */

static uint64_t rows_of_all(const ni_cane_batch *b)
{
    return b->first.at[b->sequences];
}

static uint64_t rows_of_sources(const ni_cane_batch *b)
{
    return b->first.at[b->sources];
}

static uint32_t windows_of(const ni_cane_batch *b, uint32_t words)
{
    uint32_t most = b->w.length - 1;
    if (b->w.padded) words++; /* that of the padding */
    if (words == 0) words = 1;
    return words < most ? words : most;
}

/* How many windows the last of a sequence stands for, and all of them. */
static float last_weight(const ni_cane_batch *b, uint32_t s)
{
    return b->w.padded ? (float)(b->w.length - b->windows.at[s]) : 1;
}

static float total_weight(const ni_cane_batch *b, uint32_t s)
{
    return (float)(b->w.padded ? b->w.length - 1 : b->windows.at[s]);
}

static bool more_integers(integers *x, uint64_t count)
{
    return ni_grow(&x->at, &x->room, count, sizeof *x->at);
}

static bool more_offsets(offsets *x, uint64_t count)
{
    return ni_grow(&x->at, &x->room, count, sizeof *x->at);
}

static bool add_sequence(ni_cane_batch *b, uint32_t node)
{
    uint64_t s = b->sequences;
    if (b->sequence_of[node] != NEAP_NONE) return true;
    if (!more_integers(&b->node, s + 1) || !more_integers(&b->windows, s + 1) ||
        !more_offsets(&b->first, s + 2))
        return false;
    b->node.at[s] = node;
    b->windows.at[s] = windows_of(b, ni_text_size(b->w.texts, node));
    b->first.at[s + 1] = b->first.at[s] + b->windows.at[s];
    b->sequence_of[node] = b->sequences++;
    return true;
}

/* The distinct nodes of the pairs: sequences. Rows are counted in 32 bits. */
static bool list_sequences(ni_cane_batch *b, const neap_pair *pairs, size_t count)
{
    bool ok = more_offsets(&b->first, 1);
    if (ok) b->first.at[0] = 0;
    b->sequences = 0;
    for (size_t i = 0; i < count && ok; i++) ok = add_sequence(b, pairs[i].source);
    b->sources = b->sequences;
    for (size_t i = 0; i < count && ok; i++) ok = add_sequence(b, pairs[i].target);
    return ok && rows_of_all(b) < UINT32_MAX;
}

static void list_tiles(ni_cane_batch *b, const neap_pair *pairs, size_t count)
{
    b->cells = b->marks = 0;
    b->tiles = count;
    for (size_t i = 0; i < count; i++) {
        tile *t = &b->tile[i];
        *t = (tile){ .side = { b->sequence_of[pairs[i].source], b->sequence_of[pairs[i].target] },
                     .F = b->cells };
        b->cells += (uint64_t)b->windows.at[t->side[0]] * b->windows.at[t->side[1]];
        for (uint32_t k = 0; k < SIDES; k++) {
            t->mark[k] = b->marks;
            b->marks += b->windows.at[t->side[k]];
        }
    }
}

/* Word i of a sequence, padding included. */
static uint32_t word_at(const ni_cane_batch *b, uint32_t s, uint32_t i)
{
    const ni_texts *t = b->w.texts;
    uint32_t u = b->node.at[s];
    return i < ni_text_size(t, u) ? t->word[t->offset[u] + i] : t->words.count;
}

/* Its place among the distinct words, which come in the order in which they are met. */
static uint32_t place_word(ni_cane_batch *b, uint32_t word)
{
    if (b->place_of[word] == NEAP_NONE) {
        b->place_of[word] = b->words;
        b->word.at[b->words++] = word;
    }
    return b->place_of[word];
}

/* The distinct words, and which stand in each window. */
static bool list_words(ni_cane_batch *b)
{
    uint64_t rows = rows_of_all(b), most = rows + b->sequences, all = (uint64_t)b->w.texts->words.count + 1;
    b->words = 0;
    if (!more_integers(&b->word, most < all ? most : all)) return false;
    for (uint32_t j = 0; j < WIDTH; j++)
        if (!more_integers(&b->slot[j].place, rows)) return false;
    for (uint32_t s = 0; s < b->sequences; s++)
        for (uint32_t i = 0; i < b->windows.at[s]; i++)
            for (uint32_t j = 0; j < WIDTH; j++)
                b->slot[j].place.at[b->first.at[s] + i] = place_word(b, word_at(b, s, i + j));
    for (uint32_t w = 0; w < b->words; w++) b->place_of[b->word.at[w]] = NEAP_NONE;
    return true;
}

static bool lay_out(ni_cane_batch *b, const neap_pair *pairs, size_t count)
{
    bool ok = list_sequences(b, pairs, count) && ni_grow(&b->tile, &b->tile_room, count, sizeof *b->tile);
    if (ok) list_tiles(b, pairs, count);
    for (uint32_t s = 0; s < b->sequences; s++) b->sequence_of[b->node.at[s]] = NEAP_NONE;
    return ok && list_words(b);
}

/* What was there is lost. An eighth more than is needed: batches differ little. */
static bool make_room(numbers *n, uint64_t count)
{
    if (count <= n->room) return true;
    ni_free(n->at);
    n->room = 0;
    n->at = ni_array(count + count / 8, sizeof *n->at);
    if (n->at) n->room = count + count / 8;
    return n->at;
}

static bool make_forward(ni_cane_batch *b)
{
    uint64_t h = b->w.h, rows = rows_of_all(b);
    return make_room(&b->W, b->words * h) && make_room(&b->P, b->words * WIDTH * h) &&
           make_room(&b->H, rows * h) && make_room(&b->Q, rows_of_sources(b) * h) &&
           make_room(&b->F, b->cells) && make_room(&b->attention, b->marks) &&
           make_room(&b->t, b->tiles * SIDES * h);
}

/* ---- forward ---- */

/* P_w = [x_w C_0 , x_w C_1] */
static void words_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cane_batch *b = arg;
    uint64_t h = b->w.h, first = (uint64_t)task * WORDS_PER_TASK;
    uint64_t end = ni_task_end(first, WORDS_PER_TASK, b->words);
    (void)thread;
    for (uint64_t w = first; w < end; w++)
        memcpy(b->W.at + w * h, b->w.words + b->word.at[w] * h, h * sizeof(float));
    for (uint64_t j = 0; j < WIDTH; j++)
        ni_gemm(0, 0, end - first, h, h, b->W.at + first * h, h, b->w.C + j * h * h, h, 0,
                b->P.at + first * WIDTH * h + j * h, WIDTH * h);
}

/* h_i = tanh(sum_j P_ij);  Q = H R in rows of sources */
static void windows_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cane_batch *b = arg;
    const ni_kernels *k = ni_kernels_get();
    uint64_t h = b->w.h, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, rows_of_all(b));
    float *H = b->H.at + first * h;
    (void)thread;
    for (uint64_t i = first; i < end; i++) {
        memcpy(b->H.at + i * h, b->P.at + b->slot[0].place.at[i] * WIDTH * h, h * sizeof *H);
        for (uint64_t j = 1; j < WIDTH; j++)
            k->axpy(1, b->P.at + b->slot[j].place.at[i] * WIDTH * h + j * h, b->H.at + i * h, h);
    }
    k->tanh(H, (end - first) * h, H);
    if (end > rows_of_sources(b)) end = rows_of_sources(b);
    if (first < end) ni_gemm(0, 0, end - first, h, h, H, h, b->w.R, h, 0, b->Q.at + first * h, h);
}

static const float *rows_of(const ni_cane_batch *b, const numbers *matrix, uint32_t sequence)
{
    return matrix->at + b->first.at[sequence] * b->w.h;
}

/* Row and column means of F (p x q) of a tile, windows counted by their weight. */
static void pool(const ni_cane_batch *b, const tile *t, const float *F, float *row, float *column)
{
    uint32_t p = b->windows.at[t->side[0]], q = b->windows.at[t->side[1]];
    float p_last = last_weight(b, t->side[0]), q_last = last_weight(b, t->side[1]);
    float p_share = 1 / total_weight(b, t->side[0]), q_share = 1 / total_weight(b, t->side[1]);
    memset(column, 0, q * sizeof *column);
    for (uint32_t i = 0; i < p; i++) {
        const float *f = F + (uint64_t)i * q;
        float sum = 0;
        for (uint32_t j = 0; j + 1 < q; j++) sum += f[j];
        row[i] = (sum + q_last * f[q - 1]) * q_share;
        ni_kernels_get()->axpy((i + 1 < p ? 1 : p_last) * p_share, f, column, q);
    }
}

/* mark = softmax with the last counted by its weight; |mark| <= 1 before. t = sum_i mark_i h_i. */
static void attend(const ni_cane_batch *b, uint32_t s, float *mark, float *t)
{
    const ni_kernels *k = ni_kernels_get();
    uint32_t windows = b->windows.at[s];
    const float *H = rows_of(b, &b->H, s);
    float last = last_weight(b, s), sum = k->exp(mark, windows, mark);
    sum += (last - 1) * mark[windows - 1];
    mark[windows - 1] *= last;
    memset(t, 0, b->w.h * sizeof *t);
    for (uint32_t i = 0; i < windows; i++) {
        mark[i] /= sum;
        k->axpy(mark[i], H + (uint64_t)i * b->w.h, t, b->w.h);
    }
}

static float *text_of(const ni_cane_batch *b, size_t number, uint32_t side)
{
    return b->t.at + (number * SIDES + side) * b->w.h;
}

static void align_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cane_batch *b = arg;
    const tile *t = &b->tile[task];
    uint64_t h = b->w.h, p = b->windows.at[t->side[0]], q = b->windows.at[t->side[1]];
    float *F = b->F.at + t->F,
          *mark[SIDES] = { b->attention.at + t->mark[0], b->attention.at + t->mark[1] };
    (void)thread;
    ni_gemm(0, 1, p, q, h, rows_of(b, &b->Q, t->side[0]), h, rows_of(b, &b->H, t->side[1]), h, 0, F, q);
    ni_kernels_get()->tanh(F, p * q, F);
    pool(b, t, F, mark[0], mark[1]);
    for (uint32_t k = 0; k < SIDES; k++) attend(b, t->side[k], mark[k], text_of(b, task, k));
}

static void forward(ni_cane_batch *b)
{
    ni_gemm_run(b->threads, ni_tasks(b->words, WORDS_PER_TASK), words_task, b);
    ni_gemm_run(b->threads, ni_tasks(rows_of_all(b), ROWS_PER_TASK), windows_task, b);
    ni_gemm_run(b->threads, (uint32_t)b->tiles, align_task, b);
}

static uint64_t windows_of_node(const ni_cane_batch *b, uint32_t node)
{
    return windows_of(b, ni_text_size(b->w.texts, node));
}

size_t ni_cane_fitting(const ni_cane_batch *b, const neap_pair *pairs, size_t count, uint64_t cells)
{
    uint64_t sum = 0;
    size_t n = 0;
    for (; n < count && sum <= cells; n++)
        sum += windows_of_node(b, pairs[n].source) * windows_of_node(b, pairs[n].target);
    return sum > cells && n > 1 ? n - 1 : n;
}

neap_status ni_cane_read(ni_cane_batch *b, const neap_pair *pairs, size_t count, neap_error *err)
{
    if (!lay_out(b, pairs, count) || !make_forward(b))
        return ni_fail_memory(err, "the texts of a batch; a smaller --text-length needs less");
    if (count) forward(b);
    return NEAP_OK;
}

const float *ni_cane_text(const ni_cane_batch *b, size_t pair, uint32_t side)
{
    return text_of(b, pair, side);
}

const float *ni_cane_attention(const ni_cane_batch *b, size_t pair, uint32_t side, uint32_t *windows)
{
    *windows = b->windows.at[b->tile[pair].side[side]];
    return b->attention.at + b->tile[pair].mark[side];
}

const float *ni_cane_windows(const ni_cane_batch *b, size_t pair, uint32_t side, uint32_t *windows)
{
    uint32_t s = b->tile[pair].side[side];
    *windows = b->windows.at[s];
    return rows_of(b, &b->H, s);
}

const float *ni_cane_alignment(const ni_cane_batch *b, size_t pair)
{
    return b->F.at + b->tile[pair].F;
}

const ni_cane_weights *ni_cane_weights_of(const ni_cane_batch *b)
{
    return &b->w;
}

/* ---- the loss of an item ---- */

void ni_cane_clip(const float *x, uint32_t h, float *out)
{
    double length = ni_length(x, h);
    for (uint32_t k = 0; k < h; k++) out[k] = length > 1 ? (float)((double)x[k] / length) : x[k];
}

/* A vector of an item and its gradient. */
typedef struct ends {
    const float *x;
    float *dx;
} ends;

/* -rho l(sign x y), and its gradients. */
static double term(ends x, ends y, uint32_t h, double sign, double rho)
{
    const ni_kernels *k = ni_kernels_get();
    double s = 1 / (1 + exp(-sign * (double)k->dot(x.x, y.x, h)));
    float slope = (float)(-rho * sign * s * (1 - s) / (s + 0.001));
    if (rho == 0) return 0;
    k->axpy(slope, y.x, x.dx, h);
    k->axpy(slope, x.x, y.dx, h);
    return -rho * log(s + 0.001);
}

static ends text_ends(const ni_cane_batch *b, size_t number, uint32_t side)
{
    return (ends){ text_of(b, number, side), b->dt.at + (number * SIDES + side) * b->w.h };
}

static ends node_ends(const ni_cane_batch *b, size_t number, uint32_t side)
{
    float *dn = b->n.at + (number * SIDES + side) * 2 * b->w.h;
    ni_cane_clip(b->w.E + (uint64_t)b->node.at[b->tile[number].side[side]] * b->w.h, b->w.h, dn + b->w.h);
    return (ends){ dn + b->w.h, dn };
}

static double item_loss(const ni_cane_batch *b, size_t item)
{
    uint32_t h = b->w.h;
    const ni_cane_rho *rho = b->rho;
    size_t link = 2 * item, other = link + 1;
    memset(b->dt.at + link * SIDES * h, 0, 4 * (size_t)h * sizeof(float));
    memset(b->n.at + link * SIDES * 2 * h, 0, 8 * (size_t)h * sizeof(float));
    ends ta = text_ends(b, link, 0), tb = text_ends(b, link, 1), tz = text_ends(b, other, 1);
    ends na = node_ends(b, link, 0), nb = node_ends(b, link, 1), nz = node_ends(b, other, 1);
    return term(ta, tb, h, 1, rho->text) + term(ta, tz, h, -1, rho->text) + term(na, nb, h, 1, rho->node) +
           term(na, nz, h, -1, rho->node) + term(tb, na, h, 1, rho->cross) +
           term(tz, na, h, -1, rho->cross) + term(nb, ta, h, 1, rho->cross) +
           term(nb, tz, h, -1, rho->cross);
}

/* ---- backward of a tile: F becomes dL/d(H_a R H_b') ---- */

/* Of one side, from dt: out_i = dL/d(mean i), the softmax's backward; of the last as of one window. */
static void unattend(const ni_cane_batch *b, uint32_t s, const float *mark, const float *dt, float *out)
{
    const float *H = rows_of(b, &b->H, s);
    uint32_t windows = b->windows.at[s];
    float mean = 0;
    for (uint32_t i = 0; i < windows; i++) {
        out[i] = ni_kernels_get()->dot(H + (uint64_t)i * b->w.h, dt, b->w.h);
        mean += mark[i] * out[i];
    }
    for (uint32_t i = 0; i < windows; i++) out[i] = mark[i] * (out[i] - mean);
}

/* dF_ij = dr_i weight_j / total_q + dc_j weight_i / total_p,   dG = dF (1 - F^2) */
static void unalign(const ni_cane_batch *b, size_t number)
{
    const tile *t = &b->tile[number];
    uint32_t p = b->windows.at[t->side[0]], q = b->windows.at[t->side[1]];
    float p_last = last_weight(b, t->side[0]), q_last = last_weight(b, t->side[1]);
    float p_share = 1 / total_weight(b, t->side[0]), q_share = 1 / total_weight(b, t->side[1]);
    float *dr = b->slope.at + t->mark[0], *dc = b->slope.at + t->mark[1];
    for (uint32_t k = 0; k < SIDES; k++)
        unattend(b, t->side[k], b->attention.at + t->mark[k], text_ends(b, number, k).dx,
                 b->slope.at + t->mark[k]);
    for (uint32_t i = 0; i < p; i++) {
        float *f = b->F.at + t->F + (uint64_t)i * q, weight = (i + 1 < p ? 1 : p_last) * p_share;
        float here = dr[i] * q_share, last = here * q_last + dc[q - 1] * weight;
        last *= 1 - f[q - 1] * f[q - 1];
        for (uint32_t j = 0; j + 1 < q; j++) f[j] = (here + dc[j] * weight) * (1 - f[j] * f[j]);
        f[q - 1] = last;
    }
}

static void item_task(void *arg, uint32_t item, uint32_t thread)
{
    const ni_cane_batch *b = arg;
    (void)thread;
    b->loss[item] = item_loss(b, item);
    for (size_t i = 2 * (size_t)item; i < 2 * (size_t)item + 2; i++) unalign(b, i);
}

/* ---- backward of a node: what the tiles that it is in leave to it, in their order ---- */

/* Through the clip: of x longer than 1, y = x / |x|, dx = (dy - y (y dy)) / |x|. */
static void unclip(const float *x, uint32_t h, float *dx)
{
    double length = ni_length(x, h), along = 0;
    if (length <= 1) return;
    for (uint32_t k = 0; k < h; k++) along += (double)x[k] / length * (double)dx[k];
    for (uint32_t k = 0; k < h; k++)
        dx[k] = (float)(((double)dx[k] - (double)x[k] / length * along) / length);
}

/* t = sum_i mark_i h_i:  dh_i += mark_i dt;  G = Q_a H_b':  dQ_a += dG H_b,  dH_b += dG' Q_a. */
static void add_tile(const ni_cane_batch *b, uint32_t number, uint32_t side, float *dH, float *dQ)
{
    const tile *t = &b->tile[number];
    const float *mark = b->attention.at + t->mark[side], *dG = b->F.at + t->F;
    uint32_t other = t->side[!side];
    uint64_t h = b->w.h, rows = b->windows.at[t->side[side]], theirs = b->windows.at[other];
    for (uint64_t i = 0; i < rows; i++)
        ni_kernels_get()->axpy(mark[i], text_ends(b, number, side).dx, dH + i * h, h);
    if (side == 0) ni_gemm(0, 0, rows, h, theirs, dG, theirs, rows_of(b, &b->H, other), h, 1, dQ, h);
    else ni_gemm(1, 0, rows, h, theirs, dG, rows, rows_of(b, &b->Q, other), h, 1, dH, h);
}

static void node_task(void *arg, uint32_t s, uint32_t thread)
{
    const ni_cane_batch *b = arg;
    uint64_t h = b->w.h, at = b->first.at[s] * h, size = b->windows.at[s] * h;
    float *dE = b->dE.at + s * h;
    (void)thread;
    memset(b->dH.at + at, 0, size * sizeof(float));
    if (s < b->sources) memset(b->dQ.at + at, 0, size * sizeof(float));
    memset(dE, 0, h * sizeof *dE);
    for (uint64_t o = b->occurrence.at[s]; o < b->occurrence.at[s + 1]; o++) {
        uint32_t side = b->where.at[o] & 1, number = b->where.at[o] >> 1;
        add_tile(b, number, side, b->dH.at + at, b->dQ.at + at);
        ni_kernels_get()->axpy(1, b->n.at + ((size_t)number * SIDES + side) * 2 * h, dE, h);
    }
    unclip(b->w.E + b->node.at[s] * h, b->w.h, dE);
}

/* Lists the tiles of each sequence, ascending. */
static void list_occurrences(ni_cane_batch *b)
{
    uint64_t *start = b->occurrence.at;
    memset(start, 0, (b->sequences + 2) * sizeof *start);
    for (size_t i = 0; i < b->tiles; i++)
        for (uint32_t k = 0; k < SIDES; k++) start[b->tile[i].side[k] + 2]++;
    for (uint32_t s = 0; s < b->sequences; s++) start[s + 2] += start[s + 1];
    for (size_t i = 0; i < b->tiles; i++)
        for (uint32_t k = 0; k < SIDES; k++)
            b->where.at[start[b->tile[i].side[k] + 1]++] = (uint32_t)(i << 1 | k);
}

/* ---- backward of windows and words ---- */

/* Q = H R:  dH += dQ R' in rows of sources;  dZ = dH (1 - H^2), in place of dH */
static void unwindow_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cane_batch *b = arg;
    uint64_t h = b->w.h, first = (uint64_t)task * ROWS_PER_TASK, sources = rows_of_sources(b);
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, rows_of_all(b)), last = end < sources ? end : sources;
    (void)thread;
    if (first < last)
        ni_gemm(0, 1, last - first, h, h, b->dQ.at + first * h, h, b->w.R, h, 1, b->dH.at + first * h, h);
    for (uint64_t i = first * h; i < end * h; i++) b->dH.at[i] *= 1 - b->H.at[i] * b->H.at[i];
}

/* dP_w: the sum of dZ over the windows with the word, by its place there;  dx_w = sum_j dP_wj C_j' */
static void unword_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cane_batch *b = arg;
    uint64_t h = b->w.h, first = (uint64_t)task * WORDS_PER_TASK;
    uint64_t end = ni_task_end(first, WORDS_PER_TASK, b->words);
    (void)thread;
    memset(b->dP.at + first * WIDTH * h, 0, (end - first) * WIDTH * h * sizeof(float));
    for (uint32_t j = 0; j < WIDTH; j++) {
        const slot *at = &b->slot[j];
        float *dP = b->dP.at + j * h;
        for (uint64_t w = first; w < end; w++)
            for (uint64_t i = at->start.at[w]; i < at->start.at[w + 1]; i++)
                ni_kernels_get()->axpy(1, b->dH.at + at->row.at[i] * h, dP + w * WIDTH * h, h);
        ni_gemm(0, 1, end - first, h, h, dP + first * WIDTH * h, WIDTH * h, b->w.C + j * h * h, h, j > 0,
                b->dW.at + first * h, h);
    }
}

/* Rows of dC_j = W' dP_j, and of dR = H' dQ over the rows of sources. */
static void matrix_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_cane_batch *b = arg;
    uint32_t tasks = ni_tasks(b->w.h, MATRIX_ROWS_PER_TASK);
    uint64_t h = b->w.h, first = (uint64_t)(task % tasks) * MATRIX_ROWS_PER_TASK, j = task / tasks;
    uint64_t rows = ni_task_end(first, MATRIX_ROWS_PER_TASK, h) - first;
    (void)thread;
    if (j < WIDTH)
        ni_gemm(1, 0, rows, h, b->words, b->W.at + first, h, b->dP.at + j * h, WIDTH * h, 0,
                b->dC.at + (j * h + first) * h, h);
    else
        ni_gemm(1, 0, rows, h, rows_of_sources(b), b->H.at + first, h, b->dQ.at, h, 0, b->dR.at + first * h,
                h);
}

/* The windows of each word at that place, ascending. */
static void list_rows(const ni_cane_batch *b, slot *at)
{
    uint64_t *start = at->start.at, rows = rows_of_all(b);
    memset(start, 0, ((uint64_t)b->words + 2) * sizeof *start);
    for (uint64_t i = 0; i < rows; i++) start[at->place.at[i] + 2]++;
    for (uint32_t w = 0; w < b->words; w++) start[w + 2] += start[w + 1];
    for (uint64_t i = 0; i < rows; i++) at->row.at[start[at->place.at[i] + 1]++] = (uint32_t)i;
}

/* ---- a step ---- */

static bool make_backward(ni_cane_batch *b)
{
    uint64_t h = b->w.h, rows = rows_of_all(b);
    for (uint32_t j = 0; j < WIDTH; j++)
        if (!more_offsets(&b->slot[j].start, (uint64_t)b->words + 2) ||
            !more_integers(&b->slot[j].row, rows))
            return false;
    return make_room(&b->dt, b->tiles * SIDES * h) && make_room(&b->n, b->tiles * SIDES * 2 * h) &&
           make_room(&b->slope, b->marks) && make_room(&b->dH, rows * h) &&
           make_room(&b->dQ, rows_of_sources(b) * h) && make_room(&b->dP, b->words * WIDTH * h) &&
           make_room(&b->dE, b->sequences * h) && make_room(&b->dW, b->words * h) &&
           make_room(&b->dC, WIDTH * h * h) && make_room(&b->dR, h * h) &&
           more_offsets(&b->occurrence, (uint64_t)b->sequences + 2) &&
           more_integers(&b->where, b->tiles * SIDES) &&
           ni_grow(&b->loss, &b->loss_room, b->tiles, sizeof *b->loss);
}

static void backward(ni_cane_batch *b)
{
    uint32_t matrix_tasks = (WIDTH + 1) * ni_tasks(b->w.h, MATRIX_ROWS_PER_TASK);
    list_occurrences(b);
    for (uint32_t j = 0; j < WIDTH; j++) list_rows(b, &b->slot[j]);
    ni_threads_run(b->threads, (uint32_t)(b->tiles / 2), item_task, b);
    ni_gemm_run(b->threads, b->sequences, node_task, b);
    ni_gemm_run(b->threads, ni_tasks(rows_of_all(b), ROWS_PER_TASK), unwindow_task, b);
    ni_gemm_run(b->threads, ni_tasks(b->words, WORDS_PER_TASK), unword_task, b);
    ni_gemm_run(b->threads, matrix_tasks, matrix_task, b);
}

/* Items as pairs: 2i is (a, b), 2i+1 is (a, z). */
static neap_status lay_out_items(ni_cane_batch *b, const uint32_t *items, uint32_t count, neap_error *err)
{
    neap_pair *pairs = ni_array(2 * (size_t)count, sizeof *pairs);
    for (size_t i = 0; pairs && i < 2 * (size_t)count; i++)
        pairs[i] = (neap_pair){ items[i / 2 * 3], items[i / 2 * 3 + 1 + i % 2] };
    bool ok = pairs && lay_out(b, pairs, 2 * (size_t)count);
    ni_free(pairs);
    return ok ? NEAP_OK : ni_fail_memory(err, "a batch; a smaller --batch needs less");
}

neap_status ni_cane_step(ni_cane_batch *b, const ni_cane_rho *rho, const uint32_t *items, uint32_t count,
                         ni_cane_gradients *g, neap_error *err)
{
    *g = (ni_cane_gradients){ 0 };
    neap_status rc = lay_out_items(b, items, count, err);
    if (rc != NEAP_OK || count == 0) return rc;
    if (!make_forward(b) || !make_backward(b))
        return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    b->rho = rho;
    forward(b);
    backward(b);
    for (uint32_t i = 0; i < count; i++) g->loss += b->loss[i];
    g->E = (ni_gradient){ b->dE.at, b->node.at, b->sequences };
    g->words = (ni_gradient){ b->dW.at, b->word.at, b->words };
    g->C.values = b->dC.at;
    g->R.values = b->dR.at;
    return NEAP_OK;
}

neap_status ni_cane_measure(ni_cane_batch *b, const uint32_t *items, uint32_t count, uint64_t *bytes,
                            neap_error *err)
{
    neap_status rc = lay_out_items(b, items, count, err);
    if (rc != NEAP_OK) return rc;
    uint64_t h = b->w.h, rows = rows_of_all(b), lines = 2 * rows + 2 * rows_of_sources(b);
    lines += (2 + 2 * WIDTH) * b->words + 8 * SIDES / 2 * b->tiles + b->sequences + (WIDTH + 1) * h;
    *bytes = 9 * (lines * h + b->cells + 2 * b->marks) / 2; /* 4 bytes and an eighth */
    *bytes += sizeof(uint32_t) * 2 * WIDTH * rows + sizeof(uint64_t) * WIDTH * b->words;
    return NEAP_OK;
}

neap_status ni_cane_measure_read(ni_cane_batch *b, const neap_pair *pairs, size_t count, uint64_t *bytes,
                                 neap_error *err)
{
    if (!lay_out(b, pairs, count)) return ni_fail_memory(err, "a batch");
    uint64_t h = b->w.h, rows = rows_of_all(b), words = b->words;
    uint64_t lines = (1 + WIDTH) * words + rows + rows_of_sources(b) + SIDES * b->tiles;
    *bytes = 9 * (lines * h + b->cells + b->marks) / 2; /* 4 bytes and an eighth */
    *bytes += sizeof(uint32_t) * WIDTH * rows;
    return NEAP_OK;
}

/* ---- making one ---- */

neap_status ni_cane_batch_create(const ni_cane_weights *w, ni_threads *threads, ni_cane_batch **out,
                                 neap_error *err)
{
    size_t words = (size_t)w->texts->words.count + 1;
    ni_cane_batch *b = *out = ni_zeros(1, sizeof *b);
    if (!b) return ni_fail_memory(err, "a batch");
    b->w = *w;
    b->threads = threads;
    b->sequence_of = ni_array(w->nodes, sizeof *b->sequence_of);
    b->place_of = ni_array(words, sizeof *b->place_of);
    if (b->sequence_of && b->place_of) {
        memset(b->sequence_of, 0xff, w->nodes * sizeof *b->sequence_of); /* NEAP_NONE */
        memset(b->place_of, 0xff, words * sizeof *b->place_of);
        return NEAP_OK;
    }
    ni_cane_batch_free(b);
    *out = NULL;
    return ni_fail_memory(err, "a batch");
}

void ni_cane_batch_free(ni_cane_batch *b)
{
    if (!b) return;
    void *const all[] = { b->sequence_of, b->place_of, b->tile,          b->node.at,  b->windows.at,
                          b->first.at,    b->word.at,  b->occurrence.at, b->where.at, b->W.at,
                          b->P.at,        b->H.at,     b->Q.at,          b->F.at,     b->attention.at,
                          b->t.at,        b->dt.at,    b->n.at,          b->slope.at, b->dH.at,
                          b->dQ.at,       b->dP.at,    b->dE.at,         b->dW.at,    b->dC.at,
                          b->dR.at,       b->loss };
    for (uint32_t j = 0; j < WIDTH; j++) {
        ni_free(b->slot[j].place.at);
        ni_free(b->slot[j].start.at);
        ni_free(b->slot[j].row.at);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ni_free(all[i]);
    ni_free(b);
}
