/* args.h - what each command accepts, as tables, and the one parser that reads them.
 *
 * GNU style: --name value, --name=value, -x value, -xvalue, `--` ends the options, `-` is an operand.
 * Names compare with - and _ alike; a switch has the opposite --no-NAME. Nothing is ignored: an unknown
 * option is an error that names the nearest one.                                                      */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "neap.h"

/* How a value is kept: bool, const char *, uint64_t, double. */
typedef enum arg_kind { ARG_SWITCH, ARG_TEXT, ARG_WHOLE, ARG_REAL } arg_kind;

/* An option of the program itself; a table ends with a name of NULL. */
typedef struct arg_option {
    const char *name;
    char letter;
    const char *value;   /* "FILE"; "a|b|c" allows only these; "" for a switch */
    const char *initial; /* default as text, or NULL                           */
    arg_kind kind;
    size_t at;       /* offset of the value in the command's own struct    */
    double min, max; /* of a number                                        */
    bool required;
    const char *help;
} arg_option;

typedef struct args args;

typedef struct command {
    const char *name;
    const char *operands; /* "GRAPH -o MODEL", for the usage line                              */
    const char *summary;  /* one line, small first letter                                      */
    const char *details;  /* paragraphs, each ended by \n                                      */
    const char *examples; /* command lines, ended by \n                                        */
    size_t least, most;   /* number of operands                                                */
    const arg_option *options;
    size_t own_size;     /* of the struct that `at` points into                               */
    const char *library; /* which options of the library apply: "training,threads,!test" names groups
                            or single options, and those of a group that do not               */
    const char *method;  /* whose options they are unless one is named; NULL: the preset's     */
    neap_status (*run)(const args *a, neap_error *err);
} command;

/* A parsed command line. Strings are those of argv. */
struct args {
    const command *command;
    char **operands;
    size_t operand_count;
    void *own;             /* the command's own struct                              */
    neap_options *options; /* preset and library options as given                   */
    const char *preset;
    bool json, quiet, help;
    struct arg_setting *settings;
    size_t setting_count;
};

/* NEAP_E_ARG with a message that names the mistake. To be freed in any case. */
neap_status args_parse(const command *c, int argc, char **argv, args *a, neap_error *err);
void args_free(args *a);

/* A second set of the library's options as they stand on the command line, for the caller to change. */
neap_status args_options(const args *a, neap_options **out, neap_error *err);

/* The same on another preset. */
neap_status args_options_with(const args *a, const char *preset, neap_options **out, neap_error *err);

/* How often an option, the command's own or of the library, stands on the command line. */
size_t args_times(const args *a, const char *name);

/* Whether it stands there at all. */
bool args_given(const args *a, const char *name);

/* What stands there, the last time; NULL: it does not. */
const char *args_value(const args *a, const char *name);

/* The value of a text option of the command's own; NULL: it has none of this name, or none is given. */
const char *args_text(const args *a, const char *name);

/* One flag as a user sees it, whichever table it comes from. */
typedef struct arg_flag {
    const char *name, *aliases, *group, *value, *help; /* group "" is the command's own, "general" all */
    char letter;
    const char *presets[3]; /* defaults; the last two NULL where presets make no difference */
    const arg_option *own;  /* NULL: an option of the library                               */
} arg_flag;

/* The i-th flag of a command, in the order of the help text; false behind the last. */
bool args_flag(const command *c, size_t i, arg_flag *flag);

/* The i-th option that a method has besides those of all, with its own defaults; false behind the last. */
bool method_flag(const char *method, size_t i, arg_flag *flag);

/* ---- lists ----
 *
 * Options that take several values: --methods gap,ppr --ratios 15,55. */
enum { LIST_MOST = 32, LIST_NAME = 24 };

typedef struct name_list {
    char item[LIST_MOST][LIST_NAME];
    size_t count;
} name_list;

/* Takes a text with commas apart, whose items must differ. Each fails with NEAP_E_ARG and a message that
 * names the option. */
neap_status read_list(const char *option, const char *text, name_list *l, neap_error *err);

/* The items are methods. */
neap_status check_methods(const name_list *methods, neap_error *err);

/* The items are different percentages above 0 and at most `most`. */
neap_status read_shares(const char *option, const name_list *l, double most, double share[LIST_MOST],
                        neap_error *err);

/* Warns that 0.8 is not 80 %. */
void warn_of_small_shares(const args *a, const char *option, const name_list *l, const double *share);

/* ---- help ----
 *
 * The commands, and help made from their tables. */
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
/* method: of the options that not all methods have, those of this one. */
void print_help(const command *c, const char *method);
void print_flag(const arg_flag *flag);

/* "-d, --dim N" or "--[no-]self". */
void format_flag(const arg_flag *flag, char *text, size_t room);

/* "128 (paper, authors: 200)", or "" where there is no default to show. */
void format_default(const arg_flag *flag, char *text, size_t room);

/* Groups of options and their headings, in the order of help and manual; ended by a name of NULL. */
typedef struct option_group {
    const char *name, *title;
} option_group;

extern const option_group option_groups[];

#endif
