/* Stored archives, read back by Python's zipfile, which was not written by us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/zip.h"
#include "scratch.h"

/* A file in which zeros become holes, so that five GiB of them take no room. */
static void write_sparse(void *to, const void *bytes, size_t count)
{
    int fd = *(int *)to;
    if (count >= 1 << 20) assert_true(lseek(fd, (off_t)count, SEEK_CUR) > 0);
    else assert_int_equal(write(fd, bytes, count), count);
}

static void python(const char *script)
{
    char command[1024];
    snprintf(command, sizeof command, "python3 -c '%s'", script);
    assert_int_equal(system(command), 0);
}

static void python_reads_what_was_stored(void **state)
{
    (void)state;
    int fd = open("x.zip", O_WRONLY | O_CREAT, 0600);
    ni_zip zip = { .out = { write_sparse, &fd } };
    ni_zip_add(&zip, "a", 5, ni_zip_crc(0, "hello", 5));
    ni_zip_write(&zip, "hello", 5);
    ni_zip_add(&zip, "empty", 0, ni_zip_crc(0, "", 0));
    ni_zip_end(&zip);
    assert_int_equal(zip.at, lseek(fd, 0, SEEK_END));
    close(fd);
    python("import zipfile\n"
           "z = zipfile.ZipFile(\"x.zip\")\n"
           "assert z.testzip() is None and z.namelist() == [\"a\", \"empty\"]\n"
           "assert z.read(\"a\") == b\"hello\" and z.read(\"empty\") == b\"\"\n");
}

static void large_files_and_those_behind_them_have_zip64_fields(void **state)
{
    (void)state;
    enum { PIECE = 1 << 30 };
    static const char none[1];
    int fd = open("x.zip", O_WRONLY | O_CREAT, 0600);
    ni_zip zip = { .out = { write_sparse, &fd } };
    ni_zip_add(&zip, "large", 5 * (uint64_t)PIECE, 0x12345678);
    for (int i = 0; i < 5; i++) ni_zip_write(&zip, none, PIECE); /* not looked at */
    ni_zip_add(&zip, "behind", 5, ni_zip_crc(0, "hello", 5));
    ni_zip_write(&zip, "hello", 5);
    ni_zip_end(&zip);
    assert_int_equal(zip.at, lseek(fd, 0, SEEK_END));
    close(fd);
    python("import zipfile\n"
           "z = zipfile.ZipFile(\"x.zip\")\n"
           "large, behind = z.infolist()\n"
           "assert large.file_size == large.compress_size == 5 << 30 and large.CRC == 0x12345678\n"
           "assert behind.header_offset > 5 << 30 and z.read(\"behind\") == b\"hello\"\n"
           "with z.open(\"large\") as f: assert f.read(1) == bytes(1)\n");
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(python_reads_what_was_stored),
        IN_SCRATCH(large_files_and_those_behind_them_have_zip64_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
