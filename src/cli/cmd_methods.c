#include <string.h>

#include "common.h"
#include "json.h"

static const char *method_name(const void *from, size_t i)
{
    (void)from;
    return i < neap_method_count() ? neap_method_at(i)->name : NULL;
}

static const neap_method_info *find_method(const char *name)
{
    for (size_t i = 0; i < neap_method_count(); i++)
        if (!strcmp(neap_method_at(i)->name, name)) return neap_method_at(i);
    return NULL;
}

static void print_json(const neap_method_info *only)
{
    json j = { .file = stdout };
    json_open(&j, NULL, '{');
    json_open(&j, "methods", '[');
    for (size_t i = 0; i < neap_method_count(); i++) {
        const neap_method_info *m = neap_method_at(i);
        if (only && m != only) continue;
        json_open(&j, NULL, '{');
        json_text(&j, "name", m->name);
        json_text(&j, "summary", m->summary);
        json_text(&j, "details", m->details);
        json_switch(&j, "context", m->context);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

static neap_status run(const args *a, neap_error *err)
{
    const char *name = a->operand_count ? a->operands[0] : NULL;
    const neap_method_info *m = name ? find_method(name) : NULL;
    if (name && !m) {
        const char *near = nearest_name(name, method_name, NULL);
        return fail(err, NEAP_E_ARG, "there is no method '%s'%s%s%s", name, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
    }
    if (a->json) print_json(m);
    else if (m) printf("%s: %s\n\n%s\n", m->name, m->summary, m->details);
    else
        for (size_t i = 0; i < neap_method_count(); i++)
            printf("%-12s%s\n", neap_method_at(i)->name, neap_method_at(i)->summary);
    return NEAP_OK;
}

const command cmd_methods = {
    .name = "methods",
    .operands = "[NAME]",
    .summary = "list the systems that can be trained, or explain one",
    .details = "Lists the values of `neap train --method`, or explains one of them.\n",
    .examples = "neap methods\nneap methods gap\n",
    .most = 1,
    .library = "",
    .run = run,
};
