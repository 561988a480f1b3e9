#include "attributes.h"
#include "common.h"

typedef struct own {
    attributes_own attributes;
} own;

static const arg_option options[] = {
    ATTRIBUTE_OPTIONS(own, attributes),
    { 0 },
};

static void print_fact(const char *key, const char *value, void *user)
{
    (void)user;
    printf("%-28s", key);
    print_name(stdout, value, name_columns(value));
    putchar('\n');
}

static void json_fact(const char *key, const char *value, void *user)
{
    ni_json_text(user, key, value);
}

static neap_status our_file(const args *a, neap_error *err)
{
    ni_json j = json_to(stdout);
    if (!a->json) return neap_file_check(a->operands[0], print_fact, NULL, err);
    ni_json_open(&j, NULL, '{');
    neap_status rc = neap_file_check(a->operands[0], json_fact, &j, err);
    ni_json_close(&j, '}');
    return rc;
}

static void print_sides(const neap_graph_facts *f)
{
    char n[SHORT];
    printf("bipartite            %s nodes on one side, ", ni_format_count(f->sides[0], n));
    printf("%s on the other, every edge between the two\n", ni_format_count(f->sides[1], n));
}

static void print_graph(const neap_graph *graph, const neap_graph_facts *f)
{
    char n[SHORT];
    printf("nodes                %s\n", ni_format_count(f->nodes, n));
    printf("edges                %s, %s\n", ni_format_count(f->edges, n),
           neap_graph_is_undirected(graph) ? "without direction" : "directed");
    printf("pairs                %s without direction and self-loops\n", ni_format_count(f->pairs, n));
    printf("reciprocal edges     %s\n", ni_format_count(f->reciprocal, n));
    printf("self-loops           %s\n", ni_format_count(f->self_loops, n));
    printf("isolated nodes       %s\n", ni_format_count(f->isolated, n));
    printf("components           %s, ", ni_format_count(f->components, n));
    printf("the largest with %s nodes\n", ni_format_count(f->largest_component, n));
    printf("neighbours per node  %.2f on average, ", f->mean_degree);
    printf("at most %s", ni_format_count(f->max_degree, n));
    const char *hub = neap_graph_name(graph, f->hub);
    if (hub) {
        printf(" (");
        print_name(stdout, hub, name_columns(hub));
        putchar(')');
    }
    putchar('\n');
    if (f->sides[0]) print_sides(f);
}

static void json_graph(const neap_graph *graph, const neap_graph_facts *f, ni_json *j)
{
    neap_graph_report report = NEAP_SIZED(neap_graph_report), *r = &report;
    neap_graph_report_of(graph, &report, NULL);
    ni_json_text(j, "format", r->format);
    ni_json_text(j, "compression", r->compression);
    ni_json_switch(j, "header", r->header);
    ni_json_switch(j, "weighted", r->weighted);
    ni_json_whole(j, "time_column", r->time_column);
    ni_json_switch(j, "undirected", neap_graph_is_undirected(graph));
    ni_json_whole(j, "lines", r->lines);
    ni_json_whole(j, "edges_read", r->edges_read);
    ni_json_whole(j, "repeats", r->repeats);
    ni_json_whole(j, "nodes", f->nodes);
    ni_json_whole(j, "edges", f->edges);
    ni_json_whole(j, "pairs", f->pairs);
    ni_json_whole(j, "reciprocal", f->reciprocal);
    ni_json_whole(j, "self_loops", f->self_loops);
    ni_json_whole(j, "isolated", f->isolated);
    ni_json_whole(j, "components", f->components);
    ni_json_whole(j, "largest_component", f->largest_component);
    ni_json_real(j, "mean_degree", f->mean_degree);
    ni_json_whole(j, "max_degree", f->max_degree);
    ni_json_text(j, "hub", neap_graph_name(graph, f->hub));
    ni_json_switch(j, "bipartite", f->sides[0] > 0);
    ni_json_open(j, "sides", '[');
    for (int i = 0; i < 2; i++) ni_json_whole(j, NULL, f->sides[i]);
    ni_json_close(j, ']');
}

static neap_status print_facts(const args *a, const neap_graph *graph, const attributes *known,
                               neap_error *err)
{
    neap_graph_facts facts = NEAP_SIZED(neap_graph_facts);
    ni_json j = json_to(stdout);
    neap_status rc = neap_graph_facts_of(graph, &facts, err);
    if (rc != NEAP_OK) return rc;
    if (!a->json) {
        print_graph(graph, &facts);
        return attributes_print(known, NULL, err);
    }
    ni_json_open(&j, NULL, '{');
    json_graph(graph, &facts, &j);
    rc = attributes_print(known, &j, err);
    ni_json_close(&j, '}');
    return rc;
}

static neap_status any_graph(const args *a, neap_error *err)
{
    const own *o = a->own;
    neap_graph *graph = NULL;
    attributes known = { 0 };
    neap_status rc = read_graph(a, a->operands[0], &graph, err);
    if (rc == NEAP_OK) rc = attributes_read(a, &o->attributes, graph, &known, err);
    if (rc == NEAP_OK) rc = print_facts(a, graph, &known, err);
    attributes_free(&known);
    neap_graph_free(graph);
    return rc;
}

/* With texts or features, a graph is read as one, whatever its format. */
static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    bool ours = !o->attributes.text && !o->attributes.by_line && !o->attributes.features &&
                neap_file_is_ours(a->operands[0]);
    return ours ? our_file(a, err) : any_graph(a, err);
}

const command cmd_info = {
    .name = "info",
    .operands = "FILE",
    .summary = "print what a graph, model or checkpoint holds",
    .details = "Of a graph: how it was read, nodes, edges, components, degrees, and whether it is "
               "bipartite (every edge joins two sides); with --text also its nodes' texts. Of a model, "
               "checkpoint or converted graph: what it holds, after a full check.\n",
    .examples = "neap info friends.txt\nneap info friends.safetensors --json\n",
    .options = options,
    .own_size = sizeof(own),
    .least = 1,
    .most = 1,
    .library = "reading,undirected",
    .run = run,
};
