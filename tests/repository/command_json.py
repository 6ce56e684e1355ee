# tests/repository/command_json.py: the page of JSON has what the commands print.
"""Usage: command_json.py ROOT WARPSCOPE.

Runs commands with --json and compares every field with workbench/commands/JSON.md: a field that is printed has
a row with its type, and a row without "?" is printed by each of its commands. A row whose type is a link to a
message stands for all below it; a map has any names.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import tracked

PAGE = "workbench/commands/JSON.md"
SESSION = "{root}/assets/sessions/h200-patterns.wsj.gz"
# A section of the page, and the command lines that print it.
RUNS = {
    "list": ["list --json", "list csrmm --json"],
    "list --metrics": ["list --metrics --json"],
    "verify": ["verify patterns/copy n=65536 --json"],
    "trace, sass": ["trace patterns/copy n=4096 --code ptx --json"],
    "registers": ["registers patterns/copy --json"],
    "kernels": ["kernels {root}/assets/examples/kernels/saxpy/saxpy.cu --json"],
    "plan": ["plan patterns/copy n=4096,8192 --out {folder}/a.plan --json"],
    "sweep of a plan": ["sweep --plan {folder}/a.plan --devices emulated --json"],
    "merge": [f"merge {SESSION} --out {{folder}}/m.wsj --json"],
    "devices": [f"devices {SESSION} {{root}}/assets/examples/h200-another-card.wsj.gz --json"],
    "compare": [f"compare {SESSION} {SESSION} --json"],
    "journal": ["journal --scene csrmm --json", "journal {root}/assets/examples/eight_iterations --json"],
    "agree choice": ["agree choice csrmm {root}/assets/sessions/h200-csrmm.wsj.gz --json"],
    "grade": ["grade {root}/assets/exercises/saxpy --emulated --json"],
    "fork": ["fork patterns/copy --to {folder}/copy --json"],
    "check": [f"check {SESSION} {{root}}/assets/examples/captured_norm/norm.wcap --json"],
    "doctor": ["doctor --json"],
}
# Without NVRTC these print nothing.
COMPILED = {"verify", "sweep of a plan", "trace, sass", "registers", "kernels", "grade"}


def type_of(value):
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "integer"
    return {float: "number", str: "text", type(None): "null"}.get(type(value), "object")


def rows_of(page):
    """{section: {path: type}} of the page."""
    sections = {}
    for part in re.split(r"^## ", page, flags=re.M)[1:]:
        title, _, text = part.partition("\n")
        rows = re.findall(r"^\| (?:`([^`]+)`|\*\((all)\)\*) \| (.+?) \| .*\|$", text, re.M)
        sections[title] = {path or "": kind for path, _, kind in rows}
    return sections


def fields_of(value, rows, path="", found=None):
    """(path, type) of each leaf; what a row describes as a whole is not entered."""
    found = set() if found is None else found
    kind = rows.get(path, "")
    if kind.startswith("[") or kind.startswith("map"):
        found.add((path, kind.rstrip("?")))
    elif isinstance(value, list):
        for each in value:
            fields_of(each, rows, path + "[]", found)
    elif isinstance(value, dict):
        for name, each in value.items():
            fields_of(each, rows, f"{path}.{name}" if path else name, found)
    else:
        found.add((path, type_of(value)))
    return found


def differences(section, rows, values):
    found = set()
    for value in values:
        found |= fields_of(value, rows)
    wrong = []
    for path, kind in sorted(found):
        said = rows.get(path)
        if said is None:
            wrong.append(f"{PAGE}: {section}: no row for `{path}` ({kind})")
        elif said.rstrip("?") != kind and not (said.rstrip("?") == "number" and kind == "integer"):
            wrong.append(f"{PAGE}: {section}: `{path}` is {said} on the page, and {kind} in the output")
    printed = {path for path, _ in found}
    return wrong + [f"{PAGE}: {section}: `{path}` is not printed; write {kind}? if it may be missing"
                    for path, kind in rows.items() if path not in printed and not kind.endswith("?")]


def values_printed(program, words, there):
    ran = subprocess.run([program, *words], capture_output=True, text=True, check=False, env=there, timeout=120)
    try:
        return [json.loads(ran.stdout)], ran
    except ValueError:
        try:
            return [json.loads(line) for line in ran.stdout.splitlines() if line.strip()], ran
        except ValueError:
            return [], ran


def prove_the_rules():
    page = "# A\n\n## draw\n\n| field | type | meaning |\n| --- | --- | --- |\n| `[].a` | text | x |\n" \
           "| `[].b` | number? | y |\n| `[].c` | map | z |\n| `[].d` | [trace](t) | t |\n"
    rows = rows_of(page)["draw"]
    good = [{"a": "1", "b": 2, "c": {"any": 1}, "d": {"deep": []}}]
    assert not differences("draw", rows, [good]), differences("draw", rows, [good])
    assert not differences("draw", rows, [[{"a": "1", "c": {}, "d": 1}]])
    for bad in ([{**good[0], "e": 1}], [{**good[0], "a": 1}], [{**good[0], "b": "2"}], [{"a": "1"}]):
        assert differences("draw", rows, [bad]), f"no rule saw {bad}"


def main():
    prove_the_rules()
    root, program = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    sections, found = rows_of(tracked.text(root, PAGE)), []
    with tempfile.TemporaryDirectory(prefix="warpscope-json-") as folder:
        there = {**os.environ, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        doctor = values_printed(program, ["doctor", "--json"], there)[0]
        compiles = any(row["name"] == "nvrtc" and row["works"] for row in doctor[0]) if doctor else False
        for section, lines in RUNS.items():
            if section in COMPILED and not compiles:
                print(f"{section} is not compared: there is no NVRTC here")
                continue
            values = []
            for line in lines:
                words = [word.format(root=root, folder=folder) for word in line.split()]
                printed, ran = values_printed(program, words, there)
                values += printed
                if not printed:
                    found.append(f"{line}: no JSON: status {ran.returncode}: {ran.stderr[:300]}")
            if values:
                found += differences(section, sections.get(section, {}), values)
    return tracked.report(found)


if __name__ == "__main__":
    sys.exit(main())
