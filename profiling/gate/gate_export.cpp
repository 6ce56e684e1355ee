// profiling/gate/gate_export.cpp: a gate's answer for a person, for CI servers and for code review.
#include "profiling/gate/gate_export.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "profiling/figures/inert_text.h"
#include "profiling/figures/metric.h"
#include "profiling/findings/findings_export.h"
#include "scenes/base/plural.h"
#include "scenes/host/build_stamp.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostLines = 6;  // of a difference that are shown

std::string name_of(const GateDifference& d) {
  GateRecord record;
  record.kernel = d.kernel;
  record.step = d.step;
  return name_of(record) + " (sm_" + std::to_string(d.architecture) + ")";
}

std::string_view mark_of(GateChange change) {
  return fails(change)                   ? "FAILED"
         : change == GateChange::better  ? "better"
         : change == GateChange::allowed ? "allowed"
                                         : "note";
}

std::vector<GateLineChange> shown_lines(const GateDifference& d) {
  return {d.lines.begin(),
          d.lines.begin() + static_cast<std::ptrdiff_t>(std::min(d.lines.size(), kMostLines))};
}

std::string rest_text(const GateDifference& d) {
  if (d.lines.size() <= kMostLines) return "";
  return plural(std::ssize(d.lines) - static_cast<std::ptrdiff_t>(kMostLines), "more line");
}

std::string sum_text(const GateComparison& comparison) {
  const auto number = [&](auto which) {
    return std::count_if(comparison.differences.begin(), comparison.differences.end(), which);
  };
  const auto failing = number([](const auto& d) { return fails(d.change); });
  const auto better = number([](const auto& d) { return d.change == GateChange::better; });
  std::string text = plural(std::ssize(comparison.now), "record") +
                     " compared: " + (failing == 0 ? "none is worse" : plural(failing, "failure"));
  if (failing > 0) text += "; if that is wanted, `warpscope ci --update` records it";
  if (better > 0)
    text += ", " + plural(better, "count is better", "counts are better") +
            "; `warpscope ci --update` records that";
  return text;
}

std::string dumped(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json json_of(const GateLineChange& line) {
  json row = {
      {"file", line.file}, {"text", line.text}, {"before", line.before}, {"after", line.after}};
  if (line.line > 0) row["line"] = line.line;
  if (line.instructions) row["of"] = "instructions";
  return row;
}

json json_of(const GateDifference& d) {
  json row = {{"change", to_text(d.change)},
              {"fails", fails(d.change)},
              {"kernel", d.kernel},
              {"step", d.step},
              {"architecture", d.architecture},
              {"sentence", d.sentence},
              {"lines", json::array()}};
  if (!d.count.empty()) {
    row["count"] = d.count;
    row["before"] = d.before;
    row["after"] = d.after;
  }
  for (const GateLineChange& line : d.lines) row["lines"].push_back(json_of(line));
  return row;
}

json json_of(const GateRecord& record) {
  json row = {{"kernel", record.kernel},
              {"step", record.step},
              {"architecture", record.architecture},
              {"counts", record.counts},
              {"outputs", json::object()}};
  for (const auto& [name, output] : record.outputs)
    row["outputs"][name] =
        output.hash.empty() ? json{{"no_hash", output.no_hash}} : json{{"hash", output.hash}};
  return row;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + markup_text(value) + "\"";
}

bool is_of(const GateDifference& d, const GateRecord& record) {
  return d.kernel == record.kernel && d.step == record.step &&
         d.architecture == record.architecture;
}

struct Rule {
  GateChange change;
  const char* id;
  const char* title;
};
constexpr Rule kRules[] = {
    {GateChange::worse, "count-worse", "a count is worse than recorded"},
    {GateChange::outputs, "outputs-differ", "an output has other bits than recorded"},
    {GateChange::vanished, "kernel-vanished", "a recorded kernel is not there any more"},
    {GateChange::added, "kernel-not-recorded", "a kernel is not recorded"},
};

// The lines on which a failing difference is shown: those that got worse and are still there.
std::vector<GateLineChange> marked_lines(const GateDifference& d) {
  std::vector<GateLineChange> lines;
  for (const GateLineChange& line : d.lines) {
    if (line.line > 0 && (line.after > line.before || line.instructions)) lines.push_back(line);
  }
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  return lines;
}

}  // namespace

std::string gate_text(const GateComparison& comparison) {
  std::string text, name;
  for (const GateDifference& d : comparison.differences) {
    if (name != name_of(d)) text += name_of(d) + "\n";
    name = name_of(d);
    text += "  " + std::string(mark_of(d.change)) + "  " + d.sentence + "\n";
    for (const GateLineChange& line : shown_lines(d)) text += "      " + line_text(line) + "\n";
    if (const std::string rest = rest_text(d); !rest.empty()) text += "      " + rest + "\n";
  }
  return text + sum_text(comparison) + "\n";
}

std::string gate_markdown(const GateComparison& comparison) {
  std::string text =
      "### warpscope ci: " + std::string(comparison.fails() ? "worse than recorded" : "passed") +
      "\n\n" + markdown_text(sum_text(comparison)) + "\n";
  if (comparison.differences.empty()) return text;
  text += "\n| | kernel | what | lines |\n| --- | --- | --- | --- |\n";
  for (const GateDifference& d : comparison.differences) {
    text += "| " + std::string(mark_of(d.change)) + " | " + markdown_text(name_of(d)) + " | " +
            markdown_text(d.sentence) + " | ";
    std::string lines;
    for (const GateLineChange& line : shown_lines(d))
      lines += (lines.empty() ? "" : "<br>") + markdown_text(line_text(line));
    if (const std::string rest = rest_text(d); !rest.empty()) lines += "<br>" + rest;
    text += lines + " |\n";
  }
  return text;
}

std::string gate_json(const GateComparison& comparison) {
  json object = {{"fails", comparison.fails()},
                 {"toolkit", comparison.toolkit},
                 {"differences", json::array()},
                 {"records", json::array()}};
  for (const GateDifference& d : comparison.differences)
    object["differences"].push_back(json_of(d));
  for (const GateRecord& record : comparison.now) object["records"].push_back(json_of(record));
  return dumped(object);
}

// source: the schema that CI servers read, github.com/testmoapp/junitxml
std::string gate_junit(const GateComparison& comparison, const std::string& suite) {
  std::vector<GateRecord> cases = comparison.now;
  for (const GateDifference& d : comparison.differences) {
    if (std::any_of(cases.begin(), cases.end(), [&](const auto& r) { return is_of(d, r); }))
      continue;
    GateRecord& gone = cases.emplace_back();
    gone.kernel = d.kernel;
    gone.step = d.step;
    gone.architecture = d.architecture;
  }
  int failures = 0;
  std::string text;
  for (const GateRecord& record : cases) {
    std::string message, all;
    for (const GateDifference& d : comparison.differences) {
      if (!is_of(d, record)) continue;
      if (fails(d.change)) message += (message.empty() ? "" : "; ") + d.sentence;
      all += std::string(mark_of(d.change)) + "  " + d.sentence + "\n";
      for (const GateLineChange& line : shown_lines(d)) all += "  " + line_text(line) + "\n";
    }
    text += "    <testcase" + attribute("classname", "sm_" + std::to_string(record.architecture)) +
            attribute("name", warpscope::name_of(record)) + ">\n";
    failures += message.empty() ? 0 : 1;
    if (!message.empty()) {
      text += "      <failure" + attribute("message", message) + ">" + markup_text(all) +
              "</failure>\n";
    } else if (!all.empty()) {
      text += "      <system-out>" + markup_text(all) + "</system-out>\n";
    }
    text += "    </testcase>\n";
  }
  const std::string counts = attribute("tests", std::to_string(cases.size())) +
                             attribute("failures", std::to_string(failures)) +
                             attribute("errors", "0") + attribute("skipped", "0");
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts + ">\n  <testsuite" +
         attribute("name", suite) + counts + ">\n" + text + "  </testsuite>\n</testsuites>\n";
}

// source: docs.oasis-open.org/sarif/sarif/v2.1.0
std::string gate_sarif(const GateComparison& comparison, const std::string& gate_file,
                       const GatePlace& place) {
  json rules = json::array(), results = json::array();
  for (const Rule& rule : kRules)
    rules.push_back({{"id", rule.id},
                     {"name", rule.title},
                     {"shortDescription", {{"text", rule.title}}},
                     {"defaultConfiguration", {{"level", "error"}}}});
  for (const GateDifference& d : comparison.differences) {
    const auto rule = std::find_if(std::begin(kRules), std::end(kRules),
                                   [&](const Rule& r) { return r.change == d.change; });
    if (rule == std::end(kRules)) continue;
    std::vector<GateLineChange> lines = marked_lines(d);
    if (lines.empty()) lines.emplace_back();
    for (const GateLineChange& line : lines) {
      const std::string file = line.line > 0 ? place(d.kernel, line.file) : gate_file;
      json physical = {{"artifactLocation", {{"uri", uri_of(file)}}},
                       {"region", {{"startLine", std::max(line.line, 1)}}}};
      json location = {{"physicalLocation", std::move(physical)},
                       {"logicalLocations", json::array({{{"fullyQualifiedName", name_of(d)}}})}};
      std::string message = name_of(d) + ": " + d.sentence + ".";
      if (line.line > 0)
        message += (line.instructions ? " Warp instructions of this line: " : " This line: ") +
                   grouped(line.before) + " → " + grouped(line.after) + ".";
      results.push_back({{"ruleId", rule->id},
                         {"ruleIndex", static_cast<int>(rule - std::begin(kRules))},
                         {"level", "error"},
                         {"message", {{"text", message}}},
                         {"locations", json::array({std::move(location)})}});
    }
  }
  json driver = {{"name", "Warpscope"}, {"version", build_stamp()}, {"rules", std::move(rules)}};
  json run = {{"tool", {{"driver", std::move(driver)}}},
              {"columnKind", "utf16CodeUnits"},
              {"results", std::move(results)}};
  return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", json::array({std::move(run)})}});
}

}  // namespace warpscope
