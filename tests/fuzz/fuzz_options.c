/* Options as lines `name=value`. Whatever the method accepts is said as text that gives the same options.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "world.h"

enum { MOST = 512, VALUE = 2 * MOST };

/* Sets line by line; each is taken, or refused with words. Only the names of those taken stay in the text.
 */
static void set_lines(neap_options *o, char *text)
{
    for (char *line = text, *end; line; line = end) {
        neap_error err = { 0 };
        if ((end = strchr(line, '\n'))) *end++ = 0;
        char *value = strchr(line, '=');
        if (value) *value++ = 0;
        neap_status rc = neap_options_set(o, line, value ? value : "", &err);
        assert_true(rc == NEAP_OK || (rc == NEAP_E_ARG && err.code == rc && err.text[0]));
        if (value) memset(value, 0, strlen(value));
        if (rc != NEAP_OK) memset(line, 0, strlen(line));
    }
}

/* The values that are used for the names in the text, set by themselves, mean what they meant. */
static void say_again(const neap_options *o, const char *text, const char *end)
{
    neap_options *again = options_of("neap", NULL);
    char *value = malloc(VALUE), *same = malloc(VALUE);
    for (int round = 0; round < 2; round++)
        for (const char *name = text; name < end; name += strlen(name) + 1) {
            if (!*name || neap_options_get(o, name, value, VALUE, NULL)) continue;
            if (round == 0) assert_int_equal(neap_options_set(again, name, value, NULL), NEAP_OK);
            else assert_true(!neap_options_get(again, name, same, VALUE, NULL) && !strcmp(value, same));
        }
    free(value);
    free(same);
    neap_options_free(again);
}

static void one(const uint8_t *data, size_t size)
{
    char text[MOST + 1];
    neap_options *o = options_of("neap", NULL), *copy;
    neap_error err = { 0 };
    if (size > MOST) size = MOST;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    set_lines(o, text);
    neap_status rc = neap_options_check(o, &err);
    assert_true(rc == NEAP_OK || (rc == NEAP_E_ARG && err.text[0]));
    assert_int_equal(neap_options_copy(o, &copy, NULL), NEAP_OK);
    assert_int_equal(neap_options_check(copy, NULL), rc);
    if (rc == NEAP_OK) say_again(copy, text, text + size);
    neap_options_free(copy);
    neap_options_free(o);
}

const fuzz_target fuzz = { .one = one };
