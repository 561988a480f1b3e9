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
 * O((arcs (1 + negatives) + words of the texts) d); one block of memory, made once. Called by one thread.
 */
#ifndef NI_CENE_ARCS_H
#define NI_CENE_ARCS_H

#include "base/threads.h"
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

    const ni_cene_batch *batch; /* of the step */
    const float *E, *W;
} ni_cene_arcs;

/* Which texts, of nodes below `rows`; texts and links must outlive it. */
neap_status ni_cene_arcs_create(const ni_texts *texts, const ni_links *links, uint32_t rows, uint32_t dim,
                                const ni_cene_limits *most, ni_threads *threads, ni_cene_arcs *a,
                                neap_error *err);
void ni_cene_arcs_free(ni_cene_arcs *a);

/* Bytes that such a one holds. */
uint64_t ni_cene_arcs_bytes(const ni_texts *texts, uint32_t rows, uint32_t dim, const ni_cene_limits *most);

/* L at E (rows x dim) and W (words x dim). Its gradients are dX for the `nodes` rows of E in `node`, and dW
 * for the `words` rows of W in `word`. After a stop they are anything. */
double ni_cene_arcs_pass(ni_cene_arcs *a, const ni_cene_batch *batch, const float *E, const float *W);

/* c(x) of the text of a node into `out` (dim); false if it has none. */
bool ni_cene_encode(const ni_texts *texts, const float *W, uint32_t node, uint32_t dim, float *out);

#endif
