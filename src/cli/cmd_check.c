#include "common.h"
#include "json.h"

static void print_json(const char *path, neap_status rc, const neap_error *err)
{
    json j = { .file = stdout };
    json_open(&j, NULL, '{');
    json_text(&j, "file", path);
    json_switch(&j, "ok", rc == NEAP_OK);
    if (rc) json_text(&j, "error", err->text);
    json_close(&j, '}');
}

static neap_status run(const args *a, neap_error *err)
{
    neap_status rc = neap_file_check(a->operands[0], NULL, NULL, err);
    if (a->json) print_json(a->operands[0], rc, err);
    else if (rc == NEAP_OK) puts("ok");
    return rc;
}

const command cmd_check = {
    .name = "check",
    .operands = "FILE",
    .summary = "check every byte of a model, checkpoint or graph file",
    .details = "Reads a model, checkpoint or converted graph in full: sizes, checksums, and every "
               "rule that the program relies on later. Prints \"ok\", or what is wrong and ends with "
               "exit code 3.\n",
    .examples = "neap check friends.safetensors\n",
    .least = 1,
    .most = 1,
    .library = "",
    .run = run,
};
