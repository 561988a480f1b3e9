/* settings.h - how each system is set in the paper's tables: lines of settings.def. */
#ifndef NI_PAPER_SETTINGS_H
#define NI_PAPER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "neap.h"

/* A line of settings.def. */
typedef struct ni_system_settings {
    const char *method, *protocols;
    const char *options; /* "name=value ..." */
} ni_system_settings;

/* NULL behind the last. */
const ni_system_settings *ni_tuned_at(size_t i);

/* That of a method in a protocol; NULL if it has none. */
const ni_system_settings *ni_tuned_find(const char *method, const char *protocol);

/* Sets its options, but for those whose names are in `given` (NULL behind the last, or NULL). */
neap_status ni_tuned_apply(const char *method, const char *protocol, const char *const *given,
                           neap_options *options, neap_error *err);

#endif
