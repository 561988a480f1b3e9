#include "common.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

neap_status fail(neap_error *err, neap_status code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    *err = (neap_error){ .code = code };
    vsnprintf(err->text, sizeof err->text, format, list);
    va_end(list);
    return code;
}

neap_status fail_sys(neap_error *err, neap_status code, int sys, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    *err = (neap_error){ .code = code, .sys = sys };
    vsnprintf(err->text, sizeof err->text, format, list);
    va_end(list);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(sys));
    return code;
}

/* C0, DEL, and C1 in both of its forms: the raw byte and U+0080 .. U+009F, which some terminals obey.
 * `last` is the byte before. */
static bool is_control(unsigned char c, unsigned char last)
{
    bool continues = last >= 0xc3 || (last >= 0x80 && last < 0xc0); /* a later byte of a longer character */
    return c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xa0 && !continues);
}

void say(const args *a, const char *format, ...)
{
    char text[1024];
    if (a->quiet) return;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    unsigned char last = 0;
    for (char *c = text; *c; c++) {
        unsigned char here = (unsigned char)*c;
        if (is_control(here, last)) *c = '?';
        last = here;
    }
    fprintf(stderr, "%s\n", text);
}

static const char *delimiter_word(char c, char text[16])
{
    switch (c) {
    case 0: return "";
    case '\t': return ", tab-separated";
    case ' ': return ", blank-separated";
    case ',': return ", comma-separated";
    case ';': return ", semicolon-separated";
    default: snprintf(text, 16, ", by '%c'", c); return text;
    }
}

/* "friends.txt: edges, tab-separated, no header, no weights". */
static void say_format(const args *a, const char *path, const neap_graph_report *r)
{
    char mark[16];
    bool list = !strcmp(r->format, "edges"), packed = strcmp(r->compression, "none") != 0;
    say(a, "%s: %s%s%s%s%s, %s", strcmp(path, "-") ? path : "standard input", r->format,
        packed ? " in " : "", packed ? r->compression : "", delimiter_word(r->delimiter, mark),
        !list       ? ""
        : r->header ? ", the first line is a header"
                    : ", no header line",
        r->weighted ? "weights used" : "no weights used");
    if (r->maybe_header) say(a, "  the first line was read as an edge; if it names columns: --header yes");
}

/* What becomes of self-loops is decided in training, and told only there. */
static void say_loops(const args *a, uint64_t loops)
{
    char count[SHORT], keep[SHORT] = "no", test[SHORT] = "0";
    if (!list_has(a->command->library, ',', "training", strlen("training"))) {
        say(a, "  %s self-loop%s, kept", with_commas(loops, count), plural(loops));
        return;
    }
    neap_options_get(a->options, "test", test, sizeof test, NULL);
    if (strcmp(test, "0")) {
        say(a, "  %s self-loop%s left out: held-out pairs are split by the clean protocol",
            with_commas(loops, count), plural(loops));
        return;
    }
    neap_options_get(a->options, "self-loops", keep, sizeof keep, NULL);
    bool kept = !strcmp(keep, "yes");
    say(a, "  %s self-loop%s %s training (--%sself-loops for the opposite)", with_commas(loops, count),
        plural(loops), kept ? "used in" : "left out of", kept ? "no-" : "");
}

/* "  no repeated edges, no isolated nodes". */
static void say_absent(const args *a, const neap_graph_report *r)
{
    static const char *const names[] = { "repeated edges", "self-loops", "isolated nodes" };
    const uint64_t counts[] = { r->repeats, r->self_loops, r->isolated };
    char text[96] = "";
    size_t used = 0;
    for (size_t i = 0; i < 3; i++)
        if (!counts[i])
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s no %s", used ? "," : " ", names[i]);
    if (used) say(a, "%s", text);
}

/* Every policy with its count, and what did not occur in one line. */
static void say_counts(const args *a, const neap_graph *graph, const neap_graph_report *r)
{
    char nodes[SHORT], edges[SHORT];
    say(a, "  %s nodes, %s edges%s", with_commas(neap_graph_nodes(graph), nodes),
        with_commas(neap_graph_edges(graph), edges),
        neap_graph_is_undirected(graph) ? ", without direction" : ", directed as written");
    if (r->repeats)
        say(a, "  %s repeated edge%s merged%s", with_commas(r->repeats, edges), plural(r->repeats),
            r->weighted ? ", their weights added" : "");
    if (r->self_loops) say_loops(a, r->self_loops);
    if (r->isolated)
        say(a, "  %s node%s without an edge, kept", with_commas(r->isolated, edges), plural(r->isolated));
    say_absent(a, r);
}

neap_status read_graph(const args *a, const char *path, neap_graph **out, neap_error *err)
{
    neap_status rc = neap_graph_load(path, a->options, out, err);
    if (rc) return rc;
    const neap_graph_report *r = neap_graph_report_view(*out);
    say_format(a, path, r);
    say_counts(a, *out, r);
    return NEAP_OK;
}

static neap_status set_threads(const args *a, neap_model *model, neap_error *err)
{
    char text[SHORT];
    uint64_t threads = 0;
    neap_status rc = neap_options_get(a->options, "threads", text, sizeof text, err);
    if (rc || !parse_whole(text, &threads)) return rc;
    return neap_model_set_threads(model, (uint32_t)threads, err);
}

static neap_status extend(const args *a, neap_model *model, const char *path, neap_error *err)
{
    neap_graph *links = NULL;
    neap_extension report = { 0 };
    neap_status rc = read_graph(a, path, &links, err);
    if (rc == NEAP_OK) rc = neap_model_extend(model, links, &report, err);
    neap_graph_free(links);
    if (rc) return rc;
    say(a, "  %u new node%s added", report.added, plural(report.added));
    if (report.unreachable)
        say(a, "  %u new node%s left out: no neighbour that the model knows", report.unreachable,
            plural(report.unreachable));
    if (report.ignored)
        say(a, "  %llu edge%s left aside: not between a new and a known node",
            (unsigned long long)report.ignored, plural(report.ignored));
    return NEAP_OK;
}

neap_status read_model(const args *a, const char *path, const char *new_edges, neap_model **out,
                       neap_error *err)
{
    neap_status rc = neap_model_load(path, out, err);
    if (rc == NEAP_OK) rc = set_threads(a, *out, err);
    if (rc == NEAP_OK && new_edges) rc = extend(a, *out, new_edges, err);
    if (rc == NEAP_OK) return rc;
    neap_model_free(*out);
    *out = NULL;
    return rc;
}

bool is_stream(const char *path)
{
    struct stat st;
    return !strcmp(path, "-") || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

/* The folder of a file that does not exist yet must be there and writable. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + (slash == path) : 0;
    return slash ? strndup(path, length) : strdup(".");
}

static neap_status check_folder(const char *path, neap_error *err)
{
    char *folder = folder_of(path);
    if (!folder) return fail(err, NEAP_E_MEM, "out of memory for a path");
    neap_status rc = NEAP_OK;
    if (access(folder, W_OK | X_OK))
        rc = fail_sys(err, NEAP_E_IO, errno, "%s cannot be written: folder %s", path, folder);
    free(folder);
    return rc;
}

neap_status check_output(const char *path, neap_error *err)
{
    struct stat st;
    if (!path || !strcmp(path, "-")) return NEAP_OK;
    if (stat(path, &st)) return check_folder(path, err);
    if (S_ISDIR(st.st_mode)) return fail_sys(err, NEAP_E_IO, EISDIR, "%s cannot be written", path);
    if (S_ISREG(st.st_mode)) return check_folder(path, err);
    if (access(path, W_OK)) return fail_sys(err, NEAP_E_IO, errno, "%s cannot be written", path);
    return NEAP_OK;
}

static bool same_inode(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Two names of one file, also of one that does not exist yet. Terminals and pipes may be named twice. */
static bool same_file(const char *a, const char *b)
{
    if (access(a, F_OK) == 0 || access(b, F_OK) == 0) return !is_stream(a) && same_inode(a, b);
    if (strcmp(last_part(a), last_part(b))) return false;
    char *x = folder_of(a), *y = folder_of(b);
    bool same = x && y && same_inode(x, y);
    free(x);
    free(y);
    return same;
}

neap_status check_apart(const char *const *paths, size_t count, neap_error *err)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (paths[i] && paths[j] && strcmp(paths[i], "-") && strcmp(paths[j], "-") &&
                same_file(paths[i], paths[j]))
                return fail(err, NEAP_E_ARG, "%s would overwrite %s; name another file", paths[i],
                            paths[j]);
    return NEAP_OK;
}

neap_status check_json(const args *a, const char *output, neap_error *err)
{
    if (!a->json || strcmp(output, "-")) return NEAP_OK;
    return fail(err, NEAP_E_ARG, "-o - and --json both want standard output; name a file for one of them");
}

char *with_commas(uint64_t value, char text[SHORT])
{
    char digits[SHORT];
    int n = snprintf(digits, SHORT, "%llu", (unsigned long long)value);
    char *to = text;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return text;
}

char *human_bytes(uint64_t bytes, char text[SHORT])
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 6; unit++) value /= 1024;
    snprintf(text, SHORT, unit && value < 100 ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return text;
}

char *human_seconds(double seconds, char text[SHORT])
{
    if (!isfinite(seconds) || seconds < 0 || seconds > 1e12) return strcpy(text, "unknown");
    unsigned long long s = (unsigned long long)(seconds + 0.5);
    if (seconds < 1) snprintf(text, SHORT, "%.0f ms", seconds * 1000);
    else if (seconds < 59.95) snprintf(text, SHORT, "%.1f s", seconds);
    else if (s < 3600) snprintf(text, SHORT, "%llu min %02llu s", s / 60, s % 60);
    else if (s < 172800) snprintf(text, SHORT, "%llu h %02llu min", s / 3600, s % 3600 / 60);
    else snprintf(text, SHORT, "%llu days", s / 86400);
    return text;
}

char *exact_float(float value, char text[SHORT])
{
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, SHORT, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    return text;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

void print_cell(const char *name)
{
    if (!isatty(STDOUT_FILENO)) fputs(name, stdout);
    else print_name(stdout, name, name_columns(name));
}

int name_columns(const char *name)
{
    int columns = 0;
    for (; *name; name++) columns += !is_continuation(*name);
    return columns;
}

void print_name(FILE *to, const char *name, int columns)
{
    int used = 0;
    bool cut = name_columns(name) > columns;
    unsigned char last = 0;
    for (; *name; last = (unsigned char)*name++) {
        if (!is_continuation(*name) && used++ == columns - cut) break;
        putc(is_control((unsigned char)*name, last) ? '?' : *name, to);
    }
    if (cut) putc('~', to);
    for (; used < columns; used++) putc(' ', to);
}

const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const neap_method_info *find_method(const char *name)
{
    for (size_t i = 0; i < neap_method_count(); i++)
        if (!strcmp(neap_method_at(i)->name, name)) return neap_method_at(i);
    return NULL;
}
