/* What several commands do alike: reading graphs and models, checks of output paths, text for people. */
#include "common.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reading.h"
#include "support/path.h"

void say(const args *a, const char *format, ...)
{
    char text[1024];
    if (a->quiet) return;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    make_harmless(stderr, text);
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
    say(a, "%s: %s%s%s%s%s, %s", input_label(path), r->format, packed ? " in " : "",
        packed ? r->compression : "", delimiter_word(r->delimiter, mark),
        !list       ? ""
        : r->header ? ", the first line is a header"
                    : ", no header line",
        r->weighted ? "weights used" : "no weights used");
    if (r->time_column)
        say(a, "  column %u is a time, by its header, and left out: no method reads times", r->time_column);
    if (r->maybe_header) say(a, "  the first line was read as an edge; if it names columns: --header yes");
}

/* Whether self-loops are used is decided in training, and reported only there. */
static void say_loops(const args *a, uint64_t loops)
{
    char count[SHORT], keep[SHORT] = "no", test[SHORT] = "0";
    if (!ni_list_has(a->command->library, ',', "training")) {
        say(a, "  %s self-loop%s, kept", ni_format_count(loops, count), plural(loops));
        return;
    }
    neap_options_get(a->options, "test", test, sizeof test, NULL);
    if (strcmp(test, "0")) {
        say(a, "  %s self-loop%s left out: held-out pairs are split by the clean protocol",
            ni_format_count(loops, count), plural(loops));
        return;
    }
    neap_options_get(a->options, "self-loops", keep, sizeof keep, NULL);
    bool kept = !strcmp(keep, "yes");
    say(a, "  %s self-loop%s %s training (--%sself-loops for the opposite)", ni_format_count(loops, count),
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
    say(a, "  %s nodes, %s edges%s", ni_format_count(neap_graph_nodes(graph), nodes),
        ni_format_count(neap_graph_edges(graph), edges),
        neap_graph_is_undirected(graph) ? ", without direction" : ", directed as written");
    if (r->repeats)
        say(a, "  %s repeated edge%s merged%s", ni_format_count(r->repeats, edges), plural(r->repeats),
            r->weighted ? ", their weights added" : "");
    if (r->self_loops) say_loops(a, r->self_loops);
    if (r->isolated)
        say(a, "  %s node%s without an edge, kept", ni_format_count(r->isolated, edges),
            plural(r->isolated));
    say_absent(a, r);
}

/* Of the graph of a command and what it reads beside it. */
static neap_status check_one_stdin(const args *a, const char *graph, neap_error *err)
{
    static const char *const names[] = { "--text", "--features", "--labels", "--vectors", "--targets" };
    input inputs[1 + sizeof names / sizeof *names] = { { "GRAPH", graph } };
    const size_t count = sizeof inputs / sizeof *inputs;
    for (size_t i = 1; i < count; i++) inputs[i] = (input){ names[i - 1], args_text(a, names[i - 1] + 2) };
    return check_stdin(inputs, count, err);
}

neap_status read_graph(const args *a, const char *path, neap_graph **out, neap_error *err)
{
    neap_graph_report r = NEAP_SIZED(neap_graph_report);
    reading bar;
    neap_status rc = path == a->operands[0] ? check_one_stdin(a, path, err) : NEAP_OK;
    if (rc != NEAP_OK) return rc;
    rc = neap_graph_load(path, a->options, reading_begin(&bar, a, path), out, err);
    reading_end(&bar);
    if (rc == NEAP_OK) rc = neap_graph_report_of(*out, &r, err);
    if (rc) return rc;
    say_format(a, path, &r);
    say_counts(a, *out, &r);
    return NEAP_OK;
}

uint64_t option_number(const args *a, const char *name)
{
    char text[SHORT] = "0";
    uint64_t value = 0;
    if (!neap_options_get(a->options, name, text, sizeof text, NULL))
        ni_parse_u64(text, strlen(text), &value);
    return value;
}

bool has_epochs(const args *a)
{
    char name[SHORT] = "";
    neap_options_get(a->options, "method", name, sizeof name, NULL);
    return neap_method_has_option(name, "epochs");
}

bool may_end_early(const args *a)
{
    char text[SHORT] = "0";
    double valid = 0;
    if (neap_options_get(a->options, "valid", text, sizeof text, NULL)) return false;
    return ni_parse_double(text, strlen(text), &valid) && valid > 0 &&
           option_number(a, "patience") < option_number(a, "epochs");
}

uint32_t model_dim(const neap_model *model)
{
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    neap_model_facts_of(model, &facts, NULL);
    return facts.dim;
}

bool is_stream(const char *path)
{
    struct stat st;
    return !strcmp(path, "-") || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

/* The folder of a file, without its last slash; "." if it has none. */
static neap_status folder_of(const char *path, char folder[PATH_MAX], neap_error *err)
{
    size_t length = ni_path_folder(path);
    if (length > 1) length--;
    if (length >= PATH_MAX) return ni_fail(err, NEAP_E_ARG, "the path %.100s is too long", path);
    memcpy(folder, length ? path : ".", length ? length : 1);
    folder[length ? length : 1] = 0;
    return NEAP_OK;
}

/* The folder of a file that does not exist yet must be there and writable. */
static neap_status check_folder(const char *path, neap_error *err)
{
    char folder[PATH_MAX];
    neap_status rc = folder_of(path, folder, err);
    if (rc == NEAP_OK && access(folder, W_OK | X_OK))
        rc = ni_fail_sys(err, NEAP_E_IO, errno, "%s cannot be written: folder %s", path, folder);
    return rc;
}

neap_status check_output(const char *path, neap_error *err)
{
    struct stat st;
    if (!path || !strcmp(path, "-")) return NEAP_OK;
    if (stat(path, &st)) return check_folder(path, err);
    if (S_ISDIR(st.st_mode)) return ni_fail_sys(err, NEAP_E_IO, EISDIR, "%s cannot be written", path);
    if (S_ISREG(st.st_mode)) return check_folder(path, err);
    if (access(path, W_OK)) return ni_fail_sys(err, NEAP_E_IO, errno, "%s cannot be written", path);
    return NEAP_OK;
}

static bool same_inode(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Two names of one file, also of one that does not exist yet. Terminals and pipes may be named twice. */
static bool same_file(const char *a, const char *b)
{
    if (access(a, F_OK) == 0 || access(b, F_OK) == 0) return !is_stream(a) && same_inode(a, b);
    char x[PATH_MAX], y[PATH_MAX];
    if (strcmp(ni_path_name(a), ni_path_name(b))) return false;
    return !folder_of(a, x, NULL) && !folder_of(b, y, NULL) && same_inode(x, y);
}

static bool is_file(const char *path)
{
    return path && *path && strcmp(path, "-") != 0;
}

neap_status check_apart(const char *const *paths, size_t inputs, size_t count, neap_error *err)
{
    for (size_t i = inputs; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (is_file(paths[i]) && is_file(paths[j]) && same_file(paths[i], paths[j]))
                return ni_fail(err, NEAP_E_ARG, "%s would overwrite %s; name another file", paths[i],
                               paths[j]);
    return NEAP_OK;
}

neap_status check_json(const args *a, const char *output, neap_error *err)
{
    if (!a->json || strcmp(output, "-")) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG,
                   "-o - and --json both write to standard output; name a file for one of them");
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

char *human_metric(double value, char text[SHORT])
{
    if (!isfinite(value)) return strcpy(text, "-");
    snprintf(text, SHORT, "%.4f", value);
    return text;
}

static void write_file(void *to, const void *bytes, size_t count)
{
    fwrite(bytes, 1, count, to);
}

ni_json json_to(FILE *file)
{
    return (ni_json){ .out = { write_file, file }, .lines = 2, .digits = 10 };
}

const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}
