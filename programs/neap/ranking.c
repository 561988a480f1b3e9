#include "ranking.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "pages/pages.h"
#include "progress.h"
#include "reading.h"
#include "support/clock.h"
#include "support/path.h"

/* ---- reasons ---- */

enum { REASONS = 3 };

/* Why a target was suggested: the source's neighbours, or words, that added most to the score. */
typedef struct reasons {
    neap_explanation *why; /* owns the names of words */
    const char *name[REASONS];
    float contribution[REASONS];
    size_t count;
} reasons;

static void reasons_free(reasons *r)
{
    neap_explanation_free(r->why);
    *r = (reasons){ .count = 0 };
}

/* Inserts into the REASONS largest, sorted. A word that occurs several times is named once. */
static void keep(reasons *r, const char *name, float contribution)
{
    size_t at = 0;
    while (at < r->count && strcmp(r->name[at], name)) at++;
    if (at == REASONS) at--; /* the smallest makes room */
    if (at < r->count && r->contribution[at] >= contribution) return;
    if (at == r->count) r->count++;
    for (; at > 0 && r->contribution[at - 1] < contribution; at--) {
        r->name[at] = r->name[at - 1];
        r->contribution[at] = r->contribution[at - 1];
    }
    r->name[at] = name;
    r->contribution[at] = contribution;
}

/* The node itself is no reason, nor is what adds less than a tenth of the first. */
static neap_status find_reasons(const neap_graph *graph, neap_query *query, uint32_t source,
                                uint32_t target, reasons *r, neap_error *err)
{
    neap_status rc = neap_query_explain(query, source, target, &r->why, err);
    const neap_reasons *by = rc == NEAP_OK ? r->why->by_source : NULL;
    for (uint32_t i = 0; by && i < by->count; i++)
        if ((by->word || by->node[i] != source) && by->contribution[i] > 0)
            keep(r, ni_reason_name(graph, by, i), by->contribution[i]);
    while (r->count && r->contribution[r->count - 1] < r->contribution[0] / 10) r->count--;
    return rc;
}

/* ---- a run ---- */

/* So many sources are answered at once, and no more than make so many rows; a part of a file is their
 * answers. */
enum { AT_ONCE = 256, ROWS_AT_ONCE = 1 << 16 };

typedef struct ranking {
    const args *a;
    const ranking_options *o;
    const ranking_kind *kind;
    neap_model *model;
    neap_query *query;
    target_set targets;
    neap_nodes *listed; /* of --sources */
    uint32_t *named;    /* of the command line, or of --all */
    const uint32_t *sources;
    size_t count;

    FILE *to;          /* of the rows at hand           */
    ni_json *j;        /* the answer of --json, or NULL */
    bool lines;        /* a row is a line of JSON       */
    bool likely;       /* rows have probabilities       */
    size_t done;       /* sources                       */
    size_t before;     /* of them, those of an earlier run */
    uint64_t unsuited; /* sources without an answer        */
    double start;
    progress bar;
} ranking;

/* ---- rows ---- */

static void put_cell(const ranking *q, const char *name)
{
    if (q->to == stdout) print_cell(name);
    else fputs(name, q->to);
}

/* A suggestion. */
typedef struct suggestion {
    const char *source, *name;
    size_t rank;
    float score;
    const float *probability; /* NULL: the method has none */
    const reasons *why;       /* NULL: nobody asks         */
} suggestion;

static void put_number(const ranking *q, float x)
{
    char text[SHORT];
    ni_format_float(x, text);
    fprintf(q->to, "\t%s", text);
}

static void put_row(const ranking *q, const suggestion *s)
{
    const reasons *r = s->why;
    put_cell(q, s->source);
    fprintf(q->to, "\t%zu\t", s->rank);
    put_cell(q, s->name);
    put_number(q, s->score);
    if (s->probability) put_number(q, *s->probability);
    for (size_t i = 0; r && i < r->count; i++) {
        fputs(i ? ", " : "\t", q->to);
        put_cell(q, r->name[i]);
    }
    fputs(r && !r->count ? "\t\n" : "\n", q->to);
}

static void put_object(const ranking *q, ni_json *j, const suggestion *s)
{
    const reasons *r = s->why;
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "source", s->source);
    ni_json_whole(j, "rank", s->rank);
    ni_json_text(j, "node", s->name);
    ni_json_float(j, q->kind->value, s->score);
    if (s->probability) ni_json_float(j, "probability", *s->probability);
    if (r) {
        ni_json_open(j, "because", '[');
        for (size_t i = 0; i < r->count; i++) {
            ni_json_open(j, NULL, '{');
            ni_json_text(j, r->why->words ? "word" : "node", r->name[i]);
            ni_json_float(j, "contribution", r->contribution[i]);
            ni_json_close(j, '}');
        }
        ni_json_close(j, ']');
    }
    ni_json_close(j, '}');
}

static void put(const ranking *q, const suggestion *s)
{
    if (q->lines) {
        ni_json line = json_to(q->to);
        line.lines = 0;
        put_object(q, &line, s);
    } else if (q->j) put_object(q, q->j, s);
    else put_row(q, s);
}

static void miss(ranking *q, const char *source)
{
    q->unsuited++;
    if (q->count <= AT_ONCE && !q->o->output)
        say(q->a, "%s is linked with every other node%s; --with-known ranks those too", source,
            q->o->targets ? " that may be a target" : "");
}

static neap_status put_source(ranking *q, uint32_t source, const neap_ranking *best, size_t i,
                              neap_error *err)
{
    const neap_graph *graph = neap_model_graph(q->model);
    const char *name = neap_graph_name(graph, source);
    neap_status rc = NEAP_OK;
    reasons r = { .count = 0 }, *why = q->o->explain ? &r : NULL;
    size_t first = best->start[i], end = best->start[i + 1];
    if (first == end) miss(q, name);
    for (size_t k = first; k < end && !ferror(q->to); k++) {
        if (why) rc = find_reasons(graph, q->query, source, best->node[k], &r, err);
        if (rc == NEAP_OK)
            put(q, &(suggestion){ .source = name,
                                  .name = neap_graph_name(graph, best->node[k]),
                                  .rank = k - first + 1,
                                  .score = best->score[k],
                                  .probability = best->probability ? &best->probability[k] : NULL,
                                  .why = why });
        reasons_free(&r);
        if (rc != NEAP_OK) return rc;
    }
    return rc;
}

/* The same for the same model and options: where a part ends depends on nothing else. */
static size_t at_once(const ranking *q)
{
    size_t nodes = neap_graph_nodes(neap_model_graph(q->model)), k = (size_t)q->o->k;
    size_t sources = ROWS_AT_ONCE / (k < nodes ? k : nodes);
    return sources > AT_ONCE ? AT_ONCE : sources ? sources : 1;
}

/* The answers of the next sources. */
static neap_status put_chunk(ranking *q, neap_error *err)
{
    size_t left = q->count - q->done, most = at_once(q), count = left < most ? left : most;
    neap_ranking *best = NULL;
    neap_rank_spec spec = { .size = sizeof spec,
                            .sources = q->sources + q->done,
                            .source_count = count,
                            .k = (size_t)q->o->k,
                            .with_known = q->kind->with_known || q->o->with_known,
                            .without_self = q->kind->with_known,
                            .by = (int)q->kind->by,
                            .targets = targets_of(&q->targets) };
    neap_status rc = neap_query_rank(q->query, &spec, &best, err);
    if (q->to == stdout) progress_clear(&q->bar);
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) rc = put_source(q, spec.sources[i], best, i, err);
    neap_ranking_free(best);
    if (rc == NEAP_OK) q->done += count;
    return rc;
}

/* ---- progress ---- */

/* Heard during a chunk, whose own count is not that of the run. */
static int on_progress(const neap_progress *now, void *user)
{
    ranking *q = user;
    size_t inside = !strcmp(now->stage, "rank") ? (size_t)now->done : 0, done = q->done + inside;
    double seconds = ni_seconds() - q->start, fresh = (double)(done - q->before);
    neap_progress all = *now;
    all.stage = "rank";
    all.done = done;
    all.total = q->count;
    all.seconds = seconds;
    all.loss = all.valid_auc = NAN;
    all.rate = seconds > 0 ? fresh / seconds : 0;
    all.left = fresh > 0 ? seconds * (double)(q->count - done) / fresh : NAN;
    if (q->count > 1 && seconds > 1) progress_show(&q->bar, &all);
    return interrupt_seen();
}

/* ---- to standard output ---- */

static neap_status print_all(ranking *q, neap_error *err)
{
    neap_status rc = NEAP_OK;
    ni_json j = json_to(q->to);
    q->j = q->a->json ? &j : NULL;
    if (q->j) {
        ni_json_open(&j, NULL, '{');
        if (q->likely) json_prior(&j, q->model, q->o->prior);
        ni_json_open(&j, q->kind->list, '[');
    }
    while (q->done < q->count && rc == NEAP_OK && !ferror(q->to)) rc = put_chunk(q, err);
    if (q->j) {
        ni_json_close(&j, ']');
        ni_json_close(&j, '}');
    }
    return rc;
}

/* ---- to a file ---- */

/* A name for the targets and one for the sources: going on needs the same. */
static uint64_t hash_nodes(const uint32_t *node, size_t count)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++) h = (h ^ node[i]) * 0x100000001b3;
    return h;
}

static neap_status describe(const ranking *q, char text[256], neap_error *err)
{
    const neap_targets *t = targets_of(&q->targets);
    uint64_t model;
    neap_status rc = neap_model_hash(q->model, &model, err);
    if (rc != NEAP_OK) return rc;
    const char *rule = !t ? "own" : t->side ? "opposite" : t->nodes ? "list" : "all";
    snprintf(
        text, 256,
        "%s of model %016llx: top %llu, known %d, explain %d, lines %d, prior %.17g, targets %s %016llx, "
        "sources %zu %016llx, %zu at once",
        q->kind->list, (unsigned long long)model, (unsigned long long)q->o->k, q->o->with_known,
        q->o->explain, q->lines, q->o->prior, rule,
        (unsigned long long)(t ? hash_nodes(t->nodes, t->count) : 0), q->count,
        (unsigned long long)hash_nodes(q->sources, q->count), at_once(q));
    return NEAP_OK;
}

/* The answers of the next sources as a part. */
static neap_status add_part(ranking *q, neap_parts *parts, neap_error *err)
{
    char *text = NULL;
    size_t length = 0;
    q->to = open_memstream(&text, &length);
    if (!q->to) return ni_fail(err, NEAP_E_MEM, "out of memory for the ranking");
    neap_status rc = put_chunk(q, err);
    bool bad = ferror(q->to);
    bad |= fclose(q->to) != 0;
    q->to = NULL;
    if (rc == NEAP_OK && bad) rc = ni_fail(err, NEAP_E_MEM, "out of memory for the ranking");
    if (rc == NEAP_OK) rc = neap_parts_add(parts, text, length, err);
    free(text);
    return rc;
}

static neap_status stopped(const ranking *q, neap_error *err)
{
    return ni_fail(
        err, NEAP_E_STOPPED,
        "interrupted after %zu of %zu nodes; the same command with --resume goes on from %s.part", q->done,
        q->count, q->o->output);
}

static void say_start(const ranking *q, uint64_t parts, bool there)
{
    if (parts)
        say(q->a, "going on from %s.part: %zu of %zu nodes are done", q->o->output, q->done, q->count);
    else if (q->o->resume) say(q->a, "nothing to go on from: starting afresh");
    else if (there) say(q->a, "starting afresh; --resume would have gone on from %s.part", q->o->output);
}

static void report(const ranking *q)
{
    char rows[SHORT], time[SHORT];
    say(q->a, "%s: %s for %zu node%s in %s", q->o->output, q->kind->list, q->count, plural(q->count),
        ni_format_seconds(ni_seconds() - q->start, time));
    if (q->unsuited)
        say(q->a, "  %s node%s without any", ni_format_count(q->unsuited, rows), plural(q->unsuited));
    if (!q->a->json) return;
    ni_json j = json_to(stdout);
    ni_json_open(&j, NULL, '{');
    ni_json_text(&j, "output", q->o->output);
    ni_json_whole(&j, "sources", q->count);
    ni_json_whole(&j, "resumed_at", q->before);
    ni_json_close(&j, '}');
}

static neap_status write_all(ranking *q, neap_error *err)
{
    char about[256], part[PATH_MAX];
    neap_parts *parts = NULL;
    neap_parts_spec spec = {
        .size = sizeof spec, .path = q->o->output, .about = about, .resume = q->o->resume
    };
    snprintf(part, sizeof part, "%s.part", q->o->output);
    bool there = access(part, F_OK) == 0;
    neap_status rc = describe(q, about, err);
    if (rc == NEAP_OK) rc = neap_parts_open(&spec, &parts, err);
    if (rc != NEAP_OK) return rc;
    uint64_t count = neap_parts_count(parts);
    q->done = q->before = count * at_once(q) < q->count ? (size_t)count * at_once(q) : q->count;
    say_start(q, count, there);
    interrupt_watch();
    while (q->done < q->count && rc == NEAP_OK) {
        rc = add_part(q, parts, err);
        if (rc == NEAP_OK && interrupt_seen() && q->done < q->count) rc = NEAP_E_STOPPED;
    }
    progress_clear(&q->bar);
    if (rc == NEAP_E_STOPPED) rc = stopped(q, err);
    if (rc == NEAP_OK) rc = neap_parts_finish(parts, err);
    else neap_parts_close(parts);
    if (rc == NEAP_OK) report(q);
    return rc;
}

/* ---- sources ---- */

static neap_status check_sources(const args *a, neap_error *err)
{
    const ranking_options *o = a->own;
    int ways = (a->operand_count > 1) + (o->sources != NULL) + o->all;
    if (ways != 1)
        return ni_fail(err, NEAP_E_ARG, "%s: nodes behind MODEL, --sources FILE or --all",
                       ways ? "one of these is enough" : "which nodes?");
    if (o->resume && !o->output) return ni_fail(err, NEAP_E_ARG, "--resume needs -o FILE");
    if (o->output && !strcmp(o->output, "-")) return check_json(a, o->output, err);
    if (o->output && is_stream(o->output))
        return ni_fail(err, NEAP_E_ARG, "%s is no file; -o - writes to standard output", o->output);
    return NEAP_OK;
}

/* Every name is looked up before the first answer is given. */
static neap_status find_named(ranking *q, const neap_graph *graph, neap_error *err)
{
    neap_status rc = NEAP_OK;
    q->count = q->o->all ? neap_graph_nodes(graph) : q->a->operand_count - 1;
    q->named = calloc(q->count + 1, sizeof *q->named);
    if (!q->named) return ni_fail(err, NEAP_E_MEM, "out of memory for the ranking");
    for (size_t i = 0; i < q->count && rc == NEAP_OK; i++) {
        if (q->o->all) q->named[i] = (uint32_t)i;
        else rc = neap_graph_find(graph, q->a->operands[i + 1], &q->named[i], err);
    }
    q->sources = q->named;
    return rc;
}

static neap_status find_sources(ranking *q, neap_error *err)
{
    const neap_graph *graph = neap_model_graph(q->model);
    if (!q->o->sources) return find_named(q, graph, err);
    neap_status rc = neap_nodes_load(q->o->sources, graph, &q->listed, err);
    if (rc != NEAP_OK) return rc;
    q->sources = q->listed->node;
    q->count = q->listed->count;
    return NEAP_OK;
}

static neap_status check_files(const args *a, neap_error *err)
{
    const ranking_options *o = a->own;
    char part[PATH_MAX] = "-";
    if (o->output && strcmp(o->output, "-")) snprintf(part, sizeof part, "%s.part", o->output);
    const input inputs[] = { { "MODEL", a->operands[0] },
                             { "--new-edges", o->new.edges },
                             { "--new-text", o->new.text },
                             { "--sources", o->sources },
                             { "--targets", targets_path(o->targets) } };
    const size_t count = sizeof inputs / sizeof *inputs;
    neap_status rc = check_stdin(inputs, count, err);
    for (size_t i = 0; i < count && rc == NEAP_OK; i++)
        rc = check_apart((const char *[]){ inputs[i].path, o->output, part }, 1, 3, err);
    return rc == NEAP_OK ? check_output(o->output, err) : rc;
}

static bool is_json_lines(const char *output)
{
    return output && ni_path_ends(output, ni_path_unpacked(output), ".jsonl");
}

neap_status run_ranking(const args *a, const ranking_kind *kind, neap_error *err)
{
    ranking q = { .a = a, .o = a->own, .kind = kind, .to = stdout, .start = ni_seconds() };
    neap_hooks hooks = { .size = sizeof hooks, .progress = on_progress, .user = &q };
    bool file = q.o->output && strcmp(q.o->output, "-");
    q.lines = is_json_lines(q.o->output);
    progress_start(&q.bar, q.o->progress, a->quiet);
    neap_status rc = check_sources(a, err);
    if (rc == NEAP_OK) rc = check_files(a, err);
    if (rc == NEAP_OK)
        rc = ask_model(a, a->operands[0], &q.o->new, q.o->prior, &hooks, &q.model, &q.query, err);
    q.likely = rc == NEAP_OK && kind->by == NEAP_BY_SCORE && model_has_probability(q.model);
    if (q.likely) say_prior(a, q.model, q.o->prior);
    if (rc == NEAP_OK) rc = targets_read(a, q.o->targets, neap_model_graph(q.model), &q.targets, err);
    if (rc == NEAP_OK) rc = find_sources(&q, err);
    if (rc == NEAP_OK) rc = file ? write_all(&q, err) : print_all(&q, err);
    free(q.named);
    neap_nodes_free(q.listed);
    targets_free(&q.targets);
    neap_query_free(q.query);
    neap_model_free(q.model);
    return rc;
}
