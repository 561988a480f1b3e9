#include "texts.h"

#include <string.h>

#include "common.h"

neap_status text_read(const args *a, const text_own *o, const neap_graph *graph, neap_text **out,
                      neap_error *err)
{
    char with[SHORT], words[SHORT], distinct[SHORT], strangers[SHORT];
    neap_text_facts f = NEAP_SIZED(neap_text_facts);
    *out = NULL;
    if (!o->path && o->by_line) return ni_fail(err, NEAP_E_ARG, "--text-by-line goes with --text");
    if (!o->path) return NEAP_OK;
    neap_status rc = neap_text_load(o->path, graph, o->by_line, NULL, out, err);
    if (rc != NEAP_OK) return rc;
    neap_text_facts_of(*out, &f, NULL);
    say(a, "%s: %s of %u nodes have a text: %s words, %s different",
        strcmp(o->path, "-") ? o->path : "standard input", ni_format_count(f.with_text, with), f.nodes,
        ni_format_count(f.words, words), ni_format_count(f.distinct, distinct));
    if (f.strangers)
        say(a, "  %s line%s about nodes that the graph does not have: skipped",
            ni_format_count(f.strangers, strangers), plural(f.strangers));
    return NEAP_OK;
}
