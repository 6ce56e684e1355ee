// profiling/steps/timeline_statistics.cpp: a timeline as a table: how often and how long what ran.
#include "profiling/steps/timeline_statistics.h"

#include <algorithm>
#include <limits>

namespace warpscope {
namespace {

using Spans = std::vector<std::pair<double, double>>;

class Table {
 public:
  void add(bool on_host, const std::string& kind, const std::string& name, double start_ns,
           double end_ns) {
    const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
      return row.statistic.kind == kind && row.statistic.name == name;
    });
    const double ns = end_ns - start_ns;
    Row& row = same != rows_.end()
                   ? *same
                   : rows_.emplace_back(Row{{on_host, kind, name, 0, 0, ns, ns, 0}, {}});
    TimelineStatistic& statistic = row.statistic;
    statistic.calls += 1;
    statistic.total_ns += ns;
    statistic.shortest_ns = std::min(statistic.shortest_ns, ns);
    statistic.longest_ns = std::max(statistic.longest_ns, ns);
    row.spans.emplace_back(start_ns, end_ns);
  }
  // In order, each with its share of `all`.
  std::vector<TimelineStatistic> rows(Spans all) && {
    const double all_ns = covered_ns(std::move(all));
    std::vector<TimelineStatistic> ordered;
    for (Row& row : rows_) {
      row.statistic.share_ratio = all_ns > 0 ? covered_ns(std::move(row.spans)) / all_ns : 0;
      ordered.push_back(std::move(row.statistic));
    }
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
    return ordered;
  }

 private:
  struct Row {
    TimelineStatistic statistic;
    Spans spans;
  };
  std::vector<Row> rows_;
};

// "esmm/dense run 2" is "esmm/dense": runs of one capture are one row.
std::string without_run(const std::string& name) {
  const std::size_t at = name.rfind(" run ");
  if (at == std::string::npos) return name;
  const bool number = name.find_first_not_of("0123456789", at + 5) == std::string::npos;
  return number && at + 5 < name.size() ? name.substr(0, at) : name;
}

}  // namespace

double covered_ns(std::vector<std::pair<double, double>> spans) {
  std::sort(spans.begin(), spans.end());
  double covered = 0, end = std::numeric_limits<double>::lowest();
  for (const auto& [from, to] : spans) {
    covered += std::max(0.0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return covered;
}

std::vector<TimelineStatistic> statistics_of(const Timeline& timeline) {
  Table device, host;
  Spans on_device, outermost;
  for (const TimelineActivity& a : timeline.activities) {
    device.add(false, a.kind, a.name, a.start_ns, a.end_ns);
    on_device.emplace_back(a.start_ns, a.end_ns);
  }
  for (const TimelineRange& r : timeline.ranges) {
    host.add(true, "range", without_run(r.name), r.start_ns, r.end_ns);
    if (r.depth == 0) outermost.emplace_back(r.start_ns, r.end_ns);
  }
  std::vector<TimelineStatistic> rows = std::move(device).rows(std::move(on_device));
  for (TimelineStatistic& row : std::move(host).rows(std::move(outermost)))
    rows.push_back(std::move(row));
  return rows;
}

}  // namespace warpscope
