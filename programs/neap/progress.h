/* progress.h - how far a run is: one live line on a terminal, which is never wider than it; elsewhere
 * plain lines, one per epoch, and one per minute within a long epoch. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "neap.h"

typedef struct progress {
    bool shown;  /* false: nothing at all                     */
    bool live;   /* redraw one line; false: plain lines       */
    bool pretty; /* the terminal reads UTF-8                  */
    bool colour;
    bool open;     /* a live line stands unfinished             */
    double drawn;  /* when a line was written last, in neap_progress seconds; below 0: the next is due */
    char name[64]; /* what goes on, or ""                       */
} progress;

/* mode: "auto", "always" or "never". */
void progress_start(progress *p, const char *mode, bool quiet);

/* Something new begins, which all lines name: "gap at 55 %, seed 1". What is not ASCII becomes '?'. */
void progress_name(progress *p, const char *name);
void progress_show(progress *p, const neap_progress *now);

/* Shows that work goes on that has no steps to count: "clustering 1,005 vectors". */
void progress_words(progress *p, const char *words);

/* Removes the live line, so that other text can follow. */
void progress_clear(progress *p);

/* ---- interruption ----
 *
 * Ctrl-C and SIGTERM. A run that has something to finish polls for a signal; any other run
 * ends at once. The second signal ends the program in any case. */
void interrupt_watch(void);
bool interrupt_seen(void);

/* From now on a signal ends the program at once, with exit code 130 and this text on standard error; one
 * that was seen before does so now. The text must not change while it is set. NULL: not now, since a file
 * is being written. */
void interrupt_ends(const char *text);

#endif
