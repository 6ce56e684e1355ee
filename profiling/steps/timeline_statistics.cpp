// profiling/steps/timeline_statistics.cpp: a timeline as a table: how often and how long what ran.
#include "profiling/steps/timeline_statistics.h"

#include <algorithm>

namespace warpscope {
namespace {

class Table {
 public:
  void add(bool on_host, const std::string& kind, const std::string& name, double ns) {
    const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const TimelineStatistic& row) {
      return row.kind == kind && row.name == name;
    });
    TimelineStatistic& row =
        same != rows_.end()
            ? *same
            : rows_.emplace_back(TimelineStatistic{on_host, kind, name, 0, 0, ns, ns, 0});
    row.calls += 1;
    row.total_ns += ns;
    row.shortest_ns = std::min(row.shortest_ns, ns);
    row.longest_ns = std::max(row.longest_ns, ns);
  }
  // In order, each with its share of `all_ns`.
  std::vector<TimelineStatistic> rows(double all_ns) && {
    for (TimelineStatistic& row : rows_) row.share_ratio = all_ns > 0 ? row.total_ns / all_ns : 0;
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
    return std::move(rows_);
  }

 private:
  std::vector<TimelineStatistic> rows_;
};

// "esmm/dense run 2" is "esmm/dense": runs of one capture are one row.
std::string without_run(const std::string& name) {
  const std::size_t at = name.rfind(" run ");
  if (at == std::string::npos) return name;
  const bool number = name.find_first_not_of("0123456789", at + 5) == std::string::npos;
  return number && at + 5 < name.size() ? name.substr(0, at) : name;
}

}  // namespace

std::vector<TimelineStatistic> statistics_of(const Timeline& timeline) {
  Table device, host;
  double device_ns = 0, host_ns = 0;
  for (const TimelineActivity& a : timeline.activities) {
    device.add(false, a.kind, a.name, a.end_ns - a.start_ns);
    device_ns += a.end_ns - a.start_ns;
  }
  for (const TimelineRange& r : timeline.ranges) {
    host.add(true, "range", without_run(r.name), r.end_ns - r.start_ns);
    if (r.depth == 0) host_ns += r.end_ns - r.start_ns;
  }
  std::vector<TimelineStatistic> rows = std::move(device).rows(device_ns);
  for (TimelineStatistic& row : std::move(host).rows(host_ns)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace warpscope
