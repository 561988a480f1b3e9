/* Progress of a long call, at most ten times per second, and whether it requests a stop. One thread. */
#include "base/sized.h"

#include <math.h>

#include "base/sys.h"
#include "support/status.h"

ni_watch ni_watch_begin(const neap_hooks *hooks, const char *stage)
{
    double now = ni_seconds();
    return (ni_watch){ hooks && hooks->progress ? hooks : NULL, stage, now, now };
}

bool ni_watch_look(ni_watch *w, uint64_t done, uint64_t total)
{
    if (!w->hooks) return true;
    double now = ni_seconds();
    if (now - w->looked < 0.1) return true;
    w->looked = now;
    neap_progress at = { .size = sizeof at,
                         .stage = w->stage,
                         .done = done,
                         .total = total,
                         .loss = NAN,
                         .valid_auc = NAN,
                         .seconds = now - w->since };
    at.rate = (double)done / at.seconds;
    at.left = done && total ? at.seconds * (double)(total - done) / (double)done : NAN;
    return !w->hooks->progress(&at, w->hooks->user);
}

neap_status ni_watch_stopped(const ni_watch *w, neap_error *err)
{
    return ni_fail(err, NEAP_E_STOPPED, "stopped (%s)", w->stage);
}
