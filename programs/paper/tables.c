/* The paper's tables: graphs, columns and rows; the numbers that it printed are lines of published.def. */
#include "paper/tables.h"

#include <math.h>
#include <string.h>

const ni_aim_info *ni_aim_info_of(ni_aim aim)
{
    static const ni_aim_info info[] = {
        [NI_AIM_LINK] = { "link",
                          { "auc", "ap", "mrr", "hits1", "hits10", "hits50", "auc_seen", "mrr_all",
                            "hits_all1", "hits_all10", "hits_all50", "ranked" },
                          1,
                          true,
                          1 },
        [NI_AIM_CLUSTER] = { "cluster", { "nmi", "ami", "ari", "nodes", "gamma" }, 2, true, 3 },
        [NI_AIM_TIME] = { "time", { "seconds_epoch", "edges" }, 1, false, 1 },
    };
    return &info[aim];
}

/* ---- graphs ---- */

/* The paper gives the edges of its random graphs and nothing else; ours have 10 edges per node. */
#define RANDOM(id, words, how, count)                                                                      \
    {                                                                                                      \
        .name = id, .title = words, .neighbors = 100, .dropout = 0.5, .no_text = "generated",              \
        .generator = {                                                                                     \
            .size = sizeof(neap_generator),                                                                \
            .kind = how,                                                                                   \
            .nodes = count,                                                                                \
            .links = 10,                                                                                   \
            .edges = 10 * (count),                                                                         \
            .seed = 1                                                                                      \
        }                                                                                                  \
    }

static const ni_paper_graph cora = { .name = "cora", .title = "Cora", .neighbors = 100, .dropout = 0.5 };
static const ni_paper_graph zhihu = { .name = "zhihu",
                                      .title = "Zhihu",
                                      .neighbors = 250,
                                      .dropout = 0.65,
                                      .no_text = "the posts are not available" };
static const ni_paper_graph email = { .name = "email",
                                      .title = "Email",
                                      .neighbors = 100,
                                      .dropout = 0.8,
                                      .labels = true,
                                      .no_text = "no text" };
static const ni_paper_graph er50 = RANDOM("er-50k", "Erdős–Rényi, 50k", "er", 5000),
                            er100 = RANDOM("er-100k", "Erdős–Rényi, 100k", "er", 10000),
                            er200 = RANDOM("er-200k", "Erdős–Rényi, 200k", "er", 20000),
                            ba375 = RANDOM("ba-375k", "Barabási–Albert, 375k", "ba", 37500),
                            ba750 = RANDOM("ba-750k", "Barabási–Albert, 750k", "ba", 75000),
                            ba1500 = RANDOM("ba-1500k", "Barabási–Albert, 1.5M", "ba", 150000);

/* ---- tables ---- */

/* A macro for each kind of condition. */
#define SHARE(percent, on)                                                                                 \
    {                                                                                                      \
        .label = #percent " %", .graph = &(on), .ratio = percent / 100.0                                   \
    }
#define SHARES(on)                                                                                         \
    SHARE(15, on), SHARE(25, on), SHARE(35, on), SHARE(45, on), SHARE(55, on), SHARE(65, on),              \
        SHARE(75, on), SHARE(85, on), SHARE(95, on)
#define FOUR(on) SHARE(25, on), SHARE(55, on), SHARE(75, on), SHARE(95, on)
#define ON(title, percent, on)                                                                             \
    {                                                                                                      \
        .label = title ", " #percent " %", .graph = &(on), .ratio = percent / 100.0                        \
    }
#define FOUR_ON(title, on) ON(title, 25, on), ON(title, 55, on), ON(title, 75, on), ON(title, 95, on)
#define NAMED(title, percent, on)                                                                          \
    {                                                                                                      \
        .label = title ", " #percent " %", .method = "gap", .graph = &(on), .ratio = percent / 100.0       \
    }
#define SIZE(s)                                                                                            \
    {                                                                                                      \
        .label = #s, .neighbors = s                                                                        \
    }
#define SIZES SIZE(5), SIZE(10), SIZE(25), SIZE(50), SIZE(100), SIZE(250)
#define VARIANT(name)                                                                                      \
    {                                                                                                      \
        .label = name, .method = name                                                                      \
    }
#define KERNEL(words, name, width)                                                                         \
    {                                                                                                      \
        .label = words, .method = name, .kernel = width                                                    \
    }
#define WHOLE(title, on)                                                                                   \
    {                                                                                                      \
        .label = title, .graph = &(on), .ratio = 1                                                         \
    }

#define ABOUT_CLUSTERS                                                                                     \
    "The width of the affinity is chosen from the data; its factor was chosen by looking at these very "   \
    "labels. In the paper\u2019s protocols, nodes without a training edge have no vector and are left "    \
    "out, "                                                                                                \
    "as in the authors\u2019 program."

static const ni_table tables[] = {
    { .name = "link-cora",
      .title = "Link prediction on Cora",
      .about = "A graph of papers that cite each other. In the paper S = 100 and dropout is 0.5.",
      .across = "training edges",
      .down = "method",
      .aim = NI_AIM_LINK,
      .column = { SHARES(cora) },
      .columns = 9 },
    { .name = "link-zhihu",
      .title = "Link prediction on Zhihu",
      .about =
          "Who follows whom on a site of questions and answers. In the paper S = 250 and dropout is 0.65.",
      .across = "training edges",
      .down = "method",
      .aim = NI_AIM_LINK,
      .column = { SHARES(zhihu) },
      .columns = 9 },
    { .name = "link-email",
      .title = "Link prediction on Email",
      .about = "Who wrote to whom at a research institute. In the paper S = 100 and dropout is 0.8.",
      .across = "training edges",
      .down = "method",
      .aim = NI_AIM_LINK,
      .column = { SHARES(email) },
      .columns = 9 },
    { .name = "cluster-email",
      .title = "Clustering of Email",
      .about = "Spectral clustering of the vectors into as many clusters as there are departments, "
               "compared with the departments. Methods without vectors take no part. " ABOUT_CLUSTERS,
      .across = "training edges",
      .down = "method",
      .aim = NI_AIM_CLUSTER,
      .column = { FOUR(email) },
      .columns = 4 },
    { .name = "ablation",
      .title = "Ablation",
      .about =
          "GAP against variants with a convolution over ordered (gapcn) or shuffled neighbours "
          "(gapapn), and with a feed-forward network in place of the attention (gapmlp). gapcn reads "
          "one neighbour at a time (kernel 1), and once three. With uniform attention all neighbours of "
          "gap count alike, a row that the paper does not have. All have gap\u2019s dropout here; the "
          "paper gave gapcn and gapapn 0.95, with which gapcn did worse on validation pairs.",
      .across = "graph and training edges",
      .down = "method",
      .aim = NI_AIM_LINK,
      .column = { FOUR_ON("Cora", cora), FOUR_ON("Email", email) },
      .columns = 8,
      .row = { KERNEL("gapcn", "gapcn", 1),
               KERNEL("gapcn, kernel 3", "gapcn", 3),
               VARIANT("gapapn"),
               VARIANT("gapmlp"),
               VARIANT("gap"),
               { .label = "gap, attention uniform", .method = "gap", .uniform = true },
               { .label = "gap", .method = "gap", .untrained = true } },
      .rows = 7 },
    { .name = "sensitivity-link",
      .title = "Neighbourhood size and link prediction",
      .about = "AUC of GAP against the number of neighbours that are read of each node. The paper shows a "
               "figure without numbers and does not name its graph.",
      .across = "neighbours read per node (S)",
      .down = "graph and training edges",
      .aim = NI_AIM_LINK,
      .column = { SIZES },
      .columns = 6,
      .row = { NAMED("Cora", 15, cora), NAMED("Cora", 55, cora), NAMED("Cora", 95, cora),
               NAMED("Email", 15, email), NAMED("Email", 55, email), NAMED("Email", 95, email) },
      .rows = 6 },
    { .name = "sensitivity-cluster",
      .title = "Neighbourhood size and clustering",
      .about = "NMI and AMI of GAP on Email at 55 % against the number of neighbours that are read of each "
               "node. The paper shows a figure without numbers. " ABOUT_CLUSTERS,
      .across = "neighbours read per node (S)",
      .down = "graph and training edges",
      .aim = NI_AIM_CLUSTER,
      .column = { SIZES },
      .columns = 6,
      .row = { NAMED("Email", 55, email) },
      .rows = 1 },
    { .name = "time",
      .title = "Run time against graph size",
      .about =
          "Seconds for one epoch over all edges at the paper\u2019s settings: S = 100, on Zhihu 250. It "
          "compares GAP with CANE and APN in a figure without numbers; its random graphs have 200 thousand "
          "and 1.5 million edges. Where a graph has no texts they are generated, of Cora\u2019s lengths. "
          "Only "
          "vectors of a batch are stepped (--optimizer lazy-adam).",
      .across = "graph",
      .down = "method",
      .aim = NI_AIM_TIME,
      .column = { WHOLE("Cora", cora), WHOLE("Email", email), WHOLE("Zhihu", zhihu), WHOLE("ER 50k", er50),
                  WHOLE("ER 100k", er100), WHOLE("ER 200k", er200), WHOLE("BA 375k", ba375),
                  WHOLE("BA 750k", ba750), WHOLE("BA 1.5M", ba1500) },
      .columns = 9 },
};

size_t ni_table_count(void)
{
    return sizeof tables / sizeof *tables;
}

const ni_table *ni_table_at(size_t i)
{
    return i < ni_table_count() ? &tables[i] : NULL;
}

ni_condition ni_condition_join(const ni_condition *row, const ni_condition *column)
{
    ni_condition p = *column;
    if (row->method) p.method = row->method;
    p.untrained = row->untrained || column->untrained;
    p.self = row->self || column->self;
    p.uniform = row->uniform || column->uniform;
    if (row->graph) p.graph = row->graph;
    if (row->ratio > 0) p.ratio = row->ratio;
    if (row->neighbors) p.neighbors = row->neighbors;
    if (row->kernel) p.kernel = row->kernel;
    return p;
}

/* ---- what the paper printed ---- */

static const struct published {
    const char *table, *label;
    size_t value;
    double number[NI_COLUMNS]; /* 0 behind the last */
} published[] = {
#define PUBLISHED(table, value, label, ...) { table, label, value, { __VA_ARGS__ } },
#include "paper/published.def"
#undef PUBLISHED
};

static const struct published *find(const ni_table *t, size_t value, const char *label, size_t *index)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct published *p = &published[i];
        if (strcmp(p->table, t->name) || p->value != value) continue;
        if (label ? !strcmp(p->label, label) : (*index)-- == 0) return p;
    }
    return NULL;
}

const char *ni_published_method(const ni_table *t, size_t i)
{
    const struct published *p = find(t, 0, NULL, &i);
    return p ? p->label : NULL;
}

double ni_published(const ni_table *t, const char *label, size_t value, size_t column)
{
    const struct published *p = find(t, value, label, NULL);
    return p && column < NI_COLUMNS && p->number[column] > 0 ? p->number[column] : NAN;
}

bool ni_is_variant(const char *method)
{
    for (size_t i = 0; i < ni_table_count(); i++)
        for (size_t k = 0; k < tables[i].rows; k++)
            if (!tables[i].row[k].graph && !strcmp(tables[i].row[k].method, method))
                return strcmp(method, "gap") != 0;
    return false;
}
