#include <string.h>

#include "args.h"
#include "common.h"

static const char *method_name(const void *from, size_t i)
{
    (void)from;
    return i < neap_method_count() ? neap_method_at(i)->name : NULL;
}

/* The options of the method, with its own defaults. */
static void print_options(const neap_method_info *m)
{
    arg_flag flag;
    for (size_t i = 0; method_flag(m->name, i, &flag); i++) {
        if (i == 0) puts("\nOptions:");
        print_flag(&flag);
    }
}

static void print_method(const neap_method_info *m)
{
    printf("%s: %s\n\n%s\n", m->name, m->summary, m->details);
    if (m->text)
        printf("\nReads the texts of nodes (--text)%s%s. A new node needs %s.\n",
               m->features ? " or their features (--features)" : "",
               m->text == 2 ? ", where there are some" : "",
               m->new_text ? "a text or links" : "links; it may have a text, too");
    if (m->probability) puts("\nIts score is the log-odds of a link: score and rank print a probability.");
    if (m->explains) puts("\nneap explain says why a pair has its score.");
    print_options(m);
}

/* Whether it needs texts, or does with features in their place, or reads both where there are some. */
static const char *text_word(const neap_method_info *m)
{
    if (m->text == 2) return "if any";
    return m->features ? "or features" : m->text ? "needed" : "-";
}

static const char *yes(int on)
{
    return on ? "yes" : "-";
}

static void print_row(const char *name, const char *text, const char *probability, const char *explains,
                      const char *summary)
{
    printf("%-15s%-13s%-13s%-10s%s\n", name, text, probability, explains, summary);
}

static void print_list(void)
{
    print_row("method", "text", "probability", "explains", "what it is");
    for (size_t i = 0; i < neap_method_count(); i++) {
        const neap_method_info *m = neap_method_at(i);
        print_row(m->name, text_word(m), yes(m->probability), yes(m->explains), m->summary);
    }
}

static void print_json_options(ni_json *j, const neap_method_info *m)
{
    arg_flag o;
    ni_json_open(j, "options", '[');
    for (size_t i = 0; method_flag(m->name, i, &o); i++) {
        ni_json_open(j, NULL, '{');
        ni_json_text(j, "name", o.name);
        ni_json_text(j, "neap", o.presets[0]);
        ni_json_text(j, "paper", o.presets[1]);
        ni_json_text(j, "authors", o.presets[2]);
        ni_json_close(j, '}');
    }
    ni_json_close(j, ']');
}

static void print_json(const neap_method_info *only)
{
    ni_json j = json_to(stdout);
    ni_json_open(&j, NULL, '{');
    ni_json_open(&j, "methods", '[');
    for (size_t i = 0; i < neap_method_count(); i++) {
        const neap_method_info *m = neap_method_at(i);
        if (only && m != only) continue;
        ni_json_open(&j, NULL, '{');
        ni_json_text(&j, "name", m->name);
        ni_json_text(&j, "summary", m->summary);
        ni_json_text(&j, "details", m->details);
        ni_json_switch(&j, "context", m->context);
        ni_json_switch(&j, "vectors", m->vectors);
        ni_json_switch(&j, "text", m->text == 1);
        ni_json_switch(&j, "text_optional", m->text == 2);
        ni_json_switch(&j, "probability", m->probability);
        ni_json_switch(&j, "explains", m->explains);
        ni_json_switch(&j, "new_text", m->new_text);
        ni_json_switch(&j, "features", m->features);
        print_json_options(&j, m);
        ni_json_close(&j, '}');
    }
    ni_json_close(&j, ']');
    ni_json_close(&j, '}');
}

static neap_status run(const args *a, neap_error *err)
{
    const char *name = a->operand_count ? a->operands[0] : NULL;
    const neap_method_info *m = name ? neap_method_find(name) : NULL;
    if (name && !m) {
        const char *near = ni_nearest_name(name, method_name, NULL);
        return ni_fail(err, NEAP_E_ARG, "there is no method '%s'%s%s%s", name,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (a->json) print_json(m);
    else if (m) print_method(m);
    else print_list();
    return NEAP_OK;
}

const command cmd_methods = {
    .name = "methods",
    .operands = "[NAME]",
    .summary = "list the methods, or explain one",
    .details =
        "Lists the values of `neap train --method`: whether a method reads the texts of nodes (--text: "
        "needed, "
        "or features in their place, or both if there are any), whether its scores come with a "
        "probability, "
        "and whether `neap explain` has reasons for them. Or explains one of them: its idea, what an epoch "
        "is, and the options it reads with their defaults.\n",
    .examples = "neap methods\nneap methods cane\n",
    .most = 1,
    .library = "",
    .run = run,
};
