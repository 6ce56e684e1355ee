// profiling/emulator/probes/probe_records.cpp: the buffers of probes, and what is read from them.
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "profiling/emulator/probes/ptx_probes.h"

namespace warpscope {
namespace {

// A slot holds the two records of a wait, or another one.
constexpr std::int64_t kLanes = 32, kProbeSlotBytes = 16;
constexpr std::int64_t kFewestSlots = 32, kMostSlots = 2048;
constexpr std::int64_t kOtherLanes = 8;  // the first lane's slots for one of another lane
constexpr double kNsPerSecond = 1e9;

// The middle value; 0 of none.
double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

struct Reading {
  std::uint64_t ns = 0, clock = 0;
};
double less(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(static_cast<std::int64_t>(a - b));
}
using Readings = std::map<int, std::vector<Reading>>;  // by multiprocessor

double slope_hz(const Readings& readings) {
  std::vector<double> slopes;
  for (const auto& [multiprocessor, all] : readings) {
    const auto [first, last] = std::minmax_element(
        all.begin(), all.end(), [](const Reading& a, const Reading& b) { return a.ns < b.ns; });
    constexpr double kShortestNs = 4000;  // the time is counted in steps of up to 1 µs
    const double ns = less(last->ns, first->ns);
    if (ns >= kShortestNs) slopes.push_back(less(last->clock, first->clock) / ns * kNsPerSecond);
  }
  return middle(std::move(slopes));
}

// The records of one lane, as they were written: some later than others that began after them. The
// upper half of each clock is what brings it nearest to the one before. The last clock of a slot is
// the latest.
void read_lane(const std::byte* at, std::int64_t most, std::uint64_t begin_clock,
               std::vector<WarpRecord>& into) {
  std::uint64_t clock = begin_clock;
  for (std::int64_t k = 0; k < most; ++k) {
    std::uint32_t slot[4];
    std::memcpy(slot, at + k * kProbeSlotBytes, sizeof slot);
    if (slot[1] == 0) return;
    const bool pair = slot[3] != 0;
    clock += static_cast<std::uint64_t>(std::int64_t{
        static_cast<std::int32_t>(slot[pair ? 2 : 0] - static_cast<std::uint32_t>(clock))});
    const std::uint64_t first =
        pair ? clock - static_cast<std::uint32_t>(slot[2] - slot[0]) : clock;
    into.push_back({static_cast<std::int64_t>(first), slot[1] - 1});
    if (pair) into.push_back({static_cast<std::int64_t>(clock), slot[3] - 1});
  }
}

// One warp as its buffers have it; clocks are its multiprocessor's own.
WarpRow read_row(const ProbeHeader& header, const std::byte* records, const ProbeSetup& setup,
                 std::set<std::uint32_t>& other_lanes) {
  WarpRow row;
  row.multiprocessor = static_cast<int>(header.multiprocessor);
  row.slot = static_cast<int>(header.slot);
  row.begin = static_cast<std::int64_t>(header.begin_clock);
  row.lost = header.lost;
  const std::int64_t first = setup.first_lane_slots;
  for (const std::int64_t skip : {std::int64_t{0}, first})
    read_lane(records + skip * kProbeSlotBytes, first, header.begin_clock, row.records);
  const std::size_t of_first = row.records.size();
  for (int lane = 1; lane < kLanes; ++lane) {
    const std::int64_t skip = 2 * first + std::int64_t{lane - 1} * setup.other_lane_slots;
    read_lane(records + skip * kProbeSlotBytes, setup.other_lane_slots, header.begin_clock,
              row.records);
  }
  for (std::size_t k = of_first; k < row.records.size(); ++k)
    other_lanes.insert(row.records[k].probe);
  std::stable_sort(row.records.begin(), row.records.end(),
                   [](const WarpRecord& a, const WarpRecord& b) { return a.cycle < b.cycle; });
  row.end = static_cast<std::int64_t>(header.end_clock);
  if (!row.records.empty()) row.end = std::max(row.end, row.records.back().cycle);
  row.end = std::max(row.end, row.begin);
  return row;
}

// The clock of each multiprocessor at the same time, and how well that is known.
std::map<int, std::int64_t> aligned(const Readings& readings, ReadWarps& read) {
  std::map<int, std::int64_t> offsets;
  read.clock_hz = slope_hz(readings);
  std::vector<double> spreads;
  // All count from the first reading: a double would lose the low bits of the time.
  const Reading origin = readings.empty() ? Reading{} : readings.begin()->second.front();
  for (const auto& [multiprocessor, all] : readings) {
    std::vector<double> apart;
    for (const Reading& at : all)
      apart.push_back(less(at.clock, origin.clock) -
                      read.clock_hz / kNsPerSecond * less(at.ns, origin.ns));
    const auto [low, high] = std::minmax_element(apart.begin(), apart.end());
    if (read.clock_hz > 0) spreads.push_back((*high - *low) / read.clock_hz * kNsPerSecond);
    offsets[multiprocessor] =
        static_cast<std::int64_t>(origin.clock) + static_cast<std::int64_t>(middle(apart));
  }
  read.aligned_within_ns = middle(std::move(spreads));
  return offsets;
}

}  // namespace

ProbeSetup probe_setup(std::int64_t grid_blocks, int warps_per_block, std::int64_t bytes) {
  // Two buffers of lane 0, and those of other lanes, which take no more than four: multiples of
  // lane 0's.
  const auto per_warp = [](std::int64_t slots) { return 6 * slots * kProbeSlotBytes; };
  static_assert((kLanes - 1) <= 4 * kOtherLanes);
  constexpr std::int64_t kUsualSlots = 128;
  const std::int64_t warps = std::max(1, warps_per_block);
  const std::int64_t most_blocks =
      std::max<std::int64_t>(1, bytes / (warps * per_warp(kUsualSlots)));
  ProbeSetup setup;
  const std::int64_t blocks = std::min(grid_blocks, most_blocks);
  std::int64_t slots = kFewestSlots;
  while (slots < kMostSlots && blocks * warps * per_warp(2 * slots) <= bytes) slots *= 2;
  setup.blocks = static_cast<std::uint32_t>(blocks);
  setup.first_lane_slots = static_cast<std::uint32_t>(slots);
  setup.other_lane_slots = static_cast<std::uint32_t>(slots / kOtherLanes);
  setup.bytes_per_warp = static_cast<std::uint32_t>(per_warp(slots));
  return setup;
}

std::int64_t aligned_to(const ProbeSetup& setup) {
  return setup.first_lane_slots * kProbeSlotBytes;
}
std::int64_t record_bytes(const ProbeSetup& setup, int warps_per_block) {
  return std::int64_t{setup.blocks} * warps_per_block * setup.bytes_per_warp + aligned_to(setup);
}
std::int64_t header_bytes(const ProbeSetup& setup, int warps_per_block) {
  return std::int64_t{setup.blocks} * warps_per_block *
         static_cast<std::int64_t>(sizeof(ProbeHeader));
}

ReadWarps read_warp_rows(std::span<const std::byte> records, std::span<const std::byte> headers,
                         const ProbeSetup& setup, int warps_per_block) {
  ReadWarps read;
  Readings readings;
  for (std::size_t w = 0; w < headers.size() / sizeof(ProbeHeader); ++w) {
    ProbeHeader header;
    std::memcpy(&header, headers.data() + w * sizeof header, sizeof header);
    const std::size_t from = w * setup.bytes_per_warp;
    if (header.present == 0 || from + setup.bytes_per_warp > records.size()) continue;
    WarpRow& row =
        read.rows.emplace_back(read_row(header, records.data() + from, setup, read.other_lanes));
    row.block = setup.first_block + static_cast<std::int64_t>(w) / warps_per_block;
    row.warp = static_cast<int>(w) % warps_per_block;
    std::vector<Reading>& own = readings[row.multiprocessor];
    own.push_back({header.begin_ns, header.begin_clock});
    if (header.end_ns > 0) own.push_back({header.end_ns, header.end_clock});
  }
  const std::map<int, std::int64_t> offsets = aligned(readings, read);
  const auto move = [](WarpRow& row, std::int64_t by) {
    row.begin -= by;
    row.end -= by;
    for (WarpRecord& at : row.records) at.cycle -= by;
  };
  std::int64_t first = INT64_MAX;
  for (WarpRow& row : read.rows) {
    move(row, offsets.at(row.multiprocessor));
    first = std::min(first, row.begin);
  }
  for (WarpRow& row : read.rows) move(row, first);
  return read;
}

}  // namespace warpscope
