// profiling/findings/lane_pattern.cpp: how the addresses of neighbouring lanes lie to each other.
#include "profiling/findings/lane_pattern.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profiling/access/trace_view.h"

namespace warpscope {
namespace {

// So many requests of an access show its pattern; further ones take time alone.
constexpr std::int64_t kMostLookedAt = 512;

// How often each distance was seen.
class Distances {
 public:
  void add(std::int64_t distance) {
    ++seen_[distance];
    ++all_;
  }
  std::int64_t all() const { return all_; }
  // The most frequent one; 0: there is none.
  std::int64_t usual() const {
    std::int64_t best = 0, most = 0;
    for (const auto& [distance, count] : seen_) {
      if (count > most) std::tie(best, most) = std::pair(distance, count);
    }
    return best;
  }
  // The least and the greatest above 0. Precondition: there is one.
  std::pair<std::int64_t, std::int64_t> range() const {
    return {seen_.upper_bound(0)->first, seen_.rbegin()->first};
  }
  double share_of(std::int64_t distance) const {
    const auto found = seen_.find(distance);
    return found == seen_.end() || all_ == 0
               ? 0
               : static_cast<double>(found->second) / static_cast<double>(all_);
  }

 private:
  std::map<std::int64_t, std::int64_t> seen_;
  std::int64_t all_ = 0;
};

struct Sums {
  Distances neighbours, sharing, offsets;
  Distances strides;  // of requests whose neighbours all have one distance; 0: they have several
  std::vector<std::vector<std::int64_t>> requests;  // the distances of each
  std::int64_t lanes = 0;
};

struct LaneAddress {
  int lane = 0;
  std::uint64_t address = 0;
};

// The active lanes' addresses in the order of lanes, neighbours of one address once.
std::vector<LaneAddress> in_lane_order(const WarpRequest& request, Sums& sums) {
  std::vector<LaneAddress> list;
  std::int64_t same = 0;
  for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = request.addresses[static_cast<std::size_t>(lane)];
    if (!list.empty() && list.back().address == address) {
      ++same;
      continue;
    }
    if (!list.empty()) sums.sharing.add(same);
    list.push_back({lane, address});
    same = 1;
  }
  if (!list.empty()) sums.sharing.add(same);
  return list;
}

// From one lane to the next that takes part; per lane, where idle lanes lie between them and the
// distance is a multiple.
std::int64_t distance(const WarpRequest& request, const LaneAddress& from, const LaneAddress& to) {
  const auto bytes = static_cast<std::int64_t>(to.address - from.address);
  const int lanes = to.lane - from.lane;
  const std::uint32_t between = (1U << to.lane) - (1U << from.lane);
  const bool idle = (request.active & between) != between;
  return idle && bytes % lanes == 0 ? bytes / lanes : bytes;
}

void look_at(const WarpRequest& request, Sums& sums) {
  const std::vector<LaneAddress> lanes = in_lane_order(request, sums);
  std::vector<std::int64_t> distances;
  sums.lanes += std::popcount(request.active);
  Distances own;
  std::uint64_t least = lanes.front().address;
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    distances.push_back(distance(request, lanes[i - 1], lanes[i]));
    sums.neighbours.add(distances.back());
    own.add(std::abs(distances.back()));
    least = std::min(least, lanes[i].address);
  }
  sums.offsets.add(static_cast<std::int64_t>(least % kSectorBytes));
  constexpr double kMost = 0.9;
  if (own.all() > 0) sums.strides.add(own.share_of(own.usual()) >= kMost ? own.usual() : 0);
  sums.requests.push_back(std::move(distances));
}

// Neighbours at the usual distance, with a jump after each run of them.
struct Runs {
  Distances lanes, steps;
};
Runs runs_of(const Sums& sums, std::int64_t usual) {
  Runs runs;
  for (const std::vector<std::int64_t>& distances : sums.requests) {
    std::int64_t lanes = 1, step = 0;
    for (const std::int64_t bytes : distances) {
      step += bytes;
      if (bytes == usual) {
        ++lanes;
        continue;
      }
      runs.lanes.add(lanes);
      runs.steps.add(step);
      lanes = 1;
      step = 0;
    }
    runs.lanes.add(lanes);
  }
  return runs;
}

bool is_wasteful(const Trace& trace, const WarpRequest& request) {
  const AccessTotals cost = request_cost(trace, request);
  return trace.sites[request.site].space == Space::shared ? cost.wavefronts > cost.ideal_wavefronts
                                                          : cost.sectors > cost.ideal_sectors;
}

LanePattern pattern_of(const Sums& sums, int width) {
  constexpr double kMost = 0.6;  // of the distances: then they have a rule
  constexpr double kAll = 0.98;  // a warp of one run has 31 distances, all of its width
  constexpr double kRuns = 0.4;  // runs of two lanes: every other distance is the width
  LanePattern p;
  p.requests = static_cast<std::int64_t>(sums.requests.size());
  if (sums.neighbours.all() == 0) return p;
  p.active_mean = static_cast<double>(sums.lanes) / static_cast<double>(p.requests);
  const std::int64_t usual = sums.neighbours.usual();
  p.dominance_ratio = sums.neighbours.share_of(usual);
  p.sharing_lanes = sums.sharing.usual();
  if (sums.sharing.share_of(p.sharing_lanes) < kMost) p.sharing_lanes = 1;
  const bool beside = std::abs(usual) == width;
  if (beside && p.dominance_ratio >= kAll) {
    p.shape = LaneShape::contiguous;
    const std::int64_t offset = sums.offsets.usual();
    if (sums.offsets.share_of(offset) >= kAll) p.offset_bytes = offset;
    return p;
  }
  if (!beside && p.dominance_ratio >= kMost) {
    p.shape = LaneShape::strided;
    p.stride_bytes = p.stride_to_bytes = std::abs(usual);
    return p;
  }
  // Each request has a stride of its own, as in the steps of a tree.
  if (sums.strides.share_of(0) < 1 - kMost) {
    p.shape = LaneShape::strided;
    p.dominance_ratio = 1 - sums.strides.share_of(0);
    std::tie(p.stride_bytes, p.stride_to_bytes) = sums.strides.range();
    return p;
  }
  const Runs runs = runs_of(sums, usual);
  const std::int64_t run = runs.lanes.usual(), step = runs.steps.usual();
  if (p.dominance_ratio >= kRuns && run > 1) {
    p.shape = LaneShape::runs;
    p.stride_bytes = p.stride_to_bytes = std::abs(usual);
    p.run_lanes = run;
    if (runs.steps.share_of(step) >= kMost) p.run_step_bytes = std::abs(step);
    return p;
  }
  p.shape = LaneShape::scattered;
  return p;
}

}  // namespace

LanePattern lane_pattern(const Trace& trace, std::span<const std::size_t> requests) {
  Sums sums;
  int width = 4;
  for (const std::size_t i : requests) {
    if (static_cast<std::int64_t>(sums.requests.size()) >= kMostLookedAt) break;
    const WarpRequest& request = trace.requests[i];
    const AccessSite& site = trace.sites[request.site];
    if (is_bulk(site.kind) || !is_wasteful(trace, request)) continue;
    width = site.width_bytes;
    look_at(request, sums);
  }
  LanePattern pattern = pattern_of(sums, width);
  pattern.elsewhere = sums.requests.empty() && !requests.empty();
  return pattern;
}

double asks_per_sector(const Trace& trace, std::span<const std::size_t> requests) {
  std::unordered_set<std::uint64_t> sectors;
  std::int64_t asks = 0, looked_at = 0;
  for (const std::size_t i : requests) {
    const WarpRequest& request = trace.requests[i];
    if (request.warp != trace.requests[requests.front()].warp) continue;
    if (++looked_at > kMostLookedAt) break;
    for (const TouchedLine& line : touched_lines(request, trace.sites[request.site].width_bytes)) {
      for (std::uint64_t sector = 0; sector < kLineBytes / kSectorBytes; ++sector) {
        if ((line.sectors >> sector & 1U) == 0) continue;
        ++asks;
        sectors.insert(line.address + sector * kSectorBytes);
      }
    }
  }
  return sectors.empty() ? 0 : static_cast<double>(asks) / static_cast<double>(sectors.size());
}

SharedAddresses shared_addresses(const Trace& trace, std::span<const std::size_t> requests) {
  SharedAddresses found;
  found.one = !requests.empty();
  std::optional<std::uint64_t> address;
  for (const std::size_t i : requests) {
    const WarpRequest& request = trace.requests[i];
    const std::uint64_t first =
        request.addresses[static_cast<std::size_t>(std::countr_zero(request.active))];
    if (!address) address = first;
    const std::int64_t distinct = distinct_addresses(request.addresses, request.active);
    found.one = found.one && first == *address && distinct == 1;
    found.in_requests = found.in_requests || distinct < std::popcount(request.active);
  }
  return found;
}

}  // namespace warpscope
