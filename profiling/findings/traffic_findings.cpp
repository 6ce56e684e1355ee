// profiling/findings/traffic_findings.cpp: sectors and wavefronts that a launch could do without.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "profiling/access/trace_view.h"
#include "profiling/figures/metric.h"
#include "profiling/findings/finding_parts.h"
#include "profiling/findings/lane_pattern.h"

namespace warpscope {
namespace {

std::string per_request(std::int64_t count, std::int64_t requests) {
  const double mean = requests > 0 ? static_cast<double>(count) / static_cast<double>(requests) : 0;
  return fmt::format("{:.2f}", mean);
}

bool is_atomic(AccessKind kind) {
  return kind == AccessKind::atomic || kind == AccessKind::reduction;
}

// "128 B", and how many rows of the array that is.
std::string distance_text(const Trace& trace, const AccessGroup& group, std::int64_t bytes) {
  const std::string text = fmt::format("{} B", bytes);
  const TracedBuffer* buffer = find_buffer(trace, group.buffer);
  if (buffer == nullptr || buffer->shape.size() < 2) return text;
  const std::int64_t row = buffer->shape.back() * element_bytes(buffer->type);
  if (row < static_cast<std::int64_t>(kLineBytes) || bytes % row != 0) return text;
  return text + (bytes == row ? " (one row)" : fmt::format(" ({} rows)", bytes / row));
}

const char* mostly(const LanePattern& p) {
  constexpr double kPlain = 0.9;
  return p.dominance_ratio < kPlain ? "mostly " : "";
}

// Who stands at a distance: "neighbouring lanes", or groups of them that share an address.
std::string lanes_text(const LanePattern& p) {
  return p.sharing_lanes > 1 ? fmt::format("Neighbouring groups of {} lanes", p.sharing_lanes)
                             : "Neighbouring lanes";
}

// The cause of extra sectors, and what would be better.
struct Cause {
  FindingKind kind = FindingKind::uncoalesced_access;
  std::string what, better;
};

// "128 B (one row)", "8 to 128 B".
std::string stride_text(const Trace& trace, const AccessGroup& group, const LanePattern& p) {
  return p.stride_to_bytes > p.stride_bytes
             ? fmt::format("{} to {} B", p.stride_bytes, p.stride_to_bytes)
             : distance_text(trace, group, p.stride_bytes);
}

// What an array's elements should be, where each lane reads a part of a structure; of larger
// strides, which lane should read what.
std::string stride_remedy(const Trace& trace, const AccessGroup& group, const LanePattern& p) {
  constexpr std::int64_t kVector = 16;
  const TracedBuffer* buffer = find_buffer(trace, group.buffer);
  const std::string array = buffer != nullptr ? array_name(*buffer) : "the array";
  const bool in_sector =
      p.stride_to_bytes <= static_cast<std::int64_t>(kSectorBytes) && p.sharing_lanes == 1;
  if (in_sector && p.stride_to_bytes <= kVector)
    return fmt::format(
        "Let each lane {} all {} B between two neighbours as one vector, or store the parts of {} "
        "in arrays of their own.",
        verb_of(group.kind), p.stride_bytes, array);
  if (in_sector)
    return fmt::format(
        "Store the parts of {} in arrays of their own, or copy them through shared memory with "
        "consecutive lanes at consecutive addresses.",
        array);
  return fmt::format(
      "Let threadIdx.x index the fastest dimension of {}, or copy tiles through shared memory so "
      "that neighbouring lanes {} neighbouring elements.",
      array, verb_of(group.kind));
}

// That the same warp asks for the sectors again, so that a cache may already save some of them.
std::string repeats_text(const Trace& trace, const AccessGroup& group) {
  constexpr double kRepeats = 1.5;
  const double asks = asks_per_sector(trace, group.sites);
  if (asks < kRepeats || verb_of(group.kind) == std::string_view("update")) return "";
  return fmt::format(
      " A warp asks for each of these sectors {:.1f} times, so L1 serves some of them without L2.",
      asks);
}

// Consecutive elements: a request begins inside a sector, or few of its lanes take part.
Cause contiguous_cause(const AccessGroup& group, const std::string& array, const LanePattern& p) {
  constexpr double kFew = 24;  // lanes
  const std::string verb = verb_of(group.kind);
  if (p.active_mean < kFew && group.kind != AccessKind::matrix_load)
    return {FindingKind::uncoalesced_access,
            fmt::format("Only {:.1f} of 32 lanes {} {} on average, and they are spread over the "
                        "elements of the warp.",
                        p.active_mean, verb, array),
            fmt::format("Collect the elements that need it first, so that neighbouring lanes {} "
                        "neighbouring elements.",
                        verb)};
  return {FindingKind::unaligned_access,
          fmt::format("The lanes {} consecutive elements of {}, but {}.", verb, array,
                      p.offset_bytes > 0
                          ? fmt::format("each such request begins {} B past a sector of 32 B",
                                        p.offset_bytes)
                          : std::string("such requests begin or end inside a sector of 32 B")),
          "Begin each warp's elements at a multiple of 32 B: pad the rows of the array to such a "
          "multiple, or shift the tile."};
}

std::string scattered_remedy(const AccessGroup& group) {
  const char* verb = verb_of(group.kind);
  if (is_atomic(group.kind))
    return "Combine the values in shared memory first, then update each element once per block.";
  return fmt::format(
      "Order the work so that neighbouring lanes {0} neighbouring elements, or let several lanes "
      "{0} one longer piece together.",
      verb);
}

Cause global_cause(const Trace& trace, const AccessGroup& group) {
  const std::string array = array_text(trace, group), verb = verb_of(group.kind);
  const LanePattern p = lane_pattern(trace, group.sites);
  Cause cause;
  switch (p.shape) {
    case LaneShape::contiguous:
      return contiguous_cause(group, array, p);
    case LaneShape::strided:
      cause.what = fmt::format("{} {} {}addresses {} apart in {}.", lanes_text(p), verb, mostly(p),
                               stride_text(trace, group, p), array);
      cause.better = stride_remedy(trace, group, p);
      break;
    case LaneShape::runs: {
      const std::int64_t run = p.run_lanes * group.width_bytes;
      cause.what = fmt::format(
          "The lanes {} {}runs of {} B in {}, {}.", verb, mostly(p), run, array,
          p.run_step_bytes > 0
              ? fmt::format("which begin {} apart", distance_text(trace, group, p.run_step_bytes))
              : std::string("which lie far from each other"));
      cause.better =
          run % static_cast<std::int64_t>(kSectorBytes) == 0
              ? "Let each run begin at a multiple of 32 B: pad the rows of the array."
              : "Make each run a multiple of 32 B, and let it begin at one: wider tiles, or rows "
                "that are padded.";
      break;
    }
    case LaneShape::scattered:
      cause.what =
          fmt::format("Neighbouring lanes {} {} at distances that follow no rule.", verb, array);
      cause.better = scattered_remedy(group);
      break;
    case LaneShape::unknown:
      cause.what =
          is_bulk(group.kind)
              ? fmt::format("Bulk copies of {} begin or end inside sectors of 32 B.", array)
              : fmt::format("The lanes of a request {} {} in more sectors than their bytes need.",
                            verb, array);
      cause.better =
          is_bulk(group.kind)
              ? "Let every row of the copied box begin at a multiple of 32 B and be a multiple of "
                "32 B long."
              : "Let neighbouring lanes access neighbouring elements.";
      break;
  }
  return cause;
}

std::int64_t all_sectors(const Trace& trace) {
  return std::accumulate(trace.sites.begin(), trace.sites.end(), std::int64_t{0},
                         [](std::int64_t sum, const AccessSite& site) {
                           const bool counts =
                               site.space == Space::global || site.space == Space::local;
                           return sum + (counts ? site.totals.sectors : 0);
                         });
}

Finding begun(const AccessGroup& group, FindingKind kind, std::int64_t extra, std::int64_t all,
              const char* unit) {
  Finding f;
  f.kind = kind;
  f.position = group.position;
  f.count = extra;
  f.all = all;
  f.unit = unit;
  f.severity = severity_of_share(f.share_ratio());
  f.gain = gain_text(extra, all, unit);
  f.site = group.worst;
  f.diagram = group.space == Space::shared ? FindingDiagram::shared_requests
                                           : FindingDiagram::global_requests;
  return f;
}

std::int64_t all_requests(const Trace& trace) {
  return std::accumulate(trace.sites.begin(), trace.sites.end(), std::int64_t{0},
                         [](std::int64_t sum, const AccessSite& site) {
                           return sum + (site.space == Space::global ? site.totals.requests : 0);
                         });
}

// Atomics whose lanes share addresses, or whose warps all do. No value: neither costs anything.
std::optional<Finding> atomic_finding(const Trace& trace, const AccessGroup& group,
                                      std::int64_t sectors) {
  if (!is_atomic(group.kind)) return std::nullopt;
  const SharedAddresses shared = shared_addresses(trace, group.sites);
  const std::string array = array_text(trace, group);
  const std::int64_t extra = extra_of(group.totals, false);
  if (is_listed(trace, extra, sectors) && shared.in_requests) {
    Finding f = begun(group, FindingKind::atomic_conflict, extra, sectors, "sectors");
    f.what =
        fmt::format("Lanes of a warp update the same element of {}, one after another.", array);
    f.figure = fmt::format("{} sectors per request, where the addresses lie in {}",
                           per_request(group.totals.sectors, group.totals.requests),
                           per_request(group.totals.ideal_sectors, group.totals.requests));
    f.better =
        "Combine the lanes' values in the warp first (__reduce_add_sync or shuffles), then let one "
        "lane update the element.";
    return f;
  }
  // One request per block has to remain.
  const std::int64_t needed = std::min(group.totals.requests, block_count(trace.launch));
  const std::int64_t requests = group.totals.requests - needed;
  const std::int64_t all = all_requests(trace);
  if (shared.requests < 2 || !shared.one || !covers_grid(trace) || !is_listed(trace, requests, all))
    return std::nullopt;
  Finding f = begun(group, FindingKind::atomic_conflict, requests, all, "requests");
  f.what = fmt::format("Every warp of a block updates the same element of {}.", array);
  f.figure =
      fmt::format("{} requests of {} blocks update one address", brief_count(group.totals.requests),
                  brief_count(block_count(trace.launch)));
  f.better =
      "Combine the values in the block first (shared memory or shuffles), then let one thread per "
      "block update the element.";
  return f;
}

Finding sector_finding(const Trace& trace, const AccessGroup& group, std::int64_t sectors) {
  const Cause cause = global_cause(trace, group);
  const AccessTotals& t = group.totals;
  Finding f = begun(group, cause.kind, extra_of(t, false), sectors, "sectors");
  f.what = cause.what + repeats_text(trace, group);
  f.better = cause.better;
  f.figure = fmt::format(
      "{} sectors per request, where {} hold the bytes; {} of {} moved are used",
      per_request(t.sectors, t.requests), per_request(t.ideal_sectors, t.requests),
      format_value(t.sector_efficiency(), "ratio"),
      format_value(static_cast<double>(t.sectors) * static_cast<double>(kSectorBytes), "B"));
  return f;
}

void add_local(const Trace& trace, std::int64_t sectors, std::vector<Finding>& list) {
  for (const LineTotals& line : trace.lines) {
    const AccessTotals& t = line.local;
    if (!is_listed(trace, t.sectors, sectors)) continue;
    AccessGroup group;
    group.position = line.position;
    group.space = Space::local;
    Finding f = begun(group, FindingKind::local_memory, t.sectors, sectors, "sectors");
    f.site = -1;
    for (std::size_t i = 0; i < trace.sites.size() && f.site < 0; ++i) {
      if (trace.sites[i].space == Space::local &&
          trace.sites[i].position.line == line.position.line &&
          trace.sites[i].position.file == line.position.file)
        f.site = static_cast<std::int64_t>(i);
    }
    f.what =
        "The threads keep an array or a structure in local memory here: it is indexed with a "
        "variable, or its address is taken.";
    f.figure = fmt::format("{} requests to local memory move {} sectors", brief_count(t.requests),
                           brief_count(t.sectors));
    f.better =
        "Unroll the loop so that each index is a constant and the array stays in registers, or "
        "keep it in shared memory.";
    list.push_back(std::move(f));
  }
}

Cause bank_cause(const Trace& trace, const AccessGroup& group) {
  const LanePattern p = lane_pattern(trace, group.sites);
  const std::string verb = verb_of(group.kind);
  const std::int64_t pad = std::max<std::int64_t>(group.width_bytes, 4);
  Cause cause;
  cause.kind = FindingKind::bank_conflict;
  const std::string meet =
      fmt::format("up to {} words of one bank are needed at once", group.totals.worst_ways);
  cause.better = fmt::format(
      "Pad each row by {} B (for example [32][33] floats in place of [32][32]), or swizzle: XOR "
      "the "
      "column with the row.",
      pad);
  switch (p.shape) {
    case LaneShape::strided:
      cause.what = fmt::format("{} {} {}shared memory {} apart, so {}.", lanes_text(p), verb,
                               mostly(p), stride_text(trace, group, p), meet);
      break;
    case LaneShape::runs:
      cause.what =
          fmt::format("The lanes {} {}runs of {} B in shared memory{}, so {}.", verb, mostly(p),
                      p.run_lanes * group.width_bytes,
                      p.run_step_bytes > 0 ? fmt::format(" that begin {} B apart", p.run_step_bytes)
                                           : std::string(),
                      meet);
      break;
    default:
      cause.what = fmt::format(
          "The lanes {} shared memory at addresses that meet in few banks: {}.", verb, meet);
      cause.better =
          "Let neighbouring lanes use neighbouring words. Where data chooses the word, keep one "
          "copy of the table per bank or per warp.";
      break;
  }
  if (group.kind == AccessKind::product_read) {
    cause.what =
        fmt::format("wgmma reads a tile of shared memory whose rows meet in few banks: {}.", meet);
    cause.better = "Store the tile with the widest swizzle that the matrix descriptor has (128 B).";
  }
  return cause;
}

}  // namespace

std::vector<Finding> global_findings(const Trace& trace) {
  std::vector<Finding> list;
  const std::int64_t sectors = all_sectors(trace);
  for (const AccessGroup& group : access_groups(trace, false)) {
    if (auto atomic = atomic_finding(trace, group, sectors)) {
      list.push_back(std::move(*atomic));
    } else if (is_listed(trace, extra_of(group.totals, false), sectors)) {
      list.push_back(sector_finding(trace, group, sectors));
    }
  }
  add_local(trace, sectors, list);
  return list;
}

std::vector<Finding> shared_findings(const Trace& trace) {
  std::vector<Finding> list;
  std::int64_t all = 0;
  const std::vector<AccessGroup> groups = access_groups(trace, true);
  for (const AccessGroup& group : groups) all += group.totals.wavefronts;
  for (const AccessGroup& group : groups) {
    const AccessTotals& t = group.totals;
    const std::int64_t extra = extra_of(t, true);
    if (!is_listed(trace, extra, all)) continue;
    const Cause cause = bank_cause(trace, group);
    Finding f = begun(group, cause.kind, extra, all, "wavefronts");
    f.what = cause.what;
    f.better = cause.better;
    f.figure = fmt::format("{} wavefronts per request, where {} are enough without conflicts",
                           per_request(t.wavefronts, t.requests),
                           per_request(t.ideal_wavefronts, t.requests));
    list.push_back(std::move(f));
  }
  return list;
}

}  // namespace warpscope
