// profiling/emulator/warpgroups/written_products.cpp: products of warpgroups whose registers other
// instructions write without a fence in between.
#include "profiling/emulator/warpgroups/written_products.h"

#include <algorithm>
#include <vector>

#include "profiling/emulator/warpgroups/products.h"

namespace warpscope {
namespace {

using Ways = std::vector<std::vector<std::uint32_t>>;

// From each instruction to those that may run before it.
Ways ways_back(const KernelCode& kernel) {
  Ways from(kernel.code.size());
  const auto add = [&](std::uint32_t to, std::uint32_t pc) {
    if (to < from.size()) from[to].push_back(pc);
  };
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
    const Instruction& i = kernel.code[pc];
    const bool branch = i.kind == InstructionKind::branch;
    const bool table = i.kind == InstructionKind::branch_table;
    const bool ends = i.kind == InstructionKind::exit || i.kind == InstructionKind::trap ||
                      i.kind == InstructionKind::assertion;
    if (i.guard != 0 || !(branch || table || ends)) add(pc + 1, pc);
    if (branch) add(i.target, pc);
    for (std::uint32_t k = 0; table && k < i.c; ++k) add(kernel.targets[i.extra + k], pc);
  }
  return from;
}

bool is_written(const KernelCode& kernel, const Ways& from, std::uint32_t at,
                const std::vector<std::uint32_t>& slots) {
  const auto ours = [&](std::uint32_t slot) {
    return std::find(slots.begin(), slots.end(), slot) != slots.end();
  };
  std::vector<bool> seen(kernel.code.size());
  std::vector<std::uint32_t> open = from[at];
  while (!open.empty()) {
    const std::uint32_t pc = open.back();
    open.pop_back();
    if (seen[pc]) continue;
    seen[pc] = true;
    const Instruction& i = kernel.code[pc];
    if (i.run == run_product_fence) continue;
    if (i.kind == InstructionKind::warpgroup_product) {
      const WarpgroupProduct& p = kernel.products[static_cast<std::size_t>(i.immediate)];
      if (std::any_of(p.accumulators.begin(), p.accumulators.end(), ours)) continue;
    } else if (i.counted != 0 && i.kind != InstructionKind::join) {
      const RegisterUse& use = kernel.register_uses[i.source];
      const auto first = kernel.used_registers.begin() + use.first;
      if (std::any_of(first, first + use.written, ours)) return true;
    }
    open.insert(open.end(), from[pc].begin(), from[pc].end());
  }
  return false;
}

}  // namespace

void find_written_products(KernelCode& kernel) {
  if (kernel.products.empty()) return;
  const Ways from = ways_back(kernel);
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
    const Instruction& i = kernel.code[pc];
    if (i.kind != InstructionKind::warpgroup_product) continue;
    WarpgroupProduct& p = kernel.products[static_cast<std::size_t>(i.immediate)];
    std::vector<std::uint32_t> slots = p.accumulators;
    if (p.a_in_registers) slots.insert(slots.end(), p.a_registers.begin(), p.a_registers.end());
    p.written_before = is_written(kernel, from, pc, slots);
  }
}

}  // namespace warpscope
