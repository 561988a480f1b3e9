#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common.h"

static bool set_and_not_empty(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

/* The first of the three that is set decides, as in setlocale. */
static bool reads_utf8(void)
{
    const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (int i = 0; i < 3; i++) {
        if (!set_and_not_empty(names[i])) continue;
        const char *value = getenv(names[i]);
        return strstr(value, "UTF-8") || strstr(value, "utf8");
    }
    return false;
}

void progress_start(progress *p, const char *mode, bool quiet)
{
    const char *term = getenv("TERM");
    bool dumb = !term || !strcmp(term, "dumb"), always = !strcmp(mode, "always");
    *p = (progress){ .shown = !quiet && strcmp(mode, "never"), .drawn = -1 };
    p->live = always || (isatty(STDERR_FILENO) && !dumb);
    p->pretty = p->live && reads_utf8();
    p->colour = p->live && !dumb && !set_and_not_empty("NO_COLOR");
}

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

static void draw_bar(const progress *p, double share, int width)
{
    int full = (int)(share * width);
    if (p->colour) fputs("\033[36m", stderr);
    for (int i = 0; i < width; i++) {
        if (i == full && p->colour) fputs("\033[2m", stderr);
        if (p->pretty) fputs(i < full ? "\xe2\x94\x81" : "\xe2\x94\x80", stderr);
        else putc(i < full ? '#' : '-', stderr);
    }
    if (p->colour) fputs("\033[0m", stderr);
}

/* Share of the whole run: complete epochs and the edges of this one. */
static double share_done(const neap_progress *now)
{
    if (!now->epochs) return 1;
    double edges = now->total ? (double)now->done / (double)now->total : 0;
    double share = (now->epoch ? now->epoch - 1 + edges : 0) / now->epochs;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* "  loss 0.1234  15,512 edges/s  AUC 0.8812"; `gap` stands before each, `auc` says which AUC. */
static int format_numbers(const neap_progress *now, const char *gap, const char *auc, char *text,
                          size_t room)
{
    char rate[SHORT];
    double edges = isfinite(now->rate) && now->rate > 0 && now->rate < 1e15 ? now->rate : 0;
    int n = snprintf(text, room, "%sloss %.4f%s%s edges/s", gap, now->loss, gap,
                     with_commas((uint64_t)(edges + 0.5), rate));
    if (!isnan(now->valid_auc))
        n += snprintf(text + n, room - (size_t)n, "%s%s %.4f", gap, auc, now->valid_auc);
    return n;
}

static void draw_live(progress *p, const neap_progress *now)
{
    char head[64], numbers[128], left[SHORT], tail[SHORT + 16];
    int used = snprintf(head, sizeof head, "epoch %u/%u ", now->epoch, now->epochs);
    used += format_numbers(now, "  ", "AUC", numbers, sizeof numbers);
    used += snprintf(tail, sizeof tail, "  %s left", human_seconds(now->left, left));
    int room = terminal_width() - used - 1, bar = room > 30 ? 30 : room;
    fprintf(stderr, "\r%s", head);
    if (bar >= 5) draw_bar(p, share_done(now), bar);
    if (room < 0) tail[0] = 0;
    fprintf(stderr, "%s%s%s", numbers, tail, p->colour ? "\033[K" : "  ");
    fflush(stderr);
    p->open = true;
    p->drawn = now->seconds;
}

static void print_epoch(const neap_progress *now)
{
    char numbers[128], left[SHORT];
    format_numbers(now, ", ", "validation AUC", numbers, sizeof numbers);
    fprintf(stderr, "epoch %u/%u%s, %s left\n", now->epoch, now->epochs, numbers,
            human_seconds(now->left, left));
}

void progress_show(progress *p, const neap_progress *now)
{
    if (!p->shown) return;
    bool due = p->drawn < 0 || now->seconds - p->drawn >= 0.1 || now->epoch_end;
    if (p->live && due) draw_live(p, now);
    if (!p->live && now->epoch_end) print_epoch(now);
}

void progress_clear(progress *p)
{
    if (!p->open) return;
    if (p->colour) fputs("\r\033[K", stderr);
    else fprintf(stderr, "\r%*s\r", terminal_width() - 1, "");
    p->open = false;
}
