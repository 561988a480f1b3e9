"""The curves of a model of method evidence as one SVG: what each evidence says, over the values that it has.

    bench/curves.py MODEL OUT.svg

Panels share one scale of log-odds; the twelve curves that bend or rise most are shown."""
import math
import os
import re
import sys
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "examples"))
import read_model

KINDS = os.path.join(os.path.dirname(HERE), "src", "evidence", "kinds.def")
ACROSS, DOWN, WIDTH, HEIGHT = 3, 4, 300, 190
PLOT = {"left": 34, "right": 8, "top": 40, "bottom": 24}
NONE = 3.0e38  # behind the last edge of a curve with fewer bins

STYLE = """text { font: 12px system-ui, sans-serif; fill: #333 } .tick { font-size: 10px; fill: #777 }
.curve { fill: none; stroke: #2563a8; stroke-width: 2 } .axis { stroke: #ccc }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .tick { fill: #999 } .curve { stroke: #7db4ee } .axis { stroke: #444 } }"""


def words_of_kinds():
    with open(KINDS, encoding="utf-8") as file:
        found = re.findall(r'^KIND\((\d+), .*"(.*)"\)', file.read(), re.M)
    return {int(number): words.replace("%s", "source").replace("%t", "target") for number, words in found}


class Curve:
    """f(x) at the edges of its bins and between them."""

    def __init__(self, words, line, edge, step):
        self.words, (self.offset, mean, deviation, slope) = words, map(float, line)
        self.edges = sorted({float(x) for x in edge if x < NONE})
        value = lambda x, q: slope * (self.scale(x) - mean) / deviation + float(step[q])
        self.points = []
        for q, x in enumerate(self.edges):  # a step is from the edge before, or from this one if there is none, to this one
            before = self.edges[q - 1] if q else x
            self.points += [(self.scale(before), value(before, q + 1)), (self.scale(x), value(x, q + 1))]
        self.spread = max(y for _, y in self.points) - min(y for _, y in self.points) if self.points else 0

    def scale(self, x):
        return x if self.offset < 0 else math.log(max(x, 0) + self.offset)


def read_curves(path):
    t, _ = read_model.open_tensors(path)
    names = words_of_kinds()
    return [Curve(names[int(k)], *rows) for k, *rows in
            zip(t["curve.kinds"], t["curve.lines"], t["curve.edges"], t["curve.steps"])]


def text(x, y, words, anchor="start", kind=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>' % (
        x, y, anchor, ' class="%s"' % kind if kind else "", escape(words))


def wrapped(words, most=46):
    """At most two lines."""
    cut = words.rfind(" ", 0, most) if len(words) > most else len(words)
    return [words[:cut], words[cut:].strip()]


def panel(curve, left, top, low, high):
    x0, x1 = left + PLOT["left"], left + WIDTH - PLOT["right"]
    y0, y1 = top + HEIGHT - PLOT["bottom"], top + PLOT["top"]
    first, last = curve.points[0][0], curve.points[-1][0]
    x_of = lambda x: x0 + (x - first) / ((last - first) or 1) * (x1 - x0)
    y_of = lambda y: y0 + (y - low) / (high - low) * (y1 - y0)
    parts = [text(left + 4, top + 14 + 14 * i, line) for i, line in enumerate(wrapped(curve.words))]
    for y in range(math.ceil(low / 2) * 2, math.floor(high) + 1, 2):
        parts.append('<line class="axis" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>' % (x0, y_of(y), x1, y_of(y)))
        parts.append(text(x0 - 5, y_of(y) + 4, "%+d" % y if y else "0", "end", "tick"))
    parts.append(text(x0, y0 + 16, "%.3g" % curve.edges[0], "start", "tick"))
    parts.append(text(x1, y0 + 16, "%.3g" % curve.edges[-1], "end", "tick"))
    path = " ".join("%.1f,%.1f" % (x_of(x), y_of(y)) for x, y in curve.points)
    return parts + ['<polyline class="curve" points="%s"/>' % path]


def draw(curves):
    shown = sorted((c for c in curves if c.points), key=lambda c: -c.spread)[:ACROSS * DOWN]
    low, high = (pick(y for c in shown for _, y in c.points) for pick in (min, max))
    width, height = ACROSS * WIDTH, DOWN * HEIGHT + 24
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">' % (width, height, width, height),
             "<style>%s</style>" % STYLE]
    for i, curve in enumerate(shown):
        parts += panel(curve, i % ACROSS * WIDTH, i // ACROSS * HEIGHT, low, high)
    parts.append(text(4, height - 6, "Up: what it adds to the log-odds of a link. Across: its value, where it can be on a log axis.", kind="tick"))
    return "\n".join(parts + ["</svg>\n"])


def save(model, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(draw(read_curves(model)))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    save(*sys.argv[1:])


if __name__ == "__main__":
    main()
