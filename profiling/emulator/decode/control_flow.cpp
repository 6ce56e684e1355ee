// profiling/emulator/decode/control_flow.cpp: where lanes that part at a branch meet again.
#include "profiling/emulator/decode/control_flow.h"

#include <algorithm>
#include <utility>

namespace warpscope {
namespace {

// A hundred times what the largest kernels take, in well under a second. It grows with the square
// of the blocks where loops are entered in many places, which no compiler makes.
constexpr std::int64_t kMostSteps = 100'000'000;

bool ends_block(const Instruction& i) {
  switch (i.kind) {
    case InstructionKind::branch:
    case InstructionKind::branch_table:
    case InstructionKind::exit:
    case InstructionKind::assertion:
    case InstructionKind::trap:
      return true;
    default:
      return false;
  }
}

}  // namespace

// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", on the graph turned round.
std::vector<int> immediate_post_dominators(const std::vector<std::vector<int>>& successors) {
  const int exit = static_cast<int>(successors.size());
  const auto nodes = successors.size() + 1;
  std::vector<std::vector<int>> predecessors(nodes);
  for (int node = 0; node < exit; ++node) {
    for (const int next : successors[static_cast<std::size_t>(node)]) {
      predecessors[static_cast<std::size_t>(next)].push_back(node);
    }
  }
  // Depth first from the exit, against the edges; numbers in the order of leaving.
  std::vector<int> number(nodes, -1), order;
  std::vector<char> seen(nodes, 0);
  std::vector<std::pair<int, std::size_t>> stack{{exit, 0}};
  seen[static_cast<std::size_t>(exit)] = 1;
  while (!stack.empty()) {
    auto& [node, at] = stack.back();
    const auto& before = predecessors[static_cast<std::size_t>(node)];
    if (at < before.size()) {
      const int next = before[at++];
      if (seen[static_cast<std::size_t>(next)] == 0) {
        seen[static_cast<std::size_t>(next)] = 1;
        stack.emplace_back(next, 0);
      }
    } else {
      number[static_cast<std::size_t>(node)] = static_cast<int>(order.size());
      order.push_back(node);
      stack.pop_back();
    }
  }
  std::vector<int> dominator(nodes, -1);
  dominator[static_cast<std::size_t>(exit)] = exit;
  std::int64_t steps = 0;
  const auto meet = [&](int a, int b) {
    while (a != b) {
      while (number[static_cast<std::size_t>(a)] < number[static_cast<std::size_t>(b)]) {
        a = dominator[static_cast<std::size_t>(a)];
        ++steps;
      }
      while (number[static_cast<std::size_t>(b)] < number[static_cast<std::size_t>(a)]) {
        b = dominator[static_cast<std::size_t>(b)];
        ++steps;
      }
    }
    return a;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      if (*node == exit) continue;
      if (steps++ > kMostSteps) return {};
      int found = -1;
      for (const int next : successors[static_cast<std::size_t>(*node)]) {
        if (dominator[static_cast<std::size_t>(next)] < 0) continue;
        found = found < 0 ? next : meet(found, next);
      }
      if (found != dominator[static_cast<std::size_t>(*node)]) {
        dominator[static_cast<std::size_t>(*node)] = found;
        changed = true;
      }
    }
  }
  dominator.pop_back();
  return dominator;
}

void place_joins(KernelCode& kernel) {
  std::vector<Instruction>& code = kernel.code;
  const std::size_t count = code.size();
  if (count == 0) return;
  std::vector<char> leads(count + 1, 0);
  leads[0] = 1;
  for (std::size_t pc = 0; pc < count; ++pc) {
    const Instruction& i = code[pc];
    if (!ends_block(i)) continue;
    leads[pc + 1] = 1;
    if (i.kind == InstructionKind::branch) leads[i.target] = 1;
    if (i.kind == InstructionKind::branch_table) {
      for (std::uint32_t k = 0; k < i.c; ++k) leads[kernel.targets[i.extra + k]] = 1;
    }
  }
  std::vector<int> block_of(count + 1, -1);
  std::vector<std::size_t> first;
  for (std::size_t pc = 0; pc < count; ++pc) {
    if (leads[pc] != 0) first.push_back(pc);
    block_of[pc] = static_cast<int>(first.size()) - 1;
  }
  const int exit = static_cast<int>(first.size());
  block_of[count] = exit;
  std::vector<std::vector<int>> successors(first.size());
  for (std::size_t b = 0; b < first.size(); ++b) {
    const std::size_t end = b + 1 < first.size() ? first[b + 1] : count;
    const Instruction& last = code[end - 1];
    std::vector<int>& to = successors[b];
    const bool guarded = last.guard != 0;
    switch (last.kind) {
      case InstructionKind::branch:
        to.push_back(block_of[last.target]);
        if (guarded) to.push_back(block_of[end]);
        break;
      case InstructionKind::branch_table:
        for (std::uint32_t k = 0; k < last.c; ++k) {
          to.push_back(block_of[kernel.targets[last.extra + k]]);
        }
        if (guarded || last.c == 0) to.push_back(block_of[end]);
        break;
      case InstructionKind::exit:
      case InstructionKind::assertion:
      case InstructionKind::trap:
        to.push_back(exit);
        if (guarded) to.push_back(block_of[end]);
        break;
      default:
        to.push_back(block_of[end]);
    }
  }
  const std::vector<int> joins = immediate_post_dominators(successors);
  if (joins.empty()) {
    Instruction trap;
    trap.kind = InstructionKind::trap;
    trap.flags = flag_unknown;
    trap.source = code.front().source;
    trap.extra = static_cast<std::uint32_t>(kernel.unknown.size());
    kernel.unknown.emplace_back("control flow too tangled to find where lanes meet");
    code = {trap};
    return;
  }
  std::vector<char> is_join(first.size(), 0);
  for (std::size_t b = 0; b < first.size(); ++b) {
    const std::size_t end = b + 1 < first.size() ? first[b + 1] : count;
    Instruction& last = code[end - 1];
    const bool parts = last.kind == InstructionKind::branch_table ||
                       (last.kind == InstructionKind::branch && last.guard != 0);
    if (!parts || joins[b] < 0 || joins[b] == exit) continue;
    last.join = static_cast<std::uint32_t>(first[static_cast<std::size_t>(joins[b])]);
    is_join[static_cast<std::size_t>(joins[b])] = 1;
  }
  std::vector<std::uint32_t> moved(count + 1);
  std::vector<Instruction> placed;
  placed.reserve(count + first.size());
  for (std::size_t pc = 0; pc < count; ++pc) {
    moved[pc] = static_cast<std::uint32_t>(placed.size());
    if (leads[pc] != 0 && is_join[static_cast<std::size_t>(block_of[pc])] != 0) {
      Instruction join;
      join.kind = InstructionKind::join;
      join.source = code[pc].source;
      join.counted = 0;
      placed.push_back(join);
    }
    placed.push_back(code[pc]);
  }
  moved[count] = static_cast<std::uint32_t>(placed.size());
  for (Instruction& i : placed) {
    if (i.kind == InstructionKind::branch) i.target = moved[i.target];
    if (i.join != no_join) i.join = moved[i.join];
  }
  for (std::uint32_t& target : kernel.targets) target = moved[target];
  code = std::move(placed);
}

}  // namespace warpscope
