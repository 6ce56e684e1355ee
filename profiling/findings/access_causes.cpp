// profiling/findings/access_causes.cpp: why an access costs more than it needs to, in sentences.
#include "profiling/findings/access_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "profiling/access/trace_view.h"
#include "profiling/findings/lane_pattern.h"

namespace warpscope {
namespace {

bool is_atomic(AccessKind kind) {
  return kind == AccessKind::atomic || kind == AccessKind::reduction;
}

// "128 B", and how many rows of the array that is, where rows are longer than a line.
std::string distance_text(const Trace& trace, const AccessGroup& group, std::int64_t bytes) {
  const std::string text = fmt::format("{} B", bytes);
  const TracedBuffer* buffer = find_buffer(trace, group.buffer);
  if (buffer == nullptr || buffer->shape.size() < 2) return text;
  const std::int64_t row = buffer->shape.back() * element_bytes(buffer->type);
  if (row < static_cast<std::int64_t>(kLineBytes) || bytes % row != 0) return text;
  return text + (bytes == row ? " (one row)" : fmt::format(" ({} rows)", bytes / row));
}

// "128 B (one row)", "8 to 128 B".
std::string stride_text(const Trace& trace, const AccessGroup& group, const LanePattern& p) {
  return p.stride_to_bytes > p.stride_bytes
             ? fmt::format("{} to {} B", p.stride_bytes, p.stride_to_bytes)
             : distance_text(trace, group, p.stride_bytes);
}

const char* mostly(const LanePattern& p) {
  constexpr double kPlain = 0.9;
  return p.dominance_ratio < kPlain && p.shape == LaneShape::strided ? "mostly " : "";
}

// Which lanes are at a distance: "Neighbouring lanes", or groups of them that share an address.
std::string lanes_text(const LanePattern& p) {
  return p.sharing_lanes > 1 ? fmt::format("Neighbouring groups of {} lanes", p.sharing_lanes)
                             : "Neighbouring lanes";
}

// "runs of 16 B that begin 512 B apart", "addresses 2048 B apart in groups of 2 lanes, and the
// groups begin 4 B apart".
std::string runs_text(const Trace& trace, const AccessGroup& group, const LanePattern& p) {
  const bool beside = p.stride_bytes == group.width_bytes;
  const std::string step = p.run_step_bytes > 0
                               ? distance_text(trace, group, p.run_step_bytes) + " apart"
                               : "at distances that vary";
  return beside ? fmt::format("runs of {} B that begin {}", p.run_lanes * group.width_bytes, step)
                : fmt::format("addresses {} apart in groups of {} lanes, and the groups begin {}",
                              distance_text(trace, group, p.stride_bytes), p.run_lanes, step);
}

// Small strides: each lane reads a part of a structure. Larger ones: another lane should read it.
std::string stride_remedy(const Trace& trace, const AccessGroup& group, const LanePattern& p) {
  constexpr std::int64_t kVector = 16;
  const TracedBuffer* buffer = find_buffer(trace, group.buffer);
  const std::string array = buffer != nullptr ? array_name(*buffer) : "the array";
  const bool in_sector = p.stride_to_bytes <= static_cast<std::int64_t>(kSectorBytes) &&
                         p.sharing_lanes == 1 && p.shape == LaneShape::strided;
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

std::string runs_remedy(const Trace& trace, const AccessGroup& group, const LanePattern& p) {
  if (p.stride_bytes != group.width_bytes) return stride_remedy(trace, group, p);
  const std::int64_t run = p.run_lanes * group.width_bytes;
  return run % static_cast<std::int64_t>(kSectorBytes) == 0
             ? "Let each run begin at a multiple of 32 B: pad the rows of the array."
             : "Make each run a multiple of 32 B, and let it begin at one: wider tiles, or rows "
               "that are padded.";
}

std::string scattered_remedy(const AccessGroup& group) {
  if (is_atomic(group.kind))
    return "Combine the values in shared memory first, then update each element once per block.";
  return fmt::format(
      "Order the work so that neighbouring lanes {0} neighbouring elements, or let several lanes "
      "{0} one longer piece together.",
      verb_of(group.kind));
}

// Consecutive elements: a request begins inside a sector, or few of its lanes take part.
AccessCause contiguous_cause(const AccessGroup& group, const std::string& array,
                             const LanePattern& p) {
  constexpr double kFew = 24;  // lanes
  const char* verb = verb_of(group.kind);
  if (p.active_mean < kFew && group.kind != AccessKind::matrix_load)
    return {FindingKind::uncoalesced_access,
            fmt::format("Only {:.1f} of 32 lanes {} {} on average, and they are spread over the "
                        "elements of the warp.",
                        p.active_mean, verb, array),
            fmt::format("Collect the elements that need it first, or let every lane {} its "
                        "element.",
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

// No wasteful request was kept whose lanes have a pattern.
AccessCause unknown_cause(const AccessGroup& group, const std::string& array,
                          const LanePattern& p) {
  const char* verb = verb_of(group.kind);
  const FindingKind kind = FindingKind::uncoalesced_access;
  if (is_bulk(group.kind))
    return {kind, fmt::format("Bulk copies of {} begin or end inside sectors of 32 B.", array),
            "Let every row of the copied box begin at a multiple of 32 B and be a multiple of 32 B "
            "long."};
  if (p.elsewhere)
    return {kind,
            fmt::format("In other blocks than the traced one, requests {} {} in more sectors than "
                        "their bytes need.",
                        verb, array),
            "Trace another block to see the addresses. Let neighbouring lanes access neighbouring "
            "elements, from a multiple of 32 B on."};
  return {kind,
          fmt::format("The lanes of a request {} {} in more sectors than their bytes need.", verb,
                      array),
          "Let neighbouring lanes access neighbouring elements."};
}

// That the same warp asks for the sectors again, so that a cache may already save some of them.
std::string repeats_text(const Trace& trace, const AccessGroup& group) {
  constexpr double kRepeats = 1.5;
  const double asks = asks_per_sector(trace, group.requests);
  if (asks < kRepeats || is_atomic(group.kind) || is_bulk(group.kind)) return "";
  return fmt::format(
      " A warp asks for each of these sectors {:.1f} times, so L1 may serve some of them.", asks);
}

AccessCause lanes_cause(const Trace& trace, const AccessGroup& group) {
  const std::string array = array_text(trace, group);
  const char* verb = verb_of(group.kind);
  const LanePattern p = lane_pattern(trace, group.requests);
  const FindingKind kind = FindingKind::uncoalesced_access;
  switch (p.shape) {
    case LaneShape::contiguous:
      return contiguous_cause(group, array, p);
    case LaneShape::strided:
      return {kind,
              fmt::format("{} {} {}addresses {} apart in {}.", lanes_text(p), verb, mostly(p),
                          stride_text(trace, group, p), array),
              stride_remedy(trace, group, p)};
    case LaneShape::runs:
      return {kind, fmt::format("In {}, the lanes {} {}.", array, verb, runs_text(trace, group, p)),
              runs_remedy(trace, group, p)};
    case LaneShape::scattered:
      return {
          kind,
          fmt::format("Neighbouring lanes {} {} at distances that follow no rule.", verb, array),
          scattered_remedy(group)};
    case LaneShape::unknown:
      break;
  }
  return unknown_cause(group, array, p);
}

}  // namespace

AccessCause global_cause(const Trace& trace, const AccessGroup& group) {
  AccessCause cause = lanes_cause(trace, group);
  cause.what += repeats_text(trace, group);
  return cause;
}

AccessCause bank_cause(const Trace& trace, const AccessGroup& group) {
  const LanePattern p = lane_pattern(trace, group.requests);
  const char* verb = verb_of(group.kind);
  const std::string meet =
      fmt::format("up to {} words of one bank are needed at once", group.totals.worst_ways);
  const std::string pad = fmt::format(
      "Pad each row by {} B (for example [32][33] floats in place of [32][32]), or swizzle: XOR "
      "the "
      "column with the row.",
      std::max(group.width_bytes, 4));
  const FindingKind kind = FindingKind::bank_conflict;
  if (group.kind == AccessKind::product_read)
    return {
        kind,
        fmt::format("wgmma reads a tile of shared memory whose rows meet in few banks: {}.", meet),
        "Store the tile with the widest swizzle that the matrix descriptor has (128 B)."};
  if (p.shape == LaneShape::strided)
    return {kind,
            fmt::format("{} {} {}shared memory {} apart, so {}.", lanes_text(p), verb, mostly(p),
                        stride_text(trace, group, p), meet),
            p.stride_to_bytes > p.stride_bytes
                ? "Let neighbouring lanes use neighbouring words in every step: halve the distance "
                  "between partners instead of doubling it."
                : pad};
  if (p.shape == LaneShape::runs)
    return {kind,
            fmt::format("In shared memory, the lanes {} {}, so {}.", verb,
                        runs_text(trace, group, p), meet),
            pad};
  return {kind,
          fmt::format("The lanes {} shared memory at addresses that meet in few banks: {}.", verb,
                      meet),
          "Let neighbouring lanes use neighbouring words. Where data chooses the word, keep one "
          "copy of the table per bank or per warp."};
}

}  // namespace warpscope
