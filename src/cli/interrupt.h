/* interrupt.h - Ctrl-C and SIGTERM ask once, politely; the second one ends the program. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
bool interrupt_seen(void);

#endif
