/* neap score: pairs from a file or pipe, in chunks, so that memory does not grow with the input. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "new_nodes.h"
#include "reading.h"

typedef struct own {
    new_nodes new;
    double prior;
    bool skip_unknown;
} own;

static const arg_option options[] = {
    PRIOR_OPTION(own, prior),
    NEW_NODES_OPTIONS(own, new),
    { "skip-unknown", 0, "", NULL, ARG_SWITCH, offsetof(own, skip_unknown), 0, 0, false,
      "print nan for a pair with an unknown node, instead of stopping there" },
    { 0 },
};

/* So many pairs are read, scored and printed at a time, and so many unknown ones among them. */
enum { AT_ONCE = 4096, STRANGERS = 256 };

/* A pair without a score, which stands before pair number `before` of the chunk. */
typedef struct stranger {
    size_t before;
    char *source, *target;
} stranger;

typedef struct chunk {
    neap_pair pair[AT_ONCE];
    size_t count;
    stranger stranger[STRANGERS];
    size_t strangers;
    uint64_t all_strangers; /* since the start */
    bool ended;
} chunk;

static void clear(chunk *c)
{
    for (size_t i = 0; i < c->strangers; i++) {
        free(c->stranger[i].source);
        free(c->stranger[i].target);
    }
    c->count = c->strangers = 0;
}

static neap_status keep_stranger(chunk *c, const neap_pair_reader *reader, neap_error *err)
{
    const char *source, *target;
    neap_pair_reader_unknown(reader, &source, &target);
    stranger *s = &c->stranger[c->strangers++];
    *s = (stranger){ c->count, strdup(source), strdup(target) };
    c->all_strangers++;
    return s->source && s->target ? NEAP_OK : ni_fail(err, NEAP_E_MEM, "out of memory for a pair");
}

/* Reads until the chunk is full, the file ends, or a line cannot be used; what came before it is there. */
static neap_status fill(chunk *c, neap_pair_reader *reader, bool skip, neap_error *err)
{
    neap_status rc = NEAP_OK;
    clear(c);
    while (rc == NEAP_OK && !c->ended && c->count < AT_ONCE && c->strangers < STRANGERS) {
        size_t room = AT_ONCE - c->count, got;
        rc = neap_pair_reader_next(reader, c->pair + c->count, room, &got, skip ? NULL : err);
        c->count += got;
        if (rc == NEAP_E_UNKNOWN && skip) rc = keep_stranger(c, reader, err);
        else if (rc && skip)
            rc = neap_pair_reader_next(reader, c->pair, 0, &got, err); /* the same error, with its text */
        else c->ended = got < room;
    }
    return rc;
}

/* A score, or a probability; nan where there is none. */
static void print_number(float x)
{
    char text[SHORT] = "nan";
    if (!isnan(x)) ni_format_float(x, text);
    printf("\t%s", text);
}

/* probability: NULL if the method has none. */
static void print_score(const char *source, const char *target, float score, const float *probability,
                        ni_json *j)
{
    if (!j) {
        print_cell(source);
        putchar('\t');
        print_cell(target);
        print_number(score);
        if (probability) print_number(*probability);
        putchar('\n');
        return;
    }
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "source", source);
    ni_json_text(j, "target", target);
    ni_json_float(j, "score", score);
    if (probability) ni_json_float(j, "probability", *probability);
    ni_json_close(j, '}');
}

/* In the order of the file. */
static void print_chunk(const neap_graph *graph, const chunk *c, const neap_scores *scores, ni_json *j)
{
    const float none = NAN, *p = scores->probability;
    size_t k = 0;
    for (size_t i = 0; i <= c->count; i++) {
        for (; k < c->strangers && c->stranger[k].before == i; k++)
            print_score(c->stranger[k].source, c->stranger[k].target, NAN, p ? &none : NULL, j);
        if (i == c->count) break;
        print_score(neap_graph_name(graph, c->pair[i].source), neap_graph_name(graph, c->pair[i].target),
                    scores->score[i], p ? &p[i] : NULL, j);
    }
}

/* Chunk after chunk, so that memory does not grow with the input; ends early if standard output is closed.
 */
static neap_status score_all(const args *a, const neap_graph *graph, neap_query *query,
                             neap_pair_reader *reader, ni_json *j, neap_error *err)
{
    const own *o = a->own;
    chunk *c = calloc(1, sizeof *c);
    if (!c) return ni_fail(err, NEAP_E_MEM, "out of memory for pairs");
    neap_status rc = NEAP_OK, read = NEAP_OK;
    while (rc == NEAP_OK && read == NEAP_OK && !c->ended && !ferror(stdout)) {
        read = fill(c, reader, o->skip_unknown, err);
        neap_error why = { 0 };
        neap_scores *scores = NULL;
        rc = neap_query_score(query, c->pair, c->count, &scores, &why);
        if (rc) *err = why;
        else print_chunk(graph, c, scores, j);
        neap_scores_free(scores);
    }
    if (c->all_strangers)
        say(a, "%llu pair%s with an unknown node: nan", (unsigned long long)c->all_strangers,
            plural(c->all_strangers));
    clear(c);
    free(c);
    return rc ? rc : read;
}

static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    const char *path = a->operand_count > 1 ? a->operands[1] : "-";
    neap_pair_reader *reader = NULL;
    neap_model *model = NULL;
    neap_query *query = NULL;
    ni_json j = json_to(stdout);
    const input inputs[] = { { "--new-edges", o->new.edges },
                             { "--new-text", o->new.text },
                             { "PAIRS", path } };
    neap_status rc = check_stdin(inputs, sizeof inputs / sizeof *inputs, err);
    if (rc == NEAP_OK) rc = ask_model(a, a->operands[0], &o->new, o->prior, NULL, &model, &query, err);
    if (rc == NEAP_OK) rc = neap_pair_reader_open(path, a->options, neap_model_graph(model), &reader, err);
    if (rc) goto done;
    if (model_has_probability(model)) say_prior(a, model, o->prior);
    if (a->json) {
        ni_json_open(&j, NULL, '{');
        if (model_has_probability(model)) json_prior(&j, model, o->prior);
        ni_json_open(&j, "scores", '[');
    }
    rc = score_all(a, neap_model_graph(model), query, reader, a->json ? &j : NULL, err);
    if (a->json) {
        ni_json_close(&j, ']');
        ni_json_close(&j, '}');
    }
done:
    neap_pair_reader_close(reader);
    neap_query_free(query);
    neap_model_free(model);
    return rc;
}

const command cmd_score = {
    .name = "score",
    .operands = "MODEL [PAIRS]",
    .summary = "score pairs of nodes from a file or standard input",
    .details =
        "Reads pairs, one per line, in any form that `train` reads edges in; columns other than "
        "source and target are ignored. Prints source, target and score, separated by tabs; a "
        "higher score means a likelier link. Without PAIRS, or with `-`, pairs come from standard "
        "input; the input may be of any length.\n"
        "A method that has a probability (`neap methods`) prints it behind the score: that of a link "
        "against one non-link, drawn as in training (--negative-sampling, evenly unless it was given), or "
        "where --prior says another share of links.\n",
    .examples = "neap score friends.safetensors pairs.txt\n"
                "echo 'alice bob' | neap score friends.safetensors\n",
    .least = 1,
    .most = 2,
    .options = options,
    .own_size = sizeof(own),
    .library = "reading,threads",
    .run = run,
};
