"""docs/results/bench.html: one self-contained page from docs/results/bench.json."""
import html

import chart
import words

STYLE = """
:root{color-scheme:light;--paper:#fdfdfc;--ink:#1c2127;--muted:#59626d;--line:#c9cdd2;--faint:#eceeef;--neap:#2176b9;
--torch:#b54e13;--good:#1d7a46;--bad:#b3261e}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;--paper:#16191d;--ink:#e4e7ea;--muted:#a3acb6;
--line:#454c55;--faint:#262b31;--neap:#66b7ef;--torch:#ef9559;--good:#6fcf97;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:62rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.9rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .6rem}
h2{font-size:1.25rem;margin:3rem 0 .6rem}
p{max-width:46rem;margin:.5rem 0}
.muted,small{color:var(--muted)}
small{display:block;font-size:.82rem;line-height:1.4}
code{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.88em}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.5rem .8rem .5rem 0;border-top:1px solid var(--faint)}
thead th{border-top:0;border-bottom:1px solid var(--line);font-size:.82rem;color:var(--muted);font-weight:500}
.section th{padding-top:1.5rem;border-top:0;font-size:.95rem}
.goal{white-space:nowrap;color:var(--muted)}
.value{white-space:nowrap;font-weight:600}
.met .value::before{content:"\\2713\\00a0";color:var(--good)}
.missed .value,.failed .value{color:var(--bad)}
.missed .value::before,.failed .value::before{content:"\\2717\\00a0"}
.not .value{font-weight:400;color:var(--muted)}
svg{width:100%;height:auto;display:block}
svg text{font-size:12px;fill:var(--ink)}
svg .tick{fill:var(--muted)}svg .times{fill:var(--muted);font-style:italic}
.grid{stroke:var(--faint)}.gain{stroke:var(--line);stroke-dasharray:3 3}
.neap{fill:var(--neap)}.torch{fill:var(--torch)}
.key{display:inline-block;width:.7em;height:.7em;margin:0 .35em 0 .9em}
.key.neap{background:var(--neap);border-radius:50%}.key.torch{background:var(--torch)}
.narrow{display:none}
.bars{display:grid;grid-template-columns:max-content 3.2em minmax(4rem,1fr);gap:.3rem .9rem;align-items:center;max-width:46rem}
.bars span{text-align:right;font-variant-numeric:tabular-nums}
.bars i{display:block;height:.8rem;background:var(--neap);border-radius:2px;min-width:1px}
.bars small{grid-column:1/-1;margin:-.25rem 0 .35rem}
@media(max-width:40rem){.wide{display:none}.narrow{display:block}main{padding-top:1.5rem}
thead{display:none}td{border-top:0;padding:0 .8rem 0 0}.row td:first-child{padding-top:.9rem}
tr.row{display:grid;grid-template-columns:1fr max-content;border-top:1px solid var(--faint);padding-bottom:.8rem}
tr.row td:first-child{grid-column:1/-1}tr.section{display:block}}
@media print{.narrow{display:none}tr{break-inside:avoid}}
"""

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>How fast neap is</title>
<style>%s</style>
</head>
<body><main>
"""


def goal_row(row):
    kind = row["verdict"].split()[0]
    why = "<small>%s</small>" % html.escape(row["why"]) if row["why"] else ""
    return ('<tr class="row %s"><td>%s<small>%s <code>%s</code></small>%s</td><td class="goal">%s</td><td class="value">%s</td></tr>'
            % (kind, html.escape(row["work"]), html.escape(row["measure"]), row["name"], why, html.escape(words.goal(row)),
               html.escape(words.value(row))))


def goal_table(rows):
    parts, section = [], None
    for row in rows:
        if row["section"] != section:
            section = row["section"]
            parts.append('<tr class="section"><th colspan="3">%s</th></tr>' % html.escape(section))
        parts.append(goal_row(row))
    return "<table><thead><tr><th>work</th><th>goal</th><th>measured</th></tr></thead><tbody>%s</tbody></table>" % "".join(parts)


def bars(items):
    """(words, share of the longest bar, number as text, more words)."""
    return '<div class="bars">%s</div>' % "".join(
        '<code>%s</code><span>%s</span><i style="width:%.1f%%"></i>%s' % (
            html.escape(name), number, 100 * share, "<small>%s</small>" % html.escape(about) if about else "")
        for name, share, number, about in items)


def stages(row):
    total = sum(stage["seconds"] for stage in row["facts"]["stages"])
    longest = max(stage["seconds"] for stage in row["facts"]["stages"])
    items = [(stage["name"], stage["seconds"] / longest, "%.0f %%" % (100 * stage["seconds"] / total),
              "%s; %.3g GFLOP/s" % (stage["about"], stage["flops"] / stage["seconds"] / 1e9) if stage["flops"] else stage["about"])
             for stage in row["facts"]["stages"]]
    return "<h2>Where the time of an epoch goes</h2><p>%s, {:,.0f} edges/s on %d threads.</p>".format(
        row["facts"]["edges_per_second"]) % (html.escape(row["work"][0].upper() + row["work"][1:]),
                                             row["facts"]["threads"]) + bars(items)


def tiles(row):
    items = [("%d x %d" % (tile["side"], tile["side"]), min(1, tile["share"]), "%.0f %%" % (100 * tile["share"]), "")
             for tile in row["facts"]["tiles"]]
    return "<h2>The kernel by the size of its tile</h2><p>%s.</p>" % html.escape(
        row["measure"][0].upper() + row["measure"][1:]) + bars(items)


def held_out(row):
    items = [(method["about"], method["auc"], "%.3f" % method["auc"], "± %.3f, %.1f s" % (method["std"], method["seconds"]))
             for method in row["facts"]["methods"]]
    return "<h2>%s</h2><p>AUC by the clean protocol, mean and deviation of three seeds.</p>" % html.escape(
        row["work"][0].upper() + row["work"][1:]) + bars(items)


def time_chart(points):
    if not points:
        return ""
    return ('<h2>Time of a training epoch against edges</h2><p class="muted"><span class="key neap"></span>neap'
            '<span class="key torch"></span>PyTorch</p>' + chart.svg(points, 900, 470, "wide") +
            chart.svg(points, 380, 440, "narrow"))


def with_fact(rows, name):
    return next((row for row in rows if name in row.get("facts", {})), None)


def render(results):
    rows = results["rows"]
    parts = [HEAD % STYLE, "<h1>How fast neap is</h1>",
             "<p class=\"muted\">%s, %s: %s.</p>" % (html.escape(results["command"]), results["machine"]["date"],
                                                   html.escape(words.machine(results))),
             "<p>Each number is a ratio of one run, both sides in turn. What missed its goal says so.</p>",
             time_chart([point for row in rows for point in row.get("points", [])]), "<h2>Goals</h2>", goal_table(rows)]
    for name, part in (("stages", stages), ("tiles", tiles), ("methods", held_out)):
        row = with_fact(rows, name)
        if row:
            parts.append(part(row))
    return "\n".join(parts) + "\n</main></body>\n</html>\n"


def write(results, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(render(results))
