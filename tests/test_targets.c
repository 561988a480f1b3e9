/* Targets: negatives of training, validation and tests are among them, suggestions too, and a model keeps
 * them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attention/trainer.h"
#include "faults.h"
#include "scratch.h"
#include "settings.h"
#include "trials.h"
#include "walks/skipgram.h"

enum { USERS = 30, ITEMS = 20, NODES = USERS + ITEMS };

/* Users 0 .. 29 buy items 30 .. 49; user 0 buys all but two of them, node 49 is bought by nobody else. */
static neap_graph *shop(int undirected)
{
    neap_edge edge[400];
    uint32_t n = 0;
    neap_graph *g;
    ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, 0, 0);
    for (uint32_t i = 0; i < ITEMS - 2; i++) edge[n++] = (neap_edge){ 0, USERS + i, 1 };
    for (uint32_t u = 1; u < USERS; u++)
        for (uint32_t k = 0; k < 5; k++)
            edge[n++] = (neap_edge){ u, USERS + (uint32_t)ni_below(&rng, ITEMS), 1 };
    assert_int_equal(neap_graph_create(NODES, NULL, edge, n, 0, undirected, &g, NULL), NEAP_OK);
    return g;
}

/* Two rules: the other side, and a list of ten items and two users. */
static uint8_t side[NODES];
static uint32_t listed[12];

static neap_targets rule_of(bool opposite)
{
    neap_targets t = NEAP_SIZED(neap_targets);
    for (uint32_t u = 0; u < NODES; u++) side[u] = u >= USERS;
    for (uint32_t i = 0; i < 12; i++) listed[i] = i < 10 ? USERS + 2 * i : i;
    if (opposite) t.side = side;
    else t.nodes = listed, t.count = 12;
    return t;
}

static bool is_listed(uint32_t u)
{
    for (int i = 0; i < 12; i++)
        if (listed[i] == u) return true;
    return false;
}

/* By hand: w may stand against (u, v). */
static bool is_like(bool opposite, uint32_t v, uint32_t w)
{
    return opposite ? (v >= USERS) == (w >= USERS) : is_listed(v) == is_listed(w);
}

static bool is_target(bool opposite, uint32_t u, uint32_t w)
{
    return opposite ? (u >= USERS) != (w >= USERS) : is_listed(w);
}

/* ---- reading ---- */

static void the_sides_of_a_graph_are_found(void **state)
{
    (void)state;
    uint8_t found[NODES];
    neap_graph *g = shop(1), *m = messy_graph(1);
    neap_error err = { 0 };
    rule_of(true);
    assert_int_equal(neap_graph_sides(g, found, NULL), NEAP_OK);
    assert_memory_equal(found, side, NODES);
    uint8_t room[MESSY_NODES];
    assert_int_equal(neap_graph_sides(m, room, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "not bipartite"));
    neap_graph_free(g);
    neap_graph_free(m);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    neap_graph *g = shop(0);
    ni_targets t;
    neap_error err = { 0 };
    neap_targets good = rule_of(true), bad = good;
    uint8_t wrong[NODES] = { 0 };
    uint32_t beyond = NODES;
    bad.nodes = listed, bad.count = 2;
    assert_int_equal(ni_targets_read(&bad, g, &t, &err), NEAP_E_ARG);
    bad = (neap_targets){ .size = sizeof bad, .side = wrong };
    assert_int_equal(ni_targets_read(&bad, g, &t, &err), NEAP_E_MISMATCH);
    wrong[3] = 2;
    assert_int_equal(ni_targets_read(&bad, g, &t, &err), NEAP_E_ARG);
    bad = (neap_targets){ .size = sizeof bad, .nodes = &beyond, .count = 1 };
    assert_int_equal(ni_targets_read(&bad, g, &t, &err), NEAP_E_ARG);
    bad = (neap_targets){ .size = sizeof bad, .nodes = listed };
    assert_int_equal(ni_targets_read(&bad, g, &t, &err), NEAP_E_ARG);
    bad = (neap_targets){ .size = sizeof bad };
    assert_int_equal(ni_targets_read(&bad, g, &t, &err), NEAP_OK); /* all nodes */
    assert_false(ni_targets_limit(&t));
    neap_graph_free(g);
}

static void lists_of_nodes_are_read(void **state)
{
    (void)state;
    const char *const names[] = { "a b", "#c", " d", "e" };
    const neap_edge edge = { 0, 1, 1 };
    neap_graph *g;
    neap_nodes *n;
    neap_error err = { 0 };
    assert_int_equal(neap_graph_create(4, names, &edge, 1, 0, 0, &g, NULL), NEAP_OK);
    const char good[] = "# a comment\n\ne\r\na b\n#c\n  e \n d\n", bad[] = "e\nf\n", none[] = "\n# e\n";
    assert_int_equal(neap_file_replace("list", good, strlen(good), NULL), NEAP_OK);
    assert_int_equal(neap_nodes_load("list", g, &n, &err), NEAP_OK);
    assert_int_equal(n->count, 5);
    assert_memory_equal(n->node, ((uint32_t[]){ 3, 0, 1, 3, 2 }), 20);
    neap_nodes_free(n);
    assert_int_equal(neap_file_replace("list", bad, strlen(bad), NULL), NEAP_OK);
    assert_int_equal(neap_nodes_load("list", g, &n, &err), NEAP_E_UNKNOWN);
    assert_null(n);
    assert_int_equal(err.where, 2);
    assert_non_null(strstr(err.text, "list:2:"));
    assert_int_equal(neap_file_replace("list", none, strlen(none), NULL), NEAP_OK);
    assert_int_equal(neap_nodes_load("list", g, &n, &err), NEAP_E_FORMAT);
    assert_int_equal(neap_nodes_load("nowhere", g, &n, &err), NEAP_E_READ);
    neap_graph_free(g);
}

/* ---- strangers ---- */

/* Each node that may be drawn is, about as often as any other, and none else. */
static void strangers_are_even_over_their_side(void **state)
{
    (void)state;
    enum { DRAWS = 400 };
    neap_graph *g = shop(1);
    ni_links links;
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    for (int opposite = 0; opposite < 2; opposite++) {
        neap_targets rule = rule_of(opposite);
        ni_targets t;
        assert_int_equal(ni_targets_read(&rule, g, &t, NULL), NEAP_OK);
        for (uint32_t u = 0; u < NODES; u += 7)
            for (uint32_t v = 0; v < NODES; v += 11) {
                uint32_t due = 0, count[NODES] = { 0 };
                ni_rng rng = ni_rng_at(1, NI_STREAM_TEST, u, v);
                for (uint32_t w = 0; w < NODES; w++)
                    due += w != u && is_like(opposite, v, w) && !ni_linked(&links, u, w);
                assert_int_equal(ni_has_stranger(&links, &t, u, t.side[v]), due > 0);
                for (uint32_t i = 0; i < DRAWS * due; i++)
                    count[ni_stranger_like(&links, &t, u, v, &rng)]++;
                for (uint32_t w = 0; w < NODES; w++) {
                    bool may = w != u && is_like(opposite, v, w) && !ni_linked(&links, u, w);
                    assert_in_range(count[w], may ? DRAWS - 130 : 0, may ? DRAWS + 130 : 0);
                }
            }
        ni_targets_free(&t);
    }
    ni_links_free(&links);
    neap_graph_free(g);
}

/* A source with one stranger among very many: rejection alone would hardly ever find it. */
static void the_only_stranger_of_a_hub_is_found(void **state)
{
    (void)state;
    enum { MANY = 5000, MISSING = 3210 };
    static neap_edge edge[MANY];
    uint32_t n = 0;
    static uint8_t sides[MANY + 2];
    for (uint32_t i = 0; i < MANY; i++)
        if (i != MISSING) edge[n++] = (neap_edge){ MANY, i, 1 };
    edge[n++] = (neap_edge){ MANY + 1, MISSING, 1 };
    neap_graph *g;
    ni_links links;
    sides[MANY] = sides[MANY + 1] = 1;
    assert_int_equal(neap_graph_create(MANY + 2, NULL, edge, n, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    for (int opposite = 0; opposite < 2; opposite++) {
        ni_targets t;
        uint8_t turned[MANY + 2];
        for (uint32_t u = 0; u < MANY + 2; u++) turned[u] = opposite ? sides[u] : !sides[u];
        assert_int_equal(ni_targets_create(turned, MANY + 2, opposite, &t, NULL), NEAP_OK);
        for (uint64_t i = 0; i < 20; i++) {
            ni_rng rng = ni_rng_at(1, NI_STREAM_TEST, 0, i);
            assert_int_equal(ni_stranger_like(&links, &t, MANY, 0, &rng), MISSING);
        }
        ni_targets_free(&t);
    }
    ni_links_free(&links);
    neap_graph_free(g);
}

/* ---- training ---- */

static void training_negatives_are_on_the_side_of_the_target(void **state)
{
    (void)state;
    const char *const ways[][2] = { { "uniform", "yes" },     { "degree", "yes" },    { "two-hop", "yes" },
                                    { "degree-0.75", "yes" }, { "uniform", "no" },    { "degree", "no" },
                                    { "two-hop", "no" },      { "degree-0.75", "no" } };
    for (int way = 0; way < 8; way++)
        for (int undirected = 0; undirected < 2; undirected++)
            for (int opposite = 0; opposite < 2; opposite++) {
                const ni_settings *s =
                    settings_of(options_of("neap", "method", "gap", "negative-sampling", ways[way][0],
                                           "reject-links", ways[way][1], "negatives", "3", NULL));
                neap_targets rule = rule_of(opposite);
                neap_graph *g = shop(undirected);
                ni_links links;
                ni_targets t;
                const ni_attention_options *own = s->own;
                ni_sampler sampler;
                uint32_t items[5 * 64];
                uint64_t seen = 0;
                assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
                assert_int_equal(ni_targets_read(&rule, g, &t, NULL), NEAP_OK);
                assert_int_equal(
                    ni_sampler_create(&own->sampling, 3, 1, g, &links, &t, NULL, &sampler, NULL), NEAP_OK);
                for (uint64_t at = 0; at < sampler.positions; at += 64) {
                    uint32_t count = ni_sampler_draw(&sampler, 0, at, 64, items);
                    seen += count;
                    for (uint32_t i = 0; i < 5 * count; i += 5)
                        for (uint32_t k = 2; k < 5; k++) {
                            assert_true(is_like(opposite, items[i + 1], items[i + k]));
                            if (way < 4) assert_false(ni_linked(&links, items[i], items[i + k]));
                        }
                }
                assert_true(seen >= sampler.positions / 2);
                ni_sampler_free(&sampler);
                ni_targets_free(&t);
                ni_links_free(&links);
                neap_graph_free(g);
                ni_settings_free(s);
            }
}

static void negatives_of_a_grid_are_on_the_side_of_its_outputs(void **state)
{
    (void)state;
    const uint32_t sizes[] = { 10, 200, 1500 };
    uint64_t weight[1500];
    uint8_t of[1500];
    for (int u = 0; u < 1500; u++) weight[u] = 1 + (uint64_t)u % 7, of[u] = u % 9 == 0;
    for (int i = 0; i < 3; i++) {
        ni_grid g;
        ni_rng rng = ni_rng_at(1, NI_STREAM_SKIPGRAM, 0, 0);
        assert_int_equal(ni_grid_create(sizes[i], 1, 0, of, weight, 0.75, 1, &g, NULL), NEAP_OK);
        assert_int_equal(g.ranges % 2, 0);
        for (uint32_t r = 0; r < g.ranges; r++) {
            assert_true(g.start[r + 1] > g.start[r]);
            for (uint32_t k = g.start[r]; k < g.start[r + 1]; k++)
                assert_int_equal(of[g.member[k]], of[g.member[g.start[r]]]);
        }
        for (uint32_t u = 0; u < sizes[i]; u++)
            assert_int_equal(of[ni_grid_negative(&g, ni_grid_block(&g, 0, u), &rng)], of[u]);
        ni_grid_free(&g);
    }
}

static neap_model *train_for(const neap_graph *g, const neap_targets *rule, neap_options *o)
{
    neap_text *text = texts_of(g);
    neap_data data = { .size = sizeof data, .graph = g, .text = text, .targets = rule };
    neap_model *m;
    neap_error err = { 0 };
    if (neap_train(&data, o, NULL, &m, &err)) fail_msg("%s", err.text);
    neap_text_free(text);
    neap_options_free(o);
    return m;
}

static void check_ranking(neap_query *q, const neap_rank_spec *like, bool opposite, bool limited)
{
    bool others = false;
    for (uint32_t u = 0; u < NODES; u++) {
        neap_rank_spec spec = *like;
        neap_ranking *r;
        spec.sources = &u, spec.source_count = 1, spec.k = NODES;
        assert_int_equal(neap_query_rank(q, &spec, &r, NULL), NEAP_OK);
        for (size_t i = 0; i < r->count; i++) {
            if (limited) assert_true(is_target(opposite, u, r->node[i]));
            others = others || !is_target(opposite, u, r->node[i]);
        }
        neap_ranking_free(r);
    }
    assert_int_equal(others, !limited);
}

static void a_model_suggests_its_targets_and_keeps_them(void **state)
{
    (void)state;
    for (int opposite = 0; opposite < 2; opposite++)
        for (size_t i = 0; i < neap_method_count(); i++) {
            const char *method = neap_method_at(i)->name;
            neap_targets rule = rule_of(opposite);
            neap_graph *g = shop(i % 2);
            neap_options *o = options_of("neap", "method", method, "threads", "1", NULL);
            if (neap_method_has_option(method, "dim")) set_options(o, "dim", "8", NULL);
            if (neap_method_has_option(method, "epochs")) set_options(o, "epochs", "1", NULL);
            if (neap_method_has_option(method, "walks")) set_options(o, "walks", "1", NULL);
            neap_model *m = train_for(g, &rule, o), *read;
            neap_model_facts facts = NEAP_SIZED(neap_model_facts);
            uint64_t hash, again;
            assert_int_equal(neap_model_save(m, "model", NULL), NEAP_OK);
            assert_int_equal(neap_model_load("model", NULL, &read, NULL), NEAP_OK);
            assert_int_equal(neap_model_hash(m, &hash, NULL), NEAP_OK);
            assert_int_equal(neap_model_hash(read, &again, NULL), NEAP_OK);
            assert_int_equal(hash, again);
            assert_int_equal(neap_model_facts_of(read, &facts, NULL), NEAP_OK);
            assert_string_equal(facts.targets, opposite ? "opposite" : "list");
            assert_int_equal(facts.target_count, opposite ? 0 : 12);
            neap_query *q = query_of(read, 1);
            neap_targets all = NEAP_SIZED(neap_targets);
            neap_rank_spec spec = NEAP_SIZED(neap_rank_spec);
            check_ranking(q, &spec, opposite, true);
            spec.with_known = 1;
            check_ranking(q, &spec, opposite, true);
            spec.targets = &all;
            check_ranking(q, &spec, opposite, false);
            if (neap_method_at(i)->vectors) {
                spec = (neap_rank_spec){ .size = sizeof spec, .by = NEAP_BY_COSINE };
                check_ranking(q, &spec, opposite, false); /* who is similar is no link */
                spec.targets = &rule;
                check_ranking(q, &spec, opposite, true);
            }
            neap_query_free(q);
            neap_model_free(read);
            neap_model_free(m);
            neap_graph_free(g);
        }
}

static void new_nodes_are_opposite_to_their_neighbours(void **state)
{
    (void)state;
    neap_targets rule = rule_of(true);
    neap_graph *g = shop(0), *links;
    neap_model *m = train_for(g, &rule,
                              options_of("neap", "method", "gap", "dim", "8", "epochs", "1", NULL)),
               *more;
    const char *const names[] = { "new user", "35", "new item", "3" };
    const neap_edge edges[] = { { 0, 1, 1 }, { 3, 2, 1 } };
    assert_int_equal(neap_graph_create(4, names, edges, 2, 0, 0, &links, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = links };
    assert_int_equal(neap_model_extend(m, &data, &more, NULL, NULL), NEAP_OK);
    uint32_t user, item;
    assert_int_equal(neap_graph_find(neap_model_graph(more), "new user", &user, NULL), NEAP_OK);
    assert_int_equal(neap_graph_find(neap_model_graph(more), "new item", &item, NULL), NEAP_OK);
    assert_true(ni_is_target(&more->targets, user, item) && ni_is_target(&more->targets, user, 35));
    assert_false(ni_is_target(&more->targets, user, 3) || ni_is_target(&more->targets, item, 35));
    neap_graph_free(links);
    neap_model_free(more);
    neap_model_free(m);
    neap_graph_free(g);
}

static int stop_late(const neap_progress *now, void *user)
{
    (void)user;
    return now->epoch == 3;
}

static void a_checkpoint_of_other_targets_is_refused(void **state)
{
    (void)state;
    neap_targets rule = rule_of(true), other = rule_of(false);
    neap_graph *g = shop(0);
    neap_options *o =
        options_of("neap", "method", "gap", "dim", "8", "epochs", "5", "valid", "0", "threads", "1", NULL);
    neap_hooks hooks = { .size = sizeof hooks, .progress = stop_late, .checkpoint = "cp" };
    neap_data data = { .size = sizeof data, .graph = g, .targets = &rule };
    neap_model *whole, *m;
    neap_error err = { 0 };
    assert_int_equal(neap_train(&data, o, NULL, &whole, NULL), NEAP_OK);
    assert_int_equal(neap_train(&data, o, &hooks, &m, NULL), NEAP_E_STOPPED);
    assert_int_equal(neap_file_check("cp", NULL, NULL, NULL), NEAP_OK);
    hooks.progress = NULL;
    hooks.resume = 1;
    data.targets = &other;
    assert_int_equal(neap_train(&data, o, &hooks, &m, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "other targets"));
    data.targets = NULL;
    assert_int_equal(neap_train(&data, o, &hooks, &m, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "other targets"));
    data.targets = &rule;
    assert_int_equal(neap_train(&data, o, &hooks, &m, &err), NEAP_OK);
    assert_same_tensors(m, whole);
    neap_model_free(m);
    neap_model_free(whole);
    neap_options_free(o);
    neap_graph_free(g);
}

/* ---- tests ---- */

static ni_trial *trial_for(const neap_graph *g, const char *negatives, const neap_targets *rule)
{
    neap_link_spec spec = { sizeof spec, "clean", negatives, 0.6, 1, 0.2 };
    ni_trial *t;
    neap_error err = { 0 };
    if (neap_trial_create(&(neap_data){ .size = sizeof(neap_data), .graph = g, .targets = rule }, &spec, &t,
                          &err))
        fail_msg("%s", err.text);
    return t;
}

static void check_trial(const ni_trial *t, bool opposite)
{
    for (size_t i = 0; i < t->count; i++) {
        uint32_t u = t->positive[i].source, node[NI_RANK_NEGATIVES];
        assert_true(is_target(opposite, u, t->positive[i].target));
        assert_true(is_target(opposite, u, t->negative[i].target));
        for (uint32_t k = 0; k < NI_RANK_NEGATIVES; k++) {
            node[k] = ni_trial_draw_candidate(t, i, k);
            assert_true(is_target(opposite, u, node[k]) && !ni_linked(&t->known, u, node[k]));
        }
    }
    assert_true(t->valids > 0);
    for (size_t i = 0; i < t->valids; i++) {
        assert_true(is_target(opposite, t->valid[i].source, t->valid[i].target));
        assert_true(is_target(opposite, t->valid[i].source, t->valid_negative[i].target));
    }
}

static void test_negatives_are_targets_also_from_a_folder(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++)
        for (int opposite = 0; opposite < 2; opposite++)
            for (const char *const *kind = ni_negative_words; *kind; kind++) {
                neap_targets rule = rule_of(opposite);
                neap_graph *g = shop(undirected);
                ni_trial *t = trial_for(g, *kind, &rule), *read;
                neap_trial_facts facts = NEAP_SIZED(neap_trial_facts);
                neap_error err = { 0 };
                check_trial(t, opposite);
                assert_int_equal(neap_trial_check(t, NULL, NULL, &err), NEAP_OK);
                assert_int_equal(neap_trial_save(t, "split", NULL), NEAP_OK);
                assert_int_equal(neap_trial_describe("split", &facts, NULL), NEAP_OK);
                assert_string_equal(facts.targets, opposite ? "opposite" : "list");
                if (neap_trial_load("split", NULL, &read, &err)) fail_msg("%s", err.text);
                assert_int_equal(read->count, t->count);
                assert_memory_equal(read->positive, t->positive, t->count * sizeof *t->positive);
                assert_memory_equal(read->targets.side, t->targets.side, NODES);
                assert_int_equal(read->targets.opposite, opposite);
                neap_options *o =
                    options_of("neap", "method", "gap", "dim", "8", "epochs", "1", "threads", "1", NULL);
                neap_model *m;
                neap_link_result result = NEAP_SIZED(neap_link_result);
                assert_int_equal(neap_trial_train(read, o, NULL, &m, NULL), NEAP_OK);
                assert_string_equal(ni_targets_word(&m->targets), opposite ? "opposite" : "list");
                assert_int_equal(neap_trial_measure(read, m, NULL, &result, NULL), NEAP_OK);
                neap_model_free(m);
                neap_options_free(o);
                neap_trial_free(read);
                neap_trial_free(t);
                neap_graph_free(g);
                assert_int_equal(system("rm -rf split"), 0);
            }
}

static void a_split_with_a_negative_that_is_no_target_is_damaged(void **state)
{
    (void)state;
    neap_targets rule = rule_of(true);
    neap_graph *g = shop(0);
    ni_trial *t = trial_for(g, "uniform", &rule);
    neap_error err = { 0 };
    uint32_t kept = t->negative[0].target;
    t->negative[0].target = (t->positive[0].source + 1) % USERS;
    assert_int_equal(ni_leak_in_trial(t, NULL, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "target"));
    t->negative[0].target = kept;
    assert_int_equal(ni_leak_in_trial(t, NULL, &err), NEAP_OK);
    t->count--; /* a pair that might be scored is not */
    assert_int_equal(ni_leak_in_trial(t, NULL, &err), NEAP_E_FORMAT);
    t->count++;
    neap_trial_free(t);
    neap_link_spec spec = { sizeof spec, "paper", "uniform", 0.6, 1, 0 };
    assert_int_equal(
        neap_trial_create(&(neap_data){ .size = sizeof(neap_data), .graph = g, .targets = &rule }, &spec,
                          &t, &err),
        NEAP_E_ARG);
    neap_graph_free(g);
}

/* Everything that targets take part in, with little memory. */
static neap_status use_targets(void *user, neap_error *err)
{
    const neap_graph *g = user;
    neap_targets rule = rule_of(false);
    const uint32_t source = 1;
    neap_link_spec spec = { sizeof spec, "clean", "degree", 0.6, 1, 0 };
    neap_rank_spec best = {
        .size = sizeof best, .sources = &source, .source_count = 1, .k = 3, .targets = &rule
    };
    neap_options *o = NULL;
    neap_trial *t = NULL;
    neap_model *m = NULL;
    neap_query *q = NULL;
    neap_ranking *r = NULL;
    neap_status rc = neap_options_create("neap", &o, err);
    if (rc == NEAP_OK) rc = neap_options_set(o, "method", "gap", err);
    if (rc == NEAP_OK) rc = neap_options_set(o, "dim", "4", err);
    if (rc == NEAP_OK) rc = neap_options_set(o, "epochs", "1", err);
    if (rc == NEAP_OK) rc = neap_options_set(o, "threads", "1", err);
    if (rc == NEAP_OK) rc = neap_options_set(o, "negative-sampling", "degree-0.75", err);
    if (rc == NEAP_OK)
        rc = neap_trial_create(&(neap_data){ .size = sizeof(neap_data), .graph = g, .targets = &rule },
                               &spec, &t, err);
    if (rc == NEAP_OK) rc = neap_trial_train(t, o, NULL, &m, err);
    if (rc == NEAP_OK) rc = neap_query_create(m, NULL, &q, err);
    if (rc == NEAP_OK) rc = neap_query_rank(q, &best, &r, err);
    neap_ranking_free(r);
    neap_query_free(q);
    neap_model_free(m);
    neap_trial_free(t);
    neap_options_free(o);
    return rc;
}

static void a_lack_of_memory_is_reported(void **state)
{
    (void)state;
    neap_graph *g = shop(1);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, use_targets, faults_expect_memory, g) > 50);
    neap_graph_free(g);
}

static void a_split_of_data_leads_to_targets(void **state)
{
    (void)state;
    neap_targets rule = rule_of(false);
    neap_graph *g = shop(1);
    neap_data data = { .size = sizeof data, .graph = g, .targets = &rule };
    neap_split *s;
    const neap_pair *p, *n;
    assert_int_equal(neap_split_data(&data, 0.4, 1, &s, NULL), NEAP_OK);
    size_t count = neap_split_pairs(s, &p, &n);
    assert_true(count > 10);
    for (size_t i = 0; i < count; i++) assert_true(is_listed(p[i].target) && is_listed(n[i].target));
    neap_split_free(s);
    neap_graph_free(g);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sides_of_a_graph_are_found),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        IN_SCRATCH(lists_of_nodes_are_read),
        cmocka_unit_test(strangers_are_even_over_their_side),
        cmocka_unit_test(the_only_stranger_of_a_hub_is_found),
        cmocka_unit_test(training_negatives_are_on_the_side_of_the_target),
        cmocka_unit_test(negatives_of_a_grid_are_on_the_side_of_its_outputs),
        IN_SCRATCH(a_model_suggests_its_targets_and_keeps_them),
        IN_SCRATCH(new_nodes_are_opposite_to_their_neighbours),
        IN_SCRATCH(a_checkpoint_of_other_targets_is_refused),
        IN_SCRATCH(test_negatives_are_targets_also_from_a_folder),
        cmocka_unit_test(a_split_with_a_negative_that_is_no_target_is_damaged),
        cmocka_unit_test(a_split_of_data_leads_to_targets),
        cmocka_unit_test(a_lack_of_memory_is_reported),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
