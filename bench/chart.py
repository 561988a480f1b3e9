"""Time against edges on log axes, as SVG: one mark a measurement, and between the two of a graph their ratio."""
import math
from html import escape

MARGIN = {"left": 64, "right": 24, "top": 20, "bottom": 52}


class Axes:
    """Where a number of edges and a number of seconds lie; both axes end at whole powers of ten."""

    def __init__(self, width, height, edges, seconds):
        self.left, self.right = MARGIN["left"], width - MARGIN["right"]
        self.top, self.bottom = MARGIN["top"], height - MARGIN["bottom"]
        self.x_powers, self.y_powers = powers(edges), powers(seconds)

    def x(self, edges):
        return place(edges, self.x_powers, self.left, self.right)

    def y(self, seconds):
        return place(seconds, self.y_powers, self.bottom, self.top)


def powers(values):
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def place(value, span, start, end):
    return start + (math.log10(value) - span[0]) / max(1, span[-1] - span[0]) * (end - start)


def edges_in_words(power):
    for size, unit in ((9, "G"), (6, "M"), (3, "k")):
        if power >= size:
            return "%d%s" % (10 ** (power - size), unit)
    return "%d" % 10 ** power


def text(x, y, words, anchor="middle", kind=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>' % (
        x, y, anchor, ' class="%s"' % kind if kind else "", escape(words))


def grid(axes):
    parts = []
    for power in axes.x_powers:
        x = axes.x(10 ** power)
        parts.append('<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>' % (x, axes.top, x, axes.bottom))
        parts.append(text(x, axes.bottom + 20, edges_in_words(power), kind="tick"))
    for power in axes.y_powers:
        y = axes.y(10 ** power)
        parts.append('<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>' % (axes.left, y, axes.right, y))
        parts.append(text(axes.left - 10, y + 4, "{:,g} s".format(10 ** power), "end", "tick"))
    parts.append(text((axes.left + axes.right) / 2, axes.bottom + 42, "edges trained on in an epoch", kind="tick"))
    return parts


def mark(who, x, y):
    if who == "neap":
        return '<circle class="neap" cx="%.1f" cy="%.1f" r="5"/>' % (x, y)
    return '<rect class="torch" x="%.1f" y="%.1f" width="9" height="9"/>' % (x - 4.5, y - 4.5)


class Labels:
    """Puts words beside marks where there is still room: right, left, below, above."""

    def __init__(self, axes):
        self.axes, self.taken, self.parts = axes, [], []

    def keep_clear(self, x, top, bottom, around):
        self.taken.append((x - around, min(top, bottom) - around, x + around, max(top, bottom) + around))

    def put(self, x, y, words, kind=""):
        wide = 6.6 * len(words)
        for dx, dy, anchor in ((10, 4, "start"), (-10, 4, "end"), (0, 20, "middle"), (0, -12, "middle"),
                               (10, 18, "start"), (-10, 18, "end"), (10, -10, "start"), (-10, -10, "end")):
            left = x + dx - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
            box = (left, y + dy - 11, left + wide, y + dy + 3)
            inside = box[0] >= self.axes.left and box[2] <= self.axes.right + MARGIN["right"]
            if inside and not any(overlap(box, other) for other in self.taken):
                break
        self.taken.append(box)
        self.parts.append(text(x + dx, y + dy, words, anchor, kind))


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def pairs(points):
    """The marks of the graphs that both were measured on."""
    theirs = {graph: (edges, seconds) for who, graph, edges, seconds in points if who != "neap"}
    return [(edges, seconds, theirs[graph][1]) for who, graph, edges, seconds in points
            if who == "neap" and graph in theirs]


def svg(points, width, height, kind):
    """points: (who, graph, edges, seconds an epoch)."""
    axes = Axes(width, height, [p[2] for p in points], [p[3] for p in points])
    labels, marks = Labels(axes), []
    for edges, ours, theirs in pairs(points):
        x, low, high = axes.x(edges), axes.y(ours), axes.y(theirs)
        marks.append('<line class="gain" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>' % (x, low, x, high))
        labels.keep_clear(x, low, high, 2)
    for who, _, edges, seconds in points:
        x, y = axes.x(edges), axes.y(seconds)
        marks.append(mark(who, x, y))
        labels.keep_clear(x, y, y, 7)
    for who, graph, edges, seconds in points:
        if who == "neap":
            labels.put(axes.x(edges), axes.y(seconds), graph)
    for edges, ours, theirs in pairs(points):
        labels.put(axes.x(edges), axes.y(math.sqrt(ours * theirs)), "%.0fx" % (theirs / ours), "times")
    return '<svg class="%s" viewBox="0 0 %d %d" role="img" aria-label="Seconds an epoch against edges">%s</svg>' % (
        kind, width, height, "".join(grid(axes) + marks + labels.parts))
