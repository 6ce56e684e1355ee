# scenes/cmake/test_suites.py: writes ctest's entries for a program of tests, several tests each.
"""Usage: test_suites.py PROGRAM OUT FOLDER [SUITE...]: writes OUT, a file of CMake commands.

A process takes longer to start than most tests take to run, so an entry runs the tests of one
suite, MOST of them at once. Each test of a SUITE that is named here takes seconds and has an entry
of its own; these start first. Suites that begin with Slow or Gpu are not among them.
"""
import pathlib
import re
import subprocess
import sys

MOST = 12  # tests of an entry


def tests_of(program, folder):
    """The tests by suite, in the order in which the program names them."""
    listed = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=-Gpu*:Slow*"], cwd=folder,
                            capture_output=True, text=True, check=True).stdout
    suites, suite = {}, ""
    for line in listed.splitlines():
        if found := re.match(r"(\S+)\.(?:\s|$)", line):
            suite = found[1]
        elif found := re.match(r"  (\S+)", line):
            suites.setdefault(suite, []).append(f"{suite}.{found[1]}")
    return suites


def entries_of(suites, apart):
    """Names of entries, what they run, and what they cost compared with others."""
    for suite, tests in suites.items():
        if apart & set(suite.split("/")):
            yield from ((test, test, 2) for test in tests)
            continue
        groups = -(-len(tests) // MOST)
        for number in range(groups):
            group = tests[number::groups]
            name = suite if groups == 1 else f"{suite} ({number + 1} of {groups})"
            yield name, ":".join(group), 1


def main():
    program, out, folder = sys.argv[1:4]
    lines = []
    for name, wanted, cost in entries_of(tests_of(program, folder), set(sys.argv[4:])):
        lines.append(f"add_test([=[{name}]=] [=[{program}]=] [=[--gtest_filter={wanted}]=])")
        lines.append(f"set_tests_properties([=[{name}]=] PROPERTIES TIMEOUT 600 COST {cost} "
                     f"WORKING_DIRECTORY [=[{folder}]=])")
    pathlib.Path(out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
