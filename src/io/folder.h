/* folder.h - folders of results, and the paths of what is in them. */
#ifndef NI_FOLDER_H
#define NI_FOLDER_H

#include <limits.h>

#include "base/status.h"

/* FOLDER/NAME; NEAP_E_ARG if that is too long for a path. */
neap_status ni_path_join(const char *folder, const char *name, char path[PATH_MAX], neap_error *err);

/* Makes a folder; one that is there already is as good. NEAP_E_IO with errno. */
neap_status ni_folder_make(const char *path, neap_error *err);

#endif
