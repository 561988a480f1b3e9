#include <math.h>

#include "base/options.h"
#include "neap.h"

neap_status neap_train_fully(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                             neap_model **out, neap_error *err)
{
    neap_options set = *options;
    neap_hooks with = hooks ? *hooks : (neap_hooks){ 0 };
    with.checkpoint = NULL;
    neap_status rc = neap_train(graph, &set, &with, out, err);
    bool stopped_early = rc == NEAP_OK && !isnan(neap_model_training(*out).valid_auc);
    if (!stopped_early) return rc;
    set.epochs = neap_model_training(*out).epochs;
    set.valid = 0;
    neap_model_free(*out);
    return neap_train(graph, &set, &with, out, err);
}
