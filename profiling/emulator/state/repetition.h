// profiling/emulator/state/repetition.h: whether a warp or a block came back to a state it had been
// in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "profiling/emulator/state/kernel_code.h"
#include "profiling/emulator/state/warp.h"

// If a warp's registers and divergent paths are again what they were, and it changed no byte of
// memory in between, it does the same for ever unless another warp changes what it reads: its turn
// is over. It is checked branch by branch, not from the beginning but once it has run for a while,
// with snapshots at the 1st, 2nd, 4th, 8th … branch (Brent's method). Each check lasts a fixed
// share of what the warp has run, so that a period of up to a million instructions is found within
// a hundred periods: a probe that goes round a table of 65536 slots as well as a lock. A changing
// counter is a changing state: a loop that counts is never said to repeat.
//
// Blocks and whole runs are compared by a 64-bit hash of their state, and memory by a sum of hashes
// of the bytes that changed: what is changed back cancels out.

namespace warpscope {

struct Worker;
struct BlockState;

// A load or atomic of a warp that is asked what it waits for.
struct Witness {
  const Instruction* instruction = nullptr;
  std::uint32_t lanes = 0;
  AddressSpace space = AddressSpace::global;  // global or shared
  std::uint64_t address = 0;                  // of the first lane
  const std::byte* bytes = nullptr;           // there
  int width = 0;
};

class Watch {
 public:
  // Writes are noted while any of these holds.
  bool active() const { return on_ || block_ || run_; }
  bool block_ = false, run_ = false;  // states of the block or of all blocks are compared

  // Watches the branches of the running warp until it has run this many instructions.
  void begin_warp(std::uint64_t until_order);
  void end_warp() { on_ = false; }
  bool on() const { return on_; }
  bool expired() const { return expired_; }
  // At a branch; true: this state was there before.
  bool repeats(const Worker& worker, const Warp& warp, const Arm& arm);
  // Then: instructions between the two.
  std::uint64_t period() const { return period_; }

  // Before an instruction writes there, after settle(); what changed is found at the next settle().
  void note_write(std::byte* at, std::size_t bytes);
  void note_effect() { ++effects_; }  // of another kind: on barriers and copies
  void note_move() { ++moves_; }      // a path waits or ends
  std::uint64_t moves() const { return moves_; }
  void settle();
  std::uint64_t effects() {  // writes that changed something, so far
    settle();
    return effects_;
  }
  std::uint64_t memory() {  // equal when all that was written since has been changed back
    settle();
    return memory_;
  }

  // Takes over what another watch of the same run saw change.
  void take(Watch& other) {
    effects_ += std::exchange(other.effects_, 0);
    memory_ += std::exchange(other.memory_, 0);
  }

  std::vector<Witness>* witnesses = nullptr;  // where loads are noted

 private:
  bool same(const Worker& worker, const Warp& warp, const Arm& arm);
  bool on_ = false, expired_ = false;
  std::int64_t visits_ = 0, next_snapshot_ = 1;
  std::uint64_t until_order_ = 0, snapshot_order_ = 0, period_ = 0;
  Arm arm_;
  std::uint64_t snapshot_effects_ = 0;
  std::vector<Arm> arms_;
  std::vector<Meeting> meetings_;
  std::vector<std::byte> registers_;
  std::size_t differed_ = 0;  // where registers were last seen to differ
  std::uint64_t effects_ = 0, memory_ = 0, moves_ = 0;
  struct Write {
    std::byte* at = nullptr;
    std::size_t bytes = 0, old = 0;  // old bytes from there on in old_
  };
  std::vector<Write> writes_;
  std::vector<std::byte> old_;
};

// A hash of everything that decides what a block does next, except global memory.
std::uint64_t hash_of(const Worker& worker, const BlockState& block);

// Compares states that come one after the other, by Brent's method.
class Recurrence {
 public:
  enum class Answer { none, quiet, busy };  // it came back; busy: with writes in between
  Answer next(std::uint64_t state, std::uint64_t memory, std::uint64_t effects);

 private:
  std::uint64_t state_ = 0, memory_ = 0, effects_ = 0;
  std::int64_t steps_ = 0, power_ = 1;
  bool any_ = false;
};

// Warp instructions of a warp before it is looked at first. If nothing repeats, the next look comes
// when it has run twice as long. A look takes this share of what the warp has run. Nobody is asked
// during it whether to go on, so there is a longest one: about a second of a core, where each turn
// is an atomic of 32 lanes.
inline constexpr std::uint64_t kUnwatchedInstructions = 2'000, kWatchedShare = 16;
inline constexpr std::uint64_t kShortestLook = 128, kLongestLook = 1 << 22;

// Warp instructions in which a warp that was found to repeat itself does so again, if it is looked
// at from the beginning: at most two periods of each path up to a snapshot, and one after it.
std::int64_t instructions_of_look(const Warp& warp);

}  // namespace warpscope
