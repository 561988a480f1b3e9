/* Lists in options: names and percentages with commas. */
#include "args.h"

#include <string.h>

#include "common.h"

static bool has_item(const name_list *l, const char *text, size_t length)
{
    for (size_t i = 0; i < l->count; i++)
        if (strlen(l->item[i]) == length && !memcmp(l->item[i], text, length)) return true;
    return false;
}

/* Whether an item can join the list. */
static neap_status check_item(const char *option, const name_list *l, const char *text, size_t length,
                              neap_error *err)
{
    int shown = (int)(length < 40 ? length : 40);
    if (length == 0) return ni_fail(err, NEAP_E_ARG, "--%s: an item is missing beside a comma", option);
    if (length >= LIST_NAME)
        return ni_fail(err, NEAP_E_ARG, "--%s: '%.*s' is too long", option, shown, text);
    if (has_item(l, text, length))
        return ni_fail(err, NEAP_E_ARG, "--%s has '%.*s' twice", option, shown, text);
    if (l->count == LIST_MOST)
        return ni_fail(err, NEAP_E_ARG, "--%s takes at most %d names or numbers", option, LIST_MOST);
    return NEAP_OK;
}

neap_status read_list(const char *option, const char *text, name_list *l, neap_error *err)
{
    neap_status rc = *text ? NEAP_OK : ni_fail(err, NEAP_E_ARG, "--%s is empty", option);
    bool more = true;
    for (l->count = 0; more && rc == NEAP_OK;) {
        size_t length = strcspn(text, ",");
        rc = check_item(option, l, text, length, err);
        if (rc != NEAP_OK) break;
        memcpy(l->item[l->count], text, length);
        l->item[l->count++][length] = 0;
        more = text[length] == ',';
        text += length + more;
    }
    return rc;
}

neap_status check_methods(const name_list *methods, neap_error *err)
{
    for (size_t i = 0; i < methods->count; i++)
        if (!neap_method_find(methods->item[i]))
            return ni_fail(err, NEAP_E_ARG, "there is no method '%s'; `neap methods` lists all",
                           methods->item[i]);
    return NEAP_OK;
}

neap_status read_shares(const char *option, const name_list *l, double most, double share[LIST_MOST],
                        neap_error *err)
{
    for (size_t i = 0; i < l->count; i++) {
        if (!ni_parse_double(l->item[i], strlen(l->item[i]), &share[i]) || share[i] <= 0 || share[i] > most)
            return ni_fail(err, NEAP_E_ARG, "--%s takes percentages above 0 and %s 100, not '%s'", option,
                           most < 100 ? "below" : "up to", l->item[i]);
        for (size_t k = 0; k < i; k++)
            if (share[k] == share[i])
                return ni_fail(err, NEAP_E_ARG, "--%s has '%s' twice", option, l->item[i]);
    }
    return NEAP_OK;
}

void warn_of_small_shares(const args *a, const char *option, const name_list *l, const double *share)
{
    for (size_t i = 0; i < l->count; i++)
        if (share[i] < 1)
            say(a, "--%s %s means %.10g %%, not %.10g %%", option, l->item[i], share[i], 100 * share[i]);
}
