// profiling/messages/protocol.cpp: messages as lines and back.
#include "profiling/messages/protocol.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "profiling/messages/json_codec.h"
#include "profiling/messages/json_fields.h"
#include "profiling/text/json_text.h"
#include "profiling/text/quick_json.h"
#include "scenes/host/enumerators.h"

namespace warpscope {

// Looked up where the enumeration stands: in this namespace, not in one without a name.
NLOHMANN_JSON_SERIALIZE_ENUM(ChooseBy, {{ChooseBy::device, "device"},
                                        {ChooseBy::table, "table"},
                                        {ChooseBy::measure, "measure"}})

namespace {

using nlohmann::json;

const char* kind_name(JobKind kind) {
  return named(kind, {"measure", "roofs", "timeline", "verify", "selftest", "trace", "registers",
                      "outputs", "listing", "train", "warps"});
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

NLOHMANN_JSON_SERIALIZE_ENUM(TracedCode, {{TracedCode::ptx, "ptx"},
                                          {TracedCode::machine_code, "machine code"},
                                          {TracedCode::best, "best"}})

// The members of an object, named once for both directions by name_fields. What is rare is left out
// of a line where it is as usual.
template <typename Row>
struct FieldWriter {
  json& object;
  const Row& row;
  template <typename T>
  void operator()(const char* name, T Row::*member) const {
    object[name] = row.*member;
  }
  template <typename T>
  void rare(const char* name, T Row::*member) const {
    if (row.*member != Row{}.*member) object[name] = row.*member;
  }
};

template <typename Row>
struct FieldReader {
  const json& object;
  Row& row;
  template <typename T>
  void operator()(const char* name, T Row::*member) const {
    row.*member = object.value(name, row.*member);
  }
  template <typename T>
  void rare(const char* name, T Row::*member) const {
    (*this)(name, member);
  }
};

void name_fields(const auto& field, const UserLaunch*) {
  field("entry", &UserLaunch::entry);
  field("arguments", &UserLaunch::arguments);
  field("variables", &UserLaunch::variables);
  field("line", &UserLaunch::line);
  field("feeds", &UserLaunch::feeds);
}

void name_fields(const auto& field, const UserOutput*) {
  field("buffer", &UserOutput::buffer);
  field("expected_file", &UserOutput::expected_file);
  field("out_file", &UserOutput::out_file);
  field("relative", &UserOutput::relative);
  field("absolute", &UserOutput::absolute);
  field("first", &UserOutput::first);
  field("count", &UserOutput::count);
}

void name_fields(const auto& field, const UserKernel*) {
  field("path", &UserKernel::path);
  field("entry", &UserKernel::entry);
  field("arguments", &UserKernel::arguments);
  field("defines", &UserKernel::defines);
  field.rare("options", &UserKernel::options);
  field.rare("variables", &UserKernel::variables);
  field.rare("buffers", &UserKernel::buffers);
  field.rare("guessed", &UserKernel::guessed);
  field.rare("guessed_sizes", &UserKernel::guessed_sizes);
  field.rare("guessed_contents", &UserKernel::guessed_contents);
}

void name_fields(const auto& field, const MeasureJob*) {
  field("counters", &MeasureJob::counters);
  field("cold_counters", &MeasureJob::cold_counters);
  field.rare("time", &MeasureJob::time);
  field.rare("live", &MeasureJob::live);
  field.rare("choose", &MeasureJob::choose);
}

void name_fields(const auto& field, const RoofsJob*) { field.rare("fresh", &RoofsJob::fresh); }

void name_fields(const auto&, const TimelineJob*) {}

void name_fields(const auto& field, const VerifyJob*) {
  field.rare("hard_case", &VerifyJob::hard_case);
}

void name_fields(const auto&, const SelftestJob*) {}

void name_fields(const auto& field, const TraceJob*) {
  field("block", &TraceJob::block);
  field("grid", &TraceJob::grid);
  field.rare("warp", &TraceJob::warp);
  field.rare("sample_instructions", &TraceJob::sample_instructions);
  field.rare("step", &TraceJob::step);
  field.rare("live", &TraceJob::live);
  field.rare("code", &TraceJob::code);
  field.rare("live_registers", &TraceJob::live_registers);
  field.rare("dependencies", &TraceJob::dependencies);
  field.rare("threads", &TraceJob::threads);
  field.rare("hashes", &TraceJob::hashes);
}

void name_fields(const auto& field, const RegistersJob*) {
  field.rare("architectures", &RegistersJob::architectures);
}

void name_fields(const auto& field, const OutputsJob*) { field.rare("other", &OutputsJob::other); }

void name_fields(const auto& field, const ListingJob*) {
  field.rare("step", &ListingJob::step);
  field.rare("architectures", &ListingJob::architectures);
}

void name_fields(const auto& field, const TrainJob*) {
  field("training", &TrainJob::training);
  field("checkpoint_s", &TrainJob::checkpoint_s);
  field.rare("latents", &TrainJob::latents);
}

void name_fields(const auto& field, const WarpsJob*) {
  field.rare("step", &WarpsJob::step);
  field.rare("waits", &WarpsJob::waits);
  field.rare("barriers", &WarpsJob::barriers);
  field.rare("loops", &WarpsJob::loops);
  field.rare("lines", &WarpsJob::lines);
  field.rare("all", &WarpsJob::all);
}

void name_fields(const auto& field, const Job*) {
  field("job", &Job::job);
  field("scene", &Job::scene);
  field("variant", &Job::variant);
  field("axes", &Job::axes);
  field("time_limit_s", &Job::time_limit_s);
  field("hang_limit_s", &Job::hang_limit_s);
  field.rare("tag", &Job::tag);
  field.rare("first", &Job::first);
  field.rare("source_set", &Job::source_set);
  field.rare("scene_text", &Job::scene_text);
}

template <typename Row>
void write_fields(json& object, const Row& row) {
  name_fields(FieldWriter<Row>{object, row}, &row);
}
template <typename Row>
void read_fields(const json& object, Row& row) {
  name_fields(FieldReader<Row>{object, row}, &row);
}

json encode_user_launch(const UserLaunch& launch) {
  json object = {{"launch", encode_launch(launch.launch)}};
  write_fields(object, launch);
  return object;
}

UserLaunch decode_user_launch(const json& object) {
  UserLaunch launch;
  decode_launch(object, launch.launch);
  read_fields(object, launch);
  return launch;
}

json encode_user_output(const UserOutput& output) {
  json object;
  write_fields(object, output);
  return object;
}

UserOutput decode_user_output(const json& object) {
  UserOutput output;
  read_fields(object, output);
  return output;
}

json encode_user(const UserKernel& user) {
  json object = {{"launch", encode_launch(user.launch)}};
  write_fields(object, user);
  if (!user.launches.empty())
    object["launches"] = encode_list<UserLaunch>(user.launches, encode_user_launch);
  if (!user.outputs.empty())
    object["outputs"] = encode_list<UserOutput>(user.outputs, encode_user_output);
  return object;
}

UserKernel decode_user(const json& object) {
  UserKernel user;
  decode_launch(object, user.launch);
  read_fields(object, user);
  decode_list<UserLaunch>(object, "launches", user.launches, decode_user_launch);
  decode_list<UserOutput>(object, "outputs", user.outputs, decode_user_output);
  return user;
}

json encode_job(const Job& j) {
  // Lines of every kind have always had the fields of counters.
  json object = {{"kind", kind_name(j.kind())}, {"counters", "none"}, {"cold_counters", false}};
  write_fields(object, j);
  std::visit([&object](const auto& work) { write_fields(object, work); }, j.work);
  const auto* training = j.as<TrainJob>();
  if (training != nullptr && training->resume) object["resume"] = encode(*training->resume);
  if (j.user) object["user"] = encode_user(*j.user);
  for (const KernelSource& source : j.sources) {
    json text = {{"path", source.path}, {"hash", source.hash}};
    if (!source.text.empty()) text["text"] = source.text;
    object["sources"].push_back(std::move(text));
  }
  return object;
}

Job decode_job(const json& object) {
  Job j;
  read_fields(object, j);
  j.work = work_of(enumerator_of(object.value("kind", "measure"), JobKind::measure, kind_name));
  std::visit([&object](auto& work) { read_fields(object, work); }, j.work);
  const auto resume = object.find("resume");
  if (auto* training = j.as<TrainJob>(); training != nullptr && resume != object.end())
    decode(*resume, training->resume.emplace());
  if (const auto found = object.find("user"); found != object.end()) j.user = decode_user(*found);
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
  void operator()(const NamedBaseline& m) { object = encode(m), type = "baseline"; }
  void operator()(const Compilation& m) { object = encode(m), type = "compilation"; }
  void operator()(const OutputPair& m) { object = encode(m), type = "output_pair"; }
  void operator()(const HardVerdict& m) { object = encode(m), type = "hard_verdict"; }
  void operator()(const Listing& m) { object = encode(m), type = "listing"; }
  void operator()(const SceneText& m) { object = encode(m), type = "scene"; }
  void operator()(const TrainingState& m) { object = encode(m), type = "training_state"; }
  void operator()(const Latents& m) { object = encode(m), type = "latents"; }
  void operator()(const WarpTimeline& m) { object = encode(m), type = "warps"; }
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
  if (type == "baseline") return decoded<NamedBaseline>(object);
  if (type == "compilation") return decoded<Compilation>(object);
  if (type == "output_pair") return decoded<OutputPair>(object);
  if (type == "hard_verdict") return decoded<HardVerdict>(object);
  if (type == "listing") return decoded<Listing>(object);
  if (type == "scene") return decoded<SceneText>(object);
  if (type == "training_state") return decoded<TrainingState>(object);
  if (type == "latents") return decoded<Latents>(object);
  if (type == "warps") return decoded<WarpTimeline>(object);
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

std::string shared_size_name(const UserLaunch& launch) {
  return "shared " + launch.entry + " " + std::to_string(launch.line);
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
    std::optional<json> quick = quick_json(line);
    const json object = quick ? std::move(*quick) : json::parse(line);
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
  } catch (const json::exception&) {
    return false;  // a number that no double holds: no message has one
  }
}

}  // namespace warpscope
