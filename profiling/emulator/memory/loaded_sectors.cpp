// profiling/emulator/memory/loaded_sectors.cpp: which sectors of global memory the loads of a run
// touched.
#include "profiling/emulator/memory/loaded_sectors.h"

#include <bit>

namespace warpscope {

void note_loaded(Worker& worker, const MemoryBuffer& buffer, std::uint64_t offset,
                 std::uint64_t bytes) {
  constexpr std::uint64_t kWordBits = 64;
  if (worker.loaded.size() <= buffer.index) worker.loaded.resize(buffer.index + 1);
  std::vector<std::uint64_t>& bits = worker.loaded[buffer.index];
  if (bits.empty()) {
    const auto sectors = static_cast<std::uint64_t>((buffer.bytes - 1) / kSectorBytes + 1);
    bits.assign((sectors - 1) / kWordBits + 1, 0);
  }
  const std::uint64_t last = (offset + bytes - 1) / kSectorBytes;
  for (std::uint64_t s = offset / kSectorBytes; s <= last; ++s)
    bits[s / kWordBits] |= 1ull << s % kWordBits;
}

void note_loaded(Worker& worker, const MemoryBuffer& buffer, const Access& access,
                 std::uint32_t lanes, int width) {
  const auto w = static_cast<std::uint64_t>(width);
  if (access.contiguous && lanes == kAllLanes)
    return note_loaded(worker, buffer, access.address[0] - buffer.address, w * kWarpLanes);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    note_loaded(worker, buffer, access.address[std::countr_zero(rest)] - buffer.address, w);
}

std::int64_t loaded_sectors(const std::vector<Worker>& workers) {
  std::int64_t count = 0;
  std::vector<std::vector<std::uint64_t>> all;
  for (const Worker& w : workers) {
    if (all.size() < w.loaded.size()) all.resize(w.loaded.size());
    for (std::size_t b = 0; b < w.loaded.size(); ++b) {
      if (all[b].size() < w.loaded[b].size()) all[b].resize(w.loaded[b].size(), 0);
      for (std::size_t k = 0; k < w.loaded[b].size(); ++k) all[b][k] |= w.loaded[b][k];
    }
  }
  for (const std::vector<std::uint64_t>& bits : all) {
    for (const std::uint64_t word : bits) count += std::popcount(word);
  }
  return count;
}

}  // namespace warpscope
