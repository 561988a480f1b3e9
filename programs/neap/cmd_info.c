#include "common.h"
#include "json.h"

static void print_fact(const char *key, const char *value, void *user)
{
    (void)user;
    printf("%-28s", key);
    print_name(stdout, value, name_columns(value));
    putchar('\n');
}

static void json_fact(const char *key, const char *value, void *user)
{
    json_text(user, key, value);
}

static neap_status our_file(const args *a, neap_error *err)
{
    json j = { .file = stdout };
    if (!a->json) return neap_file_check(a->operands[0], print_fact, NULL, err);
    json_open(&j, NULL, '{');
    neap_status rc = neap_file_check(a->operands[0], json_fact, &j, err);
    json_close(&j, '}');
    return rc;
}

static void print_graph(const neap_graph *graph, const neap_graph_facts *f)
{
    char n[SHORT];
    printf("nodes                %s\n", with_commas(f->nodes, n));
    printf("edges                %s, %s\n", with_commas(f->edges, n),
           neap_graph_is_undirected(graph) ? "without direction" : "directed");
    printf("pairs                %s without direction and self-loops\n", with_commas(f->pairs, n));
    printf("reciprocal edges     %s\n", with_commas(f->reciprocal, n));
    printf("self-loops           %s\n", with_commas(f->self_loops, n));
    printf("isolated nodes       %s\n", with_commas(f->isolated, n));
    printf("components           %s, ", with_commas(f->components, n));
    printf("the largest with %s nodes\n", with_commas(f->largest_component, n));
    printf("neighbours per node  %.2f on average, ", f->mean_degree);
    printf("at most %s", with_commas(f->max_degree, n));
    const char *hub = neap_graph_name(graph, f->hub);
    if (hub) {
        printf(" (");
        print_name(stdout, hub, name_columns(hub));
        putchar(')');
    }
    putchar('\n');
}

static void json_graph(const neap_graph *graph, const neap_graph_facts *f)
{
    const neap_graph_report *r = neap_graph_report_view(graph);
    json j = { .file = stdout };
    json_open(&j, NULL, '{');
    json_text(&j, "format", r->format);
    json_text(&j, "compression", r->compression);
    json_switch(&j, "header", r->header);
    json_switch(&j, "weighted", r->weighted);
    json_switch(&j, "undirected", neap_graph_is_undirected(graph));
    json_whole(&j, "lines", r->lines);
    json_whole(&j, "edges_read", r->edges_read);
    json_whole(&j, "repeats", r->repeats);
    json_whole(&j, "nodes", f->nodes);
    json_whole(&j, "edges", f->edges);
    json_whole(&j, "pairs", f->pairs);
    json_whole(&j, "reciprocal", f->reciprocal);
    json_whole(&j, "self_loops", f->self_loops);
    json_whole(&j, "isolated", f->isolated);
    json_whole(&j, "components", f->components);
    json_whole(&j, "largest_component", f->largest_component);
    json_real(&j, "mean_degree", f->mean_degree);
    json_whole(&j, "max_degree", f->max_degree);
    json_text(&j, "hub", neap_graph_name(graph, f->hub));
    json_close(&j, '}');
}

static neap_status text_graph(const args *a, neap_error *err)
{
    neap_graph *graph = NULL;
    neap_graph_facts facts;
    neap_status rc = read_graph(a, a->operands[0], &graph, err);
    if (rc == NEAP_OK) rc = neap_graph_facts_of(graph, &facts, err);
    if (rc == NEAP_OK && a->json) json_graph(graph, &facts);
    else if (rc == NEAP_OK) print_graph(graph, &facts);
    neap_graph_free(graph);
    return rc;
}

static neap_status run(const args *a, neap_error *err)
{
    return neap_file_is_ours(a->operands[0]) ? our_file(a, err) : text_graph(a, err);
}

const command cmd_info = {
    .name = "info",
    .operands = "FILE",
    .summary = "say what a graph, model or checkpoint holds",
    .details = "Of a graph: how it was read, nodes, edges, components, degrees. Of a model, "
               "checkpoint or converted graph: what it holds, after a full check.\n",
    .examples = "neap info friends.txt\nneap info friends.safetensors --json\n",
    .least = 1,
    .most = 1,
    .library = "reading,undirected",
    .run = run,
};
