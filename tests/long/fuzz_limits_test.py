# tests/long/fuzz_limits_test.py: fuzz_all.py fails what is slow, large, silent or crashes, and ends what does not end.
"""Usage: fuzz_limits_test.py. Its limits are made small, and a script stands for the program of the tests."""
import contextlib
import io
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
import fuzz_all  # noqa: E402

# What each test does when it is given more than the one mutant that asks whether it has any.
TESTS = {"Good": ("pass", True), "Slow": ("slowest = 5.1", False), "Large": ("grow()", False), "Silent": ("time.sleep(60)", False),
         "Crash": ("os.abort()", False), "Fails": ("sys.exit(1)", False), "Says nothing": ("sys.exit(0)", False)}
PROGRAM = """#!/usr/bin/env python3
import os, sys, time
TESTS = {tests!r}
if "--gtest_list_tests" in sys.argv:
    print("FuzzMade.\\n  " + "\\n  ".join(name.replace(" ", "_") for name in TESTS))
    sys.exit(0)
slowest, count = 0.1, int(os.environ["WARPSCOPE_FUZZ_CASES"])
def grow():
    kept = []
    while True:
        kept.append(b"x" * (1 << 22))
        time.sleep(0.005)
if count > 1:
    exec(TESTS[sys.argv[-1].split(".")[-1].replace("_", " ")])
print("mutants", count, "slowest_s", slowest)
"""


def main():
    fuzz_all.MOST_PEAK_MB, fuzz_all.MOST_QUIET_S = 150, 4
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "made_tests")
        pathlib.Path(program).write_text(PROGRAM.format(tests={name: act for name, (act, _) in TESTS.items()}), encoding="utf-8")
        os.chmod(program, 0o755)
        sys.argv = ["fuzz_all.py", program, str(10 * len(TESTS))]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = fuzz_all.main()
        lines = said.getvalue().splitlines()
        for name, (_, good) in TESTS.items():
            wanted = f"{'passed' if good else 'FAILED'} FuzzMade.{name.replace(' ', '_')}:"
            if not any(line.startswith(wanted) for line in lines):
                bad += 1
                print(f"“{wanted}” is not said")
        if status != 1 or not any(f"{len(TESTS) - 1} tests failed" in line for line in lines):
            bad += 1
            print(f"status {status}\n{said.getvalue()}")
    print(f"{bad} failures")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
