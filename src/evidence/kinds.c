/* The table of kinds, and choosing among them. */
#include "evidence/kinds.h"

#include <string.h>

#include "base/sized.h"
#include "support/status.h"
#include "support/text.h"

enum { LOG = 0, PLAIN = 1 };

const ni_kind_info ni_kind_infos[NI_KINDS] = {
#define KIND(number, NAME, name, group, scale, needs, words)                                               \
    [number] = { name, words, NI_GROUP_##group, scale, NI_NEEDS_##needs },
#include "evidence/kinds.def"
#undef KIND
};

const char *const ni_group_names[NI_GROUPS] = { "degrees", "shared", "paths", "walks", "spectral", "text" };

static uint32_t group_named(const char *word, size_t length)
{
    for (uint32_t g = 0; g < NI_GROUPS; g++)
        if (strlen(ni_group_names[g]) == length && !strncmp(word, ni_group_names[g], length))
            return 1u << g;
    return length == 3 && !strncmp(word, "all", 3) ? (1u << NI_GROUPS) - 1 : 0;
}

neap_status ni_groups_read(const char *list, uint32_t *groups, neap_error *err)
{
    *groups = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        uint32_t group = group_named(at, length);
        if (!group)
            return ni_fail(
                err, NEAP_E_ARG,
                "there is no evidence called '%.*s': degrees, shared, paths, walks, spectral, text or all",
                (int)(length < 40 ? length : 40), at);
        *groups |= group;
        at += length;
        if (!*at) return NEAP_OK;
    }
}

const char *neap_evidence_group(const neap_data *data, size_t i)
{
    uint32_t kind[NI_KINDS];
    neap_data now = { 0 };
    bool any = !data || ni_sized_in(&now, sizeof now, data, "neap_data", NULL) != NEAP_OK;
    for (uint32_t g = 0; g < NI_GROUPS; g++)
        if (ni_kinds_choose(1u << g, false, any || now.text || now.features, kind) && i-- == 0)
            return ni_group_names[g];
    return NULL;
}

uint32_t ni_kinds_choose(uint32_t groups, bool directed, bool known, uint32_t *kind)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < NI_KINDS; k++) {
        const ni_kind_info *info = &ni_kind_infos[k];
        bool there = info->needs == NI_NEEDS_ANY || (info->needs == NI_NEEDS_DIRECTED ? directed : known);
        if (there && groups >> info->group & 1) kind[count++] = k;
    }
    return count;
}
