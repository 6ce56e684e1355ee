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
INCLUDED = re.compile(r'^#include "(/.+\.cpp)"$', re.M)


def parts_of(source):
    """The files that a unit includes; a file that is none, alone."""
    if "/Unity/" not in str(source):
        return [source]
    return [pathlib.Path(path) for path in INCLUDED.findall(source.read_text())]


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
        parts = [part for part in parts_of(pathlib.Path(entry["file"]))
                 if str(part).startswith(ours)]
        if not parts:
            continue
        unit = folder / f"{len(commands)}.cpp"
        lines = []
        for part in parts:
            text = part.read_text().splitlines()
            origins.setdefault(str(unit), []).extend((part, i + 1) for i in range(len(text)))
            lines += text
        unit.write_text("\n".join(lines) + "\n")
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
