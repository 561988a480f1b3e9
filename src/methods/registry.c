/* Every method, one line each, and the public calls that go to one of them. */
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "base/text.h"
#include "io/safetensors.h"
#include "methods/method.h"

static const ni_method *const methods[] = {
    &ni_method_gap,
    &ni_method_pa,
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

static neap_status find(const neap_options *options, const ni_method **method, neap_error *err)
{
    const char *name = options->method.text;
    const ni_method *nearest = methods[0];
    for (int i = 0; i < COUNT; i++) {
        if (!strcmp(methods[i]->info.name, name)) return *method = methods[i], NEAP_OK;
        if (ni_distance(name, methods[i]->info.name, 99) < ni_distance(name, nearest->info.name, 99))
            nearest = methods[i];
    }
    return ni_fail(err, NEAP_E_ARG,
                   "there is no method '%s'; the nearest is '%s', and `neap methods` lists all", name,
                   nearest->info.name);
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

neap_status neap_train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                       neap_model **out, neap_error *err)
{
    const ni_method *method;
    *out = NULL;
    neap_status rc = find(options, &method, err);
    return rc == NEAP_OK ? method->train(graph, options, hooks, out, err) : rc;
}

neap_status ni_method_check(const neap_model *m, neap_error *err)
{
    const ni_method *method;
    if (find(&m->options, &method, NULL) != NEAP_OK)
        return ni_fail(err, NEAP_E_FORMAT, "this version has no method '%s'", m->options.method.text);
    if (!method->vectors != !m->E || !method->explain != !m->P)
        return ni_fail(err, NEAP_E_FORMAT, "these are not the tables of method %s", m->options.method.text);
    return NEAP_OK;
}

neap_status neap_model_load(const char *path, neap_model **out, neap_error *err)
{
    neap_model *m;
    *out = NULL;
    neap_status rc = ni_model_load(path, &m, err);
    if (rc != NEAP_OK) return rc;
    rc = ni_name_file(path, ni_method_check(m, err), err);
    if (rc == NEAP_OK) *out = m;
    else neap_model_free(m);
    return rc;
}

neap_status neap_model_score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                             neap_error *err)
{
    const ni_method *method;
    neap_status rc = find(&m->options, &method, err);
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) {
        rc = check_node(m, pairs[i].source, err);
        if (rc == NEAP_OK) rc = check_node(m, pairs[i].target, err);
    }
    return rc == NEAP_OK ? method->score(m, pairs, count, scores, err) : rc;
}

/* ---- the k best of all ---- */

static neap_status score_all(const ni_method *method, const neap_model *m, uint32_t source, float *scores,
                             neap_error *err)
{
    uint32_t n = m->graph->nodes;
    if (method->score_all) return method->score_all(m, source, scores, err);
    neap_pair *pairs = ni_array(n, sizeof *pairs);
    if (!pairs) return ni_fail_memory(err, "ranking all nodes");
    for (uint32_t t = 0; t < n; t++) pairs[t] = (neap_pair){ source, t };
    neap_status rc = method->score(m, pairs, n, scores, err);
    ni_free(pairs);
    return rc;
}

static bool better(neap_ranked a, neap_ranked b)
{
    return a.score > b.score || (a.score == b.score && a.node < b.node);
}

/* Keeps best[0 .. count-1] in order; k is small, so that shifting beats a heap. */
static void offer(neap_ranked *best, size_t *count, size_t k, neap_ranked candidate)
{
    if (*count == k && !better(candidate, best[k - 1])) return;
    size_t at = *count < k ? (*count)++ : k - 1;
    for (; at > 0 && better(candidate, best[at - 1]); at--) best[at] = best[at - 1];
    best[at] = candidate;
}

neap_status neap_model_rank(const neap_model *m, uint32_t source, size_t k, int with_known,
                            neap_ranked *best, size_t *count, neap_error *err)
{
    const ni_method *method;
    *count = 0;
    if (k == 0) return ni_fail(err, NEAP_E_ARG, "k must be at least 1");
    neap_status rc = find(&m->options, &method, err);
    if (rc == NEAP_OK) rc = check_node(m, source, err);
    if (rc != NEAP_OK) return rc;
    float *scores = ni_array(m->graph->nodes, sizeof *scores);
    if (!scores) return ni_fail_memory(err, "ranking all nodes");
    rc = score_all(method, m, source, scores, err);
    for (uint32_t t = 0; t < m->graph->nodes && rc == NEAP_OK; t++)
        if (with_known || (t != source && !ni_linked(&m->links, source, t)))
            offer(best, count, k, (neap_ranked){ t, scores[t] });
    ni_free(scores);
    return rc;
}

/* ---- vectors and reasons ---- */

neap_status neap_model_vectors(const neap_model *m, float *vectors, neap_error *err)
{
    const ni_method *method;
    neap_status rc = find(&m->options, &method, err);
    if (rc != NEAP_OK) return rc;
    return method->vectors ? method->vectors(m, vectors, err) : no_answer(m, "vectors", err);
}

neap_status neap_model_context_vectors(const neap_model *m, uint32_t context, float *vectors,
                                       neap_error *err)
{
    const ni_method *method;
    neap_status rc = find(&m->options, &method, err);
    if (rc == NEAP_OK) rc = check_node(m, context, err);
    if (rc != NEAP_OK) return rc;
    return method->context_vectors ? method->context_vectors(m, context, vectors, err)
                                   : no_answer(m, "vectors that depend on a context", err);
}

neap_status neap_explain(const neap_model *m, uint32_t source, uint32_t target, neap_explanation **out,
                         neap_error *err)
{
    const ni_method *method;
    *out = NULL;
    neap_status rc = find(&m->options, &method, err);
    if (rc == NEAP_OK) rc = check_node(m, source, err);
    if (rc == NEAP_OK) rc = check_node(m, target, err);
    if (rc != NEAP_OK) return rc;
    return method->explain ? method->explain(m, source, target, out, err)
                           : no_answer(m, "attention that could explain a score", err);
}
