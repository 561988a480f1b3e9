/* Runs a fuzz target without libFuzzer: fuzz_NAME [-mutants=N] FILE|FOLDER... gives it each file, and N
 * changed copies of it, the same in every run. A name is printed before its file is run, so the last one is
 * at fault. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "harness.h"

static size_t mutants, runs;

/* The copy is as long as the input and no longer: what reads beyond it is found. */
static void run_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (size) memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    runs++;
}

/* ---- files ---- */

static uint8_t *read_whole(const char *path, size_t *size)
{
    struct stat st;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &st)) fuzz_fail(path, 0, "the file can be read");
    uint8_t *bytes = malloc((size_t)st.st_size + 1);
    *size = fread(bytes, 1, (size_t)st.st_size, file);
    fclose(file);
    return bytes;
}

static void run_file(const char *path)
{
    size_t size, room;
    printf("%s\n", path);
    fflush(stdout);
    uint8_t *bytes = read_whole(path, &size), *changed = malloc(room = 2 * size + 64);
    run_copy(bytes, size);
    for (unsigned i = 1; i <= mutants; i++) {
        memcpy(changed, bytes, size);
        run_copy(changed, LLVMFuzzerCustomMutator(changed, size, room, i));
    }
    free(changed);
    free(bytes);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void run_path(const char *path)
{
    char name[4096];
    struct dirent **entry;
    int count = scandir(path, &entry, is_shown, alphasort);
    if (count < 0) run_file(path);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name);
        run_file(name);
        free(entry[i]);
    }
    if (count >= 0) free(entry);
}

int main(int argc, char **argv)
{
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "-mutants=", 9)) mutants = strtoul(argv[i] + 9, NULL, 10);
        else run_path(argv[i]);
    printf("%zu inputs\n", runs);
    return runs ? 0 : 1;
}
