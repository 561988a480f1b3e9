/* settings.h - how each system is set in the paper's tables: lines of settings.def. */
#ifndef NI_PAPER_SETTINGS_H
#define NI_PAPER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "neap.h"

typedef enum ni_origin {
    NI_FROM_REFERENCE, /* no line: the preset, or the method's own defaults */
    NI_FROM_VALIDATION,
    NI_FROM_LEAKY
} ni_origin;

/* How the settings of a method in a protocol were chosen; *options is "name=value ...", or "". */
ni_origin ni_settings_origin(const char *method, const char *protocol, const char **options);

/* Sets them, but for those whose names are in `given` (NULL behind the last, or NULL). */
neap_status ni_settings_apply(const char *method, const char *protocol, const char *const *given,
                              neap_options *options, neap_error *err);

/* Whether none of them is in `given`. */
bool ni_settings_untouched(const char *method, const char *protocol, const char *const *given);

/* A line of settings.def. */
typedef struct ni_system_settings {
    const char *method, *protocols;
    ni_origin origin;
    const char *options; /* "name=value ..." */
} ni_system_settings;

/* NULL behind the last. */
const ni_system_settings *ni_settings_at(size_t i);

#endif
