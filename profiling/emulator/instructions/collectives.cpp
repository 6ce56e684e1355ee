// profiling/emulator/instructions/collectives.cpp: lanes of a warp that exchange values under
// member masks.
#include "profiling/emulator/instructions/collectives.h"

#include <bit>
#include <cstdio>

#include "profiling/emulator/instructions/warp_instructions.h"

namespace warpscope {
namespace {

std::uint32_t mask_named(const Warp& w, const Instruction& i, std::uint32_t lanes) {
  return w.slot<std::uint32_t>(i.c)[std::countr_zero(lanes)];
}

void run_group(Warp& w, const Instruction& i, std::uint32_t group) {
  w.mask = w.exchange_mask = group;
  i.run(w, i);
}

// Lanes that are not in the mask they name exchange no values: what they would get is undefined.
void fault_outsiders(Warp& w, const Instruction& i, std::uint32_t lanes, std::uint32_t named) {
  if (!fault_is_first(w, i, FaultKind::absent_lane, lanes)) return;
  tell_fault(w, i, FaultKind::absent_lane, lanes,
             w.worker->source(i).opcode + " is reached by " + named_lanes(lanes) +
                 " with the mask " + mask_text(named) + ", which does not include them",
             {}, -1);
}

// Nobody else can come any more: why the missing lanes are not there.
std::string missing_text(const Worker& worker, const Warp& w, const Instruction& operation,
                         std::uint32_t missing) {
  std::uint32_t other_mask = 0;
  for (const Arm& arm : w.arms) {
    const Instruction& i = worker.kernel->code[arm.pc];
    if (arm.state != ArmState::at_collective || i.run != operation.run) continue;
    other_mask |= arm.mask & missing;
  }
  if (other_mask == 0) {
    return " waits for " + named_lanes(missing) +
           (std::has_single_bit(missing) ? ", which never reaches it" : ", which never reach it");
  }
  return " waits for " + named_lanes(missing) + ", but " + named_lanes(other_mask) +
         (std::has_single_bit(other_mask) ? " comes" : " come") + " to it with another mask";
}

// Paths at one instruction with one reconvergence point go on as one.
void join_arms(Warp& w) {
  for (std::size_t a = 0; a < w.arms.size(); ++a) {
    for (std::size_t b = w.arms.size(); b-- > a + 1;) {
      const Arm &x = w.arms[a], &y = w.arms[b];
      if (x.state == ArmState::ready && y.state == ArmState::ready && x.pc == y.pc &&
          x.meeting == y.meeting) {
        w.arms[a].mask |= y.mask;
        w.arms.erase(w.arms.begin() + static_cast<std::ptrdiff_t>(b));
      }
    }
  }
}

}  // namespace

std::string lanes_text(std::uint32_t lanes) {
  std::string text;
  for (int lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    int last = lane;
    while (last + 1 < 32 && (lanes >> (last + 1) & 1) != 0) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(lane);
    if (last > lane) text += "–" + std::to_string(last);
    lane = last;
  }
  return text;
}

std::string named_lanes(std::uint32_t lanes) {
  return (std::has_single_bit(lanes) ? "lane " : "lanes ") + lanes_text(lanes);
}

std::string mask_text(std::uint32_t mask) {
  char text[12];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

std::uint32_t lanes_of_one_mask(const Warp& w, const Instruction& i, std::uint32_t lanes) {
  if ((i.flags & kFlagOneMask) != 0) return lanes;
  const std::uint32_t* const named = w.slot<std::uint32_t>(i.c);
  const std::uint32_t mask = mask_named(w, i, lanes);
  if (lanes == kAllLanes) {  // most often one mask, which a vector pass tells
    std::uint32_t different = 0;
    for (int lane = 0; lane < 32; ++lane) different |= named[lane] ^ mask;
    if (different == 0) return lanes;
  }
  std::uint32_t same = 0;
  for (int lane = 0; lane < 32; ++lane) {
    same |= static_cast<std::uint32_t>(named[lane] == mask ? 1 : 0) << lane;
  }
  return same & lanes;
}

std::uint32_t ended_lanes(const Warp& w) {
  std::uint32_t ended = ~w.live;
  for (const Meeting& m : w.meetings) {
    const bool at_end = (w.worker->kernel->code[m.pc].flags & kFlagAtEnd) != 0;
    if (m.expected != 0 && at_end) ended |= m.arrived;
  }
  return ended;
}

std::uint32_t run_collective(Warp& w, const Instruction& i) {
  const std::uint32_t lanes = w.mask;
  std::uint32_t waiting = 0;
  bool published = false;
  for (std::uint32_t rest = lanes; rest != 0;) {
    const std::uint32_t same = lanes_of_one_mask(w, i, rest), named = mask_named(w, i, rest);
    const std::uint32_t group = same & named;
    rest &= ~same;
    if (group != same) fault_outsiders(w, i, same & ~named, named);
    if ((named & w.live & ~group) != 0 && (named & ~group & ~ended_lanes(w)) != 0) {
      waiting |= group;
    } else if (group != 0) {
      if (!published) {
        w.mask = lanes;
        publish(w, i);
        published = true;
      }
      run_group(w, i, group);
    }
  }
  if (published) ++w.sync_count;
  return waiting;
}

bool release_collective(Worker& worker, Warp& w, bool force) {
  const Instruction* const code = worker.kernel->code.data();
  for (std::size_t k = 0; k < w.arms.size(); ++k) {
    const Arm& first = w.arms[k];
    if (first.state != ArmState::at_collective) continue;
    const Instruction& operation = code[first.pc];
    std::uint32_t together = 0;
    const auto same = [&](const Arm& arm) {
      const Instruction& i = code[arm.pc];
      return arm.state == ArmState::at_collective && arm.wanted == first.wanted &&
             i.run == operation.run && i.subop == operation.subop && i.width == operation.width &&
             ((i.flags ^ operation.flags) & kFlagSignExtend) == 0;
    };
    for (const Arm& arm : w.arms) together |= same(arm) ? arm.mask : 0;
    const std::uint32_t missing = first.wanted & ~together & ~ended_lanes(w);
    if (missing != 0 && !force) continue;
    if (missing != 0 && fault_is_first(w, operation, FaultKind::deadlock, first.mask)) {
      tell_fault(w, operation, FaultKind::deadlock, first.mask,
                 worker.source(operation).opcode + missing_text(worker, w, operation, missing), {},
                 -1);
    }
    std::vector<std::size_t> members;
    for (std::size_t n = 0; n < w.arms.size(); ++n) {
      if (same(w.arms[n])) members.push_back(n);
    }
    for (const std::size_t n : members) {
      w.mask = w.arms[n].mask;
      publish(w, code[w.arms[n].pc]);
    }
    w.exchange_mask = together;
    for (const std::size_t n : members) {
      w.mask = w.arms[n].mask;
      code[w.arms[n].pc].run(w, code[w.arms[n].pc]);
    }
    ++w.sync_count;
    for (const std::size_t n : members) {
      w.arms[n].state = ArmState::ready;
      ++w.arms[n].pc;
    }
    join_arms(w);
    return true;
  }
  return false;
}

}  // namespace warpscope
