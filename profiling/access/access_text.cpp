// profiling/access/access_text.cpp: what a warp request costs, in a sentence.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "profiling/access/access.h"
#include "profiling/access/bank_groups.h"
#include "profiling/access/lane_addresses.h"
#include "profiling/figures/metric.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

std::string lanes_text(const WarpRequest& request, int width) {
  const int lanes = std::popcount(request.active);
  if (lanes == kWarpLanes) return fmt::format("32 lanes × {} B", width);
  return fmt::format("{} of 32 lanes × {} B", lanes, width);
}

// Whether the one lane of the request stands for all that took part.
bool is_merged(const WarpRequest& request, const AccessSite& site) {
  return site.merged && std::popcount(request.active) == 1;
}
constexpr const char* kMerged = ": the compiler has the warp add its lanes up, and one lane goes";

// The banks that take the most passes, in the worst group.
std::vector<int> worst_banks(const WarpRequest& request, const AccessSite& site,
                             std::int64_t worst_ways) {
  std::vector<int> worst;
  const int lanes = lanes_a_group(request.addresses, request.active, site.width_bytes, site.kind);
  for (int group = 0; group * lanes < kWarpLanes; ++group) {
    const auto passes =
        words_by_bank(sorted_lanes(request.addresses, request.active & group_mask(lanes, group)),
                      site.width_bytes);
    for (int bank = 0; bank < kSharedBanks; ++bank) {
      if (passes[static_cast<std::size_t>(bank)] == worst_ways) worst.push_back(bank);
    }
  }
  std::sort(worst.begin(), worst.end());
  worst.erase(std::unique(worst.begin(), worst.end()), worst.end());
  return worst;
}

std::string banks_text(const std::vector<int>& worst) {
  constexpr std::size_t kMostNamed = 8;
  if (worst.size() == kSharedBanks) return "all banks";
  std::string banks = worst.size() == 1 ? "bank " : "banks ";
  for (std::size_t i = 0; i < std::min(worst.size(), kMostNamed); ++i)
    banks += (i == 0 ? "" : ", ") + std::to_string(worst[i]);
  if (worst.size() > kMostNamed) banks += fmt::format(" and {} more", worst.size() - kMostNamed);
  return banks;
}

// Describes the lanes that stay in the block.
std::string describe_own(const WarpRequest& request, const AccessSite& site) {
  const AccessTotals t = shared_cost(request, site.width_bytes, site.kind);
  const std::string start =
      lanes_text(request, site.width_bytes) + " → " + plural(t.wavefronts, "wavefront");
  if (is_merged(request, site)) return start + kMerged;
  if (t.wavefronts <= t.ideal_wavefronts)
    return start + (all_at_one_address(request.addresses, request.active) && t.lanes > 1
                        ? ": a broadcast, no bank conflict"
                        : ": no bank conflict");
  return start + fmt::format(" where {} would do ({}-way conflict on {})", t.ideal_wavefronts,
                             t.worst_ways, banks_text(worst_banks(request, site, t.worst_ways)));
}

// 18 of 21 patterns were equal; 4096 bytes from offset 112 were 160 sectors in place of 129.
constexpr const char* kBulkStores = " (an H200 counts up to 1.24 times as many off a line)";

// What is counted of lanes that go to other blocks of the cluster.
std::string describe_remote(const WarpRequest& request, const AccessSite& site) {
  const AccessTotals t = shared_cost(request, site.width_bytes, site.kind);
  const std::string start = lanes_text(request, site.width_bytes) + " → " +
                            plural(t.remote_sectors(), "sector") +
                            " of another block's shared memory";
  if (site.kind == AccessKind::load || site.kind == AccessKind::store)
    return start + ": no wavefront is counted there";
  return start + ": what they cost there is not known";
}

std::string describe_shared(const WarpRequest& request, const AccessSite& site) {
  WarpRequest own = request, remote = request;
  remote.active = lanes_in_other_blocks(request.addresses, request.active);
  own.active &= ~remote.active;
  if (remote.active == 0) return describe_own(own, site);
  const std::string there = describe_remote(remote, site);
  return own.active == 0 ? there : describe_own(own, site) + "; " + there;
}

}  // namespace

std::string describe(const WarpRequest& request, const AccessSite& site) {
  if (request.active == 0) return "no lane takes part: no request";
  if (site.space == Space::shared) {
    // A product's pieces of 16 bytes stand for lanes.
    return describe_shared(request, site) +
           (site.kind == AccessKind::product_read ? " (of wgmma, worked out from banks)" : "");
  }
  if (is_bulk(site.kind)) {
    const BulkCost& b = request.bulk;
    const bool loads = site.kind == AccessKind::bulk_copy;
    return plural(std::popcount(request.active), "lane") +
           fmt::format(" in {}: {} B → ", loads ? "bulk" : to_text(site.kind), b.bytes) +
           plural(b.sectors, "sector") + " in " + plural(b.lines, "line") +
           (loads ? "" : kBulkStores);
  }
  const std::string start = lanes_text(request, site.width_bytes);
  if (site.space == Space::constant) {
    const std::int64_t distinct = distinct_addresses(request.addresses, request.active);
    return start + (distinct == 1 ? " → 1 address: the constant cache serves it in one pass"
                                  : fmt::format(" → {} addresses: the constant cache serves one at "
                                                "a time",
                                                distinct));
  }
  const AccessTotals t = global_cost(request, site.width_bytes, site.kind);
  const std::string cost =
      start + " → " + plural(t.sectors, "sector") + " in " + plural(t.lines, "line");
  if (is_merged(request, site)) return cost + kMerged;
  const std::int64_t touched = global_cost(request, site.width_bytes, AccessKind::load).sectors;
  if (t.sectors > touched) {
    const std::string passes = touched == 1 ? fmt::format(", {} times", t.sectors) : std::string();
    return cost + ": lanes that share an address are served one after another" + passes;
  }
  if (t.lanes > 1 && all_at_one_address(request.addresses, request.active))
    return cost + ": a broadcast, all at one address";
  if (t.sectors <= t.ideal_sectors) return cost + ": ideal";
  return cost + fmt::format(" where {} would do: {} of the bytes fetched are used",
                            plural(t.ideal_sectors, "sector"),
                            format_value(t.sector_efficiency(), "ratio"));
}

}  // namespace warpscope
