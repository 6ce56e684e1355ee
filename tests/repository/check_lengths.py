# tests/repository/check_lengths.py: files, functions and classes are short, or say why they are not.
"""Usage: check_lengths.py ROOT. README.md at the top is short, too. A reason is a comment that begins with "// Long: ": above a function
or a class, or before the first code of a file. It says in one sentence why parts would read worse."""
import re
import sys

import tracked
from tracked import CODE, SCRIPT

PRODUCT = ("scenes/", "profiling/", "workbench/")
LONGEST_FILE = 600  # lines
LONGEST_FUNCTION = 60  # with its signature and its last brace; of the product's C++
LONGEST_README = 150  # lines; of the page at the top
MOST_MEMBERS = 40  # of a class: its data and its functions
MARK = "// Long: "
SHORTEST_REASON = 30  # characters
RAW_TEXT = re.compile(r'R"([^\s()\\]{0,16})\(.*?\)\1"', re.DOTALL)
DIRECTIVE = re.compile(r"^[ ]*#(?:[^\n]*\\\n)*[^\n]*$", re.MULTILINE)
# What opens a brace at the level of functions and is none: its members are looked through.
HOUSE = re.compile(r"^(?:template <.*> )?(?:namespace|struct|class|union|extern \"C\")\b[^()]*\{$")
TABLE = re.compile(r"(?:[=,(]|\benum\b.*|\]) ?\{$")
COMMENT = re.compile(r"^\s*//")
CLASS = re.compile(r"^( *)(?:class|struct) (\w+)[^;()]*\{$")
NO_MEMBER = ("#", "public:", "private:", "protected:", "using ", "friend ", "template <", "}")


def blanked(text):
    """The text with as many lines, but nothing in its raw strings and directives."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    return DIRECTIVE.sub(blank, RAW_TEXT.sub(blank, text))


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def functions_in(lines, begin=0, end=None, indent=0):
    """(first line, last line) of each function, by the shape that clang-format gives it: at one
    indent stand its signature's first line and its closing brace, and nothing between them."""
    end = len(lines) if end is None else end
    found = []
    at = begin
    while at < end:
        line = lines[at]
        if (not line.strip() or COMMENT.match(line) or indent_of(line) != indent
                or line.lstrip().startswith("}")):
            at += 1
            continue
        head = first = at
        # A signature goes on below `template <…>`, and where its lines are indented further.
        while head < end and not lines[head].rstrip().endswith(("{", ";", "}")):
            head += 1
            if (head < end and indent_of(lines[head]) <= indent
                    and not lines[head - 1].lstrip().startswith("template")):
                break
        if head >= end or not lines[head].rstrip().endswith("{"):
            at = max(head, at + 1)
            continue
        last = head + 1
        while last < end and (not lines[last].strip() or indent_of(lines[last]) > indent
                              or not lines[last].lstrip().startswith("}")):
            last += 1
        opening = " ".join(part.strip() for part in lines[first:head + 1])
        if opening.startswith(("namespace", 'extern "C"')):
            at = head + 1  # clang-format does not indent what stands in it
            continue
        if HOUSE.match(opening):
            found += functions_in(lines, head + 1, last, indent + 2)
        elif last < end and lines[last].rstrip() == " " * indent + "}" and not TABLE.search(opening):
            found.append((first, last))
        at = last + 1
    return found


def members_of(lines, first, last, indent):
    """How many data members and functions a class declares; those that are deleted or defaulted and
    types within it do not count."""
    count, at = 0, first + 1
    while at < last:
        line = lines[at].strip()
        if (not line or COMMENT.match(line) or line.startswith(NO_MEMBER)
                or indent_of(lines[at]) != indent + 2):
            at += 1
            continue
        end = at
        while end + 1 < last and not re.search(r"[;{}]\s*(?://.*)?$", lines[end]):
            end += 1
        words = re.sub(r"//.*", "", " ".join(part.strip() for part in lines[at:end + 1]))
        at = end + 1
        if words.rstrip().endswith("{"):
            while at < last and not (indent_of(lines[at]) == indent + 2 and
                                     lines[at].strip().startswith("}")):
                at += 1
            at += 1
            if re.match(r"(?:class|struct|enum|union)\b", words):
                continue
        if "= delete" in words or "= default" in words:
            continue
        count += 1
        if "(" not in words.split("=")[0]:  # several of one type
            names = re.sub(r"<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>|\{[^}]*\}|\([^()]*\)", "", words)
            count += names.split(";")[0].count(",")
    return count


def classes_in(lines):
    """(line, name, members) of each class."""
    for first, line in enumerate(lines):
        head = CLASS.match(line)
        if not head:
            continue
        indent = len(head[1])
        last = next((at for at in range(first + 1, len(lines))
                     if lines[at].startswith(" " * indent + "}")), len(lines))
        yield first, head[2], members_of(lines, first, last, indent)


def large_classes(path, lines):
    """(findings, classes with a reason that they need)."""
    found, reasons = [], 0
    for first, name, count in classes_in(lines):
        if count > MOST_MEMBERS and has_reason(comments_above(lines, first)):
            reasons += 1
        elif count > MOST_MEMBERS:
            found.append(f"{path}:{first + 1}: class {name} has {count} members, more than "
                         f"{MOST_MEMBERS}")
    return found, reasons


def has_reason(comments):
    """Whether one of the comment lines begins a reason of some length."""
    text = "\n".join(comments)
    reason = text.partition(MARK)[2].replace("//", "")
    return len(" ".join(reason.split())) >= SHORTEST_REASON


def comments_above(lines, first):
    at = first
    while at > 0 and COMMENT.match(lines[at - 1]):
        at -= 1
    return [line.strip() for line in lines[at:first]]


def comments_of_head(lines):
    """Of a file: all before its first code."""
    comments = []
    for line in lines:
        if COMMENT.match(line):
            comments.append(line.strip())
        elif line.strip():
            break
    return comments


def findings_in(path, text):
    count = len(text.splitlines())
    if path == "README.md":
        return [f"{path}: {count} lines, more than {LONGEST_README}"] if count > LONGEST_README else []
    if not path.endswith(CODE + SCRIPT):
        return []
    if not path.startswith(PRODUCT) or not path.endswith((".h", ".cpp")):
        return [f"{path}: {count} lines, more than {LONGEST_FILE}"] if count > LONGEST_FILE else []
    lines = blanked(text).splitlines()
    found = []
    reasons = sum(line.strip().startswith(MARK) for line in lines)
    if count > LONGEST_FILE:
        if has_reason(comments_of_head(lines)):
            reasons -= 1
        else:
            found.append(f"{path}: {count} lines, more than {LONGEST_FILE}")
    for first, last in functions_in(lines):
        length = last - first + 1
        if length <= LONGEST_FUNCTION:
            continue
        if has_reason(comments_above(lines, first)):
            reasons -= 1
            continue
        found.append(f"{path}:{first + 1}: a function of {length} lines, more than "
                     f"{LONGEST_FUNCTION}: {lines[first].strip()[:60]}")
    large, needed = large_classes(path, lines)
    found += large
    reasons -= needed
    if reasons > 0:
        found.append(f"{path}: \"{MARK}\" stands over what is not long")
    return found


def prove_the_rules():
    def function(body, head="void f() {", indent=""):
        return "\n".join([indent + head] + [indent + "  a();"] * body + [indent + "}"]) + "\n"

    path, first = "profiling/a.cpp", "// profiling/a.cpp: a file that is fine.\n"
    reason = MARK + "each row is an opcode, and they read as one table.\n"
    long, short = LONGEST_FUNCTION - 1, LONGEST_FUNCTION - 2
    good = [
        function(short), reason + function(long),
        "namespace a {\nnamespace {\n" + function(short) + "\n" + function(short) + "\n}\n}\n",
        "struct A {\n" + function(short, indent="  ") + function(short, indent="  ") + "};\n",
        "class A : public B {\n public:\n" + reason + function(long, indent="  ") + "};\n",
        "constexpr int kRows[] = {\n" + "    1,\n" * 99 + "};\n",
        "enum class A {\n" + "  a,\n" * 99 + "};\n",
        "#define A \\\n  {  \\\n" + "  a; \\\n" * 99 + "}\n",
        'const char* text = R"(\nvoid f() {\n' + "  a();\n" * 99 + '}\n)";\n',
        "int a = f(b,\n          c);\n" + function(short),
        reason + "\n" * LONGEST_FILE,
    ]
    assert not findings_in("README.md", "a\n" * LONGEST_README)
    assert findings_in("README.md", "a\n" * (LONGEST_README + 1))
    for text in good:
        assert not findings_in(path, first + text), (findings_in(path, first + text), text[:200])
    bad = [
        "\n" * LONGEST_FILE, function(long), reason + function(short),
        MARK + "it is\n" + function(long),
        "namespace a {\nnamespace {\n" + function(long) + "\n}\n}\n",
        "template <typename T>\n" + function(long),
        function(long, "int f(int a,\n      int b) const {"),
        "struct A {\n  int a;\n" + function(long, indent="  ") + "};\n",
        "class A : public B<int> {\n public:\n" + function(long, "A() : b_(1) {", "  ") + "};\n",
        "struct A {\n  struct B {\n" + function(long, indent="    ") + "  };\n};\n",
        "const auto f = [](int a) {\n  return a;\n};\n" + function(long),
        function(long - 2, "void f() {\n  const auto g = [&] {\n  };"),
        "int a;\n" + reason + "\n" * LONGEST_FILE,
    ]
    for text in bad:
        assert findings_in(path, first + text), f"no rule saw {text[:200]!r}"
    assert not findings_in("tests/a.cpp", function(long))
    assert findings_in("tests/a.cpp", "\n" * (LONGEST_FILE + 1))
    data = "struct A {\n" + "  int a, b;\n" * 10 + "  std::map<int, int> c;\n  A() = default;\n"
    for members, wanted in ((19, False), (20, True)):  # with 10 · 2 + 1 of data
        text = data + "  int f(int, int);\n" * members + "  struct B {\n    int i;\n  };\n};\n"
        assert bool(findings_in(path, first + text)) == wanted, members
        assert bool(findings_in(path, first + reason + text)) != wanted, members


def main():
    prove_the_rules()
    root = sys.argv[1]
    found = []
    for path in tracked.files(root):
        if path != "README.md" and (path.startswith("assets/") or not path.endswith(CODE + SCRIPT)):
            continue
        found += findings_in(path, tracked.text(root, path))
    return tracked.report(found)


if __name__ == "__main__":
    sys.exit(main())
