// profiling/plans/plan_costs.cpp: what points took in recorded sessions, and what they will take.
#include "profiling/plans/plan_costs.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <unordered_map>

#include "profiling/messages/packed_text.h"
#include "profiling/points/point.h"
#include "profiling/session/line_reader.h"

namespace warpscope {

std::optional<std::int64_t> seconds_of_date(const std::string& date) {
  std::tm parts{};
  const char* const end = ::strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return static_cast<std::int64_t>(::timegm(&parts));
}

Result<void> RecordedCosts::read(const std::filesystem::path& session) {
  Result<TextLines> lines = TextLines::open(session, std::numeric_limits<std::int64_t>::max());
  if (!lines) return tl::unexpected(lines.error());
  constexpr std::int64_t kLongestBreakS = 120;
  LineReader reader(PointParts::times);
  std::map<std::string, std::int64_t> last;  // date by device
  std::unordered_map<std::int64_t, double> limits;
  std::int64_t messages = 0;
  while (const auto line = lines->next()) {
    if (line->empty()) continue;
    const Result<Message> message = reader.read(*line);
    if (!message) continue;
    ++messages;
    if (const auto* hello = std::get_if<Hello>(&*message); hello && hello->device) {
      const DeviceName device{hello->device->name, hello->device->uuid};
      if (const auto date = seconds_of_date(hello->date)) last[device.id()] = *date;
    }
    if (const auto* job = std::get_if<Job>(&*message)) limits[job->job] = job->time_limit_s;
    const auto* point = std::get_if<Measurement>(&*message);
    if (point == nullptr || point->partial || !on_a_device(*point)) continue;
    const auto date = seconds_of_date(point->conditions.date);
    if (!date) continue;
    const std::string device = device_of(point->conditions).id();
    const auto before = last.find(device);
    const bool follows =
        before != last.end() && *date >= before->second && *date - before->second <= kLongestBreakS;
    if (follows) {
      const bool counters = !point->counters.empty() && point->counters != "none";
      Sum& sum = sums_[counters ? 1 : 0][{point->scene, point->variant}];
      sum.seconds += static_cast<double>(*date - before->second);
      ++sum.count;
      ++points_;
      devices_.insert(point->conditions.device);
      if (const auto limit = limits.find(point->job); limit != limits.end()) {
        least_limit_s_ = points_ == 1 ? limit->second : std::min(least_limit_s_, limit->second);
        most_limit_s_ = std::max(most_limit_s_, limit->second);
      }
    }
    last[device] = *date;
  }
  if (messages == 0)
    return failure(ErrorKind::input, "the file is not a session", session.string(),
                   "choose a .wsj file that Warpscope wrote");
  return {};
}

std::optional<double> RecordedCosts::mean(const std::string& scene, const std::string& variant,
                                          std::optional<bool> counters) const {
  Sum all;
  for (const bool with : {false, true}) {
    if (counters && *counters != with) continue;
    for (const auto& [place, sum] : sums_[with ? 1 : 0]) {
      if (place.first != scene || (!variant.empty() && place.second != variant)) continue;
      all.seconds += sum.seconds;
      all.count += sum.count;
    }
  }
  if (all.count == 0) return std::nullopt;
  return all.seconds / static_cast<double>(all.count);
}

std::optional<PointCost> RecordedCosts::of(const std::string& scene, const std::string& variant,
                                           bool counters) const {
  using Basis = PointCost::Basis;
  if (const auto same = mean(scene, variant, counters)) return PointCost{*same, Basis::same};
  if (const auto other = mean(scene, variant, std::nullopt))
    return PointCost{*other, Basis::other_counters};
  if (const auto others = mean(scene, "", counters))
    return PointCost{*others, Basis::other_variants};
  if (const auto others = mean(scene, "", std::nullopt))
    return PointCost{*others, Basis::other_variants};
  return std::nullopt;
}

}  // namespace warpscope
