#include "new_nodes.h"

#include <string.h>

#include "common.h"
#include "pages/pages.h"
#include "reading.h"

static void say_texts(const args *a, const char *path, const neap_text *text)
{
    char texts[SHORT], words[SHORT];
    neap_text_facts f = NEAP_SIZED(neap_text_facts);
    neap_text_facts_of(text, &f, NULL);
    say(a, "%s: %s node%s with a text, %s word%s", input_label(path), ni_format_count(f.with_text, texts),
        plural(f.with_text), ni_format_count(f.words, words), plural(f.words));
}

/* The new nodes' links and texts, either of which may be missing; data borrows from graph and text. */
static neap_status read_data(const args *a, const new_nodes *new, neap_graph **graph, neap_text **text,
                             neap_data *data, neap_error *err)
{
    neap_status rc = new->edges ? read_graph(a, new->edges, graph, err) : NEAP_OK;
    if (rc == NEAP_OK && new->text) {
        neap_graph *links = *graph;
        reading bar;
        rc = neap_text_load_new(new->text, links, reading_begin(&bar, a, new->text), graph, text, err);
        reading_end(&bar);
        neap_graph_free(links);
        if (rc == NEAP_OK) say_texts(a, new->text, *text);
    }
    data->graph = *graph;
    data->text = *text;
    return rc;
}

static void say_report(const args *a, const neap_extension *r, bool by_text)
{
    say(a, "  %u new node%s added", r->added, plural(r->added));
    if (r->by_text) say(a, "  %u of them by text alone: no neighbour in the model", r->by_text);
    if (r->unreachable)
        say(a, "  %u new node%s left out: no neighbour in the model%s", r->unreachable,
            plural(r->unreachable), by_text ? ", and no word that it reads" : "");
    if (r->ignored)
        say(a, "  %llu edge%s left out: not between a new and a known node", (unsigned long long)r->ignored,
            plural(r->ignored));
    if (r->known_texts)
        say(a, "  %u text%s of nodes that the model has: not read", r->known_texts, plural(r->known_texts));
}

/* Replaces the model by one with the new nodes. */
static neap_status extend(const args *a, neap_model **model, const new_nodes *new, neap_error *err)
{
    neap_graph *graph = NULL;
    neap_text *text = NULL;
    neap_model *extended = NULL;
    neap_data data = NEAP_SIZED(neap_data);
    neap_extension report = NEAP_SIZED(neap_extension);
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    neap_model_facts_of(*model, &facts, NULL);
    const neap_method_info *method = neap_method_find(facts.method);
    if (new->text && !method->text)
        return ni_fail(err, NEAP_E_ARG, "%s reads no texts: --new-text has no meaning for its models",
                       facts.method);
    neap_status rc = read_data(a, new, &graph, &text, &data, err);
    if (rc == NEAP_OK) rc = neap_model_extend(*model, &data, &extended, &report, err);
    neap_text_free(text);
    neap_graph_free(graph);
    if (rc) return rc;
    neap_model_free(*model);
    *model = extended;
    say_report(a, &report, new->text && method->new_text);
    return NEAP_OK;
}

neap_status read_model(const args *a, const char *path, const new_nodes *new, neap_model **out,
                       neap_error *err)
{
    reading bar;
    const input inputs[] = { { "--new-edges", new->edges }, { "--new-text", new->text } };
    *out = NULL;
    neap_status rc = check_stdin(inputs, 2, err);
    if (rc != NEAP_OK) return rc;
    rc = neap_model_load(path, reading_begin(&bar, a, path), out, err);
    reading_end(&bar);
    if (rc == NEAP_OK && (new->edges || new->text)) rc = extend(a, out, new, err);
    if (rc == NEAP_OK) return rc;
    neap_model_free(*out);
    *out = NULL;
    return rc;
}

bool model_has_probability(const neap_model *model)
{
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    return neap_model_facts_of(model, &facts, NULL) == NEAP_OK &&
           neap_method_find(facts.method)->probability;
}

/* What the model learned to tell links from. */
static const char *negatives_of(const neap_model *model, char kind[SHORT])
{
    bool known = !neap_options_get(neap_model_options(model), "negative-sampling", kind, SHORT, NULL);
    return known ? kind : "uniform";
}

void say_prior(const args *a, const neap_model *model, double prior)
{
    char kind[SHORT];
    const char *drawn = ni_negatives_in_words(negatives_of(model, kind));
    say(a,
        "probabilities: if %g %% of the pairs that you ask about are links (--prior), and the others "
        "non-links of "
        "the same node, %s",
        100 * prior, drawn);
}

void json_prior(ni_json *j, const neap_model *model, double prior)
{
    char kind[SHORT];
    ni_json_real(j, "prior", prior);
    ni_json_text(j, "negatives", negatives_of(model, kind));
}

neap_status ask_model(const args *a, const char *path, const new_nodes *new, double prior,
                      const neap_hooks *hooks, neap_model **model, neap_query **query, neap_error *err)
{
    char text[SHORT];
    uint64_t threads = 0;
    neap_query_spec spec = { .size = sizeof spec, .hooks = hooks, .prior = prior };
    neap_status rc = neap_options_get(a->options, "threads", text, sizeof text, err);
    if (rc == NEAP_OK) rc = read_model(a, path, new, model, err);
    if (rc) return rc;
    if (ni_parse_u64(text, strlen(text), &threads)) spec.threads = (uint32_t)threads;
    return neap_query_create(*model, &spec, query, err);
}
