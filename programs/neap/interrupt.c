/* SIGINT and SIGTERM: a flag that training polls, or an immediate end by async-signal-safe calls. */
#include "progress.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { INTERRUPTED = 130 }; /* the exit code, as main.c gives it */

static volatile sig_atomic_t seen;
static const char *_Atomic parting;

/* Nothing here but what POSIX allows in a signal handler. */
static void end_with(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
    _exit(INTERRUPTED);
}

static void remember(int number)
{
    (void)number;
    seen = 1;
    const char *text = parting;
    if (text) end_with(text);
}

/* SA_RESETHAND: the default action, termination, is back for the second signal. A signal that the caller
 * has switched off (nohup, a background job) stays off. */
static void watch(int number)
{
    struct sigaction now, action = { .sa_handler = remember, .sa_flags = SA_RESTART | (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
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

void interrupt_ends(const char *text)
{
    parting = text;
    if (seen && text) end_with(text);
}
