/* Tensors, rows and sides of the methods of attentive pooling. A query keeps a context: making it costs
 * O(nodes), a score then depends on its two sides only. */
#include "attention/family.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"

static const ni_attention_options *options_of(const neap_model *m)
{
    return m->settings->own;
}

ni_hood_rule ni_gap_hood(const ni_settings *settings)
{
    const ni_attention_options *o = settings->own;
    return (ni_hood_rule){ o->neighbors, o->self, settings->common.self_loops, settings->common.seed };
}

uint32_t ni_encoding_dim(const ni_settings *settings)
{
    const ni_attention_options *o = settings->own;
    return o->encoding.filters ? o->encoding.filters : o->learning.dim;
}

ni_edge_options ni_attention_learning(const ni_settings *settings)
{
    const ni_attention_options *o = settings->own;
    return (ni_edge_options){ .learning = &o->learning,
                              .sampling = &o->sampling,
                              .optimizer = o->optimizer,
                              .negatives = o->learning.negatives,
                              .passes = o->permutations };
}

/* ---- tensors ---- */

static bool reads_words(const neap_model *m)
{
    return ni_recipe_of(m)->sides == NI_SIDES_WORDS;
}

/* How many rows a table has, and how many all ids. */
static uint32_t table_rows(const neap_model *m)
{
    return reads_words(m) ? m->texts.words.count : m->rows;
}

static bool has_two_tables(const neap_model *m)
{
    return options_of(m)->sides == NI_TWO_TABLES;
}

static uint32_t ids_of(const neap_model *m)
{
    return table_rows(m) * (has_two_tables(m) ? 2 : 1);
}

static bool has_matrix(const ni_attention_options *o)
{
    return o->matrix && ni_aligns(o);
}

static ni_encoder_shape encoder_of(const neap_model *m)
{
    const ni_attention_options *o = options_of(m);
    return ni_encoder_shape_of(&o->encoding, o->learning.dim, m->dim);
}

void ni_gap_declare(neap_model *m, ni_declaration *d)
{
    ni_gap *own = m->own;
    const ni_recipe *recipe = ni_recipe_of(m);
    const ni_attention_options *o = options_of(m);
    uint64_t dim = o->learning.dim, c = m->dim;
    ni_declare_matrix(d, "E", NI_LEARNED, ids_of(m), dim, &own->E);
    if (has_matrix(o)) ni_declare_matrix(d, "P", NI_LEARNED, c, c, &own->P);
    if (o->padding == NI_PAD_VECTOR) ni_declare_list(d, "pad", NI_FIXED, NI_F32, c, &own->pad);
    if (recipe->encoded) {
        ni_encoder_shape shape = encoder_of(m);
        ni_declare_matrix(d, "W", NI_LEARNED, shape.W_rows, shape.W_columns, &own->W);
        if (shape.U_rows) ni_declare_matrix(d, "U", NI_LEARNED, shape.U_rows, shape.U_columns, &own->U);
        ni_declare_matrix(d, "b", NI_LEARNED, 1, shape.W_columns, &own->b);
    }
    if (o->degrees)
        ni_declare_matrix(d, "degrees", NI_LEARNED, 1, ni_degree_terms(m->graph), &own->degrees);
    d->moments = o->optimizer == NI_ADAGRAD ? NI_MOMENTS_ADAGRAD : NI_MOMENTS_ADAM;
    d->positions = 2 * m->graph->edges * (o->permutations ? o->permutations : 1); /* both orders */
}

/* Rows first .. first+count-1 of the encoder's weights, uniform within +-bound. */
static void draw_weights(const neap_model *m, uint64_t first, uint64_t count, uint64_t columns,
                         double bound, float *W)
{
    for (uint64_t i = 0; i < count; i++) {
        ni_rng rng = ni_rng_at(m->settings->common.seed, NI_STREAM_ENCODER, 0, first + i);
        for (uint64_t k = 0; k < columns; k++)
            W[i * columns + k] = (float)((2 * ni_uniform(&rng) - 1) * bound);
    }
}

/* A convolution's W within +-sqrt(6 / (kernel d + c)) (Glorot and Bengio 2010), b is zero; all of an LSTM
 * within +-1/sqrt(h), as PyTorch does. */
static void draw_encoder(const neap_model *m)
{
    const ni_gap *own = m->own;
    ni_encoder_shape s = encoder_of(m);
    double bound =
        s.U_rows ? sqrt(2.0 / (double)s.U_rows) : sqrt(6.0 / ((double)s.W_rows + (double)s.W_columns));
    draw_weights(m, 0, s.W_rows, s.W_columns, bound, own->W);
    if (!s.U_rows) return;
    draw_weights(m, s.W_rows, s.U_rows, s.U_columns, bound, own->U);
    draw_weights(m, s.W_rows + s.U_rows, 1, s.W_columns, bound, own->b);
}

/* Normal with deviation sqrt(1/c). Scaled alignments begin as products of vectors: the identity. */
static void draw_matrix(const neap_model *m)
{
    float *P = ((const ni_gap *)m->own)->P;
    uint64_t c = m->dim;
    bool identity = options_of(m)->alignment == NI_ALIGN_SCALED;
    for (uint64_t i = 0; i < c; i++) {
        ni_rng rng = ni_rng_at(m->settings->common.seed, NI_STREAM_MATRIX, 0, i);
        for (uint64_t k = 0; k < c; k++)
            P[i * c + k] = identity ? i == k : (float)(ni_normal(&rng) * sqrt(1.0 / (double)c));
    }
}

/* E and the padding vector are uniform within +-sqrt(6 / (n + 1 + d)), n ids and the padding (Glorot and
 * Bengio 2010); vectors of words within +-1/4 (Kim 2014), since an LSTM of small numbers tells no texts
 * apart. */
neap_status ni_gap_make_tensors(neap_model *m, neap_error *err)
{
    const ni_gap *own = m->own;
    uint64_t d = options_of(m)->learning.dim, c = m->dim;
    uint32_t ids = ids_of(m);
    double bound = reads_words(m) ? 0.25 : sqrt(6.0 / ((double)table_rows(m) + 1 + (double)d));
    neap_status rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    for (uint64_t i = 0; i < ids; i++) ni_model_draw(m, i, d, bound, own->E + i * d);
    if (own->pad) ni_model_draw(m, NEAP_NONE, c, bound, own->pad);
    if (own->P) draw_matrix(m);
    if (own->W) draw_encoder(m);
    return NEAP_OK;
}

uint32_t ni_gap_parameters(const neap_model *m, ni_parameter list[NI_GAP_PARAMETERS])
{
    const ni_gap *own = m->own;
    const ni_attention_options *o = options_of(m);
    uint32_t count = 0, d = o->learning.dim, c = m->dim;
    double P_rate = o->alignment == NI_ALIGN_SCALED ? 0.1 : 1; /* from the identity, which is a guess */
    list[count++] =
        (ni_parameter){ "E", own->E, ids_of(m), d, .by_rows = true, .rate = 1, .decay = o->weight_decay };
    if (has_matrix(o)) list[count++] = (ni_parameter){ "P", own->P, c, c, .rate = P_rate };
    if (o->degrees)
        list[count++] = (ni_parameter){ "degrees", own->degrees, 1, ni_degree_terms(m->graph), .rate = 1 };
    if (!ni_recipe_of(m)->encoded) return count;
    ni_encoder_shape s = encoder_of(m);
    list[count++] = (ni_parameter){ "W", own->W, s.W_rows, s.W_columns, .rate = 1 };
    if (s.U_rows) list[count++] = (ni_parameter){ "U", own->U, s.U_rows, s.U_columns, .rate = 1 };
    list[count++] = (ni_parameter){ "b", own->b, 1, s.W_columns, .rate = 1 };
    return count;
}

/* ---- rows and sides ---- */

static neap_status make_rows(ni_pooling *p, const neap_model *m, bool learns, ni_threads *threads,
                             neap_error *err)
{
    const ni_gap *own = m->own;
    const ni_attention_options *o = options_of(m);
    p->table = (ni_row_table){ own->E, learns ? &p->taken : NULL };
    p->rows = ni_rows_of_table(&p->table, ids_of(m));
    if (!ni_recipe_of(m)->encoded) return NEAP_OK;
    ni_encoder encoder = ni_encoder_of(&o->encoding, o->learning.dim, m->dim, own->W, own->U, own->b);
    p->encoded = (ni_encoded){ .E = own->E,
                               .ids = ids_of(m),
                               .encoder = encoder,
                               .by_id = ni_encoder_is_by_row(&encoder) && o->dropout_per == NI_DROP_NODE,
                               .learns = learns,
                               .threads = threads };
    p->rows = ni_rows_of_encoder(&p->encoded);
    return ni_encoded_create(&p->encoded, err);
}

/* The neighbourhoods as ids of the second table. */
static neap_status make_opposite(ni_pooling *p, const neap_model *m, const ni_hood *hood, neap_error *err)
{
    uint64_t count = hood->offset[hood->nodes];
    uint32_t *node = ni_array(count, sizeof *node);
    if (!node) return ni_fail_memory(err, "the neighbourhoods of targets");
    for (uint64_t i = 0; i < count; i++) node[i] = hood->node[i] + table_rows(m);
    p->opposite = (ni_hood){ hood->nodes, hood->offset, node, hood->capped };
    return NEAP_OK;
}

/* What is read beside rows. */
static neap_status make_sides(ni_pooling *p, const neap_model *m, const ni_surroundings *around,
                              ni_threads *threads, neap_error *err)
{
    neap_status rc = NEAP_OK;
    if (ni_recipe_of(m)->sides == NI_SIDES_COMMON)
        rc = ni_hood_order(around->hood, around->links, m->rows, threads, &p->ordered, err);
    if (rc == NEAP_OK && has_two_tables(m)) rc = make_opposite(p, m, around->hood, err);
    if (rc == NEAP_OK && options_of(m)->degrees)
        rc = ni_degrees_create(around->graph, m->rows, &p->degrees, err);
    return rc;
}

neap_status ni_pooling_create(ni_pooling *p, const neap_model *m, const ni_surroundings *around,
                              bool learns, ni_threads *threads, neap_error *err)
{
    const ni_gap *own = m->own;
    const ni_recipe *recipe = ni_recipe_of(m);
    *p = (ni_pooling){ 0 };
    neap_status rc = make_rows(p, m, learns, threads, err);
    if (rc == NEAP_OK) rc = make_sides(p, m, around, threads, err);
    if (rc != NEAP_OK) return rc;
    p->words = (ni_hood){ m->texts.nodes, m->texts.offset, m->texts.word, false };
    p->attention = (ni_attention){ .options = options_of(m),
                                   .seed = m->settings->common.seed,
                                   .hood = reads_words(m)      ? &p->words
                                           : p->ordered.offset ? &p->ordered
                                                               : around->hood,
                                   .opposite = p->opposite.node ? &p->opposite : NULL,
                                   .words = reads_words(m) ? &m->texts.words : NULL,
                                   .rows = &p->rows,
                                   .P = own->P,
                                   .pad = own->pad,
                                   .dim = m->dim,
                                   .threads = threads,
                                   .score = recipe->score,
                                   .degrees = p->degrees.count ? &p->degrees : NULL,
                                   .b = own->degrees,
                                   .both_orders = m->graph->undirected };
    return ni_attention_create(&p->attention, err);
}

void ni_pooling_free(ni_pooling *p)
{
    ni_attention_free(&p->attention);
    ni_encoded_free(&p->encoded);
    ni_hood_free(&p->ordered);
    ni_free(p->opposite.node);
    ni_degrees_free(&p->degrees);
}

static void set_gradient(const ni_optimizer *optimizer, const char *name, ni_gradient gradient)
{
    ni_parameter *p = ni_optimizer_find(optimizer, name);
    if (p) p->gradient = gradient;
}

void ni_pooling_gradients(const ni_pooling *p, const ni_engine_gradients *gradients,
                          ni_optimizer *optimizer)
{
    bool encoded = p->rows.self == &p->encoded;
    set_gradient(optimizer, "P", (ni_gradient){ .values = gradients->P });
    set_gradient(optimizer, "degrees", (ni_gradient){ .values = gradients->b });
    set_gradient(optimizer, "E", encoded ? p->encoded.dE : p->taken);
    set_gradient(optimizer, "W", (ni_gradient){ .values = p->encoded.dW });
    set_gradient(optimizer, "U", (ni_gradient){ .values = p->encoded.dU });
    set_gradient(optimizer, "b", (ni_gradient){ .values = p->encoded.db });
}

uint64_t ni_pooling_bytes(const ni_pooling *p)
{
    const ni_hood *opposite = &p->opposite;
    return ni_encoded_bytes(&p->encoded) + (p->ordered.offset ? ni_hood_bytes(&p->ordered) : 0) +
           (opposite->node ? opposite->offset[opposite->nodes] * sizeof *opposite->node : 0) +
           ni_degrees_bytes(&p->degrees);
}

/* ---- queries ---- */

neap_status ni_pooling_open(neap_query *q, neap_error *err)
{
    const neap_model *m = q->model;
    ni_pooling *p = q->own = ni_zeros(1, sizeof *p);
    if (!p) return ni_fail_memory(err, "a query");
    ni_surroundings around = { m->graph, &m->links, &m->hood };
    return ni_pooling_create(p, m, &around, false, q->threads, err);
}

void ni_pooling_close(neap_query *q)
{
    ni_pooling_free(q->own);
    ni_free(q->own);
}
