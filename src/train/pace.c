#include "train/pace.h"

/* Passes progress on, and ends the run once it has gone on long enough to tell the speed. */
typedef struct watch {
    const neap_hooks *theirs; /* may be NULL */
    double limit;
    neap_progress last;
    bool interrupted; /* it was they who asked to stop */
} watch;

static int look(const neap_progress *now, void *user)
{
    watch *w = user;
    w->last = *now;
    w->interrupted = w->theirs && w->theirs->progress && w->theirs->progress(now, w->theirs->user);
    return w->interrupted || now->seconds >= w->limit;
}

neap_status ni_pace_measure(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                            double seconds, ni_pace *pace, neap_error *err)
{
    watch w = { .theirs = hooks, .limit = seconds };
    neap_hooks ours = { .progress = look,
                        .user = &w,
                        .around = hooks ? hooks->around : NULL,
                        .valid = hooks ? hooks->valid : NULL };
    neap_model *model;
    neap_status rc = ni_train_timed(graph, options, &ours, &pace->stages, &model, err);
    neap_model_free(model);
    pace->seconds = w.last.seconds;
    pace->edges = (uint64_t)(w.last.rate * w.last.seconds + 0.5);
    return rc == NEAP_E_STOPPED && !w.interrupted ? NEAP_OK : rc;
}
