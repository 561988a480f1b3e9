/* LINE: linked nodes have a large product (order 1), and so have a node and the contexts of those that it
 * is linked to (order 2). With negatives n for an edge (i, j), drawn by degree^(3/4), it maximises
 *     order 1:  log s(u_i.u_j) + sum_n log s(-u_i.u_n)     u: one vector a node
 *     order 2:  log s(v_i.c_j) + sum_n log s(-v_i.c_n)     c: a node as a context, not kept in the end
 * `both` trains u and v, of half the length each, on the same edges; a vector is u and v side by side, or
 * with `unit` their directions, so that a product is the sum of two cosines. */
#include "base/status.h"
#include "base/sys.h"
#include "methods/dot.h"
#include "model/method.h"
#include "walks/edges.h"
#include "walks/learner.h"

static ni_edges edges_of(const neap_options *o, const neap_graph *graph)
{
    return (ni_edges){ .graph = graph,
                       .first = o->order != NI_ORDER_2,
                       .second = o->order != NI_ORDER_1,
                       .along = o->along && !graph->undirected,
                       .seed = o->seed };
}

static void choose_layers(const neap_options *o, ni_learner *l)
{
    bool both = o->order == NI_ORDER_BOTH;
    l->layers = both ? 2 : 1;
    l->tied = o->order == NI_ORDER_2 ? 0 : 1;
    l->unit = both && o->unit;
}

static neap_status start(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         ni_learner *l, neap_error *err)
{
    if (options->order == NI_ORDER_BOTH && options->dim % 2)
        return ni_fail(err, NEAP_E_ARG, "--order both halves the vectors: --dim must be even, not %u",
                       options->dim);
    neap_status rc = ni_learner_start(graph, options, hooks, l, err);
    choose_layers(options, l);
    return rc;
}

static neap_status draw_and_learn(ni_learner *l, const neap_hooks *hooks, neap_error *err)
{
    ni_edges e = edges_of(&l->model->options, l->graph);
    ni_source source = ni_edges_source(&e);
    uint64_t *degrees = NULL;
    neap_status rc = ni_edges_create(&e, err);
    if (rc == NEAP_OK) rc = ni_edges_degrees(&e, &degrees, err);
    if (rc == NEAP_OK) rc = ni_learner_run(l, &source, degrees, 0.75, hooks, err);
    ni_free(degrees);
    ni_edges_free(&e);
    return rc;
}

static neap_status train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         neap_model **out, neap_error *err)
{
    ni_learner l = { 0 };
    neap_status rc = start(graph, options, hooks, &l, err);
    if (rc == NEAP_OK) rc = draw_and_learn(&l, hooks, err);
    return ni_learner_end(&l, rc, out);
}

static neap_status bytes(const neap_graph *graph, const neap_options *options, neap_estimate_result *r,
                         neap_error *err)
{
    ni_learner l = { 0 };
    neap_status rc = start(graph, options, NULL, &l, err);
    if (rc == NEAP_OK) {
        ni_edges e = edges_of(options, l.graph);
        ni_source source = ni_edges_source(&e);
        ni_learner_bytes(&l, &source, graph, r);
        r->bytes_graph += l.graph->edges * sizeof *e.source;
    }
    return ni_learner_drop(&l, rc);
}

static void state(const neap_model *m, ni_tables *tables)
{
    ni_learner l = { .model = (neap_model *)m, .negatives = true };
    choose_layers(&m->options, &l);
    tables->places = m->graph->edges * NI_EDGE_SAMPLES;
    ni_learner_tables(&l, tables);
}

static const ni_default defaults[] = {
    { "epochs", { "5", "10", "10" } },
    { "lr", { "0.025", "0.0065", "0.025" } }, /* paper: see docs/evaluation.md */
    { "unit", { "yes", "no", "yes" } },
    { "decay", { "linear", "linear", "linear" } },
    { "negatives", { "5", "5", "5" } },
    { "valid", { "0", "0", "0" } },
    { "dim", { "128", "200", "100" } },
    { "order", { "both", "both", "2" } },
    { "along", { "no", "no", "yes" } },
    { 0 },
};

const ni_method ni_method_line = {
    .info = { "line", "linked nodes have similar vectors, and so have nodes with the same neighbours",
              "Order 1 makes the products of linked nodes large, order 2 those of a node with the "
              "contexts of its neighbours;\nwith both, half of a vector comes from each; with "
              "--unit a score is the sum of two\ncosines. One epoch is 100 samples an edge, drawn by "
              "weight. Order 1 has no direction, order 2 follows it with --along.\nLinks were "
              "predicted better with --no-unit on three graphs of three.\nTang, Qu, Wang, Zhang, Yan and "
              "Mei, LINE: Large-scale Information Network Embedding, 2015.",
              0, 1, "dim,epochs,lr,decay,negatives,valid,patience,order,unit,along" },
    .defaults = defaults,
    .tables = "E",
    .train = train,
    .bytes = bytes,
    .state = state,
    .score = ni_dot_score,
    .score_all = ni_dot_score_all,
    .vectors = ni_dot_vectors,
};
