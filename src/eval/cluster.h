/* cluster.h - node clustering: clusters of vectors compared with the classes of nodes (NMI, AMI, ARI). */
#ifndef NI_CLUSTER_H
#define NI_CLUSTER_H

#include "base/threads.h"
#include "eval/sample.h"

/* neap_cluster with threads instead of spec->threads. The same input gives the same clusters for any number
 * of threads.
 */
neap_status ni_cluster(const ni_sample *s, const neap_cluster_spec *spec, ni_threads *threads,
                       uint32_t *cluster, neap_cluster_result *result, neap_error *err);

#endif
