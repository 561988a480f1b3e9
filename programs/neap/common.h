/* common.h - what several commands share: loading, reporting, text for people. */
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include <stdio.h>

#include "args.h"
#include "support/json.h"
#include "support/status.h"
#include "support/text.h"

/* A line on standard error unless --quiet; control characters become '?'. */
void say(const args *a, const char *format, ...) NI_PRINTF(2, 3);

/* Reads a graph and reports on standard error what was read and decided. */
neap_status read_graph(const args *a, const char *path, neap_graph **out, neap_error *err);

/* A whole number of the options, as they stand; 0 if the method has no such option. */
uint64_t option_number(const args *a, const char *name);

/* Whether the method of the options is trained in epochs: then a run has checkpoints and a pace. */
bool has_epochs(const args *a);

/* Whether validation may end training before its last epoch. */
bool may_end_early(const args *a);

/* The length of its vectors. */
uint32_t model_dim(const neap_model *model);

/* Fails early if a file could not be written there. NULL is fine. */
neap_status check_output(const char *path, neap_error *err);

/* NEAP_E_ARG if an output is one file with an input or another output: of the paths the first `inputs` are
 * read, the others written. NULL, "" and "-" are fine. */
neap_status check_apart(const char *const *paths, size_t inputs, size_t count, neap_error *err);

/* Whether a path exists and is a pipe, terminal or device, or is "-". */
bool is_stream(const char *path);

/* NEAP_E_ARG if the data and --json would both go to standard output. */
neap_status check_json(const args *a, const char *output, neap_error *err);

/* Numbers for people; each fills and returns the caller's buffer. */
enum { SHORT = 32 };
char *human_bytes(uint64_t bytes, char text[SHORT]);
char *human_metric(double value, char text[SHORT]); /* "0.8812"; "-" if it is undefined */

/* JSON on a stream, ten digits per number, for all commands. */
ni_json json_to(FILE *file);

/* ---- names of unknown origin (terminal.c) ---- */

/* Whether the environment says that terminals read UTF-8. */
bool reads_utf8(void);

/* Control characters of a text become '?', and with them, where `to` is a terminal that does not read
 * UTF-8, every byte that it would take for one. */
void make_harmless(FILE *to, char *text);

/* Prints a name padded to `columns`: cut if longer, control characters as '?'. */
void print_name(FILE *to, const char *name, int columns);

/* A name as a cell of tab-separated output: byte for byte, so that it can be used again, but on a terminal
 * without its control characters. */
void print_cell(const char *name);

/* Columns a name needs on a terminal: its code points, and bytes that are not UTF-8. */
int name_columns(const char *name);

/* "" for 1, "s" else. */
const char *plural(uint64_t count);

#endif
