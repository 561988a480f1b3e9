#include "io/folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/sys.h"

neap_status ni_path_join(const char *folder, const char *name, char path[PATH_MAX], neap_error *err)
{
    int n = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    if (n > 0 && n < PATH_MAX) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "the path %.100s is too long", folder);
}

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

neap_status ni_folder_make(const char *path, neap_error *err)
{
    if (!ni_system.mkdir(path, 0777)) return NEAP_OK;
    int sys = errno;
    if (sys == EEXIST && is_folder(path)) return NEAP_OK;
    if (sys == EEXIST)
        return ni_fail_sys(err, NEAP_E_IO, 0, "%.200s is a file, not a folder; name another", path);
    return ni_fail_sys(err, NEAP_E_IO, sys, "cannot make the folder %.200s%s", path,
                       sys == ENOENT ? "; make the one that it is to be in first" : "");
}
