/* Lists of tensors with names, shapes and roles; a list that has data owns them. */
#include "model/declare.h"

#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"
#include "support/text.h"

static void add(ni_declaration *d, ni_declared item)
{
    if (item.name && ni_grow(&d->item, &d->room, d->count + 1, sizeof *d->item)) {
        d->item[d->count++] = item;
        return;
    }
    ni_free(item.name);
    d->failed = true;
}

void ni_declare(ni_declaration *d, const char *name, ni_role role, ni_type type, uint32_t rank,
                const uint64_t *shape, void *slot)
{
    ni_declared item = {
        .name = ni_copy(name, strlen(name) + 1, 1), .type = type, .rank = rank, .role = role, .slot = slot
    };
    memcpy(item.shape, shape, rank * sizeof *shape);
    add(d, item);
}

void ni_declare_matrix(ni_declaration *d, const char *name, ni_role role, uint64_t rows, uint64_t columns,
                       void *slot)
{
    ni_declare(d, name, role, NI_F32, 2, (uint64_t[]){ rows, columns }, slot);
}

void ni_declare_list(ni_declaration *d, const char *name, ni_role role, ni_type type, uint64_t length,
                     void *slot)
{
    ni_declare(d, name, role, type, 1, &length, slot);
}

uint64_t ni_declared_length(const ni_declaration *d, const char *name, uint64_t otherwise)
{
    const ni_tensor *in_file = d->found ? ni_tensors_find(d->found, name) : NULL;
    const ni_declared *in_model = d->known ? ni_declared_find(d->known, name) : NULL;
    if (d->found) return in_file ? in_file->shape[0] : 0;
    return in_model ? in_model->shape[0] : otherwise;
}

/* A moment of a tensor: named after it, as large, or one number for each row. */
static void add_moment(ni_declaration *d, const ni_declared *of, const char *before, const char *behind,
                       uint32_t rank)
{
    size_t room = strlen(before) + strlen(of->name) + strlen(behind) + 1;
    ni_declared moment = { .name = ni_array(room, 1), .type = NI_F32, .rank = rank, .role = NI_STATE };
    memcpy(moment.shape, of->shape, sizeof moment.shape);
    if (moment.name) snprintf(moment.name, room, "%s%s%s", before, of->name, behind);
    add(d, moment);
}

void ni_declare_moments(ni_declaration *d)
{
    size_t tensors = d->count;
    for (size_t i = 0; i < tensors && !d->failed; i++) {
        ni_declared of = d->item[i]; /* a copy: adding moves the list */
        if (of.role != NI_LEARNED) continue;
        if (d->moments == NI_MOMENTS_ADAGRAD) add_moment(d, &of, "adagrad.", "", 1);
        if (d->moments != NI_MOMENTS_ADAM) continue;
        add_moment(d, &of, "adam.", ".m", of.rank);
        add_moment(d, &of, "adam.", ".v", of.rank);
    }
}

ni_declared *ni_declared_find(const ni_declaration *d, const char *name)
{
    for (size_t i = 0; i < d->count; i++)
        if (!strcmp(d->item[i].name, name)) return &d->item[i];
    return NULL;
}

uint64_t ni_declared_bytes(const ni_declared *t)
{
    uint64_t bytes;
    return ni_tensor_bytes(t->type, t->rank, t->shape, &bytes) ? bytes : UINT64_MAX;
}

uint64_t ni_declared_numbers(const ni_declared *t)
{
    return ni_declared_bytes(t) / ni_type_width(t->type);
}

uint64_t ni_declaration_bytes(const ni_declaration *d, ni_role role)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < d->count; i++)
        if (d->item[i].role == role && !ni_add(sum, ni_declared_bytes(&d->item[i]), &sum))
            return UINT64_MAX;
    return sum;
}

void ni_declared_set(ni_declared *t, void *data)
{
    t->data = data;
    if (t->slot) memcpy(t->slot, &data, sizeof data);
}

neap_status ni_declaration_allocate(ni_declaration *d, neap_error *err)
{
    bool ok = !d->failed;
    for (size_t i = 0; i < d->count && ok; i++) {
        ni_declared *t = &d->item[i];
        if (!t->slot || t->data) continue;
        uint64_t bytes = ni_declared_bytes(t);
        void *data = bytes < SIZE_MAX ? ni_zeros((size_t)bytes, 1) : NULL;
        if (data) ni_declared_set(t, data);
        else ok = false;
    }
    return ok ? NEAP_OK : ni_fail_memory(err, "the vectors; a smaller --dim needs less");
}

neap_status ni_declaration_check_finite(const ni_declaration *d, neap_error *err)
{
    for (size_t i = 0; i < d->count; i++) {
        const ni_declared *t = &d->item[i];
        size_t n = (size_t)ni_declared_numbers(t);
        if (t->type == NI_F32 && t->role != NI_STATE && t->data && ni_finite_until(t->data, n) < n)
            return ni_fail(err, NEAP_E_NUMERIC,
                           "a number of %s is not finite any more. A smaller --lr usually helps", t->name);
    }
    return NEAP_OK;
}

void ni_declaration_free(ni_declaration *d)
{
    for (size_t i = 0; i < d->count; i++) {
        ni_free(d->item[i].name);
        ni_free(d->item[i].data);
    }
    ni_free(d->item);
    *d = (ni_declaration){ 0 };
}
