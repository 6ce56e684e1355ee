// profiling/warps/warp_timeline.h: what the warps of one launch did and when, recorded by probes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/points/measurement.h"

// Probes are put into the PTX of a kernel. At each of them one lane of a warp notes the clock of
// its multiprocessor and the number of the probe:
//
//   for (const WarpRow& row : timeline.rows)
//     for (const WarpRecord& at : row.records) show(timeline.spans[at.span()], at.is_end(),
//     at.cycle);

namespace warpscope {

enum class SpanKind : std::uint8_t {
  barrier,       // bar.sync: other warps of the block, or of a part of it
  mbarrier,      // try_wait of an mbarrier: warps, or copies
  copies,        // cp.async.wait_group
  bulk_copies,   // cp.async.bulk.wait_group: stores of bulk copies
  products,      // wgmma.wait_group
  cluster,       // barrier.cluster.wait
  loop,          // from before its first iteration to after its last
  line,          // instructions of a line that was asked for
  issue_copy,    // a moment: a copy is started, or a group of copies is closed
  issue_product  // a moment: a group of wgmma products is closed
};
// "mbarrier", as messages and exports have it.
const char* to_text(SpanKind kind);
bool is_wait(SpanKind kind);
bool is_moment(SpanKind kind);

// Where probes were put in, or would be.
struct ProbedSpan {
  SpanKind kind = SpanKind::barrier;
  SourcePosition position;
  std::string text;         // the instruction, or "loop"
  int depth = 0;            // of a loop: 1 if it is in no other
  bool dropped = false;     // its probes would have made the kernel too slow
  std::int64_t hits = 0;    // records of it, in the warps that were recorded with all probes …
  std::uint32_t warps = 0;  // … and which warps of a block passed it: a bit for each of up to 32
  bool operator==(const ProbedSpan&) const = default;
};

struct WarpRecord {
  std::int64_t cycle = 0;   // from the first record of the launch on
  std::uint32_t probe = 0;  // 2 · span, and 1 more at its end
  std::uint32_t span() const { return probe / 2; }
  bool is_end() const { return probe % 2 == 1; }
  bool operator==(const WarpRecord&) const = default;
};

struct WarpRow {
  std::int64_t block = 0;            // linear index in the grid
  int warp = 0;                      // of the block
  int multiprocessor = 0, slot = 0;  // %smid, %warpid
  std::int64_t begin = 0, end = 0;   // cycles, as of the records
  std::int64_t lost = 0;             // records that found no room
  std::vector<WarpRecord> records;   // by cycle
};

struct WarpTimeline {
  std::int64_t job = 0;
  std::string scene, variant, key, step, entry, source;
  std::vector<ProbedSpan> spans;
  std::vector<WarpRow> rows;  // by block, then warp
  std::int64_t blocks = 0;    // of the grid; the first of them were recorded
  int warps_per_block = 0;
  double clock_hz = 0;           // of the multiprocessors during the launch; 0: not known
  double aligned_within_ns = 0;  // how far the clocks of multiprocessors may be apart
  // Medians of the whole kernel, and how many launches each is of.
  double plain_ns = 0, probed_ns = 0, all_probes_ns = 0;
  int launches = 0;
  int plain_registers = 0, probed_registers = 0;
  std::vector<std::string> notes;  // sentences: what is not recorded, and why
  Conditions conditions;

  // By how much the probes that were used make the kernel slower; below 0: not at all.
  double slowdown_ratio() const { return plain_ns > 0 ? probed_ns / plain_ns - 1 : 0; }
  std::int64_t recorded_blocks() const {
    return warps_per_block > 0 ? static_cast<std::int64_t>(rows.size()) / warps_per_block : 0;
  }
};

// Probes that make a kernel slower than this are dropped, those that are passed most first.
inline constexpr double kMostProbeSlowdown = 0.05;

}  // namespace warpscope
