// profiling/stalls/stall_export.cpp: why warps wait, as text, CSV and JSON.
#include "profiling/stalls/stall_export.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "profiling/figures/csv_text.h"
#include "profiling/stalls/stall_words.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostLines = 10;

std::string offset_text(std::uint32_t row) {
  constexpr std::uint32_t kInstructionBytes = 16;
  char text[16];
  std::snprintf(text, sizeof text, "%04x", row * kInstructionBytes);
  return text;
}

// Six digits at most: "40", "0.00412".
std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string wide(std::string text, std::size_t width) {
  // Words count in characters: a byte that continues one takes no place.
  const auto shown = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
  return text + std::string(width - std::min(width, shown), ' ');
}

const std::string& text_of(const Trace& trace, std::uint32_t row) {
  return trace.machine_code->rows[row].text;
}

json position_json(const SourcePosition& at) { return {{"file", at.file}, {"line", at.line}}; }

}  // namespace

std::string stall_text(const StallReport& report, const Trace& trace) {
  std::string text = report.kernel + (report.step.empty() ? "" : ", step " + report.step) + "\n" +
                     report.basis + "\n\n";
  int number = 0;
  for (const StallFinding& f : report.findings) {
    text += wide(std::to_string(++number) + ".", 4) + f.sentence + "\n";
    if (f.cause != StallCause::launch_tail) {
      text += "    waits: " + offset_text(f.row) + " " + text_of(trace, f.row) + "\n";
      if (f.cause_row != f.row)
        text += "    for:   " + offset_text(f.cause_row) + " " + text_of(trace, f.cause_row) + "\n";
    }
    if (!f.remedy.empty()) text += "    " + f.remedy + "\n";
  }
  if (report.findings.empty()) text += "No line waits in more than 1 % of all samples.\n";
  const char* const of = report.modelled ? "cycles" : "samples";
  text += "\n" + wide(of, 10) + wide("issued", 10) + wide("line", 24) + "most waits\n";
  for (std::size_t k = 0; k < std::min(kMostLines, report.lines.size()); ++k) {
    const StallLine& line = report.lines[k];
    text += wide(percent_words(line.share_ratio), 10) + wide(percent_words(line.issued_ratio), 10) +
            wide(line_words(line.position, trace.source), 24) +
            (line.reason.empty() ? "" : reason_words(line.reason)) + "\n";
  }
  text += "\n" + wide(of, 10) + "reason\n";
  for (const StallReasonShare& reason : report.reasons) {
    if (reason.share_ratio <= 0) continue;
    text += wide(percent_words(reason.share_ratio), 10) +
            (reason.reason == "selected" ? "the warp is issued" : reason_words(reason.reason)) +
            "\n";
  }
  for (const std::string& sentence : report.circumstances)
    text += (&sentence == &report.circumstances.front() ? "\n" : "") + sentence + "\n";
  for (const std::string& sentence : report.assumptions)
    text += (&sentence == &report.assumptions.front() ? "\nThe model assumes:\n" : "") +
            ("- " + sentence) + "\n";
  return text;
}

std::string stall_csv(const std::vector<StallCsvSource>& kernels) {
  std::string text =
      "scene,variant,configuration,step,kernel,origin,offset,file,line,instruction,reason,weight,"
      "unit,not_issued,share,cause,cause_offset,cause_file,cause_line,cause_instruction\n";
  for (const StallCsvSource& k : kernels) {
    for (const StallInstruction& at : k.report.instructions) {
      const bool has_cause = at.reason != "selected" && at.reason != "not_selected";
      text += csv_row({k.scene,
                       k.variant,
                       k.key,
                       k.report.step,
                       k.report.kernel,
                       k.report.modelled ? "modelled" : "measured",
                       std::to_string(at.row * 16),
                       at.line.file,
                       std::to_string(at.line.line),
                       text_of(k.trace, at.row),
                       at.reason,
                       digits(at.weight),
                       k.report.modelled ? "cycles" : "samples",
                       k.report.modelled ? "" : digits(at.not_issued),
                       digits(at.share_ratio),
                       has_cause ? row_of(at.cause).id : "",
                       has_cause ? std::to_string(at.cause_row * 16) : "",
                       has_cause ? at.cause_line.file : "",
                       has_cause ? std::to_string(at.cause_line.line) : "",
                       has_cause ? text_of(k.trace, at.cause_row) : ""});
    }
  }
  return text;
}

std::string stall_json(const StallReport& report, const Trace& trace) {
  json findings = json::array(), lines = json::array(), reasons = json::array(),
       instructions = json::array();
  for (const StallFinding& f : report.findings) {
    json row = {{"share", f.share_ratio},
                {"reason", f.reason},
                {"at", position_json(f.line)},
                {"offset", f.row * 16},
                {"instruction", text_of(trace, f.row)},
                {"cause", row_of(f.cause).id},
                {"cause_at", position_json(f.cause_line)},
                {"cause_offset", f.cause_row * 16},
                {"cause_instruction", text_of(trace, f.cause_row)},
                {"sentence", f.sentence},
                {"remedy", f.remedy}};
    if (!f.access.empty()) row["access"] = f.access;
    if (f.site >= 0) row["site"] = f.site;
    findings.push_back(std::move(row));
  }
  for (const StallLine& line : report.lines)
    lines.push_back({{"at", position_json(line.position)},
                     {"share", line.share_ratio},
                     {"issued", line.issued_ratio},
                     {"reason", line.reason}});
  for (const StallReasonShare& reason : report.reasons)
    reasons.push_back({{"reason", reason.reason}, {"share", reason.share_ratio}});
  for (const StallInstruction& at : report.instructions)
    instructions.push_back({{"offset", at.row * 16},
                            {"at", position_json(at.line)},
                            {"reason", at.reason},
                            {"weight", at.weight},
                            {"share", at.share_ratio}});
  const json object = {{"type", "stalls"},
                       {"scene", trace.scene},
                       {"variant", trace.variant},
                       {"key", trace.key},
                       {"step", report.step},
                       {"kernel", report.kernel},
                       {"origin", report.modelled ? "modelled" : "measured"},
                       {"unit", report.modelled ? "cycles" : "samples"},
                       {"all", report.all},
                       {"basis", report.basis},
                       {"findings", std::move(findings)},
                       {"lines", std::move(lines)},
                       {"reasons", std::move(reasons)},
                       {"instructions", std::move(instructions)},
                       {"circumstances", report.circumstances},
                       {"assumptions", report.assumptions}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace warpscope
