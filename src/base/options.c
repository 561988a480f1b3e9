/* Options: declared in sets, kept as text, read by offset into the structs of their sets. Reading is
 * O(options x values given). neap_options belongs to the caller; ni_settings is immutable and shared by
 * count. */
#include "base/options.h"

#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"
#include "support/text.h"

static const char *const presets[] = { "neap", "paper", "authors" };
enum { PRESETS = sizeof presets / sizeof *presets };

/* ---- values from and to text ---- */

/* "512", "4G", "1.5T", "4GiB": powers of 1024. */
static bool parse_bytes(const char *text, uint64_t *bytes)
{
    size_t n = strlen(text);
    double unit = 1, value;
    const char *letters = "KMGT";
    if (n && (text[n - 1] == 'B' || text[n - 1] == 'b')) n--;
    if (n && text[n - 1] == 'i') n--;
    const char *letter = n ? strchr(letters, text[n - 1] & ~0x20) : NULL;
    if (letter && *letter) {
        for (const char *c = letters; c <= letter; c++) unit *= 1024;
        n--;
    }
    if (!ni_parse_double(text, n, &value) || value < 0 || value * unit >= 0x1p64) return false;
    *bytes = (uint64_t)(value * unit);
    return true;
}

static bool parse_switch(const char *text, bool *on)
{
    static const char *const words[][4] = { { "no", "false", "off", "0" }, { "yes", "true", "on", "1" } };
    for (int value = 0; value < 2; value++)
        for (int i = 0; i < 4; i++)
            if (!strcmp(text, words[value][i])) return *on = value == 1, true;
    return false;
}

/* A value that was read and not stored yet. */
typedef union value {
    uint32_t u32;
    uint64_t u64;
    double real;
    bool on;
    const char *text;
} value;

static const size_t widths[] = {
    [NI_OPTION_U32] = sizeof(uint32_t),     [NI_OPTION_U64] = sizeof(uint64_t),
    [NI_OPTION_REAL] = sizeof(double),      [NI_OPTION_SWITCH] = sizeof(bool),
    [NI_OPTION_CHOICE] = sizeof(uint32_t),  [NI_OPTION_BYTES] = sizeof(uint64_t),
    [NI_OPTION_TEXT] = sizeof(const char *)
};

static neap_status check_range(const neap_option_info *o, double number, const char *text, neap_error *err)
{
    char min[32], max[32];
    if (number >= o->min && number <= o->max) return NEAP_OK;
    ni_format_double(o->min, min);
    ni_format_double(o->max, max);
    return ni_fail(err, NEAP_E_ARG, "%s must be between %s and %s, not '%.40s'", o->name, min, max, text);
}

static neap_status read_whole(const ni_option *o, const char *text, value *v, neap_error *err)
{
    uint64_t whole;
    if (!ni_parse_u64(text, strlen(text), &whole))
        return ni_fail(err, NEAP_E_ARG, "%s takes a whole number, not '%.40s'", o->info.name, text);
    if (o->kind == NI_OPTION_U32) v->u32 = (uint32_t)whole;
    else v->u64 = whole;
    return check_range(&o->info, (double)whole, text, err);
}

static neap_status read_value(const ni_option *o, const char *text, value *v, neap_error *err)
{
    int choice;
    switch (o->kind) {
    case NI_OPTION_U32:
    case NI_OPTION_U64: return read_whole(o, text, v, err);
    case NI_OPTION_REAL:
        if (!ni_parse_double(text, strlen(text), &v->real))
            return ni_fail(err, NEAP_E_ARG, "%s takes a number, not '%.40s'", o->info.name, text);
        return check_range(&o->info, v->real, text, err);
    case NI_OPTION_SWITCH:
        if (parse_switch(text, &v->on)) return NEAP_OK;
        return ni_fail(err, NEAP_E_ARG, "%s takes yes or no, not '%.40s'", o->info.name, text);
    case NI_OPTION_CHOICE:
        choice = ni_word_in(o->info.value, '|', text);
        v->u32 = (uint32_t)choice;
        if (choice >= 0) return NEAP_OK;
        return ni_fail(err, NEAP_E_ARG, "%s is one of %s, not '%.40s'", o->info.name, o->info.value, text);
    case NI_OPTION_BYTES:
        if (parse_bytes(text, &v->u64)) return NEAP_OK;
        return ni_fail(err, NEAP_E_ARG, "%s takes a size such as 512M or 4G, not '%.40s'", o->info.name,
                       text);
    case NI_OPTION_TEXT: v->text = text; return NEAP_OK;
    }
    return ni_fail(err, NEAP_E_ARG, "option %s has no kind", o->info.name);
}

neap_status ni_option_read(const ni_option *option, const char *text, void *values, neap_error *err)
{
    value v = { 0 };
    neap_status rc = read_value(option, text, &v, err);
    if (rc == NEAP_OK && values) memcpy((char *)values + option->at, &v, widths[option->kind]);
    return rc;
}

/* Every number fits into the room. */
const char *ni_option_text(const ni_option *option, const void *values, char room[NI_OPTION_ROOM])
{
    const char *choice = option->info.value;
    value v = { 0 };
    memcpy(&v, (const char *)values + option->at, widths[option->kind]);
    switch (option->kind) {
    case NI_OPTION_U32: snprintf(room, NI_OPTION_ROOM, "%u", v.u32); break;
    case NI_OPTION_U64:
    case NI_OPTION_BYTES: snprintf(room, NI_OPTION_ROOM, "%llu", (unsigned long long)v.u64); break;
    case NI_OPTION_REAL: ni_format_double(v.real, room); break;
    case NI_OPTION_SWITCH: snprintf(room, NI_OPTION_ROOM, "%s", v.on ? "yes" : "no"); break;
    case NI_OPTION_CHOICE:
        for (; v.u32; v.u32--) choice = strchr(choice, '|') + 1;
        snprintf(room, NI_OPTION_ROOM, "%.*s", (int)strcspn(choice, "|"), choice);
        break;
    case NI_OPTION_TEXT: return v.text;
    }
    return room;
}

/* ---- given ---- */

neap_status neap_options_create(const char *preset, neap_options **out, neap_error *err)
{
    *out = NULL;
    uint32_t column = 0;
    while (preset && column < PRESETS && strcmp(preset, presets[column])) column++;
    if (column == PRESETS)
        return ni_fail(err, NEAP_E_ARG, "there is no preset '%s'; there are neap, paper and authors",
                       preset);
    neap_options *options = ni_zeros(1, sizeof *options);
    if (!options) return ni_fail_memory(err, "options");
    options->preset = column;
    *out = options;
    return NEAP_OK;
}

void neap_options_free(neap_options *options)
{
    if (!options) return;
    for (size_t i = 0; i < options->count; i++) ni_free(options->given[i].value);
    ni_free(options->given);
    ni_free(options);
}

neap_status neap_options_copy(const neap_options *options, neap_options **out, neap_error *err)
{
    neap_status rc = neap_options_create(presets[options->preset], out, err);
    for (size_t i = 0; i < options->count && rc == NEAP_OK; i++) {
        const ni_given *g = &options->given[i];
        rc = ni_options_give(*out, g->name, g->value, g->suggested, err);
    }
    if (rc == NEAP_OK) return rc;
    neap_options_free(*out);
    *out = NULL;
    return rc;
}

static ni_given *find_given(const neap_options *options, const char *name, bool suggested)
{
    for (size_t i = 0; i < options->count; i++)
        if (options->given[i].suggested == suggested && !strcmp(options->given[i].name, name))
            return &options->given[i];
    return NULL;
}

neap_status ni_options_give(neap_options *options, const char *name, const char *text, bool suggested,
                            neap_error *err)
{
    ni_given *known = find_given(options, name, suggested);
    char *copy = ni_copy(text, strlen(text) + 1, 1);
    if (!copy || !ni_grow(&options->given, &options->room, options->count + 1, sizeof *options->given)) {
        ni_free(copy);
        return ni_fail_memory(err, "options");
    }
    if (known) known = find_given(options, name, suggested); /* it may have moved */
    else {
        known = &options->given[options->count++];
        *known = (ni_given){ .name = name, .suggested = suggested };
    }
    ni_free(known->value);
    known->value = copy;
    return NEAP_OK;
}

/* ---- read ---- */

bool ni_option_is_common(const ni_option *option)
{
    for (size_t i = 0; i < ni_common_set.count; i++)
        if (option == &ni_common_set.option[i]) return true;
    return false;
}

bool ni_option_part_has(const ni_option_part *part, const ni_option *option)
{
    return !part->names || ni_word_in(part->names, ',', option->info.name) >= 0;
}

static const char *own_default(const char *name, const ni_default *d, uint32_t preset)
{
    for (; d && d->name; d++)
        if (!strcmp(d->name, name)) return d->preset[preset];
    return NULL;
}

const char *ni_option_default(const ni_option *option, const ni_option_layout *layout, uint32_t preset)
{
    const char *own = layout ? own_default(option->info.name, layout->defaults, preset) : NULL;
    return own ? own : option->info.presets[preset];
}

const char *ni_options_text(const neap_options *options, const ni_option *option,
                            const ni_option_layout *layout)
{
    const char *name = option->info.name;
    const ni_given *set = find_given(options, name, false), *suggested = find_given(options, name, true);
    const char *own = layout ? own_default(name, layout->defaults, options->preset) : NULL;
    if (set) return set->value;
    return own ? own : suggested ? suggested->value : option->info.presets[options->preset];
}

neap_status ni_common_read(const neap_options *options, ni_common *common, neap_error *err)
{
    neap_status rc = NEAP_OK;
    *common = (ni_common){ 0 };
    for (size_t i = 0; i < ni_common_set.count && rc == NEAP_OK; i++) {
        const ni_option *o = &ni_common_set.option[i];
        rc = ni_option_read(o, ni_options_text(options, o, NULL), common, err);
    }
    return rc;
}

static neap_status read_own(ni_settings *s, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (const ni_option_part *p = s->layout->parts; p && p->set && rc == NEAP_OK; p++)
        for (size_t i = 0; i < p->set->count && rc == NEAP_OK; i++) {
            const ni_option *o = &p->set->option[i];
            const char *text = ni_option_part_has(p, o)
                                   ? ni_options_text(s->options, o, s->layout)
                                   : ni_option_default(o, s->layout, s->options->preset);
            rc = ni_option_read(o, text, (char *)s->own + p->at, err);
        }
    return rc;
}

neap_status ni_settings_create(const neap_options *options, const ni_option_layout *layout,
                               ni_settings **out, neap_error *err)
{
    *out = NULL;
    ni_settings *s = ni_zeros(1, sizeof *s);
    if (!s) return ni_fail_memory(err, "options");
    s->layout = layout;
    s->own = ni_zeros(1, layout->bytes);
    neap_status rc = s->own ? neap_options_copy(options, &s->options, err) : ni_fail_memory(err, "options");
    if (rc == NEAP_OK) rc = ni_common_read(s->options, &s->common, err);
    if (rc == NEAP_OK) rc = read_own(s, err);
    if (rc == NEAP_OK) *out = s;
    else ni_settings_free(s);
    return rc;
}

const ni_settings *ni_settings_share(const ni_settings *settings)
{
    atomic_fetch_add(&((ni_settings *)settings)->sharers, 1);
    return settings;
}

void ni_settings_free(const ni_settings *settings)
{
    ni_settings *s = (ni_settings *)settings;
    if (!s || atomic_fetch_sub(&s->sharers, 1) != 0) return;
    neap_options_free(s->options);
    ni_free(s->own);
    ni_free(s);
}

const void *ni_settings_find(const ni_settings *s, const char *name)
{
    for (const ni_option_part *p = s->layout->parts; p && p->set; p++)
        for (size_t i = 0; i < p->set->count; i++)
            if (!strcmp(p->set->option[i].info.name, name))
                return (const char *)s->own + p->at + p->set->option[i].at;
    return NULL;
}

void ni_settings_saved(const ni_settings *s, void (*visit)(const char *name, const char *value, void *user),
                       void *user)
{
    char room[NI_OPTION_ROOM];
    for (size_t i = 0; i < ni_common_set.count; i++) {
        const ni_option *o = &ni_common_set.option[i];
        if (o->info.saved) visit(o->info.name, ni_option_text(o, &s->common, room), user);
    }
    for (const ni_option_part *p = s->layout->parts; p && p->set; p++)
        for (size_t i = 0; i < p->set->count; i++) {
            const ni_option *o = &p->set->option[i];
            if (o->info.saved && ni_option_part_has(p, o))
                visit(o->info.name, ni_option_text(o, (const char *)s->own + p->at, room), user);
        }
}

/* ---- the common options ---- */

static const ni_option common_options[] = {
    NI_OPTION(ni_common, TEXT, method, "method", "", 0, "model", "NAME", "evidence", "gap", "gap", 0, 0, 1,
              "the system to train; `neap methods` lists them"),
    NI_OPTION(ni_common, SWITCH, undirected, "undirected", "", 0, "model", "", "no", "no", "no", 0, 1, 1,
              "an edge has no direction: train both orders, score their mean (the opposite: --directed)"),
    NI_OPTION(ni_common, SWITCH, self_loops, "self-loops", "", 0, "model", "", "no", "yes", "yes", 0, 1, 1,
              "keep edges from a node to itself"),
    NI_OPTION(ni_common, REAL, test, "test", "", 0, "training", "SHARE", "0", "0", "0", 0, 0.99, 1,
              "hold out this share of the pairs, which the model then never sees, and print their AUC "
              "against non-links"),
    NI_OPTION(ni_common, U64, seed, "seed", "random-state,random_state", 0, "training", "N", "1", "1", "1",
              0, 18446744073709551615.0, 1,
              "start of all random draws: the same seed gives the same model"),
    NI_OPTION(ni_common, CHOICE, format, "format", "", 0, "reading",
              "auto|edges|adjacency|mtx|metis|safetensors", "auto", "auto", "auto", 0, 0, 0,
              "what the graph file is; auto: by its ending, else an edge list"),
    NI_OPTION(ni_common, TEXT, delimiter, "delimiter", "", 0, "reading", "C", "auto", "auto", "auto", 0, 0,
              0,
              "what separates columns: tab, space, comma or any one character; auto: from the first line"),
    NI_OPTION(ni_common, CHOICE, header, "header", "", 0, "reading", "auto|yes|no", "auto", "auto", "auto",
              0, 0, 0, "whether the first line of an edge list holds column names"),
    NI_OPTION(ni_common, TEXT, columns, "columns", "", 0, "reading", "S,T[,W]", "auto", "auto", "auto", 0,
              0, 0,
              "columns of source, target and weight in an edge list, by number or by the words of its "
              "header: 2,1 or buyer,item,price; two: no weights; auto: by the header, else 1,2,3"),
    NI_OPTION(ni_common, CHOICE, weights, "weights", "", 0, "reading", "auto|ignore", "auto", "auto",
              "auto", 0, 0, 0, "use a third column as weight where there is one, or ignore it"),
    NI_OPTION(ni_common, U32, threads, "threads", "workers,num-threads,jobs", 't', "running", "N", "0", "0",
              "0", 0, 1024, 0, "0: all cores; the result does not depend on it"),
    NI_OPTION(ni_common, BYTES, memory, "memory", "", 0, "running", "SIZE", "0", "0", "0", 0,
              18446744073709551615.0, 0, "refuse a run that would need more, for instance 4G; 0: no limit"),
};

const ni_option_set ni_common_set = NI_OPTION_SET(common_options);
