/* plan.h - which cells the committed results are made of, and in which order they are run: the parts of the
 * plan, one after the other. A cell belongs to the first part that has it. */
#ifndef NI_PLAN_H
#define NI_PLAN_H

#include "paper/cells.h"

size_t ni_plan_parts(void);

/* "text systems on Cora in paper-clean at 15, 55 and 95 %, seeds 1 to 3" */
const char *ni_plan_title(size_t part);

/* The part that a cell of a table belongs to; -1 if it is in none. */
int ni_plan_part(const ni_table *table, const ni_cell *cell);

/* Seeds of the plan, ascending; returns how many there are. */
enum { NI_PLAN_SEEDS = 16 };
size_t ni_plan_seeds(uint64_t seed[NI_PLAN_SEEDS]);

#endif
