/* main.c - finds the command, runs it, and turns its status into an exit code. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "common.h"

extern const command cmd_train, cmd_embed, cmd_score, cmd_rank, cmd_nn, cmd_explain, cmd_convert,
    cmd_generate, cmd_estimate, cmd_bench, cmd_eval_link, cmd_eval_cluster, cmd_eval_classify,
    cmd_reproduce, cmd_info, cmd_check, cmd_methods, cmd_completion, cmd_manual, cmd_version;

const command *const commands[] = {
    &cmd_train,   &cmd_embed,     &cmd_score,        &cmd_rank,          &cmd_nn,
    &cmd_explain, &cmd_eval_link, &cmd_eval_cluster, &cmd_eval_classify, &cmd_reproduce,
    &cmd_convert, &cmd_generate,  &cmd_estimate,     &cmd_bench,         &cmd_info,
    &cmd_check,   &cmd_methods,   &cmd_completion,   &cmd_manual,        &cmd_version,
    NULL,
};

enum { DONE = 0, INTERNAL = 1, USAGE = 2, INPUT = 3, RESOURCE = 4, LEAK = 5, INTERRUPTED = 130 };

static int exit_code(neap_status status)
{
    switch (status) {
    case NEAP_OK: return DONE;
    case NEAP_E_ARG: return USAGE;
    case NEAP_E_FORMAT:
    case NEAP_E_LIMIT:
    case NEAP_E_READ:
    case NEAP_E_MISMATCH:
    case NEAP_E_UNKNOWN: return INPUT;
    case NEAP_E_MEM:
    case NEAP_E_IO: return RESOURCE;
    case NEAP_E_LEAK: return LEAK;
    case NEAP_E_STOPPED: return INTERRUPTED;
    case NEAP_E_NUMERIC: return INTERNAL;
    }
    return INTERNAL;
}

/* A closed file 0, 1 or 2 would be given to the next file opened, and our messages would land in it. The
 * wrong direction makes every use of the placeholder fail, as on a closed file. */
static void hold_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
            exit(INTERNAL);
}

/* The reader of our pipe has gone: not an error. */
static bool reader_is_gone(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

static neap_status finish_output(neap_error *err)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return NEAP_OK;
    int sys = errno ? errno : EIO;
    if (sys == EPIPE || reader_is_gone()) return NEAP_OK;
    return ni_fail_sys(err, NEAP_E_IO, sys, "standard output");
}

/* Names from files may be in the text: control characters must not reach a terminal. */
static int report(neap_status status, neap_error *err, const command *c)
{
    static const args loud = { 0 };
    if (status == NEAP_E_IO && err->sys == EPIPE && reader_is_gone()) return DONE;
    if (status == NEAP_OK) return DONE;
    say(&loud, "neap: %s", *err->text ? err->text : "unknown error");
    if (status == NEAP_E_ARG) say(&loud, "Try `neap %s%s--help`.", c ? c->name : "", c ? " " : "");
    return exit_code(status);
}

/* words: those behind `help`. */
static neap_status run_help(int count, char **words, neap_error *err)
{
    int used;
    const command *c = match_command(words, count, &used);
    const command_group *g = count == 1 ? find_group(words[0]) : NULL;
    if (count > 0 && !c && !g) return unknown_command(words, count, err);
    if (c) print_help(c, c->method ? c->method : neap_option_at(0)->presets[0]); /* 0: `method` */
    else if (g) print_group(g);
    else print_overview();
    return NEAP_OK;
}

static neap_status run_command(const command *c, int argc, char **argv, neap_error *err)
{
    args a;
    neap_status rc = args_parse(c, argc, argv, &a, err);
    char method[SHORT] = "";
    if (rc == NEAP_OK && a.help) rc = neap_options_get(a.options, "method", method, sizeof method, err);
    if (rc == NEAP_OK && a.help) print_help(c, method);
    else if (rc == NEAP_OK) rc = c->run(&a, err);
    args_free(&a);
    return rc;
}

/* The command that the words name, and how many words that takes; NULL: none. */
static const command *choose_command(int argc, char **argv, int *used)
{
    *used = 1;
    if (argc < 1 || ni_list_has("help,--help,-h", ',', argv[0])) return NULL;
    return ni_list_has("--version,-V", ',', argv[0]) ? &cmd_version : match_command(argv, argc, used);
}

/* Words without a command: a request for help, or a mistake. */
static neap_status answer(int argc, char **argv, neap_error *err)
{
    if (argc < 1) return run_help(0, argv, err);
    if (ni_list_has("help,--help,-h", ',', argv[0])) return run_help(argc - 1, argv + 1, err);
    if (find_group(argv[0]) && (argc == 1 || ni_list_has("--help,-h", ',', argv[1])))
        return run_help(1, argv, err);
    if (argv[0][0] == '-') return ni_fail(err, NEAP_E_ARG, "a command comes first, not '%.40s'", argv[0]);
    return unknown_command(argv, argc, err);
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    int used;
    hold_standard_files();
    signal(SIGPIPE, SIG_IGN);
    const command *c = choose_command(argc - 1, argv + 1, &used);
    neap_status status =
        c ? run_command(c, argc - 1 - used, argv + 1 + used, &err) : answer(argc - 1, argv + 1, &err);
    neap_error closing = { 0 };
    neap_status closed = finish_output(&closing);
    int code = report(status, &err, c);
    return code == DONE && closed ? report(closed, &closing, c) : code;
}
