// profiling/emulator/sass/decode/machine_flow.cpp: what instructions of machine code do with the
// registers that they name.
#include <algorithm>
#include <iterator>

#include "profiling/emulator/sass/decode/machine_context.h"

namespace warpscope {
namespace {

using How = RegisterFlow::How;

// Their sources leave the registers of the lane, or decide where lanes go.
constexpr const char* kEnds[] = {"ST",    "STG",   "STS",  "STL",    "STSM", "ATOM", "ATOMG",
                                 "ATOMS", "RED",   "REDG", "LDGSTS", "SHFL", "VOTE", "VOTEU",
                                 "MATCH", "REDUX", "HMMA", "HGMMA",  "IMMA", "DMMA", "SYNCS",
                                 "BAR",   "BRA",   "BRX",  "RET",    "CALL", "EXIT", "WARPSYNC",
                                 "BREAK", "BSSY",  "BSYNC"};

bool is_of_uniform_datapath(const MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.empty()) return false;
  const OperandKind kind = all[0].kind;
  return kind == OperandKind::uniform || kind == OperandKind::uniform_predicate;
}

// SEL and FSEL choose by their last operand; comparisons combine their result with it.
void find_gate(MachineContext& ctx, RegisterFlow& f) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.empty() || !all.back().is_predicate()) return;
  const std::string& name = ctx.at->name;
  const auto is = [&](const char* modifier) {
    const std::vector<std::string>& modifiers = ctx.at->modifiers;
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
  };
  if (name == "SEL" || name == "FSEL" || name == "USEL") {
    f.how = How::chooses;
  } else if (name.find("SET") != std::string::npos && is("AND")) {
    f.how = How::joins_and;
  } else if (name.find("SET") != std::string::npos && is("OR")) {
    f.how = How::joins_or;
  } else {
    return;
  }
  f.gate = predicate_source(ctx, all.back());
  f.gate_flip = all.back().complement;
}

How how_of(const std::string& name) {
  if (name == "R2UR") return How::uses_first;
  const bool ends = std::find(std::begin(kEnds), std::end(kEnds), name) != std::end(kEnds);
  return ends ? How::uses_up : How::passes_on;
}

}  // namespace

void note_use(MachineContext& ctx, SlotRole role, std::uint32_t slot, int words) {
  if (slot == ctx.layout.zero) return;
  for (int k = 0; k < words; ++k)
    ctx.uses.push_back({slot + static_cast<std::uint32_t>(k) * kSlotBytes, role});
}

void add_flow(MachineContext& ctx, std::uint32_t guard) {
  RegisterFlow f;
  f.how = how_of(ctx.at->name);
  f.of_warp = is_of_uniform_datapath(ctx);
  f.guard = guard;
  find_gate(ctx, f);
  // The first source where the predicate holds, then the other: which of them is written first
  // into `uses` is not said.
  if (f.how == How::chooses) {
    std::erase_if(ctx.uses, [](const auto& u) { return u.role == SlotRole::source; });
    for (const std::size_t k : {1, 2}) {
      const MachineOperand& o = ctx.at->operands[k];
      const bool general = o.kind == OperandKind::general;
      ctx.uses.push_back({general                          ? general_slot(ctx, o.number)
                          : o.kind == OperandKind::uniform ? uniform_slot(ctx, o.number)
                                                           : ctx.layout.zero,
                          SlotRole::source});
    }
  }
  f.first = static_cast<std::uint32_t>(ctx.kernel.flow_slots.size());
  const auto add = [&](SlotRole role, std::uint8_t& count) {
    for (const MachineContext::Use& u : ctx.uses) {
      if (u.role != role) continue;
      ctx.kernel.flow_slots.push_back(u.slot);
      f.filter |= RegisterFlow::filter_bit(u.slot);
      ++count;
    }
  };
  add(SlotRole::source, f.sources);
  add(SlotRole::address, f.addresses);
  add(SlotRole::predicate, f.predicates);
  add(SlotRole::result, f.results);
  add(SlotRole::predicate_result, f.predicate_results);
  if (guard != 0) f.filter |= RegisterFlow::filter_bit(guard);
  ctx.kernel.flows.push_back(f);
}

}  // namespace warpscope
