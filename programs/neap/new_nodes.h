/* new_nodes.h - a model to ask, and nodes that were not in training: their links and texts. */
#ifndef CLI_NEW_NODES_H
#define CLI_NEW_NODES_H

#include "args.h"

/* Part of the own struct of a command. */
typedef struct new_nodes {
    const char *edges, *text;
} new_nodes;

/* Rows of the options of a command whose own struct has the new_nodes `field`. */
#define NEW_NODES_OPTIONS(own, field)                                                                      \
    { "new-edges", 0,                                                                                      \
      "FILE",      NULL,                                                                                   \
      ARG_TEXT,    offsetof(own, field.edges),                                                             \
      0,           0,                                                                                      \
      false,       "links of nodes that were not in training" },                                           \
    {                                                                                                      \
        "new-text", 0, "FILE", NULL, ARG_TEXT, offsetof(own, field.text), 0, 0, false,                     \
            "texts of nodes that were not in training, for a method that reads texts: lines as in --text"  \
    }

/* Reads a model, adds new nodes, and reports what was added. */
neap_status read_model(const args *a, const char *path, const new_nodes *new, neap_model **out,
                       neap_error *err);

/* The same, and a query to it on --threads, with hooks that must outlive it, or NULL; both are to be freed
 * in any case. */
neap_status ask_model(const args *a, const char *path, const new_nodes *new, const neap_hooks *hooks,
                      neap_model **model, neap_query **query, neap_error *err);

#endif
