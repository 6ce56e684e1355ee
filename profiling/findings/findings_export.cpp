// profiling/findings/findings_export.cpp: findings as JSON and as SARIF.
#include "profiling/findings/findings_export.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "scenes/host/build_stamp.h"

namespace warpscope {
namespace {

using nlohmann::json;

// Names of files and messages may hold bytes that are not UTF-8.
std::string dumped(const json& value, int indent = -1) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

json json_of(const Finding& f) {
  json figure = {{"count", f.count}, {"unit", f.unit}, {"text", f.figure}};
  if (f.all > 0) {
    figure["all"] = f.all;
    figure["share_ratio"] = f.share_ratio();
  }
  json row = {{"kind", rule_of(f.kind).id},
              {"severity", to_text(f.severity)},
              {"file", f.position.file},
              {"line", f.position.line},
              {"what", f.what},
              {"figure", std::move(figure)},
              {"better", f.better}};
  if (f.position.column > 0) row["column"] = f.position.column;
  if (!f.gain.empty()) row["gain"] = f.gain;
  if (f.site >= 0) row["site"] = f.site;
  return row;
}

json json_of(const FindingRule& rule) {
  const bool wrong = rule.kind < FindingKind::not_emulated;
  return {{"id", rule.id},
          {"name", rule.title},
          {"shortDescription", {{"text", rule.title}}},
          {"fullDescription", {{"text", rule.help}}},
          {"help", {{"text", rule.help}}},
          {"defaultConfiguration", {{"level", wrong ? "error" : "warning"}}}};
}

std::string ended(std::string sentence) {
  if (!sentence.empty() && sentence.back() != '.' && sentence.back() != '!') sentence += '.';
  return sentence;
}

std::string message_of(const Finding& f) {
  std::string text = ended(f.what) + " Figure: " + ended(f.figure) + " Better: " + ended(f.better);
  if (!f.gain.empty()) text += " Gain: " + ended(f.gain);
  return text;
}

json result_of(const Finding& f, const std::string& kernel, const FilePlace& place) {
  json physical = {{"artifactLocation", {{"uri", uri_of(place(f.position.file))}}}};
  if (f.position.line > 0) {
    physical["region"] = {{"startLine", f.position.line}};
    if (f.position.column > 0) physical["region"]["startColumn"] = f.position.column;
  }
  json location = {{"physicalLocation", std::move(physical)}};
  if (!kernel.empty())
    location["logicalLocations"] = json::array({{{"fullyQualifiedName", kernel}}});
  json result = {{"ruleId", rule_of(f.kind).id},
                 {"ruleIndex", static_cast<int>(f.kind)},
                 {"level", to_text(f.severity)},
                 {"message", {{"text", message_of(f)}}},
                 {"locations", json::array({std::move(location)})},
                 {"properties", {{"count", f.count}, {"unit", f.unit}}}};
  if (f.all > 0) {
    constexpr double kHighestRank = 100;
    result["rank"] = kHighestRank * f.share_ratio();
    result["properties"]["all"] = f.all;
  }
  return result;
}

}  // namespace

std::string findings_json(const FindingList& list) {
  json rows = json::array();
  for (const Finding& f : list.findings) rows.push_back(json_of(f));
  return dumped(rows);
}

std::string with_findings(std::string trace_line, const FindingList& list) {
  const std::size_t end = trace_line.rfind('}');
  if (end == std::string::npos) return trace_line;
  trace_line.insert(
      end, ",\"findings\":" + findings_json(list) + ",\"findings_scope\":" + dumped(list.scope));
  return trace_line;
}

std::string uri_of(const std::string& path) {
  constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kPlain.find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return path.starts_with('/') ? "file://" + uri : uri;
}

std::string sarif_text(std::span<const SarifLaunch> launches, const FilePlace& place) {
  json rules = json::array(), results = json::array();
  for (const FindingRule& rule : finding_rules()) rules.push_back(json_of(rule));
  for (const SarifLaunch& launch : launches) {
    for (const Finding& f : launch.list.findings)
      results.push_back(result_of(f, launch.kernel, place));
  }
  json driver = {{"name", "Warpscope"}, {"version", build_stamp()}, {"rules", std::move(rules)}};
  json run = {{"tool", {{"driver", std::move(driver)}}},
              {"columnKind", "utf16CodeUnits"},
              {"results", std::move(results)}};
  const json file = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                     {"version", "2.1.0"},
                     {"runs", json::array({std::move(run)})}};
  return dumped(file, 2) + "\n";
}

}  // namespace warpscope
