# tests/benchmarks/captures/replay_reports.py: stands in for a program that was listed before: tells
# the window its kernels again, growing for some seconds.
"""Usage: replay_reports.py LAUNCHES.json [SECONDS], under `warpscope capture` or in its dialog.

LAUNCHES.json is what `warpscope capture --times --json` printed. For pictures, without a GPU.
"""
import json
import os
import socket
import sys
import time


def row(kernel, shape, share, range_name):
    count = max(1, round(shape["launches"] * share))
    whole = kernel["launches"]
    timed = max(0, count - 1)
    return {"symbol": kernel["symbol"], "range": range_name,
            "shape": [*shape["grid"], *shape["block"], shape["shared_bytes"]], "launches": count,
            "timed": timed, "time_ms": kernel.get("time_ms", 0) * count / whole,
            "longest_ms": kernel.get("longest_ms", 0),
            "longest_number": kernel.get("longest_launch", 1)}


def main():
    kernels = json.load(open(sys.argv[1]))["kernels"]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5
    link = socket.socket(socket.AF_UNIX)
    link.connect(json.loads(os.environ["WARPSCOPE_CAPTURE"])["socket"])

    def say(report):
        link.sendall((json.dumps(report) + "\n").encode())

    say({"type": "start", "process": os.getpid(), "program": sys.argv})
    steps = max(1, int(seconds * 10))
    for step in range(1, steps + 1):
        rows = [row(kernel, shape, step / steps, (kernel["ranges"] or [""])[i % len(
                    kernel["ranges"] or [""])])
                for kernel in kernels for i, shape in enumerate(kernel["shapes"])]
        say({"type": "launches", "process": os.getpid(), "rows": rows, "graph_launches": 0})
        print(f"step {step}", flush=True)
        time.sleep(0.1)
    say({"type": "end"})


if __name__ == "__main__":
    main()
