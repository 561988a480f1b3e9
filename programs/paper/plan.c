/* The parts of the plan as a table: which tables, protocol, systems, shares and seeds. */
#include "paper/plan.h"

#include <math.h>
#include <string.h>

typedef enum who {
    EVERY,  /* system and heuristic                */
    TEXT,   /* that reads text                     */
    GAP,    /* trained or not                      */
    FIGURE, /* of run time: gap, cane, apn         */
} who;

typedef enum shares { ALL, THREE, OTHERS } shares; /* THREE: 15, 55 and 95 % */

typedef struct part {
    const char *title;
    const char *tables; /* the name of a table, or how several begin */
    const char *protocol;
    who who;
    shares shares;
    uint64_t first;
    uint32_t seeds;
} part;

/* In the paper's protocols seeds begin with 1, in clean with 11: settings were looked at with other seeds.
 */
static const part parts[] = {
    { "text systems on Cora, paper-clean, 15, 55 and 95 %, seeds 1 to 3", "link-cora", "paper-clean", TEXT,
      THREE, 1, 3 },
    { "all systems, clean, 15, 55 and 95 %, seed 11", "link-", "clean", EVERY, THREE, 11, 1 },
    { "all systems, paper-clean, 15, 55 and 95 %, seed 1", "link-", "paper-clean", EVERY, THREE, 1, 1 },
    { "all systems, clean, 15, 55 and 95 %, seeds 12 and 13", "link-", "clean", EVERY, THREE, 12, 2 },
    { "run time of an epoch: gap, cane and apn", "time", "", FIGURE, ALL, 1, 1 },
    { "ablation, clean, seed 11", "ablation", "clean", EVERY, ALL, 11, 1 },
    { "ablation, paper-clean, seed 1", "ablation", "paper-clean", EVERY, ALL, 1, 1 },
    { "ablation, paper, seed 1", "ablation", "paper", EVERY, ALL, 1, 1 },
    { "gap, paper, 15, 55 and 95 %, seed 1", "link-", "paper", GAP, THREE, 1, 1 },
    { "clustering, clean, seed 11", "cluster-", "clean", EVERY, ALL, 11, 1 },
    { "clustering, paper-clean, seed 1", "cluster-", "paper-clean", EVERY, ALL, 1, 1 },
    { "clustering by gap, paper, seed 1", "cluster-", "paper", GAP, ALL, 1, 1 },
    { "sensitivity, clean, seeds 11 to 13", "sensitivity-", "clean", EVERY, ALL, 11, 3 },
    { "all systems, paper-clean, the other six shares, seed 1", "link-", "paper-clean", EVERY, OTHERS, 1,
      1 },
    { "gap, paper, the other six shares, seed 1", "link-", "paper", GAP, OTHERS, 1, 1 },
    { "ablation, clean, seeds 12 and 13", "ablation", "clean", EVERY, ALL, 12, 2 },
};

size_t ni_plan_parts(void)
{
    return sizeof parts / sizeof *parts;
}

const char *ni_plan_title(size_t i)
{
    return parts[i].title;
}

static bool has_table(const part *p, const ni_table *t)
{
    size_t length = strlen(p->tables);
    return !strncmp(t->name, p->tables, length) && (!t->name[length] || p->tables[length - 1] == '-');
}

static bool has_share(const part *p, double ratio)
{
    bool three = fabs(ratio - 0.15) < 1e-9 || fabs(ratio - 0.55) < 1e-9 || fabs(ratio - 0.95) < 1e-9;
    return p->shares == ALL || three == (p->shares == THREE);
}

/* The figure of run times has two real graphs and two random ones. */
static bool is_in_figure(const ni_condition *c)
{
    static const char *const methods[] = { "gap", "cane", "apn", NULL }, *const graphs[] = {
        "cora", "email", "er-200k", "ba-1500k", NULL
    };
    bool method = false, graph = false;
    for (size_t i = 0; methods[i]; i++) method |= !strcmp(methods[i], c->method);
    for (size_t i = 0; graphs[i]; i++) graph |= !strcmp(graphs[i], c->graph->name);
    return method && graph;
}

static bool has_system(const part *p, const ni_cell *c)
{
    switch (p->who) {
    case TEXT: return c->reads_text;
    case GAP: return !strcmp(c->condition.method, "gap");
    case FIGURE: return is_in_figure(&c->condition);
    case EVERY: break;
    }
    return true;
}

int ni_plan_part(const ni_table *t, const ni_cell *c)
{
    for (size_t i = 0; i < ni_plan_parts(); i++) {
        const part *p = &parts[i];
        if (has_table(p, t) && !strcmp(p->protocol, c->protocol) && has_system(p, c) &&
            has_share(p, c->condition.ratio) && c->seed - p->first < p->seeds)
            return (int)i;
    }
    return -1;
}

size_t ni_plan_seeds(uint64_t seed[NI_PLAN_SEEDS])
{
    size_t count = 0;
    for (uint64_t s = 0; s < 1000 && count < NI_PLAN_SEEDS; s++) {
        bool any = false;
        for (size_t i = 0; i < ni_plan_parts(); i++) any |= s - parts[i].first < parts[i].seeds;
        if (any) seed[count++] = s;
    }
    return count;
}
