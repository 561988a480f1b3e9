/* attributes.h - --text and --features: what is known of each node beside its links. */
#ifndef CLI_ATTRIBUTES_H
#define CLI_ATTRIBUTES_H

#include "args.h"
#include "support/json.h"

/* Part of the own struct of a command. */
typedef struct attributes_own {
    const char *text, *features;
    bool by_line;
} attributes_own;

/* Rows of the options of a command whose own struct has the attributes_own `field`. */
#define ATTRIBUTE_OPTIONS(own, field)                                                                      \
    { "text",   0,                                                                                         \
      "FILE",   NULL,                                                                                      \
      ARG_TEXT, offsetof(own, field.text),                                                                 \
      0,        0,                                                                                         \
      false,    "the text of each node, for methods that read it: lines of a node, a tab and its text" },  \
        { "text-by-line",                                                                                  \
          0,                                                                                               \
          "",                                                                                              \
          NULL,                                                                                            \
          ARG_SWITCH,                                                                                      \
          offsetof(own, field.by_line),                                                                    \
          0,                                                                                               \
          0,                                                                                               \
          false,                                                                                           \
          "line i of --text, from 0, is the text of the node named i" },                                   \
    {                                                                                                      \
        "features", 0, "FILE", NULL, ARG_TEXT, offsetof(own, field.features), 0, 0, false,                 \
            "features of each node, for methods that read them: lines `node feature[:value] ...`, or "     \
            ".mtx, .npy, .safetensors with names beside it"                                                \
    }

/* Remarks that the method of the options does not read what is given. */
void attributes_remark(const args *a, const attributes_own *o);

typedef struct attributes {
    neap_text *text;         /* or NULL */
    neap_features *features; /* or NULL */
} attributes;

/* Reads what is given of a graph's nodes and reports what was found. */
neap_status attributes_read(const args *a, const attributes_own *o, const neap_graph *graph,
                            attributes *out, neap_error *err);
void attributes_free(attributes *x);

/* What was read, for people on standard output or, if j is not NULL, as its members "text" and "features".
 */
neap_status attributes_print(const attributes *x, ni_json *j, neap_error *err);

#endif
