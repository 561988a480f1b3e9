/* Models of all methods: what is accepted is asked everything. */
#include "harness.h"

static void one(const uint8_t *data, size_t size)
{
    neap_model *m;
    neap_error err = { 0 };
    fuzz_bound(8 << 10, 4, size);
    neap_status rc = neap_model_from_memory(data, size, &m, &err);
    fuzz_unbound();
    if (!fuzz_took(rc, &err, m)) return;
    fuzz_use_model(m);
    neap_model_free(m);
}

const fuzz_target fuzz = { .one = one, .mutate = fuzz_mutate_tensors };
