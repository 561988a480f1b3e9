/* Training twice: once with validation pairs to find the number of epochs, then on all pairs for as many.
 * The first model is freed before the second is made. */
#include <math.h>

#include "base/options.h"
#include "neap.h"

/* Progress of the second run has a stage name of its own. */
static int on_second(const neap_progress *now, void *user)
{
    const neap_hooks *hooks = user;
    neap_progress named = *now;
    named.stage = "train-all";
    return hooks->progress(&named, hooks->user);
}

static void on_note(const char *text, void *user)
{
    const neap_hooks *hooks = user;
    hooks->note(text, hooks->user);
}

neap_status neap_train_fully(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                             neap_model **out, neap_error *err)
{
    neap_options set = *options;
    neap_hooks with = hooks ? *hooks : (neap_hooks){ 0 }, second = with;
    second.checkpoint = with.checkpoint = NULL;
    if (with.progress) second.progress = on_second;
    if (with.note) second.note = on_note;
    second.user = &with;
    *out = NULL;
    neap_status rc = neap_options_settle(&set, err);
    if (rc == NEAP_OK) rc = neap_train(graph, &set, &with, out, err);
    bool stopped_early = rc == NEAP_OK && !isnan(neap_model_training(*out).valid_auc);
    if (!stopped_early) return rc;
    set.epochs = neap_model_training(*out).epochs;
    set.valid = 0;
    neap_model_free(*out);
    return neap_train(graph, &set, &second, out, err);
}
