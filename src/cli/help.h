/* help.h - the commands, and help made from their tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "args.h"

/* Every command, in the order in which help lists them; ended by a name of NULL. */
extern const command *const commands[];

const command *find_command(const char *name);

/* NEAP_E_ARG with the nearest command. */
neap_status unknown_command(const char *name, neap_error *err);

/* Both print on standard output. */
void print_overview(void);
void print_help(const command *c);

/* "-d, --dim N" or "--[no-]self". */
void format_flag(const arg_flag *flag, char *text, size_t room);

/* "128 (paper, authors: 200)", or "" where there is no default worth a word. */
void format_default(const arg_flag *flag, char *text, size_t room);

/* The heading under which a group of options stands. */
const char *group_title(const char *group);

#endif
