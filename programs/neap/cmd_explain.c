#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "evidence.h"
#include "new_nodes.h"
#include "pages/pages.h"

typedef struct own {
    const char *html;
    new_nodes new;
    uint64_t rows;
    double prior;
} own;

static const arg_option options[] = {
    { "rows", 'k', "N", "10", ARG_WHOLE, offsetof(own, rows), 1, UINT32_MAX, false,
      "rows of each table; --json gives all" },
    { "html", 0, "FILE", NULL, ARG_TEXT, offsetof(own, html), 0, 0, false,
      "write a picture of the pair as one self-contained page" },
    PRIOR_OPTION(own, prior),
    NEW_NODES_OPTIONS(own, new),
    { 0 },
};

/* Padding may be what a neighbour selected: no node at all. */
static const char *selected_name(const neap_graph *graph, const neap_reasons *other, uint32_t partner)
{
    const char *name = ni_partner_name(graph, other, partner);
    return name ? name : "none";
}

/* A row of a table, by what it is sorted. */
typedef struct row {
    uint32_t at, node; /* position in the reasons; who stands there */
    float contribution;
} row;

/* One of the two tables: the neighbours, or words, of a node, in the order in which they are shown. */
typedef struct table {
    uint32_t node, links; /* the node, and the number of its neighbours in the graph */
    const char *noun;     /* what reasons are                                        */
    const char *weight;   /* what their weights are                                  */
    const neap_reasons *reasons, *other;
    row *row; /* reasons->count */
    uint32_t shown;
    bool selects;
    int width, selected_width; /* of the columns of names */
} table;

static int by_name(const row *a, const row *b)
{
    return a->node < b->node ? -1 : a->node > b->node;
}

/* What moves the score most comes first, upwards or downwards. */
static int by_size(const void *a, const void *b)
{
    const row *x = a, *y = b;
    float one = fabsf(x->contribution), two = fabsf(y->contribution);
    return one != two ? (one > two ? -1 : 1) : by_name(x, y);
}

static int by_contribution(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->contribution != y->contribution) return x->contribution > y->contribution ? -1 : 1;
    return by_name(x, y);
}

static int wider(int width, const char *name)
{
    enum { MOST = 36 };
    int n = name_columns(name);
    return n <= width ? width : n < MOST ? n : MOST;
}

/* "95 others", or "" if all are shown. */
static void others_of(const table *t, char text[SHORT])
{
    uint32_t others = t->reasons->count - t->shown;
    snprintf(text, SHORT, "%u other%s", others, plural(others));
    if (!others) *text = 0;
}

static void measure(table *t, const neap_graph *graph)
{
    char others[SHORT];
    others_of(t, others);
    t->width = wider((int)strlen(ni_reasons_lack(t->reasons) ? "elsewhere" : t->noun), others);
    t->selected_width = (int)strlen("selected");
    for (uint32_t i = 0; i < t->shown; i++) {
        uint32_t at = t->row[i].at, partner = t->reasons->partner[at];
        t->width = wider(t->width, ni_reason_name(graph, t->reasons, at));
        t->selected_width = wider(t->selected_width, selected_name(graph, t->other, partner));
    }
}

/* The `rows` that move the score most, as on the page: the largest contribution first. */
static void arrange(table *t, uint64_t rows, const neap_graph *graph)
{
    const neap_reasons *r = t->reasons;
    for (uint32_t i = 0; i < r->count; i++) t->row[i] = (row){ i, r->node[i], r->contribution[i] };
    t->shown = rows < r->count ? (uint32_t)rows : r->count;
    qsort(t->row, r->count, sizeof *t->row, by_size);
    qsort(t->row, t->shown, sizeof *t->row, by_contribution);
    measure(t, graph);
}

/* "neighbours of libc6: 99 of 5,346 read; the 10 that move the score most, the largest contribution first"
 */
static void print_heading(const table *t, const neap_graph *graph)
{
    const char *of = neap_graph_name(graph, t->node);
    char text[SHORT], links[SHORT];
    uint32_t count = t->reasons->count, read = count;
    bool words = t->reasons->word;
    for (uint32_t i = 0; i < count && !words; i++) read -= t->reasons->node[i] == t->node;
    printf("\n%ss of ", t->noun);
    print_name(stdout, of, name_columns(of));
    if (read < t->links && !words)
        printf(": %s of %s read", ni_format_count(read, text), ni_format_count(t->links, links));
    else printf(": %s", ni_format_count(words ? read : t->links, links));
    if (read < count) printf(", and itself");
    if (t->shown < count && t->shown == 1) printf("; the one that moves the score most");
    else if (t->shown < count) printf("; the %u that move the score most", t->shown);
    if (t->shown > 1) printf("%s the largest contribution first", t->shown < count ? "," : ";");
    putchar('\n');
}

static void print_neighbour(const table *t, const neap_graph *graph, uint32_t at)
{
    const neap_reasons *r = t->reasons;
    printf("  ");
    print_name(stdout, ni_reason_name(graph, r, at), t->width);
    printf("  %9.4f  %+12.4f  ", (double)r->weight[at], (double)r->contribution[at]);
    if (t->selects) {
        print_name(stdout, selected_name(graph, t->other, r->partner[at]), t->selected_width);
        printf("  ");
    }
    if (isnan(r->alignment[at])) printf("%9s\n", "-"); /* the other side is empty */
    else printf("%+9.4f\n", (double)r->alignment[at]);
}

static void print_others(const table *t)
{
    char text[SHORT];
    double weight = 0, contribution = 0;
    for (uint32_t i = t->shown; i < t->reasons->count; i++)
        weight += t->reasons->weight[t->row[i].at], contribution += t->row[i].contribution;
    others_of(t, text);
    printf("  %-*s  %9.4f  %+12.4f\n", t->width, text, weight, contribution);
}

static void print_table(const table *t, const neap_graph *graph)
{
    print_heading(t, graph);
    if (!t->reasons->count && !ni_reasons_lack(t->reasons)) return;
    printf("  %-*s  %9s  contribution  ", t->width, t->noun, t->weight);
    if (t->selects) printf("%-*s  ", t->selected_width, "selected");
    puts("alignment");
    for (uint32_t i = 0; i < t->shown; i++) print_neighbour(t, graph, t->row[i].at);
    if (t->shown < t->reasons->count) print_others(t);
    if (ni_reasons_lack(t->reasons))
        printf("  %-*s  %9.4f  %+12.4f\n", t->width, "elsewhere", (double)t->reasons->rest_weight,
               (double)t->reasons->rest_contribution);
}

/* Six digits: the others depend on the order of summation, which rank has another of. */
static void print_pair(const neap_graph *graph, const neap_explanation *e)
{
    const char *source = neap_graph_name(graph, e->source), *target = neap_graph_name(graph, e->target);
    char text[SHORT];
    print_name(stdout, source, name_columns(source));
    printf(" and ");
    print_name(stdout, target, name_columns(target));
    printf(": score %.6g\n", (double)e->score);
    if (e->source != e->target)
        printf("They are %s. ",
               e->linked ? "linked in the graph" : "not linked in the graph the model was trained on");
    printf("Neighbours of both: %s.\n", ni_format_count(e->shared, text));
}

static neap_status print_side(const neap_graph *graph, table t, uint64_t rows, neap_error *err)
{
    t.row = malloc(((size_t)t.reasons->count + 1) * sizeof *t.row);
    if (!t.row) return ni_fail(err, NEAP_E_MEM, "out of memory for a table");
    arrange(&t, rows, graph);
    print_table(&t, graph);
    free(t.row);
    return NEAP_OK;
}

static neap_status print_text(const neap_graph *graph, const neap_explanation *e, uint64_t rows,
                              neap_error *err)
{
    table s = { .node = e->source, .links = e->source_links };
    table t = { .node = e->target, .links = e->target_links };
    s.reasons = t.other = e->by_source, t.reasons = s.other = e->by_target;
    s.selects = t.selects = e->selects;
    s.noun = t.noun = ni_reason_noun(e);
    s.weight = t.weight = ni_weight_noun(e);
    print_pair(graph, e);
    if (e->evidence) return print_evidence(graph, e, rows), NEAP_OK;
    neap_status rc = print_side(graph, s, rows, err);
    return rc ? rc : print_side(graph, t, rows, err);
}

/* By words `position` is the word's in its text, from 0. weight: what weights are. */
static void json_side(ni_json *j, const char *key, const char *weight, const neap_graph *graph,
                      const neap_reasons *r, const neap_reasons *other)
{
    ni_json_open(j, key, '[');
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t partner = r->partner[i];
        ni_json_open(j, NULL, '{');
        ni_json_text(j, r->word ? "word" : "node", ni_reason_name(graph, r, i));
        if (r->word) ni_json_whole(j, "position", r->node[i]);
        ni_json_float(j, weight, r->weight[i]);
        ni_json_float(j, "contribution", r->contribution[i]);
        ni_json_text(j, "selected", ni_partner_name(graph, other, partner));
        ni_json_float(j, "alignment", r->alignment[i]);
        ni_json_close(j, '}');
    }
    ni_json_close(j, ']');
}

/* What no row has, if there is anything. */
static void json_rest(ni_json *j, const char *key, const char *weight, const neap_reasons *r)
{
    if (!ni_reasons_lack(r)) return;
    ni_json_open(j, key, '{');
    ni_json_float(j, weight, r->rest_weight);
    ni_json_float(j, "contribution", r->rest_contribution);
    ni_json_close(j, '}');
}

static void print_json(const neap_graph *graph, const neap_explanation *e, const char *html)
{
    const char *weight = ni_weight_noun(e);
    ni_json j = json_to(stdout);
    ni_json_open(&j, NULL, '{');
    ni_json_text(&j, "source", neap_graph_name(graph, e->source));
    ni_json_text(&j, "target", neap_graph_name(graph, e->target));
    ni_json_float(&j, "score", e->score);
    ni_json_switch(&j, "linked", e->linked);
    ni_json_whole(&j, "source_links", e->source_links);
    ni_json_whole(&j, "target_links", e->target_links);
    ni_json_whole(&j, "shared", e->shared);
    if (html) ni_json_text(&j, "html", html);
    if (e->evidence) json_evidence(&j, graph, e);
    json_side(&j, "by_source", weight, graph, e->by_source, e->by_target);
    json_side(&j, "by_target", weight, graph, e->by_target, e->by_source);
    json_rest(&j, "source_elsewhere", weight, e->by_source);
    json_rest(&j, "target_elsewhere", weight, e->by_target);
    ni_json_close(&j, '}');
}

static neap_status write_page(const neap_graph *graph, const neap_explanation *e, const char *path,
                              neap_error *err)
{
    ni_page page = { 0 };
    neap_status rc = ni_explanation_write(&page, e, graph, err);
    if (rc == NEAP_OK) return ni_page_save(&page, path, err);
    ni_page_free(&page);
    return rc;
}

static neap_status show(const args *a, const neap_graph *graph, const neap_explanation *e, neap_error *err)
{
    const own *o = a->own;
    neap_status rc = o->html ? write_page(graph, e, o->html, err) : NEAP_OK;
    if (rc) return rc;
    if (o->html) say(a, "%s: written", o->html);
    if (a->json) print_json(graph, e, o->html);
    else rc = print_text(graph, e, o->rows, err);
    return rc;
}

/* Explains the pair that the operands name. */
static neap_status answer(const args *a, const neap_model *model, neap_query *query, neap_error *err)
{
    const neap_graph *graph = neap_model_graph(model);
    uint32_t source, target;
    neap_explanation *why = NULL;
    neap_status rc = neap_graph_find(graph, a->operands[1], &source, err);
    if (rc == NEAP_OK) rc = neap_graph_find(graph, a->operands[2], &target, err);
    if (rc == NEAP_OK) rc = neap_query_explain(query, source, target, &why, err);
    if (rc == NEAP_OK) rc = show(a, graph, why, err);
    neap_explanation_free(why);
    return rc;
}

static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    neap_model *model = NULL;
    neap_query *query = NULL;
    neap_status rc =
        check_apart((const char *[]){ a->operands[0], o->new.edges, o->new.text, o->html }, 3, 4, err);
    if (rc == NEAP_OK) rc = check_output(o->html, err);
    if (rc == NEAP_OK) rc = ask_model(a, a->operands[0], &o->new, o->prior, NULL, &model, &query, err);
    if (rc == NEAP_OK) rc = answer(a, model, query, err);
    neap_query_free(query);
    neap_model_free(model);
    return rc;
}

const command cmd_explain = {
    .name = "explain",
    .operands = "MODEL SOURCE TARGET",
    .summary = "explain the score of a pair",
    .details =
        "Prints whether the two are linked, and the neighbours of both that move the score most, the "
        "largest contribution first, with their attention (a side sums to 1), their contribution (a side "
        "sums to the score), and the neighbour of the other side that each one selected, with their "
        "alignment from -1 to 1. Under mean pooling nothing is selected, and the alignment is the mean "
        "with "
        "the other side. In a model of splitter the members of the circle that decides share the attention "
        "evenly.\n"
        "evidence is explained by what each group of evidence adds to the log-odds, who stands behind it, "
        "through which neighbours the sum goes, and what the probability would be without one link of "
        "either node; --prior as in score.\n"
        "apn, cane and text are explained by the words of the two texts instead of neighbours. What "
        "padding, in cane the nodes' own vectors and in text their features contribute stands as "
        "elsewhere. text has no attention: the weight of a word is its share of its text's TF-IDF. Other "
        "methods with one vector per node have no explanation.\n",
    .examples = "neap explain friends.safetensors alice bob\n"
                "neap explain about.safetensors alice bob --html words.html\n"
                "neap explain gap.safetensors alice bob --html explain.html\n",
    .least = 3,
    .most = 3,
    .options = options,
    .own_size = sizeof(own),
    .library = "reading,threads",
    .run = run,
};
