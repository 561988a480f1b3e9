#include "pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

neap_status pairs_open(pairs *p, const char *path, neap_error *err)
{
    bool standard = !strcmp(path, "-");
    *p = (pairs){ .path = standard ? "standard input" : path };
    p->file = standard ? stdin : fopen(path, "rb");
    if (!p->file) return fail_sys(err, NEAP_E_READ, errno, "%s", path);
    p->line = malloc(LONGEST_LINE);
    p->pair = calloc(PAIRS_AT_ONCE, sizeof *p->pair);
    if (!p->line || !p->pair) return fail(err, NEAP_E_MEM, "out of memory for pairs");
    return NEAP_OK;
}

void pairs_close(pairs *p)
{
    if (p->file && p->file != stdin) fclose(p->file);
    free(p->line);
    free(p->pair);
    *p = (pairs){ 0 };
}

static neap_status bad_line(const pairs *p, const char *what, neap_error *err)
{
    neap_status rc =
        fail(err, NEAP_E_FORMAT, "%.200s, line %llu: %s", p->path, (unsigned long long)p->number, what);
    err->where = p->number;
    return rc;
}

/* One line without its end; *more is false at the end of the file. */
static neap_status read_line(pairs *p, bool *more, neap_error *err)
{
    size_t n = 0;
    int c;
    while ((c = getc_unlocked(p->file)) != EOF && c != '\n') {
        if (n + 1 == LONGEST_LINE) return bad_line(p, "longer than 1 MiB; are these pairs?", err);
        if (!c) return bad_line(p, "holds a NUL byte; this is not a text file", err);
        p->line[n++] = (char)c;
    }
    if (c == EOF && ferror(p->file)) return fail_sys(err, NEAP_E_READ, errno, "%s", p->path);
    if (n && p->line[n - 1] == '\r') n--;
    p->line[n] = 0;
    *more = c != EOF || n;
    return NEAP_OK;
}

/* Cuts the line into two names. */
static neap_status cut(const pairs *p, char *line, char **source, char **target, neap_error *err)
{
    const char *marks = strchr(line, '\t') ? "\t" : " ";
    line += strspn(line, marks);
    *source = line;
    line += strcspn(line, marks);
    if (*line) *line++ = 0;
    line += strspn(line, marks);
    *target = line;
    line += strcspn(line, marks);
    char *rest = line + strspn(line, marks);
    *line = 0;
    if (!**target) return bad_line(p, "one column; two names with a tab or blanks between are needed", err);
    if (*rest) return bad_line(p, "more than two columns; a name with blanks needs tabs around it", err);
    return NEAP_OK;
}

static neap_status find(const pairs *p, const neap_graph *graph, const char *name, uint32_t *node,
                        neap_error *err)
{
    neap_error why = { 0 };
    neap_status rc = neap_graph_find(graph, name, node, &why);
    if (rc == NEAP_OK) return rc;
    bad_line(p, why.text, err);
    err->code = rc;
    return rc;
}

static neap_status take(pairs *p, const neap_graph *graph, neap_error *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* a byte order mark may open the file */
    char *line = p->line + (p->number == 1 && !strncmp(p->line, mark, 3) ? 3 : 0), *source, *target;
    neap_pair *pair = &p->pair[p->count];
    if (line[strspn(line, " \t")] == 0 || *line == '#') return NEAP_OK;
    neap_status rc = cut(p, line, &source, &target, err);
    if (rc == NEAP_OK) rc = find(p, graph, source, &pair->source, err);
    if (rc == NEAP_OK) rc = find(p, graph, target, &pair->target, err);
    if (rc == NEAP_OK) p->count++;
    return rc;
}

neap_status pairs_next(pairs *p, const neap_graph *graph, neap_error *err)
{
    neap_status rc = NEAP_OK;
    bool more = true;
    p->count = 0;
    while (rc == NEAP_OK && p->count < PAIRS_AT_ONCE) {
        p->number++;
        rc = read_line(p, &more, err);
        if (!more) break;
        if (rc == NEAP_OK) rc = take(p, graph, err);
    }
    return rc;
}
