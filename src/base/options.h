/* options.h - options: declared in sets, given as text, read into structs once the method is known.
 *
 * A set declares options that fill one struct: the common ones below, those of a family of methods, or
 * those of one method. A method's struct is laid out of the structs of its sets. What a user gives is kept
 * as text by name (neap_options), because ranges and defaults are the method's and flags come in any order.
 * Reading takes, for each option, what was given, else the method's own default, else what was suggested,
 * else that of the preset. model/options.c finds options by name over all methods. */
#ifndef NI_OPTIONS_H
#define NI_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "neap.h"

/* ---- declaring ---- */

typedef enum ni_option_kind {
    NI_OPTION_U32,    /* uint32_t                                                             */
    NI_OPTION_U64,    /* uint64_t                                                             */
    NI_OPTION_REAL,   /* double                                                               */
    NI_OPTION_SWITCH, /* bool: yes or no                                                      */
    NI_OPTION_CHOICE, /* uint32_t: which of the words in info.value                           */
    NI_OPTION_BYTES,  /* uint64_t: a size with K, M, G, T                                     */
    NI_OPTION_TEXT    /* const char *: the text itself, which lives as long as what it was read from */
} ni_option_kind;

typedef struct ni_option {
    neap_option_info info;
    ni_option_kind kind;
    size_t at; /* where its value is in the struct of its set */
} ni_option;

/* One line of a set. value: what --help shows behind the flag; of a CHOICE the choices, in the order of
 * their enum. neap, paper, authors: its default in each preset. saved: 1 if it is part of the result and
 * hence of the model file. */
#define NI_OPTION(type, kind, field, name, aliases, letter, group, value, neap, paper, authors, min, max,  \
                  saved, help)                                                                             \
    {                                                                                                      \
        { sizeof(neap_option_info), name, aliases, letter, group, value, help, #kind, min, max,            \
          { neap, paper, authors }, saved },                                                               \
            NI_OPTION_##kind, offsetof(type, field)                                                        \
    }

typedef struct ni_option_set {
    const ni_option *option;
    size_t count;
} ni_option_set;

#define NI_OPTION_SET(list)                                                                                \
    {                                                                                                      \
        list, sizeof(list) / sizeof *(list)                                                                \
    }

/* A set as a part of a method's struct. */
typedef struct ni_option_part {
    const ni_option_set *set; /* NULL: behind the last                                                */
    size_t at;                /* where the struct of the set is in the method's                       */
    const char *names;        /* the options that the method has of the set, "dim,epochs"; NULL: all.
                                 The others keep their defaults                                       */
} ni_option_part;

/* What a method has instead of a preset's default; a list of them ends with a NULL name. */
typedef struct ni_default {
    const char *name;
    const char *preset[3]; /* neap, paper, authors */
} ni_default;

/* The options of a method besides the common ones. */
typedef struct ni_option_layout {
    size_t bytes;                /* of its struct; 0: it has no options of its own  */
    const ni_option_part *parts; /* may be NULL                                     */
    const ni_default *defaults;  /* may be NULL                                     */
} ni_option_layout;

/* The method has this option of the set. */
bool ni_option_part_has(const ni_option_part *part, const ni_option *option);

/* It is one of ni_common_set. */
bool ni_option_is_common(const ni_option *option);

/* The default of an option in a preset, the method's own or that of its set. layout may be NULL. */
const char *ni_option_default(const ni_option *option, const ni_option_layout *layout, uint32_t preset);

/* Reads a value from text into the struct of the option's set; NEAP_E_ARG with words. A TEXT is kept as it
 * is, not copied. values may be NULL: the text is only looked at. */
neap_status ni_option_read(const ni_option *option, const char *text, void *values, neap_error *err);

/* The value as text in the one spelling that files have, into `room`; a TEXT is given as it is. */
enum { NI_OPTION_ROOM = 32 };
const char *ni_option_text(const ni_option *option, const void *values, char room[NI_OPTION_ROOM]);

/* ---- given ---- */

typedef struct ni_given {
    const char *name; /* of a declaration     */
    char *value;
    bool suggested; /* goes behind a method's own default */
} ni_given;

struct neap_options {
    uint32_t preset; /* 0 neap, 1 paper, 2 authors */
    ni_given *given;
    size_t count, room;
};

/* Notes a value for an option, whose name must be that of a declaration. */
neap_status ni_options_give(neap_options *options, const char *name, const char *value, bool suggested,
                            neap_error *err);

/* The text that counts for an option that a method has: see the head of this file. layout: the method's, or
 * NULL for a common option. */
const char *ni_options_text(const neap_options *options, const ni_option *option,
                            const ni_option_layout *layout);

/* ---- the common options ---- */

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

/* What any method, and reading a graph, may look at. */
typedef struct ni_common {
    const char *method;
    bool undirected, self_loops;
    double test;
    uint64_t seed;
    uint32_t format, header, weights;
    const char *delimiter, *columns;
    uint32_t threads;
    uint64_t memory;
} ni_common;

extern const ni_option_set ni_common_set;

/* The common options; texts live as long as `options` does. */
neap_status ni_common_read(const neap_options *options, ni_common *common, neap_error *err);

/* ---- read ---- */

/* All values of a run; immutable, freed by its last holder. */
typedef struct ni_settings ni_settings;
struct ni_settings {
    neap_options *options; /* what they were read from */
    ni_common common;
    void *own; /* the method's struct */
    const ni_option_layout *layout;
    atomic_uint sharers; /* besides the first */
};

neap_status ni_settings_create(const neap_options *options, const ni_option_layout *layout,
                               ni_settings **out, neap_error *err);
const ni_settings *ni_settings_share(const ni_settings *settings);
void ni_settings_free(const ni_settings *settings);

/* The value of an option of the method, of the type that its kind has; NULL if the method's sets have none
 * of that name. */
const void *ni_settings_find(const ni_settings *settings, const char *name);

/* Calls visit for each option that is part of the result, the common ones first, in the order of the sets.
 */
void ni_settings_saved(const ni_settings *settings,
                       void (*visit)(const char *name, const char *value, void *user), void *user);

#endif
