# scenes/cmake/unity_groups.py: writes units of several sources that compile as each does alone.
"""Usage: unity_groups.py ROOT FOLDER NAME SOURCE...: writes FOLDER/NAME_0.cpp and so on, and prints
what to compile: these units, and the sources that stay alone.

Files that are compiled as one see each other's names. A unit first includes the headers of all its
files, then the files. If a name of a file's own (in a namespace without a name, a macro, a type
beside the tests that use it) is visible in another file of the unit, a macro gives it another name
while its file is read. Some names cannot be replaced, for example those that are also a member's.
A file with such a name comes after the files that know another meaning of it, and two files with
the same one share no unit. A file that leaves macros or names of a whole namespace or enum behind
comes after the files that do not. One that includes headers after it defined such a macro is
compiled alone.
"""
import functools
import pathlib
import re
import sys

MOST_LINES = 5000  # of a unit: about twenty seconds of a compiler

TYPE = re.compile(r"(?:struct|class|enum(?: class)?|union) (\w+)|using (\w+) =")
FOUND_BY_NAME = {"PrintTo"}  # by other code: GoogleTest looks for it beside a type

NOTHING = re.compile(r"[^A-Za-z_]|(namespace|template|public|private|static_assert)\b|using [^=]*;|[A-Z_]+\(|$")
RAW = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
TEST = re.compile(r"^\w*(?:TEST|TEST_F|TEST_P|TEST_SUITE_P)\(\s*(.*?)\)", re.M | re.S)


def declared(statement):
    """The names that a statement at the left margin declares."""
    if NOTHING.match(statement):
        return set()
    if found := TYPE.match(statement):
        # The names in a plain enum stand beside its own.
        inside = re.findall(r"\bk[A-Z]\w*", statement) if re.match(r"enum \w", statement) else []
        return {found[1] or found[2], *inside} - {"class"}
    while (shorter := re.sub(r"<[^<>]*>", "", statement)) != statement:
        statement = shorter
    names = re.findall(r"(\w+)\s*[({;\[,]", re.sub(r"=[^,;]*", "", statement))
    # A function's name is the first; constants may stand several in a statement.
    return set(names[:1] + [name for name in names if re.match(r"k[A-Z]", name)])


@functools.cache
def read(path):
    """A file's text, its own names, the names it offers, and the headers that it includes."""
    text = path.read_text()
    own, offered, depth = set(), set(), 0
    for statement in re.findall(r"^\S(?:[^\n;]|\n )*", RAW.sub('""', text), re.M):
        if statement.startswith("namespace {"):
            depth += 1
        elif statement.startswith("}  // namespace") and statement.rstrip().endswith("namespace"):
            depth -= 1
        elif names := declared(statement + ";"):
            mine = depth or statement.startswith("static ") or (
                TYPE.match(statement) and path.suffix == ".cpp")
            (own if mine else offered).update(names)
    includes = re.findall(r'^#include [<"](.+)[>"]', text, re.M)
    return text, frozenset(own), frozenset(offered), tuple(includes)


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


@functools.cache
def code_of(text):
    """A file without its comments and strings."""
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*', '""', RAW.sub('""', text))


def opening_of(text):
    """The lines before a file's first code: its includes, also those under a condition."""
    lines = []
    for line in text.splitlines():
        if re.match(r"#\s*(include|if|ifdef|ifndef|else|elif|endif)\b", line):
            lines.append(line)
        elif line.strip() and not line.startswith("//"):
            break
    return lines


def macros_left(text):
    """The macros that are still defined after a file was read."""
    defined = re.findall(r"^\s*#\s*define (\w+)", code_of(text), re.M)
    return set(defined) - set(re.findall(r"^#undef (\w+)", text, re.M))


def stands_alone(text):
    """Whether a header that the file includes may depend on a macro of the file."""
    after = re.split(r"^\s*#\s*define ", text, maxsplit=1, flags=re.M)[1:]
    return bool(macros_left(text) and after and re.search(r"^\s*#\s*include ", after[0], re.M))


def left_behind(text):
    """What a file changes for those that are read after it."""
    named = re.findall(r"^using (?:namespace|enum) .*", code_of(text), re.M)
    return macros_left(text).union(named)


@functools.cache
def names_of(header):
    return read(header)[1] | read(header)[2]


@functools.cache
def announced_in(header):
    return frozenset(re.findall(r"^(?:struct|class) (\w+);", read(header)[0], re.M))


class Source:
    """A file, and which names it would bring into a unit."""

    def __init__(self, root, path):
        self.path = path
        self.text, own, offered, includes = read(path)
        self.lines = self.text.count("\n")
        self.headers = seen(root, path)
        of_headers = frozenset().union(*(names_of(header) for header in self.headers))
        # A type that a header only announces is the one that is defined here.
        announced = {name for header in self.headers for name in announced_in(header)}
        offered |= own & announced
        own -= announced
        self.visible = own | offered | of_headers
        self.offered_alone = offered - of_headers
        self.opening = opening_of(self.text)
        # Macros replace names of members and of other namespaces too, and change names of tests.
        tests = {word for names in TEST.findall(self.text) for word in re.findall(r"\w+", names)}
        members = set(re.findall(r"(?:\.|->|::)\s*~?(\w+)", code_of(self.text)))
        more = len(includes) > sum(line.startswith("#include") for line in self.opening)
        self.fixed = own if more else own & (of_headers | offered | tests | members | FOUND_BY_NAME)
        self.replaceable = own - self.fixed
        self.leaves = left_behind(self.text)

    def disturbed_by(self, other):
        """Whether a name that cannot be replaced would get a meaning that it has not alone."""
        foreign = other.headers - self.headers
        return self.fixed & (other.fixed | other.offered_alone) or any(
            self.fixed & names_of(header) for header in foreign)

    def follows(self, other):
        """Whether the other file must be read first: it knows another meaning of a name."""
        return bool(self.leaves - other.leaves or self.fixed & other.visible)


class Unit:
    """Files that are compiled as one, in the order in which they are read."""

    def __init__(self, most):
        self.most, self.lines, self.sources = most, 0, []

    def takes(self, source):
        """Adds a file if it agrees with all others."""
        if self.sources and self.lines + source.lines > self.most:
            return False
        if any(source.disturbed_by(other) or other.disturbed_by(source) for other in self.sources):
            return False
        first = max((i + 1 for i, other in enumerate(self.sources) if source.follows(other)), default=0)
        last = min((i for i, other in enumerate(self.sources) if other.follows(source)),
                   default=len(self.sources))
        if first > last:
            return False
        self.sources.insert(last, source)
        self.lines += source.lines
        return True

    def text(self):
        """The headers first, so that no macro changes them."""
        lines = []
        for source in self.sources:
            opened = sum(bool(re.match(r"#\s*if", line)) - bool(re.match(r"#\s*endif", line))
                         for line in source.opening)
            new = source.opening + ["#endif"] * opened
            lines += new if "#endif" in new else [line for line in new if line not in lines]
        for number, source in enumerate(self.sources):
            others = frozenset().union(*(o.visible for o in self.sources if o is not source))
            replaced = sorted(source.replaceable & others)
            lines += [f"#define {name} {other_name(name, number)}" for name in replaced]
            lines.append(f'#include "{source.path}"')
            lines += [f"#undef {name}" for name in replaced]
        return "\n".join(lines) + "\n"


def other_name(name, number):
    """Spelt like names of its kind."""
    return f"{name}_{number}" if name.islower() else f"{name}{number}"


def units_of(sources):
    """As few as agree, of about equal length; files with most names that must stay come first."""
    total = sum(source.lines for source in sources)
    most = 1.1 * total / max(1, -(-total // MOST_LINES))
    units = []
    for source in sorted(sources, key=lambda s: (-len(s.fixed), str(s.path))):
        if not any(unit.takes(source) for unit in units):
            units.append(Unit(most))
            units[-1].takes(source)
    return units


def main():
    root, folder, name = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    sources = [Source(root, pathlib.Path(word)) for word in sys.argv[4:]]
    folder.mkdir(parents=True, exist_ok=True)
    alone = [source for source in sources if stands_alone(source.text)]
    for source in alone:
        print(source.path)
    for number, unit in enumerate(units_of([source for source in sources if source not in alone])):
        if len(unit.sources) == 1:
            print(unit.sources[0].path)
            continue
        path = folder / f"{name}_{number}.cpp"
        text = unit.text()
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        print(path)


if __name__ == "__main__":
    main()
