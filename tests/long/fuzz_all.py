# tests/long/fuzz_all.py: mutants of every kind of input for the parsers, each test in a process of its own.
"""Usage: fuzz_all.py FUZZ_TESTS MUTANTS [FROM [KEPT]].

FUZZ_TESTS is the program of the tests, built with or without sanitizers. Gives each test an equal share of
MUTANTS, beginning with number FROM (0), and prints how many there were, the slowest one and the most memory.
As many processes run at a time as there are processors; each takes at least 500 mutants of a test, if it has so many.
Status 1 if a test fails or crashes, a mutant takes more than 5 s of processor time, or a process more than 1 GB.
A process that goes beyond 1 GB, or that uses no processor for ten minutes, is ended. The folder KEPT gets the
mutant of each process that ended so or crashed.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

MOST_PEAK_MB, MOST_CASE_S = 1000, 5
MOST_QUIET_S = 600  # a starved machine gives a process nothing for minutes
LEAST_SHARE = 500  # of one process: tests want so many


def tests_of(program):
    listed = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=Fuzz*"], check=True, capture_output=True,
                            text=True).stdout
    suite = ""
    for line in listed.splitlines():
        if line.startswith("  "):
            yield suite + line.split()[0]
        elif line.rstrip().endswith("."):
            suite = line.strip()


def watch(process, ended):
    """Ends a process that takes too much memory, or that waits for something that never comes."""
    used, since = "", time.monotonic()
    while not ended.wait(0.1):
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii", errors="replace")
            now = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii", errors="replace").rsplit(")")[-1].split()[11:15]
        except OSError:
            return
        peak = re.search(r"VmHWM:\s+(\d+)", status)
        if now != used:
            used, since = now, time.monotonic()
        if (peak and int(peak[1]) / 1000 > MOST_PEAK_MB) or time.monotonic() - since > MOST_QUIET_S:
            process.kill()
            return


def run(program, test, cases, first, kept=None):
    """(output, status, peak in MB) of some mutants of a test."""
    there = {**os.environ, "WARPSCOPE_FUZZ_CASES": str(cases), "WARPSCOPE_FUZZ_FROM": str(first),
             "ASAN_OPTIONS": "quarantine_size_mb=16:" + os.environ.get("ASAN_OPTIONS", "")}
    if kept:
        there["WARPSCOPE_FUZZ_KEPT"] = str(kept)
    read, write = os.pipe()
    process = subprocess.Popen([program, f"--gtest_filter={test}"], stdout=write, stderr=write, env=there)
    os.close(write)
    ended = threading.Event()
    threading.Thread(target=watch, args=(process, ended), daemon=True).start()
    with os.fdopen(read, encoding="utf-8", errors="replace") as file:
        output = file.read()
    ended.set()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return output, process.returncode, used.ru_maxrss / 1000


class Row:
    """What the processes of one test did."""

    def __init__(self):
        self.mutants, self.longest_s, self.peak_mb, self.bad, self.output = 0, 0.0, 0.0, False, ""

    def add(self, output, status, mega):
        rows = re.findall(r"^mutants (\d+) slowest_s (\S+)", output, re.M)
        longest_s = max((float(seconds) for _, seconds in rows), default=0)
        self.mutants += sum(int(count) for count, _ in rows)
        self.longest_s, self.peak_mb = max(self.longest_s, longest_s), max(self.peak_mb, mega)
        if status != 0 or mega >= MOST_PEAK_MB or longest_s >= MOST_CASE_S or not rows:
            self.bad = True
            self.output += output[-4000:]


def shares(wanted, first):
    parts = max(1, wanted // LEAST_SHARE)
    for part in range(parts):
        begin, end = wanted * part // parts, wanted * (part + 1) // parts
        yield end - begin, first + begin


def main():
    program, wanted = sys.argv[1], int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    kept = sys.argv[4] if len(sys.argv) > 4 else None
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # What a test has of cases of its own comes first: not every test has mutants.
        tests = list(tests_of(program))
        with_mutants = [test for test, (output, _, _) in zip(tests, pool.map(lambda test: run(program, test, 1, first), tests))
                        if "mutants" in output]
        each = -(-wanted // len(with_mutants))
        parts = [(test, pool.submit(run, program, test, count, at, kept)) for count, at in shares(each, first) for test in with_mutants]
        rows = {test: Row() for test in with_mutants}
        for test, part in parts:
            rows[test].add(*part.result())
    for test, row in rows.items():
        print(f"{'FAILED' if row.bad else 'passed'} {test}: {row.mutants} mutants, at most {row.longest_s:.3f} s each, "
              f"{row.peak_mb:.0f} MB", flush=True)
        if row.bad:
            print(row.output)
    mutants, bad = sum(row.mutants for row in rows.values()), sum(row.bad for row in rows.values())
    slowest, peak = max(rows, key=lambda test: rows[test].longest_s), max(rows, key=lambda test: rows[test].peak_mb)
    print(f"{mutants} mutants over {len(rows)} tests, {bad} tests failed; the slowest mutant took {rows[slowest].longest_s:.3f} s "
          f"({slowest}); most memory {rows[peak].peak_mb:.0f} MB ({peak})")
    return 1 if bad or mutants < wanted else 0


if __name__ == "__main__":
    sys.exit(main())
