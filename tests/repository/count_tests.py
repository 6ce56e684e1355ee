# tests/repository/count_tests.py: lists what a ctest report skipped and why, and counts it.
"""Usage: count_tests.py REPORT.xml [SECOND.xml]. The last line is: passed failed skipped.

SECOND.xml is the report of a second run, alone, of what failed in the first. A test that passes
there counts as passed and is named. Failures come last, each with the end of its output.

One entry of ctest may run several of GoogleTest's tests: each counts. If its process ends early,
the test that ran then has failed, and so have those that never began.
"""
import io
import re
import sys
import xml.etree.ElementTree as xml

RUN = re.compile(r"\[ RUN      \] (\S+)")
AT_ITS_END = ": at its end, after all tests"
ENDED = re.compile(r"\[ *(OK|FAILED|SKIPPED) *\] ([^\s,]+)")


def reason_of(output):
    """What the test said when it skipped: GoogleTest prints it below the word Skipped."""
    said = re.search(r": Skipped\n(.+)", output)
    return said.group(1).strip() if said else None


def parts_of(name, output):
    """For each test of an entry's output: its name, what it printed, how it ended (None if it did not)."""
    begun = list(RUN.finditer(output))
    for i, found in enumerate(begun):
        end = begun[i + 1].start() if i + 1 < len(begun) else len(output)
        said = output[found.end():end]
        ends = [e for e in ENDED.finditer(said) if e[2] == found[1]]
        yield found[1], said[:ends[0].end()] if ends else said, ends[0][1] if ends else None
    wanted = re.search(r"\[==========\] Running (\d+) test", output)
    for missing in range(int(wanted[1]) - len(begun) if wanted else 0):
        yield f"{name}: a test that never began ({missing + 1})", output, None


def results_of(report):
    """By test: whether it passed, failed or was skipped, and what it printed or the reason."""
    results = {}
    for case in xml.parse(report).getroot().iter("testcase"):
        name, status = case.get("name"), case.get("status")
        output = case.findtext("system-out") or ""
        parts = list(parts_of(name, output))
        if status in ("notrun", "disabled"):
            skipped = case.find("skipped")
            message = skipped.get("message") if skipped is not None else None
            results[name] = "skipped", reason_of(output) or message or "no reason given"
        elif not parts:
            results[name] = "passed" if status == "run" else "failed", output
        else:
            for test, said, end in parts:
                results[test] = (("passed", said) if end == "OK" else
                                 ("skipped", reason_of(said) or "no reason given")
                                 if end == "SKIPPED" else ("failed", said))
            if status != "run" and all(results[test][0] != "failed" for test, _, _ in parts):
                results[name + AT_ITS_END] = "failed", output
    return results


def after_again(first, again):
    """The results of both runs, and what passed only in the second."""
    failed = [name for name, (how, _) in first.items() if how == "failed"]
    # What never began or failed between tests is not a test: the second run's tests stand for it.
    unnamed = [name for name in failed if "never began" in name or name.endswith(AT_ITS_END)]
    passed_then = [name for name in failed if again.get(name, ("", ""))[0] == "passed" or
                   again and name.endswith(AT_ITS_END) and name not in again]
    results = {name: first[name] for name in first if name not in unnamed or not again}
    results |= {name: result for name, result in again.items() if name not in results or name in failed}
    return results, passed_then


def prove_the_counts():
    def report(status, *ends):
        said = f"[==========] Running {len(ends)} tests\n" + "".join(
            f"[ RUN      ] {name}\n[ {end} ] {name}\n" for name, end in ends)
        return io.StringIO(f'<testsuite><testcase name="e" status="{status}"><system-out>{said}'
                           "</system-out></testcase></testsuite>")
    good = ("A.B", "      OK"), ("A.C", "      OK")
    leaks = results_of(report("fail", *good))
    assert [how for how, _ in leaks.values()] == ["passed", "passed", "failed"], leaks
    alone = after_again(leaks, results_of(report("run", *good)))
    assert [how for how, _ in alone[0].values()] == ["passed"] * 2 and alone[1] == ["e" + AT_ITS_END]
    assert after_again(leaks, leaks)[0] == leaks and after_again(leaks, {})[0] == leaks
    breaks = results_of(report("fail", good[0], ("A.C", "  FAILED  ")))
    assert [name for name, (how, _) in breaks.items() if how == "failed"] == ["A.C"], breaks
    assert after_again(breaks, results_of(report("run", *good)))[1] == ["A.C"]


def main():
    prove_the_counts()
    first = results_of(sys.argv[1])
    again = results_of(sys.argv[2]) if sys.argv[2:] else {}
    results, passed_then = after_again(first, again)
    reasons = {}
    for name, (how, said) in results.items():
        if how == "skipped":
            reasons.setdefault(said, []).append(name)
    skipped = sum(map(len, reasons.values()))
    for reason, names in sorted(reasons.items()):
        print(f"skipped  {len(names)}: {reason}")
        for name in names:
            print(f"           {name}")
    for name in passed_then:
        print(f"passed   only when run again, alone: {name}")
    failures = [name for name, (how, _) in results.items() if how == "failed"]
    for name in failures:
        print(f"FAILED   {name}")
        for line in results[name][1].rstrip().splitlines()[-25:]:
            print(f"           {line}")
    if not results:
        print("FAILED   no tests were found")
    print(len(results) - skipped - len(failures), len(failures) or int(not results), skipped)


if __name__ == "__main__":
    main()
