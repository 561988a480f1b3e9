/* output.h - output that replaces a file whole or not at all; neap writes no file otherwise.
 *
 * A path that does not exist or is a regular file: everything goes to a temporary file beside it (mode
 * 0600 while it is written, then the old file's mode or 0666 less umask), which is fsynced, closed and
 * renamed over it, and the folder is fsynced. A path that exists and is something else (pipe, terminal,
 * device; "-" is standard output) is written in place. A symbolic link keeps being a link: the file it
 * points at is replaced.                                                                             */
#ifndef NI_OUTPUT_H
#define NI_OUTPUT_H

#include <stddef.h>

#include "support/status.h"
#include "support/text.h"

typedef struct ni_output ni_output;

neap_status ni_output_open(const char *path, ni_output **out, neap_error *err);

/* Buffered. After a failure the output remembers it: later calls do nothing and ni_output_commit
 * returns it, so that a long writer may check once at the end. */
void ni_output_write(ni_output *out, const void *bytes, size_t count);
void ni_output_text(ni_output *out, const char *text);
void ni_output_print(ni_output *out, const char *format, ...) NI_PRINTF(2, 3);

/* The same for what writes to any sink: names, JSON. */
ni_sink ni_output_sink(ni_output *out);

/* Of two files that belong together: all of this one is on the disk, or fails, while it is not in its place
 * yet. Nothing may be written any more; ni_output_commit or ni_output_abandon follows. */
neap_status ni_output_settle(ni_output *out, neap_error *err);

/* Puts the file in its place. Consumes the output in any case; on failure (NEAP_E_IO with errno) the old
 * file is intact and the temporary one gone. One exception: if the very last step fails, the fsync of the
 * folder, the new file stands there whole, but may be the old one again after a power cut. */
neap_status ni_output_commit(ni_output *out, neap_error *err);

/* Gives up: removes the temporary file. Accepts NULL. */
void ni_output_abandon(ni_output *out);

#endif
