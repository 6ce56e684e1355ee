// profiling/emulator/hangs/hang_notes.cpp: notes where the warps of a block wait that never go on.
#include "profiling/emulator/hangs/hang_notes.h"

#include <algorithm>
#include <bit>

#include "profiling/emulator/instructions/collectives.h"
#include "profiling/emulator/memory/barrier_events.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {
namespace {

std::uint32_t lanes_of_warp(const Worker& worker, std::uint32_t index) {
  const int lanes = std::min(kWarpLanes, worker.threads - static_cast<int>(index) * kWarpLanes);
  return lanes == kWarpLanes ? kAllLanes : (1u << lanes) - 1;
}

// The line that a person looks for: of a function of the same file, the line that calls it.
SourcePosition told_position(const InstructionSource& source) {
  SourcePosition position = source.position;
  for (const SourcePosition& outer : source.inlined_at) {
    if (outer.file == source.position.file && outer.line != 0) position = outer;
  }
  return position;
}

// Where lanes of a warp are.
struct LanePlace {
  bool ended = false;
  std::uint32_t source = 0, pc = 0, lanes = 0;
};

std::vector<LanePlace> places_of(const Worker& worker, const Warp& w, std::uint32_t lanes) {
  std::vector<LanePlace> places;
  for (const Warp::Leaving& l : w.leavings) {
    if ((l.lanes & lanes) != 0) places.push_back({true, l.source, 0, l.lanes & lanes});
    lanes &= ~l.lanes;
  }
  for (const Arm& arm : w.arms) {
    if ((arm.mask & lanes) == 0) continue;
    places.push_back({false, worker.kernel->code[arm.pc].source, arm.pc, arm.mask & lanes});
    lanes &= ~arm.mask;
  }
  // Where paths join, for those of the other path.
  for (const Meeting& m : w.meetings) {
    const std::uint32_t here = m.expected != 0 ? m.arrived & lanes : 0;
    if (here == 0) continue;
    places.push_back({false, worker.kernel->code[m.pc].source, m.pc, here});
    lanes &= ~here;
  }
  return places;
}

// Adds lanes of a warp to a row's absent ones, beside others at the same place.
void add_absent(const Worker& worker, HangNote& note, const Warp& w, const LanePlace& place) {
  const bool whole = place.lanes == lanes_of_warp(worker, w.index);
  const SourcePosition position = told_position(worker.kernel->sources[place.source]);
  for (std::size_t k = 0; k < note.row.absent.size(); ++k) {
    AbsentWarps& a = note.row.absent[k];
    if (!whole || a.lanes != 0 || a.ended != place.ended || note.absent_pcs[k] != place.pc ||
        a.block != worker.block_index || a.position != position) {
      continue;
    }
    a.warps.push_back(static_cast<int>(w.index));
    return;
  }
  note.row.absent.push_back({worker.block_index,
                             {static_cast<int>(w.index)},
                             whole ? 0 : place.lanes,
                             place.ended,
                             position,
                             -1});
  note.absent_pcs.push_back(place.pc);
}

// The row of this block for lanes that wait at `pc` for the same thing; null: it is a new one.
HangNote* known_row(Worker& worker, WaitKind kind, std::uint32_t pc, std::int64_t id,
                    std::int64_t phase) {
  for (HangNote& note : worker.hang) {
    if (note.row.block == worker.block_index && note.row.kind == kind && note.pc == pc &&
        note.row.id == id && note.row.phase == phase) {
      return &note;
    }
  }
  return nullptr;
}

void add_warp(WaitingWarps& row, const Warp& w, std::uint32_t lanes) {
  const auto index = static_cast<int>(w.index);
  if (std::find(row.warps.begin(), row.warps.end(), index) == row.warps.end()) {
    row.warps.push_back(index);
  }
  row.threads += std::popcount(lanes);
}

// Counts blocks, and makes the row where the block is one of the first.
HangNote* new_row(Worker& worker, WaitKind kind, std::uint32_t pc) {
  if (worker.last_hung_block != worker.block_index) ++worker.hung_blocks;
  worker.last_hung_block = worker.block_index;
  if (worker.hung_blocks > kMostHungBlocks) return nullptr;
  HangNote& note = worker.hang.emplace_back();
  const InstructionSource& source = worker.source(worker.kernel->code[pc]);
  note.pc = pc;
  note.row.kind = kind;
  note.row.block = worker.block_index;
  note.row.position = told_position(source);
  note.row.operation = source.opcode;
  return &note;
}

bool is_barrier(const Instruction& i, const KernelCode& kernel, std::uint32_t id) {
  if (i.kind != InstructionKind::barrier) return false;
  for (const KernelCode::Constant& c : kernel.constants) {
    if (c.slot == i.a) return (c.value & 15) == id;
  }
  return true;  // its number is computed
}

// Finds which warps never come to a barrier of the block. If the kernel counts its threads, the
// barrier may be for some warps only: those that came in an earlier phase, else those that would
// come later, else all.
void find_absent(Worker& worker, HangNote& note, std::uint32_t id) {
  const BarrierState& barrier = worker.barriers[id];
  const KernelCode& kernel = *worker.kernel;
  const auto there = [&](const Warp& w) {
    std::uint32_t lanes = 0;
    for (const Arm& arm : w.arms) {
      if (arm.state == ArmState::at_barrier && arm.barrier == id) lanes |= arm.mask;
    }
    const bool arrived = (barrier.arrived_warps >> w.index & 1) != 0;
    return arrived && lanes == 0 ? kAllLanes : lanes;  // bar.arrive goes on
  };
  const auto add = [&](const auto& wanted) {
    for (const Warp& w : worker.warps) {
      const std::uint32_t missing = lanes_of_warp(worker, w.index) & ~there(w);
      for (const LanePlace& place : places_of(worker, w, missing)) {
        if (!note.row.counted && place.ended) continue;  // ended warps are not waited for
        if (wanted(w, place)) add_absent(worker, note, w, place);
      }
    }
  };
  if (note.row.counted) {
    add([&](const Warp& w, const LanePlace&) {
      return (barrier.arrived_before >> w.index & 1) != 0;
    });
    if (!note.row.absent.empty()) return;
    add([&](const Warp&, const LanePlace& place) {
      return !place.ended && reaches(kernel, place.pc, [&](const Instruction& i) {
        return is_barrier(i, kernel, id);
      });
    });
    if (!note.row.absent.empty()) return;
  }
  add([](const Warp&, const LanePlace&) { return true; });
}

void note_barrier(Worker& worker, const Warp& w, const Arm& arm) {
  const std::uint32_t id = arm.barrier;
  if (HangNote* known = known_row(worker, WaitKind::block_barrier, arm.pc, id, 0)) {
    return add_warp(known->row, w, arm.mask);
  }
  HangNote* const note = new_row(worker, WaitKind::block_barrier, arm.pc);
  if (note == nullptr) return;
  const BarrierState& barrier = worker.barriers[id];
  WaitingWarps& row = note->row;
  row.id = id;
  row.object = "barrier " + std::to_string(id);
  row.counted = barrier.expected > 0;
  row.arrived = barrier.threads;
  row.expected = barrier.expected;
  for (const Warp& other : worker.warps) {
    if (!row.counted) row.expected += std::popcount(~ended_lanes(other));
    if ((barrier.arrived_warps >> other.index & 1) != 0) {
      row.came.push_back(static_cast<int>(other.index));
    }
  }
  add_warp(row, w, arm.mask);
  find_absent(worker, *note, id);
}

// Finds which lanes never arrive at an mbarrier: lanes whose warps arrive in part, or did so in an
// earlier phase; else those that would arrive after what they wait for.
void find_absent(Worker& worker, HangNote& note, const AsyncBarrier& b) {
  if (b.pending == 0) return;
  const KernelCode& kernel = *worker.kernel;
  const auto arrives_later = [&](const LanePlace& place) {
    return !place.ended && reaches(kernel, place.pc, [&](const Instruction& i) {
      return std::find(b.arrived_by.begin(), b.arrived_by.end(), i.source) != b.arrived_by.end() ||
             (b.arrived_by.empty() &&
              kernel.sources[i.source].opcode.starts_with("mbarrier.arrive"));
    });
  };
  for (const Warp& w : worker.warps) {
    const std::uint32_t now = b.arrived[w.index], before = b.arrived_before[w.index];
    // As many as arrived before, else all of a warp of which more than one lane arrives.
    std::uint32_t missing = before & ~now;
    if (!std::has_single_bit(now) && now != 0) missing |= lanes_of_warp(worker, w.index) & ~now;
    for (const LanePlace& place : places_of(worker, w, missing)) {
      LanePlace whole = place;
      if (now == 0 && missing == before) whole.lanes = lanes_of_warp(worker, w.index);
      add_absent(worker, note, w, whole);
    }
  }
  if (!note.row.absent.empty()) return;
  for (const Warp& w : worker.warps) {
    if (b.arrived[w.index] != 0) continue;
    for (const LanePlace& place : places_of(worker, w, lanes_of_warp(worker, w.index))) {
      if (arrives_later(place)) add_absent(worker, note, w, place);
    }
  }
  if (!note.row.absent.empty() || b.arrived_before != decltype(b.arrived_before){}) return;
  // No warp arrived in any phase, or all remaining ones wait: then it is those that ended without
  // arriving. Lanes of the waiting warp are named only if there are no others, since one of its
  // lanes is there.
  for (const bool own : {false, true}) {
    if (own && !note.row.absent.empty()) return;
    for (const Warp& w : worker.warps) {
      const bool waits =
          std::count(note.row.warps.begin(), note.row.warps.end(), static_cast<int>(w.index)) != 0;
      if (b.arrived[w.index] != 0 || waits != own) continue;
      for (const LanePlace& place : places_of(worker, w, lanes_of_warp(worker, w.index))) {
        if (place.ended) add_absent(worker, note, w, place);
      }
    }
  }
}

// Threads of any block of the cluster that have not ended and never arrive.
void note_cluster(Worker& worker, const Warp& w, const Arm& arm) {
  if (HangNote* known = known_row(worker, WaitKind::cluster_barrier, arm.pc, -1, 0)) {
    return add_warp(known->row, w, arm.mask);
  }
  HangNote* const note = new_row(worker, WaitKind::cluster_barrier, arm.pc);
  if (note == nullptr) return;
  add_warp(note->row, w, arm.mask);
  const std::vector<Worker*> alone = {&worker};
  for (const Worker* block : worker.cluster == nullptr ? alone : worker.cluster->blocks) {
    for (const Warp& other : block->warps) {
      const std::uint32_t there = ~ended_lanes(other);
      note->row.expected += std::popcount(there);
      note->row.arrived += std::popcount(there & other.cluster_arrived);
      const std::uint32_t missing = there & ~other.cluster_arrived;
      for (const LanePlace& place : places_of(*block, other, missing)) {
        add_absent(*block, *note, other, place);
      }
    }
  }
}

// Warps of the warpgroup that are not at a product of it.
void note_warpgroup(Worker& worker, const Warp& w, const Arm& arm) {
  const std::uint32_t first = w.index / kWarpgroupWarps * kWarpgroupWarps;
  if (HangNote* known = known_row(worker, WaitKind::warpgroup, arm.pc, first, 0)) {
    return add_warp(known->row, w, arm.mask);
  }
  HangNote* const note = new_row(worker, WaitKind::warpgroup, arm.pc);
  if (note == nullptr) return;
  WaitingWarps& row = note->row;
  row.id = first;
  std::vector<int> warps;
  for (std::uint32_t v = first; v < first + kWarpgroupWarps; ++v) {
    const Warp& other = worker.warps[v];
    warps.push_back(static_cast<int>(v));
    std::uint32_t missing = lanes_of_warp(worker, v);
    row.expected += std::popcount(missing);
    for (const Arm& a : other.arms) {
      if (a.state == ArmState::at_warpgroup) missing &= ~a.mask;
    }
    row.arrived += std::popcount(lanes_of_warp(worker, v) & ~missing);
    for (const LanePlace& place : places_of(worker, other, missing)) {
      add_absent(worker, *note, other, place);
    }
  }
  row.object = warps_text(warps);
  add_warp(row, w, arm.mask);
}

void note_async(Worker& worker, const Warp& w, const Instruction& i, std::uint32_t pc,
                std::uint32_t mask) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int index = waited_barrier(w, i, lane);
    if (index < 0) continue;
    const AsyncBarrier& b = worker.async_barriers[index];
    const std::int64_t phase = std::int64_t{b.phase} - b.first_phase;
    if (HangNote* known = known_row(worker, WaitKind::mbarrier, pc, b.offset, phase)) {
      add_warp(known->row, w, 1u << lane);
      continue;
    }
    HangNote* const note = new_row(worker, WaitKind::mbarrier, pc);
    if (note == nullptr) return;
    WaitingWarps& row = note->row;
    row.id = b.offset;
    row.object = mbarrier_name(worker, b.offset);
    row.expected = b.expected;
    row.arrived = b.expected - b.pending;
    row.phase = phase;
    row.bytes = b.outstanding_bytes;
    if ((i.flags & kFlagParity) != 0) {
      row.parity = static_cast<int>(w.slot<std::uint32_t>(i.b)[lane] & 1);
    }
    row.made_at = worker.kernel->sources[b.made_by].position;
    if (b.expected_by != 0) row.expected_at = worker.kernel->sources[b.expected_by].position;
    for (const Warp& other : worker.warps) {
      if (b.arrived[other.index] != 0) row.came.push_back(static_cast<int>(other.index));
    }
    add_warp(row, w, 1u << lane);
    find_absent(worker, *note, b);
  }
}

}  // namespace

bool reaches(const KernelCode& kernel, std::uint32_t pc,
             const std::function<bool(const Instruction&)>& is_it) {
  std::vector<char> seen(kernel.code.size(), 0);
  std::vector<std::uint32_t> open{pc};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (at >= kernel.code.size() || seen[at] != 0) continue;
    seen[at] = 1;
    const Instruction& i = kernel.code[at];
    if (at != pc && is_it(i)) return true;
    const bool branches = i.kind == InstructionKind::branch || i.kind == InstructionKind::leave;
    if (branches) open.push_back(i.target);
    if (i.kind == InstructionKind::branch_table) {
      for (std::uint32_t k = 0; k < i.c; ++k) open.push_back(kernel.targets[i.extra + k]);
    }
    const bool ends = branches || i.kind == InstructionKind::exit ||
                      i.kind == InstructionKind::trap || i.kind == InstructionKind::assertion;
    if (!ends || i.guard != 0) open.push_back(at + 1);
  }
  return false;
}

void note_waits(Worker& worker) {
  for (const Warp& w : worker.warps) {
    for (const Arm& arm : w.arms) {
      const Instruction& i = worker.kernel->code[arm.pc];
      if (arm.state == ArmState::at_barrier) note_barrier(worker, w, arm);
      if (arm.state == ArmState::at_async_barrier) note_async(worker, w, i, arm.pc, arm.mask);
      if (arm.state == ArmState::at_cluster_barrier) note_cluster(worker, w, arm);
      if (arm.state == ArmState::at_collective) note_lanes_wait(worker, w, arm, 0);
      if (arm.state == ArmState::at_warpgroup) note_warpgroup(worker, w, arm);
    }
  }
}

void note_lanes_wait(Worker& worker, const Warp& w, const Arm& arm, std::uint32_t missing) {
  if (missing == 0) missing = arm.wanted & ~arm.mask;
  if (HangNote* known = known_row(worker, WaitKind::lanes, arm.pc, -1, w.index)) {
    return add_warp(known->row, w, arm.mask);
  }
  HangNote* const note = new_row(worker, WaitKind::lanes, arm.pc);
  if (note == nullptr) return;
  note->row.phase = w.index;  // rows of different warps stay apart
  note->row.expected = std::popcount(arm.wanted);
  note->row.arrived = note->row.expected - std::popcount(missing);
  add_warp(note->row, w, arm.mask);
  for (const LanePlace& place : places_of(worker, w, missing)) {
    add_absent(worker, *note, w, place);
  }
}

void note_spin(Worker& worker, const Warp& w, const Arm& arm, const SpinWord& word) {
  if (word.read != nullptr && word.read->bytes == nullptr) {
    return note_async(worker, w, *word.read->instruction, arm.pc, word.read->lanes);
  }
  const WaitKind kind = word.read == nullptr ? WaitKind::values : WaitKind::flag;
  for (HangNote& note : worker.hang) {
    if (note.row.block == worker.block_index && note.row.kind == kind && note.pc == arm.pc &&
        note.row.object == word.name && note.row.value == word.value) {
      return add_warp(note.row, w, arm.mask);
    }
  }
  HangNote* const note = new_row(worker, kind, arm.pc);
  if (note == nullptr) return;
  add_warp(note->row, w, arm.mask);
  if (word.read == nullptr) return;
  const InstructionSource& source = worker.source(*word.read->instruction);
  note->row.position = told_position(source);
  note->row.operation = source.opcode;
  note->row.object = word.name;
  note->row.buffer = word.buffer;
  note->row.index = word.index;
  note->row.value = word.value;
  note->source = word.read->instruction->source;
  note->address = word.read->address;
  note->in_shared = word.read->space == AddressSpace::shared;
  if (!note->in_shared || source.opcode.starts_with("atom")) return;
  const int writer = worker.shadow.last_writer(static_cast<std::int64_t>(word.read->address));
  note->row.writer = writer < 0 ? "nobody" : "warp " + std::to_string(writer);
}

}  // namespace warpscope
