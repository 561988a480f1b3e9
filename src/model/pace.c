#include "model/pace.h"

static int look(const neap_progress *now, void *user)
{
    ni_pace *p = user;
    p->seconds = now->seconds;
    p->items = (uint64_t)(now->rate * now->seconds + 0.5);
    p->epoch = now->total;
    p->left = now->left;
    p->interrupted = p->theirs && p->theirs->progress && p->theirs->progress(now, p->theirs->user);
    return p->interrupted || now->seconds >= p->limit;
}

neap_hooks ni_pace_hooks(ni_pace *pace, const neap_hooks *theirs, double seconds)
{
    *pace = (ni_pace){ .theirs = theirs, .limit = seconds };
    return (neap_hooks){ .progress = look,
                         .user = pace,
                         .around = theirs ? theirs->around : NULL,
                         .valid = theirs ? theirs->valid : NULL };
}

neap_status ni_pace_end(const ni_pace *pace, neap_status rc)
{
    return rc == NEAP_E_STOPPED && !pace->interrupted ? NEAP_OK : rc;
}
