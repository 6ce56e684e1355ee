# tests/long/commands.py: command line and engine do their usual work under sanitizers.
"""Usage: commands.py ROOT BIN.

BIN is the folder of programs that were built with sanitizers. Runs commands over recorded sessions, lessons,
captures and emulated kernels, and jobs on the tests' engine, as many at a time as there are processors. Status 1
if one ends otherwise than it should, takes more than 20 minutes, or a sanitizer reports something.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

REPORTS = ("Sanitizer", "runtime error:")
MOST_S = 1200
SESSION = "assets/sessions/h200-patterns.wsj.gz"
ALONE = [  # (status, words), at the same time
    (0, "list csrmm --json"), (0, f"check {SESSION} assets/examples/captured_norm/norm.wcap"),
    (0, f"export {SESSION} --csv OUT/a.csv --json OUT/a.json --trace OUT/a.trace"), (0, f"compare {SESSION} {SESSION}"),
    (0, f"report {SESSION} --out OUT/report"), (0, f"render {SESSION} --panel roofline --out OUT/a.png"),
    (0, f"render {SESSION} --out OUT/b.png"), (0, "verify patterns/copy n=4096"),
    (0, "verify csrmm/float4_columns m=200 k=200 n=32"), (0, "verify led/window_boxes leds=200 height=120 width=160"),
    (0, "verify esmm/class_lists m=256 n=256 k=256"), (0, "trace patterns/transpose_tiled op=transpose rows=128 columns=128 --json"),
    (0, "stalls patterns/transpose_naive op=transpose rows=128 columns=128"), (0, "sass patterns/copy"),
    (0, "play coalescing --offscreen --out OUT/lesson"), (2, "verify patterns/no_such_variant"), (2, "trace nowhere.cu"),
    (2, "check README.md")]
IN_ORDER = [  # lists whose commands use what those before them made
    [(0, "fork patterns/copy --to OUT/mine"), (0, "verify OUT/mine/copy_fork n=1000")],
    [(0, "measure csrmm/float4_columns n=64 --engine FAKE --session OUT/run.wsj --csv OUT/m.csv"),
     (0, "sweep csrmm/float4_columns n=32,64,96 --engine FAKE --session OUT/run.wsj"), (0, "journal OUT/run.wsj"),
     (0, "check OUT/run.wsj")]]
REQUESTS = [{"request": "list"}, {"request": "verify", "variant": "patterns/copy", "axes": {"n": 1024}},
            {"request": "trace", "variant": "patterns/gather", "axes": {"op": "gather", "n": 1024}}, {"request": "nothing"},
            {"request": "cancel"}, {"request": "journal", "scene": "csrmm"}, {"request": "quit"}]


def run(root, programs, out, commands):
    """Lines about each of some commands, one after the other, and how many failed."""
    # What drivers and toolkits keep until the end is not ours to free.
    there = {**os.environ, "HOME": out, "LIBGL_ALWAYS_SOFTWARE": "1", "FAKE_ENGINE_MODE": "counts",
             "ASAN_OPTIONS": f"detect_leaks=0:quarantine_size_mb=64:{os.environ.get('ASAN_OPTIONS', '')}",
             "TSAN_OPTIONS": f"halt_on_error=0:exitcode=66:{os.environ.get('TSAN_OPTIONS', '')}"}
    # What an engine says on standard error is not shown.
    folder = pathlib.Path(tempfile.mkdtemp(dir=out))
    engine, said = folder / "engine", folder / "said"
    engine.write_text(f"#!/bin/sh\nexec '{programs}/warpscope-engine' \"$@\" 2>> '{said}'\n", encoding="utf-8")
    engine.chmod(0o755)
    there["WARPSCOPE_ENGINE"] = str(engine)
    bad = 0
    for status, words, text in commands:
        said.write_bytes(b"")
        words = words.replace("OUT", out).replace("FAKE", str(programs / "fake_engine")).split()
        begin = time.monotonic()
        named = f"warpscope {' '.join(words)[:100]}"
        try:
            ran = subprocess.run([programs / "warpscope", *words], cwd=root, env=there, check=False, capture_output=True,
                                 text=True, input=text, timeout=MOST_S)
        except subprocess.TimeoutExpired:
            bad += 1
            print(f"FAILED {named}: it did not end within {MOST_S} s", flush=True)
            continue
        report = said.read_text(encoding="utf-8", errors="replace")
        reported = any(word in ran.stderr + report for word in REPORTS)
        good = ran.returncode == status and not reported
        bad += not good
        lines = [f"{'passed' if good else 'FAILED'} {named} ({time.monotonic() - begin:.1f} s)"]
        if not good:
            lines += [f"status {ran.returncode}, not {status}", ran.stdout[-300:], ran.stderr[-6000:], report[:6000]]
        print("\n".join(lines), flush=True)
    return bad


def main():
    root, programs = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    lists = [[command] for command in ALONE] + IN_ORDER
    lists = [[(status, words, "") for status, words in commands] for commands in lists]
    lists.append([(0, "serve", "".join(json.dumps(request) + "\n" for request in REQUESTS))])
    with tempfile.TemporaryDirectory(prefix="commands-") as out, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        bad = sum(pool.map(lambda commands: run(root, programs, out, commands), lists))
    print(f"{sum(map(len, lists))} commands, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
