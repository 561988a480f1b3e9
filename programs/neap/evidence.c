#include "evidence.h"

#include <math.h>
#include <string.h>

#include "common.h"
#include "pages/pages.h"

/* ---- text ---- */

static void put_name(const neap_graph *graph, uint32_t node)
{
    const char *name = neap_graph_name(graph, node);
    print_name(stdout, name, name_columns(name));
}

/* The phrase of a kind with the names of the nodes in it. */
static void put_words(const neap_graph *graph, const neap_explanation *e, const char *words)
{
    for (const char *at = words; *at; at++) {
        if (at[0] == '%' && at[1] == 's') put_name(graph, e->source), at++;
        else if (at[0] == '%' && at[1] == 't') put_name(graph, e->target), at++;
        else putchar(*at);
    }
}

/* "alice - carol - dave - bob" for a path. */
static void put_behind(const neap_graph *graph, const neap_evidence *v, uint32_t i)
{
    if (v->word[i]) print_name(stdout, v->word[i], name_columns(v->word[i]));
    else if (v->node[i] == NEAP_NONE) fputs("a feature", stdout);
    else put_name(graph, v->node[i]);
    if (v->second[i] == NEAP_NONE) return;
    fputs(" - ", stdout);
    put_name(graph, v->second[i]);
}

/* Who stands behind a group, in one line. */
static void put_group_behind(const neap_graph *graph, const neap_evidence *v, const char *group,
                             uint64_t rows)
{
    uint64_t shown = 0;
    for (uint32_t i = 0; i < v->behind_count && shown < rows; i++) {
        if (strcmp(v->behind[i], group)) continue;
        fputs(shown++ ? ", " : "             by ", stdout);
        put_behind(graph, v, i);
        printf(" %.0f %%", 100 * (double)v->share[i]);
    }
    if (shown) putchar('\n');
}

/* What the rest of a list adds. */
static void put_others(const char *margin, uint32_t count, double sum)
{
    if (count) printf("%s%+9.4f    %u other%s\n", margin, sum, count, plural(count));
}

/* The kinds of a group that add most to it, up or down, and the others together. */
static void put_kinds(const neap_graph *graph, const neap_explanation *e, uint32_t first, uint32_t end)
{
    enum { SHOWN = 2 };
    const neap_evidence *v = e->evidence;
    uint32_t last = NEAP_NONE, shown = 0;
    double others = 0;
    for (uint32_t i = first; i < end; i++) others += v->contribution[i];
    for (; shown < SHOWN; shown++) {
        uint32_t best = NEAP_NONE;
        for (uint32_t i = first; i < end; i++) {
            double size = fabs(v->contribution[i]);
            bool before = last == NEAP_NONE || size < fabs(v->contribution[last]) ||
                          (size == fabs(v->contribution[last]) && i > last);
            if (before && (best == NEAP_NONE || size > fabs(v->contribution[best]))) best = i;
        }
        if (best == NEAP_NONE || fabs(v->contribution[best]) < 0.005) break;
        others -= v->contribution[best];
        printf("  %+11.4f    ", v->contribution[best]);
        put_words(graph, e, v->words[best]);
        if (isnan(v->value[best])) puts(": unknown");
        else printf(": %.4g\n", (double)v->value[best]);
        last = best;
    }
    put_others("    ", end - first - shown, others);
}

static void put_groups(const neap_graph *graph, const neap_explanation *e, uint64_t rows)
{
    const neap_evidence *v = e->evidence;
    for (uint32_t first = 0, end; first < v->count; first = end) {
        double sum = 0;
        for (end = first; end < v->count && v->group[end] == v->group[first]; end++)
            sum += v->contribution[end];
        printf("%+9.4f  %s\n", sum, v->group[first]);
        put_kinds(graph, e, first, end);
        put_group_behind(graph, v, v->group[first], rows);
    }
}

/* The part of the score that goes through each neighbour. */
static void put_neighbours(const neap_graph *graph, const neap_evidence *v, uint64_t rows)
{
    if (!v->neighbour_count) return;
    puts("\nThe same sum, by the neighbours that it goes through:");
    double others = 0, rest = v->score;
    uint32_t shown = v->neighbour_count < rows ? v->neighbour_count : (uint32_t)rows;
    for (uint32_t i = 0; i < shown; i++) {
        printf("%+9.4f  ", v->through[i]);
        put_name(graph, v->neighbour[i]);
        putchar('\n');
    }
    for (uint32_t i = 0; i < v->neighbour_count; i++) {
        rest -= v->through[i];
        if (i >= shown) others += v->through[i];
    }
    put_others("", v->neighbour_count - shown, others);
    printf("%+9.4f  nobody in particular\n", rest);
}

static void put_changes(const neap_graph *graph, const neap_evidence *v, uint64_t rows)
{
    if (!v->change_count) return;
    printf(
        "\nThe probability without one link (what is learned, spectral, text and global values held):\n");
    for (uint32_t i = 0; i < v->change_count && i < rows; i++) {
        printf("  %.*f  without ", ni_probability_decimals(v->probability),
               (double)v->probability_without[i]);
        put_name(graph, v->end[i]);
        fputs(" - ", stdout);
        put_name(graph, v->without[i]);
        printf(" (%+.4f)\n", (double)v->score_without[i] - v->score);
    }
}

void print_evidence(const neap_graph *graph, const neap_explanation *e, uint64_t rows)
{
    const neap_evidence *v = e->evidence;
    printf("Probability %.*f, if %.4g %% of the pairs that you ask about are links and the others are "
           "non-links "
           "of the same node, %s.\n",
           ni_probability_decimals(v->probability), v->probability, 100 * v->prior,
           ni_negatives_in_words(v->negatives));
    if (e->linked)
        puts("Measured as if they were not linked, but for spectral values, PageRank, core and clustering, "
             "which "
             "know of the link.");
    printf("\nThe score is log-odds, a sum:\n%+9.4f  start, the same for all pairs\n", v->start);
    put_groups(graph, e, rows);
    printf("%+9.4f  all together\n", v->score);
    put_neighbours(graph, v, rows);
    put_changes(graph, v, rows);
}

/* ---- JSON ---- */

/* Points of the curve, from left to right: the value, and what it would contribute. */
static void json_curve(ni_json *j, const neap_evidence *v, uint32_t kind)
{
    ni_json_open(j, "curve", '[');
    for (uint32_t k = v->curve[kind]; k < v->curve[kind + 1]; k++) {
        ni_json_open(j, NULL, '[');
        ni_json_float(j, NULL, v->curve_value[k]);
        ni_json_float(j, NULL, v->curve_contribution[k]);
        ni_json_close(j, ']');
    }
    ni_json_close(j, ']');
}

static void json_kinds(ni_json *j, const neap_evidence *v)
{
    ni_json_open(j, "evidence", '[');
    for (uint32_t i = 0; i < v->count; i++) {
        ni_json_open(j, NULL, '{');
        ni_json_text(j, "name", v->name[i]);
        ni_json_text(j, "group", v->group[i]);
        ni_json_float(j, "value", v->value[i]);
        ni_json_real(j, "contribution", v->contribution[i]);
        json_curve(j, v, i);
        ni_json_close(j, '}');
    }
    ni_json_close(j, ']');
}

static void json_behind(ni_json *j, const neap_graph *graph, const neap_evidence *v)
{
    ni_json_open(j, "behind", '[');
    for (uint32_t i = 0; i < v->behind_count; i++) {
        ni_json_open(j, NULL, '{');
        ni_json_text(j, "group", v->behind[i]);
        if (v->node[i] != NEAP_NONE) ni_json_text(j, "node", neap_graph_name(graph, v->node[i]));
        if (v->second[i] != NEAP_NONE) ni_json_text(j, "second", neap_graph_name(graph, v->second[i]));
        if (v->word[i]) ni_json_text(j, "word", v->word[i]);
        ni_json_float(j, "share", v->share[i]);
        ni_json_close(j, '}');
    }
    ni_json_close(j, ']');
}

static void json_neighbours(ni_json *j, const neap_graph *graph, const neap_evidence *v)
{
    ni_json_open(j, "through", '[');
    for (uint32_t i = 0; i < v->neighbour_count; i++) {
        ni_json_open(j, NULL, '{');
        ni_json_text(j, "node", neap_graph_name(graph, v->neighbour[i]));
        ni_json_real(j, "contribution", v->through[i]);
        ni_json_close(j, '}');
    }
    ni_json_close(j, ']');
}

static void json_changes(ni_json *j, const neap_graph *graph, const neap_evidence *v)
{
    ni_json_open(j, "what_if", '[');
    for (uint32_t i = 0; i < v->change_count; i++) {
        ni_json_open(j, NULL, '{');
        ni_json_text(j, "end", neap_graph_name(graph, v->end[i]));
        ni_json_text(j, "without", neap_graph_name(graph, v->without[i]));
        ni_json_float(j, "score", v->score_without[i]);
        ni_json_float(j, "probability", v->probability_without[i]);
        ni_json_close(j, '}');
    }
    ni_json_close(j, ']');
}

void json_evidence(ni_json *j, const neap_graph *graph, const neap_explanation *e)
{
    const neap_evidence *v = e->evidence;
    ni_json_real(j, "prior", v->prior);
    ni_json_text(j, "negatives", v->negatives);
    ni_json_real(j, "probability", v->probability);
    ni_json_real(j, "start", v->start);
    json_kinds(j, v);
    json_behind(j, graph, v);
    json_neighbours(j, graph, v);
    json_changes(j, graph, v);
}
