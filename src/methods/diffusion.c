/* A batch of DMTE, forward and backward, in rounds of tasks: means of words, one hop, rows of the batch,
 * products of pairs; then the same way back. See diffusion.h. */
#include "methods/diffusion.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/blas.h"
#include "support/status.h"

/* Products by tasks of eight and sixteen tiles of avx2_gemm.c: each task packs the other factor anew. */
enum { ROWS_PER_TASK = 16, WORDS_PER_TASK = 64, TILES = 48, GRADIENT = 96 };
const float ni_diffusion_hops[NI_DIFFUSION_HOPS] = { 1, 0.3F, 0.1F };

/* ---- making one ---- */

/* An array of it: where its address is kept, and how large it is. */
typedef struct room {
    void *slot;
    uint64_t count;
    size_t width;
} room;

enum { ROOMS = 30 };

/* The only function that knows the sizes. */
static void list_rooms(ni_diffusion *d, uint64_t arcs, uint64_t words, uint32_t threads, room to[ROOMS])
{
    const ni_diffusion_shape *s = &d->shape;
    uint64_t n = s->nodes, w = s->width, h = s->half, m = s->most, f = sizeof(float);
    const room rooms[ROOMS] = {
        { &d->out, arcs, sizeof *d->out },
        { &d->back, arcs, f },
        { &d->text, n + 1, sizeof *d->text },
        { &d->word, words, sizeof *d->word },
        { &d->use, (uint64_t)s->words + 1, sizeof *d->use },
        { &d->in, words, sizeof *d->in },
        { &d->some, threads * n, sizeof *d->some },
        { &d->reach, n, 1 },
        { &d->local, n * (s->batch ? 3 : 1), sizeof *d->local },
        { &d->row_node, m, sizeof *d->row_node },
        { &d->row_place, m, 1 },
        { &d->times, s->batch ? n : 0, sizeof *d->times },
        { &d->list, n, sizeof *d->list },
        { &d->c, n * w, f },
        { &d->x, n * w, f },
        { &d->G, n * w, f },
        { &d->y, n * h, f },
        { &d->X, m * NI_DIFFUSION_HOPS * w, f },
        { &d->dX, m * NI_DIFFUSION_HOPS * w, f },
        { &d->T, m * h, f },
        { &d->dT, m * h, f },
        { &d->S, m * h, f },
        { &d->dS, m * h, f },
        { &d->dB, m * h, f },
        { &d->slope, m / 3 * NI_DIFFUSION_TERMS, f },
        { &d->losses, m / 3, sizeof *d->losses },
        { &d->seat, 2 * m + 1, sizeof *d->seat },
        { &d->dM, s->words * w, f },
        { &d->dW, NI_DIFFUSION_HOPS * w * h, f },
        { &d->dN, n * h, f },
    };
    memcpy(to, rooms, sizeof rooms);
}

uint64_t ni_diffusion_bytes(const ni_diffusion_shape *shape, const ni_links *links, const ni_texts *texts,
                            uint32_t threads)
{
    ni_diffusion d = { .shape = *shape };
    room rooms[ROOMS];
    uint64_t bytes = 0;
    list_rooms(&d, links->offset[links->nodes], texts->offset[shape->nodes], threads, rooms);
    for (int i = 0; i < ROOMS; i++) bytes += rooms[i].count * rooms[i].width;
    return bytes;
}

/* The shares of P, there and back. */
static void weigh_links(const ni_diffusion *d, double *strength)
{
    const ni_links *l = d->links;
    for (uint32_t u = 0; u < d->shape.nodes; u++) {
        strength[u] = 0;
        for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++)
            strength[u] += l->weight ? (double)l->weight[i] : 1;
    }
    for (uint32_t u = 0; u < d->shape.nodes; u++)
        for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++) {
            double weight = l->weight ? (double)l->weight[i] : 1;
            d->out[i] = (ni_term){ l->node[i], (float)(weight / strength[u]) };
            d->back[i] = (float)(weight / strength[l->node[i]]);
        }
}

/* The distinct words of each text, each with how often it stands there over the length. seen: words, zeros.
 */
static void weigh_words(ni_diffusion *d, const ni_texts *texts, uint64_t *seen)
{
    uint64_t end = 0;
    for (uint32_t u = 0; u < d->shape.nodes; u++) {
        uint32_t length = ni_text_size(texts, u);
        float share = 1 / (float)(d->shape.padded ? d->shape.padded : length);
        d->text[u] = end;
        for (uint64_t i = texts->offset[u]; i < texts->offset[u + 1]; i++) {
            uint32_t word = texts->word[i];
            if (seen[word] <= d->text[u]) { /* seen: its place, from 1 */
                d->word[end++] = (ni_term){ word, 0 };
                seen[word] = end;
            }
            d->word[seen[word] - 1].weight += share;
        }
    }
    d->text[d->shape.nodes] = end;
}

/* The transpose: the texts of each word, in the order of nodes. */
static void list_uses(ni_diffusion *d)
{
    uint32_t n = d->shape.nodes, words = d->shape.words;
    memset(d->use, 0, ((uint64_t)words + 1) * sizeof *d->use);
    for (uint64_t i = 0; i < d->text[n]; i++) d->use[d->word[i].row + 1]++;
    for (uint32_t v = 0; v < words; v++) d->use[v + 1] += d->use[v];
    for (uint32_t u = 0; u < n; u++)
        for (uint64_t i = d->text[u]; i < d->text[u + 1]; i++)
            d->in[d->use[d->word[i].row]++] = (ni_term){ u, d->word[i].weight };
    memmove(d->use + 1, d->use, words * sizeof *d->use); /* each has become where the next begins */
    d->use[0] = 0;
}

static bool make_rooms(ni_diffusion *d, const ni_texts *texts)
{
    room rooms[ROOMS];
    list_rooms(d, d->links->offset[d->links->nodes], texts->offset[d->shape.nodes],
               ni_threads_count(d->threads), rooms);
    for (int i = 0; i < ROOMS; i++) {
        void *block = ni_array(rooms[i].count, rooms[i].width);
        if (!block) return false;
        memcpy(rooms[i].slot, &block, sizeof block);
    }
    d->seats = d->seat + d->shape.most + 1;
    return true;
}

neap_status ni_diffusion_create(const ni_diffusion_shape *shape, const ni_links *links,
                                const ni_texts *texts, const ni_diffusion_parameters *p,
                                ni_threads *threads, ni_diffusion *d, neap_error *err)
{
    *d = (ni_diffusion){
        .shape = *shape, .threads = threads, .links = links, .p = *p, .places = shape->batch ? 3 : 1
    };
    double *strength = ni_array(shape->nodes, sizeof *strength);
    uint64_t *seen = ni_zeros(shape->words, sizeof *seen);
    bool ok = strength && seen && make_rooms(d, texts);
    if (ok) {
        memset(d->reach, 0, shape->nodes);
        memset(d->local, 0xff, (uint64_t)shape->nodes * d->places * sizeof *d->local); /* NEAP_NONE */
        weigh_links(d, strength);
        weigh_words(d, texts, seen);
        list_uses(d);
    } else ni_diffusion_free(d);
    ni_free(strength);
    ni_free(seen);
    return ok ? NEAP_OK : ni_fail_memory(err, "a step; a smaller --word-dim, --dim or --batch needs less");
}

void ni_diffusion_free(ni_diffusion *d)
{
    room rooms[ROOMS];
    list_rooms(d, 0, 0, 0, rooms);
    for (int i = 0; i < ROOMS; i++) {
        void *block;
        memcpy(&block, rooms[i].slot, sizeof block);
        ni_free(block);
    }
    *d = (ni_diffusion){ 0 };
}

/* ---- which nodes a step reaches ---- */

static void reach_node(ni_diffusion *d, uint32_t u, uint8_t how, uint32_t *end)
{
    if (d->reach[u]) return;
    d->reach[u] = how;
    d->list[(*end)++] = u;
}

/* Nothing is reached, no node has a row. */
static void leave_nodes(ni_diffusion *d)
{
    for (uint32_t i = 0; i < d->count[2]; i++) d->reach[d->list[i]] = 0;
    for (uint32_t r = 0; r < d->rows; r++)
        d->local[(uint64_t)d->row_node[r] * d->places + d->row_place[r]] = NEAP_NONE;
    d->rows = d->count[0] = d->count[1] = d->count[2] = 0;
}

static void give_row(ni_diffusion *d, uint32_t u, uint32_t place)
{
    uint32_t *row = &d->local[(uint64_t)u * d->places + place];
    if (*row != NEAP_NONE) return;
    d->row_node[d->rows] = u;
    d->row_place[d->rows] = (uint8_t)place;
    *row = d->rows++;
}

static void reach_nodes(ni_diffusion *d, const uint32_t *items, uint32_t count)
{
    const ni_links *l = d->links;
    uint32_t end = 0;
    leave_nodes(d);
    for (uint32_t i = 0; i < 3 * count; i++) {
        reach_node(d, items[i], 3, &end);
        give_row(d, items[i], d->places > 1 ? i % 3 : 0);
    }
    d->count[0] = d->count[1] = d->count[2] = end;
    for (uint8_t hop = 1; hop < 3 && !d->shape.batch; hop++) {
        for (uint32_t i = 0; i < d->count[hop - 1]; i++) {
            uint32_t u = d->list[i];
            for (uint64_t k = l->offset[u]; k < l->offset[u + 1]; k++)
                reach_node(d, l->node[k], (uint8_t)(3 - hop), &end);
        }
        d->count[hop] = end;
    }
}

static void reach_all(ni_diffusion *d)
{
    leave_nodes(d);
    for (uint32_t u = 0; u < d->shape.nodes; u++) d->list[u] = u, d->reach[u] = 3;
    d->count[0] = d->count[1] = d->count[2] = d->shape.nodes;
}

/* ---- forward ---- */

static void mean_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_diffusion *d = arg;
    const ni_kernels *k = ni_kernels_get();
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, w = d->shape.width;
    (void)thread;
    for (uint64_t i = first; i < ni_task_end(first, ROWS_PER_TASK, d->count[2]); i++) {
        uint64_t u = d->list[i];
        k->spmm_row(d->word + d->text[u], d->text[u + 1] - d->text[u], d->p.M, w, d->c + u * w);
        k->tanh(d->c + u * w, w, d->c + u * w);
    }
}

/* Row u of P B. */
static void spread(const ni_diffusion *d, uint64_t u, const float *B, uint64_t width, float *out)
{
    uint64_t first = d->links->offset[u];
    ni_kernels_get()->spmm_row(d->out + first, d->links->offset[u + 1] - first, B, width, out);
}

static void hop_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_diffusion *d = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, w = d->shape.width, h = d->shape.half;
    (void)thread;
    for (uint64_t i = first; i < ni_task_end(first, ROWS_PER_TASK, d->count[1]); i++) {
        uint64_t u = d->list[i];
        spread(d, u, d->c, w, d->x + u * w);
        spread(d, u, d->p.N, h, d->y + u * h);
    }
}

/* Rows [c, 0.3 P c, 0.1 P^2 c], and n~. */
static void make_row(const ni_diffusion *d, uint64_t row)
{
    uint64_t w = d->shape.width, h = d->shape.half, u = d->row_node[row];
    float *X = d->X + row * NI_DIFFUSION_HOPS * w, *S = d->S + row * h;
    memcpy(X, d->c + u * w, w * sizeof *X);
    spread(d, u, d->x, w, X + 2 * w);
    for (uint64_t i = 0; i < w; i++) {
        X[w + i] = ni_diffusion_hops[1] * d->x[u * w + i];
        X[2 * w + i] *= ni_diffusion_hops[2];
    }
    spread(d, u, d->y, h, S);
    for (uint64_t i = 0; i < h; i++)
        S[i] = d->p.N[u * h + i] + ni_diffusion_hops[1] * d->y[u * h + i] + ni_diffusion_hops[2] * S[i];
}

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_diffusion *d = arg;
    uint64_t first = (uint64_t)task * TILES, end = ni_task_end(first, TILES, d->rows);
    uint64_t wide = NI_DIFFUSION_HOPS * (uint64_t)d->shape.width, h = d->shape.half;
    (void)thread;
    for (uint64_t row = first; row < end; row++)
        if (d->shape.batch) ni_diffusion_batch_row(d, row);
        else make_row(d, row);
    ni_gemm(false, false, end - first, h, wide, d->X + first * wide, wide, d->p.W, h, false,
            d->T + first * h, h);
    for (uint64_t row = first; row < end && d->vectors; row++) {
        uint64_t u = d->row_node[row];
        memcpy(d->vectors + u * 2 * h, d->T + row * h, h * sizeof *d->T);
        memcpy(d->vectors + u * 2 * h + h, d->p.N + u * h, h * sizeof *d->T);
    }
}

static void spread_texts(ni_diffusion *d)
{
    ni_threads_run(d->threads, ni_tasks(d->count[2], ROWS_PER_TASK), mean_task, d);
    if (!d->shape.batch) ni_threads_run(d->threads, ni_tasks(d->count[1], ROWS_PER_TASK), hop_task, d);
}

static void make_rows(ni_diffusion *d)
{
    ni_gemm_run(d->threads, ni_tasks(d->rows, TILES), rows_task, d);
}

/* In blocks of as many rows as a step has. */
void ni_diffusion_vectors(ni_diffusion *d, float *vectors)
{
    uint32_t n = d->shape.nodes;
    reach_all(d);
    spread_texts(d);
    d->vectors = vectors;
    for (uint32_t first = 0; first < n; first += d->rows) {
        d->rows = n - first < d->shape.most ? n - first : d->shape.most;
        for (uint32_t r = 0; r < d->rows; r++) d->row_node[r] = first + r, d->row_place[r] = 0;
        make_rows(d);
    }
    d->vectors = NULL;
}

void ni_diffusion_average_begin(ni_diffusion *d)
{
    memset(d->times, 0, d->shape.nodes * sizeof *d->times);
    memset(d->dN, 0, (uint64_t)d->shape.nodes * d->shape.half * sizeof *d->dN);
}

void ni_diffusion_average_add(ni_diffusion *d, const uint32_t *items, uint32_t count)
{
    uint64_t h = d->shape.half;
    reach_nodes(d, items, count);
    spread_texts(d);
    make_rows(d);
    for (uint32_t i = 0; i < 3 * count; i++) {
        if (i % 3 == 2) continue;
        d->times[items[i]]++;
        ni_kernels_get()->axpy(1, d->T + ni_diffusion_row(d, items[i], i % 3) * h, d->dN + items[i] * h, h);
    }
}

void ni_diffusion_average_end(const ni_diffusion *d, float *vectors)
{
    uint64_t h = d->shape.half;
    for (uint64_t u = 0; u < d->shape.nodes; u++)
        for (uint64_t i = 0; i < h && d->times[u]; i++)
            vectors[u * 2 * h + i] = d->dN[u * h + i] / (float)d->times[u];
}

/* ---- pairs ---- */

/* l(x) = log(s(x) + 0.001) and its derivative. */
static double log_chance(double x, double *slope)
{
    const double least = 0.001;
    double s = 1 / (1 + exp(-x));
    *slope = s * (1 - s) / (s + least);
    return log(s + least);
}

/* -rho [l(x . y_b) + l(-x . y_z)] and its derivatives by both products. */
static double term(double rho, const float *x, const float *yb, const float *yz, uint64_t h, float slope[2])
{
    const ni_kernels *k = ni_kernels_get();
    double there, away;
    double sum =
        log_chance((double)k->dot(x, yb, h), &there) + log_chance(-(double)k->dot(x, yz, h), &away);
    slope[0] = (float)(-rho * there);
    slope[1] = (float)(rho * away);
    return -rho * sum;
}

/* The vectors of a node of the items. */
typedef struct place {
    const float *t, *s, *n;
} place;

static place place_of(const ni_diffusion *d, const uint32_t *item, uint32_t at)
{
    uint64_t h = d->shape.half, u = item[at], row = ni_diffusion_row(d, u, at);
    return (place){ d->T + row * h, d->S + row * h, d->p.N + u * h };
}

static void pairs_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_diffusion *d = arg;
    const uint32_t *item = d->items + (uint64_t)task * 3;
    uint64_t h = d->shape.half;
    place a = place_of(d, item, 0), b = place_of(d, item, 1), z = place_of(d, item, 2);
    float *g = d->slope + (uint64_t)task * NI_DIFFUSION_TERMS;
    (void)thread;
    d->losses[task] = term(0.7, a.t, b.t, z.t, h, g) + term(1, a.s, b.n, z.n, h, g + 2) +
                      term(0.1, a.s, b.t, z.t, h, g + 4) + term(0.1, a.t, b.n, z.n, h, g + 6);
}

/* Which places of the items each row has: seats[seat[row]] .. seats[seat[row + 1] - 1]. */
static void seat_rows(const ni_diffusion *d, uint32_t count)
{
    uint32_t *at = d->seat, rows = d->rows;
    memset(at, 0, ((uint64_t)rows + 1) * sizeof *at);
    for (uint32_t i = 0; i < 3 * count; i++) at[ni_diffusion_row(d, d->items[i], i % 3) + 1]++;
    for (uint32_t r = 0; r < rows; r++) at[r + 1] += at[r];
    for (uint32_t i = 0; i < 3 * count; i++) d->seats[at[ni_diffusion_row(d, d->items[i], i % 3)]++] = i;
    memmove(at + 1, at, rows * sizeof *at); /* each has become where the next begins */
    at[0] = 0;
}

/* What one place of an item adds to the gradients of its node's t, n~ and N. */
static void add_place(const ni_diffusion *d, uint32_t at, float *dt, float *ds, float *db)
{
    const ni_kernels *k = ni_kernels_get();
    const uint32_t *item = d->items + at / 3 * 3;
    const float *g = d->slope + (uint64_t)(at / 3) * NI_DIFFUSION_TERMS;
    uint64_t h = d->shape.half;
    place a = place_of(d, item, 0);
    for (uint32_t side = 0; side < 2; side++, g++) { /* the target, the negative */
        if (at % 3 && at % 3 != side + 1) continue;
        place y = place_of(d, item, side + 1);
        if (at % 3 == 0) {
            k->axpy(g[0], y.t, dt, h);
            k->axpy(g[6], y.n, dt, h);
            k->axpy(g[2], y.n, ds, h);
            k->axpy(g[4], y.t, ds, h);
        } else {
            k->axpy(g[0], a.t, dt, h);
            k->axpy(g[4], a.s, dt, h);
            k->axpy(g[2], a.s, db, h);
            k->axpy(g[6], a.t, db, h);
        }
    }
}

/* ---- backward ---- */

/* dT, dS, dB of some rows, and dX = dT W'. */
static void rows_back_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_diffusion *d = arg;
    uint64_t first = (uint64_t)task * TILES, end = ni_task_end(first, TILES, d->rows);
    uint64_t w = d->shape.width, wide = NI_DIFFUSION_HOPS * w, h = d->shape.half;
    (void)thread;
    for (uint64_t r = first; r < end; r++) {
        float *dt = d->dT + r * h, *ds = d->dS + r * h, *db = d->dB + r * h;
        memset(dt, 0, h * sizeof *dt);
        memset(ds, 0, h * sizeof *ds);
        memset(db, 0, h * sizeof *db);
        for (uint32_t i = d->seat[r]; i < d->seat[r + 1]; i++) add_place(d, d->seats[i], dt, ds, db);
    }
    ni_gemm(false, true, end - first, wide, h, d->dT + first * h, h, d->p.W, h, false, d->dX + first * wide,
            wide);
    for (uint64_t r = first; r < end; r++)
        for (uint64_t i = 0; i < w; i++) {
            d->dX[r * wide + w + i] *= ni_diffusion_hops[1];
            d->dX[r * wide + 2 * w + i] *= ni_diffusion_hops[2];
        }
}

/* Some rows of dW = X' dT. */
static void matrix_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_diffusion *d = arg;
    uint64_t wide = NI_DIFFUSION_HOPS * (uint64_t)d->shape.width, h = d->shape.half;
    uint64_t first = (uint64_t)task * GRADIENT, end = ni_task_end(first, GRADIENT, wide);
    (void)thread;
    ni_gemm(true, false, end - first, h, d->rows, d->X + first, wide, d->dT, h, false, d->dW + first * h,
            h);
}

/* out = own + share P' B, of node u: the sum over its neighbours that are within `reach`; rows of B are by
 * node, or with `compact` by row of the batch. own may be NULL: 0. */
typedef struct gathering {
    const float *own;
    float own_share;
    const float *B;
    uint64_t stride, width;
    float share;
    uint8_t reach;
    bool compact;
} gathering;

static void gather(const ni_diffusion *d, uint64_t u, const gathering *g, float *out)
{
    const ni_kernels *k = ni_kernels_get();
    memset(out, 0, g->width * sizeof *out);
    if (g->own) k->axpy(g->own_share, g->own, out, g->width);
    for (uint64_t i = d->links->offset[u]; i < d->links->offset[u + 1]; i++) {
        uint32_t v = d->links->node[i];
        if (d->reach[v] < g->reach) continue;
        uint64_t row = g->compact ? d->local[v] : v;
        k->axpy(g->share * d->back[i], g->B + row * g->stride, out, g->width);
    }
}

/* The gradients of P c and P N, in the place of these. */
static void hop_back_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_diffusion *d = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, w = d->shape.width, h = d->shape.half;
    uint64_t wide = NI_DIFFUSION_HOPS * w;
    (void)thread;
    for (uint64_t i = first; i < ni_task_end(first, ROWS_PER_TASK, d->count[1]); i++) {
        uint64_t u = d->list[i], row = d->local[u];
        bool item = d->reach[u] == 3;
        gathering text = { item ? d->dX + row * wide + w : NULL, 1, d->dX + 2 * w, wide, w, 1, 3, true };
        gathering node = {
            item ? d->dS + row * h : NULL, ni_diffusion_hops[1], d->dS, h, h, ni_diffusion_hops[2], 3, true
        };
        gather(d, u, &text, d->x + u * w);
        gather(d, u, &node, d->y + u * h);
    }
}

/* The gradient of the means, through tanh. */
static void mean_back_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_diffusion *d = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, w = d->shape.width, wide = NI_DIFFUSION_HOPS * w;
    (void)thread;
    for (uint64_t i = first; i < ni_task_end(first, ROWS_PER_TASK, d->count[2]); i++) {
        uint64_t u = d->list[i];
        const float *own = d->reach[u] == 3 && !d->shape.batch ? d->dX + d->local[u] * wide : NULL,
                    *c = d->c + u * w;
        float *G = d->G + u * w;
        if (d->shape.batch) ni_diffusion_batch_mean_back(d, u, G);
        else gather(d, u, &(gathering){ own, 1, d->x, w, w, 1, 2, false }, G);
        for (uint64_t j = 0; j < w; j++) G[j] *= 1 - c[j] * c[j];
    }
}

/* dN of all nodes: 0 where the step does not reach. */
static void nodes_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_diffusion *d = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, h = d->shape.half;
    (void)thread;
    for (uint64_t u = first; u < ni_task_end(first, ROWS_PER_TASK, d->shape.nodes); u++) {
        float *to = d->dN + u * h;
        uint64_t row = d->local[u];
        bool item = d->reach[u] == 3;
        memset(to, 0, h * sizeof *to);
        if (d->shape.batch) ni_diffusion_batch_node_back(d, u, to);
        if (d->shape.batch || !d->reach[u]) continue;
        gather(d, u, &(gathering){ item ? d->dS + row * h : NULL, 1, d->y, h, h, 1, 2, false }, to);
        if (item) ni_kernels_get()->axpy(1, d->dB + row * h, to, h);
    }
}

/* dM of all words: each sums over its texts. */
static void words_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_diffusion *d = arg;
    uint64_t first = (uint64_t)task * WORDS_PER_TASK, w = d->shape.width;
    ni_term *some = d->some + (uint64_t)thread * d->shape.nodes;
    for (uint64_t v = first; v < ni_task_end(first, WORDS_PER_TASK, d->shape.words); v++) {
        size_t count = 0;
        for (uint64_t i = d->use[v]; i < d->use[v + 1]; i++) {
            some[count] = d->in[i];
            count += d->reach[d->in[i].row] > 0;
        }
        ni_kernels_get()->spmm_row(some, count, d->G, w, d->dM + v * w);
    }
}

double ni_diffusion_pass(ni_diffusion *d, const uint32_t *items, uint32_t count)
{
    uint32_t stripes = ni_tasks(NI_DIFFUSION_HOPS * (uint64_t)d->shape.width, GRADIENT);
    double loss = 0;
    reach_nodes(d, items, count);
    d->items = items;
    spread_texts(d);
    make_rows(d);
    ni_threads_run(d->threads, count, pairs_task, d);
    seat_rows(d, count);
    ni_gemm_run(d->threads, ni_tasks(d->rows, TILES), rows_back_task, d);
    ni_gemm_run(d->threads, stripes, matrix_task, d);
    if (!d->shape.batch) ni_threads_run(d->threads, ni_tasks(d->count[1], ROWS_PER_TASK), hop_back_task, d);
    ni_threads_run(d->threads, ni_tasks(d->count[2], ROWS_PER_TASK), mean_back_task, d);
    ni_threads_run(d->threads, ni_tasks(d->shape.nodes, ROWS_PER_TASK), nodes_task, d);
    ni_threads_run(d->threads, ni_tasks(d->shape.words, WORDS_PER_TASK), words_task, d);
    for (uint32_t i = 0; i < count; i++) loss += d->losses[i];
    return loss;
}
