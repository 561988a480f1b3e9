/* text.h - text without a locale: numbers, words, and bytes that must be escaped. */
#ifndef NI_TEXT_H
#define NI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where text goes: a file, a buffer, standard output. It remembers a failure itself. */
typedef struct ni_sink {
    void (*write)(void *to, const void *bytes, size_t count);
    void *to;
} ni_sink;

/* ---- numbers (number.c) ---- */

/* Whole text to a finite number; false if anything is left over. Accepts 1e-4, not 0x10, not inf. */
bool ni_parse_double(const char *text, size_t length, double *value);

/* Digits only, no sign, no blank. */
bool ni_parse_u64(const char *text, size_t length, uint64_t *value);

/* The shortest text that reads back as the same number; room for 32 bytes. */
void ni_format_double(double value, char text[32]);

/* A number in at most so many significant digits, as %.*g in the C locale; returns the length. */
size_t ni_format_digits(double value, int digits, char text[32]);

/* A float in the fewest digits that read back as the same float; returns the length. */
size_t ni_format_float(float value, char text[32]);

/* So many digits behind the point, rounded; false if the number is too large for that or not finite. */
enum { NI_FIXED_BYTES = 48 };
bool ni_format_fixed(double value, int decimals, char text[NI_FIXED_BYTES]);

/* A count for people, "5,346"; returns the text. */
char *ni_format_count(uint64_t value, char text[32]);

/* A time for people, "1 min 03 s"; returns the text. */
char *ni_format_seconds(double seconds, char text[32]);

/* Where the first number is that is not finite; count if there is none. */
size_t ni_finite_until(const float *values, size_t count);

/* ---- words (words.c) ---- */

/* The first `length` letters of a word are the name; - and _ are alike. */
bool ni_same_name(const char *name, const char *word, size_t length);

/* Position of a word in a list separated by `mark`, or -1; - and _ are alike. */
int ni_word_in(const char *list, char mark, const char *word);

/* The same to the letter: whether the word is in the list. */
bool ni_list_has(const char *list, char mark, const char *word);

/* How many single-letter changes lead from a to b, counted up to `most` (at most 64 letters matter). */
unsigned ni_distance(const char *a, const char *b, unsigned most);

/* The name that was probably meant: two changes away at most, one if the word is short, or one that begins
 * with the word; NULL if there is none. name(from, i) is NULL behind the last. */
const char *ni_nearest_name(const char *word, const char *(*name)(const void *from, size_t i),
                            const void *from);

/* ---- UTF-8 and escapes (escape.c) ---- */

/* Length of the UTF-8 character at `text` (1 to 4), or 0 if there is none: a stray or cut byte, an
 * overlong form, a surrogate, or the end of the text. */
size_t ni_utf8_length(const char *text);

/* U+FFFD, which stands for what is not UTF-8. */
extern const char ni_utf8_unknown[];

/* Names in files in which some bytes separate: percent, control bytes, bytes that are not UTF-8 and, where
 * a blank separates too, blanks become %XX. urllib.parse.unquote_to_bytes in Python undoes it. */
void ni_escape(ni_sink out, const char *name, bool blanks);

/* The text in double quotes, a quote in it written twice (RFC 4180). */
void ni_quote(ni_sink out, const char *text);

/* The next character of a name, and moves *name behind it: its code point, or U+DC00 and the byte where
 * that is not UTF-8, as Python's "surrogateescape" has it. */
uint32_t ni_utf8_next(const char **name);

/* The name without its escapes, into `plain`, which has room for `length` bytes; returns how many there
 * are. What is no escape stays as it is, and so does %00, since no name has a NUL. */
size_t ni_unescape(const char *name, size_t length, char *plain);

#endif
