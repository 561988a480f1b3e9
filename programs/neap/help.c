/* Commands by name, and their help from the tables. */
#include "args.h"

#include <stdio.h>
#include <string.h>

#include "common.h"

enum { WIDTH = 80, INDENT = 28, NAME = 80 };

const command_group command_groups[] = {
    { "eval", "evaluate methods: held-out links, clusters, classes" },
    { 0 },
};

const command *find_command(const char *name)
{
    for (const command *const *c = commands; *c; c++)
        if (!strcmp((*c)->name, name)) return *c;
    return NULL;
}

const command_group *find_group(const char *name)
{
    for (const command_group *g = command_groups; g->name; g++)
        if (!strcmp(g->name, name)) return g;
    return NULL;
}

const char *word_in_group(const command *c, const command_group *group)
{
    size_t length = strlen(group->name);
    bool inside = !strncmp(c->name, group->name, length) && c->name[length] == ' ';
    return inside ? c->name + length + 1 : NULL;
}

const command *match_command(char *const *words, int count, int *used)
{
    char name[NAME];
    const command_group *g = count > 0 ? find_group(words[0]) : NULL;
    *used = g ? 2 : 1;
    if (count < *used) return NULL;
    if (!g) return find_command(words[0]);
    snprintf(name, sizeof name, "%s %.40s", g->name, words[1]);
    return find_command(name);
}

/* The commands, then the command_groups. */
static const char *command_name(const void *from, size_t i)
{
    (void)from;
    const command *const *c = commands;
    while (*c && i) c++, i--;
    return *c ? (*c)->name : command_groups[i].name;
}

static void list_words(const command_group *group, char *text, size_t room)
{
    size_t used = 0;
    *text = 0;
    for (const command *const *c = commands; *c; c++) {
        const char *word = word_in_group(*c, group);
        if (word && used < room)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", word);
    }
}

neap_status unknown_command(char *const *words, int count, neap_error *err)
{
    char name[NAME], known[NAME];
    const command_group *g = find_group(words[0]);
    if (g && count > 1) {
        list_words(g, known, sizeof known);
        return ni_fail(err, NEAP_E_ARG, "there is no command '%s %.40s'; '%s' is followed by one of: %s",
                       g->name, words[1], g->name, known);
    }
    snprintf(name, sizeof name, "%.40s", words[0]);
    const char *nearest = ni_nearest_name(name, command_name, NULL);
    if (nearest)
        return ni_fail(err, NEAP_E_ARG, "there is no command '%s'; did you mean '%s'?", name, nearest);
    return ni_fail(err, NEAP_E_ARG, "there is no command '%s'; `neap help` lists them", name);
}

/* Prints the words of a line, broken at WIDTH and continued at `indent`; returns what follows. */
static const char *print_wrapped(const char *text, int indent)
{
    int column = indent;
    while (*text && *text != '\n') {
        int n = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + n > WIDTH) column = indent, printf("\n%*s", indent, "");
        else if (column > indent) column++, putchar(' ');
        printf("%.*s", n, text);
        column += n;
        text += n;
        text += strspn(text, " ");
    }
    putchar('\n');
    return text + (*text == '\n');
}

void format_flag(const arg_flag *flag, char *text, size_t room)
{
    char letter[8] = "";
    bool off = !*flag->value && flag->presets[0];
    if (flag->letter) snprintf(letter, sizeof letter, "-%c, ", flag->letter);
    snprintf(text, room, "%s--%s%s%s%s", letter, off ? "[no-]" : "", flag->name, *flag->value ? " " : "",
             flag->value);
}

void format_default(const arg_flag *flag, char *text, size_t room)
{
    const char *neap = flag->presets[0], *paper = flag->presets[1], *authors = flag->presets[2];
    if (!neap) snprintf(text, room, "%s", "");
    else if (!paper || (!strcmp(neap, paper) && !strcmp(neap, authors))) snprintf(text, room, "%s", neap);
    else if (!strcmp(paper, authors)) snprintf(text, room, "%s; paper, authors: %s", neap, paper);
    else if (!strcmp(neap, paper)) snprintf(text, room, "%s; authors: %s", neap, authors);
    else if (!strcmp(neap, authors)) snprintf(text, room, "%s; paper: %s", neap, paper);
    else snprintf(text, room, "%s; paper: %s; authors: %s", neap, paper, authors);
}

const option_group option_groups[] = {
    { "", "Options" },        { "model", "Model" },     { "training", "Training" },
    { "walks", "Walks" },     { "text", "Text" },       { "reading", "Reading" },
    { "running", "Running" }, { "general", "General" }, { 0 },
};

void print_flag(const arg_flag *flag)
{
    char name[128], value[128], text[512];
    format_flag(flag, name, sizeof name);
    format_default(flag, value, sizeof value);
    snprintf(text, sizeof text, "%s%s%s%s", flag->help, *value ? " [" : "", value, *value ? "]" : "");
    int used = printf("  %s%s", flag->letter ? "" : "    ", name);
    if (used >= INDENT - 1) printf("\n%*s", INDENT, "");
    else printf("%*s", INDENT - used, "");
    print_wrapped(text, INDENT);
}

/* Whether it is one of the method's options besides those of all methods; *flag: as it has it. */
static bool find_in_method(const char *method, arg_flag *flag)
{
    arg_flag of;
    for (size_t i = 0; method_flag(method, i, &of); i++)
        if (!strcmp(of.name, flag->name)) return *flag = of, true;
    return false;
}

/* Neither the program's own nor one of all methods. */
static bool is_of_methods(const arg_flag *flag)
{
    arg_flag any = *flag;
    for (size_t i = 0; !flag->own && i < neap_method_count(); i++)
        if (find_in_method(neap_method_at(i)->name, &any)) return true;
    return false;
}

/* Each heading once, though a method's own options follow those that all methods share. */
static void print_flags(const command *c, const option_group *group, const char *method)
{
    bool first = true;
    arg_flag flag;
    for (size_t i = 0; args_flag(c, i, &flag); i++) {
        if (strcmp(flag.group, group->name)) continue;
        if (!find_in_method(method, &flag) && is_of_methods(&flag)) continue;
        if (first) printf("\n%s:\n", group->title);
        first = false;
        print_flag(&flag);
    }
}

static void print_indented(const char *lines)
{
    while (*lines) {
        int n = (int)strcspn(lines, "\n");
        printf("  %.*s\n", n, lines);
        lines += n + (lines[n] != 0);
    }
}

static bool trains(const command *c)
{
    return ni_list_has(c->library, ',', "training");
}

void print_help(const command *c, const char *method)
{
    char text[256];
    printf("usage: neap %s%s%s [options]\n", c->name, *c->operands ? " " : "", c->operands);
    for (const char *at = c->details; *at;) {
        putchar('\n');
        at = print_wrapped(at, 0);
    }
    if (trains(c)) {
        snprintf(text, sizeof text,
                 "Below are the options of method %s; `neap methods NAME` lists those of another.", method);
        putchar('\n');
        print_wrapped(text, 0);
    }
    for (const option_group *g = option_groups; g->name; g++) print_flags(c, g, method);
    printf("\nExamples:\n");
    print_indented(c->examples);
}

static void print_summary(const command *c)
{
    printf("  %-16s%s\n", c->name, c->summary);
}

void print_group(const command_group *group)
{
    printf("usage: neap %s COMMAND ...\n\nTo %s.\n\nCommands:\n", group->name, group->summary);
    for (const command *const *c = commands; *c; c++)
        if (word_in_group(*c, group)) print_summary(*c);
    printf("\n`neap help %s COMMAND` explains one of them.\n", group->name);
}

void print_overview(void)
{
    printf("usage: neap COMMAND ...\n"
           "\n"
           "Context-sensitive node embeddings of graphs: missing links, suggestions,\n"
           "vectors, and explanations by neighbours or by the words of nodes' texts.\n"
           "\n"
           "Commands:\n");
    for (const command *const *c = commands; *c; c++) print_summary(*c);
    printf("\n"
           "`neap help COMMAND` explains one of them, `neap --version` prints the version.\n"
           "\n"
           "A graph is a file of edges, one per line: two names with a tab, blank or comma\n"
           "between. Nodes may have texts: a node, a tab and its text per line.\n"
           "To begin:\n"
           "  neap train friends.txt -o friends.safetensors --test 0.1\n"
           "  neap rank friends.safetensors alice --explain\n"
           "  neap train friends.txt -o about.safetensors --text about.txt\n");
}
