/* ranking.h - what `rank` and `nn` share: sources, the best nodes of each, and where they go. */
#ifndef CLI_RANKING_H
#define CLI_RANKING_H

#include "args.h"
#include "new_nodes.h"
#include "targets.h"

typedef struct ranking_options {
    uint64_t k;
    bool with_known, explain, all, resume;
    double prior;
    new_nodes new;
    const char *sources, *targets, *output, *progress;
} ranking_options;

/* The rows that both commands have in their tables of options. */
#define RANKING_OPTIONS(many)                                                                              \
    {                                                                                                      \
        "top",           'k', "N", "10", ARG_WHOLE, offsetof(ranking_options, k), 1, UINT32_MAX, false,    \
        many " per node"                                                                                   \
    },                                                                                                     \
        { "sources", 0,                                                                                    \
          "FILE",    NULL,                                                                                 \
          ARG_TEXT,  offsetof(ranking_options, sources),                                                   \
          0,         0,                                                                                    \
          false,     "the nodes to answer for, one name per line; - is standard input" },                  \
        { "all",      0,                                                                                   \
          "",         NULL,                                                                                \
          ARG_SWITCH, offsetof(ranking_options, all),                                                      \
          0,          0,                                                                                   \
          false,      "answer for every node" },                                                           \
        TARGETS_OPTION(ranking_options, targets),                                                          \
        { "output",                                                                                        \
          'o',                                                                                             \
          "FILE",                                                                                          \
          NULL,                                                                                            \
          ARG_TEXT,                                                                                        \
          offsetof(ranking_options, output),                                                               \
          0,                                                                                               \
          0,                                                                                               \
          false,                                                                                           \
          "write to FILE: JSON lines if it ends in .jsonl, else tab-separated; packed with .gz behind "    \
          "it" },                                                                                          \
        { "resume",   0,                                                                                   \
          "",         NULL,                                                                                \
          ARG_SWITCH, offsetof(ranking_options, resume),                                                   \
          0,          0,                                                                                   \
          false,      "go on where an interrupted run with -o FILE ended, from FILE.part" },               \
        { "progress",                                                                                      \
          0,                                                                                               \
          "auto|always|never",                                                                             \
          "auto",                                                                                          \
          ARG_TEXT,                                                                                        \
          offsetof(ranking_options, progress),                                                             \
          0,                                                                                               \
          0,                                                                                               \
          false,                                                                                           \
          "show the progress of the run" },                                                                \
        NEW_NODES_OPTIONS(ranking_options, new)

/* What differs. */
typedef struct ranking_kind {
    neap_rank_by by;
    const char *list, *value; /* keys of JSON: "suggestions", "score" */
    bool with_known;          /* known links count in any case        */
} ranking_kind;

neap_status run_ranking(const args *a, const ranking_kind *kind, neap_error *err);

#endif
