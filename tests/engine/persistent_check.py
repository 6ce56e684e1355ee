# tests/engine/persistent_check.py: a long-lived engine's times are those of fresh processes, on 20 kernels.
"""Usage: persistent_check.py BIN [PART OF [RUNS]].

BIN is the folder of the programs. Measures each kernel of part PART (from 1) of OF equal parts RUNS times (10)
in fresh processes, and as often in engines that measure all kernels of the part in turn. Half of these runs
are before the fresh ones and half after them, so that a slow drift of the clock counts for neither side. The
first round of a long-lived engine is left out: it is fresh then.

Where buffers lie in the device's memory changes the time of some kernels by 2 %, reproducibly, and fresh processes
that follow each other get the same places. Therefore this process holds some memory of the device, another amount for
each round of fresh processes.

A kernel passes if the two medians of warm times differ by no more than the fresh runs differ among themselves
(largest less least), or by no more than the noise at which sampling stops, 0.5 %. Prints a table. Status 1 if a
kernel does not pass, 77 if there is no GPU.
"""
import ctypes
import json
import pathlib
import statistics
import subprocess
import sys
import time

SAMPLING_NOISE = 0.005
KERNELS = [
    "csrmm/float4_columns", "patterns/copy n=4194304", "patterns/transpose_naive op=transpose",
    "led/window_boxes", "esmm/dense_warp_tile m=1024 n=1024 k=1024",
    "csrmm/k_tiles m=3000 k=3000", "patterns/transpose_tiled op=transpose", "patterns/gather op=gather n=4194304",
    "led/leds_per_block", "esmm/class_lists m=1024 n=1024 k=1024",
    "csrmm/row_split m=3000 k=3000", "patterns/reduction_warp op=reduction n=4194304",
    "patterns/atomics_shared op=atomics n=4194304", "deform/pair_rows_two_passes batch=2",
    "autoencoder/shared_tile batch=4",
    "csrmm/merge_path m=3000 k=3000", "csrmm/warp_row_shuffle m=3000 k=3000",
    "deform/interleaved_compile_time_points batch=2", "esmm/joint_lists m=1024 n=1024 k=1024",
    "autoencoder/winograd_4x4 batch=4"]


class HeldMemory:
    """Memory of the device that this process holds, so that other processes get other places."""

    def __init__(self):
        self.driver, self.pointers = ctypes.CDLL("libcuda.so.1"), []
        context = ctypes.c_void_p()
        for result in (self.driver.cuInit(0), self.driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
                       self.driver.cuCtxSetCurrent(context)):
            if result != 0:
                raise OSError(f"the driver answers {result}")

    def hold(self, mega):
        """Gives back what it held."""
        for pointer in self.pointers:
            self.driver.cuMemFree_v2(pointer)
        self.pointers = []
        for _ in range(mega // 2):
            pointer = ctypes.c_uint64()
            if self.driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(2 << 20)) != 0:
                raise OSError("the device's memory is full")
            self.pointers.append(pointer)


class Serving:
    """One process: `warpscope serve` with its engine."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()  # its greeting

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def warm_ns(self, kernel):
        """The median of the kernel's warm times. Ends the program where there is no GPU."""
        variant, *axes = kernel.split()
        request = {"request": "measure", "variant": variant, "axes": dict(axis.split("=") for axis in axes)}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if not answer["ok"]:
            print(f"{variant}: {answer['error']['what']}")
            sys.exit(77 if answer["error"]["kind"] == "environment" else 1)
        point = answer["result"]["points"][-1]
        if not point.get("warm"):
            print(f"{variant} has no time: {point['verdict']}")
            sys.exit(1)
        return statistics.median(point["warm"]["samples_ns"])


def compared(fresh, lived):
    """Difference of medians and spread of the fresh runs, as shares, and whether the difference is within it."""
    middle = statistics.median(fresh)
    difference = abs(statistics.median(lived) - middle) / middle
    spread = (max(fresh) - min(fresh)) / middle
    return difference, spread, difference <= max(spread, SAMPLING_NOISE)


def prove_the_rule():
    assert compared([100, 101, 102], [101, 102, 103])[2]
    assert not compared([100, 101, 102], [104, 104, 104])[2]
    assert compared([100, 100, 100], [100.4, 100.4, 100.4])[2] and not compared([100, 100, 100], [101, 101, 101])[2]


def main():
    prove_the_rule()
    program = pathlib.Path(sys.argv[1], "warpscope").resolve()
    part, parts, runs = (*(int(word) for word in sys.argv[2:5]), *(1, 1, 10)[len(sys.argv) - 2:])
    kernels = KERNELS[(part - 1) * len(KERNELS) // parts:part * len(KERNELS) // parts]
    start = time.monotonic()
    fresh, lived = {kernel: [] for kernel in kernels}, {kernel: [] for kernel in kernels}

    def live(rounds):
        with Serving(program) as serving:
            for turn in range(rounds + 1):
                for kernel in kernels:
                    time_ns = serving.warm_ns(kernel)
                    if turn > 0:
                        lived[kernel].append(time_ns)

    live((runs + 1) // 2)
    held = HeldMemory() if pathlib.Path("/dev/nvidiactl").exists() else None  # else the tests' engine
    for turn in range(runs):
        if held:
            held.hold(2 * (turn * 17 % 64))
        for kernel in kernels:
            with Serving(program) as serving:
                fresh[kernel].append(serving.warm_ns(kernel))
    if held:
        held.hold(0)
    live(runs // 2)
    failed = 0
    print(f"{'kernel':40} {'fresh µs':>10} {'lived µs':>10} {'differ':>8} {'fresh spread':>13}")
    for kernel in kernels:
        difference, spread, passes = compared(fresh[kernel], lived[kernel])
        failed += not passes
        print(f"{kernel.split()[0]:40} {statistics.median(fresh[kernel]) / 1e3:10.2f} {statistics.median(lived[kernel]) / 1e3:10.2f} "
              f"{100 * difference:7.2f}% {100 * spread:12.2f}%{'' if passes else '  FAILED'}")
    print(f"{len(kernels) - failed} of {len(kernels)} kernels pass, in {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
