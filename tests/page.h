/* page.h - what tests of our HTML pages ask of every page (include after cmocka.h). */
#ifndef NEAP_TESTS_PAGE_H
#define NEAP_TESTS_PAGE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static inline size_t count_of(const char *page, const char *what)
{
    size_t count = 0;
    for (const char *at = page; (at = strstr(at, what)); at += strlen(what)) count++;
    return count;
}

static inline void assert_has(const char *page, const char *what)
{
    if (!strstr(page, what)) fail_msg("the page lacks '%s'", what);
}

static inline void assert_lacks(const char *page, const char *what)
{
    if (strstr(page, what)) fail_msg("the page has '%s'", what);
}

static inline bool is_word_of(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' '))
        if (strcspn(at, " ") == length && !strncmp(at, word, length)) return true;
    return false;
}

/* Checks the attributes of a tag, each `name="value"`, and returns the place behind them. */
static inline const char *check_attributes(const char *at)
{
    static const char known[] =
        "charset http-equiv content name lang role class scope style title id tabindex "
        "aria-label aria-labelledby aria-hidden width height viewBox x y rx cx cy r d "
        "transform text-anchor rowspan colspan href";
    while (*at == ' ') {
        size_t length = strcspn(++at, "=<> \"");
        if (!is_word_of(known, at, length)) fail_msg("unknown attribute at '%.40s'", at);
        assert_int_equal(strncmp(at + length, "=\"", 2), 0);
        if (is_word_of("href", at, length))
            assert_int_equal(at[length + 2], '#'); /* never to the outside */
        at += length + 2;
        at += strcspn(at, "\"<>");
        assert_int_equal(*at, '"');
        at++;
    }
    return at;
}

typedef struct tags {
    const char *name[32];
    size_t length[32], depth;
} tags;

/* To a screen reader the parts of a table are rows; a heading in its caption is lost. */
static inline void assert_outside_tables(const tags *open, const char *at)
{
    for (size_t i = 0; i < open->depth; i++)
        if (is_word_of("table", open->name[i], open->length[i]))
            fail_msg("a heading inside a table at '%.40s'", at);
}

/* Each value of an attribute, `before` being its name with =", occurs once. */
static inline void assert_unique(const char *page, const char *before)
{
    for (const char *at = page; (at = strstr(at, before)); at++) {
        size_t length = strcspn(at + strlen(before), "\"") + strlen(before) + 1;
        for (const char *other = at + 1; (other = strstr(other, before)); other++)
            if (!strncmp(at, other, length)) fail_msg("'%.*s' occurs twice", (int)length, at);
    }
}

/* What names an element stands on the page. */
static inline void assert_labels_exist(const char *page)
{
    static const char before[] = "aria-labelledby=\"";
    for (const char *at = page; (at = strstr(at, before));) {
        for (at += strlen(before); *at != '"'; at += *at == ' ') {
            char id[256];
            int length = (int)strcspn(at, " \"");
            snprintf(id, sizeof id, " id=\"%.*s\"", length, at);
            assert_has(page, id);
            at += length;
        }
    }
}

/* Takes one tag from `at`, which points at its <, and returns the place behind it. */
static inline const char *take_tag(tags *open, const char *at)
{
    static const char known[] =
        "html head meta title style body main footer h1 h2 dl dt dd div p section figure "
        "figcaption svg text rect circle path span small strong bdi i table caption thead "
        "tbody tfoot tr th td h3 h4 ol li a pre g desc";
    bool closes = at[1] == '/';
    const char *name = at + 1 + closes;
    size_t length = strcspn(name, " />");
    if (!is_word_of(known, name, length)) fail_msg("unknown element at '%.40s'", at);
    if (closes) {
        assert_true(open->depth > 0);
        open->depth--;
        if (open->length[open->depth] != length || strncmp(open->name[open->depth], name, length))
            fail_msg("'%.20s' closes another element", at);
        at = name + length;
    } else {
        if (is_word_of("h1 h2 h3 h4", name, length)) assert_outside_tables(open, at);
        at = check_attributes(name + length);
        assert_true(open->depth < 32);
        open->name[open->depth] = name, open->length[open->depth] = length;
        if (*at == '/') at++;
        else open->depth++;
    }
    assert_int_equal(*at, '>');
    return at + 1;
}

/* A page is a tree of the elements we know, with the attributes we know, and nothing else: what a hostile
 * name would have to add to do harm is then not there. */
static inline void assert_well_formed(const char *page)
{
    static const char start[] = "<!DOCTYPE html>";
    const char *at = page + strlen(start);
    tags open = { .depth = 0 };
    assert_int_equal(strncmp(page, start, strlen(start)), 0);
    for (at += strcspn(at, "<>"); *at; at += strcspn(at, "<>")) {
        assert_int_equal(*at, '<');
        bool style = !strncmp(at, "<style>", 7);
        at = style ? strstr(at, "</style>") + strlen("</style>") : take_tag(&open, at);
    }
    assert_int_equal(open.depth, 0);
    assert_unique(page, " id=\"");
    assert_unique(page, "role=\"region\" aria-label=\"");
    assert_labels_exist(page);
}

#endif
