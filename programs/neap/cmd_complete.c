#include <string.h>

#include "args.h"
#include "common.h"

/* "a|b|c" as "a b c". */
static void print_choices(const char *value)
{
    for (; *value; value++) putchar(*value == '|' ? ' ' : *value);
}

static void print_commands(void)
{
    for (const command *const *c = commands; *c; c++)
        if (!strchr((*c)->name, ' ')) printf("%s ", (*c)->name);
    for (const command_group *g = command_groups; g->name; g++) printf("%s ", g->name);
}

/* What may follow the first word of a command of two, also behind `help`. */
static void print_group_words(const command_group *g)
{
    const char *mark = "";
    printf("    '%s %s' | 'help %s') words='", g->name, g->name, g->name);
    for (const command *const *c = commands; *c; c++) {
        const char *word = word_in_group(*c, g);
        if (!word) continue;
        printf("%s%s", mark, word);
        mark = " ";
    }
    printf("' ;;\n");
}

static void print_group_names(void)
{
    for (const command_group *g = command_groups; g->name; g++)
        printf("%s%s", g == command_groups ? "" : " | ", g->name);
}

static void print_methods(void)
{
    for (size_t i = 0; i < neap_method_count(); i++) printf("%s%s", i ? " " : "", neap_method_at(i)->name);
}

/* What may follow an option: only where it is one of a few words. */
static void print_values(const command *c)
{
    arg_flag flag;
    for (size_t i = 0; args_flag(c, i, &flag); i++) {
        bool method = !strcmp(flag.name, "method");
        if (!method && !strchr(flag.value, '|')) continue;
        printf("    '%s --%s') words='", c->name, flag.name);
        if (method) print_methods();
        else print_choices(flag.value);
        printf("' ;;\n");
    }
}

static void print_flags(const command *c)
{
    arg_flag flag;
    printf("        '%s') words='", c->name);
    for (size_t i = 0; args_flag(c, i, &flag); i++) {
        printf("%s--%s", i ? " " : "", flag.name);
        if (!*flag.value && flag.presets[0]) printf(" --no-%s", flag.name);
    }
    printf("' ;;\n");
}

static void print_script(void)
{
    printf("# bash completion for neap, made by `neap completion bash`\n"
           "_neap()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
           "command=${COMP_WORDS[1]} words=\n"
           "    COMPREPLY=()\n"
           "    [[ $COMP_CWORD -eq 1 ]] && command=\n"
           "    case $command in ");
    print_group_names();
    printf(") [[ $COMP_CWORD -gt 2 ]] && command+=\" ${COMP_WORDS[2]}\" ;; esac\n"
           "    case \"$command $before\" in\n"
           "    ' '* | 'help help') words='");
    print_commands();
    printf("help' ;;\n"
           "    'generate generate') words='er ba sbm' ;;\n"
           "    'completion completion') words='bash' ;;\n");
    for (const command_group *g = command_groups; g->name; g++) print_group_words(g);
    for (const command *const *c = commands; *c; c++) print_values(*c);
    printf("    esac\n"
           "    if [[ -z $words && $word == -* ]]; then\n"
           "        case $command in\n");
    for (const command *const *c = commands; *c; c++) print_flags(*c);
    printf("        esac\n"
           "    fi\n"
           "    [[ -n $words ]] && mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "    return 0\n"
           "}\n"
           "complete -o bashdefault -o default -F _neap neap\n");
}

static neap_status run(const args *a, neap_error *err)
{
    if (strcmp(a->operands[0], "bash"))
        return ni_fail(err, NEAP_E_ARG, "there is a completion for bash, not for '%s'", a->operands[0]);
    if (a->json) return ni_fail(err, NEAP_E_ARG, "a completion is a script; it has no --json");
    print_script();
    return NEAP_OK;
}

const command cmd_completion = {
    .name = "completion",
    .operands = "bash",
    .summary = "print the completion script for bash",
    .details = "Prints a script that completes commands, options and their values in bash. It is "
               "made from the same tables as this text, so it is never out of date.\n",
    .examples = "neap completion bash > neap.bash\n",
    .least = 1,
    .most = 1,
    .library = "",
    .run = run,
};
