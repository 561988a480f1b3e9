/* --test: the AUC of the model, of one without training, and of the degree product, on the same pairs. */
#include "train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "eval_common.h"
#include "progress.h"

size_t count_pairs(const neap_split *split)
{
    const neap_pair *links, *others;
    return neap_split_pairs(split, &links, &others);
}

/* The AUC of a model on a split. */
static neap_status auc_of(const neap_model *model, const neap_split *split, double *auc, neap_error *err)
{
    const neap_pair *links, *others;
    size_t n = neap_split_pairs(split, &links, &others);
    float *scores = calloc(2 * n + 1, sizeof *scores);
    if (!scores) return ni_fail(err, NEAP_E_MEM, "out of memory for scores");
    neap_status rc = neap_model_score(model, links, n, scores, err);
    if (rc == NEAP_OK) rc = neap_model_score(model, others, n, scores + n, err);
    if (rc == NEAP_OK) rc = neap_auc(scores, n, scores + n, n, auc, err);
    free(scores);
    return rc;
}

static int on_progress(const neap_progress *now, void *user)
{
    (void)now;
    (void)user;
    return interrupt_seen();
}

/* The same run with one option changed. */
static neap_status auc_with(const args *a, const neap_split *split, const attributes *known,
                            const char *option, const char *value, double *auc, neap_error *err)
{
    neap_options *changed = NULL;
    neap_model *model = NULL;
    neap_hooks hooks = { .size = sizeof hooks, .progress = on_progress };
    neap_data data = { .size = sizeof data,
                       .graph = neap_split_train(split),
                       .text = known->text,
                       .features = known->features };
    neap_status rc = args_options(a, &changed, err);
    if (rc == NEAP_OK) rc = neap_options_set(changed, option, value, err);
    if (rc == NEAP_OK) rc = neap_train(&data, changed, &hooks, &model, err);
    if (rc == NEAP_OK) rc = auc_of(model, split, auc, err);
    neap_model_free(model);
    neap_options_free(changed);
    return rc;
}

neap_status verdict_of(const args *a, const neap_model *model, const neap_split *split,
                       const attributes *known, verdict *v, neap_error *err)
{
    char method[SHORT];
    v->pairs = count_pairs(split);
    v->untrained = NAN; /* a method without epochs has nothing to train */
    neap_status rc = neap_options_get(a->options, "method", method, sizeof method, err);
    if (rc == NEAP_OK) rc = auc_of(model, split, &v->trained, err);
    if (rc == NEAP_OK && learns(method)) rc = auc_with(a, split, known, "epochs", "0", &v->untrained, err);
    if (rc == NEAP_OK) rc = auc_with(a, split, known, "method", "pa", &v->degrees, err);
    return rc;
}

void verdict_print(const args *a, const verdict *v)
{
    char method[SHORT] = "", pairs[SHORT];
    neap_options_get(a->options, "method", method, sizeof method, NULL);
    printf("AUC on %s held-out pairs and as many non-links\n", ni_format_count(v->pairs, pairs));
    printf("  %-18s%.4f\n", method, v->trained);
    if (!isnan(v->untrained)) printf("  %-18s%.4f\n", "untrained", v->untrained);
    printf("  %-18s%.4f\n", "degree product", v->degrees);
    printf("protocol clean: test pairs unseen in training, neighbourhoods and negatives\n");
}

void verdict_json(ni_json *j, const verdict *v)
{
    ni_json_open(j, "test", '{');
    ni_json_text(j, "protocol", "clean");
    ni_json_whole(j, "pairs", v->pairs);
    ni_json_real(j, "auc", v->trained);
    ni_json_real(j, "auc_untrained", v->untrained);
    ni_json_real(j, "auc_degree_product", v->degrees);
    ni_json_close(j, '}');
}
