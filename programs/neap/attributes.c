#include "attributes.h"

#include <stdio.h>

#include "common.h"
#include "reading.h"

/* ---- reading ---- */

static neap_status read_text(const args *a, const attributes_own *o, const neap_graph *graph,
                             neap_text **out, neap_error *err)
{
    char with[SHORT], nodes[SHORT], words[SHORT], distinct[SHORT], strangers[SHORT];
    neap_text_facts f = NEAP_SIZED(neap_text_facts);
    reading bar;
    neap_status rc = neap_text_load(o->text, graph, o->by_line, reading_begin(&bar, a, o->text), out, err);
    reading_end(&bar);
    if (rc != NEAP_OK) return rc;
    neap_text_facts_of(*out, &f, NULL);
    say(a, "%s: %s of %s nodes have a text: %s word%s, %s different", input_label(o->text),
        ni_format_count(f.with_text, with), ni_format_count(f.nodes, nodes),
        ni_format_count(f.words, words), plural(f.words), ni_format_count(f.distinct, distinct));
    if (f.strangers)
        say(a, "  %s line%s about nodes that the graph does not have: skipped",
            ni_format_count(f.strangers, strangers), plural(f.strangers));
    return NEAP_OK;
}

static neap_status read_features(const args *a, const char *path, const neap_graph *graph,
                                 neap_features **out, neap_error *err)
{
    char with[SHORT], nodes[SHORT], values[SHORT], features[SHORT], strangers[SHORT];
    neap_features_facts f = NEAP_SIZED(neap_features_facts);
    reading bar;
    neap_status rc = neap_features_load(path, graph, reading_begin(&bar, a, path), out, err);
    reading_end(&bar);
    if (rc != NEAP_OK) return rc;
    neap_features_facts_of(*out, &f, NULL);
    say(a, "%s: %s of %s nodes have features: %s value%s of %s feature%s", input_label(path),
        ni_format_count(f.with_features, with), ni_format_count(f.nodes, nodes),
        ni_format_count(f.values, values), plural(f.values), ni_format_count(f.features, features),
        plural(f.features));
    if (f.by_order) say(a, "  no names beside it: its rows are the nodes in the order of the graph file");
    if (f.strangers)
        say(a, "  %s row%s of nodes that the graph does not have: skipped",
            ni_format_count(f.strangers, strangers), plural(f.strangers));
    return NEAP_OK;
}

neap_status attributes_read(const args *a, const attributes_own *o, const neap_graph *graph,
                            attributes *out, neap_error *err)
{
    neap_status rc = NEAP_OK;
    *out = (attributes){ 0 };
    if (!o->text && o->by_line) return ni_fail(err, NEAP_E_ARG, "--text-by-line goes with --text");
    if (o->text) rc = read_text(a, o, graph, &out->text, err);
    if (rc == NEAP_OK && o->features) rc = read_features(a, o->features, graph, &out->features, err);
    return rc;
}

/* "apn, text, ..." */
static void list_readers(bool features, char *text, size_t room)
{
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < neap_method_count() && used < room; i++) {
        const neap_method_info *m = neap_method_at(i);
        if (features ? m->features : m->text)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", m->name);
    }
}

void attributes_remark(const args *a, const attributes_own *o)
{
    char name[SHORT] = "", readers[256];
    neap_options_get(a->options, "method", name, sizeof name, NULL);
    const neap_method_info *m = neap_method_find(name);
    if (!m) return;
    for (int features = 0; features < 2; features++) {
        if (!(features ? o->features : o->text) || (features ? m->features : m->text)) continue;
        list_readers(features, readers, sizeof readers);
        say(a, "note: %s does not read the %s of nodes; --method %s does", m->name,
            features ? "features" : "texts", readers);
    }
}

void attributes_free(attributes *x)
{
    neap_text_free(x->text);
    neap_features_free(x->features);
}

/* ---- what was read ---- */

enum { FREQUENT = 10 }; /* words that are shown */

static void print_text(const neap_text_facts *f, const neap_word_counts *w)
{
    char n[SHORT], m[SHORT];
    printf("nodes with text      %s of %s\n", ni_format_count(f->with_text, n),
           ni_format_count(f->nodes, m));
    printf("nodes without text   %s\n", ni_format_count(f->nodes - f->with_text, n));
    printf("lines                %s, ", ni_format_count(f->lines, n));
    printf("%s of them not read: about nodes that the graph does not have\n",
           ni_format_count(f->strangers, n));
    printf("words                %s, ", ni_format_count(f->words, n));
    printf("%s of them different\n", ni_format_count(f->distinct, n));
    printf("words that are rare  %s occur only once; training reads those with --min-count 1\n",
           ni_format_count(w->once, n));
    printf("words per text       %.2f on average, ", (double)f->words / (double)f->with_text);
    printf("at most %s\n", ni_format_count(f->longest, n));
    printf("most frequent        ");
    for (size_t i = 0; i < w->count; i++) {
        if (i) printf(", ");
        print_name(stdout, w->word[i], name_columns(w->word[i]));
        printf(" %s", ni_format_count(w->times[i], n));
    }
    putchar('\n');
}

static void json_text(const neap_text_facts *f, const neap_word_counts *w, ni_json *j)
{
    ni_json_open(j, "text", '{');
    ni_json_whole(j, "lines", f->lines);
    ni_json_whole(j, "strangers", f->strangers);
    ni_json_whole(j, "nodes", f->with_text);
    ni_json_whole(j, "words", f->words);
    ni_json_whole(j, "distinct", f->distinct);
    ni_json_whole(j, "once", w->once);
    ni_json_real(j, "mean", (double)f->words / (double)f->with_text);
    ni_json_whole(j, "longest", f->longest);
    ni_json_open(j, "frequent", '[');
    for (size_t i = 0; i < w->count; i++) {
        ni_json_open(j, NULL, '{');
        ni_json_text(j, "word", w->word[i]);
        ni_json_whole(j, "times", w->times[i]);
        ni_json_whole(j, "nodes", w->nodes[i]);
        ni_json_close(j, '}');
    }
    ni_json_close(j, ']');
    ni_json_close(j, '}');
}

static neap_status show_text(const neap_text *text, ni_json *j, neap_error *err)
{
    neap_text_facts facts = NEAP_SIZED(neap_text_facts);
    neap_word_counts *words;
    neap_text_facts_of(text, &facts, NULL);
    neap_status rc = neap_text_frequent(text, FREQUENT, &words, err);
    if (rc != NEAP_OK) return rc;
    if (j) json_text(&facts, words, j);
    else print_text(&facts, words);
    neap_word_counts_free(words);
    return NEAP_OK;
}

static void show_features(const neap_features *features, ni_json *j)
{
    char n[SHORT], m[SHORT];
    neap_features_facts f = NEAP_SIZED(neap_features_facts);
    neap_features_facts_of(features, &f, NULL);
    if (j) {
        ni_json_open(j, "features", '{');
        ni_json_whole(j, "nodes", f.with_features);
        ni_json_whole(j, "features", f.features);
        ni_json_whole(j, "values", f.values);
        ni_json_whole(j, "strangers", f.strangers);
        ni_json_switch(j, "by_order", f.by_order);
        ni_json_close(j, '}');
        return;
    }
    printf("nodes with features  %s of %s\n", ni_format_count(f.with_features, n),
           ni_format_count(f.nodes, m));
    printf("nodes without any    %s\n", ni_format_count(f.nodes - f.with_features, n));
    printf("features             %s, with %s value%s other than 0\n", ni_format_count(f.features, n),
           ni_format_count(f.values, m), plural(f.values));
    printf("rows not read        %s, of nodes that the graph does not have\n",
           ni_format_count(f.strangers, n));
}

neap_status attributes_print(const attributes *x, ni_json *j, neap_error *err)
{
    neap_status rc = x->text ? show_text(x->text, j, err) : NEAP_OK;
    if (rc == NEAP_OK && x->features) show_features(x->features, j);
    return rc;
}
