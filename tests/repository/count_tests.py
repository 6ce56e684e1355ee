# tests/repository/count_tests.py: lists what a ctest report skipped and why, and counts it.
"""Usage: count_tests.py REPORT.xml. The last line is: passed failed skipped."""
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


def main():
    cases = list(xml.parse(sys.argv[1]).getroot().iter("testcase"))
    passed = failed = 0
    reasons = {}
    for case in cases:
        status = case.get("status")
        if status == "run":
            passed += 1
        elif status in ("notrun", "disabled"):
            reasons.setdefault(reason_of(case), []).append(case.get("name"))
        else:
            failed += 1
            print(f"FAILED   {case.get('name')}")
    for reason, names in sorted(reasons.items()):
        print(f"skipped  {len(names)}: {reason}")
        for name in names:
            print(f"           {name}")
    if not cases:
        print("FAILED   no tests were found")
        failed = 1
    print(passed, failed, sum(map(len, reasons.values())))


if __name__ == "__main__":
    main()
