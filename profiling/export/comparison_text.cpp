// profiling/export/comparison_text.cpp: rules and changes of a comparison in words, JSON and JUnit
// XML.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "profiling/export/json_rows.h"
#include "profiling/export/session_comparison.h"
#include "profiling/figures/inert_text.h"
#include "scenes/base/plural.h"
#include "scenes/catalogue.h"
#include "scenes/host/enumerators.h"
#include "scenes/host/nearest.h"

namespace warpscope {
namespace {

using nlohmann::json;

json encode(const PointChange& change) {
  json object = {{"change", to_text(change.change)},
                 {"sentence", change.sentence},
                 {"finding", change.finding}};
  if (change.waived) object["allowed"] = true;
  if (change.cache) object["cache"] = to_text(*change.cache);
  if (change.obstacle) object["obstacle"] = to_text(*change.obstacle);
  if (change.before_ns) object["before_ns"] = *change.before_ns;
  if (change.after_ns) object["after_ns"] = *change.after_ns;
  if (change.more_ratio) object["more_ratio"] = *change.more_ratio;
  return object;
}

json encode(const ComparedPoint& point) {
  json axes = json::object(), changes = json::array();
  for (const auto& [name, value] : point.axes.values())
    std::visit([&axes, &name = name](const auto& v) { axes[name] = v; }, value);
  for (const PointChange& change : point.changes) changes.push_back(encode(change));
  return {{"scene", point.scene},
          {"variant", point.variant},
          {"league", point.league},
          {"key", point.key},
          {"axes", axes},
          {"device", {{"name", point.device.name}, {"uuid", point.device.uuid}}},
          {"source_changed", point.source_changed},
          {"finding", point.finding()},
          {"changes", changes}};
}

// "warm: 118.8 µs to 122.4 µs: +3.0 %, 1.03× slower"
std::string line_of(const PointChange& change) {
  return std::string(to_text(change.change)) + ": " +
         (change.cache ? std::string(to_text(*change.cache)) + " " : "") + change.sentence;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + markup_text(value) + "\"";
}

}  // namespace

const char* to_text(Change change) {
  return named(change, {"wrong", "missing", "incomparable", "slower", "tolerated", "ambiguous",
                        "same", "faster", "mended", "still failing", "new"});
}

std::string ComparedPoint::name() const {
  std::string place = key;
  if (place.empty()) {
    for (const auto& [axis, value] : axes.values())
      place += (place.empty() ? "" : ",") + axis + "=" + warpscope::to_text(value);
  }
  return scene + "/" + variant + (place.empty() ? "" : " at " + place) + " on " +
         warpscope::to_text(device);
}

Result<void> allow(ComparisonRules& rules, std::string_view words) {
  constexpr Change kChanges[] = {Change::missing, Change::incomparable, Change::slower};
  constexpr Obstacle kObstacles[] = {Obstacle::device, Obstacle::clocks, Obstacle::toolkit,
                                     Obstacle::cache, Obstacle::time};
  while (!words.empty()) {
    const std::size_t comma = words.find(',');
    const std::string word(words.substr(0, comma));
    words.remove_prefix(comma == std::string_view::npos ? words.size() : comma + 1);
    std::vector<std::string> names;
    bool known = false;
    for (const Change change : kChanges) {
      names.emplace_back(to_text(change));
      if (word == names.back()) known = rules.allowed.insert(change).second || true;
    }
    for (const Obstacle obstacle : kObstacles) {
      names.emplace_back(to_text(obstacle));
      if (word == names.back()) known = rules.allowed_obstacles.insert(obstacle).second || true;
    }
    if (word == to_text(Change::wrong))
      return failure(ErrorKind::usage, "a wrong output cannot be allowed", "--allow " + word,
                     "leave its variant out of the sessions, or name others with --only");
    if (!known)
      return failure(ErrorKind::usage, "there is nothing of this name to allow", "--allow " + word,
                     suggest(word, names));
  }
  return {};
}

Result<double> parse_percentage(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  std::string unit(end);
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size()
                                                                 : unit.find_first_not_of(' '));
  if (end == text.c_str() || unit != "%" || !(value >= 0) || !(value <= 1000))
    return failure(ErrorKind::usage, "“" + text + "” is not a percentage from 0 to 1000",
                   "--slower", "write, for example, 3%");
  return value / 100;
}

std::string SessionComparison::summary() const {
  std::string text;
  for (int i = 0; i < kEnumeratorCount<Change>; ++i) {
    const auto found = counts.find(static_cast<Change>(i));
    if (found == counts.end()) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(found->second) + " " +
            to_text(static_cast<Change>(i));
  }
  text = plural(static_cast<int>(points.size()), "point") + ": " + text + "; " +
         plural(findings, "finding");
  if (waived > 0) text += ", " + std::to_string(waived) + " allowed";
  if (sources_changed > 0) text += "; " + plural(sources_changed, "point") + " of another source";
  return text;
}

void write_comparison_json(const SessionComparison& comparison, const ComparisonRules& rules,
                           const TextSink& write) {
  json counts = json::object(), allowed = json::array();
  for (const auto& [change, count] : comparison.counts) counts[to_text(change)] = count;
  for (const Change change : rules.allowed) allowed.push_back(to_text(change));
  for (const Obstacle obstacle : rules.allowed_obstacles) allowed.push_back(to_text(obstacle));
  const json object = {{"status", comparison.status()},
                       {"summary", comparison.summary()},
                       {"nothing_compared", comparison.nothing_compared},
                       {"findings", comparison.findings},
                       {"allowed", comparison.waived},
                       {"compared", comparison.compared},
                       {"sources_changed", comparison.sources_changed},
                       {"counts", counts},
                       {"rules",
                        {{"slower_ratio", rules.slower_ratio},
                         {"cold", rules.cold},
                         {"warm", rules.warm},
                         {"only", rules.only},
                         {"allow", allowed}}},
                       {"notes", comparison.notes},
                       {"points", json::array()}};
  const std::string text = object.dump(2, ' ', false, json::error_handler_t::replace);
  // This is the only empty list that belongs to the object itself.
  const std::string_view place = "\n  \"points\": ";
  const std::size_t at = text.find(place) + place.size();
  write(std::string_view(text).substr(0, at));
  write_rows("  ", comparison.points, std::string_view(text).substr(at + 2), write,
             [](const ComparedPoint& point) { return encode(point); });
  write("\n");
}

// source: the schema that CI servers read, github.com/testmoapp/junitxml
std::string comparison_junit(const SessionComparison& comparison, const std::string& suite) {
  int failures = 0, skipped = 0;
  std::string cases;
  for (const ComparedPoint& point : comparison.points) {
    std::string lines, message, waived;
    for (const PointChange& change : point.changes) {
      const std::string line = line_of(change);
      lines += line + "\n";
      if (change.finding) message += (message.empty() ? "" : "; ") + line;
      if (change.waived) waived += (waived.empty() ? "" : "; ") + line;
    }
    if (point.source_changed) lines += "the source changed\n";
    const std::string name = point.name();
    const std::string of_variant = point.scene + "/" + point.variant + " ";
    cases += "    <testcase" + attribute("classname", point.scene + "." + point.variant) +
             attribute("name", name.substr(std::min(name.size(), of_variant.size()))) + ">\n";
    if (!message.empty()) {
      ++failures;
      cases += "      <failure" + attribute("message", message) + ">" +
               markup_text(name + "\n" + lines) + "</failure>\n";
    } else if (!waived.empty()) {
      ++skipped;
      cases += "      <skipped" + attribute("message", "allowed: " + waived) + "/>\n";
    }
    if (message.empty()) cases += "      <system-out>" + markup_text(lines) + "</system-out>\n";
    cases += "    </testcase>\n";
  }
  std::size_t tests = comparison.points.size();
  if (!comparison.nothing_compared.empty()) {
    ++tests;
    ++failures;
    cases +=
        "    <testcase classname=\"warpscope\" name=\"the sessions as a whole\">\n      <failure" +
        attribute("message", comparison.nothing_compared) + "/>\n    </testcase>\n";
  }
  const std::string counts =
      attribute("tests", std::to_string(tests)) + attribute("failures", std::to_string(failures)) +
      attribute("errors", "0") + attribute("skipped", std::to_string(skipped));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts + ">\n  <testsuite" +
         attribute("name", suite) + counts + ">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace warpscope
