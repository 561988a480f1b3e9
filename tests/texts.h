/* texts.h - texts for tests: a node's words are its own and those of its neighbours, so that linked nodes
 * share words that others do not have (include after cmocka.h). */
#ifndef NEAP_TESTS_TEXTS_H
#define NEAP_TESTS_TEXTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

static inline neap_status try_texts_of(const neap_graph *g, neap_text **out, neap_error *err)
{
    char **text = calloc(g->nodes + 1u, sizeof *text), word[32];
    for (uint32_t u = 0; u < g->nodes; u++) {
        text[u] = calloc(1, 32 + 16 * (size_t)(g->offset[u + 1] - g->offset[u]));
        sprintf(text[u], "all n%u n%u", u, u);
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            sprintf(word, " n%u", g->target[e]);
            strcat(text[u], word);
        }
    }
    neap_status rc = neap_text_create(g, (const char *const *)text, out, err);
    for (uint32_t u = 0; u < g->nodes; u++) free(text[u]);
    free(text);
    return rc;
}

/* For neap_text_free. */
static inline neap_text *texts_of(const neap_graph *g)
{
    neap_text *out;
    neap_error err = { 0 };
    if (try_texts_of(g, &out, &err)) fail_msg("%s", err.text);
    return out;
}

#endif
