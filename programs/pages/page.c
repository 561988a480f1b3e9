/* A page in memory. It grows by doubling, with the C library's allocator: n bytes cost O(n). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages/pages.h"
#include "support/status.h"

/* Room for so many bytes more and the NUL behind them. */
static bool reserve(ni_page *page, size_t count)
{
    if (page->failed) return false;
    if (count < page->room - page->length) return true;
    size_t need = page->length + count + 1, room = page->room < 4096 ? 4096 : 2 * page->room;
    if (room < need) room = need;
    char *bytes = need > count ? realloc(page->bytes, room) : NULL;
    page->failed = !bytes;
    if (page->failed) return false;
    page->bytes = bytes;
    page->room = room;
    return true;
}

void ni_page_write(ni_page *page, const void *bytes, size_t count)
{
    if (!reserve(page, count)) return;
    memcpy(page->bytes + page->length, bytes, count);
    page->bytes[page->length += count] = 0;
}

void ni_page_text(ni_page *page, const char *text)
{
    ni_page_write(page, text, strlen(text));
}

void ni_page_print(ni_page *page, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0) page->failed = true;
    else if (reserve(page, (size_t)n)) {
        vsnprintf(page->bytes + page->length, (size_t)n + 1, format, again);
        page->length += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

static void write_to_page(void *to, const void *bytes, size_t count)
{
    ni_page_write(to, bytes, count);
}

ni_sink ni_page_sink(ni_page *page)
{
    return (ni_sink){ write_to_page, page };
}

neap_status ni_page_save(ni_page *page, const char *path, neap_error *err)
{
    neap_status rc = page->failed ? ni_fail_memory(err, "a page")
                                  : neap_file_replace(path, page->bytes, page->length, err);
    ni_page_free(page);
    return rc;
}

void ni_page_free(ni_page *page)
{
    free(page->bytes);
    *page = (ni_page){ 0 };
}
