/* completion.h - what completion scripts are made of: the tables of the commands, one printer per shell. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "args.h"

/* What may follow an option, "max mean", where it is one of a few words; false if it is not. */
bool has_words(const arg_flag *flag);
void print_words(const arg_flag *flag);

/* The first operand of a command is one of a few words, "er|ba|sbm"; false if it is not. */
bool has_operand_words(const command *c);
void print_operand_words(const command *c);

/* The value of an option is a file or a folder. */
bool takes_path(const arg_flag *flag);

/* It is a switch that can be turned off: --no-NAME. */
bool has_opposite(const arg_flag *flag);

/* A text between single quotes: a backslash before each of the letters in `special`, and `quote` for a
 * single quote. */
void print_quoted(const char *text, const char *special, const char *quote);

void print_bash(void);
void print_zsh(void);
void print_fish(void);

#endif
