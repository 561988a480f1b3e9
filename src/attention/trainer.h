/* trainer.h - training of attentive pooling: its tensors, and the loop over batches. */
#ifndef NI_TRAINER_H
#define NI_TRAINER_H

#include "attention/attention.h"
#include "attention/options.h"
#include "base/threads.h"
#include "graph/links.h"
#include "model/run.h"

/* neap_model.own of such a method. */
typedef struct ni_gap {
    float *E;   /* rows x dim                                              */
    float *P;   /* dim x dim; NULL: the identity                           */
    float *pad; /* dim: the fixed vector of padding=vector, or NULL        */
} ni_gap;

void ni_gap_declare(neap_model *model, ni_declaration *d);
ni_hood_rule ni_gap_hood(const ni_settings *settings);

neap_status ni_gap_train(const ni_job *job, neap_model **out, neap_error *err);
neap_status ni_gap_bytes(const ni_job *job, neap_estimate_result *result, neap_error *err);

/* Flops of the steps of a run: multiplications and additions, two for each number of a row that is added or
 * multiplied. bench.c */
typedef struct ni_work {
    double flops[NI_STAGES];
    uint64_t batches, table_batches;
    double alignments; /* summed over the pairs: a x b each                                            */
    double cheapest;   /* flops if every batch had taken the cheaper of table and pairwise alignment, and
                          every nonzero of G had been added by itself: what merging saves counts here */
} ni_work;

/* Adds the work of the engine's last step. */
void ni_work_add(ni_work *work, const ni_engine *engine);

/* ni_gap_train, and where the time went and for what work, also of a run that was stopped. Both may be
 * NULL. */
neap_status ni_gap_train_timed(const ni_job *job, ni_stages *stages, ni_work *work, neap_model **out,
                               neap_error *err);

/* ---- the sampler ----
 *
 * Which edges and non-edges make up a step: a pure function of (seed, epoch, position).
 *
 * An epoch has as many positions as there are edges (twice as many in an undirected graph: both orders). An
 * unweighted graph fills them with a permutation of the edges; in a weighted one each position draws an
 * edge by weight, so that heavy edges come more often. The items of a step are drawn on all threads and put
 * in the order of their sources: items with one source share its neighbourhood, and side by side they find
 * its rows in the cache. The order within a step changes no gradient but for the order of its sums. */
typedef struct ni_sampler {
    const ni_attention_options *options;
    uint64_t seed;
    const neap_graph *graph;
    const ni_links *links;
    ni_threads *threads;
    uint64_t positions; /* per epoch                                                   */
    uint64_t left_out;  /* sources linked with every node: they have no negative       */
    double *edge_sum;   /* weighted: running sum of the weights, or NULL               */
    double *degree_sum; /* negatives by degree: running sum of floor(1 + degree^0.75), or NULL    */

    uint64_t most;   /* nodes of the largest step: batch x (2 + K)                           */
    uint32_t *nodes; /* most: the items of the last step, in the order of sources            */
    uint32_t *drawn; /* most: in the order of positions                                      */
    uint32_t *items; /* tasks: how many items of a task there are                            */
    uint64_t *key;   /* batch: source, then index in `drawn`                                 */
    uint64_t epoch, first;
    uint32_t count;
} ni_sampler;

/* For steps of at most options->batch positions. NEAP_E_FORMAT if no edge can be trained on. */
neap_status ni_sampler_create(const ni_attention_options *options, uint64_t seed, const neap_graph *graph,
                              const ni_links *links, ni_threads *threads, ni_sampler *s, neap_error *err);
void ni_sampler_free(ni_sampler *s);

/* Bytes of the running sums, and of the arrays of a step. */
uint64_t ni_sampler_bytes(const ni_attention_options *options, const neap_graph *graph);
uint64_t ni_sampler_step_bytes(const ni_sampler *s);

/* The items of positions first .. first+count-1 of an epoch (from 0), as far as there are: each a source, a
 * target and K negatives, into s->nodes. Returns how many, since sources without a negative are left out.
 */
uint32_t ni_sampler_fill(ni_sampler *s, uint64_t epoch, uint64_t first, uint32_t count);

/* The same on one thread, in the order of positions, into nodes (count x (2 + K)). */
uint32_t ni_sampler_draw(const ni_sampler *s, uint64_t epoch, uint64_t first, uint32_t count,
                         uint32_t *nodes);

#endif
