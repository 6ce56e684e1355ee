# scenes/cmake/test_suites.py: writes ctest's entries for a program of tests, several tests each.
"""Usage: test_suites.py PROGRAM OUT FOLDER [SUITE...] [--early SUITE...]: writes OUT, a file of
CMake commands.

A process takes longer to start than most tests take to run, so an entry runs the tests of one
suite, MOST of them at once. Each test of a SUITE that is named here takes seconds and has an entry
of its own; these start first. So do the entries of suites after --early, each of which takes long
as a whole. Suites that begin with Slow or Gpu are not among them.

Tests that follow each other in a program are alike: several that wait for deadlines, run beside
each other, would leave the processors idle. So entries start in another order than they stand in.
"""
import pathlib
import re
import subprocess
import sys

MOST = 12  # tests of an entry
GOLDEN = 0.618033988749895  # multiples of it, less their whole part, lie far from those near them


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


def entries_of(suites, apart, early):
    """Names of entries, what they run, and whether they start first."""
    for suite, tests in suites.items():
        parts = set(suite.split("/"))
        if apart & parts:
            yield from ((test, test, True) for test in tests)
            continue
        groups = -(-len(tests) // MOST)
        for number in range(groups):
            group = tests[number::groups]
            name = suite if groups == 1 else f"{suite} ({number + 1} of {groups})"
            yield name, ":".join(group), bool(early & parts)


def main():
    program, out, folder, *suites = sys.argv[1:]
    apart, early = suites, []
    if "--early" in suites:
        apart, early = suites[:suites.index("--early")], suites[suites.index("--early") + 1:]
    lines = []
    entries = entries_of(tests_of(program, folder), set(apart), set(early))
    for number, (name, wanted, first) in enumerate(entries):
        # ctest starts what costs more before what costs less.
        cost = f"{(2 if first else 1) + number * GOLDEN % 1:.4f}"
        lines.append(f"add_test([=[{name}]=] [=[{program}]=] [=[--gtest_filter={wanted}]=])")
        lines.append(f"set_tests_properties([=[{name}]=] PROPERTIES TIMEOUT 600 COST {cost} "
                     f"WORKING_DIRECTORY [=[{folder}]=])")
    pathlib.Path(out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
