# tests/long/fuzz_programs.py: mutants of files and of lines between processes, given to the programs themselves.
"""Usage: fuzz_programs.py ROOT BIN MUTANTS [FROM [KEPT]].

Each mutant goes to the command, `serve`, or engine that reads it, which may be built with sanitizers. A crash is an
end by a signal, a status other than 0 to 3, a sanitizer's report, or more than 5 s of processor time or 1 GB. As
many run at a time as there are processors. The folder KEPT gets the inputs that crash.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

MOST_S, MOST_MB = 5, 1000
MOST_CLOCK_S = 120  # it waits for something that never comes
REPORTS = (b"Sanitizer", b"runtime error:", b"terminate called", b"Assertion")
ENGINE_DEATHS = (b"the engine ended with status", b"the engine was killed by signal")  # of the real one, a crash
PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 x)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<5>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [x];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  st.global.f32 [%rd3], %f1;
  ret;
}
"""
WORDS = [b"{", b"}", b"[", b"]", b'"', b"null", b"-1", b"1e999", b"99999999999999999999", b"\0", b"\xff", b"\n", b"\\u0000",
         b"true", b"0x", b"nan", b",", b":", b"=", b"%", b"../../", b"type", b"job", b";"]


def mutated(text, others, dice):
    """One to four changes, most of them within some place, so that what is around it stays sound."""
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(0, len(text))
        length = dice.randint(0, min(40, len(text) - at))
        kind = dice.randint(0, 5)
        if kind == 0 and at < len(text):
            text = text[:at] + bytes([dice.randint(0, 255)]) + text[at + 1:]
        elif kind == 1:
            text = text[:at] + text[at + length:]
        elif kind == 2:
            text = text[:at] + text[at:at + length] + text[at:]
        elif kind == 3:
            text = text[:at]
        elif kind == 4:
            text = text[:at] + dice.choice(WORDS) + text[at + dice.choice([0, length]):]
        else:
            other = dice.choice(others)
            text = text[:at] + other[dice.randint(0, len(other)):]
    return text


class Inputs:
    """Kinds of inputs: their sound texts, and the words that read a file of one."""

    def __init__(self, root, programs, folder):
        self.program, self.folder, self.programs = programs / "warpscope", folder, programs
        packed = root / "assets/sessions/h200-patterns.wsj.gz"
        whole = subprocess.run([self.program, "export", packed, "--wsj", "-"], capture_output=True, check=False).stdout
        lines = whole.splitlines(keepends=True)
        short = b"".join(line for line in lines if len(line) < 20000)[:60000]
        few = folder / "few.wsj"
        few.write_bytes(short)
        subprocess.run([self.program, "export", few, "--wsj", folder / "few.wsj.gz"], check=True, capture_output=True)
        lesson = (root / "assets/lessons/coalescing.json").read_bytes()
        exercise = root / "assets/exercises/saxpy"
        self.kinds = {
            "session": (".wsj", [short], [["check"], ["export", "--csv", "-"], ["report", "--out", folder / "report"]]),
            "packed session": (".wsj.gz", [(folder / "few.wsj.gz").read_bytes()], [["check"], ["export", "--json", "-"]]),
            "capture": (".wcap", [(root / "assets/examples/captured_norm/norm.wcap").read_bytes()], [["check"], ["kernels"]]),
            "PTX": (".ptx", [PTX], [["trace", "--grid", "4", "--block", "256", "--arg", "x=f32[1024]:iota"], ["kernels"]]),
            "gate": (".toml", [b'[[kernel]]\nscene = "patterns/copy"\naxes = { n = 1000 }\n'], [["check"]]),
            "lesson": (".json", [lesson], [["play", "--handout", folder / "handout"]]),
            "launch file": (".toml", [b'source = "few.cu"\nentry = "twice"\ngrid = [4, 1, 1]\nblock = [256, 1, 1]\n'
                                      b'arguments = ["x = f32[1024]:iota"]\n'], [["trace", "--launch"]]),
            "exercise": ("exercise.toml", [(exercise / "exercise.toml").read_bytes()], [["grade"]])}
        job = {"type": "job", "job": 1, "kind": "trace", "scene": "patterns", "variant": "copy", "axes": {"n": "64"},
               "grid": True, "block": "0", "counters": "none", "hang_limit_s": 5.0, "time_limit_s": 1.0}
        self.jobs = [json.dumps(job).encode(), b'{"type": "cancel", "job": 1}',
                     json.dumps({**job, "kind": "verify"}).encode(), json.dumps({**job, "kind": "measure"}).encode()]
        self.requests = [b'{"id": 1, "request": "verify", "variant": "patterns/copy", "axes": {"n": 64}}',
                         b'{"id": 2, "request": "trace", "variant": "patterns/copy", "axes": {"n": 64}}',
                         b'{"id": "a", "request": "edit", "scene": "s", "file": "k.cu", "lines": [{"from": 1, "to": 0, "text": ""}]}',
                         b'{"request": "list", "scene": "led"}']
        self.answers = [line.rstrip(b"\n") for line in lines if len(line) < 20000][:40]

    def case(self, number):
        """(kind, words, standard input, environment) of a mutant."""
        dice = random.Random(number)
        kind = dice.choice([*self.kinds, "engine's lines", "serve's lines", "lines to the engine"])
        there = {**os.environ, "HOME": str(self.folder), "LIBGL_ALWAYS_SOFTWARE": "1"}
        if kind == "serve's lines":
            lines = b"".join(mutated(dice.choice(self.requests), self.requests, dice) + b"\n" for _ in range(3))
            return kind, [self.program, "serve"], lines, there
        if kind == "lines to the engine":
            lines = b"".join(mutated(dice.choice(self.jobs), self.jobs, dice) + b"\n" for _ in range(3))
            return kind, [self.programs / "warpscope-engine", "--role", "emulate"], lines, there
        if kind == "engine's lines":
            told = self.folder / "told"
            told.write_bytes(b"".join((line if dice.random() < 0.5 else mutated(line, self.answers, dice)) + b"\n"
                                      for line in dice.sample(self.answers, 12)))
            engine = self.folder / "engine"
            engine.write_text(f"#!/bin/sh\ncat '{told}'\n", encoding="utf-8")
            engine.chmod(0o755)
            return kind, [self.program, "trace", "patterns/copy", "n=64", "--limit", "1", "--engine", engine], b"", there
        ending, texts, readers = self.kinds[kind]
        path = self.folder / ("mutant" + ending)
        words = [self.program, *dice.choice(readers)]
        if ending == "exercise.toml":
            path = self.folder / "exercise" / ending
            path.parent.mkdir(exist_ok=True)
            words.append(path.parent)
        else:
            words.append(path)
        path.write_bytes(mutated(dice.choice(texts), texts, dice))
        return kind, words, b"", there


def run(words, text, there, output):
    """(status, seconds of the processor, MB) of a process, and of its children that it waited for."""
    with open(output, "wb") as said:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said, env=there,
                                   start_new_session=True)
        alarm = threading.Timer(MOST_CLOCK_S, os.killpg, (process.pid, signal.SIGKILL))
        alarm.start()
        try:
            process.stdin.write(text)
            process.stdin.close()
        except OSError:
            pass
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        alarm.cancel()
        try:
            os.killpg(process.pid, signal.SIGKILL)  # an engine that goes on
        except OSError:
            pass
    return process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


class Results:
    """Of all cases, by kind of input."""

    def __init__(self, kept):
        self.lock, self.kept = threading.Lock(), kept
        self.counts, self.bad = collections.Counter(), collections.Counter()
        self.slowest, self.peak = collections.defaultdict(lambda: (0.0, 0)), collections.defaultdict(lambda: (0.0, 0))

    def add(self, number, kind, words, status, seconds, mega, said):
        crashes = REPORTS if kind == "engine's lines" else REPORTS + ENGINE_DEATHS
        with self.lock:
            self.counts[kind] += 1
            self.slowest[kind] = max(self.slowest[kind], (seconds, number))
            self.peak[kind] = max(self.peak[kind], (mega, number))
            if status in (0, 1, 2, 3) and not any(word in said for word in crashes) and seconds <= MOST_S and mega <= MOST_MB:
                return True
            self.bad[kind] += 1
            print(f"FAILED case {number}, {kind}: {' '.join(map(str, words[1:3]))}: status {status}, {seconds:.1f} s, "
                  f"{mega:.0f} MB\n{said[-2000:].decode(errors='replace')}", flush=True)
            return False

    def print(self):
        for kind, count in sorted(self.counts.items()):
            print(f"{count:6} {kind}: {self.bad[kind]} crashes or beyond limits, at most {self.slowest[kind][0]:.2f} s and "
                  f"{self.peak[kind][0]:.0f} MB")
        slowest, peak = max(self.slowest.values()), max(self.peak.values())
        print(f"{sum(self.counts.values())} mutants, {sum(self.bad.values())} crashes or beyond limits; the slowest took "
              f"{slowest[0]:.2f} s (case {slowest[1]}), most memory {peak[0]:.0f} MB (case {peak[1]})")


def run_cases(root, programs, numbers, results):
    """All of these numbers, one after the other, in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        folder = pathlib.Path(folder)
        inputs = Inputs(root, programs, folder)
        for number in numbers:
            kind, words, text, there = inputs.case(number)
            status, seconds, mega = run(words, text, there, folder / "said")
            good = results.add(number, kind, words, status, seconds, mega, (folder / "said").read_bytes())
            if not good and results.kept:
                to = pathlib.Path(results.kept, f"case-{number}")
                to.mkdir(parents=True, exist_ok=True)
                (to / "words").write_text("\n".join(map(str, words)), encoding="utf-8")
                (to / "input").write_bytes(text)
                for file in [*folder.glob("mutant*"), *folder.glob("told"), *folder.glob("exercise/exercise.toml")]:
                    shutil.copy2(file, to)


def main():
    root, programs = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    wanted, first = int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 0
    results = Results(sys.argv[5] if len(sys.argv) > 5 else None)
    at_a_time = os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        parts = [pool.submit(run_cases, root, programs, range(first + part, first + wanted, at_a_time), results)
                 for part in range(min(at_a_time, wanted))]
        for part in parts:
            part.result()
    results.print()
    return 1 if results.bad else 0


if __name__ == "__main__":
    sys.exit(main())
