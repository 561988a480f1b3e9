#include <string.h>

#include "common.h"
#include "json.h"

typedef struct own {
    const char *html, *new_edges;
    uint64_t rows;
} own;

static const arg_option options[] = {
    { "rows", 'k', "N", "10", ARG_WHOLE, offsetof(own, rows), 1, UINT32_MAX, false,
      "rows of each table; --json gives all" },
    { "html", 0, "FILE", NULL, ARG_TEXT, offsetof(own, html), 0, 0, false,
      "write a picture of the pair as one self-contained page" },
    { "new-edges", 0, "FILE", NULL, ARG_TEXT, offsetof(own, new_edges), 0, 0, false,
      "links of nodes that were not in training" },
    { 0 },
};

/* Padding may be what a neighbour selected: no node at all. */
static const char *partner_name(const neap_graph *graph, const neap_attention *at)
{
    return at->partner == NEAP_NONE ? "none" : neap_graph_name(graph, at->partner);
}

/* Widths of the two columns of names: enough for those shown, within reason. */
typedef struct widths {
    int node, partner;
} widths;

static int wider(int width, const char *name)
{
    enum { MOST = 36 };
    int n = name_columns(name);
    return n <= width ? width : n < MOST ? n : MOST;
}

static widths measure(const neap_graph *graph, const neap_attention *list, uint32_t shown)
{
    widths w = { (int)strlen("neighbour"), (int)strlen("selected") };
    for (uint32_t i = 0; i < shown; i++) {
        w.node = wider(w.node, neap_graph_name(graph, list[i].node));
        w.partner = wider(w.partner, partner_name(graph, &list[i]));
    }
    return w;
}

static void print_side(const neap_graph *graph, const char *of, const neap_attention *list, uint32_t count,
                       uint64_t rows)
{
    uint32_t shown = rows < count ? (uint32_t)rows : count;
    widths w = measure(graph, list, shown);
    printf("\nneighbours of ");
    print_name(stdout, of, name_columns(of));
    printf("\n  %-*s  attention  contribution  %-*s  alignment\n", w.node, "neighbour", w.partner,
           "selected");
    for (uint32_t i = 0; i < shown; i++) {
        printf("  ");
        print_name(stdout, neap_graph_name(graph, list[i].node), w.node);
        printf("  %9.4f  %+12.4f  ", (double)list[i].weight, (double)list[i].contribution);
        print_name(stdout, partner_name(graph, &list[i]), w.partner);
        printf("  %+9.4f\n", (double)list[i].alignment);
    }
    if (shown < count) printf("  and %u more\n", count - shown);
}

static void print_tables(const neap_graph *graph, const neap_explanation *e, uint64_t rows)
{
    const char *source = neap_graph_name(graph, e->source), *target = neap_graph_name(graph, e->target);
    char text[SHORT];
    print_name(stdout, source, name_columns(source));
    printf(" and ");
    print_name(stdout, target, name_columns(target));
    printf(": score %s\n", exact_float(e->score, text));
    print_side(graph, source, e->by_source, e->source_count, rows);
    print_side(graph, target, e->by_target, e->target_count, rows);
}

static void json_side(json *j, const char *key, const neap_graph *graph, const neap_attention *list,
                      uint32_t count)
{
    json_open(j, key, '[');
    for (uint32_t i = 0; i < count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "node", neap_graph_name(graph, list[i].node));
        json_float(j, "weight", list[i].weight);
        json_float(j, "contribution", list[i].contribution);
        json_text(j, "partner", list[i].partner == NEAP_NONE ? NULL : partner_name(graph, &list[i]));
        json_float(j, "alignment", list[i].alignment);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void print_json(const neap_graph *graph, const neap_explanation *e, const char *html)
{
    json j = { .file = stdout };
    json_open(&j, NULL, '{');
    json_text(&j, "source", neap_graph_name(graph, e->source));
    json_text(&j, "target", neap_graph_name(graph, e->target));
    json_float(&j, "score", e->score);
    if (html) json_text(&j, "html", html);
    json_side(&j, "by_source", graph, e->by_source, e->source_count);
    json_side(&j, "by_target", graph, e->by_target, e->target_count);
    json_close(&j, '}');
}

static neap_status show(const args *a, const neap_graph *graph, const neap_explanation *e, neap_error *err)
{
    const own *o = a->own;
    neap_status rc = o->html ? neap_explanation_html(e, graph, o->html, err) : NEAP_OK;
    if (rc) return rc;
    if (o->html) say(a, "%s: written", o->html);
    if (a->json) print_json(graph, e, o->html);
    else print_tables(graph, e, o->rows);
    return NEAP_OK;
}

static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    uint32_t source, target;
    neap_model *model = NULL;
    neap_explanation *why = NULL;
    neap_status rc = check_output(o->html, err);
    if (rc == NEAP_OK) rc = read_model(a, a->operands[0], o->new_edges, &model, err);
    if (rc) return rc;
    const neap_graph *graph = neap_model_graph(model);
    rc = neap_graph_find(graph, a->operands[1], &source, err);
    if (rc == NEAP_OK) rc = neap_graph_find(graph, a->operands[2], &target, err);
    if (rc == NEAP_OK) rc = neap_explain(model, source, target, &why, err);
    if (rc == NEAP_OK) rc = show(a, graph, why, err);
    neap_explanation_free(why);
    neap_model_free(model);
    return rc;
}

const command cmd_explain = {
    .name = "explain",
    .operands = "MODEL SOURCE TARGET",
    .summary = "say why a pair scores as it does",
    .details = "Prints the neighbours of both nodes with their attention (a side sums to 1), their "
               "contribution (a side sums to the score), and the neighbour of the other side that "
               "each one selected, with their alignment from -1 to 1.\n",
    .examples = "neap explain friends.safetensors alice bob\n"
                "neap explain friends.safetensors alice bob --html explain.html\n",
    .least = 3,
    .most = 3,
    .options = options,
    .own_size = sizeof(own),
    .library = "reading,threads",
    .run = run,
};
