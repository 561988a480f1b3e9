/* attention.h - queries of attentive pooling: scores, rankings, vectors, explanations.
 *
 * A context points to rows, neighbourhoods and options and owns the engine with its scratch memory. It is
 * made once in O(nodes); after that the score of a pair does not depend on the size of the graph. A
 * context serves one thread at a time, on as many threads as it has; several contexts may read one model.
 */
#ifndef NI_ATTENTION_H
#define NI_ATTENTION_H

#include "attention/degrees.h"
#include "attention/engine.h"
#include "model/method.h"

typedef struct ni_attention {
    const ni_attention_options *options;
    uint64_t seed;
    const ni_hood *hood;     /* the side of a node: its neighbourhood, or the words of its text */
    const ni_hood *opposite; /* the same as ids of the table of targets; NULL: there is one table     */
    const ni_names *words;   /* those words, or NULL                                           */
    const ni_rows *rows;
    const float *P;   /* dim x dim, or NULL   */
    const float *pad; /* dim, or NULL         */
    uint32_t dim;
    ni_threads *threads;
    uint32_t score;            /* NI_SCORE_... of loss.h                                  */
    const ni_degrees *degrees; /* linear terms of a score, or NULL, and their weights */
    const float *b;
    bool both_orders; /* results are means over (s, t) and (t, s)                */

    ni_engine *engine;

    /* What ranking multiplies, once it is lent; all NULL before. Rows by id have one of each id; others one
     * of each position of all sides, one side behind the other. */
    const float *all[2]; /* all_rows x dim: as sources and as targets; one table is both */
    uint32_t all_rows;
    const ni_hood *ranked; /* the side of each node, as rows of `all` */
    ni_hood positions;     /* that, where rows are positions          */
} ni_attention;

/* A node as the source or as the target of a pair. */
static inline ni_side ni_attention_side(const ni_attention *a, uint32_t node, bool target)
{
    if (!target || !a->opposite) return ni_hood_side(a->hood, node);
    ni_side side = ni_hood_side(a->opposite, node);
    side.key += a->hood->nodes;
    return side;
}

/* The linear terms of (s, t): their features and what they add to the score. Without degrees 0. */
uint32_t ni_attention_terms(const ni_attention *a);
float ni_attention_linear(const ni_attention *a, uint32_t source, uint32_t target);

/* Makes the engine; all fields above it are set. */
neap_status ni_attention_create(ni_attention *a, neap_error *err);
void ni_attention_free(ni_attention *a);

/* Pairs that are computed at once; more are done in chunks, which bounds the memory. */
enum { NI_FORWARD_MOST = 512 };

/* count scores; nodes are in range. */
neap_status ni_attention_score(ni_attention *a, const neap_pair *pairs, size_t count, float *scores,
                               neap_error *err);

/* hood->nodes x dim: the mean of a node's vectors over the edges of the graph, or without one its vector in
 * the context of itself; see neap_query_vectors. */
neap_status ni_attention_vectors(ni_attention *a, const neap_graph *graph, float *vectors, neap_error *err);

/* hood->nodes x dim: each node's vector in its pair with the context, see neap_query_vectors. */
neap_status ni_attention_context_vectors(ni_attention *a, uint32_t context, float *vectors,
                                         neap_error *err);

/* count x dim each: the vectors of the two nodes of each pair, means over both orders where they are. */
neap_status ni_attention_pair_vectors(ni_attention *a, const neap_pair *pairs, size_t count, float *sources,
                                      float *targets, neap_error *err);

/* rank.c: the scores of (source, t) for all nodes t, exactly; and of some targets, with the same bits. */
neap_status ni_attention_score_all(ni_attention *a, uint32_t source, float *scores, neap_error *err);
neap_status ni_attention_score_some(ni_attention *a, uint32_t source, const uint32_t *targets, size_t count,
                                    float *scores, neap_error *err);

/* rank_bounds.c: see score_bounds of model/method.h. */
neap_status ni_attention_score_bounds(ni_attention *a, uint32_t source, float *least, float *most,
                                      bool *bounded, neap_error *err);

/* explain.c: see neap_query_explain. links: for degrees and common neighbours of the pair. */
neap_status ni_attention_explain(ni_attention *a, const ni_links *links, uint32_t source, uint32_t target,
                                 neap_explanation **out, neap_error *err);

/* answers.c: the same as answers of a method whose query->own begins with its ni_attention. */
neap_status ni_answer_score(neap_query *query, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err);
neap_status ni_answer_score_all(neap_query *query, uint32_t source, float *scores, neap_error *err);
neap_status ni_answer_score_bounds(neap_query *query, uint32_t source, float *least, float *most,
                                   bool *bounded, neap_error *err);
neap_status ni_answer_score_some(neap_query *query, uint32_t source, const uint32_t *targets, size_t count,
                                 float *scores, neap_error *err);
neap_status ni_answer_vectors(neap_query *query, float *vectors, neap_error *err);
neap_status ni_answer_context_vectors(neap_query *query, uint32_t context, float *vectors, neap_error *err);
neap_status ni_answer_pair_vectors(neap_query *query, const neap_pair *pairs, size_t count, float *sources,
                                   float *targets, neap_error *err);
neap_status ni_answer_explain(neap_query *query, uint32_t source, uint32_t target, neap_explanation **out,
                              neap_error *err);

#define NI_ATTENTION_ANSWERS                                                                               \
    .score = ni_answer_score, .score_all = ni_answer_score_all, .score_bounds = ni_answer_score_bounds,    \
    .score_some = ni_answer_score_some, .vectors = ni_answer_vectors,                                      \
    .context_vectors = ni_answer_context_vectors, .pair_vectors = ni_answer_pair_vectors,                  \
    .explain = ni_answer_explain

#endif
