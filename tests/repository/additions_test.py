# tests/repository/additions_test.py: what the READMEs say of adding things is all that it takes.
"""Usage: additions_test.py ROOT BUILD NINJA [--programs|--window].

Copies the tree, adds a scene, a variant, a metric and a panel by the READMEs' own snippets (under other
names where the tree has added them already), counts the files that each touches, and compiles each
source that changed, with the build's own commands.
--programs also links them into the programs of the build and runs the tests that check such additions.
--window compiles everything that knows the table of panels, and runs the tests that draw every panel.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import tracked

FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
HEAD = re.compile(r"// ((?:\w+/)+\w+\.\w+): ")


def say(words):
    print(words, flush=True)


def run(command, **others):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **others)
    if done.returncode != 0:
        shown = command if isinstance(command, str) else " ".join(command)
        raise SystemExit(f"FAILED  {shown[:400]}\n{done.stdout[-6000:]}{done.stderr[-6000:]}")
    return done.stdout


class Copy:
    """A copy of the tree, which knows what was touched since it was last asked."""

    def __init__(self, root, folder):
        self.root, self.folder = pathlib.Path(root), pathlib.Path(folder)
        for path in tracked.files(root):
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / path, target)
        self.known = self.state()
        self.changed = set()
        self.other_names = names_in_use(self.folder)

    def state(self):
        return {p.relative_to(self.folder).as_posix(): p.read_bytes()
                for p in self.folder.rglob("*") if p.is_file() and "assets" not in p.parts}

    def touched(self):
        """The files that were touched, and how many lines each got or lost."""
        now, lines = self.state(), {}
        for path in now.keys() | self.known.keys():
            old, new = self.known.get(path, b"").splitlines(), now.get(path, b"").splitlines()
            if path not in self.known or path not in now or old != new:
                lines[path] = len(set(new) - set(old)) + len(set(old) - set(new))
        self.known = now
        self.changed |= set(lines)
        return lines

    def insert(self, path, after, before, text):
        """The text before the first line `before` that follows the line with `after`."""
        lines = (self.folder / path).read_text().splitlines(keepends=True)
        first = next(i for i, line in enumerate(lines) if after in line)
        at = next(i for i in range(first, len(lines)) if re.match(before, lines[i]))
        lines.insert(at, text)
        (self.folder / path).write_text("".join(lines))


def snippets(copy, readme, heading):
    """The code under one heading of a README: (language, text), in order."""
    text = (copy.folder / readme).read_text()
    part = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    code = FENCE.findall(part)
    for old, new in copy.other_names.items():
        code = [(language, text.replace(old, new)) for language, text in code]
    return code


def names_in_use(folder):
    """What the snippets name and the tree has already, as after following them: name and another."""
    others = {}
    if (folder / "scenes/axpy").exists():
        others["axpy"] = "axpy_again"
    if '"inst.fp64"' in (folder / "profiling/figures/metric_table.cpp").read_text():
        others['"inst.fp64"'] = '"inst.fp64_again"'
    panels = (folder / "workbench/panels/panels.h").read_text()
    if "PANEL(steps," in panels:
        others |= {"steps_panel": "steps_again_panel", "PANEL(steps, ": "PANEL(steps_again, ",
                   '"Steps"': '"Steps again"'}
    keys = set(re.findall(r'"(Shift\+[A-Z])"', panels))
    if "Shift+Y" in keys:
        others['"Shift+Y"'] = f'"{min({"Shift+A", "Shift+D", "Shift+S"} - keys)}"'
    return others


def write_or_return(copy, code):
    """Writes the snippets that begin with a path; returns the others."""
    rest = []
    for _, text in code:
        head = HEAD.match(text)
        if head:
            (copy.folder / head[1]).write_text(text)
        else:
            rest.append(text)
    return rest


def add_all(copy):
    for language, text in snippets(copy, "scenes/README.md", "A scene"):
        if language == "sh":
            run(["bash", "-ec", text], cwd=copy.folder)
    touched = copy.touched()
    name = re.search(r"SCENE\((\w+)\)\n\Z", (copy.folder / "scenes/built_in.inc").read_text())[1]
    own = (f"scenes/{name}/", f"kernels/{name}/")
    outside = {path: lines for path, lines in touched.items() if not path.startswith(own)}
    assert outside == {"scenes/built_in.inc": 1}, f"a scene touches {outside}"
    say(f"a scene: its two folders with {len(touched) - 1} files, and one line")

    [row] = write_or_return(copy, snippets(copy, "scenes/README.md", "A variant"))
    copy.insert(f"scenes/{name}/{name}.cpp", "std::vector<Variant> variants()", r"  };$", row)
    touched = copy.touched()
    assert len(touched) <= 2, f"a variant touches {touched}"
    say(f"a variant: {', '.join(sorted(touched))}")

    [row] = write_or_return(copy, snippets(copy, "profiling/README.md", "A metric"))
    copy.insert("profiling/figures/metric_table.cpp", "rows = {", r"  };$", row)
    touched = copy.touched()
    assert len(touched) == 1, f"a metric touches {touched}"
    say(f"a metric: {', '.join(touched)}")

    [row] = write_or_return(copy, snippets(copy, "workbench/README.md", "A panel"))
    copy.insert("workbench/panels/panels.h", "#define WARPSCOPE_PANELS", r"  PANEL\(engine,", row)
    touched = copy.touched()
    assert len(touched) <= 2, f"a panel touches {touched}"
    say(f"a panel: {', '.join(sorted(touched))}")
    return name


class Build:
    """Objects of the copy, and programs of them and of what the build has already."""

    def __init__(self, copy, build, ninja):
        self.copy, self.build, self.ninja = copy, build, ninja
        self.bin = copy.folder / "bin"
        self.bin.mkdir()
        commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
        self.commands = {os.path.relpath(c["file"], copy.root): c["command"] for c in commands}
        # Sources that the build compiles as one have their unit's command.
        self.units = {}
        for unit in [path for path in self.commands if "/Unity/" in path]:
            for source in self.sources_of(unit):
                self.units[source] = unit
                self.commands[source] = self.commands[unit]
        self.objects = {}  # by the object in the build that it stands for, or by its source

    def sources_of(self, unit):
        """What a unit includes."""
        text = (self.copy.root / unit).read_text()
        names = re.findall(r'#include "(/.+\.cpp)"', text)
        return [os.path.relpath(name, self.copy.root) for name in names]

    def command_of(self, path):
        """The command of a source; a new file is compiled as its neighbours are."""
        if path in self.commands:
            return self.commands[path], path
        folder = "scenes/template/" if path.startswith("scenes/") else os.path.dirname(path) + "/"
        like = next(known for known in sorted(self.commands) if known.startswith(folder))
        return self.commands[like], like

    def compile(self, path, checks=False):
        """Makes the object; `checks`: only looks whether the source compiles, without its unit."""
        command, like = self.command_of(path)
        words, out, passed_over = [], self.bin / (path.replace("/", "_") + ".o"), False
        source = self.copy.folder / path
        if path in self.units.values() and not checks:
            source = self.bin / (pathlib.Path(path).stem + ".cpp")
            text = (self.copy.root / path).read_text()
            source.write_text(text.replace(f'"{self.copy.root}/', f'"{self.copy.folder}/'))
        for word in shlex.split(command):
            if passed_over or word in ("-o", "-include", "-Winvalid-pch"):
                passed_over = word in ("-o", "-include") and not passed_over
                continue
            if word == f"-I{self.copy.root}":
                word = f"-I{self.copy.folder}"
            if word == str(self.copy.root / self.units.get(like, like)):
                word = str(source)
            words.append("-O0" if re.match(r"-O\d", word) else word)
        if checks:
            words.append("-fsyntax-only")
        run(words + ["-o", str(out)], cwd=self.build)
        stands_for = re.search(r" -o (\S+)", command)[1] if like == path else path
        return stands_for, str(out)

    def compile_all(self, paths):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            paths = {self.units.get(path, path) for path in paths}
            self.objects |= dict(pool.map(self.compile, sorted(paths)))
        say(f"compiled {len(paths)} units")

    def check_all(self, paths, new):
        """Whether sources compile: those of a layer as one, with what is new before the others, so
        that it needs no include of theirs. If that fails, each by itself."""
        layers = {}
        for path in sorted(paths, key=lambda path: (path not in new, path)):
            layers.setdefault(path.split("/")[0], []).append(path)

        def check(layer):
            try:
                self.check_as_one(layer)
            except SystemExit:
                for path in layer:
                    self.compile(path, checks=True)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(check, layers.values()))
        say(f"{len(paths)} sources compile")

    def check_as_one(self, paths):
        unit = self.copy.folder / os.path.dirname(paths[-1]) / "all_that_changed.cpp"
        unit.write_text("".join(f'#include "{path}"\n' for path in paths))
        self.compile(unit.relative_to(self.copy.folder).as_posix(), checks=True)

    def link(self, target):
        """The program with the new objects in place of the build's; None where it is not built."""
        listed = subprocess.run([self.ninja, "-C", self.build, "-t", "commands", "-s", "bin/" + target],
                                capture_output=True, text=True, check=False)
        made = re.search(r"(?:^|&& )(\S*c\+\+ .*? -o (\S+) .*?)(?: &&|$)", listed.stdout, re.M)
        if listed.returncode != 0 or not made:
            return None
        words = [self.objects.get(word, word) for word in shlex.split(made[1])]
        layers = {word.split("/")[0] for word in words if word.endswith(".a")}
        more = [made_object for stands_for, made_object in self.objects.items()
                if made_object not in words and stands_for.split("/")[0] in layers]
        out = self.bin / target
        words[words.index("-o") + 1] = str(out)
        run(words[:words.index("-o")] + more + words[words.index("-o"):], cwd=self.build)
        return str(out)

    def users_of(self, header):
        """The sources of the build that see a header."""
        deps = run([self.ninja, "-C", self.build, "-t", "deps"])
        by_object = {re.search(r" -o (\S+)", c)[1]: path for path, c in self.commands.items()}
        found = set()
        for block in deps.split("\n\n"):
            name, _, rest = block.partition(": ")
            # Compilers name what they read from where they ran, or in full.
            seen = {os.path.normpath(os.path.join(self.build, word)) for word in rest.split()}
            if str(self.copy.root / header) in seen and name in by_object:
                path = by_object[name]
                found |= set(self.sources_of(path)) if path in self.units.values() else {path}
        # Neither what the build generates nor what no test runs.
        return {path for path in found if (self.copy.folder / path).is_file()
                and not path.startswith("tests/benchmarks/")}


def expect_tests(program, wanted, least, environment):
    """Runs the tests of a filter; fewer than `least` is a failure too."""
    assert program, "a program of tests that the build does not know"
    said = run([program, f"--gtest_filter={wanted}"], env=environment)
    passed = re.search(r"\[  PASSED  \] (\d+) test", said)
    assert passed and int(passed[1]) >= least, f"{program} {wanted}: {said[-500:]}"
    say(f"passed {passed[1]} tests: {os.path.basename(program)} {wanted}")


def main():
    root, build, ninja = (os.path.realpath(word) for word in sys.argv[1:4])
    window = "--window" in sys.argv
    with tempfile.TemporaryDirectory(prefix="warpscope-additions-") as folder:
        copy = Copy(root, folder)
        name = add_all(copy)
        checks = pathlib.Path(folder) / "tests/repository"
        for check in ("tree", "includes", "files"):
            run([sys.executable, str(checks / f"check_{check}.py"), folder])
        say("the checks of the tree pass")
        at = Build(copy, build, ninja)
        there = {**os.environ, "WARPSCOPE_HOME": folder, "XDG_CACHE_HOME": folder + "/cache"}
        sources = {path for path in copy.changed if path.endswith(".cpp")} | {"scenes/catalogue.cpp"}
        table = {path for path in ("workbench/panels/common.cpp", "workbench/window/frame_commands.cpp")
                 if path in at.commands}
        if window:
            at.compile_all(sources | at.users_of("workbench/panels/panels.h"))
            program = at.link("workbench_tests")
            expect_tests(program, "Commands.*:FirstPanels.*:TopBar.*:AxisSlider.*:WorkspaceScene.*:"
                          "ClaimWords.*:ClaimsOnSessions.EveryText*:All/EveryScene.*/" + name, 25, there)
            return
        if "--programs" not in sys.argv:
            at.check_all(sources | table, sources - at.commands.keys())
            return
        panel = {path for path in sources if path.startswith("workbench/")}
        at.compile_all(sources - panel)
        expect_tests(at.link("scenes_tests"), f"*/{name}:EveryScene.*:CodeId.OfEvery*:Catalogue.*", 20,
                     there)
        expect_tests(at.link("profiling_tests"), "Metrics.*:TraceMetrics.*:StepMeans.*", 15, there)
        engine, commands = at.link("warpscope-engine"), at.link("warpscope")
        if engine and commands:
            said = run([commands, "verify", name, "n=4099", "--engine", engine], env=there)
            assert len(re.findall(r"\bcorrect\b", said)) >= 2, said
            say(f"verified both variants of {name} on the emulator")
        if table:
            at.compile_all(panel | table)


if __name__ == "__main__":
    main()
