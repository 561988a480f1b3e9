/* Texts of nodes: what a word is, what a file may hold, what a model reads of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/tokens.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_letters_and_digits_of_any_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
