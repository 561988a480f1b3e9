/* The methods of methods.def. */
#include "model/method.h"

#include <string.h>

#include "support/status.h"
#include "support/text.h"

#define METHOD(file, name) extern const ni_method ni_method_##name;
#include "methods/methods.def"
#undef METHOD

static const ni_method *const methods[] = {
#define METHOD(file, name) &ni_method_##name,
#include "methods/methods.def"
#undef METHOD
};

enum { COUNT = sizeof methods / sizeof *methods };

const ni_method *ni_method_at(size_t i)
{
    return i < COUNT ? methods[i] : NULL;
}

const ni_method *ni_method_find(const char *name, neap_error *err)
{
    const ni_method *nearest = methods[0];
    for (int i = 0; i < COUNT; i++) {
        if (!strcmp(methods[i]->info.name, name)) return methods[i];
        if (ni_distance(name, methods[i]->info.name, 99) < ni_distance(name, nearest->info.name, 99))
            nearest = methods[i];
    }
    ni_fail(err, NEAP_E_ARG,
            "there is no method '%.40s'; the nearest is '%s', and `neap methods` lists all", name,
            nearest->info.name);
    return NULL;
}

size_t neap_method_count(void)
{
    return COUNT;
}

const neap_method_info *neap_method_at(size_t i)
{
    return i < COUNT ? &methods[i]->info : NULL;
}

const neap_method_info *neap_method_find(const char *name)
{
    for (int i = 0; name && i < COUNT; i++)
        if (!strcmp(methods[i]->info.name, name)) return &methods[i]->info;
    return NULL;
}
