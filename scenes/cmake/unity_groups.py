# scenes/cmake/unity_groups.py: which sources may be compiled as one: none that would not alone.
"""Usage: unity_groups.py ROOT SOURCE...: prints "GROUP SOURCE" for each that shares a unit.

Files that are compiled as one see each other's names. Two share no unit where one of them has a
name of its own (in a namespace without a name, a macro, a type beside the tests that use it) that
the other one has too or reads from a header of ROOT. A file that leaves macros or names of a whole
namespace or enum behind is compiled alone.
"""
import functools
import pathlib
import re
import sys

MOST_LINES = 5000  # of a unit: about twenty seconds of a compiler

TYPE = re.compile(r"(?:struct|class|enum(?: class)?|union) (\w+)|using (\w+) =")
NOTHING = re.compile(r"[^A-Za-z_]|(namespace|template|public|private)\b|using [^=]*;|[A-Z_]+\(|$")


def declared(statement):
    """The names that a statement at the left margin declares."""
    if NOTHING.match(statement):
        return set()
    if found := TYPE.match(statement):
        # The names in a plain enum stand beside its own.
        inside = re.findall(r"\bk[A-Z]\w*", statement) if re.match(r"enum \w", statement) else []
        return {found[1] or found[2], *inside} - {"class"}
    names = re.findall(r"(\w+)\s*[(={;\[]", statement)
    # A function's name is the first; constants may stand several in a statement.
    return set(names[:1] + [name for name in names if re.match(r"k[A-Z]", name)])


@functools.cache
def read(path):
    """Of a file: its lines, its own names, the names it offers, and the headers that it includes."""
    text = path.read_text()
    own, offered, depth = set(), set(), 0
    for statement in re.findall(r"^\S(?:[^\n;]|\n )*", text, re.M):
        if statement.startswith("namespace {"):
            depth += 1
        elif statement.startswith("}  // namespace") and statement.rstrip().endswith("namespace"):
            depth -= 1
        elif names := declared(statement + ";"):
            mine = depth or statement.startswith("static ") or (
                TYPE.match(statement) and path.suffix == ".cpp")
            (own if mine else offered).update(names)
    includes = re.findall(r'^#include "(.+)"', text, re.M)
    return text.splitlines(), frozenset(own), frozenset(offered), tuple(includes)


@functools.cache
def seen(root, path):
    """The headers of ROOT that a file reads, also through others."""
    found, open_ends = set(), [path]
    while open_ends:
        for include in read(open_ends.pop())[3]:
            header = root / include
            if header not in found and header.is_file():
                found.add(header)
                open_ends.append(header)
    return found


def stands_alone(lines):
    """Whether a file changes what is read behind it."""
    macros = {line.split()[1].split("(")[0] for line in lines if re.match(r"\s*#\s*define \w", line)}
    undone = {line.split()[1] for line in lines if line.startswith("#undef ")}
    return macros - undone or any(
        line.startswith(("using namespace ", "using enum ")) for line in lines)


def main():
    root = pathlib.Path(sys.argv[1])
    groups = []  # lines, own names, names that are read
    for source in sys.argv[2:]:
        lines, own, offered, _ = read(pathlib.Path(source))
        if stands_alone(lines):
            continue
        headers = seen(root, pathlib.Path(source))
        own = own.union(*(read(header)[1] for header in headers))
        visible = own | offered.union(*(read(header)[2] for header in headers))
        mine = read(pathlib.Path(source))[1]
        for number, group in enumerate(groups):
            if group["lines"] + len(lines) <= MOST_LINES and not (
                    mine & group["visible"] or group["own"] & visible):
                break
        else:
            number, group = len(groups), {"lines": 0, "own": frozenset(), "visible": frozenset()}
            groups.append(group)
        group["lines"] += len(lines)
        group["own"] |= mine
        group["visible"] |= visible
        print(f"{number} {source}")


if __name__ == "__main__":
    main()
