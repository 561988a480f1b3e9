#include "neap/progress.c" /* white box: nobody waits for a minute in a test */
#include "neap/terminal.c" /* what it calls */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* What progress_show writes for these moments, for the caller to free. */
static char *shown(progress *p, const neap_progress *moments, int count)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    int before = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    for (int i = 0; i < count; i++) progress_show(p, &moments[i]);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    char *text = calloc(1, 4096);
    assert_non_null(text);
    rewind(file);
    size_t length = fread(text, 1, 4095, file);
    assert_true(length < 4095);
    fclose(file);
    return text;
}

static neap_progress moment(double seconds, uint64_t done, int epoch_end)
{
    return (neap_progress){ .epoch = 3,
                            .epochs = 20,
                            .done = done,
                            .total = 1000,
                            .loss = 0.5,
                            .valid_auc = 0.875,
                            .rate = 10,
                            .seconds = seconds,
                            .left = 70,
                            .epoch_end = epoch_end };
}

static void reading_is_counted_in_bytes(void **state)
{
    (void)state;
    progress p = { .shown = true, .name = "texts.tsv" };
    neap_progress run[] = { moment(61, 419, 0), moment(122, 5000, 0) };
    run[0].stage = run[1].stage = "load";
    run[1].total = 0, run[1].left = NAN; /* of a pipe */
    char *text = shown(&p, run, 2);
    assert_string_equal(text, "texts.tsv: reading 41 %, 10 bytes/s, 1 min 10 s left\n"
                              "texts.tsv: reading, 10 bytes/s\n");
    free(text);
}

static void a_long_epoch_is_heard_of_every_minute(void **state)
{
    (void)state;
    progress p = { .shown = true };
    neap_progress run[] = { moment(1, 10, 0),   moment(59, 400, 0),  moment(60, 419, 0),
                            moment(61, 425, 0), moment(119, 800, 0), moment(121, 1000, 1),
                            moment(180, 10, 0), moment(182, 20, 0) };
    char *text = shown(&p, run, 8);
    assert_string_equal(text,
                        "epoch 3/20, 41 % done, 10 edges/s, 1 min 10 s left\n"
                        "epoch 3/20, loss 0.5000, 10 edges/s, validation AUC 0.8750, 1 min 10 s left\n"
                        "epoch 3/20, 2 % done, 10 edges/s, 1 min 10 s left\n");
    free(text);
}

/* Training, training on all pairs, scoring: each has a clock of its own. Where the first was long enough to
 * be heard of, the others are heard of when they begin. */
static void each_stage_of_a_long_run_is_named(void **state)
{
    (void)state;
    progress p = { .shown = true };
    neap_progress run[] = { moment(61, 410, 0), moment(2, 10, 0),  moment(3, 0, 0),
                            moment(4, 0, 0),    moment(1, 410, 0), moment(62, 500, 0) };
    run[1].stage = run[2].stage = "train-all";
    run[3].stage = run[4].stage = run[5].stage = "score";
    run[3].done = run[5].left = 0;
    progress_name(&p, "g\033p at 55 %, seed 1");
    char *text = shown(&p, run, 6);
    assert_string_equal(
        text, "g?p at 55 %, seed 1: epoch 3/20, 41 % done, 10 edges/s, 1 min 10 s left\n"
              "g?p at 55 %, seed 1: epoch 3/20 on all pairs, 1 % done, 10 edges/s, 1 min 10 s left\n"
              "g?p at 55 %, seed 1: scoring 41 %, 10 test pairs/s, 1 min 10 s left\n"
              "g?p at 55 %, seed 1: scoring 50 %, 10 test pairs/s, 0 ms left\n");
    free(text);
}

/* Of a method without epochs nothing is counted, and before the first epoch nothing is done. */
static void there_is_no_epoch_0(void **state)
{
    (void)state;
    progress p = { .shown = true };
    neap_progress run[] = { moment(61, 0, 0), moment(122, 0, 0), moment(190, 0, 0) };
    run[0].epoch = run[0].epochs = run[1].epoch = run[1].epochs = 0;
    run[2].stage = "prepare";
    run[1].stage = "train";
    char *text = shown(&p, run, 3);
    assert_string_equal(text, "preparing\npreparing\npreparing\n");
    free(text);
    for (int i = 0; i < 3; i++) assert_true(share_done(&run[i]) == 0);
}

static void a_short_run_is_not_heard_of(void **state)
{
    (void)state;
    progress p = { .shown = true };
    neap_progress run[] = { moment(30, 410, 0), moment(2, 10, 0), moment(1, 0, 0) };
    run[1].stage = "train-all";
    run[2].stage = "score";
    char *text = shown(&p, run, 3);
    assert_string_equal(text, "");
    free(text);
}

static void nothing_is_shown_when_nothing_is_wanted(void **state)
{
    (void)state;
    progress p;
    neap_progress run[] = { moment(100, 10, 0), moment(200, 1000, 1) };
    progress_start(&p, "never", false);
    char *text = shown(&p, run, 2);
    assert_string_equal(text, "");
    free(text);
    progress_start(&p, "always", true);
    text = shown(&p, run, 2);
    assert_string_equal(text, "");
    free(text);
}

/* Which pieces are left in a line that must not be longer than so many columns. */
static void assert_fits(int width, double auc, const char *want)
{
    char text[256] = "";
    neap_progress now = moment(1, 10, 0);
    now.valid_auc = auc;
    line l = make_line("", &now, "  ");
    const layout *shape = choose_layout(&l, width);
    strcpy(text, l.head);
    if (shape->bar) strcat(text, " ----");
    for (int i = 0; i < shape->count; i++) strcat(text, l.piece[shape->pieces[i]]);
    assert_string_equal(text, want);
    assert_true(columns_of(&l, shape) + shape->bar <= width || width < 10);
}

static void a_narrow_terminal_shows_less_and_time_left_longest(void **state)
{
    (void)state;
    assert_fits(85, 0.875,
                "epoch 3/20 ----  loss 0.5000  10 edges/s  validation AUC 0.8750  1 min 10 s left");
    assert_fits(78, 0.875, "epoch 3/20 ----  loss 0.5000  10 edges/s  AUC 0.8750  1 min 10 s left");
    assert_fits(64, 0.875, "epoch 3/20  loss 0.5000  10 edges/s  AUC 0.8750  1 min 10 s left");
    assert_fits(63, 0.875, "epoch 3/20 ----  loss 0.5000  AUC 0.8750  1 min 10 s left");
    assert_fits(52, 0.875, "epoch 3/20  loss 0.5000  AUC 0.8750  1 min 10 s left");
    assert_fits(50, 0.875, "epoch 3/20  loss 0.5000  1 min 10 s left");
    assert_fits(50, (double)NAN, "epoch 3/20 ----  loss 0.5000  1 min 10 s left");
    assert_fits(36, 0.875, "epoch 3/20  1 min 10 s left");
    assert_fits(15, 0.875, "epoch 3/20");
    assert_fits(3, 0.875, "epoch 3/20");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_is_counted_in_bytes),
        cmocka_unit_test(a_long_epoch_is_heard_of_every_minute),
        cmocka_unit_test(each_stage_of_a_long_run_is_named),
        cmocka_unit_test(there_is_no_epoch_0),
        cmocka_unit_test(a_short_run_is_not_heard_of),
        cmocka_unit_test(nothing_is_shown_when_nothing_is_wanted),
        cmocka_unit_test(a_narrow_terminal_shows_less_and_time_left_longest),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
