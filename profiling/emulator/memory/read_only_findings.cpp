// profiling/emulator/memory/read_only_findings.cpp: read-only loads of what is written, as
// sentences.
#include "profiling/emulator/memory/access_path.h"

namespace warpscope {

bool meets_read_only_load(const Warp& warp, const Instruction& i, const MemoryBuffer& buffer,
                          std::uint64_t offset, std::uint64_t bytes, bool writes) {
  if (!writes && (i.flags & kFlagReadOnly) == 0) return false;
  using Which = ReadOnlyLoads::Side;
  const Worker& worker = *warp.worker;
  const auto pc = static_cast<std::uint32_t>(&i - worker.kernel->code.data());
  return !worker.run->read_only_loads->note(writes ? Which::written : Which::loaded, buffer, offset,
                                            bytes, pc);
}

// The fault is the load's, wherever it was seen.
void fault_stale_read(Warp& warp, const Instruction& i, const MemoryBuffer& b, std::uint32_t lanes,
                      std::uint64_t offset, std::uint64_t width, bool writes) {
  using Which = ReadOnlyLoads::Side;
  const Worker& k = *warp.worker;
  const ReadOnlyLoads::Meeting met =
      k.run->read_only_loads->meeting(writes ? Which::loaded : Which::written, b, offset, width);
  const Instruction& other = k.kernel->code[met.pc];
  const Instruction &load = writes ? other : i, &store = writes ? i : other;
  if (!fault_is_first(warp, load, FaultKind::stale_read, lanes)) return;
  std::int64_t index = -1;
  const std::string name = element_name(b, static_cast<std::int64_t>(met.offset), &index);
  std::string text = k.source(load).opcode + " reads " + name +
                     " through the read-only cache, and " + k.source(store).opcode + " at " +
                     place_of(k, store) + " writes it " + (writes ? "later " : "") +
                     "in the same launch: load it without __ldg or const __restrict__";
  if (writes) text += "; it is written by this thread";
  tell_fault(warp, load, FaultKind::stale_read, lanes, text, b.spec.name, index);
}

}  // namespace warpscope
