# tests/repository/check_files.py: every file says what it is and speaks of no machine.
"""Usage: check_files.py ROOT."""
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


def main():
    prove_the_rules()
    root = sys.argv[1]
    found = []
    present = set(tracked.files(root))
    for path in sorted(present):
        if path == "LICENSE" or path.startswith("assets/"):
            continue
        try:
            found += findings_in(path, tracked.text(root, path), present.__contains__)
        except UnicodeDecodeError:
            if path.endswith(CODE + SCRIPT):
                found.append(f"{path}: is not UTF-8")
    return tracked.report(found)


if __name__ == "__main__":
    sys.exit(main())
