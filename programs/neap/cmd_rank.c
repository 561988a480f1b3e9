#include <stdlib.h>

#include "common.h"
#include "json.h"

typedef struct own {
    uint64_t k;
    bool with_known, explain;
    const char *new_edges;
} own;

static const arg_option options[] = {
    { "top", 'k', "N", "10", ARG_WHOLE, offsetof(own, k), 1, UINT32_MAX, false,
      "how many suggestions a node" },
    { "with-known", 0, "", NULL, ARG_SWITCH, offsetof(own, with_known), 0, 0, false,
      "rank known links and the node itself too" },
    { "explain", 0, "", NULL, ARG_SWITCH, offsetof(own, explain), 0, 0, false,
      "name the three neighbours that carried each suggestion" },
    { "new-edges", 0, "FILE", NULL, ARG_TEXT, offsetof(own, new_edges), 0, 0, false,
      "links of nodes that were not in training" },
    { 0 },
};

enum { REASONS = 3 };

typedef struct reasons {
    const char *name[REASONS];
    float contribution[REASONS];
    size_t count;
} reasons;

/* Keeps the largest, sorted. */
static void keep(reasons *r, const char *name, float contribution)
{
    size_t place = r->count;
    while (place > 0 && r->contribution[place - 1] < contribution) place--;
    if (place == REASONS) return;
    if (r->count < REASONS) r->count++;
    for (size_t i = r->count - 1; i > place; i--) {
        r->name[i] = r->name[i - 1];
        r->contribution[i] = r->contribution[i - 1];
    }
    r->name[place] = name;
    r->contribution[place] = contribution;
}

/* The source's neighbours that added most to the score. The node itself is no reason. */
static neap_status find_reasons(const neap_model *model, uint32_t source, uint32_t target, reasons *r,
                                neap_error *err)
{
    neap_explanation *why = NULL;
    *r = (reasons){ .count = 0 };
    neap_status rc = neap_explain(model, source, target, &why, err);
    for (uint32_t i = 0; rc == NEAP_OK && i < why->source_count; i++) {
        const neap_attention *at = &why->by_source[i];
        if (at->node != source && at->contribution > 0)
            keep(r, neap_graph_name(neap_model_graph(model), at->node), at->contribution);
    }
    neap_explanation_free(why);
    return rc;
}

static void print_row(const char *source, size_t rank, const char *name, float score, const reasons *r)
{
    char text[SHORT];
    print_cell(source);
    printf("\t%zu\t", rank);
    print_cell(name);
    printf("\t%s", exact_float(score, text));
    for (size_t i = 0; r && i < r->count; i++) {
        fputs(i ? ", " : "\t", stdout);
        print_cell(r->name[i]);
    }
    puts(r && !r->count ? "\t" : "");
}

static void json_row(json *j, const char *source, size_t rank, const char *name, float score,
                     const reasons *r)
{
    json_open(j, NULL, '{');
    json_text(j, "source", source);
    json_whole(j, "rank", rank);
    json_text(j, "node", name);
    json_float(j, "score", score);
    if (r) {
        json_open(j, "because", '[');
        for (size_t i = 0; i < r->count; i++) {
            json_open(j, NULL, '{');
            json_text(j, "node", r->name[i]);
            json_float(j, "contribution", r->contribution[i]);
            json_close(j, '}');
        }
        json_close(j, ']');
    }
    json_close(j, '}');
}

/* A model to ask, how, and where the answers go. */
typedef struct ranking {
    const args *a;
    own o;
    neap_model *model;
    neap_ranked *best; /* room for o.k */
    json *j;           /* NULL: rows of text */
} ranking;

static neap_status rank_one(const ranking *q, uint32_t source, neap_error *err)
{
    const neap_graph *graph = neap_model_graph(q->model);
    const char *name = neap_graph_name(graph, source);
    reasons r, *why = q->o.explain ? &r : NULL;
    size_t count = 0;
    neap_status rc =
        neap_model_rank(q->model, source, (size_t)q->o.k, q->o.with_known, q->best, &count, err);
    if (rc == NEAP_OK && !count)
        say(q->a, "%s is linked with every other node; --with-known ranks those too", name);
    for (size_t i = 0; i < count && rc == NEAP_OK && !ferror(stdout); i++) {
        const char *node = neap_graph_name(graph, q->best[i].node);
        if (why) rc = find_reasons(q->model, source, q->best[i].node, &r, err);
        if (rc) break;
        if (q->j) json_row(q->j, name, i + 1, node, q->best[i].score, why);
        else print_row(name, i + 1, node, q->best[i].score, why);
    }
    return rc;
}

/* Every name is looked up before the first answer is given. */
static neap_status find_all(const args *a, const neap_graph *graph, uint32_t *sources, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 1; i < a->operand_count && rc == NEAP_OK; i++)
        rc = neap_graph_find(graph, a->operands[i], &sources[i - 1], err);
    return rc;
}

static neap_status run(const args *a, neap_error *err)
{
    json j = { .file = stdout };
    ranking q = { .a = a, .o = *(const own *)a->own, .j = a->json ? &j : NULL };
    uint32_t *sources = calloc(a->operand_count, sizeof *sources);
    neap_status rc = read_model(a, a->operands[0], q.o.new_edges, &q.model, err);
    if (rc) goto done;
    uint32_t n = neap_graph_nodes(neap_model_graph(q.model));
    if (q.o.k > n) q.o.k = n;
    q.best = calloc((size_t)q.o.k + 1, sizeof *q.best);
    rc = !sources || !q.best ? fail(err, NEAP_E_MEM, "out of memory for the ranking")
                             : find_all(a, neap_model_graph(q.model), sources, err);
    if (rc) goto done;
    if (a->json) {
        json_open(&j, NULL, '{');
        json_open(&j, "suggestions", '[');
    }
    for (size_t i = 0; i + 1 < a->operand_count && rc == NEAP_OK; i++) rc = rank_one(&q, sources[i], err);
    if (a->json) {
        json_close(&j, ']');
        json_close(&j, '}');
    }
done:
    free(sources);
    free(q.best);
    neap_model_free(q.model);
    return rc;
}

const command cmd_rank = {
    .name = "rank",
    .operands = "MODEL NODE...",
    .summary = "suggest links: the best targets for a node, against all nodes",
    .details = "Scores a node against every other, exactly, and prints the best: source, rank, node "
               "and score, separated by tabs. Known links are left out. With --explain a fifth "
               "column names the source's neighbours that carried the suggestion, the strongest "
               "first; `neap explain` tells more about one pair.\n",
    .examples = "neap rank friends.safetensors alice\n"
                "neap rank friends.safetensors alice bob -k 3 --explain\n",
    .least = 2,
    .most = SIZE_MAX,
    .options = options,
    .own_size = sizeof(own),
    .library = "reading,threads",
    .run = run,
};
