/* Which columns of an edge list are source, target and weight, and whether its first line is a header:
 * decided once, from the options and the first lines. */
#include "graph/lines.h"

#include <string.h>

/* Words that belong together; those from WEAK on may be names of nodes just as well. */
enum { SOURCE_TARGET, FROM_TO, SRC_DST, HEAD_TAIL, WEAK, NODE_1_2 = WEAK, U_V, FAMILIES };

static const struct word {
    const char *text;
    unsigned char family, is_target;
} words[] = {
    { "source", SOURCE_TARGET, 0 },
    { "target", SOURCE_TARGET, 1 },
    { "destination", SOURCE_TARGET, 1 },
    { "from", FROM_TO, 0 },
    { "to", FROM_TO, 1 },
    { "src", SRC_DST, 0 },
    { "dst", SRC_DST, 1 },
    { "dest", SRC_DST, 1 },
    { "head", HEAD_TAIL, 0 },
    { "tail", HEAD_TAIL, 1 },
    { "node1", NODE_1_2, 0 },
    { "node2", NODE_1_2, 1 },
    { "u", U_V, 0 },
    { "v", U_V, 1 },
};

/* By falling preference; the first two cannot well be anything else. */
static const char *const weights[] = { "weight", "weights", "value", "strength", "count", "wt", "w" };
enum { WEIGHTS = sizeof weights / sizeof *weights, SURE_WEIGHTS = 2 };

enum { WORD = 24 }; /* longer than any word of the tables */

/* Which words of a line are headings, and of what. */
typedef struct headings {
    unsigned columns;
    bool number[3]; /* of the first three columns */
    unsigned count[FAMILIES][2], column[FAMILIES][2];
    unsigned weight, weight_rank; /* column, or 0; index in weights */
} headings;

/* Small letters, without what joins words; false if that is longer than any word of the tables. */
static bool simplify(const ni_field *field, char word[WORD])
{
    size_t used = 0;
    for (size_t i = 0; i < field->length; i++) {
        char c = field->at[i];
        if (memchr(" _-.", c, 4)) continue;
        if (used == WORD - 1) return false;
        word[used++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    word[used] = 0;
    return true;
}

static bool strip(char *word, const char *ending)
{
    size_t length = strlen(word), n = strlen(ending);
    if (length < n || strcmp(word + length - n, ending)) return false;
    word[length - n] = 0;
    return true;
}

/* A letter with `id` behind it is not a letter any more: uid is no u. */
static const struct word *find_word(char word[WORD])
{
    bool whole = true;
    do {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (!strcmp(words[i].text, word) && (whole || words[i].family < WEAK)) return &words[i];
        whole = false;
    } while (strip(word, "id") || strip(word, "node"));
    return NULL;
}

static void note_heading(headings *h, const ni_field *field)
{
    char text[WORD];
    if (!simplify(field, text)) return;
    for (unsigned i = 0; i < WEIGHTS; i++)
        if (!strcmp(weights[i], text) && (!h->weight || i < h->weight_rank))
            h->weight = h->columns, h->weight_rank = i;
    const struct word *word = find_word(text);
    if (!word) return;
    if (h->count[word->family][word->is_target]++ == 0)
        h->column[word->family][word->is_target] = h->columns;
}

static void survey(headings *h, const ni_columns *columns, char *line)
{
    ni_field field;
    while (ni_field_next(columns, &line, &field) && field.at) {
        if (h->columns < 3) h->number[h->columns] = ni_field_is_number(&field);
        h->columns++;
        note_heading(h, &field);
    }
}

typedef enum found { NOTHING, ONE_PAIR, SEVERAL } found;

/* The pair of one family; if none is complete, a pair from two of them (from, target). */
static found find_pair(const headings *h, unsigned first, unsigned end, ni_layout *layout)
{
    unsigned complete = 0, all[2] = { 0, 0 }, any[2] = { 0, 0 };
    bool twice = false;
    for (unsigned f = first; f < end; f++) {
        const unsigned *count = h->count[f], *column = h->column[f];
        for (unsigned k = 0; k < 2; k++) {
            all[k] += count[k];
            if (count[k]) any[k] = column[k];
        }
        if (!count[0] || !count[1]) continue;
        complete++;
        twice = twice || count[0] + count[1] > 2;
        bool swap = f == HEAD_TAIL && column[0] > column[1];
        layout->source = column[swap];
        layout->target = column[!swap];
    }
    if (complete) return complete == 1 && !twice ? ONE_PAIR : SEVERAL;
    if (!all[0] || !all[1]) return NOTHING;
    layout->source = any[0];
    layout->target = any[1];
    return all[0] + all[1] == 2 ? ONE_PAIR : SEVERAL;
}

static found find_columns(const headings *h, bool required, ni_layout *layout)
{
    if (!required && (h->number[0] || h->number[1])) return NOTHING;
    found is = find_pair(h, 0, WEAK, layout);
    bool weak = required || (h->weight && h->weight_rank < SURE_WEIGHTS);
    return is == NOTHING && weak ? find_pair(h, WEAK, FAMILIES, layout) : is;
}

bool ni_layout_is_header(const ni_field *first, const ni_field *second)
{
    ni_layout layout;
    headings h = { .columns = 1 };
    note_heading(&h, first);
    h.columns = 2;
    note_heading(&h, second);
    return find_pair(&h, 0, WEAK, &layout) != NOTHING;
}

neap_status ni_layout_choose(ni_layout *layout, const ni_common *options, const ni_lines *lines, char *line,
                             ni_header *header, neap_error *err)
{
    headings h = { 0 };
    bool required = options->header == NI_HEADER_YES;
    *layout = (ni_layout){ .source = 1, .target = 2, .weight = 3, .ordered = true };
    *header = NI_NO_HEADER;
    neap_status rc = ni_columns_choose(&layout->columns, options, line, err);
    if (rc != NEAP_OK || options->header == NI_HEADER_NO) return rc;
    survey(&h, &layout->columns, line);
    found is = find_columns(&h, required, layout);
    if (is == SEVERAL)
        return ni_lines_fail(lines, NEAP_E_FORMAT, line, err,
                             "the header names several columns that could be the source or the target; "
                             "leave one of each (`cut` takes columns out), or rename the others");
    if (required || is == ONE_PAIR) *header = NI_IS_HEADER;
    else if (!h.number[0] && !h.number[1] && !h.number[2]) *header = NI_MAYBE_HEADER;
    if (*header != NI_NO_HEADER) layout->weight = h.weight ? h.weight : h.columns < 3 ? 3 : 0;
    layout->ordered = layout->source == 1 && layout->target == 2;
    return NEAP_OK;
}

/* Names in columns other than 1 and 2, in either order. */
static neap_status find_names(const ni_layout *layout, const ni_lines *lines, char *line, ni_field *source,
                              ni_field *target, neap_error *err)
{
    unsigned last = layout->source > layout->target ? layout->source : layout->target;
    neap_status rc = NEAP_OK;
    for (unsigned column = 1; column <= last && rc == NEAP_OK; column++) {
        if (column == layout->source || column == layout->target)
            rc = ni_field_name(lines, &layout->columns, &line, column,
                               column == layout->source ? source : target, err);
        else rc = ni_field_skip(lines, &layout->columns, &line, err);
    }
    return rc;
}

neap_status ni_layout_names(const ni_layout *layout, const ni_lines *lines, char *line, ni_field *source,
                            ni_field *target, char **rest, neap_error *err)
{
    const ni_columns *columns = &layout->columns;
    neap_status rc = NEAP_OK;
    *rest = line;
    if (!layout->ordered) return find_names(layout, lines, line, source, target, err);
    if (!ni_field_plain(columns, rest, source)) rc = ni_field_name(lines, columns, rest, 1, source, err);
    if (rc == NEAP_OK && !ni_field_plain(columns, rest, target))
        rc = ni_field_name(lines, columns, rest, 2, target, err);
    return rc;
}

void ni_layout_weight(const ni_layout *layout, char *rest, ni_field *field)
{
    unsigned column = layout->ordered ? 3 : 1;
    bool there = layout->weight != 0;
    while (there && column <= layout->weight) {
        there = ni_field_next(&layout->columns, &rest, field) && field->at;
        column++;
    }
    if (!there) field->at = NULL;
}
