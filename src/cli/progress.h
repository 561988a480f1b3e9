/* progress.h - how far a run is: one live line on a terminal, which is never wider than it; elsewhere plain
 * lines, one an epoch, and one a minute within a long epoch.                                           */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "neap.h"

typedef struct progress {
    bool shown;  /* false: nothing at all                     */
    bool live;   /* redraw one line; false: plain lines       */
    bool pretty; /* the terminal reads UTF-8                  */
    bool colour;
    bool open;    /* a live line stands unfinished             */
    double drawn; /* when a line was written last, in neap_progress seconds */
} progress;

/* mode: "auto", "always" or "never". */
void progress_start(progress *p, const char *mode, bool quiet);
void progress_show(progress *p, const neap_progress *now);

/* Removes the live line, so that other text can follow. */
void progress_clear(progress *p);

#endif
