/* tokens.h - the words of a UTF-8 text.
 *
 * A word is a run of letters and digits of any script (Unicode categories L and Nd, and the marks M behind
 * them), in lower case by Unicode's simple mapping and composed (NFC). Chinese characters and kana have no
 * blanks between words: each is a word of its own. Everything else separates: blanks, punctuation, hyphens,
 * apostrophes, symbols. */
#ifndef NI_TOKENS_H
#define NI_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum { NI_TOKEN = 256 }; /* bytes of a word at most */

/* What is left of a text. */
typedef struct ni_tokens {
    const char *at, *end;
    const char *broken;  /* where it is not UTF-8; NULL so far */
    char word[NI_TOKEN]; /* the last word, without a NUL behind it */
    size_t length;
} ni_tokens;

static inline ni_tokens ni_tokens_of(const char *text, size_t length)
{
    return (ni_tokens){ .at = text, .end = text + length };
}

/* The next word into t->word; false at the end, or where the text is not UTF-8 (t->broken). A word longer
 * than t->word goes on as the next one. */
bool ni_tokens_next(ni_tokens *t);

#endif
