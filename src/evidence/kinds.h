/* kinds.h - the kinds of evidence: kinds.def as a table. */
#ifndef NI_KINDS_H
#define NI_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "neap.h"

typedef enum ni_kind {
#define KIND(number, NAME, name, group, scale, needs, words) NI_KIND_##NAME = number,
#include "evidence/kinds.def"
#undef KIND
    NI_KINDS
} ni_kind;

/* What --evidence chooses, and --ablate leaves out. */
typedef enum ni_group {
    NI_GROUP_DEGREES,
    NI_GROUP_SHARED,
    NI_GROUP_PATHS,
    NI_GROUP_WALKS,
    NI_GROUP_SPECTRAL,
    NI_GROUP_TEXT,
    NI_GROUPS
} ni_group;

/* What a kind is measured of. */
typedef enum ni_needs {
    NI_NEEDS_ANY,      /* any graph                              */
    NI_NEEDS_DIRECTED, /* one whose edges have directions        */
    NI_NEEDS_KNOWN     /* one with texts or features of its nodes */
} ni_needs;

typedef struct ni_kind_info {
    const char *name;
    const char *words; /* with %s and %t for the two nodes                           */
    ni_group group;
    bool plain; /* the curve's line reads the value itself, not its logarithm     */
    ni_needs needs;
} ni_kind_info;

extern const ni_kind_info ni_kind_infos[NI_KINDS];
extern const char *const ni_group_names[NI_GROUPS];

/* Reads "all" or names of groups, separated by commas, into a bit per group. NEAP_E_ARG. */
neap_status ni_groups_read(const char *list, uint32_t *groups, neap_error *err);

/* The kinds of these groups that a graph has, ascending, into kind (NI_KINDS). Returns how many. known:
 * texts or features of its nodes are. */
uint32_t ni_kinds_choose(uint32_t groups, bool directed, bool known, uint32_t *kind);

#endif
