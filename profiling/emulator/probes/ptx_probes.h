// profiling/emulator/probes/ptx_probes.h: probes in the PTX of a kernel, which note when a warp
// passes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/warps/warp_timeline.h"
#include "scenes/host/result.h"

// At a probe one lane of a warp writes the clock and the probe's number into its own buffer. Before
// a wait it only reads the clock: both probes of the wait are written after it. Registers, barriers
// and memory of the kernel stay as they are. The kernel finds the buffers by a variable of the
// module:
//
//   Result<ProbedPtx> probed = with_probes(ptx, "warp_row", {});
//   // load probed->ptx, and write a ProbeSetup into its variable kProbeSetupName
//   ReadWarps read = read_warp_rows(records, headers, setup, warps_per_block);
//
// Which lane that is must be found at each probe, which takes most of its time. Most probes are
// passed by lane 0 whenever they are passed at all: a run with all of them says which are not, and
// the next PTX looks for the first active lane at these alone (ProbeChoice::elected).

namespace warpscope {

// Where probes are wanted.
struct ProbePlaces {
  bool waits = true;       // mbarriers, copies, products, clusters
  bool barriers = true;    // bar.sync
  bool loops = true;       // their entries and exits
  std::vector<int> lines;  // of the kernel's own file
};

struct ProbedPtx {
  std::string ptx;
  std::vector<ProbedSpan> spans;  // all, whether or not they are dropped
  bool calls = false;             // functions that are not inlined have no probes
};

struct ProbeChoice {
  std::set<std::size_t> dropped;  // indices of spans that get no probes
  // The probes at which the first active lane writes; at others lane 0 does. No value: at all.
  std::optional<std::set<std::uint32_t>> elected;
  // Waits (indices of spans) whose record is kept in registers and written when such a wait begins
  // the next time: a fence after the wait does not wait for the record then. Those that are long,
  // because the record is written in their time.
  std::set<std::size_t> late;
};

// error: input, as read_ptx_body; usage, a line that has no instruction.
Result<ProbedPtx> with_probes(std::string_view ptx, std::string_view entry,
                              const ProbePlaces& places, const ProbeChoice& choice = {});

inline constexpr const char* kProbeSetupName = "warpscope_probe_setup";

// What the variable holds, as the kernel reads it. Zeros: nothing is recorded.
struct ProbeSetup {
  std::uint64_t records = 0;  // address of the buffers: one per recorded warp
  std::uint64_t headers = 0;  // address of a ProbeHeader per recorded warp
  std::uint32_t first_block = 0, blocks = 0;
  // That the buffer of lane 0 holds, and those of other lanes; a slot holds a wait, or one record.
  // Lane 0 has two buffers: one for probes at which it alone writes, then one for those at which
  // the first active lane does.
  std::uint32_t first_lane_slots = 0, other_lane_slots = 0;
  std::uint32_t bytes_per_warp = 0, unused = 0;
};
static_assert(sizeof(ProbeSetup) == 40);

// What a warp says of itself.
struct ProbeHeader {
  std::uint64_t begin_ns = 0, begin_clock = 0;  // %globaltimer and %clock64 when it begins
  std::uint64_t end_ns = 0, end_clock = 0;      // … and ends
  std::uint32_t multiprocessor = 0, slot = 0, lost = 0, present = 0;
};
static_assert(sizeof(ProbeHeader) == 48);

// A setup for as many blocks as their buffers find room for, without addresses: at most `bytes`,
// and at least 32 slots for the first lane.
ProbeSetup probe_setup(std::int64_t grid_blocks, int warps_per_block, std::int64_t bytes);
// With room to begin at a multiple of aligned_to(): no buffer of a lane then reaches over a
// multiple of 4 GiB, and a probe moves on in it by adding to 32 bits of the address.
std::int64_t record_bytes(const ProbeSetup& setup, int warps_per_block);
std::int64_t aligned_to(const ProbeSetup& setup);
std::int64_t header_bytes(const ProbeSetup& setup, int warps_per_block);

// The clocks of multiprocessors are aligned by the time that each warp read beside its own.
struct ReadWarps {
  std::vector<WarpRow> rows;
  double clock_hz = 0;                  // 0: the launch was too short to tell
  double aligned_within_ns = 0;         // the widest spread of that time within a multiprocessor
  std::set<std::uint32_t> other_lanes;  // probes that lanes other than 0 wrote
};
// `records`, from setup.records on, and `headers` as they lie in memory after the launch; both were
// zeros before.
ReadWarps read_warp_rows(std::span<const std::byte> records, std::span<const std::byte> headers,
                         const ProbeSetup& setup, int warps_per_block);

}  // namespace warpscope
