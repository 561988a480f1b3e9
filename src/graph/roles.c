/* The option `columns`: source, target and perhaps weight, each by its number or by the word that the
 * header has for it, exactly or but for case, blanks and what joins words. */
#include <stdio.h>
#include <string.h>

#include "graph/lines.h"
#include "support/text.h"

enum { COLUMN_MOST = 1 << 16 };

static neap_status bad_list(const char *text, const char *why, neap_error *err)
{
    return ni_fail(err, NEAP_E_ARG,
                   "columns are source,target or source,target,weight, by number from 1 or by the words of "
                   "the header, as in 2,1 or from,to,cost; '%.60s' %s",
                   text, why);
}

static neap_status take_role(ni_roles *roles, const char *all, const char *text, size_t length,
                             neap_error *err)
{
    uint64_t number = 0;
    if (roles->count == NI_ROLES)
        return bad_list(all, "has more (there are no relations, and no times)", err);
    if (length == 0) return bad_list(all, "has an empty one", err);
    bool numeric = ni_parse_u64(text, length, &number);
    if (numeric && (number == 0 || number > COLUMN_MOST)) return bad_list(all, "has no such number", err);
    roles->worded = roles->worded || !numeric;
    roles->role[roles->count].text = text;
    roles->role[roles->count].length = length;
    roles->role[roles->count++].column = (unsigned)number;
    return NEAP_OK;
}

/* A column that has two roles, or 0; columns that are not looked up yet are 0. */
static unsigned find_twice(const ni_roles *roles)
{
    for (unsigned i = 0; i < roles->count; i++)
        for (unsigned k = 0; k < i; k++)
            if (roles->role[i].column == roles->role[k].column && roles->role[i].column)
                return roles->role[i].column;
    return 0;
}

neap_status ni_roles_read(const ni_common *options, ni_roles *roles, neap_error *err)
{
    const char *all = options->columns, *at = all;
    neap_status rc = NEAP_OK;
    *roles = (ni_roles){ 0 };
    if (!strcmp(all, "auto")) return NEAP_OK;
    while (rc == NEAP_OK && at) {
        size_t length = strcspn(at, ",");
        rc = take_role(roles, all, at, length, err);
        at = at[length] ? at + length + 1 : NULL;
    }
    if (rc == NEAP_OK && roles->count < NI_WEIGHT) rc = bad_list(all, "has fewer", err);
    if (rc == NEAP_OK && roles->worded && options->header == NI_HEADER_NO)
        rc = bad_list(all, "has words, but --header no says that there is no header", err);
    return rc == NEAP_OK && find_twice(roles) ? bad_list(all, "names one column twice", err) : rc;
}

bool ni_field_word(const ni_field *field, char word[NI_WORD])
{
    size_t used = 0;
    for (size_t i = 0; i < field->length; i++) {
        char c = field->at[i];
        if (memchr(" _-.", c, 4)) continue;
        if (used == NI_WORD - 1) return false;
        word[used++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    word[used] = 0;
    return true;
}

static bool is_same(const ni_field *a, const ni_field *b, bool exactly)
{
    char x[NI_WORD], y[NI_WORD];
    if (exactly) return a->length == b->length && !memcmp(a->at, b->at, a->length);
    return ni_field_word(a, x) && ni_field_word(b, y) && *x && !strcmp(x, y);
}

/* How many columns have the word; *column is the first of them. */
static unsigned count_word(const ni_field *word, const ni_columns *columns, char *line, bool exactly,
                           unsigned *column)
{
    ni_field field;
    unsigned found = 0;
    for (unsigned at = 1; ni_field_next(columns, &line, &field) && field.at; at++)
        if (is_same(word, &field, exactly) && found++ == 0) *column = at;
    return found;
}

static neap_status find_word(const ni_field *word, const ni_columns *columns, const ni_lines *lines,
                             char *line, unsigned *column, neap_error *err)
{
    unsigned found = count_word(word, columns, line, true, column);
    if (!found) found = count_word(word, columns, line, false, column);
    if (found == 1) return NEAP_OK;
    char many[32] = "no column is";
    if (found) snprintf(many, sizeof many, "%u columns are", found);
    return ni_lines_fail(lines, NEAP_E_FORMAT, line, err,
                         "%s called '%.*s' in the first line; --columns also takes numbers, from 1", many,
                         word->length < 60 ? (int)word->length : 60, word->at);
}

neap_status ni_roles_find(ni_roles *roles, const ni_columns *columns, const ni_lines *lines, char *line,
                          neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (unsigned i = 0; i < roles->count && rc == NEAP_OK; i++) {
        ni_field word = { (char *)roles->role[i].text, roles->role[i].length, false };
        if (!roles->role[i].column)
            rc = find_word(&word, columns, lines, line, &roles->role[i].column, err);
    }
    unsigned twice = rc == NEAP_OK ? find_twice(roles) : 0;
    return twice ? ni_lines_fail(lines, NEAP_E_FORMAT, line, err, "--columns names column %u twice", twice)
                 : rc;
}
