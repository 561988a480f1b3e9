/* The page that explains a score that is a sum of evidence: how the log-odds grow from the start to the
 * answer, what each kind of evidence adds and who stands behind it, through whom it all goes, and what if a
 * link were not there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pages/explanation.h"

enum {
    GROUPS = 16,  /* of evidence, at most                            */
    NAME = 28,    /* columns of a name in a table                    */
    THROUGH = 15, /* neighbours in a list; the rest is summed        */
    DECIMALS = 3, /* of log-odds                                      */
};

/* A kind that adds less than this share of the largest has no row of its own. */
static const double SMALL = 0.02;

static const char page_style[] =
    ".fall{max-width:62rem}.fall .last{text-align:right}"
    ".fall .first{width:auto}.fall .last{width:20%}.fall thead .bars{width:52%}"
    ".whatif thead .first{width:48%}.whatif thead .now{width:20%}.behind thead .first{width:55%}"
    ".kinds th,.kinds td{vertical-align:middle}.kinds{max-width:52rem}"
    ".kinds thead .first{width:42%}.kinds thead .value{width:14%}.kinds thead .last{width:9rem}"
    ".answer th,.answer td{font-weight:700;border-top:1px solid var(--line)}"
    ".curve svg{display:block;margin-left:auto;overflow:visible}"
    "h2 .sum{font-weight:400;color:var(--muted);font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".evidence{border-top:1px solid var(--line);padding-top:1.2rem}"
    ".evidence h3{font-size:.85rem;font-weight:600;margin:0 0 .4rem}"
    ".evidence .two{margin-top:0}.evidence .two>div{margin-top:.6rem}"
    "@media(min-width:60rem){.evidence .two{grid-template-columns:minmax(0,1.6fr) minmax(0,1fr)}}"
    "@media(max-width:40rem){.fall .last,.whatif thead .now,.kinds thead .last{width:auto}"
    ".fall .bars,.fall td:first-of-type,.whatif .bars,.whatif td:last-child,"
    ".behind th,.behind td{grid-column:1/-1}.whatif .now{text-align:right}.answer th,.answer td{border:0}"
    ".kinds .last{order:0}}";

typedef struct group {
    const char *name;
    uint32_t first, end;  /* kinds                                */
    double before, after; /* the log-odds without it, and with it */
} group;

typedef struct page {
    ni_page *out;
    const neap_explanation *e;
    const neap_evidence *v;
    const neap_graph *graph;
    group group[GROUPS];
    uint32_t groups;
    double shift, sum;  /* log-odds of the base rate, and of all */
    ni_bar_scale scale; /* of the sum while it grows         */
    int digits;         /* of probabilities                  */
} page;

/* What a group is to people. */
typedef struct words {
    const char *group, *title, *behind;
} words;

static const words group_words[] = {
    { "degrees", "How many links each has", NULL },
    { "shared", "Neighbours that both have", "Neighbours of both" },
    { "paths", "Paths between them", "The strongest paths" },
    { "walks", "Walks from one to the other", "The neighbours that walks go through" },
    { "spectral", "Places in the whole graph", "The neighbours that are closest" },
    { "text", "Texts and features", "Words that both have" },
    { "pooling", "Neighbours that attend to each other", "The neighbours that attend" },
};

static words words_of(const char *name)
{
    for (size_t i = 0; i < sizeof group_words / sizeof *group_words; i++)
        if (!strcmp(group_words[i].group, name)) return group_words[i];
    return (words){ name, name, "Behind it" };
}

const char *ni_negatives_in_words(const char *kind)
{
    if (!strcmp(kind, "degree")) return "drawn in proportion to their degree";
    return strcmp(kind, "two-hop") ? "drawn evenly" : "drawn from neighbours of neighbours";
}

int ni_probability_decimals(double probability)
{
    enum { LEAST = 4 };
    int decimals = ni_html_decimals(fmin(probability, 1 - probability));
    return decimals > LEAST ? decimals : LEAST;
}

/* ---- what is shown ---- */

static bool is_of_graph(const neap_evidence *v, uint32_t nodes)
{
    bool ok = true;
    for (uint32_t i = 0; i < v->behind_count; i++)
        ok &= (v->node[i] < nodes || v->node[i] == NEAP_NONE) &&
              (v->second[i] < nodes || v->second[i] == NEAP_NONE);
    for (uint32_t i = 0; i < v->change_count; i++) ok &= v->end[i] < nodes && v->without[i] < nodes;
    for (uint32_t i = 0; i < v->neighbour_count; i++) ok &= v->neighbour[i] < nodes;
    return ok;
}

static bool begins_group(const page *p, const char *name)
{
    return !p->groups || (p->groups < GROUPS && strcmp(p->group[p->groups - 1].name, name));
}

/* Kinds come group by group. */
static void find_groups(page *p)
{
    const neap_evidence *v = p->v;
    p->sum = p->shift + v->start;
    for (uint32_t i = 0; i < v->count; i++) {
        if (begins_group(p, v->group[i])) p->group[p->groups++] = (group){ v->group[i], i, i, p->sum, 0 };
        group *g = &p->group[p->groups - 1];
        g->end = i + 1;
        g->after = p->sum += v->contribution[i];
    }
}

static void cover(ni_bar_scale *scale, double value)
{
    scale->low = fmin(scale->low, value);
    scale->high = fmax(scale->high, value);
}

/* Sums are rounded before they are compared, so that what is shown adds up to the last digit. */
static double shown(double sum)
{
    return round(sum * 1e3) / 1e3;
}

/* The least scale on which all of the sum can be drawn. */
static void measure(page *p)
{
    cover(&p->scale, shown(p->shift));
    for (uint32_t g = 0; g < p->groups; g++) cover(&p->scale, shown(p->group[g].before));
    cover(&p->scale, shown(p->sum));
    p->scale.decimals = DECIMALS;
    p->digits = ni_probability_decimals(p->v->probability);
}

/* What a group adds, as it is shown. */
static double added_by(const group *g)
{
    return shown(g->after) - shown(g->before);
}

static double probability_of(double log_odds)
{
    return 1 / (1 + exp(-log_odds));
}

/* ---- pieces ---- */

static void write_name(const page *p, uint32_t node)
{
    ni_html_name(p->out, neap_graph_name(p->graph, node), NAME);
}

/* The phrase of a kind, with the names of the nodes in it. */
static void write_phrase(const page *p, const char *phrase)
{
    for (const char *at = phrase; *at; at++) {
        if (at[0] == '%' && (at[1] == 's' || at[1] == 't'))
            write_name(p, *++at == 's' ? p->e->source : p->e->target);
        else ni_page_write(p->out, at, 1);
    }
}

static void write_probability(const page *p, double probability)
{
    ni_html_number(p->out, probability, p->digits);
}

static void write_value(const page *p, float value)
{
    char text[32];
    if (isnan(value)) {
        ni_page_text(p->out, "<span class=\"muted\">unknown</span>");
        return;
    }
    ni_format_digits((double)value, 4, text);
    if (*text == '-') ni_page_text(p->out, "\u2212");
    ni_page_text(p->out, text + (*text == '-'));
}

/* A share in per cent and its bar, beside the largest share of its table. */
static void write_share(const page *p, double share, double most)
{
    ni_page_text(p->out, "<td role=\"cell\"><div class=\"bar\"><span>");
    ni_html_number(p->out, 100 * share, 1);
    ni_page_text(p->out, "\u00a0%</span><div><i class=\"weight\" style=\"width:");
    ni_html_fixed(p->out, most > 0 && share <= most ? 100 * share / most : 0, 1);
    ni_page_text(p->out, "%\"></i></div></div></td>");
}

static void begin_row(const page *p, const char *class)
{
    ni_page_print(p->out, "<tr role=\"row\"%s><th role=\"rowheader\" scope=\"row\" class=\"first\">",
                  class);
}

/* title: of a column; class: of its place. */
static void write_head(const page *p, const char *title, const char *class)
{
    ni_page_print(p->out, "<th role=\"columnheader\" scope=\"col\" class=\"%s\">%s</th>", class, title);
}

static void begin_table(const page *p, const char *class, const char *label, const ni_bar_scale *scale)
{
    ni_page_print(p->out, "<table role=\"table\" class=\"folding %s\" aria-labelledby=\"%s\" style=\"",
                  class, label);
    ni_html_zero(p->out, scale);
    ni_page_text(p->out, "\">\n<thead role=\"rowgroup\">\n<tr role=\"row\">");
}

static void begin_body(const page *p)
{
    ni_page_text(p->out, "</tr>\n</thead>\n<tbody role=\"rowgroup\">\n");
}

static void end_table(const page *p)
{
    ni_page_text(p->out, "</tbody>\n</table>\n");
}

/* ---- the answer ---- */

static void write_fact(const page *p, const char *name, uint32_t node, uint64_t value)
{
    ni_page_print(p->out, "<div><dt>%s", name);
    if (node != NEAP_NONE) write_name(p, node);
    ni_page_text(p->out, "</dt><dd>");
    ni_html_whole(p->out, value);
    ni_page_text(p->out, "</dd></div>\n");
}

static void write_facts(const page *p)
{
    ni_page_text(p->out, "<dl class=\"facts\">\n<div><dt>probability of a link</dt><dd>");
    write_probability(p, p->v->probability);
    ni_page_text(p->out, "</dd></div>\n<div><dt>score: log-odds</dt><dd>");
    ni_html_number(p->out, p->v->score, DECIMALS);
    ni_page_text(p->out, "</dd></div>\n");
    write_fact(p, "neighbours of ", p->e->source, p->e->source_links);
    write_fact(p, "neighbours of ", p->e->target, p->e->target_links);
    write_fact(p, "neighbours of both", NEAP_NONE, p->e->shared);
    ni_page_text(p->out, "</dl>\n");
}

/* The group that adds most, or least where `sign` is negative; NULL: none has that sign. */
static const group *strongest(const page *p, int sign)
{
    const group *best = NULL;
    for (uint32_t g = 0; g < p->groups; g++)
        if (added_by(&p->group[g]) * sign > (best ? added_by(best) * sign : 0)) best = &p->group[g];
    return best;
}

static bool write_strongest(const page *p, int sign, const char *before)
{
    const group *g = strongest(p, sign);
    if (!g) return false;
    ni_page_print(p->out, "%s<strong>%s</strong> (", before, g->name);
    ni_html_added(p->out, added_by(g), DECIMALS);
    ni_page_text(p->out, ")");
    return true;
}

static void write_answer(const page *p)
{
    const neap_evidence *v = p->v;
    char percent[32];
    ni_format_digits(100 * v->prior, 6, percent);
    ni_page_print(
        p->out, "<p class=\"lede\">%s%s The probability of a link is <strong>", ni_link_words(p->e),
        p->e->linked
            ? " Everything here is measured as if they were not, but for places in the whole graph, "
              "PageRank, core numbers and clustering, which know of the link."
            : "");
    write_probability(p, v->probability);
    ni_page_print(p->out,
                  "</strong>, if %s\u00a0%% of the pairs that you ask about are links and the others are "
                  "non-links of "
                  "the same node, %s.",
                  percent, ni_negatives_in_words(v->negatives));
    bool one = write_strongest(p, 1, " Most of all for it: ");
    bool two = write_strongest(p, -1, one ? "; against it: " : " Most of all against it: ");
    ni_page_text(p->out, one || two ? ".</p>\n" : "</p>\n");
}

/* ---- from the start to the answer ---- */

/* A row that goes from one sum to the next, and the probability that it leads to. */
static void write_step(const page *p, double from, double to)
{
    ni_page_text(p->out, "</th>");
    ni_html_bar(p->out, &p->scale, shown(from), shown(to));
    ni_page_text(p->out, "<td role=\"cell\" class=\"last\">");
    write_probability(p, probability_of(to));
    ni_page_text(p->out, "</td></tr>\n");
}

static void write_steps(const page *p)
{
    if (fabs(p->shift) > 0) {
        begin_row(p, "");
        ni_page_text(p->out, "base rate: how many of the pairs are links");
        write_step(p, 0, p->shift);
    }
    begin_row(p, "");
    ni_page_text(p->out, "start, the same for all pairs");
    write_step(p, p->shift, p->shift + p->v->start);
    for (const group *g = p->group; g < p->group + p->groups; g++) {
        begin_row(p, "");
        ni_page_print(p->out, "%s <small>%s</small>", words_of(g->name).title, g->name);
        write_step(p, g->before, g->after);
    }
    begin_row(p, " class=\"answer\"");
    ni_page_text(p->out, "all together");
    write_step(p, 0, p->sum);
}

static void write_fall(const page *p)
{
    ni_page_text(p->out, "<section>\n<h2 id=\"fall\">From the start to the answer</h2>\n"
                         "<p>The log-odds are a sum: each row begins where the row above it ends. At the "
                         "vertical line a link and a non-link are equally likely.</p>\n");
    begin_table(p, "fall", "fall", &p->scale);
    write_head(p, "Evidence", "first");
    write_head(p, "Adds to the log-odds", "bars");
    write_head(p, "Probability so far", "last");
    begin_body(p);
    write_steps(p);
    end_table(p);
    ni_page_text(p->out, "</section>\n");
}

/* ---- the kinds of a group ---- */

static double largest(const page *p)
{
    double most = 0;
    for (uint32_t i = 0; i < p->v->count; i++) most = fmax(most, fabs(p->v->contribution[i]));
    return most;
}

/* Where a part of a group's sum ends, from where the group begins. */
static double within(const group *g, double sum)
{
    return shown(g->before + sum) - shown(g->before);
}

static ni_bar_scale scale_of(const page *p, const group *g)
{
    ni_bar_scale scale = { .decimals = DECIMALS };
    double sum = 0, least = SMALL * largest(p);
    for (uint32_t i = g->first; i < g->end; i++)
        if (fabs(p->v->contribution[i]) >= least) cover(&scale, within(g, sum += p->v->contribution[i]));
    cover(&scale, added_by(g));
    return scale;
}

static void write_kind(const page *p, const ni_bar_scale *scale, const group *g, uint32_t i, double sum)
{
    begin_row(p, "");
    write_phrase(p, p->v->words[i]);
    ni_page_text(p->out, "</th><td role=\"cell\">");
    write_value(p, p->v->value[i]);
    ni_page_text(p->out, "</td>");
    ni_html_bar(p->out, scale, within(g, sum), within(g, sum + p->v->contribution[i]));
    ni_page_text(p->out, "<td role=\"cell\" class=\"last curve\">");
    ni_curve_write(p->out, p->v, i);
    ni_page_text(p->out, "</td></tr>\n");
}

/* What adds too little for a row of its own, as one row. */
static void write_others(const page *p, const ni_bar_scale *scale, const group *g, uint32_t count,
                         double sum)
{
    if (!count) return;
    begin_row(p, "");
    ni_page_print(p->out,
                  "<span class=\"muted\">%u other%s, little each</span></th><td role=\"cell\"></td>", count,
                  count == 1 ? "" : "s");
    ni_html_bar(p->out, scale, within(g, sum), added_by(g));
    ni_page_text(p->out, "<td role=\"cell\" class=\"last\"></td></tr>\n");
}

static void write_kinds(const page *p, const group *g)
{
    ni_bar_scale scale = scale_of(p, g);
    double sum = 0, least = SMALL * largest(p);
    uint32_t others = 0;
    begin_table(p, "kinds", g->name, &scale);
    write_head(p, "What is measured", "first");
    write_head(p, "Value", "value");
    write_head(p, "Adds", "");
    write_head(p, "Its curve", "last");
    begin_body(p);
    for (uint32_t i = g->first; i < g->end; i++) {
        bool large = fabs(p->v->contribution[i]) >= least;
        others += !large;
        if (!large) continue;
        write_kind(p, &scale, g, i, sum);
        sum += p->v->contribution[i];
    }
    write_others(p, &scale, g, others, sum);
    end_table(p);
}

/* ---- who stands behind a group ---- */

static void write_behind(const page *p, uint32_t i)
{
    const neap_evidence *v = p->v;
    if (v->word[i]) ni_html_name(p->out, v->word[i], NAME);
    else if (v->node[i] == NEAP_NONE) ni_page_text(p->out, "a feature");
    else if (v->second[i] == NEAP_NONE) write_name(p, v->node[i]);
    else {
        uint32_t path[] = { p->e->source, v->node[i], v->second[i], p->e->target };
        for (int k = 0; k < 4; k++) {
            if (k) ni_page_text(p->out, " \u2013 ");
            if (k == 0 || k == 3) ni_page_text(p->out, "<span class=\"muted\">");
            write_name(p, path[k]);
            if (k == 0 || k == 3) ni_page_text(p->out, "</span>");
        }
    }
}

static uint32_t count_behind(const page *p, const group *g, double *most)
{
    uint32_t count = 0;
    *most = 0;
    for (uint32_t i = 0; i < p->v->behind_count; i++) {
        if (strcmp(p->v->behind[i], g->name)) continue;
        *most = fmax(*most, (double)p->v->share[i]);
        count++;
    }
    return count;
}

static void write_all_behind(const page *p, const group *g)
{
    const ni_bar_scale none = { 0 };
    char label[64];
    double most;
    if (!count_behind(p, g, &most)) return;
    snprintf(label, sizeof label, "behind-%.40s", g->name);
    ni_page_print(p->out, "<div>\n<h3 id=\"%s\">%s</h3>\n", label, words_of(g->name).behind);
    begin_table(p, "behind", label, &none);
    write_head(p, "Name", "first");
    write_head(p, "Share", "");
    begin_body(p);
    for (uint32_t i = 0; i < p->v->behind_count; i++) {
        if (strcmp(p->v->behind[i], g->name)) continue;
        begin_row(p, "");
        write_behind(p, i);
        ni_page_text(p->out, "</th>");
        write_share(p, (double)p->v->share[i], most);
        ni_page_text(p->out, "</tr>\n");
    }
    end_table(p);
    ni_page_text(p->out, "</div>\n");
}

static void write_group(const page *p, const group *g)
{
    ni_page_print(p->out, "<section class=\"evidence\">\n<h2 id=\"%s\">%s <span class=\"sum\">", g->name,
                  words_of(g->name).title);
    ni_html_added(p->out, added_by(g), DECIMALS);
    ni_page_text(p->out, "</span></h2>\n<div class=\"two\">\n<div>\n");
    write_kinds(p, g);
    ni_page_text(p->out, "</div>\n");
    write_all_behind(p, g);
    ni_page_text(p->out, "</div>\n</section>\n");
}

/* ---- through whom ---- */

static void write_whose(const page *p, uint32_t x)
{
    bool one = ni_is_link(p->graph, x, p->e->source), two = ni_is_link(p->graph, x, p->e->target);
    ni_page_text(p->out, " <span class=\"tag\">of ");
    if (one && two) ni_page_text(p->out, "both");
    else write_name(p, one ? p->e->source : p->e->target);
    ni_page_text(p->out, "</span>");
}

static void write_neighbour(const page *p, const ni_bar_scale *scale, uint32_t i)
{
    begin_row(p, "");
    write_name(p, p->v->neighbour[i]);
    write_whose(p, p->v->neighbour[i]);
    ni_page_text(p->out, "</th>");
    ni_html_bar(p->out, scale, 0, p->v->through[i]);
    ni_page_text(p->out, "</tr>\n");
}

/* A row of a sum, without a bar. */
static void write_sum(const page *p, const char *what, double sum)
{
    begin_row(p, "");
    ni_page_print(p->out, "<span class=\"muted\">%s</span></th>", what);
    ni_page_text(p->out, "<td role=\"cell\"><div class=\"bar\"><span>");
    ni_html_number(p->out, sum, DECIMALS);
    ni_page_text(p->out, "</span></div></td></tr>\n");
}

static void write_through(const page *p)
{
    const neap_evidence *v = p->v;
    uint32_t rows = v->neighbour_count < THROUGH ? v->neighbour_count : THROUGH;
    ni_bar_scale scale = { .decimals = DECIMALS };
    double rest = v->score, others = 0;
    char what[32];
    if (!rows) return;
    for (uint32_t i = 0; i < v->neighbour_count; i++) {
        if (i < rows) cover(&scale, v->through[i]);
        else others += v->through[i];
        rest -= v->through[i];
    }
    ni_page_text(p->out, "<section>\n<h2 id=\"through\">Through whom</h2>\n"
                         "<p class=\"muted\">The same sum, divided among the neighbours that evidence "
                         "passes through.</p>\n");
    begin_table(p, "behind", "through", &scale);
    write_head(p, "Neighbour", "first");
    write_head(p, "Contribution", "");
    begin_body(p);
    for (uint32_t i = 0; i < rows; i++) write_neighbour(p, &scale, i);
    snprintf(what, sizeof what, "%u others", v->neighbour_count - rows);
    if (rows < v->neighbour_count) write_sum(p, what, others);
    write_sum(p, "nobody in particular", rest);
    end_table(p);
    ni_page_text(p->out, "</section>\n");
}

/* ---- what if ---- */

static void write_change(const page *p, const ni_bar_scale *scale, uint32_t i)
{
    const neap_evidence *v = p->v;
    begin_row(p, "");
    write_name(p, v->end[i]);
    ni_page_text(p->out, " \u2013 ");
    write_name(p, v->without[i]);
    ni_page_text(p->out, "</th>");
    ni_page_text(p->out, "<td role=\"cell\" class=\"now\">");
    write_probability(p, (double)v->probability_without[i]);
    ni_page_text(p->out, "</td>");
    ni_html_bar(p->out, scale, 0, (double)v->score_without[i] - v->score);
    ni_page_text(p->out, "</tr>\n");
}

/* "Without the link of A and x the probability falls from 0.9300 to 0.7100." */
static void write_first_change(const page *p)
{
    const neap_evidence *v = p->v;
    double now = v->probability, then = (double)v->probability_without[0];
    ni_page_text(p->out, "<p class=\"lede\">Without the link of ");
    write_name(p, v->end[0]);
    ni_page_text(p->out, " and <strong>");
    write_name(p, v->without[0]);
    ni_page_print(p->out, "</strong> the probability %s from ", then < now ? "falls" : "rises");
    write_probability(p, now);
    ni_page_text(p->out, " to <strong>");
    write_probability(p, then);
    ni_page_text(p->out, "</strong>.</p>\n");
}

static void write_changes(const page *p)
{
    const neap_evidence *v = p->v;
    ni_bar_scale scale = { .decimals = DECIMALS };
    if (!v->change_count) return;
    for (uint32_t i = 0; i < v->change_count; i++) cover(&scale, (double)v->score_without[i] - v->score);
    ni_page_text(p->out, "<section>\n<h2 id=\"whatif\">What if a link were not there?</h2>\n");
    write_first_change(p);
    ni_page_text(
        p->out,
        "<p class=\"muted\">One link at a time, the largest change first. Degrees, shared neighbours, "
        "paths and walks are measured anew without it; what is learned, places in the whole graph, "
        "texts, PageRank, core numbers and clustering are held at what they are.</p>\n");
    begin_table(p, "whatif", "whatif", &scale);
    write_head(p, "Without", "first");
    write_head(p, "Probability", "now");
    write_head(p, "Change of the log-odds", "bars");
    begin_body(p);
    for (uint32_t i = 0; i < v->change_count; i++) write_change(p, &scale, i);
    end_table(p);
    ni_page_text(p->out, "</section>\n");
}

/* ---- how to read it ---- */

static void write_reading(const page *p)
{
    ni_page_text(
        p->out,
        "<section>\n<h2>How to read this page</h2>\n<p>Many kinds of <strong>evidence</strong> about the "
        "pair "
        "are measured, and a <strong>curve</strong>, learned from links and non-links of this graph, turns "
        "each value into what it adds to the log-odds of a link. In the small pictures values grow from "
        "left "
        "to right, each step as wide as the next; the line is where a value adds nothing, and the dot is "
        "this "
        "pair. Log-odds of 0 are even odds; one more makes the odds 2.7 times as good.</p>\n"
        "<p>Kinds of evidence are related: what one of them adds depends on the others that the model "
        "weighs. "
        "A share or a contribution of a neighbour divides what the model computed; what if is computed "
        "anew. "
        "Neither is a cause found in the world.</p>\n</section>\n");
}

neap_status ni_evidence_write(ni_page *out, const neap_explanation *e, const neap_graph *graph,
                              neap_error *err)
{
    static const char *const more[] = { ni_curve_style, page_style, NULL };
    page p = { .out = out, .e = e, .v = e->evidence, .graph = graph };
    if (!is_of_graph(e->evidence, neap_graph_nodes(graph))) return ni_fail_other_graph(err);
    p.shift = log(p.v->prior / (1 - p.v->prior));
    find_groups(&p);
    measure(&p);
    ni_explanation_begin_page(out, e, graph, more);
    write_facts(&p);
    write_answer(&p);
    write_fall(&p);
    ni_page_text(out, "<div class=\"two\">\n");
    write_changes(&p);
    write_through(&p);
    ni_page_text(out, "</div>\n");
    for (uint32_t g = 0; g < p.groups; g++) write_group(&p, &p.group[g]);
    write_reading(&p);
    ni_html_end(out);
    return NEAP_OK;
}
