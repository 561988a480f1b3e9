/* progress.h - how far a run is: one live line on a terminal, one plain line an epoch elsewhere. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "neap.h"

typedef struct progress {
    bool shown;  /* false: nothing at all                     */
    bool live;   /* redraw one line; false: a line an epoch   */
    bool pretty; /* the terminal reads UTF-8                  */
    bool colour;
    bool open;    /* a live line stands unfinished             */
    double drawn; /* when it was drawn last, in neap_progress seconds */
} progress;

/* mode: "auto", "always" or "never". */
void progress_start(progress *p, const char *mode, bool quiet);
void progress_show(progress *p, const neap_progress *now);

/* Removes the live line, so that other text can follow. */
void progress_clear(progress *p);

#endif
