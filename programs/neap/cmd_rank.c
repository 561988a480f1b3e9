#include <stdlib.h>

#include "common.h"

typedef struct own {
    uint64_t k;
    bool with_known, explain;
    const char *new_edges;
} own;

static const arg_option options[] = {
    { "top", 'k', "N", "10", ARG_WHOLE, offsetof(own, k), 1, UINT32_MAX, false, "suggestions per node" },
    { "with-known", 0, "", NULL, ARG_SWITCH, offsetof(own, with_known), 0, 0, false,
      "rank known links and the node itself too" },
    { "explain", 0, "", NULL, ARG_SWITCH, offsetof(own, explain), 0, 0, false,
      "name the three neighbours that contribute most to each suggestion" },
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

/* Inserts into the REASONS largest, sorted. */
static void keep(reasons *r, const char *name, float contribution)
{
    size_t at = r->count;
    while (at > 0 && r->contribution[at - 1] < contribution) at--;
    if (at == REASONS) return;
    if (r->count < REASONS) r->count++;
    for (size_t i = r->count - 1; i > at; i--) {
        r->name[i] = r->name[i - 1];
        r->contribution[i] = r->contribution[i - 1];
    }
    r->name[at] = name;
    r->contribution[at] = contribution;
}

/* The source's neighbours that added most to the score. The node itself is no reason. */
static neap_status find_reasons(const neap_graph *graph, neap_query *query, uint32_t source,
                                uint32_t target, reasons *r, neap_error *err)
{
    neap_explanation *why = NULL;
    *r = (reasons){ .count = 0 };
    neap_status rc = neap_query_explain(query, source, target, &why, err);
    const neap_reasons *by = rc == NEAP_OK ? why->by_source : NULL;
    for (uint32_t i = 0; by && i < by->count; i++)
        if (by->node[i] != source && by->contribution[i] > 0)
            keep(r, neap_graph_name(graph, by->node[i]), by->contribution[i]);
    neap_explanation_free(why);
    return rc;
}

static void print_row(const char *source, size_t rank, const char *name, float score, const reasons *r)
{
    char text[SHORT];
    print_cell(source);
    printf("\t%zu\t", rank);
    print_cell(name);
    ni_format_float(score, text);
    printf("\t%s", text);
    for (size_t i = 0; r && i < r->count; i++) {
        fputs(i ? ", " : "\t", stdout);
        print_cell(r->name[i]);
    }
    puts(r && !r->count ? "\t" : "");
}

static void json_row(ni_json *j, const char *source, size_t rank, const char *name, float score,
                     const reasons *r)
{
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "source", source);
    ni_json_whole(j, "rank", rank);
    ni_json_text(j, "node", name);
    ni_json_float(j, "score", score);
    if (r) {
        ni_json_open(j, "because", '[');
        for (size_t i = 0; i < r->count; i++) {
            ni_json_open(j, NULL, '{');
            ni_json_text(j, "node", r->name[i]);
            ni_json_float(j, "contribution", r->contribution[i]);
            ni_json_close(j, '}');
        }
        ni_json_close(j, ']');
    }
    ni_json_close(j, '}');
}

/* A query, its options, and where the answers go. */
typedef struct ranking {
    const args *a;
    own o;
    neap_model *model;
    neap_query *query;
    ni_json *j; /* NULL: rows of text */
} ranking;

static neap_status rank_one(const ranking *q, uint32_t source, neap_error *err)
{
    const neap_graph *graph = neap_model_graph(q->model);
    const char *name = neap_graph_name(graph, source);
    reasons r, *why = q->o.explain ? &r : NULL;
    neap_ranking *best = NULL;
    neap_rank_spec spec = { .size = sizeof spec,
                            .sources = &source,
                            .source_count = 1,
                            .k = (size_t)q->o.k,
                            .with_known = q->o.with_known };
    neap_status rc = neap_query_rank(q->query, &spec, &best, err);
    if (rc == NEAP_OK && !best->count)
        say(q->a, "%s is linked with every other node; --with-known ranks those too", name);
    for (size_t i = 0; rc == NEAP_OK && i < best->count && !ferror(stdout); i++) {
        const char *node = neap_graph_name(graph, best->node[i]);
        if (why) rc = find_reasons(graph, q->query, source, best->node[i], &r, err);
        if (rc) break;
        if (q->j) json_row(q->j, name, i + 1, node, best->score[i], why);
        else print_row(name, i + 1, node, best->score[i], why);
    }
    neap_ranking_free(best);
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
    ni_json j = json_to(stdout);
    ranking q = { .a = a, .o = *(const own *)a->own, .j = a->json ? &j : NULL };
    uint32_t *sources = calloc(a->operand_count, sizeof *sources);
    neap_status rc = ask_model(a, a->operands[0], q.o.new_edges, &q.model, &q.query, err);
    if (rc) goto done;
    rc = !sources ? ni_fail(err, NEAP_E_MEM, "out of memory for the ranking")
                  : find_all(a, neap_model_graph(q.model), sources, err);
    if (rc) goto done;
    if (a->json) {
        ni_json_open(&j, NULL, '{');
        ni_json_open(&j, "suggestions", '[');
    }
    for (size_t i = 0; i + 1 < a->operand_count && rc == NEAP_OK; i++) rc = rank_one(&q, sources[i], err);
    if (a->json) {
        ni_json_close(&j, ']');
        ni_json_close(&j, '}');
    }
done:
    free(sources);
    neap_query_free(q.query);
    neap_model_free(q.model);
    return rc;
}

const command cmd_rank = {
    .name = "rank",
    .operands = "MODEL NODE...",
    .summary = "suggest links: the best targets for a node, against all nodes",
    .details =
        "Scores a node against every other, exactly, and prints the best: source, rank, node and score, "
        "separated by tabs. Known links are left out. With --explain a fifth column names the source's "
        "neighbours that contribute most, the strongest first; `neap explain` has more about one pair.\n",
    .examples = "neap rank friends.safetensors alice\n"
                "neap rank friends.safetensors alice bob -k 3 --explain\n",
    .least = 2,
    .most = SIZE_MAX,
    .options = options,
    .own_size = sizeof(own),
    .library = "reading,threads",
    .run = run,
};
