/* The end of report.html: what made the numbers, and how to read them. */
#include <string.h>

#include "paper/report.h"
#include "support/text.h"

void ni_write_seeds(ni_page *out, const uint64_t *seed, uint32_t seeds)
{
    for (size_t i = 0, end; i < seeds; i = end) {
        unsigned long long first = seed[i], last = first;
        for (end = i + 1; end < seeds && seed[end] == last + 1; end++) last++;
        ni_page_print(out, "%s%llu", i ? ", " : "", first);
        if (last > first) ni_page_print(out, " to %llu", last);
    }
}

void ni_sheet_write_seeds(ni_page *out, const ni_sheet *s)
{
    if (!s->seeds) return;
    ni_page_text(out, s->seeds > 1 ? "Seeds " : "Seed ");
    ni_write_seeds(out, s->seed, s->seeds);
    ni_page_text(out, s->seeds > 1 ? "; a number without \u00b1 is of one of them." : ".");
}

static void write_setting(ni_page *out, const ni_study *study, const neap_option_info *option)
{
    char value[2][32] = { "", "" };
    for (int i = 0; i < 2; i++) {
        if (!study->settings[i]) continue;
        neap_options_get(study->settings[i], option->name, value[i], sizeof value[i], NULL);
        if (ni_setting_is_by_graph(study, option->name, i)) memcpy(value[i], "by graph", sizeof "by graph");
    }
    ni_page_print(out, "<tr%s><th scope=\"row\">", strcmp(value[0], value[1]) ? " class=\"differs\"" : "");
    ni_html_text(out, option->name);
    for (int i = 0; i < 2; i++) {
        ni_page_text(out, i ? "</td><td>" : "</th><td>");
        ni_html_text(out, value[i]);
    }
    ni_page_text(out, "</td></tr>\n");
}

static void write_settings_table(ni_page *out, const ni_study *study)
{
    ni_page_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Settings; scrolls "
                      "sideways\">\n<table class=\"settings\">\n<thead>\n<tr><th scope=\"col\">option</th>"
                      "<th scope=\"col\">paper, paper-clean</th><th scope=\"col\">clean</th></tr>\n"
                      "</thead>\n<tbody>\n");
    for (size_t i = 0; i < neap_option_count(); i++)
        if (ni_setting_matters(neap_option_at(i))) write_setting(out, study, neap_option_at(i));
    ni_page_text(out, "</tbody>\n</table>\n</div>\n");
}

static void write_systems(ni_page *out, const ni_study *study)
{
    const ni_system_settings *system;
    if (!ni_study_system(study, 0)) return;
    ni_page_text(out,
                 "<p>Systems with settings of their own here, chosen on validation pairs of another "
                 "seed:</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                 "aria-label=\"Settings of systems; scrolls sideways\">\n<table "
                 "class=\"settings\">\n<thead>\n<tr><th scope=\"col\">system</th><th "
                 "scope=\"col\">protocols</th><th scope=\"col\">settings</th></tr>\n</thead>\n<tbody>\n");
    for (size_t i = 0; (system = ni_study_system(study, i)); i++) {
        ni_page_print(out, "<tr><th scope=\"row\">%s</th><td>%s</td><td>", system->method,
                      ni_protocols_words(system->protocols));
        ni_html_text(out, system->options);
        ni_page_text(out, "</td></tr>\n");
    }
    ni_page_text(out, "</tbody>\n</table>\n</div>\n");
}

/* Collects the graphs of the paper that the sheets are on, each once; returns how many. */
static size_t find_graphs(const ni_study *study, const ni_paper_graph *graph[], size_t room)
{
    size_t found = 0;
    for (size_t k = 0; k < study->sheets; k++) {
        const ni_sheet *s = &study->sheet[k];
        for (size_t i = 0; i < s->rows; i++)
            for (size_t j = 0; j < s->table->columns; j++) {
                const ni_paper_graph *here = ni_condition_join(&s->row[i], &s->table->column[j]).graph;
                size_t n = 0;
                while (n < found && graph[n] != here) n++;
                if (here && !here->generator.kind && n == found && found < room) graph[found++] = here;
            }
    }
    return found;
}

/* "By graph: ... S 100 and dropout 0.5 on Cora, ..." */
static void write_by_graph(ni_page *out, const ni_study *study)
{
    enum { ROOM = 32 };
    const ni_paper_graph *graph[ROOM];
    size_t found = find_graphs(study, graph, ROOM);
    ni_page_text(out, " <i>By graph</i>: as the paper\u2019s table 2 has it, S and dropout ");
    for (size_t i = 0; i < found; i++) {
        char dropout[32];
        ni_format_double(graph[i]->dropout, dropout);
        ni_page_print(out, "%s%u and %s on ", i ? ", " : "", graph[i]->neighbors, dropout);
        ni_html_text(out, graph[i]->title);
    }
    ni_page_text(out, ".");
}

static void write_marks(ni_page *out, const ni_study *study)
{
    static const char *const marks[][2] = {
        { "<strong>bold</strong>",
          "the best printed mean of those that were run in its column, of however many seeds; along its "
          "row where the "
          "columns are settings of one method. In a leaky table only methods that see the same are "
          "compared. What is equal when rounded is equal" },
        { "<span class=\"sees\">sees test links</span>",
          "reads neighbourhoods that contain the test links" },
        { "with self", "a node is among its own neighbours, as in the authors\u2019 program" },
        { "\u00b1", "standard deviation over the seeds" },
        { "n=1", "fewer seeds than the other cells have" },
        { "<span class=\"theirs\">[ ] <span class=\"more\">+</span></span>",
          "in brackets the number that the paper printed, never ours; behind it ours less the "
          "paper\u2019s. It can only be held against the paper\u2019s own split and measure, so the "
          "clean protocol has none" },
        { "not run", "there is no measurement, and nothing stands in for it" },
        { "\u2020", "the time for a cell was over before all epochs were trained" },
        { "took too long", "the time for a cell was over before there was a model or a measurement" },
        { "n/a", "measured, but not this: not defined in this protocol, or left out for want of time" },
    };
    ni_page_text(out, "<section>\n<h2>How to read the marks</h2>\n<dl class=\"marks\">\n");
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (study->seeds > 1 || (strcmp(marks[i][0], "\u00b1") && strcmp(marks[i][0], "n=1")))
            ni_page_print(out, "<dt>%s</dt><dd>%s</dd>\n", marks[i][0], marks[i][1]);
    ni_page_text(out, "</dl>\n</section>\n");
}

void ni_study_write_settings(ni_page *out, const ni_study *study)
{
    ni_page_text(out, "<section class=\"table\" id=\"settings\">\n<h2>Settings and seeds</h2>\n<p>Seeds ");
    ni_write_seeds(out, study->seed, study->seeds);
    ni_page_text(out, ". A seed draws the split and is the seed of the method too.");
    if (!study->own_neighbors || !study->own_dropout) write_by_graph(out, study);
    ni_page_print(out,
                  " The options are those of gap; what differs between the protocols is set in "
                  "bold.</p>\n<p>%s%s%s.</p>\n",
                  ni_nested_words, study->seeds > 1 ? "; " : "",
                  study->seeds > 1 ? ni_deviation_words : "");
    write_settings_table(out, study);
    write_systems(out, study);
    ni_page_text(out, "</section>\n");
    write_marks(out, study);
}
