/* Statuses as words, and errors filled by one line each. */
#include "support/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT(x) #x
#define NUMBERS(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *neap_version(void)
{
    return NUMBERS(NEAP_VERSION_MAJOR, NEAP_VERSION_MINOR, NEAP_VERSION_PATCH);
}

const char *neap_status_name(neap_status status)
{
    switch (status) {
    case NEAP_OK: return "NEAP_OK";
    case NEAP_E_ARG: return "NEAP_E_ARG";
    case NEAP_E_MEM: return "NEAP_E_MEM";
    case NEAP_E_IO: return "NEAP_E_IO";
    case NEAP_E_FORMAT: return "NEAP_E_FORMAT";
    case NEAP_E_LIMIT: return "NEAP_E_LIMIT";
    case NEAP_E_STOPPED: return "NEAP_E_STOPPED";
    case NEAP_E_READ: return "NEAP_E_READ";
    case NEAP_E_NUMERIC: return "NEAP_E_NUMERIC";
    case NEAP_E_MISMATCH: return "NEAP_E_MISMATCH";
    case NEAP_E_UNKNOWN: return "NEAP_E_UNKNOWN";
    case NEAP_E_LEAK: return "NEAP_E_LEAK";
    }
    return "unknown";
}

static void fill(neap_error *err, neap_status code, int sys, uint64_t where, const char *format,
                 va_list args)
{
    err->code = code;
    err->sys = sys;
    err->where = where;
    int n = vsnprintf(err->text, sizeof err->text, format, args);
    size_t used = n < 0 ? 0 : (size_t)n;
    if (sys && used + 3 < sizeof err->text) {
        char words[128];
        if (strerror_r(sys, words, sizeof words) != 0) snprintf(words, sizeof words, "error %d", sys);
        snprintf(err->text + used, sizeof err->text - used, ": %s", words);
    }
}

neap_status ni_fail(neap_error *err, neap_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (err) fill(err, code, 0, 0, format, args);
    va_end(args);
    return code;
}

neap_status ni_fail_at(neap_error *err, neap_status code, uint64_t where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (err) fill(err, code, 0, where, format, args);
    va_end(args);
    return code;
}

neap_status ni_fail_sys(neap_error *err, neap_status code, int sys, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (err) fill(err, code, sys, 0, format, args);
    va_end(args);
    return code;
}

neap_status ni_fail_memory(neap_error *err, const char *what)
{
    return ni_fail(err, NEAP_E_MEM, "out of memory for %s", what);
}
