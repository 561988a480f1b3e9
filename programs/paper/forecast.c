/* Paces by kind of cell: seconds over work, where work is edges times the share that is trained on, and a
 * fifth more for the measuring of all. A cell of clean measures more than one of the paper's protocols, so
 * these are kinds of their own. O(kinds) per question, and there are a few hundred. */
#include "paper/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/status.h"

static bool is_clean(const ni_cell *c)
{
    return !strcmp(c->protocol, "clean");
}

static double work_of(const ni_forecast *f, const ni_cell *c)
{
    const ni_paper_graph *source = c->condition.graph;
    double edges = (double)source->generator.edges;
    for (size_t i = 0; i < f->runner->datasets; i++)
        if (f->runner->dataset[i].source == source)
            edges = (double)neap_graph_edges(f->runner->dataset[i].graph);
    return edges * (0.2 + c->condition.ratio);
}

/* How well a pace fits a cell: 3 the same kind, 2 another kernel or protocol, 1 another graph; 0 not at
 * all.
 */
static int fit(const ni_pace *p, const ni_cell *c)
{
    const ni_condition *x = &c->condition;
    if (strcmp(p->method, x->method) || p->untrained != x->untrained || p->aim != c->aim) return 0;
    if (p->graph != x->graph) return 1;
    return p->kernel == x->kernel && p->clean == is_clean(c) ? 3 : 2;
}

void ni_forecast_free(ni_forecast *f)
{
    free(f->pace);
    f->pace = NULL;
    f->paces = 0;
}

neap_status ni_forecast_note(ni_forecast *f, const ni_cell *c, double seconds, bool guess, neap_error *err)
{
    const ni_condition *x = &c->condition;
    ni_pace *p = NULL;
    if (!(seconds >= 0)) return NEAP_OK;
    for (size_t i = 0; i < f->paces; i++)
        if (fit(&f->pace[i], c) == 3 && f->pace[i].guess == guess) p = &f->pace[i];
    if (!p) {
        ni_pace *more = realloc(f->pace, (f->paces + 1) * sizeof *more);
        if (!more) return ni_fail_memory(err, "the forecast");
        f->pace = more;
        p = &f->pace[f->paces++];
        *p = (ni_pace){ x->method, x->graph, x->kernel, x->untrained, is_clean(c), guess, c->aim, 0, 0 };
    }
    p->seconds += seconds;
    p->work += work_of(f, c);
    return NEAP_OK;
}

bool ni_forecast_has(const ni_forecast *f, const ni_cell *c)
{
    for (size_t i = 0; i < f->paces; i++)
        if (fit(&f->pace[i], c) > 1) return true;
    return false;
}

double ni_forecast_of(const ni_forecast *f, const ni_cell *c, bool *guess)
{
    int best = 0;
    double seconds = 0, work = 0;
    bool measured = false;
    for (size_t i = 0; i < f->paces; i++) { /* what was measured goes before what was guessed */
        int fits = 2 * fit(&f->pace[i], c) - (fit(&f->pace[i], c) && f->pace[i].guess);
        if (fits > best) best = fits, seconds = work = 0, measured = !f->pace[i].guess;
        if (fits == best) seconds += f->pace[i].seconds, work += f->pace[i].work;
    }
    *guess = !measured || best < 4;
    return work > 0 ? seconds / work * work_of(f, c) : NAN;
}

/* What is not trained is only measured: a millisecond per edge, as ppr on Cora. */
static const double measuring = 1e-3;

/* Training twice where a share is kept back. */
neap_status ni_forecast_try(ni_forecast *f, ni_runner *runner, const ni_cell *c,
                            const neap_options *options, neap_error *err)
{
    const ni_dataset *x;
    neap_estimate_result got = NEAP_SIZED(neap_estimate_result);
    neap_status rc = ni_runner_find(runner, c->condition.graph, c->reads_text, &x, err);
    if (rc != NEAP_OK) return rc;
    neap_data data = { .size = sizeof data, .graph = x->graph, .text = x->text, .features = x->features };
    rc = neap_estimate(&data, options, &got, err);
    if (rc != NEAP_OK) return rc == NEAP_E_MEM ? rc : NEAP_OK;
    double twice = ni_option_number(options, "valid") > 0 ? 2 : 1;
    double seconds = c->aim == NI_AIM_TIME ? got.seconds_epoch : got.seconds * twice * c->condition.ratio;
    if (c->aim != NI_AIM_TIME) seconds = (isfinite(seconds) ? seconds : 0) + measuring * work_of(f, c);
    return ni_forecast_note(f, c, seconds, true, err);
}
