#include "model/method.h"

static neap_status score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++)
        scores[i] =
            (float)ni_degree(&m->links, pairs[i].source) * (float)ni_degree(&m->links, pairs[i].target);
    return NEAP_OK;
}

const ni_method ni_method_pa = {
    .info = { "pa", "preferential attachment: the product of the two degrees, nothing learned",
              "The yardstick every embedding must beat. Degrees count distinct neighbours in either "
              "direction.\n"
              "--epochs has no meaning here.",
              0, 0, "" },
    .train = ni_method_train_nothing,
    .score = score,
};
