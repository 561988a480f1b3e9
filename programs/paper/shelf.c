#include "paper/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "base/sys.h"
#include "support/text.h"

static const char ending[] = ".json";

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Names that no cell can have are passed over. */
static neap_status read_names(DIR *dir, ni_shelf *shelf, neap_error *err)
{
    size_t room = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        size_t length = strlen(e->d_name);
        if (length >= NI_CELL_NAME || !ni_ends(e->d_name, length, ending)) continue;
        if (!ni_grow(&shelf->name, &room, shelf->count + 1, sizeof *shelf->name))
            return ni_fail_memory(err, "the names of the cells");
        memcpy(shelf->name[shelf->count++], e->d_name, length + 1);
    }
    return NEAP_OK;
}

/* Opened and closed through the seam; the stream in between has a descriptor of its own. */
neap_status ni_shelf_read(const char *folder, ni_shelf *shelf, neap_error *err)
{
    *shelf = (ni_shelf){ NULL, 0 };
    int fd = ni_system.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0 && errno == ENOENT) return NEAP_OK;
    if (fd < 0) return ni_fail_sys(err, NEAP_E_READ, errno, "cannot read the folder %s", folder);
    int copy = dup(fd);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    neap_status rc = dir ? read_names(dir, shelf, err)
                         : ni_fail_sys(err, NEAP_E_READ, errno, "cannot read the folder %s", folder);
    if (dir) closedir(dir);
    else if (copy >= 0) close(copy);
    ni_system.close(fd);
    if (rc != NEAP_OK) ni_shelf_free(shelf);
    if (shelf->count) qsort(shelf->name, shelf->count, sizeof *shelf->name, by_name);
    return rc;
}

void ni_shelf_free(ni_shelf *shelf)
{
    ni_free(shelf->name);
    *shelf = (ni_shelf){ NULL, 0 };
}

bool ni_shelf_has(const ni_shelf *shelf, const ni_cell *cell)
{
    char name[NI_CELL_NAME];
    ni_cell_name(cell, name);
    return shelf->count && bsearch(name, shelf->name, shelf->count, sizeof *shelf->name, by_name);
}

bool ni_shelf_seed(const ni_shelf *shelf, size_t i, uint64_t *seed)
{
    const char *mark = strrchr(shelf->name[i], '-');
    return mark && ni_parse_u64(mark + 1, strlen(mark + 1) - (sizeof ending - 1), seed);
}
