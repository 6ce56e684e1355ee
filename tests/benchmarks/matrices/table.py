# tests/benchmarks/matrices/table.py: csrmm's variants beside cuSPARSE's algorithms, one line per matrix.
"""comparison(points, structures) picks the fastest of each kind; text_of() makes a Markdown table of it.

A point is a row of `warpscope export --csv` for the metric time.warm. Points without a correct output
are left out and counted.
"""
import csv
import json
import math
import pathlib

MEAN_GOAL, LOWEST_GOAL = 2.0, 1.0


def points_of(csv_path):
    with open(csv_path, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["metric"] == "time.warm"]


def picked_of(json_path):
    """(file, variant) of what each automatic choice ran."""
    found = {}
    for point in json.loads(pathlib.Path(json_path).read_text()):
        if point.get("variant") == "auto" and "picked" in point:
            found[point["axes"].get("file", "")] = point["picked"]["row"]
    return found


def name_of(point):
    return pathlib.Path(point["file"]).stem


def kind_of(variant, families):
    if variant == "auto":
        return "auto"
    if variant.startswith("cusparse_"):
        return "cusparse"
    return {"seed": "published", "ours": "ours", "ablation": "ours"}.get(families.get(variant), "other")


def comparison(points, structures, families, picked=None):
    """One dict per structure that has both a variant of ours and a cuSPARSE algorithm, in the list's order."""
    best, picks = {}, {name_of({"file": file}): row for file, row in (picked or {}).items()}
    for point in points:
        if point["verdict"] != "correct" or not point["value"]:
            continue
        timed = (float(point["value"]), point["variant"], float(point["noise_ratio"] or 0))
        key = (name_of(point), kind_of(point["variant"], families))
        best[key] = min(best.get(key, timed), timed)
    lines = []
    for structure in structures:
        ours, library = (best.get((structure["name"], kind)) for kind in ("ours", "cusparse"))
        if ours is None or library is None:
            continue
        auto = best.get((structure["name"], "auto"))
        lines.append({"structure": structure, "ours": ours, "cusparse": library, "auto": auto,
                      "published": best.get((structure["name"], "published")),
                      "picked": picks.get(structure["name"], ""),
                      "speed_up": library[0] / ours[0], "noise": math.hypot(library[2], ours[2]),
                      "auto_speed_up": library[0] / auto[0] if auto else None})
    return lines


def summary(speed_ups):
    """(geometric mean, lowest, its position), of at least one."""
    mean = math.exp(sum(math.log(s) for s in speed_ups) / len(speed_ups))
    lowest = min(speed_ups)
    return mean, lowest, speed_ups.index(lowest)


def time_text(ns):
    return f"{ns / 1e3:.3g} µs" if ns < 999.5e3 else f"{ns / 1e6:.3g} ms"


def line_text(line, files):
    s = line["structure"]
    cells = [s["name"], s["field"], f"{s['rows']} × {s['columns']}", str(s["entries"]),
             "file" if s["name"] in files else "made",
             f"`{line['ours'][1]}` {time_text(line['ours'][0])}",
             "–" if line["auto"] is None else
             time_text(line["auto"][0]) + (f", `{line['picked']}`" if line["picked"] else ""),
             f"`{line['cusparse'][1]}` {time_text(line['cusparse'][0])}",
             f"{line['speed_up']:.2f}×", "–" if line["auto"] is None else f"{line['auto_speed_up']:.2f}×",
             f"{100 * line['noise']:.1f} %"]
    return "| " + " | ".join(cells) + " |"


def text_of(lines, points, structures, families, files=()):
    head = ["matrix", "field", "size", "entries", "from", "best of ours", "`auto`, what it ran", "best cuSPARSE",
            "speed-up of the best", "speed-up of `auto`", "noise of the ratio"]
    text = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    text += [line_text(line, files) for line in lines] + [""]
    for label, key in (("best of ours", "speed_up"), ("`auto`", "auto_speed_up")):
        known = [line for line in lines if line[key] is not None]
        if not known:
            continue
        mean, lowest, at = summary([line[key] for line in known])
        slower = sum(line[key] < LOWEST_GOAL for line in known)
        text.append(f"{label}: geometric mean {mean:.2f}× of {len(known)} matrices (goal {MEAN_GOAL}×), lowest "
                    f"{lowest:.2f}× at {known[at]['structure']['name']}; below {LOWEST_GOAL}× on {slower} (goal 0)")
    published = [line["structure"]["name"] for line in lines
                 if line["published"] and line["published"][0] < line["ours"][0]]
    if published:
        text.append(f"a published kernel is faster than ours on {len(published)}: {', '.join(published)}")
    missing = [s["name"] for s in structures if s["name"] not in {line["structure"]["name"] for line in lines}]
    if missing:
        text.append(f"not measured: {', '.join(missing)}")
    failed = {}
    for point in points:
        if point["verdict"] != "correct":
            failed.setdefault((point["variant"], point["verdict"]), []).append(name_of(point))
    text += [f"{verdict}: {variant} with {', '.join(names)}" for (variant, verdict), names in sorted(failed.items())]
    return "\n".join(text) + "\n"


def reached(lines):
    """Whether `auto`, or the best variant where `auto` has no time, reaches both goals."""
    speed_ups = [line["auto_speed_up"] or line["speed_up"] for line in lines]
    if not speed_ups:
        return False
    mean, lowest, _ = summary(speed_ups)
    return mean >= MEAN_GOAL and lowest >= LOWEST_GOAL
