#include "reading.h"

#include <string.h>

#include "support/path.h"
#include "support/status.h"

static const double patience = 1; /* seconds without a word */

static int on_progress(const neap_progress *now, void *user)
{
    reading *r = user;
    if (now->seconds > patience) progress_show(&r->bar, now);
    return 0;
}

const char *input_label(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

const neap_hooks *reading_begin(reading *r, const args *a, const char *path)
{
    const char *mode = args_text(a, "progress");
    progress_start(&r->bar, mode ? mode : "auto", a->quiet);
    progress_name(&r->bar, ni_path_name(input_label(path)));
    r->hooks = (neap_hooks){ .size = sizeof r->hooks, .progress = on_progress, .user = r };
    return &r->hooks;
}

void reading_end(reading *r)
{
    progress_clear(&r->bar);
}

neap_status check_stdin(const input *inputs, size_t count, neap_error *err)
{
    const char *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!inputs[i].path || strcmp(inputs[i].path, "-")) continue;
        if (first)
            return ni_fail(err, NEAP_E_ARG, "%s and %s cannot both be standard input", first,
                           inputs[i].name);
        first = inputs[i].name;
    }
    return NEAP_OK;
}
