# tests/repository/run_tidy.py: clang-tidy over the product, several files read as one.
"""Usage: run_tidy.py ROOT BUILD: prints what clang-tidy finds; exits with 1 when there is anything.

BUILD is of the preset ci, whose units hold files that may be read as one: the headers they share
are looked through once. Their texts are joined, not included, since the analyzer of clang-tidy 14
follows no function of an included file.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

TIDY = "clang-tidy-14"
PRODUCT = ("scenes", "profiling", "workbench")
INCLUDED = re.compile(r'^#include "(/.+\.cpp)"$')
REPLACED = re.compile(r"^#define (\w+) (\w+)$")


def text_of(source, ours):
    """The lines that clang-tidy reads, each with its file and line; none if nothing is ours.

    A unit begins with headers, then replaces names while it includes a file.
    """
    if "/Unity/" not in str(source):
        return [(line, source, i + 1) for i, line in enumerate(source.read_text().splitlines())
                ] if str(source).startswith(ours) else []
    lines, names, parts = [], {}, []
    for line in source.read_text().splitlines():
        if found := INCLUDED.match(line):
            part = pathlib.Path(found[1])
            if not str(part).startswith(ours):
                continue
            parts.append(part)
            for i, text in enumerate(part.read_text().splitlines()):
                for name, other in names.items():
                    text = re.sub(rf"\b{name}\b", other, text)
                lines.append((text, part, i + 1))
        elif found := REPLACED.match(line):
            names[found[1]] = found[2]
        elif line.startswith("#undef "):
            names.pop(line.split()[1], None)
        else:
            lines.append((line, source, 0))
    return lines if parts else []


def command_for(entry, unit):
    """The arguments that matter to a reader, for another file."""
    words, kept = shlex.split(entry["command"]), []
    compiler = next(i for i, word in enumerate(words) if word.endswith(("c++", "g++")))
    at = compiler + 1
    while at < len(words):
        if words[at] in ("-o", "-c", "-MF", "-MT", "-MQ"):
            at += 1
        elif words[at] == "-isystem":
            kept += words[at:at + 2]
            at += 1
        elif words[at].startswith(("-I", "-D", "-std", "-W", "-m")):
            kept.append(words[at])
        at += 1
    return {"directory": entry["directory"], "file": str(unit),
            "arguments": ["c++", *kept, "-c", str(unit)]}


def main():
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    ours = tuple(str(root / room) + "/" for room in PRODUCT)
    commands, origins = [], {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        lines = text_of(pathlib.Path(entry["file"]), ours)
        if not lines:
            continue
        unit = folder / f"{len(commands)}.cpp"
        origins[str(unit)] = [(part, i) for _, part, i in lines]
        unit.write_text("\n".join(line for line, _, _ in lines) + "\n")
        commands.append(command_for(entry, unit))
    (folder / "compile_commands.json").write_text(json.dumps(commands))

    def named(found):
        part, line = origins[found[1]][int(found[2]) - 1]
        return f"{part.relative_to(root)}:{line}:"

    def run(command):
        done = subprocess.run([TIDY, "--quiet", "-p", folder, command["file"]],
                              capture_output=True, text=True, check=False)
        text = re.sub(r"(%s/\d+\.cpp):(\d+):" % re.escape(str(folder)), named, done.stdout)
        if done.returncode != 0 and "error:" not in text:
            text += f"error: {TIDY} ended with {done.returncode}: {done.stderr[-500:]}\n"
        return text

    findings = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(run, commands):
            findings += len(re.findall(r": warning: |error: ", text))
            print(text, end="", flush=True)
    print(f"{len(commands)} units, {findings} findings")
    return 1 if findings or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
