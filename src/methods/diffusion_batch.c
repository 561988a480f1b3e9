/* DMTE as released: text spreads among the nodes of a step. With B the rows of one place of the items, for
 * a node u in B
 *   X_u = [c_u, 0.3 sum P_uv c_v, 0.1 sum P_uv^2 c_v],  n~_u = N_u + sum (0.3 P_uv + 0.1 P_uv^2) N_v,
 * sums over the neighbours v of u in B; and back, each node gathers from those that read it. A row costs
 * O(links of its node x w). */
#include <string.h>

#include "linalg/kernels.h"
#include "methods/diffusion.h"

void ni_diffusion_batch_row(const ni_diffusion *d, uint64_t row)
{
    const ni_kernels *k = ni_kernels_get();
    const float *hops = ni_diffusion_hops;
    uint64_t w = d->shape.width, h = d->shape.half, u = d->row_node[row];
    float *X = d->X + row * NI_DIFFUSION_HOPS * w, *S = d->S + row * h;
    memset(X + w, 0, 2 * w * sizeof *X);
    memcpy(X, d->c + u * w, w * sizeof *X);
    memcpy(S, d->p.N + u * h, h * sizeof *S);
    for (uint64_t i = d->links->offset[u]; i < d->links->offset[u + 1]; i++) {
        uint64_t v = d->out[i].row;
        float p = d->out[i].weight;
        if (ni_diffusion_row(d, v, d->row_place[row]) == NEAP_NONE) continue;
        k->axpy(hops[1] * p, d->c + v * w, X + w, w);
        k->axpy(hops[2] * p * p, d->c + v * w, X + 2 * w, w);
        k->axpy(hops[1] * p + hops[2] * p * p, d->p.N + v * h, S, h);
    }
}

/* dX has the weights of the hops already. */
void ni_diffusion_batch_mean_back(const ni_diffusion *d, uint64_t u, float *G)
{
    const ni_kernels *k = ni_kernels_get();
    uint64_t w = d->shape.width, wide = NI_DIFFUSION_HOPS * w;
    memset(G, 0, w * sizeof *G);
    for (uint32_t place = 0; place < d->places; place++) {
        uint64_t row = ni_diffusion_row(d, u, place);
        if (row == NEAP_NONE) continue;
        k->axpy(1, d->dX + row * wide, G, w);
        for (uint64_t i = d->links->offset[u]; i < d->links->offset[u + 1]; i++) {
            uint64_t reader = ni_diffusion_row(d, d->links->node[i], place);
            if (reader == NEAP_NONE) continue;
            k->axpy(d->back[i], d->dX + reader * wide + w, G, w);
            k->axpy(d->back[i] * d->back[i], d->dX + reader * wide + 2 * w, G, w);
        }
    }
}

void ni_diffusion_batch_node_back(const ni_diffusion *d, uint64_t u, float *dN)
{
    const ni_kernels *k = ni_kernels_get();
    const float *hops = ni_diffusion_hops;
    uint64_t h = d->shape.half;
    for (uint32_t place = 0; place < d->places; place++) {
        uint64_t row = ni_diffusion_row(d, u, place);
        if (row == NEAP_NONE) continue;
        k->axpy(1, d->dS + row * h, dN, h);
        k->axpy(1, d->dB + row * h, dN, h);
        for (uint64_t i = d->links->offset[u]; i < d->links->offset[u + 1]; i++) {
            uint64_t reader = ni_diffusion_row(d, d->links->node[i], place);
            float p = d->back[i];
            if (reader != NEAP_NONE) k->axpy(hops[1] * p + hops[2] * p * p, d->dS + reader * h, dN, h);
        }
    }
}
