/* eval_common.h - what the commands of `neap eval` share: vectors of other tools, and where results go. */
#ifndef CLI_EVAL_COMMON_H
#define CLI_EVAL_COMMON_H

#include "common.h"
#include "progress.h"

/* The options about vectors go with --vectors, which names one file. */
neap_status check_vectors(const args *a, neap_error *err);

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

/* Whether a method learns a vector a node; the others only score pairs. */
bool has_vectors(const char *method);

/* Whether it does so in epochs, and hence is something else before the first. */
bool learns(const char *method);

/* The options of the command line, for one method and one seed. */
neap_status options_for(const args *a, const char *method, uint64_t seed, neap_options **out,
                        neap_error *err);

/* A whole number among the options of the library. */
neap_status read_whole_option(const args *a, const char *option, uint64_t *value, neap_error *err);

/* From now on Ctrl-C ends the run at once. kept: words on what has been written until now, or "". While a
 * file is being written, interrupt_ends(NULL) makes it wait for the next call. */
void end_if_interrupted(const progress *bar, const char *kept);

/* "; about 2 min 10 s left", or "" if that is not known or not worth a word. */
enum { LEFT_WORDS = 64 };
char *words_left(double seconds, char text[LEFT_WORDS]);

/* Seconds on a clock that never goes back. */
double seconds_now(void);

#endif
