# tests/benchmarks/matrices/structures.py: makes Matrix Market files with the statistics of public sparse matrices.
"""Usage: structures.py FOLDER [NAME ...] [--seed N]
          structures.py --page

Writes FOLDER/NAME.mtx for the structures of scenes/csrmm/structures.json, all of them unless some are
named, and prints their statistics. The same seed gives the same bytes. Files have no values: the scene
draws weights. --page prints the table of scenes/csrmm/MATRICES.md.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import sys

import lengths
import places

FACTS = pathlib.Path(__file__).resolve().parents[3] / "scenes/csrmm/structures.json"


def structures(path=FACTS):
    return json.loads(path.read_text())["structures"]


def generate(structure, seed=1):
    """The columns of every row."""
    source = random.Random(f"{structure['name']} {seed}")
    facts, rows = structure["lengths"], []
    if facts["shape"] != "of places":
        ascending = lengths.fitted_lengths(structure["rows"], structure["entries"], facts)
        side = structure["places"].get("side", 1)
        groups = [ascending[i:i + side] for i in range(0, len(ascending), side)]
        rows = [length for group in places.shuffled(groups, source) for length in group]
    return places.rows_of(structure, rows, source)


def statistics_of(row_lengths):
    """min, mean, max, sd and empty, of lengths of rows (or of columns)."""
    count = len(row_lengths)
    mean = sum(row_lengths) / count
    return {"min": min(row_lengths), "mean": mean, "max": max(row_lengths),
            "sd": math.sqrt(sum((length - mean) ** 2 for length in row_lengths) / count),
            "empty": row_lengths.count(0)}


def write(structure, path, seed=1):
    """Writes a file, and returns the statistics of its rows."""
    counts = []
    partial = path.with_suffix(".partial")
    with open(partial, "w") as file:
        file.write("%%MatrixMarket matrix coordinate pattern general\n"
                   f"% made to the statistics of {structure['source']}, seed {seed}; not the matrix itself\n"
                   f"{structure['rows']} {structure['columns']} {structure['entries']}\n")
        for row, columns in enumerate(generate(structure, seed), 1):
            counts.append(len(columns))
            file.write("".join(f"{row} {column + 1}\n" for column in columns))
    if len(counts) != structure["rows"] or sum(counts) != structure["entries"]:
        raise ValueError(f"{structure['name']}: {len(counts)} rows and {sum(counts)} entries were made")
    partial.rename(path)
    return statistics_of(counts)


def write_all(chosen, folder, seed=1):
    """Writes files, as many at a time as there are processors, and yields (structure, statistics)."""
    folder.mkdir(parents=True, exist_ok=True)
    largest_first = sorted(chosen, key=lambda s: -s["entries"])
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        made = {s["name"]: pool.submit(write, s, folder / f"{s['name']}.mtx", seed) for s in largest_first}
        for structure in chosen:
            yield structure, made[structure["name"]].result()


def choose(names):
    known = structures()
    unknown = set(names) - {s["name"] for s in known}
    if unknown:
        sys.exit(f"there is no structure {', '.join(sorted(unknown))}: {FACTS} has "
                 f"{', '.join(s['name'] for s in known)}")
    return [s for s in known if not names or s["name"] in names]


def lengths_text(s):
    facts, mean = s["lengths"], s["entries"] / s["rows"]
    if facts["shape"] == "equal":
        return f"all {s['entries'] // s['rows']}"
    if facts["shape"] == "of places":
        return f"mean {mean:.3g}"
    shape = "normal" if facts["shape"] == "bell" else "lognormal"
    empty = f"; {facts['empty']} empty" if "empty" in facts else ""
    return f"{facts['min']} to {facts['max']}, mean {mean:.4g}, sd {facts['sd']:.4g}, {shape}{empty}"


def places_text(s):
    places = s["places"]
    shape = places["shape"]
    popular = f"few columns are frequent, the longest has {places.get('most')}"
    if shape == "near":
        share = f"{100 * places['share']:.0f} % within " if places["share"] < 1 else "within "
        group = f", in groups of {places['side']}" if "side" in places else ""
        rest = "" if places["share"] == 1 else f"; of the others, {popular}" if "most" in places else "; the others anywhere"
        return f"{share}{places['reach']} columns of the diagonal{group}{rest}"
    return {"popular": popular, "uniform": "anywhere", "grid": f"{len(places.get('neighbours', []))} points of a grid"
            + (" in a triangle" if places.get("triangle") else ""), "wilson": "neighbours on a lattice of 4 dimensions",
            "window": f"{places.get('reach')} tokens to each side, and token 0",
            "blocks": f"whole blocks of {places.get('side')} × {places.get('side')}"}[shape]


def page_lines(known):
    lines = ["| matrix | field | source | rows × columns | entries | lengths of rows | columns of the entries | origin |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for s in known:
        whole = s.get("scaled")
        source = s["source"] + (f"; whole: {whole['rows']} × {whole['columns']}, {whole['entries']} entries" if whole else "")
        cells = [f"`{s['name']}`", s["field"], source, f"{s['rows']} × {s['columns']}", str(s["entries"]),
                 lengths_text(s), places_text(s), ", ".join(s["origin"][k] for k in ("size", "lengths", "places"))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_intermixed_args()
    if options.page:
        print("\n".join(page_lines(structures())))
        return
    if options.folder is None:
        parser.error("name the folder for the files")
    print(f"{'structure':34} {'rows':>8} {'columns':>8} {'entries':>9} {'min':>5} {'mean':>7} {'max':>7} {'sd':>7}")
    for s, made in write_all(choose(options.names), options.folder, options.seed):
        print(f"{s['name']:34} {s['rows']:8} {s['columns']:8} {s['entries']:9} {made['min']:5} {made['mean']:7.1f} "
              f"{made['max']:7} {made['sd']:7.1f}", flush=True)


if __name__ == "__main__":
    main()
