#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "io/safetensors.h"
#include "model/model.h"
#include "support/text.h"

static const char option_prefix[] = "option.";

/* ---- a model as tensors ---- */

/* The method is said under its own name, the other options with a prefix. */
static void say_option(const char *name, const char *value, void *user)
{
    char key[sizeof(((ni_fact *)0)->key)];
    bool method = !strcmp(name, "method");
    snprintf(key, sizeof key, "%s%s", method ? "" : option_prefix, name);
    ni_tensors_say(user, key, value);
}

static void say_count(ni_tensors *t, const char *key, uint64_t value)
{
    char words[24];
    snprintf(words, sizeof words, "%llu", (unsigned long long)value);
    ni_tensors_say(t, key, words);
}

static void say_real(ni_tensors *t, const char *key, double value)
{
    char words[32];
    if (!isfinite(value)) return;
    ni_format_double(value, words);
    ni_tensors_say(t, key, words);
}

static void format_hash(const neap_graph *graph, char words[17])
{
    snprintf(words, 17, "%016llx", (unsigned long long)ni_graph_hash(graph));
}

/* Neighbourhoods that are simply all links can be made again; a sample or an extension cannot. */
static bool hood_is_stored(const neap_model *model)
{
    return model->hood.capped || model->rows < model->graph->nodes;
}

void ni_model_to_tensors(const neap_model *model, ni_tensors *t)
{
    char hash[17];
    format_hash(model->graph, hash);
    ni_tensors_say(t, "neap.kind", "model");
    ni_options_saved(&model->options, say_option, t);
    say_count(t, "rows", model->rows);
    say_count(t, "epochs", model->epochs);
    say_real(t, "loss", model->loss);
    say_real(t, "valid_auc", model->valid_auc);
    ni_tensors_say(t, "graph.hash", hash);
    if (model->E) ni_tensors_add(t, "E", NI_F32, model->rows, model->dim, model->E);
    if (model->P) ni_tensors_add(t, "P", NI_F32, model->dim, model->dim, model->P);
    if (model->pad) ni_tensors_add(t, "pad", NI_F32, model->dim, 0, model->pad);
    if (model->attention)
        ni_tensors_add(t, "attention", NI_F32, model->options.window, 0, model->attention);
    if (model->persona) {
        uint32_t personas = model->personas.count;
        ni_tensors_add(t, "persona.owners", NI_U32, personas, 0, model->personas.owner);
        ni_tensors_add(t, "persona.vectors", NI_F32, personas, model->dim, model->persona);
    }
    if (hood_is_stored(model)) {
        ni_tensors_add(t, "hood.offsets", NI_U64, (uint64_t)model->hood.nodes + 1, 0, model->hood.offset);
        ni_tensors_add(t, "hood.nodes", NI_U32, model->hood.offset[model->hood.nodes], 0, model->hood.node);
    }
    ni_graph_to_tensors(model->graph, t);
}

/* ---- tensors as a model: nothing is believed ---- */

static neap_status take_count(const ni_tensors *t, const char *key, uint64_t most, uint64_t *value,
                              neap_error *err)
{
    const char *words = ni_tensors_fact(t, key);
    if (!words) return ni_fail(err, NEAP_E_FORMAT, "the metadata lack '%s'", key);
    if (!ni_parse_u64(words, strlen(words), value) || *value > most)
        return ni_fail(err, NEAP_E_FORMAT, "%s is '%s', not a number up to %llu", key, words,
                       (unsigned long long)most);
    return NEAP_OK;
}

/* NaN where nothing is said. */
static neap_status take_real(const ni_tensors *t, const char *key, double *value, neap_error *err)
{
    const char *words = ni_tensors_fact(t, key);
    *value = NAN;
    if (words && !ni_parse_double(words, strlen(words), value))
        return ni_fail(err, NEAP_E_FORMAT, "%s is '%s', not a number", key, words);
    return NEAP_OK;
}

static bool is_saved_option(const char *name)
{
    for (size_t i = 0; i < neap_option_count(); i++)
        if (!strcmp(neap_option_at(i)->name, name)) return neap_option_at(i)->saved;
    return false;
}

/* Exactly what we would write: no alias, no other spelling of a number. */
static neap_status take_option(neap_options *options, const char *name, const char *value, neap_error *err)
{
    char back[32];
    if (!is_saved_option(name))
        return ni_fail(err, NEAP_E_FORMAT, "there is no option '%s'; was the file made by a newer version?",
                       name);
    if (neap_options_set(options, name, value, err) != NEAP_OK) {
        if (err) err->code = NEAP_E_FORMAT;
        return NEAP_E_FORMAT;
    }
    neap_status rc = neap_options_get(options, name, back, sizeof back, err);
    if (rc == NEAP_OK && strcmp(back, value))
        rc = ni_fail(err, NEAP_E_FORMAT, "option %s is '%s' where '%s' is meant", name, value, back);
    return rc;
}

/* An option that the file does not know, because it is older, has the default of the preset neap. */
static neap_status take_options(const ni_tensors *t, neap_options *options, neap_error *err)
{
    neap_options *defaults;
    neap_status rc = neap_options_create("neap", &defaults, err);
    if (rc != NEAP_OK) return rc;
    *options = *defaults;
    neap_options_free(defaults);
    const char *method = ni_tensors_fact(t, "method");
    if (!method) return ni_fail(err, NEAP_E_FORMAT, "the metadata lack 'method'");
    rc = take_option(options, "method", method, err);
    for (uint32_t i = 0; i < t->facts && rc == NEAP_OK; i++) {
        const char *name = t->fact[i].key + strlen(option_prefix);
        if (strncmp(t->fact[i].key, option_prefix, strlen(option_prefix))) continue;
        rc = strcmp(name, "method") ? take_option(options, name, t->fact[i].value, err)
                                    : ni_fail(err, NEAP_E_FORMAT, "the method is said twice");
    }
    return rc;
}

static neap_status take_graph(const ni_tensors *t, neap_model *model, neap_error *err)
{
    char hash[17];
    neap_status rc = ni_graph_from_tensors(t, &model->graph, err);
    if (rc != NEAP_OK) return rc;
    const char *said = ni_tensors_fact(t, "graph.hash");
    format_hash(model->graph, hash);
    if (!said || strcmp(said, hash))
        return ni_fail(err, NEAP_E_FORMAT, "the graph is not the one of graph.hash");
    uint64_t rows = 0;
    rc = take_count(t, "rows", model->graph->nodes, &rows, err);
    if (rc != NEAP_OK) return rc;
    model->rows = (uint32_t)rows;
    if (model->options.undirected != model->graph->undirected)
        return ni_fail(err, NEAP_E_FORMAT, "option.undirected and the graph disagree");
    return rows ? NEAP_OK : ni_fail(err, NEAP_E_FORMAT, "the model has no node");
}

/* A copy of a table; rank 1 if columns is 0. */
static neap_status take_table(const ni_tensors *t, const char *name, uint64_t rows, uint64_t columns,
                              float **out, neap_error *err)
{
    const void *data;
    uint64_t n = rows * (columns ? columns : 1);
    neap_status rc = ni_tensors_need(t, name, NI_F32, rows, columns, &data, err);
    if (rc != NEAP_OK) return rc;
    *out = ni_copy(data, (size_t)n, sizeof **out);
    return *out ? NEAP_OK : ni_fail_memory(err, "the vectors");
}

static neap_status refuse(const ni_tensors *t, const char *name, neap_error *err)
{
    if (!ni_tensors_find(t, name)) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "tensor %s has no place in this model", name);
}

/* E alone, E and P, or nothing; which of them its method needs is the method's business. */
static neap_status take_tables(const ni_tensors *t, neap_model *model, neap_error *err)
{
    bool has_P = ni_tensors_find(t, "P");
    bool padded = model->options.padding == NI_PAD_VECTOR && ni_tensors_find(t, "pad");
    neap_status rc = NEAP_OK;
    if (has_P || ni_tensors_find(t, "E")) {
        model->dim = model->options.dim;
        rc = take_table(t, "E", model->rows, model->dim, &model->E, err);
    }
    if (rc == NEAP_OK && has_P) rc = take_table(t, "P", model->dim, model->dim, &model->P, err);
    if (rc == NEAP_OK && ni_tensors_find(t, "attention"))
        rc = take_table(t, "attention", model->options.window, 0, &model->attention, err);
    if (rc != NEAP_OK) return rc;
    return padded ? take_table(t, "pad", model->dim, 0, &model->pad, err) : refuse(t, "pad", err);
}

/* Several vectors a node, of a method that splits nodes. */
static neap_status take_personas(const ni_tensors *t, neap_model *model, neap_error *err)
{
    const ni_tensor *owners = ni_tensors_find(t, "persona.owners");
    if (!owners) return refuse(t, "persona.vectors", err);
    uint64_t count = owners->shape[0];
    model->dim = model->options.dim;
    neap_status rc = ni_personas_take(owners->data, count, model->rows, &model->personas, err);
    if (rc == NEAP_OK) rc = take_table(t, "persona.vectors", count, model->dim, &model->persona, err);
    if (rc != NEAP_OK) return rc;
    model->persona_scale = ni_array((size_t)count, sizeof *model->persona_scale);
    if (!model->persona_scale) return ni_fail_memory(err, "the vectors");
    ni_model_measure_personas(model);
    return NEAP_OK;
}

/* Offsets from 0, each row ascending, ids of nodes that have a row in E, and no more of them than the
 * option allows. */
static neap_status check_hood(const neap_model *model, const uint64_t *offset, const uint32_t *node,
                              uint64_t n, neap_error *err)
{
    uint32_t nodes = model->graph->nodes;
    if (offset[0] != 0 || offset[nodes] != n)
        return ni_fail(err, NEAP_E_FORMAT, "hood.offsets do not fit hood.nodes");
    for (uint32_t u = 0; u < nodes; u++) {
        if (offset[u + 1] < offset[u] || offset[u + 1] > n ||
            offset[u + 1] - offset[u] > model->options.neighbors)
            return ni_fail(err, NEAP_E_FORMAT, "the neighbourhood of node %u has an impossible size", u);
        for (uint64_t i = offset[u]; i < offset[u + 1]; i++)
            if (node[i] >= model->rows || (i > offset[u] && node[i] <= node[i - 1]))
                return ni_fail(err, NEAP_E_FORMAT,
                               "the neighbourhood of node %u is not a sorted list of nodes", u);
    }
    return NEAP_OK;
}

static neap_status take_hood(const ni_tensors *t, neap_model *model, neap_error *err)
{
    const ni_tensor *list = ni_tensors_find(t, "hood.nodes");
    if (!list) return ni_fail(err, NEAP_E_FORMAT, "tensor hood.nodes is missing");
    uint64_t offsets = (uint64_t)model->graph->nodes + 1, length = list->shape[0];
    const void *offset;
    neap_status rc = ni_tensors_need(t, "hood.offsets", NI_U64, offsets, 0, &offset, err);
    if (rc == NEAP_OK) rc = check_hood(model, offset, list->data, length, err);
    if (rc != NEAP_OK) return rc;
    ni_hood *hood = &model->hood;
    *hood = (ni_hood){ .nodes = model->graph->nodes, .capped = true };
    hood->offset = ni_array((size_t)offsets, sizeof *hood->offset);
    hood->node = ni_array((size_t)length, sizeof *hood->node);
    if (!hood->offset || !hood->node) return ni_fail_memory(err, "the neighbourhoods");
    memcpy(hood->offset, offset, (size_t)offsets * sizeof *hood->offset);
    memcpy(hood->node, list->data, (size_t)length * sizeof *hood->node);
    return NEAP_OK;
}

static neap_status make_hood(neap_model *model, neap_error *err)
{
    neap_status rc = ni_hood_create(model->graph, &model->links, &model->options, &model->hood, err);
    if (rc == NEAP_OK && hood_is_stored(model))
        rc = ni_fail(err, NEAP_E_FORMAT, "tensor hood.offsets is missing");
    return rc;
}

/* A persona is a circle of neighbours: a node has no more of them than links, or one. */
static neap_status check_personas(const neap_model *model, neap_error *err)
{
    for (uint32_t u = 0; model->persona && u < model->rows; u++)
        if (ni_personas_of(&model->personas, u) > 1 &&
            ni_personas_of(&model->personas, u) > ni_degree(&model->links, u))
            return ni_fail(err, NEAP_E_FORMAT, "a node has more personas than links");
    return NEAP_OK;
}

static neap_status take_model(const ni_tensors *t, neap_model *model, neap_error *err)
{
    uint64_t epochs = 0;
    neap_status rc = take_options(t, &model->options, err);
    if (rc == NEAP_OK) rc = take_count(t, "epochs", UINT32_MAX, &epochs, err);
    model->epochs = (uint32_t)epochs;
    if (rc == NEAP_OK) rc = take_real(t, "loss", &model->loss, err);
    if (rc == NEAP_OK) rc = take_real(t, "valid_auc", &model->valid_auc, err);
    if (rc == NEAP_OK) rc = take_graph(t, model, err);
    if (rc == NEAP_OK) rc = take_tables(t, model, err);
    if (rc == NEAP_OK) rc = take_personas(t, model, err);
    if (rc == NEAP_OK) rc = ni_links_create(model->graph, &model->links, err);
    if (rc == NEAP_OK) rc = check_personas(model, err);
    if (rc != NEAP_OK) return rc;
    bool stored = ni_tensors_find(t, "hood.offsets") || ni_tensors_find(t, "hood.nodes");
    return stored ? take_hood(t, model, err) : make_hood(model, err);
}

neap_status ni_model_from_tensors(const ni_tensors *t, neap_model **out, neap_error *err)
{
    *out = NULL;
    if (!ni_tensors_are(t, "model") && !ni_tensors_are(t, "checkpoint"))
        return ni_fail(err, NEAP_E_FORMAT, "it holds a %s, not a model", ni_tensors_fact(t, "neap.kind"));
    neap_model *model = ni_zeros(1, sizeof *model);
    if (!model) return ni_fail_memory(err, "a model");
    neap_status rc = take_model(t, model, err);
    if (rc == NEAP_OK) *out = model;
    else neap_model_free(model);
    return rc;
}

/* ---- files ---- */

neap_status ni_model_load(const char *path, neap_model **out, neap_error *err)
{
    ni_tensors t;
    *out = NULL;
    neap_status rc = ni_tensors_read(path, &t, err);
    if (rc != NEAP_OK) return rc;
    if (ni_tensors_are(&t, "model")) rc = ni_model_from_tensors(&t, out, err);
    else rc = ni_fail(err, NEAP_E_FORMAT, "it holds a %s, not a model", ni_tensors_fact(&t, "neap.kind"));
    ni_tensors_release(&t);
    if (rc == NEAP_OK) rc = ni_threads_create(0, &(*out)->threads, err);
    if (rc != NEAP_OK) {
        neap_model_free(*out);
        *out = NULL;
    }
    return ni_name_file(path, rc, err);
}

neap_status neap_model_save(const neap_model *model, const char *path, neap_error *err)
{
    ni_tensors t = { .count = 0 };
    if (!model || !path) return ni_fail(err, NEAP_E_ARG, "neap_model_save needs a model and a path");
    ni_model_to_tensors(model, &t);
    return ni_tensors_write(&t, path, err);
}
