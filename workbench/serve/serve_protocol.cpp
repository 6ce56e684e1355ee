// workbench/serve/serve_protocol.cpp: what `warpscope serve` takes and answers: one JSON object a
// line.
#include "workbench/serve/serve_protocol.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "scenes/host/nearest.h"

namespace warpscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using enum FieldType;

constexpr double kMostIterations = 1e9;

constexpr FieldRow kVariant = {"variant", text, true,
                               "SCENE/VARIANT; of a folder its path or name before the slash"};
constexpr FieldRow kAxes = {"axes", object, false,
                            "values by axis, as typed: {\"n\": 128, \"op\": \"NT\"}"};
constexpr FieldRow kPoints = {
    "points", list, true,
    "measurements as sessions have them, each with its verdict; one without a correct output has "
    "no time"};

constexpr FieldRow kListTakes[] = {{"scene", text, false, "one scene or folder; else all"}};
constexpr FieldRow kListGives[] = {
    {"scenes", list, true, "name, title, folder, axes and variants of each"}};
constexpr FieldRow kForkTakes[] = {
    kVariant,
    kAxes,
    {"to", text, false, "the folder to make"},
    {"hypothesis", text, false, "what is expected of the change, for the journal"}};
constexpr FieldRow kForkGives[] = {{"folder", text, true, "where the copy lies"},
                                   {"scene", text, true, "its scene's name from now on"},
                                   {"variant", text, true, "the copy's name"},
                                   {"files", list, true, "the files of the copy, to be edited"}};
constexpr FieldRow kEditTakes[] = {
    {"scene", text, true, "a scene that is a folder"},
    {"file", text, true, "a file in it: a kernel, a header or scene.toml"},
    {"text", text, false, "all of its new text; or"},
    {"lines", list, false,
     "changes by lines of the text as it stands, numbered from 1: {\"from\", \"to\", \"text\"} "
     "puts the text in place of the lines from … to; to = from − 1 puts it before line from"},
    {"hypothesis", text, false,
     "what is expected of the change, in one line: of the iteration that the next verify or "
     "measure of it makes"}};
constexpr FieldRow kEditGives[] = {{"file", text, true, "as it was asked"},
                                   {"hash", text, true, "of the folder as it stands now"},
                                   {"lines", whole, true, "lines that the file has now"}};
constexpr FieldRow kIteration = {
    "iteration", whole, false,
    "the number in the journal of what was judged here, where its text was another one before"};
constexpr FieldRow kVerifyTakes[] = {
    kVariant,
    kAxes,
    {"hard", truth, false, "also at the scene's hard cases, among them fresh inputs"}};
constexpr FieldRow kVerifyGives[] = {
    {"verdicts", list, true, "variant, key, on (emulator or a GPU), outcome, sentence of each"},
    {"right", truth, true, "none of them is a finding"},
    kIteration};
constexpr FieldRow kTraceTakes[] = {kVariant, kAxes};
constexpr FieldRow kTraceGives[] = {
    {"steps", list, true, "of each kernel step: file, entry, metrics and what each line asks for"}};
constexpr FieldRow kMeasureTakes[] = {
    kVariant, kAxes, {"counters", text, false, "none, live, standard, full or ids by comma"}};
constexpr FieldRow kMeasureGives[] = {kPoints, kIteration};
constexpr FieldRow kCompareTakes[] = {
    {"baseline", text, true, "SCENE/VARIANT, measured here before"},
    {"candidate", text, true, "SCENE/VARIANT, measured here before"},
    kAxes};
constexpr FieldRow kCompareGives[] = {
    {"difference", text, true, "faster, slower, same, ambiguous or not comparable"},
    {"sentence", text, true, "the verdict with its numbers, or why there is none"}};
constexpr FieldRow kJournalTakes[] = {{"scene", text, true, "a scene or a folder"}};
constexpr FieldRow kJournalGives[] = {
    {"iterations", list, true,
     "number, parent, variant, hypothesis, diff, what was predicted and measured, verdict, "
     "decision"}};
constexpr FieldRow kNumber = {
    "number", whole, true, "of an iteration, as journal gives it", 1, kMostIterations};
constexpr FieldRow kNoteTakes[] = {{"scene", text, true, "a scene or a folder"},
                                   kNumber,
                                   {"hypothesis", text, false, "in place of what it has"},
                                   {"decision", text, false, "kept, reverted or open"}};
constexpr FieldRow kNoteGives[] = {{"iteration", object, true, "as it is noted now"}};
constexpr FieldRow kGoBackTakes[] = {{"scene", text, true, "a scene that is a folder"}, kNumber};
constexpr FieldRow kGoBackGives[] = {
    {"hash", text, true, "of the folder as it stands now"},
    {"noted", whole, false, "the iteration that keeps what stood there, where none did before"}};
constexpr FieldRow kTuneTakes[] = {
    kVariant,
    {"axes", object, false,
     "values by axis; of the variant's own compile-time and launch axes \"a,b,c\" or \"lo:hi:n\", "
     "else all of their stops and choices"},
    {"points", whole, false, "candidates to try at most", 1, 100000},
    {"seconds", real, false, "to search at most", 0.1, 1e6}};
constexpr FieldRow kTuneGives[] = {
    {"searched", list, true, "the axes"},
    {"tried", whole, true, "candidates measured"},
    {"candidates", whole, true, "that there are"},
    {"skipped", list, true, "reasons of those that break a constraint, each with its axes"},
    {"ended", text, true, "why the search ended"},
    {"points", list, true, "all that was tried, as measure gives them"},
    {"best", object, false, "the fastest, by more than the noise of those before it"}};
constexpr FieldRow kNothing[] = {{"reason", text, false, "for the log; not used"}};
constexpr FieldRow kCancelGives[] = {{"cancelled", truth, true, "something ran or waited"}};
constexpr FieldRow kQuitGives[] = {{"answered", whole, true, "requests, this one too"}};

constexpr ServeRow kRows[] = {
    {"list", "Scenes with their axes and variants.", kListTakes, kListGives},
    {"fork", "Copies a variant into a folder, to be edited.", kForkTakes, kForkGives},
    {"edit", "Writes a file of a folder, whole or by lines; the scene is opened anew.", kEditTakes,
     kEditGives},
    {"verify", "Holds outputs to their reference: emulated always, on the GPU where there is one.",
     kVerifyTakes, kVerifyGives},
    {"trace", "What a kernel asks of memory, emulated, by source line.", kTraceTakes, kTraceGives},
    {"measure", "Times and counts on the GPU, behind the same gate.", kMeasureTakes, kMeasureGives},
    {"compare", "The verdict between the times of two points measured here.", kCompareTakes,
     kCompareGives},
    {"journal", "The iterations of a scene: of this session and of its folder.", kJournalTakes,
     kJournalGives},
    {"note", "Says of an iteration what was expected of it, or what became of it.", kNoteTakes,
     kNoteGives},
    {"go_back", "Writes a folder's text as it stood at an iteration; what stands there is noted.",
     kGoBackTakes, kGoBackGives},
    {"tune", "Searches a variant's own axes on the GPU until nothing faster is likely.", kTuneTakes,
     kTuneGives},
    {"cancel", "Ends what runs and what waits; answered before them.", kNothing, kCancelGives},
    {"quit",
     "Ends the program after its answer: what an engine runs, or waits for one, is cancelled. To "
     "have all of it answered, close standard input instead.",
     kNothing, kQuitGives}};

const char* name_of(FieldType type) {
  constexpr const char* kNames[] = {"string", "integer", "number", "boolean", "object", "array"};
  return kNames[static_cast<std::size_t>(type)];
}

bool is_of(FieldType type, const json& value) {
  switch (type) {
    case text:
      return value.is_string();
    case whole:
      return value.is_number_integer();
    case real:
      return value.is_number();
    case truth:
      return value.is_boolean();
    case object:
      return value.is_object();
    case list:
      return value.is_array();
  }
  return false;
}

// "1 to 100000"
std::string range_text(const FieldRow& row) {
  char text[64];
  std::snprintf(text, sizeof text, "%.15g to %.15g", row.least, row.most);
  return text;
}

// Whether a text has a NUL, at which whoever takes it for a name would cut it.
bool has_nul(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().find('\0') != std::string::npos;
  return value.is_structured() && std::any_of(value.begin(), value.end(), has_nul);
}

ordered_json schema_of(std::span<const FieldRow> rows) {
  ordered_json fields = ordered_json::object(), required = ordered_json::array();
  for (const FieldRow& row : rows) {
    fields[row.name] = {{"type", name_of(row.type)}, {"description", row.sentence}};
    const auto bound = [&row](double value) {
      return row.type == whole ? ordered_json(static_cast<std::int64_t>(value))
                               : ordered_json(value);
    };
    if (row.least > -kUnbounded) fields[row.name]["minimum"] = bound(row.least);
    if (row.most < kUnbounded) fields[row.name]["maximum"] = bound(row.most);
    if (row.required) required.push_back(row.name);
  }
  return {{"type", "object"}, {"properties", fields}, {"required", required}};
}

tl::unexpected<RefusedRequest> refused(const json& id, ErrorKind kind, std::string what,
                                       std::string where, std::string remedy) {
  return tl::unexpected(
      RefusedRequest{id, {kind, std::move(what), std::move(where), std::move(remedy)}});
}

// Bytes that are no UTF-8 become a mark: a line is always JSON.
std::string line_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::span<const ServeRow> serve_rows() { return kRows; }

std::string ServeRequest::text(const char* name) const {
  const auto found = fields.find(name);
  return found != fields.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t ServeRequest::number(const char* name) const {
  const auto found = fields.find(name);
  return found != fields.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

RefusedRequest overlong_request() {
  return {nullptr,
          {ErrorKind::input, "the line is over 16 MiB", "request",
           "send larger texts as changes by lines"}};
}

std::string against_rows(std::span<const FieldRow> rows, const json& object) {
  for (const FieldRow& row : rows) {
    const auto found = object.find(row.name);
    if (found == object.end() || found->is_null()) {
      if (row.required) return std::string("it lacks “") + row.name + "”: " + row.sentence;
    } else if (!is_of(row.type, *found)) {
      return std::string("“") + row.name + "” is no " + name_of(row.type);
    } else if (found->is_number() &&
               !(found->get<double>() >= row.least && found->get<double>() <= row.most)) {
      return std::string("“") + row.name + "” is " + found->dump() + ", and must be from " +
             range_text(row);
    }
  }
  return "";
}

tl::expected<ServeRequest, RefusedRequest> parse_request(std::string_view line) {
  if (line.size() > kMostRequestBytes) return tl::unexpected(overlong_request());
  // Not thrown: a mistake is an answer. Depth is bounded, as the parser's stack is.
  int depth = 0, most = 0;
  for (const char c : line) {
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    most = std::max(most, depth);
  }
  constexpr int kMostDepth =
      500;  // brackets in texts count too, which no kernel has so many of open
  json object = most > kMostDepth ? json(json::value_t::discarded)
                                  : json::parse(line.begin(), line.end(), nullptr, false);
  if (object.is_discarded() || !object.is_object())
    return refused(nullptr, ErrorKind::input, "the line is no JSON object", "request",
                   "send one object a line: {\"id\": 1, \"request\": \"list\"}");
  const json id = object.contains("id") ? object["id"] : json();
  if (!id.is_null() && !id.is_string() && !id.is_number())
    return refused(nullptr, ErrorKind::usage, "the id is neither a number nor a text", "request",
                   "send \"id\": 1");
  std::vector<std::string> names;
  std::string all;
  for (const ServeRow& row : kRows) {
    names.emplace_back(row.name);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  const auto name = object.find("request");
  if (name == object.end() || !name->is_string())
    return refused(id, ErrorKind::usage, "it does not say what is asked for", "request",
                   "send \"request\" with one of " + all);
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const ServeRow& each) {
    return name->get_ref<const std::string&>() == each.name;
  });
  if (row == std::end(kRows)) {
    const auto asked = name->get<std::string>();
    const std::string nearest = nearest_name(asked, names);
    return refused(id, ErrorKind::usage, "there is no request “" + asked + "”", "request",
                   (nearest.empty() ? "" : "did you mean " + nearest + "? ") + "There are " + all);
  }
  if (const std::string why = against_rows(row->takes, object); !why.empty())
    return refused(id, ErrorKind::usage, why, std::string("request ") + row->name,
                   "`warpscope serve --schema` says what it takes");
  for (const FieldRow& field : row->takes) {
    const auto found = object.find(field.name);
    if (found != object.end() && has_nul(*found))
      return refused(id, ErrorKind::usage, std::string("“") + field.name + "” has a NUL in it",
                     std::string("request ") + row->name, "send it without");
  }
  return ServeRequest{id, &*row, std::move(object)};
}

std::string answer_line(const json& id, const json& result) {
  return line_of({{"id", id}, {"version", kServeVersion}, {"ok", true}, {"result", result}});
}

std::string refusal_line(const json& id, const Error& error) {
  return line_of({{"id", id},
                  {"version", kServeVersion},
                  {"ok", false},
                  {"error",
                   {{"kind", to_text(error.kind)},
                    {"what", error.what},
                    {"where", error.where},
                    {"remedy", error.remedy}}}});
}

ordered_json serve_schema() {
  ordered_json takes = ordered_json::array(), gives = ordered_json::array();
  for (const ServeRow& row : kRows) {
    ordered_json request = schema_of(row.takes);
    request["description"] = row.sentence;
    request["properties"]["id"] = {{"type", {"integer", "number", "string", "null"}}};
    request["properties"]["request"] = {{"const", row.name}};
    request["required"].push_back("request");
    takes.push_back(request);
    ordered_json result = schema_of(row.gives);
    result["description"] = std::string("of ") + row.name;
    gives.push_back(result);
  }
  const ordered_json error = {{"type", "object"},
                              {"properties",
                               {{"kind", {{"type", "string"}}},
                                {"what", {{"type", "string"}}},
                                {"where", {{"type", "string"}}},
                                {"remedy", {{"type", "string"}}}}},
                              {"required", {"kind", "what", "where", "remedy"}}};
  const ordered_json answer = {{"type", "object"},
                               {"properties",
                                {{"id", {{"type", {"integer", "number", "string", "null"}}}},
                                 {"version", {{"const", kServeVersion}}},
                                 {"ok", {{"type", "boolean"}}},
                                 {"result", {{"anyOf", gives}}},
                                 {"error", error}}},
                               {"required", {"id", "version", "ok"}},
                               {"oneOf", {{{"required", {"result"}}}, {{"required", {"error"}}}}}};
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "warpscope serve: one JSON object a line"},
          {"version", kServeVersion},
          {"$defs", {{"request", {{"oneOf", takes}}}, {"answer", answer}}},
          {"anyOf", {{{"$ref", "#/$defs/request"}}, {{"$ref", "#/$defs/answer"}}}}};
}

}  // namespace warpscope
