// profiling/emulator/state/faults.cpp: faults as sentences: line, block, thread, buffer and by how
// much.
#include <algorithm>
#include <bit>

#include "profiling/emulator/state/worker.h"

namespace warpscope {

bool FaultLog::first(FaultKind kind, std::uint32_t source, std::int64_t count) {
  const auto found = entries_.find({source, kind});
  if (found == entries_.end()) return true;
  found->second.fault.count += count;
  return false;
}

void FaultLog::tell(FaultKind kind, std::uint32_t source, Entry entry) {
  entries_.emplace(std::pair{source, kind}, std::move(entry));
}

void FaultLog::need(FaultKind kind, std::uint32_t source, const std::string& buffer,
                    std::int64_t elements) {
  const auto found = entries_.find({source, kind});
  if (found == entries_.end()) return;
  Fault& fault = found->second.fault;
  const bool held = elements > 0 && fault.needed >= 0 && fault.buffer == buffer;
  fault.needed = held ? std::max(fault.needed, elements) : -1;
}

std::string place_of(const Worker& worker, const Instruction& i) {
  const SourcePosition& p = worker.source(i).position;
  if (p.line == 0) return worker.kernel->entry;
  return p.file + ":" + std::to_string(p.line);
}

Dim3 thread_of(const Worker& worker, const Warp& warp, int lane) {
  const std::int64_t t = std::int64_t{warp.index} * kWarpLanes + lane;
  const Dim3& size = worker.run->launch.block;
  return {t % size.x, t / size.x % size.y, t / (size.x * size.y)};
}

void note_fault(Warp& warp, const Instruction& i, FaultKind kind, std::uint32_t lanes,
                const std::string& detail, const std::string& buffer, std::int64_t index) {
  if (!fault_is_first(warp, i, kind, lanes)) return;
  tell_fault(warp, i, kind, lanes, detail, buffer, index);
}

bool fault_is_first(Warp& warp, const Instruction& i, FaultKind kind, std::uint32_t lanes) {
  return warp.worker->faults.first(kind, i.source, lanes == 0 ? 1 : std::popcount(lanes));
}

void tell_fault(Warp& warp, const Instruction& i, FaultKind kind, std::uint32_t lanes,
                const std::string& detail, const std::string& buffer, std::int64_t index) {
  Worker& worker = *warp.worker;
  const auto triple = [](const Dim3& d) {
    return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) +
           ")";
  };
  FaultLog::Entry entry;
  entry.block = worker.block_index;
  Fault& fault = entry.fault;
  fault.kind = kind;
  fault.position = worker.source(i).position;
  fault.block = worker.block;
  fault.thread = thread_of(worker, warp, lanes == 0 ? 0 : std::countr_zero(lanes));
  fault.buffer = buffer;
  fault.index = index;
  fault.count = lanes == 0 ? 1 : std::popcount(lanes);
  fault.sentence = place_of(worker, i) + ": " + detail + " (block " + triple(fault.block) +
                   ", thread " + triple(fault.thread) + ")";
  worker.faults.tell(kind, i.source, std::move(entry));
}

}  // namespace warpscope
