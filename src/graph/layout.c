/* Which column of an edge list has which role, and whether its first line is a header: decided once, from
 * the options and the first lines. */
#include "graph/lines.h"

#include <string.h>

#include "support/text.h"

/* Words that belong together; those from WEAK on may be names of nodes just as well. */
enum { SOURCE_TARGET, FROM_TO, SRC_DST, SUBJECT_OBJECT, HEAD_TAIL, WEAK, NODE_1_2 = WEAK, U_V, FAMILIES };

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
    { "subject", SUBJECT_OBJECT, 0 },
    { "object", SUBJECT_OBJECT, 1 },
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

/* Separated by commas. */
static const char times[] = "time,timestamp,datetime,date,unixtime,ts";
static const char relations[] = "relation,relationship,predicate";

/* Which words of a line are headings, and of what. */
typedef struct headings {
    unsigned columns;
    bool there[NI_ROLES],
        number[NI_ROLES]; /* whether a word, a number stands where a role has its column */
    unsigned count[FAMILIES][2], column[FAMILIES][2];
    unsigned weight, weight_rank; /* column, or 0; index in weights */
    unsigned time, relation;      /* column of the first, or 0      */
} headings;

static bool strip(char *word, const char *ending)
{
    size_t length = strlen(word), n = strlen(ending);
    if (length < n || strcmp(word + length - n, ending)) return false;
    word[length - n] = 0;
    return true;
}

/* A letter with `id` behind it is not a letter any more: uid is no u. */
static const struct word *find_word(char word[NI_WORD])
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
    char text[NI_WORD];
    if (!ni_field_word(field, text)) return;
    for (unsigned i = 0; i < WEIGHTS; i++)
        if (!strcmp(weights[i], text) && (!h->weight || i < h->weight_rank))
            h->weight = h->columns, h->weight_rank = i;
    if (!h->time && ni_list_has(times, ',', text)) h->time = h->columns;
    if (!h->relation && ni_list_has(relations, ',', text)) h->relation = h->columns;
    const struct word *word = find_word(text);
    if (!word) return;
    if (h->count[word->family][word->is_target]++ == 0)
        h->column[word->family][word->is_target] = h->columns;
}

static void survey(headings *h, const ni_layout *layout, char *line)
{
    ni_field field;
    while (ni_field_next(&layout->columns, &line, &field) && field.at) {
        h->columns++;
        for (unsigned role = 0; role < NI_ROLES; role++)
            if (layout->column[role] == h->columns) {
                h->there[role] = field.length > 0;
                h->number[role] = ni_field_is_number(&field);
            }
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
        layout->column[NI_SOURCE] = column[swap];
        layout->column[NI_TARGET] = column[!swap];
    }
    if (complete) return complete == 1 && !twice ? ONE_PAIR : SEVERAL;
    if (!all[0] || !all[1]) return NOTHING;
    layout->column[NI_SOURCE] = any[0];
    layout->column[NI_TARGET] = any[1];
    return all[0] + all[1] == 2 ? ONE_PAIR : SEVERAL;
}

static found find_columns(const headings *h, bool required, ni_layout *layout)
{
    if (!required && (h->number[NI_SOURCE] || h->number[NI_TARGET])) return NOTHING;
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

static neap_status refuse_several(const ni_lines *lines, const char *line, neap_error *err)
{
    return ni_lines_fail(lines, NEAP_E_FORMAT, line, err,
                         "the header names several columns that could be the source or the target; "
                         "--columns SOURCE,TARGET chooses, by number or by its words");
}

static neap_status refuse_relation(const ni_layout *layout, const headings *h, const ni_lines *lines,
                                   const char *line, neap_error *err)
{
    return ni_lines_fail(
        lines, NEAP_E_FORMAT, line, err,
        "the header calls column %u a relation, and neap has no relations; --columns %u,%u "
        "reads the links without them",
        h->relation, layout->column[NI_SOURCE], layout->column[NI_TARGET]);
}

static bool has_role(const ni_layout *layout, unsigned column)
{
    for (unsigned role = 0; role < NI_ROLES && column; role++)
        if (layout->column[role] == column) return true;
    return false;
}

/* Columns from the words of a header. */
static neap_status follow_header(ni_layout *layout, const headings *h, bool required, const ni_lines *lines,
                                 const char *line, ni_header *header, neap_error *err)
{
    found is = find_columns(h, required, layout);
    if (is == SEVERAL) return refuse_several(lines, line, err);
    if (required || is == ONE_PAIR) *header = NI_IS_HEADER;
    else if (!h->number[NI_SOURCE] && !h->number[NI_TARGET] && !h->number[NI_WEIGHT])
        *header = NI_MAYBE_HEADER;
    if (*header == NI_IS_HEADER && h->relation) return refuse_relation(layout, h, lines, line, err);
    if (*header == NI_NO_HEADER) return NEAP_OK;
    layout->column[NI_WEIGHT] = h->weight ? h->weight : h->there[NI_WEIGHT] ? 0 : 3;
    layout->named = *header == NI_IS_HEADER ? h->columns >= 3 : h->there[NI_WEIGHT];
    if (!has_role(layout, h->time)) layout->time = h->time;
    return NEAP_OK;
}

/* Whether there is a header above columns that the option names. A line with a word where the weight
 * belongs can be nothing else; one with nothing there may be an edge that lacks it. */
static neap_status find_header(ni_layout *layout, const headings *h, bool required, const ni_lines *lines,
                               const char *line, ni_header *header, neap_error *err)
{
    ni_layout unused;
    if (required || find_columns(h, required, &unused) != NOTHING) *header = NI_IS_HEADER;
    else if (!h->number[NI_SOURCE] && !h->number[NI_TARGET] && !h->number[NI_WEIGHT])
        *header = h->there[NI_WEIGHT] ? NI_IS_HEADER : NI_MAYBE_HEADER;
    if (*header == NI_NO_HEADER) return NEAP_OK;
    if (!has_role(layout, h->time)) layout->time = h->time;
    if (*header != NI_IS_HEADER || !has_role(layout, h->relation)) return NEAP_OK;
    return ni_lines_fail(
        lines, NEAP_E_FORMAT, line, err,
        "the header calls column %u a relation, and neap has no relations; --columns takes "
        "source,target or source,target,weight",
        h->relation);
}

neap_status ni_layout_choose(ni_layout *layout, const ni_common *options, const ni_lines *lines, char *line,
                             ni_header *header, neap_error *err)
{
    headings h = { 0 };
    ni_roles roles;
    *layout = (ni_layout){ .column = { 1, 2, 3 } };
    *header = NI_NO_HEADER;
    neap_status rc = ni_roles_read(options, &roles, err);
    if (rc == NEAP_OK) rc = ni_columns_choose(&layout->columns, options, line, err);
    if (rc == NEAP_OK) rc = ni_roles_find(&roles, &layout->columns, lines, line, err);
    if (rc != NEAP_OK) return rc;
    bool required = options->header == NI_HEADER_YES || roles.worded;
    layout->named = roles.count > 0;
    layout->demanded = roles.count > NI_WEIGHT;
    for (unsigned role = 0; role < NI_ROLES && roles.count; role++)
        layout->column[role] = role < roles.count ? roles.role[role].column : 0;
    if (options->header != NI_HEADER_NO) survey(&h, layout, line);
    if (options->header != NI_HEADER_NO && roles.count)
        rc = find_header(layout, &h, required, lines, line, header, err);
    else if (options->header != NI_HEADER_NO)
        rc = follow_header(layout, &h, required, lines, line, header, err);
    layout->ordered = layout->column[NI_SOURCE] == 1 && layout->column[NI_TARGET] == 2;
    return rc;
}

/* Names in columns other than 1 and 2, in either order. */
static neap_status find_names(const ni_layout *layout, const ni_lines *lines, char *line, ni_field *source,
                              ni_field *target, neap_error *err)
{
    unsigned of_source = layout->column[NI_SOURCE], of_target = layout->column[NI_TARGET];
    unsigned last = of_source > of_target ? of_source : of_target;
    neap_status rc = NEAP_OK;
    for (unsigned column = 1; column <= last && rc == NEAP_OK; column++) {
        if (column == of_source || column == of_target)
            rc = ni_field_name(lines, &layout->columns, &line, column,
                               column == of_source ? source : target, err);
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
    bool there = layout->column[NI_WEIGHT] != 0;
    while (there && column <= layout->column[NI_WEIGHT]) {
        there = ni_field_next(&layout->columns, &rest, field) && field->at;
        column++;
    }
    if (!there) field->at = NULL;
}
