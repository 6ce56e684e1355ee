# tests/benchmarks/captures/every_program.py: captures and replays launches of every kind of program,
# and prints one line per program: equal, differs, or refused with the sentence.
"""Usage: every_program.py BIN OUT [SECONDS].

BIN is build/ci/bin. Needs a GPU and nvcc; two GPUs and the frameworks (PyTorch, Triton, CuPy, JAX) where
they are there. Each replay runs on the GPU alone, by `warpscope measure`. OUT gets table.txt with one
line per launch, and the captures of samples.cu.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent / "programs"
VERDICT = re.compile(r"^as_captured\S*(?: \S+=\S+)*\s{2,}([a-z][a-z ]*?)(?:\s{2,}(.*))?$", re.M)
REFUSED = re.compile(r"was not captured: (.*)")


class Runner:
    def __init__(self, folder, out, seconds):
        self.warpscope = str(pathlib.Path(folder).resolve() / "warpscope")
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="programs-"))
        self.out, self.end, self.table = out, time.monotonic() + seconds, []
        try:
            listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
        except OSError:
            listed = ""
        self.gpus = max(1, listed.count("GPU "))

    def run(self, command, seconds, **more):
        seconds = max(3, min(seconds, self.end - time.monotonic()))
        try:
            done = subprocess.run(command, cwd=self.work, capture_output=True, text=True,
                                  errors="replace", timeout=seconds, **more)
            return done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            def text(part):
                return part.decode(errors="replace") if isinstance(part, bytes) else part or ""
            return 124, text(late.stdout), text(late.stderr) + "\nit took too long"

    def capture(self, name, command, options, seconds=90, most=12):
        many = ["--every-shape", "--most", str(most)] if "--kernel" not in options else []
        return self.run([self.warpscope, "capture", "--budget", "64", *many, *options, "--out",
                         f"{name}.wcap", "--", *command], seconds)

    def replay(self, path, gpu):
        status, out, errors = self.run([self.warpscope, "measure", path.name], 40,
                                       env={**os.environ, "CUDA_VISIBLE_DEVICES": str(gpu)})
        found = VERDICT.search(out)
        words = [line for line in (errors + out).splitlines() if line.strip()]
        if not found:
            return path.stem, "not run", (words or [f"status {status}"])[-1]
        reason = (found[2] or "").strip() if found[1] != "correct" else ""
        return path.stem, found[1].strip(), reason.lstrip("– ")

    def replays(self, name):
        files = sorted(self.work.glob(f"{name}.wcap")) + sorted(self.work.glob(f"{name}-*.wcap"))
        results = []
        with concurrent.futures.ThreadPoolExecutor(self.gpus) as pool:
            # Each GPU has one engine at a time.
            def lane(gpu):
                return [self.replay(path, gpu) for path in files[gpu::self.gpus]]
            for part in pool.map(lane, range(self.gpus)):
                results += part
        self.table += [f"{name}: {stem}: {verdict}: {reason}" for stem, verdict, reason in results]
        return results

    def say(self, name, words):
        left = self.end - time.monotonic()
        print(f"{name:22} {words}  [{left:.0f} s left]", flush=True)

    def program(self, name, command, options=(), wanted="", seconds=90, most=12):
        if self.end - time.monotonic() < 8:
            return self.say(name, "not run: the time is over")
        began = time.monotonic()
        status, out, errors = self.capture(name, command, list(options), seconds, most)
        captured = time.monotonic() - began
        results = self.replays(name)
        equal = sum(verdict == "correct" for _, verdict, _ in results)
        parts = []
        if results:
            parts.append(f"{len(results)} launches, {equal} equal")
        parts += [f"differs: {stem}: {verdict}: {reason}"[:170]
                  for stem, verdict, reason in results if verdict != "correct"]
        refused = list(dict.fromkeys(REFUSED.findall(errors)))
        parts += [f"refused: {words[:200]}" for words in refused[:3]]
        # Sentences of ours that are neither.
        parts += [line[11:170] for line in errors.splitlines()
                  if line.startswith("warpscope: ") and ".wcap: " not in line and
                  "was not captured" not in line and "note:" not in line][:3]
        if not parts:
            last = [line for line in errors.splitlines() if line.strip()]
            parts.append(f"nothing captured, status {status}: {' | '.join(last[-2:])[:300]}")
        if wanted:
            parts.append("the program ended well" if wanted in out else "THE PROGRAM DID NOT END WELL")
        self.say(name, f"{'; '.join(parts)}; {captured:.0f} s to capture")


def python(name, *words):
    return [sys.executable, str(HERE / name), *words]


def profiles(runner):
    alone = runner.run(python("profiled.py"), 60)
    traced = re.findall(r"^traced .*$", alone[1], re.M)
    if not traced:
        return runner.say("torch.profiler", "not run: " + (alone[2].splitlines() or ["?"])[-1][:150])
    for way in ([], ["--no-cupti"]):
        watched = runner.run([runner.warpscope, "capture", *way, "--", *python("profiled.py")], 60)
        same = traced == re.findall(r"^traced .*$", watched[1], re.M)
        said = [line for line in watched[2].splitlines() if line.startswith("warpscope: ")]
        rows = re.findall(r"^ +\d+  \S.*$", watched[1], re.M)
        runner.say(f"torch.profiler {' '.join(way)}",
                   f"{'the same trace' if same else 'ANOTHER TRACE'}; {len(rows)} kernels listed; " +
                   " | ".join(said)[:250] +
                   ("" if same else f" ALONE {traced} WATCHED {watched[1][-400:]}"))
    runner.program("profiled", python("profiled.py"), ["--kernel", "softmax", "--launch", "5"],
                   "traced")


def costs(runner):
    if runner.run(["./launch_loop", "100", "0"], 30)[0] != 0:
        return runner.say("cost of a list", "not run")
    seconds = re.compile(r"([0-9.]+) s$", re.M)
    for count, rate in ((3000, 1000), (20000, 10000), (100000, 100000), (300000, 0)):
        times = {"alone": [], "watched": []}
        for _ in range(5 if rate else 3):
            for way, before in (("alone", []), ("watched", [runner.warpscope, "capture", "--"])):
                text = runner.run([*before, "./launch_loop", str(count), str(rate)], 40)[1]
                found = seconds.search(text)
                if found:
                    times[way].append(float(found[1]))
        if all(times.values()):
            alone, watched = (min(times[way]) for way in ("alone", "watched"))
            runner.say(f"cost at {rate or 'full'}/s",
                       f"alone {alone:.3f} s, watched {watched:.3f} s: {100 * (watched / alone - 1):+.2f} %")


def build(runner, name):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        return False
    status, _, errors = runner.run([nvcc, "-std=c++17", "-arch=sm_90", "-lineinfo", str(HERE / f"{name}.cu"),
                                    "-o", f"{name}"], 120)
    if status != 0:
        runner.say(name, "not built: " + errors[-300:])
    return status == 0


def main():
    out = pathlib.Path(sys.argv[2]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    runner = Runner(sys.argv[1], out, float(sys.argv[3]) if len(sys.argv) > 3 else 480)
    print(f"{runner.gpus} GPUs", flush=True)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        built = dict(zip(("samples", "host_memory", "launch_loop"),
                         pool.map(lambda name: build(runner, name),
                                  ("samples", "host_memory", "launch_loop"))))
    if built["samples"]:
        runner.program("samples", ["./samples"], wanted="done", most=30)
        for path in runner.work.glob("samples*.wcap"):
            shutil.copy(path, out)
    if built["host_memory"]:
        runner.program("host_memory", ["./host_memory"], wanted="sums", most=8)
    profiles(runner)
    runner.program("nccl", python("two_gpus.py", "nccl"), ["--kernel", "nccl", "--hold", "1"],
                   "all reduced", 60)
    runner.program("two_gpus", python("two_gpus.py", "both"), ["--range", "op:"], "both done")
    runner.program("budget", python("layer_norm.py"),
                   ["--kernel", "layer_norm", "--budget", "1"], "mean of the last row", 60)
    runner.program("graph", python("recorded_graph.py"), ["--kernel", "softmax", "--launch", "3"],
                   "graph recordings that survived: 5 of 5", 60)
    costs(runner)
    ranges = ["--range", "op:"]
    runner.program("triton_kernels", python("triton_kernels.py"), ranges, most=6)
    runner.program("torch_compiled", python("torch_compiled.py"), ranges, most=8)
    runner.program("cupy_kernels", python("cupy_kernels.py"), ranges, most=10)
    runner.program("torch_eager", python("torch_eager.py"), ranges, most=34)
    runner.program("jax_steps", python("jax_steps.py"), most=10)
    (out / "table.txt").write_text("\n".join(runner.table) + "\n")
    shutil.rmtree(runner.work, ignore_errors=True)


if __name__ == "__main__":
    main()
