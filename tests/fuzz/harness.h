/* harness.h - what all fuzz targets share.
 *
 * A target is one file fuzz_NAME.c with a `const fuzz_target fuzz`. It gives hostile bytes to one parser
 * and then uses whatever the parser accepts. CMake links it with libFuzzer (`make fuzz`), or with replay.c,
 * which runs the committed corpus in `make test`.
 *
 * Nothing here touches the disk: while a target runs, the file calls of the library lead to files in memory
 * below FUZZ_FOLDER. What every run is held to:
 *   - no fault that a sanitizer finds, no block and no descriptor left behind;
 *   - an input is taken, or refused by one of the statuses that speak of input, with words (fuzz_took);
 *   - while it is loaded, live memory stays below a line in the size of the input (fuzz_bound).          */
#ifndef NEAP_FUZZ_HARNESS_H
#define NEAP_FUZZ_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "neap.h"

typedef struct fuzz_target {
    void (*prepare)(void); /* once, before the first input; or NULL */
    void (*one)(const uint8_t *data, size_t size);
    /* Changes an input in a way that its parser does not refuse at once; or NULL: any bytes. */
    size_t (*mutate)(uint8_t *data, size_t size, size_t room, unsigned seed);
} fuzz_target;

extern const fuzz_target fuzz;

/* libFuzzer's interface, as far as we use it. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

/* ---- files in memory ---- */

#define FUZZ_FOLDER "/fuzz/"

/* A file below FUZZ_FOLDER until the end of the input; `path` begins with it. The bytes are copied. */
void fuzz_file(const char *path, const void *bytes, size_t size);

/* Several files in one input: a line `@@ NAME` begins each; what stands before the first one is `path`. */
void fuzz_files(const char *path, const void *bytes, size_t size);

/* The bytes of a file; NULL if there is none. */
const uint8_t *fuzz_bytes(const char *path, size_t *size);

/* Removes all files; nobody may have one open. */
void fuzz_forget(void);

/* ---- what must hold ---- */

/* Ends the process with words, so that libFuzzer keeps the input. */
_Noreturn void fuzz_fail(const char *file, int line, const char *what);

/* As cmocka names them: the other headers of tests/ can be used here. */
#define assert_true(c) ((c) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #c))
#define assert_int_equal(a, b) assert_true((a) == (b))
#define assert_non_null(p) assert_true((p) != NULL)
#define fail_msg(...) fuzz_fail(__FILE__, __LINE__, #__VA_ARGS__)

/* True if a loader has taken its input; false if it has refused it as it should. */
bool fuzz_took(neap_status rc, const neap_error *err, const void *object);

/* From now on until fuzz_unbound at most fixed + times * size bytes more than now. */
void fuzz_bound(size_t fixed, size_t times, size_t size);
void fuzz_unbound(void);

/* ---- small worlds ---- */

/* Nine nodes with names and three with digits, two circles and a bridge; for neap_graph_free. */
neap_graph *fuzz_graph(int weighted, int undirected);

/* Options with which `method` trains on such a graph in a moment; for neap_options_free. */
neap_options *fuzz_options(const char *method);

/* ---- use what was loaded ---- */

/* Facts, names, and to memory and back: the same graph. */
void fuzz_use_graph(const neap_graph *graph);

/* Scores, ranks, vectors, explanation, extension, and to memory and back: the same bytes. */
void fuzz_use_model(const neap_model *model);

/* Loads a graph from text, uses it, writes it in the same format, and reads that. `format` as in the
 * option; times: bytes of memory for each byte of text, 0: not bounded. */
void fuzz_text_graph(const char *format, const uint8_t *data, size_t size, size_t times);

/* A mutator for files of ours: parses, changes one field, and makes all checksums and the hash right again.
 */
size_t fuzz_mutate_tensors(uint8_t *data, size_t size, size_t room, unsigned seed);

#endif
