# tests/long/soak.py: window and engines under random use, kills, signals, full and read-only disks, for as long as one likes.
"""Usage: soak.py ROOT BIN MINUTES [--seed N] [--users NAME,...] [--summary FILE].

These users, or those that are named, work at the same time until MINUTES are over:

  calm      one `warpscope serve` that lives all the time, while its engines are killed and stopped
  stormy    one `warpscope serve` after the other: each is ended by SIGKILL, SIGTERM or SIGINT; one session file
  disks     `warpscope serve` on a disk that is full, then has room again, and on one that may not be written
  window    the window on a virtual display: clicks, drags, keys; its engines are killed

With a GPU all engines are the real one, and the users take turns. Without one, jobs that measure go to the tests'
engine.

Prints memory and descriptors of the long-lived processes, late answers, and lost lines: requests and events
without an answer, and answered measurements that the session file lacks. Status 1 if a line was lost, an answer
came late, a program ended by itself, or a process grew after its warm-up, the first half of the time.

SIGTERM and SIGINT end it early, with the same report. FILE gets the report every ten seconds: it is there even if
this script is killed.
"""
import argparse
import collections
import ctypes
import json
import os
import pathlib
import random
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.dont_write_bytecode = True
from soak_report import ENDS, LATE_S, Report  # noqa: E402

LOST_S = 120
MOST_TOLD_BYTES = int(os.environ.get("WARPSCOPE_SOAK_TOLD_BYTES", 50_000_000))
PR_SET_PDEATHSIG = 1  # source: prctl(2)


def end_with_parent():
    """In a new process: SIGTERM if this script ends, whatever ended it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def children_of(process):
    try:
        text = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(word) for word in text.split()]


def engines_of(process):
    """Its engines, by what they are called."""
    found = []
    for child in children_of(process):
        try:
            words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if any("engine" in word for word in words[:2]):
            found.append((child, "emulator" if "emulate" in words else "measurer"))
    return found


def disturb_an_engine(process, dice, report, always=False):
    engines = engines_of(process)
    if not engines:
        return
    child, _ = dice.choice(engines)
    try:
        if dice.random() < 0.6 and (always or report.kills()):
            os.kill(child, signal.SIGKILL)
            report.count("engines killed")
        else:
            os.kill(child, signal.SIGSTOP)
            time.sleep(dice.random())
            os.kill(child, signal.SIGCONT)
            report.count("engines stopped and continued")
    except OSError:
        pass


class Serving:
    """A `warpscope serve` whose every answer is waited for, and whose measured points are counted."""

    def __init__(self, machine, user, session, limit=None, wrapped=()):
        self.machine, self.user, self.session = machine, user, session
        self.number, self.pending = 0, {}
        limits = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        # Python ignores SIGXFSZ, and so does the program: a write beyond the limit fails, as on a full disk.
        self.process = subprocess.Popen([*wrapped, machine.program, "serve", "--session", session, *machine.options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        cwd=machine.folder, env=machine.environment, preexec_fn=limits,
                                        restore_signals=False, start_new_session=True)
        self.buffer, self.selector = b"", selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.alive = self.read(LOST_S) is not None  # its greeting

    def send(self, line, number):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return
        self.pending[number] = (time.monotonic(), line)

    def ask(self, dice):
        self.number += 1
        kind, fields = self.machine.request(dice)
        self.send(json.dumps({"id": self.number, "request": kind, **fields}), self.number)
        self.machine.report.count("requests")

    def read(self, patience_s):
        """The next line as JSON; None if none came."""
        end = time.monotonic() + patience_s
        while b"\n" not in self.buffer:
            if not self.selector.select(max(0, end - time.monotonic())):
                return None
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            if not chunk:
                return None
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)

    def read_all(self, must_end_well=True):
        """All answers that are due. Those that a program owes that ended by a signal are not lost."""
        while self.pending:
            oldest = min(asked for asked, _ in self.pending.values())
            answer = self.read(max(0.1, LOST_S - (time.monotonic() - oldest)))
            if answer is None:
                if must_end_well:
                    for _, line in self.pending.values():
                        self.machine.report.add(self.machine.report.lost, f"{self.user}: no answer to {line}, status {self.process.poll()}")
                self.pending = {}
                self.alive = False
                return
            if answer.get("id") not in self.pending:
                self.machine.report.add(self.machine.report.lost, f"{self.user}: an answer to nothing: {answer}")
                continue
            asked, line = self.pending.pop(answer["id"])
            self.machine.report.answered(self.user, line, time.monotonic() - asked)
            self.machine.answered(self, answer)

    def end(self):
        """Its status after its input ended."""
        self.process.stdin.close()
        self.read_all()
        try:
            return self.process.wait(LOST_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Machine:
    """The programs, their environment and what is asked of them."""

    def __init__(self, root, programs, folder, report):
        self.program, self.folder, self.report = programs / "warpscope", folder, report
        self.answered_points = collections.defaultdict(collections.Counter)  # session: (variant, key)
        self.environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
                            "XDG_CACHE_HOME": str(folder / "cache"), "LIBGL_ALWAYS_SOFTWARE": "1",
                            "WARPSCOPE_HOME": str(root)}
        self.environment.pop("WARPSCOPE_ENGINE", None)
        self.options = []
        asked = subprocess.run([self.program, "doctor", "--json"], capture_output=True, text=True, check=False,
                               env=self.environment)
        works = {row["name"] for row in json.loads(asked.stdout) if row["works"]}
        self.has_compiler, self.has_gpu = "nvrtc" in works, "cuda" in works
        if not self.has_gpu:
            engine = folder / "engine"
            engine.write_text("#!/bin/sh\ncase \"$*\" in *emulate*) exec "
                              f"'{programs}/warpscope-engine' \"$@\" ;; *) exec '{programs}/fake_engine' \"$@\" ;; esac\n",
                              encoding="utf-8")
            engine.chmod(0o755)
            self.environment.update(WARPSCOPE_ENGINE=str(engine), FAKE_ENGINE_MODE="busy")

    def request(self, dice):
        kinds = ["measure"] * 5 + ["list", "compare", "nonsense"] + (["trace", "verify"] if self.has_compiler else [])
        kind = dice.choice(kinds)
        if kind == "measure":
            return kind, dice.choice([{"variant": "csrmm/float4_columns", "axes": {"m": 500, "k": 500, "n": dice.choice([4, 8, 16, 32, 64])}},
                                      {"variant": "patterns/copy", "axes": {"n": dice.choice([1024, 4096, 65536])}}])
        if kind == "compare":
            return kind, {"baseline": "csrmm/float4_columns", "candidate": "csrmm/float4_columns", "axes": {"m": 500, "k": 500, "n": 4}}
        if kind == "list":
            return kind, {"scene": dice.choice(["led", "csrmm", "nowhere"])}
        return kind, {"variant": "patterns/copy", "axes": {"n": dice.choice([64, 1024])}}

    def answered(self, serving, answer):
        if answer["ok"]:
            for point in answer["result"].get("points", []):
                self.answered_points[serving.session][point["variant"], point["key"]] += 1
        elif answer["error"]["kind"] == "internal":
            self.report.add(self.report.wrong, f"{serving.user}: {answer}")
        else:
            self.report.count(f"answers that name an error of kind {answer['error']['kind']}")

    def check_session(self, session, torn_is_right=False):
        """Every answered point is in the file, and no line was altered."""
        recorded = collections.Counter()
        text = session.read_text(encoding="utf-8", errors="replace") if session.exists() else ""
        for line in text.splitlines():
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("type") == "measurement" and not message.get("partial"):
                recorded[message["variant"], message["key"]] += 1
        for point, count in (self.answered_points[session] - recorded).items():
            self.report.add(self.report.lost, f"{session.name} lacks {count} of {self.answered_points[session][point]} answered points of {point}")
        self.report.count("answered points found in their file", sum(self.answered_points[session].values()))
        if not text:
            return
        ran = subprocess.run([self.program, "check", "--json", session], capture_output=True, text=True, check=False,
                             env=self.environment)
        said = json.loads(ran.stdout or "[]")
        state = said[0]["state"] if said else f"not a session ({ran.stderr.strip()}; it begins with {text[:200]!r})"
        if state not in ("whole", "torn") or (state == "torn" and not torn_is_right):
            self.report.add(self.report.wrong, f"{session.name} is {state}: {said}")


def be_calm(machine, dice):
    serving = Serving(machine, "calm", machine.folder / "calm.wsj")
    while machine.report.goes_on() and serving.alive:
        for _ in range(dice.randint(1, 4)):
            serving.ask(dice)
        if dice.random() < 0.1:
            disturb_an_engine(serving.process.pid, dice, machine.report)
        serving.read_all()
        machine.report.sample("serve", serving.process.pid)
        for child, role in engines_of(serving.process.pid):
            machine.report.sample(f"serve's {role} {child}", child)
        time.sleep(dice.random() * 0.1)
    status = serving.end()
    if status != 0:
        machine.report.add(machine.report.wrong, f"calm: serve ended with status {status}")
    machine.check_session(serving.session)


def be_stormy(machine, dice):
    while machine.report.goes_on():
        serving = Serving(machine, "stormy", machine.folder / "stormy.wsj")
        if not serving.alive:
            machine.report.add(machine.report.wrong, "stormy: serve does not start again after a signal")
            return
        for _ in range(dice.randint(1, 6)):
            for _ in range(dice.randint(1, 3)):
                serving.ask(dice)
            if dice.random() < 0.3:
                disturb_an_engine(serving.process.pid, dice, machine.report, always=True)
            serving.read_all()
        for _ in range(3):
            serving.ask(dice)
        time.sleep(dice.random() * 0.05)
        which = dice.choice(ENDS)
        engines = engines_of(serving.process.pid)
        serving.process.send_signal(which)
        machine.report.count(f"serve ended by {which.name}")
        serving.read_all(must_end_well=False)
        try:
            serving.process.wait(LATE_S)
        except subprocess.TimeoutExpired:
            machine.report.add(machine.report.wrong, f"stormy: {which.name} does not end serve")
            serving.process.kill()
            serving.process.wait()
        deadline = time.monotonic() + LATE_S
        while any(pathlib.Path(f"/proc/{child}").exists() for child, _ in engines):
            if time.monotonic() > deadline:
                machine.report.add(machine.report.wrong, f"stormy: an engine outlives serve by {LATE_S} s: {engines}")
                break
            time.sleep(0.05)
    machine.check_session(machine.folder / "stormy.wsj", torn_is_right=True)


def use_bad_disks(machine, dice):
    """A limit of a file's size is a full disk that needs no root."""
    turn = 0
    while machine.report.goes_on():
        turn += 1
        session = machine.folder / f"full-{turn}.wsj"
        serving = Serving(machine, "full disk", session, limit=dice.randint(100, 20000))
        for _ in range(8):
            serving.ask(dice)
            serving.read_all()
            if not serving.alive:
                break
        status = serving.end()
        machine.report.count("sessions on a full disk")
        if status not in (0, 3):
            machine.report.add(machine.report.wrong, f"full disk: serve ended with status {status}")
        machine.check_session(session, torn_is_right=True)
        again = Serving(machine, "room again", session)  # the file goes on after its torn line
        for _ in range(2):
            again.ask(dice)
        again.read_all()
        if again.end() != 0:
            machine.report.add(machine.report.wrong, "room again: serve does not go on with the file")
        machine.check_session(session, torn_is_right=True)
        session.unlink(missing_ok=True)
        write_where_nobody_may(machine, dice)
        time.sleep(1)


def write_where_nobody_may(machine, dice):
    closed = machine.folder / "closed"
    closed.mkdir(exist_ok=True)
    if os.geteuid() == 0:
        wrapped = ["unshare", "--mount", "sh", "-c", f"mount -t tmpfs -o ro none '{closed}' && exec \"$0\" \"$@\""]
        if subprocess.run([*wrapped, "true"], capture_output=True, check=False).returncode != 0:
            if not machine.report.skipped:
                machine.report.add(machine.report.skipped, "skipped: read-only disks: this root may not mount")
            return
    else:
        wrapped = []
        closed.chmod(0o500)
    serving = Serving(machine, "read-only disk", closed / "run.wsj", wrapped=wrapped)
    status = serving.process.wait(LATE_S) if not serving.alive else serving.end()
    machine.report.count("sessions on a read-only disk")
    if status != 3:
        machine.report.add(machine.report.wrong, f"read-only disk: serve ended with status {status}, not 3")
    del dice


class Window:
    """The real window on a display of its own."""

    def __init__(self, machine):
        self.machine, self.told = machine, machine.folder / "told.jsonl"
        number = next(n for n in range(90, 190) if not pathlib.Path(f"/tmp/.X11-unix/X{n}").exists())
        self.environment = {**machine.environment, "DISPLAY": f":{number}"}
        self.screen = subprocess.Popen(["Xvfb", f":{number}", "-screen", "0", "1920x1200x24", "-nolisten", "tcp", "-noreset"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=end_with_parent)
        self.process = self.last = None
        self.place = self.freed = 0

    def open(self):
        machine = self.machine
        session = machine.folder / "window.wsj"
        recorded = pathlib.Path(machine.environment["WARPSCOPE_HOME"], "assets/sessions/h200-patterns.wsj.gz")
        subprocess.run([machine.program, "export", recorded, "--wsj", session], check=True, env=machine.environment,
                       stdout=subprocess.DEVNULL)
        with open(machine.folder / "window.said", "wb") as said:
            self.process = subprocess.Popen([machine.program, "--tell", self.told, "--session", session],
                                            stdout=said, stderr=said, stdin=subprocess.DEVNULL, cwd=machine.folder,
                                            env=self.environment, start_new_session=True,
                                            preexec_fn=end_with_parent)

    def now(self):
        """The last line that it told."""
        try:
            with open(self.told, encoding="utf-8") as file:
                file.seek(self.place)
                text = file.read()
        except OSError:
            return self.last
        whole = text[:text.rfind("\n") + 1]
        self.place += len(whole.encode())
        if whole:
            self.last = json.loads(whole.splitlines()[-1])
            if self.place > self.freed + MOST_TOLD_BYTES:  # the window writes on where it was: the file has a hole
                self.freed = self.place
                os.truncate(self.told, 0)
        return self.last

    def until(self, holds, patience_s):
        end = time.monotonic() + patience_s
        while time.monotonic() < end and self.process.poll() is None:
            told = self.now()
            if told is not None and holds(told):
                return True
            time.sleep(0.02)
        return False

    def act(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=LOST_S)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(LATE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "none within the time"
        return status

    def close(self):
        """Nothing of it is left, however its use ended."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.screen.terminate()
        self.screen.wait()


# No key that opens a file dialog for writing, quits, or leaves the display.
KEYS = ["F1", "Escape", "Tab", "Left", "Right", "Up", "Down", "space", "Page_Down", "Page_Up", "F11", "ctrl+z", "ctrl+f",
        "plus", "minus", "Return", "a", "d"]


def use_the_window(machine, dice):
    if shutil.which("Xvfb") is None or shutil.which("xdotool") is None:
        machine.report.add(machine.report.skipped, "skipped: the window: Xvfb or xdotool is not installed")
        return
    window = Window(machine)
    try:
        window.open()
        click_around(window, machine, dice)
    finally:
        window.close()
    machine.check_session(machine.folder / "window.wsj")


def click_around(window, machine, dice):
    report = machine.report
    if not window.until(lambda told: True, LOST_S):
        report.add(report.wrong, f"the window does not open: {(machine.folder / 'window.said').read_text()[-500:]}")
        return
    while report.goes_on() and window.process.poll() is None:
        x, y = dice.randint(2, 1590), dice.randint(2, 890)
        what = dice.choice(["click", "click", "click", "drag", "key", "key", "wheel", "right", "move"])
        began = time.monotonic()
        window.act("mousemove", x, y)
        if what == "click":
            window.act("click", 1)
        elif what == "right":
            window.act("click", 3)
        elif what == "wheel":
            window.act("click", dice.choice([4, 5]))
        elif what == "key":
            window.act("key", dice.choice(KEYS))
        elif what == "drag":
            x, y = dice.randint(2, 1590), y if dice.random() < 0.5 else dice.randint(2, 890)
            window.act("mousedown", 1, "mousemove", x, y, "mouseup", 1)
        report.count("events in the window")
        if window.until(lambda told: [round(place) for place in told["pointer"]["at"]] == [x, y] and told["held"] == 0, LOST_S):
            report.answered("window", what, time.monotonic() - began)
        elif window.process.poll() is None:
            report.add(report.lost, f"window: {what} at {x}, {y} is not seen: {window.last['pointer'] if window.last else None}")
        if dice.random() < 0.05:
            window.act("key", "Escape")
        if dice.random() < 0.02:
            disturb_an_engine(window.process.pid, dice, report)
        report.sample("window", window.process.pid)
        for child, role in engines_of(window.process.pid):
            report.sample(f"window's {role} {child}", child)
    if window.process.poll() is not None:
        report.add(report.wrong, f"the window ended with status {window.process.poll()}: {(machine.folder / 'window.said').read_text()[-500:]}")
        return
    status = window.end()
    if status != 0:
        report.add(report.wrong, f"the window ended with status {status} after SIGTERM")


def be(user, machine, dice):
    """A user that ends before its time is told of: else its silence would be taken for success."""
    try:
        user(machine, dice)
    except Exception:  # whatever it was
        machine.report.add(machine.report.wrong, f"{user.__name__} ended early: {traceback.format_exc()[-1500:]}")


USERS = {"calm": be_calm, "stormy": be_stormy, "disks": use_bad_disks, "window": use_the_window}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", metavar="ROOT", type=pathlib.Path)
    parser.add_argument("programs", metavar="BIN", type=pathlib.Path)
    parser.add_argument("minutes", metavar="MINUTES", type=float)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--users", type=lambda names: [USERS[name] for name in names.split(",")], default=[*USERS.values()])
    parser.add_argument("--summary", metavar="FILE", type=pathlib.Path)
    return parser.parse_args()


def main():
    asked = arguments()
    report = Report(asked.minutes, asked.seed)
    # A shell's background has SIGINT ignored, for children too; one with a handler is not ignored in them.
    for which in (signal.SIGTERM, signal.SIGINT):
        signal.signal(which, lambda number, frame: report.stopped.set())
    print(f"{asked.minutes:g} minutes, seed {asked.seed}", flush=True)
    if asked.summary:
        threading.Thread(target=report.write_often, args=(asked.summary,), daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        machine = Machine(asked.root.resolve(), asked.programs.resolve(), pathlib.Path(folder), report)
        print(f"{'the real engine' if machine.has_gpu else 'no GPU: the tests engine measures'}; "
              f"{'kernels are emulated' if machine.has_compiler else 'no compiler: nothing is emulated'}", flush=True)
        # One engine at a time has a device.
        turns = [[user] for user in asked.users] if machine.has_gpu else [asked.users]
        for turn in turns:
            report.begin_turn(60 * asked.minutes / len(turns))
            threads = [threading.Thread(target=be, args=(user, machine, random.Random(f"{asked.seed} {user.__name__}")))
                       for user in turn]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    text, status = report.text()
    print(text, end="")
    if asked.summary:
        report.write(asked.summary)
    return status


if __name__ == "__main__":
    sys.exit(main())
