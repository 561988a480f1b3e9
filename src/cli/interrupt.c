#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t seen;

static void remember(int number)
{
    (void)number;
    seen = 1;
}

/* SA_RESETHAND: the system's own answer, the end, is back for the second signal. A signal that the
 * caller has switched off (nohup, a background job) stays off. */
static void watch(int number)
{
    struct sigaction now, wish = { .sa_handler = remember, .sa_flags = SA_RESTART | (int)SA_RESETHAND };
    sigemptyset(&wish.sa_mask);
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_IGN) sigaction(number, &wish, NULL);
}

void interrupt_watch(void)
{
    watch(SIGINT);
    watch(SIGTERM);
}

bool interrupt_seen(void)
{
    return seen != 0;
}
