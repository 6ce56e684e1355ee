// profiling/steps/timeline_statistics.cpp: a timeline as a table: how often and how long what ran.
#include "profiling/steps/timeline_statistics.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>

#include "profiling/figures/metric.h"
#include "scenes/base/plural.h"

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

Timeline cut_out(const Timeline& timeline, double from_ns, double to_ns) {
  Timeline part = timeline;
  const auto cut = [&](auto& spans) {
    std::erase_if(
        spans, [&](const auto& span) { return span.end_ns <= from_ns || span.start_ns >= to_ns; });
    for (auto& span : spans) {
      span.start_ns = std::max(span.start_ns, from_ns);
      span.end_ns = std::min(span.end_ns, to_ns);
    }
  };
  cut(part.activities);
  cut(part.ranges);
  return part;
}

DeviceUse device_use_of(const Timeline& timeline, double from_ns, double to_ns) {
  Timeline part = cut_out(timeline, from_ns, to_ns);
  DeviceUse use;
  use.activities = static_cast<int>(part.activities.size());
  if (part.activities.empty()) return use;
  std::sort(part.activities.begin(), part.activities.end(),
            [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  use.start_ns = use.end_ns = part.activities.front().start_ns;
  const TimelineActivity* last = nullptr;  // the one that ended last so far
  for (const TimelineActivity& a : part.activities) {
    if (last != nullptr && a.start_ns > use.end_ns)
      use.gaps.push_back({use.end_ns, a.start_ns, last->name, a.name});
    use.busy_ns += std::max(0.0, a.end_ns - std::max(a.start_ns, use.end_ns));
    if (last == nullptr || a.end_ns > use.end_ns) last = &a;
    use.end_ns = std::max(use.end_ns, a.end_ns);
  }
  std::stable_sort(use.gaps.begin(), use.gaps.end(),
                   [](const IdleGap& a, const IdleGap& b) { return a.ns() > b.ns(); });
  return use;
}

std::string to_text(const DeviceUse& use) {
  if (use.end_ns <= use.start_ns) return "";
  std::string words = format_value(use.busy_ratio(), "ratio") + " of " +
                      format_value(use.end_ns - use.start_ns, "ns") + " busy";
  if (use.gaps.empty()) return words + ", without a gap";
  const IdleGap& longest = use.gaps.front();
  return words + "; " + plural(std::ssize(use.gaps), "gap") + ", the longest " +
         format_value(longest.ns(), "ns") + " before " + longest.before;
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

bool has_words(std::string_view name, std::string_view words) {
  return std::search(name.begin(), name.end(), words.begin(), words.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         }) != name.end();
}

std::vector<std::size_t> activities_with(const Timeline& timeline, std::string_view words) {
  std::vector<std::size_t> found;
  if (words.empty()) return found;
  for (std::size_t i = 0; i < timeline.activities.size(); ++i) {
    if (has_words(timeline.activities[i].name, words)) found.push_back(i);
  }
  std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
    return timeline.activities[a].start_ns < timeline.activities[b].start_ns;
  });
  return found;
}

}  // namespace warpscope
