/* options.h - the options as a struct, made from options.def. */
#ifndef NI_OPTIONS_H
#define NI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "neap.h"

/* In the order of the choices in options.def. */
enum { NI_POOL_MAX, NI_POOL_MEAN };
enum { NI_PAD_NONE, NI_PAD_ZERO, NI_PAD_VECTOR };
enum { NI_DROP_NODE, NI_DROP_OCCURRENCE };
enum { NI_DECAY_NONE, NI_DECAY_LINEAR };
enum { NI_ADAM, NI_LAZY_ADAM, NI_ADAGRAD };
enum { NI_OBJECTIVE_MARGIN, NI_OBJECTIVE_LOGISTIC };
enum { NI_NEGATIVE_UNIFORM, NI_NEGATIVE_DEGREE };
enum { NI_STARTS_EVEN, NI_STARTS_DEGREE };
enum { NI_SCORE_LEFT_RIGHT, NI_SCORE_CONCAT };
enum { NI_ORDER_1, NI_ORDER_2, NI_ORDER_BOTH };
enum { NI_LOSS_NEGATIVES, NI_LOSS_TREE, NI_LOSS_BOTH };
enum { NI_CIRCLES_LABELS, NI_CIRCLES_COMPONENTS };
enum { NI_PERSONAS_MAX, NI_PERSONAS_AVERAGE };
enum {
    NI_FORMAT_AUTO,
    NI_FORMAT_EDGES,
    NI_FORMAT_ADJACENCY,
    NI_FORMAT_MTX,
    NI_FORMAT_METIS,
    NI_FORMAT_SAFETENSORS
};
enum { NI_HEADER_AUTO, NI_HEADER_YES, NI_HEADER_NO };
enum { NI_WEIGHTS_AUTO, NI_WEIGHTS_IGNORE };

typedef uint32_t ni_type_U32;
typedef uint64_t ni_type_U64;
typedef double ni_type_REAL;
typedef bool ni_type_SWITCH;
typedef uint32_t ni_type_CHOICE;
typedef uint64_t ni_type_BYTES;
typedef struct ni_text {
    char text[24];
} ni_type_TEXT;

enum {
#define OPTION(kind, field, ...) NI_OPTION_##field,
#include "base/options.def"
#undef OPTION
    NI_OPTIONS
};

struct neap_options {
#define OPTION(kind, field, ...) ni_type_##kind field;
#include "base/options.def"
#undef OPTION
    uint8_t preset;         /* whose defaults hold for what was not set */
    bool given[NI_OPTIONS]; /* set by name, rather than by a preset     */
    bool settled;           /* the method's own defaults have been filled in */
};

/* What a method has instead of a preset's default; a list of them ends with a NULL name. */
typedef struct ni_default {
    const char *name;
    const char *preset[3]; /* neap, paper, authors */
} ni_default;

/* Gives every option that was not set by name the method's default, if the method has one. Once: whoever
 * changes a field afterwards keeps the change, until another method is set. */
void ni_options_settle(neap_options *options, const ni_default *defaults);

/* Calls visit for each option that is part of the result, in the order of the table. */
void ni_options_saved(const neap_options *options,
                      void (*visit)(const char *name, const char *value, void *user), void *user);

#endif
