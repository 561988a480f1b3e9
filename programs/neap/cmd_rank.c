#include "common.h"
#include "ranking.h"

static const arg_option options[] = {
    RANKING_OPTIONS("suggestions"),
    PRIOR_OPTION(ranking_options, prior),
    { "with-known", 0, "", NULL, ARG_SWITCH, offsetof(ranking_options, with_known), 0, 0, false,
      "rank known links and the node itself too" },
    { "explain", 0, "", NULL, ARG_SWITCH, offsetof(ranking_options, explain), 0, 0, false,
      "name up to three neighbours, or words, that contribute most to each suggestion" },
    { 0 },
};

static neap_status run(const args *a, neap_error *err)
{
    static const ranking_kind suggestions = { NEAP_BY_SCORE, "suggestions", "score", false };
    return run_ranking(a, &suggestions, err);
}

const command cmd_rank = {
    .name = "rank",
    .operands = "MODEL [NODE...]",
    .summary = "suggest links: the best targets for a node, against all nodes",
    .details =
        "Scores a node against every other, exactly, and prints the best: source, rank, node, score, and "
        "in a method that has one the probability of the link, separated by tabs. Known links are left "
        "out. With --explain a last column names the source's neighbours that contribute most, or the "
        "words of its text in a method that attends to texts, the "
        "strongest first; `neap explain` has more about one pair.\n"
        "A model that was trained with --targets suggests those nodes only; --targets all lifts that.\n"
        "--all answers for every node. With -o FILE an interrupted run goes on with --resume: FILE.part "
        "holds what is done, and FILE is replaced whole in the end. It has the same bytes for any number "
        "of "
        "threads and after any interruption.\n",
    .examples = "neap rank friends.safetensors alice\n"
                "neap rank friends.safetensors alice bob -k 3 --explain\n"
                "neap rank friends.safetensors --all -k 10 -o suggestions.tsv.gz --resume\n",
    .least = 1,
    .most = SIZE_MAX,
    .options = options,
    .own_size = sizeof(ranking_options),
    .library = "reading,threads",
    .run = run,
};
