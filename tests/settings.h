/* settings.h - options as the library reads them, and models and queries made in one line (include after
 * cmocka.h). */
#ifndef NEAP_TESTS_SETTINGS_H
#define NEAP_TESTS_SETTINGS_H

#include "model/method.h"
#include "texts.h"
#include "world.h"

/* The values that the method of the options uses; for ni_settings_free. The options are freed:
 * settings_of(options_of("neap", "dim", "16", NULL)). Of gap, settings->own is an ni_attention_options. */
static inline const ni_settings *settings_of(neap_options *options)
{
    const ni_method *method;
    ni_settings *s;
    neap_error err = { 0 };
    if (ni_settings_read(options, &method, &s, &err)) fail_msg("%s", err.text);
    neap_options_free(options);
    return s;
}

/* A model trained on a graph, and texts made of it for methods that read them; hooks may be NULL. */
static inline neap_model *train_on(const neap_graph *graph, const neap_options *options,
                                   const neap_hooks *hooks)
{
    neap_text *text = texts_of(graph);
    neap_data data = { .size = sizeof data, .graph = graph, .text = text };
    neap_model *m;
    neap_error err = { 0 };
    if (neap_train(&data, options, hooks, &m, &err)) fail_msg("%s", err.text);
    neap_text_free(text);
    return m;
}

/* The same with options that are made for it and freed: trained(graph, options_of(...)). */
static inline neap_model *trained(const neap_graph *graph, neap_options *options)
{
    neap_model *m = train_on(graph, options, NULL);
    neap_options_free(options);
    return m;
}

/* What neap_train says about a graph; a model, if there is one all the same, is freed. */
static inline neap_status train_status(const neap_graph *graph, const neap_options *options,
                                       const neap_hooks *hooks, neap_error *err)
{
    neap_data data = { .size = sizeof data, .graph = graph };
    neap_model *m;
    neap_status rc = neap_train(&data, options, hooks, &m, err);
    assert_true((rc == NEAP_OK) == (m != NULL));
    neap_model_free(m);
    return rc;
}

/* A model whose tensors are zeros. */
static inline neap_model *empty_model(const neap_graph *graph, const neap_options *options)
{
    neap_data data = { .size = sizeof data, .graph = graph };
    ni_job_room room;
    ni_job job;
    neap_model *m;
    assert_int_equal(ni_job_read(&data, options, NULL, &room, &job, NULL), NEAP_OK);
    assert_int_equal(ni_model_create(&job, &m, NULL), NEAP_OK);
    assert_int_equal(ni_model_allocate(m, NULL), NEAP_OK);
    ni_job_free(&job);
    return m;
}

/* A tensor of a model, to be looked at or spoilt; NULL if there is none of that name. */
static inline void *tensor_of(const neap_model *model, const char *name)
{
    const ni_declared *t = ni_declared_find(&model->tensors->list, name);
    return t ? t->data : NULL;
}

/* All tensors are the same to the bit. */
static inline void assert_same_tensors(const neap_model *a, const neap_model *b)
{
    const ni_declaration *x = &a->tensors->list, *y = &b->tensors->list;
    assert_int_equal(x->count, y->count);
    for (size_t i = 0; i < x->count; i++) {
        assert_string_equal(x->item[i].name, y->item[i].name);
        assert_int_equal(ni_declared_bytes(&x->item[i]), ni_declared_bytes(&y->item[i]));
        assert_int_equal(!x->item[i].data, !y->item[i].data); /* none: the state of a run that is over */
        if (x->item[i].data)
            assert_memory_equal(x->item[i].data, y->item[i].data, ni_declared_bytes(&x->item[i]));
    }
}

/* A context for questions; for neap_query_free. */
static inline neap_query *query_of(const neap_model *model, uint32_t threads)
{
    neap_query_spec spec = { .size = sizeof spec, .threads = threads };
    neap_query *q;
    assert_int_equal(neap_query_create(model, &spec, &q, NULL), NEAP_OK);
    return q;
}

#endif
