/* Copies between the structs of callers and ours; see sized.h. */
#include "base/sized.h"

#include <string.h>

#include "support/status.h"

static neap_status size_of(const void *theirs, const char *type, size_t *size, neap_error *err)
{
    memcpy(size, theirs, sizeof *size);
    if (*size >= 2 * sizeof *size && *size < 1 << 20) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "%s must begin with its size: use NEAP_SIZED(%s)", type, type);
}

neap_status ni_sized_in(void *mine, size_t bytes, const void *theirs, const char *type, neap_error *err)
{
    size_t size;
    neap_status rc = size_of(theirs, type, &size, err);
    if (rc != NEAP_OK) return rc;
    memset(mine, 0, bytes);
    memcpy(mine, theirs, size < bytes ? size : bytes);
    for (size_t i = bytes; i < size; i++)
        if (((const unsigned char *)theirs)[i])
            return ni_fail(err, NEAP_E_ARG,
                           "%s has a field that is not 0 and that version %s does not have", type,
                           neap_version());
    memcpy(mine, &bytes, sizeof bytes);
    return NEAP_OK;
}

neap_status ni_hooks_in(neap_hooks *mine, const neap_hooks **hooks, neap_error *err)
{
    if (!*hooks) return NEAP_OK;
    neap_status rc = ni_sized_in(mine, sizeof *mine, *hooks, "neap_hooks", err);
    *hooks = mine;
    return rc;
}

neap_status ni_sized_look(const void *theirs, const char *type, neap_error *err)
{
    size_t size;
    return size_of(theirs, type, &size, err);
}

neap_status ni_sized_out(const void *mine, size_t bytes, void *theirs, const char *type, neap_error *err)
{
    size_t size;
    neap_status rc = size_of(theirs, type, &size, err);
    if (rc != NEAP_OK) return rc;
    size = size < bytes ? size : bytes;
    memcpy((char *)theirs + sizeof size, (const char *)mine + sizeof size, size - sizeof size);
    memcpy(theirs, &size, sizeof size);
    return NEAP_OK;
}
