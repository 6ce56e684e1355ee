// profiling/export/report_tables.h: what a report says of a session, as tables of text.
#pragma once

#include <string>
#include <vector>

#include "profiling/session/session.h"

namespace warpscope {

// The parts of a report, in their order.
enum class ReportPart {
  winners,
  article,
  roofs,
  variants,
  sweeps,
  lines,
  emulated,
  journals,
  steps,
  timelines,
  agreement
};
inline constexpr int kReportParts = static_cast<int>(ReportPart::agreement) + 1;
const char* to_text(ReportPart part);  // "Variants": its heading

struct ReportTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // none: the note alone is shown
  std::string note = {};  // a paragraph between the title and the rows; empty: none
  ReportPart part = ReportPart::variants;
};

// A list that can be as long as the session has points is cut in a report, which says so.
inline constexpr std::size_t kMostShown = 200;
// "The first 200 of 14 286 configurations are shown; …"; empty: there are no more than that.
std::string selection_note(std::size_t all, const std::string& what);

// Above the column that says whether a statement of an article holds.
inline constexpr const char* kCardVerdict = "verdict";

// What the articles said and their tables, roofs, ladders, sweeps, journals, layers, what ran in
// timelines, and figures that do not agree, in this order.
std::vector<ReportTable> report_tables(const Session& session);

}  // namespace warpscope
