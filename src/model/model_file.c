/* A model as tensors and facts, written and read. Nothing in a file is trusted: options are read as if a
 * user had given them, tensors are those that the method declares for these options and no others. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/sized.h"
#include "base/sys.h"
#include "io/crc32c.h"
#include "io/tensors.h"
#include "model/method.h"
#include "model/run.h"
#include "support/status.h"

static const char option_prefix[] = "option.";

const char *const ni_model_facts[NI_MODEL_FACTS + 1] = { "neap.kind",  "method", "option.",   "rows",
                                                         "epochs",     "loss",   "valid_auc", "graph.hash",
                                                         "undirected", "targets" };

/* ---- a model as tensors ---- */

enum { KEY_ROOM = 80 };

/* The method has the key "method", the other options a prefix. */
static const char *key_of(const char *option, char key[KEY_ROOM])
{
    snprintf(key, KEY_ROOM, "%s%s", strcmp(option, "method") ? option_prefix : "", option);
    return key;
}

static void say_option(const char *name, const char *value, void *user)
{
    char key[KEY_ROOM];
    ni_tensors_put(user, key_of(name, key), value);
}

static void format_hash(const neap_graph *graph, char text[17])
{
    snprintf(text, 17, "%016llx", (unsigned long long)neap_graph_hash(graph));
}

/* Neighbourhoods that are simply all links can be made again; a sample or an extension cannot. */
static bool hood_is_stored(const neap_model *m)
{
    return m->hood.offset && (m->hood.capped || m->rows < m->graph->nodes);
}

void ni_model_to_tensors(const neap_model *m, ni_tensors *t)
{
    char hash[17];
    format_hash(m->graph, hash);
    ni_tensors_put(t, "neap.kind", "model");
    ni_settings_saved(m->settings, say_option, t);
    ni_tensors_put_count(t, "rows", m->rows);
    ni_tensors_put_count(t, "epochs", m->epochs);
    ni_tensors_put_real(t, "loss", m->loss);
    ni_tensors_put_real(t, "valid_auc", m->valid_auc);
    ni_tensors_put(t, "graph.hash", hash);
    for (size_t i = 0; i < m->tensors->list.count; i++) {
        const ni_declared *x = &m->tensors->list.item[i];
        if (x->role != NI_STATE && x->data) ni_tensors_add(t, x->name, x->type, x->rank, x->shape, x->data);
    }
    if (ni_targets_limit(&m->targets)) {
        uint64_t nodes = m->targets.nodes;
        ni_tensors_put(t, "targets", ni_targets_word(&m->targets));
        ni_tensors_add(t, "targets", NI_U8, 1, &nodes, m->targets.side);
    }
    if (hood_is_stored(m)) {
        uint64_t offsets = (uint64_t)m->hood.nodes + 1, length = m->hood.offset[m->hood.nodes];
        ni_tensors_add(t, "hood.offsets", NI_U64, 1, &offsets, m->hood.offset);
        ni_tensors_add(t, "hood.nodes", NI_U32, 1, &length, m->hood.node);
    }
    if (m->method->text) ni_texts_to_tensors(&m->texts, t);
    ni_graph_to_tensors(m->graph, t);
}

/* ---- options ---- */

/* Before format 3, negatives in proportion to 1 + degree^0.75 were called `degree`. */
const char *ni_option_said(const ni_tensors *t, const char *key, const char *value)
{
    bool older = t->format && t->format < 3 && !strcmp(key, "option.negative-sampling");
    return older && value && !strcmp(value, "degree") ? "degree-0.75" : value;
}

/* Format 1 listed the options of all methods; those of others are skipped. */
static neap_status give_option(const ni_tensors *t, const ni_method *method, neap_options *options,
                               const char *name, const char *value, neap_error *err)
{
    const ni_option *o = ni_option_find(name);
    if (!o || strcmp(o->info.name, name) || !o->info.saved)
        return ni_fail(err, NEAP_E_FORMAT,
                       "there is no option '%.40s'; was the file made by a newer version?", name);
    if (ni_option_is_common(o) || ni_method_has_option(method, name))
        return ni_options_give(options, o->info.name, value, false, err);
    if (t->format == 1) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "method %s has no option '%.40s'", method->info.name, name);
}

/* The spelling that we would write is compared with the file's. */
typedef struct spelling {
    const ni_tensors *t;
    const char *name; /* of the first that differs, or NULL */
} spelling;

static void compare_option(const char *name, const char *value, void *user)
{
    spelling *s = user;
    char room[KEY_ROOM];
    const char *key = key_of(name, room), *stored = ni_option_said(s->t, key, ni_tensors_fact(s->t, key));
    if (stored && strcmp(stored, value) && !s->name) s->name = name;
}

static neap_status read_options(const ni_tensors *t, const neap_options *options, const ni_method **method,
                                ni_settings **out, neap_error *err)
{
    spelling s = { .t = t };
    neap_status rc = ni_settings_read(options, method, out, err);
    if (rc == NEAP_E_ARG) {
        if (err) err->code = NEAP_E_FORMAT;
        return NEAP_E_FORMAT;
    }
    if (rc != NEAP_OK) return rc;
    ni_settings_saved(*out, compare_option, &s);
    if (!s.name) return NEAP_OK;
    ni_settings_free(*out);
    *out = NULL;
    return ni_fail(err, NEAP_E_FORMAT, "option %s is not spelled as it would be written", s.name);
}

const char *ni_option_before(const ni_method *method, const char *name)
{
    for (const ni_option_part *part = method->options.parts; part && part->set; part++)
        for (size_t i = 0; i < part->set->count; i++) {
            const ni_option *o = &part->set->option[i];
            if (!strcmp(o->info.name, name) && ni_option_part_has(part, o)) return o->info.presets[0];
        }
    return NULL;
}

/* Those that the file lacks. */
static neap_status give_missing(const ni_tensors *t, const ni_method *method, neap_options *options,
                                neap_error *err)
{
    char key[KEY_ROOM];
    neap_option_info o = NEAP_SIZED(neap_option_info);
    neap_status rc = NEAP_OK;
    for (size_t i = 0; rc == NEAP_OK && neap_method_option(method->info.name, i, &o, NULL) == NEAP_OK;
         i++) {
        const char *before = ni_option_before(method, o.name);
        if (before && o.saved && !ni_tensors_fact(t, key_of(o.name, key)))
            rc = ni_options_give(options, o.name, before, false, err);
    }
    return rc;
}

static neap_status take_options(const ni_tensors *t, const ni_method **method, ni_settings **out,
                                neap_error *err)
{
    const size_t prefix = strlen(option_prefix);
    neap_options *options;
    *out = NULL;
    const char *name = ni_tensors_fact(t, "method");
    if (!name) return ni_fail(err, NEAP_E_FORMAT, "the metadata lack 'method'");
    *method = ni_method_find(name, NULL);
    if (!*method)
        return ni_fail(err, NEAP_E_FORMAT, NI_NEWER ": neap %s has no method '%.40s'", neap_version(),
                       name);
    neap_status rc = neap_options_create("neap", &options, err);
    if (rc == NEAP_OK) rc = ni_options_give(options, "method", name, false, err);
    for (size_t i = 0; i < t->facts && rc == NEAP_OK; i++) {
        const char *key = t->fact[i].key;
        if (strncmp(key, option_prefix, prefix)) continue;
        rc = strcmp(key + prefix, "method") ? give_option(t, *method, options, key + prefix,
                                                          ni_option_said(t, key, t->fact[i].value), err)
                                            : ni_fail(err, NEAP_E_FORMAT, "the method stands there twice");
    }
    if (rc == NEAP_OK) rc = give_missing(t, *method, options, err);
    if (rc == NEAP_OK) rc = read_options(t, options, method, out, err);
    neap_options_free(options);
    return rc;
}

/* ---- graph and neighbourhoods ---- */

static neap_status take_graph(const ni_tensors *t, neap_model *m, neap_error *err)
{
    char hash[17];
    uint64_t rows = 0;
    neap_status rc = ni_graph_from_tensors(t, &m->graph, err);
    if (rc != NEAP_OK) return rc;
    const char *stored = ni_tensors_fact(t, "graph.hash");
    format_hash(m->graph, hash);
    if (!stored || strcmp(stored, hash))
        return ni_fail(err, NEAP_E_FORMAT, "the graph is not the one of graph.hash");
    rc = ni_tensors_count(t, "rows", m->graph->nodes, &rows, err);
    if (rc != NEAP_OK) return rc;
    m->rows = (uint32_t)rows;
    if (m->settings->common.undirected != m->graph->undirected)
        return ni_fail(err, NEAP_E_FORMAT, "option.undirected and the graph disagree");
    return rows ? NEAP_OK : ni_fail(err, NEAP_E_FORMAT, "the model has no node");
}

/* Offsets from 0, each row ascending, ids of nodes that were in training, and no more of them than the rule
 * allows. */
static neap_status check_hood(const neap_model *m, const uint64_t *offset, const uint32_t *node, uint64_t n,
                              neap_error *err)
{
    uint32_t nodes = m->graph->nodes, most = m->method->hood(m->settings).neighbors;
    if (offset[0] != 0 || offset[nodes] != n)
        return ni_fail(err, NEAP_E_FORMAT, "hood.offsets do not fit hood.nodes");
    for (uint32_t u = 0; u < nodes; u++) {
        if (offset[u + 1] < offset[u] || offset[u + 1] > n || offset[u + 1] - offset[u] > most)
            return ni_fail(err, NEAP_E_FORMAT, "the neighbourhood of node %u has an impossible size", u);
        for (uint64_t i = offset[u]; i < offset[u + 1]; i++)
            if (node[i] >= m->rows || (i > offset[u] && node[i] <= node[i - 1]))
                return ni_fail(err, NEAP_E_FORMAT,
                               "the neighbourhood of node %u is not a sorted list of nodes", u);
    }
    return NEAP_OK;
}

static neap_status take_stored_hood(const ni_tensors *t, neap_model *m, neap_error *err)
{
    const ni_tensor *list = ni_tensors_find(t, "hood.nodes");
    if (!list) return ni_fail(err, NEAP_E_FORMAT, "tensor hood.nodes is missing");
    uint64_t offsets = (uint64_t)m->graph->nodes + 1, length = list->shape[0];
    const void *offset, *node;
    neap_status rc = ni_tensors_need(t, "hood.offsets", NI_U64, 1, &offsets, &offset, err);
    if (rc == NEAP_OK) rc = ni_tensors_need(t, "hood.nodes", NI_U32, 1, &length, &node, err);
    if (rc == NEAP_OK) rc = check_hood(m, offset, node, length, err);
    if (rc != NEAP_OK) return rc;
    m->hood = (ni_hood){ .nodes = m->graph->nodes, .capped = true };
    m->hood.offset = ni_copy(offset, (size_t)offsets, sizeof *m->hood.offset);
    m->hood.node = ni_copy(node, (size_t)length, sizeof *m->hood.node);
    return m->hood.offset && m->hood.node ? NEAP_OK : ni_fail_memory(err, "the neighbourhoods");
}

static neap_status take_hood(const ni_tensors *t, neap_model *m, neap_error *err)
{
    if (!m->method->hood) return NEAP_OK; /* format 1 had them in models of all methods */
    if (ni_tensors_find(t, "hood.offsets") || ni_tensors_find(t, "hood.nodes"))
        return take_stored_hood(t, m, err);
    ni_hood_rule rule = m->method->hood(m->settings);
    neap_status rc = ni_hood_create(m->graph, &m->links, &rule, &m->hood, err);
    if (rc == NEAP_OK && hood_is_stored(m))
        rc = ni_fail(err, NEAP_E_FORMAT, "tensor hood.offsets is missing");
    return rc;
}

/* ---- targets ---- */

/* Each is 0 or 1; the edges that were trained on join the sides of opposite targets. */
static neap_status check_sides(const neap_model *m, const uint8_t *side, bool opposite, neap_error *err)
{
    for (uint32_t u = 0; u < m->graph->nodes; u++)
        if (side[u] > 1)
            return ni_fail(err, NEAP_E_FORMAT, "tensor targets has other numbers than 0 and 1");
    if (!opposite || ni_sides_fit(m->graph, side, m->rows)) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "tensor targets: an edge joins two nodes of one side");
}

static neap_status take_targets(const ni_tensors *t, neap_model *m, neap_error *err)
{
    const char *word = ni_tensors_fact(t, "targets");
    uint64_t nodes = m->graph->nodes;
    const void *side;
    if (!word && !ni_tensors_find(t, "targets")) return NEAP_OK;
    bool opposite = word && !strcmp(word, "opposite");
    if (!word || (!opposite && strcmp(word, "list")))
        return ni_fail(err, NEAP_E_FORMAT, "the metadata 'targets' are missing or unknown");
    neap_status rc = ni_tensors_need(t, "targets", NI_U8, 1, &nodes, &side, err);
    if (rc == NEAP_OK) rc = check_sides(m, side, opposite, err);
    return rc == NEAP_OK ? ni_targets_create(side, m->graph->nodes, opposite, &m->targets, err) : rc;
}

/* ---- the method's tensors ---- */

static neap_status take_tensor(const ni_tensors *t, ni_declared *x, neap_error *err)
{
    const void *data;
    neap_status rc = ni_tensors_need(t, x->name, x->type, x->rank, x->shape, &data, err);
    if (rc != NEAP_OK) return rc;
    void *own = ni_tensors_take(t, data, (size_t)ni_declared_bytes(x), 1);
    if (!own) return ni_fail_memory(err, "the vectors");
    ni_declared_set(x, own);
    return NEAP_OK;
}

/* What is not in the lists of every model, the method's declaration or, in a checkpoint, its state is
 * refused. */
static neap_status refuse_others(const ni_tensors *t, const neap_model *m, neap_error *err)
{
    static const char *const tensors[] = { "graph.offsets", "graph.targets",      "graph.weights",
                                           "names.offsets", "names.bytes",        "targets",
                                           "hood.offsets",  "hood.nodes",         "text.offsets",
                                           "text.words",    "vocabulary.offsets", "vocabulary.bytes" };
    const size_t common = sizeof tensors / sizeof *tensors;
    const ni_declaration *d = &m->tensors->list;
    const char **all = ni_array(common + d->count + 1, sizeof *all);
    if (!all) return ni_fail_memory(err, "a model");
    size_t n = 0;
    for (size_t i = 0; i < common; i++)
        if (i < 6 || (i < 8 && (m->method->hood || t->format == 1)) || (i >= 8 && m->method->text))
            all[n++] = tensors[i];
    for (size_t i = 0; i < d->count; i++)
        if (d->item[i].data) all[n++] = d->item[i].name;
    all[n] = NULL;
    neap_status rc = ni_tensors_are(t, "checkpoint") ? ni_checkpoint_check(t, m, all, err)
                                                     : ni_tensors_only(t, all, ni_model_facts, err);
    ni_free(all);
    return rc;
}

static neap_status take_tensors(const ni_tensors *t, neap_model *m, neap_error *err)
{
    ni_declaration *d = &m->tensors->list;
    neap_status rc = NEAP_OK;
    d->found = t;
    d->complete = ni_tensors_are(t, "model");
    if (m->method->declare) m->method->declare(m, d);
    if (d->failed) rc = ni_fail_memory(err, "a model");
    for (size_t i = 0; i < d->count && rc == NEAP_OK; i++)
        if (d->item[i].role != NI_STATE) rc = take_tensor(t, &d->item[i], err);
    if (rc == NEAP_OK) rc = refuse_others(t, m, err);
    d->found = NULL;
    return rc;
}

/* A model that learned from features alone has no words. */
static neap_status take_texts(const ni_tensors *t, neap_model *m, neap_error *err)
{
    if (m->method->info.features && !ni_tensors_find(t, "text.offsets"))
        return ni_texts_none(m->graph->nodes, &m->texts, err);
    return ni_texts_from_tensors(t, m->graph->nodes, m->rows, &m->texts, err);
}

/* ---- all of it ---- */

static neap_status take_model(const ni_tensors *t, neap_model *m, neap_error *err)
{
    uint64_t epochs = 0;
    neap_status rc = ni_tensors_count(t, "epochs", UINT32_MAX, &epochs, err);
    m->epochs = (uint32_t)epochs;
    m->dim = ni_model_dim(m->method, m->settings);
    if (rc == NEAP_OK) rc = ni_tensors_real(t, "loss", &m->loss, err);
    if (rc == NEAP_OK) rc = ni_tensors_real(t, "valid_auc", &m->valid_auc, err);
    if (rc == NEAP_OK) rc = take_graph(t, m, err);
    if (rc == NEAP_OK) rc = take_targets(t, m, err);
    if (rc == NEAP_OK && m->method->text) rc = take_texts(t, m, err);
    if (rc == NEAP_OK) rc = take_tensors(t, m, err);
    if (rc == NEAP_OK) rc = ni_links_create(m->graph, &m->links, err);
    if (rc == NEAP_OK) rc = take_hood(t, m, err);
    if (rc == NEAP_OK && m->method->derive) rc = m->method->derive(m, err);
    return rc;
}

neap_status ni_model_from_tensors(const ni_tensors *t, neap_model **out, neap_error *err)
{
    const ni_method *method;
    ni_settings *settings;
    *out = NULL;
    neap_status rc = take_options(t, &method, &settings, err);
    if (rc != NEAP_OK) return rc;
    neap_model *m = ni_zeros(1, sizeof *m);
    if (m) {
        m->method = method;
        m->settings = ni_settings_share(settings);
        m->own = ni_zeros(1, method->own);
        m->tensors = ni_zeros(1, sizeof *m->tensors);
    }
    ni_settings_free(settings);
    rc = m && m->own && m->tensors ? take_model(t, m, err) : ni_fail_memory(err, "a model");
    if (rc == NEAP_OK) *out = m;
    else neap_model_free(m);
    return rc;
}

/* ---- files and memory ---- */

static neap_status from_file(const ni_tensors *t, neap_model **out, neap_error *err)
{
    if (ni_tensors_are(t, "model")) return ni_model_from_tensors(t, out, err);
    return ni_fail(err, NEAP_E_FORMAT, "this is a file of kind '%s', not a model",
                   ni_tensors_fact(t, "neap.kind"));
}

neap_status neap_model_load(const char *path, const neap_hooks *hooks, neap_model **out, neap_error *err)
{
    ni_tensors t;
    *out = NULL;
    neap_hooks mine;
    neap_status rc = ni_hooks_in(&mine, &hooks, err);
    if (rc == NEAP_OK) rc = ni_tensors_read(path, hooks, &t, err);
    if (rc != NEAP_OK) return rc;
    rc = from_file(&t, out, err);
    ni_tensors_release(&t);
    return ni_name_file(path, rc, err);
}

neap_status neap_model_save(const neap_model *m, const char *path, neap_error *err)
{
    ni_tensors t = { 0 };
    if (!m || !path) return ni_fail(err, NEAP_E_ARG, "neap_model_save needs a model and a path");
    ni_model_to_tensors(m, &t);
    neap_status rc = ni_tensors_write(&t, path, err);
    ni_tensors_release(&t);
    return rc;
}

neap_status neap_model_hash(const neap_model *m, uint64_t *hash, neap_error *err)
{
    ni_tensors t = { 0 };
    uint64_t h = 0;
    ni_model_to_tensors(m, &t);
    neap_status rc = t.failed ? ni_fail_memory(err, "the hash of a model") : NEAP_OK;
    for (size_t i = 0; i < t.facts && rc == NEAP_OK; i++) {
        uint32_t crc = ni_crc32c(0, t.fact[i].key, strlen(t.fact[i].key) + 1);
        h = ni_mix(h ^ ni_crc32c(crc, t.fact[i].value, strlen(t.fact[i].value)));
    }
    for (size_t i = 0; i < t.count && rc == NEAP_OK; i++) {
        const ni_tensor *x = &t.tensor[i];
        uint64_t bytes = 0;
        ni_tensor_bytes(x->type, x->rank, x->shape, &bytes);
        uint32_t crc = ni_crc32c(0, x->name, strlen(x->name) + 1);
        h = ni_mix(h ^ ni_crc32c(crc, x->data, (size_t)bytes) ^ bytes << 32);
    }
    *hash = h;
    ni_tensors_release(&t);
    return rc;
}

neap_status neap_model_from_memory(const void *bytes, size_t count, neap_model **out, neap_error *err)
{
    ni_tensors t;
    *out = NULL;
    neap_status rc = ni_tensors_parse(bytes, count, &t, err);
    if (rc != NEAP_OK) return rc;
    rc = from_file(&t, out, err);
    ni_tensors_release(&t);
    return rc;
}

neap_status neap_model_to_memory(const neap_model *m, void *bytes, size_t room, size_t *need,
                                 neap_error *err)
{
    ni_tensors t = { 0 };
    ni_model_to_tensors(m, &t);
    neap_status rc = ni_tensors_store(&t, bytes, room, need, err);
    ni_tensors_release(&t);
    return rc;
}
