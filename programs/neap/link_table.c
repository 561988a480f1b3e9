/* The table of `neap eval link`: moments per cell, as text and as JSON. */
#include "link_table.h"

#include <math.h>
#include <string.h>

#include "support/path.h"

/* ---- cells ---- */

link_cell *link_cell_at(const link_table *t, size_t row, size_t column)
{
    return &t->cells[row * t->splits.ratios + column];
}

void link_cell_add(link_cell *c, const neap_link_result *x, double training)
{
    moments_add(&c->auc, x->auc);
    moments_add(&c->auc_no_loops, x->auc_no_loops);
    moments_add(&c->ap, x->ap);
    moments_add(&c->mrr, x->mrr);
    for (int i = 0; i < 3; i++)
        moments_add(&c->hits[i], x->hits[i]), moments_add(&c->pool_hits[i], x->pool_hits[i]),
            moments_add(&c->hits_all[i], x->hits_all[i]);
    moments_add(&c->auc_seen, x->auc_seen);
    moments_add(&c->mrr_all, x->mrr_all);
    moments_add(&c->ranked, (double)x->ranked);
    moments_add(&c->pairs, (double)x->pairs);
    moments_add(&c->skipped, (double)x->skipped);
    moments_add(&c->loops, (double)x->loops);
    moments_add(&c->ties, (double)x->ties);
    moments_add(&c->training, training);
    moments_add(&c->seconds, training + x->seconds);
    moments_add(&c->auc_shared, x->auc_shared);
    calibration_add(&c->calibration, x);
    c->sees_test |= x->sees_test;
}

double link_seconds_left(const link_table *t)
{
    double left = 0;
    for (size_t i = 0; i < t->rows; i++) {
        double seconds = 0, done = 0;
        for (size_t j = 0; j < t->splits.ratios; j++) {
            const moments *m = &link_cell_at(t, i, j)->seconds;
            seconds += m->mean * (double)m->count;
            done += (double)m->count;
        }
        left += done > 0 ? ((double)t->splits.count - done) * seconds / done : NAN;
    }
    return left;
}

/* ---- text ---- */

/* " untrained", " without walks". */
static const char *variant_words(const link_row *row, char text[SHORT])
{
    snprintf(text, SHORT, "%s%s%s", row->untrained ? " untrained" : "", row->without ? " without " : "",
             row->without ? row->without : "");
    return text;
}

char *link_words(const link_table *t, size_t row, const split_item *item, char text[LINK_WORDS])
{
    char variant[SHORT];
    size_t used = (size_t)snprintf(text, LINK_WORDS, "%.40s%s", t->row[row].method,
                                   variant_words(&t->row[row], variant));
    if (t->splits.given) snprintf(text + used, LINK_WORDS - used, " on %.40s", ni_path_name(item->folder));
    else
        snprintf(text + used, LINK_WORDS - used, " at %.10g %%, seed %llu", t->splits.ratio[item->column],
                 (unsigned long long)item->seed);
    return text;
}

static bool is_clean(const link_table *t)
{
    return !strcmp(t->splits.protocol, "clean");
}

static bool is_leaky(const link_table *t)
{
    return !strcmp(t->splits.protocol, "paper");
}

/* What test links are compared with: the paper's rule is nodes of test edges. */
static const char *target_words(const link_table *t)
{
    return strcmp(t->splits.target_kind, "opposite") ? "a list" : "the opposite side";
}

static const char *negatives_of(const link_table *t)
{
    return is_clean(t) || t->splits.given ? t->splits.negatives : "test-nodes";
}

/* ---- what rows were trained on ---- */

static const char *sees(const link_table *t, size_t row, size_t column)
{
    if (t->row[row].given) return "unknown";
    return link_cell_at(t, row, column)->sees_test ? "test links" : "training links";
}

const char *link_sees(const link_table *t)
{
    if (t->rows == 0) return "nothing was measured";
    if (t->row[t->rows - 1].given) return "unknown which links the vectors were trained on";
    return is_leaky(t) ? "leaky: gap reads the neighbourhoods of the whole graph, test links included"
                       : "methods saw training links only, which was checked for each of them";
}

/* ---- what is undefined ---- */

/* Why a cell has no AUC; NULL: it has one. In the clean protocol a split without a pair to score is an
 * error.
 */
static const char *undefined(const link_cell *c)
{
    if (!isnan(c->auc.mean)) return NULL;
    return c->auc.count > 1 ? "in one split or more no test pair could be scored: each has a node without "
                              "a training edge"
                            : "no test pair could be scored: each has a node without a training edge";
}

/* ---- for people ---- */

/* A count is whole, its mean over the seeds need not be. */
static char *count_words(const moments *m, char text[SHORT])
{
    if (m->mean == round(m->mean)) return ni_format_count((uint64_t)m->mean, text);
    snprintf(text, SHORT, "%.1f", m->mean);
    return text;
}

static void print_counts(const link_table *t)
{
    const neap_trial_facts *g = &t->facts;
    char one[SHORT], two[SHORT];
    printf("%s self-loop%s %s, %s repeated edge%s merged\n", ni_format_count(g->self_loops, one),
           plural(g->self_loops), is_clean(t) ? "dropped" : "kept", ni_format_count(g->repeats, two),
           plural(g->repeats));
    for (size_t j = 0; j < t->splits.ratios; j++) {
        const link_cell *c = link_cell_at(t, 0, j);
        printf("%.10g %%: %s test pairs scored, %s skipped", t->splits.ratio[j],
               count_words(&c->pairs, one), count_words(&c->skipped, two));
        if (!is_clean(t) && !t->splits.given)
            printf(", %s of the scored are self-loops", count_words(&c->loops, one));
        putchar('\n');
    }
}

/* Columns of the names: as many as the longest needs, within reason. */
static int name_width(const link_table *t)
{
    int most = 13;
    char variant[SHORT];
    for (size_t i = 0; i < t->rows; i++) {
        int columns = name_columns(t->row[i].method) + (int)strlen(variant_words(&t->row[i], variant));
        if (columns > most) most = columns;
    }
    return (most < 25 ? most : 25) + 1;
}

static void print_row_name(const link_row *row, int width)
{
    char variant[SHORT];
    int behind = (int)strlen(variant_words(row, variant)), columns = name_columns(row->method);
    int room = columns < width - behind - 1 ? columns : width - behind - 1;
    print_name(stdout, row->method, room);
    printf("%-*s", width - room, variant);
}

/* What a dash stands for. Which pairs are scored depends on the split alone, so one row stands for all. */
static void print_dashes(const link_table *t, bool without_loops)
{
    for (size_t j = 0; j < t->splits.ratios; j++) {
        const link_cell *c = link_cell_at(t, 0, j);
        const char *why = undefined(c);
        if (!why && without_loops && isnan(c->auc_no_loops.mean)) why = "all scored pairs are self-loops";
        if (why) printf("- at %.10g %%: %s\n", t->splits.ratio[j], why);
    }
}

static void print_head(const link_table *t, int width)
{
    printf("%-*s", width, "method");
    for (size_t j = 0; j < t->splits.ratios; j++)
        printf("%6.10g %%%*s", t->splits.ratio[j], MOMENTS_COLUMNS - 8, "");
}

static void print_rows(const link_table *t, bool without_loops)
{
    int width = name_width(t);
    print_head(t, width);
    puts("  sees");
    for (size_t i = 0; i < t->rows; i++) {
        print_row_name(&t->row[i], width);
        for (size_t j = 0; j < t->splits.ratios; j++) {
            const link_cell *c = link_cell_at(t, i, j);
            print_moments(without_loops ? &c->auc_no_loops : &c->auc);
        }
        printf("  %s\n", sees(t, i, 0));
    }
    print_dashes(t, without_loops);
}

/* ---- parts of the pairs, and probabilities ---- */

static void print_shared(const link_table *t)
{
    int width = name_width(t);
    bool none = true;
    for (size_t j = 0; j < t->splits.ratios; j++) none &= isnan(link_cell_at(t, 0, j)->auc_shared.mean);
    if (none) return;
    puts("\nAUC of test links with a shared neighbour in training, as their two-hop negatives have one");
    print_head(t, width);
    putchar('\n');
    for (size_t i = 0; i < t->rows; i++) {
        print_row_name(&t->row[i], width);
        for (size_t j = 0; j < t->splits.ratios; j++) print_moments(&link_cell_at(t, i, j)->auc_shared);
        putchar('\n');
    }
}

bool link_row_calibrated(const link_table *t, size_t row)
{
    for (size_t j = 0; j < t->splits.ratios; j++)
        if (is_calibrated(&link_cell_at(t, row, j)->calibration)) return true;
    return false;
}

/* "  0.0123 (0.0100)"; a dash where nothing was measured. */
static void print_error(const calibration *c)
{
    char error[SHORT], own[SHORT];
    if (!is_calibrated(c)) printf("%8s%*s", "-", MOMENTS_COLUMNS - 8, "");
    else printf("%8s (%s)", human_metric(c->error.mean, error), human_metric(c->own.mean, own));
}

static void print_brier(const calibration *c)
{
    char text[SHORT];
    printf("%8s%*s", human_metric(is_calibrated(c) ? c->brier.mean : NAN, text), MOMENTS_COLUMNS - 8, "");
}

static void print_calibration_rows(const link_table *t, const char *title,
                                   void (*print)(const calibration *))
{
    int width = name_width(t);
    puts(title);
    print_head(t, width);
    putchar('\n');
    for (size_t i = 0; i < t->rows; i++) {
        if (!link_row_calibrated(t, i)) continue;
        print_row_name(&t->row[i], width);
        for (size_t j = 0; j < t->splits.ratios; j++) print(&link_cell_at(t, i, j)->calibration);
        putchar('\n');
    }
}

/* The row's scores are log-odds, but of a link against other non-links than these. */
static const char *concerned_otherwise(const link_table *t)
{
    for (size_t i = 0; i < t->rows && (is_clean(t) || t->splits.given); i++) {
        const neap_method_info *method = t->row[i].given ? NULL : neap_method_find(t->row[i].method);
        if (method && method->probability && !link_row_calibrated(t, i)) return t->row[i].method;
    }
    return NULL;
}

static void print_calibration(const link_table *t)
{
    bool any = false;
    const char *other = concerned_otherwise(t);
    for (size_t i = 0; i < t->rows; i++) any |= link_row_calibrated(t, i);
    if (any) {
        print_calibration_rows(t,
                               "\nProbabilities: how far they are from what came true, on average (in "
                               "brackets: by chance alone)",
                               print_error);
        print_calibration_rows(t, "Brier score: their mean squared error (a coin has 0.25)", print_brier);
    }
    if (other && t->splits.given)
        printf("\nHow the given non-links were drawn is not known, so the probabilities of %s are not "
               "judged\n",
               other);
    else if (other)
        printf("\nProbabilities of %s concern other non-links than these, so they are not judged: "
               "--negative-sampling %s\n",
               other, t->splits.negatives);
}

/* Vectors are made from one train.tsv; another split has other test links. */
static void print_advice(const link_table *t)
{
    if (!t->row[0].given || t->splits.count < 2) return;
    print_name(stdout, t->row[0].method, name_columns(t->row[0].method));
    printf(
        ": one file on %zu splits. Vectors made from the train.tsv of one of them have seen\n"
        "test links of the others: evaluate them on that one alone (-o keeps splits, --split names one)\n",
        t->splits.count);
}

void link_table_print(const link_table *t)
{
    char seeds[SHORT];
    bool loops = false;
    printf("AUC, protocol %s%s", t->splits.protocol, is_leaky(t) ? " (leaky)" : "");
    if (is_clean(t)) printf(", %s negatives", t->splits.negatives);
    if (strcmp(t->splits.target_kind, "all")) printf(", targets: %s", target_words(t));
    printf(", %s %s%s\n%s\n", ni_format_count(t->seeds, seeds), t->splits.given ? "split" : "seed",
           plural(t->seeds), link_sees(t));
    print_advice(t);
    print_counts(t);
    print_rows(t, false);
    for (size_t j = 0; j < t->splits.ratios; j++) loops |= link_cell_at(t, 0, j)->loops.mean > 0;
    if (loops) {
        puts("\nAUC without the self-loops among the test pairs");
        print_rows(t, true);
    }
    print_shared(t);
    print_calibration(t);
}

/* ---- for programs ---- */

static void json_hits(ni_json *j, const char *key, const moments hits[3])
{
    ni_json_open(j, key, '{');
    ni_json_real(j, "1", hits[0].mean);
    ni_json_real(j, "10", hits[1].mean);
    ni_json_real(j, "50", hits[2].mean);
    ni_json_close(j, '}');
}

static void json_cell(ni_json *j, const link_table *t, size_t row, size_t column)
{
    const link_cell *c = link_cell_at(t, row, column);
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "method", t->row[row].method);
    ni_json_switch(j, "untrained", t->row[row].untrained);
    ni_json_text(j, "without", t->row[row].without);
    ni_json_text(j, "protocol", t->splits.protocol);
    ni_json_real(j, "ratio", t->splits.ratio[column]);
    ni_json_text(j, "negatives", negatives_of(t));
    ni_json_text(j, "targets", t->splits.target_kind);
    ni_json_text(j, "sees", sees(t, row, column));
    json_moments(j, "auc", &c->auc);
    ni_json_text(j, "undefined", undefined(c));
    ni_json_real(j, "auc_no_loops", c->auc_no_loops.mean);
    ni_json_real(j, "auc_seen", c->auc_seen.mean);
    ni_json_real(j, "auc_shared", c->auc_shared.mean);
    ni_json_real(j, "ap", c->ap.mean);
    ni_json_real(j, "mrr", c->mrr.mean);
    json_hits(j, "hits", c->hits);
    json_hits(j, "pool_hits", c->pool_hits);
    ni_json_real(j, "mrr_all", c->mrr_all.mean);
    json_hits(j, "hits_all", c->hits_all);
    ni_json_real(j, "ranked", c->ranked.mean);
    ni_json_real(j, "pairs", c->pairs.mean);
    ni_json_real(j, "skipped", c->skipped.mean);
    ni_json_real(j, "loops", c->loops.mean);
    ni_json_real(j, "ties", c->ties.mean);
    calibration_json(j, &c->calibration);
    ni_json_whole(j, "splits", c->auc.count);
    ni_json_real(j, "seconds", c->seconds.mean);
    ni_json_real(j, "seconds_training", c->training.mean);
    ni_json_close(j, '}');
}

static uint64_t all_ties(const link_table *t)
{
    double ties = 0;
    for (size_t i = 0; i < t->rows * t->splits.ratios; i++)
        ties += t->cells[i].ties.mean * (double)t->cells[i].ties.count;
    return (uint64_t)llround(ties);
}

static void json_two(ni_json *j, const char *key, const char *first, uint64_t a, const char *second,
                     uint64_t b)
{
    ni_json_open(j, key, '{');
    ni_json_whole(j, first, a);
    ni_json_whole(j, second, b);
    ni_json_close(j, '}');
}

void link_table_json(const link_table *t, FILE *to)
{
    const neap_trial_facts *g = &t->facts;
    bool clean = is_clean(t);
    ni_json j = json_to(to);
    ni_json_open(&j, NULL, '{');
    ni_json_text(&j, "task", "link");
    ni_json_text(&j, "protocol", t->splits.protocol);
    ni_json_switch(&j, "leaky", is_leaky(t));
    ni_json_text(&j, "sees", link_sees(t));
    ni_json_whole(&j, "nodes", g->nodes);
    ni_json_whole(&j, "edges", g->edges);
    json_two(&j, "self_loops", "dropped", clean ? g->self_loops : 0, "kept", clean ? 0 : g->self_loops);
    json_two(&j, "repeats", "merged", g->repeats, "kept", 0);
    ni_json_whole(&j, "seeds", t->seeds);
    ni_json_whole(&j, "ties", all_ties(t));
    ni_json_open(&j, "results", '[');
    for (size_t i = 0; i < t->rows; i++)
        for (size_t k = 0; k < t->splits.ratios; k++) json_cell(&j, t, i, k);
    ni_json_close(&j, ']');
    ni_json_close(&j, '}');
}
