/* Every node's circles in parallel, then the persona graph: a link goes to the two personas whose circles
 * hold its other end. O(links) besides the circles; tasks write to their own nodes. */
#include "graph/persona.h"

#include <stdatomic.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"

/* ---- circles of all nodes ---- */

typedef struct survey {
    const ni_links *links;
    uint32_t *circle;  /* of each link from a node, in the order of links: which of its circles */
    uint32_t *circles; /* nodes: how many                                                       */
    ni_circles *desk;  /* threads                                                               */
    atomic_bool failed;
} survey;

enum { NODES_PER_TASK = 16 };

static void survey_task(void *arg, uint32_t task, uint32_t thread)
{
    survey *s = arg;
    uint64_t first = (uint64_t)task * NODES_PER_TASK;
    uint64_t end = ni_task_end(first, NODES_PER_TASK, s->links->nodes);
    for (uint64_t u = first; u < end; u++) {
        uint32_t found = ni_circles_find(&s->desk[thread], (uint32_t)u, s->circle + s->links->offset[u]);
        if (found == NEAP_NONE) atomic_store(&s->failed, true);
        s->circles[u] = found;
    }
}

static neap_status survey_all(survey *s, uint32_t rule, uint64_t seed, ni_threads *threads, neap_error *err)
{
    uint32_t seats = ni_threads_count(threads), n = s->links->nodes;
    s->circle = ni_array(s->links->offset[n], sizeof *s->circle);
    s->circles = ni_array(n, sizeof *s->circles);
    s->desk = ni_zeros(seats, sizeof *s->desk);
    bool ok = s->circle && s->circles && s->desk;
    for (uint32_t t = 0; t < seats && ok; t++)
        s->desk[t] = (ni_circles){ .links = s->links, .rule = rule, .seed = seed };
    if (ok) ni_threads_run(threads, ni_tasks(n, NODES_PER_TASK), survey_task, s);
    for (uint32_t t = 0; t < seats && ok; t++) ni_circles_free(&s->desk[t]);
    return ok && !s->failed ? NEAP_OK : ni_fail_memory(err, "the circles of the nodes");
}

static void survey_free(survey *s)
{
    ni_free(s->circle);
    ni_free(s->circles);
    ni_free(s->desk);
}

/* ---- personas ---- */

static neap_status number_personas(const survey *s, ni_personas *p, neap_error *err)
{
    uint64_t count = 0;
    uint32_t n = p->nodes = s->links->nodes;
    for (uint32_t u = 0; u < n; u++) count += s->circles[u] ? s->circles[u] : 1;
    if (count >= NEAP_NONE) return ni_fail(err, NEAP_E_LIMIT, "the nodes have too many personas");
    p->count = (uint32_t)count;
    p->offset = ni_array((size_t)n + 1, sizeof *p->offset);
    p->owner = ni_array(p->count, sizeof *p->owner);
    if (!p->offset || !p->owner) return ni_fail_memory(err, "the personas");
    p->offset[0] = 0;
    for (uint32_t u = 0; u < n; u++) {
        p->offset[u + 1] = p->offset[u] + (s->circles[u] ? s->circles[u] : 1);
        for (uint32_t i = p->offset[u]; i < p->offset[u + 1]; i++) p->owner[i] = u;
    }
    return NEAP_OK;
}

neap_status ni_personas_take(const uint32_t *owner, uint64_t count, uint32_t nodes, ni_personas *p,
                             neap_error *err)
{
    bool ok =
        count >= nodes && count < NEAP_NONE && nodes && owner[0] == 0 && owner[count - 1] == nodes - 1;
    for (uint64_t i = 1; i < count && ok; i++)
        ok = owner[i] == owner[i - 1] || owner[i] == owner[i - 1] + 1;
    *p = (ni_personas){ .nodes = nodes, .count = (uint32_t)count };
    if (!ok) return ni_fail(err, NEAP_E_FORMAT, "the personas are not those of all nodes in their order");
    p->owner = ni_copy(owner, p->count, sizeof *owner);
    p->offset = ni_array((size_t)nodes + 1, sizeof *p->offset);
    if (!p->owner || !p->offset) return ni_fail_memory(err, "the personas");
    for (uint32_t i = p->count; i-- > 0;) p->offset[p->owner[i]] = i;
    p->offset[nodes] = p->count;
    return NEAP_OK;
}

void ni_personas_free(ni_personas *p)
{
    ni_free(p->offset);
    ni_free(p->owner);
    *p = (ni_personas){ 0 };
}

/* ---- links between them ---- */

/* Rows ascend, as those of nodes do: personas are numbered in the order of their owners. */
static void join(const survey *s, const ni_personas *p, uint64_t *back, uint64_t *next, ni_links *out)
{
    const ni_links *in = s->links;
    for (uint32_t u = 0; u < in->nodes; u++)
        for (uint64_t i = in->offset[u]; i < in->offset[u + 1]; i++) {
            uint32_t v = in->node[i];
            /* The same link seen from v: u is the next in its row, since nodes come in order. */
            uint64_t other = back[v]++, at = next[p->offset[u] + s->circle[i]]++;
            out->node[at] = p->offset[v] + s->circle[other];
            if (in->weight) out->weight[at] = in->weight[i];
        }
}

static neap_status make_links(const survey *s, const ni_personas *p, ni_links *out, neap_error *err)
{
    const ni_links *in = s->links;
    uint64_t links = in->offset[in->nodes];
    *out = (ni_links){ .nodes = p->count,
                       .offset = ni_zeros((size_t)p->count + 1, sizeof *out->offset),
                       .node = ni_array(links, sizeof *out->node),
                       .weight = in->weight ? ni_array(links, sizeof *out->weight) : NULL };
    uint64_t *back = ni_copy(in->offset, in->nodes, sizeof *back), *next = NULL;
    bool ok = out->offset && out->node && (!in->weight || out->weight) && back;
    if (ok) {
        for (uint32_t u = 0; u < in->nodes; u++)
            for (uint64_t i = in->offset[u]; i < in->offset[u + 1]; i++)
                out->offset[p->offset[u] + s->circle[i] + 1]++;
        for (uint32_t i = 0; i < p->count; i++) out->offset[i + 1] += out->offset[i];
        next = ni_copy(out->offset, p->count, sizeof *next);
    }
    if (next) join(s, p, back, next, out);
    ni_free(back);
    ni_free(next);
    return next ? NEAP_OK : ni_fail_memory(err, "the links of the personas");
}

neap_status ni_personas_create(const ni_links *links, uint32_t rule, uint64_t seed, ni_threads *threads,
                               ni_personas *personas, ni_links *persona_links, neap_error *err)
{
    survey s = { .links = links };
    *personas = (ni_personas){ 0 };
    *persona_links = (ni_links){ 0 };
    neap_status rc = survey_all(&s, rule, seed, threads, err);
    if (rc == NEAP_OK) rc = number_personas(&s, personas, err);
    if (rc == NEAP_OK) rc = make_links(&s, personas, persona_links, err);
    survey_free(&s);
    if (rc == NEAP_OK) return NEAP_OK;
    ni_personas_free(personas);
    ni_links_free(persona_links);
    return rc;
}
