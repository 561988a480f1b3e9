/* read_edges.c - reads one graph through the public header and prints the seconds it took; the process does
 * nothing else, so that its peak of memory is that of reading. Built and run by read_edges.py. */
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
    if (argc != 2) return 2;
    double start = seconds();
    if (neap_options_create(NULL, &options, &err) || neap_graph_load(argv[1], options, &graph, &err)) {
        fprintf(stderr, "read_edges: %s\n", err.text);
        return 3;
    }
    printf("%.6f %llu\n", seconds() - start, (unsigned long long)neap_graph_report_view(graph)->edges_read);
    neap_graph_free(graph);
    neap_options_free(options);
    return 0;
}
