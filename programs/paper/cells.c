/* A cell is a file of one JSON object: version, hash of the graph, settings as one text, values. It is
 * valid only if the first three are those of the present run, so nothing has to be invalidated. Looking one
 * up reads one small file; the index lists the names that exist, in one reading of the folder. */
#include "paper/cells.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages/pages.h"
#include "support/json.h"
#include "support/path.h"

enum { FILE_MOST = 16384 };

static const char ending[] = ".json";

void ni_cell_name(const ni_cell *c, char name[NI_CELL_NAME])
{
    char ratio[32], size[16] = "";
    ni_format_double(round(1e6 * c->condition.ratio) / 1e4,
                     ratio); /* 55, though 100 * 0.55 is a bit more */
    if (c->condition.neighbors) snprintf(size, sizeof size, "-s%u", c->condition.neighbors);
    snprintf(name, NI_CELL_NAME, "%s-%s%s%s-%s%s-%s%s-%llu%s", ni_aim_info_of(c->aim)->name,
             c->condition.graph->name, *c->protocol ? "-" : "", c->protocol, c->condition.method,
             c->condition.untrained ? c->condition.self ? "-untrained-self" : "-untrained" : "", ratio,
             size, (unsigned long long)c->seed, ending);
}

static neap_status path_of(const char *folder, const ni_cell *c, char path[PATH_MAX], neap_error *err)
{
    char name[NI_CELL_NAME];
    ni_cell_name(c, name);
    return ni_path_join(folder, name, path, err);
}

static void append_setting(const char *name, const char *value, void *text)
{
    size_t used = strlen(text);
    snprintf((char *)text + used, NI_CELL_SETTINGS - used, "%s%s=%s", used ? " " : "", name, value);
}

neap_status ni_cell_settings(const ni_cell *c, const neap_options *options, char text[NI_CELL_SETTINGS],
                             neap_error *err)
{
    text[0] = 0;
    return c->learns ? neap_options_saved(options, append_setting, text, err) : NEAP_OK;
}

double ni_option_number(const neap_options *options, const char *name)
{
    char text[64];
    double value;
    if (neap_options_get(options, name, text, sizeof text, NULL)) return NAN;
    return ni_parse_double(text, strlen(text), &value) ? value : NAN;
}

/* ---- reading ---- */

static neap_status read_text(const char *path, char *text, size_t room, size_t *length, bool *found,
                             neap_error *err)
{
    FILE *file = fopen(path, "rb");
    *found = false;
    if (!file && errno == ENOENT) return NEAP_OK;
    *length = file ? fread(text, 1, room, file) : 0;
    int sys = !file || ferror(file) ? errno : 0;
    if (file) fclose(file);
    *found = !sys && *length < room;
    return sys ? ni_fail_sys(err, NEAP_E_READ, sys, "cannot read %s", path) : NEAP_OK;
}

/* A number, or NaN for null; false for anything else. */
static bool take_real(const json_t *object, const char *key, double *value)
{
    const json_t *item = json_object_get(object, key);
    *value = json_is_number(item) ? json_number_value(item) : NAN;
    return json_is_number(item) || json_is_null(item);
}

static bool has_text(const json_t *object, const char *key, const char *text)
{
    const char *is = json_string_value(json_object_get(object, key));
    return is && !strcmp(is, text);
}

static void hash_text(uint64_t hash, char text[24])
{
    snprintf(text, 24, "%016llx", (unsigned long long)hash);
}

static bool is_of_graph(const json_t *root, const ni_cell *c)
{
    char hash[24];
    hash_text(c->graph_hash, hash);
    return !c->graph_hash || has_text(root, "graph", hash);
}

static bool take_outcome(const json_t *root, const ni_cell *c, const char *settings, ni_outcome *o)
{
    double epochs;
    bool ok = json_is_object(root) && has_text(root, "neap", neap_version()) && is_of_graph(root, c) &&
              has_text(root, "settings", settings) && take_real(root, "seconds", &o->seconds) &&
              take_real(root, "epochs", &epochs) && epochs >= 0 && epochs <= UINT32_MAX;
    const ni_aim_info *aim = ni_aim_info_of(c->aim);
    for (size_t i = 0; i < NI_VALUES && ok; i++) {
        o->value[i] = NAN;
        if (aim->value[i]) ok = take_real(root, aim->value[i], &o->value[i]);
    }
    if (ok) o->epochs = (uint32_t)epochs;
    return ok;
}

neap_status ni_cell_load(const char *folder, const ni_cell *c, const char *settings, ni_outcome *o,
                         bool *found, neap_error *err)
{
    char path[PATH_MAX], text[FILE_MOST];
    size_t length = 0;
    *found = false;
    neap_status rc = path_of(folder, c, path, err);
    if (rc == NEAP_OK) rc = read_text(path, text, sizeof text, &length, found, err);
    if (rc != NEAP_OK || !*found) return rc;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    *found = take_outcome(root, c, settings, o);
    json_decref(root);
    return NEAP_OK;
}

/* ---- writing ---- */

neap_status ni_cell_save(const char *folder, const ni_cell *c, const char *settings, const ni_outcome *o,
                         neap_error *err)
{
    char path[PATH_MAX], hash[24];
    ni_page page = { 0 };
    ni_json j = { .out = ni_page_sink(&page), .lines = 1 };
    neap_status rc = path_of(folder, c, path, err);
    if (rc != NEAP_OK) return rc;
    hash_text(c->graph_hash, hash);
    ni_json_open(&j, NULL, '{');
    ni_json_text(&j, "neap", neap_version());
    ni_json_text(&j, "graph", hash);
    ni_json_text(&j, "settings", settings);
    const ni_aim_info *aim = ni_aim_info_of(c->aim);
    for (size_t i = 0; i < NI_VALUES && aim->value[i]; i++) ni_json_real(&j, aim->value[i], o->value[i]);
    ni_json_real(&j, "seconds", o->seconds);
    ni_json_whole(&j, "epochs", o->epochs);
    ni_json_close(&j, '}');
    return ni_page_save(&page, path, err);
}

/* ---- the index ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static neap_status add_name(ni_cell_index *index, size_t *room, const char *name, neap_error *err)
{
    if (index->count == *room) {
        size_t larger = *room ? 2 * *room : 64;
        void *more = realloc(index->name, larger * sizeof *index->name);
        if (!more) return ni_fail_memory(err, "the names of the cells");
        index->name = more;
        *room = larger;
    }
    memcpy(index->name[index->count++], name, strlen(name) + 1);
    return NEAP_OK;
}

/* Names that no cell can have are ignored. */
static neap_status read_names(DIR *dir, ni_cell_index *index, neap_error *err)
{
    size_t room = 0;
    neap_status rc = NEAP_OK;
    for (struct dirent *e; rc == NEAP_OK && (e = readdir(dir));) {
        size_t length = strlen(e->d_name);
        if (length < NI_CELL_NAME && ni_path_ends(e->d_name, length, ending))
            rc = add_name(index, &room, e->d_name, err);
    }
    return rc;
}

neap_status ni_cell_index_read(const char *folder, ni_cell_index *index, neap_error *err)
{
    *index = (ni_cell_index){ NULL, 0 };
    DIR *dir = opendir(folder);
    if (!dir && errno == ENOENT) return NEAP_OK;
    if (!dir) return ni_fail_sys(err, NEAP_E_READ, errno, "cannot read the folder %s", folder);
    neap_status rc = read_names(dir, index, err);
    closedir(dir);
    if (rc != NEAP_OK) ni_cell_index_free(index);
    if (index->count) qsort(index->name, index->count, sizeof *index->name, by_name);
    return rc;
}

void ni_cell_index_free(ni_cell_index *index)
{
    free(index->name);
    *index = (ni_cell_index){ NULL, 0 };
}

bool ni_cell_index_has(const ni_cell_index *index, const ni_cell *cell)
{
    char name[NI_CELL_NAME];
    ni_cell_name(cell, name);
    return index->count && bsearch(name, index->name, index->count, sizeof *index->name, by_name);
}

bool ni_cell_index_seed(const ni_cell_index *index, size_t i, uint64_t *seed)
{
    const char *mark = strrchr(index->name[i], '-');
    return mark && ni_parse_u64(mark + 1, strlen(mark + 1) - (sizeof ending - 1), seed);
}
