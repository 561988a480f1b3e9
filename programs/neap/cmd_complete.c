#include <string.h>

#include "common.h"
#include "completion.h"

/* ---- what all shells are told ---- */

bool has_words(const arg_flag *flag)
{
    return !strcmp(flag->name, "method") || strchr(flag->value, '|');
}

/* "a|b|c" as "a b c". */
static void print_choices(const char *value, size_t length)
{
    for (size_t i = 0; i < length; i++) putchar(value[i] == '|' ? ' ' : value[i]);
}

void print_words(const arg_flag *flag)
{
    bool method = !strcmp(flag->name, "method");
    if (!method) print_choices(flag->value, strlen(flag->value));
    for (size_t i = 0; method && i < neap_method_count(); i++)
        printf("%s%s", i ? " " : "", neap_method_at(i)->name);
}

bool has_operand_words(const command *c)
{
    return strcspn(c->operands, "|") < strcspn(c->operands, " ");
}

void print_operand_words(const command *c)
{
    print_choices(c->operands, strcspn(c->operands, " "));
}

bool takes_path(const arg_flag *flag)
{
    return ni_list_has("FILE|MODEL|DIR", '|', flag->value);
}

bool has_opposite(const arg_flag *flag)
{
    return !*flag->value && flag->presets[0];
}

void print_quoted(const char *text, const char *special, const char *quote)
{
    for (; *text; text++) {
        if (strchr(special, *text)) putchar('\\');
        if (*text == '\'') fputs(quote, stdout);
        else putchar(*text);
    }
}

/* ---- the command ---- */

static const struct shell {
    const char *name;
    void (*print)(void);
} shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };

static neap_status run(const args *a, neap_error *err)
{
    if (a->json) return ni_fail(err, NEAP_E_ARG, "a completion is a script; it has no --json");
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(a->operands[0], shells[i].name)) return shells[i].print(), NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "there is a completion for bash, zsh and fish, not for '%s'",
                   a->operands[0]);
}

const command cmd_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "print the completion script for a shell",
    .details = "Prints a script that completes commands, options and their values in bash, zsh or fish. It "
               "is made from the same tables as this text, so it is never out of date.\n"
               "zsh finds it as _neap in a folder of $fpath, fish as neap.fish in "
               "~/.config/fish/completions.\n",
    .examples = "neap completion bash > neap.bash\n"
                "neap completion zsh > _neap\n"
                "neap completion fish > neap.fish\n",
    .least = 1,
    .most = 1,
    .library = "",
    .run = run,
};
