/* escape.h - names in files in which some bytes separate, there and back. */
#ifndef NI_ESCAPE_H
#define NI_ESCAPE_H

#include <stdbool.h>

#include "io/output.h"

/* Percent, control bytes, bytes that are not UTF-8 and, where a blank separates too, blanks become %XX.
 * urllib.parse.unquote_to_bytes in Python undoes it. */
void ni_escape(ni_output *out, const char *name, bool blanks);

/* The name without its escapes, into `plain`, which has room for `length` bytes; returns how many there
 * are. What is no escape stays as it is, and so does %00, since no name has a NUL. */
size_t ni_unescape(const char *name, size_t length, char *plain);

#endif
