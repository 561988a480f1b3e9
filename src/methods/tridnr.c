/* TriDNR: Tri-Party Deep Network Representation (Pan, Wu, Zhu, Zhang and Wang, 2016) without its third
 * party, the labels. Two skip-gram models with negative sampling, coupled by their inputs:
 *     walks  w_v, a node's vector, predicts the nodes near it in random walks (DeepWalk):
 *            log s(w_v . c_u) + sum_n log s(-w_v . c_n)
 *     texts  d_v, the vector of its text, predicts the words of the text (PV-DBOW):
 *            log s(d_v . o_x) + sum_n log s(-d_v . o_n)
 * An epoch is one of walks, then one of texts. The first epochs (`alone`) train the two side by side; each
 * later one begins both its halves with a step towards the other model, a being `text-weight`:
 *     walks  w_v = (1 - a) w_v + a d_v          texts  d_v = a d_v + (1 - a) w_v
 * For a node without words w_v stays and d_v = w_v. The model's vectors are d if a > 1/2, else w; it keeps
 * o, too, by which a new node's text is read. The other vectors and c are state of the run.
 *
 * O((walks x length x window + words of all texts) K d) per epoch with K negatives; memory O((3 n + V) d).
 * Tasks of a half share no row (walks/skipgram.h); the steps towards each other go row by row. */
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "methods/dot.h"
#include "support/status.h"
#include "walks/walking.h"

/* ---- options ---- */

typedef struct tridnr_options {
    ni_walk_options walk;
    ni_text_options text;
    double text_weight, alone;
} tridnr_options;

static const ni_option own_options[] = {
    NI_OPTION(tridnr_options, REAL, text_weight, "text-weight", "", 0, "model", "X", "0.8", "0.8", "0.8", 0,
              1, 1, "weight of texts against walks where vectors are mixed (tridnr)"),
    NI_OPTION(tridnr_options, REAL, alone, "alone", "", 0, "training", "SHARE", "0", "0", "0.5", 0, 1, 1,
              "share of the epochs, the first ones, that train both models without mixing (tridnr)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(tridnr_options, walk.learning), NULL },
    { &ni_walk_set, offsetof(tridnr_options, walk), "walks,walk-length,window,along" },
    { &ni_text_set, offsetof(tridnr_options, text), NULL },
    { &own_set, 0, NULL },
    { 0 },
};

static const ni_text_options *text(const ni_settings *s)
{
    return &((const tridnr_options *)s->own)->text;
}

static neap_status check(const ni_settings *s, neap_error *err)
{
    return ni_walking_check(s->own, false, err);
}

/* ---- tensors ---- */

typedef struct tridnr {
    ni_dot dot;   /* d, or w         */
    float *words; /* o: words x dim  */
} tridnr;

static uint64_t words_of(const neap_model *m)
{
    return m->texts.offset[m->rows];
}

/* How often each word stands in the texts that were in training; NULL: no memory. */
static uint64_t *count_words(const neap_model *m)
{
    uint32_t words = m->texts.words.count;
    uint64_t *count = ni_zeros(words, sizeof *count);
    for (uint64_t i = 0; i < words_of(m) && count; i++) count[m->texts.word[i]]++;
    for (uint32_t x = 0; x < words && count; x++) count[x] += !count[x]; /* only behind `text_length` */
    return count;
}

static void declare(neap_model *m, ni_declaration *d)
{
    const tridnr_options *o = m->settings->own;
    tridnr *own = m->own;
    ni_dot_declare(m, d);
    ni_declare_matrix(d, "words", NI_LEARNED, m->texts.words.count, m->dim, &own->words);
    ni_walking_declare(d, &o->walk, false, m->rows);
    ni_declare_matrix(d, "partner", NI_STATE, m->rows, m->dim, NULL);
    d->positions += words_of(m);
}

/* Which of the two the model's vectors are. */
static bool are_of_texts(const tridnr_options *o)
{
    return o->text_weight > 0.5;
}

/* to = kept to + (1 - kept) from */
static void blend(float kept, float *to, const float *from, uint32_t dim)
{
    for (uint32_t k = 0; k < dim; k++) to[k] = kept * to[k] + (1 - kept) * from[k];
}

/* ---- what a run needs ---- */

typedef struct coupled {
    const tridnr_options *o;
    ni_learner l; /* its grid, outputs and steps by negatives are those of walks */
    ni_walking walking;
    float *by_walks, *by_text; /* w and d: E and the partner, or the other way round */
    float *partner;            /* rows x dim */
    ni_documents documents;
    uint32_t *owner; /* of each word of the texts: its node */
    ni_grid words;
    ni_skipgram texts;
    uint64_t walk_steps; /* of an epoch; the others are of texts */
} coupled;

static neap_status make_tables(coupled *c, neap_error *err)
{
    neap_model *m = c->l.run.model;
    uint64_t d = m->dim;
    float *E = c->l.vectors = ((const tridnr *)m->own)->dot.E;
    bool texts = are_of_texts(c->o);
    c->partner = ni_array(m->rows * d, sizeof *c->partner);
    c->l.outputs = ni_zeros(m->rows * d, sizeof *c->l.outputs);
    if (!c->partner || !c->l.outputs) return ni_fail_memory(err, "the vectors; a smaller --dim needs less");
    ni_model_draw_rows(m, 0.5 / m->dim, E);
    for (uint32_t u = 0; u < m->rows; u++)
        ni_model_draw_row(m, (uint64_t)m->rows + u, 0.5 / m->dim, c->partner + u * d);
    c->by_text = texts ? E : c->partner;
    c->by_walks = texts ? c->partner : E;
    return NEAP_OK;
}

static neap_status read_documents(coupled *c, neap_error *err)
{
    const neap_model *m = c->l.run.model;
    c->owner = ni_array(words_of(m), sizeof *c->owner);
    if (!c->owner) return ni_fail_memory(err, "the texts");
    for (uint32_t u = 0; u < m->rows; u++)
        for (uint64_t i = m->texts.offset[u]; i < m->texts.offset[u + 1]; i++) c->owner[i] = u;
    c->documents = (ni_documents){
        .count = words_of(m), .text = c->owner, .word = m->texts.word, .seed = m->settings->common.seed
    };
    return NEAP_OK;
}

static neap_status make_grids(coupled *c, neap_error *err)
{
    const neap_model *m = c->l.run.model;
    uint32_t words = m->texts.words.count;
    uint64_t seed = m->settings->common.seed, *count = count_words(m);
    if (!count) return ni_fail_memory(err, "the words");
    neap_status rc = ni_grid_create(m->rows, 1, 0, c->l.side, c->walking.visits, NI_WALKING_POWER, seed,
                                    &c->l.grid, err);
    if (rc == NEAP_OK)
        rc = ni_grid_create(words, 1, 0, NULL, count, NI_WALKING_POWER, seed, &c->words, err);
    if (rc == NEAP_OK) rc = ni_grid_deal_inputs(&c->words, m->rows, seed, err);
    ni_free(count);
    return rc;
}

/* Tasks of texts are as large as those of walks, so that one size of steps fits both. An epoch begins with
 * whole steps of walks, the last of which may have fewer positions than it has room for. */
static neap_status make_steps(coupled *c, neap_error *err)
{
    ni_run *run = &c->l.run;
    const ni_source *walks = &c->walking.source;
    run->per_step = ni_learner_per_step(walks, run->o->epochs);
    c->walk_steps = (walks->positions + run->per_step - 1) / run->per_step;
    run->positions = c->walk_steps * run->per_step + c->documents.count;
    ni_skipgram s = { .source = *walks,
                      .grid = &c->l.grid,
                      .threads = run->threads,
                      .in = c->by_walks,
                      .out = c->l.outputs,
                      .dim = run->model->dim,
                      .negatives = run->o->negatives,
                      .seed = run->model->settings->common.seed };
    c->l.by_negatives = s;
    s.source = ni_documents_source(&c->documents, walks->per_task);
    s.grid = &c->words;
    s.in = c->by_text;
    s.out = ((const tridnr *)run->model->own)->words;
    c->texts = s;
    neap_status rc = ni_skipgram_create(&c->l.by_negatives, run->per_step, err);
    return rc == NEAP_OK ? ni_skipgram_create(&c->texts, run->per_step, err) : rc;
}

static neap_status begin(coupled *c, neap_error *err)
{
    ni_run *run = &c->l.run;
    neap_status rc = make_tables(c, err);
    if (rc == NEAP_OK) rc = ni_walking_create(&c->walking, &c->l, &c->o->walk, false, err);
    if (rc == NEAP_OK) rc = read_documents(c, err);
    if (rc == NEAP_OK) rc = make_grids(c, err);
    if (rc == NEAP_OK) rc = make_steps(c, err);
    if (rc == NEAP_OK) rc = ni_run_declare(run, err);
    if (rc != NEAP_OK) return rc;
    ni_run_state(run, "outputs", c->l.outputs);
    ni_run_state(run, "partner", c->partner);
    return ni_run_begin(run, err);
}

static void coupled_free(coupled *c)
{
    ni_skipgram_free(&c->texts);
    ni_grid_free(&c->words);
    ni_walking_free(&c->walking);
    ni_free(c->partner);
    ni_free(c->owner);
}

/* ---- steps ---- */

enum { ROWS_PER_TASK = 256 };

typedef struct mixing {
    const ni_texts *texts;
    uint32_t rows, dim;
    float *to;
    const float *from;
    float kept, without; /* share of `to` that stays; where there is no word */
} mixing;

static void mix_task(void *arg, uint32_t task, uint32_t thread)
{
    const mixing *x = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, x->rows);
    (void)thread;
    for (uint64_t u = first; u < end; u++) {
        float kept = ni_text_size(x->texts, (uint32_t)u) ? x->kept : x->without;
        blend(kept, x->to + u * x->dim, x->from + u * x->dim, x->dim);
    }
}

/* Before the first step of a half, once the models are coupled. */
static void mix(const coupled *c, bool texts)
{
    const neap_model *m = c->l.run.model;
    float a = (float)c->o->text_weight;
    mixing x = {
        .texts = &m->texts, .rows = m->rows, .dim = m->dim, .to = c->by_walks, .from = c->by_text
    };
    x.kept = 1 - a, x.without = 1;
    if (texts) x.to = c->by_text, x.from = c->by_walks, x.kept = a, x.without = 0;
    ni_threads_run(c->l.run.threads, ni_tasks(x.rows, ROWS_PER_TASK), mix_task, &x);
}

static uint64_t first_coupled(const coupled *c)
{
    return (uint64_t)(c->o->alone * c->o->walk.learning.epochs);
}

static void step(coupled *c)
{
    ni_run *run = &c->l.run;
    ni_position *at = &run->at;
    bool texts = at->batch >= c->walk_steps;
    ni_skipgram *s = texts ? &c->texts : &c->l.by_negatives;
    uint64_t first = (at->batch - (texts ? c->walk_steps : 0)) * run->per_step;
    uint64_t left = s->source.positions - first, items = left < run->per_step ? left : run->per_step;
    double rate = ni_run_rate(run, 1e-4);
    ni_skipgram_make(s, at->epoch, first);
    if (!ni_run_may_step(run)) return;
    if (first == 0 && at->epoch >= first_coupled(c)) mix(c, texts);
    double loss = ni_skipgram_train(s, at->updates++, rate);
    ni_run_took(run, items, loss * (double)items);
}

static neap_status learn(coupled *c, neap_error *err)
{
    neap_status rc = begin(c, err);
    while (rc == NEAP_OK && ni_run_next(&c->l.run)) {
        if (c->l.run.judging) rc = ni_learner_validate(&c->l, err);
        else step(c);
    }
    return ni_run_conclude(&c->l.run, rc);
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    coupled c = { .o = job->settings->own };
    neap_status rc = ni_walking_prepare(&c.l, job, &c.o->walk, false, err);
    if (rc == NEAP_OK) rc = ni_model_allocate(c.l.run.model, err);
    if (rc == NEAP_OK) rc = learn(&c, err);
    coupled_free(&c);
    return ni_learner_end(&c.l, rc, out);
}

/* What walks need, and the same for texts. */
static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    const tridnr_options *o = job->settings->own;
    ni_learner l;
    neap_status rc = ni_walking_prepare(&l, job, &o->walk, false, err);
    if (rc == NEAP_OK) {
        const neap_model *m = l.run.model;
        ni_walker walker = { .nodes = m->rows };
        ni_windows windows = { .walker = &walker,
                               .rounds = o->walk.walks,
                               .length = o->walk.walk_length,
                               .window = o->walk.window };
        ni_source walks = ni_windows_source(&windows);
        ni_documents documents = { .count = words_of(m) };
        ni_grid grid = { .layers = 1, .ranges = NI_RANGES_MOST };
        ni_skipgram texts = { .source = ni_documents_source(&documents, walks.per_task),
                              .grid = &grid,
                              .threads = l.run.threads,
                              .dim = m->dim };
        ni_walking_bytes(&l, &o->walk, false, job->data->graph, r);
        r->bytes_batch += ni_skipgram_bytes(&texts, ni_learner_per_step(&walks, o->walk.learning.epochs));
        r->bytes_graph += words_of(m) * sizeof(uint32_t) + 32 * (uint64_t)m->texts.words.count + m->rows;
    }
    return ni_learner_drop(&l, rc);
}

/* ---- new nodes ----
 *
 * The vector of a new node is trained as that of a text was, by passes over its words; the outputs stay:
 *     x = a x + (1 - a) mean of its neighbours' vectors, then a step for each word, from x = that mean.
 * If the model's vectors are those of walks, it is (1 - a) mean + a x in the end. A node without words has
 * the mean, one without neighbours begins with 0. Draws depend on the position in a text, not on the node:
 * the same text and neighbours have the same vector. */

enum { PASSES_MOST = 10 };

typedef struct reading {
    const neap_model *model;
    const tridnr_options *o;
    ni_alias *alias; /* words by the power 3/4 of their counts */
    ni_threads *threads;
    float *mean; /* threads x dim                         */
    float *rows; /* of the nodes from `first` on          */
    uint32_t first;
} reading;

/* The gradient step of x for one word and its negatives, all taken at the old x. */
static void step_word(const reading *r, uint32_t word, double rate, ni_rng *rng, float *x)
{
    const neap_model *m = r->model;
    const float *words = ((const tridnr *)m->own)->words;
    const ni_kernels *k = ni_kernels_get();
    uint32_t row[1 + NI_GROUP_OUTPUTS], rows = 1;
    float step[1 + NI_GROUP_OUTPUTS];
    row[0] = word;
    for (uint32_t i = 0; i < r->o->walk.learning.negatives; i++) {
        uint32_t other = ni_alias_draw(r->alias, m->texts.words.count, rng);
        if (other != word) row[rows++] = other;
    }
    for (uint32_t i = 0; i < rows; i++) step[i] = k->dot(x, words + (uint64_t)row[i] * m->dim, m->dim);
    k->logistic_step(step, 1, 0, 1, (float)rate);
    k->logistic_step(step + 1, rows - 1, 0, 0, (float)rate);
    for (uint32_t i = 0; i < rows; i++) k->axpy(step[i], words + (uint64_t)row[i] * m->dim, x, m->dim);
}

static void text_task(void *arg, uint32_t task, uint32_t thread)
{
    const reading *r = arg;
    const neap_model *m = r->model;
    uint32_t u = r->first + task;
    float *x = r->rows + (uint64_t)task * m->dim, *mean = r->mean + (uint64_t)thread * m->dim;
    const ni_learning *o = &r->o->walk.learning;
    uint64_t first = m->texts.offset[u], words = m->texts.offset[u + 1] - first;
    uint32_t passes = o->epochs < PASSES_MOST ? o->epochs : PASSES_MOST;
    bool linked = ni_model_known_links(m, u) > 0;
    float a = (float)r->o->text_weight;
    if (linked) ni_dot_mean(m, u, mean), memcpy(x, mean, m->dim * sizeof *x);
    for (uint32_t pass = 0; pass < passes && words; pass++) {
        if (linked) blend(a, x, mean, m->dim);
        for (uint64_t i = 0; i < words && ni_threads_go_on(r->threads, thread); i++) {
            double left = 1 - (double)(pass * words + i) / (double)(passes * words);
            ni_rng rng = ni_rng_at(m->settings->common.seed, NI_STREAM_READ, pass, i);
            step_word(r, m->texts.word[first + i], o->decay == NI_DECAY_LINEAR ? o->lr * left : o->lr, &rng,
                      x);
        }
    }
    if (linked && words && !are_of_texts(r->o)) blend(a, x, mean, m->dim);
}

static bool weigh_words(reading *r)
{
    uint32_t words = r->model->texts.words.count;
    uint64_t *count = count_words(r->model);
    double *weight = ni_array(words, sizeof *weight);
    uint32_t *scratch = ni_array(words, sizeof *scratch);
    r->alias = ni_array(words, sizeof *r->alias);
    bool ok = count && weight && scratch && r->alias;
    for (uint32_t x = 0; x < words && ok; x++) weight[x] = pow((double)count[x], NI_WALKING_POWER);
    if (ok) ni_alias_fill(r->alias, weight, words, scratch);
    ni_free(count);
    ni_free(weight);
    ni_free(scratch);
    return ok;
}

static neap_status read_new(const neap_model *m, uint32_t first, uint32_t end, ni_threads *threads,
                            float *rows, neap_error *err)
{
    uint64_t means = (uint64_t)ni_threads_count(threads) * m->dim;
    reading r = { .model = m,
                  .o = m->settings->own,
                  .threads = threads,
                  .mean = ni_array(means, sizeof *r.mean),
                  .rows = rows,
                  .first = first };
    bool ok = r.mean && weigh_words(&r);
    if (ok) ni_threads_run(threads, end - first, text_task, &r);
    ni_free(r.mean);
    ni_free(r.alias);
    return ok ? NEAP_OK : ni_fail_memory(err, "the vectors of new nodes");
}

static neap_status open_query(neap_query *q, neap_error *err)
{
    return ni_dot_open(q, read_new, err);
}

/* ---- the method ---- */

static const ni_default defaults[] = {
    { "epochs", { "10", "10", "20" } },
    { "lr", { "0.05", "0.05", "0.0125" } }, /* authors: the mean of passes from 0.025 to 0 */
    { "decay", { "linear", "linear", "none" } },
    { "negatives", { "5", "5", "5" } },
    { "valid", { "0", "0", "0" } },
    { "dim", { "128", "200", "300" } },
    { "walks", { "20", "20", "20" } },
    { "walk-length", { "10", "10", "10" } },
    { "window", { "2", "2", "5" } },
    { "loss", { "ns", "ns", "ns" } },
    { "sample", { "0", "0", "0" } },
    { "min-count", { "3", "3", "3" } },
    { "text-length", { "16777216", "16777216", "16777216" } },
    { 0 },
};

const ni_method ni_method_tridnr = {
    .info = { .size = sizeof(neap_method_info),
              .name = "tridnr",
              .summary = "a node's vector predicts the words of its text and is mixed with one from walks",
              .details = "The vector of a text predicts its words (PV-DBOW), another vector of the node\n"
                         "the nodes near it in random walks (deepwalk), both by negative sampling. An\n"
                         "epoch is one of walks and one of texts. Once the first epochs (--alone) are\n"
                         "over, each half begins with a mixture of the two vectors, in which texts weigh\n"
                         "--text-weight. The model's vectors are those of texts if that is above 0.5,\n"
                         "else those of walks. A node without words has its vector from walks alone.\n"
                         "Labels, the third party of the paper, are not read: this is its form for link\n"
                         "prediction. The vector of a new node predicts the words of its text, too, and\n"
                         "is mixed with the mean of its neighbours' vectors, if it has neighbours.\n"
                         "Pan, Wu, Zhu, Zhang and Wang, Tri-Party Deep Network Representation, 2016.",
              .vectors = 1,
              .text = 1,
              .new_text = 1 },
    .options = { sizeof(tridnr_options), parts, defaults },
    .check = check,
    .text = text,
    .own = sizeof(tridnr),
    .declare = declare,
    .release = ni_dot_release,
    .open = open_query,
    .train = train,
    .bytes = bytes,
    NI_DOT_ANSWERS,
};
