# tests/benchmarks/same_bytes.py: whether gates and grades are the same bytes, run after run.
"""Usage: same_bytes.py WARPSCOPE gate FILE [RUNS]
          same_bytes.py WARPSCOPE grade FOLDER [RUNS]

gate: copies FILE, records it RUNS times (20) with other numbers of processors and with and without
other work on them, and compares what was recorded. grade: grades FOLDER's starter RUNS times (1000),
several at once, and compares table, JSON and page. Prints one line per different result: the hash of
its bytes and how many runs had it. The exit status is 1 if there is more than one.
"""
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


def processors(run):
    """One of them, then all of them, in turn."""
    every = sorted(os.sched_getaffinity(0))
    return every[:1 + run % len(every)]


class Load:
    """Keeps every processor busy while it lives."""

    def __init__(self, wanted):
        count = 2 * len(os.sched_getaffinity(0)) if wanted else 0
        self.children = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                         for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.kill()
            child.wait()


def digest(*texts):
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def gate(program, file, run):
    """What one run records, and a sentence of its conditions."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "gate.toml"
        shutil.copy(file, copy)
        used, loaded = processors(run), run % 4 >= 2
        begun = time.monotonic()
        with Load(loaded):
            subprocess.run([program, "ci", str(copy), "--update"], check=True, capture_output=True,
                           preexec_fn=lambda: os.sched_setaffinity(0, used))
        passed = time.monotonic() - begun
        print(f"run {run + 1}: processors {len(used)}, {'busy' if loaded else 'idle'}, {passed:.1f} s",
              flush=True)
        return digest(copy.read_bytes())


def grade(program, folder, _):
    with tempfile.TemporaryDirectory() as written:
        page, points = pathlib.Path(written) / "g.html", pathlib.Path(written) / "g.json"
        ran = subprocess.run([program, "grade", folder, "--emulated", "--json", "--html", page,
                              "--gradescope", points], capture_output=True)
        return digest(ran.stdout, page.read_bytes(), points.read_bytes())


def main(program, what, path, runs=None):
    if what == "gate":
        results = [gate(program, path, run) for run in range(int(runs or 20))]
    else:
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            results = list(pool.map(lambda run: grade(program, path, run), range(int(runs or 1000))))
    counted = collections.Counter(results)
    for result, count in counted.most_common():
        print(result, count)
    return 0 if len(counted) == 1 else 1


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[2] not in ("gate", "grade"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
