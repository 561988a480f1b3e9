/* Options by name, over all methods: what the header offers, and the sets that several families share. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "model/learning.h"
#include "model/method.h"
#include "support/status.h"
#include "support/text.h"

static const ni_option learning_options[] = {
    NI_OPTION(ni_learning, U32, dim, "dim", "dimensions,size,vector-size", 'd', "model", "N", "128", "200",
              "200", 1, 65536, 1, "length of every vector"),
    NI_OPTION(ni_learning, U32, epochs, "epochs", "iter,iterations,epoch", 'e', "training", "N", "20",
              "100", "100", 0, 1000000, 1,
              "passes over the edges, or rounds of walks; 0 gives the untrained model"),
    NI_OPTION(ni_learning, REAL, lr, "lr", "learning-rate,rate,alpha", 0, "training", "X", "0.003",
              "0.0001", "0.0001", 0, 10, 1, "step size of the optimiser"),
    NI_OPTION(ni_learning, CHOICE, decay, "decay", "", 0, "training", "none|linear", "none", "none", "none",
              0, 0, 1, "whether the step size stays or falls to zero over the epochs"),
    NI_OPTION(ni_learning, U32, negatives, "negatives", "negative,neg,num-neg", 'k', "training", "N", "1",
              "1", "1", 1, 1024, 1, "non-links drawn per edge"),
    NI_OPTION(ni_learning, REAL, valid, "valid", "validation", 0, "training", "SHARE", "0.1", "0", "0", 0,
              0.9, 1, "share of the edges kept back to find the best epoch"),
    NI_OPTION(ni_learning, U32, patience, "patience", "", 0, "training", "N", "5", "5", "5", 1, 1000000, 1,
              "stop after this many epochs without a better validation AUC"),
};

const ni_option_set ni_learning_set = NI_OPTION_SET(learning_options);

/* ---- all declarations ---- */

/* Goes through the options of all sets, each set once, the common one first. */
typedef struct walk {
    const ni_option_set *set;
    size_t method, part, option;
} walk;

static bool is_first_use(const ni_option_set *set, size_t method, size_t part)
{
    for (size_t i = 0; i <= method; i++) {
        const ni_option_part *p = ni_method_at(i)->options.parts;
        for (size_t k = 0; p && p[k].set && (i < method || k < part); k++)
            if (p[k].set == set) return false;
    }
    return true;
}

/* The next set that no method before has used, or NULL. */
static const ni_option_set *next_set(walk *w)
{
    for (; ni_method_at(w->method); w->method++, w->part = 0) {
        const ni_option_part *p = ni_method_at(w->method)->options.parts;
        for (; p && p[w->part].set; w->part++)
            if (is_first_use(p[w->part].set, w->method, w->part)) return p[w->part++].set;
    }
    return NULL;
}

static const ni_option *next_option(walk *w)
{
    if (!w->set) w->set = &ni_common_set;
    if (w->option == w->set->count) {
        w->set = next_set(w);
        w->option = 0;
    }
    return w->set ? &w->set->option[w->option++] : NULL;
}

/* All of them in one list, made once: looking through the methods each time would make a command line of
 * ten flags slow. */
enum { OPTIONS_MOST = 512 };
static const ni_option *all[OPTIONS_MOST];
static size_t all_count, distinct; /* distinct: of different names */
static const ni_option *named[OPTIONS_MOST];
static pthread_once_t listed = PTHREAD_ONCE_INIT;

static bool is_named(const char *name)
{
    for (size_t i = 0; i < distinct; i++)
        if (!strcmp(named[i]->info.name, name)) return true;
    return false;
}

static void list_options(void)
{
    walk w = { 0 };
    for (const ni_option *o; (o = next_option(&w));) {
        assert(all_count < OPTIONS_MOST);
        all[all_count++] = o;
        if (!is_named(o->info.name)) named[distinct++] = o;
    }
}

static bool answers_to(const ni_option *o, const char *name)
{
    return ni_word_in(o->info.name, ',', name) == 0 || ni_word_in(o->info.aliases, ',', name) >= 0;
}

const ni_option *ni_option_find(const char *name)
{
    pthread_once(&listed, list_options);
    for (size_t i = 0; i < distinct; i++)
        if (answers_to(named[i], name)) return named[i];
    return NULL;
}

const neap_option_info *neap_option_at(size_t i)
{
    pthread_once(&listed, list_options);
    return i < distinct ? &named[i]->info : NULL;
}

size_t neap_option_count(void)
{
    pthread_once(&listed, list_options);
    return distinct;
}

/* ---- the options of a method ---- */

/* The i-th that it has besides the common ones, or NULL. */
static const ni_option *option_of(const ni_method *method, size_t i)
{
    for (const ni_option_part *p = method->options.parts; p && p->set; p++)
        for (size_t k = 0; k < p->set->count; k++)
            if (ni_option_part_has(p, &p->set->option[k]) && i-- == 0) return &p->set->option[k];
    return NULL;
}

/* The option as the method has it, one of its own or a common one; NULL: it has none. */
static const ni_option *find_in(const ni_method *method, const char *name)
{
    const ni_option *o;
    for (size_t i = 0; i < ni_common_set.count; i++)
        if (answers_to(&ni_common_set.option[i], name)) return &ni_common_set.option[i];
    for (size_t i = 0; (o = option_of(method, i)); i++)
        if (answers_to(o, name)) return o;
    return NULL;
}

bool ni_method_has_option(const ni_method *method, const char *name)
{
    const ni_option *o = find_in(method, name);
    return o && !ni_option_is_common(o);
}

int neap_method_has_option(const char *method, const char *option)
{
    const ni_method *m = ni_method_find(method, NULL);
    return m && find_in(m, option);
}

neap_status neap_method_option(const char *name, size_t i, neap_option_info *info, neap_error *err)
{
    const ni_method *method = ni_method_find(name, err);
    if (!method) return NEAP_E_ARG;
    const ni_option *o = option_of(method, i);
    if (!o) return ni_fail(err, NEAP_E_UNKNOWN, "method %s has %zu options", name, i);
    neap_option_info mine = o->info;
    for (uint32_t preset = 0; preset < 3; preset++)
        mine.presets[preset] = ni_option_default(o, &method->options, preset);
    return ni_sized_out(&mine, sizeof mine, info, "neap_option_info", err);
}

/* ---- giving ---- */

static neap_status unknown(const char *name, neap_error *err)
{
    unsigned best = 4;
    const char *nearest = NULL;
    for (size_t i = 0; i < distinct; i++) {
        unsigned distance = ni_distance(name, named[i]->info.name, best);
        if (distance < best) best = distance, nearest = named[i]->info.name;
    }
    if (nearest)
        return ni_fail(err, NEAP_E_ARG, "there is no option '%s'; did you mean '%s'?", name, nearest);
    return ni_fail(err, NEAP_E_ARG, "there is no option '%s'", name);
}

/* A value is refused here if no method takes it; which method it is for is decided when they are read.
 */
static neap_status give(neap_options *options, const char *name, const char *value, bool suggested,
                        neap_error *err)
{
    const ni_option *first = ni_option_find(name);
    neap_status rc = NEAP_E_ARG;
    if (!first) return unknown(name, err);
    for (size_t i = 0; rc != NEAP_OK && i < all_count; i++)
        if (!strcmp(all[i]->info.name, first->info.name)) rc = ni_option_read(all[i], value, NULL, err);
    return rc == NEAP_OK ? ni_options_give(options, first->info.name, value, suggested, err) : rc;
}

neap_status neap_options_set(neap_options *options, const char *name, const char *value, neap_error *err)
{
    return give(options, name, value, false, err);
}

neap_status neap_options_suggest(neap_options *options, const char *name, const char *value,
                                 neap_error *err)
{
    return give(options, name, value, true, err);
}

/* ---- reading ---- */

neap_status ni_settings_read(const neap_options *options, const ni_method **method, ni_settings **out,
                             neap_error *err)
{
    ni_common common;
    *out = NULL;
    neap_status rc = ni_common_read(options, &common, err);
    if (rc != NEAP_OK) return rc;
    *method = ni_method_find(common.method, err);
    if (!*method) return NEAP_E_ARG;
    rc = ni_settings_create(options, &(*method)->options, out, err);
    if (rc == NEAP_OK && (*method)->check) rc = (*method)->check(*out, err);
    if (rc == NEAP_OK) return rc;
    ni_settings_free(*out);
    *out = NULL;
    return rc;
}

neap_status neap_options_check(const neap_options *options, neap_error *err)
{
    const ni_method *method;
    ni_settings *settings;
    neap_status rc = ni_settings_read(options, &method, &settings, err);
    ni_settings_free(settings);
    return rc;
}

neap_status neap_options_saved(const neap_options *options,
                               void (*visit)(const char *name, const char *value, void *user), void *user,
                               neap_error *err)
{
    const ni_method *method;
    ni_settings *settings;
    neap_status rc = ni_settings_read(options, &method, &settings, err);
    if (rc == NEAP_OK) ni_settings_saved(settings, visit, user);
    ni_settings_free(settings);
    return rc;
}

/* The value alone is read, which takes no memory. */
neap_status neap_options_get(const neap_options *options, const char *name, char *text, size_t room,
                             neap_error *err)
{
    union {
        uint64_t whole;
        double real;
        const char *text;
    } value;
    char number[NI_OPTION_ROOM];
    ni_common common;
    if (!ni_option_find(name)) return unknown(name, err);
    neap_status rc = ni_common_read(options, &common, err);
    if (rc != NEAP_OK) return rc;
    const ni_method *method = ni_method_find(common.method, err);
    if (!method) return NEAP_E_ARG;
    const ni_option *found = find_in(method, name);
    if (!found) return ni_fail(err, NEAP_E_ARG, "method %s has no option '%s'", method->info.name, name);
    const ni_option_layout *layout = ni_option_is_common(found) ? NULL : &method->options;
    ni_option o = *found;
    o.at = 0;
    rc = ni_option_read(&o, ni_options_text(options, found, layout), &value, err);
    if (rc != NEAP_OK) return rc;
    const char *used = ni_option_text(&o, &value, number);
    if (strlen(used) >= room)
        return ni_fail(err, NEAP_E_ARG, "the value of %s takes %zu bytes, not %zu", name, strlen(used) + 1,
                       room);
    memcpy(text, used, strlen(used) + 1);
    return NEAP_OK;
}
