#include "train/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "base/text.h"
#include "io/safetensors.h"

/* ---- the arrays and numbers of a run, once, for both directions ---- */

typedef struct array {
    const char *name;
    float *data;
    uint64_t rows, columns; /* columns 0: one-dimensional */
} array;

enum { ARRAYS = 8, NUMBERS = 5, REALS = 5 };

/* Those whose data is NULL do not belong to this run. */
static void list_arrays(const neap_model *m, const ni_optimizer *o, const ni_run *run, array list[ARRAYS])
{
    uint64_t n = m->rows, d = m->dim;
    memcpy(list,
           (array[ARRAYS]){ { "adam.E.m", o->E_m, n, d },
                            { "adam.E.v", o->E_v, n, d },
                            { "adam.P.m", o->P_m, d, d },
                            { "adam.P.v", o->P_v, d, d },
                            { "adagrad.E", o->E_sum, n, 0 },
                            { "adagrad.P", o->P_sum, d, 0 },
                            { "best.E", run->best_E, n, d },
                            { "best.P", run->best_P, d, d } },
           ARRAYS * sizeof(array));
}

typedef struct number {
    const char *key;
    uint64_t *value;
} number;

typedef struct real {
    const char *key; /* not there: NaN */
    double *value;
} real;

static void list_numbers(ni_run *run, ni_optimizer *o, number numbers[NUMBERS], real reals[REALS])
{
    memcpy(numbers,
           (number[NUMBERS]){ { "epoch", &run->epoch },
                              { "batch", &run->batch },
                              { "items", &run->items },
                              { "best.epoch", &run->best_epoch },
                              { "step", &o->steps } },
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

neap_status ni_checkpoint_write(const neap_model *m, const ni_optimizer *o, const ni_run *run,
                                const char *path, neap_error *err)
{
    ni_tensors t = { 0 };
    array arrays[ARRAYS];
    number numbers[NUMBERS];
    real reals[REALS];
    char text[32];
    ni_run run_copy = *run;
    ni_optimizer o_copy = *o;
    uint64_t cells = (uint64_t)m->rows * m->dim, square = (uint64_t)m->dim * m->dim;
    if (ni_finite_until(m->E, cells) < cells || ni_finite_until(m->P, square) < square)
        return ni_fail(err, NEAP_E_NUMERIC,
                       "a vector is not finite any more; the last good checkpoint is kept. "
                       "A smaller --lr usually helps");
    ni_model_to_tensors(m, &t);
    ni_tensors_say(&t, "neap.kind", "checkpoint");
    list_arrays(m, o, run, arrays);
    for (int i = 0; i < ARRAYS; i++)
        if (arrays[i].data)
            ni_tensors_add(&t, arrays[i].name, NI_F32, arrays[i].rows, arrays[i].columns, arrays[i].data);
    list_numbers(&run_copy, &o_copy, numbers, reals);
    for (int i = 0; i < NUMBERS; i++) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)*numbers[i].value);
        ni_tensors_say(&t, numbers[i].key, text);
    }
    for (int i = 0; i < REALS; i++) {
        if (isnan(*reals[i].value)) continue;
        ni_format_double(*reals[i].value, text);
        ni_tensors_say(&t, reals[i].key, text);
    }
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

static uint64_t length_of(const array *a)
{
    return a->rows * (a->columns ? a->columns : 1);
}

static neap_status copy_array(const ni_tensors *t, const array *a, neap_error *err)
{
    const void *data;
    neap_status rc = ni_tensors_need(t, a->name, NI_F32, a->rows, a->columns, &data, err);
    if (rc == NEAP_OK) memcpy(a->data, data, length_of(a) * sizeof(float));
    return rc;
}

static neap_status copy_arrays(const neap_model *m, const ni_optimizer *o, const ni_run *run,
                               const ni_tensors *t, neap_error *err)
{
    array arrays[ARRAYS + 2] = { { "E", m->E, m->rows, m->dim }, { "P", m->P, m->dim, m->dim } };
    list_arrays(m, o, run, arrays + 2);
    neap_status rc = NEAP_OK;
    for (int i = 0; i < ARRAYS + 2 && rc == NEAP_OK; i++)
        if (arrays[i].data) rc = copy_array(t, &arrays[i], err);
    return rc;
}

/* A place that the run can be at: no more epochs than asked for, no more edges than there are, twice for
 * both orders. */
static bool is_possible(const ni_run *run, uint64_t steps, const neap_model *m)
{
    uint64_t most = 2 * m->graph->edges;
    return run->epoch <= m->options.epochs && run->best_epoch <= run->epoch && run->batch <= most &&
           run->items <= most && steps <= (run->epoch + 1) * most;
}

static neap_status copy_numbers(const neap_model *m, ni_run *run, ni_optimizer *o, const ni_tensors *t,
                                neap_error *err)
{
    number numbers[NUMBERS];
    real reals[REALS];
    list_numbers(run, o, numbers, reals);
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
    if (!is_possible(run, o->steps, m))
        return ni_fail(err, NEAP_E_FORMAT, "the checkpoint stands at an impossible place");
    return NEAP_OK;
}

/* Whether a run with these options keeps such an array. */
static bool belongs(const neap_options *o, const char *name)
{
    if (!strncmp(name, "best.", 5)) return o->valid > 0 && o->epochs > 0;
    return (o->optimizer == NI_ADAGRAD) == !strncmp(name, "adagrad.", 8);
}

neap_status ni_checkpoint_check(const ni_tensors *t, const neap_model *m, neap_error *err)
{
    array arrays[ARRAYS];
    ni_run run = { 0 };
    ni_optimizer o = { 0 };
    const void *data;
    list_arrays(m, &o, &run, arrays);
    neap_status rc = copy_numbers(m, &run, &o, t, err);
    for (int i = 0; i < ARRAYS && rc == NEAP_OK; i++) {
        if (!belongs(&m->options, arrays[i].name)) {
            if (ni_tensors_find(t, arrays[i].name))
                rc = ni_fail(err, NEAP_E_FORMAT, "tensor %s has no place in this checkpoint",
                             arrays[i].name);
            continue;
        }
        rc = ni_tensors_need(t, arrays[i].name, NI_F32, arrays[i].rows, arrays[i].columns, &data, err);
    }
    return rc;
}

neap_status ni_checkpoint_read(neap_model *m, ni_optimizer *o, ni_run *run, const char *path, bool *found,
                               neap_error *err)
{
    ni_tensors t;
    neap_error local = { 0 };
    neap_status rc = ni_tensors_read(path, &t, &local);
    *found = !(rc == NEAP_E_READ && local.sys == ENOENT);
    if (!*found) return NEAP_OK;
    if (rc != NEAP_OK) {
        if (err) *err = local;
        return rc;
    }
    rc = check_same(m, &t, path, err);
    if (rc == NEAP_OK) rc = ni_name_file(path, copy_arrays(m, o, run, &t, err), err);
    if (rc == NEAP_OK) rc = ni_name_file(path, copy_numbers(m, run, o, &t, err), err);
    ni_tensors_release(&t);
    return rc;
}
