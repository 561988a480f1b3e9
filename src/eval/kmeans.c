/* Lloyd's k-means with greedy k-means++ starts; see cluster.h. O(n k d) per iteration. Points are
 * assigned in tiles (matrix products), one task per tile; centres are summed in one task per cluster,
 * members in ascending order, so that bits do not depend on the threads. */
#include "eval/cluster.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/rng.h"
#include "base/sys.h"
#include "eval/points.h"
#include "linalg/blas.h"
#include "support/status.h"

enum { TILE = 256 };           /* points and centres in one matrix product */
enum { TRIALS_MOST = 2 + 22 }; /* 2 + ln k, k < 2^32                       */

static const double TOLERANCE =
    1e-4; /* squared shift of the centres over the variance, as in scikit-learn */

typedef struct kmeans {
    ni_points points;
    uint32_t k, tiles;
    uint64_t seed;
    ni_threads *threads;
    float *centre, *norm;      /* k x d, k                                             */
    float *trial, *trial_norm; /* TRIALS_MOST x d, TRIALS_MOST: candidates for a centre */
    uint32_t trials;
    float *distance;          /* n: squared distance to the nearest centre             */
    double *part;             /* tiles x TRIALS_MOST: sums over a tile                 */
    uint32_t *cluster;        /* n                                                     */
    uint8_t *changed;         /* tiles: a point of the tile has changed its cluster    */
    uint32_t *start, *member; /* k + 1, n: the points of each cluster, ascending       */
    double *shift;            /* k: squared distance that a centre has moved           */
    double *sum;              /* threads x d                                           */
    float *tile;              /* threads x TILE x TILE                                 */
} kmeans;

static neap_status set_up(kmeans *m, const float *x, uint32_t n, uint32_t d, neap_error *err)
{
    neap_status rc = ni_points_init(&m->points, x, n, d, err);
    if (rc != NEAP_OK) return rc;
    size_t threads = ni_threads_count(m->threads), width = d * sizeof(float);
    m->tiles = (n - 1) / TILE + 1;
    m->centre = ni_array(m->k, width);
    m->norm = ni_array(m->k, sizeof *m->norm);
    m->trial = ni_array(TRIALS_MOST, width);
    m->trial_norm = ni_array(TRIALS_MOST, sizeof *m->trial_norm);
    m->distance = ni_array(n, sizeof *m->distance);
    m->part = ni_array(m->tiles, TRIALS_MOST * sizeof *m->part);
    m->cluster = ni_array(n, sizeof *m->cluster);
    m->changed = ni_array(m->tiles, sizeof *m->changed);
    m->start = ni_array((size_t)m->k + 1, sizeof *m->start);
    m->member = ni_array(n, sizeof *m->member);
    m->shift = ni_array(m->k, sizeof *m->shift);
    m->sum = ni_array(threads, d * sizeof *m->sum);
    m->tile = ni_array(threads, TILE * TILE * sizeof *m->tile);
    bool all = m->centre && m->norm && m->trial && m->trial_norm && m->distance && m->part && m->cluster &&
               m->changed && m->start && m->member && m->shift && m->sum && m->tile;
    return all ? NEAP_OK : ni_fail_memory(err, "k-means");
}

static void tear_down(kmeans *m)
{
    ni_points_free(&m->points);
    ni_free(m->centre);
    ni_free(m->norm);
    ni_free(m->trial);
    ni_free(m->trial_norm);
    ni_free(m->distance);
    ni_free(m->part);
    ni_free(m->cluster);
    ni_free(m->changed);
    ni_free(m->start);
    ni_free(m->member);
    ni_free(m->shift);
    ni_free(m->sum);
    ni_free(m->tile);
}

static uint32_t rows_of(const kmeans *m, uint32_t tile)
{
    uint32_t left = m->points.n - tile * TILE;
    return left < TILE ? left : TILE;
}

static const float *point(const kmeans *m, uint32_t i)
{
    return m->points.x + (size_t)i * m->points.d;
}

/* ---- the start: greedy k-means++ ---- */

/* part[tile][j]: the sum of squared distances over this tile if candidate j became a centre. */
static void weigh_trials(void *arg, uint32_t tile, uint32_t thread)
{
    kmeans *m = arg;
    uint32_t first = tile * TILE, rows = rows_of(m, tile);
    float *distance = m->tile + (size_t)thread * TILE * TILE;
    double *part = m->part + (size_t)tile * TRIALS_MOST;
    ni_points_distances(&m->points, first, rows, m->trial, m->trial_norm, m->trials, distance);
    for (uint32_t j = 0; j < m->trials; j++) part[j] = 0;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < m->trials; j++)
            part[j] += fminf(m->distance[first + i], distance[(size_t)i * m->trials + j]);
}

/* Takes the only candidate as a centre: distance becomes that to the nearest centre, part[tile][0] its sum.
 */
static void take_trial(void *arg, uint32_t tile, uint32_t thread)
{
    kmeans *m = arg;
    uint32_t first = tile * TILE, rows = rows_of(m, tile);
    float *distance = m->tile + (size_t)thread * TILE * TILE;
    double *part = m->part + (size_t)tile * TRIALS_MOST;
    ni_points_distances(&m->points, first, rows, m->trial, m->trial_norm, 1, distance);
    *part = 0;
    for (uint32_t i = 0; i < rows; i++)
        *part += m->distance[first + i] = fminf(m->distance[first + i], distance[i]);
}

static void set_trial(kmeans *m, uint32_t j, uint32_t i)
{
    memcpy(m->trial + (size_t)j * m->points.d, point(m, i), m->points.d * sizeof(float));
    m->trial_norm[j] = m->points.norm[i];
}

static double sum_parts(const kmeans *m, uint32_t j)
{
    double sum = 0;
    for (uint32_t t = 0; t < m->tiles; t++) sum += m->part[(size_t)t * TRIALS_MOST + j];
    return sum;
}

/* A point drawn with probability distance / total; any point if all lie on a centre. Tiles are skipped by
 * their sums, so a draw reads tiles + TILE numbers. */
static uint32_t draw_point(const kmeans *m, double total, ni_rng *rng)
{
    if (!(total > 0)) return (uint32_t)ni_below(rng, m->points.n);
    double left = ni_uniform(rng) * total;
    uint32_t tile = 0;
    while (tile + 1 < m->tiles && left >= m->part[(size_t)tile * TRIALS_MOST])
        left -= m->part[(size_t)tile++ * TRIALS_MOST];
    uint32_t i = tile * TILE, last = i + rows_of(m, tile) - 1;
    while (i < last && left >= m->distance[i]) left -= m->distance[i++];
    return i;
}

/* The candidate that would leave the smallest sum; the first of equals. */
static uint32_t best_trial(kmeans *m)
{
    uint32_t best = 0;
    double least = INFINITY;
    ni_gemm_run(m->threads, m->tiles, weigh_trials, m);
    for (uint32_t j = 0; j < m->trials; j++) {
        double sum = sum_parts(m, j);
        if (sum < least) least = sum, best = j;
    }
    return best;
}

static void draw_centres(kmeans *m, uint32_t run)
{
    uint32_t drawn[TRIALS_MOST];
    for (uint32_t i = 0; i < m->points.n; i++) m->distance[i] = INFINITY;
    for (uint32_t c = 0; c < m->k; c++) {
        ni_rng rng = ni_rng_at(m->seed, NI_STREAM_KMEANS, run, c);
        m->trials = c ? 2 + (uint32_t)log(m->k) : 1;
        double total = c ? sum_parts(m, 0) : 0;
        for (uint32_t j = 0; j < m->trials; j++) {
            drawn[j] = draw_point(m, total, &rng);
            set_trial(m, j, drawn[j]);
        }
        uint32_t chosen = m->trials > 1 ? drawn[best_trial(m)] : drawn[0];
        set_trial(m, 0, chosen);
        ni_gemm_run(m->threads, m->tiles, take_trial, m);
        memcpy(m->centre + (size_t)c * m->points.d, point(m, chosen), m->points.d * sizeof(float));
        m->norm[c] = m->points.norm[chosen];
    }
}

/* ---- Lloyd's rounds ---- */

/* The nearest centre of each point of a tile, the first of equals. */
static void assign_tile(void *arg, uint32_t tile, uint32_t thread)
{
    kmeans *m = arg;
    uint32_t first = tile * TILE, rows = rows_of(m, tile), nearest[TILE] = { 0 };
    float *distance = m->tile + (size_t)thread * TILE * TILE, least[TILE];
    for (uint32_t i = 0; i < rows; i++) least[i] = INFINITY;
    for (uint32_t c = 0; c < m->k; c += TILE) {
        uint32_t width = m->k - c < TILE ? m->k - c : TILE;
        ni_points_distances(&m->points, first, rows, m->centre + (size_t)c * m->points.d, m->norm + c,
                            width, distance);
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t j = 0; j < width; j++)
                if (distance[(size_t)i * width + j] < least[i])
                    least[i] = distance[(size_t)i * width + j], nearest[i] = c + j;
    }
    m->changed[tile] = memcmp(m->cluster + first, nearest, rows * sizeof *nearest) != 0;
    memcpy(m->cluster + first, nearest, rows * sizeof *nearest);
    double sum = 0;
    for (uint32_t i = 0; i < rows; i++) sum += m->distance[first + i] = least[i];
    m->part[(size_t)tile * TRIALS_MOST] = sum;
}

/* Sorts the points by cluster: counting sort, so the members of each are in ascending order. */
static void collect_members(kmeans *m)
{
    memset(m->start, 0, ((size_t)m->k + 1) * sizeof *m->start);
    for (uint32_t i = 0; i < m->points.n; i++) m->start[m->cluster[i] + 1]++;
    for (uint32_t c = 0; c < m->k; c++) m->start[c + 1] += m->start[c];
    for (uint32_t i = 0; i < m->points.n; i++) m->member[m->start[m->cluster[i]]++] = i;
    memmove(m->start + 1, m->start, m->k * sizeof *m->start);
    m->start[0] = 0;
}

static bool has_empty(const kmeans *m)
{
    for (uint32_t c = 0; c < m->k; c++)
        if (m->start[c] == m->start[c + 1]) return true;
    return false;
}

/* The point farthest from its centre, or NEAP_NONE if each lies on its centre. */
static uint32_t farthest(const kmeans *m)
{
    uint32_t far = NEAP_NONE;
    for (uint32_t i = 0; i < m->points.n; i++)
        if (m->distance[i] > 0 && (far == NEAP_NONE || m->distance[i] > m->distance[far])) far = i;
    return far;
}

/* Gives each empty cluster the point that is farthest from its centre. */
static void fill_empty(kmeans *m)
{
    uint32_t d = m->points.d;
    for (uint32_t i = 0; i < m->points.n; i++)
        m->distance[i] = (float)ni_squared_distance(point(m, i), m->centre + (size_t)m->cluster[i] * d, d);
    for (uint32_t c = 0; c < m->k; c++) {
        if (m->start[c] != m->start[c + 1]) continue;
        uint32_t far = farthest(m);
        if (far == NEAP_NONE) break;
        m->cluster[far] = c;
        m->distance[far] = 0;
        m->changed[far / TILE] = 1;
    }
    collect_members(m);
}

/* The mean of a cluster; one task per cluster, so that its sum has one owner and one order. */
static void move_centre(void *arg, uint32_t c, uint32_t thread)
{
    kmeans *m = arg;
    uint32_t d = m->points.d, members = m->start[c + 1] - m->start[c];
    float *centre = m->centre + (size_t)c * d;
    double *sum = m->sum + (size_t)thread * d, shift = 0;
    m->shift[c] = 0;
    if (!members) return;
    memset(sum, 0, d * sizeof *sum);
    for (uint32_t i = m->start[c]; i < m->start[c + 1]; i++) {
        const float *x = point(m, m->member[i]);
        for (uint32_t j = 0; j < d; j++) sum[j] += x[j];
    }
    for (uint32_t j = 0; j < d; j++) {
        float to = (float)(sum[j] / members);
        shift += ((double)to - centre[j]) * ((double)to - centre[j]);
        centre[j] = to;
    }
    m->norm[c] = ni_squared_norm(centre, d);
    m->shift[c] = shift;
}

static bool assign(kmeans *m)
{
    bool changed = false;
    ni_gemm_run(m->threads, m->tiles, assign_tile, m);
    if (ni_threads_check(m->threads, NULL) != NEAP_OK) return false; /* after a stop there are no labels */
    collect_members(m);
    if (has_empty(m)) fill_empty(m);
    for (uint32_t t = 0; t < m->tiles; t++) changed |= m->changed[t];
    return changed;
}

static double move_centres(kmeans *m)
{
    double shift = 0;
    ni_threads_run(m->threads, m->k, move_centre, m);
    for (uint32_t c = 0; c < m->k; c++) shift += m->shift[c];
    return shift;
}

/* Mean variance of a coordinate; the mean of the points is 0. */
static double variance(const ni_points *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->n; i++) sum += p->norm[i];
    return sum / p->n / p->d;
}

/* One start and its rounds; gives the sum of squared distances. */
static double run_once(kmeans *m, uint32_t run)
{
    double least = TOLERANCE * variance(&m->points);
    memset(m->cluster, 0xff, m->points.n * sizeof *m->cluster);
    draw_centres(m, run);
    for (int round = 0; round < NI_KMEANS_ROUNDS && assign(m) && move_centres(m) > least; round++) continue;
    return sum_parts(m, 0);
}

neap_status ni_kmeans(const float *x, uint32_t n, uint32_t d, uint32_t k, uint64_t seed,
                      ni_threads *threads, uint32_t *cluster, neap_error *err)
{
    if (k < 1 || k > n || d < 1)
        return ni_fail(err, NEAP_E_ARG, "k-means makes 1 to %u clusters of %u vectors of length %u, not %u",
                       n, n, d, k);
    kmeans m = { .k = k, .seed = seed, .threads = threads };
    neap_status rc = set_up(&m, x, n, d, err);
    double least = INFINITY;
    for (uint32_t run = 0; rc == NEAP_OK && run < NI_KMEANS_STARTS; run++) {
        double sum = run_once(&m, run);
        rc = ni_threads_check(threads, err);
        if (sum < least) memcpy(cluster, m.cluster, n * sizeof *cluster);
        least = fmin(least, sum);
    }
    tear_down(&m);
    return rc;
}
