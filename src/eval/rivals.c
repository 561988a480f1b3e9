#include "eval/rivals.h"

#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "io/crc32c.h"
#include "io/npy.h"
#include "support/status.h"

/* ---- files of node numbers ---- */

static neap_status cut_short(const ni_stream_in *in, neap_error *err)
{
    return ni_fail(err, NEAP_E_FORMAT, "%.200s ends too early: the split is damaged", ni_stream_label(in));
}

neap_status ni_numbers_open(const char *path, uint64_t rows, uint32_t columns, ni_stream_in **in,
                            neap_error *err)
{
    char expected[NI_NPY_HEADER], found[NI_NPY_HEADER];
    size_t got = 0;
    ni_npy_header("<u4", rows, columns, expected);
    neap_status rc = ni_stream_open(path, in, err);
    if (rc != NEAP_OK) return rc;
    rc = ni_stream_read(*in, found, sizeof found, &got, err);
    if (rc == NEAP_OK && got < sizeof found) rc = cut_short(*in, err);
    else if (rc == NEAP_OK && memcmp(expected, found, sizeof found))
        rc = ni_fail(err, NEAP_E_FORMAT,
                     "%.200s does not begin as an array of %llu x %u node numbers: the split is damaged",
                     path, (unsigned long long)rows, columns ? columns : 1);
    if (rc == NEAP_OK) return rc;
    ni_stream_close(*in);
    *in = NULL;
    return rc;
}

neap_status ni_numbers_next(ni_stream_in *in, uint32_t nodes, size_t count, uint32_t *number,
                            neap_error *err)
{
    size_t got = 0;
    neap_status rc = ni_stream_read(in, number, count * sizeof *number, &got, err);
    if (rc != NEAP_OK) return rc;
    if (got < count * sizeof *number) return cut_short(in, err);
    for (size_t i = 0; i < count; i++)
        if (number[i] >= nodes)
            return ni_fail(err, NEAP_E_FORMAT, "%.200s has node number %u, but there are %u nodes",
                           ni_stream_label(in), number[i], nodes);
    return NEAP_OK;
}

neap_status ni_rival_file_create(const char *path, uint32_t crc, ni_rival_file **out, neap_error *err)
{
    ni_rival_file *file = ni_zeros(1, sizeof *file);
    *out = NULL;
    if (file) *file = (ni_rival_file){ ni_copy(path, strlen(path) + 1, 1), crc };
    if (file && file->path) return *out = file, NEAP_OK;
    ni_rival_file_free(file);
    return ni_fail_memory(err, "a split");
}

void ni_rival_file_free(ni_rival_file *file)
{
    if (file) ni_free(file->path);
    ni_free(file);
}

/* ---- the rivals of a trial ---- */

neap_status ni_rivals_open(const ni_trial *t, ni_rivals *r, neap_error *err)
{
    *r = (ni_rivals){ .trial = t };
    if (!t->file) return NEAP_OK;
    char header[NI_NPY_HEADER];
    ni_npy_header("<u4", t->count, ni_trial_rivals(t), header);
    r->crc = ni_crc32c(0, header, sizeof header);
    return ni_numbers_open(t->file->path, t->count, ni_trial_rivals(t), &r->in, err);
}

static neap_status read_next(ni_rivals *r, size_t numbers, uint32_t *node, neap_error *err)
{
    const ni_trial *t = r->trial;
    neap_status rc = ni_numbers_next(r->in, t->whole->nodes, numbers, node, err);
    if (rc != NEAP_OK) return rc;
    r->crc = ni_crc32c(r->crc, node, numbers * sizeof *node);
    if (r->next < t->count || r->crc == t->file->crc) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "%.200s is not the file that was written with this split",
                   t->file->path);
}

neap_status ni_rivals_next(ni_rivals *r, size_t count, uint32_t *node, neap_error *err)
{
    uint32_t each = ni_trial_rivals(r->trial);
    size_t first = r->next;
    r->next += count;
    if (r->in) return read_next(r, count * each, node, err);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < each; k++)
            node[i * each + k] = ni_trial_draw_rival(r->trial, first + i, k);
    return NEAP_OK;
}

void ni_rivals_close(ni_rivals *r)
{
    ni_stream_close(r->in);
    r->in = NULL;
}
