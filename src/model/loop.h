/* loop.h - epochs of steps, with validation, checkpoints and progress: the same around every method that
 * learns. What a step does is the method's business. */
#ifndef NI_LOOP_H
#define NI_LOOP_H

#include "data/split.h"
#include "model/checkpoint.h"

typedef struct ni_course {
    neap_model *model;
    const neap_split *split; /* its pairs say after each epoch how good it was; NULL: no validation */
    uint64_t places;         /* of an epoch: edges, or tokens of walks                              */
    uint64_t per_step;       /* places that a step takes                                            */
    ni_tables tables;        /* all that steps change                                               */

    /* Trains on the places from run->batch x per_step on; says how many items that were, and the sum of
     * their losses. */
    neap_status (*step)(void *self, ni_run *run, uint64_t *items, double *loss, neap_error *err);

    /* Scores of pairs as the tables are now. */
    neap_status (*score)(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err);
    void *self;

    ni_run run;
    float *scores; /* validation: positives, then negatives */
} ni_course;

/* Makes room for the best epoch where there is validation, goes on from a checkpoint if that is asked for,
 * and trains to the end. Then the tables are those of the best epoch, or without validation of the last,
 * and the model knows how it was trained. hooks may be NULL. */
neap_status ni_course_run(ni_course *c, const neap_hooks *hooks, neap_error *err);

/* Where the run stands, from 0 to 1. */
double ni_course_done(const ni_course *c);

/* The step size now: the option lr, or with a linear decay what is left of it, at least `least` of it. */
double ni_course_rate(const ni_course *c, double least);

/* A remark for the user. */
void ni_note(const neap_hooks *hooks, const char *text);

#endif
