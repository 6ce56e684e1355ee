# tests/benchmarks/matrices/measure.py: csrmm on public sparse matrices, beside every cuSPARSE algorithm.
"""Usage: measure.py WARPSCOPE OUT [NAME ...] [options]

Makes the matrices of scenes/csrmm/structures.json (all, or those that are named) in OUT/matrices. Measures
there every f32 variant of A·B that calls no library, `auto`, and the cuSPARSE algorithms, in one engine.
Writes OUT/matrices.wsj and OUT/table.md, and prints the table. Smaller matrices come first: what did not fit
into --within seconds is named below the table. B has no zeros, so that no variant can skip any.

The exit status is 1 if `auto` misses a goal: a geometric mean of 2.0 times cuSPARSE's speed, and nowhere
slower. It is 2 if the command line is wrong, and 3 if nothing could be measured.
"""
import argparse
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import structures
import table


def fail(words, status=2):
    print(words, file=sys.stderr)
    sys.exit(status)


def families(warpscope):
    ran = subprocess.run([warpscope, "list", "csrmm", "--json"], capture_output=True, text=True)
    if ran.returncode:
        fail(f"{warpscope} list: {ran.stderr.strip()}", 3)
    return {v["name"]: v["family"] for v in json.loads(ran.stdout)[0]["variants"]}


def measured(known):
    """All variants of op=NT that take any A with a weight per entry: no dense A, and no array program.

    cuSPARSE's block formats need whole tiles on the diagonal, which the scene knows only of its own matrices.
    """
    def wanted(name, family):
        if name.startswith("cusparse_"):
            return name not in ("cusparse_t", "cusparse_csc", "cusparse_bsr", "cusparse_blocked_ell")
        return family in ("seed", "ablation", "ours") and not name.startswith(("t_", "bitmap_"))
    return [name for name, family in known.items() if wanted(name, family)]


def check_file(structure, path):
    """A file of the same name must have the structure's rows and columns."""
    with open(path, encoding="utf-8", errors="replace") as file:
        size = next((line for line in file if not line.startswith("%") and line.strip()), "").split()
    if size[:2] != [str(structure["rows"]), str(structure["columns"])]:
        fail(f"{path} is not {structure['rows']} × {structure['columns']}: remove it, and the structure is made")


def prepare(chosen, options, folder):
    """{name: path of a .mtx file}, and the names whose file was given."""
    given = {}
    for structure in chosen:
        path = options.matrices and options.matrices / f"{structure['name']}.mtx"
        if path and path.is_file():
            check_file(structure, path)
            given[structure["name"]] = path.resolve()
    made = [s for s in chosen if s["name"] not in given]
    for _ in structures.write_all(made, folder, options.seed):
        pass
    return {s["name"]: given.get(s["name"], (folder / f"{s['name']}.mtx").resolve()) for s in chosen}, set(given)


def plan_text(chosen, paths, variants, options):
    lines = []
    for structure in sorted(chosen, key=lambda s: s["entries"]):
        lines.append(f'csrmm/{",".join(variants)} rows=file "file={paths[structure["name"]]}" n={options.n} '
                     f"db={options.db} --time-limit {options.time_limit}")
    return "\n".join(lines) + "\n"


def run(command, seconds, log):
    """Runs a command; after so many seconds it is interrupted, and what was measured is kept."""
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            return None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpscope")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="structures; all if none is named")
    parser.add_argument("--matrices", type=pathlib.Path, help="a folder of NAME.mtx; a structure found there is not made")
    parser.add_argument("--within", type=float, default=280, help="seconds for everything")
    parser.add_argument("--time-limit", type=float, default=0.02, help="seconds of sampling, for cold and for warm caches")
    parser.add_argument("--n", type=int, default=128, help="columns of B")
    parser.add_argument("--db", type=float, default=1, help="share of nonzeros of B")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the matrices that are made")
    parser.add_argument("--engine", help="path of warpscope-engine")
    parser.add_argument("--device", default="0", help="number of the GPU")
    parser.add_argument("--table", action="store_true", help="only print the table of OUT/matrices.wsj")
    return parser.parse_intermixed_args()


def main():
    options, begin = arguments(), time.monotonic()
    if not shutil.which(options.warpscope):
        fail(f"{options.warpscope} is not a program: give the path of warpscope")
    if options.matrices and not options.matrices.is_dir():
        fail(f"{options.matrices} is not a folder: give a folder with .mtx files")
    if options.out.exists() and not options.out.is_dir():
        fail(f"{options.out} is a file: give a folder for the results")
    chosen, known = structures.choose(options.names), families(options.warpscope)
    options.out.mkdir(parents=True, exist_ok=True)
    session, csv = options.out / "matrices.wsj", options.out / "matrices.csv"
    given_names = options.out / "given.json"
    if not options.table:
        session.unlink(missing_ok=True)
        paths, given = prepare(chosen, options, options.out / "matrices")
        given_names.write_text(json.dumps(sorted(given)))
        print(f"{len(chosen)} matrices, {len(given)} from files, after {time.monotonic() - begin:.0f} s", flush=True)
        plan = options.out / "matrices.plan"
        plan.write_text(plan_text(chosen, paths, measured(known), options))
        command = [options.warpscope, "measure", "--plan", str(plan), "--session", str(session), "--device", options.device]
        command += ["--engine", options.engine] if options.engine else []
        log = options.out / "measure.log"
        status = run(command, max(1.0, options.within - (time.monotonic() - begin)), log)
        print(f"measured for {time.monotonic() - begin:.0f} s in all, "
              + ("interrupted at the limit" if status is None else f"status {status}"), flush=True)
        if status not in (None, 0, 1) or not session.is_file():
            print(f"{log} ends with: {' '.join(log.read_text().split()[-40:])}", file=sys.stderr)
    exported = options.out / "matrices.json"
    ran = subprocess.run([options.warpscope, "export", str(session), "--csv", str(csv), "--json", str(exported)],
                         capture_output=True, text=True)
    if ran.returncode:
        fail(f"{session} cannot be read: {ran.stderr.strip()}", 3)
    points = table.points_of(csv)
    lines = table.comparison(points, chosen, known, table.picked_of(exported))
    if not lines:
        fail(f"nothing was measured: {session} has no matrix with both a variant of ours and cuSPARSE", 3)
    given = json.loads(given_names.read_text()) if given_names.is_file() else []
    text = table.text_of(lines, points, chosen, known, given)
    (options.out / "table.md").write_text(text)
    print(text, end="")
    sys.exit(0 if table.reached(lines) else 1)


if __name__ == "__main__":
    main()
