// profiling/access/access.h: warp memory requests and what the memory system makes of them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/access/lane_addresses.h"
#include "scenes/base/device_units.h"

// A warp request is one memory instruction of one warp, with the address of every active lane. The
// functions below count what a request costs by the rules that equalled hardware counters on an
// H200 (compute capability 9.0); each rule is a constant with its source.

namespace warpscope {

enum class Space : std::uint8_t { global, shared, local, constant };
const char* to_text(Space space);  // "global"

enum class AccessKind : std::uint8_t {
  load,
  store,
  atomic,          // atom: the old value is used
  reduction,       // red: the old value is not used
  async_copy,      // cp.async: a load of global memory and a store to shared memory, two requests
  matrix_load,     // ldmatrix
  matrix_store,    // stmatrix
  bulk_copy,       // cp.async.bulk: global to shared memory, one request for each issuing lane
  bulk_store,      // the other way round
  bulk_reduction,  // cp.reduce.async.bulk: the same, combined with what is there
  product_read,    // wgmma: 16-byte pieces of A or B, four core matrices of 8 × 16 bytes per
                   // request
};
const char* to_text(AccessKind kind);  // "load"
// Copies of whole ranges and boxes, whose costs stand in their requests.
bool is_bulk(AccessKind kind);

// What the copies that a request asked for in bulk read or write of global memory: distinct bytes,
// and the distinct 32-byte sectors and 128-byte lines that hold them, copy by copy. Elements of a
// box that lie outside its tensor are zeros that nothing reads.
struct BulkCost {
  std::int64_t bytes = 0, sectors = 0, lines = 0;
  bool operator==(const BulkCost&) const = default;
};

// Offsets of shared memory below this are of the block's own. The offset in the block of a rank is
// (rank + 1) times as much further.
inline constexpr std::uint64_t kOwnSharedBytes = 1ULL << 24;

struct WarpRequest {
  std::uint32_t site = 0;    // index into Trace::sites
  std::uint32_t warp = 0;    // in its block
  std::int64_t block = 0;    // x + grid.x·(y + grid.y·z)
  std::uint64_t order = 0;   // warp instructions of this warp before it, the "time" of diagrams
  std::uint32_t active = 0;  // bit of every lane that takes part
  // The address of the first byte that each active lane touches; 0 for the others. Global and
  // local: virtual addresses as kernels see them; shared: offset in the block's shared memory, and
  // from kOwnSharedBytes on the memory of another block of the cluster (lanes_in_other_blocks).
  std::array<std::uint64_t, kWarpLanes> addresses{};
  BulkCost bulk;  // of bulk kinds: the addresses are where the copies begin
  bool operator==(const WarpRequest&) const = default;
};

// What requests cost, summed over any number of them.
struct AccessTotals {
  std::int64_t requests = 0;      // l1tex__t_requests…: with at least one active lane
  std::int64_t lanes = 0;         // active lanes
  std::int64_t lane_bytes = 0;    // active lanes × width
  std::int64_t unique_bytes = 0;  // distinct bytes touched, request by request
  // Global and local memory.
  std::int64_t sectors = 0;        // l1tex__t_sectors…: distinct 32-byte sectors
  std::int64_t ideal_sectors = 0;  // ⌈unique bytes / 32⌉, request by request
  std::int64_t lines = 0;          // distinct 128-byte lines (tags)
  // Shared memory.
  std::int64_t wavefronts = 0;        // l1tex__data_pipe_lsu_wavefronts_mem_shared…
  std::int64_t ideal_wavefronts = 0;  // without bank conflicts, for the words touched
  std::int64_t worst_ways = 0;        // most wavefronts one conflict-free group took
  // Shared memory of other blocks of the cluster, which is in no wavefronts. An instruction's
  // memory is global or shared, so these have no fields of their own: a sum is added up for every
  // request.
  std::int64_t remote_requests() const { return lines; }  // with a lane that goes there
  // l1tex__m_xbar2l1tex_read_sectors_mem_dshared: see add_remote
  std::int64_t remote_sectors() const { return sectors; }
  AccessTotals& operator+=(const AccessTotals& other);
  bool operator==(const AccessTotals&) const = default;
  // unique bytes ÷ (32 × sectors), 0 … 1; 1 when nothing was touched.
  double sector_efficiency() const;
  double sectors_per_request() const;  // 0 when there is no request
};

// A place in source text; `inlined_at` leads outward from the innermost function to the kernel.
struct SourcePosition {
  std::string file;  // as the compiler was given it: "csrmm/warp_row.cu"
  int line = 0;      // 1-based; 0: made by the compiler
  int column = 0;
  bool operator==(const SourcePosition&) const = default;
};

// One memory instruction of the program with all its requests summed.
struct AccessSite {
  std::uint32_t instruction = 0;  // index in the kernel's instruction list
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  int width_bytes = 4;      // a lane's bytes: 1, 2, 4, 8 or 16
  SourcePosition position;  // the first line of the person's own text, walking outward
  std::vector<SourcePosition> inlined_at;  // from the innermost outward, when inlined
  std::string text;                        // "ld.global.nc.v4.f32"
  std::string buffer;                      // the buffer most requests touch; empty: not known
  // An atomic at one address for all lanes, which the compiler adds up in the warp first: its
  // requests have one lane, the one that goes to memory.
  bool merged = false;
  AccessTotals totals;
};

// Sectors, lines and bytes of one request to global or local memory. Lanes of a `reduction` or an
// `atomic` that share an address go one after another, and each pass counts its sectors (measured
// on an H200: eight lanes on each of four addresses of a sector make 8 sectors, pairs of lanes
// twice those of their addresses, with and without use of the old value). Lanes that the compiler
// adds up first are one lane of the request: AccessSite::merged. The cost of a bulk copy is in its
// request, one request per lane.
AccessTotals global_cost(const WarpRequest& request, int width_bytes, AccessKind kind);

// Wavefronts of one request to shared memory: a wavefront serves one 4-byte word per bank to any
// number of lanes. Requests with 8-byte lanes are served by half-warps, those with 16-byte lanes by
// quarter-warps, and each part has its own cost. A load of 8 bytes is served whole, and one of 16
// bytes by half-warps, if one of two things is so: each active lane's neighbour at distance 1 is
// inactive or has the same address; or each active lane's neighbour at distance 2.
// source: l1tex__data_pipe_lsu_wavefronts_mem_shared of an H200 counted exactly so for 1200 random
// requests that the rule was found from and for 1200 others, 1799 loads and 601 stores
// (tests/emulator/calibration/wavefronts). The counter smsp__sass_l1tex_data_pipe_… differs for
// some loads of 16 bytes with inactive lanes. For wgmma (product_read), eight pieces of 16 bytes, a
// core matrix, are served together. source: counted with all of shared memory (profiling/emulator).
// For lanes that go to another block, see add_remote.
AccessTotals shared_cost(const WarpRequest& request, int width_bytes, AccessKind kind);

// The same, added to sums, for the lanes in `active`.
void add_global(AccessTotals& totals, LaneAddresses addresses, std::uint32_t active,
                int width_bytes, AccessKind kind);
void add_shared(AccessTotals& totals, LaneAddresses addresses, std::uint32_t active,
                int width_bytes, AccessKind kind);
// The lanes of a request to shared memory that go to another block of the cluster.
std::uint32_t lanes_in_other_blocks(LaneAddresses addresses, std::uint32_t active);
// Like add_shared, for a request some of whose lanes go to other blocks. Their bytes come in
// distinct 32-byte sectors and count no wavefront. source: for loads, exactly what an H200 counted
// for 10 patterns of 4 and 16 bytes per lane (tests/emulator/hopper/cluster_probes.cu).
void add_remote(AccessTotals& totals, LaneAddresses addresses, std::uint32_t active,
                int width_bytes, AccessKind kind);

// Sectors of a copy of 16 bytes per lane that bypasses L1 (cp.async.cg), whose lanes read `from`
// and write `to`. A 32-byte sector of shared memory counts once for every 128-byte line of global
// memory from which some of it comes. source: exactly what an H200 counted for 522 copies between
// all kinds of places.
std::int64_t copied_sectors(LaneAddresses from, LaneAddresses to, std::uint32_t lanes);

// One wavefront of a shared-memory request, for drawing: the word index and the lanes in each bank.
struct Wavefront {
  std::array<std::int64_t, kSharedBanks> word;  // word index (byte offset / 4), -1: bank is idle
  std::array<std::uint32_t, kSharedBanks> lanes{};  // bit of every lane served by the bank
};
// As many as shared_cost(...).wavefronts, in an order that hardware might take. They are followed
// by those in which the banks of other blocks would serve the lanes that go there, which no counter
// counts.
std::vector<Wavefront> wavefronts(const WarpRequest& request, int width_bytes, AccessKind kind);

// One 128-byte line of a global request, for drawing.
struct TouchedLine {
  std::uint64_t address = 0;  // multiple of 128
  std::array<std::uint32_t, 32>
      word_lanes{};  // bit of every lane touching a byte of the 4-byte word
  std::array<std::uint8_t, 32> word_bytes{};  // bit of every touched byte of the word (0 … 15)
  std::uint8_t sectors = 0;                   // bit of every touched sector (0 … 15)
  int used_bytes() const;
  int fetched_bytes() const {
    return std::popcount(static_cast<unsigned>(sectors)) * static_cast<int>(kSectorBytes);
  }
};
// By rising address.
std::vector<TouchedLine> touched_lines(const WarpRequest& request, int width_bytes);

// The request in a sentence a student understands: "32 lanes × 16 B → 16 sectors in 4 lines:
// ideal"; "3 wavefronts where 1 would do (3-way conflict on banks 0, 8, 16, 24)".
std::string describe(const WarpRequest& request, const AccessSite& site);

}  // namespace warpscope
