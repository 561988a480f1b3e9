"""docs/results/bench.html: one self-contained page from docs/results/bench.json."""
from html import escape

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
.bars{display:grid;grid-template-columns:max-content 3.2em minmax(4rem,1fr);gap:.3rem .9rem;align-items:center;
max-width:46rem}
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


def tag(name, kind, *parts):
    return '<%s%s>%s</%s>' % (name, ' class="%s"' % kind if kind else "", "".join(parts), name)


def goal_row(row):
    about = tag("small", "", escape(row["measure"]), " ", tag("code", "", row["name"]))
    why = tag("small", "", escape(row["why"])) if row["why"] else ""
    return tag("tr", "row " + row["verdict"].split()[0], tag("td", "", escape(row["work"]), about, why),
               tag("td", "goal", escape(words.goal(row))), tag("td", "value", escape(words.value(row))))


def goal_table(rows):
    lines, section = [], None
    for row in rows:
        if row["section"] != section:
            section = row["section"]
            lines.append(tag("tr", "section", '<th colspan="3">%s</th>' % escape(section)))
        lines.append(goal_row(row))
    head = tag("thead", "", "<tr><th>work</th><th>goal</th><th>measured</th></tr>")
    return "<h2>Goals</h2>" + tag("table", "", head, tag("tbody", "", *lines))


def bars(items):
    """Of (name, length from 0 to 1, number as text, more words)."""
    lines = []
    for name, length, number, about in items:
        lines += [tag("code", "", escape(name)), tag("span", "", number),
                  '<i style="width:%.1f%%"></i>' % (100 * length), tag("small", "", escape(about)) if about else ""]
    return tag("div", "bars", *lines)


def heading(title, about):
    return "<h2>%s</h2><p>%s</p>" % (escape(title), escape(about))


def stages(row):
    facts = row["facts"]
    times = [stage["seconds"] for stage in facts["stages"]]
    items = []
    for stage in facts["stages"]:
        about = stage["about"]
        if stage["flops"]:
            about += "; %.3g GFLOP/s" % (stage["flops"] / stage["seconds"] / 1e9)
        share = "%.0f %%" % (100 * stage["seconds"] / sum(times))
        items.append((stage["name"], stage["seconds"] / max(times), share, about))
    about = "{}, {:,.0f} edges/s on {} threads.".format(row["work"], facts["edges_per_second"], facts["threads"])
    return heading("Where the time of an epoch goes", about.capitalize()) + bars(items)


def tiles(row):
    items = [("%d x %d" % (tile["side"], tile["side"]), min(1, tile["share"]), "%.0f %%" % (100 * tile["share"]), "")
             for tile in row["facts"]["tiles"]]
    return heading("The kernel by the size of its tile", row["measure"].capitalize() + ".") + bars(items)


def held_out(row):
    items = [(method["about"], method["auc"], "%.3f" % method["auc"],
              "± %.3f, %.1f s" % (method["std"], method["seconds"])) for method in row["facts"]["methods"]]
    return heading("Held-out links of the bundled graph",
                   "AUC by the clean protocol, mean and deviation of three seeds.") + bars(items)


def time_chart(points):
    if not points:
        return ""
    key = '<p class="muted"><span class="key neap"></span>neap<span class="key torch"></span>PyTorch</p>'
    return ("<h2>Time of a training epoch against edges</h2>" + key + chart.svg(points, 900, 470, "wide") +
            chart.svg(points, 380, 440, "narrow"))


def with_fact(rows, name):
    return next((row for row in rows if name in row.get("facts", {})), None)


def render(results):
    rows = results["rows"]
    made = "%s, %s: %s." % (results["command"], results["machine"]["date"], words.machine(results))
    parts = [HEAD % STYLE, "<h1>How fast neap is</h1>", tag("p", "muted", escape(made)),
             "<p>Each number is a ratio of one session, both sides one after the other. What missed its goal says so.</p>",
             time_chart([point for row in rows for point in row.get("points", [])]), goal_table(rows)]
    for name, part in (("stages", stages), ("tiles", tiles), ("methods", held_out)):
        row = with_fact(rows, name)
        parts += [part(row)] if row else []
    return "\n".join(parts) + "\n</main></body>\n</html>\n"


def write(results, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(render(results))
