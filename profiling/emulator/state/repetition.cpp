// profiling/emulator/state/repetition.cpp: whether a warp or a block came back to a state it had
// been in.
#include "profiling/emulator/state/repetition.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "profiling/emulator/state/worker.h"

namespace warpscope {
namespace {

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

struct Hash {
  std::uint64_t value = 0x9e3779b97f4a7c15ull;
  void add(std::uint64_t x) { value = std::rotl(value * 0xff51afd7ed558ccdull + mixed(x), 29); }
  void add(const std::byte* from, std::size_t bytes) {
    constexpr std::uint64_t kOdd[4] = {0xa0761d6478bd642full, 0xe7037ed1a0b428dbull,
                                       0x8ebc6af09c88c6e3ull, 0x589965cc75374cc3ull};
    std::uint64_t lanes[4] = {1, 2, 3, 4};
    std::size_t at = 0;
    for (; at + 32 <= bytes; at += 32) {
      std::uint64_t word[4];
      std::memcpy(word, from + at, sizeof word);
      for (int k = 0; k < 4; ++k) {
        lanes[k] = std::rotl((lanes[k] ^ word[k]) * kOdd[k], 31);
      }
    }
    for (; at < bytes; ++at) add(std::to_integer<std::uint64_t>(from[at]));
    for (const std::uint64_t lane : lanes) add(lane);
  }
};

}  // namespace

std::int64_t instructions_of_look(const Warp& warp) {
  constexpr std::uint64_t kPeriods = 4;
  const std::uint64_t arms = std::max<std::size_t>(warp.arms.size(), 1);
  const std::uint64_t periods = kPeriods * arms * std::min(warp.period, kLongestLook);
  return static_cast<std::int64_t>(std::clamp(periods, kUnwatchedInstructions, kLongestLook));
}

void Watch::begin_warp(std::uint64_t until_order) {
  on_ = true;
  until_order_ = until_order;
  expired_ = false;
  visits_ = 0;
  next_snapshot_ = 1;
  arm_ = {};
}

bool Watch::same(const Worker& worker, const Warp& warp, const Arm& arm) {
  const std::size_t bytes = worker.kernel->register_bytes;
  constexpr std::size_t kPiece = 128;  // a slot of 32 lanes
  if (arm.pc != arm_.pc || arm.mask != arm_.mask || arm.meeting != arm_.meeting) return false;
  if (std::memcmp(warp.registers + differed_, registers_.data() + differed_,
                  std::min(kPiece, bytes - differed_)) != 0) {
    return false;
  }
  if (warp.arms != arms_ || warp.meetings != meetings_) return false;
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    if (std::memcmp(warp.registers + at, registers_.data() + at, std::min(kPiece, bytes - at)) !=
        0) {
      differed_ = at;
      return false;
    }
  }
  return effects() == snapshot_effects_;
}

bool Watch::repeats(const Worker& worker, const Warp& warp, const Arm& arm) {
  if (visits_ > 0 && same(worker, warp, arm)) {
    period_ = warp.order - snapshot_order_;
    return true;
  }
  if (++visits_ == next_snapshot_) {
    next_snapshot_ *= 2;
    arm_ = arm;
    arms_ = warp.arms;
    meetings_ = warp.meetings;
    registers_.assign(warp.registers, warp.registers + worker.kernel->register_bytes);
    differed_ = std::min(differed_, registers_.size() - 1);
    snapshot_effects_ = effects();
    snapshot_order_ = warp.order;
  }
  if (warp.order >= until_order_) {
    on_ = false;
    expired_ = true;
  }
  return false;
}

void Watch::note_write(std::byte* at, std::size_t bytes) {
  writes_.push_back({at, bytes, old_.size()});
  old_.insert(old_.end(), at, at + bytes);
}

void Watch::settle() {
  for (const Write& w : writes_) {
    const std::byte* const old = old_.data() + w.old;
    if (std::memcmp(w.at, old, w.bytes) == 0) continue;
    ++effects_;
    for (std::size_t k = 0; k < w.bytes; ++k) {
      if (w.at[k] == old[k]) continue;
      const auto place = mixed(reinterpret_cast<std::uintptr_t>(w.at + k));
      memory_ += mixed(place + std::to_integer<std::uint64_t>(w.at[k])) -
                 mixed(place + std::to_integer<std::uint64_t>(old[k]));
    }
  }
  writes_.clear();
  old_.clear();
}

std::uint64_t hash_of(const Worker& worker, const BlockState& block) {
  Hash hash;
  for (const Warp& w : block.warps) {
    hash.add(w.live);
    hash.add(std::uint64_t{w.cluster_arrived} << 32 | w.cluster_over);
    hash.add(w.registers, worker.kernel->register_bytes);
    for (const Arm& a : w.arms) {
      hash.add(std::uint64_t{a.pc} << 32 | a.mask);
      hash.add(std::uint64_t{static_cast<std::uint32_t>(a.meeting)} << 32 | a.wanted);
      hash.add(static_cast<std::uint64_t>(a.state) << 8 | a.barrier);
    }
    for (const Meeting& m : w.meetings) {
      hash.add(std::uint64_t{m.pc} << 32 | static_cast<std::uint32_t>(m.outer));
      hash.add(std::uint64_t{m.expected} << 32 | m.arrived);
    }
  }
  hash.add(block.shared.data(), block.shared.size());
  hash.add(block.local_memory.data(), block.local_memory.size());
  for (const BarrierState& b : block.barriers) {
    hash.add(static_cast<std::uint64_t>(b.expected << 32 ^ b.threads));
    hash.add(static_cast<std::uint64_t>(b.counted << 32 ^ b.votes));
    hash.add(std::uint64_t{b.arrived_warps} << 32 | b.waiting_warps);
  }
  for (int k = 0; k < block.async_barriers.count(); ++k) {
    const AsyncBarrier& b = block.async_barriers[k];
    hash.add(static_cast<std::uint64_t>(b.expected << 32 ^ b.pending << 1 ^ (b.valid ? 1 : 0)));
    hash.add(static_cast<std::uint64_t>(b.outstanding_bytes));
    hash.add(std::uint64_t{b.phase} << 32 | b.first_phase);
  }
  for (const auto& other : block.others) hash.add(hash_of(worker, *other));
  return hash.value;
}

Recurrence::Answer Recurrence::next(std::uint64_t state, std::uint64_t memory,
                                    std::uint64_t effects) {
  if (any_ && state == state_ && memory == memory_) {
    const Answer answer = effects == effects_ ? Answer::quiet : Answer::busy;
    effects_ = effects;
    steps_ = 0;
    return answer;
  }
  if (!any_ || ++steps_ == power_) {
    any_ = true;
    power_ *= 2;
    steps_ = 0;
    state_ = state;
    memory_ = memory;
    effects_ = effects;
  }
  return Answer::none;
}

}  // namespace warpscope
