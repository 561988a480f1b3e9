/* texts.h - --text: what is known of each node in words. */
#ifndef CLI_TEXTS_H
#define CLI_TEXTS_H

#include "args.h"
#include "support/json.h"

/* Part of the own struct of a command. */
typedef struct text_own {
    const char *path;
    bool by_line;
} text_own;

/* Rows of the options of a command whose own struct has the text_own `field`. */
#define TEXT_OPTIONS(own, field)                                                                           \
    { "text",   0,                                                                                         \
      "FILE",   NULL,                                                                                      \
      ARG_TEXT, offsetof(own, field.path),                                                                 \
      0,        0,                                                                                         \
      false,    "the text of each node, for methods that read it: lines of a node, a tab and its text" },  \
    {                                                                                                      \
        "text-by-line", 0, "", NULL, ARG_SWITCH, offsetof(own, field.by_line), 0, 0, false,                \
            "line i of --text, from 0, is the text of the node named i"                                    \
    }

/* Reads the texts of a graph's nodes and reports what was found; *out is NULL if none are given. */
neap_status text_read(const args *a, const text_own *o, const neap_graph *graph, neap_text **out,
                      neap_error *err);

/* What was read, for people on standard output or, if j is not NULL, as its member "text". */
neap_status text_print(const neap_text *text, ni_json *j, neap_error *err);

#endif
