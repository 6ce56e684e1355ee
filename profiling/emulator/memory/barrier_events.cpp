// profiling/emulator/memory/barrier_events.cpp: notes what the warps of the traced block do at
// barriers.
#include "profiling/emulator/memory/barrier_events.h"

#include <algorithm>
#include <cctype>

#include "profiling/emulator/memory/access_path.h"

namespace warpscope {
namespace {

std::uint32_t traced_barrier(Worker& worker, BarrierFamily family, std::int64_t id) {
  std::vector<TracedBarrier>& list = worker.traced_barriers;
  const auto found = std::find_if(list.begin(), list.end(), [&](const TracedBarrier& b) {
    return b.family == family && b.id == id;
  });
  const auto index = static_cast<std::uint32_t>(found - list.begin());
  if (found == list.end()) {
    list.push_back({family, id,
                    family == BarrierFamily::mbarrier ? mbarrier_name(worker, id)
                                                      : "barrier " + std::to_string(id)});
  }
  return index;
}

void note(Warp& w, const Instruction& i, BarrierMark mark, std::uint32_t barrier,
          std::int64_t phase, std::uint32_t lanes) {
  std::vector<BarrierEvent>& events = w.worker->barrier_events;
  if (!events.empty()) {
    BarrierEvent& last = events.back();
    // Lanes of one instruction come one after the other.
    if (last.warp == w.index && last.barrier == barrier && last.mark == mark &&
        last.phase == phase && last.instruction == i.source && last.order == w.order &&
        (last.lanes & lanes) == 0) {
      last.lanes |= lanes;
      return;
    }
  }
  if (events.size() >= kMostBarrierEvents) return;
  events.push_back(
      {w.index, barrier, mark, phase, lanes, i.source, w.worker->source(i).position.line, w.order});
}

}  // namespace

void note_block_barrier_event(Warp& w, const Instruction& i, BarrierMark mark, std::uint32_t id,
                              std::uint32_t lanes) {
  note(w, i, mark, traced_barrier(*w.worker, BarrierFamily::block, id),
       w.worker->barriers[id].phase, lanes);
}

void note_mbarrier_event(Warp& w, const Instruction& i, BarrierMark mark, int barrier, int lane,
                         std::int64_t phases) {
  const AsyncBarrier& b = w.worker->async_barriers[barrier];
  note(w, i, mark, traced_barrier(*w.worker, BarrierFamily::mbarrier, b.offset),
       std::int64_t{b.phase} - b.first_phase + phases, 1u << lane);
}

std::string plain_name(const std::string& symbol) {
  // _ZZ <function> E <length> <name>, and what tells equal names apart.
  const std::size_t end = symbol.starts_with("_ZZ") ? symbol.rfind('E') : std::string::npos;
  std::size_t at = end == std::string::npos ? 0 : end + 1;
  if (end == std::string::npos && symbol.starts_with("_ZN")) at = 3;
  if (at == 0) return symbol;
  std::string name;
  while (at < symbol.size() && std::isdigit(static_cast<unsigned char>(symbol[at])) != 0) {
    std::size_t length = 0;
    while (at < symbol.size() && std::isdigit(static_cast<unsigned char>(symbol[at])) != 0) {
      length = std::min<std::size_t>(length * 10 + static_cast<std::size_t>(symbol[at++] - '0'),
                                     symbol.size());
    }
    name = symbol.substr(at, length);
    at += length;
  }
  return name.empty() ? symbol : name;
}

std::string mbarrier_name(const Worker& worker, std::int64_t offset) {
  constexpr int kBytes = 8;
  const SharedPlace place = shared_place(worker, offset, kBytes);
  if (place.index < 0) return "shared byte " + std::to_string(offset);
  for (const KernelCode::SharedVariable& v : worker.kernel->shared_variables) {
    if (v.name != place.buffer) continue;
    constexpr std::int64_t kMostBytes = 512;  // of an array that has nothing but barriers
    const std::int64_t at = offset - v.offset;
    if (v.bytes == 0) break;  // dynamic: what lies there has no name
    if (v.bytes == kBytes) return plain_name(v.name);
    if (v.bytes <= kMostBytes && v.bytes % kBytes == 0 && at % kBytes == 0)
      return plain_name(v.name) + "[" + std::to_string(at / kBytes) + "]";
    return plain_name(v.name) + " + " + std::to_string(offset - v.offset);
  }
  return "shared byte " + std::to_string(offset);
}

}  // namespace warpscope
