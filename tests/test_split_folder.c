/* A split on disk: what was written comes back to the last bit, and whatever else is there is refused. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faults.h"
#include "scratch.h"
#include "world.h"

#include "eval/link.h"
#include "eval/manifest.h"
#include "trials.h"

static const char *const parts[] = { "nodes.txt",
                                     "train.tsv",
                                     "held_out.tsv",
                                     "test.tsv",
                                     "test_negatives.npy",
                                     "rank_negatives.npy",
                                     "pass_negatives.npy",
                                     "valid.tsv",
                                     "valid_negatives.npy",
                                     "manifest.json",
                                     NULL };

static const char *in(const char *folder, const char *name)
{
    static char path[2][PATH_MAX];
    static int turn;
    turn = !turn;
    (void)!snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void drop(const char *folder)
{
    for (size_t i = 0; parts[i]; i++) remove(in(folder, parts[i]));
    rmdir(folder);
}

static int leave(void **state)
{
    drop("s");
    drop("again");
    return scratch_leave(state);
}

static void save(const neap_trial *t, const char *folder)
{
    neap_error err = { 0 };
    if (neap_trial_save(t, folder, &err)) fail_msg("%s", err.text);
}

static neap_trial *load(const char *folder, const neap_graph *g)
{
    neap_trial *t;
    neap_error err = { 0 };
    if (neap_trial_load(folder, &(neap_data){ .size = sizeof(neap_data), .graph = g }, &t, &err))
        fail_msg("%s", err.text);
    return t;
}

static void expect_same_files(const char *a, const char *b)
{
    for (size_t i = 0; parts[i]; i++) {
        bool there = !access(in(a, parts[i]), F_OK);
        assert_int_equal(there, !access(in(b, parts[i]), F_OK));
        if (!there) continue;
        size_t size;
        char *bytes = scratch_bytes(in(a, parts[i]), &size);
        scratch_expect(in(b, parts[i]), bytes, size);
        free(bytes);
    }
}

/* Gives the manifest the checksums of what is there now. */
static void repair(const char *folder)
{
    ni_manifest m;
    assert_int_equal(ni_manifest_read(folder, &m, NULL), NEAP_OK);
    for (ni_part p = 0; p < NI_PARTS; p++)
        if (ni_part_name(&m, p))
            assert_int_equal(ni_digest_of(in(folder, ni_part_name(&m, p)), &m.part[p], NULL), NEAP_OK);
    assert_int_equal(ni_manifest_write(&m, folder, NULL), NEAP_OK);
}

/* ---- there and back ---- */

static void a_split_comes_back_and_goes_out_as_the_same_bytes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
            neap_graph *g = messy_graph_of(seed, seed % 3 == 0, seed % 2);
            neap_trial *t = trial_of(g, protocol, (ni_negatives)(seed % 3), 0.7, seed), *back;
            save(t, "s");
            for (int with_graph = 0; with_graph < 2; with_graph++) {
                back = load("s", with_graph ? g : NULL);
                assert_int_equal(neap_graph_hash(back->whole), neap_graph_hash(g));
                assert_int_equal(neap_graph_hash(back->train), neap_graph_hash(t->train));
                save(back, "again");
                expect_same_files("s", "again");
                neap_trial_free(back);
            }
            drop("s");
            drop("again");
            neap_trial_free(t);
            neap_graph_free(g);
        }
}

static void odd_names_survive(void **state)
{
    static const char *const names[] = { "source",     "target",  "# no comment", "a\tb",
                                         "\"quoted\"", " blank ", "a,b;c|d",      "%",
                                         "7",          "\xff!",   "f\xc3\xbcr",   "lonely" };
    neap_edge edge[32];
    neap_graph *g;
    size_t count = 0;
    (void)state;
    for (uint32_t u = 0; u < 11; u++)
        for (uint32_t v = u + 1; v < 11; v += 2) edge[count++] = (neap_edge){ u, v, 1 };
    assert_int_equal(neap_graph_create(12, names, edge, count, 0, 0, &g, NULL), NEAP_OK);
    neap_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.5, 3);
    save(t, "s");
    neap_trial *back = load("s", NULL);
    assert_string_equal(ni_name(&back->whole->names, 11), "lonely");
    save(back, "again");
    expect_same_files("s", "again");
    neap_trial_free(back);
    neap_trial_free(t);
    neap_graph_free(g);
}

/* A split of a graph whose first node has this name is not saved, and the message says these words. */
static void expect_unsaved(const char *name, const char *words)
{
    const char *const names[] = { name, "b", "c", "d" };
    const neap_edge edge[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 } };
    neap_graph *g;
    neap_error err = { 0 };
    assert_int_equal(neap_graph_create(4, names, edge, 3, 0, 0, &g, NULL), NEAP_OK);
    neap_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.5, 1);
    assert_int_equal(neap_trial_save(t, "s", &err), NEAP_E_ARG);
    if (!strstr(err.text, words)) fail_msg("no '%s' in: %s", words, err.text);
    assert_int_equal(access("s/manifest.json", F_OK), -1);
    neap_trial_free(t);
    neap_graph_free(g);
}

static void a_name_that_is_no_line_is_refused_before_anything_stands_there(void **state)
{
    (void)state;
    expect_unsaved("a\nb", "line");
    expect_unsaved("\xef\xbb\xbf", "line");
}

static void a_name_that_makes_a_file_look_like_another_kind_is_refused(void **state)
{
    static const char *const names[] = { "<?xml",
                                         "%PDF-1.4",
                                         "PK\x03\x04",
                                         "\xff\xfe",
                                         "\x1f\x8b",
                                         "\x28\xb5\x2f\xfd",
                                         "\x50\x2a\x4d\x18\x01\x01" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_unsaved(names[i], "nodes.txt look like");
}

static void results_on_a_loaded_split_are_the_same_bits(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        neap_graph *g = messy_graph(5);
        neap_trial *t = trial_of(g, protocol, NI_UNIFORM, 0.7, 2), *back;
        save(t, "s");
        back = load("s", g);
        static const char *const methods[] = { "gap", "ppr" };
        for (int i = 0; i < 2; i++) {
            neap_options *o = options_of("neap", "dim", "8", "epochs", "3", "method", methods[i], NULL);
            neap_model *m, *same;
            neap_link_result a = NEAP_SIZED(neap_link_result), b = a;
            assert_int_equal(neap_trial_train(t, o, NULL, &m, NULL), NEAP_OK);
            assert_int_equal(neap_trial_train(back, o, NULL, &same, NULL), NEAP_OK);
            assert_int_equal(neap_trial_measure(t, m, NULL, &a, NULL), NEAP_OK);
            assert_int_equal(neap_trial_measure(back, same, NULL, &b, NULL), NEAP_OK);
            assert_int_equal(a.sees_test, protocol == NI_PAPER && i == 0);
            a.seconds = b.seconds = 0;
            assert_memory_equal(&a, &b, sizeof a);
            neap_model_free(m);
            neap_model_free(same);
            neap_options_free(o);
        }
        drop("s");
        neap_trial_free(t);
        neap_trial_free(back);
        neap_graph_free(g);
    }
}

static void a_folder_is_told_by_its_manifest(void **state)
{
    neap_graph *g = messy_graph(1);
    neap_trial *t = trial_of(g, NI_CLEAN, NI_TWO_HOP, 0.55, UINT64_MAX);
    neap_trial_facts f = NEAP_SIZED(neap_trial_facts);
    (void)state;
    save(t, "s");
    assert_int_equal(neap_trial_describe("s", &f, NULL), NEAP_OK);
    assert_int_equal(f.size, sizeof f);
    f.size = t->facts.size; /* the library keeps none */
    assert_memory_equal(&f, &t->facts, sizeof f);
    assert_int_equal(neap_trial_describe("nothing", &f, NULL), NEAP_E_READ);
    neap_trial_free(t);
    neap_graph_free(g);
}

/* ---- what is refused ---- */

static neap_status try(const char *folder, const neap_graph *g, neap_error *err)
{
    neap_trial *t;
    *err = (neap_error){ 0 };
    neap_status rc =
        neap_trial_load(folder, &(neap_data){ .size = sizeof(neap_data), .graph = g }, &t, err);
    assert_true(rc == NEAP_OK ? t != NULL : t == NULL && err->text[0]);
    neap_trial_free(t);
    return rc;
}

/* In place: a file that is emptied first waits for the disk. */
static void flip(const char *path, size_t at)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    assert_true(fputc(byte ^ 1 << at % 8, file) != EOF && !fclose(file));
}

/* Bytes of every part: no change passes. In the manifest some words do not matter. */
static void a_changed_byte_is_noticed_wherever_it_is(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER; protocol++) {
        neap_graph *g = messy_graph(1);
        neap_trial *t = trial_of(g, protocol, NI_UNIFORM, 0.6, 2);
        neap_error err;
        struct stat st;
        save(t, "s");
        for (size_t i = 0; parts[i]; i++) {
            const char *path = in("s", parts[i]);
            if (stat(path, &st)) continue;
            bool matters = strcmp(parts[i], "manifest.json") != 0;
            size_t size = (size_t)st.st_size;
            for (size_t at = 0; at < size; at += 1 + size / 6) {
                flip(path, at);
                if (!try("s", g, &err) && matters) fail_msg("byte %zu of %s", at, path);
                flip(path, at);
            }
            if (!matters) continue;
            assert_int_equal(truncate(path, st.st_size - 1), 0);
            assert_int_not_equal(try("s", g, &err), NEAP_OK);
            save(t, "s");
        }
        assert_int_equal(try("s", g, &err), NEAP_OK);
        drop("s");
        neap_trial_free(t);
        neap_graph_free(g);
    }
}

/* Line `number` (from 0) of a text gets other words. */
static void change_line(const char *path, unsigned number, const char *words)
{
    size_t size;
    char *bytes = scratch_bytes(path, &size), *at = bytes, *changed = malloc(size + strlen(words) + 2);
    for (unsigned i = 0; i < number; i++) at = strchr(at, '\n') + 1;
    int n = sprintf(changed, "%.*s%s\n%s", (int)(at - bytes), bytes, words, strchr(at, '\n') + 1);
    scratch_put(path, changed, (size_t)n);
    free(changed);
    free(bytes);
}

typedef struct mischief {
    const char *part;
    unsigned line;
    const char *words; /* NULL: the part is taken away */
    neap_status rc;
    const char *says;
} mischief;

/* A graph of which all edges start at 0, so that no order of the pairs is a question. */
static void what_is_wrong_is_said_with_file_and_line(void **state)
{
    static const mischief list[] = {
        { "test.tsv", 1, "0\tnobody", NEAP_E_UNKNOWN, "test.tsv:2:3: there is no node 'nobody'" },
        { "train.tsv", 2, "nobody\t1", NEAP_E_UNKNOWN, "train.tsv:3:1: there is no node" },
        { "test.tsv", 1, "1\t2", NEAP_E_FORMAT, "test.tsv:2: '1' - '2' is no edge of the graph" },
        { "held_out.tsv", 0, "2\t1", NEAP_E_FORMAT, "held_out.tsv:1: '2' - '1' is no edge" },
        { "test.tsv", 0, "0", NEAP_E_FORMAT, "test.tsv:1" },
        { "nodes.txt", 3, "nobody", NEAP_E_FORMAT, "nodes.txt:4:1: this is not the name of node 3" },
        { "train.tsv", 0, NULL, NEAP_E_READ, "train.tsv" },
        { "rank_negatives.npy", 0, NULL, NEAP_E_READ, "rank_negatives.npy" },
        { "manifest.json", 0, NULL, NEAP_E_READ, "manifest.json" },
        { "manifest.json", 1, "  \"format\": \"neap split 3\",", NEAP_E_FORMAT, "a newer neap made this" },
        { "manifest.json", 1, "  \"format\": \"neap split 10\",", NEAP_E_FORMAT, "a newer neap made this" },
        { "manifest.json", 1, "  \"format\": \"neap split x\",", NEAP_E_FORMAT,
          "not of the format 'neap split 1'" },
        { "manifest.json", 4, "  \"ratio\": 7,", NEAP_E_FORMAT, "'ratio'" },
        { "manifest.json", 5, "  \"seed\": -1,", NEAP_E_FORMAT, "'seed'" },
        { "manifest.json", 4, "  nonsense", NEAP_E_FORMAT, "manifest.json:5" },
    };
    neap_edge edge[9];
    neap_graph *g;
    neap_error err;
    (void)state;
    for (uint32_t i = 0; i < 9; i++) edge[i] = (neap_edge){ 0, i + 1, 1 };
    assert_int_equal(neap_graph_create(12, NULL, edge, 9, 0, 0, &g, NULL), NEAP_OK);
    neap_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.6, 1);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        remove("s/manifest.json"); /* one of a newer version would stay */
        save(t, "s");
        if (list[i].words) change_line(in("s", list[i].part), list[i].line, list[i].words);
        else remove(in("s", list[i].part));
        neap_status rc = try("s", g, &err);
        if (rc != list[i].rc || !strstr(err.text, list[i].says)) fail_msg("%zu: %d, %s", i, rc, err.text);
    }
    neap_trial_free(t);
    neap_graph_free(g);
}

/* Who mends the checksums does not get further. */
static void right_checksums_of_wrong_files_do_not_help(void **state)
{
    neap_graph *g = messy_graph(1);
    neap_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.6, 1);
    neap_error err;
    uint32_t large = MESSY_NODES;
    size_t size;
    (void)state;
    save(t, "s");
    char *bytes = scratch_bytes("s/test_negatives.npy", &size);
    memcpy(bytes + size - 4, &large, 4);
    scratch_put("s/test_negatives.npy", bytes, size);
    repair("s");
    assert_int_equal(try("s", g, &err), NEAP_E_FORMAT);
    scratch_put("s/test_negatives.npy", bytes, size - 4);
    repair("s");
    assert_int_equal(try("s", g, &err), NEAP_E_FORMAT);
    free(bytes);

    save(t, "s");
    bytes = scratch_bytes("s/rank_negatives.npy", &size);
    memcpy(bytes + size - 4, &large, 4);
    scratch_put("s/rank_negatives.npy", bytes, size);
    repair("s");
    assert_int_equal(try("s", g, &err), NEAP_E_FORMAT);
    free(bytes);

    save(t, "s"); /* the first two test pairs change places */
    bytes = scratch_bytes("s/test.tsv", &size);
    char *second = strchr(bytes, '\n') + 1, *third = strchr(second, '\n') + 1, *swapped = malloc(size + 1);
    sprintf(swapped, "%.*s%.*s%s", (int)(third - second), second, (int)(second - bytes), bytes, third);
    scratch_put("s/test.tsv", swapped, size);
    repair("s");
    assert_int_equal(try("s", g, &err), NEAP_E_FORMAT);
    scratch_put("s/test.tsv", third, size - (size_t)(third - bytes));
    repair("s");
    assert_int_equal(try("s", g, &err), NEAP_E_FORMAT);
    free(swapped);
    free(bytes);
    neap_trial_free(t);
    neap_graph_free(g);
}

static void a_split_of_another_graph_is_refused(void **state)
{
    neap_graph *g = messy_graph(1), *other = messy_graph(2), *undirected = messy_graph_of(1, 0, 1);
    neap_trial *t = trial_of(g, NI_PAPER, NI_UNIFORM, 0.6, 1);
    neap_error err;
    (void)state;
    save(t, "s");
    assert_int_equal(try("s", other, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "another graph"));
    assert_int_equal(try("s", undirected, &err), NEAP_E_MISMATCH);
    assert_int_equal(try("s", g, &err), NEAP_OK);
    neap_trial_free(t);
    neap_graph_free(undirected);
    neap_graph_free(other);
    neap_graph_free(g);
}

static void the_way_it_was_read_is_what_to_try(void **state)
{
    neap_graph *plain = messy_graph(1), *undirected = messy_graph_of(1, 0, 1),
               *weighted = messy_graph_of(1, 1, 0);
    neap_trial *t = trial_of(undirected, NI_CLEAN, NI_UNIFORM, 0.6, 1);
    neap_error err;
    (void)state;
    save(t, "s");
    assert_int_equal(try("s", plain, &err), NEAP_E_MISMATCH);
    assert_non_null(
        strstr(err.text, "that of the split is undirected, without weights, this one directed"));
    assert_non_null(strstr(err.text, "try --undirected"));
    neap_trial_free(t);
    t = trial_of(plain, NI_CLEAN, NI_UNIFORM, 0.6, 1);
    save(t, "again");
    assert_int_equal(try("again", weighted, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "try --weights ignore"));
    neap_trial_free(t);
    neap_graph_free(weighted);
    neap_graph_free(undirected);
    neap_graph_free(plain);
}

static void a_split_of_another_graph_is_not_replaced(void **state)
{
    neap_graph *g = messy_graph(1), *other = messy_graph(2);
    neap_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.6, 1),
               *theirs = trial_of(other, NI_CLEAN, NI_UNIFORM, 0.6, 1);
    neap_error err = { 0 };
    (void)state;
    save(theirs, "s");
    assert_int_equal(neap_trial_save(t, "s", &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "name another folder"));
    assert_int_equal(try("s", other, &err), NEAP_OK);
    save(theirs, "s");
    scratch_put("s/manifest.json", "{}", 2);
    save(t, "s");
    assert_int_equal(try("s", g, &err), NEAP_OK);
    scratch_put("s/manifest.json", "{\"format\": \"neap split 3\"}", 26);
    assert_int_equal(neap_trial_save(t, "s", &err), NEAP_E_FORMAT); /* not ours to replace */
    assert_non_null(strstr(err.text, "a newer neap made this"));
    assert_int_equal(access("s/manifest.json", F_OK), 0);
    neap_trial_free(theirs);
    neap_trial_free(t);
    neap_graph_free(other);
    neap_graph_free(g);
}

static void nothing_is_left_of_a_split_that_was_replaced(void **state)
{
    neap_graph *g = messy_graph(1);
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        neap_trial *t = trial_of(g, protocol, NI_UNIFORM, 0.6, 1);
        save(t, "s");
        assert_int_equal(!access("s/rank_negatives.npy", F_OK), protocol == NI_CLEAN);
        assert_int_equal(!access("s/test_negatives.npy", F_OK), protocol == NI_CLEAN);
        assert_int_equal(!access("s/pass_negatives.npy", F_OK), protocol != NI_CLEAN);
        neap_trial_free(t);
    }
    neap_graph_free(g);
}

static void a_folder_that_cannot_be_made_is_told_with_the_reason(void **state)
{
    neap_graph *g = messy_graph(1);
    neap_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.6, 1);
    neap_error err = { 0 };
    (void)state;
    scratch_put("file", "", 0);
    assert_int_equal(neap_trial_save(t, "file", &err), NEAP_E_IO);
    assert_non_null(strstr(err.text, "file is a file"));
    assert_int_equal(neap_trial_save(t, "no/such", &err), NEAP_E_IO);
    assert_non_null(strstr(err.text, "first"));
    neap_trial_free(t);
    neap_graph_free(g);
}

/* The numbers of the candidates are read when they are needed, and must still be those of the manifest. */
static void a_file_that_changes_after_loading_is_noticed(void **state)
{
    neap_graph *g = messy_graph(1);
    neap_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.6, 1), *back;
    float x[MESSY_NODES] = { 0 };
    neap_link_result r = NEAP_SIZED(neap_link_result);
    neap_error err = { 0 };
    size_t size;
    (void)state;
    save(t, "s");
    back = load("s", g);
    assert_int_equal(neap_trial_measure_vectors(back, x, 1, 0, NULL, &r, &err), NEAP_OK);
    char *bytes = scratch_bytes("s/rank_negatives.npy", &size);
    bytes[200] ^= 1;
    scratch_put("s/rank_negatives.npy", bytes, size);
    free(bytes);
    assert_int_equal(neap_trial_measure_vectors(back, x, 1, 0, NULL, &r, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "rank_negatives.npy"));
    neap_trial_free(back);
    neap_trial_free(t);
    neap_graph_free(g);
}

/* ---- memory ---- */

static neap_status no_opinion(void *self, const neap_pair *pairs, size_t count, float *scores,
                              neap_error *err)
{
    (void)self, (void)err, (void)pairs;
    memset(scores, 0, count * sizeof *scores);
    return NEAP_OK;
}

/* 4,400 test pairs: their candidates take 1.8 MB on disk. Measuring takes 16 bytes a pair and the blocks.
 */
static void candidates_are_never_in_memory_all_at_once(void **state)
{
    neap_graph *g;
    neap_link_result r = NEAP_SIZED(neap_link_result);
    neap_generator what = { .size = sizeof what, .kind = "er", .nodes = 400, .edges = 8000, .seed = 1 };
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    neap_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.45, 1), *back;
    save(t, "s");
    neap_trial_free(t);
    back = load("s", g);
    assert_true(back->count > 4000);
    faults_peak();
    size_t before = faults_peak();
    assert_int_equal(ni_link_measure(back, &(ni_scorer){ .score = no_opinion }, NULL, &r, &err), NEAP_OK);
    assert_true(r.auc == 0.5 && faults_peak() - before < (3u << 20) / 2 + 16 * back->count);
    neap_trial_free(back);
    neap_graph_free(g);
}

/* ---- the system says no ---- */

typedef struct scene {
    const neap_graph *graph; /* NULL: it comes from the folder */
    const neap_trial *trial;
} scene;

static neap_status save_scene(void *user, neap_error *err)
{
    return neap_trial_save(((scene *)user)->trial, "s", err);
}

static neap_status load_scene(void *user, neap_error *err)
{
    neap_trial *t;
    neap_status rc = neap_trial_load(
        "s", &(neap_data){ .size = sizeof(neap_data), .graph = ((scene *)user)->graph }, &t, err);
    neap_trial_free(t);
    return rc;
}

/* A split that was not written has no manifest. */
static void expect_no_split(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    assert_true((rc == NEAP_E_IO || rc == NEAP_E_READ) && err->text[0] && err->sys == EIO);
}

static void expect_unread(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    assert_int_equal(rc, NEAP_E_READ);
    assert_true(err->text[0] && err->sys == EIO);
}

/* Whole, old or new, or none that could be taken for one. */
static void look_at_what_is_left(void *user)
{
    neap_error err;
    if (!access("s/manifest.json", F_OK)) assert_int_equal(try("s", ((scene *)user)->graph, &err), NEAP_OK);
    DIR *folder = opendir("s");
    for (struct dirent *e; folder && (e = readdir(folder));)
        if (strstr(e->d_name, ".tmp")) remove(in("s", e->d_name));
    if (folder) closedir(folder);
}

static void every_failure_is_told_and_leaves_nothing_behind(void **state)
{
    const neap_edge edge[] = {
        { 0, 1, 2 }, { 1, 2, 1 }, { 2, 3, 1 }, { 3, 0, 3 }, { 4, 1, 1 }, { 4, 2, 1 }
    };
    neap_graph *g;
    (void)state;
    assert_int_equal(neap_graph_create(5, NULL, edge, 6, 1, 0, &g, NULL), NEAP_OK);
    neap_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.6, 2);
    scene with = { g, t }, without = { NULL, t };
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, save_scene, faults_expect_memory, &with) > 20);
    static const faults_call writing[] = { FAULTS_OPEN,   FAULTS_READ,   FAULTS_WRITE, FAULTS_FSYNC,
                                           FAULTS_RENAME, FAULTS_UNLINK, FAULTS_MKDIR };
    for (size_t i = 0; i < sizeof writing / sizeof *writing; i++)
        assert_true(faults_each(writing[i], EIO, false, save_scene, expect_no_split, &with) > 0);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, load_scene, faults_expect_memory, &without) > 20);
    assert_true(faults_each(FAULTS_OPEN, EIO, false, load_scene, expect_unread, &with) > 8);
    assert_true(faults_each(FAULTS_READ, EIO, false, load_scene, expect_unread, &with) > 8);
    assert_true(faults_crash_each(save_scene, look_at_what_is_left, &with) > 20);
    neap_trial_free(t);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, leave)
        IN_SCRATCH(a_split_comes_back_and_goes_out_as_the_same_bytes),
        IN_SCRATCH(odd_names_survive),
        IN_SCRATCH(a_name_that_is_no_line_is_refused_before_anything_stands_there),
        IN_SCRATCH(a_name_that_makes_a_file_look_like_another_kind_is_refused),
        IN_SCRATCH(results_on_a_loaded_split_are_the_same_bits),
        IN_SCRATCH(a_folder_is_told_by_its_manifest),
        IN_SCRATCH(a_changed_byte_is_noticed_wherever_it_is),
        IN_SCRATCH(what_is_wrong_is_said_with_file_and_line),
        IN_SCRATCH(right_checksums_of_wrong_files_do_not_help),
        IN_SCRATCH(a_split_of_another_graph_is_refused),
        IN_SCRATCH(the_way_it_was_read_is_what_to_try),
        IN_SCRATCH(a_split_of_another_graph_is_not_replaced),
        IN_SCRATCH(nothing_is_left_of_a_split_that_was_replaced),
        IN_SCRATCH(a_folder_that_cannot_be_made_is_told_with_the_reason),
        IN_SCRATCH(a_file_that_changes_after_loading_is_noticed),
        IN_SCRATCH(candidates_are_never_in_memory_all_at_once),
        IN_SCRATCH(every_failure_is_told_and_leaves_nothing_behind),
    };
    faults_install();
    faults_skip_fsync();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
