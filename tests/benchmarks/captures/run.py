# tests/benchmarks/captures/run.py: captures launches of programs that are not ours, replays each, and
# prints a table: equal in every bit, or the reason why not.
"""Usage: run.py [--bin FOLDER] [--seconds N] [--only PROGRAM,…] [--keep FOLDER].

Needs a GPU, nvcc, and the frameworks whose programs are to run (PyTorch, Triton, CuPy, JAX); what is
not installed is said. A program runs under `warpscope capture --every-shape`. Each capture is then
verified: on the emulator if it has PTX, and on the GPU. Programs run every operator twice and say
whether its results agree: a replay need only be equal where they do.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PYTHON_PROGRAMS = ["torch_eager", "triton_kernels", "torch_compiled", "cupy_kernels", "jax_steps"]
WITH_RANGES = {"torch_eager", "triton_kernels", "torch_compiled", "cupy_kernels"}
# Sums of floats by atomics: their order changes from run to run.
UNORDERED = ("float_atomics",)
VERDICT = re.compile(r"^(emulator|GPU)\s+(\S+)\s{2,}(.+?)\s{2,}(.*)$", re.M)


class Runner:
    def __init__(self, options, folder):
        self.warpscope = str(pathlib.Path(options.bin).resolve() / "warpscope")
        self.folder, self.end = folder, time.monotonic() + options.seconds
        self.rows, self.notes = [], []

    def seconds_left(self):
        return self.end - time.monotonic()

    def run(self, command, seconds):
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                                  timeout=max(5, min(seconds, self.seconds_left())))
            return done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            def text(part):
                return part.decode(errors="replace") if isinstance(part, bytes) else part or ""
            return 124, text(late.stdout), text(late.stderr) + "\nit took too long"

    def capture(self, name, command):
        chosen = ["--range", "op:"] if name in WITH_RANGES else []
        status, out, errors = self.run(
            [self.warpscope, "capture", "--every-shape", "--most", "40", "--budget", "64", *chosen,
             "--out", f"{name}.wcap", "--", *command], 240)
        agrees = dict(re.findall(r"^agrees (\S+) ([01])$", out, re.M))
        files = sorted(self.folder.glob(f"{name}*.wcap"),
                       key=lambda path: int((re.findall(r"-(\d+)$", path.stem) or ["1"])[0]))
        refused = sorted(set(re.findall(r"launch \d+ of (.*was not captured: .*)", errors)))
        self.notes += [f"{name}: {words[:300]}" for words in refused]
        if not files:
            lines = [line for line in errors.splitlines() if line.strip()]
            self.notes.append(f"{name}: nothing captured (status {status}): " +
                              " | ".join(lines[-3:])[:500])
        for path in files:
            self.replay(name, path, agrees)

    def replay(self, program, path, agrees):
        if self.seconds_left() < 5:
            self.notes.append(f"{path.name}: not replayed, the time is over")
            return
        listed = self.run([self.warpscope, "list", path.name], 20)[1]
        inside = re.search(r"inside (?:\S+/)?op:(\w+)", listed)
        operator = inside[1] if inside else ""
        kernel = listed.partition("\n")[0].partition(": ")[2] or path.stem
        status, out, errors = self.run([self.warpscope, "verify", path.name], 90)
        verdicts = {where: (verdict, words) for where, _, verdict, words in VERDICT.findall(out)}
        last = [line for line in (errors + out).splitlines() if line.strip()]
        gpu = verdicts.get("GPU", ("not run", last[-1] if last else f"status {status}"))
        emulated = verdicts.get("emulator", ("no PTX", ""))
        self.rows.append((program, operator, kernel, gpu, emulated,
                          agrees.get(operator) == "0" or any(u in kernel for u in UNORDERED)))
        print(f"{program:16} {operator:20} {gpu[0]:10} {emulated[0]:12} {kernel[:70]}", flush=True)

    def table(self):
        print("\n| program | operator | kernel | replay on the GPU | emulated | reason |\n"
              "| --- | --- | --- | --- | --- | --- |")
        equal = explained = open_count = emulated_count = 0
        for program, operator, kernel, gpu, emulated, unordered in self.rows:
            same = gpu[0] == "correct"
            equal += same
            explained += not same and unordered
            open_count += not same and not unordered
            emulated_count += emulated[0] == "correct"
            reason = "" if same else ("two runs of the program differ as well: "
                                      if unordered else "") + gpu[1]
            if emulated[0] not in ("correct", "no PTX"):
                reason += " emulator: " + emulated[1]
            cells = (program, operator, kernel[:60], gpu[0], emulated[0], reason[:160])
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        print(f"\n{len(self.rows)} launches: {equal} equal in every bit, {explained} differ where two "
              f"runs of the program differ as well, {open_count} differ otherwise; "
              f"{emulated_count} correct on the emulator")
        for note in self.notes:
            print("note:", note)
        return 1 if open_count or len(self.rows) < 30 else 0


def compare_profiles(runner):
    """The program's own trace with and without us."""
    command = [sys.executable, str(HERE / "programs" / "profiled.py")]
    alone = runner.run(command, 120)
    if alone[0] != 0:
        runner.notes.append("profiled: " + (alone[2].splitlines() or ["it failed"])[-1][:200])
        return
    traced = re.findall(r"^traced .*$", alone[1], re.M)
    for way, options in {"CUPTI": [], "the driver's entry points": ["--no-cupti"]}.items():
        watched = runner.run([runner.warpscope, "capture", *options, "--", *command], 120)
        same = traced and traced == re.findall(r"^traced .*$", watched[1], re.M)
        print(f"torch.profiler with launches seen by {way}: "
              f"{'the same trace' if same else 'ANOTHER TRACE'}")
        if not same:
            print("  alone  ", traced, "\n  watched", watched[1][-1500:], watched[2][-500:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=str(HERE.parents[2] / "build" / "ci" / "bin"))
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="captures-")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    runner = Runner(options, folder)
    chosen = set(options.only.split(",")) if options.only else None

    def wanted(name):
        return chosen is None or name in chosen

    if wanted("samples"):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        built = runner.run([nvcc, "-std=c++17", "-arch=sm_90", "-lineinfo",
                            str(HERE / "programs" / "samples.cu"), "-o", str(folder / "samples")],
                           200) if os.path.exists(nvcc) else (1, "", "there is no nvcc")
        if built[0] == 0:
            runner.capture("samples", ["./samples"])
        else:
            runner.notes.append("samples: " + built[2][-300:])
    for name in PYTHON_PROGRAMS:
        if wanted(name):
            runner.capture(name, [sys.executable, str(HERE / "programs" / f"{name}.py")])
    if wanted("profiled"):
        compare_profiles(runner)
    status = runner.table()
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
