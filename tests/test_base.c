/* The ground everything stands on: errors, numbers as text, options, random draws, threads. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "attention/options.h"
#include "base/rng.h"
#include "base/sys.h"
#include "base/threads.h"
#include "model/optimizer.h"
#include "settings.h"
#include "support/status.h"
#include "support/text.h"
#include "walks/walking.h"

static void an_error_carries_the_systems_words(void **state)
{
    neap_error err;
    (void)state;
    assert_int_equal(ni_fail_sys(&err, NEAP_E_IO, ENOSPC, "model.st"), NEAP_E_IO);
    assert_string_equal(err.text, "model.st: No space left on device");
    assert_int_equal(err.sys, ENOSPC);
    assert_int_equal(ni_fail(NULL, NEAP_E_ARG, "nobody listens"), NEAP_E_ARG);
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = 0;
    ni_fail_sys(&err, NEAP_E_IO, EIO, "%s", long_text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

/* ---- options ---- */

static const ni_attention_options *attention(const ni_settings *s)
{
    return s->own;
}

static void presets_are_those_of_the_paper(void **state)
{
    neap_options *o;
    (void)state;
    const ni_settings *s = settings_of(options_of("paper", NULL));
    const ni_attention_options *a = attention(s);
    assert_int_equal(a->learning.dim, 200);
    assert_int_equal(a->neighbors, 100);
    assert_true(a->margin == 1 && a->learning.lr == 1e-4 && a->dropout == 0.5 && a->learning.valid == 0);
    assert_true(a->pooling == NI_POOL_MAX && a->padding == NI_PAD_ZERO && !a->self &&
                a->optimizer == NI_ADAM);
    ni_settings_free(s);
    s = settings_of(options_of("authors", NULL));
    a = attention(s);
    assert_true(a->margin == 0.5 && a->pooling == NI_POOL_MEAN && a->self && !a->sampling.fresh_negatives &&
                !a->sampling.reject_links);
    ni_settings_free(s);
    assert_int_equal(neap_options_create("nosuch", &o, NULL), NEAP_E_ARG);
    assert_null(o);
}

/* A method as gap is one, with defaults of its own. */
static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(ni_attention_options, learning), NULL },
    { &ni_attention_set, 0, NULL },
    { &ni_sampling_set, offsetof(ni_attention_options, sampling), NULL },
    { 0 }
};

/* suggest < the method's own default < set, whatever came first. */
static void a_method_has_defaults_for_what_nobody_set(void **state)
{
    static const ni_default defaults[] = { { "dim", { "11", "22", "33" } },
                                           { "epochs", { "7", "7", "7" } },
                                           { 0 } };
    const ni_option_layout with = { sizeof(ni_attention_options), parts, defaults },
                           without = { sizeof(ni_attention_options), parts, NULL };
    (void)state;
    for (int set_first = 0; set_first < 2; set_first++) {
        neap_options *o = options_of("paper", set_first ? "epochs" : NULL, "3", NULL);
        ni_settings *s;
        assert_int_equal(neap_options_suggest(o, "epochs", "4", NULL), NEAP_OK);
        assert_int_equal(neap_options_suggest(o, "dim", "5", NULL), NEAP_OK);
        assert_int_equal(neap_options_suggest(o, "batch", "6", NULL), NEAP_OK);
        assert_int_equal(neap_options_suggest(o, "nosuch", "6", NULL), NEAP_E_ARG);
        assert_int_equal(neap_options_suggest(o, "batch", "0", NULL), NEAP_E_ARG);
        if (!set_first) assert_int_equal(neap_options_set(o, "epochs", "3", NULL), NEAP_OK);
        assert_int_equal(ni_settings_create(o, &with, &s, NULL), NEAP_OK);
        const ni_attention_options *a = attention(s);
        assert_true(a->learning.dim == 22 && a->learning.epochs == 3 && a->sampling.batch == 6);
        ni_settings_free(s);
        assert_int_equal(ni_settings_create(o, &without, &s, NULL), NEAP_OK);
        a = attention(s);
        assert_true(a->learning.dim == 5 && a->learning.epochs == 3 && a->sampling.batch == 6 &&
                    a->neighbors == 100);
        ni_settings_free(s);
        neap_options_free(o);
    }
}

static char *text_of(const neap_options *o, const char *name, char text[64])
{
    neap_error err = { 0 };
    if (neap_options_get(o, name, text, 64, &err)) fail_msg("%s: %s", name, err.text);
    return text;
}

/* The i-th option of a method, the common ones first; NULL behind the last. */
static const char *option_of(const char *method, size_t i)
{
    neap_option_info info = NEAP_SIZED(neap_option_info);
    if (i < ni_common_set.count) return ni_common_set.option[i].info.name;
    return neap_method_option(method, i - ni_common_set.count, &info, NULL) ? NULL : info.name;
}

/* Of every method; and of gap, which has all options of its sets, in the struct that training reads. */
static void every_option_reads_back_what_was_set(void **state)
{
    (void)state;
    for (size_t m = 0; m < neap_method_count(); m++) {
        const char *method = neap_method_at(m)->name, *name;
        neap_options *o = options_of("authors", "method", method, NULL);
        neap_options *copy = options_of("neap", "method", method, NULL);
        char text[64], again[64];
        for (size_t i = 0; (name = option_of(method, i)); i++)
            assert_int_equal(neap_options_set(copy, name, text_of(o, name, text), NULL), NEAP_OK);
        for (size_t i = 0; (name = option_of(method, i)); i++)
            assert_string_equal(text_of(copy, name, again), text_of(o, name, text));
        const ni_settings *a = settings_of(o), *b = settings_of(copy);
        if (!strcmp(method, "gap")) assert_memory_equal(a->own, b->own, sizeof(ni_attention_options));
        ni_settings_free(a);
        ni_settings_free(b);
    }
    const ni_settings *a = settings_of(options_of("authors", NULL)),
                      *b = settings_of(options_of("neap", "method", "gap", NULL));
    assert_memory_not_equal(a->own, b->own, sizeof(ni_attention_options));
    ni_settings_free(a);
    ni_settings_free(b);
}

static void a_copy_of_options_keeps_what_was_set_and_changes_alone(void **state)
{
    neap_options *o, *copy;
    char text[64];
    (void)state;
    assert_int_equal(neap_options_create("paper", &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "epochs", "7", NULL), NEAP_OK);
    assert_int_equal(neap_options_suggest(o, "dim", "5", NULL), NEAP_OK);
    assert_int_equal(neap_options_suggest(o, "threads", "3", NULL), NEAP_OK);
    assert_int_equal(neap_options_copy(o, &copy, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(copy, "method", "deepwalk", NULL), NEAP_OK);
    assert_int_equal(neap_options_check(copy, NULL), NEAP_OK);
    assert_string_equal(text_of(copy, "epochs", text), "7"); /* set by name: before the method's default */
    assert_string_equal(text_of(copy, "dim", text), "200");  /* suggested: behind it                      */
    assert_string_equal(text_of(copy, "threads", text), "3");
    assert_string_equal(text_of(copy, "window", text), "3"); /* deepwalk's in the preset of the copied */
    assert_string_equal(text_of(o, "method", text), "gap");
    assert_string_equal(text_of(o, "dim", text), "5");
    assert_int_equal(neap_options_set(o, "epochs", "8", NULL), NEAP_OK);
    neap_options_free(o);
    assert_string_equal(text_of(copy, "epochs", text), "7"); /* nothing is shared */
    neap_options_free(copy);
}

/* The preset decides, unless a method is named or suggested, as a command that is about another does. */
static void the_default_method_is_evidence_and_that_of_the_paper_gap(void **state)
{
    static const char *const usual[][2] = { { "neap", "evidence" },
                                            { "paper", "gap" },
                                            { "authors", "gap" } };
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        neap_options *o = options_of(usual[i][0], NULL);
        assert_string_equal(text_of(o, "method", text), usual[i][1]);
        assert_int_equal(neap_options_suggest(o, "method", "line", NULL), NEAP_OK);
        assert_string_equal(text_of(o, "method", text), "line");
        assert_int_equal(neap_options_set(o, "method", "pa", NULL), NEAP_OK);
        assert_string_equal(text_of(o, "method", text), "pa");
        neap_options_free(o);
    }
}

static void a_method_is_found_by_its_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < neap_method_count(); i++)
        assert_ptr_equal(neap_method_find(neap_method_at(i)->name), neap_method_at(i));
    assert_null(neap_method_find("nothing"));
    assert_null(neap_method_find(NULL));
}

static void a_method_that_explains_says_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < neap_method_count(); i++) {
        const ni_method *m = ni_method_at(i);
        if (m->info.explains != (m->explain != NULL)) fail_msg("%s", m->info.name);
    }
}

static void names_have_aliases_and_a_nearest(void **state)
{
    neap_options *o;
    neap_error err;
    char text[64];
    (void)state;
    assert_int_equal(neap_options_create(NULL, &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "method", "gap", NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "dimensions", "64", NULL), NEAP_OK);
    assert_string_equal(text_of(o, "dim", text), "64");
    assert_string_equal(text_of(o, "size", text), "64");
    assert_int_equal(neap_options_set(o, "nbr_size", "7", NULL), NEAP_OK);
    assert_string_equal(text_of(o, "neighbors", text), "7");
    assert_int_equal(neap_options_set(o, "epohcs", "7", &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "did you mean 'epochs'?"));
    assert_int_equal(neap_options_get(o, "epohcs", text, sizeof text, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "did you mean 'epochs'?"));
    neap_options_free(o);
}

static void values_out_of_range_are_refused_and_change_nothing(void **state)
{
    static const char *const bad[][2] = { { "dim", "0" },
                                          { "dim", "-1" },
                                          { "dim", "1e3" },
                                          { "dropout", "1" },
                                          { "dropout", "nan" },
                                          { "pooling", "min" },
                                          { "self", "maybe" },
                                          { "memory", "4X" },
                                          { "walks", "0" }, /* of other methods */
                                          { "dim", "99999999999999999999" } };
    neap_options *o;
    neap_error err;
    char text[64];
    (void)state;
    assert_int_equal(neap_options_create("paper", &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "self", "yes", NULL), NEAP_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(neap_options_set(o, bad[i][0], bad[i][1], &err), NEAP_E_ARG);
        assert_non_null(strstr(err.text, bad[i][0]));
    }
    assert_int_equal(o->count, 1);
    assert_string_equal(text_of(o, "self", text), "yes");
    assert_int_equal(neap_options_set(o, "memory", "1.5G", NULL), NEAP_OK);
    assert_string_equal(text_of(o, "memory", text), "1610612736");
    assert_int_equal(neap_options_set(o, "memory", "3GiB", NULL), NEAP_OK);
    assert_string_equal(text_of(o, "memory", text), "3221225472");
    neap_options_free(o);
}

/* Which methods there are is known when the name counts, not when it is set. */
static void a_method_that_is_not_there_is_refused_when_it_counts(void **state)
{
    neap_options *o = options_of("neap", "method", "a name that is far too long for it", NULL);
    neap_error err;
    char text[64];
    (void)state;
    assert_int_equal(neap_options_check(o, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "there is no method 'a name"));
    assert_int_equal(neap_options_get(o, "dim", text, sizeof text, &err), NEAP_E_ARG);
    assert_int_equal(neap_options_set(o, "method", "gapp", NULL), NEAP_OK);
    assert_int_equal(neap_options_check(o, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "the nearest is 'gap'"));
    assert_int_equal(neap_options_set(o, "method", "gap", NULL), NEAP_OK);
    assert_int_equal(neap_options_check(o, &err), NEAP_OK);
    neap_options_free(o);
}

/* Two methods that mean different things by one name: the one that is trained judges. */
static void a_value_is_judged_by_the_method_whatever_was_set_first(void **state)
{
    typedef struct values {
        uint32_t dim;
    } values;
    static const ni_option narrow[] = { NI_OPTION(values, U32, dim, "dim", "", 0, "model", "N", "4", "5",
                                                  "6", 1, 10, 1, "few") },
                           wide[] = { NI_OPTION(values, U32, dim, "dim", "", 0, "model", "N", "40", "50",
                                                "60", 20, 1000, 1, "many") };
    static const ni_option_set sets[] = { NI_OPTION_SET(narrow), NI_OPTION_SET(wide) };
    static const struct {
        const char *given;
        neap_status rc[2];
        uint32_t value[2];
    } cases[] = { { NULL, { NEAP_OK, NEAP_OK }, { 5, 50 } },
                  { "7", { NEAP_OK, NEAP_E_ARG }, { 7, 0 } },
                  { "30", { NEAP_E_ARG, NEAP_OK }, { 0, 30 } },
                  { "15", { NEAP_E_ARG, NEAP_E_ARG }, { 0, 0 } } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 2; k++) {
            const ni_option_part part[] = { { &sets[k], 0, NULL }, { 0 } };
            const ni_option_layout layout = { sizeof(values), part, NULL };
            neap_options *o = options_of("paper", cases[i].given ? "dim" : NULL, cases[i].given, NULL);
            ni_settings *s;
            neap_error err;
            assert_int_equal(ni_settings_create(o, &layout, &s, &err), cases[i].rc[k]);
            if (s) assert_int_equal(*(const uint32_t *)ni_settings_find(s, "dim"), cases[i].value[k]);
            else assert_non_null(strstr(err.text, "dim must be between"));
            ni_settings_free(s);
            neap_options_free(o);
        }
}

/* The same set of values in every order: what counts is what the method is in the end. */
static void the_order_of_set_calls_does_not_matter(void **state)
{
    static const char *const given[][2] = { { "method", "node2vec" },
                                            { "p", "0.25" },
                                            { "loss", "hs" },
                                            { "dim", "24" },
                                            { "method", "node2vec" } };
    (void)state;
    const ni_settings *first = NULL;
    for (int start = 0; start < 5; start++)
        for (int step = 1; step < 5; step++) { /* 5 is a prime: each step visits all */
            neap_options *o = options_of("authors", NULL);
            for (int i = 0, at = start; i < 5; i++, at = (at + step) % 5)
                assert_int_equal(neap_options_set(o, given[at][0], given[at][1], NULL), NEAP_OK);
            assert_int_equal(neap_options_check(o, NULL), NEAP_OK);
            const ni_settings *s = settings_of(o);
            const ni_walk_options *w = s->own;
            assert_true(w->p == 0.25 && w->q == 1 && w->learning.dim == 24 && w->learning.epochs == 1);
            assert_int_equal(w->loss, NI_LOSS_NEGATIVES); /* deepwalk's option, not node2vec's */
            if (first) assert_memory_equal(first->own, s->own, sizeof *w);
            if (first) ni_settings_free(s);
            else first = s;
        }
    ni_settings_free(first);
}

/* A flag must mean one thing, whichever method reads it, and a word must name one option. */
static void one_name_has_one_kind_in_all_sets(void **state)
{
    const ni_option *all[600];
    size_t count = 0;
    const ni_method *m;
    (void)state;
    for (size_t i = 0; i < ni_common_set.count; i++) all[count++] = &ni_common_set.option[i];
    for (size_t i = 0; (m = ni_method_at(i)); i++)
        for (const ni_option_part *p = m->options.parts; p && p->set; p++)
            for (size_t k = 0; k < p->set->count && count < 600; k++) all[count++] = &p->set->option[k];
    assert_true(count > 100 && count < 600);
    for (size_t i = 0; i < count; i++) {
        const neap_option_info *a = &all[i]->info;
        assert_ptr_not_equal(ni_option_find(a->name), NULL);
        for (size_t k = 0; k < i; k++) {
            const neap_option_info *b = &all[k]->info;
            if (!strcmp(a->name, b->name)) {
                assert_int_equal(all[i]->kind, all[k]->kind);
                assert_string_equal(a->kind, b->kind);
                assert_int_equal(a->letter, b->letter);
                assert_int_equal(a->saved, b->saved);
                continue;
            }
            assert_true(!a->letter || a->letter != b->letter);
            assert_true(ni_word_in(b->aliases, ',', a->name) < 0 &&
                        ni_word_in(a->aliases, ',', b->name) < 0);
        }
    }
    for (size_t i = 0; i < neap_option_count(); i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(neap_option_at(i)->name, neap_option_at(k)->name);
    assert_null(neap_option_at(neap_option_count()));
}

static void a_text_is_kept_whatever_its_length(void **state)
{
    enum { LENGTH = 10000 };
    char *text = malloc(LENGTH + 1), *back = malloc(LENGTH + 1);
    neap_options *o = options_of("neap", "method", "fastrp", NULL), *copy;
    neap_error err;
    (void)state;
    for (int i = 0; i < LENGTH; i++) text[i] = (char)("0123456789,"[i % 11]);
    text[LENGTH] = 0;
    assert_int_equal(neap_options_set(o, "hop-weights", text, NULL), NEAP_OK);
    assert_int_equal(neap_options_copy(o, &copy, NULL), NEAP_OK);
    neap_options_free(o);
    assert_int_equal(neap_options_get(copy, "hop-weights", back, LENGTH + 1, &err), NEAP_OK);
    assert_string_equal(back, text);
    strcpy(back, "as it was");
    assert_int_equal(neap_options_get(copy, "hop-weights", back, LENGTH, &err), NEAP_E_ARG);
    assert_string_equal(err.text, "the value of hop-weights takes 10001 bytes, not 10000");
    assert_string_equal(back, "as it was");
    neap_options_free(copy);
    free(text);
    free(back);
}

static void note_saved(const char *name, const char *value, void *user)
{
    (void)value;
    if (!strcmp(name, "walks") || !strcmp(name, "hop-weights")) ++*(int *)user;
}

/* Who tries several methods with one set of flags need not take any away. */
static void an_option_of_another_method_is_accepted_and_unused(void **state)
{
    int saved = 0;
    (void)state;
    neap_options *o = options_of("neap", "method", "gap", "walks", "3", "hop-weights", "1,2", NULL);
    assert_int_equal(neap_options_check(o, NULL), NEAP_OK);
    assert_true(!neap_method_has_option("gap", "walks") && neap_method_has_option("deepwalk", "num_walks"));
    const ni_settings *with = settings_of(o),
                      *without = settings_of(options_of("neap", "method", "gap", NULL));
    assert_memory_equal(with->own, without->own, sizeof(ni_attention_options));
    assert_null(ni_settings_find(with, "walks"));
    ni_settings_saved(with, note_saved, &saved);
    assert_int_equal(saved, 0);
    ni_settings_free(with);
    ni_settings_free(without);
}

/* Values that the range of one option does not exclude, but the method does. */
static void what_a_method_cannot_take_is_refused_before_training(void **state)
{
    static const char *const bad[][4] = {
        { "fastrp", "hop-weights", "1,,2", "--hop-weights takes a number" },
        { "walklets", "dim", "129", "cannot be divided" },
        { "line", "dim", "129", "--dim must be even" },
        { "attentivewalk", "dim", "129", "is odd" },
        { "deepwalk", "negatives", "1000", "--negatives is at most" },
        { "splitter", "negatives", "1000", "--negatives is at most" },
        { "verse", "negatives", "1000", "--negatives is at most" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        neap_options *o = options_of("neap", "method", bad[i][0], NULL);
        neap_error err = { 0 };
        assert_int_equal(neap_options_check(o, NULL), NEAP_OK);
        assert_int_equal(neap_options_set(o, bad[i][1], bad[i][2], NULL), NEAP_OK);
        assert_int_equal(neap_options_check(o, &err), NEAP_E_ARG);
        assert_non_null(strstr(err.text, bad[i][3]));
        neap_options_free(o);
    }
}

static void find_dim(const char *name, const char *value, void *user)
{
    if (!strcmp(name, "dim")) snprintf(user, 16, "%s", value);
}

static void saved_options_are_those_of_the_method_with_their_values(void **state)
{
    int foreign = 0;
    char dim[16] = "";
    neap_options *o = options_of("neap", "method", "deepwalk", "dim", "7", "neighbors", "3", NULL);
    (void)state;
    assert_int_equal(neap_options_saved(o, find_dim, dim, NULL), NEAP_OK);
    assert_string_equal(dim, "7");
    assert_int_equal(neap_options_saved(o, note_saved, &foreign, NULL), NEAP_OK);
    assert_int_equal(foreign, 1); /* walks, and not hop-weights */
    assert_int_equal(neap_options_set(o, "negatives", "1000", NULL), NEAP_OK);
    assert_int_equal(neap_options_saved(o, find_dim, dim, NULL), NEAP_E_ARG);
    neap_options_free(o);
}

static void the_value_of_a_foreign_option_cannot_be_got(void **state)
{
    neap_options *o = options_of("neap", "method", "gap", "walks", "3", NULL);
    neap_error err;
    char text[64] = "as it was";
    (void)state;
    assert_int_equal(neap_options_get(o, "walks", text, sizeof text, &err), NEAP_E_ARG);
    assert_string_equal(err.text, "method gap has no option 'walks'");
    assert_string_equal(text, "as it was");
    assert_int_equal(neap_options_set(o, "method", "deepwalk", NULL), NEAP_OK);
    assert_string_equal(text_of(o, "walks", text), "3");
    assert_int_equal(neap_options_set(o, "method", "fastrp", NULL), NEAP_OK);
    assert_int_equal(neap_options_get(o, "walks", text, sizeof text, &err),
                     NEAP_E_ARG); /* has part of the set */
    neap_options_free(o);
}

/* ---- random draws ---- */

static void large_blocks_begin_on_a_cache_line(void **state)
{
    (void)state;
    for (size_t bytes = 1 << 16; bytes <= 1 << 22; bytes = 2 * bytes + 1) {
        char *block = ni_array(bytes, 1);
        assert_non_null(block);
        assert_ptr_equal(ni_first_line(block), block);
        ni_free(block);
    }
}

static void draws_depend_on_every_coordinate(void **state)
{
    (void)state;
    ni_rng a = ni_rng_at(1, NI_STREAM_TABLE, 2, 3);
    uint64_t x = ni_next(&a), y = ni_next(&a);
    ni_rng others[] = { ni_rng_at(2, NI_STREAM_TABLE, 2, 3), ni_rng_at(1, NI_STREAM_HOOD, 2, 3),
                        ni_rng_at(1, NI_STREAM_TABLE, 3, 3), ni_rng_at(1, NI_STREAM_TABLE, 2, 4),
                        ni_rng_at(1, NI_STREAM_TABLE, 3, 2) };
    assert_true(x != y);
    for (int i = 0; i < 5; i++) assert_true(ni_next(&others[i]) != x);
    ni_rng again = ni_rng_at(1, NI_STREAM_TABLE, 2, 3);
    assert_true(ni_next(&again) == x);
    /* These numbers are in every model ever made: they may not change. */
    assert_true(x == UINT64_C(0x531d90296e479a8));
    assert_true(ni_permute(9, NI_STREAM_ORDER, 3, 1000, 7) == 200);
}

static void below_is_even(void **state)
{
    uint32_t count[7] = { 0 };
    ni_rng rng = ni_rng_at(4, NI_STREAM_GRAPH, 0, 0);
    double chi2 = 0;
    (void)state;
    for (int i = 0; i < 70000; i++) count[ni_below(&rng, 7)]++;
    for (int i = 0; i < 7; i++) chi2 += (count[i] - 10000.0) * (count[i] - 10000.0) / 10000;
    assert_true(chi2 < 22.5); /* 6 degrees of freedom, p = 0.001 */
}

static void permute_is_a_permutation_that_looks_shuffled(void **state)
{
    static const uint64_t sizes[] = { 1, 2, 3, 4, 5, 16, 17, 1000, 4097 };
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint64_t n = sizes[k], fixed = 0;
        uint8_t *seen = calloc(n, 1);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t at = ni_permute(9, NI_STREAM_ORDER, 3, n, i);
            assert_true(at < n && !seen[at]);
            seen[at] = 1;
            fixed += at == i;
        }
        assert_true(n < 100 || fixed < 10);
        free(seen);
    }
}

static void normal_has_mean_0_and_deviation_1(void **state)
{
    ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 0, 0);
    double sum = 0, squares = 0;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double x = ni_normal(&rng);
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / 1e5) < 0.015 && fabs(squares / 1e5 - 1) < 0.02);
}

/* ---- threads ---- */

typedef struct tally {
    atomic_uint runs[1000];
    uint32_t threads;
    atomic_bool bad;
} tally;

static void count_task(void *arg, uint32_t task, uint32_t thread)
{
    tally *t = arg;
    atomic_fetch_add(&t->runs[task], 1);
    if (thread >= t->threads) t->bad = true;
}

static void every_task_runs_once_and_is_over_when_run_returns(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        ni_threads *pool;
        assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
        assert_int_equal(ni_threads_count(pool), threads);
        for (uint32_t tasks = 0; tasks < 1000; tasks += 37) {
            tally t = { .threads = threads };
            ni_threads_run(pool, tasks, count_task, &t);
            for (uint32_t i = 0; i < 1000; i++) assert_int_equal(t.runs[i], i < tasks);
            assert_false(t.bad);
        }
        ni_threads_free(pool);
    }
    neap_error err;
    ni_threads *pool;
    assert_int_equal(ni_threads_create(100000, &pool, &err), NEAP_E_LIMIT);
    assert_null(pool);
}

/* ---- the wish to stop ---- */

/* A progress that asks to stop at its `stop_at`-th call. */
typedef struct watcher {
    unsigned calls, stop_at;
    pthread_t caller;
    bool elsewhere; /* called from another thread */
    char stage[16];
    uint64_t done, total;
} watcher;

static int on_progress(const neap_progress *now, void *user)
{
    watcher *w = user;
    snprintf(w->stage, sizeof w->stage, "%s", now->stage);
    w->done = now->done;
    w->total = now->total;
    if (!pthread_equal(pthread_self(), w->caller)) w->elsewhere = true;
    return ++w->calls == w->stop_at;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
}

static void slow_task(void *arg, uint32_t task, uint32_t thread)
{
    (void)task;
    (void)thread;
    pause_ms(3);
    atomic_fetch_add((atomic_uint *)arg, 1);
}

static void count_run(void *arg, uint32_t task, uint32_t thread)
{
    (void)task;
    (void)thread;
    atomic_fetch_add((atomic_uint *)arg, 1);
}

static void a_stop_between_tasks_ends_rounds(void **state)
{
    enum { TASKS = 2000 }; /* 2 s and more if nobody stopped them */
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        ni_threads *pool;
        neap_error err;
        atomic_uint runs = 0;
        watcher w = { .stop_at = 1, .caller = pthread_self() };
        neap_hooks hooks = { .size = sizeof hooks, .progress = on_progress, .user = &w };
        assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
        ni_threads_watch(pool, &hooks, "rank");
        ni_threads_progress(pool, 3, 17);
        assert_int_equal(ni_threads_check(pool, &err), NEAP_OK);
        ni_threads_run(pool, TASKS, slow_task, &runs);
        assert_true(runs > 0 && runs < TASKS / 2);
        assert_int_equal(w.calls, 1);
        assert_string_equal(w.stage, "rank");
        assert_true(w.done == 3 && w.total == 17 && !w.elsewhere);
        runs = 0;
        ni_threads_run(pool, 100, count_run, &runs); /* nor are those of later rounds */
        ni_threads_run(pool, 1, count_run, &runs);
        assert_int_equal(runs, 0);
        pause_ms(110);
        assert_int_equal(ni_threads_check(pool, &err), NEAP_E_STOPPED);
        assert_int_equal(err.code, NEAP_E_STOPPED);
        assert_non_null(strstr(err.text, "rank"));
        assert_int_equal(w.calls, 1);            /* who asked to stop is not asked again */
        ni_threads_watch(pool, &hooks, "score"); /* the next call begins anew */
        assert_int_equal(ni_threads_check(pool, &err), NEAP_OK);
        ni_threads_run(pool, 100, count_run, &runs);
        assert_int_equal(runs, 100);
        ni_threads_free(pool);
    }
}

/* Ten times a second at most, and everything is done where nobody asks to stop. */
static void a_watch_that_goes_on_loses_no_task(void **state)
{
    ni_threads *pool;
    neap_error err;
    atomic_uint runs = 0;
    watcher w = { .caller = pthread_self() };
    neap_hooks hooks = { .size = sizeof hooks, .progress = on_progress, .user = &w };
    (void)state;
    assert_int_equal(ni_threads_create(2, &pool, NULL), NEAP_OK);
    double start = ni_seconds();
    ni_threads_watch(pool, &hooks, "score");
    ni_threads_run(pool, 150, slow_task, &runs);
    double seconds = ni_seconds() - start;
    assert_int_equal(runs, 150);
    assert_true(w.calls >= 1 && w.calls <= seconds / 0.1 && !w.elsewhere);
    pause_ms(110);
    unsigned before = w.calls;
    assert_int_equal(ni_threads_check(pool, &err), NEAP_OK);
    assert_int_equal(w.calls, before + 1); /* between rounds, too */
    ni_threads_free(pool);
}

static void without_hooks_nothing_is_called(void **state)
{
    (void)state;
    for (int with_hooks = 0; with_hooks < 2; with_hooks++) {
        ni_threads *pool;
        atomic_uint runs = 0;
        watcher w = { .stop_at = 1, .caller = pthread_self() };
        neap_hooks hooks = { .size = sizeof hooks, .progress = on_progress, .user = &w };
        neap_hooks silent = { .size = sizeof silent, .user = &w };
        assert_int_equal(ni_threads_create(2, &pool, NULL), NEAP_OK);
        ni_threads_watch(pool, &hooks, "score");
        ni_threads_watch(pool, with_hooks ? &silent : NULL, "rank");
        pause_ms(110);
        ni_threads_run(pool, 100, count_run, &runs);
        assert_int_equal(runs, 100);
        assert_int_equal(ni_threads_check(pool, NULL), NEAP_OK);
        assert_int_equal(w.calls, 0);
        ni_threads_free(pool);
    }
}

/* A task that would take five seconds; task 0 of `two` is short. */
typedef struct patient {
    ni_threads *pool;
    uint32_t first_long;
    atomic_uint told; /* not to go on */
} patient;

static void long_task(void *arg, uint32_t task, uint32_t thread)
{
    patient *p = arg;
    double start = ni_seconds();
    while (task >= p->first_long && ni_seconds() < start + 5) {
        pause_ms(1);
        if (ni_threads_go_on(p->pool, thread)) continue;
        atomic_fetch_add(&p->told, 1);
        return;
    }
}

/* On the caller's thread, on another's, and on another's while the caller has nothing left to do. */
static void a_stop_ends_a_task_that_asks(void **state)
{
    (void)state;
    for (uint32_t first_long = 0; first_long < 2; first_long++)
        for (uint32_t threads = 1; threads <= 3; threads++) {
            patient p = { .first_long = first_long };
            watcher w = { .stop_at = 2, .caller = pthread_self() };
            neap_hooks hooks = { .size = sizeof hooks, .progress = on_progress, .user = &w };
            assert_int_equal(ni_threads_create(threads, &p.pool, NULL), NEAP_OK);
            double start = ni_seconds();
            ni_threads_watch(p.pool, &hooks, "train");
            ni_threads_run(p.pool, threads == 1 ? 2 : threads, long_task, &p);
            assert_true(ni_seconds() < start + 2.5);
            assert_true(p.told >= 1 && ni_threads_left_out(p.pool) && !w.elsewhere);
            assert_int_equal(ni_threads_check(p.pool, NULL), NEAP_E_STOPPED);
            ni_threads_free(p.pool);
        }
}

/* What can be finished within the grace is; then tasks are left out. */
static void grace_lets_rounds_end(void **state)
{
    (void)state;
    for (uint32_t tasks = 60; tasks <= 6000; tasks *= 100) {
        ni_threads *pool;
        atomic_uint runs = 0;
        watcher w = { .stop_at = 1, .caller = pthread_self() };
        neap_hooks hooks = { .size = sizeof hooks, .progress = on_progress, .user = &w };
        assert_int_equal(ni_threads_create(1, &pool, NULL), NEAP_OK);
        ni_threads_watch(pool, &hooks, "train");
        ni_threads_grace(pool, tasks == 60 ? 100 : 0.2);
        ni_threads_run(pool, tasks, slow_task, &runs);
        assert_int_equal(w.calls, 1);
        assert_int_equal(ni_threads_check(pool, NULL), NEAP_E_STOPPED); /* it was asked for in any case */
        assert_true(ni_threads_left_out(pool) == (tasks > 60));
        assert_true(tasks == 60 ? runs == tasks : runs < tasks);
        ni_threads_watch(pool, &hooks, "train"); /* the next call has none */
        assert_true(!ni_threads_left_out(pool));
        ni_threads_free(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_carries_the_systems_words),
        cmocka_unit_test(presets_are_those_of_the_paper),
        cmocka_unit_test(a_method_has_defaults_for_what_nobody_set),
        cmocka_unit_test(every_option_reads_back_what_was_set),
        cmocka_unit_test(a_copy_of_options_keeps_what_was_set_and_changes_alone),
        cmocka_unit_test(the_default_method_is_evidence_and_that_of_the_paper_gap),
        cmocka_unit_test(a_method_is_found_by_its_name),
        cmocka_unit_test(a_method_that_explains_says_so),
        cmocka_unit_test(names_have_aliases_and_a_nearest),
        cmocka_unit_test(values_out_of_range_are_refused_and_change_nothing),
        cmocka_unit_test(a_method_that_is_not_there_is_refused_when_it_counts),
        cmocka_unit_test(a_value_is_judged_by_the_method_whatever_was_set_first),
        cmocka_unit_test(the_order_of_set_calls_does_not_matter),
        cmocka_unit_test(one_name_has_one_kind_in_all_sets),
        cmocka_unit_test(a_text_is_kept_whatever_its_length),
        cmocka_unit_test(an_option_of_another_method_is_accepted_and_unused),
        cmocka_unit_test(what_a_method_cannot_take_is_refused_before_training),
        cmocka_unit_test(saved_options_are_those_of_the_method_with_their_values),
        cmocka_unit_test(the_value_of_a_foreign_option_cannot_be_got),
        cmocka_unit_test(large_blocks_begin_on_a_cache_line),
        cmocka_unit_test(draws_depend_on_every_coordinate),
        cmocka_unit_test(below_is_even),
        cmocka_unit_test(permute_is_a_permutation_that_looks_shuffled),
        cmocka_unit_test(normal_has_mean_0_and_deviation_1),
        cmocka_unit_test(every_task_runs_once_and_is_over_when_run_returns),
        cmocka_unit_test(a_stop_between_tasks_ends_rounds),
        cmocka_unit_test(a_watch_that_goes_on_loses_no_task),
        cmocka_unit_test(without_hooks_nothing_is_called),
        cmocka_unit_test(a_stop_ends_a_task_that_asks),
        cmocka_unit_test(grace_lets_rounds_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
