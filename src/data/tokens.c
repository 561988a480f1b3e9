/* Words of a text, one pass over its bytes: ASCII by a table, the rest by utf8proc's properties. */
#include "data/tokens.h"

#include <stdint.h>
#include <string.h>
#include <utf8proc.h>

enum { LONGEST = 8 }; /* bytes of a character, and of its lower case */

/* A letter in lower case or a digit of ASCII; 0 for what separates. */
static char ascii_word(unsigned char c)
{
    unsigned char lower = c | 0x20; /* of a letter */
    if ((unsigned char)(lower - 'a') < 26) return (char)lower;
    return (unsigned char)(c - '0') < 10 ? (char)c : 0;
}

/* Scripts that are written without blanks, and of which one character is about a word. */
static bool stands_alone(int32_t c)
{
    return (c >= 0x3040 && c <= 0x30ff) || (c >= 0x31f0 && c <= 0x31ff) || (c >= 0x3400 && c <= 0x4dbf) ||
           (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xff66 && c <= 0xff9d) ||
           (c >= 0x20000 && c <= 0x3ffff);
}

typedef enum kind { SEPARATES, BELONGS, CONTINUES, ALONE } kind;

/* CONTINUES: a mark, which is part of a word but does not begin one. */
static kind kind_of(int32_t c, const utf8proc_property_t *p)
{
    switch (p->category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return stands_alone(c) ? ALONE : BELONGS;
    case UTF8PROC_CATEGORY_ND: return BELONGS;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return CONTINUES;
    default: return SEPARATES;
    }
}

/* Characters without which a word is composed (NFC) as it stands: marks, the parts of Hangul syllables, and
 * letters that NFC might replace, which are among those that it takes apart. */
static bool may_compose(int32_t c, kind k, const utf8proc_property_t *p)
{
    return k == CONTINUES || (c >= 0x1100 && c <= 0x11ff) ||
           (c > 0x36f && p->decomp_seqindex != UINT16_MAX && !p->decomp_type);
}

/* One character beyond ASCII at t->at; false: it ends the word, and is taken only if it separates. Behind
 * one that stands alone only marks are taken. */
static bool take_wide(ni_tokens *t, bool *alone, bool *compose)
{
    int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate((const uint8_t *)t->at, t->end - t->at, &c);
    if (n <= 0) {
        t->broken = t->at;
        return false;
    }
    const utf8proc_property_t *p = utf8proc_get_property(c);
    kind k = kind_of(c, p);
    if (t->length && (k == ALONE || (*alone && k != CONTINUES))) return false;
    t->at += n;
    if (k == SEPARATES || (k == CONTINUES && !t->length)) return !t->length;
    t->length += (size_t)utf8proc_encode_char(utf8proc_tolower(c), (uint8_t *)t->word + t->length);
    *alone |= k == ALONE;
    *compose |= may_compose(c, k, p);
    return true;
}

/* The word in Unicode's composed form, in which an accent is part of its letter; a word that has no room
 * for it stays as it is. */
static void compose_word(ni_tokens *t)
{
    int32_t wide[sizeof t->word + 1]; /* characters, then their bytes with a NUL */
    const utf8proc_option_t form = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    utf8proc_ssize_t n = utf8proc_decompose((const uint8_t *)t->word, (utf8proc_ssize_t)t->length, wide,
                                            sizeof t->word, form);
    if (n <= 0 || n > (utf8proc_ssize_t)sizeof t->word) return;
    n = utf8proc_reencode(wide, n, form);
    if (n <= 0 || n > (utf8proc_ssize_t)sizeof t->word) return;
    memcpy(t->word, wide, (size_t)n);
    t->length = (size_t)n;
}

bool ni_tokens_next(ni_tokens *t)
{
    bool alone = false, compose = false;
    t->length = 0;
    while (t->at < t->end && t->length + LONGEST < sizeof t->word) {
        unsigned char c = (unsigned char)*t->at;
        if (c >= 0x80) {
            if (!take_wide(t, &alone, &compose)) break;
            continue;
        }
        if (alone) break;
        char w = ascii_word(c);
        t->at++;
        if (w) t->word[t->length++] = w;
        else if (t->length) break;
    }
    if (compose) compose_word(t);
    return t->length && !t->broken;
}
