/* Texts from nothing: 30 words and a sum of two exponential draws of mean 30 each, at most 410, so that
 * mean and deviation are those of Cora's texts (90 and 43); rank r of 16,000 words with probability about
 * 1/r. One block of bytes, of which the library takes a copy; a draw depends on node and position alone. */
#include "paper/words.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/status.h"

enum { SHORTEST = 30, LONGEST = 410, VOCABULARY = 16000, WORD = 7 }; /* " w15999" */

/* A number in (0, 1), by Steele's, Lea's and Flood's SplitMix64 of 2014. */
static double draw(uint64_t node, uint64_t position)
{
    uint64_t x = (node << 16) + position + 1;
    x *= 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

static uint32_t length_of(uint32_t node)
{
    double more = -SHORTEST * log(draw(node, 0) * draw(node, 1));
    return more < LONGEST - SHORTEST ? SHORTEST + (uint32_t)more : LONGEST;
}

static size_t write_text(uint32_t node, char *text, size_t room)
{
    uint32_t words = length_of(node);
    size_t used = 0;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t rank = (uint32_t)pow(VOCABULARY, draw(node, i + 2)) - 1;
        used += (size_t)snprintf(text + used, room - used, "%sw%u", i ? " " : "", rank);
    }
    return used + 1;
}

neap_status ni_words_make(const neap_graph *graph, neap_text **out, neap_error *err)
{
    uint32_t nodes = neap_graph_nodes(graph);
    size_t room = 0, used = 0;
    *out = NULL;
    for (uint32_t u = 0; u < nodes; u++) room += (size_t)length_of(u) * WORD + 1;
    char *bytes = malloc(room);
    const char **text = malloc(nodes * sizeof *text);
    for (uint32_t u = 0; u < nodes && bytes && text; u++) {
        text[u] = bytes + used;
        used += write_text(u, bytes + used, room - used);
    }
    neap_status rc =
        bytes && text ? neap_text_create(graph, text, out, err) : ni_fail_memory(err, "generated texts");
    free(bytes);
    free((void *)text);
    return rc;
}
