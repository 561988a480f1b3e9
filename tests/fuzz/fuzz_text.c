/* Texts of nodes, both ways of writing them: what is read is made of words that are read as themselves. */
#include "data/text.h"
#include "data/tokens.h"
#include "harness.h"

static neap_graph *graph;

static void prepare(void)
{
    graph = fuzz_graph(0, 0);
}

/* Words are valid UTF-8 without a blank: a word alone is one word or, where it was cut, a few. */
static void use(const neap_text *text)
{
    neap_text_facts facts = NEAP_SIZED(neap_text_facts);
    assert_int_equal(neap_text_facts_of(text, &facts, NULL), NEAP_OK);
    assert_true(facts.with_text && facts.with_text <= facts.nodes && facts.strangers <= facts.lines);
    assert_true(facts.words == text->offset[text->nodes] && facts.distinct == text->words.count);
    assert_true(facts.longest <= facts.words && facts.distinct <= facts.words);
    for (uint64_t i = 0; i < facts.words; i++) assert_true(text->word[i] < facts.distinct);
    for (uint32_t i = 0; i < facts.distinct; i++) {
        ni_tokens t = ni_tokens_of(ni_name(&text->words, i), ni_name_length(&text->words, i));
        assert_true(t.at < t.end && ni_tokens_next(&t));
        while (ni_tokens_next(&t)) continue;
        assert_true(!t.broken && t.at == t.end);
    }
}

static void one(const uint8_t *data, size_t size)
{
    static const char path[] = FUZZ_FOLDER "text";
    for (int by_line = 0; by_line < 2; by_line++) {
        neap_text *text;
        neap_error err = { 0 };
        fuzz_file(path, data, size);
        fuzz_bound(4 << 20, 128, size);
        neap_status rc = neap_text_load(path, graph, by_line, NULL, &text, &err);
        fuzz_unbound();
        if (!fuzz_took(rc, &err, text)) continue;
        use(text);
        neap_text_free(text);
    }
}

const fuzz_target fuzz = { .prepare = prepare, .one = one };
