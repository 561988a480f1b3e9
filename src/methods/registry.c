/* Every method, one line each, and the public calls that go to one of them. */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "io/safetensors.h"
#include "model/method.h"
#include "support/text.h"

static const ni_method *const methods[] = {
    &ni_method_gap,      &ni_method_goat,
    &ni_method_pa,       &ni_method_cn,
    &ni_method_aa,       &ni_method_ra,
    &ni_method_katz,     &ni_method_l3,
    &ni_method_walk3,    &ni_method_ppr,
    &ni_method_deepwalk, &ni_method_node2vec,
    &ni_method_walklets, &ni_method_attentivewalk,
    &ni_method_splitter, &ni_method_fastrp,
    &ni_method_verse,    &ni_method_line,
};

enum { COUNT = sizeof methods / sizeof *methods };

size_t neap_method_count(void)
{
    return COUNT;
}

const neap_method_info *neap_method_at(size_t i)
{
    return i < COUNT ? &methods[i]->info : NULL;
}

const ni_method *ni_method_find(const neap_options *options, neap_error *err)
{
    const char *name = options->method.text;
    const ni_method *nearest = methods[0];
    for (int i = 0; i < COUNT; i++) {
        if (!strcmp(methods[i]->info.name, name)) return methods[i];
        if (ni_distance(name, methods[i]->info.name, 99) < ni_distance(name, nearest->info.name, 99))
            nearest = methods[i];
    }
    ni_fail(err, NEAP_E_ARG, "there is no method '%s'; the nearest is '%s', and `neap methods` lists all",
            name, nearest->info.name);
    return NULL;
}

static neap_status no_answer(const neap_model *m, const char *what, neap_error *err)
{
    return ni_fail(err, NEAP_E_ARG, "method %s has no %s", m->options.method.text, what);
}

static neap_status check_node(const neap_model *m, uint32_t node, neap_error *err)
{
    if (node < m->graph->nodes) return NEAP_OK;
    return ni_fail(err, NEAP_E_UNKNOWN, "there is no node number %u; the model has %u nodes", node,
                   m->graph->nodes);
}

neap_status neap_options_settle(neap_options *options, neap_error *err)
{
    const ni_method *method = ni_method_find(options, err);
    if (method) ni_options_settle(options, method->defaults);
    return method ? NEAP_OK : NEAP_E_ARG;
}

/* Who sets an option should hear that it changes nothing. */
static void say_unused(const neap_method_info *method, const neap_options *options, const neap_hooks *hooks)
{
    static const char everybody[] = "method,undirected,self-loops,test,seed";
    char text[160];
    for (size_t i = 0; i < neap_option_count(); i++) {
        const neap_option_info *o = neap_option_at(i);
        if (!options->given[i] || !o->saved || ni_word_in(everybody, ',', o->name) >= 0 ||
            ni_word_in(method->options, ',', o->name) >= 0)
            continue;
        snprintf(text, sizeof text, "--%s has no meaning for %s and changes nothing", o->name,
                 method->name);
        hooks->note(text, hooks->user);
    }
}

neap_status neap_train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                       neap_model **out, neap_error *err)
{
    *out = NULL;
    const ni_method *method = ni_method_find(options, err);
    if (!method) return NEAP_E_ARG;
    neap_options settled = *options;
    ni_options_settle(&settled, method->defaults);
    if (hooks && hooks->note && method->info.vectors) say_unused(&method->info, options, hooks);
    neap_status rc = ni_method_check_memory(method, graph, &settled, err);
    return rc == NEAP_OK ? method->train(graph, &settled, hooks, out, err) : rc;
}

neap_status ni_method_train_nothing(const neap_graph *graph, const neap_options *options,
                                    const neap_hooks *hooks, neap_model **out, neap_error *err)
{
    (void)hooks;
    return ni_model_create(graph, options, out, err);
}

static bool has_table(const ni_method *method, const char *name)
{
    return method->tables && ni_word_in(method->tables, ',', name) >= 0;
}

neap_status ni_method_check(const neap_model *m, bool complete, neap_error *err)
{
    const ni_method *method = ni_method_find(&m->options, NULL);
    if (!method)
        return ni_fail(err, NEAP_E_FORMAT, "this version has no method '%s'", m->options.method.text);
    bool split = has_table(method, "persona.vectors");
    bool pad = has_table(method, "pad") && m->options.padding == NI_PAD_VECTOR;
    bool matrix = has_table(method, "P") && m->options.matrix;
    if (!has_table(method, "E") != !m->E || matrix != (m->P != NULL) || pad != (m->pad != NULL) ||
        !has_table(method, "attention") != !m->attention || (m->persona ? !split : split && complete))
        return ni_fail(err, NEAP_E_FORMAT, "these are not the tables of method %s", m->options.method.text);
    return NEAP_OK;
}

neap_status ni_method_check_state(const ni_tensors *t, const neap_model *m, neap_error *err)
{
    const ni_method *method = ni_method_find(&m->options, err);
    ni_tables tables = { .count = 0 };
    if (!method || !method->state)
        return ni_fail(err, NEAP_E_FORMAT, "method %s makes no checkpoints", m->options.method.text);
    method->state(m, &tables);
    return ni_checkpoint_check(t, m, &tables, err);
}

neap_status neap_model_load(const char *path, neap_model **out, neap_error *err)
{
    neap_model *m;
    *out = NULL;
    neap_status rc = ni_model_load(path, &m, err);
    if (rc != NEAP_OK) return rc;
    rc = ni_name_file(path, ni_method_check(m, true, err), err);
    if (rc == NEAP_OK) *out = m;
    else neap_model_free(m);
    return rc;
}

neap_status ni_method_check_scores(const float *scores, size_t count, neap_error *err)
{
    if (ni_finite_until(scores, count) == count) return NEAP_OK;
    return ni_fail(err, NEAP_E_NUMERIC, "a score is not finite: the vectors of this model are too large");
}

neap_status neap_model_score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                             neap_error *err)
{
    const ni_method *method = ni_method_find(&m->options, err);
    neap_status rc = method ? NEAP_OK : NEAP_E_ARG;
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) {
        rc = check_node(m, pairs[i].source, err);
        if (rc == NEAP_OK) rc = check_node(m, pairs[i].target, err);
    }
    if (rc == NEAP_OK) rc = method->score(m, pairs, count, scores, err);
    return rc == NEAP_OK ? ni_method_check_scores(scores, count, err) : rc;
}

/* ---- the k best of all ---- */

neap_status neap_model_rank(const neap_model *m, uint32_t source, size_t k, int with_known,
                            neap_ranked *best, size_t *count, neap_error *err)
{
    *count = 0;
    if (k == 0) return ni_fail(err, NEAP_E_ARG, "k must be at least 1");
    const ni_method *method = ni_method_find(&m->options, err);
    neap_status rc = method ? check_node(m, source, err) : NEAP_E_ARG;
    return rc == NEAP_OK ? ni_method_rank(method, m, source, k, with_known != 0, best, count, err) : rc;
}

/* ---- vectors and reasons ---- */

neap_status neap_model_vectors(const neap_model *m, float *vectors, neap_error *err)
{
    const ni_method *method = ni_method_find(&m->options, err);
    if (!method) return NEAP_E_ARG;
    return method->vectors ? method->vectors(m, vectors, err) : no_answer(m, "vectors", err);
}

neap_status neap_model_context_vectors(const neap_model *m, uint32_t context, float *vectors,
                                       neap_error *err)
{
    const ni_method *method = ni_method_find(&m->options, err);
    neap_status rc = method ? check_node(m, context, err) : NEAP_E_ARG;
    if (rc != NEAP_OK) return rc;
    return method->context_vectors ? method->context_vectors(m, context, vectors, err)
                                   : no_answer(m, "vectors that depend on a context", err);
}

neap_status neap_explain(const neap_model *m, uint32_t source, uint32_t target, neap_explanation **out,
                         neap_error *err)
{
    *out = NULL;
    const ni_method *method = ni_method_find(&m->options, err);
    neap_status rc = method ? check_node(m, source, err) : NEAP_E_ARG;
    if (rc == NEAP_OK) rc = check_node(m, target, err);
    if (rc != NEAP_OK) return rc;
    return method->explain ? method->explain(m, source, target, out, err)
                           : no_answer(m, "attention that could explain a score", err);
}
