#include "base/options.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "support/text.h"

typedef enum kind { U32, U64, REAL, SWITCH, CHOICE, BYTES, TEXT } kind;

/* What the public table does not say: where the value is and how it is read. */
static const struct slot {
    kind kind;
    size_t at;
} slots[] = {
#define OPTION(kind, field, ...) { kind, offsetof(neap_options, field) },
#include "base/options.def"
#undef OPTION
};

static const neap_option_info table[] = {
#define OPTION(kind, field, name, aliases, letter, group, value, neap, paper, authors, min, max, saved,    \
               help)                                                                                       \
    { name, aliases, letter, group, value, help, min, max, { neap, paper, authors }, saved },
#include "base/options.def"
#undef OPTION
};

enum { COUNT = NI_OPTIONS };

static const char *const presets[] = { "neap", "paper", "authors" };

size_t neap_option_count(void)
{
    return COUNT;
}

const neap_option_info *neap_option_at(size_t i)
{
    return i < COUNT ? &table[i] : NULL;
}

static int find_option(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (ni_word_in(table[i].name, ',', name) == 0 || ni_word_in(table[i].aliases, ',', name) >= 0)
            return i;
    return -1;
}

static neap_status unknown(const char *name, neap_error *err)
{
    unsigned best = 4;
    const char *nearest = NULL;
    for (int i = 0; i < COUNT; i++) {
        unsigned distance = ni_distance(name, table[i].name, best);
        if (distance < best) best = distance, nearest = table[i].name;
    }
    if (nearest)
        return ni_fail(err, NEAP_E_ARG, "there is no option '%s'; did you mean '%s'?", name, nearest);
    return ni_fail(err, NEAP_E_ARG, "there is no option '%s'", name);
}

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
    static const char *const yes[] = { "yes", "true", "on", "1" }, *const no[] = { "no", "false", "off",
                                                                                   "0" };
    for (int i = 0; i < 4; i++) {
        if (!strcmp(text, yes[i])) return *on = true, true;
        if (!strcmp(text, no[i])) return *on = false, true;
    }
    return false;
}

static neap_status out_of_range(const neap_option_info *o, const char *value, neap_error *err)
{
    char min[32], max[32];
    ni_format_double(o->min, min);
    ni_format_double(o->max, max);
    return ni_fail(err, NEAP_E_ARG, "%s must be between %s and %s, not '%s'", o->name, min, max, value);
}

static neap_status set(neap_options *options, int i, const char *value, neap_error *err)
{
    const neap_option_info *o = &table[i];
    void *at = (char *)options + slots[i].at;
    uint64_t whole;
    double real;
    int choice;
    switch (slots[i].kind) {
    case U32:
    case U64:
        if (!ni_parse_u64(value, strlen(value), &whole))
            return ni_fail(err, NEAP_E_ARG, "%s takes a whole number, not '%s'", o->name, value);
        if ((double)whole < o->min || (double)whole > o->max) return out_of_range(o, value, err);
        if (slots[i].kind == U32) *(uint32_t *)at = (uint32_t)whole;
        else *(uint64_t *)at = whole;
        return NEAP_OK;
    case REAL:
        if (!ni_parse_double(value, strlen(value), &real))
            return ni_fail(err, NEAP_E_ARG, "%s takes a number, not '%s'", o->name, value);
        if (real < o->min || real > o->max) return out_of_range(o, value, err);
        *(double *)at = real;
        return NEAP_OK;
    case SWITCH:
        if (!parse_switch(value, at))
            return ni_fail(err, NEAP_E_ARG, "%s takes yes or no, not '%s'", o->name, value);
        return NEAP_OK;
    case CHOICE:
        choice = ni_word_in(o->value, '|', value);
        if (choice < 0)
            return ni_fail(err, NEAP_E_ARG, "%s is one of %s, not '%s'", o->name, o->value, value);
        *(uint32_t *)at = (uint32_t)choice;
        return NEAP_OK;
    case BYTES:
        if (!parse_bytes(value, at))
            return ni_fail(err, NEAP_E_ARG, "%s takes a size such as 512M or 4G, not '%s'", o->name, value);
        return NEAP_OK;
    case TEXT:
        if (strlen(value) >= sizeof(ni_type_TEXT))
            return ni_fail(err, NEAP_E_ARG, "%s is too long: '%.40s'", o->name, value);
        memset(at, 0, sizeof(ni_type_TEXT));
        memcpy(at, value, strlen(value));
        return NEAP_OK;
    }
    return ni_fail(err, NEAP_E_ARG, "option %s has no kind", o->name);
}

/* The value as text; 24 bytes of a TEXT and every number fit into 32. */
static void get(const neap_options *options, int i, char text[32])
{
    const void *at = (const char *)options + slots[i].at;
    const char *choice = table[i].value;
    switch (slots[i].kind) {
    case U32: snprintf(text, 32, "%u", *(const uint32_t *)at); break;
    case U64:
    case BYTES: snprintf(text, 32, "%llu", (unsigned long long)*(const uint64_t *)at); break;
    case REAL: ni_format_double(*(const double *)at, text); break;
    case SWITCH: snprintf(text, 32, "%s", *(const bool *)at ? "yes" : "no"); break;
    case CHOICE:
        for (uint32_t n = *(const uint32_t *)at; n; n--) choice = strchr(choice, '|') + 1;
        snprintf(text, 32, "%.*s", (int)strcspn(choice, "|"), choice);
        break;
    case TEXT: snprintf(text, 32, "%s", (const char *)at); break;
    }
}

neap_status neap_options_create(const char *preset, neap_options **out, neap_error *err)
{
    *out = NULL;
    int column = 0;
    while (preset && column < 3 && strcmp(preset, presets[column])) column++;
    if (column == 3)
        return ni_fail(err, NEAP_E_ARG, "there is no preset '%s'; there are neap, paper and authors",
                       preset);
    neap_options *options = ni_zeros(1, sizeof *options);
    if (!options) return ni_fail_memory(err, "options");
    options->preset = (uint8_t)column;
    neap_status rc = NEAP_OK;
    for (int i = 0; i < COUNT && rc == NEAP_OK; i++) rc = set(options, i, table[i].presets[column], err);
    if (rc == NEAP_OK) *out = options;
    else ni_free(options);
    return rc;
}

void neap_options_free(neap_options *options)
{
    ni_free(options);
}

/* Another method has other defaults. */
static void unsettle(neap_options *options)
{
    for (int i = 0; i < COUNT && options->settled; i++)
        if (!options->given[i]) set(options, i, table[i].presets[options->preset], NULL);
    options->settled = false;
}

neap_status neap_options_suggest(neap_options *options, const char *name, const char *value,
                                 neap_error *err)
{
    int i = find_option(name);
    if (i < 0) return unknown(name, err);
    return options->given[i] ? NEAP_OK : set(options, i, value, err);
}

neap_status neap_options_set(neap_options *options, const char *name, const char *value, neap_error *err)
{
    int i = find_option(name);
    if (i < 0) return unknown(name, err);
    neap_status rc = set(options, i, value, err);
    if (rc != NEAP_OK) return rc;
    options->given[i] = true;
    if (i == NI_OPTION_method) unsettle(options);
    return NEAP_OK;
}

void ni_options_settle(neap_options *options, const ni_default *defaults)
{
    for (const ni_default *d = defaults; d && d->name && !options->settled; d++) {
        int i = find_option(d->name);
        if (i >= 0 && !options->given[i]) set(options, i, d->preset[options->preset], NULL);
    }
    options->settled = true;
}

neap_status neap_options_get(const neap_options *options, const char *name, char *text, size_t room,
                             neap_error *err)
{
    char value[32];
    int i = find_option(name);
    if (i < 0) return unknown(name, err);
    get(options, i, value);
    if (strlen(value) >= room) return ni_fail(err, NEAP_E_ARG, "no room for the value of %s", name);
    memcpy(text, value, strlen(value) + 1);
    return NEAP_OK;
}

void ni_options_saved(const neap_options *options,
                      void (*visit)(const char *name, const char *value, void *user), void *user)
{
    char value[32];
    for (int i = 0; i < COUNT; i++) {
        if (!table[i].saved) continue;
        get(options, i, value);
        visit(table[i].name, value, user);
    }
}
