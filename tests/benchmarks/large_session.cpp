// tests/benchmarks/large_session.cpp: a recorded session made as large as one likes.
#include "tests/benchmarks/large_session.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/messages/packed_text.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostRecordedBytes = 1LL << 30;
constexpr std::size_t kMovedAxes = 2;

// A recorded point with its job, and the axes that its repeats move.
struct Repeated {
  json point;
  std::optional<json> job, done;
  std::vector<std::pair<std::string, std::int64_t>> moved;  // and the recorded values
};

// "rows=8192,columns=256" with another value of one axis.
std::string with_value(const std::string& key, const std::string& axis, std::int64_t value) {
  const std::string name = axis + "=";
  std::size_t at = 0;
  while (at != std::string::npos && key.compare(at, name.size(), name) != 0) {
    at = key.find(',', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos) return key;
  const std::size_t begin = at + name.size();
  return key.substr(0, begin) + std::to_string(value) +
         key.substr(std::min(key.find(',', begin), key.size()));
}

std::vector<std::pair<std::string, std::int64_t>> moved_axes(const json& point) {
  std::vector<std::pair<std::string, std::int64_t>> moved;
  const std::string problem = "," + point.value("problem", point.value("key", std::string())) + ",";
  for (const auto& [axis, value] : point.at("axes").items()) {
    const bool whole = value.is_number_integer() && value > 0;
    if (!whole || moved.size() == kMovedAxes) continue;
    if (problem.find("," + axis + "=" + value.dump() + ",") != std::string::npos)
      moved.emplace_back(axis, value.get<std::int64_t>());
  }
  return moved;
}

// The points of a session and the lines that stand once.
struct Recorded {
  std::vector<std::string> others;
  std::vector<Repeated> points;
};

Result<Recorded> read_recorded(const std::filesystem::path& path) {
  Result<TextLines> lines = TextLines::open(path, kMostRecordedBytes);
  if (!lines) return tl::unexpected(lines.error());
  Recorded recorded;
  std::map<std::int64_t, json> jobs, ends;
  while (const std::optional<std::string_view> line = lines->next()) {
    json object = json::parse(*line, nullptr, false);
    if (!object.is_object()) continue;  // a torn line
    const std::string type = object.value("type", "");
    const auto number = object.value("job", std::int64_t{0});
    if (type == "job") {
      jobs.insert_or_assign(number, std::move(object));
    } else if (type == "done") {
      ends.insert_or_assign(number, std::move(object));
    } else if (type == "measurement") {
      std::vector<std::pair<std::string, std::int64_t>> moved = moved_axes(object);
      recorded.points.push_back({std::move(object), {}, {}, std::move(moved)});
    } else if (!type.empty()) {
      recorded.others.emplace_back(*line);
    }
  }
  for (Repeated& repeated : recorded.points) {
    const std::int64_t number = repeated.point.value("job", std::int64_t{0});
    if (const auto job = jobs.find(number); job != jobs.end()) repeated.job = job->second;
    if (const auto done = ends.find(number); done != ends.end()) repeated.done = done->second;
  }
  std::erase_if(recorded.points, [](const Repeated& point) { return point.moved.empty(); });
  if (recorded.points.empty())
    return failure(ErrorKind::input, "no point of it has a whole number among its problem's axes",
                   path.string(), "choose another recorded session");
  return recorded;
}

// Repeat `round` of so many, 0 being the recording: the first axis goes through `side` values, the
// second moves by one when the first has been through them.
void move_axes(Repeated& repeated, std::int64_t round, std::int64_t side) {
  const std::int64_t steps[kMovedAxes] = {round % side, round / side};
  for (std::size_t i = 0; i < repeated.moved.size(); ++i) {
    const auto& [axis, recorded] = repeated.moved[i];
    // One axis alone goes through all values.
    const std::int64_t value = recorded + (repeated.moved.size() == 1 ? round : steps[i]);
    repeated.point["axes"][axis] = value;
    for (const char* name : {"key", "problem"}) {
      if (repeated.point.contains(name))
        repeated.point[name] = with_value(repeated.point[name].get<std::string>(), axis, value);
    }
    if (repeated.job && repeated.job->contains("axes"))
      (*repeated.job)["axes"][axis] = std::to_string(value);
  }
}

}  // namespace

Result<void> write_large_session(const std::filesystem::path& recorded, std::int64_t points,
                                 const std::filesystem::path& to) {
  Result<Recorded> read = read_recorded(recorded);
  if (!read) return tl::unexpected(read.error());
  std::ofstream file(to, std::ios::binary | std::ios::trunc);
  for (const std::string& line : read->others) file << line << '\n';
  const auto each = static_cast<std::int64_t>(read->points.size());
  const std::int64_t rounds = (points + each - 1) / each;
  const auto side = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(rounds)))));
  for (std::int64_t made = 0; made < points; ++made) {
    Repeated& repeated = read->points[static_cast<std::size_t>(made % each)];
    move_axes(repeated, made / each, side);
    for (json* line : {repeated.job ? &*repeated.job : nullptr, &repeated.point,
                       repeated.done ? &*repeated.done : nullptr}) {
      if (line == nullptr) continue;
      (*line)["job"] = made + 1;
      file << line->dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    }
  }
  file.close();
  if (!file)
    return failure(ErrorKind::environment, "the session cannot be written", to.string(),
                   "choose a folder with enough space that you may write to");
  return {};
}

}  // namespace warpscope
