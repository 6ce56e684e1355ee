// profiling/grading/grade_export.cpp: a grade for a person, for scripts, for Gradescope and as a
// page.
#include "profiling/grading/grade_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/figures/inert_text.h"

namespace warpscope {
namespace {

using nlohmann::json;

// "2.5": points are as they stand in the exercise.
std::string points_text(double points) { return fmt::format("{:g}", points); }

std::string of_text(double points, double of) {
  return points_text(points) + " of " + points_text(of) + " points";
}

// Characters of a UTF-8 text.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    constexpr unsigned kMask = 0xc0, kFollows = 0x80;
    return (static_cast<unsigned char>(c) & kMask) != kFollows;
  }));
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(std::max(width, width_of(text)) - width_of(text), ' ');
}

std::string place_of(const GoalResult& result) {
  if (result.position.line == 0) return "";
  return result.position.file + ":" + std::to_string(result.position.line);
}

std::string verdict_text(const Grade& grade) {
  std::string text =
      grade.kernel + ": " + to_text(grade.verdict) + ", " + of_text(grade.points, grade.of);
  return text;
}

// Lines after the first are indented, too.
std::string indented(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    text.insert(at + 1, "    ");
  return "    " + text + "\n";
}

// What stands below a goal that is missed.
std::vector<std::string> notes_of(const GoalResult& result) {
  std::vector<std::string> notes;
  const std::string place = place_of(result);
  if (!place.empty())
    notes.push_back(place + (result.line_text.empty() ? "" : "  " + result.line_text));
  if (!result.reason.empty()) notes.push_back(result.reason);
  if (result.outcome == GoalOutcome::missed && !result.goal.why.empty())
    notes.push_back(result.goal.why);
  return notes;
}

std::string dumped(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string grade_text(const Grade& grade) {
  std::size_t goals = 4, found = 5;
  for (const GoalResult& result : grade.results) {
    goals = std::max(goals, width_of(result.goal.text));
    found = std::max(found, width_of(result.found));
  }
  const auto row = [&](const std::string& a, const std::string& b, const std::string& c,
                       const std::string& d) {
    return padded(a, 13) + padded(b, goals + 2) + padded(c, found + 2) + d + "\n";
  };
  std::string text = grade.exercise + "\n" + verdict_text(grade) + "\n";
  if (!grade.reason.empty()) text += grade.reason + "\n";
  text += "\n" + row("", "goal", "found", "points");
  for (const GoalResult& result : grade.results) {
    text += row(to_text(result.outcome), result.goal.text, result.found,
                points_text(result.points) + "/" + points_text(result.of));
    for (const std::string& note : notes_of(result)) text += indented(note);
  }
  return text;
}

std::string grade_json(const Grade& grade) {
  json all = {{"type", "grade"},
              {"exercise", grade.exercise},
              {"kernel", grade.kernel},
              {"hash", grade.hash},
              {"verdict", to_text(grade.verdict)},
              {"reason", grade.reason},
              {"points", grade.points},
              {"of", grade.of},
              {"goals", json::array()}};
  for (const GoalResult& result : grade.results) {
    json row = {{"name", result.goal.name},
                {"goal", result.goal.text},
                {"outcome", to_text(result.outcome)},
                {"found", result.found},
                {"points", result.points},
                {"of", result.of},
                {"reason", result.reason}};
    if (result.position.line > 0) {
      row["file"] = result.position.file;
      row["line"] = result.position.line;
      row["text"] = result.line_text;
    }
    all["goals"].push_back(std::move(row));
  }
  return dumped(all);
}

std::string grade_gradescope(const Grade& grade) {
  json tests = json::array();
  for (const GoalResult& result : grade.results) {
    std::string output = "found: " + result.found;
    for (const std::string& note : notes_of(result)) output += "\n" + note;
    const bool passed =
        result.outcome == GoalOutcome::met || result.outcome == GoalOutcome::not_measured;
    tests.push_back({{"name", result.goal.text},
                     {"score", result.points},
                     {"max_score", result.of},
                     {"status", passed ? "passed" : "failed"},
                     {"output", output},
                     {"output_format", "text"},
                     {"visibility", "visible"}});
  }
  return dumped({{"score", grade.points},
                 {"output", grade.exercise + "\n" + verdict_text(grade) +
                                (grade.reason.empty() ? "" : "\n" + grade.reason)},
                 {"output_format", "text"},
                 {"visibility", "visible"},
                 {"stdout_visibility", "hidden"},
                 {"tests", std::move(tests)},
                 {"extra_data", {{"verdict", to_text(grade.verdict)}, {"hash", grade.hash}}}});
}

std::string grade_html(const Grade& grade) {
  std::string page =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>" +
      markup_text(grade.exercise) +
      "</title><style>body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;"
      "padding:0 1rem;color:#1b1f24;background:#fff}table{border-collapse:collapse;width:100%}"
      "th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid #d6dae0;"
      "vertical-align:top}td.n{text-align:right;white-space:nowrap}pre{margin:.2rem 0;"
      "white-space:pre-wrap;font:13px/1.4 ui-monospace,monospace;background:#f3f5f7;"
      "padding:.3rem .5rem}.met{color:#17692f}.missed,.wrong,.refused{color:#a11d21}"
      ".why{color:#57606a}</style>";
  page += "<h1>" + markup_text(grade.exercise) + "</h1><p class=\"" + to_text(grade.verdict) +
          "\"><strong>" + markup_text(verdict_text(grade)) + "</strong></p>";
  if (!grade.reason.empty()) page += "<p>" + markup_text(grade.reason) + "</p>";
  page += "<table><thead><tr><th>goal<th>found<th>verdict<th>points</thead><tbody>";
  for (const GoalResult& result : grade.results) {
    const bool missed = result.outcome == GoalOutcome::missed;
    page += "<tr><td>" + markup_text(result.goal.text);
    const std::string place = place_of(result);
    if (!place.empty()) page += "<pre>" + markup_text(place + "  " + result.line_text) + "</pre>";
    if (!result.reason.empty())
      page += "<div class=\"why\">" + markup_text(result.reason) + "</div>";
    if (missed && !result.goal.why.empty())
      page += "<div class=\"why\">" + markup_text(result.goal.why) + "</div>";
    page += "<td>" + markup_text(result.found) + "<td class=\"" +
            (missed                               ? "missed"
             : result.outcome == GoalOutcome::met ? "met"
                                                  : "why") +
            "\">" + to_text(result.outcome) + "<td class=\"n\">" + points_text(result.points) +
            " / " + points_text(result.of);
  }
  return page + "</tbody></table><p class=\"why\">The file graded has the hash " +
         markup_text(grade.hash) + ".</p></html>\n";
}

}  // namespace warpscope
