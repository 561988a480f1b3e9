#include <stdlib.h>

#include "common.h"
#include "json.h"

typedef struct own {
    const char *output, *context;
} own;

static const arg_option options[] = {
    { "output", 'o', "FILE", NULL, ARG_TEXT, offsetof(own, output), 0, 0, true,
      "where the vectors go; the ending decides the format" },
    { "context", 'c', "NODE", NULL, ARG_TEXT, offsetof(own, context), 0, 0, false,
      "the vectors that nodes have when paired with NODE, instead of the mean over their contexts" },
    { 0 },
};

static neap_status compute(const neap_model *model, const char *context, float *vectors, neap_error *err)
{
    uint32_t node;
    if (!context) return neap_model_vectors(model, vectors, err);
    neap_status rc = neap_graph_find(neap_model_graph(model), context, &node, err);
    return rc ? rc : neap_model_context_vectors(model, node, vectors, err);
}

static neap_status write_vectors(const neap_model *model, const own *o, neap_error *err)
{
    const neap_graph *graph = neap_model_graph(model);
    uint32_t n = neap_graph_nodes(graph), dim = neap_model_dim(model);
    float *vectors = calloc((size_t)n * dim + 1, sizeof *vectors);
    if (!vectors) return fail(err, NEAP_E_MEM, "out of memory for %u vectors of length %u", n, dim);
    neap_status rc = compute(model, o->context, vectors, err);
    if (rc == NEAP_OK) rc = neap_vectors_save(o->output, graph, vectors, n, dim, err);
    free(vectors);
    return rc;
}

static void print_json(const neap_model *model, const own *o)
{
    json j = { .file = stdout };
    json_open(&j, NULL, '{');
    json_text(&j, "output", o->output);
    json_whole(&j, "nodes", neap_graph_nodes(neap_model_graph(model)));
    json_whole(&j, "dim", neap_model_dim(model));
    json_text(&j, "context", o->context);
    json_close(&j, '}');
}

static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    neap_model *model = NULL;
    neap_status rc = check_apart((const char *[]){ a->operands[0], o->output }, 2, err);
    if (rc == NEAP_OK) rc = check_output(o->output, err);
    if (rc == NEAP_OK) rc = check_json(a, o->output, err);
    if (rc == NEAP_OK) rc = read_model(a, a->operands[0], NULL, &model, err);
    if (rc == NEAP_OK) rc = write_vectors(model, o, err);
    if (rc == NEAP_OK) {
        say(a, "%s: %u vectors of length %u", o->output, neap_graph_nodes(neap_model_graph(model)),
            neap_model_dim(model));
        if (a->json) print_json(model, o);
    }
    neap_model_free(model);
    return rc;
}

const command cmd_embed = {
    .name = "embed",
    .operands = "MODEL -o FILE",
    .summary = "write one vector a node, for other programs",
    .details = "Writes the vectors of all nodes: the mean over the contexts that a node had in "
               "training, or with --context the vectors in the context of one node. The ending "
               "decides the format: .txt and .vec (word2vec text), .bin (word2vec binary), .npy "
               "(names in .names.txt beside it), .safetensors, .tsv (TensorBoard, with .meta.tsv "
               "beside it), .jsonl.\n",
    .examples = "neap embed friends.safetensors -o vectors.txt\n"
                "neap embed friends.safetensors -o vectors.npy --context alice\n",
    .least = 1,
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "threads",
    .run = run,
};
