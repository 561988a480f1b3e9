#include "common.h"

static neap_status run(const args *a, neap_error *err)
{
    (void)err;
    if (a->json) {
        ni_json j = json_to(stdout);
        ni_json_open(&j, NULL, '{');
        ni_json_text(&j, "version", neap_version());
        ni_json_text(&j, "build", neap_build_info());
        ni_json_close(&j, '}');
    } else {
        printf("neap %s\n%s\n", neap_version(), neap_build_info());
    }
    return NEAP_OK;
}

const command cmd_version = {
    .name = "version",
    .operands = "",
    .summary = "print the version, the instruction set and the matrix library",
    .details = "Prints the version of the program and, for bug reports, what it chose on this "
               "machine. `neap --version` does the same.\n",
    .examples = "neap --version\n",
    .library = "",
    .run = run,
};
