/* What the header promises of structs that older and newer callers pass, and of names. It sees neap.h
 * alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asking.h"
#include "scratch.h"

/* ---- structs that are passed in ---- */

/* A call that takes the struct, and a number that stands for what it gave. */
typedef neap_status (*call_in)(const void *given, double *told, neap_error *err);

/* The size that a compiler gives a struct that ends there. */
static size_t whole_words(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* A copy that ends where its block ends: with the first `kept` bytes of the struct, and zeros or `last`
 * behind. */
static void *copy_of(const void *given, size_t kept, size_t size, unsigned char last)
{
    unsigned char *copy = calloc(1, size < 8 ? 8 : size);
    memcpy(copy, given, kept < size ? kept : size);
    if (size > kept) copy[size - 1] = last;
    memcpy(copy, &size, sizeof size);
    return copy;
}

static void refused(call_in call, const void *given, size_t size, size_t claimed, unsigned char last,
                    const char *type, const char *words)
{
    neap_error err = { 0 };
    double told;
    void *copy = copy_of(given, size, claimed > size && claimed < 4096 ? claimed : size, last);
    memcpy(copy, &claimed, sizeof claimed);
    assert_int_equal(call(copy, &told, &err), NEAP_E_ARG);
    assert_int_equal(err.code, NEAP_E_ARG);
    if (!strstr(err.text, type) || !strstr(err.text, words)) fail_msg("%s: %s", type, err.text);
    free(copy);
}

/* ends: where fields end from which on the rest may be 0, as in a caller that does not have them; the last
 * is the end of the struct. */
static void check_in(const char *type, call_in call, const void *given, const size_t *ends, size_t count)
{
    neap_error err = { 0 };
    double whole, told;
    size_t size = ends[count - 1];
    must(call(given, &whole, &err), &err);
    refused(call, given, size, 0, 0, type, "must begin with its size");
    refused(call, given, size, 1, 0, type, "must begin with its size");
    refused(call, given, size, sizeof(size_t), 0, type, "must begin with its size");
    refused(call, given, size, SIZE_MAX, 0, type, "must begin with its size");
    refused(call, given, size, size + 1, 1, type, "does not have");
    refused(call, given, size, size + 64, 1, type, "does not have");
    for (size_t more = 1; more <= 64; more += 21) { /* a newer caller that asks for nothing new */
        void *larger = copy_of(given, size, size + more, 0);
        must(call(larger, &told, &err), &err);
        assert_true(told == whole);
        free(larger);
    }
    for (size_t i = 0; i < count; i++) { /* an older one, against one that leaves the rest 0 */
        size_t end = whole_words(ends[i]);
        void *smaller = copy_of(given, end, end, 0), *rest = copy_of(given, end, size, 0);
        if (end > size) fail_msg("%s does not end at a whole word", type);
        must(call(smaller, &told, &err), &err);
        must(call(rest, &whole, &err), &err);
        if (told != whole) fail_msg("%s of %zu bytes: %g, not %g", type, end, told, whole);
        free(smaller);
        free(rest);
    }
}

#define END(type, field) (offsetof(type, field) + sizeof((type *)0)->field)

/* What the calls work on. */
static neap_graph *the_graph;
static neap_options *the_options;
static neap_model *the_model;
static neap_query *the_query;
static neap_trial *the_trial;
static neap_labels *the_labels;
static float the_vectors[N * DIM];

static neap_status generate(const void *given, double *told, neap_error *err)
{
    neap_graph *g;
    neap_status rc = neap_graph_generate(given, &g, err);
    *told = rc == NEAP_OK ? (double)neap_graph_hash(g) : 0;
    neap_graph_free(g);
    return rc;
}

static neap_status from_arrays(const void *given, double *told, neap_error *err)
{
    neap_graph *g;
    neap_status rc = neap_graph_from_arrays(given, &g, err);
    *told = rc == NEAP_OK ? (double)neap_graph_hash(g) : 0;
    neap_graph_free(g);
    return rc;
}

static neap_status train(const void *given, double *told, neap_error *err)
{
    neap_model *m;
    neap_status rc = neap_train(given, the_options, NULL, &m, err);
    *told = rc == NEAP_OK ? score_of(m, 2, 7) : 0;
    neap_model_free(m);
    return rc;
}

static neap_status train_fully(const void *given, double *told, neap_error *err)
{
    neap_model *m;
    neap_status rc = neap_train_fully(given, the_options, NULL, &m, err);
    *told = rc == NEAP_OK ? score_of(m, 2, 7) : 0;
    neap_model_free(m);
    return rc;
}

static neap_status extend(const void *given, double *told, neap_error *err)
{
    neap_model *m;
    neap_status rc = neap_model_extend(the_model, given, &m, NULL, err);
    *told = rc == NEAP_OK ? (double)neap_graph_nodes(neap_model_graph(m)) : 0;
    neap_model_free(m);
    return rc;
}

static neap_status estimate_of(const void *given, double *told, neap_error *err)
{
    neap_estimate_result r = NEAP_SIZED(neap_estimate_result);
    neap_status rc = neap_estimate(given, the_options, &r, err);
    *told = (double)r.bytes_tables;
    return rc;
}

static neap_status bench_refused(const void *given, double *told, neap_error *err)
{
    neap_bench_result r = NEAP_SIZED(neap_bench_result);
    neap_status rc = neap_bench(given, the_options, NULL, 0.01, &r, err);
    *told = rc == NEAP_OK;
    return rc;
}

static int count_calls(const neap_progress *now, void *user)
{
    if (now->size != sizeof *now) return 1;
    ++*(int *)user;
    return 0;
}

/* All that take hooks; those of a spec are read like the others. */
static neap_status train_heard(const void *given, double *told, neap_error *err)
{
    neap_data data = { .size = sizeof data, .graph = the_graph };
    neap_model *m;
    int *calls = ((const neap_hooks *)given)->user, before = *calls;
    neap_status rc = neap_train(&data, the_options, given, &m, err);
    *told = *calls - before;
    neap_model_free(m);
    return rc;
}

static neap_status train_fully_heard(const void *given, double *told, neap_error *err)
{
    neap_data data = { .size = sizeof data, .graph = the_graph };
    neap_model *m;
    int *calls = ((const neap_hooks *)given)->user, before = *calls;
    neap_status rc = neap_train_fully(&data, the_options, given, &m, err);
    *told = *calls - before;
    neap_model_free(m);
    return rc;
}

static neap_status load_graph_heard(const void *given, double *told, neap_error *err)
{
    neap_graph *g;
    neap_status rc = neap_graph_load("graph.txt", the_options, given, &g, err);
    *told = rc == NEAP_OK ? (double)neap_graph_hash(g) : 0;
    neap_graph_free(g);
    return rc;
}

static neap_status load_model_heard(const void *given, double *told, neap_error *err)
{
    neap_model *m;
    neap_status rc = neap_model_load("model", given, &m, err);
    *told = rc == NEAP_OK ? score_of(m, 2, 7) : 0;
    neap_model_free(m);
    return rc;
}

static neap_status query_heard(const void *given, double *told, neap_error *err)
{
    neap_query_spec spec = { .size = sizeof spec, .hooks = given };
    neap_query *q;
    neap_status rc = neap_query_create(the_model, &spec, &q, err);
    if (rc == NEAP_OK) rc = neap_query_vectors(q, NULL, 0, NEAP_NONE, the_vectors, err);
    *told = rc;
    neap_query_free(q);
    return rc;
}

static neap_status measure_heard(const void *given, double *told, neap_error *err)
{
    neap_link_result r = NEAP_SIZED(neap_link_result);
    neap_model *m;
    neap_status rc = neap_trial_train(the_trial, the_options, given, &m, err);
    if (rc == NEAP_OK) rc = neap_trial_measure(the_trial, m, given, &r, err);
    *told = r.auc;
    neap_model_free(m);
    return rc;
}

static neap_status measure_vectors_heard(const void *given, double *told, neap_error *err)
{
    neap_link_result r = NEAP_SIZED(neap_link_result);
    neap_status rc = neap_trial_measure_vectors(the_trial, the_vectors, DIM, 1, given, &r, err);
    *told = r.auc;
    return rc;
}

static neap_status cluster_heard(const void *given, double *told, neap_error *err)
{
    neap_cluster_spec spec = { .size = sizeof spec, .hooks = given };
    neap_cluster_result r = NEAP_SIZED(neap_cluster_result);
    neap_status rc = neap_cluster(the_vectors, DIM, the_labels, &spec, NULL, &r, err);
    *told = r.nmi;
    return rc;
}

static neap_status classify_heard(const void *given, double *told, neap_error *err)
{
    neap_classify_spec spec = { .size = sizeof spec, .share = 0.5, .hooks = given };
    neap_classify_result r = NEAP_SIZED(neap_classify_result);
    neap_status rc = neap_classify(the_vectors, DIM, the_labels, &spec, NULL, &r, err);
    *told = r.micro;
    return rc;
}

static neap_status create_query(const void *given, double *told, neap_error *err)
{
    neap_query *q;
    neap_status rc = neap_query_create(the_model, given, &q, err);
    neap_query_free(q);
    *told = 0;
    return rc;
}

static neap_status rank(const void *given, double *told, neap_error *err)
{
    neap_ranking *r;
    neap_status rc = neap_query_rank(the_query, given, &r, err);
    *told = 0;
    for (size_t i = 0; r && i < r->count; i++) *told += (double)(i + 1) * (double)r->node[i];
    neap_ranking_free(r);
    return rc;
}

static neap_status create_trial(const void *given, double *told, neap_error *err)
{
    neap_trial *t;
    neap_trial_facts facts = NEAP_SIZED(neap_trial_facts);
    neap_status rc =
        neap_trial_create(&(neap_data){ .size = sizeof(neap_data), .graph = the_graph }, given, &t, err);
    if (rc == NEAP_OK) rc = neap_trial_facts_of(t, &facts, err);
    *told = (double)(facts.test * 1000 + facts.valid);
    neap_trial_free(t);
    return rc;
}

static neap_status give_pairs(const void *given, double *told, neap_error *err)
{
    neap_trial *t;
    neap_trial_facts facts = NEAP_SIZED(neap_trial_facts);
    neap_status rc = neap_trial_from_pairs(&(neap_data){ .size = sizeof(neap_data), .graph = the_graph },
                                           given, &t, err);
    if (rc == NEAP_OK) rc = neap_trial_facts_of(t, &facts, err);
    *told = (double)(facts.test * 1000 + facts.valid);
    neap_trial_free(t);
    return rc;
}

/* The last node that s has no edge to. */
static neap_pair non_link(uint32_t s)
{
    const uint32_t *targets;
    const float *weights;
    uint64_t count = neap_graph_edges_of(the_graph, s, &targets, &weights);
    uint32_t w = N - 1;
    while (count && targets[count - 1] == w) count--, w--;
    return (neap_pair){ s, w };
}

static neap_status cluster(const void *given, double *told, neap_error *err)
{
    neap_cluster_result r = NEAP_SIZED(neap_cluster_result);
    neap_status rc = neap_cluster(the_vectors, DIM, the_labels, given, NULL, &r, err);
    *told = r.nmi + r.clusters;
    return rc;
}

static neap_status classify(const void *given, double *told, neap_error *err)
{
    neap_classify_result r = NEAP_SIZED(neap_classify_result);
    neap_status rc = neap_classify(the_vectors, DIM, the_labels, given, NULL, &r, err);
    *told = r.micro;
    return rc;
}

static neap_status use_allocator(const void *given, double *told, neap_error *err)
{
    *told = 0;
    return neap_allocator_use(given, err);
}

static int world_enter(void **state)
{
    neap_error err;
    neap_link_spec spec = {
        .size = sizeof spec, .protocol = "clean", .negatives = "uniform", .ratio = 0.7, .seed = 1
    };
    if (scratch_enter(state)) return -1;
    the_graph = blocks(N, 0);
    the_options = options_of("neap", "method", "gap", "dim", "8", "epochs", "2", "threads", "1", NULL);
    the_model = trained("gap", 0);
    the_query = query_of(the_model, 1);
    must(neap_trial_create(&(neap_data){ .size = sizeof(neap_data), .graph = the_graph }, &spec, &the_trial,
                           &err),
         &err);
    must(neap_model_vectors(the_model, the_vectors, &err), &err);
    must(neap_graph_save(the_graph, "graph.txt", "edges", &err), &err);
    must(neap_model_save(the_model, "model", &err), &err);
    FILE *file = fopen("labels.txt", "w");
    for (int i = 0; i < N; i++) fprintf(file, "%d\t%s\n", i, i < N / 2 ? "north" : "south");
    fclose(file);
    must(neap_labels_load("labels.txt", the_graph, 0, &the_labels, &err), &err);
    return 0;
}

static int world_leave(void **state)
{
    neap_labels_free(the_labels);
    neap_trial_free(the_trial);
    neap_query_free(the_query);
    neap_model_free(the_model);
    neap_options_free(the_options);
    neap_graph_free(the_graph);
    return scratch_leave(state);
}

static void graphs_are_made_for_older_and_newer_callers(void **state)
{
    const uint32_t source[] = { 0, 1, 2 }, target[] = { 1, 2, 0 };
    const float weight[] = { 1, 2, 3 };
    const uint64_t name[] = { 0, 1, 2, 3 };
    neap_generator what = { sizeof what, "sbm", 30, 3, 2, 60, 5, 0.5, 0.1 };
    neap_graph_arrays arrays = { .size = sizeof arrays,
                                 .nodes = 3,
                                 .edges = 3,
                                 .source = source,
                                 .target = target,
                                 .weight = weight,
                                 .name_bytes = "abc",
                                 .name_offset = name,
                                 .undirected = 1 };
    const size_t of_what[] = { END(neap_generator, p_in), sizeof what };
    const size_t of_er[] = { END(neap_generator, edges), END(neap_generator, seed),
                             END(neap_generator, p_in), sizeof what };
    const size_t of_arrays[] = { END(neap_graph_arrays, target), END(neap_graph_arrays, weight),
                                 END(neap_graph_arrays, name_offset), sizeof arrays };
    (void)state;
    check_in("neap_generator", generate, &what, of_what, COUNT(of_what));
    what.kind = "er";
    check_in("neap_generator", generate, &what, of_er, COUNT(of_er));
    check_in("neap_graph_arrays", from_arrays, &arrays, of_arrays, COUNT(of_arrays));
}

static void data_are_read_for_older_and_newer_callers(void **state)
{
    neap_pair positives[3], negatives[3];
    neap_split *split;
    neap_error err;
    const neap_pair *p, *n;
    (void)state;
    must(neap_split_create(the_graph, 0.1, 3, &split, &err), &err);
    assert_true(neap_split_pairs(split, &p, &n) >= 3);
    memcpy(positives, p, sizeof positives);
    memcpy(negatives, n, sizeof negatives);
    neap_data data = { .size = sizeof data,
                       .graph = the_graph,
                       .around = the_graph,
                       .valid_positives = positives,
                       .valid_negatives = negatives,
                       .valid_count = 3 };
    const size_t ends[] = { END(neap_data, graph),  END(neap_data, text),        END(neap_data, labels),
                            END(neap_data, around), END(neap_data, valid_count), sizeof data };
    check_in("neap_data", train, &data, ends, COUNT(ends));
    check_in("neap_data", train_fully, &data, ends, COUNT(ends));
    check_in("neap_data", estimate_of, &data, ends, COUNT(ends));
    check_in("neap_data", extend, &data, ends, COUNT(ends));
    refused(bench_refused, &data, sizeof data, 0, 0, "neap_data", "must begin with its size");
    refused(bench_refused, &data, sizeof data, sizeof data + 8, 1, "neap_data", "does not have");
    neap_split_free(split);
}

static void hooks_are_heard_of_older_and_newer_callers(void **state)
{
    static const call_in calls[] = { train_heard,           train_fully_heard, load_graph_heard,
                                     load_model_heard,      query_heard,       measure_heard,
                                     measure_vectors_heard, cluster_heard,     classify_heard };
    int count = 0;
    neap_hooks hooks = { .size = sizeof hooks, .progress = count_calls, .user = &count };
    const size_t ends[] = { END(neap_hooks, user), END(neap_hooks, checkpoint), sizeof hooks };
    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) check_in("neap_hooks", calls[i], &hooks, ends, COUNT(ends));
    assert_true(count > 0);
}

static void questions_are_read_for_older_and_newer_callers(void **state)
{
    const uint32_t sources[] = { 3, 4 }, candidates[] = { 5, 6, 7, 8, 9, 10 };
    neap_query_spec spec = { .size = sizeof spec, .threads = 2 };
    neap_rank_spec best = { .size = sizeof best,
                            .sources = sources,
                            .source_count = 2,
                            .candidates = candidates,
                            .candidate_count = 6,
                            .k = 4,
                            .with_known = 1,
                            .by = NEAP_BY_COSINE };
    const size_t of_spec[] = { END(neap_query_spec, threads), sizeof spec };
    const size_t of_best[] = { END(neap_rank_spec, k), END(neap_rank_spec, by), sizeof best };
    (void)state;
    check_in("neap_query_spec", create_query, &spec, of_spec, COUNT(of_spec));
    check_in("neap_rank_spec", rank, &best, of_best, COUNT(of_best));
    neap_query *q;
    neap_error err;
    must(neap_query_create(the_model, NULL, &q, &err), &err); /* no spec at all */
    neap_query_free(q);
}

static void evaluations_are_read_for_older_and_newer_callers(void **state)
{
    neap_link_spec link = { sizeof link, "clean", "uniform", 0.6, 7, 0.2 };
    neap_cluster_spec clusters = {
        .size = sizeof clusters, .algorithm = "kmeans", .clusters = 3, .seed = 9, .threads = 1
    };
    neap_classify_spec classes = { .size = sizeof classes, .share = 0.5, .seed = 9, .threads = 1 };
    const neap_pair test_link = non_link(0), test_other = non_link(1);
    neap_given_pairs given = { sizeof given, &test_link, &test_other, 1, 1, 0.2, 7 };
    const size_t of_given[] = { END(neap_given_pairs, negative_count), END(neap_given_pairs, valid),
                                sizeof given };
    const size_t of_link[] = { END(neap_link_spec, ratio), END(neap_link_spec, seed),
                               END(neap_link_spec, valid), sizeof link };
    const size_t of_clusters[] = { END(neap_cluster_spec, algorithm), END(neap_cluster_spec, assign),
                                   END(neap_cluster_spec, clusters), END(neap_cluster_spec, seed),
                                   sizeof clusters };
    const size_t of_classes[] = { END(neap_classify_spec, share), END(neap_classify_spec, seed),
                                  END(neap_classify_spec, threads), sizeof classes };
    (void)state;
    check_in("neap_link_spec", create_trial, &link, of_link, COUNT(of_link));
    check_in("neap_given_pairs", give_pairs, &given, of_given, COUNT(of_given));
    check_in("neap_cluster_spec", cluster, &clusters, of_clusters, COUNT(of_clusters));
    check_in("neap_classify_spec", classify, &classes, of_classes, COUNT(of_classes));
}

/* The same functions as before, called through others. */
static void *allocate(size_t bytes)
{
    return malloc(bytes);
}

static void *resize(void *block, size_t bytes)
{
    return realloc(block, bytes);
}

static void release(void *block)
{
    free(block);
}

static void an_allocator_is_read_for_older_and_newer_callers(void **state)
{
    neap_allocator allocator = { sizeof allocator, allocate, resize, release };
    const size_t ends[] = { sizeof allocator };
    neap_error err;
    double told;
    (void)state;
    check_in("neap_allocator", use_allocator, &allocator, ends, COUNT(ends));
    assert_int_equal(neap_allocator_use(NULL, &err), NEAP_E_ARG);
    void *older = copy_of(&allocator, END(neap_allocator, resize), END(neap_allocator, resize), 0);
    assert_int_equal(use_allocator(older, &told, &err), NEAP_E_ARG); /* it has no release */
    free(older);
}

/* ---- structs that are filled ---- */

typedef neap_status (*call_out)(void *result, neap_error *err);

/* same: how many bytes of the result are the same each time; behind them there is a clock. */
static void check_out(const char *type, call_out call, size_t size, size_t same)
{
    neap_error err = { 0 };
    size_t said, wrong[] = { 0, 1, sizeof(size_t), SIZE_MAX };
    unsigned char *whole = malloc(size);
    memset(whole, 0, size);
    memcpy(whole, &size, sizeof size);
    must(call(whole, &err), &err);
    memcpy(&said, whole, sizeof said);
    assert_int_equal(said, size);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        unsigned char *result = calloc(1, size);
        memcpy(result, &wrong[i], sizeof wrong[i]);
        err = (neap_error){ 0 };
        assert_int_equal(call(result, &err), NEAP_E_ARG);
        if (!strstr(err.text, type)) fail_msg("%s: %s", type, err.text);
        free(result);
    }
    for (size_t room = 2 * sizeof room; room < size + 48; room += 8) { /* older callers, and newer ones */
        unsigned char *result = malloc(room);
        size_t filled = room < size ? room : size;
        memset(result, 0xAA, room);
        memcpy(result, &room, sizeof room);
        must(call(result, &err), &err);
        memcpy(&said, result, sizeof said);
        assert_int_equal(said, filled);
        for (size_t i = sizeof said; i < filled && i < same; i++)
            if (result[i] != whole[i]) fail_msg("%s of %zu bytes differs at %zu", type, room, i);
        for (size_t i = filled; i < room; i++) assert_int_equal(result[i], 0xAA);
        free(result);
    }
    free(whole);
}

static neap_status tell_report(void *result, neap_error *err)
{
    return neap_graph_report_of(the_graph, result, err);
}

static neap_status tell_graph(void *result, neap_error *err)
{
    return neap_graph_facts_of(the_graph, result, err);
}

static neap_status tell_model(void *result, neap_error *err)
{
    return neap_model_facts_of(the_model, result, err);
}

static neap_status tell_estimate(void *result, neap_error *err)
{
    neap_data data = { .size = sizeof data, .graph = the_graph };
    neap_options *o = options_of("neap", "method", "gap", "epochs", "0", NULL);
    neap_status rc = neap_estimate(&data, o, result, err);
    neap_options_free(o);
    return rc;
}

static neap_status tell_extension(void *result, neap_error *err)
{
    neap_data data = { .size = sizeof data, .graph = the_graph };
    neap_model *m;
    neap_status rc = neap_model_extend(the_model, &data, &m, result, err);
    assert_true((rc == NEAP_OK) == (m != NULL));
    neap_model_free(m);
    return rc;
}

static neap_status tell_trial(void *result, neap_error *err)
{
    return neap_trial_facts_of(the_trial, result, err);
}

static neap_status tell_folder(void *result, neap_error *err)
{
    return neap_trial_describe("split", result, err);
}

static neap_model *of_trial; /* trained on the trial's edges */

static neap_status tell_measure(void *result, neap_error *err)
{
    return neap_trial_measure(the_trial, of_trial, NULL, result, err);
}

static neap_status tell_measure_of_vectors(void *result, neap_error *err)
{
    return neap_trial_measure_vectors(the_trial, the_vectors, DIM, 0, NULL, result, err);
}

static neap_status tell_leaks(void *result, neap_error *err)
{
    return neap_trial_check(the_trial, of_trial, result, err);
}

static neap_status tell_labels(void *result, neap_error *err)
{
    return neap_labels_facts_of(the_labels, result, err);
}

static neap_status tell_clusters(void *result, neap_error *err)
{
    neap_cluster_spec spec = { .size = sizeof spec, .threads = 1 };
    return neap_cluster(the_vectors, DIM, the_labels, &spec, NULL, result, err);
}

static neap_status tell_classes(void *result, neap_error *err)
{
    neap_classify_spec spec = { .size = sizeof spec, .share = 0.5, .threads = 1 };
    return neap_classify(the_vectors, DIM, the_labels, &spec, NULL, result, err);
}

static neap_status tell_option(void *result, neap_error *err)
{
    return neap_method_option("gap", 2, result, err);
}

static void results_are_filled_for_older_and_newer_callers(void **state)
{
    neap_error err;
    (void)state;
    must(neap_trial_train(the_trial, the_options, NULL, &of_trial, &err), &err);
    must(neap_trial_save(the_trial, "split", &err), &err);
#define CHECK(type, call, same) check_out(#type, call, sizeof(type), same)
    CHECK(neap_graph_report, tell_report, sizeof(neap_graph_report));
    CHECK(neap_graph_facts, tell_graph, sizeof(neap_graph_facts));
    CHECK(neap_model_facts, tell_model, sizeof(neap_model_facts));
    CHECK(neap_estimate_result, tell_estimate, offsetof(neap_estimate_result, seconds_epoch));
    CHECK(neap_extension, tell_extension, sizeof(neap_extension));
    CHECK(neap_trial_facts, tell_trial, sizeof(neap_trial_facts));
    CHECK(neap_trial_facts, tell_folder, sizeof(neap_trial_facts));
    CHECK(neap_link_result, tell_measure, offsetof(neap_link_result, seconds));
    CHECK(neap_link_result, tell_measure_of_vectors, offsetof(neap_link_result, seconds));
    CHECK(neap_leak_report, tell_leaks, sizeof(neap_leak_report));
    CHECK(neap_labels_facts, tell_labels, sizeof(neap_labels_facts));
    CHECK(neap_cluster_result, tell_clusters, sizeof(neap_cluster_result));
    CHECK(neap_classify_result, tell_classes, sizeof(neap_classify_result));
    CHECK(neap_option_info, tell_option, END(neap_option_info, help));
#undef CHECK
    assert_int_equal(neap_trial_check(the_trial, of_trial, NULL, &err),
                     NEAP_OK); /* who asks for no report */
    neap_model_free(of_trial);
    assert_int_equal(system("rm -r split"), 0);
}

/* It takes a while, so that it is done once, for an older caller; a newer one differs in nothing from those
 * above. */
static void a_measurement_of_speed_is_filled_for_an_older_caller(void **state)
{
    struct {
        size_t size;
        uint64_t edges;
        double seconds, edges_per_second;
    } *older = calloc(1, sizeof *older);
    neap_data data = { .size = sizeof data, .graph = the_graph };
    neap_bench_result *result = (void *)older;
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(neap_bench(&data, the_options, NULL, 0.01, result, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "neap_bench_result"));
#ifndef __SANITIZE_ADDRESS__ /* the product that it compares with takes half a minute there */
    older->size = sizeof *older;
    must(neap_bench(&data, the_options, NULL, 0.01, result, &err), &err);
    assert_int_equal(older->size, sizeof *older);
    assert_true(older->edges > 0 && older->edges_per_second > 0);
#endif
    free(older);
}

/* Objects that the library makes say how much of them there is. */
static void objects_know_their_size(void **state)
{
    neap_scores *scores;
    neap_ranking *ranking;
    neap_explanation *why;
    neap_vectors *vectors;
    neap_pair pair = { 1, 2 };
    neap_error err;
    (void)state;
    must(neap_query_score(the_query, &pair, 1, &scores, &err), &err);
    must(neap_model_rank(the_model, 1, 3, 0, &ranking, &err), &err);
    must(neap_model_explain(the_model, 1, 2, &why, &err), &err);
    must(neap_vectors_save("vectors.npy", the_graph, the_vectors, N, DIM, &err), &err);
    must(neap_vectors_load("vectors.npy", the_graph, 0, &vectors, &err), &err);
    assert_int_equal(scores->size, sizeof *scores);
    assert_int_equal(ranking->size, sizeof *ranking);
    assert_int_equal(why->size, sizeof *why);
    assert_int_equal(vectors->size, sizeof *vectors);
    neap_scores_free(scores);
    neap_ranking_free(ranking);
    neap_explanation_free(why);
    neap_vectors_free(vectors);
}

/* ---- names ---- */

static void every_status_has_a_name(void **state)
{
    static const char *const names[] = { "NEAP_OK",         "NEAP_E_ARG",     "NEAP_E_MEM",
                                         "NEAP_E_IO",       "NEAP_E_FORMAT",  "NEAP_E_LIMIT",
                                         "NEAP_E_STOPPED",  "NEAP_E_READ",    "NEAP_E_NUMERIC",
                                         "NEAP_E_MISMATCH", "NEAP_E_UNKNOWN", "NEAP_E_LEAK" };
    (void)state;
    for (int i = 0; i < (int)COUNT(names); i++)
        assert_string_equal(neap_status_name((neap_status)-i), names[i]);
    assert_int_equal(NEAP_E_LEAK, 1 - (int)COUNT(names));
    assert_string_equal(neap_status_name((neap_status)-12), "unknown");
    assert_string_equal(neap_status_name((neap_status)1), "unknown");
}

static bool is_in(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ',') && (at[n] == 0 || at[n] == ',')) return true;
    return false;
}

static void check_info(const neap_option_info *o)
{
    static const char *const kinds[] = { "U32", "U64", "REAL", "SWITCH", "CHOICE", "BYTES", "TEXT" };
    static const char *const groups[] = { "model", "training", "walks", "text", "reading", "running" };
    size_t kind = 0, group = 0;
    while (kind < COUNT(kinds) && strcmp(o->kind, kinds[kind])) kind++;
    while (group < COUNT(groups) && strcmp(o->group, groups[group])) group++;
    if (kind == COUNT(kinds) || group == COUNT(groups))
        fail_msg("--%s: %s, %s", o->name, o->kind, o->group);
    assert_int_equal(o->size, sizeof *o);
    assert_true(strlen(o->help) > 5);
    assert_non_null(o->aliases);
    assert_true(o->saved == 0 || o->saved == 1);
    if (!strcmp(o->kind, "SWITCH")) assert_string_equal(o->value, "");
    else assert_true(strlen(o->value) > 0);
    if (!strcmp(o->kind, "CHOICE")) assert_non_null(strchr(o->value, '|'));
    if (!strcmp(o->kind, "U32") || !strcmp(o->kind, "REAL")) assert_true(o->min < o->max);
}

static void each_option_is_listed_once(void **state)
{
    size_t n = neap_option_count();
    (void)state;
    assert_true(n > 20);
    assert_null(neap_option_at(n));
    assert_null(neap_option_at(SIZE_MAX));
    assert_string_equal(neap_option_at(0)->name, "method"); /* common ones first */
    for (size_t i = 0; i < n; i++) {
        const neap_option_info *o = neap_option_at(i);
        check_info(o);
        for (size_t k = 0; k < n; k++) {
            const neap_option_info *other = neap_option_at(k);
            if (k == i) continue;
            if (!strcmp(o->name, other->name)) fail_msg("--%s stands there twice", o->name);
            if (is_in(other->aliases, o->name))
                fail_msg("--%s is also an alias of --%s", o->name, other->name);
            if (o->letter && o->letter == other->letter) fail_msg("-%c stands there twice", o->letter);
        }
    }
}

static const neap_option_info *listed(const char *name)
{
    for (size_t i = 0; i < neap_option_count(); i++)
        if (!strcmp(neap_option_at(i)->name, name)) return neap_option_at(i);
    return NULL;
}

/* Those of all methods and the common ones are all there are; one name has one kind; defaults can be set.
 */
static void methods_say_which_options_they_have(void **state)
{
    neap_error err;
    neap_option_info o = NEAP_SIZED(neap_option_info);
    bool used[512] = { 0 };
    (void)state;
    assert_null(neap_method_at(neap_method_count()));
    for (size_t i = 0; i < neap_method_count(); i++) {
        const char *method = neap_method_at(i)->name;
        assert_int_equal(neap_method_at(i)->size, sizeof(neap_method_info));
        assert_ptr_equal(neap_method_find(method), neap_method_at(i));
        assert_true(neap_method_has_option(method, "seed") && neap_method_has_option(method, "threads"));
        size_t count = 0;
        for (; (o.size = sizeof o, neap_method_option(method, count, &o, &err)) == NEAP_OK; count++) {
            const neap_option_info *any = listed(o.name);
            assert_non_null(any);
            check_info(&o);
            assert_string_equal(o.kind, any->kind);
            assert_true(neap_method_has_option(method, o.name));
            for (int preset = 0; preset < 3; preset++) {
                static const char *const presets[] = { "neap", "paper", "authors" };
                char text[256];
                neap_options *set = options_of(presets[preset], "method", method, NULL);
                char *before = NULL;
                must(neap_options_get(set, o.name, text, sizeof text, &err), &err);
                before = strdup(text);
                must(neap_options_set(set, o.name, o.presets[preset], &err), &err);
                must(neap_options_check(set, &err), &err);
                must(neap_options_get(set, o.name, text, sizeof text, &err), &err);
                assert_string_equal(text, before);
                free(before);
                neap_options_free(set);
            }
            for (size_t k = 0; k < neap_option_count(); k++)
                if (neap_option_at(k) == any) used[k] = true;
        }
        assert_int_equal(neap_method_option(method, count, &o, &err), NEAP_E_UNKNOWN);
        assert_int_equal(neap_method_option(method, SIZE_MAX, &o, &err), NEAP_E_UNKNOWN);
        size_t had = 0, common = 0;
        for (size_t k = 0; k < neap_option_count(); k++) {
            const char *name = neap_option_at(k)->name;
            had += neap_method_has_option(method, name) != 0;
            common += neap_method_has_option("pa", name) && !neap_method_has_option("cn", name);
        }
        assert_int_equal(common, 0); /* two without options of their own have the same ones */
        assert_true(had > count);
        for (size_t k = 0; i == 0 && k < neap_option_count(); k++) /* the common ones */
            if (neap_method_has_option("pa", neap_option_at(k)->name)) used[k] = true;
    }
    for (size_t k = 0; k < neap_option_count(); k++)
        if (!used[k]) fail_msg("no method has --%s", neap_option_at(k)->name);
    assert_int_equal(neap_method_option("gape", 0, &o, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "gap"));
    assert_int_equal(neap_method_has_option("gape", "dim"), 0);
    assert_int_equal(neap_method_has_option("gap", "dime"), 0);
    assert_int_equal(neap_method_has_option("gap", "walk-length"), 0);
    assert_int_equal(neap_method_has_option("gap", "dimensions"), 1); /* an alias */
    assert_null(neap_method_find("gape"));
    assert_null(neap_method_find(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_made_for_older_and_newer_callers),
        cmocka_unit_test(data_are_read_for_older_and_newer_callers),
        cmocka_unit_test(hooks_are_heard_of_older_and_newer_callers),
        cmocka_unit_test(questions_are_read_for_older_and_newer_callers),
        cmocka_unit_test(evaluations_are_read_for_older_and_newer_callers),
        cmocka_unit_test(results_are_filled_for_older_and_newer_callers),
        cmocka_unit_test(a_measurement_of_speed_is_filled_for_an_older_caller),
        cmocka_unit_test(objects_know_their_size),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(each_option_is_listed_once),
        cmocka_unit_test(methods_say_which_options_they_have),
        cmocka_unit_test(an_allocator_is_read_for_older_and_newer_callers), /* last: it stays */
    };
    return cmocka_run_group_tests(tests, world_enter, world_leave);
}
