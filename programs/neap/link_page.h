/* link_page.h - the results of `neap eval link` as a page: tables, and whether probabilities are right. */
#ifndef CLI_LINK_PAGE_H
#define CLI_LINK_PAGE_H

#include "link_table.h"

/* Writes FOLDER/report.html. graph: its name for people. */
neap_status link_page_save(const link_table *t, const char *graph, const char *folder, neap_error *err);

#endif
