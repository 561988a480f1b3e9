/* A step of training: the nodes of the items that were drawn become sides, the engine and the provider of
 * rows make the gradients. Tensors, rows and sides are family.h; drawing, optimising and the loop around
 * the steps are model/edge_learner.h, which owns this trainer. */
#include "attention/trainer.h"

#include "base/rng.h"
#include "base/sys.h"
#include "model/method.h"
#include "support/status.h"

/* ---- options ---- */

static const ni_option attention_options[] = {
    NI_OPTION(ni_attention_options, U32, neighbors, "neighbors", "neighbours,nbr-size,num-nbrs", 's',
              "model", "N", "100", "100", "100", 1, 65536, 1,
              "neighbours read per node (S in the paper); of a node with more, a random sample is kept"),
    NI_OPTION(ni_attention_options, SWITCH, self, "self", "", 0, "model", "", "no", "no", "yes", 0, 1, 1,
              "count a node among its own neighbours"),
    NI_OPTION(ni_attention_options, CHOICE, pooling, "pooling", "", 0, "model", "max|mean", "max", "max",
              "mean", 0, 0, 1,
              "the pooled alignment of a neighbour: the largest with the other side, or the mean"),
    NI_OPTION(ni_attention_options, SWITCH, matrix, "matrix", "", 0, "model", "", "yes", "yes", "yes", 0, 1,
              1,
              "align two neighbours x, y by x P y with a trained matrix P; otherwise by their product x y"),
    NI_OPTION(ni_attention_options, CHOICE, padding, "padding", "", 0, "model", "none|zero|vector", "none",
              "zero", "vector", 0, 0, 1,
              "what fills a neighbourhood smaller than --neighbors: nothing, zero vectors, or one fixed "
              "random vector"),
    NI_OPTION(ni_attention_options, REAL, dropout, "dropout", "", 0, "model", "X", "0.5", "0.5", "0.5", 0,
              0.99, 1, "share of the vectors' entries zeroed in each step"),
    NI_OPTION(ni_attention_options, CHOICE, dropout_per, "dropout-per", "", 0, "model", "node|occurrence",
              "node", "node", "occurrence", 0, 0, 1,
              "one dropout mask per node and step, or one for each occurrence of a node"),
    NI_OPTION(ni_attention_options, SWITCH, dropout_at_inference, "dropout-at-inference", "", 0, "model",
              "", "no", "no", "yes", 0, 1, 1,
              "leave dropout on when averaged vectors are made, as the authors' code does"),
    NI_OPTION(
        ni_attention_options, CHOICE, optimizer, "optimizer", "optimiser", 0, "training",
        "adam|lazy-adam|adagrad", "lazy-adam", "adam", "adam", 0, 0, 1,
        "Adam on every row each step, Adam on the rows a step touched, or Adagrad with one number per row"),
    NI_OPTION(
        ni_attention_options, CHOICE, objective, "objective", "", 0, "training",
        "margin|logistic|hardest|softmax", "margin", "margin", "margin", 0, 0, 1,
        "margin: hinge loss on score differences; logistic: log-sigmoid loss on each score; hardest: hinge "
        "loss on the best-scored non-link; softmax: cross-entropy of the link among its non-links"),
    NI_OPTION(ni_attention_options, REAL, margin, "margin", "", 0, "training", "X", "1", "1", "0.5", 0,
              1000, 1, "by how much a link should outscore a non-link (objectives margin and hardest)"),
};

const ni_option_set ni_attention_set = NI_OPTION_SET(attention_options);

/* What the paper does not have, and is worth (docs/results/tuning-gap.txt). */
static const ni_option gap_options[] = {
    NI_OPTION(ni_attention_options, SWITCH, mask, "mask", "", 0, "training", "", "no", "no", "no", 0, 1, 1,
              "take the edge that is trained on out of the neighbourhoods and degrees of its ends"),
    NI_OPTION(ni_attention_options, CHOICE, sides, "sides", "", 0, "model", "1|2", "1", "1", "1", 0, 0, 1,
              "one table of vectors, or one for the neighbours of sources and one for those of targets"),
    NI_OPTION(ni_attention_options, SWITCH, degrees, "degrees", "", 0, "model", "", "no", "no", "no", 0, 1,
              1, "add linear terms in the logarithms of the degrees of both nodes to the score"),
    NI_OPTION(ni_attention_options, CHOICE, alignment, "alignment", "", 0, "model", "tanh|scaled", "tanh",
              "tanh", "tanh", 0, 0, 1,
              "tanh of x P y; or x P y over the root of the dimension, with a matrix that starts at the "
              "identity"),
    NI_OPTION(ni_attention_options, CHOICE, attention, "attention", "", 0, "model", "aligned|uniform",
              "aligned", "aligned", "aligned", 0, 0, 1,
              "weigh neighbours by their alignment, or all alike: what attention is worth"),
    NI_OPTION(ni_attention_options, REAL, weight_decay, "weight-decay", "", 0, "training", "X", "0", "0",
              "0", 0, 100, 1,
              "vectors shrink by this share of the step size in each step, apart from the gradient"),
};

const ni_option_set ni_gap_set = NI_OPTION_SET(gap_options);

/* ---- a trainer ---- */

typedef struct trainer {
    const ni_attention_options *o;
    ni_side *sides;     /* of the sampler's nodes                                   */
    uint32_t *arranged; /* their ids, where each has ids or an order of its own     */
    size_t arranged_room;
    float *features;    /* of the items' pairs: their linear terms                  */
    ni_pooling pooling; /* on the neighbourhoods of the training pairs              */
    ni_work *work;      /* where that of the steps is added; or NULL                */
} trainer;

/* Numbers of the linear terms of a step. */
static uint64_t features_most(const ni_edge_learner *l)
{
    const neap_model *m = l->run.model;
    bool degrees = ((const ni_attention_options *)m->settings->own)->degrees;
    return degrees ? l->sampler.most * ni_degree_terms(m->graph) : 0;
}

/* Without tensors it can only measure its memory. */
static neap_status create(ni_edge_learner *l, neap_error *err)
{
    trainer *t = l->own;
    const neap_model *m = l->run.model;
    t->o = m->settings->own;
    t->sides = ni_array(l->sampler.most, sizeof *t->sides);
    t->features = ni_array(features_most(l), sizeof *t->features);
    if (!t->sides || !t->features) return ni_fail_memory(err, "a batch");
    ni_surroundings around = { l->run.graph, l->hood == &m->hood ? &m->links : l->run.links, l->hood };
    return ni_pooling_create(&t->pooling, m, &around, true, l->run.threads, err);
}

static void release(ni_edge_learner *l)
{
    trainer *t = l->own;
    ni_pooling_free(&t->pooling);
    ni_free(t->sides);
    ni_free(t->arranged);
    ni_free(t->features);
}

/* ---- items ---- */

/* Room for ids of its own for each of so many sides. */
static neap_status make_ids(trainer *t, uint64_t count, neap_error *err)
{
    size_t room = 0;
    for (uint64_t i = 0; i < count; i++) room += t->sides[i].count;
    return ni_grow(&t->arranged, &t->arranged_room, room, sizeof *t->arranged)
               ? NEAP_OK
               : ni_fail_memory(err, "a batch; a smaller --batch needs less");
}

/* Gives every side an order of its own, drawn by (pass, number of the side in it). */
static neap_status arrange(ni_edge_learner *l, uint64_t count, neap_error *err)
{
    trainer *t = l->own;
    uint64_t seed = l->sampler.seed, first = l->sampler.first * (2 + (uint64_t)l->sampler.negatives);
    size_t at = 0;
    neap_status rc = make_ids(t, count, err);
    if (rc != NEAP_OK) return rc;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t *ids = t->arranged + at, n = t->sides[i].count;
        ni_rng rng = ni_rng_at(seed, NI_STREAM_ARRANGE, l->sampler.epoch, first + i);
        for (uint32_t k = 0; k < n; k++) { /* Fisher and Yates, inside out */
            uint32_t other = (uint32_t)ni_below(&rng, k + 1);
            ids[k] = ids[other];
            ids[other] = t->sides[i].ids[k];
        }
        t->sides[i] = (ni_side){ ids, n, NI_OWN_KEY };
        at += n;
    }
    return NEAP_OK;
}

/* The node whose link with side k of an item is masked: the source for all others, the target for it. */
static uint32_t opposite_of(const uint32_t *nodes, uint32_t k)
{
    return nodes[k ? 0 : 1];
}

/* A side without one of its nodes, if that is among them; the ids then go behind *at. */
static ni_side without(const ni_attention *a, ni_side side, uint32_t node, bool target, uint32_t **at)
{
    uint32_t id = node + (target && a->opposite ? a->rows->ids / 2 : 0), count = 0, *ids = *at;
    for (uint32_t i = 0; i < side.count; i++)
        if (side.ids[i] != id) ids[count++] = side.ids[i];
    if (count == side.count) return side;
    *at += count;
    return (ni_side){ ids, count, NI_OWN_KEY };
}

/* Takes the link of every pair of an item, if there is one, out of both of its sides. */
static neap_status leave_out(ni_edge_learner *l, uint64_t count, neap_error *err)
{
    trainer *t = l->own;
    uint32_t width = 2 + l->sampler.negatives, *at;
    neap_status rc = make_ids(t, count, err);
    if (rc != NEAP_OK) return rc;
    at = t->arranged;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t k = (uint32_t)(i % width);
        uint32_t node = opposite_of(l->sampler.nodes + (i - k), k);
        t->sides[i] = without(&t->pooling.attention, t->sides[i], node, k > 0, &at);
    }
    return NEAP_OK;
}

/* The linear terms of the pairs of all items; the source has the same ones in all pairs of its item. */
static void add_features(ni_edge_learner *l, uint64_t items)
{
    trainer *t = l->own;
    uint32_t width = 2 + l->sampler.negatives, terms = ni_attention_terms(&t->pooling.attention);
    float *to = t->features;
    for (uint64_t i = 0; i < items; i++)
        for (uint32_t k = 1; k < width; k++, to += terms) {
            const uint32_t *nodes = l->sampler.nodes + i * width;
            ni_end source = { nodes[0], t->o->mask ? opposite_of(nodes, 0) : NEAP_NONE };
            ni_end target = { nodes[k], t->o->mask ? opposite_of(nodes, k) : NEAP_NONE };
            ni_degrees_features(&t->pooling.degrees, source, target, to);
        }
}

/* The items as sides. Where rows are by id, their order does not matter. */
static neap_status draw(ni_edge_learner *l, uint32_t items, uint32_t *more, neap_error *err)
{
    const trainer *t = l->own;
    uint64_t width = 2 + (uint64_t)l->sampler.negatives, count = items * width;
    bool shuffled =
        ni_recipe_of(l->run.model)->sides == NI_SIDES_SHUFFLED && t->pooling.rows.identity != NI_ROW_BY_ID;
    (void)more;
    for (uint64_t i = 0; i < count; i++)
        t->sides[i] = ni_attention_side(&t->pooling.attention, l->sampler.nodes[i], i % width > 0);
    if (t->pooling.attention.degrees) add_features(l, items);
    if (t->o->mask) return leave_out(l, count, err);
    return shuffled ? arrange(l, count, err) : NEAP_OK;
}

static ni_items items_of(const ni_edge_learner *l, uint32_t count)
{
    const trainer *t = l->own;
    return (ni_items){
        .sides = t->sides, .count = count, .negatives = l->sampler.negatives, .features = t->features
    };
}

/* ---- steps ---- */

static neap_status pass(ni_edge_learner *l, uint32_t count, double *loss, neap_error *err)
{
    trainer *t = l->own;
    ni_engine_gradients gradients;
    ni_items items = items_of(l, count);
    neap_status rc =
        ni_engine_step(t->pooling.attention.engine, &items, l->run.at.updates, &gradients, loss, err);
    if (rc != NEAP_OK) return rc;
    ni_pooling_gradients(&t->pooling, &gradients, &l->optimizer);
    *loss *= count;
    if (t->work && !ni_threads_left_out(l->run.threads)) ni_work_add(t->work, t->pooling.attention.engine);
    return NEAP_OK;
}

static neap_status score(ni_edge_learner *l, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    trainer *t = l->own;
    return ni_attention_score(&t->pooling.attention, pairs, count, scores, err);
}

/* ---- memory ---- */

static neap_status measure(ni_edge_learner *l, uint32_t count, uint64_t *bytes, neap_error *err)
{
    trainer *t = l->own;
    ni_items items = items_of(l, count);
    return ni_engine_measure(t->pooling.attention.engine, &items, bytes, err);
}

static neap_status bytes(ni_edge_learner *l, neap_estimate_result *r, neap_error *err)
{
    const trainer *t = l->own;
    (void)err;
    r->bytes_batch += l->sampler.most * sizeof *t->sides + t->arranged_room * sizeof *t->arranged +
                      features_most(l) * sizeof *t->features;
    r->bytes_graph += ni_pooling_bytes(&t->pooling);
    return NEAP_OK;
}

/* ---- training ---- */

static const ni_edge_rules rules = {
    .own = sizeof(trainer),
    .options = ni_attention_learning,
    .tensors = ni_gap_make_tensors,
    .parameters = ni_gap_parameters,
    .create = create,
    .release = release,
    .draw = draw,
    .pass = pass,
    .score = score,
    .measure = measure,
    .bytes = bytes,
};

neap_status ni_gap_bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    return ni_edges_bytes_by(&rules, job, r, err);
}

neap_status ni_gap_train_timed(const ni_job *job, ni_stages *stages, ni_work *work, neap_model **out,
                               neap_error *err)
{
    ni_edge_learner l;
    neap_status rc = ni_edges_begin(&l, &rules, job, err);
    trainer *t = l.own;
    if (rc == NEAP_OK) {
        t->work = work;
        rc = ni_edges_learn(&l, err);
        *stages = *ni_engine_stages(t->pooling.attention.engine);
        stages->seconds[NI_STAGE_DRAW] = l.drawing;
        stages->seconds[NI_STAGE_OPTIMIZE] = l.optimising;
    }
    return ni_edges_end(&l, rc, out, err);
}

neap_status ni_gap_train(const ni_job *job, neap_model **out, neap_error *err)
{
    return ni_edges_train_by(&rules, job, out, err);
}
