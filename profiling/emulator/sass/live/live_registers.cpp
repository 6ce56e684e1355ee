// profiling/emulator/sass/live/live_registers.cpp: how many registers are in use at each
// instruction of a function of machine code.
#include "profiling/emulator/sass/live/live_registers.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpscope {
namespace {

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

class Flow {
 public:
  explicit Flow(const MachineFunction& function)
      : function_(function), next_(function.code.size()) {}

  std::vector<std::vector<std::uint32_t>> take() {
    const auto count = static_cast<std::uint32_t>(function_.code.size());
    for (std::uint32_t k = 0; k < count; ++k) take_one(k);
    // Returns are led back once all are found: those of one function do not lead on within another.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> back;
    for (const auto& [entry, after] : calls_) {
      for (const std::uint32_t from : returns_of(entry)) {
        for (const std::uint32_t to : after) back.emplace_back(from, to);
      }
    }
    for (const auto& [from, to] : back) lead(from, to);
    return std::move(next_);
  }

 private:
  const MachineInstruction& at(std::uint32_t k) const { return function_.code[k]; }

  // The instruction at a label, or at an offset that stands in its place.
  std::uint32_t target_of(const MachineOperand& o) const {
    std::uint32_t offset = 0;
    if (o.kind == OperandKind::integer) {
      offset = static_cast<std::uint32_t>(o.value);
    } else {
      const auto label = function_.labels.find(o.text);
      if (label == function_.labels.end()) return kNowhere;
      offset = label->second;
    }
    return offset / kMachineInstructionBytes < function_.code.size()
               ? offset / kMachineInstructionBytes
               : kNowhere;
  }
  void lead(std::uint32_t from, std::uint32_t to) {
    if (to != kNowhere && to < function_.code.size()) next_[from].push_back(to);
  }
  static bool is_conditional(const MachineInstruction& i) {
    const auto may_be_false = [](const MachineOperand& o) {
      return o.is_predicate() && (o.number != kTruePredicate || o.complement);
    };
    const bool apart =
        i.modifiers.end() != std::find(i.modifiers.begin(), i.modifiers.end(), "DIV");
    const bool joined =
        i.modifiers.end() != std::find(i.modifiers.begin(), i.modifiers.end(), "CONV");
    return may_be_false(i.guard) || apart || joined ||
           std::any_of(i.operands.begin(), i.operands.end(), may_be_false);
  }

  void take_one(std::uint32_t k) {
    const MachineInstruction& i = at(k);
    const MachineOperand* const last = i.operands.empty() ? nullptr : &i.operands.back();
    const bool conditional = is_conditional(i);
    if (i.name == "EXIT" || i.name == "RET" || i.name == "KILL") {
      if (conditional) lead(k, k + 1);
    } else if (i.name == "BRA" || i.name == "JMP") {
      if (last != nullptr) lead(k, target_of(*last));
      if (conditional) lead(k, k + 1);
    } else if (i.name == "BRX" || i.name == "JMX" || i.name == "BRXU") {
      lead_by_register(k);
      if (conditional) lead(k, k + 1);
    } else if (i.name == "CALL") {
      const std::uint32_t entry = last == nullptr ? kNowhere : target_of(*last);
      if (entry == kNowhere || conditional) lead(k, k + 1);  // a function elsewhere comes back
      lead(k, entry);
      if (entry != kNowhere) calls_[entry].push_back(k + 1);
    } else {
      // WARPSYNC.COLLECTIVE names where the lanes go on that are joined.
      if (i.name == "WARPSYNC" && last != nullptr && last->kind == OperandKind::label)
        lead(k, target_of(*last));
      lead(k, k + 1);
    }
  }

  void lead_by_register(std::uint32_t k) {
    const MachineInstruction& i = at(k);
    if (i.branch_targets.empty()) {
      for (const auto& [name, offset] : function_.labels)
        lead(k, offset / kMachineInstructionBytes);
      return;
    }
    for (const std::string& name : i.branch_targets) {
      const auto label = function_.labels.find(name);
      if (label != function_.labels.end()) lead(k, label->second / kMachineInstructionBytes);
    }
  }

  // The returns that are reached from an entry, where calls are stepped over.
  std::vector<std::uint32_t> returns_of(std::uint32_t entry) const {
    std::vector<std::uint32_t> open = {entry}, returns;
    std::set<std::uint32_t> seen = {entry};
    while (!open.empty()) {
      const std::uint32_t k = open.back();
      open.pop_back();
      if (at(k).name == "RET") returns.push_back(k);
      std::vector<std::uint32_t> further = next_[k];
      if (at(k).name == "CALL") further = {k + 1};
      for (const std::uint32_t to : further) {
        if (to < function_.code.size() && seen.insert(to).second) open.push_back(to);
      }
    }
    return returns;
  }

  const MachineFunction& function_;
  std::vector<std::vector<std::uint32_t>> next_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> calls_;  // by entry: where they go on
};

int count_of(const RegisterSet& set, std::size_t place, std::size_t count) {
  int found = 0;
  for (std::size_t k = place; k < place + count; ++k) found += set[k] ? 1 : 0;
  return found;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> next_instructions(const MachineFunction& function) {
  return Flow(function).take();
}

std::vector<RegisterSet> live_sets(const MachineFunction& function) {
  const std::size_t count = function.code.size();
  const std::vector<std::vector<std::uint32_t>> next = next_instructions(function);
  std::vector<RegisterUses> uses;
  uses.reserve(count);
  for (const MachineInstruction& i : function.code) uses.push_back(register_uses(i));
  std::vector<RegisterSet> before(count);
  // Sets only grow, and each sweep from the end carries them over whole stretches of code.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = count; k-- > 0;) {
      RegisterSet after;
      for (const std::uint32_t to : next[k]) after |= before[to];
      const RegisterUses& of = uses[k];
      const RegisterSet made = of.reads | (of.conditional ? after : after & ~of.writes);
      if (made == before[k]) continue;
      before[k] = made;
      changed = true;
    }
  }
  for (std::size_t k = 0; k < count; ++k) before[k] |= uses[k].writes;
  return before;
}

LiveAnalysis live_registers(const MachineFunction& function) {
  LiveAnalysis made;
  const std::vector<RegisterSet> sets = live_sets(function);
  made.rows.reserve(sets.size());
  for (const RegisterSet& set : sets) {
    LiveRegisters& row = made.rows.emplace_back();
    row.general = count_of(set, 0, kUniformPlace);
    row.uniform = count_of(set, kUniformPlace, kPredicatePlace - kUniformPlace);
    row.predicates = count_of(set, kPredicatePlace, kTruePredicate);
    row.uniform_predicates = count_of(set, kUniformPredicatePlace, kTruePredicate);
    row.names = names_of(set);
  }
  for (const MachineInstruction& i : function.code) {
    if (register_uses(i).guessed &&
        std::find(made.guessed.begin(), made.guessed.end(), i.name) == made.guessed.end())
      made.guessed.push_back(i.name);
  }
  return made;
}

}  // namespace warpscope
