/* interrupt.h - Ctrl-C and SIGTERM. A run that has something to finish asks now and then whether one was
 * seen; a run that has not ends at once. The second signal ends the program in any case. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
bool interrupt_seen(void);

/* From now on a signal ends the program at once, with exit code 130 and this text on standard error; one
 * that was seen before does so now. The text must not change while it is set. NULL: not now, since a file
 * is being written. */
void interrupt_ends(const char *text);

#endif
