#include "lists.h"

#include <string.h>

#include "common.h"

neap_status read_list(const char *option, const char *text, list *l, neap_error *err)
{
    for (l->count = 0; *text; l->count++) {
        size_t length = strcspn(text, ",");
        bool ends_early = text[length] == ',' && !text[length + 1];
        if (length == 0 || length >= LIST_NAME || l->count == LIST_MOST || ends_early)
            return fail(err, NEAP_E_ARG, "--%s takes at most %d names or numbers with commas between",
                        option, LIST_MOST);
        memcpy(l->item[l->count], text, length);
        l->item[l->count][length] = 0;
        text += length + (text[length] == ',');
    }
    return l->count ? NEAP_OK : fail(err, NEAP_E_ARG, "--%s is empty", option);
}

neap_status check_methods(const list *methods, neap_error *err)
{
    for (size_t i = 0; i < methods->count; i++) {
        size_t k = 0;
        while (k < neap_method_count() && strcmp(neap_method_at(k)->name, methods->item[i])) k++;
        if (k == neap_method_count())
            return fail(err, NEAP_E_ARG, "there is no method '%s'; `neap methods` lists all",
                        methods->item[i]);
    }
    return NEAP_OK;
}

neap_status read_shares(const list *ratios, double most, double share[LIST_MOST], neap_error *err)
{
    for (size_t i = 0; i < ratios->count; i++)
        if (!parse_real(ratios->item[i], &share[i]) || share[i] <= 0 || share[i] > most)
            return fail(err, NEAP_E_ARG, "--ratios takes percentages above 0 and %s 100, not '%s'",
                        most < 100 ? "below" : "up to", ratios->item[i]);
    return NEAP_OK;
}
