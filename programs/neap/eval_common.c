/* Options, vectors and results of the eval commands. */
#include "eval_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "support/path.h"

neap_status check_vectors(const args *a, neap_error *err)
{
    static const char *const about[] = { "similarity", "allow-missing" };
    if (args_times(a, "vectors") > 1)
        return ni_fail(err, NEAP_E_ARG,
                       "--vectors names one file; run the command once for each, on the same "
                       "splits or seeds");
    for (size_t i = 0; i < 2 && !args_given(a, "vectors"); i++)
        if (args_given(a, about[i]))
            return ni_fail(err, NEAP_E_ARG, "--%s applies to --vectors, which is not given", about[i]);
    return NEAP_OK;
}

neap_status read_vectors(const args *a, const char *path, const neap_graph *graph, bool allow_missing,
                         neap_vectors **out, neap_error *err)
{
    char count[SHORT];
    neap_status rc = neap_vectors_load(path, graph, allow_missing, out, err);
    if (rc != NEAP_OK) return rc;
    const neap_vectors *v = *out;
    say(a, "%s: vectors of length %u%s", path, v->dim,
        v->by_order ? ", without names: taken in the order of the graph's nodes" : "");
    if (v->strangers)
        say(a, "  %s vector%s of unknown nodes: ignored", ni_format_count(v->strangers, count),
            plural(v->strangers));
    if (v->missing)
        say(a, "  %s node%s without a vector: zero vectors", ni_format_count(v->missing, count),
            plural(v->missing));
    return NEAP_OK;
}

/* What is printed, in a block that the caller releases, also after a failure. */
static neap_status print_to_text(print_to print, const void *user, char **text, size_t *length,
                                 neap_error *err)
{
    *text = NULL;
    FILE *to = open_memstream(text, length);
    bool bad = !to;
    if (to) {
        print(user, to);
        bad = ferror(to);
        bad |= fclose(to) != 0;
    }
    return bad || !*text ? ni_fail(err, NEAP_E_MEM, "out of memory for the results") : NEAP_OK;
}

static neap_status keep_text(const char *folder, const char *name, const char *text, size_t length,
                             neap_error *err)
{
    if (!folder) return NEAP_OK;
    char path[PATH_MAX];
    neap_status rc = ni_path_join(folder, name, path, err);
    return rc == NEAP_OK ? neap_file_replace(path, text, length, err) : rc;
}

neap_status keep_printed(const char *folder, const char *name, print_to print, const void *user,
                         neap_error *err)
{
    char *text;
    size_t length = 0;
    if (!folder) return NEAP_OK;
    neap_status rc = print_to_text(print, user, &text, &length, err);
    if (rc == NEAP_OK) rc = keep_text(folder, name, text, length, err);
    free(text);
    return rc;
}

neap_status report_json(const args *a, const char *folder, print_to print, const void *user,
                        neap_error *err)
{
    char *text;
    size_t length = 0;
    neap_status rc = print_to_text(print, user, &text, &length, err);
    if (rc == NEAP_OK) rc = keep_text(folder, "results.json", text, length, err);
    if (rc == NEAP_OK && a->json) fwrite(text, 1, length, stdout);
    free(text);
    return rc;
}

bool has_vectors(const char *method)
{
    const neap_method_info *m = neap_method_find(method);
    return m && m->vectors;
}

bool learns(const char *method)
{
    return has_vectors(method) && neap_method_has_option(method, "epochs");
}

neap_status options_for(const args *a, const char *method, uint64_t seed, neap_options **out,
                        neap_error *err)
{
    char text[SHORT];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    neap_status rc = args_options(a, out, err);
    if (rc == NEAP_OK) rc = neap_options_set(*out, "method", method, err);
    if (rc == NEAP_OK) rc = neap_options_set(*out, "seed", text, err);
    if (rc == NEAP_OK) rc = neap_options_check(*out, err);
    return rc;
}

neap_status read_whole_option(const args *a, const char *option, uint64_t *value, neap_error *err)
{
    char text[SHORT];
    neap_status rc = neap_options_get(a->options, option, text, sizeof text, err);
    if (rc == NEAP_OK && !ni_parse_u64(text, strlen(text), value))
        rc = ni_fail(err, NEAP_E_ARG, "--%s is not a whole number", option);
    return rc;
}

void end_if_interrupted(const progress *bar, const char *kept)
{
    static char text[512];
    interrupt_ends(NULL);
    snprintf(text, sizeof text - 1, "%sneap: interrupted; the table is not complete%s%s",
             bar->live ? "\n" : "", *kept ? "; " : "", kept);
    for (char *c = text + 1; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    strcat(text, "\n");
    interrupt_ends(text);
}

char *words_left(double seconds, char text[LEFT_WORDS])
{
    char left[SHORT];
    *text = 0;
    if (isfinite(seconds) && seconds >= 10)
        snprintf(text, LEFT_WORDS, "; about %s left", human_seconds(seconds, left));
    return text;
}
