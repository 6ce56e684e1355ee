// profiling/emulator/decode/written_memory.cpp: through which pointers a kernel may write global
// memory.
#include "profiling/emulator/decode/written_memory.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "profiling/emulator/instructions/opcode_table.h"
#include "profiling/emulator/state/worker.h"

namespace warpscope {
namespace {

// Bits: a parameter or a variable each; the highest stands for anything else.
constexpr std::uint64_t kAnywhere = 1ull << 63;
constexpr int kMostRoots = 63;

bool goes_to_memory(const Instruction& i) {
  const OpcodeTable& table = opcode_table();
  for (const auto& by_width : table.loads) {
    for (const auto& by_slot : by_width) {
      if (std::find(std::begin(by_slot), std::end(by_slot), i.run) != std::end(by_slot))
        return true;
    }
  }
  for (const auto& by_width : table.stores) {
    if (std::find(std::begin(by_width), std::end(by_width), i.run) != std::end(by_width))
      return true;
  }
  return false;
}

}  // namespace

void find_written_memory(KernelCode& kernel) {
  std::unordered_map<std::uint32_t, std::uint64_t> roots;  // by slot
  int count = 0;
  const auto new_root = [&] { return count < kMostRoots ? 1ull << count++ : kAnywhere; };
  for (const KernelCode::ParameterSlot& p : kernel.parameter_slots) {
    if (p.bytes == 8) roots[p.slot] = new_root();
  }
  const int parameters = count;
  for (const KernelCode::AddressSlot& a : kernel.addresses) roots[a.slot] = new_root();
  for (const std::uint32_t slot : kernel.loaded_pointers) roots[slot] |= kAnywhere;
  struct Flow {
    std::uint32_t d, from[3];
  };
  std::vector<Flow> flows;
  for (const Instruction& i : kernel.code) {
    const bool computes =
        i.kind == InstructionKind::ordinary || i.kind == InstructionKind::collective;
    if (computes && i.d != 0 && !goes_to_memory(i)) flows.push_back({i.d, {i.a, i.b, i.c}});
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Flow& f : flows) {
      std::uint64_t all = 0;
      for (const std::uint32_t slot : f.from) {
        if (const auto found = roots.find(slot); slot != 0 && found != roots.end()) {
          all |= found->second;
        }
      }
      if (all == 0) continue;
      std::uint64_t& now = roots[f.d];
      changed = changed || (now | all) != now;
      now |= all;
    }
  }
  std::uint64_t written = 0;
  for (const std::uint32_t slot : kernel.store_addresses) {
    const auto found = roots.find(slot);
    written |= found == roots.end() ? kAnywhere : found->second;
  }
  kernel.written.anywhere = (written & kAnywhere) != 0;
  int root = 0;
  for (const KernelCode::ParameterSlot& p : kernel.parameter_slots) {
    if (p.bytes != 8 || root >= parameters) continue;
    if ((written >> root++ & 1) != 0) kernel.written.parameters.push_back(p.offset);
  }
  root = parameters;
  for (const KernelCode::AddressSlot& a : kernel.addresses) {
    if (root >= kMostRoots) break;
    if ((written >> root++ & 1) != 0) kernel.written.variables.push_back(a.variable);
  }
}

std::vector<bool> written_buffers(const RunShared& run) {
  const KernelCode::Written& written = run.kernel->written;
  std::vector<bool> buffers(run.memory->buffers.size(), written.anywhere);
  const auto want = [&](std::uint64_t address) {
    if (const MemoryBuffer* b = run.memory->find(address)) {
      buffers[b->index] = true;
    } else {
      buffers.assign(buffers.size(), true);  // where it goes from there is not known
    }
  };
  for (const std::uint32_t offset : written.parameters) {
    std::uint64_t address = 0;
    std::memcpy(&address, run.parameters.data() + offset, sizeof address);
    want(address);
  }
  for (const std::uint32_t variable : written.variables) want(run.variable_addresses[variable]);
  return buffers;
}

}  // namespace warpscope
