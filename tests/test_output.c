#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "faults.h"
#include "io/crc32c.h"
#include "io/output.h"
#include "scratch.h"

static const char old_bytes[] = "the old file", new_bytes[] = "a new file, somewhat longer";

/* Saves in three pieces, the middle one larger than the buffer. */
static neap_status save(const char *path, neap_error *err)
{
    static char large[200000];
    ni_output *out;
    neap_status rc = ni_output_open(path, &out, err);
    if (rc != NEAP_OK) return rc;
    memset(large, 'x', sizeof large);
    ni_output_text(out, new_bytes);
    ni_output_write(out, large, sizeof large);
    ni_output_print(out, "%s %d", "end", 7);
    return ni_output_commit(out, err);
}

static bool is_new(const char *path)
{
    size_t size, head = strlen(new_bytes);
    char *bytes = scratch_bytes(path, &size);
    bool same = size == head + 200000 + 5 && !memcmp(bytes, new_bytes, head) &&
                !memcmp(bytes + size - 5, "end 7", 5);
    free(bytes);
    return same;
}

static bool is_old(const char *path)
{
    size_t size;
    char *bytes = scratch_bytes(path, &size);
    bool same = size == strlen(old_bytes) && !memcmp(bytes, old_bytes, size);
    free(bytes);
    return same;
}

static void put_old(void)
{
    scratch_put("file", old_bytes, strlen(old_bytes));
}

static void a_file_is_written_whole(void **state)
{
    (void)state;
    neap_error err = { 0 };
    assert_int_equal(save("file", &err), NEAP_OK);
    assert_true(is_new("file"));
    assert_int_equal(scratch_count(""), 1);
    assert_int_equal(save("file", &err), NEAP_OK);
    assert_true(is_new("file"));
    assert_int_equal(neap_file_replace("file", "", 0, &err), NEAP_OK);
    scratch_expect("file", "", 0);
    assert_int_equal(neap_file_replace(NULL, "", 0, &err), NEAP_E_ARG);
    assert_int_equal(neap_file_replace("file", NULL, 1, &err), NEAP_E_ARG);
}

static void the_old_mode_stays_and_a_new_file_follows_the_umask(void **state)
{
    (void)state;
    struct stat st;
    put_old();
    assert_int_equal(chmod("file", 0640), 0);
    assert_int_equal(save("file", NULL), NEAP_OK);
    assert_int_equal(stat("file", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    mode_t mask = umask(027);
    assert_int_equal(save("new", NULL), NEAP_OK);
    umask(mask);
    assert_int_equal(stat("new", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

static void nobody_else_can_read_a_half_written_file(void **state)
{
    (void)state;
    struct stat st;
    char name[64];
    ni_output *out;
    assert_int_equal(ni_output_open("file", &out, NULL), NEAP_OK);
    snprintf(name, sizeof name, ".neap-%ld-0.tmp", (long)getpid());
    assert_int_equal(stat(name, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(scratch_count("file"), 0);
    ni_output_abandon(out);
    assert_int_equal(scratch_count(""), 0);
}

static void a_left_over_temporary_file_is_in_nobodys_way(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, ".neap-%ld-0.tmp", (long)getpid());
    scratch_put(name, "left over", 9);
    assert_int_equal(save("file", NULL), NEAP_OK);
    assert_true(is_new("file"));
    scratch_expect(name, "left over", 9);
}

static void a_link_stays_a_link(void **state)
{
    (void)state;
    struct stat st;
    put_old();
    assert_int_equal(symlink("file", "link"), 0);
    assert_int_equal(symlink("link", "link2"), 0);
    assert_int_equal(save("link2", NULL), NEAP_OK);
    assert_true(is_new("file"));
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(symlink("not-yet", "dangling"), 0);
    assert_int_equal(save("dangling", NULL), NEAP_OK);
    assert_true(is_new("not-yet"));
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(save("loop", NULL), NEAP_E_IO);
}

static void the_temporary_file_is_beside_the_target(void **state)
{
    (void)state;
    assert_int_equal(mkdir("a", 0700) | mkdir("a/b", 0700), 0);
    assert_int_equal(symlink("b/file", "a/link"), 0);
    assert_int_equal(save("a/link", NULL), NEAP_OK);
    assert_true(is_new("a/b/file"));
    ni_output *out;
    assert_int_equal(ni_output_open("a/link", &out, NULL), NEAP_OK);
    assert_int_equal(chdir("a/b"), 0);
    unsigned beside = scratch_count(".neap");
    assert_int_equal(chdir("../.."), 0);
    ni_output_abandon(out);
    assert_int_equal(beside, 1);
    assert_int_equal(unlink("a/link") | unlink("a/b/file") | rmdir("a/b"), 0);
}

static void a_device_is_written_in_place(void **state)
{
    (void)state;
    neap_error err = { 0 };
    struct stat before, after;
    assert_int_equal(stat("/dev/null", &before), 0);
    assert_int_equal(save("/dev/null", &err), NEAP_OK);
    assert_int_equal(stat("/dev/null", &after), 0);
    assert_true(before.st_ino == after.st_ino && S_ISCHR(after.st_mode));
    if (access("/dev/full", W_OK)) skip();
    assert_int_equal(save("/dev/full", &err), NEAP_E_IO);
    assert_int_equal(err.sys, ENOSPC);
    assert_non_null(strstr(err.text, "/dev/full"));
}

static void a_pipe_without_reader_says_so(void **state)
{
    (void)state;
    neap_error err = { 0 };
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    ni_output *out;
    assert_int_equal(ni_output_open("pipe", &out, &err), NEAP_OK);
    close(reader);
    ni_output_text(out, "nobody hears this");
    assert_int_equal(ni_output_commit(out, &err), NEAP_E_IO);
    assert_int_equal(err.sys, EPIPE);
    struct stat st;
    assert_int_equal(stat("pipe", &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
}

static void a_minus_is_standard_output(void **state)
{
    (void)state;
    int keep = dup(STDOUT_FILENO), file = open("captured", O_WRONLY | O_CREAT, 0600);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    neap_status rc = save("-", NULL);
    int still_open = fcntl(STDOUT_FILENO, F_GETFD);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    close(file);
    assert_int_equal(rc, NEAP_OK);
    assert_true(still_open >= 0);
    assert_true(is_new("captured"));
    assert_int_equal(scratch_count(""), 1);
}

static void a_folder_or_a_missing_folder_is_refused(void **state)
{
    (void)state;
    neap_error err = { 0 };
    assert_int_equal(save("no/such/folder", &err), NEAP_E_IO);
    assert_int_equal(err.sys, ENOENT);
    assert_int_equal(save(".", &err), NEAP_E_IO);
    assert_int_equal(err.sys, EISDIR);
    char longest[5000];
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(save(longest, &err), NEAP_E_IO);
    assert_int_equal(err.sys, ENAMETOOLONG);
}

static neap_status replace_old(void *user, neap_error *err)
{
    (void)user;
    put_old();
    return save("file", err);
}

/* Old file whole, temporary file gone; the call that failed is in the error. */
static void expect_old(void *user, neap_status rc, const neap_error *err)
{
    assert_int_equal(rc, NEAP_E_IO);
    assert_int_equal(err->code, NEAP_E_IO);
    assert_int_equal(err->sys, *(int *)user);
    assert_true(is_old("file"));
    assert_int_equal(scratch_count(""), 1);
}

/* After the rename only the folder is left to be synced or closed: the new file is there, whole. */
static void expect_old_or_new(void *user, neap_status rc, const neap_error *err)
{
    if (is_new("file")) assert_int_equal(scratch_count(""), 1);
    else expect_old(user, rc, err);
}

static void whatever_fails_the_old_file_is_intact(void **state)
{
    (void)state;
    int errors[] = { ENOSPC, EIO, EDQUOT };
    for (int e = 0; e < 3; e++)
        for (int forever = 0; forever < 2; forever++) {
            int *sys = &errors[e];
            assert_true(faults_each(FAULTS_WRITE, *sys, forever, replace_old, expect_old, sys) >= 3);
            assert_int_equal(faults_each(FAULTS_OPEN, *sys, forever, replace_old, expect_old, sys), 2);
            assert_int_equal(faults_each(FAULTS_FSTAT, *sys, forever, replace_old, expect_old, sys), 1);
            assert_int_equal(faults_each(FAULTS_RENAME, *sys, forever, replace_old, expect_old, sys), 1);
            assert_int_equal(faults_each(FAULTS_FSYNC, *sys, forever, replace_old, expect_old_or_new, sys),
                             2);
            assert_int_equal(faults_each(FAULTS_CLOSE, *sys, forever, replace_old, expect_old_or_new, sys),
                             2);
        }
}

static void a_failed_fsync_or_close_is_an_error(void **state)
{
    (void)state;
    neap_error err = { 0 };
    for (unsigned k = 1; k <= 2; k++) {
        faults_arm(FAULTS_FSYNC, k, EIO, false);
        assert_int_equal(replace_old(NULL, &err), NEAP_E_IO);
        assert_int_equal(atomic_load(&faults.seen[FAULTS_FSYNC]), k); /* never retried */
    }
    faults_arm(FAULTS_CLOSE, 1, EIO, false);
    assert_int_equal(replace_old(NULL, &err), NEAP_E_IO);
    faults_arm(FAULTS_CLOSE, 1, EIO, false);
    assert_int_equal(save("/dev/null", &err), NEAP_E_IO);
    faults_disarm();
}

static void interruptions_and_short_writes_change_nothing(void **state)
{
    (void)state;
    faults.most_written = 777;
    assert_int_equal(replace_old(NULL, NULL), NEAP_OK);
    assert_true(is_new("file"));
    for (unsigned k = 1; k < 20; k++) {
        faults_arm(FAULTS_WRITE, k, EINTR, false);
        assert_int_equal(replace_old(NULL, NULL), NEAP_OK);
        assert_true(is_new("file"));
    }
    faults.most_written = 0;
    faults_disarm();
}

static neap_status print_long(void *user, neap_error *err)
{
    (void)user;
    ni_output *out;
    neap_status rc = ni_output_open("file", &out, err);
    if (rc != NEAP_OK) return rc;
    ni_output_print(out, "%*s", 1000, "end");
    return ni_output_commit(out, err);
}

static void no_memory_is_an_ordinary_error(void **state)
{
    (void)state;
    assert_int_equal(faults_each(FAULTS_MEMORY, ENOMEM, false, print_long, faults_expect_memory, NULL), 2);
    assert_int_equal(scratch_count(""), 1);
    size_t size;
    char *bytes = scratch_bytes("file", &size);
    assert_int_equal(size, 1000);
    assert_string_equal(bytes + 997, "end");
    free(bytes);
}

static void old_or_new(void *user)
{
    unsigned *seen = user;
    bool now = is_new("file");
    assert_true(now || is_old("file"));
    seen[now]++;
    put_old();
}

static neap_status replace(void *user, neap_error *err)
{
    (void)user;
    return save("file", err);
}

static void a_crash_leaves_the_old_or_the_new_file(void **state)
{
    (void)state;
    unsigned seen[2] = { 0, 0 };
    put_old();
    unsigned died = faults_crash_each(replace, old_or_new, seen);
    assert_true(died >= 8); /* open twice, three writes, fsync, close, rename, fsync, close */
    assert_true(seen[0] >= 7 && seen[1] >= 2);
}

static void a_folder_is_made_unless_it_is_there(void **state)
{
    (void)state;
    neap_error err = { 0 };
    assert_int_equal(neap_folder_create("made", &err), NEAP_OK);
    assert_int_equal(neap_folder_create("made", &err), NEAP_OK);
    assert_int_equal(neap_folder_create("none/made", &err), NEAP_E_IO);
    assert_int_equal(err.sys, ENOENT);
    assert_non_null(strstr(err.text, "make the one that it is to be in first"));
    put_old();
    assert_int_equal(neap_folder_create("file", &err), NEAP_E_IO);
    assert_non_null(strstr(err.text, "file is a file, not a folder"));
    faults_arm(FAULTS_MKDIR, 1, EACCES, false);
    assert_int_equal(neap_folder_create("another", &err), NEAP_E_IO);
    faults_disarm();
    assert_int_equal(err.sys, EACCES);
    assert_int_equal(neap_folder_create(NULL, NULL), NEAP_E_ARG);
}

static void the_checksum_is_that_of_rfc_3720(void **state)
{
    (void)state;
    unsigned char bytes[300];
    assert_int_equal(ni_crc32c(0, "123456789", 9), 0xe3069283);
    memset(bytes, 0, 32);
    assert_int_equal(ni_crc32c(0, bytes, 32), 0x8a9136aa);
    memset(bytes, 255, 32);
    assert_int_equal(ni_crc32c(0, bytes, 32), 0x62a8ab43);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * i * 7 + i);
    for (size_t from = 0; from < 9; from++)
        for (size_t n = 0; from + n <= sizeof bytes; n++) {
            uint32_t whole = ni_crc32c(0, bytes + from, n);
            assert_int_equal(whole, ni_crc32c_portable(0, bytes + from, n));
            uint32_t half = ni_crc32c(0, bytes + from, n / 2);
            assert_int_equal(whole, ni_crc32c(half, bytes + from + n / 2, n - n / 2));
        }
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_file_is_written_whole),
        IN_SCRATCH(the_old_mode_stays_and_a_new_file_follows_the_umask),
        IN_SCRATCH(nobody_else_can_read_a_half_written_file),
        IN_SCRATCH(a_left_over_temporary_file_is_in_nobodys_way),
        IN_SCRATCH(a_link_stays_a_link),
        IN_SCRATCH(the_temporary_file_is_beside_the_target),
        IN_SCRATCH(a_device_is_written_in_place),
        IN_SCRATCH(a_pipe_without_reader_says_so),
        IN_SCRATCH(a_minus_is_standard_output),
        IN_SCRATCH(a_folder_or_a_missing_folder_is_refused),
        IN_SCRATCH(whatever_fails_the_old_file_is_intact),
        IN_SCRATCH(a_failed_fsync_or_close_is_an_error),
        IN_SCRATCH(interruptions_and_short_writes_change_nothing),
        IN_SCRATCH(no_memory_is_an_ordinary_error),
        IN_SCRATCH(a_crash_leaves_the_old_or_the_new_file),
        IN_SCRATCH(a_folder_is_made_unless_it_is_there),
        cmocka_unit_test(the_checksum_is_that_of_rfc_3720),
    };
    signal(SIGPIPE, SIG_IGN);
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
