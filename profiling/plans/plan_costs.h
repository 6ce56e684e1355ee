// profiling/plans/plan_costs.h: what points took in recorded sessions, and what they will take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "scenes/host/result.h"

// A session has the date of every point. Between two points of one engine and device lies what the
// later one took: compiling, inputs, checks and counters included. Dates are whole seconds, so a
// single one says little and the mean of a variant's much.
//
//   RecordedCosts costs;
//   costs.read("h200.wsj");
//   if (const auto cost = costs.of("csrmm", "k_tiles", counters)) use(cost->seconds);

namespace warpscope {

struct PointCost {
  double seconds = 0;
  enum class Basis { same, other_counters, other_variants } basis = Basis::same;
};

class RecordedCosts {
 public:
  // Adds those of one session. Breaks of more than two minutes are not counted: nobody measured.
  // error: as read_session.
  Result<void> read(const std::filesystem::path& session);
  // The mean of the variant's points with counters, or without; else the mean of its other points;
  // else of the scene's. No value: no point of the scene was recorded.
  std::optional<PointCost> of(const std::string& scene, const std::string& variant,
                              bool counters) const;
  std::int64_t points() const { return points_; }
  const std::set<std::string>& devices() const { return devices_; }
  // The time limits of the recorded jobs.
  double least_time_limit_s() const { return least_limit_s_; }
  double most_time_limit_s() const { return most_limit_s_; }

 private:
  struct Sum {
    double seconds = 0;
    std::int64_t count = 0;
  };
  std::optional<double> mean(const std::string& scene, const std::string& variant,
                             std::optional<bool> counters) const;
  std::map<std::pair<std::string, std::string>, Sum> sums_[2];  // without and with counters
  std::int64_t points_ = 0;
  std::set<std::string> devices_;
  double least_limit_s_ = 0, most_limit_s_ = 0;
};

// Seconds since 1970 of "2026-03-01T12:34:56Z"; no value: it is not such a date.
std::optional<std::int64_t> seconds_of_date(const std::string& date);

}  // namespace warpscope
