// profiling/plans/plan_file.h: a plan of measurements: a text file with one point per line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// A line has what follows `warpscope measure` for one point, and after “ # ” the time that it is
// expected to take. Whatever distributes work can cut the file: a chunk is a range of lines.
//
//   # Warpscope plan 1
//   # version 0.1.0 (3f2a9c1b20)
//   # date 2026-11-29T16:40:00Z
//   # scene patterns 1f85047b50acc3847702e058f6bbdc61
//   # points 2 8d0fb85e3a3b3f0c
//   # estimate 2 points, about 1.3 s of GPU time
//   patterns/copy stride=1 # 0.65 s
//   patterns/copy stride=2 # 0.65 s

namespace warpscope {

struct PlanPoint {
  std::string words;             // "patterns/copy stride=1 --counters live"
  std::optional<double> cost_s;  // expected; empty: nothing was recorded
};

struct PlanScene {
  std::string words;  // as the person named it: "patterns", "./my_kernel"
  std::string hash;   // of its kernels' texts
};

struct Plan {
  std::string version;  // build_stamp of the program that made it
  std::string date;     // UTC
  std::vector<PlanScene> scenes;
  std::vector<std::string> estimate;  // sentences: how long it takes, and how that is known
  std::vector<PlanPoint> points;
};

// A word of a line: in quotation marks if it has blanks.
std::string quoted_word(const std::string& word);
// A line that is a point, with or without its expected time.
PlanPoint point_of_line(std::string_view line);
std::string to_text(const Plan& plan);
// error: input: it is not a plan, or its points are not those that it was made with.
Result<Plan> parse_plan(std::string_view text, const std::string& name);

// A hash of the scenes and of all points, in order; costs, date and version do not matter.
std::string plan_id(const Plan& plan);

// A chunk of a plan: the points [begin, end).
struct PlanRange {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};
// The number-th of `count` chunks, from 1. Chunks follow each other, together they are the plan,
// and their expected times differ by little. Points without an expected time count as the mean of
// the others.
PlanRange chunk_of(const Plan& plan, std::size_t number, std::size_t count);
// What each point is expected to take for dealing: as chunk_of takes it.
std::vector<double> weights_of(const Plan& plan);

// The place of a point in a plan, as a job has it in its tag: "plan/8d0fb85e3a3b3f0c/17". Points of
// a plan are told apart by it, whichever device measured them.
std::string plan_tag(const std::string& id, std::size_t index);
bool is_plan_tag(std::string_view tag);

// "45 s", "3 min 20 s", "2 h 5 min"; below 10 s with one decimal.
std::string duration_text(double seconds);

}  // namespace warpscope
