/* status.h - how a function reports a failure: a status for programs, a neap_error for people. */
#ifndef NI_STATUS_H
#define NI_STATUS_H

#include "neap.h"

#if defined(__GNUC__)
#define NI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define NI_PRINTF(text, first)
#endif

/* Each fills *err (if there is one) and returns `code`, so that a failure is one line:
 *     return ni_fail(err, NEAP_E_ARG, "dim must be at least 1");                             */
neap_status ni_fail(neap_error *err, neap_status code, const char *format, ...) NI_PRINTF(3, 4);

/* The same with a line number or byte offset. */
neap_status ni_fail_at(neap_error *err, neap_status code, uint64_t where, const char *format, ...)
    NI_PRINTF(4, 5);

/* The same with an errno, whose words are put behind the text: "model.st: No space left on device". */
neap_status ni_fail_sys(neap_error *err, neap_status code, int sys, const char *format, ...)
    NI_PRINTF(4, 5);

/* What is wrong with a file that a later version wrote. */
#define NI_NEWER "a newer neap made this"

/* NEAP_E_MEM; what: what the memory was for. */
neap_status ni_fail_memory(neap_error *err, const char *what);

#endif
