/* bash: a function that looks at the words before the cursor. */
#include <stdio.h>
#include <string.h>

#include "completion.h"

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

/* What may follow a command or an option: only where it is one of a few words. */
static void print_values(const command *c)
{
    arg_flag flag;
    if (has_operand_words(c)) {
        printf("    '%s %s') words='", c->name, c->name);
        print_operand_words(c);
        printf("' ;;\n");
    }
    for (size_t i = 0; args_flag(c, i, &flag); i++) {
        if (!has_words(&flag)) continue;
        printf("    '%s --%s') words='", c->name, flag.name);
        print_words(&flag);
        printf("' ;;\n");
    }
}

static void print_flags(const command *c)
{
    arg_flag flag;
    printf("        '%s') words='", c->name);
    for (size_t i = 0; args_flag(c, i, &flag); i++) {
        printf("%s--%s", i ? " " : "", flag.name);
        if (has_opposite(&flag)) printf(" --no-%s", flag.name);
    }
    printf("' ;;\n");
}

void print_bash(void)
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
    printf("help' ;;\n");
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
