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
    size_t at;       /* place of the value in the command's own struct     */
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

/* NEAP_E_ARG with words for everything that is wrong. args_free is due in any case. */
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

/* One flag as a user sees it, whichever table it comes from. */
typedef struct arg_flag {
    const char *name, *aliases, *group, *value, *help; /* group "" is the command's own, "general" all */
    char letter;
    const char *presets[3]; /* defaults; the last two NULL where presets make no difference */
    const arg_option *own;  /* NULL: an option of the library                               */
} arg_flag;

/* The i-th flag of a command, in the order of the help text; false behind the last. */
bool args_flag(const command *c, size_t i, arg_flag *flag);

/* Whether a word is in a list separated by `mark`. */
bool list_has(const char *list, char mark, const char *word, size_t length);

/* The nearest of the names, or NULL if none is near; name(i) ends with NULL. */
const char *nearest_name(const char *word, const char *(*name)(const void *from, size_t i),
                         const void *from);

/* Digits only; a finite decimal number. False if anything is left over. */
bool parse_whole(const char *text, uint64_t *value);
bool parse_real(const char *text, double *value);

#endif
