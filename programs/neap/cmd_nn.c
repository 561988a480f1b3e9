#include "common.h"
#include "ranking.h"

static const arg_option options[] = { RANKING_OPTIONS("neighbours"), { 0 } };

static neap_status run(const args *a, neap_error *err)
{
    static const ranking_kind neighbours = { NEAP_BY_COSINE, "neighbours", "cosine", true };
    return run_ranking(a, &neighbours, err);
}

const command cmd_nn = {
    .name = "nn",
    .operands = "MODEL [NODE...]",
    .summary = "the nodes whose vectors are most similar to a node's",
    .details =
        "Compares the vector of a node (that of `neap embed`) with those of all others by their "
        "cosine and prints the nearest: source, rank, node and cosine, separated by tabs. Linked nodes "
        "are among them. To predict links, `neap rank` has the score of the method instead.\n"
        "With --all or --sources and -o FILE it goes on after an interruption as `neap rank` does.\n",
    .examples = "neap nn friends.safetensors alice\n"
                "neap nn friends.safetensors alice bob -k 3\n",
    .least = 1,
    .most = SIZE_MAX,
    .options = options,
    .own_size = sizeof(ranking_options),
    .library = "reading,threads",
    .run = run,
};
