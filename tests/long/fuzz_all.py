# tests/long/fuzz_all.py: mutants of every kind of input for the parsers, each test in a process of its own.
"""Usage: fuzz_all.py FUZZ_TESTS MUTANTS [FROM].

FUZZ_TESTS is the program of the tests, built with or without sanitizers. Gives each test an equal share of
MUTANTS, beginning with number FROM (0), and prints how many there were, the slowest one and the most memory.
Status 1 if a test fails, crashes, or a process takes more than 1 GB.
"""
import os
import re
import subprocess
import sys

MOST_PEAK_MB = 1000


def tests_of(program):
    listed = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=Fuzz*"], check=True, capture_output=True,
                            text=True).stdout
    suite = ""
    for line in listed.splitlines():
        if line.startswith("  "):
            yield suite + line.split()[0]
        elif line.rstrip().endswith("."):
            suite = line.strip()


def run(program, test, cases, first):
    """(output, status, peak in MB) of one test."""
    there = {**os.environ, "WARPSCOPE_FUZZ_CASES": str(cases), "WARPSCOPE_FUZZ_FROM": str(first),
             "ASAN_OPTIONS": "quarantine_size_mb=16:" + os.environ.get("ASAN_OPTIONS", "")}
    read, write = os.pipe()
    process = subprocess.Popen([program, f"--gtest_filter={test}"], stdout=write, stderr=write, env=there)
    os.close(write)
    with os.fdopen(read, encoding="utf-8", errors="replace") as file:
        output = file.read()
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
        good = status == 0 and mega < MOST_PEAK_MB and rows
        print(f"{'passed' if good else 'FAILED'} {test}: {sum(int(count) for count, _ in rows)} mutants, "
              f"at most {max((float(s) for _, s in rows), default=0):.3f} s each, {mega:.0f} MB", flush=True)
        if not good:
            bad += 1
            print(output[-4000:])
    print(f"{mutants} mutants over {len(with_mutants)} tests, {bad} tests failed; the slowest mutant took {slowest[0]:.3f} s "
          f"({slowest[1]}); most memory {peak[0]:.0f} MB ({peak[1]})")
    return 1 if bad or mutants < wanted else 0


if __name__ == "__main__":
    sys.exit(main())
