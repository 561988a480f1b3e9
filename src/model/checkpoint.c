/* A checkpoint is a model file of another kind with the state of a run beside the model: position,
 * moments, outputs, the best epoch. Writing streams views, O(bytes) and no copy; reading holds the whole
 * file for a moment. The run owns the arrays. */
#include "model/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "io/tensors.h"
#include "model/method.h"
#include "support/status.h"
#include "support/text.h"

/* ---- the numbers of a position, once, for both directions ---- */

enum { COUNTS = 5, REALS = 5 };

typedef struct count {
    const char *key;
    uint64_t *value;
} count;

typedef struct real {
    const char *key; /* not there: NaN */
    double *value;
} real;

static void list_numbers(ni_position *p, count counts[COUNTS], real reals[REALS])
{
    const count whole[COUNTS] = { { "epoch", &p->epoch },
                                  { "batch", &p->batch },
                                  { "items", &p->items },
                                  { "best.epoch", &p->best_epoch },
                                  { "step", &p->updates } };
    const real other[REALS] = { { "loss.sum", &p->loss_sum },
                                { "last.loss", &p->last_loss },
                                { "last.auc", &p->last_auc },
                                { "best.auc", &p->best_auc },
                                { "best.loss", &p->best_loss } };
    memcpy(counts, whole, sizeof whole);
    memcpy(reals, other, sizeof other);
}

/* "best.NAME", to be freed; NULL without memory. */
static char *best_name(const char *name)
{
    size_t room = strlen(name) + sizeof "best.";
    char *best = ni_array(room, 1);
    if (best) snprintf(best, room, "best.%s", name);
    return best;
}

/* ---- writing ---- */

static void add_state(ni_tensors *t, const ni_state *state)
{
    for (size_t i = 0; i < state->list.count; i++) {
        const ni_declared *x = &state->list.item[i];
        if (!ni_tensors_find(t, x->name)) ni_tensors_add(t, x->name, x->type, x->rank, x->shape, x->data);
        if (!state->best || !state->best[i]) continue;
        char *name = best_name(x->name);
        if (name) ni_tensors_add(t, name, x->type, x->rank, x->shape, state->best[i]);
        else t->failed = true;
        ni_free(name);
    }
}

/* Features leave nothing in a model: the name of those that a run learns from, or "none". */
static const char *name_features(const ni_state *state, char text[17])
{
    snprintf(text, 17, "%016llx", (unsigned long long)state->features);
    return state->features ? text : "none";
}

static void say_numbers(ni_tensors *t, ni_position position)
{
    count counts[COUNTS];
    real reals[REALS];
    list_numbers(&position, counts, reals);
    for (int i = 0; i < COUNTS; i++) ni_tensors_put_count(t, counts[i].key, *counts[i].value);
    for (int i = 0; i < REALS; i++) ni_tensors_put_real(t, reals[i].key, *reals[i].value);
}

neap_status ni_checkpoint_write(const neap_model *m, const ni_state *state, const ni_position *position,
                                const char *path, neap_error *err)
{
    char text[17];
    ni_tensors t = { 0 };
    neap_status rc = ni_declaration_check_finite(&state->list, err);
    if (rc != NEAP_OK) return rc;
    ni_model_to_tensors(m, &t);
    ni_tensors_put(&t, "neap.kind", "checkpoint");
    if (m->method->info.features) ni_tensors_put(&t, "features.hash", name_features(state, text));
    add_state(&t, state);
    say_numbers(&t, *position);
    rc = ni_tensors_write(&t, path, err);
    ni_tensors_release(&t);
    return rc;
}

/* ---- the closed set of names ---- */

/* The names that may stand in the checkpoint: those of the model, of its state, and of the best epoch. */
static neap_status list_names(const ni_declaration *d, bool best, const char *const *tensors, char **made,
                              const char **names)
{
    size_t n = 0, copies = 0;
    for (; *tensors; tensors++) names[n++] = *tensors;
    for (size_t i = 0; i < d->count; i++) {
        if (d->item[i].role == NI_STATE) names[n++] = d->item[i].name;
        if (d->item[i].role != NI_LEARNED || !best) continue;
        if (!(made[copies] = best_name(d->item[i].name))) return NEAP_E_MEM;
        names[n++] = made[copies++];
    }
    names[n] = NULL;
    return NEAP_OK;
}

/* The facts that may: those of the model and of the position, and where they are read the features. */
static void list_facts(const neap_model *m, const char *facts[NI_MODEL_FACTS + COUNTS + REALS + 2])
{
    ni_position position;
    count counts[COUNTS];
    real reals[REALS];
    size_t n = 0;
    list_numbers(&position, counts, reals);
    for (int i = 0; i < NI_MODEL_FACTS; i++) facts[n++] = ni_model_facts[i];
    for (int i = 0; i < COUNTS; i++) facts[n++] = counts[i].key;
    for (int i = 0; i < REALS; i++) facts[n++] = reals[i].key;
    if (m->method->info.features) facts[n++] = "features.hash";
    facts[n] = NULL;
}

static neap_status check_names(const neap_model *m, const ni_tensors *t, const ni_declaration *d, bool best,
                               const char *const *tensors, neap_error *err)
{
    const char *facts[NI_MODEL_FACTS + COUNTS + REALS + 2];
    size_t known = 0;
    list_facts(m, facts);
    while (tensors[known]) known++;
    char **made = ni_zeros(d->count, sizeof *made);
    const char **names = ni_array(known + 2 * d->count + 1, sizeof *names);
    neap_status rc = made && names ? list_names(d, best, tensors, made, names) : NEAP_E_MEM;
    rc = rc == NEAP_OK ? ni_tensors_only(t, names, facts, err) : ni_fail_memory(err, "a checkpoint");
    for (size_t i = 0; made && i < d->count; i++) ni_free(made[i]);
    ni_free(made);
    ni_free(names);
    return rc;
}

/* ---- reading ---- */

/* Every fact of this run's model must be the same in the checkpoint. */
static neap_status compare(const ni_method *method, const ni_tensors *mine, const ni_tensors *theirs,
                           const char *path, neap_error *err)
{
    for (size_t i = 0; i < mine->facts; i++) {
        const ni_fact *f = &mine->fact[i];
        const char *value = ni_option_said(theirs, f->key, ni_tensors_fact(theirs, f->key));
        bool option = !strncmp(f->key, "option.", 7);
        if (option && !value) value = ni_option_before(method, f->key + 7);
        if ((option || !strcmp(f->key, "method")) && (!value || strcmp(value, f->value)))
            return ni_fail(
                err, NEAP_E_MISMATCH,
                "%s was made with other options: it has %s %s, this run has %s; use the same, or train "
                "without --resume",
                path, f->key + (option ? 7 : 0), value ? value : "(none)", f->value);
    }
    const char *hash = ni_tensors_fact(theirs, "graph.hash");
    if (!hash || strcmp(hash, ni_tensors_fact(mine, "graph.hash")))
        return ni_fail(err, NEAP_E_MISMATCH,
                       "%s is of another graph; train without --resume, or name the graph it was made with",
                       path);
    return NEAP_OK;
}

/* The same rule, and the same nodes. */
static neap_status compare_targets(const ni_tensors *mine, const ni_tensors *theirs, const char *path,
                                   neap_error *err)
{
    const char *ours = ni_tensors_fact(mine, "targets"), *said = ni_tensors_fact(theirs, "targets");
    const ni_tensor *a = ni_tensors_find(mine, "targets"), *b = ni_tensors_find(theirs, "targets");
    bool same = !ours == !said && !a == !b && (!ours || !strcmp(ours, said));
    if (same && a) same = a->shape[0] == b->shape[0] && !memcmp(a->data, b->data, (size_t)a->shape[0]);
    if (same) return NEAP_OK;
    return ni_fail(err, NEAP_E_MISMATCH,
                   "%s was made with other targets; use the same, or train without --resume", path);
}

static bool are_equal(const ni_tensor *a, const ni_tensor *b)
{
    uint64_t bytes;
    if (!a || !b) return a == b;
    if (a->type != b->type || a->rank != b->rank) return false;
    if (memcmp(a->shape, b->shape, a->rank * sizeof *a->shape)) return false;
    return ni_tensor_bytes(a->type, a->rank, a->shape, &bytes) && !memcmp(a->data, b->data, (size_t)bytes);
}

/* The same words, and of each node the same. */
static neap_status compare_texts(const ni_tensors *mine, const ni_tensors *theirs, const char *path,
                                 neap_error *err)
{
    static const char *const names[] = { "vocabulary.offsets", "vocabulary.bytes", "text.offsets",
                                         "text.words" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!are_equal(ni_tensors_find(mine, names[i]), ni_tensors_find(theirs, names[i])))
            return ni_fail(err, NEAP_E_MISMATCH,
                           "%s was made with other texts; use the same, or train without --resume", path);
    return NEAP_OK;
}

/* A file that says nothing of features is older than this fact. */
static neap_status compare_features(const neap_model *m, const ni_state *state, const ni_tensors *theirs,
                                    const char *path, neap_error *err)
{
    char text[17];
    const char *said = ni_tensors_fact(theirs, "features.hash");
    if (!m->method->info.features || !said || !strcmp(said, name_features(state, text))) return NEAP_OK;
    return ni_fail(err, NEAP_E_MISMATCH,
                   "%s was made with other features; use the same, or train without --resume", path);
}

/* No tensor that this run does not have, nor, from format 2 on, an option. */
static neap_status check_others(const neap_model *m, const ni_tensors *mine, const ni_tensors *t,
                                const ni_state *state, neap_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < t->facts && t->format > 1; i++)
        if (!strncmp(t->fact[i].key, "option.", 7) && !ni_tensors_fact(mine, t->fact[i].key))
            return ni_fail(err, NEAP_E_FORMAT, "method %s has no option '%.40s'", m->method->info.name,
                           t->fact[i].key + 7);
    const char **names = ni_array(mine->count + 3, sizeof *names);
    if (!names) return ni_fail_memory(err, "a checkpoint");
    for (size_t i = 0; i < mine->count; i++) names[n++] = mine->tensor[i].name;
    if (t->format == 1) names[n++] = "hood.offsets", names[n++] = "hood.nodes";
    names[n] = NULL;
    neap_status rc = check_names(m, t, &state->list, state->best != NULL, names, err);
    ni_free(names);
    return rc;
}

static neap_status check_same(const neap_model *m, const ni_state *state, const ni_tensors *t,
                              const char *path, neap_error *err)
{
    ni_tensors mine = { 0 };
    if (!ni_tensors_are(t, "checkpoint"))
        return ni_fail(err, NEAP_E_FORMAT, "%s is no checkpoint but a %s", path,
                       ni_tensors_fact(t, "neap.kind"));
    ni_model_to_tensors(m, &mine);
    neap_status rc =
        mine.failed ? ni_fail_memory(err, "a checkpoint") : compare(m->method, &mine, t, path, err);
    if (rc == NEAP_OK) rc = compare_targets(&mine, t, path, err);
    if (rc == NEAP_OK) rc = compare_texts(&mine, t, path, err);
    if (rc == NEAP_OK) rc = compare_features(m, state, t, path, err);
    if (rc == NEAP_OK) rc = ni_name_file(path, check_others(m, &mine, t, state, err), err);
    ni_tensors_release(&mine);
    return rc;
}

/* A tensor of the checkpoint, demanded and, if to is not NULL, copied there. */
static neap_status take(const ni_tensors *t, const char *name, const ni_declared *x, void *to,
                        neap_error *err)
{
    const void *data;
    if (!name) return ni_fail_memory(err, "a checkpoint");
    neap_status rc = ni_tensors_need(t, name, x->type, x->rank, x->shape, &data, err);
    if (rc == NEAP_OK && to) memcpy(to, data, (size_t)ni_declared_bytes(x));
    return rc;
}

static neap_status take_best(const ni_tensors *t, const ni_declared *x, void *to, neap_error *err)
{
    char *name = best_name(x->name);
    neap_status rc = take(t, name, x, to, err);
    ni_free(name);
    return rc;
}

/* A position beyond the end would never be reached again. */
static bool is_possible(const ni_position *p, uint64_t epochs, uint64_t positions)
{
    return p->epoch <= epochs && p->best_epoch <= p->epoch && p->batch <= positions &&
           p->items <= positions && p->updates <= (p->epoch + 1) * positions;
}

/* Of the options of learning, where the method has them, those that the length of a run depends on. */
static ni_learning learning_of(const neap_model *m)
{
    const uint32_t *epochs = ni_settings_find(m->settings, "epochs");
    const double *valid = ni_settings_find(m->settings, "valid");
    return (ni_learning){ .epochs = epochs ? *epochs : 0, .valid = valid ? *valid : 0 };
}

static neap_status take_numbers(const neap_model *m, uint64_t positions, ni_position *position,
                                const ni_tensors *t, neap_error *err)
{
    count counts[COUNTS];
    real reals[REALS];
    neap_status rc = NEAP_OK;
    list_numbers(position, counts, reals);
    for (int i = 0; i < COUNTS && rc == NEAP_OK; i++)
        rc = ni_tensors_count(t, counts[i].key, UINT64_MAX, counts[i].value, err);
    for (int i = 0; i < REALS && rc == NEAP_OK; i++)
        rc = ni_tensors_real(t, reals[i].key, reals[i].value, err);
    if (rc != NEAP_OK) return rc;
    if (!is_possible(position, learning_of(m).epochs, positions))
        return ni_fail(err, NEAP_E_FORMAT, "the checkpoint stands at an impossible position");
    return NEAP_OK;
}

/* No file is no error, but found is false and nothing has been read. */
static neap_status open_checkpoint(const char *path, ni_tensors *t, bool *found, neap_error *err)
{
    neap_error local = { 0 };
    neap_status rc = ni_tensors_read(path, NULL, t, &local);
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

static neap_status take_state(const ni_tensors *t, const ni_state *state, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < state->list.count && rc == NEAP_OK; i++) {
        const ni_declared *x = &state->list.item[i];
        rc = take(t, x->name, x, x->data, err);
        if (rc == NEAP_OK && state->best && state->best[i]) rc = take_best(t, x, state->best[i], err);
    }
    return rc;
}

neap_status ni_checkpoint_read(const neap_model *m, const ni_state *state, ni_position *position,
                               const char *path, bool *found, neap_error *err)
{
    ni_tensors t;
    neap_status rc = open_checkpoint(path, &t, found, err);
    if (rc != NEAP_OK || !*found) return rc;
    rc = check_same(m, state, &t, path, err);
    if (rc == NEAP_OK) {
        rc = take_state(&t, state, err);
        if (rc == NEAP_OK) rc = take_numbers(m, state->list.positions, position, &t, err);
        rc = ni_name_file(path, rc, err);
    }
    ni_tensors_release(&t);
    return rc;
}

/* ---- checking a file ---- */

static neap_status check_features(const ni_tensors *t, neap_error *err)
{
    const char *said = ni_tensors_fact(t, "features.hash");
    if (!said || !strcmp(said, "none")) return NEAP_OK;
    if (strlen(said) == 16 && strspn(said, "0123456789abcdef") == 16) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "the metadata 'features.hash' name no features");
}

neap_status ni_checkpoint_check(const ni_tensors *t, const neap_model *m, const char *const *tensors,
                                neap_error *err)
{
    ni_declaration d = { .found = t };
    ni_position position = { 0 };
    ni_learning learning = learning_of(m);
    bool best = ni_learning_validates(&learning); /* then there is a copy of each learned tensor */
    if (m->method->declare) m->method->declare((neap_model *)m, &d); /* sets no pointer */
    ni_declare_moments(&d);
    neap_status rc = d.failed ? ni_fail_memory(err, "a checkpoint") : NEAP_OK;
    if (rc == NEAP_OK && !d.positions)
        rc = ni_fail(err, NEAP_E_FORMAT, "method %s makes no checkpoints", m->method->info.name);
    if (rc == NEAP_OK) rc = take_numbers(m, d.positions, &position, t, err);
    if (rc == NEAP_OK) rc = check_names(m, t, &d, best, tensors, err);
    if (rc == NEAP_OK) rc = check_features(t, err);
    for (size_t i = 0; i < d.count && rc == NEAP_OK; i++) {
        rc = take(t, d.item[i].name, &d.item[i], NULL, err);
        if (rc == NEAP_OK && best && d.item[i].role == NI_LEARNED) rc = take_best(t, &d.item[i], NULL, err);
    }
    ni_declaration_free(&d);
    return rc;
}
