#include <stdlib.h>

#include "common.h"
#include "json.h"
#include "pairs.h"

typedef struct own {
    const char *new_edges;
} own;

static const arg_option options[] = {
    { "new-edges", 0, "FILE", NULL, ARG_TEXT, offsetof(own, new_edges), 0, 0, false,
      "links of nodes that were not in training" },
    { 0 },
};

static void print_scores(const neap_graph *graph, const pairs *p, const float *scores, json *j)
{
    char text[SHORT];
    for (size_t i = 0; i < p->count; i++) {
        const char *source = neap_graph_name(graph, p->pair[i].source);
        const char *target = neap_graph_name(graph, p->pair[i].target);
        if (!j) {
            print_cell(source);
            putchar('\t');
            print_cell(target);
            printf("\t%s\n", exact_float(scores[i], text));
            continue;
        }
        json_open(j, NULL, '{');
        json_text(j, "source", source);
        json_text(j, "target", target);
        json_float(j, "score", scores[i]);
        json_close(j, '}');
    }
}

/* Chunk after chunk, so that memory does not grow with the input; ends early if nobody listens. */
static neap_status score_all(const neap_model *model, pairs *p, json *j, neap_error *err)
{
    const neap_graph *graph = neap_model_graph(model);
    float *scores = calloc(PAIRS_AT_ONCE, sizeof *scores);
    if (!scores) return fail(err, NEAP_E_MEM, "out of memory for scores");
    neap_status rc = NEAP_OK, read = NEAP_OK;
    while (rc == NEAP_OK && read == NEAP_OK && !ferror(stdout)) {
        read = pairs_next(p, graph, err);
        if (!p->count) break;
        neap_error why = { 0 };
        rc = neap_model_score(model, p->pair, p->count, scores, &why);
        if (rc) *err = why;
        else print_scores(graph, p, scores, j);
    }
    free(scores);
    return rc ? rc : read;
}

static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    pairs p = { 0 };
    neap_model *model = NULL;
    json j = { .file = stdout };
    neap_status rc = pairs_open(&p, a->operand_count > 1 ? a->operands[1] : "-", err);
    if (rc == NEAP_OK) rc = read_model(a, a->operands[0], o->new_edges, &model, err);
    if (rc) goto done;
    if (a->json) {
        json_open(&j, NULL, '{');
        json_open(&j, "scores", '[');
    }
    rc = score_all(model, &p, a->json ? &j : NULL, err);
    if (a->json) {
        json_close(&j, ']');
        json_close(&j, '}');
    }
done:
    neap_model_free(model);
    pairs_close(&p);
    return rc;
}

const command cmd_score = {
    .name = "score",
    .operands = "MODEL [PAIRS]",
    .summary = "score pairs of nodes from a file or standard input",
    .details = "Reads pairs, one a line: two names with a tab or blanks between. Prints source, "
               "target and score, separated by tabs; a higher score means a likelier link. Without "
               "PAIRS, or with `-`, pairs come from standard input; the input may be of any length.\n",
    .examples = "neap score friends.safetensors pairs.txt\n"
                "echo 'alice bob' | neap score friends.safetensors\n",
    .least = 1,
    .most = 2,
    .options = options,
    .own_size = sizeof(own),
    .library = "reading,threads",
    .run = run,
};
