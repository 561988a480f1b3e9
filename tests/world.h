/* world.h - what several tests make and measure (include after cmocka.h). */
#ifndef NEAP_TESTS_WORLD_H
#define NEAP_TESTS_WORLD_H

#include <stdarg.h>
#include <stdlib.h>

#include "neap.h"

/* Changes: name, value, name, value, ..., NULL. */
static inline void set_options_from(neap_options *o, va_list list)
{
    for (const char *name; (name = va_arg(list, const char *));)
        assert_int_equal(neap_options_set(o, name, va_arg(list, const char *), NULL), NEAP_OK);
}

static inline void set_options(neap_options *o, ...)
{
    va_list list;
    va_start(list, o);
    set_options_from(o, list);
    va_end(list);
}

/* A preset with changes, likewise. */
static inline neap_options *options_of(const char *preset, ...)
{
    neap_options *o;
    va_list list;
    assert_int_equal(neap_options_create(preset, &o, NULL), NEAP_OK);
    va_start(list, preset);
    set_options_from(o, list);
    va_end(list);
    return o;
}

/* The AUC of a model on held-out pairs. */
static inline double test_auc(const neap_split *s, const neap_model *m)
{
    const neap_pair *p, *n;
    size_t count = neap_split_pairs(s, &p, &n);
    float *scores = malloc(2 * count * sizeof *scores);
    double auc;
    assert_int_equal(neap_model_score(m, p, count, scores, NULL), NEAP_OK);
    assert_int_equal(neap_model_score(m, n, count, scores + count, NULL), NEAP_OK);
    assert_int_equal(neap_auc(scores, count, scores + count, count, &auc, NULL), NEAP_OK);
    free(scores);
    return auc;
}

#endif
