// profiling/plans/plan_file.cpp: a plan of measurements: a text file with one point per line.
#include "profiling/plans/plan_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "scenes/base/plural.h"
#include "scenes/base/source.h"

namespace warpscope {
namespace {

constexpr std::string_view kTitle = "# Warpscope plan 1";
constexpr std::string_view kAnyTitle = "# Warpscope plan ";
constexpr std::string_view kCost = " # ";
constexpr std::size_t kHashDigits = 16;
constexpr std::string_view kTagBegin = "plan/";

std::string points_hash(const Plan& plan) {
  std::string all;
  for (const PlanPoint& point : plan.points) all += point.words + "\n";
  return hash_of(all).substr(0, kHashDigits);
}

// "0.65" of "0.65 s".
std::optional<double> cost_in(std::string_view text) {
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = std::string_view(end, text.data() + text.size() - end) == " s";
  if (wrong != std::errc() || !whole || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

tl::unexpected<Error> no_plan(const std::string& name, std::string what, std::string remedy) {
  return failure(ErrorKind::input, std::move(what), name, std::move(remedy));
}

// The words after "# key ", where the line begins so.
std::optional<std::string_view> after(std::string_view line, std::string_view key) {
  const std::string begin = "# " + std::string(key) + " ";
  if (!line.starts_with(begin)) return std::nullopt;
  return line.substr(begin.size());
}

void take_header(std::string_view line, Plan& plan, std::string& points) {
  if (const auto version = after(line, "version")) plan.version = *version;
  if (const auto date = after(line, "date")) plan.date = *date;
  if (const auto sentence = after(line, "estimate")) plan.estimate.emplace_back(*sentence);
  if (const auto counted = after(line, "points")) points = *counted;
  if (const auto scene = after(line, "scene")) {
    const std::size_t blank = scene->rfind(' ');  // a path may have blanks
    if (blank != std::string_view::npos)
      plan.scenes.push_back(
          {std::string(scene->substr(0, blank)), std::string(scene->substr(blank + 1))});
  }
}

std::string counted_points(const Plan& plan) {
  return std::to_string(plan.points.size()) + " " + points_hash(plan);
}

}  // namespace

std::string quoted_word(const std::string& word) {
  if (word.find_first_of(" \t\"'#") == std::string::npos) return word;
  return (word.find('"') == std::string::npos ? "\"" + word + "\"" : "'" + word + "'");
}

PlanPoint point_of_line(std::string_view line) {
  PlanPoint point;
  const std::size_t cost = line.rfind(kCost);
  if (cost != std::string_view::npos) point.cost_s = cost_in(line.substr(cost + kCost.size()));
  if (point.cost_s) line = line.substr(0, cost);
  const std::size_t last = line.find_last_not_of(" \t\r");
  point.words = line.substr(0, last + 1);
  return point;
}

std::string to_text(const Plan& plan) {
  std::string text = std::string(kTitle) + "\n# version " + plan.version + "\n# date " + plan.date;
  for (const PlanScene& scene : plan.scenes) text += "\n# scene " + scene.words + " " + scene.hash;
  text += "\n# points " + counted_points(plan);
  for (const std::string& sentence : plan.estimate) text += "\n# estimate " + sentence;
  text += "\n";
  for (const PlanPoint& point : plan.points) {
    text += point.words;
    if (point.cost_s) {
      char cost[32];
      std::snprintf(cost, sizeof cost, "%.2f s", *point.cost_s);
      text += std::string(kCost) + cost;
    }
    text += "\n";
  }
  return text;
}

Result<Plan> parse_plan(std::string_view text, const std::string& name) {
  Plan plan;
  std::string points;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (first && line != kTitle) {
      if (line.starts_with(kAnyTitle))
        return no_plan(name, "the plan is of a newer version of Warpscope",
                       "install that version, or make the plan with this one");
      return no_plan(name, "the file is not a plan: it does not begin with “# Warpscope plan 1”",
                     "make one with `warpscope plan`; `measure --plan` takes lines without a head");
    }
    first = false;
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) continue;
    if (line.front() == '#') {
      take_header(line, plan, points);
    } else {
      plan.points.push_back(point_of_line(line.substr(begin)));
    }
  }
  if (plan.points.empty())
    return no_plan(name, first ? "the file is empty" : "the plan has no points",
                   "make it again with `warpscope plan`");
  if (points != counted_points(plan))
    return no_plan(name,
                   "the plan's points are not those that it was made with (it says “" + points +
                       "” and has “" + counted_points(plan) + "”)",
                   "copy or make it again; if you changed it yourself, write “# points " +
                       counted_points(plan) + "”");
  return plan;
}

std::string plan_id(const Plan& plan) {
  std::string all = points_hash(plan);
  for (const PlanScene& scene : plan.scenes) all += "\n" + scene.words + " " + scene.hash;
  return hash_of(all).substr(0, kHashDigits);
}

std::vector<double> weights_of(const Plan& plan) {
  double sum = 0;
  std::size_t known = 0;
  for (const PlanPoint& point : plan.points) {
    sum += point.cost_s.value_or(0);
    known += point.cost_s ? 1 : 0;
  }
  const double mean = known == 0 || sum <= 0 ? 1 : sum / static_cast<double>(known);
  std::vector<double> weights;
  weights.reserve(plan.points.size());
  for (const PlanPoint& point : plan.points) weights.push_back(point.cost_s.value_or(mean));
  return weights;
}

PlanRange chunk_of(const Plan& plan, std::size_t number, std::size_t count) {
  const std::vector<double> weights = weights_of(plan);
  double all = 0;
  for (const double weight : weights) all += weight;
  // A point belongs to the chunk that the middle of its time falls into.
  PlanRange range{weights.size(), weights.size()};
  double before = 0;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    const double middle = before + weights[at] / 2;
    const double share = all > 0 ? middle / all : 0;
    const auto chunk =
        std::min(static_cast<std::size_t>(share * static_cast<double>(count)), count - 1);
    if (chunk + 1 >= number) range.begin = std::min(range.begin, at);
    if (chunk + 1 > number) {
      range.end = at;
      break;
    }
    before += weights[at];
  }
  return range;
}

std::string plan_tag(const std::string& id, std::size_t index) {
  return std::string(kTagBegin) + id + "/" + std::to_string(index + 1);
}

bool is_plan_tag(std::string_view tag) { return tag.starts_with(kTagBegin); }

std::string duration_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kPrecise = 10;
  if (seconds < kPrecise) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", seconds);
    return text;
  }
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 2 * kMinute) return std::to_string(whole) + " s";
  const bool hours = whole >= 2 * kHour;
  const std::int64_t unit = hours ? 3600 : 60;
  const std::int64_t rest = (whole % unit) / (hours ? 60 : 1);
  return std::to_string(whole / unit) + (hours ? " h" : " min") +
         (rest == 0 ? "" : " " + std::to_string(rest) + (hours ? " min" : " s"));
}

}  // namespace warpscope
