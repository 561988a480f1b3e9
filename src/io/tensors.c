/* Named arrays and facts: growing lists, looked up by name. Arrays are views, names and facts are owned. */
#include "io/tensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"
#include "support/text.h"

static const struct type {
    const char *name;
    size_t width;
} types[NI_TYPES] = {
    [NI_F32] = { "F32", 4 }, [NI_U8] = { "U8", 1 }, [NI_U32] = { "U32", 4 }, [NI_U64] = { "U64", 8 }
};

const char *ni_type_name(ni_type type)
{
    return types[type].name;
}

size_t ni_type_width(ni_type type)
{
    return types[type].width;
}

bool ni_tensor_bytes(ni_type type, uint32_t rank, const uint64_t *shape, uint64_t *bytes)
{
    *bytes = types[type].width;
    for (uint32_t i = 0; i < rank; i++)
        if (!ni_mul(*bytes, shape[i], bytes)) return false;
    return true;
}

void ni_tensor_describe(ni_type type, uint32_t rank, const uint64_t *shape, char text[112])
{
    int n = snprintf(text, 112, "%s", types[type].name);
    for (uint32_t i = 0; i < rank; i++)
        n += snprintf(text + n, 112 - (size_t)n, "%s%llu", i ? " x " : " ", (unsigned long long)shape[i]);
}

/* ---- recording ---- */

void ni_tensors_release(ni_tensors *t)
{
    for (size_t i = 0; i < t->count; i++) {
        ni_free(t->tensor[i].name);
        ni_free(t->tensor[i].block);
    }
    for (size_t i = 0; i < t->facts; i++) {
        ni_free(t->fact[i].key);
        ni_free(t->fact[i].value);
    }
    ni_free(t->tensor);
    ni_free(t->fact);
    ni_free(t->owned);
    *t = (ni_tensors){ 0 };
}

void ni_tensors_add(ni_tensors *t, const char *name, ni_type type, uint32_t rank, const uint64_t *shape,
                    const void *data)
{
    ni_tensor tensor = {
        .name = ni_copy(name, strlen(name) + 1, 1), .type = type, .rank = rank, .data = data
    };
    memcpy(tensor.shape, shape, rank * sizeof *shape);
    if (tensor.name && ni_grow(&t->tensor, &t->room, t->count + 1, sizeof *t->tensor)) {
        t->tensor[t->count++] = tensor;
        return;
    }
    ni_free(tensor.name);
    t->failed = true;
}

static ni_fact *find_fact(const ni_tensors *t, const char *key)
{
    for (size_t i = 0; i < t->facts; i++)
        if (!strcmp(t->fact[i].key, key)) return &t->fact[i];
    return NULL;
}

void ni_tensors_put_new(ni_tensors *t, const char *key, const char *value)
{
    ni_fact fact = { ni_copy(key, strlen(key) + 1, 1), ni_copy(value, strlen(value) + 1, 1) };
    if (fact.key && fact.value && ni_grow(&t->fact, &t->fact_room, t->facts + 1, sizeof *t->fact)) {
        t->fact[t->facts++] = fact;
        return;
    }
    ni_free(fact.key);
    ni_free(fact.value);
    t->failed = true;
}

void ni_tensors_put(ni_tensors *t, const char *key, const char *value)
{
    ni_fact *known = find_fact(t, key);
    if (!known) {
        ni_tensors_put_new(t, key, value);
        return;
    }
    char *copy = ni_copy(value, strlen(value) + 1, 1);
    if (!copy) {
        t->failed = true;
        return;
    }
    ni_free(known->value);
    known->value = copy;
}

void ni_tensors_put_count(ni_tensors *t, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    ni_tensors_put(t, key, text);
}

void ni_tensors_put_real(ni_tensors *t, const char *key, double value)
{
    char text[32];
    if (!isfinite(value)) return;
    ni_format_double(value, text);
    ni_tensors_put(t, key, text);
}

/* ---- looking up ---- */

const ni_tensor *ni_tensors_find(const ni_tensors *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++)
        if (!strcmp(t->tensor[i].name, name)) return &t->tensor[i];
    return NULL;
}

const char *ni_tensors_fact(const ni_tensors *t, const char *key)
{
    const ni_fact *fact = find_fact(t, key);
    return fact ? fact->value : NULL;
}

bool ni_tensors_are(const ni_tensors *t, const char *kind)
{
    const char *stored = ni_tensors_fact(t, "neap.kind");
    return stored && !strcmp(stored, kind);
}

neap_status ni_tensors_count(const ni_tensors *t, const char *key, uint64_t most, uint64_t *value,
                             neap_error *err)
{
    const char *text = ni_tensors_fact(t, key);
    if (!text) return ni_fail(err, NEAP_E_FORMAT, "the metadata lack '%s'", key);
    if (!ni_parse_u64(text, strlen(text), value) || *value > most)
        return ni_fail(err, NEAP_E_FORMAT, "%s is '%.40s', not a number up to %llu", key, text,
                       (unsigned long long)most);
    return NEAP_OK;
}

neap_status ni_tensors_real(const ni_tensors *t, const char *key, double *value, neap_error *err)
{
    const char *text = ni_tensors_fact(t, key);
    *value = NAN;
    if (text && !ni_parse_double(text, strlen(text), value))
        return ni_fail(err, NEAP_E_FORMAT, "%s is '%.40s', not a number", key, text);
    return NEAP_OK;
}

neap_status ni_tensors_need(const ni_tensors *t, const char *name, ni_type type, uint32_t rank,
                            const uint64_t *shape, const void **data, neap_error *err)
{
    const ni_tensor *tensor = ni_tensors_find(t, name);
    char found[112], wanted[112];
    *data = NULL;
    if (!tensor) return ni_fail(err, NEAP_E_FORMAT, "tensor %s is missing", name);
    if (tensor->type != type || tensor->rank != rank ||
        memcmp(tensor->shape, shape, rank * sizeof *shape)) {
        ni_tensor_describe(tensor->type, tensor->rank, tensor->shape, found);
        ni_tensor_describe(type, rank, shape, wanted);
        return ni_fail(err, NEAP_E_FORMAT, "tensor %s is %s where %s is meant", name, found, wanted);
    }
    uint64_t bytes = 0;
    ni_tensor_bytes(type, rank, shape, &bytes);
    size_t length = (size_t)bytes / types[type].width;
    size_t finite = type == NI_F32 ? ni_finite_until(tensor->data, length) : length;
    if (finite < length) return ni_fail(err, NEAP_E_FORMAT, "tensor %s[%zu] is not finite", name, finite);
    *data = tensor->data;
    return NEAP_OK;
}

void *ni_tensors_take(const ni_tensors *t, const void *data, size_t count, size_t width)
{
    for (size_t i = 0; i < t->count; i++) {
        void *block = t->tensor[i].block;
        if (!block || block != data) continue;
        t->tensor[i].block = NULL;
        return block;
    }
    return ni_copy(data, count, width);
}

/* ---- the closed set of a kind ---- */

static bool is_listed(const char *name, const char *const *list)
{
    for (; *list; list++) {
        size_t n = strlen(*list);
        bool family = (*list)[n - 1] == '.';
        if (family ? !strncmp(name, *list, n) && name[n] : !strcmp(name, *list)) return true;
    }
    return false;
}

neap_status ni_tensors_only(const ni_tensors *t, const char *const *tensors, const char *const *facts,
                            neap_error *err)
{
    const char *kind = ni_tensors_fact(t, "neap.kind");
    for (size_t i = 0; i < t->facts; i++)
        if (!is_listed(t->fact[i].key, facts))
            return ni_fail(err, NEAP_E_FORMAT, "a %s holds no '%.40s'; was it made by a newer version?",
                           kind, t->fact[i].key);
    for (size_t i = 0; i < t->count; i++)
        if (!is_listed(t->tensor[i].name, tensors))
            return ni_fail(err, NEAP_E_FORMAT, "a %s holds no tensor '%.40s'", kind, t->tensor[i].name);
    return NEAP_OK;
}
