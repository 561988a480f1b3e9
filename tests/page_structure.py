"""page_structure.py FILE...: what a screen reader needs of our pages and axe-core would miss: no heading inside a table,
frames that scroll (regions) by different names, ids that are unique, labels that exist, levels of headings without a gap."""
import sys
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Structure(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.regions, self.labels, self.level, self.faults = [], [], [], [], 0, []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag[0] == "h" and tag[1:].isdigit():
            if "table" in self.open:
                self.faults.append("a heading inside a table")
            if int(tag[1:]) > self.level + 1:
                self.faults.append("%s behind h%d" % (tag, self.level))
            self.level = int(tag[1:])
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if attrs.get("role") == "region":
            self.regions.append(attrs.get("aria-label", ""))
        self.labels += attrs.get("aria-labelledby", "").split()
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append("%s closes another element" % tag)

    def judge(self):
        self.faults += ["two regions '%s'" % name for name in set(self.regions) if self.regions.count(name) > 1]
        self.faults += ["two ids '%s'" % name for name in set(self.ids) if self.ids.count(name) > 1]
        self.faults += ["no id '%s'" % name for name in self.labels if name not in self.ids]
        self.faults += ["no heading"] if not self.level else []
        return self.faults


bad = False
for path in sys.argv[1:]:
    page = Structure()
    page.feed(open(path, encoding="utf-8").read())
    for fault in page.judge():
        bad = True
        print("%s: %s" % (path, fault), file=sys.stderr)
sys.exit(bad)
