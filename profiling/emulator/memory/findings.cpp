// profiling/emulator/memory/findings.cpp: sentences about faulty accesses.
#include <cstring>

#include "profiling/emulator/memory/access_path.h"

namespace warpscope {

SharedPlace shared_place(const Worker& worker, std::int64_t offset, int element) {
  SharedPlace place{"shared memory at byte " + std::to_string(offset), {}, -1};
  for (const KernelCode::SharedVariable& v : worker.kernel->shared_variables) {
    const std::int64_t at = offset - v.offset;
    const bool dynamic = v.bytes == 0;
    if (at < 0 || (!dynamic && at >= v.bytes)) continue;
    place.buffer = v.name;
    place.index = at / (v.element_bytes > 1 ? v.element_bytes : element);
    place.name = place.buffer + index_text(v.source, place.index);
  }
  return place;
}

namespace {

std::string product_text(const Worker& k) {
  const InstructionSource& product = k.kernel->sources[k.shadow.story().product_source];
  return ", which the " + product.opcode + " of line " + std::to_string(product.position.line) +
         " may still read: no barrier with a warp that has waited for it came after";
}

FaultKind kind_of(SharedFinding finding) {
  switch (finding) {
    case SharedFinding::uninitialised:
      return FaultKind::uninitialised_read;
    case SharedFinding::not_waited:
    case SharedFinding::still_copied:
      return FaultKind::missing_wait;
    case SharedFinding::not_fenced:
      return FaultKind::missing_fence;
    default:
      return FaultKind::shared_race;
  }
}

// What is wrong with using a place; `thread`: the other one, `phase`: that a bulk copy there
// reports to, empty where there is none; `reader`: what reads beside the lanes.
std::string wrong_with(SharedFinding finding, const std::string& thread, const std::string& phase,
                       const char* reader) {
  switch (finding) {
    case SharedFinding::none:
      break;
    case SharedFinding::uninitialised:
      return ", which was never written";
    case SharedFinding::not_waited:
      return phase.empty() ? " before " + thread + " has waited for its asynchronous copy"
                           : " before it has waited for " + phase +
                                 ", which ends when the copy of " + thread + " is over";
    case SharedFinding::race:
      return phase.empty() ? ", which " + thread + " also accesses, without a barrier between them"
                           : ", which the copy of " + thread +
                                 " may still fill: it has not waited for " + phase;
    case SharedFinding::different_values:
      return ", to which " + thread +
             " of the same warp stores another value in the same instruction";
    case SharedFinding::not_fenced:
      return ", which " + thread + " wrote without a fence.proxy.async after it: " + reader +
             " may still see the old value";
    case SharedFinding::still_multiplied:
      return "";  // product_text says it
    case SharedFinding::still_copied:
      return ", which a bulk copy of " + thread +
             " may still read: it has not waited for the copy's group "
             "(cp.async.bulk.wait_group.read), or no barrier lies between";
    case SharedFinding::race_in_warp:
      return ", which " + thread +
             " of the same warp also accesses, without __syncwarp between them";
  }
  return {};
}

// The other thread of a finding; `other_lane`: of this warp, −1: the one that the shadow names.
std::string other_thread(const Worker& k, const Warp& warp, int other_lane) {
  if (other_lane < 0 && k.shadow.story().warp < 0) return "another block";
  const Dim3 t = other_lane >= 0
                     ? thread_of(k, warp, other_lane)
                     : thread_of(k, k.warps[static_cast<std::size_t>(k.shadow.story().warp)],
                                 k.shadow.story().lane);
  return "thread (" + std::to_string(t.x) + ", " + std::to_string(t.y) + ", " +
         std::to_string(t.z) + ")";
}

// ptxas leaves out the WARPSYNC of a __syncwarp where it sees that all lanes are together, so
// machine code does not tell whether lanes of a warp are ordered. PTX does.
bool is_untold(const Worker& k, SharedFinding finding) {
  return finding == SharedFinding::race_in_warp && k.kernel->of_machine_code;
}

// What to add about volatile accesses of one warp.
const char* volatile_text(const Instruction& i, SharedFinding finding) {
  const bool said = finding == SharedFinding::race_in_warp && (i.flags & kFlagVolatile) != 0 &&
                    (i.flags & kFlagStrong) != 0;
  return said ? ": volatile does not order lanes, which run independently since Volta" : "";
}

}  // namespace

void note_global_finding(Warp& warp, const Instruction& i, SharedFinding finding, int lane,
                         const MemoryBuffer& buffer, std::int64_t offset, AccessIntent intent,
                         int other_lane) {
  const std::uint32_t lanes = 1u << lane;
  Worker& k = *warp.worker;
  if (is_untold(k, finding) || !fault_is_first(warp, i, FaultKind::global_race, lanes)) return;
  std::int64_t index = -1;
  const std::string name = element_name(buffer, offset, &index);
  const std::string wrong = wrong_with(finding, other_thread(k, warp, other_lane), {}, "");
  tell_fault(warp, i, FaultKind::global_race, lanes,
             k.source(i).opcode + verb_of(intent) + name + wrong + volatile_text(i, finding),
             buffer.spec.name, index);
}

void note_shared_finding(Warp& warp, const Instruction& i, SharedFinding finding, int lane,
                         std::int64_t offset, int element, AccessIntent intent, int other_lane) {
  Worker& k = *warp.worker;
  if (finding == SharedFinding::none || is_untold(k, finding)) return;
  const std::uint32_t lanes = 1u << lane;
  const FaultKind kind = kind_of(finding);
  const bool is_read = kind == FaultKind::uninitialised_read;
  if (is_read && shared_place(k, offset, element).buffer == kReservedShared) return;
  if (!fault_is_first(warp, i, kind, lanes)) return;
  const SharedPlace place = shared_place(k, offset, element);
  const std::string thread = other_thread(k, warp, other_lane);
  std::string phase;
  if (k.shadow.story().barrier >= 0) {
    const AsyncBarrier& b = k.async_barriers[k.shadow.story().barrier];
    phase = "phase " + std::to_string(k.shadow.story().phase - b.first_phase) +
            " of the barrier at shared byte " + std::to_string(b.offset);
  }
  const std::string& opcode = k.source(i).opcode;
  const char* reader = opcode.starts_with("wgmma") ? "wgmma" : "the copy";
  const std::string wrong = finding == SharedFinding::still_multiplied
                                ? product_text(k)
                                : wrong_with(finding, thread, phase, reader);
  tell_fault(warp, i, kind, lanes,
             opcode + verb_of(intent) + place.name + wrong + volatile_text(i, finding),
             place.buffer, place.index);
}

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
  text += ", and nothing orders the two: use an atomic, or __threadfence and a flag";
  if (!run.options->blocks.empty()) {
    text += "; only " + std::to_string(run.options->blocks.size()) +
            " blocks of the grid were run and compared";
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
