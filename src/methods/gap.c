#include "methods/method.h"
#include "model/engine.h"
#include "model/queries.h"
#include "model/score.h"
#include "train/trainer.h"

static neap_status score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    ni_engine *e;
    neap_status rc = ni_model_engine(m, &e, err);
    if (rc == NEAP_OK) rc = ni_score_pairs(e, pairs, count, m->graph->undirected, scores, err);
    ni_engine_free(e);
    return rc;
}

static void state(const neap_model *m, ni_tables *tables)
{
    ni_train_tables(m, &(ni_optimizer){ 0 }, tables);
}

const ni_method ni_method_gap = {
    .info = { "gap",
              "graph neighbourhood attentive pooling: the neighbours of both nodes attend to each other",
              "Each pair of neighbours is aligned; each neighbour selects its best partner on the other "
              "side, and\n"
              "the softmax of these alignments weighs the neighbours' vectors into the node's. Trained "
              "with a\n"
              "margin between links and non-links. One epoch is one pass over the edges.\n"
              "Kefato and Girdzijauskas, Graph Neighborhood Attentive Pooling, 2020.",
              1, 1,
              "dim,neighbors,self,pooling,padding,dropout,dropout-per,dropout-at-inference,epochs,batch,lr,"
              "decay,"
              "optimizer,margin,negatives,negative-sampling,fresh-negatives,reject-links,shuffle,valid,"
              "patience" },
    .tables = "E,P",
    .train = ni_train,
    .bytes = ni_train_bytes,
    .state = state,
    .score = score,
    .score_all = ni_gap_score_all,
    .score_bounds = ni_gap_score_bounds,
    .score_some = ni_gap_score_some,
    .vectors = ni_gap_vectors,
    .context_vectors = ni_gap_context_vectors,
    .explain = ni_gap_explain,
};
