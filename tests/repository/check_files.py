# tests/repository/check_files.py: files say what they are, pages have links that lead somewhere.
"""Usage: check_files.py ROOT."""
import posixpath
import re
import sys

import tracked
from tracked import CODE, SCRIPT

MARKS = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
# Folders that exist on one person's machine only; system folders that a package owns are fine.
MACHINE = re.compile(r"(?<![\w.~$}])/(home|root|work|Users|mnt|data|workspace)/[\w.]")
# What is shown decides nothing: `family == "library"` is asked of a variant's steps.
SHOWN = r"\b(?:family|label|title|caption)\b"
DISPLAYED = re.compile(rf'{SHOWN}\s*[!=]=\s*"|"\s*[!=]=\s*[\w.>()-]*{SHOWN}')
# A comment cites what stands in the repository or what the world can read.
CITED = re.compile(r"\b[A-Z]{4,}(?:\.md)?,? section \d|(?<![\w/.])[\w/]+\.md\b")
# A link of a page: [words](target "title").
LINK = re.compile(r"\[[^\]]*\]\s*\(\s*([^)\s]*)[^)]*\)")
LICENCE_WALL = re.compile(r"SPDX" r"-License|Licensed " r"under the|All rights " r"reserved")


def findings_in(path, text, is_file=lambda name: True):
    found = []
    lines = text.splitlines()
    code, script = path.endswith(CODE), path.endswith(SCRIPT)
    if code or script:
        mark = "//" if code else "#"
        first = lines[0] if lines else ""
        if not first.startswith(f"{mark} {path}: ") or len(first) < len(f"{mark} {path}: ") + 8:
            found.append(f"{path}:1: does not begin with \"{mark} {path}: one sentence\"")
        if LICENCE_WALL.search(text):
            found.append(f"{path}: the licence stands once, in LICENSE")
    if path.endswith(".h") and "#pragma once" not in text:
        found.append(f"{path}: a header without #pragma once")
    for number, line in enumerate(lines, 1):
        if MARKS.search(line):
            found.append(f"{path}:{number}: a mark of unfinished work: {line.strip()[:80]}")
        if code and DISPLAYED.search(line):
            found.append(f"{path}:{number}: hangs on a display string: {line.strip()[:80]}")
        for cited in CITED.findall(line.partition("//")[2]) if code else ():
            if " section " in cited or not is_file(cited):
                found.append(f"{path}:{number}: cites what is not here: {cited}")
        if MACHINE.search(line):
            found.append(f"{path}:{number}: a path of one machine: {line.strip()[:80]}")
    return found


def outside_code(text):
    """The lines of a page that are not in fenced blocks, numbered from 1."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors_of(text):
    """What a link to a heading of this page may say after #."""
    heads = [re.sub(r"<!--.*?-->|[`*]", "", line.lstrip("#")).strip().lower()
             for _, line in outside_code(text) if re.match(r"#{1,6} ", line)]
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in heads}


def page_findings(path, text, page_of, is_path):
    """A page begins with its title, its tables are tables and its links lead somewhere."""
    found = []
    if not text.startswith("# "):
        found.append(f"{path}:1: a page begins with \"# title\"")
    before = ""
    for number, line in outside_code(text):
        rule = re.fullmatch(r"\|[\s|:-]+", line)
        if rule and not re.fullmatch(r"(\| ?:?-+:? ?)+\|", line):
            found.append(f"{path}:{number}: the line below a table's head is malformed; write | --- | --- |: {line[:80]}")
        if line.startswith("|") and not before.startswith("|") and line.count("|") < 3:
            found.append(f"{path}:{number}: a table needs two columns: {line[:80]}")
        before = line
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            file, _, anchor = target.partition("#")
            if "://" in target or target.startswith("mailto:"):
                continue
            at = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            if not is_path(at):
                found.append(f"{path}:{number}: the link's target is not in the repository: {target}")
            elif anchor and at.endswith(".md") and anchor not in anchors_of(page_of(at)):
                found.append(f"{path}:{number}: the page has no such heading: {target}")
    return found


def prove_the_rules_of_pages():
    good = "# A page\n\n| a | b |\n| --- | :-: |\n| 1 | 2 |\n\n## It's *in* `code`\n\n" \
           "[x](b.md#a-page), [y](#its-in-code), `[z](no)`\n```\n[z](no)\n| -\n```\n"

    def of(text):
        return page_findings("d/a.md", text, lambda path: "# A page\n" if path == "d/b.md" else text,
                             {"d/a.md", "d/b.md"}.__contains__)
    assert not of(good), of(good)
    for bad in ("#A page\n", good.replace("| --- |", "| -- - |"), good.replace("(b.md", "(c.md"),
                good.replace("(b.md#a-page)", "(b.md#other)"), good.replace("](#its", "] (#it"),
                good.replace("](b.md", "] (../ b.md")):
        assert of(bad), f"no rule saw {bad!r}"


def prove_the_rules():
    good = "// a.h: a header that is fine.\n#pragma once\n"
    assert not findings_in("a.h", good), findings_in("a.h", good)
    for bad in ("#pragma once\n", "// a.h: x\n#pragma once\n", good.replace("once", ""),
                good + "// TO" "DO later\n",
                good + 'open("/ho' 'me/me/a")\n',
                good + 'if (v->family == "library") {}\n', good + 'if ("ours" != v.family) {}\n', good + "// SPDX-" "License-Identifier: x\n"):
        assert findings_in("a.h", bad), f"no rule saw {bad[:60]!r}"
    bad = good + "// source: PLAN" "NING section 4\n", good + "// see lost.md\n"
    for text in bad:
        assert findings_in("a.h", text, lambda name: False), f"no rule saw {text[-30:]!r}"
    assert not findings_in("a.h", good + "// see profiling/README.md, Times\n")


def parents(path):
    """The folders that hold a path, from the nearest: a/b/c has a/b and a."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def main():
    prove_the_rules()
    prove_the_rules_of_pages()
    root = sys.argv[1]
    found = []
    present = set(tracked.files(root))
    folders = {folder for path in present for folder in parents(path)}
    for path in sorted(present):
        if path == "LICENSE" or path.startswith("assets/"):
            continue
        try:
            text = tracked.text(root, path)
            found += findings_in(path, text, present.__contains__)
            if path.endswith(".md"):
                found += page_findings(path, text, lambda page: tracked.text(root, page),
                                       (present | folders).__contains__)
        except UnicodeDecodeError:
            if path.endswith(CODE + SCRIPT):
                found.append(f"{path}: is not UTF-8")
    return tracked.report(found)


if __name__ == "__main__":
    sys.exit(main())
