#include "paper/cells.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/folder.h"
#include "io/output.h"
#include "io/stream.h"
#include "support/text.h"

enum { SETTINGS = 2048, FILE_MOST = 16384 };

void ni_cell_name(const ni_cell *c, char name[NI_CELL_NAME])
{
    char ratio[32], size[16] = "";
    ni_format_double(round(1e6 * c->place.ratio) / 1e4, ratio); /* 55, though 100 * 0.55 is a bit more */
    if (c->place.neighbors) snprintf(size, sizeof size, "-s%u", c->place.neighbors);
    snprintf(name, NI_CELL_NAME, "%s-%s%s%s-%s%s-%s%s-%llu.json", ni_aim_info_of(c->aim)->name,
             c->place.graph->name, *c->protocol ? "-" : "", c->protocol, c->place.method,
             c->place.untrained ? c->place.self ? "-untrained-self" : "-untrained" : "", ratio, size,
             (unsigned long long)c->seed);
}

static neap_status path_of(const char *folder, const ni_cell *c, char path[PATH_MAX], neap_error *err)
{
    char name[NI_CELL_NAME];
    ni_cell_name(c, name);
    return ni_path_join(folder, name, path, err);
}

/* "dim=200 neighbors=100 ...": every option that is part of the result. */
typedef struct words {
    char text[SETTINGS];
    size_t length;
} words;

static void add_word(const char *name, const char *value, void *user)
{
    words *w = user;
    size_t room = sizeof w->text - w->length;
    int n = snprintf(w->text + w->length, room, "%s%s=%s", w->length ? " " : "", name, value);
    if (n > 0) w->length += (size_t)n < room ? (size_t)n : room - 1;
}

static void settings_of(const ni_cell *c, words *w)
{
    w->length = 0;
    w->text[0] = 0;
    if (c->learns) ni_options_saved(&c->options, add_word, w);
}

/* ---- reading ---- */

static neap_status read_text(const char *path, char *text, size_t room, size_t *length, bool *found,
                             neap_error *err)
{
    ni_stream_in *in;
    neap_error trouble = { 0 };
    neap_status rc = ni_stream_open(path, &in, &trouble);
    if (rc == NEAP_OK) rc = ni_stream_read(in, text, room, length, &trouble);
    ni_stream_close(in);
    *found = rc == NEAP_OK && *length < room;
    bool absent = rc == NEAP_E_READ && trouble.sys == ENOENT;
    if (absent || rc == NEAP_E_FORMAT) return NEAP_OK; /* the latter looks packed, and is damaged */
    if (rc != NEAP_OK && err) *err = trouble;
    return rc;
}

/* A number, or NaN for null; false for anything else. */
static bool take_real(const json_t *object, const char *key, double *value)
{
    const json_t *item = json_object_get(object, key);
    *value = json_is_number(item) ? json_number_value(item) : NAN;
    return json_is_number(item) || json_is_null(item);
}

static bool says(const json_t *object, const char *key, const char *text)
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
    return !c->graph_hash || says(root, "graph", hash);
}

static bool take_outcome(const json_t *root, const ni_cell *c, ni_outcome *o)
{
    words settings;
    double epochs;
    settings_of(c, &settings);
    bool ok = json_is_object(root) && says(root, "neap", neap_version()) && is_of_graph(root, c) &&
              says(root, "settings", settings.text) && take_real(root, "seconds", &o->seconds) &&
              take_real(root, "epochs", &epochs) && epochs >= 0 && epochs <= UINT32_MAX;
    const ni_aim_info *aim = ni_aim_info_of(c->aim);
    for (size_t i = 0; i < NI_VALUES && ok; i++) {
        o->value[i] = NAN;
        if (aim->value[i]) ok = take_real(root, aim->value[i], &o->value[i]);
    }
    if (ok) o->epochs = (uint32_t)epochs;
    return ok;
}

neap_status ni_cell_load(const char *folder, const ni_cell *c, ni_outcome *o, bool *found, neap_error *err)
{
    char path[PATH_MAX], text[FILE_MOST];
    size_t length = 0;
    *found = false;
    neap_status rc = path_of(folder, c, path, err);
    if (rc == NEAP_OK) rc = read_text(path, text, sizeof text, &length, found, err);
    if (rc != NEAP_OK || !*found) return rc;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    *found = take_outcome(root, c, o);
    json_decref(root);
    return NEAP_OK;
}

/* ---- writing ---- */

static void write_real(ni_output *out, const char *key, double value)
{
    char text[32] = "null";
    if (isfinite(value)) ni_format_double(value, text);
    ni_output_print(out, ",\n  \"%s\": %s", key, text);
}

neap_status ni_cell_save(const char *folder, const ni_cell *c, const ni_outcome *o, neap_error *err)
{
    char path[PATH_MAX], hash[24];
    words settings;
    ni_output *out;
    neap_status rc = path_of(folder, c, path, err);
    if (rc == NEAP_OK) rc = ni_output_open(path, &out, err);
    if (rc != NEAP_OK) return rc;
    settings_of(c, &settings);
    hash_text(c->graph_hash, hash);
    ni_output_print(out, "{\n  \"neap\": \"%s\",\n  \"graph\": \"%s\",\n  \"settings\": \"%s\"",
                    neap_version(), hash, settings.text);
    const ni_aim_info *aim = ni_aim_info_of(c->aim);
    for (size_t i = 0; i < NI_VALUES && aim->value[i]; i++) write_real(out, aim->value[i], o->value[i]);
    write_real(out, "seconds", o->seconds);
    write_real(out, "epochs", o->epochs);
    ni_output_text(out, "\n}\n");
    return ni_output_commit(out, err);
}
