/* manifest.h - the files of a split on disk, and manifest.json, which describes them (docs/split.md). It
 * is written last: a folder without one holds no split. */
#ifndef NI_MANIFEST_H
#define NI_MANIFEST_H

#include "eval/trial.h"

typedef enum ni_part {
    NI_PART_NODES,          /* nodes.txt: all names, line i (from 0) node number i                 */
    NI_PART_TRAIN,          /* train.tsv: the edges to train on                                    */
    NI_PART_HELD_OUT,       /* held_out.tsv: all other edges of the graph                          */
    NI_PART_TEST,           /* test.tsv: the pairs that are scored                                 */
    NI_PART_TEST_NEGATIVES, /* test_negatives.npy: clean: one target per test pair                 */
    NI_PART_CANDIDATES,     /* rank_negatives.npy, or pass_negatives.npy in the paper protocols    */
    NI_PART_VALID,          /* valid.tsv: pairs of train.tsv that choose the epoch                 */
    NI_PART_VALID_NEGATIVES,
    NI_PARTS
} ni_part;

typedef struct ni_digest {
    uint64_t bytes, lines;
    uint32_t crc; /* CRC32C */
} ni_digest;

typedef struct ni_manifest {
    neap_trial_facts facts;
    ni_protocol protocol;
    ni_negatives kind;
    bool undirected, weighted;
    bool newer;    /* its format is one that this version cannot read */
    uint64_t hash; /* neap_graph_hash of the whole graph */
    ni_digest part[NI_PARTS];
} ni_manifest;

/* The name of a file; NULL if this split has no such part. */
const char *ni_part_name(const ni_manifest *m, ni_part part);

/* Lines of names; the others are node numbers for NumPy. */
bool ni_part_is_text(const char *name);

/* Length, lines and checksum of a file on disk. */
neap_status ni_digest_of(const char *path, ni_digest *digest, neap_error *err);

neap_status ni_manifest_write(const ni_manifest *m, const char *folder, neap_error *err);

/* Reads manifest.json alone. NEAP_E_READ if there is none, NEAP_E_FORMAT for anything strange in it. */
neap_status ni_manifest_read(const char *folder, ni_manifest *m, neap_error *err);

#endif
