/* fuzz_seeds FOLDER: inputs that are right, or nearly, as FOLDER/TARGET/NAME, made by the writers of the
 * library itself: the fuzzers start from them, and the replay in `make test` has the formats of today. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include "harness.h"
#include "node_features.h"
#include "texts.h"
#include "world.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *folder;

static void put(const char *target, const char *name, const void *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, target);
    assert_true(!mkdir(path, 0777) || errno == EEXIST);
    snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fwrite(bytes, 1, size, file) == size && !fclose(file));
}

/* A file in memory that the library has written. */
static void put_file(const char *target, const char *name, const char *path)
{
    size_t size;
    const uint8_t *bytes = fuzz_bytes(path, &size);
    assert_non_null(bytes);
    put(target, name, bytes, size);
}

/* ---- texts ---- */

static const struct text {
    const char *target, *name, *text;
} texts[] = {
    { "graph_edges", "blanks", "a b\nb c\nc a\na a\na b\n" },
    { "graph_edges", "weights", "source\ttarget\tweight\n1\t2\t0.5\n2\t3\t1e3\n3\t1\t7\n" },
    { "graph_edges", "quotes", "# comment\n\"a, b\",c\nc,\"d \"\"e\"\"\"\n\n% more\nd;e,f\n" },
    { "graph_edges", "crlf", "\xef\xbb\xbfx|y\r\ny|z\r\n\r\nz|x" },
    { "graph_edges", "semicolons", "from;to\n10;20;1\n20;30;2\n" },
    { "graph_adjacency", "plain", "a b c\nb c\nlonely\nc\ta\n" },
    { "graph_adjacency", "commas", "# n\n\"a b\",c,d\nc,\"a b\"\n" },
    { "graph_mtx", "pattern",
      "%%MatrixMarket matrix coordinate pattern general\n% c\n4 4 3\n1 2\n2 3\n4 4\n" },
    { "graph_mtx", "real", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 2 4\n" },
    { "graph_mtx", "integer", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 3\n2 1 5\n" },
    { "graph_metis", "plain", "% c\n4 3\n2 3\n1\n1 4\n3\n" },
    { "graph_metis", "weights", "3 2 011 1\n5 2 7\n6 1 7 3 2\n9 2 2\n" },
    { "graph_metis", "sizes", "3 2 111 2\n1 5 6 2 7\n1 6 6 1 7 3 2\n1 9 9 2 2\n" },
    { "labels", "tabs", "ann\tnorth\nbob\tnorth\neve\tsouth\nfay\tsouth\nzoe\twest\n" },
    { "labels", "commas", "# who,where\n\"ann\",\"a, b\"\nbob,\"a, b\"\neve,c\n" },
    { "labels", "lines", "red\nred\nblue\n \n" },
    { "text", "tabs", "# c\nann\tA red fox, the red one\nbob\t\nzoe\tx\nann\t42 more\n" },
    { "text", "scripts",
      "\xef\xbb\xbf"
      "ann\tcafe\xcc\x81 Größe\r\nbob\t机器 か\xe3\x82\x99\r\ncid\tहिन्दी" },
    { "text", "lines", "a text\n\nand, more\n% text\n" },
    { "features", "lines",
      "# c\nann red:2 http://x:0.5 green\ncid\tred:-1 re:d\n1 red\nann red:0.25\nzoe blue\n" },
    { "features", "mtx",
      "%%MatrixMarket matrix coordinate real general\n% c\n12 4 3\n1 1 0.5\n3 4 -1\n12 4 2\n" },
    { "features", "mtx_names",
      "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 1\n2 3\n@@ f.mtx.names.txt\nann\nzoe\n" },
    { "features", "table", "3 2\nann 1 2\nbob -0.5 0\n0 3 4." },
    { "pairs", "blanks", "ann bob\nbob 0\nzoe ann\nivy 2\nann ann\n" },
    { "pairs", "header", "source,target,score\nann,bob,1\n\"cid\",dee,2\n" },
    { "pairs", "tabs", "# c\nann\tbob\r\n0\t1\n1\n" },
    { "vectors", "word2vec", "3 2\nann 1 2\nbob -0.5 1e-3\n0 3 4\n" },
    { "vectors", "no_header", "ann 1 2 3\na%20b 4 5 6\nbob 7 8 9\n" },
    { "options", "gap", "method=gap\ndim=8\nepochs=3\nlr=0.01\nneighbors=5\noptimizer=adagrad\n" },
    { "options", "walks", "method=node2vec\nwalk_length=5\np=0.5\nseed=18446744073709551615\nmemory=4G\n" },
    { "options", "wrong", "dimension=7\nfoo=bar\nundirected=maybe\ndelimiter=\\t\nformat=mtx\nheader\n" },
};

static void pack(const struct text *t)
{
    uint8_t bytes[1024];
    size_t length = strlen(t->text);
    z_stream z = { .next_in = (Bytef *)(uintptr_t)t->text,
                   .avail_in = (uInt)length,
                   .next_out = bytes,
                   .avail_out = sizeof bytes };
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    put("graph_gzip", t->name, bytes, z.total_out);
    put("graph_zstd", t->name, bytes, ZSTD_compress(bytes, sizeof bytes, t->text, length, 3));
}

static void put_texts(void)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        put(texts[i].target, texts[i].name, texts[i].text, strlen(texts[i].text));
        if (!strcmp(texts[i].target, "graph_edges")) pack(&texts[i]);
    }
}

/* ---- files of ours ---- */

static void put_model(const char *name, const neap_model *m)
{
    static const char path[] = FUZZ_FOLDER "model";
    assert_int_equal(neap_model_save(m, path, NULL), NEAP_OK);
    put_file("tensors_model", name, path);
}

/* With a newcomer, so that it has fewer rows than nodes. */
static void put_extended(const neap_model *m)
{
    const char *const names[] = { "zoe", "ann" };
    const neap_edge link = { 0, 1, 1 };
    neap_graph *links;
    neap_model *more;
    assert_int_equal(neap_graph_create(2, names, &link, 1, 0, 0, &links, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = links };
    assert_int_equal(neap_model_extend(m, &data, &more, NULL, NULL), NEAP_OK);
    put_model("extended", more);
    neap_model_free(more);
    neap_graph_free(links);
}

/* The model of a method, and its checkpoint if it makes any. features: or NULL; freed. */
static void train(const neap_graph *g, const char *method, neap_options *o, neap_features *features,
                  const char *suffix)
{
    static const char path[] = FUZZ_FOLDER "checkpoint";
    char name[64];
    size_t size;
    neap_model *m;
    neap_error err = { 0 };
    neap_text *text = texts_of(g);
    neap_data data = { .size = sizeof data, .graph = g, .text = text, .features = features };
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = path };
    snprintf(name, sizeof name, "%s%s", method, suffix);
    if (neap_train(&data, o, &hooks, &m, &err)) fuzz_fail(name, 0, err.text);
    put_model(name, m);
    if (fuzz_bytes(path, &size)) put_file("tensors_checkpoint", name, path);
    if (!strcmp(name, "gap")) put_extended(m);
    neap_model_free(m);
    neap_features_free(features);
    neap_text_free(text);
    neap_options_free(o);
    fuzz_forget();
}

static void put_models(void)
{
    neap_graph *g = fuzz_graph(0, 0), *weighted = fuzz_graph(1, 1);
    for (size_t i = 0; i < neap_method_count(); i++) {
        const char *method = neap_method_at(i)->name;
        train(g, method, fuzz_options(method), NULL, "");
        if (neap_method_at(i)->features)
            train(g, method, fuzz_options(method), features_of(g), "_features");
    }
    neap_options *o = fuzz_options("gap");
    set_options(o, "undirected", "yes", "padding", "vector", "valid", "0.2", NULL);
    train(weighted, "gap", o, NULL, "_undirected");
    neap_graph_free(g);
    neap_graph_free(weighted);
}

static void put_graphs(void)
{
    static const char path[] = FUZZ_FOLDER "graph.safetensors";
    static const char *const names[] = { "directed", "undirected", "weighted", "weighted_undirected" };
    for (int i = 0; i < 4; i++) {
        neap_graph *g = fuzz_graph(i / 2, i % 2);
        assert_int_equal(neap_graph_save(g, path, NULL, NULL), NEAP_OK);
        put_file("tensors_graph", names[i], path);
        neap_graph_free(g);
    }
}

static void put_vectors(void)
{
    static const char *const endings[] = { "txt", "bin", "npy", "tsv", "jsonl", "safetensors" };
    float x[12 * 2];
    neap_graph *g = fuzz_graph(0, 0);
    for (int i = 0; i < 12 * 2; i++) x[i] = 0.25f * (float)i - 1;
    for (size_t i = 0; i < COUNT(endings); i++) {
        char path[64];
        snprintf(path, sizeof path, FUZZ_FOLDER "v.%s", endings[i]);
        assert_int_equal(neap_vectors_save(path, g, x, 12, 2, NULL), NEAP_OK);
        put_file(strcmp(endings[i], "safetensors") ? "vectors" : "tensors_vectors", endings[i], path);
        if (!strcmp(endings[i], "npy")) put_file("features", endings[i], path);
    }
    neap_graph_free(g);
}

/* ---- splits ---- */

/* The manifest, then each other file behind a line with its name. */
static void put_split(const char *name)
{
    static const char *const parts[] = {
        "nodes.txt",          "train.tsv",          "held_out.tsv",
        "test.tsv",           "test_negatives.npy", "rank_negatives.npy",
        "pass_negatives.npy", "valid.tsv",          "valid_negatives.npy"
    };
    static uint8_t all[1 << 16];
    size_t used, size;
    const uint8_t *manifest = fuzz_bytes(FUZZ_FOLDER "split/manifest.json", &used);
    memcpy(all, manifest, used);
    for (size_t i = 0; i < COUNT(parts); i++) {
        char path[128];
        snprintf(path, sizeof path, FUZZ_FOLDER "split/%s", parts[i]);
        const uint8_t *bytes = fuzz_bytes(path, &size);
        if (!bytes) continue;
        assert_true(size + 64 < sizeof all - used);
        used += (size_t)sprintf((char *)all + used, "@@ split/%s\n", parts[i]);
        memcpy(all + used, bytes, size);
        used += size;
    }
    put("split", name, all, used);
}

static void put_splits(void)
{
    static const char *const protocols[] = { "clean", "paper", "paper-clean" };
    for (size_t i = 0; i < COUNT(protocols); i++) {
        neap_link_spec spec = { .size = sizeof spec,
                                .protocol = protocols[i],
                                .negatives = "uniform",
                                .ratio = 0.7,
                                .seed = 1,
                                .valid = 0.2 };
        neap_graph *g = fuzz_graph(i == 1, i == 2);
        neap_trial *t;
        neap_error err = { 0 };
        if (neap_trial_create(&(neap_data){ .size = sizeof(neap_data), .graph = g }, &spec, &t, &err) ||
            neap_trial_save(t, FUZZ_FOLDER "split", &err))
            fuzz_fail(protocols[i], 0, err.text);
        put_split(protocols[i]);
        neap_trial_free(t);
        neap_graph_free(g);
        fuzz_forget();
    }
}

static void none(const uint8_t *data, size_t size)
{
    (void)data, (void)size;
}

const fuzz_target fuzz = { .one = none };

int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: fuzz_seeds FOLDER\n"), 2;
    folder = argv[1];
    assert_true(!mkdir(folder, 0777) || errno == EEXIST);
    LLVMFuzzerInitialize(&argc, &argv);
    put_texts();
    put_graphs();
    put_models();
    put_vectors();
    fuzz_forget();
    put_splits();
    return 0;
}
