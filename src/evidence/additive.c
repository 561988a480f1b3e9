/* What a model file may hold as curves. */
#include "evidence/additive.h"

#include <stdbool.h>

#include "support/status.h"

static neap_status check_curve(const float *line, const float *edge, const float *step, neap_error *err)
{
    bool ok = line[NI_LINE_DEVIATION] > 0;
    for (uint32_t i = 0; i < NI_LINE; i++) ok = ok && isfinite(line[i]);
    if (!ok) return ni_fail(err, NEAP_E_FORMAT, "a curve has a line that is none");
    for (uint32_t i = 0; i < NI_CURVE_EDGES; i++)
        if (!isfinite(edge[i]) || (i && edge[i] < edge[i - 1]))
            return ni_fail(err, NEAP_E_FORMAT, "a curve has bins that do not ascend");
    for (uint32_t i = 0; i < NI_CURVE_STEPS; i++)
        if (!isfinite(step[i])) return ni_fail(err, NEAP_E_FORMAT, "a curve has a step that is not finite");
    return NEAP_OK;
}

neap_status ni_additive_check(const ni_additive *a, neap_error *err)
{
    neap_status rc = NEAP_OK;
    if (!isfinite(a->start)) rc = ni_fail(err, NEAP_E_FORMAT, "the log-odds begin with no finite number");
    for (uint32_t j = 0; rc == NEAP_OK && j < a->curves; j++)
        rc = check_curve(a->line + (size_t)j * NI_LINE, a->edge + (size_t)j * NI_CURVE_EDGES,
                         a->step + (size_t)j * NI_CURVE_STEPS, err);
    return rc;
}

uint32_t ni_curve_points(const ni_additive *a, uint32_t j, float *x, float *y)
{
    const float *edge = a->edge + (size_t)j * NI_CURVE_EDGES;
    uint32_t count = 0;
    for (uint32_t i = 0; i < NI_CURVE_EDGES && edge[i] < FLT_MAX; i++)
        for (int behind = 0; behind < 2; behind++, count++) {
            x[count] = behind ? nextafterf(edge[i], INFINITY) : edge[i];
            y[count] = ni_curve_at(a, j, x[count]);
        }
    return count;
}
