/* From ni_why to the columns of neap_explanation and neap_evidence; the latter is one block. */
#include "methods/evidence_explain.h"

#include <math.h>
#include <string.h>

#include "base/carve.h"
#include "base/sys.h"
#include "graph/negatives.h"
#include "methods/evidence.h"
#include "model/explanation.h"
#include "support/status.h"

/* ---- what goes through the neighbours ---- */

/* Weights are the sizes of the parts, as shares; the rest is what no neighbour has part in. */
static void fill_rows(const ni_links *links, uint32_t end, const float *part, uint32_t count, double score,
                      ni_reason *row, ni_reason *rest)
{
    double size = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++) size += fabs((double)part[i]), sum += (double)part[i];
    for (uint32_t i = 0; i < count; i++) {
        row[i].node = links->node[links->offset[end] + i];
        row[i].partner = NEAP_NONE;
        row[i].contribution = part[i];
        row[i].weight = size > 0 ? (float)(fabs((double)part[i]) / size) : 1 / (float)count;
    }
    rest->weight = count ? 0 : 1;
    rest->contribution = (float)(score - sum);
}

/* ---- the columns ---- */

typedef struct columns {
    const neap_query *query;
    const ni_scorer *scorer;
    const ni_why *why;
    const float *mean; /* of the curves              */
    uint32_t *order;   /* of the curves: group by group */
} columns;

static float probability_of(const neap_query *q, double score)
{
    return (float)(1 / (1 + exp(-(score + log(q->prior / (1 - q->prior))))));
}

static void order_curves(const columns *c)
{
    uint32_t count = 0;
    for (ni_group g = 0; g < NI_GROUPS; g++)
        for (uint32_t j = 0; j < c->scorer->curves->curves; j++)
            if (ni_kind_infos[c->scorer->kind[j]].group == g) c->order[count++] = j;
}

static void fill_kinds(const columns *c, neap_evidence *e, ni_carver *room)
{
    const char **name = ni_carve(room, e->count, sizeof *name),
               **group = ni_carve(room, e->count, sizeof *group);
    const char **words = ni_carve(room, e->count, sizeof *words);
    float *value = ni_carve(room, e->count, sizeof *value);
    double *part = ni_carve(room, e->count, sizeof *part);
    for (uint32_t i = 0; name && i < e->count; i++) {
        uint32_t j = c->order[i];
        const ni_kind_info *info = &ni_kind_infos[c->scorer->kind[j]];
        name[i] = info->name;
        group[i] = ni_group_names[info->group];
        words[i] = info->words;
        value[i] = c->why->value[j];
        part[i] = c->why->contribution[j];
    }
    e->name = name, e->group = group, e->words = words, e->value = value, e->contribution = part;
}

/* A word ends with a NUL; they stand behind the pointers. */
static const char *carve_word(const columns *c, uint32_t column, ni_carver *room)
{
    const ni_names *words = &c->query->model->texts.words;
    if (column >= words->count) return NULL; /* none, or a feature */
    size_t size = (size_t)ni_name_length(words, column) + 1;
    char *copy = ni_carve(room, size, 1);
    return copy ? memcpy(copy, ni_name(words, column), size) : NULL;
}

static void fill_behind(const columns *c, neap_evidence *e, ni_carver *room)
{
    uint32_t count = c->why->behinds;
    const char **group = ni_carve(room, count, sizeof *group), **word = ni_carve(room, count, sizeof *word);
    uint32_t *node = ni_carve(room, count, sizeof *node), *second = ni_carve(room, count, sizeof *second);
    float *share = ni_carve(room, count, sizeof *share);
    for (uint32_t i = 0; i < count; i++) {
        const ni_behind *b = &c->why->behind[i];
        const char *named = carve_word(c, b->word, room);
        if (!group) continue;
        group[i] = ni_group_names[b->group];
        word[i] = named;
        node[i] = b->node, second[i] = b->second, share[i] = b->share;
    }
    e->behind_count = count;
    e->behind = group, e->node = node, e->second = second, e->word = word, e->share = share;
}

static void fill_changes(const columns *c, neap_evidence *e, ni_carver *room)
{
    uint32_t count = c->why->changes;
    uint32_t *end = ni_carve(room, count, sizeof *end), *node = ni_carve(room, count, sizeof *node);
    float *score = ni_carve(room, count, sizeof *score),
          *probability = ni_carve(room, count, sizeof *probability);
    for (uint32_t i = 0; end && i < count; i++) {
        const ni_change *x = &c->why->change[i];
        end[i] = x->end, node[i] = x->node, score[i] = (float)x->score;
        probability[i] = probability_of(c->query, x->score);
    }
    e->change_count = count;
    e->end = end, e->without = node, e->score_without = score, e->probability_without = probability;
}

static void fill_neighbours(const columns *c, neap_evidence *e, ni_carver *room)
{
    uint32_t count = c->why->throughs;
    uint32_t *node = ni_carve(room, count, sizeof *node);
    double *part = ni_carve(room, count, sizeof *part);
    for (uint32_t i = 0; node && i < count; i++)
        node[i] = c->why->through[i].node, part[i] = c->why->through[i].part;
    e->neighbour_count = count;
    e->neighbour = node, e->through = part;
}

/* What a value contributes: its curve there less the mean of the curve. */
static void fill_curves(const columns *c, neap_evidence *e, ni_carver *room)
{
    uint32_t *first = ni_carve(room, (uint64_t)e->count + 1, sizeof *first), used = 0;
    float *x = ni_carve(room, e->count, NI_CURVE_POINTS * sizeof *x),
          *y = ni_carve(room, e->count, NI_CURVE_POINTS * sizeof *y);
    for (uint32_t i = 0; first && i < e->count; i++) {
        uint32_t j = c->order[i], points = ni_curve_points(c->scorer->curves, j, x + used, y + used);
        for (uint32_t k = used; k < used + points; k++) y[k] -= c->mean[j];
        first[i] = used;
        used += points;
    }
    if (first) first[e->count] = used;
    e->curve = first, e->curve_value = x, e->curve_contribution = y;
}

/* Carves all columns; with a room without block it counts. */
static void lay_out(const columns *c, neap_evidence *e, ni_carver *room)
{
    e->count = c->scorer->curves->curves;
    fill_kinds(c, e, room);
    fill_behind(c, e, room);
    fill_changes(c, e, room);
    fill_neighbours(c, e, room);
    fill_curves(c, e, room);
}

static neap_evidence *make_evidence(const columns *c)
{
    const ni_evidence_options *options = c->query->model->settings->own;
    neap_evidence e = { .size = sizeof e,
                        .start = c->why->start,
                        .score = c->why->score,
                        .prior = c->query->prior,
                        .probability = (double)probability_of(c->query, c->why->score),
                        .negatives = ni_negative_words[options->negatives] };
    ni_carver room = { 0 };
    lay_out(c, &e, &room);
    char *block = ni_array(1, NI_CACHE_LINE + room.used +
                                  NI_CACHE_LINE * ((sizeof e + NI_CACHE_LINE - 1) / NI_CACHE_LINE));
    if (!block) return NULL;
    room = (ni_carver){ .block = block };
    neap_evidence *out = ni_carve(&room, 1, sizeof *out);
    lay_out(c, &e, &room);
    return *out = e, out;
}

/* ---- both ---- */

static neap_status draft_rows(const columns *c, ni_explanation_draft *d, neap_error *err)
{
    const ni_why *why = c->why;
    const ni_links *links = &c->query->model->links;
    d->plain = true;
    neap_status rc =
        ni_explanation_begin(d, links, why->source, why->target, why->links[0], why->links[1], err);
    if (rc != NEAP_OK) return rc;
    d->facts.score = (float)why->score;
    fill_rows(links, why->source, why->part[0], d->a, why->score, d->by_source, &d->source_rest);
    fill_rows(links, why->target, why->part[1], d->b, why->score, d->by_target, &d->target_rest);
    return NEAP_OK;
}

static neap_explanation *finish(const columns *c, ni_explanation_draft *d, neap_error *err)
{
    neap_explanation *x = ni_explanation_finish(d);
    if (x) x->evidence = make_evidence(c);
    if (x && x->evidence) return x;
    neap_explanation_free(x);
    ni_fail_memory(err, "an explanation");
    return NULL;
}

neap_status ni_evidence_explain(neap_query *q, ni_scorer *scorer, const float *mean, uint32_t source,
                                uint32_t target, neap_explanation **out, neap_error *err)
{
    ni_why why;
    ni_explanation_draft draft = { 0 };
    columns c = { .query = q, .scorer = scorer, .why = &why, .mean = mean };
    c.order = ni_array(scorer->curves->curves, sizeof *c.order);
    *out = NULL;
    neap_status rc = ni_why_make(scorer, mean, source, target, &why, err);
    if (rc == NEAP_OK && !c.order) rc = ni_fail_memory(err, "an explanation");
    if (rc == NEAP_OK) {
        order_curves(&c);
        rc = draft_rows(&c, &draft, err);
    }
    if (rc == NEAP_OK && !(*out = finish(&c, &draft, err))) rc = NEAP_E_MEM;
    ni_explanation_draft_free(&draft);
    ni_why_free(&why);
    ni_free(c.order);
    return rc;
}
