// profiling/export/timeline_tables.cpp: what a report says of captured timelines.
#include "profiling/export/timeline_tables.h"

#include <algorithm>

#include "profiling/export/report/material.h"
#include "profiling/steps/timeline_statistics.h"

namespace warpscope {

std::vector<ReportTable> timeline_tables(const Session& session) {
  std::vector<ReportTable> tables;
  std::size_t shown = 0;
  const bool several = session.devices().size() > 1;
  const std::vector<const Timeline*> timelines = session.timelines();
  for (const Timeline* timeline : timelines) {
    if (shown++ == kMostShown) break;
    const std::string title =
        timeline->scene + ": what ran in captured runs" +
        (several ? " on " + to_text(device_of(timeline->conditions)) : std::string());
    auto table = std::find_if(tables.begin(), tables.end(),
                              [&](const ReportTable& other) { return other.title == title; });
    if (table == tables.end()) {
      table = tables.insert(tables.end(), {title,
                                           {"variant", "at", "what", "kind", "calls", "total",
                                            "mean", "shortest", "longest", "share"},
                                           {}});
    }
    for (const TimelineStatistic& s : statistics_of(*timeline)) {
      table->rows.push_back(
          {timeline->variant, values_of_key(session.catalogue(), timeline->scene, timeline->key),
           s.name, s.on_host ? "range on the host" : s.kind, std::to_string(s.calls),
           format_value(s.total_ns, "ns"), format_value(s.mean_ns(), "ns"),
           format_value(s.shortest_ns, "ns"), format_value(s.longest_ns, "ns"),
           format_value(s.share_ratio, "ratio")});
    }
  }
  if (!tables.empty()) tables.front().note = selection_note(timelines.size(), "timelines");
  return tables;
}

}  // namespace warpscope
