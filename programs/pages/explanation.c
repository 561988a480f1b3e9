/* The page that explains the score of a pair: a summary, the alignment as a picture, and the neighbours of
 * both sides with their contributions. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "pages/explanation.h"
#include "support/order.h"

enum {
    ROWS = 30,      /* neighbours in a list; the rest is summed in one row */
    CARRIERS = 3,   /* named in the sentence at the top                    */
    TITLE_NAME = 60 /* columns a name may take in the title                */
};

/* One end of the pair with its neighbours. */
typedef struct side {
    uint32_t node, other;
    const neap_reasons *reasons;
    uint32_t links, read; /* neighbours in the graph; those in the reasons, but for the node itself */
    uint32_t row[ROWS];   /* positions in the reasons: the largest contributions of either sign, sorted */
    uint32_t rows;
} side;

typedef struct page {
    ni_page *out;
    const neap_explanation *e;
    const neap_graph *graph;
    side source, target;
    ni_bar_scale scale; /* of scores and contributions */
} page;

const char *ni_reason_noun(const neap_explanation *e)
{
    return e->words ? "word" : "neighbour";
}

const char *ni_weight_noun(const neap_explanation *e)
{
    return e->tfidf ? "weight" : "attention";
}

bool ni_reasons_lack(const neap_reasons *r)
{
    return r->rest_weight != 0 || r->rest_contribution != 0;
}

const char *ni_reason_name(const neap_graph *graph, const neap_reasons *r, uint32_t i)
{
    return r->word ? r->word[i] : neap_graph_name(graph, r->node[i]);
}

const char *ni_partner_name(const neap_graph *graph, const neap_reasons *other, uint32_t partner)
{
    if (partner == NEAP_NONE) return NULL;
    if (!other->word) return neap_graph_name(graph, partner);
    for (uint32_t i = 0; i < other->count; i++)
        if (other->node[i] == partner) return other->word[i];
    return NULL;
}

/* Names of words come with them. */
static bool is_sound(const neap_reasons *r, uint32_t nodes)
{
    for (uint32_t i = 0; i < r->count && !r->word; i++)
        if (r->node[i] >= nodes || (r->partner[i] >= nodes && r->partner[i] != NEAP_NONE)) return false;
    return true;
}

neap_status ni_fail_other_graph(neap_error *err)
{
    return ni_fail(err, NEAP_E_MISMATCH,
                   "the explanation has nodes that are not in the graph: give the graph of the model");
}

static neap_status check(const neap_explanation *e, const neap_graph *graph, neap_error *err)
{
    uint32_t nodes = neap_graph_nodes(graph);
    if (e->source < nodes && e->target < nodes && is_sound(e->by_source, nodes) &&
        is_sound(e->by_target, nodes))
        return NEAP_OK;
    return ni_fail_other_graph(err);
}

/* Puts position `at` into the first `used` of row[], which are ordered by the key of their contributions,
 * largest first; what does not fit into ROWS falls off the end. Equal keys keep their order. */
static uint32_t insert(uint32_t row[ROWS], uint32_t used, uint32_t at, const float *contribution,
                       double (*key)(double))
{
    uint32_t i = used < ROWS ? used : ROWS;
    while (i && key(contribution[at]) > key(contribution[row[i - 1]])) {
        if (i < ROWS) row[i] = row[i - 1];
        i--;
    }
    if (i < ROWS) row[i] = at;
    return used < ROWS ? used + 1 : ROWS;
}

static double as_it_is(double x)
{
    return x;
}

/* The ROWS neighbours that move the score most, from the largest contribution to the most negative. */
static void choose_rows(side *s)
{
    uint32_t largest[ROWS], used = 0;
    const float *contribution = s->reasons->contribution;
    for (uint32_t i = 0; i < s->reasons->count; i++) used = insert(largest, used, i, contribution, fabs);
    for (uint32_t i = 0; i < used; i++)
        s->rows = insert(s->row, s->rows, largest[i], contribution, as_it_is);
}

static void measure(page *p)
{
    const side *sides[] = { &p->source, &p->target };
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < sides[k]->rows; i++) {
            double c = sides[k]->reasons->contribution[sides[k]->row[i]];
            if (c < p->scale.low) p->scale.low = c;
            if (c > p->scale.high) p->scale.high = c;
        }
    p->scale.decimals = ni_html_decimals(fmax(p->scale.high, -p->scale.low));
}

static side make_side(uint32_t node, uint32_t other, uint32_t links, const neap_reasons *r)
{
    side s = { .node = node, .other = other, .reasons = r, .links = links, .read = r->count };
    for (uint32_t i = 0; i < r->count && !r->word; i++) s.read -= r->node[i] == node;
    choose_rows(&s);
    return s;
}

static page make_page(const neap_explanation *e, const neap_graph *graph)
{
    page p = { .e = e,
               .graph = graph,
               .source = make_side(e->source, e->target, e->source_links, e->by_source),
               .target = make_side(e->target, e->source, e->target_links, e->by_target) };
    measure(&p);
    return p;
}

static const char *side_word(const page *p, const side *s)
{
    return s == &p->source ? "source" : "target";
}

static void write_name(const page *p, uint32_t node)
{
    ni_html_name(p->out, neap_graph_name(p->graph, node), 36);
}

static void write_reason(const page *p, const side *s, uint32_t at)
{
    ni_html_name(p->out, ni_reason_name(p->graph, s->reasons, at), 36);
}

static void write_score(const page *p, double value)
{
    ni_html_number(p->out, value, p->scale.decimals);
}

static void write_percent(const page *p, double share, int decimals)
{
    ni_html_number(p->out, 100 * share, decimals);
    ni_page_text(p->out, " %");
}

void ni_explanation_begin_page(ni_page *out, const neap_explanation *e, const neap_graph *graph,
                               const char *const *more)
{
    const char *one = neap_graph_name(graph, e->source), *two = neap_graph_name(graph, e->target);
    char source[NI_LABEL_BYTES], target[NI_LABEL_BYTES], title[2 * NI_LABEL_BYTES + 16];
    bool changed;
    ni_html_label(one, TITLE_NAME, source, &changed);
    ni_html_label(two, TITLE_NAME, target, &changed);
    snprintf(title, sizeof title, "Why %s and %s?", source, target);
    ni_html_begin(out, title, more);
    ni_page_text(out, "<h1>Why ");
    ni_html_name(out, one, TITLE_NAME);
    ni_page_text(out, " and ");
    ni_html_name(out, two, TITLE_NAME);
    ni_page_text(out, "?</h1>\n");
}

/* Words are not sampled. */
static bool is_sample(const side *s)
{
    return !s->reasons->word && s->read < s->links;
}

/* "99 of 5,346 neighbours" */
static void write_sample(const page *p, const side *s)
{
    ni_html_whole(p->out, s->read);
    ni_page_text(p->out, " of ");
    ni_html_whole(p->out, s->links);
    ni_page_text(p->out, " neighbours");
}

static void write_count(const page *p, const side *s)
{
    ni_page_print(p->out, "<div><dt>%ss of ", ni_reason_noun(p->e));
    write_name(p, s->node);
    ni_page_text(p->out, "</dt><dd>");
    ni_html_whole(p->out, p->e->words ? s->read : s->links);
    if (is_sample(s)) {
        ni_page_text(p->out, " <small>");
        ni_html_whole(p->out, s->read);
        ni_page_text(p->out, " read</small>");
    }
    ni_page_text(p->out, "</dd></div>\n");
}

static void write_facts(const page *p)
{
    ni_page_text(p->out, "<dl class=\"facts\">\n<div><dt>score</dt><dd>");
    write_score(p, p->e->score);
    ni_page_text(p->out, "</dd></div>\n");
    write_count(p, &p->source);
    write_count(p, &p->target);
    ni_page_text(p->out, "<div><dt>neighbours of both</dt><dd>");
    ni_html_whole(p->out, p->e->shared);
    ni_page_text(p->out, "</dd></div>\n</dl>\n");
}

const char *ni_link_words(const neap_explanation *e)
{
    if (e->source == e->target) return "This is a node and itself.";
    return e->linked ? "They are linked in the graph."
                     : "They are not linked in the graph the model was trained on.";
}

static const char *meaning_of(double score)
{
    if (score > 0) return "point the same way";
    return score < 0 ? "point apart" : "are orthogonal";
}

static const char *sign_of(double score)
{
    if (score > 0) return "positive";
    return score < 0 ? "negative" : "neutral";
}

static void write_no_neighbours(const page *p)
{
    const side *empty = p->source.reasons->count ? &p->target : &p->source;
    ni_page_print(p->out, "<p class=\"lede\">%s No %ss of ", ni_link_words(p->e), ni_reason_noun(p->e));
    write_name(p, empty->node);
    if (p->source.reasons->count + p->target.reasons->count == 0) {
        ni_page_text(p->out, " or ");
        write_name(p, p->target.node);
    }
    if (ni_reasons_lack(p->source.reasons) || ni_reasons_lack(p->target.reasons))
        ni_page_print(p->out, " are known. The score does not come from %ss alone: it is ",
                      ni_reason_noun(p->e));
    else if (p->e->circles)
        ni_page_text(p->out, " are known, so that there are no circles to show: the score is ");
    else
        ni_page_print(
            p->out, " are known. A pair is scored by its %s, so there is nothing to compare: the score is ",
            p->e->words ? "texts" : "neighbourhoods");
    write_score(p, p->e->score);
    ni_page_text(p->out, ".</p>\n");
}

/* The neighbours with the largest contributions of the score's own sign, none below a tenth of the first:
 * their positions, at most CARRIERS. */
static uint32_t find_carriers(const page *p, const side *s, uint32_t position[CARRIERS])
{
    uint32_t found = 0;
    double least = 0;
    for (uint32_t i = 0; i < s->rows && found < CARRIERS; i++) {
        uint32_t at = s->row[p->e->score < 0 ? s->rows - 1 - i : i];
        double c = s->reasons->contribution[at];
        if (!found) least = fabs(c) / 10;
        if (c * p->e->score > 0 && fabs(c) >= least) position[found++] = at;
    }
    return found;
}

/* "A, B and C (together 0.412)"; false if no neighbour has the sign of the score. */
static bool write_carriers(const page *p, const side *s, const char *before)
{
    uint32_t position[CARRIERS], found = find_carriers(p, s, position);
    double sum = 0;
    if (!found) return false;
    ni_page_text(p->out, before);
    write_name(p, s->node);
    ni_page_text(p->out, " it rests first of all on ");
    for (uint32_t i = 0; i < found; i++) {
        ni_page_text(p->out, i == 0 ? "<strong>" : i + 1 == found ? " and <strong>" : ", <strong>");
        bool itself = !p->e->words && s->reasons->node[position[i]] == s->node;
        write_reason(p, s, position[i]);
        ni_page_text(p->out, itself ? "</strong> itself" : "</strong>");
        sum += s->reasons->contribution[position[i]];
    }
    ni_page_text(p->out, found > 1 ? " (together " : " (");
    write_score(p, sum);
    ni_page_text(p->out, ")");
    return true;
}

/* "The model read 99 of 5,346 neighbours of libc6 and 99 of 1,203 neighbours of python3, a sample ..." */
static void write_samples(const page *p)
{
    const side *sides[] = { &p->source, &p->target };
    bool any = false;
    for (int k = 0; k < 2; k++) {
        if (!is_sample(sides[k])) continue;
        ni_page_text(p->out, any ? " and " : " The model read ");
        write_sample(p, sides[k]);
        ni_page_text(p->out, " of ");
        write_name(p, sides[k]->node);
        any = true;
    }
    if (any) ni_page_text(p->out, ", a random sample that is drawn once and stays the same.");
}

static void write_answer(const page *p)
{
    if (!p->source.reasons->count || !p->target.reasons->count) {
        write_no_neighbours(p);
        return;
    }
    ni_page_print(p->out, "<p class=\"lede\">%s The model gives this pair a score of ",
                  ni_link_words(p->e));
    write_score(p, p->e->score);
    ni_page_print(p->out, ", which is %s: the two %s %s.", sign_of(p->e->score),
                  p->e->words ? "texts" : "neighbourhoods", meaning_of(p->e->score));
    bool one = write_carriers(p, &p->source, " Seen from ");
    bool two = write_carriers(p, &p->target, one ? "; seen from " : " Seen from ");
    ni_page_text(p->out, one || two ? ".</p>\n" : "</p>\n");
    ni_page_text(p->out, "<p class=\"muted\">A score has no unit: compare it with the scores of other "
                         "pairs, where the larger one is the likelier link.");
    write_samples(p);
    ni_page_text(p->out, "</p>\n");
}

/* How alignments become attention. */
static void write_pooling(const page *p)
{
    const char *noun = ni_reason_noun(p->e);
    if (p->e->tfidf)
        ni_page_text(
            p->out, "<p>A ring in its row, a dot in its column mark the word of the other side that a word "
                    "aligns best with. The <strong>weight</strong> of a word is its share of its text's "
                    "TF-IDF: the fewer texts have a word, the more it weighs.");
    else if (p->e->selects)
        ni_page_print(
            p->out,
            "<p>Each %s <strong>selects</strong> the one of the other side that it aligns best with: a "
            "ring in its row, a dot in its column. The better that best match, the more "
            "<strong>attention</strong> the %s gets.",
            noun, noun);
    else if (p->e->circles)
        ni_page_text(p->out,
                     "<p>The neighbours of a node fall into <strong>circles</strong> by the links among "
                     "them, and an alignment is that of two circles. The <strong>attention</strong> of a "
                     "side belongs to the circle that decides, or to all of them alike, and its members "
                     "share it evenly: the model does not tell them apart.");
    else
        ni_page_print(p->out,
                      "<p>What counts is the mean of a %s's row or column: the better it aligns with the "
                      "other side on the whole, the more <strong>attention</strong> it gets.",
                      noun);
}

/* The weights of a side, which are sorted, differ by no more than e^2. */
static bool is_even(const neap_reasons *r)
{
    return !r->count || (double)r->weight[0] <= 7.4 * (double)r->weight[r->count - 1];
}

/* Attention is mostly a softmax of numbers between -1 and 1. Not so the members of a circle, nor words with
 * a half of each of two windows (cane), nor scaled alignments. */
static const char *bound_of(const neap_explanation *e)
{
    if (e->circles || e->tfidf || (e->words && !e->selects)) return "";
    if (!is_even(e->by_source) || !is_even(e->by_target)) return "";
    return ", and none gets more than about seven times as much as another";
}

/* What the row "elsewhere" is, if there is one. */
static const char *elsewhere_of(const page *p)
{
    if (!ni_reasons_lack(p->source.reasons) && !ni_reasons_lack(p->target.reasons)) return "";
    return p->e->tfidf ? " What comes from features of the nodes is listed as elsewhere."
                       : " What comes through none of them, such as degrees, padding and vectors of the "
                         "nodes' own, is listed as elsewhere.";
}

static void write_reading(const page *p)
{
    const char *noun = ni_reason_noun(p->e), *weight = ni_weight_noun(p->e);
    ni_page_print(p->out, "<div>\n<h2>How to read this picture</h2>\n<p>Neap compares every %s of ", noun);
    write_name(p, p->source.node);
    ni_page_print(p->out, " with every %s of ", noun);
    write_name(p, p->target.node);
    ni_page_text(p->out, ". The colour of a cell is their <strong>alignment</strong>: blue where they fit "
                         "together, orange where they do not.</p>\n");
    write_pooling(p);
    ni_page_print(p->out, " The %s of a side sums to 1 (100\u00a0%%)%s.</p>\n", weight, bound_of(p->e));
    ni_page_print(
        p->out,
        "<p>The <strong>contribution</strong> of a %s is the part of the score that comes through it: its "
        "%s times its agreement with the other side as a whole. The contributions of each side sum "
        "to the score, so the two lists divide the same number in two ways. A negative one lowers "
        "it.%s</p>\n"
        "<p class=\"muted\">All this is what the model computed, not a cause found in the world.</p>\n"
        "</div>\n",
        noun, weight, elsewhere_of(p));
}

static void write_picture(const page *p)
{
    if (!p->source.reasons->count || !p->target.reasons->count || !p->e->alignment) return;
    ni_page_text(p->out, "<section class=\"picture\">\n");
    ni_heatmap_write(p->out, p->e, p->graph);
    write_reading(p);
    ni_page_text(p->out, "</section>\n");
}

/* The edges of a node are sorted by target. */
static bool has_edge(const neap_graph *graph, uint32_t source, uint32_t target)
{
    const uint32_t *targets;
    const float *weights;
    uint64_t count = neap_graph_edges_of(graph, source, &targets, &weights);
    return count && bsearch(&target, targets, (size_t)count, sizeof target, ni_ascending_u32);
}

bool ni_is_link(const neap_graph *graph, uint32_t u, uint32_t v)
{
    return has_edge(graph, u, v) || has_edge(graph, v, u);
}

static void write_tag(const page *p, const side *s, uint32_t node)
{
    const char *tag = node == s->node                        ? "itself"
                      : node == s->other                     ? "linked"
                      : ni_is_link(p->graph, node, s->other) ? "shared"
                                                             : NULL;
    if (tag) ni_page_print(p->out, " <span class=\"tag\">%s</span>", tag);
}

static void write_weight_bar(const page *p, const side *s, double weight)
{
    double most = s->reasons->weight[0];
    ni_page_text(p->out, "<td role=\"cell\"><div class=\"bar\"><span>");
    write_percent(p, weight, 2);
    ni_page_text(p->out, "</span><div><i class=\"weight\" style=\"width:");
    ni_html_fixed(p->out, most > 0 && weight <= most ? 100 * weight / most : 0, 1);
    ni_page_text(p->out, "%\"></i></div></div></td>");
}

/* Zero stands where it stands in every row. */
static double percent_of(const ni_bar_scale *scale, double value)
{
    double range = scale->high - scale->low;
    return range > 0 && isfinite(range) ? 100 * (value - scale->low) / range : 0;
}

void ni_html_added(ni_page *out, double value, int decimals)
{
    if (value > 0) ni_page_text(out, "+");
    ni_html_number(out, value, decimals);
}

void ni_html_zero(ni_page *out, const ni_bar_scale *scale)
{
    ni_page_text(out, "--zero:");
    ni_html_fixed(out, percent_of(scale, 0), 1);
    ni_page_text(out, "%");
}

void ni_html_bar(ni_page *out, const ni_bar_scale *scale, double from, double to)
{
    double low = fmin(from, to), high = fmax(from, to);
    bool drawn = low >= scale->low && high <= scale->high;
    ni_page_text(out, "<td role=\"cell\"><div class=\"bar signed\"><span>");
    ni_html_number(out, to - from, scale->decimals);
    ni_page_print(out, "</span><div><i class=\"%s\" style=\"margin-left:", to < from ? "minus" : "plus");
    ni_html_fixed(out, drawn ? percent_of(scale, low) : 0, 1);
    ni_page_text(out, "%;width:");
    ni_html_fixed(out, drawn ? percent_of(scale, high) - percent_of(scale, low) : 0, 1);
    ni_page_text(out, "%\"></i></div></div></td>");
}

/* The partner it selected and their alignment; under mean pooling its mean alignment. */
static void write_selected(const page *p, const side *s, uint32_t partner, double alignment)
{
    const side *other = s == &p->source ? &p->target : &p->source;
    const char *name = ni_partner_name(p->graph, other->reasons, partner);
    ni_page_text(p->out, "<td role=\"cell\" class=\"text last\">");
    if (!p->e->selects && !isnan(alignment)) ni_html_number(p->out, alignment, 2);
    else if (!name) ni_page_text(p->out, "<span class=\"muted\">none</span>");
    else {
        ni_html_name(p->out, name, 36);
        ni_page_text(p->out, " <small>");
        ni_html_number(p->out, alignment, 2);
        ni_page_text(p->out, "</small>");
    }
    ni_page_text(p->out, "</td>");
}

static void write_row(const page *p, const side *s, uint32_t at)
{
    const neap_reasons *r = s->reasons;
    ni_page_text(p->out, "<tr role=\"row\"><th role=\"rowheader\" scope=\"row\" class=\"first\">");
    write_reason(p, s, at);
    if (!p->e->words) write_tag(p, s, r->node[at]);
    ni_page_text(p->out, "</th>");
    write_weight_bar(p, s, r->weight[at]);
    ni_html_bar(p->out, &p->scale, 0, r->contribution[at]);
    write_selected(p, s, r->partner[at], r->alignment[at]);
    ni_page_text(p->out, "</tr>\n");
}

/* A row of sums: no bars, no partner. */
static void write_sum(const page *p, const char *what, double weight, double contribution)
{
    ni_page_print(p->out, "<tr role=\"row\"><th role=\"rowheader\" scope=\"row\" class=\"first\">%s</th>",
                  what);
    ni_page_text(p->out, "<td role=\"cell\"><div class=\"bar\"><span>");
    write_percent(p, weight, 1);
    ni_page_text(p->out, "</span></div></td><td role=\"cell\"><div class=\"bar\"><span>");
    write_score(p, contribution);
    ni_page_text(p->out, "</span></div></td><td role=\"cell\" class=\"last\"></td></tr>\n");
}

static void write_sums(const page *p, const side *s)
{
    double weight = 0, contribution = 0, rest_weight, rest_contribution;
    const neap_reasons *r = s->reasons;
    for (uint32_t i = 0; i < r->count; i++) weight += r->weight[i], contribution += r->contribution[i];
    rest_weight = weight, rest_contribution = contribution;
    weight += r->rest_weight, contribution += r->rest_contribution;
    for (uint32_t i = 0; i < s->rows; i++) {
        rest_weight -= r->weight[s->row[i]];
        rest_contribution -= r->contribution[s->row[i]];
    }
    ni_page_text(p->out, "<tfoot role=\"rowgroup\">\n");
    if (r->count > s->rows) {
        char others[32];
        snprintf(others, sizeof others, "%u others", r->count - s->rows);
        write_sum(p, others, rest_weight, rest_contribution);
    }
    if (ni_reasons_lack(r)) write_sum(p, "elsewhere", r->rest_weight, r->rest_contribution);
    write_sum(p, "sum", weight, contribution);
    ni_page_text(p->out, "</tfoot>\n");
}

/* The heading of a list, which its table is named after. */
static void write_list_heading(const page *p, const side *s)
{
    ni_page_print(p->out, "<section>\n<h2 id=\"%s-list\">%s of ", side_word(p, s),
                  p->e->words ? "Words" : "Neighbours");
    write_name(p, s->node);
    ni_page_text(p->out, "</h2>\n");
}

/* "99 of 5,346 neighbours read, and the node itself. 30 of 100 shown: those that move the score most." */
static void write_caption(const page *p, const side *s)
{
    ni_page_text(p->out, "<caption class=\"muted\">");
    if (is_sample(s)) {
        write_sample(p, s);
        ni_page_print(p->out, " read%s. ", s->read < s->reasons->count ? ", and the node itself" : "");
    }
    if (s->reasons->count > s->rows)
        ni_page_print(p->out, "%u of %u shown: those that move the score most, ", s->rows,
                      s->reasons->count);
    ni_page_print(p->out, "%she largest contribution first.</caption>\n",
                  s->reasons->count > s->rows ? "t" : "T");
}

static void write_list(const page *p, const side *s)
{
    write_list_heading(p, s);
    ni_page_print(p->out, "<table role=\"table\" class=\"folding\" aria-labelledby=\"%s-list\" style=\"",
                  side_word(p, s));
    ni_html_zero(p->out, &p->scale);
    ni_page_text(p->out, "\">\n");
    write_caption(p, s);
    ni_page_print(p->out,
                  "<thead role=\"rowgroup\">\n<tr role=\"row\">"
                  "<th role=\"columnheader\" scope=\"col\" class=\"first\">%s</th>"
                  "<th role=\"columnheader\" scope=\"col\">%s</th>"
                  "<th role=\"columnheader\" scope=\"col\">Contribution</th>"
                  "<th role=\"columnheader\" scope=\"col\" class=\"last\">%s</th>"
                  "</tr>\n</thead>\n<tbody role=\"rowgroup\">\n",
                  p->e->words ? "Word" : "Neighbour", p->e->tfidf ? "Weight" : "Attention",
                  p->e->selects ? "Selected, alignment" : "Alignment");
    for (uint32_t i = 0; i < s->rows; i++) write_row(p, s, s->row[i]);
    ni_page_text(p->out, "</tbody>\n");
    write_sums(p, s);
    ni_page_text(p->out, "</table>\n</section>\n");
}

static void write_empty_list(const page *p, const side *s)
{
    write_list_heading(p, s);
    ni_page_text(p->out, "<p class=\"muted\">None are known.");
    if (ni_reasons_lack(s->reasons)) {
        ni_page_text(p->out, " From elsewhere come ");
        write_score(p, s->reasons->rest_contribution);
        ni_page_text(p->out, ".");
    }
    ni_page_text(p->out, "</p>\n</section>\n");
}

static void write_lists(const page *p)
{
    const side *sides[] = { &p->source, &p->target };
    ni_page_text(p->out, "<div class=\"two\">\n");
    for (int k = 0; k < 2; k++) {
        if (sides[k]->reasons->count) write_list(p, sides[k]);
        else write_empty_list(p, sides[k]);
    }
    ni_page_text(p->out, "</div>\n");
    if (p->e->words)
        ni_page_text(p->out, "<p class=\"muted\"><small>A word that occurs several times in a text is "
                             "several rows, one for each place.</small></p>\n");
    else
        ni_page_text(p->out,
                     "<p class=\"muted\"><small>shared: a neighbour of both ends; itself: a node may count "
                     "among its own neighbours; linked: the other end of the pair.</small></p>\n");
}

neap_status ni_explanation_write(ni_page *out, const neap_explanation *explanation, const neap_graph *graph,
                                 neap_error *err)
{
    neap_status rc = check(explanation, graph, err);
    if (rc != NEAP_OK) return rc;
    if (explanation->evidence) return ni_evidence_write(out, explanation, graph, err);
    page p = make_page(explanation, graph);
    p.out = out;
    ni_explanation_begin_page(out, explanation, graph, NULL);
    write_facts(&p);
    write_answer(&p);
    write_picture(&p);
    write_lists(&p);
    ni_html_end(out);
    return NEAP_OK;
}
