// profiling/emulator/memory/global_findings.cpp: what two blocks did to one word, and read-only
// loads of what is written, as sentences.
#include <cstring>

#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/state/worker.h"

namespace warpscope {

void note_block_race(Worker& worker, const BlockMeeting& meeting) {
  const Instruction& i = *meeting.instruction;
  Warp& warp = *meeting.warp;
  const std::uint32_t lanes = 1u << meeting.lane;
  if (!fault_is_first(warp, i, FaultKind::block_race, lanes)) return;
  const RunShared& run = *worker.run;
  const Dim3& grid = run.launch.grid;
  const std::int64_t other = meeting.other_block;
  std::int64_t index = -1;
  const std::string name = element_name(*meeting.buffer, meeting.offset, &index);
  const SourcePosition& there = worker.kernel->sources[meeting.other_source].position;
  std::string text = worker.source(i).opcode + verb_of(meeting.intent) + name + ", which block (" +
                     std::to_string(other % grid.x) + ", " +
                     std::to_string(other / grid.x % grid.y) + ", " +
                     std::to_string(other / (grid.x * grid.y)) + ")" +
                     (meeting.other_writes ? " writes" : " reads");
  if (there.line > 0) text += " at " + there.file + ":" + std::to_string(there.line);
  text +=
      ", and nothing orders the two: use an atomic, or hand it over by __threadfence and a flag";
  if (!run.options->blocks.empty()) {
    text += "; of the grid only " + std::to_string(run.options->blocks.size()) +
            " blocks were run and compared";
  }
  tell_fault(warp, i, FaultKind::block_race, lanes, text, meeting.buffer->spec.name, index);
}

void settle_block_meetings(Worker& worker) {
  for (const BlockMeeting& meeting : worker.block_meetings) {
    // What leaves the value as it is harms nobody.
    if (std::memcmp(meeting.bytes, &meeting.old, static_cast<std::size_t>(meeting.width)) == 0) {
      continue;
    }
    note_block_race(worker, meeting);
  }
  worker.block_meetings.clear();
}

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
