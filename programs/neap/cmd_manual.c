/* cmd_manual.c - neap(1), made from the tables of the commands and of the library. */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "common.h"

/* Text for troff: a minus is not a hyphen, and nothing of it is a request. */
static void print_span(const char *text, size_t length)
{
    bool start = true;
    for (size_t i = 0; i < length; i++) {
        if (start && (text[i] == '.' || text[i] == '\'')) fputs("\\&", stdout);
        if (text[i] == '\\') fputs("\\e", stdout);
        else if (text[i] == '-') fputs("\\-", stdout);
        else putchar(text[i]);
        start = text[i] == '\n';
    }
}

static void print_troff(const char *text)
{
    print_span(text, strlen(text));
}

static void print_paragraphs(const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        fputs(".PP\n", stdout);
        print_span(text, n);
        putchar('\n');
        text += n + (text[n] != 0);
    }
}

/* "dimensions,size" as "; also --dimensions, --size". */
static void print_aliases(const char *list)
{
    for (const char *mark = "; also "; *list; mark = ", ") {
        size_t n = strcspn(list, ",");
        printf("%s\\-\\-", mark);
        print_span(list, n);
        list += n + (list[n] != 0);
    }
}

static void print_roff(const arg_flag *flag)
{
    char name[128], value[128];
    format_flag(flag, name, sizeof name);
    format_default(flag, value, sizeof value);
    fputs(".TP\n\\fB", stdout);
    print_troff(name);
    fputs("\\fR\n", stdout);
    print_troff(flag->help);
    print_aliases(flag->aliases);
    if (*value) fputs(" [", stdout), print_troff(value), putchar(']');
    putchar('\n');
}

/* The flags of one origin: the program's own of a command, or one group. */
static void print_flags(const command *c, const char *group)
{
    arg_flag flag;
    for (size_t i = 0; args_flag(c, i, &flag); i++)
        if (!strcmp(flag.group, group)) print_roff(&flag);
}

static void print_command(const command *c)
{
    printf(".SS neap %s ", c->name);
    print_troff(c->operands);
    putchar('\n');
    print_paragraphs(c->details);
    print_flags(c, "");
    if (*c->library) {
        fputs(".PP\nOf the options below: ", stdout);
        for (const char *at = c->library; *at; at++)
            fputs(*at == ',' ? ", " : *at == '!' ? "not \\-\\-" : (char[]){ *at, 0 }, stdout);
        fputs(".\n", stdout);
    }
    fputs(".PP\n.nf\n.RS\n", stdout);
    print_troff(c->examples);
    fputs(".RE\n.fi\n", stdout);
}

static void print_ending(void)
{
    static const char *const codes[][2] = {
        { "0", "success; also if the reader of standard output has gone" },
        { "1", "an internal error, or the loss is no longer a number" },
        { "2", "the command line is wrong" },
        { "3", "bad or missing input, a damaged file, a limit, an unknown node, parts that do not fit" },
        { "4", "no memory, or writing failed, also to a named pipe whose reader has gone" },
        { "5", "a leak was found: a model or a split holds test pairs that it must not hold" },
        { "130", "interrupted by SIGINT or SIGTERM, after writing a checkpoint" },
    };
    puts(".SH EXIT STATUS");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        printf(".TP\n\\fB%s\\fR\n%s\n", codes[i][0], codes[i][1]);
    puts(".SH ENVIRONMENT\n"
         ".TP\n"
         "\\fBNO_COLOR\\fR\n"
         "not empty: no colours\n"
         ".TP\n"
         "\\fBTERM\\fR\n"
         "\"dumb\": no live line, one plain line per epoch\n"
         ".TP\n"
         "\\fBNEAP_ISA\\fR\n"
         "\"scalar\": do not use the vector instructions of the processor");
    puts(".SH SEE ALSO\nZ. T. Kefato and S. Girdzijauskas,\n"
         ".I Graph Neighborhood Attentive Pooling\n(2020).");
}

static neap_status run(const args *a, neap_error *err)
{
    if (a->json) return ni_fail(err, NEAP_E_ARG, "a manual page is text; it has no --json");
    printf(".TH NEAP 1 \"\" \"neap %s\" \"User Commands\"\n", neap_version());
    puts(".SH NAME\nneap \\- context\\-sensitive node embeddings of graphs");
    puts(".SH SYNOPSIS\n.B neap\n.I COMMAND\n[\\fIoptions\\fR] ...");
    puts(".SH DESCRIPTION\n"
         "A node has no single vector: its vector depends on the node it is paired with, because the\n"
         "neighbourhoods of the two attend to each other. neap learns such vectors from a file of edges,\n"
         "suggests missing links, and explains scores by neighbours, or by the words of their texts.\n"
         ".PP\n"
         "Data goes to standard output, all else to standard error.\n"
         ".SH COMMANDS");
    for (const command *const *c = commands; *c; c++) print_command(*c);
    puts(".SH OPTIONS\nA default that depends on the preset is shown for each of them.");
    for (const option_group *g = option_groups; g->name; g++) {
        if (!*g->name) continue; /* those stand with their commands */
        printf(".SS %s\n", g->title);
        print_flags(find_command("train"), g->name);
    }
    print_ending();
    return NEAP_OK;
}

const command cmd_manual = {
    .name = "manual",
    .operands = "",
    .summary = "print the manual page neap(1)",
    .details = "Prints the manual page, made from the same tables as this text.\n",
    .examples = "neap manual > neap.1\n",
    .library = "",
    .run = run,
};
