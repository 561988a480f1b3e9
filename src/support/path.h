/* path.h - paths as text; nothing here looks at a file. */
#ifndef NI_PATH_H
#define NI_PATH_H

#include <limits.h>
#include <stdbool.h>

#include "support/status.h"

/* FOLDER/NAME; NEAP_E_ARG if that is too long for a path. */
neap_status ni_path_join(const char *folder, const char *name, char path[PATH_MAX], neap_error *err);

/* Length of the folder part with its last slash; 0 for a bare name. */
size_t ni_path_folder(const char *path);

/* What follows it: the name of the file. */
const char *ni_path_name(const char *path);

/* The first `length` bytes of a path are more than this ending, and end with it. */
bool ni_path_ends(const char *path, size_t length, const char *ending);

/* Length of a path without the ending .gz or .zst, if it has one. */
size_t ni_path_unpacked(const char *path);

#endif
