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
                               "SCENE/VARIANT; for a folder, its path or name before the slash"};
constexpr FieldRow kAxes = {"axes", object, false, "values by axis: {\"n\": 128, \"op\": \"NT\"}"};
constexpr FieldRow kPoints = {"points", list, true,
                              "measurements as in a session, each with its verdict; one without a "
                              "correct output has no time"};

constexpr FieldRow kListTakes[] = {{"scene", text, false, "one scene or folder; all by default"}};
constexpr FieldRow kListGives[] = {
    {"scenes", list, true, "name, title, folder, axes and variants of each"}};
constexpr FieldRow kForkTakes[] = {
    kVariant,
    kAxes,
    {"to", text, false, "the folder to make"},
    {"hypothesis", text, false, "what is expected of the change, for the journal"}};
constexpr FieldRow kForkGives[] = {{"folder", text, true, "folder of the copy"},
                                   {"scene", text, true, "name of its scene"},
                                   {"variant", text, true, "the copy's name"},
                                   {"files", list, true, "the files of the copy, to be edited"}};
constexpr FieldRow kEditTakes[] = {
    {"scene", text, true, "a scene that is a folder"},
    {"file", text, true, "a file in it: a kernel, a header or scene.toml"},
    {"text", text, false, "its whole new text; or"},
    {"lines", list, false,
     "changes to lines of the current text, numbered from 1: {\"from\", \"to\", \"text\"} replaces "
     "the lines from … to by the text; to = from − 1 inserts it before line from"},
    {"hypothesis", text, false,
     "what is expected of the change, in one line, for the iteration that the next verify or "
     "measure creates"}};
constexpr FieldRow kEditGives[] = {{"file", text, true, "as requested"},
                                   {"hash", text, true, "of the folder's current text"},
                                   {"lines", whole, true, "number of lines of the file now"}};
constexpr FieldRow kIteration = {"iteration", whole, false,
                                 "the iteration's number in the journal, if the text had changed"};
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
    {"steps", list, true,
     "for each kernel launch: file, entry, metrics and the requests of each line"}};
constexpr FieldRow kMeasureTakes[] = {
    kVariant,
    kAxes,
    {"counters", text, false, "none, live, standard, full or ids, joined by commas"}};
constexpr FieldRow kMeasureGives[] = {kPoints, kIteration};
constexpr FieldRow kStallsTakes[] = {
    kVariant, kAxes, {"modelled", truth, false, "model the waits, even if there is a GPU"}};
constexpr FieldRow kStallsGives[] = {
    {"kernels", list, true,
     "for each kernel launch: findings with sentence, cause, lines and instructions; lines, "
     "reasons and instructions with their shares; origin: measured or modelled"},
    {"why_modelled", text, false, "why the waits are modelled though nobody asked for that"}};
constexpr FieldRow kWarpsTakes[] = {
    kVariant,
    kAxes,
    {"step", text, false, "only this step of the variant"},
    {"all", truth, false, "keep all probes, even if they make the kernel more than 5 % slower"}};
constexpr FieldRow kWarpsGives[] = {
    {"kernels", list, true,
     "for each kernel launch: roles, spans with their shares, slowdown_ratio by probes, places "
     "whose probes were dropped, notes"}};
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
                                   {"hypothesis", text, false, "replaces the present one"},
                                   {"decision", text, false, "kept, reverted or open"}};
constexpr FieldRow kNoteGives[] = {{"iteration", object, true, "as it is in the journal now"}};
constexpr FieldRow kGoBackTakes[] = {{"scene", text, true, "a scene that is a folder"}, kNumber};
constexpr FieldRow kGoBackGives[] = {
    {"hash", text, true, "of the folder's current text"},
    {"noted", whole, false,
     "the iteration that keeps the text before going back, if none did yet"}};
constexpr FieldRow kTuneTakes[] = {
    kVariant,
    {"axes", object, false,
     "values by axis; for the variant's own compile-time and launch axes \"a,b,c\" or \"lo:hi:n\", "
     "by default all of their stops and choices"},
    {"points", whole, false, "most candidates to try", 1, 100000},
    {"seconds", real, false, "most seconds to search", 0.1, 1e6}};
constexpr FieldRow kTuneGives[] = {
    {"searched", list, true, "the axes"},
    {"tried", whole, true, "candidates measured"},
    {"candidates", whole, true, "number of all candidates"},
    {"skipped", list, true, "candidates that violate a constraint: reason and axes of each"},
    {"ended", text, true, "why the search ended"},
    {"points", list, true, "all tried points, as in measure"},
    {"best", object, false, "the fastest, by more than the noise"}};
constexpr FieldRow kNothing[] = {{"reason", text, false, "for the log; not used"}};
constexpr FieldRow kCancelGives[] = {{"cancelled", truth, true, "whether something ran or waited"}};
constexpr FieldRow kQuitGives[] = {
    {"answered", whole, true, "number of requests, including this one"}};

constexpr ServeRow kRows[] = {
    {"list", "Scenes with their axes and variants.", kListTakes, kListGives},
    {"fork", "Copies a variant into a folder, where you can edit it.", kForkTakes, kForkGives},
    {"edit", "Writes a file of a folder, whole or by lines; the scene is opened again.", kEditTakes,
     kEditGives},
    {"verify",
     "Compares outputs with their reference: always emulated, and on the GPU if there is one.",
     kVerifyTakes, kVerifyGives},
    {"trace", "The memory requests of a kernel, emulated, by source line.", kTraceTakes,
     kTraceGives},
    {"measure", "Times and counts on the GPU; outputs are verified first.", kMeasureTakes,
     kMeasureGives},
    {"stalls", "Why warps wait: for which instruction, in which line, and what it costs.",
     kStallsTakes, kStallsGives},
    {"warps", "What the warps of a kernel do over time, recorded by probes on the GPU.",
     kWarpsTakes, kWarpsGives},
    {"compare", "The verdict between the times of two points measured here.", kCompareTakes,
     kCompareGives},
    {"journal", "The iterations of a scene, from this session and from its folder.", kJournalTakes,
     kJournalGives},
    {"note", "Notes what was expected of an iteration, or what became of it.", kNoteTakes,
     kNoteGives},
    {"go_back",
     "Restores a folder's text of an iteration; the present text is kept in the journal.",
     kGoBackTakes, kGoBackGives},
    {"tune", "Searches a variant's own axes on the GPU until nothing faster is likely.", kTuneTakes,
     kTuneGives},
    {"cancel", "Cancels running and waiting requests; it is answered before them.", kNothing,
     kCancelGives},
    {"quit",
     "Ends the program after its answer. The running request is cancelled, and so are the waiting "
     "ones that need an engine. To have everything answered, close standard input instead.",
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

// Whether a text has a NUL, at which it would be cut if it were used as a name.
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

// Bytes that are not UTF-8 become a mark: a line is always JSON.
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
      return std::string("“") + row.name + "” must be of type " + name_of(row.type);
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
  constexpr int kMostDepth = 500;  // brackets in texts count too; no kernel has this many open
  json object = most > kMostDepth ? json(json::value_t::discarded)
                                  : json::parse(line.begin(), line.end(), nullptr, false);
  if (object.is_discarded() || !object.is_object())
    return refused(nullptr, ErrorKind::input, "the line is not a JSON object", "request",
                   "send one object per line: {\"id\": 1, \"request\": \"list\"}");
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
    return refused(id, ErrorKind::usage, "it has no request", "request",
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
          {"title", "warpscope serve: one JSON object per line"},
          {"version", kServeVersion},
          {"$defs", {{"request", {{"oneOf", takes}}}, {"answer", answer}}},
          {"anyOf", {{{"$ref", "#/$defs/request"}}, {{"$ref", "#/$defs/answer"}}}}};
}

}  // namespace warpscope
