#include <string.h>

#include "common.h"

typedef struct own {
    const char *output, *format;
    uint64_t nodes, edges, links, blocks, seed;
    double p_in, p_out;
} own;

static const arg_option options[] = {
    { "output", 'o', "FILE", NULL, ARG_TEXT, offsetof(own, output), 0, 0, true, "where the graph goes" },
    { "nodes", 'n', "N", NULL, ARG_WHOLE, offsetof(own, nodes), 1, UINT32_MAX - 1.0, false,
      "number of nodes (er, ba, sbm)" },
    { "edges", 'm', "N", NULL, ARG_WHOLE, offsetof(own, edges), 1, 1e12, false, "number of edges (er)" },
    { "links", 0, "N", NULL, ARG_WHOLE, offsetof(own, links), 1, UINT32_MAX - 1.0, false,
      "edges that each new node brings (ba)" },
    { "blocks", 0, "N", NULL, ARG_WHOLE, offsetof(own, blocks), 1, UINT32_MAX - 1.0, false,
      "number of equal blocks (sbm)" },
    { "p-in", 0, "P", NULL, ARG_REAL, offsetof(own, p_in), 0, 1, false,
      "probability of an edge inside a block (sbm)" },
    { "p-out", 0, "P", NULL, ARG_REAL, offsetof(own, p_out), 0, 1, false,
      "probability of an edge between blocks (sbm) [0]" },
    { "seed", 0, "N", "1", ARG_WHOLE, offsetof(own, seed), 0, 18446744073709551615.0, false,
      "the same seed gives the same graph" },
    { "format", 0, "auto|edges|adjacency|mtx|metis|safetensors", "auto", ARG_TEXT, offsetof(own, format), 0,
      0, false, "what to write; auto: by the ending of FILE, else an edge list" },
    { 0 },
};

/* The numbers that a kind requires. */
static neap_status check_needs(const char *kind, const own *o, neap_error *err)
{
    bool er = !strcmp(kind, "er"), ba = !strcmp(kind, "ba"), sbm = !strcmp(kind, "sbm");
    if (!er && !ba && !sbm)
        return ni_fail(err, NEAP_E_ARG, "unknown kind of graph '%s': it is er, ba or sbm", kind);
    if (!o->nodes) return ni_fail(err, NEAP_E_ARG, "%s needs --nodes", kind);
    if (er && !o->edges) return ni_fail(err, NEAP_E_ARG, "er needs --edges");
    if (ba && !o->links) return ni_fail(err, NEAP_E_ARG, "ba needs --links");
    if (sbm && (!o->blocks || o->p_in == 0))
        return ni_fail(err, NEAP_E_ARG, "sbm needs --blocks and --p-in");
    return NEAP_OK;
}

static void print_json(const neap_graph *graph, const char *kind, const own *o)
{
    ni_json j = json_to(stdout);
    ni_json_open(&j, NULL, '{');
    ni_json_text(&j, "output", o->output);
    ni_json_text(&j, "kind", kind);
    ni_json_whole(&j, "seed", o->seed);
    ni_json_whole(&j, "nodes", neap_graph_nodes(graph));
    ni_json_whole(&j, "edges", neap_graph_edges(graph));
    ni_json_close(&j, '}');
}

static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    char nodes[SHORT], edges[SHORT];
    neap_generator what = { .size = sizeof what,
                            .kind = a->operands[0],
                            .nodes = (uint32_t)o->nodes,
                            .links = (uint32_t)o->links,
                            .blocks = (uint32_t)o->blocks,
                            .edges = o->edges,
                            .seed = o->seed,
                            .p_in = o->p_in,
                            .p_out = o->p_out };
    neap_graph *graph = NULL;
    neap_status rc = check_needs(what.kind, o, err);
    if (rc == NEAP_OK) rc = check_output(o->output, err);
    if (rc == NEAP_OK) rc = check_json(a, o->output, err);
    if (rc == NEAP_OK) rc = neap_graph_generate(&what, &graph, err);
    if (rc == NEAP_OK) rc = neap_graph_save(graph, o->output, o->format, err);
    if (rc == NEAP_OK) {
        say(a, "%s: %s nodes, %s edges, seed %llu", o->output,
            ni_format_count(neap_graph_nodes(graph), nodes),
            ni_format_count(neap_graph_edges(graph), edges), (unsigned long long)o->seed);
        if (a->json) print_json(graph, what.kind, o);
    }
    neap_graph_free(graph);
    return rc;
}

const command cmd_generate = {
    .name = "generate",
    .operands = "er|ba|sbm -o FILE",
    .summary = "write a reproducible random graph",
    .details = "er: Erdos-Renyi, --edges distinct edges between --nodes nodes. ba: Barabasi-Albert, "
               "each new node brings --links edges to nodes chosen by degree. sbm: stochastic block "
               "model, --blocks equal blocks, an edge with probability --p-in inside and --p-out "
               "between them.\n",
    .examples = "neap generate er --nodes 1000 --edges 5000 -o er.txt\n"
                "neap generate ba --nodes 1000 --links 3 -o ba.txt\n"
                "neap generate sbm --nodes 300 --blocks 3 --p-in 0.1 --p-out 0.01 -o sbm.txt\n",
    .least = 1,
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "",
    .run = run,
};
