// profiling/emulator/run/warp_execution.cpp: runs one path of a warp from an instruction to where
// it must wait.
#include "profiling/emulator/run/warp_execution.h"

#include <algorithm>

#include "profiling/emulator/memory/undefined_values.h"
#include "profiling/emulator/memory/unwritten_registers.h"
#include "profiling/emulator/run/arms.h"
#include "profiling/emulator/warpgroups/products.h"

namespace warpscope {
namespace {

// Sums of the run: none; per instruction; and with each instruction of the warp kept.
enum class Detail { none, sums, kept };

// At a branch: whether the warp came back to where it had been.
bool repeats(Worker& worker, Warp& w, const Arm& arm) {
  Watch& watch = worker.watch;
  if (!watch.on()) {
    if (w.order < w.watch_at) return false;
    // A look goes on in the next turn of the warp where this one ends at a barrier.
    if (w.watch_until == 0) {
      w.watch_until = w.order + std::clamp(w.order / kWatchedShare, kShortestLook, kLongestLook);
    }
    watch.begin_warp(w.watch_until);
  }
  if (watch.repeats(worker, w, arm)) {
    w.suspect = true;
    w.period = watch.period();
    return true;
  }
  if (!watch.on()) {
    w.suspect = false;
    w.watch_at = 2 * w.order;
    w.watch_until = 0;
  }
  return false;
}

template <Detail level>
void count(Worker& worker, const Warp& w, const Instruction& i, std::uint32_t pc,
           std::uint32_t mask) {
  if (level == Detail::none || i.counted == 0) return;
  ++worker.executed[pc];
  worker.lanes[pc] += lane_count(mask);
  if constexpr (level == Detail::kept) {
    if (worker.run->kept_instructions > 0) {
      --worker.run->kept_instructions;
      worker.issued[w.index].push_back({i.source, mask, worker.source(i).position.line});
    } else {
      worker.truncated = true;
    }
  }
}

// `lanes`: those that come to the instruction, `mask`: those whose guard holds.
void look_at_registers(Warp& w, const Instruction& i, std::uint32_t lanes, std::uint32_t mask) {
  if (w.multiplies) note_register_uses(w, i, mask);
  if (!w.undefined.empty()) look_at_undefined(w, i, lanes, mask);
  if (w.unwritten.filter != 0 && i.begins) look_at_unwritten(w, i, lanes, mask);
}

// `watched`: products of the warp's warpgroup are under way, or registers may hold values that were
// never written, and the uses of those registers are checked. A path that is checked is not
// interrupted: its period may be longer than a slice.
template <Detail level, bool watched>
void run_arm(Worker& worker, Warp& w, Arm arm) {
  const Instruction* const code = worker.kernel->code.data();
  ArmPlace at{arm.pc, arm.mask};
  std::int64_t done = 0;
  // Instructions after which branches look around them: for the end of the slice, or each time.
  const auto next_look = [&]() -> std::int64_t {
    if (worker.watch.on() || w.order >= w.watch_at) return 0;
    return std::min<std::int64_t>(kSliceInstructions,
                                  done + static_cast<std::int64_t>(w.watch_at - w.order));
  };
  std::int64_t look = next_look();
  for (;;) {
    const Instruction& i = code[at.pc];
    std::uint32_t mask = at.lanes;
    if (i.guard != 0) mask &= w.predicate(i.guard) ^ i.guard_flip;
    count<level>(worker, w, i, at.pc, mask);
    done += i.counted;
    w.order += i.counted;
    if constexpr (watched) look_at_registers(w, i, at.lanes, mask);
    if (i.kind == InstructionKind::ordinary) {
      if (mask != 0) {
        w.mask = mask;
        i.run(w, i);
      }
      ++at.pc;
      continue;
    }
    if (i.kind == InstructionKind::join) {
      const bool here =
          arm.meeting >= 0 && w.meetings[static_cast<std::size_t>(arm.meeting)].pc == at.pc;
      at = here ? meet(w, arm, at) : ArmPlace{at.pc + 1, at.lanes};
      if (at.lanes == 0) break;
      continue;
    }
    if (i.kind != InstructionKind::branch) {
      at = run_apart(worker, w, arm, i, at, mask);
      if (at.lanes == 0) break;
      if (i.kind != InstructionKind::branch_table) continue;
    } else if (mask == at.lanes) {
      at.pc = i.target;
    } else if (mask == 0) {
      ++at.pc;
    } else {
      at = part(w, arm, i, at, mask);
    }
    // Only after branches: every endless loop has one.
    if (done < look) continue;
    arm.pc = at.pc;
    arm.mask = at.lanes;
    arm.repeats = repeats(worker, w, arm);
    look = next_look();
    if (!arm.repeats && (done < worker.slice || worker.watch.on())) continue;
    w.arms.push_back(arm);
    // The other paths first: one may hold the lock that this one spins for.
    std::rotate(w.arms.begin(), w.arms.end() - 1, w.arms.end());
    break;
  }
  worker.instructions += done;
}

template <Detail level>
void run_arm(Worker& worker, Warp& w, const Arm& arm) {
  if (w.multiplies || worker.kernel->marks_loads) {
    run_arm<level, true>(worker, w, arm);
  } else {
    run_arm<level, false>(worker, w, arm);
  }
}

}  // namespace

bool run_ready_arm(Worker& worker, Warp& w) {
  for (std::size_t k = w.arms.size(); k-- > 0;) {
    if (w.arms[k].state != ArmState::ready || w.arms[k].repeats) continue;
    const Arm arm = w.arms[k];
    w.arms.erase(w.arms.begin() + static_cast<std::ptrdiff_t>(k));
    if (w.recorded) {
      run_arm<Detail::kept>(worker, w, arm);
    } else if (worker.sums) {
      run_arm<Detail::sums>(worker, w, arm);
    } else {
      run_arm<Detail::none>(worker, w, arm);
    }
    return true;
  }
  return false;
}

}  // namespace warpscope
