/* read_edges.c - reads one graph through the public header and prints the seconds it took; the process does
 * nothing else, so that its peak of memory is that of reading. Run by reading.py. */
#include <stdio.h>
#include <time.h>

#include "neap.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_options *options = NULL;
    neap_graph *graph = NULL;
    neap_graph_report report = NEAP_SIZED(neap_graph_report);
    if (argc != 2) return 2;
    double start = seconds();
    if (neap_options_create(NULL, &options, &err) ||
        neap_graph_load(argv[1], options, NULL, &graph, &err)) {
        fprintf(stderr, "read_edges: %s\n", err.text);
        return 3;
    }
    double took = seconds() - start;
    if (neap_graph_report_of(graph, &report, &err)) return fprintf(stderr, "read_edges: %s\n", err.text), 3;
    printf("%.6f %llu\n", took, (unsigned long long)report.edges_read);
    neap_graph_free(graph);
    neap_options_free(options);
    return 0;
}
