/* reading.h - progress of a file that takes long to read, for read calls of the library that have hooks. */
#ifndef CLI_READING_H
#define CLI_READING_H

#include "args.h"
#include "progress.h"

typedef struct reading {
    progress bar;
    neap_hooks hooks;
} reading;

/* Hooks for the file at a path; they live until reading_end, which removes what stands on the terminal. */
const neap_hooks *reading_begin(reading *r, const args *a, const char *path);
void reading_end(reading *r);

/* A path, or "standard input" for "-". */
const char *input_label(const char *path);

/* What a command reads: the option or operand as a user names it, and its path, which may be NULL. */
typedef struct input {
    const char *name, *path;
} input;

/* NEAP_E_ARG if two of these are standard input. */
neap_status check_stdin(const input *inputs, size_t count, neap_error *err);

#endif
