/* A cell is a file of one JSON object: revision of the method, hashes of graph, texts and features,
 * settings as one text, values. It is valid only if what precedes the values is that of the present run, so
 * nothing has to be invalidated. Looking one up reads one small file; the index lists the names that exist,
 * in one reading of the folder. */
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

/* In percent: 55, though 100 * 0.55 is a bit more, and 100 in digits. */
static void format_share(double ratio, char text[32])
{
    double percent = round(1e6 * ratio) / 1e4;
    if (percent == floor(percent)) snprintf(text, 32, "%.0f", percent);
    else ni_format_double(percent, text);
}

void ni_cell_name(const ni_cell *c, char name[NI_CELL_NAME])
{
    char ratio[32], size[16] = "", kernel[16] = "";
    const char *form = c->condition.uniform ? "-uniform" : kernel;
    format_share(c->condition.ratio, ratio);
    if (c->condition.neighbors) snprintf(size, sizeof size, "-s%u", c->condition.neighbors);
    if (c->condition.kernel) snprintf(kernel, sizeof kernel, "-k%u", c->condition.kernel);
    snprintf(name, NI_CELL_NAME, "%s-%s%s%s-%s%s%s-%s%s-%llu%s", ni_aim_info_of(c->aim)->name,
             c->condition.graph->name, *c->protocol ? "-" : "", c->protocol, c->condition.method, form,
             c->condition.untrained ? c->condition.self ? "-untrained-self" : "-untrained" : "", ratio,
             size, (unsigned long long)c->seed, ending);
}

static neap_status path_of(const char *folder, const ni_cell *c, char path[PATH_MAX], neap_error *err)
{
    char name[NI_CELL_NAME];
    ni_cell_name(c, name);
    return ni_path_join(folder, name, path, err);
}

/* ---- what makes the numbers ---- */

uint32_t ni_cell_revision(const char *method)
{
    static const struct {
        const char *method;
        uint32_t revision;
    } revisions[] = {
#define REVISION(method, number, why) { method, number },
#include "paper/revisions.def"
#undef REVISION
    };
    uint32_t sum = 1;
    for (size_t i = 0; i < sizeof revisions / sizeof *revisions; i++)
        if (!*revisions[i].method || !strcmp(revisions[i].method, method)) sum += revisions[i].revision;
    return sum;
}

static void append_setting(const char *name, const char *value, void *text)
{
    size_t used = strlen(text);
    snprintf((char *)text + used, NI_CELL_SETTINGS - used, "%s%s=%s", used ? " " : "", name, value);
}

neap_status ni_cell_settings(const neap_options *options, char text[NI_CELL_SETTINGS], neap_error *err)
{
    text[0] = 0;
    return neap_options_saved(options, append_setting, text, err);
}

/* The value of an option in "name=value name=value", or NULL. */
static const char *setting_of(const char *settings, const char *name, size_t length, size_t *size)
{
    for (const char *at = settings; *at; at += *at == ' ') {
        size_t word = strcspn(at, " ");
        if (word > length && !memcmp(at, name, length) && at[length] == '=') {
            *size = word - length - 1;
            return at + length + 1;
        }
        at += word;
    }
    return NULL;
}

static bool same_value(const char *a, size_t a_size, const char *b, size_t b_size)
{
    double x, y;
    if (a_size == b_size && !memcmp(a, b, a_size)) return true;
    return ni_parse_double(a, a_size, &x) && ni_parse_double(b, b_size, &y) && x == y;
}

static bool is_named(const neap_option_info *o, const char *name, size_t length)
{
    return strlen(o->name) == length && !memcmp(o->name, name, length);
}

/* What was done before there was the option: its declaration says so, while the method's own default may
 * say what is better today. Two declarations of one name are told apart by their help. */
static bool is_as_before(const char *method, const char *name, size_t length, const char *value,
                         size_t size)
{
    neap_option_info info = NEAP_SIZED(neap_option_info);
    const char *before = NULL, *help = NULL;
    for (size_t i = 0; neap_method_option(method, i, &info, NULL) == NEAP_OK; i++)
        if (is_named(&info, name, length)) help = info.help;
    for (size_t i = 0; i < neap_option_count() && !before; i++) {
        const neap_option_info *o = neap_option_at(i);
        if (is_named(o, name, length) && (!help || o->help == help)) before = o->presets[0];
    }
    return before && same_value(before, strlen(before), value, size);
}

bool ni_cell_settings_agree(const char *method, const char *had, const char *now)
{
    size_t had_count = 0, common = 0, size;
    if (!strcmp(had, now)) return true;
    for (const char *at = had; *at; at += strcspn(at, " "), at += *at == ' ') had_count++;
    for (const char *at = now; *at; at += *at == ' ') {
        size_t word = strcspn(at, " "), length = strcspn(at, "= ");
        if (length >= word) return false;
        const char *value = at + length + 1, *before = setting_of(had, at, length, &size);
        bool same = before ? same_value(before, size, value, word - length - 1)
                           : is_as_before(method, at, length, value, word - length - 1);
        if (!same) return false;
        common += before != NULL;
        at += word;
    }
    return common == had_count; /* an option that is read no more was part of what was measured */
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

static bool has_hash(const json_t *root, const char *key, uint64_t hash)
{
    char text[24];
    hash_text(hash, text);
    return !hash || has_text(root, key, text);
}

/* 0 if there is none. */
static uint64_t take_hash(const json_t *root, const char *key)
{
    const char *text = json_string_value(json_object_get(root, key));
    return text ? strtoull(text, NULL, 16) : 0;
}

static bool has_origin(const json_t *root, const ni_cell *c)
{
    return has_hash(root, "graph", c->graph_hash) && has_hash(root, "text", c->text_hash) &&
           (!c->text_hash || take_hash(root, "features") == c->features_hash);
}

static bool take_whole(const json_t *object, const char *key, uint32_t *value)
{
    double real;
    if (!take_real(object, key, &real) || !(real >= 0 && real <= UINT32_MAX)) return false;
    *value = (uint32_t)real;
    return true;
}

/* What a value is that was not measured yet when the cell was made. */
static void take_values(const json_t *root, const ni_aim_info *aim, ni_outcome *o)
{
    for (size_t i = 0; i < NI_VALUES; i++) {
        o->value[i] = NAN;
        if (aim->value[i]) take_real(root, aim->value[i], &o->value[i]);
    }
}

/* The limit left something undone. */
static bool is_short(const ni_outcome *o)
{
    return o->cut || o->late || o->unranked;
}

/* The settings of a cell as they are called today: cells without a format are older than the `degree` of
 * test negatives, and had the name for 1 + degree^0.75. */
static const char *take_settings(const json_t *root, char text[NI_CELL_SETTINGS])
{
    const char old[] = "negative-sampling=degree";
    const char *had = json_string_value(json_object_get(root, "settings")), *at = had;
    if (!had || json_object_get(root, "format")) return had;
    while ((at = strstr(at, old)) && at[sizeof old - 1] && at[sizeof old - 1] != ' ') at++;
    if (!at) return had;
    at += sizeof old - 1;
    snprintf(text, NI_CELL_SETTINGS, "%.*s-0.75%s", (int)(at - had), had, at);
    return text;
}

static bool take_outcome(const json_t *root, const ni_cell *c, const char *settings, ni_outcome *o)
{
    const ni_aim_info *aim = ni_aim_info_of(c->aim);
    char text[NI_CELL_SETTINGS];
    const char *had = take_settings(root, text);
    uint32_t revision;
    bool ok = json_is_object(root) && had && take_whole(root, "revision", &revision) &&
              revision == ni_cell_revision(c->condition.method) && has_origin(root, c) &&
              ni_cell_settings_agree(c->condition.method, had, settings) &&
              take_real(root, "seconds", &o->seconds) && take_whole(root, "epochs", &o->epochs) &&
              json_object_get(root, aim->value[0]);
    if (!ok) return false;
    take_values(root, aim, o);
    take_real(root, "total", &o->total);
    take_real(root, "limit", &o->limit);
    o->cut = json_is_true(json_object_get(root, "cut"));
    o->late = json_is_true(json_object_get(root, "late"));
    o->unranked = json_is_true(json_object_get(root, "unranked"));
    o->graph_hash = take_hash(root, "graph");
    o->text_hash = take_hash(root, "text");
    o->features_hash = take_hash(root, "features");
    return !is_short(o) || c->limit < 0 || o->limit >= c->limit;
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
    ni_json_whole(&j, "format", 2);
    ni_json_whole(&j, "revision", ni_cell_revision(c->condition.method));
    ni_json_text(&j, "graph", hash);
    hash_text(c->text_hash, hash);
    if (c->reads_text) ni_json_text(&j, "text", hash);
    hash_text(c->features_hash, hash);
    if (c->features_hash) ni_json_text(&j, "features", hash);
    ni_json_text(&j, "settings", settings);
    const ni_aim_info *aim = ni_aim_info_of(c->aim);
    for (size_t i = 0; i < NI_VALUES && aim->value[i]; i++) ni_json_real(&j, aim->value[i], o->value[i]);
    ni_json_real(&j, "seconds", o->seconds);
    ni_json_real(&j, "total", o->total);
    ni_json_whole(&j, "epochs", o->epochs);
    if (o->cut || o->late) ni_json_switch(&j, o->late ? "late" : "cut", true);
    if (o->unranked) ni_json_switch(&j, "unranked", true);
    if (is_short(o)) ni_json_real(&j, "limit", o->limit);
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
