// profiling/messages/protocol.cpp: messages as lines and back.
#include "profiling/messages/protocol.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "profiling/messages/json_codec.h"
#include "profiling/messages/json_fields.h"
#include "profiling/text/json_text.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

using nlohmann::json;

const char* kind_name(JobKind kind) {
  return named(kind, {"measure", "roofs", "timeline", "verify", "selftest", "trace", "registers",
                      "outputs", "listing", "train"});
}
const char* status_name(DoneStatus status) {
  return named(status, {"finished", "replaced", "cancelled", "failed"});
}
constexpr int kMaximumDepth = 24;  // messages nest six deep; more is an attack or an accident

// What a line takes in memory while it is parsed, at most: a value has 16 bytes in a list that
// doubles (old and new stand side by side), a list, an object or a text a block of its own.
constexpr std::int64_t kValueBytes = 48, kContainerBytes = 96, kTextBytes = 64;
// A third more than a trace takes with all the instructions that the emulator keeps, each a run of
// its own; with what is made of it the whole stays under 1 GB.
constexpr std::int64_t kMostParsedBytes = 640LL << 20;

json encode_user_launch(const UserLaunch& launch) {
  return {{"entry", launch.entry},         {"launch", encode_launch(launch.launch)},
          {"arguments", launch.arguments}, {"variables", launch.variables},
          {"line", launch.line},           {"feeds", launch.feeds}};
}

json encode_user_output(const UserOutput& output) {
  return {{"buffer", output.buffer},     {"expected_file", output.expected_file},
          {"out_file", output.out_file}, {"relative", output.relative},
          {"absolute", output.absolute}, {"first", output.first},
          {"count", output.count}};
}

json encode_user(const UserKernel& user) {
  json object = {{"path", user.path},
                 {"entry", user.entry},
                 {"launch", encode_launch(user.launch)},
                 {"arguments", user.arguments},
                 {"defines", user.defines}};
  if (!user.options.empty()) object["options"] = user.options;
  if (!user.variables.empty()) object["variables"] = user.variables;
  if (!user.buffers.empty()) object["buffers"] = user.buffers;
  if (!user.launches.empty())
    object["launches"] = encode_list<UserLaunch>(user.launches, encode_user_launch);
  if (!user.outputs.empty())
    object["outputs"] = encode_list<UserOutput>(user.outputs, encode_user_output);
  if (user.guessed) object["guessed"] = true;
  return object;
}

using Texts = std::vector<std::string>;

UserLaunch decode_user_launch(const json& object) {
  UserLaunch launch;
  launch.entry = object.value("entry", "");
  decode_launch(object, launch.launch);
  launch.arguments = object.value("arguments", Texts{});
  launch.variables = object.value("variables", Texts{});
  launch.line = object.value("line", 0);
  launch.feeds = object.value("feeds", false);
  return launch;
}

UserOutput decode_user_output(const json& object) {
  UserOutput output;
  output.buffer = object.value("buffer", "");
  output.expected_file = object.value("expected_file", "");
  output.out_file = object.value("out_file", "");
  output.relative = object.value("relative", 0.0);
  output.absolute = object.value("absolute", 0.0);
  output.first = object.value("first", std::int64_t{0});
  output.count = object.value("count", std::int64_t{0});
  return output;
}

UserKernel decode_user(const json& object) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  UserKernel user;
  user.path = object.value("path", "");
  user.entry = object.value("entry", "");
  decode_launch(object, user.launch);
  user.arguments = object.value("arguments", Texts{});
  user.defines = object.value("defines", Pairs{});
  user.options = object.value("options", Texts{});
  user.variables = object.value("variables", Texts{});
  user.buffers = object.value("buffers", Pairs{});
  decode_list<UserLaunch>(object, "launches", user.launches, decode_user_launch);
  decode_list<UserOutput>(object, "outputs", user.outputs, decode_user_output);
  user.guessed = object.value("guessed", false);
  return user;
}

// The fields of each kind, in both directions. What says nothing is left out of a line.
struct WorkEncoder {
  json& object;
  void operator()(const MeasureJob& work) const {
    object["counters"] = work.counters;
    object["cold_counters"] = work.cold_counters;
    if (!work.time) object["time"] = false;
    if (work.live) object["live"] = true;
  }
  void operator()(const RoofsJob& work) const {
    if (work.fresh) object["fresh"] = true;
  }
  void operator()(const TimelineJob&) const {}
  void operator()(const VerifyJob& work) const {
    if (!work.hard_case.empty()) object["hard_case"] = work.hard_case;
  }
  void operator()(const SelftestJob&) const {}
  void operator()(const TraceJob& work) const {
    object["block"] = work.block;
    object["grid"] = work.grid;
    if (work.sample_instructions > 0) object["sample_instructions"] = work.sample_instructions;
    if (work.warp >= 0) object["warp"] = work.warp;
    if (!work.step.empty()) object["step"] = work.step;
    if (work.live) object["live"] = true;
  }
  void operator()(const RegistersJob& work) const {
    if (!work.architectures.empty()) object["architectures"] = work.architectures;
  }
  void operator()(const OutputsJob& work) const {
    if (!work.other.empty()) object["other"] = work.other;
  }
  void operator()(const ListingJob& work) const {
    if (!work.step.empty()) object["step"] = work.step;
    if (!work.architectures.empty()) object["architectures"] = work.architectures;
  }
  void operator()(const TrainJob& work) const {
    object["training"] = work.training;
    object["checkpoint_s"] = work.checkpoint_s;
    if (work.latents) object["latents"] = true;
    if (work.resume) object["resume"] = encode(*work.resume);
  }
};

struct WorkDecoder {
  const json& object;
  template <typename T>
  void read(const char* name, T& value) const {
    value = object.value(name, value);
  }
  void operator()(MeasureJob& work) const {
    read("counters", work.counters);
    read("cold_counters", work.cold_counters);
    read("time", work.time);
    read("live", work.live);
  }
  void operator()(RoofsJob& work) const { read("fresh", work.fresh); }
  void operator()(TimelineJob&) const {}
  void operator()(VerifyJob& work) const { read("hard_case", work.hard_case); }
  void operator()(SelftestJob&) const {}
  void operator()(TraceJob& work) const {
    read("block", work.block);
    read("warp", work.warp);
    read("grid", work.grid);
    read("sample_instructions", work.sample_instructions);
    read("step", work.step);
    read("live", work.live);
  }
  void operator()(RegistersJob& work) const { read("architectures", work.architectures); }
  void operator()(OutputsJob& work) const { read("other", work.other); }
  void operator()(ListingJob& work) const {
    read("step", work.step);
    read("architectures", work.architectures);
  }
  void operator()(TrainJob& work) const {
    read("training", work.training);
    read("checkpoint_s", work.checkpoint_s);
    read("latents", work.latents);
    if (const auto found = object.find("resume"); found != object.end())
      decode(*found, work.resume.emplace());
  }
};

json encode_job(const Job& j) {
  // Lines of every kind have always had the fields of counters.
  json object = {{"job", j.job},
                 {"kind", kind_name(j.kind())},
                 {"scene", j.scene},
                 {"variant", j.variant},
                 {"axes", j.axes},
                 {"counters", "none"},
                 {"cold_counters", false},
                 {"time_limit_s", j.time_limit_s},
                 {"hang_limit_s", j.hang_limit_s}};
  if (!j.tag.empty()) object["tag"] = j.tag;
  if (j.first) object["first"] = true;
  if (j.user) object["user"] = encode_user(*j.user);
  std::visit(WorkEncoder{object}, j.work);
  if (!j.source_set.empty()) object["source_set"] = j.source_set;
  if (!j.scene_text.empty()) object["scene_text"] = j.scene_text;
  for (const KernelSource& source : j.sources) {
    json text = {{"path", source.path}, {"hash", source.hash}};
    if (!source.text.empty()) text["text"] = source.text;
    object["sources"].push_back(std::move(text));
  }
  return object;
}

Job decode_job(const json& object) {
  Job j;
  j.job = object.value("job", j.job);
  j.tag = object.value("tag", j.tag);
  j.scene = object.value("scene", j.scene);
  j.variant = object.value("variant", j.variant);
  j.axes = object.value("axes", j.axes);
  j.time_limit_s = object.value("time_limit_s", j.time_limit_s);
  j.hang_limit_s = object.value("hang_limit_s", j.hang_limit_s);
  if (const auto found = object.find("user"); found != object.end()) j.user = decode_user(*found);
  j.first = object.value("first", j.first);
  j.work = work_of(enumerator_of(object.value("kind", "measure"), JobKind::measure, kind_name));
  std::visit(WorkDecoder{object}, j.work);
  j.source_set = object.value("source_set", j.source_set);
  j.scene_text = object.value("scene_text", j.scene_text);
  if (const auto found = object.find("sources"); found != object.end()) {
    for (const json& text : *found) {
      j.sources.push_back({text.value("path", ""), text.value("text", ""), text.value("hash", "")});
    }
  }
  return j;
}

struct Encoder {
  json object;
  const char* type = "";
  void operator()(const Hello& m) { object = encode(m), type = "hello"; }
  void operator()(const Measurement& m) { object = encode(m), type = "measurement"; }
  void operator()(const RoofSet& m) { object = encode(m), type = "roofs"; }
  void operator()(const Timeline& m) { object = encode(m), type = "timeline"; }
  void operator()(const Trace& m) { object = encode(m), type = "trace"; }
  void operator()(const Series& m) { object = encode(m), type = "series"; }
  void operator()(const Picture& m) { object = encode(m), type = "picture"; }
  void operator()(const Iteration& m) { object = encode(m), type = "iteration"; }
  void operator()(const Compilation& m) { object = encode(m), type = "compilation"; }
  void operator()(const OutputPair& m) { object = encode(m), type = "output_pair"; }
  void operator()(const HardVerdict& m) { object = encode(m), type = "hard_verdict"; }
  void operator()(const Listing& m) { object = encode(m), type = "listing"; }
  void operator()(const SceneText& m) { object = encode(m), type = "scene"; }
  void operator()(const TrainingState& m) { object = encode(m), type = "training_state"; }
  void operator()(const Latents& m) { object = encode(m), type = "latents"; }
  void operator()(const Job& m) { object = encode_job(m), type = "job"; }
  void operator()(const Cancel& m) { object = {{"job", m.job}}, type = "cancel"; }
  void operator()(const Progress& m) {
    object = {{"job", m.job}, {"done_ratio", m.done_ratio}, {"text", m.text}};
    if (m.silence_s != 0) object["silence_s"] = m.silence_s;
    if (!m.held_by.empty()) object["held_by"] = m.held_by;
    if (m.waited_s != 0) object["waited_s"] = m.waited_s;
    type = "progress";
  }
  void operator()(const LogLine& m) {
    object = {{"level", m.level}, {"text", m.text}};
    if (m.job != 0) object["job"] = m.job;
    type = "log";
  }
  void operator()(const Done& m) {
    object = {{"job", m.job}, {"status", status_name(m.status)}};
    if (m.error) object["error"] = encode(*m.error);
    if (m.restart) object["restart"] = true;
    type = "done";
  }
  void operator()(const Unknown&) {}
};

// Why a line is not parsed at all, or nothing. Found without recursion; strings are passed over.
const char* too_much(std::string_view line) {
  int depth = 0;
  bool in_string = false;
  auto bytes = static_cast<std::int64_t>(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
      bytes += kTextBytes;
    } else if (c == ',') {
      bytes += kValueBytes;
    } else if (c == '{' || c == '[') {
      bytes += kContainerBytes;
      if (++depth > kMaximumDepth) return "the line nests deeper than any message";
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return bytes > kMostParsedBytes ? "the line has more values than any message" : nullptr;
}

template <typename Body>
Body decoded(const json& object) {
  Body body;
  decode(object, body);
  return body;
}

Result<Message> decode_message(const json& object, const std::string& type, std::string_view line) {
  if (type == "hello") return decoded<Hello>(object);
  if (type == "measurement") return decoded<Measurement>(object);
  if (type == "roofs") return decoded<RoofSet>(object);
  if (type == "timeline") return decoded<Timeline>(object);
  if (type == "trace") {
    auto m = decoded<Trace>(object);
    if (const auto wrong = defect(m)) {
      return failure(ErrorKind::input, "the trace cannot be drawn: " + *wrong, "protocol",
                     "it was written by another version or by hand");
    }
    return m;
  }
  if (type == "series") return decoded<Series>(object);
  if (type == "picture") return decoded<Picture>(object);
  if (type == "iteration") return decoded<Iteration>(object);
  if (type == "compilation") return decoded<Compilation>(object);
  if (type == "output_pair") return decoded<OutputPair>(object);
  if (type == "hard_verdict") return decoded<HardVerdict>(object);
  if (type == "listing") return decoded<Listing>(object);
  if (type == "scene") return decoded<SceneText>(object);
  if (type == "training_state") return decoded<TrainingState>(object);
  if (type == "latents") return decoded<Latents>(object);
  if (type == "job") return decode_job(object);
  if (type == "cancel") return Cancel{object.value("job", std::int64_t{0})};
  if (type == "progress") {
    return Progress{object.value("job", std::int64_t{0}),
                    object.value("done_ratio", 0.0),
                    object.value("text", ""),
                    object.value("silence_s", 0.0),
                    object.value("held_by", ""),
                    object.value("waited_s", 0.0)};
  }
  if (type == "log") {
    return LogLine{object.value("level", "info"), object.value("text", ""),
                   object.value("job", std::int64_t{0})};
  }
  if (type == "done") {
    Done m;
    m.job = object.value("job", std::int64_t{0});
    m.status = enumerator_of(object.value("status", "finished"), DoneStatus::failed, status_name);
    m.restart = object.value("restart", false);
    if (const auto error = object.find("error"); error != object.end()) {
      m.error.emplace();
      decode(*error, *m.error);
    }
    return m;
  }
  return Unknown{std::string(line)};
}

static_assert(kEnumeratorCount<JobKind> == std::variant_size_v<JobWork>);

template <std::size_t at = 0>
JobWork work_at(std::size_t index) {
  if constexpr (at + 1 < std::variant_size_v<JobWork>) {
    if (index != at) return work_at<at + 1>(index);
  }
  return JobWork(std::in_place_index<at>);
}

}  // namespace

JobWork work_of(JobKind kind) { return work_at(static_cast<std::size_t>(kind)); }

std::string counters_of(const Job& job) {
  const auto* measure = job.as<MeasureJob>();
  return measure != nullptr ? measure->counters : "none";
}

bool is_live(const Job& job) {
  const auto* measure = job.as<MeasureJob>();
  const auto* trace = job.as<TraceJob>();
  return (measure != nullptr && measure->live) || (trace != nullptr && trace->live);
}

const Capability* find_capability(const Hello& hello, std::string_view name) {
  for (const Capability& capability : hello.capabilities) {
    if (capability.name == name) return &capability;
  }
  return nullptr;
}

Result<std::int64_t> parse_block(const std::string& text, const Launch& launch) {
  std::array<std::int64_t, 3> parts{};
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool good = true;
  while (good && count < parts.size()) {
    const auto [next, status] = std::from_chars(at, end, parts[count]);
    good = status == std::errc() && parts[count] >= 0;
    ++count;
    at = next;
    if (at == end || *at != ',') break;
    ++at;
  }
  good = good && at == end && (end == text.data() || end[-1] != ',');
  const std::int64_t blocks = block_count(launch);
  std::int64_t linear = parts[0];
  if (good && count > 1) {
    const Dim3& grid = launch.grid;
    good = parts[0] < grid.x && parts[1] < grid.y && parts[2] < grid.z;
    if (good) linear = linear_block(launch, {parts[0], parts[1], parts[2]});
  }
  if (!good || linear >= blocks) {
    const Dim3& grid = launch.grid;
    return failure(ErrorKind::usage, "there is no block “" + text + "”", "block",
                   "the grid has " + std::to_string(grid.x) + " × " + std::to_string(grid.y) +
                       " × " + std::to_string(grid.z) + " blocks: write x,y,z or 0 to " +
                       std::to_string(blocks - 1));
  }
  return linear;
}

Result<void> check_warp(int warp, const Launch& launch) {
  const int warps = warps_of(launch);
  if (warp >= -1 && warp < warps) return {};
  return failure(
      ErrorKind::usage, "there is no warp " + std::to_string(warp), "warp",
      "the block has " + std::to_string(warps) + " warps: write 0 to " + std::to_string(warps - 1));
}

std::string to_line(const Message& message) {
  if (const auto* unknown = std::get_if<Unknown>(&message)) return unknown->line;
  Encoder encoder;
  std::visit(encoder, message);
  encoder.object["type"] = encoder.type;
  // Bytes that are not UTF-8 (a compiler's log, a path) are replaced, never thrown over.
  return encoder.object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Message> parse_line(std::string_view line) {
  if (const char* why = too_much(line))
    return failure(ErrorKind::input, why, "protocol", "it was not written by Warpscope");
  try {
    const json object = json::parse(line);
    const auto type = object.is_object() ? object.find("type") : object.end();
    if (!object.is_object() || type == object.end() || !type->is_string()) {
      return failure(ErrorKind::input, "the line is not an object with a type", "protocol",
                     "it was not written by Warpscope");
    }
    return decode_message(object, type->get<std::string>(), line);
  } catch (const json::parse_error& error) {
    return failure(ErrorKind::input, "the line is not JSON from byte " + std::to_string(error.byte),
                   "protocol", "it is torn or was not written by Warpscope");
  } catch (const json::exception& error) {
    return failure(ErrorKind::input, "the message cannot be used: " + words_of(error), "protocol",
                   "it was written by another version or by hand");
  } catch (const std::length_error& error) {
    return failure(ErrorKind::input, error.what(), "protocol", "it was not written by Warpscope");
  }
}

bool begins_message(std::string_view line) {
  if (!line.starts_with('{') || too_much(line) != nullptr) return false;
  try {
    return json::parse(line).is_null();  // never: it begins with a brace
  } catch (const json::parse_error& error) {
    return error.byte > line.size();  // the end came too early, nothing else is wrong
  }
  return false;
}

}  // namespace warpscope
