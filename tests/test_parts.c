/* A long output in parts: whatever interrupts it, what it becomes is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "faults.h"
#include "io/stream.h"
#include "scratch.h"

enum { PARTS = 5 };

static char song[] = "song", packed_song[] = "song.gz";

static const char *const part[PARTS] = { "one\n", "", "part 2 9 00000000\n", "four\n", "the last" };
static const char whole[] = "one\npart 2 9 00000000\nfour\nthe last";

static neap_status open_parts(const char *path, const char *about, int resume, neap_parts **p,
                              neap_error *err)
{
    neap_parts_spec spec = { .size = sizeof spec, .path = path, .about = about, .resume = resume };
    return neap_parts_open(&spec, p, err);
}

/* Goes on until the end. */
static neap_status make(void *user, neap_error *err)
{
    neap_parts *p;
    neap_status rc = open_parts(user, "a song", 1, &p, err);
    if (rc != NEAP_OK) return rc;
    for (uint64_t i = neap_parts_count(p); i < PARTS && rc == NEAP_OK; i++)
        rc = neap_parts_add(p, part[i], strlen(part[i]), err);
    if (rc == NEAP_OK) return neap_parts_finish(p, err);
    neap_parts_close(p);
    return rc;
}

static void add_first(const char *path, int count)
{
    neap_parts *p;
    assert_int_equal(open_parts(path, "a song", 0, &p, NULL), NEAP_OK);
    for (int i = 0; i < count; i++)
        assert_int_equal(neap_parts_add(p, part[i], strlen(part[i]), NULL), NEAP_OK);
    neap_parts_close(p);
}

static void parts_become_a_file(void **state)
{
    (void)state;
    assert_int_equal(make(song, NULL), NEAP_OK);
    scratch_expect("song", whole, strlen(whole));
    assert_int_equal(scratch_count(""), 1);
}

/* Dies before, or in the middle of, every single file call, and is then started again. */
static unsigned finished;

static void look(void *user)
{
    (void)user;
    neap_error err = { 0 };
    bool there = access("song", F_OK) == 0;
    if (there) scratch_expect("song", whole, strlen(whole));
    finished += there;
    if (make(song, &err) != NEAP_OK) fail_msg("%s", err.text);
    scratch_expect("song", whole, strlen(whole));
    assert_int_equal(access("song.part", F_OK), -1);
    unlink("song");
}

static void a_death_at_any_moment_costs_nothing_but_time(void **state)
{
    (void)state;
    finished = 0;
    assert_true(faults_crash_each(make, look, song) > 3 * PARTS);
    assert_true(finished > 1);
}

static void what_was_added_is_not_made_again(void **state)
{
    (void)state;
    neap_parts *p;
    add_first("song", 3);
    assert_int_equal(open_parts("song", "a song", 1, &p, NULL), NEAP_OK);
    assert_int_equal(neap_parts_count(p), 3);
    neap_parts_close(p);
    assert_int_equal(open_parts("song", "a song", 0, &p, NULL), NEAP_OK); /* afresh */
    assert_int_equal(neap_parts_count(p), 0);
    neap_parts_close(p);
}

/* Every length that the file may have been cut to, and every byte that may have turned. */
static void a_torn_or_spoilt_end_is_cut_off(void **state)
{
    (void)state;
    size_t size;
    add_first("song", PARTS);
    char *bytes = scratch_bytes("song.part", &size);
    for (size_t i = 0; i < 2 * size; i++) {
        char *copy = malloc(size + 1);
        memcpy(copy, bytes, size);
        if (i >= size) copy[i - size] ^= 1;
        assert_int_equal(neap_file_replace("song.part", copy, i < size ? i : size, NULL), NEAP_OK);
        free(copy);
        neap_status rc = make(song, NULL);
        if (i >= size && i < size + strlen("neap parts 1 ")) assert_int_equal(rc, NEAP_E_FORMAT);
        else assert_int_equal(rc, NEAP_OK);
        if (rc == NEAP_OK) scratch_expect("song", whole, strlen(whole));
        unlink("song");
        unlink("song.part");
    }
    free(bytes);
}

static void other_outputs_and_other_files_are_left_alone(void **state)
{
    (void)state;
    neap_parts *p;
    neap_error err = { 0 };
    add_first("song", 2);
    assert_int_equal(open_parts("song", "another song", 1, &p, &err), NEAP_E_MISMATCH);
    assert_null(p);
    assert_non_null(strstr(err.text, "song.part"));
    assert_int_equal(make(song, NULL), NEAP_OK);
    assert_int_equal(neap_file_replace("song.part", "my notes\n", 9, NULL), NEAP_OK);
    for (int resume = 0; resume < 2; resume++) {
        assert_int_equal(open_parts("song", "a song", resume, &p, &err), NEAP_E_FORMAT);
        scratch_expect("song.part", "my notes\n", 9);
    }
    assert_int_equal(open_parts("song", "two\nlines", 0, &p, &err), NEAP_E_ARG);
    assert_int_equal(open_parts(NULL, "a song", 0, &p, &err), NEAP_E_ARG);
}

static void two_runs_do_not_write_one_file(void **state)
{
    (void)state;
    neap_parts *p;
    assert_int_equal(open_parts("song", "a song", 0, &p, NULL), NEAP_OK);
    pid_t child = fork();
    if (child == 0) _exit(make(song, NULL) == NEAP_E_IO ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    neap_parts_close(p);
}

static void packed_parts_are_members(void **state)
{
    (void)state;
    size_t size, again, got;
    char text[sizeof whole];
    ni_stream_in *in;
    assert_int_equal(make(packed_song, NULL), NEAP_OK);
    assert_int_equal(ni_stream_open("song.gz", &in, NULL), NEAP_OK);
    assert_int_equal(ni_stream_read(in, text, sizeof text, &got, NULL), NEAP_OK);
    ni_stream_close(in);
    assert_int_equal(got, strlen(whole));
    assert_memory_equal(text, whole, got);
    char *first = scratch_bytes("song.gz", &size);
    add_first("song.gz", 0);
    assert_int_equal(make(packed_song, NULL), NEAP_OK);
    char *second = scratch_bytes("song.gz", &again);
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
}

static void expect_full_disk(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    assert_int_equal(rc, NEAP_E_IO);
    assert_int_equal(err->sys, ENOSPC);
    assert_int_equal(access("song", F_OK), -1);
}

static neap_status make_afresh(void *user, neap_error *err)
{
    unlink("song");
    unlink("song.part");
    unlink("song.gz");
    unlink("song.gz.part");
    return make(user, err);
}

static void a_full_disk_or_memory_is_reported(void **state)
{
    (void)state;
    assert_true(faults_each(FAULTS_WRITE, ENOSPC, false, make_afresh, expect_full_disk, song) > PARTS);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, make_afresh, faults_expect_memory, packed_song) >
                2);
}

/* A pipe would be waited for, and what a link leads to is somebody else's. */
static void a_pipe_or_a_link_in_the_way_is_refused(void **state)
{
    (void)state;
    neap_parts *p;
    assert_int_equal(mkfifo("song.part", 0600), 0);
    assert_int_equal(open_parts("song", "a song", 1, &p, NULL), NEAP_E_FORMAT);
    assert_int_equal(unlink("song.part"), 0);
    assert_int_equal(symlink("elsewhere", "song.part"), 0);
    assert_int_equal(open_parts("song", "a song", 1, &p, NULL), NEAP_E_FORMAT);
    assert_int_equal(access("elsewhere", F_OK), -1);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(parts_become_a_file),
        IN_SCRATCH(a_death_at_any_moment_costs_nothing_but_time),
        IN_SCRATCH(what_was_added_is_not_made_again),
        IN_SCRATCH(a_torn_or_spoilt_end_is_cut_off),
        IN_SCRATCH(other_outputs_and_other_files_are_left_alone),
        IN_SCRATCH(a_pipe_or_a_link_in_the_way_is_refused),
        IN_SCRATCH(two_runs_do_not_write_one_file),
        IN_SCRATCH(packed_parts_are_members),
        IN_SCRATCH(a_full_disk_or_memory_is_reported),
    };
    faults_install();
    faults_skip_fsync();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
