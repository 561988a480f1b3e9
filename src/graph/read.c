/* Which reader a graph file needs: by the option, its ending or its first bytes. */
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "graph/graph.h"
#include "io/stream.h"
#include "io/tensors.h"
#include "support/path.h"
#include "support/status.h"

typedef neap_status (*reader)(ni_stream_in *in, const ni_common *options, ni_builder *b, neap_error *err);

/* In the order of NI_FORMAT_... */
static const struct {
    const char *name;
    reader read;
} formats[] = { { "auto", NULL },       { "edges", ni_read_edges }, { "adjacency", ni_read_adjacency },
                { "mtx", ni_read_mtx }, { "metis", ni_read_metis }, { "safetensors", NULL } };

neap_status ni_graph_format_named(const char *name, uint32_t *format, neap_error *err)
{
    for (*format = 0; *format < sizeof formats / sizeof *formats; ++*format)
        if (!strcmp(formats[*format].name, name)) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG,
                   "format is one of auto, edges, adjacency, mtx, metis and safetensors, not '%.40s'",
                   name);
}

uint32_t ni_graph_format(const char *path)
{
    static const struct {
        const char *ending;
        uint32_t format;
    } endings[] = { { ".adj", NI_FORMAT_ADJACENCY }, { ".adjlist", NI_FORMAT_ADJACENCY },
                    { ".mtx", NI_FORMAT_MTX },       { ".metis", NI_FORMAT_METIS },
                    { ".graph", NI_FORMAT_METIS },   { ".safetensors", NI_FORMAT_SAFETENSORS } };
    size_t length = ni_path_unpacked(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ni_path_ends(path, length, endings[i].ending)) return endings[i].format;
    return NI_FORMAT_EDGES;
}

static neap_status no_edges(const char *label, neap_error *err)
{
    return ni_fail(err, NEAP_E_FORMAT, "no edges in %.300s; a graph needs at least one", label);
}

static neap_status read_text(ni_stream_in *in, const ni_common *options, uint32_t format, neap_graph **out,
                             neap_error *err)
{
    ni_builder b;
    ni_builder_init(&b);
    b.undirected = options->undirected;
    neap_status rc = formats[format].read(in, options, &b, err);
    if (rc == NEAP_OK && b.count == 0) rc = no_edges(ni_stream_label(in), err);
    snprintf(b.report.compression, sizeof b.report.compression, "%s", ni_stream_compression(in));
    if (rc == NEAP_OK) rc = ni_builder_finish(&b, out, err);
    ni_builder_free(&b);
    return rc;
}

/* The same graph, undirected or without weights. */
static neap_status rebuild(const neap_graph *g, bool undirected, bool weighted, neap_graph **out,
                           neap_error *err)
{
    ni_builder b;
    ni_builder_init(&b);
    b.undirected = undirected;
    b.weighted = weighted;
    ni_names_free(&b.names);
    bool room = ni_names_copy(&b.names, &g->names);
    for (uint32_t u = 0; u < g->nodes && room; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1] && room; i++)
            room = ni_builder_add(&b, u, g->target[i], weighted ? g->weight[i] : 1);
    neap_status rc = room ? ni_builder_finish(&b, out, err) : ni_fail_memory(err, "a graph");
    ni_builder_free(&b);
    return rc;
}

/* A model contains its training graph, but reading it as a graph is most likely a mistake. */
static neap_status check_kind(const ni_tensors *t, const char *path, neap_error *err)
{
    if (ni_tensors_are(t, "graph")) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT,
                   "%.200s: this is a neap %s, not a graph; `neap info` says what it holds", path,
                   ni_tensors_are(t, "vectors") ? "file of vectors" : ni_tensors_fact(t, "neap.kind"));
}

static neap_status load_tensors(const char *path, const ni_common *options, const neap_hooks *hooks,
                                neap_graph **out, neap_error *err)
{
    neap_graph *g = NULL;
    ni_tensors t;
    neap_status rc = ni_tensors_read(path, hooks, &t, err);
    if (rc == NEAP_OK) {
        rc = check_kind(&t, path, err);
        if (rc == NEAP_OK) rc = ni_name_file(path, ni_graph_from_file(&t, &g, err), err);
        ni_tensors_release(&t);
    }
    if (rc == NEAP_OK && g->edges == 0) rc = no_edges(path, err);
    bool undirected = rc == NEAP_OK && (g->undirected || options->undirected);
    bool weighted = rc == NEAP_OK && g->weight && options->weights == NI_WEIGHTS_AUTO;
    if (rc == NEAP_OK && (undirected != g->undirected || weighted != (g->weight != NULL))) {
        rc = rebuild(g, undirected, weighted, out, err);
        neap_graph_free(g);
    } else if (rc == NEAP_OK) {
        *out = g;
    } else {
        neap_graph_free(g);
    }
    if (rc == NEAP_OK) snprintf((*out)->report.compression, sizeof(*out)->report.compression, "none");
    return rc;
}

/* A file of our own is also recognised by its first bytes, whatever its name; a pipe is refused. */
static bool is_ours(const ni_stream_in *in, const char *path)
{
    size_t count;
    const void *start = ni_stream_peek(in, &count);
    return strcmp(path, "-") && ni_foreign_is_tensors(start, count);
}

static neap_status load(const char *path, const ni_common *options, const neap_hooks *hooks,
                        neap_graph **out, neap_error *err)
{
    ni_stream_in *in = NULL;
    neap_status rc = NEAP_OK;
    uint32_t format = options->format == NI_FORMAT_AUTO ? ni_graph_format(path) : options->format;
    if (format != NI_FORMAT_SAFETENSORS) rc = ni_stream_open(path, &in, err);
    if (rc != NEAP_OK) return rc;
    if (in) ni_stream_watch(in, hooks);
    if (in && options->format == NI_FORMAT_AUTO && is_ours(in, path)) format = NI_FORMAT_SAFETENSORS;
    if (format != NI_FORMAT_EDGES && strcmp(options->columns, "auto"))
        rc = ni_fail(err, NEAP_E_ARG, "%.200s: --columns is for edge lists, not for the format %s", path,
                     formats[format].name);
    else
        rc = format == NI_FORMAT_SAFETENSORS ? load_tensors(path, options, hooks, out, err)
                                             : read_text(in, options, format, out, err);
    ni_stream_close(in);
    if (rc != NEAP_OK) return rc;
    snprintf((*out)->report.format, sizeof(*out)->report.format, "%s", formats[format].name);
    return NEAP_OK;
}

neap_status neap_graph_load(const char *path, const neap_options *options, const neap_hooks *hooks,
                            neap_graph **out, neap_error *err)
{
    ni_common common;
    neap_hooks mine;
    *out = NULL;
    neap_status rc = ni_common_read(options, &common, err);
    if (rc == NEAP_OK) rc = ni_hooks_in(&mine, &hooks, err);
    return rc == NEAP_OK ? load(path, &common, hooks, out, err) : rc;
}
