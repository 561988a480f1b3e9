/* targets.h - --targets: the nodes that links are suggested to. */
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include "args.h"

typedef struct target_set {
    bool given;
    neap_targets targets; /* views of: */
    neap_nodes *nodes;
    uint8_t *side;
} target_set;

/* One row of the options of a command whose own struct has `field`. */
#define TARGETS_OPTION(own, field)                                                                         \
    {                                                                                                      \
        "targets", 0, "FILE", NULL, ARG_TEXT, offsetof(own, field), 0, 0, false,                           \
            "only nodes of FILE, one name per line, are targets; auto: those of the other side of a "      \
            "bipartite graph"                                                                              \
    }

/* Reads the list FILE, or finds the sides of the graph; reports it. word may be NULL: not given. To be
 * freed in any case. */
neap_status targets_read(const args *a, const char *word, const neap_graph *graph, target_set *t,
                         neap_error *err);
void targets_free(target_set *t);

/* For the library: NULL if not given. */
const neap_targets *targets_of(const target_set *t);

/* The path of a list of targets, NULL if there is none. */
const char *targets_path(const char *word);

#endif
