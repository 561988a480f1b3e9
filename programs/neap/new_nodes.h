/* new_nodes.h - a model to ask, and nodes that were not in training: their links and texts. */
#ifndef CLI_NEW_NODES_H
#define CLI_NEW_NODES_H

#include "args.h"
#include "support/json.h"

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

/* The row of the option that says what probabilities assume. */
#define PRIOR_OPTION(own, field)                                                                           \
    {                                                                                                      \
        "prior", 0, "SHARE", "0.5", ARG_REAL, offsetof(own, field), 1e-12, 1 - 1e-12, false,               \
            "share of links among the pairs asked for, which probabilities assume"                         \
    }

/* Reads a model, adds new nodes, and reports what was added. */
neap_status read_model(const args *a, const char *path, const new_nodes *new, neap_model **out,
                       neap_error *err);

/* The same, and a query to it on --threads, with hooks that must outlive it, or NULL; both are to be freed
 * in any case. prior: of its probabilities; 0: one half. */
neap_status ask_model(const args *a, const char *path, const new_nodes *new, double prior,
                      const neap_hooks *hooks, neap_model **model, neap_query **query, neap_error *err);

/* The model's method has probabilities. */
bool model_has_probability(const neap_model *model);

/* Says what the probabilities of an answer are; the same as members of an object. */
void say_prior(const args *a, const neap_model *model, double prior);
void json_prior(ni_json *j, const neap_model *model, double prior);

#endif
