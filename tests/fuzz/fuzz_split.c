/* A split in a folder. It is loaded as it stands, then once more with right lengths and checksums of its
 * files in the manifest, so that the rules behind them are reached. What loads is trained on and measured.
 */
#include <stdio.h>

#include "eval/manifest.h"
#include "harness.h"

#define FOLDER FUZZ_FOLDER "split"

static neap_options *options;

static void prepare(void)
{
    options = fuzz_options("cn");
}

static void use(const neap_trial *t)
{
    neap_trial_facts facts = NEAP_SIZED(neap_trial_facts);
    neap_link_result result = NEAP_SIZED(neap_link_result);
    neap_model *m;
    neap_error err = { 0 };
    assert_int_equal(neap_trial_facts_of(t, &facts, NULL), NEAP_OK);
    assert_int_equal(neap_trial_check(t, NULL, NULL, NULL), NEAP_OK);
    neap_status rc = neap_trial_train(t, options, NULL, &m, &err);
    if (!fuzz_took(rc, &err, m)) return;
    rc = neap_trial_measure(t, m, NULL, &result, &err);
    fuzz_took(rc, &err, rc == NEAP_OK ? m : NULL); /* its largest file is read only here */
    neap_model_free(m);
}

static void load(size_t size)
{
    neap_trial *t;
    neap_error err = { 0 };
    fuzz_bound(4 << 20, 64, size);
    neap_status rc = neap_trial_load(FOLDER, NULL, &t, &err);
    fuzz_unbound();
    if (!fuzz_took(rc, &err, t)) return;
    use(t);
    neap_trial_free(t);
}

static bool repair(void)
{
    ni_manifest m;
    char path[128];
    if (ni_manifest_read(FOLDER, &m, NULL)) return false;
    for (ni_part p = 0; p < NI_PARTS; p++) {
        const char *name = ni_part_name(&m, p);
        snprintf(path, sizeof path, FOLDER "/%s", name ? name : "");
        if (name && ni_digest_of(path, &m.part[p], NULL)) return false;
    }
    return ni_manifest_write(&m, FOLDER, NULL) == NEAP_OK;
}

static void one(const uint8_t *data, size_t size)
{
    fuzz_files(FOLDER "/manifest.json", data, size);
    load(size);
    if (repair()) load(size);
}

const fuzz_target fuzz = { .prepare = prepare, .one = one };
