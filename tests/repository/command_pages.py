# tests/repository/command_pages.py: the page of the commands says what --help says.
"""Usage: command_pages.py ROOT WARPSCOPE [--write].

workbench/commands/README.md has one table of options per command, between the lines
"<!-- options COMMAND -->" and "<!-- end -->". A row is an option with its values, its default and its
sentence, as `warpscope COMMAND --help` prints them. The options that `doctor` and `roofs` share are the engine's:
they have a table, "<!-- options engine -->", and the last row of other tables names those that a command shares.
"<!-- variables -->" has the environment variables of --help, which are those that the sources read.
"<!-- options window -->" has what `warpscope --help` prints. --write makes the tables anew. The example
that --help shows is on the page, and options in the page's code blocks are known to their command.
"""
import os
import re
import subprocess
import sys
import tempfile

import tracked

PAGE = "workbench/commands/README.md"
WIDTH = 30  # of the column of names in --help
VARIABLES = re.compile(r"^<!-- variables -->\n(.*?)^<!-- end -->$", re.M | re.S)
BLOCK = re.compile(r"^<!-- options (\w+) -->\n(.*?)^<!-- end -->$", re.M | re.S)
TYPE = re.compile(r"(?P<type>[A-Z]+)?(?P<range>:(?:\{[^}]*\}|[^=\s][^=]*?))?(?:=(?P<default>\S+))?$")
WORDS = {"NONNEGATIVE": "0 or more", "POSITIVE": "1 or more"}
HEAD = "| option | value | default | what it does |\n| --- | --- | --- | --- |\n"


def rows_of(text):
    """(names, rest, sentence) of each positional and option in a text of --help."""
    rows, inside = [], False
    for line in text.splitlines():
        if line in ("Positionals:", "Options:"):
            inside = True
        elif not line.startswith("  "):
            inside = inside and not line
        elif inside and line.startswith(" " * WIDTH):
            names, rest, said = rows[-1]
            rows[-1] = (names, rest, (said + " " + line.strip()).strip())
        elif inside:
            at = WIDTH if line[WIDTH - 1:WIDTH] == " " and not line[WIDTH:].startswith(" ") else len(line)
            names, _, rest = line[:at].strip().partition(" ")
            rows.append((names, rest.strip(), line[at:].strip()))
    return [row for row in rows if row[0] not in ("-h,--help", "--version")]


def cells_of(row):
    """The cells of a table: names, value, default, sentence."""
    names, rest, said = row
    rest = re.sub(r" ?(Excludes|Needs): \S+( \S+)*?(?= REQUIRED|$)", "", " " + rest).strip()
    required, many = rest.endswith("REQUIRED"), " ..." in rest + " "
    rest = rest.replace("REQUIRED", "").replace("...", "").strip()
    found = TYPE.match(rest)
    if found is None:
        raise SystemExit(f"{PAGE}: this is read by no rule of command_pages.py: {row}")
    kind, span = found["type"] or "", (found["range"] or "")[1:]
    if span.startswith("{"):
        value = " or ".join([", ".join(span[1:-1].split(",")[:-1]), span[1:-1].split(",")[-1]])
    else:
        value = WORDS.get(span, span) or {"TEXT": "text", "DIR": "folder", "INT": "whole number",
                                          "UINT": "whole number", "FLOAT": "number"}.get(kind, kind)
    value += ", repeated" if many else ""
    default = "required" if required else f"`{found['default']}`" if found["default"] else "–"
    shown = ", ".join(f"`{name}`" for name in names.split(","))
    return shown, value or "–", default, re.sub(r"([|<]|_(?=_)|(?<=_)_)", r"\\\1", said)


def table_of(rows, shared):
    """A table of what is not shared, and a last row that names what is."""
    def same(row):
        names, value, _, said = cells_of(row)
        return any((names, value, said) == (c[0], c[1], c[3]) for c in map(cells_of, shared))
    lines = [f"| {' | '.join(cells_of(row))} |\n" for row in rows if not same(row)]
    there = [cells_of(row)[0].split(", ")[-1] for row in rows if same(row)]
    link = "[engine options](#engine-options)"
    if there and len(there) == len(shared):
        lines.append(f"| all {link} | | | |\n")
    elif there:
        lines.append(f"| {', '.join(there)} | | | see {link} |\n")
    return HEAD + "".join(lines) if lines else "No options.\n"


def shared_rows(helps):
    """The engine's options: those that two commands of different kinds have."""
    one, other = rows_of(helps["doctor"]), rows_of(helps["roofs"])
    return [row for row in one if row in other]


def tables(helps):
    """The tables by name, of the texts of --help by command; "" is the program's own."""
    shared = shared_rows(helps)
    made = {"engine": table_of(shared, []), "window": table_of(rows_of(helps[""]), shared)}
    return made | {name: table_of(rows_of(text), shared) for name, text in helps.items() if name}


def example_of(text):
    found = re.search(r"^Example:\n  (.*)$", text, re.M)
    return found[1] if found else None


def unknown_options(page, helps):
    """Options in the page's code blocks that --help does not have."""
    found = []
    for block in re.findall(r"^```\w*\n(.*?)^```", page, re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            words = line.partition("   #")[0].split()
            while words and not re.fullmatch(r"(\./start|\S*warpscope)", words[0]):
                words = words[1:]
            if not words:
                continue
            name = words[1] if len(words) > 1 and words[1] in helps else ""
            known = {n for row in rows_of(helps[name]) for n in row[0].split(",")} | {"--help", "--version"}
            found += [f"{PAGE}: {word} is no option of warpscope {name}".rstrip() for word in words
                      if re.match(r"--?[a-zA-Z]", word) and word.split("=")[0] not in known]
    return found


def differences(page, helps):
    made, there = tables(helps), dict(BLOCK.findall(page))
    found = [f"{PAGE}: no table “<!-- options {name} -->”" for name in made if name not in there]
    for name, text in there.items():
        if name not in made:
            found.append(f"{PAGE}: a table of {name}, which is no command")
            continue
        said, now = text.split("\n"), made[name].split("\n")
        found += [f"{PAGE}: {name}: not in --help: {line}" for line in said if line not in now]
        found += [f"{PAGE}: {name}: --help has: {line}" for line in now if line not in said]
        if set(said) == set(now) and said != now:
            found.append(f"{PAGE}: {name}: another order than in --help")
    for name, text in helps.items():
        example = example_of(text)
        if example and example not in page:
            found.append(f"{PAGE}: lacks the example of --help: {example}")
    said = VARIABLES.search(page)
    if said is None or said[1] != variables_table(helps[""]):
        found.append(f"{PAGE}: the table of environment variables is not that of --help (--write makes it)")
    return found + unknown_options(page, helps)


def variables_of(text):
    """(name, sentence) of each environment variable in a text of --help."""
    return re.findall(r"^  ([A-Z]\w+) +(\S.*)$", text.partition("\nEnvironment:\n")[2], re.M)


def variables_table(text):
    rows = "".join(f"| `{name}` | {said} |\n" for name, said in variables_of(text))
    return "| variable | meaning |\n| --- | --- |\n" + rows


READ = re.compile(r"getenv\(|user_folder\(|environment\(\"|const char\* variable :")
# Every program has them, and what they mean here is what they mean elsewhere.
COMMON = {"HOME", "PATH"}


def variables_read(root):
    """The environment variables that the product's sources read by name."""
    found = set()
    for path in tracked.files(root):
        if path.startswith(("scenes/", "profiling/", "workbench/")) and path.endswith((".cpp", ".h")):
            for line in tracked.text(root, path).splitlines():
                if READ.search(line):
                    found |= set(re.findall(r'"([A-Z][A-Z0-9_]{2,})"', line))
    return found - COMMON


def unnamed_variables(read, text):
    named = {name for name, _ in variables_of(text)}
    return [f"workbench/options/command_table.cpp: lacks a row for ${name}, which is read"
            for name in sorted(read - named)] + [
        f"workbench/options/command_table.cpp: ${name} is not read anywhere" for name in sorted(named - read)]


def written(page, helps):
    made = tables(helps)
    page = VARIABLES.sub(lambda m: f"<!-- variables -->\n{variables_table(helps[''])}<!-- end -->", page)
    return BLOCK.sub(lambda m: f"<!-- options {m[1]} -->\n{made.get(m[1], m[2])}<!-- end -->", page)


def helps_of(program):
    with tempfile.TemporaryDirectory(prefix="warpscope-pages-") as folder:
        there = {**os.environ, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder}

        def ask(*words):
            return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True,
                                  env=there).stdout
        own = ask()
        names = re.findall(r"^  (\w+) ", own.partition("\nSubcommands:\n")[2].partition("\n\n")[0], re.M)
        return {"": own} | {name: ask(name) for name in names}


def prove_the_rules():
    engine = "Options:\n  -h,--help                   Print\n  --wait FLOAT:0 to 9=3       seconds to wait\n"
    helps = {"": "Options:\n  --wait FLOAT:0 to 9         seconds to wait\n\nEnvironment:\n  A_PLACE      a folder\n", "doctor": engine, "roofs": engine,
             "draw": "Positionals:\n  file TEXT REQUIRED          a | file\n\n" + engine +
                     "  --theme TEXT:{dark,light}=dark\n                              dark or light\n"
                     "\nExample:\n  warpscope draw a.wsj\n"}
    assert [cells_of(row) for row in rows_of(helps["draw"])] == [
        ("`file`", "text", "required", "a \\| file"), ("`--wait`", "0 to 9", "`3`", "seconds to wait"),
        ("`--theme`", "dark or light", "`dark`", "dark or light")]
    bare = "".join(f"<!-- options {name} -->\n<!-- end -->\n"
                   for name in ("engine", "window", "doctor", "roofs", "draw")) + "<!-- variables -->\n<!-- end -->\n"
    page = written(bare + "```\nwarpscope draw a.wsj\n```\n", helps)
    assert not differences(page, helps), differences(page, helps)
    for bad in (page.replace("`dark`", "`light`"), page.replace("seconds to wait", "seconds"), bare,
                page.replace("draw a.wsj", "draw b.wsj"), page.replace("draw a.wsj", "draw a.wsj --them x"),
                page.replace("options draw", "options drew"), page.replace("a folder", "a file")):
        assert differences(bad, helps), f"no rule saw {bad}"
    assert not unnamed_variables({"A_PLACE"}, helps[""]) and len(unnamed_variables({"B"}, helps[""])) == 2


def main():
    prove_the_rules()
    root, helps = sys.argv[1], helps_of(sys.argv[2])
    page = tracked.text(root, PAGE)
    if "--write" in sys.argv:
        with open(os.path.join(root, PAGE), "w", encoding="utf-8") as file:
            file.write(written(page, helps))
        page = tracked.text(root, PAGE)
    return tracked.report(differences(page, helps) + unnamed_variables(variables_read(root), helps[""]))


if __name__ == "__main__":
    sys.exit(main())
