#include <limits.h>

#include "common.h"

typedef struct own {
    const char *to;
} own;

static const arg_option options[] = {
    { "to", 0, "auto|edges|adjacency|mtx|metis|safetensors", "auto", ARG_TEXT, offsetof(own, to), 0, 0,
      false, "what to write; auto: by the ending of OUT, else an edge list" },
    { 0 },
};

static void print_json(const neap_graph *graph, const char *path)
{
    ni_json j = json_to(stdout);
    ni_json_open(&j, NULL, '{');
    ni_json_text(&j, "output", path);
    ni_json_whole(&j, "nodes", neap_graph_nodes(graph));
    ni_json_whole(&j, "edges", neap_graph_edges(graph));
    ni_json_close(&j, '}');
}

static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    const char *out = a->operands[1];
    neap_graph *graph = NULL;
    char names[PATH_MAX];
    neap_status rc = neap_graph_names_path(out, o->to, names, sizeof names, err);
    if (rc == NEAP_OK) rc = check_apart((const char *[]){ a->operands[0], out, names }, 1, 3, err);
    if (rc == NEAP_OK) rc = check_output(out, err);
    if (rc == NEAP_OK) rc = check_json(a, out, err);
    if (rc == NEAP_OK) rc = read_graph(a, a->operands[0], &graph, err);
    if (rc == NEAP_OK) rc = neap_graph_save(graph, out, o->to, err);
    if (rc == NEAP_OK && a->json) print_json(graph, out);
    neap_graph_free(graph);
    return rc;
}

const command cmd_convert = {
    .name = "convert",
    .operands = "IN OUT",
    .summary = "write a graph in another format",
    .details = "Reads a graph and writes it again. A graph written as .safetensors has been checked "
               "in full and is opened at once the next time. `-` is standard input or output.\n",
    .examples = "neap convert friends.txt friends.mtx\n"
                "neap convert friends.txt graph.safetensors\n",
    .least = 2,
    .most = 2,
    .options = options,
    .own_size = sizeof(own),
    .library = "reading,undirected",
    .run = run,
};
