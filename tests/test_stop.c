/* A training can be stopped at any moment: in its preparation, in the middle of a step, while an epoch is
 * judged. It goes on from its checkpoint as if nothing had happened. The clock is ours (the linker leads
 * clock_gettime here), so that a look for a stop comes after a few tasks and not after a tenth of a second.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "scratch.h"
#include "settings.h"

/* ---- the clock ---- */

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

static atomic_llong moment; /* nanoseconds                          */
static atomic_llong tick;   /* that pass whenever somebody looks; 0: the time is real */

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    enum { SECOND = 1000000000 };
    long long step = atomic_load(&tick);
    if (!step || clock != CLOCK_MONOTONIC) return __real_clock_gettime(clock, now);
    long long at = atomic_fetch_add(&moment, step);
    *now = (struct timespec){ .tv_sec = at / SECOND, .tv_nsec = at % SECOND };
    return 0;
}

/* ---- a run in pieces ---- */

typedef struct stopper {
    unsigned calls, stop_at;
    neap_progress last;
    bool preparing, within; /* the stop came in the preparation, in the middle of a step */
} stopper;

/* Between steps each report is further than the one before. */
static int stop_at(const neap_progress *now, void *user)
{
    stopper *s = user;
    bool training = !strcmp(now->stage, "train");
    bool further = now->epoch > s->last.epoch || now->done > s->last.done || now->epoch_end;
    if (training && now->epoch == s->last.epoch && now->done + now->total / 4 < s->last.done)
        fail_msg("progress went back from %u to %u", (unsigned)s->last.done, (unsigned)now->done);
    bool within = training && !further;
    if (training) s->last = *now;
    if (++s->calls != s->stop_at) return 0;
    s->preparing = !training;
    s->within = within;
    return 1;
}

typedef struct variant {
    const char *method, *name, *value, *other, *other_value;
} variant;

static const variant variants[] = {
    { "gap", "valid", "0.2", "batch", "64" },
    { "gap", "valid", "0", "optimizer", "adam" },
    { "goat", "valid", "0", "batch", "32" },
    { "deepwalk", "valid", "0.2", "loss", "both" },
    { "node2vec", "valid", "0", "q", "2" },
    { "walklets", "valid", "0", "walks", "2" },
    { "line", "valid", "0.2", "order", "both" },
    { "verse", "valid", "0", "restart", "0.3" },
    { "attentivewalk", "valid", "0.2", "walks", "3" },
    { "splitter", "valid", "0.2", "walks", "2" },
    { "tridnr", "valid", "0.2", "walks", "2" },
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static neap_options *options_for(const variant *v)
{
    return options_of("neap", "method", v->method, "dim", "16", "epochs", "2", "walks", "3", "walk-length",
                      "12", "window", "4", "threads", "2", v->name, v->value, v->other, v->other_value,
                      NULL);
}

static neap_graph *blocks(void)
{
    neap_generator what = {
        .size = sizeof what, .kind = "sbm", .nodes = 90, .blocks = 3, .p_in = 0.3, .p_out = 0.02, .seed = 1
    };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    return g;
}

/* How often the pieces of a run were stopped, and where. */
typedef struct stops {
    unsigned all, preparing, within;
} stops;

/* Stopped later and later, until it is through. */
static neap_model *train_in_pieces(const neap_graph *g, const neap_options *o, long long step,
                                   double checkpoint_seconds, stops *count)
{
    neap_text *text = texts_of(g);
    neap_data data = { .size = sizeof data, .graph = g, .text = text };
    neap_model *m = NULL;
    neap_error err = { 0 };
    neap_status rc = NEAP_E_STOPPED;
    remove("run.checkpoint");
    for (unsigned k = 1; rc == NEAP_E_STOPPED; k += 1 + k / 4) {
        stopper s = { .stop_at = k };
        neap_hooks hooks = { .size = sizeof hooks,
                             .progress = stop_at,
                             .user = &s,
                             .checkpoint = "run.checkpoint",
                             .checkpoint_seconds = checkpoint_seconds,
                             .resume = 1 };
        atomic_store(&tick, step);
        rc = neap_train(&data, o, &hooks, &m, &err);
        atomic_store(&tick, 0);
        if (rc != NEAP_OK && rc != NEAP_E_STOPPED) fail_msg("%s", err.text);
        assert_true((rc == NEAP_OK) == (m != NULL));
        count->all += rc == NEAP_E_STOPPED;
        count->preparing += s.preparing;
        count->within += s.within;
    }
    remove("run.checkpoint");
    neap_text_free(text);
    return m;
}

static bool seen_everywhere(const stops *count, bool preparing)
{
    return count->within && (!preparing || count->preparing);
}

/* A look for every few tasks; and so few that a change of the tensors is not finished in time, which loses
 * what was learned since the last checkpoint and nothing else. */
static void stopped_anywhere_a_run_ends_in_the_same_model(void **state)
{
    static const long long steps[] = { 30000000, 1000000000 };
    neap_graph *g = blocks();
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        neap_options *o = options_for(&variants[i]);
        neap_model *whole = train_on(g, o, NULL);
        for (int k = 0; k < 2; k++) {
            stops count = { 0 };
            /* Which tasks the looking thread gets is up to the system: where it got none, once more. */
            for (int tries = 0; tries < 10 && !seen_everywhere(&count, k); tries++) {
                neap_model *pieces = train_in_pieces(g, o, steps[k], k ? 1e-9 : 1e9, &count);
                assert_same_tensors(whole, pieces);
                assert_int_equal(whole->epochs, pieces->epochs);
                assert_true(whole->loss == pieces->loss);
                neap_model_free(pieces);
            }
            if (!seen_everywhere(&count, k))
                fail_msg("%s: of %u stops %u were in a step and %u before the first", variants[i].method,
                         count.all, count.within, count.preparing);
        }
        neap_model_free(whole);
        neap_options_free(o);
    }
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stopped_anywhere_a_run_ends_in_the_same_model, scratch_enter,
                                        scratch_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
