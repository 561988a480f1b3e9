/* The mutator of files of ours. Most times it parses the file, changes one field and stores it again, so
 * that checksums, offsets and the graph's hash hold and the checks behind them are reached; otherwise bytes
 * change as libFuzzer likes, and mostly the checksums are repaired. */
#include <stdio.h>
#include <stdlib.h>

#include "checksums.h"
#include "graph/graph.h"
#include "harness.h"
#include "io/tensors.h"

/* ---- draws ---- */

static uint32_t state;

static uint32_t below(size_t n)
{
    state = state * 1664525u + 1013904223u;
    return n ? (uint32_t)((uint64_t)(state >> 8) * n >> 24) : 0;
}

/* Numbers at which readers go wrong. */
static uint64_t odd_number(void)
{
    static const uint64_t odd[] = { 0,          1,          2,          3,          7,          255,
                                    256,        65535,      65536,      0x7fffffff, 0x80000000, 0xfffffffe,
                                    0xffffffff, 1ull << 32, 1ull << 53, 1ull << 63, UINT64_MAX };
    uint64_t number = odd[below(sizeof odd / sizeof *odd)];
    return below(3) ? number : number + below(9) - 4;
}

static float odd_float(void)
{
    static const char *const odd[] = { "nan", "inf", "-inf", "3e38", "-3e38", "1e-45",
                                       "0",   "-0",  "1",    "-1",   "1e20" };
    return strtof(odd[below(sizeof odd / sizeof *odd)], NULL);
}

/* ---- facts ---- */

/* Another value for a fact: a number, a word of an option, a method, or what another fact says. */
static void change_fact(ni_tensors *t)
{
    char text[64];
    if (!t->facts) return;
    const char *key = t->fact[below(t->facts)].key;
    const neap_option_info *option = neap_option_at(below(neap_option_count()));
    switch (below(6)) {
    case 0: ni_tensors_put(t, key, t->fact[below(t->facts)].value); return;
    case 1: ni_tensors_put(t, key, neap_method_at(below(neap_method_count()))->name); return;
    case 2: /* the first or the last word of a choice */
        snprintf(text, sizeof text, "%s", option->value);
        if (below(2)) text[strcspn(text, "|")] = 0;
        ni_tensors_put(t, key, strrchr(text, '|') ? strrchr(text, '|') + 1 : text);
        return;
    case 3: snprintf(text, sizeof text, "%.9g", (double)odd_float()); break;
    case 4: /* an option that this method may not have */
        snprintf(text, sizeof text, "option.%s", option->name);
        ni_tensors_put(t, text, option->presets[below(3)]);
        return;
    default: snprintf(text, sizeof text, "%llu", (unsigned long long)odd_number());
    }
    ni_tensors_put(t, key, text);
}

/* ---- tensors ---- */

static size_t bytes_of(const ni_tensor *x)
{
    uint64_t bytes = 0;
    ni_tensor_bytes(x->type, x->rank, x->shape, &bytes);
    return (size_t)bytes;
}

/* One element becomes an odd number, or one more or less than it was, or that beside it. */
static void change_element(ni_tensor *x)
{
    size_t width = ni_type_width(x->type), count = bytes_of(x) / width;
    uint64_t value = 0;
    if (!count) return;
    char *at = (char *)(uintptr_t)x->data + below(count) * width;
    memcpy(&value, at, width);
    float real = odd_float();
    switch (below(5)) {
    case 0: value++; break;
    case 1: value--; break;
    case 2: memcpy(&value, (const char *)x->data + below(count) * width, width); break;
    case 3:
        if (x->type == NI_F32) memcpy(&value, &real, sizeof real);
        else value = below(16);
        break;
    default: value = odd_number();
    }
    memcpy(at, &value, width);
}

/* Rows more or fewer, the new ones zeros; the new block must be freed after use. */
static void *change_rows(ni_tensor *x)
{
    size_t old = bytes_of(x);
    uint64_t rows = x->shape[0];
    x->shape[0] = below(2) ? rows + 1 + below(3) : rows - (rows ? 1 + below(rows) : 0);
    size_t now = bytes_of(x);
    char *bytes = calloc(now + 1, 1);
    assert_non_null(bytes);
    if (old) memcpy(bytes, x->data, old < now ? old : now);
    x->data = bytes;
    return bytes;
}

/* Another shape for the same bytes, as far as they can be cut that way. */
static void change_shape(ni_tensor *x)
{
    size_t bytes = bytes_of(x);
    ni_type type = below(2) ? (ni_type)below(NI_TYPES) : x->type;
    size_t count = bytes / ni_type_width(type), columns = 1 + below(4);
    if (bytes % ni_type_width(type) || count % columns) return;
    x->type = type;
    x->rank = columns > 1 ? 2 : 1;
    x->shape[0] = count / columns;
    x->shape[1] = columns;
}

static void drop_tensor(ni_tensors *t, size_t i)
{
    ni_tensor last = t->tensor[t->count - 1];
    t->tensor[t->count - 1] = t->tensor[i]; /* its name is freed with the list */
    t->tensor[i] = last;
    t->count--;
}

/* A copy under a name that a model of some method may have. */
static void add_tensor(ni_tensors *t, ni_tensor x)
{
    static const char *const names[] = {
        "graph.weights", "hood.offsets",   "hood.nodes",      "E",       "P",      "pad", "best.E",
        "attention",     "persona.owners", "persona.vectors", "outputs", "vectors"
    };
    ni_tensors_add(t, names[below(sizeof names / sizeof *names)], x.type, x.rank, x.shape, x.data);
}

static void *change_tensor(ni_tensors *t)
{
    if (!t->count) return NULL;
    size_t i = below(t->count);
    ni_tensor *x = &t->tensor[i];
    uint8_t *bytes = (uint8_t *)(uintptr_t)x->data;
    switch (below(12)) {
    case 0: return change_rows(x);
    case 1: change_shape(x); break;
    case 2: add_tensor(t, *x); break;
    case 3: drop_tensor(t, i); break;
    case 4:
        if (bytes_of(x)) LLVMFuzzerMutate(bytes, bytes_of(x), bytes_of(x));
        break;
    default: change_element(x);
    }
    return NULL;
}

/* ---- whole files ---- */

/* A model names its graph by a hash, which would hide every change of the graph. */
static void repair_hash(ni_tensors *t)
{
    neap_graph *g;
    char hash[17];
    if (!ni_tensors_fact(t, "graph.hash") || ni_graph_from_tensors(t, &g, NULL)) return;
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)neap_graph_hash(g));
    ni_tensors_put(t, "graph.hash", hash);
    neap_graph_free(g);
}

/* 0 if the file cannot be parsed, or the new one does not fit. */
static size_t change_field(uint8_t *data, size_t size, size_t room)
{
    ni_tensors t;
    size_t need = 0, names;
    if (ni_tensors_parse(data, size, &t, NULL)) return 0;
    names = t.count;
    void *made = NULL;
    if (below(4)) made = change_tensor(&t);
    else change_fact(&t);
    if (below(8)) repair_hash(&t);
    neap_status rc = ni_tensors_store(&t, data, room, &need, NULL);
    if (t.count < names) t.count = names; /* a dropped one still has its name */
    ni_tensors_release(&t);
    free(made);
    return rc == NEAP_OK ? need : 0;
}

size_t fuzz_mutate_tensors(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    state = seed;
    size_t changed = below(4) ? change_field(data, size, room) : 0;
    if (changed) return changed;
    changed = LLVMFuzzerMutate(data, size, room);
    if (below(8)) checksums_repair((char *)data, changed);
    return changed;
}
