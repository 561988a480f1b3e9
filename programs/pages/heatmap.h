/* heatmap.h - the alignment of two neighbourhoods as a picture (SVG), with its legend. */
#ifndef NI_HEATMAP_H
#define NI_HEATMAP_H

#include "io/output.h"
#include "neap.h"

enum { NI_HEATMAP_MOST = 30 }; /* rows and columns shown: the first of the two lists */

/* Neither side is empty, and every node has a name in the graph. */
void ni_heatmap_write(ni_output *out, const neap_explanation *e, const neap_graph *graph);

#endif
