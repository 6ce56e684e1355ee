# tests/long/soak_end_test.py: a soak that is ended early leaves its report and no process, whatever ended it.
"""Usage: soak_end_test.py ROOT BIN."""
import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36  # source: prctl(2)
MOST_S = 120


def count(text, what):
    found = re.search(rf"^ *(\d+) {what}$", text, re.M)
    return int(found[1]) if found else 0


def until(holds):
    end = time.monotonic() + MOST_S
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.1)
    return False


def left():
    """Processes of the soak that outlive it: they become this process's children."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                break
        except ChildProcessError:
            return []
    own = pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()
    return [pathlib.Path(f"/proc/{child}/comm").read_text(encoding="ascii").strip() for child in own]


def main():
    root, programs = sys.argv[1:3]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    bad = []
    for which in (signal.SIGTERM, signal.SIGKILL):
        with tempfile.TemporaryDirectory(prefix="soak-end-") as folder:
            summary, out = pathlib.Path(folder, "summary"), pathlib.Path(folder, "out")
            with open(out, "wb") as said:
                soak = subprocess.Popen([sys.executable, pathlib.Path(root, "tests/long/soak.py"), root, programs, "30", "--users",
                                         "calm,window", "--summary", summary], stdout=said, stderr=said,
                                        env={**os.environ, "TMPDIR": folder})
            used = until(lambda: summary.exists() and count(summary.read_text(encoding="utf-8"), "requests")
                         and count(summary.read_text(encoding="utf-8"), "events in the window"))
            soak.send_signal(which)
            status = soak.wait(MOST_S)
            if not used:
                bad.append(f"{which.name}: nothing was done in {MOST_S} s: {out.read_text(encoding='utf-8')[-1000:]}")
            if not until(lambda: not left()):
                bad.append(f"{which.name}: these are left: {left()}")
            told = out.read_text(encoding="utf-8") if which == signal.SIGTERM else summary.read_text(encoding="utf-8")
            if not re.search(r"^\d+ lost, \d+ late, \d+ wrong, \d+ grown$", told, re.M) or not count(told, "requests"):
                bad.append(f"{which.name}: no report: {told[-1000:]}")
            if which == signal.SIGTERM and status != 0:
                bad.append(f"{which.name}: status {status}: {told[-1000:]}")
    print("\n".join(bad) or "ended by SIGTERM and by SIGKILL, a soak leaves its report and no process")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
