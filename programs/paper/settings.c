/* The lines of settings.def, found by method and protocol, and applied option by option. */
#include "paper/settings.h"

#include <string.h>

#include "support/status.h"

enum { WORD = 128 };

static const ni_system_settings lines[] = {
#define SYSTEM(method, protocols, options) { method, protocols, options },
#include "paper/settings.def"
#undef SYSTEM
};

static bool is_in(const char *const *list, const char *name)
{
    for (size_t i = 0; list && list[i]; i++)
        if (!strcmp(list[i], name)) return true;
    return false;
}

const ni_system_settings *ni_tuned_find(const char *method, const char *protocol)
{
    const char *group = strcmp(protocol, "clean") ? "paper" : "clean";
    for (size_t i = 0; i < sizeof lines / sizeof *lines && *protocol; i++)
        if (!strcmp(lines[i].method, method) &&
            (!*lines[i].protocols || !strcmp(lines[i].protocols, group)))
            return &lines[i];
    return NULL;
}

/* The next "name=value" from *at on, into two texts; false behind the last. */
static bool next(const char **at, char name[WORD], const char **value)
{
    *at += strspn(*at, " ");
    size_t size = strcspn(*at, " ");
    if (!size || size >= WORD) return false;
    memcpy(name, *at, size);
    name[size] = 0;
    *at += size;
    char *equals = strchr(name, '=');
    if (!equals) return false;
    *equals = 0;
    *value = equals + 1;
    return true;
}

neap_status ni_tuned_apply(const char *method, const char *protocol, const char *const *given,
                           neap_options *options, neap_error *err)
{
    const ni_system_settings *l = ni_tuned_find(method, protocol);
    const char *at = l ? l->options : "", *value;
    char name[WORD];
    neap_status rc = NEAP_OK;
    while (rc == NEAP_OK && next(&at, name, &value))
        if (!is_in(given, name)) rc = neap_options_set(options, name, value, err);
    return rc;
}

const ni_system_settings *ni_tuned_at(size_t i)
{
    return i < sizeof lines / sizeof *lines ? &lines[i] : NULL;
}
