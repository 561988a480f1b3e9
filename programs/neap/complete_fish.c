/* fish: a line for each command and option, with the words that must stand before it. */
#include <stdio.h>
#include <string.h>

#include "completion.h"

static void print_text(const char *text)
{
    printf("'");
    print_quoted(text, "\\", "\\'");
    printf("'");
}

/* A command, behind the words of `before`. */
static void print_command(const char *before, const char *word, const char *summary)
{
    printf("complete -c neap -n '__neap_at%s%s' -x -a '%s' -d ", *before ? " " : "", before, word);
    print_text(summary);
    printf("\n");
}

static void print_commands(const char *before)
{
    for (const command *const *c = commands; *c; c++)
        if (!strchr((*c)->name, ' ')) print_command(before, (*c)->name, (*c)->summary);
    for (const command_group *g = command_groups; g->name; g++) print_command(before, g->name, g->summary);
}

static void print_group_words(const command_group *g)
{
    for (const command *const *c = commands; *c; c++) {
        const char *word = word_in_group(*c, g);
        if (word) print_command(g->name, word, (*c)->summary);
    }
}

static void print_option(const command *c, const arg_flag *flag)
{
    printf("complete -c neap -n '__neap_is %s' -l %s", c->name, flag->name);
    if (flag->letter) printf(" -s %c", flag->letter);
    if (has_words(flag)) {
        printf(" -x -a '");
        print_words(flag);
        printf("'");
    } else if (*flag->value) printf(takes_path(flag) ? " -r -F" : " -x");
    printf(" -d ");
    print_text(flag->help);
    printf("\n");
    if (!has_opposite(flag)) return;
    printf("complete -c neap -n '__neap_is %s' -l no-%s -d ", c->name, flag->name);
    print_text(flag->help);
    printf("\n");
}

static void print_options(const command *c)
{
    arg_flag flag;
    if (has_operand_words(c)) {
        printf("complete -c neap -n '__neap_at %s' -x -a '", c->name);
        print_operand_words(c);
        printf("'\n");
    }
    for (size_t i = 0; args_flag(c, i, &flag); i++) print_option(c, &flag);
}

void print_fish(void)
{
    printf("# fish completion for neap, made by `neap completion fish`\n"
           "function __neap_is --description 'the command line begins with these words'\n"
           "    set -l words (commandline -opc)\n"
           "    test (count $words) -gt (count $argv); or return 1\n"
           "    for i in (seq (count $argv))\n"
           "        set -l at (math $i + 1)\n"
           "        test \"$words[$at]\" = \"$argv[$i]\"; or return 1\n"
           "    end\n"
           "end\n"
           "function __neap_at --description 'it has these words and no other'\n"
           "    set -l words (commandline -opc)\n"
           "    test (count $words) -eq (math (count $argv) + 1); and __neap_is $argv\n"
           "end\n");
    print_commands("");
    print_command("", "help", "what a command does");
    print_commands("help");
    for (const command_group *g = command_groups; g->name; g++) print_group_words(g);
    for (const command *const *c = commands; *c; c++) print_options(*c);
}
