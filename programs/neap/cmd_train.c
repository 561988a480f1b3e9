#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attributes.h"
#include "common.h"
#include "progress.h"
#include "support/clock.h"
#include "targets.h"
#include "train.h"

typedef struct own {
    const char *output, *metrics, *checkpoint, *progress, *targets;
    double checkpoint_every;
    bool resume;
    attributes_own attributes;
} own;

static const arg_option options[] = {
    { "output", 'o', "MODEL", NULL, ARG_TEXT, offsetof(own, output), 0, 0, true, "where the model goes" },
    { "metrics", 0, "FILE", NULL, ARG_TEXT, offsetof(own, metrics), 0, 0, false,
      "write one line of JSON per epoch: loss, validation AUC, speed" },
    { "checkpoint", 0, "FILE", NULL, ARG_TEXT, offsetof(own, checkpoint), 0, 0, false,
      "file for checkpoints, which --resume reads [MODEL.checkpoint]" },
    { "checkpoint-every", 0, "SECONDS", "60", ARG_REAL, offsetof(own, checkpoint_every), 0.001, 1e9, false,
      "write one at least this often, and after each epoch" },
    { "resume", 0, "", NULL, ARG_SWITCH, offsetof(own, resume), 0, 0, false,
      "go on from the checkpoint of an interrupted run" },
    TARGETS_OPTION(own, targets),
    ATTRIBUTE_OPTIONS(own, attributes),
    { "progress", 0, "auto|always|never", "auto", ARG_TEXT, offsetof(own, progress), 0, 0, false,
      "show the progress of the run; auto: a live line on a terminal, one line per epoch or minute "
      "elsewhere" },
    { 0 },
};

/* One run, as the hooks of the library see it. */
typedef struct run {
    const args *a;
    const own *o;
    char *checkpoint; /* NULL: none */
    double test;      /* the share of pairs held out, or 0 */
    progress bar;
    metrics log;
    neap_progress last; /* what was reported last; its seconds in any case    */
    neap_error failed;  /* why a hook stopped the run, if it was not the user */
    neap_graph *graph;
    target_set targets;
    attributes known;
    neap_split *split;
    neap_model *model;
} run;

static int on_progress(const neap_progress *now, void *user)
{
    run *r = user;
    progress_show(&r->bar, now);
    if (!now->epoch) return interrupt_seen(); /* it has not begun */
    r->last = *now;
    neap_status rc = metrics_open(&r->log, now->epoch, &r->failed);
    if (rc == NEAP_OK && now->epoch_end) rc = metrics_write(&r->log, now, &r->failed);
    return rc || interrupt_seen();
}

static void on_note(const char *text, void *user)
{
    run *r = user;
    progress_clear(&r->bar);
    say(r->a, "note: %s", text);
}

/* MODEL.checkpoint unless given; there is no file beside a pipe, nor where there are no epochs. */
static neap_status choose_checkpoint(run *r, neap_error *err)
{
    const own *o = r->o;
    bool epochs = has_epochs(r->a);
    if (!epochs && (o->checkpoint || o->resume))
        say(r->a, "note: a method without epochs has no checkpoints: --%s changes nothing",
            o->resume ? "resume" : "checkpoint");
    if (!epochs || (!o->checkpoint && is_stream(o->output))) return NEAP_OK;
    const char *base = o->checkpoint ? o->checkpoint : o->output;
    const char *ending = o->checkpoint ? "" : ".checkpoint";
    size_t room = strlen(base) + strlen(ending) + 1;
    r->checkpoint = malloc(room);
    if (!r->checkpoint) return ni_fail(err, NEAP_E_MEM, "out of memory for a path");
    snprintf(r->checkpoint, room, "%s%s", base, ending);
    return NEAP_OK;
}

static void remember_kind(const char *key, const char *value, void *is_checkpoint)
{
    if (!strcmp(key, "kind")) *(bool *)is_checkpoint = !strcmp(value, "checkpoint");
}

/* Only a checkpoint may be overwritten by a checkpoint, and removed in the end. */
static neap_status check_checkpoint(const char *path, neap_error *err)
{
    bool is_checkpoint = false;
    if (!path || access(path, F_OK)) return NEAP_OK;
    neap_error why = { 0 };
    if (!neap_file_check(path, remember_kind, &is_checkpoint, &why) && is_checkpoint) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT,
                   "%s exists and is no checkpoint%s%s; remove it, or name another with --checkpoint", path,
                   why.text[0] ? ": " : "", why.text);
}

/* What can be checked is checked before hours of training, not after. */
static neap_status check_outputs(run *r, neap_error *err)
{
    neap_status rc = check_json(r->a, r->o->output, err);
    if (rc == NEAP_OK && !strcmp(r->o->output, "-") && r->test > 0)
        rc = ni_fail(err, NEAP_E_ARG,
                     "-o - and --test both write to standard output; name a file for the model");
    const char *paths[] = { r->a->operands[0],     targets_path(r->o->targets),
                            r->o->attributes.text, r->o->attributes.features,
                            r->o->output,          r->o->metrics,
                            r->checkpoint };
    if (rc == NEAP_OK) rc = check_apart(paths, 4, sizeof paths / sizeof *paths, err);
    if (rc == NEAP_OK) rc = check_output(r->o->output, err);
    if (rc == NEAP_OK) rc = check_output(r->o->metrics, err);
    if (rc == NEAP_OK) rc = check_output(r->checkpoint, err);
    if (rc == NEAP_OK) rc = check_checkpoint(r->checkpoint, err);
    return rc;
}

static void say_settings(const run *r)
{
    char method[SHORT] = "", seed[SHORT] = "", threads[SHORT] = "";
    const neap_options *options_now = r->a->options;
    neap_options_get(options_now, "method", method, sizeof method, NULL);
    neap_options_get(options_now, "seed", seed, sizeof seed, NULL);
    neap_options_get(options_now, "threads", threads, sizeof threads, NULL);
    bool all = !strcmp(threads, "0");
    if (all) snprintf(threads, sizeof threads, "%u", neap_cores());
    say(r->a, "training %s, preset %s, seed %s, %s thread%s%s", method, r->a->preset, seed, threads,
        strcmp(threads, "1") ? "s" : "", all ? " (all cores it may use)" : "");
}

/* The time left that is shown is for all epochs. */
static void say_patience(const run *r)
{
    uint64_t epochs = option_number(r->a, "epochs"), patience = option_number(r->a, "patience");
    if (may_end_early(r->a))
        say(r->a, "  at most %llu epochs: it ends after %llu without a better validation AUC (--patience)",
            (unsigned long long)epochs, (unsigned long long)patience);
}

/* Whether there is a checkpoint to go on from; the library reports its epoch. */
static bool resumes(const run *r)
{
    bool there = r->checkpoint && access(r->checkpoint, F_OK) == 0;
    if (r->o->resume && r->checkpoint && !there) say(r->a, "no checkpoint to go on from: starting afresh");
    if (!r->o->resume && there)
        say(r->a, "starting afresh; --resume would have gone on from %s", r->checkpoint);
    return r->o->resume && there;
}

static neap_status seed_of(const args *a, uint64_t *seed, neap_error *err)
{
    char text[SHORT];
    neap_status rc = neap_options_get(a->options, "seed", text, sizeof text, err);
    if (rc == NEAP_OK && !ni_parse_u64(text, strlen(text), seed))
        rc = ni_fail(err, NEAP_E_ARG, "the seed is not a number");
    return rc;
}

static neap_status test_share(run *r, neap_error *err)
{
    char text[SHORT];
    neap_status rc = neap_options_get(r->a->options, "test", text, sizeof text, err);
    if (rc == NEAP_OK && !ni_parse_double(text, strlen(text), &r->test))
        rc = ni_fail(err, NEAP_E_ARG, "the test share is not a number");
    return rc;
}

static neap_status read_input(run *r, neap_error *err)
{
    uint64_t seed = 0;
    neap_status rc = read_graph(r->a, r->a->operands[0], &r->graph, err);
    if (rc == NEAP_OK) rc = targets_read(r->a, r->o->targets, r->graph, &r->targets, err);
    if (rc == NEAP_OK) rc = attributes_read(r->a, &r->o->attributes, r->graph, &r->known, err);
    if (rc || r->test <= 0) return rc;
    rc = seed_of(r->a, &seed, err);
    neap_data data = { .size = sizeof data, .graph = r->graph, .targets = targets_of(&r->targets) };
    if (rc == NEAP_OK) rc = neap_split_data(&data, r->test, seed, &r->split, err);
    if (rc) return rc;
    char text[SHORT];
    size_t pairs = count_pairs(r->split);
    say(r->a, "  %s pair%s held out for the test%s", ni_format_count(pairs, text), plural(pairs),
        pairs < 50 ? ": too few for a reliable AUC" : "");
    return NEAP_OK;
}

static const neap_graph *training_graph(const run *r)
{
    return r->split ? neap_split_train(r->split) : r->graph;
}

/* The message after an interruption: how to go on. */
static neap_status stopped(const run *r, neap_error *err)
{
    if (!r->checkpoint)
        return ni_fail(err, NEAP_E_STOPPED, "interrupted; there is no checkpoint, because %s",
                       has_epochs(r->a) ? "the model goes to a pipe" : "the method has no epochs");
    bool began = r->last.epoch > 0; /* else a checkpoint that is there is that of an earlier run */
    if (access(r->checkpoint, F_OK) || (!began && !r->o->resume))
        return ni_fail(err, NEAP_E_STOPPED, "interrupted before there was anything to keep");
    if (!began)
        return ni_fail(err, NEAP_E_STOPPED, "interrupted; the same command goes on from %s", r->checkpoint);
    return ni_fail(err, NEAP_E_STOPPED,
                   "interrupted in epoch %u of %u; the same command with --resume goes on from %s",
                   r->last.epoch, r->last.epochs, r->checkpoint);
}

static neap_status train(run *r, neap_error *err)
{
    bool resume = resumes(r);
    neap_data data = { .size = sizeof data,
                       .graph = training_graph(r),
                       .text = r->known.text,
                       .features = r->known.features,
                       .targets = targets_of(&r->targets) };
    neap_hooks hooks = { .size = sizeof hooks,
                         .progress = on_progress,
                         .note = on_note,
                         .user = r,
                         .checkpoint = r->checkpoint,
                         .checkpoint_seconds = r->o->checkpoint_every,
                         .resume = resume };
    r->log.path = r->o->metrics;
    neap_status rc = resume ? NEAP_OK : metrics_open(&r->log, 1, err);
    if (rc) return rc;
    interrupt_watch();
    progress_start(&r->bar, r->o->progress, r->a->quiet);
    double start = ni_seconds();
    rc = neap_train(&data, r->a->options, &hooks, &r->model, err);
    if (!r->last.epoch) r->last.seconds = ni_seconds() - start;
    progress_clear(&r->bar);
    neap_error closing = { 0 };
    neap_status closed = metrics_close(&r->log, &closing);
    if (rc == NEAP_E_STOPPED && r->failed.code) return *err = r->failed, (neap_status)r->failed.code;
    if (rc == NEAP_E_STOPPED) return stopped(r, err);
    if (rc == NEAP_OK && closed) *err = closing, rc = closed;
    return rc;
}

/* How training went, and where validation was on: which epoch the model is of, and how to use all edges. */
static void say_training(const run *r)
{
    char time[SHORT];
    neap_model_facts t = NEAP_SIZED(neap_model_facts);
    neap_model_facts_of(r->model, &t, NULL);
    ni_format_seconds(r->last.seconds, time);
    if (r->last.epoch) say(r->a, "%u epoch%s in %s", r->last.epoch, plural(r->last.epoch), time);
    else say(r->a, "trained in %s", time);
    if (isnan(t.valid_auc)) return;
    say(r->a, "kept epoch %u, the best on the pairs held back for validation: AUC %.4f", t.epochs,
        t.valid_auc);
    say(r->a, "(--valid 0 --epochs %u would train on those pairs too)", t.epochs);
}

/* The checkpoint is kept until the model is safe. */
static neap_status save(run *r, neap_error *err)
{
    neap_status rc = neap_model_save(r->model, r->o->output, err);
    if (rc) return rc;
    if (r->checkpoint && unlink(r->checkpoint) && errno != ENOENT)
        say(r->a, "note: %s could not be removed: %s", r->checkpoint, strerror(errno));
    say_training(r);
    say(r->a, "%s: written", strcmp(r->o->output, "-") ? r->o->output : "standard output");
    if (r->split) say(r->a, "(it has not seen the pairs held out for the test: without --test it would)");
    return NEAP_OK;
}

static neap_status print_json(const run *r, const verdict *v, neap_error *err)
{
    ni_json j = json_to(stdout);
    neap_model_facts t = NEAP_SIZED(neap_model_facts);
    neap_model_facts_of(r->model, &t, NULL);
    ni_json_open(&j, NULL, '{');
    ni_json_text(&j, "output", r->o->output);
    ni_json_text(&j, "preset", r->a->preset);
    ni_json_whole(&j, "nodes", neap_graph_nodes(r->graph));
    ni_json_whole(&j, "edges", neap_graph_edges(r->graph));
    ni_json_whole(&j, "epochs_run", r->last.epoch);
    ni_json_text(&j, "targets", t.targets);
    ni_json_whole(&j, "epochs", t.epochs);
    ni_json_real(&j, "loss", t.loss);
    ni_json_real(&j, "valid_auc", t.valid_auc);
    ni_json_real(&j, "edges_per_second", r->last.rate);
    ni_json_real(&j, "seconds", r->last.seconds);
    if (r->split) verdict_json(&j, v);
    ni_json_open(&j, "options", '{');
    neap_status rc = neap_options_saved(neap_model_options(r->model), ni_json_member, &j, err);
    ni_json_close(&j, '}');
    ni_json_close(&j, '}');
    return rc;
}

static neap_status run_train(const args *a, neap_error *err)
{
    run r = { .a = a, .o = a->own };
    verdict v = { 0 };
    neap_status rc = test_share(&r, err);
    if (rc == NEAP_OK) rc = choose_checkpoint(&r, err);
    if (rc == NEAP_OK) rc = check_outputs(&r, err);
    if (rc == NEAP_OK) rc = read_input(&r, err);
    if (rc == NEAP_OK) {
        attributes_remark(a, &r.o->attributes);
        say_settings(&r);
        say_patience(&r);
        rc = train(&r, err);
    }
    if (rc == NEAP_OK) rc = save(&r, err);
    if (rc == NEAP_OK && r.split) rc = verdict_of(a, r.model, r.split, &r.known, &v, err);
    if (rc == NEAP_OK && a->json) rc = print_json(&r, &v, err);
    else if (rc == NEAP_OK && r.split) verdict_print(a, &v);
    neap_model_free(r.model);
    neap_split_free(r.split);
    targets_free(&r.targets);
    attributes_free(&r.known);
    neap_graph_free(r.graph);
    free(r.checkpoint);
    return rc;
}

const command cmd_train = {
    .name = "train",
    .operands = "GRAPH -o MODEL",
    .summary = "learn a model from a graph",
    .details =
        "Reads a graph (`-` is standard input; gzip and zstd are recognised), reports what it "
        "found, trains, and writes a model that the other commands read. The model is also a valid "
        "safetensors file.\n"
        "An edge list has a source, a target and perhaps a weight per line, by default in this order; "
        "--columns chooses others, by number or by the words of the header. What looks like "
        "something else (relations, Unix time, DOT, JSON, ...) is refused, with a remedy.\n"
        "The same graph, options and seed give the same model, byte for byte, for any number of "
        "threads and after any interruption: where a method is trained in epochs, Ctrl-C writes a "
        "checkpoint, and the same command with --resume goes on from it.\n"
        "The default method is evidence: many kinds of evidence about a pair, weighed by one learned curve "
        "each, which predict best without tuning and give a probability and reasons that add up. With "
        "--preset paper or authors it is gap, the system of the paper; --method names any other, and `neap "
        "methods` lists them.\n"
        "--text gives a text for each node to the methods that read texts; `neap methods` marks them. "
        "evidence reads it beside the links.\n"
        "--targets limits what the model is for: where a link leads to a target, it is compared with "
        "non-links to targets, in training, validation and --test, and `neap rank` suggests targets "
        "only. --targets auto takes the opposite side of a bipartite graph, such as the items for a "
        "buyer.\n"
        "Presets: neap (what we recommend), paper (as published), authors (as their program does "
        "it). A preset sets the defaults; every option still counts.\n",
    .examples = "neap train friends.txt -o friends.safetensors\n"
                "neap train friends.txt -o friends.safetensors --undirected --test 0.1\n"
                "neap train friends.txt -o gap.safetensors --method gap --valid 0.2\n"
                "neap train friends.txt -o about.safetensors --method cane --text about.txt\n"
                "neap train friends.txt -o turned.safetensors --columns 2,1\n"
                "neap train purchases.txt -o shop.safetensors --targets auto\n"
                "neap train friends.txt -o paper.safetensors --preset paper --epochs 10 -t 2\n",
    .least = 1,
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "model,training,walks,text,reading,running",
    .run = run_train,
};
