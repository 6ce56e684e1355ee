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

// Depth first from the exit, which is the last node, against the edges; numbers in the order of
// leaving.
void number_from_exit(const std::vector<std::vector<int>>& predecessors, std::vector<int>& number,
                      std::vector<int>& order) {
  const std::size_t nodes = predecessors.size();
  const int exit = static_cast<int>(nodes) - 1;
  number.assign(nodes, -1);
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
}

// Instructions that are run one after the other.
struct Blocks {
  std::vector<std::size_t> first;  // instruction of each
  std::vector<int> of;             // by instruction; of the end, their number: the exit
  std::size_t count = 0;           // instructions
  int exit() const { return static_cast<int>(first.size()); }
  std::size_t end(std::size_t block) const {
    return block + 1 < first.size() ? first[block + 1] : count;
  }
};

Blocks blocks_of(const KernelCode& kernel) {
  const std::vector<Instruction>& code = kernel.code;
  Blocks blocks;
  blocks.count = code.size();
  std::vector<char> leads(blocks.count + 1, 0);
  leads[0] = 1;
  for (std::size_t pc = 0; pc < blocks.count; ++pc) {
    const Instruction& i = code[pc];
    if (!ends_block(i)) continue;
    leads[pc + 1] = 1;
    if (i.kind == InstructionKind::branch) leads[i.target] = 1;
    if (i.kind == InstructionKind::branch_table) {
      for (std::uint32_t k = 0; k < i.c; ++k) leads[kernel.targets[i.extra + k]] = 1;
    }
  }
  blocks.of.assign(blocks.count + 1, -1);
  for (std::size_t pc = 0; pc < blocks.count; ++pc) {
    if (leads[pc] != 0) blocks.first.push_back(pc);
    blocks.of[pc] = blocks.exit() - 1;
  }
  blocks.of[blocks.count] = blocks.exit();
  return blocks;
}

// Where lanes may go from each block.
std::vector<std::vector<int>> successors_of(const Blocks& blocks, const KernelCode& kernel) {
  std::vector<std::vector<int>> successors(blocks.first.size());
  for (std::size_t b = 0; b < successors.size(); ++b) {
    const int next = blocks.of[blocks.end(b)];
    const Instruction& last = kernel.code[blocks.end(b) - 1];
    std::vector<int>& to = successors[b];
    const bool guarded = last.guard != 0;
    switch (last.kind) {
      case InstructionKind::branch:
        to.push_back(blocks.of[last.target]);
        if (guarded) to.push_back(next);
        break;
      case InstructionKind::branch_table:
        for (std::uint32_t k = 0; k < last.c; ++k) {
          to.push_back(blocks.of[kernel.targets[last.extra + k]]);
        }
        if (guarded || last.c == 0) to.push_back(next);
        break;
      case InstructionKind::exit:
      case InstructionKind::assertion:
      case InstructionKind::trap:
        to.push_back(blocks.exit());
        if (guarded) to.push_back(next);
        break;
      default:
        to.push_back(next);
    }
  }
  return successors;
}

// One trap in place of everything.
void refuse(KernelCode& kernel) {
  Instruction trap;
  trap.kind = InstructionKind::trap;
  trap.flags = kFlagUnknown;
  trap.source = kernel.code.front().source;
  trap.extra = static_cast<std::uint32_t>(kernel.unknown.size());
  kernel.unknown.emplace_back("the control flow is too complex to find where lanes reconverge");
  kernel.code = {trap};
}

// Puts a join before the first instruction of each block where divergent paths reconverge.
void insert_joins(KernelCode& kernel, const Blocks& blocks, const std::vector<char>& is_join) {
  std::vector<std::uint32_t> moved(blocks.count + 1);
  std::vector<Instruction> placed;
  placed.reserve(blocks.count + blocks.first.size());
  for (std::size_t pc = 0; pc < blocks.count; ++pc) {
    moved[pc] = static_cast<std::uint32_t>(placed.size());
    const auto block = static_cast<std::size_t>(blocks.of[pc]);
    if (blocks.first[block] == pc && is_join[block] != 0) {
      Instruction join;
      join.kind = InstructionKind::join;
      join.source = kernel.code[pc].source;
      join.counted = 0;
      placed.push_back(join);
    }
    placed.push_back(kernel.code[pc]);
  }
  moved[blocks.count] = static_cast<std::uint32_t>(placed.size());
  for (Instruction& i : placed) {
    if (i.kind == InstructionKind::branch) i.target = moved[i.target];
    if (i.join != kNoJoin) i.join = moved[i.join];
  }
  for (std::uint32_t& target : kernel.targets) target = moved[target];
  kernel.code = std::move(placed);
}

// Branches whose target is the end of the kernel, and joins that are there.
void mark_leaves(KernelCode& kernel) {
  const auto ends = [&](std::size_t at) {
    while (at < kernel.code.size() && kernel.code[at].kind == InstructionKind::join) ++at;
    return at < kernel.code.size() && kernel.code[at].guard == 0 &&
           kernel.code[at].kind == InstructionKind::exit;
  };
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    Instruction& i = kernel.code[pc];
    if (i.kind == InstructionKind::branch && ends(i.target)) i.kind = InstructionKind::leave;
    if (i.kind == InstructionKind::join && ends(pc)) i.flags |= kFlagAtEnd;
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
  std::vector<int> number, order;
  number_from_exit(predecessors, number, order);
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
  if (kernel.code.empty()) return;
  const Blocks blocks = blocks_of(kernel);
  const std::vector<int> joins = immediate_post_dominators(successors_of(blocks, kernel));
  if (joins.empty()) return refuse(kernel);
  std::vector<char> is_join(blocks.first.size(), 0);
  for (std::size_t b = 0; b < blocks.first.size(); ++b) {
    Instruction& last = kernel.code[blocks.end(b) - 1];
    const bool parts = last.kind == InstructionKind::branch_table ||
                       (last.kind == InstructionKind::branch && last.guard != 0);
    if (!parts || joins[b] < 0 || joins[b] == blocks.exit()) continue;
    const auto join = static_cast<std::size_t>(joins[b]);
    last.join = static_cast<std::uint32_t>(blocks.first[join]);
    is_join[join] = 1;
  }
  insert_joins(kernel, blocks, is_join);
  mark_leaves(kernel);
}

}  // namespace warpscope
