# tests/repository/check_words.py: texts are in plain English, by the patterns that readers stumbled on.
"""Usage: check_words.py ROOT [--write].

Looks at comments, strings, Markdown and the strings of JSON for turns of phrase that have to be read
twice (PATTERNS). What stood there when this check began is counted by file in words_counted.txt; a
file may have no more of a pattern than it has there. --write takes the counts of today, after texts
were mended; it never raises one.

It is a floor: a text that passes and has to be read twice is still wrong.
"""
import collections
import json
import pathlib
import re
import sys

import tracked
from tracked import CODE, SCRIPT

COUNTED = "tests/repository/words_counted.txt"
UNITS = (r"bytes|registers|threads|sectors|requests|wavefronts|rows|columns|elements|blocks|warps|lanes|"
         r"instructions|words|entries|products|loads|launches|lines")
SINGLE = (r"warp|lane|thread|block|request|row|column|line|run|frame|launch|step|element|second|"
          r"multiprocessor|panel|scene|sample|instruction|cell|pixel|point|file|image|layer")
PATTERNS = {
    "behind": (r"(?<!bra )(?<!void )(?<!\")\b[Bb]ehind\b(?!\"|:\\n)", "write after, beyond, below or following"),
    "Of …": (r"(?:^|[.:;!?]\s+)Of (?!course)[a-z0-9`“]", "begin with the subject"),
    "held to": (r"\b(?:is|are|be|was|were|been|and) held to\b|\bholds? (?:\w+ ){1,3}to (?:the|its|their|a)\b",
                "write compare with, check against or must stay within"),
    "is no": (r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer|more\b|\w+er\b)\w+", "write is not a"),
    "nothing where": (r"\b[Nn]othing where\b|(?:^|[;.] )[Nn]othing: |\basks? nothing\b", "write empty if, returns no value if"),
    "idioms": (r"\bso or so\b|\bnobody wins\b|\bwitness(?:es)?\b|\bcarry the word\b|\bno one's\b|"
               r"\bmachine's (?:text|compiler)\b", "say the fact"),
    "a warp a row": (rf"\b(?:[Aa]n?|[Oo]ne) (?:{SINGLE}|bar) an? (?:{SINGLE})\b|"
                     rf"\b(?:{UNITS}) an? (?:{SINGLE})\b(?! (?:has|is|can|takes|does)\b)", "write per"),
    "seed": (r"(?<!--)(?<![Rr]andom )(?<!\()(?<!\.)(?<!same )(?<!\ba )(?<!-)\bseeds?(?:'s)?\b(?! of random| window| =|=|: the start of random)", "write published kernel; write random seed or a seed for random numbers"),
    "binds": (r"(?<!\.)\bbinds?\b(?!\}|\)| = )|\bbound by\b", "write limits or limited by"),
    "descent": (r"(?<!Ascent and )\bdescents?\b|(?<!net )(?<!net pooled )\bslopes?\b", "write gradient, SGD update or learning rate"),
}
COMPILED = {name: re.compile(pattern, re.M) for name, (pattern, _) in PATTERNS.items()}
LITERAL = re.compile(r'//(?P<comment>[^\n]*)|R"\((?P<raw>.*?)\)"|"(?P<text>(?:[^"\\\n]|\\.)*)"|'
                     r"'(?:[^'\\\n]|\\.)'", re.S)


def prose_of_code(text):
    """Comments joined to paragraphs, and string literals: neighbouring ones are one text."""
    text = re.sub(r"^#include[^\n]*$", "", text, flags=re.M)
    parts, last = [], ("", 0, 0)
    for found in LITERAL.finditer(text):
        kind = found.lastgroup
        if kind is None:
            continue
        between = text[last[1]:found.start()]
        # A comment on a line of its own does not continue one that stands after code.
        before = text[text.rfind("\n", 0, last[2]) + 1:last[2]]
        after_code = kind == "comment" and before.strip() != ""
        if kind == last[0] and not between.strip() and not after_code:
            parts[-1] += (" " if kind == "comment" else "") + found[kind].strip("\n")
        else:
            parts.append(found[kind])
        last = (kind, found.end(), found.start())
    return [re.sub(r"\s+", " ", part).strip() for part in parts]


def prose_of_script(text):
    return [line.split("#", 1)[1].strip() for line in text.splitlines() if "#" in line]


def prose_of_markdown(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->|`[^`\n]*`", "", text, flags=re.S)
    return [re.sub(r"\s+", " ", part) for part in re.split(r"\n\s*\n|\n(?=[|\-*#])|\|", text)]


def prose_of_json(text):
    found = []

    def look(value):
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list):
            for each in value:
                look(each)
        elif isinstance(value, dict):
            for each in value.values():
                look(each)
    look(json.loads(text))
    return found


def prose_of(path, text):
    if path.endswith(".md"):
        return prose_of_markdown(text)
    if path.endswith(".json"):
        return prose_of_json(text)
    if path.endswith(CODE):
        return prose_of_code(text)
    return prose_of_script(text)


def counts_of(path, text):
    counts = collections.Counter()
    for part in prose_of(path, text):
        if " " not in part:  # an id: a name of an axis, a buffer, a key
            continue
        part = re.sub(r"`[^`]*`", "", part)
        for name, pattern in COMPILED.items():
            counts[name] += len(pattern.findall(part))
    return +counts


def is_looked_at(path):
    if path == "tests/repository/check_words.py" or path.endswith("schema.json"):
        return False
    return path.endswith(CODE + SCRIPT + (".md", ".toml")) or (
        path.endswith(".json") and path.startswith("assets/"))


def read_counted(text):
    """{path: {pattern: count}} of lines “path: pattern 3, pattern 1”."""
    counted = {}
    for line in text.splitlines():
        path, _, rest = line.partition(": ")
        counted[path] = {name: int(number) for name, number in
                         (each.rsplit(" ", 1) for each in rest.split(", "))}
    return counted


def written(counted):
    return "".join(f"{path}: " + ", ".join(f"{name} {number}" for name, number in counts.items()) + "\n"
                   for path, counts in sorted(counted.items()) if counts)


def differences(found, counted):
    lines = []
    for path, counts in sorted(found.items()):
        for name, number in counts.items():
            may = counted.get(path, {}).get(name, 0)
            if number > may:
                lines.append(f"{path}: “{name}” {number} times, {may} may be: {PATTERNS[name][1]}")
    return lines


def prove_the_rules():
    def names(path, text):
        return set(counts_of(path, text))
    assert names("a.cpp", "// The row is drawn\n// behind it.\n") == {"behind"}
    assert names("a.cpp", 'say("what is " "held to it");') == {"held to"}
    assert names("a.cpp", "#include <behind.h>\nint behind;") == set()
    assert names("a.md", "A warp a row.") == names("a.md", "one warp a row") == {"a warp a row"}
    assert names("a.md", "Of equals the first wins. A warp a row, 16 bytes a lane.") == {"Of …", "a warp a row"}
    assert names("a.md", "`behind`\n```\nbehind\n```\nThere is no display.") == set()
    assert names("a.json", '{"behind": "It is no session."}') == {"is no"}
    assert names("a.cpp", 'read("seed", "slopes[0]", "x.binds = 1");') == set()
    assert names("a.cpp", "// The row; nothing: there is none.") == {"nothing where"}
    assert names("a.cpp", "// Behind it lies the next one.") == {"behind"}
    assert names("a.cpp", "int a;  // first\n// Of the rest all are zero.\n") == {"Of …"}
    assert names("a.py", "x = 1  # the seed's text") == {"seed"}
    found = {"a.md": {"behind": 2}, "b.md": {"seed": 1}}
    assert len(differences(found, {"a.md": {"behind": 1}})) == 2
    assert not differences(found, {"a.md": {"behind": 2}, "b.md": {"seed": 3}})
    assert read_counted(written(found)) == found


def main():
    prove_the_rules()
    root = pathlib.Path(sys.argv[1])
    paths = [path for path in tracked.files(root) if is_looked_at(path)]
    found = {path: counts_of(path, tracked.text(root, path)) for path in paths}
    file = root / COUNTED
    counted = read_counted(file.read_text()) if file.exists() else None
    if "--write" in sys.argv:
        if counted is not None:
            found = {path: {name: min(number, counted.get(path, {}).get(name, 0))
                            for name, number in counts.items()} for path, counts in found.items()}
            found = {path: {name: number for name, number in counts.items() if number}
                     for path, counts in found.items()}
        file.write_text(written(found))
        return
    lines = differences(found, counted or {})
    print("\n".join(lines + [f"{len(lines)} findings"]))
    sys.exit(1 if lines else 0)


main()
