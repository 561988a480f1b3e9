/* Pairs grouped by source with a counting sort, O(pairs + nodes); blocks of sources are tasks, each in
 * scratch memory of its thread (nodes x width bytes). */
#include "methods/by_source.h"

#include "base/sys.h"
#include "support/status.h"

typedef struct job {
    const ni_links *links;
    const ni_by_source *by;
    const void *rule;
    const neap_pair *pairs;
    float *scores;
    size_t *first;    /* nodes + 1: the pairs of source u are order[first[u]] .. order[first[u+1]-1] */
    size_t *order;    /* pairs, by source                                                            */
    uint32_t *source; /* the distinct sources, ascending                                             */
    uint32_t sources;
    unsigned char *scratch; /* threads x nodes x width */
} job;

/* Counting sort: first[u+2] counts, so that after the sums first[u+1] is where u begins, and filling moves
 * it to where u ends, which is where u+1 begins. */
static bool group(job *j, size_t count)
{
    uint32_t n = j->links->nodes;
    j->first = ni_zeros((size_t)n + 2, sizeof *j->first);
    j->order = ni_array(count, sizeof *j->order);
    j->source = ni_array(count < n ? count : n, sizeof *j->source);
    if (!j->first || !j->order || !j->source) return false;
    for (size_t i = 0; i < count; i++) j->first[(size_t)j->pairs[i].source + 2]++;
    for (uint32_t u = 0; u < n; u++) {
        if (j->first[(size_t)u + 2]) j->source[j->sources++] = u;
        j->first[(size_t)u + 2] += j->first[(size_t)u + 1];
    }
    for (size_t i = 0; i < count; i++) j->order[j->first[(size_t)j->pairs[i].source + 1]++] = i;
    return true;
}

static void block_task(void *arg, uint32_t task, uint32_t thread)
{
    const job *j = arg;
    const ni_by_source *by = j->by;
    void *scratch = j->scratch + (size_t)thread * j->links->nodes * by->width;
    const uint32_t *source = j->source + (size_t)task * by->lanes;
    uint32_t left = j->sources - task * by->lanes, count = left < by->lanes ? left : by->lanes;
    by->spread(j->links, j->rule, source, count, scratch);
    for (uint32_t lane = 0; lane < count; lane++) {
        uint32_t u = source[lane];
        for (size_t k = j->first[u]; k < j->first[(size_t)u + 1]; k++) {
            size_t i = j->order[k];
            j->scores[i] = (float)by->score(j->links, j->rule, u, lane, j->pairs[i].target, scratch);
        }
    }
    if (by->clear) by->clear(j->links, source, count, scratch);
}

/* One block needs no second thread, nor memory for it. */
static bool run(job *j, ni_threads *threads)
{
    uint32_t blocks = j->sources / j->by->lanes + (j->sources % j->by->lanes != 0);
    uint32_t seats = blocks > 1 ? ni_threads_count(threads) : 1;
    j->scratch = ni_zeros((size_t)seats * j->links->nodes, j->by->width);
    if (!j->scratch) return false;
    if (seats > 1) ni_threads_run(threads, blocks, block_task, j);
    else
        for (uint32_t b = 0; b < blocks; b++) block_task(j, b, 0);
    return true;
}

neap_status ni_by_source_score(neap_query *q, const ni_by_source *by, const void *rule,
                               const neap_pair *pairs, size_t count, float *scores, neap_error *err)
{
    job j = { .links = &q->model->links, .by = by, .rule = rule, .pairs = pairs };
    j.scores = scores;
    bool ok = group(&j, count) && run(&j, q->threads);
    ni_free(j.first);
    ni_free(j.order);
    ni_free(j.source);
    ni_free(j.scratch);
    return ok ? NEAP_OK : ni_fail_memory(err, "scoring pairs; fewer --threads need less");
}
