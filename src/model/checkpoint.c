#include "model/checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "io/safetensors.h"
#include "support/text.h"

void ni_tables_add(ni_tables *tables, const char *name, float *data, uint64_t rows, uint64_t columns,
                   bool result)
{
    assert(tables->count < NI_TABLES_MOST);
    tables->table[tables->count++] =
        (ni_table){ .name = name, .data = data, .rows = rows, .columns = columns, .result = result };
}

static const char *best_name(const ni_table *t, char name[32])
{
    snprintf(name, 32, "best.%s", t->name);
    return name;
}

/* ---- the numbers of a run, once, for both directions ---- */

enum { NUMBERS = 5, REALS = 5 };

typedef struct number {
    const char *key;
    uint64_t *value;
} number;

typedef struct real {
    const char *key; /* not there: NaN */
    double *value;
} real;

static void list_numbers(ni_run *run, number numbers[NUMBERS], real reals[REALS])
{
    memcpy(numbers,
           (number[NUMBERS]){ { "epoch", &run->epoch },
                              { "batch", &run->batch },
                              { "items", &run->items },
                              { "best.epoch", &run->best_epoch },
                              { "step", &run->updates } },
           (NUMBERS) * sizeof(number));
    memcpy(reals,
           (real[REALS]){ { "loss.sum", &run->loss_sum },
                          { "last.loss", &run->last_loss },
                          { "last.auc", &run->last_auc },
                          { "best.auc", &run->best_auc },
                          { "best.loss", &run->best_loss } },
           REALS * sizeof(real));
}

/* ---- writing ---- */

static neap_status check_finite(const ni_tables *tables, neap_error *err)
{
    for (uint32_t i = 0; i < tables->count; i++) {
        const ni_table *t = &tables->table[i];
        if (t->result && ni_finite_until(t->data, ni_table_length(t)) < ni_table_length(t))
            return ni_fail(err, NEAP_E_NUMERIC,
                           "a vector is not finite any more; the last good checkpoint is kept. "
                           "A smaller --lr usually helps");
    }
    return NEAP_OK;
}

static void add_tables(ni_tensors *t, const ni_tables *tables)
{
    for (uint32_t i = 0; i < tables->count; i++) {
        const ni_table *x = &tables->table[i];
        char name[32];
        if (!ni_tensors_find(t, x->name)) ni_tensors_add(t, x->name, NI_F32, x->rows, x->columns, x->data);
        if (x->best) ni_tensors_add(t, best_name(x, name), NI_F32, x->rows, x->columns, x->best);
    }
}

static void say_numbers(ni_tensors *t, ni_run run)
{
    number numbers[NUMBERS];
    real reals[REALS];
    char text[32];
    list_numbers(&run, numbers, reals);
    for (int i = 0; i < NUMBERS; i++) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)*numbers[i].value);
        ni_tensors_say(t, numbers[i].key, text);
    }
    for (int i = 0; i < REALS; i++) {
        if (isnan(*reals[i].value)) continue;
        ni_format_double(*reals[i].value, text);
        ni_tensors_say(t, reals[i].key, text);
    }
}

neap_status ni_checkpoint_write(const neap_model *m, const ni_tables *tables, const ni_run *run,
                                const char *path, neap_error *err)
{
    ni_tensors t = { 0 };
    neap_status rc = check_finite(tables, err);
    if (rc != NEAP_OK) return rc;
    ni_model_to_tensors(m, &t);
    ni_tensors_say(&t, "neap.kind", "checkpoint");
    add_tables(&t, tables);
    say_numbers(&t, *run);
    return ni_tensors_write(&t, path, err);
}

/* ---- reading ---- */

/* Both sides say what they are in the same words: compare what ni_model_to_tensors says of this run. */
static neap_status check_same(const neap_model *m, const ni_tensors *t, const char *path, neap_error *err)
{
    ni_tensors mine = { .count = 0 };
    if (!ni_tensors_are(t, "checkpoint"))
        return ni_fail(err, NEAP_E_FORMAT, "%s is no checkpoint but a %s", path,
                       ni_tensors_fact(t, "neap.kind"));
    ni_model_to_tensors(m, &mine);
    for (uint32_t i = 0; i < mine.facts; i++) {
        const ni_fact *f = &mine.fact[i];
        const char *theirs = ni_tensors_fact(t, f->key);
        bool option = !strncmp(f->key, "option.", 7);
        if ((option || !strcmp(f->key, "method")) && (!theirs || strcmp(theirs, f->value)))
            return ni_fail(
                err, NEAP_E_MISMATCH,
                "%s was made with other options: it has %s %s, this run has %s; use the same, or train "
                "without --resume",
                path, f->key + (option ? 7 : 0), theirs ? theirs : "(none)", f->value);
    }
    const char *theirs = ni_tensors_fact(t, "graph.hash");
    if (!theirs || strcmp(theirs, ni_tensors_fact(&mine, "graph.hash")))
        return ni_fail(err, NEAP_E_MISMATCH,
                       "%s is of another graph; train without --resume, or name the graph it was made with",
                       path);
    return NEAP_OK;
}

/* Both sides need the same tensors; with data they are copied. */
static neap_status take_table(const ni_tensors *t, const ni_table *x, neap_error *err)
{
    const void *data;
    char name[32];
    neap_status rc = ni_tensors_need(t, x->name, NI_F32, x->rows, x->columns, &data, err);
    if (rc == NEAP_OK && x->data) memcpy(x->data, data, ni_table_length(x) * sizeof(float));
    if (rc != NEAP_OK || !x->best) return rc;
    rc = ni_tensors_need(t, best_name(x, name), NI_F32, x->rows, x->columns, &data, err);
    if (rc == NEAP_OK) memcpy(x->best, data, ni_table_length(x) * sizeof(float));
    return rc;
}

/* A place beyond the end would never be reached again. */
static bool is_possible(const ni_run *run, uint64_t epochs, uint64_t places)
{
    return run->epoch <= epochs && run->best_epoch <= run->epoch && run->batch <= places &&
           run->items <= places && run->updates <= (run->epoch + 1) * places;
}

static neap_status copy_numbers(const neap_model *m, const ni_tables *tables, ni_run *run,
                                const ni_tensors *t, neap_error *err)
{
    number numbers[NUMBERS];
    real reals[REALS];
    list_numbers(run, numbers, reals);
    for (int i = 0; i < NUMBERS; i++) {
        const char *text = ni_tensors_fact(t, numbers[i].key);
        if (!text || !ni_parse_u64(text, strlen(text), numbers[i].value))
            return ni_fail(err, NEAP_E_FORMAT, "the checkpoint has no valid %s", numbers[i].key);
    }
    for (int i = 0; i < REALS; i++) {
        const char *text = ni_tensors_fact(t, reals[i].key);
        *reals[i].value = NAN;
        if (text && !ni_parse_double(text, strlen(text), reals[i].value))
            return ni_fail(err, NEAP_E_FORMAT, "the checkpoint has no valid %s", reals[i].key);
    }
    if (!is_possible(run, m->options.epochs, tables->places))
        return ni_fail(err, NEAP_E_FORMAT, "the checkpoint stands at an impossible place");
    return NEAP_OK;
}

/* The name of one of the tables, or of the best epoch's where there is validation. */
static const ni_table *find_table(const ni_tables *tables, const char *name, bool best)
{
    for (uint32_t i = 0; i < tables->count; i++) {
        const ni_table *x = &tables->table[i];
        char other[32];
        if (!strcmp(name, x->name) || (best && x->result && !strcmp(name, best_name(x, other)))) return x;
    }
    return NULL;
}

/* Each tensor is one of the model, or one of the tables of the run. */
static neap_status check_tensors(const ni_tensors *t, const neap_model *m, const ni_tables *tables,
                                 neap_error *err)
{
    ni_tensors mine = { .count = 0 };
    bool best = m->options.valid > 0 && m->options.epochs > 0;
    neap_status rc = NEAP_OK;
    ni_model_to_tensors(m, &mine);
    for (uint32_t i = 0; i < t->count && rc == NEAP_OK; i++) {
        const char *name = t->tensor[i].name;
        const ni_table *x = find_table(tables, name, best);
        const void *data;
        if (x) rc = ni_tensors_need(t, name, NI_F32, x->rows, x->columns, &data, err);
        else if (!ni_tensors_find(&mine, name))
            rc = ni_fail(err, NEAP_E_FORMAT, "tensor %s has no place in this checkpoint", name);
    }
    return rc;
}

neap_status ni_checkpoint_check(const ni_tensors *t, const neap_model *m, const ni_tables *tables,
                                neap_error *err)
{
    ni_run run = { 0 };
    bool best = m->options.valid > 0 && m->options.epochs > 0;
    neap_status rc = copy_numbers(m, tables, &run, t, err);
    if (rc == NEAP_OK) rc = check_tensors(t, m, tables, err);
    for (uint32_t i = 0; i < tables->count && rc == NEAP_OK; i++) {
        const ni_table *x = &tables->table[i];
        const void *data;
        char name[32];
        rc = take_table(t, x, err);
        if (rc == NEAP_OK && best && x->result)
            rc = ni_tensors_need(t, best_name(x, name), NI_F32, x->rows, x->columns, &data, err);
    }
    return rc;
}

/* No file is no error, but found is false and nothing has been read. */
static neap_status open_checkpoint(const char *path, ni_tensors *t, bool *found, neap_error *err)
{
    neap_error local = { 0 };
    neap_status rc = ni_tensors_read(path, t, &local);
    *found = !(rc == NEAP_E_READ && local.sys == ENOENT);
    if (rc == NEAP_OK || !*found) return NEAP_OK;
    if (err) *err = local;
    return rc;
}

neap_status ni_checkpoint_holds(const char *path, const char *tensor, bool *holds, neap_error *err)
{
    ni_tensors t;
    neap_status rc = open_checkpoint(path, &t, holds, err);
    if (rc != NEAP_OK || !*holds) return rc;
    *holds = ni_tensors_find(&t, tensor) != NULL;
    ni_tensors_release(&t);
    return NEAP_OK;
}

neap_status ni_checkpoint_read(const neap_model *m, const ni_tables *tables, ni_run *run, const char *path,
                               bool *found, neap_error *err)
{
    ni_tensors t;
    neap_status rc = open_checkpoint(path, &t, found, err);
    if (rc != NEAP_OK || !*found) return rc;
    rc = check_same(m, &t, path, err);
    for (uint32_t i = 0; i < tables->count && rc == NEAP_OK; i++)
        rc = ni_name_file(path, take_table(&t, &tables->table[i], err), err);
    if (rc == NEAP_OK) rc = ni_name_file(path, copy_numbers(m, tables, run, &t, err), err);
    ni_tensors_release(&t);
    return rc;
}
