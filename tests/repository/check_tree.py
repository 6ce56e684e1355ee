# tests/repository/check_tree.py: the tree in tests/README.md is the tree on the disk.
"""Usage: check_tree.py ROOT.

The first fenced block of tests/README.md that begins with CMakeLists.txt is the tree: first the files at
the top, then one folder a line with its sentence, folders of the second level indented by two.
Every folder of the first two levels that holds a file stands there, and nothing else does. Folders of
the scenes that scenes/built_in.inc lists may be left out. A scene's folder and a panel's file that have
no row in their table are forgotten.
"""
import re
import sys

import tracked

PAGE = "tests/README.md"


def tree_of(page):
    """(files, folders) that the page names."""
    for block in re.findall(r"^```\w*\n(.*?)^```", page, re.M | re.S):
        if not block.startswith("CMakeLists.txt"):
            continue
        files, folders, parent = set(), set(), ""
        for line in block.splitlines():
            entry = re.match(r"( *)(\S+/)(\s{2,}\S|$)", line)
            if not entry:
                files |= set(line.split())
            elif entry[1]:
                folders.add(parent + entry[2])
            else:
                parent = entry[2]
                folders.add(parent)
        return files, folders
    return None


def tree_on_disk(paths):
    files, folders = set(), set()
    for path in paths:
        parts = path.split("/")
        if parts[0].startswith("."):
            continue
        if len(parts) == 1:
            files.add(path)
        for depth in (1, 2):
            if len(parts) > depth:
                folders.add("/".join(parts[:depth]) + "/")
    return files, folders


def folders_of_scenes(listed):
    names = re.findall(r"^SCENE\((\w+)\)", listed, re.M)
    return {f"{layer}/{name}/" for layer in ("kernels", "scenes") for name in names}


def differences(page, paths, may_lack=frozenset()):
    named = tree_of(page)
    if named is None:
        return [f"{PAGE}: no tree block that begins with CMakeLists.txt"]
    found = []
    for what, said, there in zip(("file", "folder"), named, tree_on_disk(paths)):
        found += [f"{PAGE}: its tree names the {what} {x}, which is not there"
                  for x in sorted(said - there)]
        found += [f"{PAGE}: its tree lacks the {what} {x}" for x in sorted(there - said - may_lack)]
    return found


def forgotten(paths, listed, panels):
    """Scenes and panels that are there and in no table."""
    scenes = sorted(m[1] for p in paths if (m := re.fullmatch(r"scenes/(\w+)/\1\.cpp", p)))
    found = [f"scenes/{name}/: a scene without its line SCENE({name}) in scenes/built_in.inc"
             for name in scenes if name != "template" and f"SCENE({name})\n" not in listed]
    files = sorted(m[1] for p in paths if (m := re.fullmatch(r"workbench/panels/(\w+)_panel\.cpp", p)))
    return found + [f"workbench/panels/{name}_panel.cpp: a panel without its row in panels.h"
                    for name in files if f"PANEL({name}," not in panels]


def prove_the_rules():
    page = "```\nCMakeLists.txt  start\na/   one\n  b/   two\n```\n"
    paths = ["CMakeLists.txt", "start", "a/x", "a/b/y", ".ci/run"]
    assert not differences(page, paths), differences(page, paths)
    assert differences(page, paths + ["c/z"]) and differences(page, paths + ["a/d/z"])
    assert not differences(page, paths + ["scenes/d/z"], folders_of_scenes("SCENE(d)\n") | {"scenes/"})
    there = ["scenes/d/d.cpp", "scenes/d/other.cpp", "workbench/panels/e_panel.cpp"]
    assert not forgotten(there, "SCENE(d)\n", "  PANEL(e, x)") and len(forgotten(there, "", "")) == 2
    assert differences(page, paths[:-2]) and differences("no tree", paths)


def main():
    prove_the_rules()
    root = sys.argv[1]
    listed, paths = tracked.text(root, "scenes/built_in.inc"), tracked.files(root)
    found = differences(tracked.text(root, PAGE), paths, folders_of_scenes(listed))
    found += forgotten(paths, listed, tracked.text(root, "workbench/panels/panels.h"))
    return tracked.report(found)


if __name__ == "__main__":
    sys.exit(main())
