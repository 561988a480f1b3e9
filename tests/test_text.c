/* Texts of nodes: what a word is, what a file may hold, what a model reads of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "data/text.h"
#include "data/tokens.h"
#include "faults.h"
#include "graph/graph.h"
#include "scratch.h"

static const char *words_of(const char *text)
{
    static char out[512];
    ni_tokens t = ni_tokens_of(text, strlen(text));
    size_t used = 0;
    out[0] = 0;
    while (ni_tokens_next(&t)) {
        memcpy(out + used, t.word, t.length);
        used += t.length;
        out[used++] = '|';
        out[used] = 0;
    }
    return t.broken ? "broken" : out;
}

static void words_are_letters_and_digits_of_any_script(void **state)
{
    (void)state;
    assert_string_equal(words_of("Don't PANIC: 42 e-mails, x_y!"), "don|t|panic|42|e|mails|x|y|");
    assert_string_equal(words_of("Größe ÉTÉ naïve"), "größe|été|naïve|");
    assert_string_equal(words_of("Быстрая Лиса"), "быстрая|лиса|");
    assert_string_equal(words_of("ΑΘΗΝΑ και"), "αθηνα|και|");
    assert_string_equal(words_of("机器学习 deep学习"), "机|器|学|习|deep|学|习|");
    assert_string_equal(words_of("हिन्दी भाषा"), "हिन्दी|भाषा|");
    assert_string_equal(words_of("مرحبا بالعالم ٣"), "مرحبا|بالعالم|٣|");
    assert_string_equal(words_of(""), "");
    assert_string_equal(words_of("a \xff b"), "broken");
}

/* An accent is part of its letter, however it was written. */
static void words_are_composed(void **state)
{
    (void)state;
    assert_string_equal(words_of("Cafe\xcc\x81 caf\xc3\xa9"), "caf\xc3\xa9|caf\xc3\xa9|");
    assert_string_equal(words_of("E\xcc\x81t\xc3\xa9"), "\xc3\xa9t\xc3\xa9|");
    assert_string_equal(words_of("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), "한|");
    assert_string_equal(words_of("か\xe3\x82\x99x が"), "が|x|が|");
    assert_string_equal(words_of("\xef\xa4\x80"), "\xe8\xb1\x88|"); /* a compatibility ideograph */
    assert_string_equal(words_of("\xcc\x81 a"), "a|");              /* a mark begins no word */
}

static void a_word_without_an_end_is_cut_into_words(void **state)
{
    char text[1000];
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        size_t sum = 0, count = 0;
        for (size_t i = 0; i < sizeof text; i += 2) memcpy(text + i, wide ? "\xcc\x81" : "xx", 2);
        text[0] = text[1] = 'a';
        ni_tokens t = ni_tokens_of(text, sizeof text);
        for (; ni_tokens_next(&t); count++) sum += t.length;
        assert_null(t.broken);
        assert_true(wide ? count == 1 && sum <= sizeof t.word : count == 5 && sum == sizeof text);
    }
}

/* ---- files ---- */

/* Five nodes whose numbers are not their names. */
static neap_graph *five(void)
{
    static const char *const names[] = { "3", "1", "0", "ann", "2" };
    neap_edge edge = { 0, 1, 1 };
    neap_graph *g;
    assert_int_equal(neap_graph_create(5, names, &edge, 1, 0, 0, &g, NULL), NEAP_OK);
    return g;
}

static neap_status read_bytes(const char *bytes, size_t size, bool by_line, uint32_t most, neap_text **text,
                              neap_error *err)
{
    neap_graph *g = five();
    scratch_put("texts", bytes, size);
    ni_text_plan plan = { .names = &g->names, .by_line = by_line, .most = most };
    neap_status rc = ni_text_read("texts", &plan, text, err);
    neap_graph_free(g);
    return rc;
}

/* The words of the five nodes in order, blanks between words, | behind each node. */
static void expect_words(const neap_text *t, const char *expected)
{
    char got[400] = "";
    assert_int_equal(t->nodes, 5);
    for (uint32_t u = 0; u < t->nodes; u++) {
        for (uint64_t i = t->offset[u]; i < t->offset[u + 1]; i++) {
            if (i > t->offset[u]) strcat(got, " ");
            strcat(got, ni_name(&t->words, t->word[i]));
        }
        strcat(got, "|");
    }
    assert_string_equal(got, expected);
}

static void expect(const char *text, bool by_line, const char *words, unsigned strangers)
{
    neap_text *t;
    neap_text_facts f = NEAP_SIZED(neap_text_facts);
    neap_error err = { 0 };
    if (read_bytes(text, strlen(text), by_line, 100, &t, &err)) fail_msg("%s", err.text);
    expect_words(t, words);
    assert_int_equal(neap_text_facts_of(t, &f, NULL), NEAP_OK);
    assert_int_equal(f.strangers, strangers);
    assert_int_equal(f.words, t->offset[5]);
    neap_text_free(t);
}

static void refuse_bytes(const char *bytes, size_t size, bool by_line, neap_status code, unsigned line,
                         const char *words)
{
    neap_text *t;
    neap_error err = { 0 };
    assert_int_equal(read_bytes(bytes, size, by_line, 3, &t, &err), code);
    assert_null(t);
    assert_int_equal(err.where, line);
    if (!strstr(err.text, words)) fail_msg("'%s' is not in: %s", words, err.text);
}

static void refuse(const char *text, bool by_line, neap_status code, unsigned line, const char *words)
{
    refuse_bytes(text, strlen(text), by_line, code, line, words);
}

static void a_line_is_a_node_a_tab_and_its_text(void **state)
{
    (void)state;
    expect("0\tA red, red Fox\nann\tb\tc\n", false, "||a red red fox|b c||", 0);
    expect("0\ta\r\n1\tb\r\n", false, "|b|a|||", 0);
    expect("\xef\xbb\xbf"
           "0\ta\n ann \tb",
           false, "||a|b||", 0);
}

static void comments_and_blank_lines_are_passed_over(void **state)
{
    (void)state;
    expect("# no text\n\n% nor this\n0\t# a % b\n  \n", false, "||a b|||", 0);
}

static void by_line_every_line_counts_and_means_a_name(void **state)
{
    (void)state;
    expect("# zero\n\n2\ttwo\nthree\n", true, "three||zero||2 two|", 0);
    expect("a\nb\nc\nd\ne\n", true, "d|b|a||c|", 1);
}

static void strangers_are_counted_and_not_read(void **state)
{
    (void)state;
    expect("bob\tx\n0\ta\neve\t\xff\n", false, "||a|||", 2);
}

static void a_node_may_have_no_text_an_empty_one_or_one_without_words(void **state)
{
    (void)state;
    expect("0\t\n1\t ... !\n2\tone\n", false, "||||one|", 0);
    expect("3\tonly\n", false, "only|||||", 0);
}

static void the_texts_of_a_node_are_joined_in_their_order(void **state)
{
    (void)state;
    expect("0\ta b\n1\tx\n0\tc\n0\t\n0\ta\n", false, "|x|a b c a|||", 0);
}

static void compressed_files_are_read(void **state)
{
    static const char text[] = "0\tzipped words\n";
    neap_graph *g = five();
    neap_text *t;
    (void)state;
    gzFile file = gzopen("texts.gz", "wb");
    assert_int_equal(gzwrite(file, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(gzclose(file), Z_OK);
    assert_int_equal(neap_text_load("texts.gz", g, 0, NULL, &t, NULL), NEAP_OK);
    expect_words(t, "||zipped words|||");
    neap_text_free(t);
    neap_graph_free(g);
}

static void what_is_not_utf8_is_named_by_line_and_column(void **state)
{
    (void)state;
    refuse("0\ta\n1\tab \xff c\n", false, NEAP_E_FORMAT, 2, "texts:2:6: this is not UTF-8");
    refuse("0\tM\xfcller\n", false, NEAP_E_FORMAT, 1, "texts:1:4: this is not UTF-8"); /* Latin-1 */
    refuse("0\t\xed\xa0\x80\n", false, NEAP_E_FORMAT, 1, "not UTF-8");                 /* a surrogate */
    refuse("0\ta\xc3\n", false, NEAP_E_FORMAT, 1, "texts:1:4: this is not UTF-8");     /* cut off */
}

static void odd_bytes_are_refused(void **state)
{
    (void)state;
    refuse_bytes("0\ta\n1\tb\0c\n", 10, false, NEAP_E_FORMAT, 2, "texts:2:4: a NUL byte");
    refuse("0\ta\rb\n", false, NEAP_E_FORMAT, 1, "carriage return");
    refuse("\xff\xfe"
           "0",
           false, NEAP_E_FORMAT, 1, "UTF-16");
}

static void a_bad_line_is_named(void **state)
{
    (void)state;
    refuse("0\ta\n1 b\n", false, NEAP_E_FORMAT, 2, "texts:2:1: no tab");
    refuse("0\ta\n\tb\n", false, NEAP_E_FORMAT, 2, "texts:2:1: the name of the node is empty");
    char text[NI_NAME_MOST + 8];
    memset(text, 'x', sizeof text);
    memcpy(text + NI_NAME_MOST + 1, "\ta\n", 4);
    refuse(text, false, NEAP_E_LIMIT, 1, "texts:1:1: 4097 bytes before the tab");
}

static void a_file_without_a_word_of_the_graph_is_refused(void **state)
{
    (void)state;
    refuse("", false, NEAP_E_FORMAT, 0, "none of its 0 lines");
    refuse("0\t\n1\t--\n", false, NEAP_E_FORMAT, 2, "none of its 2 lines");
    refuse("x\ta\ny\tb\n", false, NEAP_E_FORMAT, 2, "none of its 2 lines has a text of a node");
}

static void there_is_a_limit_of_distinct_words(void **state)
{
    (void)state;
    refuse("0\ta b a c\n1\td\n", false, NEAP_E_LIMIT, 2, "more than 3 different words");
    assert_true(NI_TEXT_WORDS_MOST >= 10000000);
}

static void texts_come_from_memory_too(void **state)
{
    const char *texts[] = { "Two words", NULL, "", "!", "a two" };
    neap_graph *g = five();
    neap_text *t;
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(neap_text_create(g, texts, &t, NULL), NEAP_OK);
    expect_words(t, "two words||||a two|");
    neap_text_free(t);
    texts[3] = "ab \xff";
    assert_int_equal(neap_text_create(g, texts, &t, &err), NEAP_E_FORMAT);
    assert_null(t);
    assert_int_equal(err.where, 3);
    assert_non_null(strstr(err.text, "node 3, byte 3: this is not UTF-8"));
    neap_graph_free(g);
}

static void frequent_words_come_first_then_by_bytes(void **state)
{
    neap_text *t;
    neap_word_counts *w;
    (void)state;
    static const char text[] = "0\tb c b a\n1\tb zz a\n2\td\n";
    assert_int_equal(read_bytes(text, sizeof text - 1, false, 100, &t, NULL), NEAP_OK);
    assert_int_equal(neap_text_frequent(t, 3, &w, NULL), NEAP_OK);
    assert_int_equal(w->size, sizeof *w);
    assert_true(w->count == 3 && w->once == 3);
    assert_true(!strcmp(w->word[0], "b") && w->times[0] == 3 && w->nodes[0] == 2);
    assert_true(!strcmp(w->word[1], "a") && w->times[1] == 2 && w->nodes[1] == 2);
    assert_true(!strcmp(w->word[2], "c") && w->times[2] == 1 && w->nodes[2] == 1);
    neap_word_counts_free(w);
    assert_int_equal(neap_text_frequent(t, 100, &w, NULL), NEAP_OK);
    assert_int_equal(w->count, 5);
    neap_word_counts_free(w);
    neap_text_free(t);
}

static void other_files_are_called_by_their_name(void **state)
{
    neap_graph *g = five();
    neap_text *t;
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(neap_graph_save(g, "g.safetensors", NULL, NULL), NEAP_OK);
    assert_int_equal(neap_text_load("g.safetensors", g, 0, NULL, &t, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "this is a safetensors file; texts are read from lines"));
    assert_int_equal(neap_text_load("nowhere", g, 0, NULL, &t, &err), NEAP_E_READ);
    neap_graph_free(g);
}

/* The buffer of lines grows to twice the line at most, words are 4 bytes each, three times. */
static void memory_is_bounded_by_the_longest_line(void **state)
{
    enum { SIZE = 5 << 20 };
    neap_graph *g = five();
    neap_text *t;
    char *text = malloc(SIZE);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i++) text[i] = i % 8 ? 'a' : ' ';
    memcpy(text, "0\t", 2);
    text[SIZE - 1] = '\n';
    scratch_put("texts", text, SIZE);
    faults_peak();
    size_t before = faults_peak();
    assert_int_equal(neap_text_load("texts", g, 0, NULL, &t, NULL), NEAP_OK);
    assert_true(faults_peak() - before < 2 * SIZE + 12 * (SIZE / 8) + (4u << 20));
    assert_int_equal(t->facts.longest, SIZE / 8);
    neap_text_free(t);
    neap_graph_free(g);
    free(text);
}

/* What docs/input.md says of distinct words: 60 to 110 bytes each, 40 more where they are counted. */
static void memory_is_bounded_by_the_distinct_words(void **state)
{
    enum { WORDS = 200000, PER_LINE = 100, ROOM = 16, BUFFERS = 4 << 20 };
    neap_graph *g = five();
    neap_text *t;
    neap_word_counts *w;
    char *text = malloc(WORDS * ROOM);
    size_t used = 0;
    (void)state;
    assert_non_null(text);
    for (int i = 0; i < WORDS; i++)
        used += (size_t)sprintf(text + used, "%sword%x", i % PER_LINE ? " " : i ? "\n0\t" : "0\t", i);
    scratch_put("texts", text, used);
    faults_peak();
    size_t before = faults_peak();
    assert_int_equal(neap_text_load("texts", g, 0, NULL, &t, NULL), NEAP_OK);
    size_t peak = faults_peak() - before;
    assert_int_equal(t->facts.distinct, WORDS);
    assert_in_range(peak, 60 * WORDS, 110 * WORDS + BUFFERS);
    before = atomic_load(&faults.bytes);
    assert_int_equal(neap_text_frequent(t, 5, &w, NULL), NEAP_OK);
    assert_in_range(faults_peak() - before, 35 * WORDS, 45 * WORDS);
    neap_word_counts_free(w);
    neap_text_free(t);
    neap_graph_free(g);
    free(text);
}

static int stop_now(const neap_progress *p, void *user)
{
    ++*(unsigned *)user;
    assert_string_equal(p->stage, "load");
    assert_true(p->done > 0 && p->done <= p->total);
    return 1;
}

static void reading_can_be_stopped(void **state)
{
    enum { SIZE = 1 << 20 };
    unsigned calls = 0;
    neap_graph *g = five();
    neap_text *t;
    char *text = malloc(SIZE);
    neap_hooks hooks = { .size = sizeof hooks, .progress = stop_now, .user = &calls };
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i += 4) memcpy(text + i, "0\ta\n", 4);
    scratch_put("texts", text, SIZE);
    free(text);
    faults.slow_reads = 3;
    neap_status rc = neap_text_load("texts", g, 0, &hooks, &t, NULL);
    assert_int_equal(rc, NEAP_E_STOPPED);
    assert_null(t);
    assert_int_equal(calls, 1);
    neap_graph_free(g);
}

/* Reading the file looks a few times for a stop; all other looks are among the words of its only line. */
static int stop_late(const neap_progress *p, void *user)
{
    (void)p;
    usleep(101000);
    return ++*(unsigned *)user == 6;
}

static void one_long_line_can_be_stopped(void **state)
{
    enum { SIZE = 300000 };
    unsigned calls = 0;
    neap_graph *g = five();
    neap_text *t;
    char *text = malloc(SIZE);
    neap_hooks hooks = { .size = sizeof hooks, .progress = stop_late, .user = &calls };
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i += 2) memcpy(text + i, "a ", 2);
    text[0] = '0', text[1] = '\t';
    scratch_put("texts", text, SIZE);
    free(text);
    faults.slow_reads = 3;
    assert_int_equal(neap_text_load("texts", g, 0, &hooks, &t, NULL), NEAP_E_STOPPED);
    assert_null(t);
    hooks.size = 3;
    assert_int_equal(neap_text_load("texts", g, 0, &hooks, &t, NULL), NEAP_E_ARG);
    neap_graph_free(g);
}

static neap_status scenario(void *user, neap_error *err)
{
    neap_text *t;
    neap_word_counts *w = NULL;
    neap_status rc = neap_text_load("texts", user, 0, NULL, &t, err);
    if (rc == NEAP_OK) rc = neap_text_frequent(t, 2, &w, err);
    neap_word_counts_free(w);
    neap_text_free(t);
    return rc;
}

static void no_failure_leaks(void **state)
{
    neap_graph *g = five();
    (void)state;
    scratch_put("texts", "0\ta b c\n1\tb 17 d\n2\tb\n", 21);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, scenario, faults_expect_memory, g) >= 8);
    assert_true(faults_each(FAULTS_READ, EIO, true, scenario, faults_expect_read, g) >= 1);
    neap_graph_free(g);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_letters_and_digits_of_any_script),
        cmocka_unit_test(words_are_composed),
        cmocka_unit_test(a_word_without_an_end_is_cut_into_words),
        HERE(a_line_is_a_node_a_tab_and_its_text),
        HERE(comments_and_blank_lines_are_passed_over),
        HERE(by_line_every_line_counts_and_means_a_name),
        HERE(strangers_are_counted_and_not_read),
        HERE(a_node_may_have_no_text_an_empty_one_or_one_without_words),
        HERE(the_texts_of_a_node_are_joined_in_their_order),
        HERE(compressed_files_are_read),
        HERE(what_is_not_utf8_is_named_by_line_and_column),
        HERE(odd_bytes_are_refused),
        HERE(a_bad_line_is_named),
        HERE(a_file_without_a_word_of_the_graph_is_refused),
        HERE(there_is_a_limit_of_distinct_words),
        HERE(texts_come_from_memory_too),
        HERE(frequent_words_come_first_then_by_bytes),
        HERE(other_files_are_called_by_their_name),
        HERE(memory_is_bounded_by_the_longest_line),
        HERE(memory_is_bounded_by_the_distinct_words),
        HERE(reading_can_be_stopped),
        HERE(one_long_line_can_be_stopped),
        HERE(no_failure_leaks),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
