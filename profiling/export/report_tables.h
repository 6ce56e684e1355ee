// profiling/export/report_tables.h: what a report says of a session, as tables of text.
#pragma once

#include <string>
#include <vector>

#include "profiling/session/session.h"

namespace warpscope {

struct ReportTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::string note = {};  // a paragraph between the title and the rows; empty: none
};

// A list that can be as long as the session has points is cut in a report, which says so.
inline constexpr std::size_t kMostShown = 200;
// "The first 200 of 14 286 configurations are shown; …"; empty: there are no more than that.
std::string selection_note(std::size_t all, const std::string& what);

// What the articles said and their tables, roofs, ladders, sweeps, journals, layers, what ran in
// timelines, and figures that do not agree, in this order.
std::vector<ReportTable> report_tables(const Session& session);

}  // namespace warpscope
