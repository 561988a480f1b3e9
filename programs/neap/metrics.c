/* --metrics: lines of JSON, appended per epoch; after --resume the lines of later epochs are cut off. */
#include "train.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

/* The epoch of a line that metrics_write wrote, or 0. */
static uint64_t epoch_of(const char *line)
{
    static const char start[] = "{\"epoch\": ";
    if (strncmp(line, start, sizeof start - 1)) return 0;
    return strtoull(line + sizeof start - 1, NULL, 10);
}

/* Gathers the lines to keep; a line without its end was cut short by a crash and goes. */
static neap_status collect(FILE *from, uint32_t epoch, char **kept, size_t *bytes, neap_error *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    FILE *to = open_memstream(kept, bytes);
    if (!to) return ni_fail(err, NEAP_E_MEM, "out of memory for metrics");
    while ((n = getline(&line, &room, from)) > 0) {
        uint64_t number = epoch_of(line);
        if (number && number < epoch && line[n - 1] == '\n') fwrite(line, 1, (size_t)n, to);
    }
    free(line);
    if (fclose(to)) return ni_fail(err, NEAP_E_MEM, "out of memory for metrics");
    return NEAP_OK;
}

/* Leaves only the lines of epochs before `epoch` in the file, whole or not at all. */
static neap_status trim(const char *path, uint32_t epoch, neap_error *err)
{
    char *kept = NULL;
    size_t bytes = 0;
    FILE *from = epoch > 1 ? fopen(path, "r") : NULL;
    neap_status rc = from ? collect(from, epoch, &kept, &bytes, err) : NEAP_OK;
    if (from) fclose(from);
    if (rc == NEAP_OK) rc = neap_file_replace(path, kept ? kept : "", bytes, err);
    free(kept);
    return rc;
}

neap_status metrics_open(metrics *m, uint32_t epoch, neap_error *err)
{
    if (!m->path || m->file) return NEAP_OK;
    neap_status rc = is_stream(m->path) ? NEAP_OK : trim(m->path, epoch, err);
    if (rc) return rc;
    m->file = fopen(m->path, "a");
    return m->file ? NEAP_OK : ni_fail_sys(err, NEAP_E_IO, errno, "%s", m->path);
}

neap_status metrics_write(metrics *m, const neap_progress *now, neap_error *err)
{
    if (!m->file) return NEAP_OK;
    ni_json j = json_to(m->file);
    j.lines = 0;
    ni_json_open(&j, NULL, '{');
    ni_json_whole(&j, "epoch", now->epoch);
    ni_json_real(&j, "loss", now->loss);
    ni_json_real(&j, "valid_auc", now->valid_auc);
    ni_json_real(&j, "edges_per_second", now->rate);
    ni_json_real(&j, "seconds", now->seconds);
    ni_json_close(&j, '}');
    if (!fflush(m->file) && !ferror(m->file)) return NEAP_OK;
    return ni_fail_sys(err, NEAP_E_IO, errno, "%s", m->path);
}

neap_status metrics_close(metrics *m, neap_error *err)
{
    FILE *file = m->file;
    m->file = NULL;
    if (file && fclose(file)) return ni_fail_sys(err, NEAP_E_IO, errno, "%s", m->path);
    return NEAP_OK;
}
