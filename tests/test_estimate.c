/* The estimate of memory against what training takes, with validation and with texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faults.h"
#include "node_features.h"
#include "settings.h"

enum { NODES = 150, WORDS = 80 };

/* Texts of WORDS words of a few hundred different ones. */
static neap_text *long_texts(const neap_graph *g)
{
    static char text[NODES][WORDS * 6];
    const char *texts[NODES];
    neap_text *out;
    for (uint32_t u = 0; u < NODES; u++) {
        size_t at = 0;
        for (uint32_t i = 0; i < WORDS; i++)
            at += (size_t)snprintf(text[u] + at, sizeof text[u] - at, "w%u ", (u * 31 + i * i * 7) % 800);
        texts[u] = text[u];
    }
    assert_int_equal(neap_text_create(g, texts, &out, NULL), NEAP_OK);
    return out;
}

/* The options are freed. memory 1: a run does not fit, so that no time is measured. */
static uint64_t estimate(const neap_data *data, neap_options *o)
{
    neap_estimate_result r = NEAP_SIZED(neap_estimate_result);
    set_options(o, "memory", "1", NULL);
    assert_int_equal(neap_estimate(data, o, &r, NULL), NEAP_OK);
    neap_options_free(o);
    return r.bytes_graph + r.bytes_tables + r.bytes_optimizer + r.bytes_batch;
}

static neap_options *quick(const char *method, const char *option, const char *value)
{
    return options_of("neap", "method", method, "dim", "16", "epochs", "1", "valid", "0.2", "threads", "1",
                      "undirected", "yes", option, value, NULL);
}

/* run: a method, and an option with its value. */
static void compare(const char *const run[3], bool featured)
{
    neap_generator what = { .size = sizeof what, .kind = "ba", .nodes = NODES, .links = 4, .seed = 1 };
    neap_graph *g;
    neap_model *m;
    size_t before = atomic_load(&faults.bytes);
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    neap_text *text = long_texts(g);
    neap_features *features = featured ? features_of(g) : NULL;
    neap_data data = { .size = sizeof data, .graph = g, .text = text, .features = features };
    double said = (double)estimate(&data, quick(run[0], run[1], run[2]));
    neap_options *o = quick(run[0], run[1], run[2]);
    faults_peak();
    assert_int_equal(neap_train(&data, o, NULL, &m, NULL), NEAP_OK);
    double took = (double)(faults_peak() - before);
    if (took > 1.1 * said || took < said / 2)
        fail_msg("%s --%s %s took %g bytes, and %g were said", run[0], run[1], run[2], took, said);
    neap_model_free(m);
    neap_options_free(o);
    neap_features_free(features);
    neap_text_free(text);
    neap_graph_free(g);
}

static void the_estimate_is_what_training_takes(void **state)
{
    static const char *const runs[][3] = {
        { "gap", "batch", "64" },          { "gapcn", "kernel", "3" },
        { "gapapn", "permutations", "1" }, { "apn", "batch", "64" },
        { "apn", "encoder", "lstm" },      { "gapmlp", "batch", "64" },
        { "gapmlp", "form", "mean" },      { "cane", "batch", "64" },
        { "cane", "batch", "16" },         { "cane", "score-by", "mean" },
        { "cene", "batch", "64" },         { "dmte", "batch", "64" },
        { "dmte", "diffusion", "batch" },  { "tadw", "text-dim", "50" },
        { "tridnr", "walks", "5" },        { "text", "tf", "count" },
        { "evidence", "text-dim", "50" },
    };
    static const char *const with_features[][3] = { { "text", "tf", "count" },
                                                    { "tadw", "text-dim", "50" },
                                                    { "evidence", "text-dim", "50" } };
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) compare(runs[i], false);
    for (size_t i = 0; i < sizeof with_features / sizeof *with_features; i++)
        compare(with_features[i], true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimate_is_what_training_takes),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
