/* manifest.json: written with the JSON writer, read strictly with jansson; every field is required and
 * range-checked. Digests of files are CRC32C over one pass, O(bytes). */
#include "eval/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "io/crc32c.h"
#include "io/output.h"
#include "io/stream.h"
#include "support/json.h"
#include "support/path.h"
#include "support/status.h"
#include "support/text.h"

#define FORMAT_NAME "neap split "
#define FORMAT FORMAT_NAME "1"
#define FORMAT_TARGETS FORMAT_NAME "2" /* one with targets, which older versions would overlook */
enum { FORMAT_NUMBER = 2 };

enum { MANIFEST_MOST = 65536, BUFFER = 65536 };

/* ---- files ---- */

static bool has_targets(const ni_manifest *m)
{
    return m->facts.targets && strcmp(m->facts.targets, "all");
}

const char *ni_part_name(const ni_manifest *m, ni_part part)
{
    bool clean = m->protocol == NI_CLEAN;
    switch (part) {
    case NI_PART_NODES: return "nodes.txt";
    case NI_PART_TRAIN: return "train.tsv";
    case NI_PART_HELD_OUT: return "held_out.tsv";
    case NI_PART_TEST: return "test.tsv";
    case NI_PART_TEST_NEGATIVES: return clean ? "test_negatives.npy" : NULL;
    case NI_PART_CANDIDATES: return clean ? "rank_negatives.npy" : "pass_negatives.npy";
    case NI_PART_VALID: return m->facts.valid ? "valid.tsv" : NULL;
    case NI_PART_VALID_NEGATIVES: return m->facts.valid ? "valid_negatives.npy" : NULL;
    case NI_PART_TARGETS: return has_targets(m) ? "targets.txt" : NULL;
    case NI_PARTS: break;
    }
    return NULL;
}

bool ni_part_is_text(const char *name)
{
    return !ni_path_ends(name, strlen(name), ".npy");
}

static uint64_t count_lines(const char *bytes, size_t count)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < count; i++) lines += bytes[i] == '\n';
    return lines;
}

neap_status ni_digest_of(const char *path, ni_digest *d, neap_error *err)
{
    char *buffer = ni_array(BUFFER, 1);
    ssize_t got = 1;
    *d = (ni_digest){ 0 };
    if (!buffer) return ni_fail_memory(err, "reading a split");
    int sys = 0, fd = ni_system.open(path, O_RDONLY, 0);
    if (fd < 0) sys = errno;
    while (!sys && got > 0) {
        got = ni_system.read(fd, buffer, BUFFER);
        if (got < 0 && errno == EINTR) got = 1;
        else if (got < 0) sys = errno;
        else {
            d->crc = ni_crc32c(d->crc, buffer, (size_t)got);
            d->lines += count_lines(buffer, (size_t)got);
            d->bytes += (uint64_t)got;
        }
    }
    if (fd >= 0) ni_system.close(fd);
    ni_free(buffer);
    return sys ? ni_fail_sys(err, NEAP_E_READ, sys, "cannot read %.200s", path) : NEAP_OK;
}

/* ---- writing ---- */

static const char *who_sees_what(const ni_manifest *m)
{
    return m->protocol == NI_PAPER ? "train.tsv; neighbourhoods also held_out.tsv (leaky)"
                                   : "train.tsv and nothing else; valid.tsv is a part of it";
}

static void put_hex(ni_json *j, const char *key, int digits, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%0*llx", digits, (unsigned long long)value);
    ni_json_text(j, key, text);
}

/* Many JSON readers hold whole numbers up to 2^53 only; a seed above that is a string. */
static void put_seed(ni_json *j, uint64_t seed)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    if (seed >> 53) ni_json_text(j, "seed", text);
    else ni_json_whole(j, "seed", seed);
}

static void put_facts(ni_json *j, const ni_manifest *m)
{
    const neap_trial_facts *f = &m->facts;
    ni_json_text(j, "format", has_targets(m) ? FORMAT_TARGETS : FORMAT);
    ni_json_text(j, "protocol", f->protocol);
    ni_json_text(j, "negatives", f->negatives);
    if (has_targets(m)) ni_json_text(j, "targets", f->targets);
    ni_json_real(j, "ratio", f->ratio);
    put_seed(j, f->seed);
    ni_json_text(j, "sees", who_sees_what(m));
    put_hex(j, "graph", 16, m->hash);
    ni_json_switch(j, "undirected", m->undirected);
    ni_json_switch(j, "weighted", m->weighted);
    ni_json_whole(j, "nodes", f->nodes);
    ni_json_whole(j, "edges", f->edges);
    ni_json_whole(j, "self_loops", f->self_loops);
    ni_json_whole(j, "repeats", f->repeats);
    ni_json_whole(j, "train", f->train);
    ni_json_whole(j, "valid", f->valid);
    ni_json_whole(j, "test", f->test);
    ni_json_whole(j, "skipped", f->skipped);
    ni_json_whole(j, "loops", f->loops);
    ni_json_whole(j, "reverse", f->reverse);
}

static void put_parts(ni_json *j, const ni_manifest *m)
{
    ni_json_open(j, "files", '{');
    for (ni_part p = 0; p < NI_PARTS; p++) {
        const char *name = ni_part_name(m, p);
        const ni_digest *d = &m->part[p];
        if (!name) continue;
        ni_json_open(j, name, '{');
        ni_json_whole(j, "bytes", d->bytes);
        if (ni_part_is_text(name)) ni_json_whole(j, "lines", d->lines);
        put_hex(j, "crc32c", 8, d->crc);
        ni_json_close(j, '}');
    }
    ni_json_close(j, '}');
}

neap_status ni_manifest_write(const ni_manifest *m, const char *folder, neap_error *err)
{
    char path[PATH_MAX];
    ni_output *out;
    neap_status rc = ni_path_join(folder, "manifest.json", path, err);
    if (rc == NEAP_OK) rc = ni_output_open(path, &out, err);
    if (rc != NEAP_OK) return rc;
    ni_json j = { .out = ni_output_sink(out), .lines = 2 };
    ni_json_open(&j, NULL, '{');
    put_facts(&j, m);
    put_parts(&j, m);
    ni_json_close(&j, '}');
    return ni_output_commit(out, err);
}

/* ---- reading ---- */

/* The first invalid key stays in `bad`, so that all keys are read and the result is checked once. */
typedef struct reader {
    const json_t *at;
    const char *bad;
} reader;

static const json_t *take(reader *r, const char *key, json_type type)
{
    const json_t *value = json_object_get(r->at, key);
    bool fits = value && (json_typeof(value) == type || (type == JSON_TRUE && json_is_boolean(value)) ||
                          (type == JSON_REAL && json_is_number(value)));
    if (!fits && !r->bad) r->bad = key;
    return fits ? value : NULL;
}

static uint64_t take_count(reader *r, const char *key)
{
    const json_t *value = take(r, key, JSON_INTEGER);
    if (!value) return 0;
    if (json_integer_value(value) < 0) r->bad = r->bad ? r->bad : key;
    return (uint64_t)json_integer_value(value);
}

static uint64_t take_hex(reader *r, const char *key, unsigned digits)
{
    static const char known[] = "0123456789abcdef";
    const char *text = json_string_value(take(r, key, JSON_STRING));
    uint64_t value = 0;
    bool ok = text && strlen(text) == digits && strspn(text, known) == digits;
    for (unsigned i = 0; ok && i < digits; i++)
        value = value << 4 | (uint64_t)(strchr(known, text[i]) - known);
    if (!ok && !r->bad) r->bad = key;
    return value;
}

static uint64_t take_seed(reader *r)
{
    const char *text = json_string_value(json_object_get(r->at, "seed"));
    uint64_t seed = 0;
    if (!text) return take_count(r, "seed");
    if (!ni_parse_u64(text, strlen(text), &seed) && !r->bad) r->bad = "seed";
    return seed;
}

static int take_word(reader *r, const char *key, const char *const *words)
{
    const char *text = json_string_value(take(r, key, JSON_STRING));
    for (int i = 0; text && words[i]; i++)
        if (!strcmp(text, words[i])) return i;
    if (!r->bad) r->bad = key;
    return 0;
}

static void take_facts(reader *r, ni_manifest *m, bool targets)
{
    const char *const *kinds = ni_target_words + 1;
    m->protocol = (ni_protocol)take_word(r, "protocol", ni_protocols);
    m->kind = (ni_negatives)take_word(r, "negatives", ni_negative_words);
    m->undirected = json_is_true(take(r, "undirected", JSON_TRUE));
    m->weighted = json_is_true(take(r, "weighted", JSON_TRUE));
    m->hash = take_hex(r, "graph", 16);
    uint64_t nodes = take_count(r, "nodes");
    m->facts = (neap_trial_facts){
        .protocol = ni_protocols[m->protocol],
        .negatives = ni_negative_words[m->kind],
        .ratio = json_number_value(take(r, "ratio", JSON_REAL)),
        .seed = take_seed(r),
        .nodes = (uint32_t)nodes,
        .edges = take_count(r, "edges"),
        .self_loops = take_count(r, "self_loops"),
        .repeats = take_count(r, "repeats"),
        .train = take_count(r, "train"),
        .valid = take_count(r, "valid"),
        .test = take_count(r, "test"),
        .skipped = take_count(r, "skipped"),
        .loops = take_count(r, "loops"),
        .reverse = take_count(r, "reverse"),
        .targets = targets ? kinds[take_word(r, "targets", kinds)] : ni_target_words[0],
    };
    if (nodes > NI_NAMES_MOST && !r->bad) r->bad = "nodes";
    if (!(m->facts.ratio > 0 && m->facts.ratio < 1) && !r->bad) r->bad = "ratio";
}

static void take_parts(reader *r, ni_manifest *m)
{
    reader files = { .at = take(r, "files", JSON_OBJECT) };
    for (ni_part p = 0; p < NI_PARTS; p++) {
        const char *name = ni_part_name(m, p);
        if (!name) continue;
        reader part = { .at = take(&files, name, JSON_OBJECT) };
        m->part[p].bytes = take_count(&part, "bytes");
        if (ni_part_is_text(name)) m->part[p].lines = take_count(&part, "lines");
        m->part[p].crc = (uint32_t)take_hex(&part, "crc32c", 8);
        if (part.bad && !files.bad) files.bad = name;
    }
    if (files.bad && !r->bad) r->bad = files.bad;
    if (m->facts.targets && !strcmp(m->facts.targets, "list"))
        m->facts.target_count = (uint32_t)m->part[NI_PART_TARGETS].lines;
}

/* "neap split 3" and so on. */
static bool is_newer(const char *format)
{
    const size_t name = sizeof FORMAT_NAME - 1;
    uint64_t number = 0;
    return format && !strncmp(format, FORMAT_NAME, name) &&
           ni_parse_u64(format + name, strlen(format + name), &number) && number > FORMAT_NUMBER;
}

static neap_status take_manifest(const json_t *root, const char *path, ni_manifest *m, neap_error *err)
{
    reader r = { .at = root };
    const char *format = json_string_value(json_object_get(root, "format"));
    m->newer = is_newer(format);
    if (m->newer)
        return ni_fail(err, NEAP_E_FORMAT,
                       "%.200s: " NI_NEWER ": its format is '%.40s', and neap %s reads up to '%s'", path,
                       format, neap_version(), FORMAT_TARGETS);
    bool targets = format && !strcmp(format, FORMAT_TARGETS);
    if (!targets && (!format || strcmp(format, FORMAT)))
        return ni_fail(err, NEAP_E_FORMAT, "%.200s is not of the format '%s' that this version reads", path,
                       FORMAT);
    take_facts(&r, m, targets);
    take_parts(&r, m);
    if (!r.bad) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "%.200s: what it says about '%s' is missing or makes no sense", path,
                   r.bad);
}

static neap_status load_json(const char *path, json_t **root, neap_error *err)
{
    ni_stream_in *in;
    json_error_t why;
    size_t got = 0;
    char *text = ni_array(MANIFEST_MOST + 1, 1);
    if (!text) return ni_fail_memory(err, "a manifest");
    neap_status rc = ni_stream_open(path, &in, err);
    if (rc == NEAP_OK) rc = ni_stream_read(in, text, MANIFEST_MOST + 1, &got, err);
    ni_stream_close(in);
    if (rc == NEAP_OK && got > MANIFEST_MOST)
        rc = ni_fail(err, NEAP_E_LIMIT, "%.200s is too long for a manifest", path);
    if (rc == NEAP_OK && !(*root = json_loadb(text, got, JSON_REJECT_DUPLICATES, &why)))
        rc = ni_fail_at(err, NEAP_E_FORMAT, (uint64_t)why.line, "%.200s:%d: %.100s", path, why.line,
                        why.text);
    ni_free(text);
    return rc;
}

neap_status ni_manifest_read(const char *folder, ni_manifest *m, neap_error *err)
{
    char path[PATH_MAX];
    json_t *root = NULL;
    *m = (ni_manifest){ 0 };
    neap_status rc = ni_path_join(folder, "manifest.json", path, err);
    if (rc == NEAP_OK) rc = load_json(path, &root, err);
    if (rc == NEAP_OK) rc = take_manifest(root, path, m, err);
    json_decref(root);
    return rc;
}

neap_status neap_trial_describe(const char *folder, neap_trial_facts *facts, neap_error *err)
{
    ni_manifest m;
    neap_status rc = ni_manifest_read(folder, &m, err);
    return rc == NEAP_OK ? ni_sized_out(&m.facts, sizeof m.facts, facts, "neap_trial_facts", err) : rc;
}
