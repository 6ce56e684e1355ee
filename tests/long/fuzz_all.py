# tests/long/fuzz_all.py: mutants of every kind of input for the parsers, each test in a process of its own.
"""Usage: fuzz_all.py FUZZ_TESTS MUTANTS [FROM].

FUZZ_TESTS is the program of the tests, built with or without sanitizers. Gives each test an equal share of
MUTANTS, beginning with number FROM (0), and prints how many there were, the slowest one and the most memory.
Status 1 if a test fails or crashes, a mutant takes more than 5 s of processor time, or a process more than 1 GB.
A process that goes beyond 1 GB, or that uses no processor for ten minutes, is ended.
"""
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

MOST_PEAK_MB, MOST_CASE_S = 1000, 5
MOST_QUIET_S = 600  # a starved machine gives a process nothing for minutes


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


def run(program, test, cases, first):
    """(output, status, peak in MB) of one test."""
    there = {**os.environ, "WARPSCOPE_FUZZ_CASES": str(cases), "WARPSCOPE_FUZZ_FROM": str(first),
             "ASAN_OPTIONS": "quarantine_size_mb=16:" + os.environ.get("ASAN_OPTIONS", "")}
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


def main():
    program, wanted = sys.argv[1], int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    tests = list(tests_of(program))
    mutants, bad, slowest, peak = 0, 0, (0.0, ""), (0.0, "")
    # What a test has of cases of its own comes first: not every test has mutants.
    with_mutants = [test for test in tests if "mutants" in run(program, test, 1, first)[0]]
    for test in with_mutants:
        output, status, mega = run(program, test, -(-wanted // len(with_mutants)), first)
        rows = re.findall(r"^mutants (\d+) slowest_s (\S+)", output, re.M)
        mutants += sum(int(count) for count, _ in rows)
        slowest = max(slowest, *((float(seconds), test) for _, seconds in rows), (0.0, test))
        peak = max(peak, (mega, test))
        longest = max((float(s) for _, s in rows), default=0)
        good = status == 0 and mega < MOST_PEAK_MB and longest < MOST_CASE_S and rows
        print(f"{'passed' if good else 'FAILED'} {test}: {sum(int(count) for count, _ in rows)} mutants, "
              f"at most {longest:.3f} s each, {mega:.0f} MB", flush=True)
        if not good:
            bad += 1
            print(output[-4000:])
    print(f"{mutants} mutants over {len(with_mutants)} tests, {bad} tests failed; the slowest mutant took {slowest[0]:.3f} s "
          f"({slowest[1]}); most memory {peak[0]:.0f} MB ({peak[1]})")
    return 1 if bad or mutants < wanted else 0


if __name__ == "__main__":
    sys.exit(main())
