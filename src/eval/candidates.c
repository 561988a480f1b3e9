/* The negatives of test pairs in order, a block at a time: drawn as functions of (seed, pair, k), or read
 * from a file of numbers whose CRC is compared at the end. O(candidates); one thread. */
#include "eval/trial.h"

#include <string.h>

#include "base/sys.h"
#include "io/crc32c.h"
#include "io/npy.h"
#include "support/status.h"

neap_status ni_candidate_file_create(const char *path, uint32_t crc, ni_candidate_file **out,
                                     neap_error *err)
{
    ni_candidate_file *file = ni_zeros(1, sizeof *file);
    *out = NULL;
    if (file) *file = (ni_candidate_file){ ni_copy(path, strlen(path) + 1, 1), crc };
    if (file && file->path) return *out = file, NEAP_OK;
    ni_candidate_file_free(file);
    return ni_fail_memory(err, "a split");
}

void ni_candidate_file_free(ni_candidate_file *file)
{
    if (file) ni_free(file->path);
    ni_free(file);
}

/* ---- the candidates of a trial ---- */

neap_status ni_candidates_open(const ni_trial *t, ni_candidates *r, neap_error *err)
{
    *r = (ni_candidates){ .trial = t };
    if (!t->file) return NEAP_OK;
    char header[NI_NPY_HEADER];
    ni_npy_header("<u4", t->count, ni_trial_candidates(t), header);
    r->crc = ni_crc32c(0, header, sizeof header);
    return ni_npy_open_u32(t->file->path, t->count, ni_trial_candidates(t), &r->in, err);
}

static neap_status read_next(ni_candidates *r, size_t numbers, uint32_t *node, neap_error *err)
{
    const ni_trial *t = r->trial;
    neap_status rc = ni_npy_next_u32(r->in, t->whole->nodes, numbers, node, err);
    if (rc != NEAP_OK) return rc;
    r->crc = ni_crc32c(r->crc, node, numbers * sizeof *node);
    if (r->next < t->count || r->crc == t->file->crc) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "%.200s is not the file that was written with this split",
                   t->file->path);
}

neap_status ni_candidates_next(ni_candidates *r, size_t count, uint32_t *node, neap_error *err)
{
    uint32_t each = ni_trial_candidates(r->trial);
    size_t first = r->next;
    r->next += count;
    if (r->in) return read_next(r, count * each, node, err);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < each; k++)
            node[i * each + k] = ni_trial_draw_candidate(r->trial, first + i, k);
    return NEAP_OK;
}

void ni_candidates_close(ni_candidates *r)
{
    ni_stream_close(r->in);
    r->in = NULL;
}
