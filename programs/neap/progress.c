/* Progress as one live line, laid out for the width of the terminal, or as plain lines. */
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

void progress_start(progress *p, const char *mode, bool quiet)
{
    const char *term = getenv("TERM");
    bool dumb = !term || !strcmp(term, "dumb"), always = !strcmp(mode, "always");
    *p = (progress){ .shown = !quiet && strcmp(mode, "never") };
    p->live = always || (isatty(STDERR_FILENO) && !dumb);
    progress_name(p, "");
    p->pretty = p->live && reads_utf8();
    p->colour = p->live && !dumb && !set_and_not_empty("NO_COLOR");
}

void progress_name(progress *p, const char *name)
{
    snprintf(p->name, sizeof p->name, "%s", name);
    for (char *c = p->name; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    p->drawn = p->live ? -1 : 0;
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

/* Stages that count something else than the edges of an epoch. */
static const struct counted {
    const char *stage, *doing, *items;
} counted[] = { { "load", "reading", "bytes" },
                { "score", "scoring", "test pairs" },
                { "rank", "ranking", "nodes" } };

static const struct counted *counts(const neap_progress *now)
{
    for (size_t i = 0; now->stage && i < sizeof counted / sizeof *counted; i++)
        if (!strcmp(now->stage, counted[i].stage)) return &counted[i];
    return NULL;
}

/* Before the first epoch; a method without epochs does nothing else. */
static bool is_preparing(const neap_progress *now)
{
    return (now->stage && !strcmp(now->stage, "prepare")) || (!now->epoch && !counts(now));
}

/* Of this epoch, or of what is counted. */
static double share_of_stage(const neap_progress *now)
{
    return now->total ? (double)now->done / (double)now->total : 0;
}

/* Share of the whole run: complete epochs and the edges of this one. */
static double share_done(const neap_progress *now)
{
    if (counts(now)) return share_of_stage(now);
    if (is_preparing(now) || !now->epochs) return 0;
    double share = (now->epoch - 1 + share_of_stage(now)) / now->epochs;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* The pieces of a line, each with its gap before it. */
enum { LOSS, RATE, VALID, AUC, LEFT, PIECES };

typedef struct line {
    char head[160];         /* "gap, seed 1: epoch 3/20" */
    char piece[PIECES][64]; /* "": nothing to show       */
} line;

/* "preparing", "epoch 3/20", "epoch 3/7 on all pairs", "scoring 41 %", behind the name of it all. */
static void make_head(line *l, const char *name, const neap_progress *now)
{
    const char *colon = *name ? ": " : "";
    bool again = now->stage && !strcmp(now->stage, "train-all");
    if (is_preparing(now)) snprintf(l->head, sizeof l->head, "%s%spreparing", name, colon);
    else if (counts(now) && !now->total)
        snprintf(l->head, sizeof l->head, "%s%s%s", name, colon, counts(now)->doing);
    else if (counts(now))
        snprintf(l->head, sizeof l->head, "%s%s%s %.0f %%", name, colon, counts(now)->doing,
                 floor(100 * share_of_stage(now)));
    else
        snprintf(l->head, sizeof l->head, "%s%sepoch %u/%u%s", name, colon, now->epoch, now->epochs,
                 again ? " on all pairs" : "");
}

static line make_line(const char *name, const neap_progress *now, const char *gap)
{
    line l = { 0 };
    char text[SHORT];
    double rate = isfinite(now->rate) && now->rate > 0 && now->rate < 1e15 ? now->rate : 0;
    make_head(&l, name, now);
    if (is_preparing(now)) return l;
    if (!counts(now) && !isnan(now->loss))
        snprintf(l.piece[LOSS], sizeof *l.piece, "%sloss %.4f", gap, now->loss);
    snprintf(l.piece[RATE], sizeof *l.piece, "%s%s %s/s", gap,
             ni_format_count((uint64_t)(rate + 0.5), text), counts(now) ? counts(now)->items : "edges");
    if (!isnan(now->left))
        snprintf(l.piece[LEFT], sizeof *l.piece, "%s%s left", gap, ni_format_seconds(now->left, text));
    if (isnan(now->valid_auc)) return l;
    snprintf(l.piece[VALID], sizeof *l.piece, "%svalidation AUC %.4f", gap, now->valid_auc);
    snprintf(l.piece[AUC], sizeof *l.piece, "%sAUC %.4f", gap, now->valid_auc);
    return l;
}

/* The pieces of a live line, from a wide terminal to a narrow one. */
typedef struct layout {
    int bar; /* columns it needs at least, with the blank before it; 0: no bar */
    int pieces[4], count;
} layout;

static const layout layouts[] = {
    { 6, { LOSS, RATE, VALID, LEFT }, 4 },
    { 6, { LOSS, RATE, AUC, LEFT }, 4 },
    { 0, { LOSS, RATE, AUC, LEFT }, 4 },
    { 6, { LOSS, AUC, LEFT }, 3 },
    { 0, { LOSS, AUC, LEFT }, 3 },
    { 0, { LOSS, LEFT }, 2 },
    { 0, { LEFT }, 1 },
    { 0, { 0 }, 0 },
};

static int columns_of(const line *l, const layout *shape)
{
    int columns = (int)strlen(l->head);
    for (int i = 0; i < shape->count; i++) columns += (int)strlen(l->piece[shape->pieces[i]]);
    return columns;
}

static const layout *const least_with_name = &layouts[5];

/* The first layout that fits; the last one is taken if it fits or not. */
static const layout *choose_layout(const line *l, int width)
{
    const layout *last = layouts + sizeof layouts / sizeof *layouts - 1, *shape = layouts;
    while (shape < last && columns_of(l, shape) + shape->bar > width) shape++;
    return shape;
}

/* Blanks out what is left of the line before. */
static void end_live(progress *p, int room)
{
    if (p->colour) fputs("\033[K", stderr);
    else fprintf(stderr, "%*s", room > 0 ? room : 0, "");
    fflush(stderr);
    p->open = true;
}

/* The last column stays free: many terminals wrap when it is written to. */
static void draw_live(progress *p, const neap_progress *now)
{
    enum { LONGEST = 30 };
    int width = terminal_width() - 1;
    line l = make_line(p->name, now, "  ");
    if (columns_of(&l, least_with_name) > width) l = make_line("", now, "  ");
    const layout *shape = choose_layout(&l, width);
    int room = width - columns_of(&l, shape), bar = room - 1 < LONGEST ? room - 1 : LONGEST;
    fprintf(stderr, "\r%.*s", width, l.head);
    if (shape->bar && !(counts(now) && !now->total)) {
        putc(' ', stderr);
        draw_bar(p, share_done(now), bar);
        room -= bar + 1;
    }
    for (int i = 0; i < shape->count; i++) fputs(l.piece[shape->pieces[i]], stderr);
    end_live(p, room);
}

void progress_words(progress *p, const char *words)
{
    char text[160];
    int width = terminal_width() - 1;
    if (!p->shown) return;
    snprintf(text, sizeof text, "%s%s%s", p->name, *p->name ? ": " : "", words);
    if (p->live) {
        fprintf(stderr, "\r%.*s", width, text);
        end_live(p, width - (int)strlen(text));
    } else fprintf(stderr, "%s\n", text);
}

/* "epoch 3/20, loss 0.1234, 15,512 edges/s, validation AUC 0.8812, 1 min 03 s left", or within an epoch
 * "epoch 3/20, 41 % done, 15,512 edges/s, 1 min 03 s left". */
static void print_plain(const progress *p, const neap_progress *now)
{
    line l = make_line(p->name, now, ", ");
    if (now->epoch_end)
        fprintf(stderr, "%s%s%s%s%s\n", l.head, l.piece[LOSS], l.piece[RATE], l.piece[VALID],
                l.piece[LEFT]);
    else if (counts(now) || is_preparing(now))
        fprintf(stderr, "%s%s%s\n", l.head, l.piece[RATE], l.piece[LEFT]);
    else
        fprintf(stderr, "%s, %.0f %% done%s%s\n", l.head, floor(100 * share_of_stage(now)), l.piece[RATE],
                l.piece[LEFT]);
}

void progress_show(progress *p, const neap_progress *now)
{
    if (!p->shown) return;
    double pause = p->live ? 0.1 : 60;
    bool clock_restarts = now->seconds < p->drawn; /* after the first training, or when scoring begins */
    if (clock_restarts) p->drawn = -1;
    if (p->drawn >= 0 && now->seconds - p->drawn < pause && !now->epoch_end) return;
    if (p->live) draw_live(p, now);
    else print_plain(p, now);
    p->drawn = now->seconds;
}

void progress_clear(progress *p)
{
    if (!p->open) return;
    if (p->colour) fputs("\r\033[K", stderr);
    else fprintf(stderr, "\r%*s\r", terminal_width() - 1, "");
    p->open = false;
}
