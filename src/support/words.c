/* Words in lists, and the nearest word by edit distance: O(length of both) per pair, on the stack. */
#include <ctype.h>
#include <string.h>

#include "support/text.h"

static char plain(char c)
{
    return c == '_' ? '-' : c;
}

bool ni_same_name(const char *name, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!name[i] || plain(name[i]) != plain(word[i])) return false;
    return name[length] == 0;
}

static bool same_letters(const char *name, const char *word, size_t length)
{
    return !strncmp(name, word, length) && name[length] == 0;
}

/* Each item of the list, of some length, is compared with the word. */
static int find(const char *list, char mark, const char *word,
                bool (*same)(const char *name, const char *word, size_t length))
{
    for (int i = 0; *list; i++) {
        const char *end = strchr(list, mark);
        size_t length = end ? (size_t)(end - list) : strlen(list);
        if (same(word, list, length)) return i;
        list += length + (end != NULL);
    }
    return -1;
}

int ni_word_in(const char *list, char mark, const char *word)
{
    return find(list, mark, word, ni_same_name);
}

bool ni_list_has(const char *list, char mark, const char *word)
{
    return find(list, mark, word, same_letters) >= 0;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance, row by row: row[j] is that of the first i letters of a and the first j of b. */
unsigned ni_distance(const char *a, const char *b, unsigned most)
{
    enum { LETTERS = 64 };
    size_t n = strnlen(a, LETTERS), m = strnlen(b, LETTERS);
    if ((n > m ? n - m : m - n) >= most) return most;
    unsigned row[LETTERS + 1];
    for (size_t j = 0; j <= m; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned corner = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned up = row[j];
            unsigned swap = corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            row[j] = least(swap, least(up, row[j - 1]) + 1);
            corner = up;
        }
    }
    return least(row[m], most);
}

const char *ni_nearest_name(const char *word, const char *(*name)(const void *from, size_t i),
                            const void *from)
{
    size_t length = strlen(word);
    unsigned best = length < 4 ? 2 : 3;
    const char *nearest = NULL, *candidate;
    for (size_t i = 0; (candidate = name(from, i)); i++) {
        unsigned d = ni_distance(word, candidate, best);
        if (length > 2 && !strncmp(word, candidate, length)) d = 1;
        if (d < best) best = d, nearest = candidate;
    }
    return nearest;
}
