/* zsh: _describe for commands, _arguments for their options. */
#include <stdio.h>
#include <string.h>

#include "completion.h"

static const char quote[] = "'\\''";

/* 'train:learn a model from a graph' */
static void print_item(const char *word, const char *summary)
{
    printf("        '%s:", word);
    print_quoted(summary, "\\:", quote);
    printf("'\n");
}

static void print_commands(void)
{
    for (const command *const *c = commands; *c; c++)
        if (!strchr((*c)->name, ' ')) print_item((*c)->name, (*c)->summary);
    for (const command_group *g = command_groups; g->name; g++) print_item(g->name, g->summary);
    print_item("help", "what a command does");
}

static void print_group_words(const command_group *g)
{
    printf("    %s)\n        names=(\n", g->name);
    for (const command *const *c = commands; *c; c++) {
        const char *word = word_in_group(*c, g);
        if (word) print_item(word, (*c)->summary);
    }
    printf("        )\n"
           "        if (( CURRENT == 2 )); then _describe 'command' names; return; fi\n"
           "        command+=\" $words[2]\"\n"
           "        shift words\n"
           "        (( CURRENT-- ))\n"
           "        ;;\n");
}

/* '--pooling=[how ...]:max|mean:(max mean)' */
static void print_value(const arg_flag *flag)
{
    if (!*flag->value) return;
    printf(":");
    print_quoted(flag->value, "\\:", quote);
    printf(":");
    if (has_words(flag)) {
        printf("(");
        print_words(flag);
        printf(")");
    } else printf("%s", takes_path(flag) ? "_files" : " ");
}

static void print_flag_spec(const arg_flag *flag, const char *name)
{
    printf(" \\\n            '%s%s[", name, *flag->value && name[1] == '-' ? "=" : "");
    print_quoted(flag->help, "\\:[]", quote);
    printf("]");
    print_value(flag);
    printf("'");
}

static void print_arguments(const command *c)
{
    arg_flag flag;
    char name[64];
    printf("    '%s')\n        _arguments -S", c->name);
    for (size_t i = 0; args_flag(c, i, &flag); i++) {
        snprintf(name, sizeof name, "--%s", flag.name);
        print_flag_spec(&flag, name);
        snprintf(name, sizeof name, "--no-%s", flag.name);
        if (has_opposite(&flag)) print_flag_spec(&flag, name);
        snprintf(name, sizeof name, "-%c", flag.letter);
        if (flag.letter) print_flag_spec(&flag, name);
    }
    if (has_operand_words(c)) {
        printf(" \\\n            '1: :(");
        print_operand_words(c);
        printf(")'");
    }
    printf(" \\\n            '*:file:_files'\n        ;;\n");
}

void print_zsh(void)
{
    printf("#compdef neap\n"
           "# zsh completion for neap, made by `neap completion zsh`\n"
           "_neap()\n{\n"
           "    local command=$words[2]\n"
           "    local -a names\n"
           "    names=(\n");
    print_commands();
    printf("    )\n"
           "    if (( CURRENT == 2 )); then _describe 'command' names; return; fi\n"
           "    if [[ $command == help ]]; then\n"
           "        if (( CURRENT == 3 )); then _describe 'command' names; return; fi\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $command in\n");
    for (const command_group *g = command_groups; g->name; g++) print_group_words(g);
    printf("    esac\n"
           "    case $command in\n");
    for (const command *const *c = commands; *c; c++) print_arguments(*c);
    printf("    esac\n"
           "}\n"
           "_neap \"$@\"\n");
}
