// profiling/warps/warp_spans.cpp: spans of warps between probes, and what they add up to.
#include "profiling/warps/warp_spans.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

constexpr double kNsPerSecond = 1e9;

SpanType type_of(SpanKind kind) {
  if (is_moment(kind)) return SpanType::moment;
  if (is_wait(kind)) return SpanType::wait;
  return kind == SpanKind::loop ? SpanType::loop : SpanType::line;
}

class SpanReader {
 public:
  SpanReader(const WarpTimeline& timeline, const WarpRow& row)
      : timeline_(timeline),
        row_(row),
        open_(timeline.spans.size(), -1),
        last_(timeline.spans.size(), -1) {}

  std::vector<WarpSpan> read() {
    for (const WarpRecord& at : row_.records) {
      if (at.span() < timeline_.spans.size()) take(at);
    }
    for (std::size_t k = 0; k < open_.size(); ++k) {
      if (open_[k] >= 0) add(k, open_[k], row_.end, true);
    }
    add_work();
    std::stable_sort(found_.begin(), found_.end(), [](const WarpSpan& a, const WarpSpan& b) {
      return std::tuple(a.begin, -a.end) < std::tuple(b.begin, -b.end);
    });
    return std::move(found_);
  }

 private:
  void take(const WarpRecord& at) {
    const std::size_t k = at.span();
    if (is_moment(timeline_.spans[k].kind)) {
      add(k, at.cycle, at.cycle, false);
    } else if (!at.is_end()) {
      // Lanes that parted begin one after the other: the first one counts.
      if (open_[k] < 0) open_[k] = at.cycle;
    } else if (open_[k] >= 0) {
      last_[k] = static_cast<std::int64_t>(found_.size());
      add(k, open_[k], at.cycle, false);
      open_[k] = -1;
    } else if (last_[k] >= 0) {
      // … and the last one ends it.
      found_[static_cast<std::size_t>(last_[k])].end = at.cycle;
    }
  }

  void add(std::size_t k, std::int64_t begin, std::int64_t end, bool cut) {
    found_.push_back({type_of(timeline_.spans[k].kind), static_cast<std::int32_t>(k), begin,
                      std::max(begin, end), cut});
  }

  // What lies between waits.
  void add_work() {
    std::vector<WarpSpan> waits;
    for (const WarpSpan& span : found_) {
      if (span.type == SpanType::wait) waits.push_back(span);
    }
    std::sort(waits.begin(), waits.end(),
              [](const WarpSpan& a, const WarpSpan& b) { return a.begin < b.begin; });
    std::int64_t from = row_.begin;
    std::int32_t after = -1;
    for (const WarpSpan& wait : waits) {
      if (wait.begin > from) found_.push_back({SpanType::work, after, from, wait.begin, false});
      if (wait.end >= from) {
        from = wait.end;
        after = wait.span;
      }
    }
    if (row_.end > from) found_.push_back({SpanType::work, after, from, row_.end, false});
  }

  const WarpTimeline& timeline_;
  const WarpRow& row_;
  std::vector<std::int64_t> open_, last_;  // by span: when it began; its last one in found_
  std::vector<WarpSpan> found_;
};

const char* kind_words(SpanKind kind) {
  switch (kind) {
    case SpanKind::barrier:
      return "barrier";
    case SpanKind::mbarrier:
      return "mbarrier wait";
    case SpanKind::copies:
      return "wait for cp.async";
    case SpanKind::bulk_copies:
      return "wait for bulk copies";
    case SpanKind::products:
      return "wait for wgmma";
    case SpanKind::cluster:
      return "cluster barrier";
    case SpanKind::loop:
      return "loop";
    case SpanKind::line:
      return "instructions";
    case SpanKind::issue_copy:
      return "copy started";
    case SpanKind::issue_product:
      return "wgmma started";
  }
  return "";
}

}  // namespace

const char* to_text(SpanType type) {
  return named(type, {"wait", "work", "loop", "line", "moment"});
}

std::vector<WarpSpan> spans_of(const WarpTimeline& timeline, const WarpRow& row) {
  return SpanReader(timeline, row).read();
}

std::vector<SpanSum> sums_of(const WarpTimeline& timeline, const RecordedRoles& roles) {
  std::map<std::tuple<int, SpanType, std::int32_t>, SpanSum> sums;
  std::vector<double> alive(roles.roles.size());
  for (const WarpRow& row : timeline.rows) {
    const int role = roles.of_warp[static_cast<std::size_t>(row.warp)];
    alive[static_cast<std::size_t>(role)] += static_cast<double>(row.end - row.begin);
    std::map<std::pair<SpanType, std::int32_t>, bool> seen;
    for (const WarpSpan& span : spans_of(timeline, row)) {
      SpanSum& sum = sums[{role, span.type, span.span}];
      sum.type = span.type;
      sum.span = span.span;
      sum.role = role;
      sum.warps += seen.emplace(std::pair(span.type, span.span), true).second ? 1 : 0;
      ++sum.count;
      sum.cycles += span.cycles();
      sum.longest = std::max(sum.longest, span.cycles());
    }
  }
  std::vector<SpanSum> found;
  for (auto& [key, sum] : sums) {
    const double all = alive[static_cast<std::size_t>(sum.role)];
    sum.share_ratio = all > 0 ? static_cast<double>(sum.cycles) / all : 0;
    found.push_back(sum);
  }
  std::stable_sort(found.begin(), found.end(), [](const SpanSum& a, const SpanSum& b) {
    return std::tuple(a.role, -a.share_ratio) < std::tuple(b.role, -b.share_ratio);
  });
  return found;
}

std::vector<RoleSum> role_sums(const std::vector<SpanSum>& sums, const RecordedRoles& roles) {
  std::vector<RoleSum> found(roles.roles.size());
  for (const SpanSum& sum : sums) {
    RoleSum& role = found[static_cast<std::size_t>(sum.role)];
    role.warps = std::max(role.warps, sum.warps);
    if (sum.type == SpanType::wait) role.waiting_ratio += sum.share_ratio;
  }
  return found;
}

std::string span_words(const WarpTimeline& timeline, SpanType type, std::int32_t span) {
  if (span < 0 || static_cast<std::size_t>(span) >= timeline.spans.size())
    return "work before the first wait";
  const ProbedSpan& of = timeline.spans[static_cast<std::size_t>(span)];
  const std::string line = "line " + std::to_string(of.position.line);
  if (type == SpanType::work) return "work after the wait in " + line;
  return std::string(kind_words(of.kind)) + ", " + line;
}

std::string warp_list(const std::vector<int>& warps) {
  std::string text;
  for (std::size_t k = 0; k < warps.size();) {
    std::size_t last = k;
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(warps[k]);
    if (last > k) text += "-" + std::to_string(warps[last]);
    k = last + 1;
  }
  return text;
}

std::string duration_words(const WarpTimeline& timeline, double cycles) {
  if (timeline.clock_hz <= 0) return format_value(cycles, "1") + " cycles";
  return format_value(cycles / timeline.clock_hz * kNsPerSecond, "ns");
}

}  // namespace warpscope
