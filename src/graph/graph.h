/* graph.h - a graph in memory, and how one is built.
 *
 * Edges stand as they were written, sorted by (source, target), each once: a CSR. An undirected graph
 * holds each pair once, at the smaller node. Self-loops are kept; callers that do not use them skip them.
 */
#ifndef NI_GRAPH_H
#define NI_GRAPH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"
#include "graph/names.h"
#include "neap.h"

struct neap_graph {
    uint32_t nodes;
    uint64_t edges;
    uint64_t *offset; /* nodes + 1: the edges of u are offset[u] .. offset[u+1]-1 */
    uint32_t *target; /* edges                                                    */
    float *weight;    /* edges, positive and finite; NULL in an unweighted graph  */
    bool undirected;
    ni_names names;
    neap_graph_report report;
    atomic_uint sharers; /* holders besides the first; the last one frees */
};

/* Collects edges in any order, then sorts and merges them in linear time. */
typedef struct ni_builder {
    ni_names names;
    uint64_t *pair; /* source << 32 | target                  */
    float *weight;  /* of each pair; NULL as long as all are 1 */
    size_t count, pair_room, weight_room;
    bool weighted, undirected;
    neap_graph_report report;
} ni_builder;

void ni_builder_init(ni_builder *b);
void ni_builder_free(ni_builder *b);

/* false: no memory. Both numbers must be names by the time of ni_builder_finish. */
bool ni_builder_add(ni_builder *b, uint32_t source, uint32_t target, float weight);

/* Makes the graph and empties the builder, also on failure. Repeats are merged and their weights added
 * (in an unweighted graph they are merged); the report is completed. */
neap_status ni_builder_finish(ni_builder *b, neap_graph **out, neap_error *err);

/* Completes the report from the edges: self-loops, isolated nodes, weights. */
neap_status ni_graph_count(neap_graph *graph, neap_error *err);

/* A graph with the same nodes and names and the edges for which keep(user, source, target) holds. */
neap_status ni_graph_filter(const neap_graph *graph, bool (*keep)(void *user, uint32_t s, uint32_t t),
                            void *user, neap_graph **out, neap_error *err);

/* One more holder of the same immutable graph; each calls neap_graph_free, in any order. */
neap_graph *ni_graph_share(const neap_graph *graph);

/* The source of edge i (0 .. edges-1), by bisection. */
uint32_t ni_graph_source(const neap_graph *graph, uint64_t i);

/* The number of the edge s -> t (in an undirected graph in either order), or `edges` if it is not there. */
uint64_t ni_graph_find_edge(const neap_graph *graph, uint32_t s, uint32_t t);

bool ni_graph_has(const neap_graph *graph, uint32_t s, uint32_t t);

/* Memory that it takes. */
uint64_t ni_graph_bytes(const neap_graph *graph);

/* NI_FORMAT_AUTO and so on, by its name. */
neap_status ni_graph_format_named(const char *name, uint32_t *format, neap_error *err);

/* NI_FORMAT_EDGES and so on, by the ending of a path, a .gz or .zst behind it left aside. */
uint32_t ni_graph_format(const char *path);

/* The readers, one file each; all fill a builder from a stream. */
struct ni_stream_in;
neap_status ni_read_edges(struct ni_stream_in *in, const ni_common *options, ni_builder *b,
                          neap_error *err);
neap_status ni_read_adjacency(struct ni_stream_in *in, const ni_common *options, ni_builder *b,
                              neap_error *err);
neap_status ni_read_mtx(struct ni_stream_in *in, const ni_common *options, ni_builder *b, neap_error *err);
neap_status ni_read_metis(struct ni_stream_in *in, const ni_common *options, ni_builder *b,
                          neap_error *err);

/* The line of the last pair, if pairs are read one by one. */
uint64_t ni_pair_reader_line(const neap_pair_reader *reader);

/* Graph tensors in a safetensors file: graph.offsets U64, graph.targets U32, graph.weights F32 (optional),
 * names.offsets U64, names.bytes U8; facts: undirected. Reading checks every invariant of the struct. */
struct ni_tensors;
void ni_graph_to_tensors(const neap_graph *graph, struct ni_tensors *t);
neap_status ni_graph_from_tensors(const struct ni_tensors *t, neap_graph **out, neap_error *err);

/* The same of a file that holds a graph and nothing else. */
void ni_graph_to_file(const neap_graph *graph, struct ni_tensors *t);
neap_status ni_graph_from_file(const struct ni_tensors *t, neap_graph **out, neap_error *err);

#endif
