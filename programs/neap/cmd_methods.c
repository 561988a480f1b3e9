#include <string.h>

#include "common.h"
#include "help.h"
#include "json.h"

static const char *method_name(const void *from, size_t i)
{
    (void)from;
    return i < neap_method_count() ? neap_method_at(i)->name : NULL;
}

/* The defaults of an option in the three presets, as the method has them. */
static void defaults_of(const neap_method_info *m, const char *option, char text[3][SHORT])
{
    static const char *const presets[] = { "neap", "paper", "authors" };
    for (int i = 0; i < 3; i++) {
        neap_options *set = NULL;
        text[i][0] = 0;
        if (!neap_options_create(presets[i], &set, NULL) &&
            !neap_options_set(set, "method", m->name, NULL) && !neap_options_settle(set, NULL))
            neap_options_get(set, option, text[i], SHORT, NULL);
        neap_options_free(set);
    }
}

/* The options that the method reads, as `neap train --help` shows them, with its own defaults. */
static void print_options(const neap_method_info *m)
{
    char text[3][SHORT];
    if (*m->options) puts("\nOptions:");
    for (size_t i = 0; i < neap_option_count(); i++) {
        const neap_option_info *o = neap_option_at(i);
        if (!list_has(m->options, ',', o->name, strlen(o->name))) continue;
        defaults_of(m, o->name, text);
        print_flag(&(arg_flag){ .name = o->name,
                                .aliases = o->aliases,
                                .group = o->group,
                                .value = o->value,
                                .help = o->help,
                                .letter = o->letter,
                                .presets = { text[0], text[1], text[2] } });
    }
}

static void print_method(const neap_method_info *m)
{
    printf("%s: %s\n\n%s\n", m->name, m->summary, m->details);
    print_options(m);
}

static void print_json_options(json *j, const neap_method_info *m)
{
    char text[3][SHORT];
    json_open(j, "options", '[');
    for (size_t i = 0; i < neap_option_count(); i++) {
        const neap_option_info *o = neap_option_at(i);
        if (!list_has(m->options, ',', o->name, strlen(o->name))) continue;
        defaults_of(m, o->name, text);
        json_open(j, NULL, '{');
        json_text(j, "name", o->name);
        json_text(j, "neap", text[0]);
        json_text(j, "paper", text[1]);
        json_text(j, "authors", text[2]);
        json_close(j, '}');
    }
    json_close(j, ']');
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
        json_switch(&j, "vectors", m->vectors);
        print_json_options(&j, m);
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
    else if (m) print_method(m);
    else
        for (size_t i = 0; i < neap_method_count(); i++)
            printf("%-15s%s\n", neap_method_at(i)->name, neap_method_at(i)->summary);
    return NEAP_OK;
}

const command cmd_methods = {
    .name = "methods",
    .operands = "[NAME]",
    .summary = "list the systems that can be trained, or explain one",
    .details =
        "Lists the values of `neap train --method`, or explains one of them: its idea, what an epoch is, "
        "and the options it reads with their defaults.\n",
    .examples = "neap methods\nneap methods deepwalk\n",
    .most = 1,
    .library = "",
    .run = run,
};
