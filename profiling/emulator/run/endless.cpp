// profiling/emulator/run/endless.cpp: what lanes that can never go on repeat and wait for, as
// sentences.
#include <algorithm>
#include <bit>
#include <cstring>

#include "profiling/emulator/hangs/hang_notes.h"
#include "profiling/emulator/instructions/collectives.h"
#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/memory/barrier_events.h"
#include "profiling/emulator/run/scheduler.h"
#include "profiling/emulator/run/warp_execution.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {
namespace {

// Turns for a path that diverges and reconverges to come back to its start.
constexpr int kMostArmTurns = 64;

template <typename T>
std::string number_at(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return std::to_string(value);
}

std::string value_text(const Worker& worker, const Witness& seen) {
  const std::string& opcode = worker.source(*seen.instruction).opcode;
  const bool is_float = opcode.ends_with(".f32") || opcode.ends_with(".f64");
  const bool is_signed = opcode.find(".s", opcode.rfind('.')) != std::string::npos;
  switch (seen.width) {
    case 1:
      return is_signed ? number_at<std::int8_t>(seen.bytes) : number_at<std::uint8_t>(seen.bytes);
    case 2:
      return is_signed ? number_at<std::int16_t>(seen.bytes) : number_at<std::uint16_t>(seen.bytes);
    case 8:
      return is_float    ? number_at<double>(seen.bytes)
             : is_signed ? number_at<std::int64_t>(seen.bytes)
                         : number_at<std::uint64_t>(seen.bytes);
    default:
      return is_float    ? number_at<float>(seen.bytes)
             : is_signed ? number_at<std::int32_t>(seen.bytes)
                         : number_at<std::uint32_t>(seen.bytes);
  }
}

bool is_atomic(const Worker& worker, const Instruction& i) {
  const std::string& opcode = worker.source(i).opcode;
  return opcode.starts_with("atom") || opcode.starts_with("red");
}

// The word that a loop most likely waits for, of those that it reads: one that is read as others
// may change it, else the first.
const Witness* choose(const Worker& worker, const std::vector<Witness>& seen) {
  const Witness* chosen = nullptr;
  for (const Witness& w : seen) {
    if (w.bytes == nullptr) return &w;  // an mbarrier
    if ((w.instruction->flags & kFlagStrong) == 0 && !is_atomic(worker, *w.instruction)) continue;
    chosen = &w;
    break;
  }
  return chosen == nullptr && !seen.empty() ? &seen.front() : chosen;
}

std::string lanes_of(const Warp& w, std::uint32_t lanes) {
  const int count = std::popcount(lanes);
  return (count == 1 ? "lane " + std::to_string(std::countr_zero(lanes))
                     : std::to_string(count) + " lanes") +
         " of warp " + std::to_string(w.index);
}

// The names and the value of what a loop reads; of an mbarrier none.
SpinWord word_of(const Worker& worker, const Witness& read) {
  SpinWord word;
  word.read = &read;
  if (read.bytes == nullptr) return word;
  word.value = value_text(worker, read);
  if (read.space == AddressSpace::shared) {
    const SharedPlace place =
        shared_place(worker, static_cast<std::int64_t>(read.address), read.width);
    word.name = place.name;
    if (place.index >= 0) {
      word.name = plain_name(place.buffer) + "[" + std::to_string(place.index) + "]";
    }
    word.buffer = place.buffer;
    word.index = place.index;
  } else if (const MemoryBuffer* b = worker.run->memory->find(read.address)) {
    word.name = element_name(*b, static_cast<std::int64_t>(read.address - b->address), &word.index);
    word.buffer = b->spec.name;
  }
  return word;
}

void tell(Worker& worker, Warp& w, const Arm& arm, const std::vector<Witness>& seen,
          const std::string& why) {
  const Witness* const read = choose(worker, seen);
  if (read == nullptr) {
    note_spin(worker, w, arm, {});
    note_fault(w, worker.kernel->code[arm.pc], FaultKind::endless_loop, arm.mask,
               lanes_of(w, arm.mask) + (std::popcount(arm.mask) == 1 ? " repeats" : " repeat") +
                   " a loop for ever: its registers return to the same values, and it reads no "
                   "memory that could change them");
    return;
  }
  const Instruction& i = *read->instruction;
  const SpinWord word = word_of(worker, *read);
  note_spin(worker, w, arm, word);
  if (!fault_is_first(w, i, FaultKind::endless_loop, read->lanes)) return;
  if (read->bytes == nullptr) {
    tell_fault(
        w, i, FaultKind::endless_loop, read->lanes,
        worker.source(i).opcode + " polls again and again: it " + waiting_text(w, i, read->lanes),
        "shared memory", -1);
    return;
  }
  const bool one = std::popcount(read->lanes) == 1;
  const char* const verb =
      is_atomic(worker, i) ? (one ? " finds " : " find ") : (one ? " reads " : " read ");
  tell_fault(
      w, i, FaultKind::endless_loop, read->lanes,
      lanes_of(w, read->lanes) + verb + word.name + " = " + word.value + " again and again (" +
          worker.source(i).opcode + "); " +
          (read->space == AddressSpace::shared ? "no thread of the block that still runs changes it"
                                               : why),
      word.buffer, word.index);
}

}  // namespace

void note_repeating(Worker& worker, Warp& w, const std::string& why) {
  std::vector<Arm> ready;
  for (Arm& arm : w.arms) {
    if (arm.state != ArmState::ready) continue;
    arm.repeats = true;
    ready.push_back(arm);
  }
  for (const Arm& arm : ready) {
    for (Arm& a : w.arms) {
      if (a.state == ArmState::ready) a.repeats = !(a.pc == arm.pc && a.mask == arm.mask);
    }
    // Once more round the loop, noting what it reads.
    std::vector<Witness> seen;
    worker.watch.witnesses = &seen;
    w.witnessed = true;
    worker.slice = std::max(kSliceInstructions, instructions_of_look(w));
    worker.watch.begin_warp(w.order + static_cast<std::uint64_t>(instructions_of_look(w)));
    for (int turn = 0; turn < kMostArmTurns && worker.watch.on(); ++turn) {
      if (!run_ready_arm(worker, w)) break;
    }
    worker.watch.end_warp();
    w.witnessed = false;
    worker.watch.witnesses = nullptr;
    tell(worker, w, arm, seen, why);
  }
}

void note_collective_wait(Worker& worker, Warp& w, const Arm& arm) {
  const Instruction& i = worker.kernel->code[arm.pc];
  note_fault(w, i, FaultKind::deadlock, arm.mask,
             worker.source(i).opcode + " waits for " +
                 named_lanes(arm.wanted & ~ended_lanes(w) & ~arm.mask) + ", which never reach it");
}

}  // namespace warpscope
