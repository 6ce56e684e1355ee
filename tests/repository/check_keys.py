# tests/repository/check_keys.py: the window's page lists the keys of F1, and the lessons that ship.
"""Usage: check_keys.py ROOT [--write].

The program's keys are rows of three tables: PANEL(…) in workbench/panels/panels.h, kHelp and kCommands
in workbench/window/frame_commands.cpp, and kMouse in workbench/window/frame.cpp.
workbench/README.md has a table of each between "<!-- keys NAME -->" and "<!-- end -->". --write makes
them anew from the sources. A row of the table of lessons begins with a file's name in assets/lessons
and its title.
"""
import json
import re
import sys

import tracked

PAGE = "workbench/README.md"
PANELS, COMMANDS, HELP = (f"workbench/{name}" for name in
                          ("panels/panels.h", "window/frame_commands.cpp", "window/frame.cpp"))
BLOCK = re.compile(r"^<!-- keys (\w+) -->\n(.*?)^<!-- end -->$", re.M | re.S)
TEXT = r'"((?:[^"\\]|\\.)*)"'
# Task, "name", "keys", "sentence", and the function that says whether they are pressed.
ROW = re.compile(rf"\{{\s*Task::\w+,\s*{TEXT},\s*{TEXT},\s*{TEXT},\s*\[\]")


def place_of(key):
    """As place_of_key in frame_commands.cpp: digits as on the keyboard, then letters."""
    return ("9~" if key[-1] == "0" else key[-1], len(key))


def keys_of(panels, commands, help_text):
    """By table: (keys, what they do), in the order of F1."""
    tabs = re.findall(rf"^  PANEL\((\w+),\s*{TEXT},\s*\w+,\s*{TEXT},", panels, re.M)
    rows = [(keys, said) for _, keys, said in ROW.findall(commands)]
    helps = help_text.partition(" kMouse[] = {")[2].partition("\n};\n")[0]
    return {"panels": sorted(((key, title) for _, title, key in tabs if key), key=lambda k: place_of(k[0])),
            "commands": rows, "pointer": re.findall(rf"\{{Task::\w+,\s*{TEXT},\s*{TEXT}\}}", helps)}


def table_of(name, rows):
    head = "panel" if name == "panels" else "what it does"
    return f"| key | {head} |\n| --- | --- |\n" + "".join(f"| {keys} | {said} |\n" for keys, said in rows)


def differences(page, keys):
    there = dict(BLOCK.findall(page))
    found = [f"{PAGE}: no table “<!-- keys {name} -->”" for name in keys if name not in there]
    for name in keys.keys() & there.keys():
        said, now = there[name].split("\n"), table_of(name, keys[name]).split("\n")
        found += [f"{PAGE}: {name}: not in the program: {line}" for line in said if line not in now]
        found += [f"{PAGE}: {name}: the program has: {line}" for line in now if line not in said]
        if set(said) == set(now) and said != now:
            found.append(f"{PAGE}: {name}: another order, or a row twice")
    return found + [f"the sources have no rows of {name}" for name, rows in keys.items() if not rows]


def other_lessons(page, lessons):
    """`lessons`: the title of each by its name."""
    there = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", page.partition("\n### Lessons\n")[2], re.M))
    return [f"{PAGE}: the lesson {name} is “{lessons.get(name, '')}”, not “{there.get(name, '')}”"
            for name in sorted(lessons.keys() | there.keys()) if lessons.get(name) != there.get(name)]


def written(page, keys):
    return BLOCK.sub(lambda m: f"<!-- keys {m[1]} -->\n{table_of(m[1], keys[m[1]])}<!-- end -->", page)


def prove_the_rules():
    panels = ('  PANEL(axes, "Axes", left, "", X, y) \\\n  PANEL(warp, "Warp map", right, "0", X, y) \\\n'
              '  PANEL(curves, "Curves", centre, "Shift+H", X, y) \\\n  PANEL(plot, "Plot", centre, "1", X, y)\n')
    commands = ('constexpr Command kHelp = {Task::window, "help", "F1", "show this",\n   [] { return true; }};\n'
                '    {Task::plots, "next", "E",\n     "the next one", [] { return plain(); }},\n')
    helps = ('constexpr HelpRow kMouse[] = {\n    {Task::plots, "wheel",\n     "zoom"},\n};\n'
             'constexpr HelpRow kOthers[] = {\n    {Task::plots, "a", "b"},\n};\n')
    keys = keys_of(panels, commands, helps)
    assert keys == {"panels": [("1", "Plot"), ("0", "Warp map"), ("Shift+H", "Curves")],
                    "commands": [("F1", "show this"), ("E", "the next one")],
                    "pointer": [("wheel", "zoom")]}, keys
    bare = "".join(f"<!-- keys {name} -->\n<!-- end -->\n" for name in keys)
    page = written(bare, keys)
    assert not differences(page, keys), differences(page, keys)
    for bad in (bare, page.replace("the next one", "another"), page.replace("| 1 | Plot |\n", ""),
                page.replace("keys pointer", "keys mouse")):
        assert differences(bad, keys), f"no rule saw {bad}"
    assert differences(page, keys_of("", commands, helps))
    page = "\n### Lessons\n\n| `banks` | Banks | 6 |\n"
    assert not other_lessons(page, {"banks": "Banks"})
    assert other_lessons(page, {"banks": "Lines"}) and other_lessons(page, {}) and other_lessons("", {"a": "b"})


def main():
    prove_the_rules()
    root = sys.argv[1]
    keys = keys_of(*(tracked.text(root, path) for path in (PANELS, COMMANDS, HELP)))
    page = tracked.text(root, PAGE)
    if "--write" in sys.argv:
        page = written(page, keys)
        with open(f"{root}/{PAGE}", "w", encoding="utf-8") as file:
            file.write(page)
    lessons = {path.split("/")[-1][:-5]: json.loads(tracked.text(root, path))["title"]
               for path in tracked.files(root) if re.fullmatch(r"assets/lessons/(?:course/)?\w+\.json", path)}
    return tracked.report(differences(page, keys) + other_lessons(page, lessons))


if __name__ == "__main__":
    sys.exit(main())
