/* LINE: linked nodes have a large product (order 1), and so have a node and the context vectors of its
 * neighbours (order 2). With negatives n for an edge (i, j), drawn by degree^(3/4), it maximises
 *     order 1:  log s(u_i.u_j) + sum_n log s(-u_i.u_n)     u: one vector per node
 *     order 2:  log s(v_i.c_j) + sum_n log s(-v_i.c_n)     c: a node as a context, not kept in the end
 * `both` trains u and v, of half the length each, on the same edges; a vector is u and v side by side, or
 * with `unit` their directions, so that a product is the sum of two cosines. */
#include "base/sys.h"
#include "methods/dot.h"
#include "support/status.h"
#include "walks/walking.h"

enum { ORDER_1, ORDER_2, ORDER_BOTH };

typedef struct line_options {
    ni_walk_options walk; /* of which `along` counts */
    uint32_t order;       /* ORDER_...               */
    bool unit;
} line_options;

static const ni_option own_options[] = {
    NI_OPTION(
        line_options, CHOICE, order, "order", "", 0, "model", "1|2|both", "both", "both", "2", 0, 0, 1,
        "linked nodes are alike (1), nodes with the same neighbours are (2), or half a vector for each "
        "(line)"),
    NI_OPTION(line_options, SWITCH, unit, "unit", "", 0, "model", "", "yes", "yes", "yes", 0, 1, 1,
              "make both halves of a vector as long as 1, so that they count alike (line, --order both)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(line_options, walk.learning), NULL },
    { &ni_walk_set, offsetof(line_options, walk), "along" },
    { &own_set, 0, NULL },
    { 0 },
};

static ni_edges edges_of(const line_options *o, const neap_graph *graph, uint64_t seed)
{
    return (ni_edges){ .graph = graph,
                       .first = o->order != ORDER_2,
                       .second = o->order != ORDER_1,
                       .along = o->walk.along && !graph->undirected,
                       .seed = seed };
}

static neap_status check(const ni_settings *s, neap_error *err)
{
    const line_options *o = s->own;
    if (o->order == ORDER_BOTH && o->walk.learning.dim % 2)
        return ni_fail(err, NEAP_E_ARG, "--order both halves the vectors: --dim must be even, not %u",
                       o->walk.learning.dim);
    return ni_learner_check(&o->walk.learning, err);
}

static neap_status prepare(ni_learner *l, const ni_job *job, neap_error *err)
{
    const line_options *o = job->settings->own;
    bool both = o->order == ORDER_BOTH;
    neap_status rc = ni_learner_prepare(l, job, &o->walk.learning, err);
    l->layers = both ? 2 : 1;
    l->tied = o->order == ORDER_2 ? 0 : 1;
    l->unit = both && o->unit;
    return rc;
}

static void declare(neap_model *m, ni_declaration *d)
{
    const line_options *o = m->settings->own;
    ni_dot_declare(m, d);
    ni_learner_declare(d, m->rows, m->dim, o->order != ORDER_1, false);
    d->positions = m->graph->edges * NI_EDGE_SAMPLES;
}

static neap_status learn(ni_learner *l, const line_options *o, neap_error *err)
{
    neap_model *m = l->run.model;
    ni_edges e = edges_of(o, l->run.graph, m->settings->common.seed);
    ni_source source = ni_edges_source(&e);
    uint64_t *degrees = NULL;
    l->vectors = ((const ni_dot *)m->own)->E;
    ni_model_draw_rows(m, 0.5 / m->dim, l->vectors);
    neap_status rc = ni_edges_create(&e, err);
    if (rc == NEAP_OK) rc = ni_edges_degrees(&e, &degrees, err);
    if (rc == NEAP_OK) rc = ni_learner_train(l, &source, degrees, 0.75, err);
    ni_free(degrees);
    ni_edges_free(&e);
    return rc;
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    ni_learner l;
    neap_status rc = prepare(&l, job, err);
    if (rc == NEAP_OK) rc = ni_model_allocate(l.run.model, err);
    if (rc == NEAP_OK) rc = learn(&l, job->settings->own, err);
    return ni_learner_end(&l, rc, out);
}

static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    ni_learner l;
    neap_status rc = prepare(&l, job, err);
    if (rc == NEAP_OK) {
        ni_edges e = edges_of(job->settings->own, l.run.graph, 0);
        ni_source source = ni_edges_source(&e);
        ni_learner_bytes(&l, &source, job->data->graph, r);
        r->bytes_graph += l.run.graph->edges * sizeof *e.source;
    }
    return ni_learner_drop(&l, rc);
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
    .info = { .size = sizeof(neap_method_info),
              .name = "line",
              .summary = "linked nodes have similar vectors, and so have nodes with the same neighbours",
              .details =
                  "Order 1 makes the products of linked nodes large, order 2 those of a node with\n"
                  "the contexts of its neighbours; with both, half of a vector comes from each, and\n"
                  "with --unit a score is the sum of two cosines. One epoch is 100 samples per\n"
                  "edge, drawn by weight. Order 1 has no direction, order 2 follows it with\n"
                  "--along. Links were predicted better with --no-unit on three graphs of three.\n"
                  "Tang, Qu, Wang, Zhang, Yan and Mei, LINE: Large-scale Information Network\n"
                  "Embedding, 2015.",
              .vectors = 1 },
    .options = { sizeof(line_options), parts, defaults },
    .check = check,
    .own = sizeof(ni_dot),
    .declare = declare,
    .train = train,
    .bytes = bytes,
    NI_DOT_ANSWERS,
};
