/* cene_arcs.h - the loss of a batch of CENE's arcs, and its gradient (Sun, Guo, Ding and Liu 2016).
 *
 * A node u has halves p_u, p_v of h = d/2 numbers, side by side in its row of E; a text x has the mean c(x)
 * of its words' rows of W. An arc from u to a node t scores p_u[u].p_v[t], one from u to a text x scores
 * [p_u;p_v][u].c(x). With s(z) = 1 / (1 + e^-z), for A arcs of a batch,
 *
 *   L = 1/A sum over arcs of weight (-log s(score) - sum_k log s(-score of negative k)),
 *
 * the weight being 1 for nodes. Let X be the rows of the batch's nodes and texts, cut into half rows. Each
 * score is a product of half rows, or a sum of two, so that dX = G X with a symmetric sparse G whose
 * nonzeros are the derivatives by the scores; a word's gradient is the sum over the texts that have it.
 * Both are sums by row in a fixed order (linalg/sparse.h), the same for any number of threads.
 *
 * With a GRU c(x) is the mean of its states, of d numbers, over the words' rows (encoders/gru.h). P are
 * these rows, one for each word of each text of the batch, H the states; the gradient goes from c(x) to dH,
 * through all steps to dP, and a word's is the sum over its rows of dP.
 *
 * O((arcs (1 + negatives) + words of the texts) d), with a GRU 36 d^2 flops a word of a text more; one
 * block of memory, made once. Called by one thread, works on all. */
#ifndef NI_CENE_ARCS_H
#define NI_CENE_ARCS_H

#include "base/threads.h"
#include "encoders/gru.h"
#include "graph/links.h"
#include "linalg/sparse.h"
#include "model/texts.h"

/* Arcs to texts that share their negatives: encoding a text is most of the work. */
enum { NI_CENE_GROUP = 16 };

/* One step's arcs. */
typedef struct ni_cene_batch {
    const uint32_t *nodes; /* arcs x (2 + K): source, target, negatives                           */
    uint32_t arcs;
    const uint32_t *readers; /* nodes with a text: an arc each, to that text                      */
    uint32_t reader_count;
    const uint32_t *others; /* ceil(reader_count / NI_CENE_GROUP) x K': nodes whose texts are negatives of a
                               group. A reader's own text, and its neighbours', do not count       */
} ni_cene_batch;

typedef struct ni_cene_limits {
    uint64_t arcs, readers, groups; /* of a step, at most */
    uint32_t negatives, text_negatives;
    double text_weight;
    bool gru;
} ni_cene_limits;

typedef struct ni_cene_arcs {
    const ni_texts *texts;
    const ni_links *links;
    ni_threads *threads;
    ni_cene_limits most;
    uint32_t rows, dim;

    uint64_t nodes_most, texts_most, words_most, nonzeros_most, reads_most;
    uint32_t *node_at, *text_at, *word_at; /* rows, rows, words: the place in the batch, or NEAP_NONE   */
    uint32_t *node, *text, *word;          /* distinct ones of the batch                               */
    uint32_t nodes, text_count, words;
    uint64_t *begin;       /* text_count + 1: where the words of a text begin in `read`                 */
    ni_term *read;         /* the words of the texts, each with 1 / the text's length                   */
    float *X, *dX;         /* (nodes + text_count) x dim                                                */
    float *dW;             /* words x dim                                                               */
    ni_sparse G, T;        /* derivatives by scores; words x texts                                      */
    uint32_t *row, *col;   /* of G                                                                      */
    uint32_t *trow, *tcol; /* of T                                                                     */
    float *value, *tvalue;
    double *loss; /* tasks */
    void *block;

    /* With a GRU: the texts of the batch as packed sequences. */
    ni_packed packed;
    uint64_t *first;
    uint32_t *length;
    float *P, *H, *dP, *dH; /* packed rows x dim: words, states, and their gradients */
    ni_gru_memory memory;
    float *gru_dW, *gru_dU, *gru_db; /* of its W, U and b                          */

    const ni_cene_batch *batch; /* of the step */
    const float *E, *W;
    ni_gru gru;
} ni_cene_arcs;

/* Which texts, of nodes below `rows`; texts and links must outlive it. */
neap_status ni_cene_arcs_create(const ni_texts *texts, const ni_links *links, uint32_t rows, uint32_t dim,
                                const ni_cene_limits *most, ni_threads *threads, ni_cene_arcs *a,
                                neap_error *err);
void ni_cene_arcs_free(ni_cene_arcs *a);

/* Bytes that such a one holds. */
uint64_t ni_cene_arcs_bytes(const ni_texts *texts, uint32_t rows, uint32_t dim, const ni_cene_limits *most,
                            uint32_t threads);

/* L at E (rows x dim), W (words x dim) and `gru` (NULL without one). Its gradients are dX for the `nodes`
 * rows of E in `node`, dW for the `words` rows of W in `word`, and gru_dW, gru_dU and gru_db. After a stop
 * they are anything. */
double ni_cene_arcs_pass(ni_cene_arcs *a, const ni_cene_batch *batch, const float *E, const float *W,
                         const ni_gru *gru);

/* c(x) of the texts of nodes first .. end-1 into `out` (end - first x dim), zeros where there is none. gru:
 * NULL without one. */
neap_status ni_cene_encode(const ni_texts *texts, const float *W, const ni_gru *gru, uint32_t first,
                           uint32_t end, uint32_t dim, ni_threads *threads, float *out, neap_error *err);

#endif
