#include "graph/looks.h"

#include <string.h>
#include <strings.h>

#include "support/text.h"

/* ---- other formats ---- */

#define NETWORKX(read)                                                                                     \
    "write its edges as text, in NetworkX: nx.write_edgelist(nx." read ", OUT, delimiter='\\t', "          \
    "data=False)"
#define TRIPLES "neap has no relations"

static const ni_foreign html = { "an HTML page", "has the download failed? Open it in a browser" };
static const ni_foreign dot = { "DOT (Graphviz)", NETWORKX("nx_pydot.read_dot(FILE)") };
static const ni_foreign gml = { "GML", NETWORKX("read_gml(FILE)") };
static const ni_foreign json = { "JSON", NI_EXPORT_EDGES };
static const ni_foreign n_triples = {
    "N-Triples (RDF)", TRIPLES "; --columns 1,3 --delimiter space links subjects with objects; without "
                               "literals: `grep -v '\"' FILE | neap train - ...`"
};

/* How the text begins, in any case. */
static const struct {
    const char *mark;
    ni_foreign found;
} marks[] = {
    { "<?xml", { "XML (GraphML, GEXF)", NETWORKX("read_graphml(FILE)") } },
    { "<graphml", { "GraphML", NETWORKX("read_graphml(FILE)") } },
    { "<gexf", { "GEXF", NETWORKX("read_gexf(FILE)") } },
    { "*vertices", { "a Pajek network", NETWORKX("read_pajek(FILE)") } },
    { "*network", { "a Pajek network", NETWORKX("read_pajek(FILE)") } },
    { ">>sparse6<<", { "sparse6", NETWORKX("read_sparse6(FILE)") } },
    { ">>graph6<<", { "graph6", NETWORKX("read_graph6(FILE)") } },
    { "@prefix", { "Turtle (RDF)", TRIPLES "; " NI_EXPORT_EDGES } },
    { "@base", { "Turtle (RDF)", TRIPLES "; " NI_EXPORT_EDGES } },
};

static bool begins(const char *text, const char *end, const char *mark)
{
    size_t length = strlen(mark);
    return (size_t)(end - text) >= length && !strncasecmp(text, mark, length);
}

static const char *skip_line(const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop ? stop + 1 : end;
}

/* Blanks and line ends, from `at` on. */
static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at)) at++;
    return at;
}

/* A word of letters in front of what cannot belong to it; where it ends, or NULL. */
static const char *skip_word(const char *at, const char *end, const char *word)
{
    if (!begins(at, end, word)) return NULL;
    at += strlen(word);
    return at < end && strchr(" \t\r\n{[", *at) ? skip_blanks(at, end) : NULL;
}

/* Comments of C, which DOT has, and the lines that programs put before a graph in GML. */
static const char *skip_preface(const char *at, const char *end)
{
    for (;;) {
        const char *next = skip_blanks(at, end);
        if (begins(next, end, "//") || begins(next, end, "creator \"") || begins(next, end, "version "))
            next = skip_line(next, end);
        else if (begins(next, end, "/*")) {
            while (next < end && !begins(next, end, "*/")) next++;
            next = next < end ? next + 2 : end;
        }
        if (next == at) return at;
        at = next;
    }
}

/* "strict digraph "a name" {", where all but (di)graph and the brace may be missing. */
static bool is_dot(const char *at, const char *end)
{
    const char *strict = skip_word(at, end, "strict");
    if (strict) at = strict;
    const char *name = skip_word(at, end, "digraph");
    if (!name) name = skip_word(at, end, "graph");
    if (!name) return false;
    const char *line_end = skip_line(name, end), *brace = memchr(name, '{', (size_t)(line_end - name));
    if (!brace) return false;
    bool quoted = *name == '"';
    const char *stop = name + (quoted && name < brace);
    while (stop < brace && (quoted ? *stop != '"' : !strchr(" \t", *stop))) stop++;
    if (quoted && stop < brace) stop++;
    return skip_blanks(stop, end) == brace;
}

static bool is_gml(const char *at, const char *end)
{
    const char *bracket = skip_word(at, end, "graph");
    return bracket && bracket < end && *bracket == '[';
}

/* An object, or an array of objects, arrays or texts. */
static bool is_json(const char *at, const char *end)
{
    if (at == end || !strchr("{[", *at)) return false;
    const char *next = skip_blanks(at + 1, end);
    if (next == end) return false;
    return *at == '{' ? *next == '"' || *next == '}' : strchr("{[\"]", *next) != NULL;
}

/* <subject> <predicate> object . */
static bool is_n_triple(const char *at, const char *end)
{
    if (!begins(at, end, "<") && !begins(at, end, "_:")) return false;
    const char *stop = skip_line(at, end);
    while (stop > at && strchr(" \t\r\n", stop[-1])) stop--;
    if (stop[-1] != '.') return false;
    while (at < stop && !strchr(" \t", *at)) at++;
    at = skip_blanks(at, stop);
    return at < stop && *at == '<';
}

const ni_foreign *ni_looks_like(const char *text, const char *end)
{
    const char *at = skip_preface(text, end);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (begins(at, end, marks[i].mark)) return &marks[i].found;
    if (begins(at, end, "<!doctype html") || begins(at, end, "<html")) return &html;
    if (is_dot(at, end)) return &dot;
    if (is_gml(at, end)) return &gml;
    if (is_json(at, end)) return &json;
    return is_n_triple(at, end) ? &n_triples : NULL;
}

neap_status ni_looks_foreign(const ni_lines *lines, const char *line, neap_error *err)
{
    const ni_foreign *found = ni_looks_like(line, lines->bytes + lines->whole);
    if (!found) return NEAP_OK;
    return ni_lines_fail(lines, NEAP_E_FORMAT, line, err,
                         "this looks like %s, not like edges; %s (--columns 1,2 if it is an edge list)",
                         found->what, found->mends);
}

/* ---- a third column that is no number ---- */

/* 2010-11-08, 08/11/2010 and the like: digits, a mark, digits, the same mark, digits. */
static bool is_date(const ni_field *field)
{
    const char *at = field->at, *end = at + field->length;
    char mark = 0;
    for (unsigned parts = 0; parts < 3; parts++) {
        const char *start = at;
        while (at < end && *at >= '0' && *at <= '9') at++;
        if (at == start || at - start > 4) return false;
        if (parts == 2) return true;
        if (at == end || !strchr("-/.", *at) || (mark && *at != mark)) return false;
        mark = *at++;
    }
    return false;
}

neap_status ni_looks_third(const ni_lines *lines, const ni_field *second, const ni_field *third,
                           neap_error *err)
{
    int shown = third->length < 40 ? (int)third->length : 40;
    if (*third->at == '{')
        return ni_lines_fail(
            lines, NEAP_E_FORMAT, third->at, err,
            "attributes in braces, as NetworkX's write_edgelist writes them: --columns 1,2 "
            "reads the links without them; nx.write_weighted_edgelist(G, FILE) writes "
            "weights, nx.write_edgelist(G, FILE, data=False) only links");
    if (second->length == 2 && (!memcmp(second->at, "->", 2) || !memcmp(second->at, "--", 2)))
        return ni_lines_fail(lines, NEAP_E_FORMAT, second->at, err,
                             "this looks like %s, not like edges; --columns 1,3 reads what stands on both "
                             "sides of %.2s",
                             dot.what, second->at);
    if (is_date(third))
        return ni_lines_fail(
            lines, NEAP_E_FORMAT, third->at, err,
            "column 3 holds '%.*s', which looks like a date; --columns 1,2 reads the links "
            "without it",
            shown, third->at);
    return ni_lines_fail(lines, NEAP_E_FORMAT, third->at, err,
                         "column 3 holds '%.*s', which is no number, hence no weight. A relation in the "
                         "middle? neap has no relations: --columns 1,3 reads the links without them. "
                         "Something else? --columns 1,2 leaves it out",
                         shown, third->at);
}

/* ---- times ---- */

/* Seconds since 1970 from a time in any of four units; 0: it is no such time. */
static double seconds_of(double value)
{
    for (double unit = 1; unit <= 1e9; unit *= 1e3)
        if (value >= 1e8 * unit && value <= 4.2e9 * unit) return value / unit;
    return 0;
}

bool ni_looks_like_time(double value)
{
    return seconds_of(value) > 0;
}

/* What the numbers of one column are like, over some lines. */
typedef struct column_look {
    ni_field field;     /* in the first line                 */
    double first, last; /* numbers                           */
    uint64_t count;     /* of lines that have the column     */
    bool times;         /* all of them are like times        */
    bool positive;      /* all of them are positive numbers  */
    bool rising;        /* none is smaller than those before */
} column_look;

static void look_at(column_look *look, const ni_field *field)
{
    double value;
    bool number = ni_parse_double(field->at, field->length, &value);
    if (!number) value = -1;
    if (look->count == 0)
        *look = (column_look){ .field = *field,
                               .first = value,
                               .last = value,
                               .times = true,
                               .positive = true,
                               .rising = number };
    look->count++;
    look->times = look->times && ni_looks_like_time(value);
    look->positive = look->positive && value > 0;
    look->rising = look->rising && number && value >= look->last;
    look->last = value;
}

/* Columns 3 and 4 of a line. */
static void look_at_line(column_look look[2], const ni_columns *columns, char *line)
{
    ni_field field;
    for (unsigned column = 1; column <= 4 && ni_field_next(columns, &line, &field) && field.at; column++)
        if (column >= 3 && field.length) look_at(&look[column - 3], &field);
}

/* The further lines of the block, which stay to be read. */
static void look_further(column_look look[2], const ni_lines *lines, const ni_columns *columns)
{
    ni_lines ahead = *lines;
    char *line;
    size_t length;
    while (ahead.from != ahead.whole && ni_lines_next(&ahead, &line, &length, NULL) == NEAP_OK)
        if (ni_line_is_data(line, length)) look_at_line(look, columns, line);
}

static neap_status refuse_time(const ni_lines *lines, const column_look look[2], unsigned column,
                               neap_error *err)
{
    const column_look *c = &look[column - 3];
    return ni_lines_fail(lines, NEAP_E_FORMAT, c->field.at, err,
                         "column %u looks like Unix time, not like a weight (%.*s is in the year %d); "
                         "--columns 1,2 or --weights ignore reads the links without it%s",
                         column, c->field.length < 24 ? (int)c->field.length : 24, c->field.at,
                         1970 + (int)(seconds_of(c->first) / 31556952),
                         look[0].positive ? ", --columns 1,2,3 takes column 3 as weight" : "");
}

neap_status ni_looks_time(const ni_lines *lines, const ni_columns *columns, char *line, neap_error *err)
{
    column_look look[2] = { 0 };
    look_at_line(look, columns, line);
    if (!look[0].times && !look[1].times && look[0].first != 0) return NEAP_OK;
    look_further(look, lines, columns);
    for (unsigned column = 4; column >= 3; column--)
        if (look[column - 3].times) return refuse_time(lines, look, column, err);
    if (look[0].count < 3 || !look[0].rising || look[0].first != 0 || look[0].last == 0) return NEAP_OK;
    return ni_lines_fail(lines, NEAP_E_FORMAT, look[0].field.at, err,
                         "column 3 rises from line to line, from 0, as a time does and a weight does not; "
                         "--columns 1,2 or --weights ignore reads the links without it");
}
