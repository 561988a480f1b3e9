/* sized.h - structs of the public header that begin with their size, in and out.
 *
 * A caller that was compiled with another version of the header has a shorter or longer struct. Coming in,
 * what it lacks is 0, and what this version lacks must be 0. Going out, it gets what it has room for. */
#ifndef NI_SIZED_H
#define NI_SIZED_H

#include <stdbool.h>
#include <stddef.h>

#include "neap.h"

/* mine (bytes long) from theirs; NEAP_E_ARG with the name of the type if its size makes no sense or a
 * field that this version does not have is not 0. */
neap_status ni_sized_in(void *mine, size_t bytes, const void *theirs, const char *type, neap_error *err);

/* Hooks inside of a struct: *hooks becomes mine, read from what it was; NULL stays NULL. */
neap_status ni_hooks_in(neap_hooks *mine, const neap_hooks **hooks, neap_error *err);

/* The status that ni_sized_out will return for it, to be checked before a long computation. */
neap_status ni_sized_look(const void *theirs, const char *type, neap_error *err);

/* theirs from mine, whose own size field is not looked at. Afterwards their size is the number of bytes
 * that were filled. */
neap_status ni_sized_out(const void *mine, size_t bytes, void *theirs, const char *type, neap_error *err);

/* ---- progress and stop ----
 *
 * Calls the progress of a long call, and reads whether to stop: at most ten times per second, on the thread
 * that made the call. */
typedef struct ni_watch {
    const neap_hooks *hooks; /* NULL: no progress */
    const char *stage;
    double since, looked;
} ni_watch;

/* hooks may be NULL, or without a progress. */
ni_watch ni_watch_begin(const neap_hooks *hooks, const char *stage);

/* False: the caller requested a stop. total is 0 where it is unknown. */
bool ni_watch_look(ni_watch *watch, uint64_t done, uint64_t total);

/* NEAP_E_STOPPED with a text. */
neap_status ni_watch_stopped(const ni_watch *watch, neap_error *err);

#endif
