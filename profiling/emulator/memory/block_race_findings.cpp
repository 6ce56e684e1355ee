// profiling/emulator/memory/block_race_findings.cpp: what two blocks did to one word, as sentences.
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

}  // namespace warpscope
