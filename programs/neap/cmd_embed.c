#include <limits.h>
#include <stdlib.h>

#include "common.h"
#include "new_nodes.h"

typedef struct own {
    const char *output, *context;
    new_nodes new;
} own;

static const arg_option options[] = {
    { "output", 'o', "FILE", NULL, ARG_TEXT, offsetof(own, output), 0, 0, true,
      "where the vectors go; the ending decides the format" },
    { "context", 'c', "NODE", NULL, ARG_TEXT, offsetof(own, context), 0, 0, false,
      "the vectors that nodes have when paired with NODE, instead of the mean over their contexts" },
    NEW_NODES_OPTIONS(own, new),
    { 0 },
};

static neap_status compute(const neap_graph *graph, neap_query *query, const char *context, float *vectors,
                           neap_error *err)
{
    uint32_t node = NEAP_NONE;
    neap_status rc = context ? neap_graph_find(graph, context, &node, err) : NEAP_OK;
    return rc ? rc : neap_query_vectors(query, NULL, 0, node, vectors, err);
}

static neap_status write_vectors(const neap_model *model, neap_query *query, const own *o, neap_error *err)
{
    const neap_graph *graph = neap_model_graph(model);
    uint32_t n = neap_graph_nodes(graph), dim = model_dim(model);
    float *vectors = calloc((size_t)n * dim + 1, sizeof *vectors);
    if (!vectors) return ni_fail(err, NEAP_E_MEM, "out of memory for %u vectors of length %u", n, dim);
    neap_status rc = compute(graph, query, o->context, vectors, err);
    if (rc == NEAP_OK) rc = neap_vectors_save(o->output, graph, vectors, n, dim, err);
    free(vectors);
    return rc;
}

static void print_json(const neap_model *model, const own *o)
{
    ni_json j = json_to(stdout);
    ni_json_open(&j, NULL, '{');
    ni_json_text(&j, "output", o->output);
    ni_json_whole(&j, "nodes", neap_graph_nodes(neap_model_graph(model)));
    ni_json_whole(&j, "dim", model_dim(model));
    ni_json_text(&j, "context", o->context);
    ni_json_close(&j, '}');
}

static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    neap_model *model = NULL;
    neap_query *query = NULL;
    char names[PATH_MAX];
    neap_status rc = neap_vectors_names_path(o->output, names, sizeof names, err);
    const char *const paths[] = { a->operands[0], o->new.edges, o->new.text, o->output, names };
    if (rc == NEAP_OK) rc = check_apart(paths, 3, 5, err);
    if (rc == NEAP_OK) rc = check_output(o->output, err);
    if (rc == NEAP_OK) rc = check_json(a, o->output, err);
    if (rc == NEAP_OK) rc = ask_model(a, a->operands[0], &o->new, 0, NULL, &model, &query, err);
    if (rc == NEAP_OK) rc = write_vectors(model, query, o, err);
    if (rc == NEAP_OK) {
        say(a, "%s: %u vectors of length %u", o->output, neap_graph_nodes(neap_model_graph(model)),
            model_dim(model));
        if (a->json) print_json(model, o);
    }
    neap_query_free(query);
    neap_model_free(model);
    return rc;
}

const command cmd_embed = {
    .name = "embed",
    .operands = "MODEL -o FILE",
    .summary = "write one vector per node, for other programs",
    .details = "Writes the vectors of all nodes: the mean over the contexts that a node had in "
               "training, or with --context the vectors in the context of one node. The ending "
               "decides the format: .txt and .vec (word2vec text), .bin (word2vec binary), .npy "
               "(names in .names.txt beside it), .npz (NumPy: the arrays vectors and names), .safetensors, "
               ".csv (a header, then node, x0, x1, ...), .tsv (TensorBoard, with .meta.tsv beside it), "
               ".jsonl.\n"
               "--new-edges and --new-text add nodes that were not in training; their vectors come last.\n",
    .examples = "neap embed friends.safetensors -o vectors.txt\n"
                "neap embed friends.safetensors -o vectors.npz\n"
                "neap embed gap.safetensors -o vectors.npy --context alice\n",
    .least = 1,
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "reading,threads",
    .run = run,
};
