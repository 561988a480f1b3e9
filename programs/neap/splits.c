/* The splits of `neap eval link`: drawn per ratio and seed, or read from folders. */
#include "eval_common.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "support/path.h"

void splits_free(splits *s)
{
    for (size_t i = 0; i < s->count; i++) free(s->item[i].folder);
    free(s->item);
    s->item = NULL;
    s->count = 0;
}

neap_status splits_add(splits *s, split_item item, const char *folder, neap_error *err)
{
    split_item *more = realloc(s->item, (s->count + 1) * sizeof *more);
    if (more) s->item = more;
    item.folder = more && folder ? strdup(folder) : NULL;
    if (!more || (folder && !item.folder))
        return ni_fail(err, NEAP_E_MEM, "out of memory for a list of splits");
    s->item[s->count++] = item;
    return NEAP_OK;
}

neap_status splits_each_inside(splits *s, const char *folder, splits_take take, neap_error *err)
{
    neap_status rc = NEAP_OK;
    DIR *dir = opendir(folder);
    if (!dir) return ni_fail_sys(err, NEAP_E_READ, errno, "the folder %s cannot be read", folder);
    for (struct dirent *e; rc == NEAP_OK && (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        char path[PATH_MAX];
        rc = ni_path_join(folder, e->d_name, path, err);
        if (rc == NEAP_OK) rc = take(s, path, err);
    }
    closedir(dir);
    return rc;
}

/* ---- drawn ---- */

/* "clean-uniform-55-seed1", "clean-uniform-opposite-55-seed1", "paper-55-seed1". */
static neap_status name_folder(const splits *s, const char *inside, double percent, uint64_t seed,
                               char path[PATH_MAX], neap_error *err)
{
    char name[96];
    bool clean = !strcmp(s->protocol, "clean"), some = strcmp(s->target_kind, "all") != 0;
    snprintf(name, sizeof name, "%s%s%s%s%s-%.10g-seed%llu", s->protocol, clean ? "-" : "",
             clean ? s->negatives : "", some ? "-" : "", some ? s->target_kind : "", percent,
             (unsigned long long)seed);
    return ni_path_join(inside, name, path, err);
}

neap_status splits_draw(splits *s, const double *percent, size_t ratios, uint64_t first, uint64_t seeds,
                        const char *folder, neap_error *err)
{
    s->ratios = ratios;
    for (size_t j = 0; j < ratios; j++) {
        s->ratio[j] = percent[j];
        for (uint64_t i = 0; i < seeds; i++) {
            split_item item = { .ratio = percent[j] / 100, .seed = first + i, .column = j };
            char path[PATH_MAX];
            neap_status rc = folder ? name_folder(s, folder, percent[j], item.seed, path, err) : NEAP_OK;
            if (rc == NEAP_OK) rc = splits_add(s, item, folder ? path : NULL, err);
            if (rc != NEAP_OK) return rc;
        }
    }
    return NEAP_OK;
}

/* ---- found ---- */

static bool holds_split(const char *folder)
{
    char path[PATH_MAX];
    return !ni_path_join(folder, "manifest.json", path, NULL) && !access(path, F_OK);
}

static neap_status take(splits *s, const char *folder, neap_error *err)
{
    neap_trial_facts f = NEAP_SIZED(neap_trial_facts);
    neap_status rc = neap_trial_describe(folder, &f, err);
    if (rc == NEAP_OK && s->count &&
        (strcmp(s->protocol, f.protocol) || strcmp(s->negatives, f.negatives) ||
         strcmp(s->target_kind, f.targets)))
        rc = ni_fail(
            err, NEAP_E_MISMATCH,
            "%s is a split of protocol %s (%s, targets: %s), others are of %s (%s, targets: %s); name "
            "the folder of one of them",
            folder, f.protocol, f.negatives, f.targets, s->protocol, s->negatives, s->target_kind);
    if (rc == NEAP_OK) rc = splits_add(s, (split_item){ .ratio = f.ratio, .seed = f.seed }, folder, err);
    if (rc != NEAP_OK) return rc;
    s->protocol = f.protocol;
    s->negatives = f.negatives;
    s->target_kind = f.targets;
    return NEAP_OK;
}

static neap_status take_split(splits *s, const char *path, neap_error *err)
{
    return holds_split(path) ? take(s, path, err) : NEAP_OK;
}

static neap_status look_inside(splits *s, const char *folder, neap_error *err)
{
    neap_status rc = splits_each_inside(s, folder, take_split, err);
    if (rc == NEAP_OK && !s->count)
        rc = ni_fail(err, NEAP_E_FORMAT,
                     "there is no split in %s: neither it nor a folder in it has a manifest.json", folder);
    return rc;
}

static int by_ratio_and_seed(const void *a, const void *b)
{
    const split_item *x = a, *y = b;
    if (x->ratio != y->ratio) return x->ratio < y->ratio ? -1 : 1;
    if (x->seed != y->seed) return x->seed < y->seed ? -1 : 1;
    return strcmp(x->folder, y->folder);
}

static neap_status make_columns(splits *s, neap_error *err)
{
    qsort(s->item, s->count, sizeof *s->item, by_ratio_and_seed);
    for (size_t i = 0; i < s->count; i++) {
        bool new = i == 0 || s->item[i].ratio != s->item[i - 1].ratio;
        if (new && s->ratios == LIST_MOST)
            return ni_fail(err, NEAP_E_LIMIT, "there are splits of more than %d ratios", LIST_MOST);
        if (new) s->ratio[s->ratios++] = s->item[i].ratio * 100;
        s->item[i].column = s->ratios - 1;
    }
    return NEAP_OK;
}

neap_status splits_find(splits *s, const char *folder, neap_error *err)
{
    s->found = true;
    neap_status rc = holds_split(folder) ? take(s, folder, err) : look_inside(s, folder, err);
    return rc == NEAP_OK ? make_columns(s, err) : rc;
}

/* ---- one after the other ---- */

neap_status splits_make(splits *s, size_t i, const neap_data *data, neap_trial **out, neap_error *err)
{
    const split_item *item = &s->item[i];
    if (s->found) return neap_trial_load(item->folder, data, out, err);
    neap_link_spec spec = { .size = sizeof spec,
                            .protocol = s->protocol,
                            .negatives = s->negatives,
                            .ratio = item->ratio,
                            .seed = item->seed,
                            .valid = s->valid };
    neap_status rc = neap_trial_create(data, &spec, out, err);
    if (rc != NEAP_OK || !item->folder) return rc;
    interrupt_ends(NULL);
    rc = neap_trial_save(*out, item->folder, err);
    s->kept += rc == NEAP_OK;
    if (rc == NEAP_OK) return rc;
    neap_trial_free(*out);
    *out = NULL;
    return rc;
}
