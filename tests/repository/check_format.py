# tests/repository/check_format.py: profiling/session/FORMAT.md has every field of a session.
"""Usage: check_format.py ROOT.

Each table of the page under a heading of the third level is an object: a message under "Messages", a
part of messages under "Parts". Its rows are compared with

- the names that encoders and decoders in profiling/messages/*.cpp and line_reader.cpp write and read,
- the messages that protocol.cpp knows, and the words of enumerations,
- every line of the sessions, recordings and journals in the repository,
- the examples of the page.
"""
import gzip
import io
import json
import pathlib
import re
import sys

import tracked

PAGE = "profiling/session/FORMAT.md"
SOURCES = ("profiling/messages/*.cpp", "profiling/session/line_reader.cpp")
RECORDED = ("assets/sessions/*.wsj.gz", "tests/recordings/*.wsj.gz", "assets/journals/*.wsj")

# The objects that a function with this type in its signature writes or reads; a name of a function
# goes before the types. What has a header has each of its fields.
HEADERS = ("encode_header", "decode_header")
OBJECTS = {
    "encode_header": "series picture", "decode_header": "series picture",
    "encode_list": "", "decode_list": "", "decode_level": "", "encode_dim": "", "decode_dim": "",
    "Hello": "hello", "Capability": "capability", "DeviceDescription": "device", "Error": "error",
    "Job": "job source", "UserKernel": "user", "MeasureJob": "job", "RoofsJob": "job",
    "VerifyJob": "job", "TraceJob": "job", "RegistersJob": "job", "OutputsJob": "job",
    "ListingJob": "job", "TrainJob": "job", "WarpsJob": "job",
    "WarpTimeline": "warps", "ProbedSpan": "probed_span", "WarpRow": "warp_row",
    "UserLaunch": "user_launch", "UserOutput": "user_output", "TracedOutput": "traced_output", "Cancel": "cancel", "Progress": "progress", "LogLine": "log",
    "Done": "done", "SceneText": "scene source data", "Measurement": "measurement",
    "PickedRow": "picked", "TriedRow": "tried",
    "Timing": "timing", "StepRecord": "step resources", "KernelResources": "resources",
    "Verdict": "verdict", "ReportedError": "reported", "MetricValue": "metric sampled",
    "Sampled": "sampled", "Launch": "launch", "Conditions": "conditions", "PointId": "point",
    "RoofSet": "roofs roof", "Roof": "roof", "Timeline": "timeline", "TimelineRange": "range",
    "TimelineActivity": "activity", "Trace": "trace scope sample", "TracedBuffer": "buffer",
    "AccessSite": "site", "AccessTotals": "totals", "LineTotals": "line_totals",
    "WriterMap": "writers", "Fault": "fault", "SpilledRegisters": "spills spilled_line",
    "MachineFigures": "machine_code", "HangStory": "hang", "WaitingWarps": "wait",
    "AbsentWarps": "absent", "PossibleStore": "possible_store", "TracedBarrier": "barrier",
    "LineCounters": "line_counters", "LineCount": "line_count",
    "StallSamples": "stall_samples", "Series": "series",
    "Picture": "picture", "Iteration": "iteration", "NamedBaseline": "baseline",
    "Compilation": "compilation",
    "OutputPair": "output_pair", "OutputDifference": "difference",
    "HardVerdict": "hard_verdict first_wrong", "Listing": "listing",
    "ListedKernel": "listed_kernel listed_parameter",
    "TrainingState": "training_state", "Latents": "latents",
}
# Figures by line are a table of their own: id by id.
LINE_FIGURES = ("profiling/access/line_counters.cpp", r'\{LineMetric::\w+, "(\w+)"')
# The words of a field, by the file and the enumeration that has them.
WORDS = {
    "job.kind": ("profiling/messages/protocol.cpp", "JobKind"),
    "done.status": ("profiling/messages/protocol.cpp", "DoneStatus"),
    "iteration.decision": ("profiling/messages/json_codec_outcomes.cpp", "Decision"),
    "error.kind": ("scenes/host/result.cpp", "ErrorKind"),
    "verdict.outcome": ("profiling/points/measurement.cpp", "Outcome"),
    "buffer.type": ("scenes/base/array.cpp", "ElementType"),
    "picked.reason": ("scenes/choice/picked_row.cpp", "PickReason"),
    "site.space": ("profiling/access/access.cpp", "Space"),
    "site.kind": ("profiling/access/access.cpp", "AccessKind"),
    "fault.kind": ("profiling/access/trace.cpp", "FaultKind"),
    "wait.kind": ("profiling/access/hang_story.cpp", "WaitKind"),
    "probed_span.kind": ("profiling/warps/warp_timeline.cpp", "SpanKind"),
    "barrier.family": ("profiling/access/barrier_events.cpp", "BarrierFamily"),
}

# Where a name stands in code, as an argument or an index. What is looked up in `parent` is that
# object's member.
NAMES = (
    r'\{"(\w+)",',                                   # {"name", value}
    r'\b(?!parent\b)\w+\["(?!type")(\w+)"\]',        # object["name"] = …; all messages have a type
    r'\b\w+\(\s*\*?(?!parent\b)\w+, "(\w+)"',        # read(object, "name", …)
    r'\b\w+<[\w:]+>\(\s*\w+, "(\w+)"',               # decode_list<Row>(object, "name", …)
    r'\b(?!parent\b)\w+(?:\.|->)(?:find|value|contains|at)\("(\w+)"',
    r'\bfield(?:\.rare)?\("(\w+)"',                   # field("name", &Row::member)
    r'std::pair[({]"(\w+)"',                         # for (… : {std::pair("name", &member)})
)
FUNCTION = re.compile(r"^(  |)(?=\S)(?!namespace|struct|class|if|for|while|switch|else)"
                      r"((?:[\w:<>,&*~ ]|\n +)*?[\w)]\([^{};]*\)(?: const)?) \{", re.M)


def functions(text):
    """(signature, body) of the functions of a file."""
    for head in FUNCTION.finditer(text):
        line = text[head.end():text.find("\n", head.end())]
        end = None if line.endswith("}") else text.find(f"\n{head[1]}}}", head.end())
        yield head[2], line if end is None else text[head.end():end]


def objects_of(signature):
    """The objects that its function codes, or none where it is of no message."""
    words = re.findall(r"\w+", signature)
    known = [w for w in words if w in OBJECTS]
    named = [w for w in known if w.islower()]
    return OBJECTS[(named or known)[0]].split() if known else []


def names_in(body, simdjson):
    patterns = NAMES + ((r'\bname [!=]= "(\w+)"',) if simdjson else ())
    return {name for pattern in patterns for name in re.findall(pattern, body)}


def coded_fields(files):
    """{object: names} that one of its functions codes, and [(where, objects, names)]."""
    rows = []
    for path, text in files.items():
        text = re.sub(r"//.*", "", text)
        if "Result<Message> decode_message" in text:
            for kind, body in re.findall(r'if \(type == "(\w+)"\)(.*?)(?=if \(type ==|\n\})', text, re.S):
                rows.append((path, [kind, "error"], names_in(body, False)))
            text = re.sub(r"Result<Message> decode_message.*?\n\}", "", text, flags=re.S)
        for signature, body in functions(text):
            found, names = objects_of(signature), names_in(body, "simdjson" in text)
            apart = any(header in signature for header in HEADERS)
            rows += [(path, some, names) for some in ([[o] for o in found] if apart else [found]) if some]
        for owner, names in re.findall(r"constexpr (\w+) k\w+\[\] = \{(.*?)\};", text, re.S):
            for name, kind in re.findall(r'\{"(\w+)",\s*&(\w+)::', names):
                rows.append((path, OBJECTS[kind].split(), {name}))
    return rows


class Field:
    def __init__(self, cells):
        self.name, self.type, self.unit, self.missing, self.meaning = cells
        self.words = set(re.findall(r"`([^`]*)`", self.meaning))


def tables_of(page):
    """({object: {name: Field}}, the names of the messages)."""
    objects, messages, part, name = {}, set(), "", ""
    for line in page.splitlines():
        if line.startswith("## "):
            part, name = line[3:].strip(), ""
        elif line.startswith("### "):
            name = line[4:].strip()
            objects[name] = {}
            if part == "Messages":
                messages.add(name)
        elif name and line.startswith("| ") and not line.startswith(("| field |", "| --- ")):
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            if len(cells) == 5:
                objects[name][cells[0]] = Field(cells)
    return {k: v for k, v in objects.items() if v}, messages


def added_fields(page):
    """"object.field" of the table of what earlier sessions lack; "message.*" of whole messages."""
    found = set()
    for line in page.splitlines():
        if re.match(r"\| \d{4}-\d\d-\d\d \|", line):
            found |= set(re.findall(r"`(\w+\.\w+)`", line))
    return found


def compared_with_code(objects, rows, line_figures):
    found = []
    coded = {}
    for path, names, fields in rows:
        known = set().union(*(objects.get(n, {}) for n in names))
        found += [f"{PAGE}: {' or '.join(names)} lacks the field {f} of {path}"
                  for f in sorted(fields - known)]
        for name in names:
            coded.setdefault(name, set()).update(fields)
    coded["line_figures"] = line_figures
    found += [f"{PAGE}: line_figures lacks {f}" for f in sorted(line_figures - set(objects.get("line_figures", {})))]
    for name, fields in objects.items():
        found += [f"{PAGE}: {name} has a row {f}, which no code writes or reads"
                  for f in sorted(set(fields) - coded.get(name, set()))]
    return found


def compared_with_words(objects, words):
    """`words`: {"object.field": the words that code has}."""
    found = []
    for place, coded in words.items():
        name, field = place.split(".")
        row = objects.get(name, {}).get(field)
        found += [f"{PAGE}: {place} lacks the word {w}" for w in coded if row and w not in row.words]
        found += [f"{PAGE}: {place} has the word {w}, which no code has"
                  for w in sorted(row.words if row else ()) if w not in coded]
    return found


def compared_with_types(messages, files):
    coded = {kind for text in files.values() if "decode_message" in text
             for kind in re.findall(r'\btype == "(\w+)"', text)}
    return ([f"{PAGE}: there is no table of the message {kind}" for kind in sorted(coded - messages)] +
            [f"{PAGE}: {kind} is no message" for kind in sorted(messages - coded)])


def words_of(text, enumeration):
    """The words that named() gives an enumeration in a text."""
    found = re.search(rf"\w+\({enumeration} \w+\) {{[^}}]*?\bnamed\(\s*\w+,\s*{{([^}}]*)}}", text)
    return re.findall(r'"([^"]*)"', found[1]) if found else []


class Walk:
    """What is wrong in values, by the tables."""
    PLAIN = {"integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
             "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
             "text": lambda v: isinstance(v, str), "word": lambda v: isinstance(v, str),
             "bool": lambda v: isinstance(v, bool), "row": lambda v: isinstance(v, (list, int)),
             "hex": lambda v: isinstance(v, str) and re.fullmatch(r"([0-9a-f]{2})*", v),
             "position": lambda v: isinstance(v, list) and [type(x) for x in v] == [str, int, int],
             "dim": lambda v: isinstance(v, list) and [type(x) for x in v] == [int, int, int],
             "value": lambda v: isinstance(v, (int, float, str)) and not isinstance(v, bool)}

    def __init__(self, objects, optional):
        self.objects, self.optional, self.found = objects, optional, {}

    def note(self, where, what):
        self.found.setdefault(what, where)

    def line(self, where, message, messages):
        kind = message.get("type") if isinstance(message, dict) else None
        if kind == "seal" and set(message) == {"type", "lines", "hash"}:
            return None  # not a message: the section Seals describes it
        if kind not in messages or kind not in self.objects:
            return self.note(where, f"there is no message {kind}")
        self.object(where, kind, {k: v for k, v in message.items() if k != "type"})

    def object(self, where, name, value):
        fields = self.objects[name]
        if not isinstance(value, dict):
            return self.note(where, f"{name} is an object")
        for key, member in value.items():
            if key not in fields:
                self.note(where, f"{name} lacks the field {key}")
            elif member is not None:
                self.value(where, f"{name}.{key}", fields[key], fields[key].type, member)
        for key, field in fields.items():
            if field.missing == "always" and key not in value and f"{name}.{key}" not in self.optional:
                self.note(where, f"{name}.{key} is said to be there always")

    def value(self, where, name, field, kind, value):
        if link := re.fullmatch(r"\[(\w+)\]\(#(\w+)\)", kind):
            if link[1] != link[2] or link[1] not in self.objects:
                return self.note(where, f"{name} links to {kind}, which has no table")
            return self.object(where, link[1], value)
        for prefix, collection, members in (("list of ", list, list), ("map of ", dict, dict.values)):
            if kind.startswith(prefix):
                if not isinstance(value, collection):
                    return self.note(where, f"{name} is a {kind}")
                for member in members(value):
                    self.value(where, name, field, kind[len(prefix):], member)
                return None
        if kind not in self.PLAIN:
            return self.note(where, f"{name}: there is no type {kind}")
        if not self.PLAIN[kind](value):
            self.note(where, f"{name} is no {kind}: {str(value)[:40]}")
        elif kind == "word" and value not in field.words:
            self.note(where, f"{name} lacks the word {value}")
        return None


def links_without_table(objects):
    return [f"{PAGE}: {name}.{f.name} links to what has no table"
            for name, fields in objects.items() for f in fields.values()
            for link in re.findall(r"\(#(\w+)\)", f.type) if link not in objects]


def recorded_lines(root):
    for pattern in RECORDED:
        for path in sorted(pathlib.Path(root).glob(pattern)):
            name = path.relative_to(root).as_posix()
            raw = gzip.open(path) if path.suffix == ".gz" else open(path, "rb")
            with io.TextIOWrapper(raw, encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        yield f"{name}:{number}", json.loads(line)


def examples(page):
    return [json.loads(text) for text in re.findall(r"^```json\n(.*?)\n```$", page, re.M | re.S)]


def findings_in(page, files, line_figures, lines=(), words=None):
    objects, messages = tables_of(page)
    found = compared_with_code(objects, coded_fields(files), line_figures)
    found += compared_with_types(messages, files) + compared_with_words(objects, words or {})
    found += links_without_table(objects)
    walk = Walk(objects, added_fields(page))
    shown = examples(page)
    for message in shown:
        walk.line("an example", message, messages)
    found += [f"{PAGE}: no example of the message {name}"
              for name in sorted(messages - {m.get("type") for m in shown})]
    for where, message in lines:
        walk.line(where, message, messages)
    return found + [f"{PAGE}: {what} ({where})" for what, where in walk.found.items()]


PROOF_PAGE = """## Messages
### done
```json
{"type": "done", "job": 7, "status": "failed", "error": {"kind": "input"}}
```
| field | type | unit | if missing | meaning |
| --- | --- | --- | --- | --- |
| job | integer | | always | |
| status | word | | always | `finished` or `failed` |
| error | [error](#error) | | no value | |
## Parts
### error
| field | type | unit | if missing | meaning |
| --- | --- | --- | --- | --- |
| kind | word | | always | `input` |
"""
PROOF_CODE = """
json encode(const Error& error) {
  json object = {{"kind", to_text(error.kind)}};
  return object;
}
struct Encoder {
  void operator()(const Done& m) {
    object = {{"job", m.job}, {"status", status_name(m.status)}};
    if (m.error) object["error"] = encode(*m.error);
  }
};
Result<Message> decode_message(const json& object, const std::string& type) {
  if (type == "done") {
    m.job = object.value("job", std::int64_t{0});
  }
}
"""


def prove_the_rules():
    def found(page=PROOF_PAGE, code=PROOF_CODE, lines=()):
        return findings_in(page, {"a.cpp": code}, set(), lines)

    def line(**fields):
        return [("run.wsj:1", {"type": "done", "job": 1, "status": "finished"} | fields)]

    assert not found(), found()
    assert not found(lines=line()), found(lines=line())
    assert found(code=PROOF_CODE.replace('{"job", m.job}', '{"job", m.job}, {"late", m.late}'))
    assert found(code=PROOF_CODE + 'void decode(const json& o, Error& e) {\n  read(o, "late", e.late);\n}\n')
    assert found(code=PROOF_CODE.replace('object["error"] =', "error ="))
    assert found(PROOF_PAGE.replace("| job |", "| work |"))
    assert found(PROOF_PAGE + "| remedy | text | | empty | |\n")
    assert found(PROOF_PAGE.replace("(#error)", "(#errors)"))
    assert found(PROOF_PAGE.replace("```json", "```"))
    assert found(PROOF_PAGE.replace('"job": 7', '"job": "7"'))
    assert found(code=PROOF_CODE.replace('== "done"', '== "end"'))
    page, words = PROOF_PAGE, {"done.status": ["finished", "failed"]}
    assert not findings_in(page, {"a.cpp": PROOF_CODE}, set(), (), words)
    for coded in (["finished"], ["finished", "failed", "late"]):
        assert findings_in(page, {"a.cpp": PROOF_CODE}, set(), (), {"done.status": coded})
    assert words_of('const char* to_text(K k) {\n  return named(k, {"a b", "c"});', "K") == ["a b", "c"]
    for wrong in (line(status="lost"), line(job=0.5), line(late=1), line(error=3),
                  line(error={"kind": "input", "more": 1}), line(error={}), line(type="dome")):
        assert found(lines=wrong), f"no rule saw {wrong}"


def main():
    prove_the_rules()
    root = sys.argv[1]
    files = {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8")
             for pattern in SOURCES for p in sorted(pathlib.Path(root).glob(pattern))}
    figures = set(re.findall(LINE_FIGURES[1], tracked.text(root, LINE_FIGURES[0])))
    words = {place: words_of(tracked.text(root, path), name) for place, (path, name) in WORDS.items()}
    found = [f"{WORDS[place][0]}: no words of {WORDS[place][1]}" for place in words if not words[place]]
    return tracked.report(found + findings_in(tracked.text(root, PAGE), files, figures,
                                              recorded_lines(root), words))


if __name__ == "__main__":
    sys.exit(main())
