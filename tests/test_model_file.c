#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "faults.h"
#include "io/tensors.h"
#include "model/method.h"
#include "scratch.h"
#include "tamper.h"
#include "world.h"

static const char *const names[6] = { "hub", "a", "b", "c", "d", "e" };
static const neap_edge edges[8] = { { 0, 1, 1 }, { 0, 2, 2 },     { 0, 3, 3 }, { 4, 0, 0.5F },
                                    { 1, 2, 1 }, { 3, 4, 1.25F }, { 5, 0, 1 }, { 2, 1, 1 } };

/* A model with numbers in its tensors, of gap unless the settings say otherwise: "name=value ...". */
static neap_model *make(const char *preset, const char *settings, int weighted, int undirected)
{
    neap_options *options;
    neap_graph *graph;
    neap_model *model;
    char list[256], *rest = list;
    assert_int_equal(neap_options_create(preset, &options, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(options, "method", "gap", NULL), NEAP_OK);
    snprintf(list, sizeof list, "%s", settings);
    for (char *word; (word = strsep(&rest, " "));) {
        char *value = strchr(word, '=');
        *value++ = 0;
        assert_int_equal(neap_options_set(options, word, value, NULL), NEAP_OK);
    }
    assert_int_equal(neap_graph_create(6, names, edges, 8, weighted, undirected, &graph, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = graph };
    ni_job_room room;
    ni_job job;
    assert_int_equal(ni_job_read(&data, options, NULL, &room, &job, NULL), NEAP_OK);
    assert_int_equal(ni_model_create(&job, &model, NULL), NEAP_OK);
    assert_int_equal(ni_model_allocate(model, NULL), NEAP_OK);
    for (size_t i = 0; i < model->tensors->list.count; i++) {
        const ni_declared *t = &model->tensors->list.item[i];
        float *numbers = t->role != NI_STATE && t->type == NI_F32 ? t->data : NULL;
        for (size_t k = 0; numbers && k < ni_declared_numbers(t); k++) numbers[k] = (float)k / 7 - (float)i;
    }
    ni_job_free(&job);
    neap_graph_free(graph);
    neap_options_free(options);
    return model;
}

/* Small, and with all that a model can have: weights, a sample of neighbours, padding, facts. */
static neap_model *make_full(void)
{
    neap_model *model = make("authors", "dim=3 neighbors=2 threads=1", 1, 0);
    model->epochs = 7;
    model->loss = 0.1;
    model->valid_auc = 2.0 / 3;
    return model;
}

static void put_full(const char *path)
{
    neap_model *model = make_full();
    assert_int_equal(neap_model_save(model, path, NULL), NEAP_OK);
    neap_model_free(model);
}

static neap_status load(void *user, neap_error *err)
{
    neap_model *model;
    neap_status rc = neap_model_load(user, NULL, &model, err);
    assert_true((rc == NEAP_OK) == (model != NULL));
    neap_model_free(model);
    return rc;
}

static void same_tensors(const ni_declaration *a, const ni_declaration *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const ni_declared *x = &a->item[i], *y = &b->item[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->type, y->type);
        assert_int_equal(x->rank, y->rank);
        assert_memory_equal(x->shape, y->shape, x->rank * sizeof *x->shape);
        assert_true(!x->data == !y->data);
        if (x->data) assert_memory_equal(x->data, y->data, (size_t)ni_declared_bytes(x));
    }
}

static void same_model(const neap_model *a, const neap_model *b)
{
    for (size_t i = 0; i < neap_option_count(); i++) {
        const neap_option_info *o = neap_option_at(i);
        char x[64], y[64];
        neap_status rc = neap_options_get(neap_model_options(a), o->name, x, sizeof x, NULL);
        assert_int_equal(neap_options_get(neap_model_options(b), o->name, y, sizeof y, NULL), rc);
        assert_int_equal(rc == NEAP_OK, neap_method_has_option(a->method->info.name, o->name));
        if (o->saved && rc == NEAP_OK) assert_string_equal(x, y);
    }
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->dim, b->dim);
    assert_int_equal(a->epochs, b->epochs);
    assert_true(a->loss == b->loss || (isnan(a->loss) && isnan(b->loss)));
    assert_true(a->valid_auc == b->valid_auc || (isnan(a->valid_auc) && isnan(b->valid_auc)));
    assert_ptr_equal(a->method, b->method);
    same_tensors(&a->tensors->list, &b->tensors->list);
    assert_true(neap_graph_hash(a->graph) == neap_graph_hash(b->graph));
    assert_int_equal(a->hood.nodes, b->hood.nodes);
    assert_true(!a->hood.offset == !b->hood.offset);
    if (a->hood.offset) {
        assert_memory_equal(a->hood.offset, b->hood.offset,
                            ((size_t)a->hood.nodes + 1) * sizeof *a->hood.offset);
        assert_memory_equal(a->hood.node, b->hood.node,
                            (size_t)a->hood.offset[a->hood.nodes] * sizeof *a->hood.node);
    }
    assert_int_equal(a->links.offset[a->links.nodes], b->links.offset[b->links.nodes]);
}

/* Saves, loads, compares, saves again: the same bytes. */
static void round_trip(neap_model *model, bool hood, bool tables)
{
    neap_model *back;
    ni_tensors t;
    size_t size;
    neap_error err = { 0 };
    assert_int_equal(neap_model_save(model, "one", &err), NEAP_OK);
    assert_int_equal(neap_model_load("one", NULL, &back, &err), NEAP_OK);
    same_model(model, back);
    assert_int_equal(neap_model_save(back, "two", &err), NEAP_OK);
    char *bytes = scratch_bytes("one", &size);
    scratch_expect("two", bytes, size);
    free(bytes);
    assert_int_equal(ni_tensors_read("one", NULL, &t, &err), NEAP_OK);
    assert_true(hood == (ni_tensors_find(&t, "hood.offsets") != NULL));
    assert_true(tables == (ni_tensors_find(&t, "E") != NULL));
    ni_tensors_release(&t);
    neap_model_free(back);
    neap_model_free(model);
}

static void every_kind_of_model_comes_back_the_same(void **state)
{
    (void)state;
    round_trip(make_full(), true, true);
    round_trip(make("neap", "dim=5", 0, 0), false, true);
    round_trip(make("neap", "dim=1 neighbors=1 lr=0.1 seed=18446744073709551615", 0, 1), true, true);
    round_trip(make("paper", "dim=2", 1, 1), false, true);
    round_trip(make("authors", "method=goat dim=2", 0, 0), false, true);
    round_trip(make("neap", "method=attentivewalk dim=2", 0, 0), false, true);
    round_trip(make("neap", "method=deepwalk dim=2", 0, 0), false, true);
    round_trip(make("authors", "method=pa", 0, 0), false, false);
}

/* As neap_model_extend leaves it: the last node has no row in E and a neighbourhood of known nodes. */
static void an_extended_model_comes_back_the_same(void **state)
{
    (void)state;
    neap_model *model = make("neap", "dim=2 self=no", 0, 0);
    model->rows = 5;
    ni_declared_find(&model->tensors->list, "E")->shape[0] = 5;
    uint64_t last = 0;
    for (uint32_t u = 0; u < 6; u++) {
        uint64_t from = model->hood.offset[u], to = model->hood.offset[u + 1];
        model->hood.offset[u] = last;
        for (uint64_t i = from; i < to; i++)
            if (model->hood.node[i] < 5) model->hood.node[last++] = model->hood.node[i];
    }
    model->hood.offset[6] = last;
    round_trip(model, true, true);
}

static void the_file_does_not_know_how_it_was_made(void **state)
{
    (void)state;
    size_t size;
    neap_model *model = make("neap", "dim=2 threads=1 memory=1G format=mtx", 0, 0);
    assert_int_equal(neap_model_save(model, "one", NULL), NEAP_OK);
    neap_model_free(model);
    model = make("neap", "dim=2 threads=3", 0, 0);
    assert_int_equal(neap_model_save(model, "two", NULL), NEAP_OK);
    neap_model_free(model);
    char *bytes = scratch_bytes("one", &size);
    scratch_expect("two", bytes, size);
    assert_null(strstr(bytes + 8, "threads"));
    assert_null(strstr(bytes + 8, "memory"));
    assert_non_null(strstr(bytes + 8, "\"neap.kind\":\"model\",\"method\":\"gap\",\"option."));
    assert_non_null(strstr(bytes + 8, "\"option.dim\":\"2\""));
    assert_null(strstr(bytes + 8, "\"option.walks\"")); /* of another method */
    free(bytes);
}

/* Memory holds the bytes of the file. */
static void a_model_goes_through_memory(void **state)
{
    (void)state;
    neap_model *model = make_full(), *back;
    size_t size, need = 0;
    neap_error err = { 0 };
    assert_int_equal(neap_model_save(model, "one", NULL), NEAP_OK);
    char *file = scratch_bytes("one", &size), *bytes = malloc(size + 1);
    memset(bytes, 77, size + 1);
    assert_int_equal(neap_model_to_memory(model, NULL, 0, &need, &err), NEAP_E_LIMIT);
    assert_int_equal(need, size);
    assert_int_equal(neap_model_to_memory(model, bytes, size - 1, &need, &err), NEAP_E_LIMIT);
    for (size_t i = 0; i <= size; i++) assert_int_equal(bytes[i], 77);
    assert_int_equal(neap_model_to_memory(model, bytes, size + 1, &need, &err), NEAP_OK);
    assert_int_equal(need, size);
    assert_memory_equal(bytes, file, size);
    assert_int_equal(bytes[size], 77);
    assert_int_equal(neap_model_from_memory(bytes, size, &back, &err), NEAP_OK);
    same_model(model, back);
    neap_model_free(back);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(neap_model_from_memory(bytes, i, &back, NULL), NEAP_E_FORMAT);
        assert_null(back);
        bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
        assert_int_equal(neap_model_from_memory(bytes, size, &back, NULL), NEAP_E_FORMAT);
        assert_null(back);
        bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
    }
    assert_int_equal(neap_model_from_memory(bytes, size + 1, &back, NULL), NEAP_E_FORMAT);
    assert_int_equal(neap_model_from_memory(NULL, 0, &back, NULL), NEAP_E_FORMAT);
    neap_graph *graph = (neap_graph *)1;
    assert_int_equal(neap_graph_from_memory(bytes, size, &graph, &err), NEAP_E_FORMAT);
    assert_null(graph);
    assert_non_null(strstr(err.text, "model"));
    assert_int_equal(neap_graph_to_memory(model->graph, bytes, size, &need, &err), NEAP_OK);
    assert_true(need < size);
    assert_int_equal(neap_graph_from_memory(bytes, need, &graph, &err), NEAP_OK);
    assert_true(neap_graph_hash(graph) == neap_graph_hash(model->graph));
    neap_graph_free(graph);
    assert_int_equal(neap_model_from_memory(bytes, need, &back, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "graph"));
    free(bytes);
    free(file);
    neap_model_free(model);
}

static bool is_refusal(neap_status rc)
{
    return rc == NEAP_E_FORMAT || rc == NEAP_E_LIMIT || rc == NEAP_E_READ;
}

static char path[] = "model";

static void every_flipped_bit_is_noticed(void **state)
{
    (void)state;
    struct stat st;
    put_full(path);
    int fd = open(path, O_RDWR);
    assert_int_equal(fstat(fd, &st), 0);
    assert_true(st.st_size <= 4096);
    for (off_t i = 0; i < st.st_size; i++) {
        unsigned char byte, flipped;
        assert_int_equal(pread(fd, &byte, 1, i), 1);
        for (int bit = 0; bit < 8; bit++) {
            flipped = byte ^ (unsigned char)(1 << bit);
            assert_int_equal(pwrite(fd, &flipped, 1, i), 1);
            neap_status rc = load(path, NULL);
            if (!is_refusal(rc)) print_error("bit %d of byte %ld: %d\n", bit, (long)i, rc);
            assert_true(is_refusal(rc));
        }
        assert_int_equal(pwrite(fd, &byte, 1, i), 1);
    }
    close(fd);
    assert_int_equal(load(path, NULL), NEAP_OK);
}

static void every_truncation_and_every_extra_byte_is_noticed(void **state)
{
    (void)state;
    struct stat st;
    put_full(path);
    int fd = open(path, O_RDWR);
    assert_int_equal(fstat(fd, &st), 0);
    for (off_t longer = 100; longer > 0; longer--) {
        assert_int_equal(ftruncate(fd, st.st_size + longer), 0);
        assert_true(is_refusal(load(path, NULL)));
    }
    assert_int_equal(ftruncate(fd, st.st_size), 0);
    assert_int_equal(load(path, NULL), NEAP_OK);
    for (off_t size = st.st_size - 1; size >= 0; size--) {
        assert_int_equal(ftruncate(fd, size), 0);
        assert_true(is_refusal(load(path, NULL)));
    }
    close(fd);
}

static void expect_refused(const char *what, const char *words)
{
    neap_error err = { 0 };
    neap_status rc = load(path, &err);
    if (!is_refusal(rc) || !strstr(err.text, words)) print_error("%s: %d: %s\n", what, rc, err.text);
    assert_true(is_refusal(rc));
    assert_non_null(strstr(err.text, words));
    assert_non_null(strstr(err.text, path));
    assert_int_equal(neap_file_check(path, NULL, NULL, NULL), rc);
}

static void metadata_that_lie_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *words;
    } lies[] = {
        { "\"option.dim\":\"3\"", "\"option.dim\":\"4\"", "tensor E" },
        { "\"option.dim\":\"3\"", "\"option.dim\":\"03\"", "dim" },
        { "\"option.dim\":\"3\"", "\"option.dim\":\"-3\"", "dim" },
        { "\"option.dim\":\"3\"", "\"option.dim\":\"0\"", "dim" },
        { "\"option.dim\":\"3\"", "\"option.dimensions\":\"3\"", "dimensions" },
        { "\"option.dim\":\"3\"", "\"option.dim\":\"3\",\"option.charm\":\"3\"", "charm" },
        { "\"option.dim\":\"3\"", "\"option.dim\":\"3\",\"option.threads\":\"3\"", "threads" },
        { "\"option.dim\":\"3\"", "\"option.dim\":\"3\",\"option.method\":\"gap\"", "twice" },
        { "\"option.dim\":\"3\"", "\"option.dim\":\"3\",\"option.walks\":\"10\"", "has no option 'walks'" },
        { "\"option.dim\":\"3\"", "\"option.dim\":\"3\",\"option.\":\"10\"", "option" },
        { "\"option.dim\":\"3\"", "\"option.dim\":\"3\",\"charm\":\"3\"", "charm" },
        { "\"option.neighbors\":\"2\"", "\"option.neighbors\":\"1\"", "neighbourhood" },
        { "\"option.lr\":\"0.0001\"", "\"option.lr\":\"1e-4\"", "lr" },
        { "\"option.lr\":\"0.0001\"", "\"option.lr\":\"nan\"", "lr" },
        { "\"option.self\":\"yes\"", "\"option.self\":\"true\"", "self" },
        { "\"option.padding\":\"vector\"", "\"option.padding\":\"zero\"", "pad" },
        { "\"method\":\"gap\"", "\"method\":\"cat\"", "cat" },
        { "\"method\":\"gap\"", "\"method\":\"pa\"", "method pa has no option" },
        { "\"method\":\"gap\"", "\"method\":\"deepwalk\"", "method deepwalk has no option" },
        { "\"method\":\"gap\"", "\"method\":\"a name that is longer than a method\"", "method" },
        { "\"method\":\"gap\",", "", "method" },
        { "\"rows\":\"6\"", "\"rows\":\"7\"", "rows" },
        { "\"rows\":\"6\"", "\"rows\":\"5\"", "tensor E" },
        { "\"rows\":\"6\"", "\"rows\":\"0\"", "no node" },
        { "\"rows\":\"6\"", "\"rows\":\"+6\"", "rows" },
        { "\"rows\":\"6\",", "", "rows" },
        { "\"epochs\":\"7\"", "\"epochs\":\"4294967296\"", "epochs" },
        { "\"epochs\":\"7\",", "", "epochs" },
        { "\"loss\":\"0.1\"", "\"loss\":\"inf\"", "loss" },
        { "\"valid_auc\":\"0.6", "\"valid_auc\":\"x0.6", "valid_auc" },
        { "\"undirected\":\"no\"", "\"undirected\":\"yes\"", "undirected" },
        { "\"undirected\":\"no\"", "\"undirected\":\"perhaps\"", "undirected" },
        { "\"undirected\":\"no\",", "", "graph" },
        { "\"graph.hash\":\"", "\"graph.hash\":\"0", "graph.hash" },
        { "\"neap.kind\":\"model\"", "\"neap.kind\":\"model\",\"epoch\":\"1\"", "epoch" },
        { "\"neap.kind\":\"model\"", "\"neap.kind\":\"graph\"", "graph" },
    };
    size_t size;
    put_full(path);
    char *good = scratch_bytes(path, &size);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        scratch_put(path, good, size);
        tamper_header(path, lies[i].from, lies[i].to);
        expect_refused(lies[i].to, lies[i].words);
    }
    free(good);
}

static void data_that_break_an_invariant_are_refused(void **state)
{
    (void)state;
    const float nan_ = NAN, inf = INFINITY, zero = 0, minus = -1;
    const uint64_t one = 1, huge = UINT64_MAX, nine = 9;
    const uint32_t six = 6, top = UINT32_MAX, first = 0;
    const struct {
        const char *tensor;
        size_t at;
        const void *bytes;
        size_t count;
        const char *words;
    } breaks[] = {
        { "E", 4, &nan_, 4, "tensor E" },
        { "E", 68, &inf, 4, "tensor E" },
        { "P", 32, &nan_, 4, "tensor P" },
        { "pad", 8, &inf, 4, "tensor pad" },
        { "graph.offsets", 0, &one, 8, "graph.offsets" },
        { "graph.offsets", 8, &huge, 8, "graph.offsets" },
        { "graph.offsets", 48, &nine, 8, "graph.offsets" },
        { "graph.targets", 0, &six, 4, "graph.targets" },
        { "graph.targets", 4, &first, 4, "graph.targets" },
        { "graph.targets", 28, &top, 4, "graph.targets" },
        { "graph.weights", 0, &zero, 4, "graph.weights" },
        { "graph.weights", 8, &minus, 4, "graph.weights" },
        { "graph.weights", 12, &nan_, 4, "graph.weights" },
        { "graph.weights", 0, &inf, 4, "graph.weights" },
        { "graph.weights", 0, "\0\0\200\77\0", 4, "" },
        { "names.offsets", 8, &huge, 8, "names.offsets" },
        { "names.offsets", 16, &nine, 8, "name" },
        { "names.bytes", 1, "", 1, "names.bytes" },
        { "names.bytes", 3, "x", 1, "names.bytes" },
        { "names.bytes", 6, "a", 1, "second time" },
        { "hood.offsets", 0, &one, 8, "hood.offsets" },
        { "hood.offsets", 8, &huge, 8, "neighbourhood" },
        { "hood.offsets", 8, &nine, 8, "neighbourhood" },
        { "hood.offsets", 48, &nine, 8, "hood.offsets" },
        { "hood.nodes", 0, &six, 4, "neighbourhood" },
        { "hood.nodes", 4, &first, 4, "neighbourhood" },
        { "hood.nodes", 4, &six, 4, "neighbourhood" },
    };
    size_t size;
    put_full(path);
    char *good = scratch_bytes(path, &size);
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        scratch_put(path, good, size);
        tamper_data(path, breaks[i].tensor, breaks[i].at, breaks[i].bytes, breaks[i].count);
        if (breaks[i].words[0]) expect_refused(breaks[i].tensor, breaks[i].words);
        else
            assert_int_equal(load(path, NULL),
                             NEAP_OK); /* the same bytes again: tampering itself is fine */
    }
    free(good);
}

/* Each row is fine by itself, but the last ones lie behind the end of the list. */
static void neighbourhoods_stay_inside_their_list(void **state)
{
    (void)state;
    const uint64_t offsets[7] = { 0, 3, 6, 9, 12, 15, 12 };
    const uint32_t nodes[12] = { 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2 };
    neap_model *model = make("neap", "dim=1 neighbors=3 self=no", 0, 0);
    assert_int_equal(model->hood.offset[6], 12);
    assert_int_equal(neap_model_save(model, path, NULL), NEAP_OK);
    neap_model_free(model);
    tamper_data(path, "hood.offsets", 0, offsets, sizeof offsets);
    tamper_data(path, "hood.nodes", 0, nodes, sizeof nodes);
    expect_refused("hood", "impossible size");
}

/* A model's file without one tensor, or with one more; the model is freed. */
static void write_changed(neap_model *model, const char *without, const char *extra, uint64_t rows,
                          uint64_t columns)
{
    static const float zeros[64];
    ni_tensors all = { 0 }, some = { 0 };
    ni_model_to_tensors(model, &all);
    for (size_t i = 0; i < all.facts; i++) ni_tensors_put(&some, all.fact[i].key, all.fact[i].value);
    for (size_t i = 0; i < all.count; i++) {
        const ni_tensor *t = &all.tensor[i];
        if (!without || strcmp(t->name, without))
            ni_tensors_add(&some, t->name, t->type, t->rank, t->shape, t->data);
    }
    if (extra) ni_tensors_add(&some, extra, NI_F32, columns ? 2 : 1, (uint64_t[]){ rows, columns }, zeros);
    assert_int_equal(ni_tensors_write(&some, path, NULL), NEAP_OK);
    ni_tensors_release(&all);
    ni_tensors_release(&some);
    neap_model_free(model);
}

static void a_missing_tensor_is_noticed(void **state)
{
    (void)state;
    const char *parts[] = { "E",
                            "P",
                            "pad",
                            "graph.offsets",
                            "graph.targets",
                            "names.offsets",
                            "names.bytes",
                            "hood.offsets",
                            "hood.nodes" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        write_changed(make_full(), parts[i], NULL, 0, 0);
        expect_refused(parts[i], "");
    }
    write_changed(make_full(), "graph.weights", NULL, 0, 0);
    expect_refused("graph.weights", "graph.hash");
    neap_model *model = make("neap", "dim=2 neighbors=2", 0, 0);
    model->hood.capped = false; /* so that a sample is not stored */
    assert_int_equal(neap_model_save(model, path, NULL), NEAP_OK);
    neap_model_free(model);
    expect_refused("hood", "hood.offsets");
}

/* A tensor that the method did not declare for these options. */
static void a_tensor_too_many_is_noticed(void **state)
{
    (void)state;
    static const struct {
        const char *preset, *settings, *extra;
        uint64_t rows, columns;
    } bad[] = { { "neap", "dim=3", "charm", 6, 3 },
                { "neap", "dim=3", "pad", 3, 0 },
                { "neap", "dim=3", "attention", 10, 0 },
                { "neap", "dim=3", "persona.vectors", 6, 3 },
                { "neap", "dim=3", "best.E", 6, 3 },
                { "neap", "dim=3", "adam.E.m", 6, 3 },
                { "neap", "dim=3", "adagrad.E", 6, 0 },
                { "neap", "dim=3", "vectors", 6, 3 },
                { "neap", "dim=3 method=goat", "P", 3, 3 },
                { "neap", "dim=3 method=deepwalk", "P", 3, 3 },
                { "neap", "dim=3 method=deepwalk", "outputs", 6, 3 },
                { "neap", "dim=2 method=attentivewalk", "outputs", 6, 2 },
                { "neap", "method=pa", "E", 6, 3 } };
    char words[64];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_changed(make(bad[i].preset, bad[i].settings, 0, 0), NULL, bad[i].extra, bad[i].rows,
                      bad[i].columns);
        snprintf(words, sizeof words, "no tensor '%s'", bad[i].extra);
        expect_refused(bad[i].extra, words);
    }
}

static void what_a_newer_version_wrote_is_called_so(void **state)
{
    (void)state;
    static const char *const versions[] = { "4", "10", "123" };
    const char words[] = "a newer neap made this: its format is ";
    char to[40];
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        snprintf(to, sizeof to, "\"neap.format\":\"%s\"", versions[i]);
        put_full(path);
        tamper_header(path, "\"neap.format\":\"3\"", to);
        expect_refused(versions[i], words);
    }
    put_full(path);
    tamper_header(path, "\"neap.format\":\"3\"", "\"neap.format\":\"x\"");
    expect_refused("x", "is no version");
    put_full(path);
    tamper_header(path, "\"method\":\"gap\"", "\"method\":\"gap3\"");
    expect_refused("a method", "a newer neap made this: neap ");
    put_full(path);
    tamper_header(path, "\"neap.kind\":\"model\"", "\"neap.kind\":\"index\"");
    expect_refused("a kind", "newer version?");

    neap_graph *graph;
    neap_options *options;
    neap_error err = { 0 };
    neap_edge edge = { 0, 1, 1 };
    float vectors[2] = { 1, 2 };
    assert_int_equal(neap_options_create(NULL, &options, NULL), NEAP_OK);
    assert_int_equal(neap_graph_create(2, NULL, &edge, 1, 0, 0, &graph, NULL), NEAP_OK);
    assert_int_equal(neap_vectors_save("v.safetensors", graph, vectors, 2, 1, NULL), NEAP_OK);
    assert_int_equal(neap_graph_save(graph, "g.safetensors", NULL, NULL), NEAP_OK);
    neap_graph_free(graph);
    tamper_header("v.safetensors", "\"neap.format\":\"3\"", "\"neap.format\":\"4\"");
    tamper_header("g.safetensors", "\"neap.format\":\"3\"", "\"neap.format\":\"4\"");
    assert_int_equal(neap_file_check("v.safetensors", NULL, NULL, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, words));
    assert_int_equal(neap_graph_load("g.safetensors", options, NULL, &graph, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, words));
    neap_options_free(options);
}

/* Format 1 said all options of all methods, and stored neighbourhoods in models that do not read them. */
static void what_format_1_said_too_much_is_left_aside(void **state)
{
    (void)state;
    const uint64_t seven = 7, twelve = 12, hood[7] = { 0, 2, 4, 6, 8, 10, 12 };
    const uint32_t nodes[12] = { 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 };
    const char two[] = "\"neap.format\":\"3\"", one[] = "\"neap.format\":\"1\"";
    put_full(path);
    tamper_header(path, "\"option.dim\":\"3\"", "\"option.dim\":\"3\",\"option.walks\":\"10\"");
    expect_refused("an option of another method", "has no option 'walks'");
    tamper_header(path, two, one);
    assert_int_equal(load(path, NULL), NEAP_OK);
    tamper_header(path, "\"option.walks\":\"10\"", "\"option.charm\":\"10\"");
    expect_refused("an option of no method", "charm");
    tamper_header(path, "\"option.charm\":\"10\"", "\"option.walks\":\"10\"");
    tamper_header(path, "\"method\":\"gap\"", "\"method\":\"pa\"");
    expect_refused("the tensors of another method", "no tensor 'E'");

    ni_tensors t = { 0 };
    neap_model *model = make("neap", "method=deepwalk dim=2", 0, 0);
    ni_model_to_tensors(model, &t);
    ni_tensors_add(&t, "hood.offsets", NI_U64, 1, &seven, hood);
    ni_tensors_add(&t, "hood.nodes", NI_U32, 1, &twelve, nodes);
    assert_int_equal(ni_tensors_write(&t, path, NULL), NEAP_OK);
    ni_tensors_release(&t);
    expect_refused("neighbourhoods that nobody reads", "no tensor 'hood.offsets'");
    tamper_header(path, two, one);
    neap_model *back;
    assert_int_equal(neap_model_load(path, NULL, &back, NULL), NEAP_OK);
    same_model(model, back);
    round_trip(back, false, true); /* and is not written again */
    neap_model_free(model);
}

static neap_status check_file(void *user, neap_error *err)
{
    return neap_file_check(user, NULL, NULL, err);
}

/* The checkpoint of an Adam run without validation: four tensors; one may be left out, added or misshapen.
 */
static void write_checkpoint(const char *without, const char *extra, const char *misshapen)
{
    static const float zeros[64];
    static const struct {
        const char *name;
        uint64_t rows, columns;
    } parts[] = { { "adam.E.m", 6, 3 },  { "adam.E.v", 6, 3 },  { "adam.P.m", 3, 3 }, { "adam.P.v", 3, 3 },
                  { "adagrad.E", 6, 0 }, { "adagrad.P", 3, 0 }, { "best.E", 6, 3 },   { "best.P", 3, 3 } };
    static const char *const counts[] = { "epoch", "batch", "items", "step", "best.epoch" };
    ni_tensors t = { 0 };
    neap_model *model = make_full();
    ni_model_to_tensors(model, &t);
    ni_tensors_put(&t, "neap.kind", "checkpoint");
    for (int i = 0; i < 5; i++) ni_tensors_put(&t, counts[i], "1");
    ni_tensors_put(&t, "best.loss", "0.5");
    for (size_t i = 0; i < 8; i++) {
        bool there =
            i < 4 ? !without || strcmp(parts[i].name, without) : extra && !strcmp(parts[i].name, extra);
        bool wrong = misshapen && !strcmp(parts[i].name, misshapen);
        if (there)
            ni_tensors_add(&t, parts[i].name, NI_F32, parts[i].columns ? 2 : 1,
                           (uint64_t[]){ parts[i].rows + wrong, parts[i].columns }, zeros);
    }
    assert_int_equal(ni_tensors_write(&t, path, NULL), NEAP_OK);
    ni_tensors_release(&t);
    neap_model_free(model);
}

static void a_checkpoint_holds_exactly_the_state_of_its_training(void **state)
{
    static const char *const parts[] = { "adam.E.m", "adam.E.v", "adam.P.m", "adam.P.v" };
    static const char *const others[] = { "adagrad.E", "adagrad.P", "best.E", "best.P" };
    (void)state;
    write_checkpoint(NULL, NULL, NULL);
    assert_int_equal(check_file(path, NULL), NEAP_OK);
    neap_error err = { 0 };
    assert_int_equal(load(path, &err), NEAP_E_FORMAT); /* it is no model */
    assert_non_null(strstr(err.text, "checkpoint"));
    for (int i = 0; i < 4; i++) {
        write_checkpoint(parts[i], NULL, NULL);
        assert_int_equal(check_file(path, NULL), NEAP_E_FORMAT);
        write_checkpoint(NULL, others[i], NULL);
        assert_int_equal(check_file(path, NULL), NEAP_E_FORMAT);
        write_checkpoint(NULL, NULL, parts[i]);
        assert_int_equal(check_file(path, NULL), NEAP_E_FORMAT);
        write_changed(make_full(), NULL, parts[i], 6, 3); /* nor does a model hold any of it */
        expect_refused(parts[i], parts[i]);
        write_checkpoint(NULL, NULL, NULL);
        tamper_data(path, parts[i], 0, &(float){ NAN }, 4);
        assert_int_equal(check_file(path, NULL), NEAP_E_FORMAT);
    }
    const char *const lies[][2] = { { "\"epoch\":\"1\",", "" },
                                    { "\"step\":\"1\"", "\"step\":\"-1\"" },
                                    { "\"step\":\"1\"", "\"step\":\"18446744073709551615\"" },
                                    { "\"best.epoch\":\"1\"", "\"best.epoch\":\"2\"" },
                                    { "\"best.loss\":\"0.5\"", "\"best.loss\":\"nan\"" } };
    for (int i = 0; i < 5; i++) {
        write_checkpoint(NULL, NULL, NULL);
        tamper_header(path, lies[i][0], lies[i][1]);
        assert_int_equal(check_file(path, NULL), NEAP_E_FORMAT);
    }
}

/* Goes on from the checkpoint `path`, or trains afresh and leaves it there. */
static neap_status train(const char *method, int resume, neap_error *err)
{
    neap_model *model;
    neap_graph *graph;
    neap_options *options =
        options_of("neap", "method", method, "dim", "2", "epochs", "2", "valid", "0", "threads", "1", NULL);
    assert_int_equal(neap_graph_create(6, names, edges, 8, 0, 0, &graph, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = graph };
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = path, .resume = resume };
    neap_status rc = neap_train(&data, options, &hooks, &model, err);
    neap_model_free(model);
    neap_graph_free(graph);
    neap_options_free(options);
    return rc;
}

/* Who goes on is as strict as who checks. */
static void training_goes_on_from_nothing_else(void **state)
{
    (void)state;
    static const struct {
        const char *method, *more, *option;
    } bad[] = { { "gap", "pad", "\"option.walks\":\"10\"," },
                { "gap", "adagrad.E", "\"option.walks\":\"10\"," },
                { "deepwalk", "inner", "\"option.batch\":\"64\"," },
                { "deepwalk", "hood.nodes", "\"option.batch\":\"64\"," },
                { "verse", "outputs", "\"option.batch\":\"64\"," } };
    char words[64], entry[128], crc[96];
    size_t size;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        neap_error err = { 0 };
        unlink(path);
        assert_int_equal(train(bad[i].method, 0, NULL), NEAP_OK);
        assert_int_equal(check_file(path, NULL), NEAP_OK);
        assert_int_equal(train(bad[i].method, 1, NULL), NEAP_OK);
        char *good = scratch_bytes(path, &size);
        /* An empty tensor before all others. */
        snprintf(entry, sizeof entry, "},\"%s\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},",
                 bad[i].more);
        snprintf(crc, sizeof crc, "\"crc32c.%s\":\"00000000\",\"neap.kind\"", bad[i].more);
        tamper_header(path, "},", entry); /* the first brace closes the metadata */
        tamper_header(path, "\"neap.kind\"", crc);
        snprintf(words, sizeof words, "no tensor '%s'", bad[i].more);
        assert_int_equal(train(bad[i].method, 1, &err), NEAP_E_FORMAT);
        assert_non_null(strstr(err.text, words));
        assert_int_equal(check_file(path, NULL), NEAP_E_FORMAT);
        scratch_put(path, good, size);
        snprintf(crc, sizeof crc, "%s\"neap.kind\"", bad[i].option);
        tamper_header(path, "\"neap.kind\"", crc);
        assert_int_equal(train(bad[i].method, 1, &err), NEAP_E_FORMAT);
        assert_non_null(strstr(err.text, "has no option"));
        tamper_header(path, "\"neap.format\":\"3\"", "\"neap.format\":\"1\"");
        assert_int_equal(train(bad[i].method, 1, &err), NEAP_OK);
        free(good);
    }
}

static void collect(const char *key, const char *value, void *user)
{
    char *list = user;
    size_t used = strlen(list);
    snprintf(list + used, 4096 - used, "%s=%s\n", key, value);
}

static void a_check_tells_what_is_in_a_file(void **state)
{
    (void)state;
    char list[4096] = "";
    put_full(path);
    assert_int_equal(neap_file_check(path, collect, list, NULL), NEAP_OK);
    const char *expected[] = { "kind=model\n",
                               "method=gap\n",
                               "option.dim=3\n",
                               "rows=6\n",
                               "epochs=7\n",
                               "loss=0.1\n",
                               "valid_auc=0.6666666666666666\n",
                               "undirected=no\n",
                               "nodes=6\n",
                               "edges=8\n",
                               "weighted=yes\n",
                               "tensor.E=F32 6 x 3\n",
                               "tensor.graph.targets=U32 8\n" };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_non_null(strstr(list, expected[i]));
    assert_int_equal(neap_file_is_ours(path), 1);
    assert_int_equal(neap_file_is_ours("missing"), 0);
    assert_int_equal(neap_file_is_ours(NULL), 0);
    assert_int_equal(neap_file_check(NULL, NULL, NULL, NULL), NEAP_E_ARG);
}

static void a_graph_file_is_checked_too(void **state)
{
    (void)state;
    char list[4096] = "";
    neap_graph *graph;
    ni_tensors t = { 0 };
    assert_int_equal(neap_graph_create(6, names, edges, 8, 1, 0, &graph, NULL), NEAP_OK);
    ni_graph_to_file(graph, &t);
    assert_int_equal(ni_tensors_write(&t, path, NULL), NEAP_OK);
    ni_tensors_release(&t);
    neap_graph_free(graph);
    assert_int_equal(neap_file_check(path, collect, list, NULL), NEAP_OK);
    assert_non_null(strstr(list, "kind=graph\n"));
    assert_non_null(strstr(list, "edges=8\n"));
    assert_int_equal(load(path, NULL), NEAP_E_FORMAT);
    tamper_data(path, "graph.targets", 4, &(uint32_t){ 0 }, 4);
    assert_int_equal(check_file(path, NULL), NEAP_E_FORMAT);
}

static void vectors_that_make_no_sense_are_noticed(void **state)
{
    (void)state;
    size_t size;
    neap_graph *graph;
    float vectors[4] = { 1, 2, 3, 4 };
    char file[] = "x.safetensors";
    assert_int_equal(neap_graph_create(6, names, edges, 8, 0, 0, &graph, NULL), NEAP_OK);
    assert_int_equal(neap_vectors_save(file, graph, vectors, 2, 2, NULL), NEAP_OK);
    neap_graph_free(graph);
    assert_int_equal(check_file(file, NULL), NEAP_OK);
    char *good = scratch_bytes(file, &size);
    tamper_data(file, "vectors", 4, &(float){ NAN }, 4);
    assert_int_equal(check_file(file, NULL), NEAP_E_FORMAT);
    scratch_put(file, good, size);
    tamper_data(file, "names.bytes", 1, "", 1);
    assert_int_equal(check_file(file, NULL), NEAP_E_FORMAT);
    scratch_put(file, good, size);
    tamper_data(file, "names.offsets", 8, &(uint64_t){ UINT64_MAX }, 8);
    assert_int_equal(check_file(file, NULL), NEAP_E_FORMAT);
    scratch_put(file, good, size);
    tamper_data(file, "names.offsets", 16, &(uint64_t){ 5 }, 8);
    assert_int_equal(check_file(file, NULL), NEAP_E_FORMAT);
    free(good);
}

static neap_status save_full(void *user, neap_error *err)
{
    return neap_model_save(user, path, err);
}

static void no_memory_is_an_ordinary_error(void **state)
{
    (void)state;
    neap_model *model = make_full();
    put_full(path);
    for (int forever = 0; forever < 2; forever++) {
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, forever, load, faults_expect_memory, path) > 15);
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, forever, check_file, faults_expect_memory, path) >
                    15);
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, forever, save_full, faults_expect_memory, model) >=
                    2);
    }
    neap_model_free(model);
    assert_int_equal(load(path, NULL), NEAP_OK);
    assert_int_equal(scratch_count(""), 1);
}

static void expect_thread_error(void *user, neap_status rc, const neap_error *err)
{
    (void)user, (void)err;
    assert_int_equal(rc, NEAP_E_MEM);
}

static void no_thread_is_an_ordinary_error(void **state)
{
    (void)state;
    put_full(path);
    faults_each(FAULTS_THREAD, EAGAIN, false, load, expect_thread_error, path);
}

static void expect_old_model(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    if (rc == NEAP_OK) return; /* the folder could not be closed: nothing is lost */
    assert_int_equal(rc, NEAP_E_IO);
    assert_int_equal(err->sys, ENOSPC);
    assert_int_equal(load(path, NULL), NEAP_OK);
    assert_int_equal(scratch_count(""), 1);
}

static void a_failed_save_leaves_a_model(void **state)
{
    (void)state;
    neap_model *model = make("neap", "dim=2", 0, 0);
    put_full(path);
    const faults_call calls[] = { FAULTS_OPEN, FAULTS_WRITE, FAULTS_FSYNC, FAULTS_CLOSE, FAULTS_RENAME };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_true(faults_each(calls[i], ENOSPC, false, save_full, expect_old_model, model) >= 1);
    neap_model_free(model);
}

static void look_at_model(void *user)
{
    unsigned *seen = user;
    neap_model *model;
    assert_int_equal(neap_model_load(path, NULL, &model, NULL), NEAP_OK);
    seen[model->dim == 2]++;
    neap_model_free(model);
    put_full(path);
}

static neap_model *crashing;

static neap_status save_crashing(void *user, neap_error *err)
{
    (void)user;
    return neap_model_save(crashing, path, err);
}

static void a_crash_leaves_the_old_or_the_new_model(void **state)
{
    (void)state;
    unsigned seen[2] = { 0, 0 };
    crashing = make("neap", "dim=2", 0, 0);
    put_full(path);
    assert_true(faults_crash_each(save_crashing, look_at_model, seen) >= 7);
    assert_true(seen[0] >= 5 && seen[1] >= 2);
    neap_model_free(crashing);
}

static void loading_takes_memory_in_proportion(void **state)
{
    (void)state;
    struct stat st;
    neap_model *model = make("neap", "dim=300", 0, 0);
    assert_int_equal(neap_model_save(model, path, NULL), NEAP_OK);
    neap_model_free(model);
    assert_int_equal(stat(path, &st), 0);
    size_t before = atomic_load(&faults.bytes);
    faults_peak();
    assert_int_equal(load(path, NULL), NEAP_OK);
    assert_true(faults_peak() - before <= 2 * (size_t)st.st_size + 65536);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(every_kind_of_model_comes_back_the_same),
        IN_SCRATCH(an_extended_model_comes_back_the_same),
        IN_SCRATCH(the_file_does_not_know_how_it_was_made),
        IN_SCRATCH(a_model_goes_through_memory),
        IN_SCRATCH(every_flipped_bit_is_noticed),
        IN_SCRATCH(every_truncation_and_every_extra_byte_is_noticed),
        IN_SCRATCH(metadata_that_lie_are_refused),
        IN_SCRATCH(data_that_break_an_invariant_are_refused),
        IN_SCRATCH(neighbourhoods_stay_inside_their_list),
        IN_SCRATCH(a_missing_tensor_is_noticed),
        IN_SCRATCH(a_tensor_too_many_is_noticed),
        IN_SCRATCH(what_a_newer_version_wrote_is_called_so),
        IN_SCRATCH(what_format_1_said_too_much_is_left_aside),
        IN_SCRATCH(a_checkpoint_holds_exactly_the_state_of_its_training),
        IN_SCRATCH(training_goes_on_from_nothing_else),
        IN_SCRATCH(a_check_tells_what_is_in_a_file),
        IN_SCRATCH(a_graph_file_is_checked_too),
        IN_SCRATCH(vectors_that_make_no_sense_are_noticed),
        IN_SCRATCH(no_memory_is_an_ordinary_error),
        IN_SCRATCH(no_thread_is_an_ordinary_error),
        IN_SCRATCH(a_failed_save_leaves_a_model),
        IN_SCRATCH(a_crash_leaves_the_old_or_the_new_model),
        IN_SCRATCH(loading_takes_memory_in_proportion),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
