/* eval_common.h - what the commands of `neap eval` share: vectors of other tools, and where results go. */
#ifndef CLI_EVAL_COMMON_H
#define CLI_EVAL_COMMON_H

#include "common.h"

/* Reads vectors and says what was found. */
neap_status read_vectors(const args *a, const char *path, const neap_graph *graph, bool allow_missing,
                         neap_vectors **out, neap_error *err);

/* Makes a folder unless it is there; NULL is fine. */
neap_status make_folder(const char *path, neap_error *err);

/* "FOLDER/NAME" in memory that free releases; NULL if there is none. */
char *join_path(const char *folder, const char *name);

typedef void (*print_to)(const void *user, FILE *to);

/* Keeps what `print` writes as FOLDER/NAME; folder may be NULL, and then nothing is printed. */
neap_status keep_printed(const char *folder, const char *name, print_to print, const void *user,
                         neap_error *err);

/* Prints what `print` writes on standard output, if --json asks for it, and keeps it as
 * FOLDER/results.json; folder may be NULL. */
neap_status report_json(const args *a, const char *folder, print_to print, const void *user,
                        neap_error *err);

/* The options of the command line, for one method and one seed. */
neap_status options_for(const args *a, const char *method, uint64_t seed, neap_options **out,
                        neap_error *err);

/* A whole number among the options of the library. */
neap_status read_whole_option(const args *a, const char *option, uint64_t *value, neap_error *err);

/* Seconds on a clock that never goes back. */
double seconds_now(void);

#endif
