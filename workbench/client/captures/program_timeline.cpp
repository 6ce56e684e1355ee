// workbench/client/captures/program_timeline.cpp: the newest launches of a running program as a
// timeline.
#include "workbench/client/captures/program_timeline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "profiling/listings/kernel_name.h"

namespace warpscope {
namespace {

constexpr double kShownMs = 1000, kNsPerMs = 1e6;

std::vector<std::string> parts_of(const std::string& range) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < range.size();) {
    const std::size_t end = std::min(range.find('/', at), range.size());
    parts.push_back(range.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// The ranges of one process, whose launches come in the order of their starts.
class Ranges {
 public:
  void launch(const std::string& range, double start_ns, double end_ns,
              std::vector<TimelineRange>& all) {
    const std::vector<std::string> parts = parts_of(range);
    std::size_t same = 0;
    while (same < parts.size() && same < open_.size() && all[open_[same]].name == parts[same])
      ++same;
    open_.resize(same);
    for (std::size_t depth = same; depth < parts.size(); ++depth) {
      open_.push_back(all.size());
      all.push_back({parts[depth], start_ns, end_ns, static_cast<int>(depth)});
    }
    for (const std::size_t range_at : open_)
      all[range_at].end_ns = std::max(all[range_at].end_ns, end_ns);
  }

 private:
  std::vector<std::size_t> open_;
};

}  // namespace

Timeline program_timeline(const SeenLaunches& seen) {
  Timeline timeline;
  std::vector<const SeenLaunches::Span*> spans;
  double last = 0;
  for (const SeenLaunches::Span& span : seen.recent())
    last = std::max(last, span.start_ms + span.ms);
  for (const SeenLaunches::Span& span : seen.recent()) {
    if (span.start_ms >= last - kShownMs) spans.push_back(&span);
  }
  std::sort(spans.begin(), spans.end(),
            [](const auto* a, const auto* b) { return a->start_ms < b->start_ms; });
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> streams;
  std::map<std::int64_t, Ranges> ranges;
  for (const SeenLaunches::Span* span : spans) {
    TimelineActivity launch;
    launch.kind = "kernel";
    launch.name = kernel_name_of(span->symbol).name;
    launch.start_ns = kNsPerMs * (span->start_ms - spans.front()->start_ms);
    launch.end_ns = launch.start_ns + kNsPerMs * span->ms;
    const auto next = static_cast<std::int64_t>(streams.size()) + 1;
    launch.stream = streams.try_emplace({span->process, span->stream}, next).first->second;
    launch.launch = span->launch;
    ranges[span->process].launch(span->range, launch.start_ns, launch.end_ns, timeline.ranges);
    timeline.activities.push_back(std::move(launch));
  }
  return timeline;
}

}  // namespace warpscope
