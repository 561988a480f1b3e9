/* pace.h - a run of a few seconds, to see how fast training goes and where its time goes. */
#ifndef NI_PACE_H
#define NI_PACE_H

#include "train/trainer.h"

typedef struct ni_pace {
    uint64_t edges; /* trained on      */
    double seconds; /* which that took */
    ni_stages stages;
} ni_pace;

/* Trains until about `seconds` have passed or the epochs of the options are done, and keeps nothing. Of the
 * hooks, which may be NULL, `around`, `valid` and the progress count; if that asks to stop, it is
 * NEAP_E_STOPPED. */
neap_status ni_pace_measure(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                            double seconds, ni_pace *pace, neap_error *err);

#endif
