/* help.h - the commands, and help made from their tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "args.h"

/* Every command, in the order in which help lists them; ended by a name of NULL. */
extern const command *const commands[];

/* A word that is no command of its own but the first of several: "eval" of "eval link". */
typedef struct command_group {
    const char *name, *summary;
} command_group;

/* Every group; ended by a name of NULL. */
extern const command_group command_groups[];

/* NULL if there is none. The name of a command of a group is two words with a blank between. */
const command *find_command(const char *name);
const command_group *find_group(const char *name);

/* The command that a line begins with, be it by one word or by two, or NULL; *used: how many. */
const command *match_command(char *const *words, int count, int *used);

/* The word of a command behind the name of its group; NULL if it is not of this group. */
const char *word_in_group(const command *c, const command_group *group);

/* NEAP_E_ARG with the nearest command, and in a group with all of its commands. */
neap_status unknown_command(char *const *words, int count, neap_error *err);

/* These print on standard output. */
void print_overview(void);
void print_group(const command_group *group);
void print_help(const command *c);
void print_flag(const arg_flag *flag);

/* "-d, --dim N" or "--[no-]self". */
void format_flag(const arg_flag *flag, char *text, size_t room);

/* "128 (paper, authors: 200)", or "" where there is no default worth a word. */
void format_default(const arg_flag *flag, char *text, size_t room);

/* The heading under which a group of options stands. */
const char *group_title(const char *group);

#endif
