/* text.h - numbers from and to text without a locale, and the nearest of several names. */
#ifndef NI_TEXT_H
#define NI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole text to a finite number; false if anything is left over. Accepts 1e-4, not 0x10, not inf. */
bool ni_parse_double(const char *text, size_t length, double *value);

/* Digits only, no sign, no blank. */
bool ni_parse_u64(const char *text, size_t length, uint64_t *value);

/* The shortest text that reads back as the same number; room for 32 bytes. */
void ni_format_double(double value, char text[32]);

/* A float in the fewest digits that read back as the same float; returns the length. */
size_t ni_format_float(float value, char text[32]);

/* Where the first number is that is not finite; count if there is none. */
size_t ni_finite_until(const float *values, size_t count);

/* The first `length` bytes of a path are more than this ending, and end with it. */
bool ni_ends(const char *path, size_t length, const char *ending);

/* Position of a word in a list separated by `mark`, or -1; - and _ are alike. */
int ni_word_in(const char *list, char mark, const char *word);

/* How many single-letter changes lead from a to b, counted up to `most` (at most 64 letters matter). */
unsigned ni_distance(const char *a, const char *b, unsigned most);

#endif
