# tests/long/commands.py: command line and engine do their usual work under sanitizers.
"""Usage: commands.py ROOT BIN.

BIN is the folder of programs that were built with sanitizers. Runs commands over recorded sessions, lessons,
captures and emulated kernels, and jobs on the tests' engine. Status 1 if one ends otherwise than it should, or a
sanitizer reports something.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

REPORTS = ("Sanitizer", "runtime error:")
SESSION = "assets/sessions/h200-patterns.wsj.gz"
COMMANDS = [  # (status, words)
    (0, "list csrmm --json"), (0, f"check {SESSION} assets/examples/captured_norm/norm.wcap"),
    (0, f"export {SESSION} --csv OUT/a.csv --json OUT/a.json --trace OUT/a.trace"), (0, f"compare {SESSION} {SESSION}"),
    (0, f"report {SESSION} --out OUT/report"), (0, f"render {SESSION} --panel roofline --out OUT/a.png"),
    (0, f"render {SESSION} --out OUT/b.png"), (0, "verify patterns/copy n=4096"),
    (0, "verify csrmm/float4_columns m=200 k=200 n=32"), (0, "verify led/window_boxes leds=200 height=120 width=160"),
    (0, "verify esmm/class_lists m=256 n=256 k=256"), (0, "trace patterns/transpose_tiled op=transpose rows=128 columns=128 --json"),
    (0, "stalls patterns/transpose_naive op=transpose rows=128 columns=128"), (0, "sass patterns/copy"),
    (0, "play coalescing --offscreen --out OUT/lesson"), (0, "fork patterns/copy --to OUT/mine"), (0, "verify OUT/mine/copy_fork n=1000"),
    (0, "measure csrmm/float4_columns n=64 --engine FAKE --session OUT/run.wsj --csv OUT/m.csv"),
    (0, "sweep csrmm/float4_columns n=32,64,96 --engine FAKE --session OUT/run.wsj"), (0, "journal OUT/run.wsj"),
    (0, "check OUT/run.wsj"), (2, "verify patterns/no_such_variant"), (2, "trace nowhere.cu"), (2, "check README.md")]
REQUESTS = [{"request": "list"}, {"request": "verify", "variant": "patterns/copy", "axes": {"n": 1024}},
            {"request": "trace", "variant": "patterns/gather", "axes": {"op": "gather", "n": 1024}}, {"request": "nothing"},
            {"request": "cancel"}, {"request": "journal", "scene": "csrmm"}, {"request": "quit"}]


def main():
    root, programs = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    bad = 0
    with tempfile.TemporaryDirectory(prefix="commands-") as out:
        # What drivers and toolkits keep until the end is not ours to free.
        there = {**os.environ, "HOME": out, "LIBGL_ALWAYS_SOFTWARE": "1", "FAKE_ENGINE_MODE": "counts",
                 "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=64", "TSAN_OPTIONS": "halt_on_error=0:exitcode=66"}
        runs = [(status, words.replace("OUT", out).replace("FAKE", str(programs / "fake_engine")).split(), None)
                for status, words in COMMANDS]
        runs.append((0, ["serve"], "".join(json.dumps(request) + "\n" for request in REQUESTS)))
        for status, words, text in runs:
            ran = subprocess.run([programs / "warpscope", *words], cwd=root, env=there, check=False, capture_output=True,
                                 text=True, input=text or "", timeout=1200)
            reported = any(word in ran.stderr for word in REPORTS)
            good = ran.returncode == status and not reported
            bad += not good
            print(f"{'passed' if good else 'FAILED'} warpscope {' '.join(words)[:100]}", flush=True)
            if not good:
                print(f"status {ran.returncode}, not {status}\n{ran.stdout[-300:]}\n{ran.stderr[-6000:]}")
    print(f"{len(runs)} commands, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
