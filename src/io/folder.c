/* A folder that exists or is made; its parent must exist. */
#include <errno.h>
#include <stdbool.h>

#include "base/sys.h"
#include "support/status.h"

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

neap_status neap_folder_create(const char *path, neap_error *err)
{
    if (!path) return ni_fail(err, NEAP_E_ARG, "neap_folder_create needs a path");
    if (!ni_system.mkdir(path, 0777)) return NEAP_OK;
    int sys = errno;
    if (sys == EEXIST && is_folder(path)) return NEAP_OK;
    if (sys == EEXIST)
        return ni_fail_sys(err, NEAP_E_IO, 0, "%.200s is a file, not a folder; name another", path);
    return ni_fail_sys(err, NEAP_E_IO, sys, "cannot make the folder %.200s%s", path,
                       sys == ENOENT ? "; make the one that it is to be in first" : "");
}
