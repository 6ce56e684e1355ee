# tests/repository/count_tests.py: lists what a ctest report skipped and why, and counts it.
"""Usage: count_tests.py REPORT.xml [SECOND.xml]. The last line is: passed failed skipped.

SECOND.xml is the report of a second run, alone, of the tests that failed in the first. A test that
passes there counts as passed and is named. Failures come last, each with the end of its output.
"""
import re
import sys
import xml.etree.ElementTree as xml


def reason_of(case):
    """What the test said when it skipped: GoogleTest prints it below the word Skipped."""
    output = case.findtext("system-out") or ""
    said = re.search(r": Skipped\n(.+)", output)
    if said:
        return said.group(1).strip()
    skipped = case.find("skipped")
    return (skipped.get("message") if skipped is not None else None) or "no reason given"


def cases_of(report):
    return list(xml.parse(report).getroot().iter("testcase"))


def failed(case):
    return case.get("status") not in ("run", "notrun", "disabled")


def end_of_output(case, lines=25):
    return (case.findtext("system-out") or "").rstrip().splitlines()[-lines:]


def main():
    cases = cases_of(sys.argv[1])
    again = {case.get("name"): case for case in cases_of(sys.argv[2])} if sys.argv[2:] else {}
    second = [again[case.get("name")] for case in cases if failed(case) and case.get("name") in again]
    passed_then = [case.get("name") for case in second if case.get("status") == "run"]
    failures = [again.get(case.get("name"), case) for case in cases
                if failed(case) and case.get("name") not in passed_then]
    reasons = {}
    for case in cases:
        if case.get("status") in ("notrun", "disabled"):
            reasons.setdefault(reason_of(case), []).append(case.get("name"))
    skipped = sum(map(len, reasons.values()))
    for reason, names in sorted(reasons.items()):
        print(f"skipped  {len(names)}: {reason}")
        for name in names:
            print(f"           {name}")
    for name in passed_then:
        print(f"passed   only when run again, alone: {name}")
    for case in failures:
        print(f"FAILED   {case.get('name')}")
        for line in end_of_output(case):
            print(f"           {line}")
    if not cases:
        print("FAILED   no tests were found")
    print(len(cases) - skipped - len(failures), len(failures) or int(not cases), skipped)


if __name__ == "__main__":
    main()
