/* Paths as text: O(length), no file is touched. */
#include "support/path.h"

#include <stdio.h>
#include <string.h>

neap_status ni_path_join(const char *folder, const char *name, char path[PATH_MAX], neap_error *err)
{
    int n = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    if (n > 0 && n < PATH_MAX) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "the path %.100s is too long", folder);
}

size_t ni_path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

const char *ni_path_name(const char *path)
{
    return path + ni_path_folder(path);
}

bool ni_path_ends(const char *path, size_t length, const char *ending)
{
    size_t n = strlen(ending);
    return length > n && !memcmp(path + length - n, ending, n);
}

size_t ni_path_unpacked(const char *path)
{
    size_t length = strlen(path);
    if (ni_path_ends(path, length, ".gz")) return length - 3;
    return ni_path_ends(path, length, ".zst") ? length - 4 : length;
}
