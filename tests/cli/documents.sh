#!/bin/bash
# What the documents name is there: links, paths of files and folders, files by their bare name, and, in SECURITY.md, the
# constant of a limit in the file beside it.
. "$(dirname "$0")/lib/common.bash"

python3 - "$NEAP_SOURCE" 2>err <<'END' || fail 'documents name what is not there'
import re, sys
from pathlib import Path

root = Path(sys.argv[1])
folders = "bench cmake data docs examples include programs src tests tools".split()
documents = sorted(root.glob("*.md")) + sorted(p for folder in folders for p in root.glob(folder + "/**/*.md"))
names = {p.name for folder in folders for p in root.glob(folder + "/**/*")}
path = re.compile(r"(?<![\w/.-])(?:%s)/[\w.*/-]*[\w*/]" % "|".join(folders))
bare = re.compile(r"`([\w*]+\.(?:c|h|def|py|sh))`")
link = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
limit = re.compile(r"^\|.*\| `(\w+)`(?:, `(\w+)`)? \| ([\w./]+) \|$", re.M)
wrong, seen = [], [0, 0, 0, 0]


def there(folder, name):  # NAME and * stand for anything
    return any(folder.glob(name.replace("NAME", "*").rstrip("/")))


def check(document, kind, what, fine):
    seen[kind] += 1
    if not fine:
        wrong.append("%s: %s" % (document.relative_to(root), what))


for document in documents:
    text = document.read_text(encoding="utf-8")
    for name in path.findall(text):
        check(document, 0, name, there(root, name))
    for name in bare.findall(text):
        check(document, 1, name, name in names or "NAME" in name or "*" in name)
    for name in link.findall(text):
        check(document, 2, "](%s)" % name, (document.parent / name).exists())
for one, other, name in limit.findall((root / "SECURITY.md").read_text(encoding="utf-8")):
    text = (root / name).read_text(encoding="utf-8") if (root / name).is_file() else ""
    for constant in filter(None, (one, other)):
        check(root / "SECURITY.md", 3, "%s in %s" % (constant, name), re.search(r"\b%s\b" % constant, text))
assert min(seen) >= 10, seen
sys.exit("\n".join(wrong) if wrong else 0)
END
