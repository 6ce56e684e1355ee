# tests/benchmarks/matrices/matrices_test.py: made matrices have the stated statistics, and the table compares correctly.
"""Usage: matrices_test.py WARPSCOPE FAKE_ENGINE"""
import collections
import hashlib
import pathlib
import subprocess
import sys
import tempfile

import lengths
import structures
import table

failures = []
# One pass over these takes a second or less each; the others differ only in their numbers.
SMALL = 400_000
ORIGINS = {"file", "record", "publication", "derived", "not checked", "assumed"}


def expect(good, words):
    if not good:
        failures.append(words)
        print(f"FAILED: {words}")


def close(value, wanted, share):
    return abs(value - wanted) <= share * wanted


def facts_are_complete(known):
    expect(len(known) >= 20, "there are at least 20 structures")
    expect(len({s["field"].split(",")[0] for s in known}) >= 10, "they are from at least ten fields")
    expect(len({s["name"] for s in known}) == len(known), "names differ")
    for s in known:
        expect(set(s["origin"]) == {"size", "lengths", "places"} and set(s["origin"].values()) <= ORIGINS,
               f"{s['name']}: each fact has an origin of {ORIGINS}")
        expect(s["entries"] <= 5_000_000, f"{s['name']} has at most 5 million entries")
        if "scaled" in s:
            whole, by = s["scaled"], s["scaled"]["by"]
            rows_by = by if s["rows"] != whole["rows"] else 1
            expect(close(s["columns"] * by, whole["columns"], 1e-3) and close(s["rows"] * rows_by, whole["rows"], 1e-3)
                   and close(s["entries"] * by * rows_by, whole["entries"], 1e-3),
                   f"{s['name']} is smaller by {by} in each direction that is scaled")


def lengths_have_the_statistics(known):
    for s in known:
        facts = s["lengths"]
        if facts["shape"] == "of places":
            continue
        made = lengths.fitted_lengths(s["rows"], s["entries"], facts)
        got = structures.statistics_of(made)
        expect(len(made) == s["rows"] and sum(made) == s["entries"], f"{s['name']}: rows and entries are exact")
        if facts["shape"] == "equal":
            expect(got["sd"] == 0, f"{s['name']}: all rows are equal")
            continue
        expect(got["max"] == facts["max"], f"{s['name']}: longest row {got['max']}")
        shortest = min(length for length in made if length or not facts["min"])
        expect(shortest == (0 if facts["min"] == 0 else facts["min"]), f"{s['name']}: shortest row {shortest}")
        expect(not facts["min"] or got["empty"] == facts.get("empty", 0), f"{s['name']}: {got['empty']} empty rows")
        expect(close(got["sd"], facts["sd"], 0.04), f"{s['name']}: sd {got['sd']:.2f} instead of {facts['sd']}")


def columns_of_rows(s):
    """Checks every row, and returns the lengths of rows and of columns."""
    row_lengths, columns, good = [], collections.Counter(), True
    for row in structures.generate(s):
        good = good and all(a < b for a, b in zip(row, row[1:])) and (not row or 0 <= row[0] and row[-1] < s["columns"])
        row_lengths.append(len(row))
        columns.update(row)
    expect(good, f"{s['name']}: columns of a row are different, ascending and inside the matrix")
    expect(len(row_lengths) == s["rows"] and sum(row_lengths) == s["entries"], f"{s['name']}: {sum(row_lengths)} entries")
    return row_lengths, columns


def places_have_the_statistics(known):
    for s in known:
        places = s["places"]
        closed = s["lengths"]["shape"] == "of places"
        if s["entries"] > SMALL and not (closed and places["shape"] != "grid"):
            continue
        row_lengths, columns = columns_of_rows(s)
        if places["shape"] == "popular":
            most = max(columns.values())
            expect(places["most"] / 2 <= most <= 2 * places["most"], f"{s['name']}: longest column {most}")
            expect(len(columns) <= s["columns"] - places.get("unused", 0), f"{s['name']}: {len(columns)} columns are used")
        if places["shape"] == "wilson":
            expect(set(row_lengths) == {39} and set(columns.values()) == {39}, "each row and column of the lattice has 39")


def grids_have_the_closed_forms(known):
    """The same neighbours on a small grid, counted by hand, and the stated numbers by their formulas."""
    grids = {s["name"]: s for s in known if s["places"]["shape"] == "grid"}
    n, a, b = 1000 * 1000, 1025, 513
    expect(grids["ecology1"]["entries"] == 5 * n - 4 * 1000, "five points, less one at each edge")
    expect(grids["parabolic_fem"]["entries"] == 7 * a * b - 2 * a - 2 * b - 2 * (a + b - 1), "seven points, less those outside")
    expect(grids["mc2depi"]["entries"] == 4 * a * (a + 1) // 2 - 3 * a, "four points of a triangle, less one at each edge")
    for name, sides, wanted in (("ecology1", [3, 4], 5 * 12 - 2 * 4 - 2 * 3), ("mc2depi", [4, 4], 4 * 10 - 3 * 4),
                                ("parabolic_fem", [3, 4], 7 * 12 - 2 * 4 - 2 * 3 - 2 * 6)):
        small = dict(grids[name], places=dict(grids[name]["places"], sides=sides))
        rows = list(structures.generate(small))
        expect(sum(map(len, rows)) == wanted, f"{name} of {sides}: {sum(map(len, rows))} entries instead of {wanted}")
        expect(all(row in columns for row, columns in enumerate(rows)), f"{name}: each point is its own neighbour")


def files_are_deterministic(known, folder):
    karate = next(s for s in known if s["name"] == "karate")
    made = []
    for seed in (1, 1, 2):
        structures.write(karate, folder / "karate.mtx", seed)
        made.append((folder / "karate.mtx").read_bytes())
    expect(made[0] == made[1] and made[0] != made[2], "a seed gives the same bytes, another seed others")
    expect(hashlib.sha256(made[0].split(b"\n", 2)[2]).hexdigest()[:16] == KARATE, "the bytes are those of every Python")
    expect(b"not the matrix itself" in made[0], "a made file says so")


KARATE = "9bea718047552c87"  # without the two lines of the header


def point(name, variant, ns, verdict="correct", noise="0.01"):
    return {"file": f"/somewhere/{name}.mtx", "variant": variant, "metric": "time.warm", "value": str(ns) if ns else "",
            "verdict": verdict, "noise_ratio": noise}


def the_table_compares(known):
    kinds = {"k_tiles": "ours", "row_split": "ours", "block_row": "seed", "auto": "ours"}
    points = [point("karate", "k_tiles", 50), point("karate", "row_split", 20), point("karate", "auto", 25),
              point("karate", "cusparse_alg1", 90), point("karate", "cusparse_alg2", 80), point("karate", "block_row", 10),
              point("cora", "k_tiles", 100), point("cora", "cusparse_alg1", 50), point("cora", "auto", 100),
              point("cora", "row_split", 1, "wrong"), point("cora", "cusparse_alg3", None, "failed"),
              point("cant", "k_tiles", 5)]
    lines = table.comparison(points, known, kinds, {"/elsewhere/karate.mtx": "k_tiles"})
    expect([line["structure"]["name"] for line in lines] == ["karate", "cora"], "only matrices with both are compared")
    first, second = lines
    expect(first["ours"][1] == "row_split" and first["cusparse"][1] == "cusparse_alg2", "the fastest of each kind counts")
    expect(first["speed_up"] == 4 and first["auto_speed_up"] == 3.2 and first["picked"] == "k_tiles", "speed-ups")
    expect(second["speed_up"] == 0.5, "an output that is wrong has no time")
    expect(close(first["noise"], 0.01 * 2**0.5, 1e-9), "the noise of a ratio is that of both times")
    mean, lowest, at = table.summary([4, 0.5])
    expect(close(mean, 2**0.5, 1e-9) and (lowest, at) == (0.5, 1), "geometric mean and lowest")
    text = table.text_of(lines, points, known, kinds, ["karate"])
    for words in ("`row_split` 0.02 µs", "0.025 µs, `k_tiles`", "geometric mean 1.41× of 2 matrices", "lowest 0.50× at cora",
                  "below 1.0× on 1 (goal 0)", "faster than ours on 1: karate", "wrong: row_split with cora",
                  "failed: cusparse_alg3 with cora", "not measured: wiki-Vote"):
        expect(words in text, f"the table says “{words}”")
    expect(not table.reached(lines) and table.reached(lines[:1]), "both goals must be reached")


def the_page_lists_them(known):
    page = structures.FACTS.with_name("MATRICES.md").read_text()
    expect("\n".join(structures.page_lines(known)) in page, "MATRICES.md has the table that structures.py --page prints")


def run(*words):
    script = pathlib.Path(__file__).with_name("measure.py")
    return subprocess.run([sys.executable, str(script), *map(str, words)], capture_output=True, text=True)


def the_command_measures(warpscope, engine, folder):
    ran = run(warpscope, folder / "out", "karate", "cora", "--engine", engine)
    expect(ran.returncode == 1, f"the fake engine's times are equal, so a goal is missed: {ran.returncode} {ran.stderr}")
    for words in ("| karate | social graph | 34 × 34 | 156 | made |", "lowest 1.00×", "2 matrices, 0 from files"):
        expect(words in ran.stdout, f"it prints “{words}”: {ran.stdout}")
    expect((folder / "out/table.md").is_file() and (folder / "out/matrices.wsj").is_file(), "it keeps table and session")
    plan = (folder / "out/matrices.plan").read_text()
    expect(plan.index("karate.mtx") < plan.index("cora.mtx") and "db=1" in plan and "cusparse_alg3" in plan, "the plan")
    expect("t_k_tiles" not in plan and "cublas" not in plan and "bitmap" not in plan, "no transposed and no dense variant")
    given = run(warpscope, folder / "out", "karate", "--engine", engine, "--matrices", folder / "out/matrices")
    expect("1 from files" in given.stdout and "| 156 | file |" in given.stdout, f"a given file is used {given.stdout}")
    again = run(warpscope, folder / "out", "karate", "cant", "--table")
    expect("not measured: cant" in again.stdout and "| karate |" in again.stdout, f"--table prints it again {again.stdout}")
    none = run(warpscope, folder / "none", "karate", "--engine", folder / "absent")
    expect(none.returncode == 3 and "absent" in none.stderr, f"without an engine the log's words are given {none.stderr}")
    (folder / "karate.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n35 35 0\n")
    for words, wanted in (((warpscope, folder / "out", "karat"), "there is no structure karat"),
                          ((warpscope, folder / "out", "karate", "--matrices", folder), "is not 34 × 34"),
                          ((warpscope, folder / "karate.mtx", "karate"), "is a file"),
                          ((folder / "absent", folder / "out"), "is not a program")):
        ran = run(*words)
        expect(ran.returncode != 0 and wanted in ran.stderr and "Traceback" not in ran.stderr, f"{wanted}: {ran.stderr}")


def main():
    warpscope, engine = sys.argv[1:]
    known = structures.structures()
    facts_are_complete(known)
    lengths_have_the_statistics(known)
    places_have_the_statistics(known)
    grids_have_the_closed_forms(known)
    the_table_compares(known)
    the_page_lists_them(known)
    with tempfile.TemporaryDirectory() as folder:
        files_are_deterministic(known, pathlib.Path(folder))
        the_command_measures(warpscope, engine, pathlib.Path(folder))
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
