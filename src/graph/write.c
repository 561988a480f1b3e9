/* Writing graphs. What is written reads back as the same graph, as far as the format can express it; a
 * name that it cannot express is an error, never a silent change. Edge lists leave out nodes without edges.
 * mtx and metis have numbers only: the names go into FILE.names.txt beside them, line i the name of node i,
 * unless they are "1" .. "n" as the reader would give them. That file is put in its place first, but after
 * all of the graph is on the disk, so that there is no graph without its names; an existing one is always
 * replaced, so that it is never that of another graph. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sys.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "graph/links.h"
#include "graph/looks.h"
#include "io/output.h"
#include "io/stream.h"
#include "io/tensors.h"
#include "support/path.h"
#include "support/status.h"
#include "support/text.h"

static void write_weight(ni_output *out, float weight)
{
    char text[32];
    ni_output_write(out, text, ni_format_float(weight, text));
}

static bool has_outer_blank(const char *name)
{
    return strchr(" \t", name[0]) || strchr(" \t", name[strlen(name) - 1]);
}

static bool starts_like_comment(const char *name)
{
    return name[0] == '#' || name[0] == '%' || !strncmp(name, "\xef\xbb\xbf", 3);
}

/* The first bytes of a file tell its kind: a name there must not look like UTF-16, gzip or whatever else is
 * no text. */
static bool starts_like_other_data(const char *name)
{
    size_t n;
    for (const char *c = name; *c; c += n)
        if (!(n = ni_utf8_length(c)) || (unsigned char)*c < 0x20) return true;
    return ni_foreign_find(name, strlen(name)) != NULL;
}

/* A name with a line end cannot be written, even in quotes. */
static neap_status check_name(const char *name, neap_error *err)
{
    if (!strpbrk(name, "\r\n") && strlen(name) <= NI_NAME_MOST) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG,
                   "the name '%.100s' cannot be written in this format; .safetensors takes all names",
                   name);
}

static neap_status check_names(const neap_graph *g, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (uint32_t u = 0; u < g->nodes && rc == NEAP_OK; u++) rc = check_name(ni_name(&g->names, u), err);
    return rc;
}

/* Also for a quote anywhere: it could hide the delimiter from the detection. */
static bool needs_quotes(const char *name, char delimiter)
{
    return strchr(name, delimiter) || strchr(name, '"') || has_outer_blank(name) ||
           starts_like_comment(name) || starts_like_other_data(name);
}

static void write_name(ni_output *out, const char *name, char delimiter)
{
    if (needs_quotes(name, delimiter)) ni_quote(ni_output_sink(out), name);
    else ni_output_text(out, name);
}

static ni_field field_of(const neap_graph *g, uint32_t u)
{
    return (ni_field){ g->names.bytes + g->names.offset[u], ni_name_length(&g->names, u), false };
}

static bool is_number(const neap_graph *g, uint32_t u)
{
    ni_field name = field_of(g, u);
    return ni_field_is_number(&name);
}

/* The number that a reader takes from a written weight: its few digits may be another double than the
 * float. */
static double as_read(float weight)
{
    char text[32];
    double value = 0;
    ni_parse_double(text, ni_format_float(weight, text), &value);
    return value;
}

/* Whether the first names look like the start of another format, or the weights like times. What follows
 * them here is found if they look like a comment before it. */
static bool looks_foreign(const neap_graph *g, const ni_field *first, const ni_field *second)
{
    char text[2 * NI_NAME_MOST + 64];
    const char *a = needs_quotes(first->at, '\t') ? "\"" : "",
               *b = needs_quotes(second->at, '\t') ? "\"" : "";
    int length = snprintf(text, sizeof text, "%s%s%s\t%s%s%s\ngraph { */ graph {\n", a, first->at, a, b,
                          second->at, b);
    return ni_looks_like(text, text + length) || (g->weight && ni_looks_like_time(as_read(g->weight[0])));
}

/* Whether the reader would take the first edge for a header, by its words or for the numbers below, or for
 * something else. */
static bool is_mistakable(const neap_graph *g)
{
    uint32_t source = ni_graph_source(g, 0), target = g->target[0];
    ni_field first = field_of(g, source), second = field_of(g, target);
    if (looks_foreign(g, &first, &second)) return true;
    if (is_number(g, source) || is_number(g, target)) return false;
    if (ni_layout_is_header(&first, &second)) return true;
    for (uint64_t e = 1; e < g->edges; e++) /* only nodes with an edge are written */
        if (!is_number(g, ni_graph_source(g, e)) || !is_number(g, g->target[e])) return false;
    return true;
}

static neap_status write_edges(const neap_graph *g, ni_output *out, const char *path, neap_error *err)
{
    char delimiter = ni_path_ends(path, strlen(path), ".csv") ? ',' : '\t';
    neap_status rc = check_names(g, err);
    if (rc != NEAP_OK) return rc;
    if (delimiter == ',' || (g->edges && is_mistakable(g))) {
        ni_output_print(out, "source%ctarget", delimiter);
        if (g->weight) ni_output_print(out, "%cweight", delimiter);
        ni_output_text(out, "\n");
    }
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            write_name(out, ni_name(&g->names, u), delimiter);
            ni_output_write(out, &delimiter, 1);
            write_name(out, ni_name(&g->names, g->target[i]), delimiter);
            if (g->weight) ni_output_write(out, &delimiter, 1), write_weight(out, g->weight[i]);
            ni_output_text(out, "\n");
        }
    return NEAP_OK;
}

/* A tab behind every node, also a lonely one, so that the first line shows the delimiter. */
static neap_status write_adjacency(const neap_graph *g, ni_output *out, neap_error *err)
{
    if (g->weight)
        return ni_fail(err, NEAP_E_ARG,
                       "adjacency lists have no weights; write another format, or --weights ignore");
    neap_status rc = check_names(g, err);
    for (uint32_t u = 0; u < g->nodes && rc == NEAP_OK; u++) {
        write_name(out, ni_name(&g->names, u), '\t');
        if (g->offset[u] == g->offset[u + 1]) ni_output_text(out, "\t");
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            ni_output_text(out, "\t");
            write_name(out, ni_name(&g->names, g->target[i]), '\t');
        }
        ni_output_text(out, "\n");
    }
    return rc;
}

/* A symmetric matrix is written by its lower triangle, as the format demands. */
static neap_status write_mtx(const neap_graph *g, ni_output *out)
{
    ni_output_print(out, "%%%%MatrixMarket matrix coordinate %s %s\n%u %u %llu\n",
                    g->weight ? "real" : "pattern", g->undirected ? "symmetric" : "general", g->nodes,
                    g->nodes, (unsigned long long)g->edges);
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            uint32_t v = g->target[i];
            ni_output_print(out, "%u %u", (g->undirected ? v : u) + 1, (g->undirected ? u : v) + 1);
            if (g->weight) ni_output_text(out, " "), write_weight(out, g->weight[i]);
            ni_output_text(out, "\n");
        }
    return NEAP_OK;
}

static neap_status check_metis(const neap_graph *g, neap_error *err)
{
    if (!g->undirected)
        return ni_fail(
            err, NEAP_E_ARG,
            "METIS files hold undirected graphs; read this one with --undirected, or write .mtx");
    if (g->report.self_loops)
        return ni_fail(err, NEAP_E_ARG,
                       "METIS files have no self-loops, and this graph has %llu; write .mtx instead",
                       (unsigned long long)g->report.self_loops);
    for (uint64_t i = 0; g->weight && i < g->edges; i++)
        if (g->weight[i] != floorf(g->weight[i]))
            return ni_fail(err, NEAP_E_ARG,
                           "METIS files have whole weights only; write .mtx, or --weights ignore");
    return NEAP_OK;
}

static neap_status write_metis(const neap_graph *g, ni_output *out, neap_error *err)
{
    ni_links links;
    neap_status rc = ni_links_create(g, &links, err);
    if (rc != NEAP_OK) return rc;
    ni_output_print(out, "%u %llu%s\n", g->nodes, (unsigned long long)g->edges, g->weight ? " 001" : "");
    for (uint32_t u = 0; u < g->nodes; u++) {
        for (uint64_t i = links.offset[u]; i < links.offset[u + 1]; i++) {
            ni_output_print(out, "%s%u", i == links.offset[u] ? "" : " ", links.node[i] + 1);
            if (links.weight) ni_output_print(out, " %.0f", (double)links.weight[i]);
        }
        ni_output_text(out, "\n");
    }
    ni_links_free(&links);
    return NEAP_OK;
}

static neap_status save_tensors(const neap_graph *g, const char *path, neap_error *err)
{
    ni_tensors t = { 0 };
    ni_graph_to_file(g, &t);
    neap_status rc = ni_tensors_write(&t, path, err);
    ni_tensors_release(&t);
    return rc;
}

/* The names are "1" .. "n", as a reader of numbers gives them. */
static bool is_numbered(const neap_graph *g)
{
    char digits[12];
    for (uint32_t u = 0; u < g->nodes; u++) {
        snprintf(digits, sizeof digits, "%u", u + 1);
        if (strcmp(digits, ni_name(&g->names, u))) return false;
    }
    return true;
}

static neap_status write_names(const neap_graph *g, const char *path, neap_error *err)
{
    ni_output *out;
    neap_status rc = check_names(g, err);
    if (rc == NEAP_OK) rc = ni_output_open(path, &out, err);
    if (rc != NEAP_OK) return rc;
    for (uint32_t u = 0; u < g->nodes; u++) {
        ni_output_text(out, ni_name(&g->names, u));
        ni_output_text(out, "\n");
    }
    return ni_output_commit(out, err);
}

/* Whether a format has numbers for names. */
static bool is_nameless(uint32_t format)
{
    return format == NI_FORMAT_MTX || format == NI_FORMAT_METIS;
}

/* The path of the names, or "". */
static neap_status place_names(const char *path, uint32_t format, char *names, size_t room, neap_error *err)
{
    *names = 0;
    if (!is_nameless(format) || !strcmp(path, "-")) return NEAP_OK;
    int n = snprintf(names, room, "%s.names.txt", path);
    return n < 0 || (size_t)n >= room ? ni_fail(err, NEAP_E_ARG, "the path is too long") : NEAP_OK;
}

static neap_status save_names(const neap_graph *g, const char *path, uint32_t format, neap_error *err)
{
    char side[PATH_MAX];
    neap_status rc = place_names(path, format, side, sizeof side, err);
    if (rc != NEAP_OK || !is_nameless(format)) return rc;
    bool numbered = is_numbered(g);
    if (!*side && !numbered)
        return ni_fail(err, NEAP_E_ARG,
                       "this format has numbers, not names, and beside standard output there is no place "
                       "for names; write to a file, or another format");
    return numbered && (!*side || access(side, F_OK)) ? NEAP_OK : write_names(g, side, err);
}

static neap_status save_text(const neap_graph *g, const char *path, uint32_t format, neap_error *err)
{
    ni_output *out;
    neap_status rc = format == NI_FORMAT_METIS ? check_metis(g, err) : NEAP_OK;
    if (rc == NEAP_OK) rc = ni_output_open(path, &out, err);
    if (rc != NEAP_OK) return rc;
    bool beside = is_nameless(format) && strcmp(path, "-");
    if (!beside) rc = save_names(g, path, format, err);
    if (rc != NEAP_OK) goto done;
    if (format == NI_FORMAT_EDGES) rc = write_edges(g, out, path, err);
    else if (format == NI_FORMAT_ADJACENCY) rc = write_adjacency(g, out, err);
    else if (format == NI_FORMAT_MTX) rc = write_mtx(g, out);
    else rc = write_metis(g, out, err);
    if (rc == NEAP_OK && beside) rc = ni_output_settle(out, err);
    if (rc == NEAP_OK && beside) rc = save_names(g, path, format, err);
done:
    if (rc == NEAP_OK) return ni_output_commit(out, err);
    ni_output_abandon(out);
    return rc;
}

static neap_status choose_format(const char *path, const char *name, uint32_t *format, neap_error *err)
{
    neap_status rc = ni_graph_format_named(name ? name : "auto", format, err);
    if (rc != NEAP_OK) return rc;
    if (ni_path_ends(path, strlen(path), ".gz") || ni_path_ends(path, strlen(path), ".zst"))
        return ni_fail(
            err, NEAP_E_ARG,
            "neap reads compressed files but writes none; write to - and pipe it into gzip or zstd");
    if (*format == NI_FORMAT_AUTO) *format = ni_graph_format(path);
    return NEAP_OK;
}

neap_status neap_graph_save(const neap_graph *graph, const char *path, const char *format, neap_error *err)
{
    uint32_t chosen;
    neap_status rc = choose_format(path, format, &chosen, err);
    if (rc != NEAP_OK) return rc;
    return chosen == NI_FORMAT_SAFETENSORS ? save_tensors(graph, path, err)
                                           : save_text(graph, path, chosen, err);
}

neap_status neap_graph_names_path(const char *path, const char *format, char *names, size_t room,
                                  neap_error *err)
{
    uint32_t chosen;
    if (!path || !names || !room)
        return ni_fail(err, NEAP_E_ARG, "neap_graph_names_path needs a path and room");
    neap_status rc = choose_format(path, format, &chosen, err);
    return rc == NEAP_OK ? place_names(path, chosen, names, room, err) : rc;
}
