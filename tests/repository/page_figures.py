# tests/repository/page_figures.py: figures in the pages are those of the recorded sessions.
"""Usage: page_figures.py ROOT [--write] [--program WARPSCOPE] [PAGE...].

In a page, a comment right after a figure says where the figure comes from. It is not rendered:

    46.2 µs<!-- csrmm/k_tiles time.warm op=NT -->
    2.4×<!-- csrmm/cusparse_alg3 time.warm / csrmm/k_tiles time.warm -->
    112.5 µs<!-- csrmm/cusparse_default,cusparse_alg2,cusparse_alg3 time.warm -->
    8 runs<!-- ceil(csrmm/k_tiles time.prepare / (csrmm/float4 time.warm - csrmm/k_tiles time.warm)) -->
    9.24 TB/s<!-- csrmm roof L2 -->, 4.29 TB/s<!-- csrmm roof "DRAM copy" -->
    NVIDIA H200<!-- csrmm device -->, driver 580.1<!-- csrmm driver -->, CUDA 13.0<!-- csrmm toolkit -->,
    2026-11-27<!-- csrmm date -->

    comment    = [FILE.wsj.gz:] expression
    expression = operands, numbers, + - * / with spaces around them, ( ), min(a, b), max(a, b), ceil(a)
    operand    = SCENE/VARIANT METRIC[@STEP] [AXIS=VALUE ...] | SCENE roof NAME | SCENE FACT

- VARIANT can be a list, a,b,c without spaces: the smallest value of them. METRIC is time.warm,
  time.cold (medians), time.prepare or a counter by its id; of one kernel launch: time@STEP or a
  counter, by the step's name. Quote what contains a space: locality="reference + offset".
- Axes that are not named have the scene's defaults, or the variant's own. Of several measurements of
  a point the newest counts. The date is that of the newest measurement.
- The session is assets/sessions/h200-SCENE.wsj.gz unless the comment begins with another FILE of ROOT.
- The unit stands between the figure and the comment: ns, µs, ms, s scale a time; kB, MB, GB, GB/s,
  TB/s, TFLOP/s, million and billion scale anything else; ×, %, times, runs and no unit scale nothing,
  so a share is written 100 * a / b.

Every README.md and FORMAT.md is checked. A figure must be the session's value, rounded to the digits
shown. In README.md and scenes/*/README.md, every number with a unit of time, GB/s, TB/s or × in a
table under a heading that begins with "Results" must have a comment. Other comments stand at the
beginning of a line or after a space, and are ignored. --write corrects the figures. --program
compares the defaults that this script takes from the sessions with those of `warpscope list`.
"""
import argparse
import collections
import gzip
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

import tracked

TIMES = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
SCALES = TIMES | {"kB": 1e3, "MB": 1e6, "GB": 1e9, "GB/s": 1e9, "TB/s": 1e12, "TFLOP/s": 1e12,
                  "million": 1e6, "billion": 1e9, "×": 1, "%": 1, "times": 1, "runs": 1}
UNITS = "|".join(sorted(map(re.escape, SCALES), key=len, reverse=True))
NUMBER = r"\d+(?:\.\d+)?"
FACTS = {"device": r"NVIDIA \w+", "driver": r"[\d.]+", "toolkit": r"[\d.]+", "date": r"\d{4}-\d\d-\d\d"}
COMMENT = re.compile(r"(?<=[^\s])<!-- *(.*?) *-->")
SHOWN = re.compile(rf"({NUMBER})( ?)({UNITS})?(\**)$")
WORD = re.compile(r'[()]|,(?=\s)|(?:[^\s"(),]|"[^"]*"|,(?!\s))+')
# What needs a comment in a table of results; "64×64", "3×TF32" and "3 × 3" are not speed-ups.
BARE = re.compile(rf"(?<![\w.×])({NUMBER} ?(?:ns|µs|ms|s|GB/s|TB/s)(?![\w/])|{NUMBER}×(?! ?\w*\d|\w))")
# Most points of a scene have its defaults; these axes have another one.
OTHER_DEFAULTS = {("led", "leds"): 3008}


class Wrong(Exception):
    """What a comment asks for and the session cannot answer, as a sentence."""


class Session:
    """The measurements of one recorded file."""

    def __init__(self, lines):
        self.points, self.roofs, facts = {}, {}, {}
        for line in lines:
            if '"type":"roofs"' in line:
                message = json.loads(line)
                for roof in message["roofs"]:
                    if "library" not in roof and "scene" not in roof:
                        name = f'{roof["level"]} {roof.get("mix") or ""}'.strip()
                        self.roofs[name] = roof["value"]
            elif '"type":"measurement"' in line:
                message = json.loads(line)
                if not message.get("partial"):
                    self.take(message)
                    facts = max(facts, message["conditions"], key=lambda c: c.get("date", ""))
        self.facts = {**facts, "date": facts.get("date", "")[:10]}
        self.own, self.common = self.defaults()

    def take(self, message):
        place = (message["variant"], message["key"], message["conditions"].get("device_uuid"))
        known = self.points.get(place)
        if known and known["conditions"].get("date", "") > message["conditions"].get("date", ""):
            known, message = message, known
        if known and known["conditions"].get("code_id") == message["conditions"].get("code_id"):
            # A newer measurement keeps what an older one knew and it was not asked for.
            ids = {m["id"] for m in message["metrics"] if m.get("value") is not None}
            message["metrics"] += [m for m in known["metrics"] if m["id"] not in ids]
            message = {**{k: v for k, v in known.items() if k not in message}, **message}
        message["named"] = set(re.findall(r"(?:^|,)(\w+)=", message["problem"]))  # those that apply
        self.points[place] = message

    def defaults(self):
        """Of axes of variants, by variant and axis; of axes of the problem, by axis."""
        counts, problem = collections.defaultdict(collections.Counter), set()
        for point in self.points.values():
            problem |= point["named"]
        for point in self.points.values():
            for axis, value in point["axes"].items():
                counts[axis if axis in problem else (point["variant"], axis)][value] += 1
        chosen = {axis: values.most_common(1)[0][0] for axis, values in counts.items()}
        scene = next((p["scene"] for p in self.points.values()), "")
        chosen |= {axis: value for (of, axis), value in OTHER_DEFAULTS.items() if of == scene}
        return ({axis: v for axis, v in chosen.items() if isinstance(axis, tuple)},
                {axis: v for axis, v in chosen.items() if isinstance(axis, str)})

    def default_of(self, variant, axis):
        return self.own.get((variant, axis), self.common.get(axis))

    def point(self, variant, axes):
        here = [p for p in self.points.values() if p["variant"] == variant]
        if not here:
            raise Wrong(f"no point of {variant}")
        for axis in axes:
            if not any(axis in p["axes"] for p in here):
                raise Wrong(f"{variant} has no axis {axis}")
        found = []
        for p in here:
            own = {axis for axis in p["axes"] if (variant, axis) in self.own}
            wanted = {axis: self.default_of(variant, axis) for axis in p["named"] | own} | axes
            if all(same(p["axes"].get(axis), value) for axis, value in wanted.items()):
                found.append(p)
        if not found:
            raise Wrong(f"{variant} was not measured there: {axes}")
        return max(found, key=lambda p: p["conditions"].get("date", ""))

    def value(self, variant, metric, axes):
        point = self.point(variant, axes)
        if point["verdict"]["outcome"] != "correct":
            raise Wrong(f"{variant} is {point['verdict']['outcome']} there")
        metric, of_step, name = metric.partition("@")
        if of_step:
            point = next((s for s in point["steps"] if s["name"] == name.strip('"')), {"metrics": []})
            if metric == "time" and point.get("time_ns"):
                return point["time_ns"]
        cache = metric.removeprefix("time.")
        if metric in ("time.warm", "time.cold") and point.get(cache):
            return float(statistics.median(point[cache]["samples_ns"]))
        if metric == "time.prepare" and point.get("prepare_ns"):
            return point["prepare_ns"]
        for known in point.get("metrics", ()):
            if known["id"] == metric and known.get("value") is not None:
                return known["value"]
        raise Wrong(f"{variant} has no {metric} there")


def same(recorded, typed):
    """Whether an axis has a value; in a comment, numbers are texts."""
    if isinstance(recorded, str) or recorded is None or not isinstance(typed, str):
        return recorded == typed
    try:
        return float(typed) == recorded
    except ValueError:
        return False


class Expression:
    """The value of one comment."""

    def __init__(self, text, session_of):
        file, colon, rest = text.partition(".wsj.gz:")
        self.file = file + ".wsj.gz" if colon else None
        self.words = WORD.findall(rest if colon else text) + ["end"]
        self.at, self.session_of = 0, session_of

    def value(self):
        value = self.sum()
        if self.words[self.at] != "end":
            raise Wrong(f"cannot read {self.words[self.at]!r}")
        return value

    def next(self, *wanted):
        word = self.words[self.at]
        if wanted and word not in wanted:
            raise Wrong(f"{wanted[0]!r} expected, not {word!r}")
        self.at += 1
        return word

    def sum(self):
        value = self.product()
        while self.words[self.at] in ("+", "-"):
            value += self.product() if self.next() == "+" else -self.product()
        return value

    def product(self):
        value = self.operand()
        while self.words[self.at] in ("*", "/"):
            value = value * self.operand() if self.next() == "*" else value / self.operand()
        return value

    def operand(self):
        word = self.next()
        if word == "(":
            value = self.sum()
            self.next(")")
            return value
        if word in ("min", "max", "ceil"):
            self.next("(")
            values = [self.sum()]
            while self.words[self.at] == ",":
                self.next()
                values.append(self.sum())
            self.next(")")
            return float(math.ceil(values[0])) if word == "ceil" else {"min": min, "max": max}[word](values)
        if re.fullmatch(NUMBER, word):
            return float(word)
        scene, slash, variants = word.partition("/")
        session, what = self.session_of(scene, self.file), self.next()
        if slash:
            axes = {}
            while "=" in self.words[self.at]:
                axis, _, value = self.next().partition("=")
                axes[axis] = value.strip('"')
            return min(session.value(variant, what, axes) for variant in variants.split(","))
        if what == "roof":
            name = self.next().strip('"')
            if name not in session.roofs:
                raise Wrong(f"no roof {name}, but {', '.join(session.roofs)}")
            return session.roofs[name]
        if what in FACTS and session.facts.get(what):
            return session.facts[what]
        raise Wrong(f"{word} {what} is neither a point, a roof nor a fact")


def rounded(value, shown):
    """The value with as many decimals as the figure shown, which stays if it is right."""
    decimals = len(shown.partition(".")[2])
    right = abs(value - float(shown)) <= 0.5 * 10 ** -decimals * (1 + 1e-9)
    return shown if right else f"{value:.{decimals}f}"


def corrected(line, comment, session_of):
    """(where the figure begins in the line, the figure on the page, the figure of the session)."""
    value = Expression(comment[1], session_of).value()
    before = line[:comment.start()]
    if isinstance(value, str):
        pattern = next(p for p in FACTS.values() if re.fullmatch(p, value))
        shown = re.search(rf"({pattern})(\**)$", before)
        if not shown:
            raise Wrong(f"the comment follows no {value}")
        return shown.start(1), shown[1], value
    shown = SHOWN.search(before)
    if not shown:
        raise Wrong("the comment follows no figure")
    return shown.start(1), shown[1], rounded(value / SCALES.get(shown[3], 1), shown[1])


def results_lines(lines):
    """The numbers of lines in tables under headings that begin with "Results"."""
    level, fenced = 0, False
    for number, line in enumerate(lines):
        fenced ^= line.startswith("```")
        heading = re.match(r"(#+) +(.*)", line)
        if heading and not fenced and (not level or len(heading[1]) <= level):
            level = len(heading[1]) if heading[2].startswith("Results") else 0
        if level and not fenced and line.startswith("|"):
            yield number


def checked(page, text, session_of):
    """(findings, the text with the session's figures)."""
    found, lines, fenced = [], text.split("\n"), False
    for number, line in enumerate(lines):
        fenced ^= line.startswith("```")
        for comment in [] if fenced else reversed(list(COMMENT.finditer(line))):
            try:
                begin, shown, value = corrected(line, comment, session_of)
            except (Wrong, ZeroDivisionError) as error:
                found.append(f"{page}:{number + 1}: <!-- {comment[1]} -->: {error}")
                continue
            if shown != value:
                found.append(f"{page}:{number + 1}: {shown} on the page, {value} in the session: "
                             f"{comment[1]}")
                lines[number] = lines[number][:begin] + value + lines[number][begin + len(shown):]
    if page == "README.md" or re.fullmatch(r"scenes/\w+/README\.md", page):
        for number in results_lines(lines):
            bare = [m for m in BARE.finditer(re.sub(r"`[^`]*`", lambda m: "_" * len(m[0]), lines[number]))
                    if not re.match(r"\**<!--", lines[number][m.end():])
                    and not re.search(r"<!--(?:(?!-->).)*$", lines[number][:m.start()])]
            found += [f"{page}:{number + 1}: {m[0]} in a table of results has no comment" for m in bare]
    return found, "\n".join(lines)


def reader_of_sessions(root):
    sessions = {}

    def session_of(scene, file=None):
        name = file or f"assets/sessions/h200-{scene}.wsj.gz"
        if name not in sessions:
            path = pathlib.Path(root, name)
            if not path.is_file():
                raise Wrong(f"no session {name}")
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                sessions[name] = Session(lines)
        return sessions[name]

    return session_of


def other_defaults(program, root, session_of):
    """Where the defaults that are taken from the sessions are not the scenes'."""
    found = []
    for scene in re.findall(r"^SCENE\((\w+)\)", tracked.text(root, "scenes/built_in.inc"), re.M):
        if not pathlib.Path(root, f"assets/sessions/h200-{scene}.wsj.gz").is_file():
            continue
        listed = subprocess.run([program, "list", scene, "--json"], check=True, capture_output=True)
        session = session_of(scene)
        variants = {p["variant"] for p in session.points.values()}
        for axis in json.loads(listed.stdout)[0]["axes"]:
            for variant in sorted(variants & set(axis["of_variants"])) or [""]:
                used = session.default_of(variant, axis["name"])
                listed_value = axis["defaults_of"].get(variant, axis["default"])
                if used is not None and not same(used, listed_value):
                    found.append(f"{scene}: {axis['name']} of {variant or 'the problem'} is "
                                 f"{listed_value} by default, not {used}")
    return found


def prove_the_rules():
    def line(variant, warm, date="2026-01-01T00:00:00Z", outcome="correct", **axes):
        axes = {"n": 128, "mode": "a b"} | axes
        return json.dumps({
            "type": "measurement", "scene": "s", "variant": variant, "axes": axes,
            "problem": ",".join(f"{k}={v}" for k, v in axes.items()), "prepare_ns": 4e5, "metrics": [],
            "steps": [{"name": "a b", "time_ns": 7e3, "metrics": [{"id": "issue", "value": 58.07}]}],
            "key": ",".join(f"{k}={v}" for k, v in axes.items()), "warm": {"samples_ns": [warm, warm]},
            "verdict": {"outcome": outcome}, "conditions": {
                "date": date, "code_id": date, "device": "NVIDIA X1", "driver": "1.2"}},
            separators=(",", ":"))

    session = Session([
        line("k", 46200.0), line("k", 46640.0, "2026-02-01T00:00:00Z"), line("k", 9e3, n=64),
        line("k", 8e3, mode="c"), line("lib", 100e3), line("lib2", 96e3), line("bad", 1e3, outcome="wrong"),
        '{"type":"roofs","roofs":[{"level":"DRAM","mix":"copy","value":4.289e12}]}'])

    def session_of(scene, _=None):
        if scene != "s":
            raise Wrong("no session")
        return session

    head = "# A\n## Results on a card\n\n"
    good = ["46.6 µs<!-- s/k time.warm -->", "**47 µs**<!-- s/k time.warm n=128 -->",
            "0.009 ms<!-- s/k time.warm n=64 -->", '8 µs<!-- s/k time.warm mode="c" -->',
            "2.06×<!-- s/lib,lib2 time.warm / s/k time.warm --> slower",
            "96 µs<!-- min(s/lib time.warm, s/lib2 time.warm) -->",
            "9 runs<!-- ceil(s/k time.prepare / (s/lib2 time.warm - s/k time.warm)) -->",
            '4.29 TB/s<!-- s roof "DRAM copy" -->', "58 %<!-- s/k issue@\"a b\" -->", "7 µs<!-- s/k time@\"a b\" -->",
            "NVIDIA X1<!-- s device -->", "1.2<!-- s driver -->",
            "2026-02-01<!-- s date -->", "64×64", "3×TF32", "3 × 3", "`9 µs`"]
    for cell in good:
        for text in (f"{head}| {cell} |\n", cell):
            found, after = checked("scenes/s/README.md", text, session_of)
            assert not found and after == text, (text, found)
    wrong = {"46.7 µs<!-- s/k time.warm -->": "46.6 µs<!-- s/k time.warm -->",
             "a 46.6 and **2.0×**<!-- s/lib2 time.warm / s/k time.warm --> b":
                 "a 46.6 and **2.1×**<!-- s/lib2 time.warm / s/k time.warm --> b",
             "NVIDIA X2<!-- s device -->": "NVIDIA X1<!-- s device -->"}
    for text, right in wrong.items():
        found, after = checked("profiling/README.md", text, session_of)
        assert len(found) == 1 and after == right, (text, found, after)
        assert found[0].startswith("profiling/README.md:1: ") and "in the session" in found[0], found
    for text in ("1 µs<!-- s/none time.warm -->", "1 µs<!-- s/k time.cold -->", "1 µs<!-- s/k time.warm n=7 -->",
                 "1 µs<!-- s/bad time.warm -->", "1 µs<!-- t/k time.warm -->", "word<!-- s/k time.warm -->",
                 "1<!-- s roof L9 -->", "1<!-- s/k time.warm ) -->", "1<!-- some prose -->",
                 "1<!-- s/k time.warm side=2 -->", "7 µs<!-- s/k time@b -->"):
        assert len(checked("a/README.md", text, session_of)[0]) == 1, text
    assert not checked("a/README.md", "<!-- prose -->\na <!-- prose -->\n```\n1<!-- x -->\n```", session_of)[0]
    for bare in ("12 µs", "1.5×", "1.53× slower", "9.2 TB/s", "3 s", "**4 ms**"):
        for page, heading, least in (("README.md", head, 1), ("scenes/s/README.md", head + "### All\n", 1),
                                     ("a/README.md", head, 0), ("README.md", head + "## Tried\n", 0)):
            found = checked(page, f"{heading}| a | {bare} |\n", session_of)[0]
            assert len(found) == least, (page, bare, found)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0].removeprefix("Usage: "))
    parser.add_argument("root")
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--program")
    options = parser.parse_args()
    prove_the_rules()
    session_of, found = reader_of_sessions(options.root), []
    for page in options.pages or tracked.files(options.root):
        if pathlib.PurePosixPath(page).name not in ("README.md", "FORMAT.md"):
            continue
        text = tracked.text(options.root, page)
        said, after = checked(page, text, session_of)
        if options.write and after != text:
            pathlib.Path(options.root, page).write_text(after, encoding="utf-8")
        found += said
    if options.program:
        found += other_defaults(options.program, options.root, session_of)
    return tracked.report(found)


if __name__ == "__main__":
    sys.exit(main())
