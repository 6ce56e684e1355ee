# tests/long/soak_report.py: what a soak did, what went wrong, and whether a process grew.
import collections
import os
import pathlib
import signal
import statistics
import threading
import time

LATE_S = 20  # an engine that is killed is started again meanwhile
# From the third to the last quarter of the time. Up to a bound, caches and results that are kept may fill: the
# window and serve keep 96 MB of traces, 16 MB of timelines, 64 MB of curves, 12 MB of jobs and history, and points; an
# emulator at rest is ended beyond 256 MiB. A measuring engine that has grown by 256 MiB since its first job, when an
# H200's had 263 MB, is started anew.
BOUNDS_MB = {"window": 250, "serve": 250, "emulator": 400, "measurer": 600}
ENDS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]  # how serve is ended
MOST_GROWTH_RATIO, MOST_GROWTH_MB, MOST_MORE_DESCRIPTORS = 0.05, 8, 3
SUMMARY_EVERY_S = 10


class Report:
    """What went wrong and what was done, of all users."""

    def __init__(self, minutes, seed):
        self.lock = threading.RLock()
        self.minutes, self.seed = minutes, seed
        self.done = collections.Counter()
        self.lost, self.late, self.wrong, self.skipped = [], [], [], []
        self.slowest_s = collections.Counter()
        self.samples = collections.defaultdict(list)  # name: (seconds of its turn, resident MB, descriptors)
        self.turn_of, self.lasted_s = {}, []  # the turn of each name; how long each turn lasted so far
        self.begin = self.end = time.monotonic()
        self.stopped = threading.Event()

    def begin_turn(self, seconds):
        with self.lock:
            self.begin = time.monotonic()
            self.end = self.begin + seconds
            self.lasted_s.append(0.0)

    def goes_on(self):
        now = time.monotonic()
        with self.lock:
            self.lasted_s[-1] = max(self.lasted_s[-1], min(now, self.end) - self.begin)
        return now < self.end and not self.stopped.is_set()

    def kills(self):
        """Engines are killed in the first half only, so that growth can be judged in the second."""
        return time.monotonic() < (self.begin + self.end) / 2

    def count(self, what, number=1):
        with self.lock:
            self.done[what] += number

    def add(self, to, words):
        with self.lock:
            to.append(words)
            print(f"{words[:600]}", flush=True)

    def answered(self, user, what, seconds):
        with self.lock:
            self.slowest_s[user] = max(self.slowest_s[user], seconds)
        if seconds > LATE_S:
            self.add(self.late, f"{user}: {what} was answered after {seconds:.1f} s")

    def sample(self, name, process):
        """Pages that are the process's own, without those of files."""
        try:
            status = pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii")
            count = len(os.listdir(f"/proc/{process}/fd"))
        except OSError:
            return
        for line in status.splitlines():
            if line.startswith("RssAnon:"):
                with self.lock:
                    self.turn_of[name] = len(self.lasted_s) - 1
                    self.samples[name].append((time.monotonic() - self.begin, int(line.split()[1]) / 1000, count))

    def growth(self):
        """Lines about memory, and why a process grew. Lower quartiles: work that is under way is no growth."""
        lines, found = [], []
        for name, samples in sorted(self.samples.items()):
            lasted_s = max(self.lasted_s[self.turn_of[name]], 1e-3)
            third, last = ([row for row in samples if begin <= row[0] / lasted_s < begin + 0.25] for begin in (0.5, 0.75))
            if min(len(third), len(last)) < 8:
                continue  # it did not live through both
            before, after = (statistics.quantiles([mega for _, mega, _ in part])[0] for part in (third, last))
            opened, open_now = (statistics.median(count for _, _, count in part) for part in (third, last))
            eighths = [[mega for at, mega, _ in samples if part / 8 <= at / lasted_s < (part + 1) / 8] for part in range(8)]
            lines.append(f"{name}: {samples[0][1]:.1f} MB at first, {before:.1f} MB in the third quarter, {after:.1f} MB in the "
                         f"last (medians of eighths: {', '.join(f'{statistics.median(part):.0f}' for part in eighths if part)}); "
                         f"{samples[0][2]}, {opened:.0f} and {open_now:.0f} descriptors")
            bound = BOUNDS_MB[name.split()[-2] if name[-1].isdigit() else name]
            if after - before > max(MOST_GROWTH_MB, MOST_GROWTH_RATIO * before) and after > bound:
                found.append(f"{name} grew from {before:.1f} to {after:.1f} MB after its warm-up, beyond {bound} MB")
            if open_now - opened > MOST_MORE_DESCRIPTORS:
                found.append(f"{name} has {open_now:.0f} descriptors after {opened:.0f}")
        return lines, found

    def text(self):
        """All that is known so far, and the status."""
        with self.lock:
            lines, grown = self.growth()
            lines += [f"{number:8} {what}" for what, number in sorted(self.done.items())]
            lines += [f"{seconds:8.2f} s the slowest answer of {user}" for user, seconds in sorted(self.slowest_s.items())]
            engines, serves = self.done["engines killed"], sum(self.done[f"serve ended by {which.name}"] for which in set(ENDS))
            lines += [f"{engines + serves} kills ({engines} of engines, {serves} of serve): {len(self.lost)} lost",
                      f"{sum(self.lasted_s) / 60:.1f} of {self.minutes:g} minutes, seed {self.seed}",
                      f"{len(self.lost)} lost, {len(self.late)} late, {len(self.wrong)} wrong, {len(grown)} grown"]
            return "\n".join([*lines, *grown]) + "\n", 1 if self.lost or self.late or self.wrong or grown else 0

    def write(self, path):
        """The report in a file; what went wrong comes last, in full."""
        with self.lock:
            text, _ = self.text()
            told = [*self.skipped, *self.lost, *self.late, *self.wrong]
            beside = path.with_name(path.name + ".new")
            beside.write_text("\n".join([text, *told]), encoding="utf-8")
            beside.replace(path)

    def write_often(self, path):
        """Until the script ends."""
        while True:
            self.write(path)
            time.sleep(SUMMARY_EVERY_S)
