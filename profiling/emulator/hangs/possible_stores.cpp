// profiling/emulator/hangs/possible_stores.cpp: which instructions could change a word that a loop
// waits for, and of which block.
#include "profiling/emulator/hangs/possible_stores.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "profiling/emulator/state/memory.h"

namespace warpscope {
namespace {

constexpr std::int64_t kMostComputedWarps = 1 << 14;  // of the grid, for each store
constexpr std::int64_t kEveryBlockStores = -3;        // the address is the same in several blocks

bool writes_memory(std::string_view opcode) {
  return opcode.starts_with("st.") || opcode.starts_with("atom") || opcode.starts_with("red.");
}

// Arithmetic without a side effect, whose operands are a, b and c alone.
bool is_plain_arithmetic(const Instruction& i, std::string_view opcode) {
  constexpr std::array<std::string_view, 13> kNames = {
      "mov", "cvta", "add", "sub", "mul", "mad", "shl", "shr", "and", "or", "xor", "cvt", "neg"};
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  // A parameter is a slot, from which its load moves it.
  const bool known = opcode.starts_with("ld.param") ||
                     std::find(kNames.begin(), kNames.end(), base) != kNames.end();
  return i.kind == InstructionKind::ordinary && i.guard == 0 && i.count <= 1 && known;
}

// What slots are computed from.
class Definitions {
 public:
  explicit Definitions(const KernelCode& kernel) : kernel_(kernel) {
    for (const auto& c : kernel.constants) fixed_.insert(c.slot);
    for (const auto& p : kernel.parameter_slots) fixed_.insert(p.slot);
    for (const auto& a : kernel.addresses) fixed_.insert(a.slot);
    for (const auto& s : kernel.specials) {
      if (s.which != SpecialRegister::smid) fixed_.insert(s.slot);
    }
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      const Instruction& i = kernel.code[pc];
      const std::string& opcode = kernel.sources[i.source].opcode;
      if (i.d != 0) made_by_[i.d].push_back(pc);
      if (opcode.starts_with("ld") || opcode.starts_with("atom")) {
        for (std::uint32_t k = 0; k < i.count; ++k) {
          if (i.extra + k < kernel.slots.size()) made_by_[kernel.slots[i.extra + k]].push_back(pc);
        }
      }
    }
  }

  // The instructions that compute a slot, in order. False: it is not known.
  bool plan(std::uint32_t slot, std::vector<std::uint32_t>& order) const {
    if (slot == 0 || fixed_.count(slot) != 0) return true;
    const auto found = made_by_.find(slot);
    if (found == made_by_.end() || found->second.size() != 1) return false;
    const std::uint32_t pc = found->second.front();
    if (std::find(order.begin(), order.end(), pc) != order.end()) return true;
    const Instruction& i = kernel_.code[pc];
    constexpr std::size_t kMostSteps = 64;
    if (order.size() > kMostSteps || !is_plain_arithmetic(i, kernel_.sources[i.source].opcode) ||
        !plan(i.a, order) || !plan(i.b, order) || !plan(i.c, order)) {
      return false;
    }
    order.push_back(pc);
    return true;
  }

  // The fixed slots that a slot may come from, by whatever way; false where memory has a part in
  // it.
  bool roots(std::uint32_t slot, std::unordered_set<std::uint32_t>& seen,
             std::vector<std::uint32_t>& found) const {
    if (slot == 0 || !seen.insert(slot).second) return true;
    if (fixed_.count(slot) != 0) {
      found.push_back(slot);
      return true;
    }
    const auto made = made_by_.find(slot);
    if (made == made_by_.end()) return true;
    bool known = true;
    for (const std::uint32_t pc : made->second) {
      const Instruction& i = kernel_.code[pc];
      if (i.kind != InstructionKind::ordinary || i.count != 0) {
        known = false;
        continue;
      }
      for (const std::uint32_t from : {i.a, i.b, i.c}) known = roots(from, seen, found) && known;
    }
    return known;
  }

 private:
  const KernelCode& kernel_;
  std::unordered_set<std::uint32_t> fixed_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> made_by_;  // slot → instructions
};

// Registers of any warp of the grid, as far as they do not change while it runs.
class WarpAnywhere {
 public:
  explicit WarpAnywhere(const Worker& worker) : worker_(worker), kernel_(*worker.kernel) {
    constexpr std::size_t kAlignment = 64;
    storage_.resize(kernel_.register_bytes + kAlignment);
    const auto start = reinterpret_cast<std::uintptr_t>(storage_.data());
    registers_ = reinterpret_cast<std::byte*>((start + kAlignment - 1) / kAlignment * kAlignment);
  }
  // Runs the instructions of `order` in a warp of a block.
  Warp& compute(std::int64_t block, std::size_t warp, const std::vector<std::uint32_t>& order) {
    warp_ = worker_.warps[warp];
    std::memcpy(registers_, warp_.registers, kernel_.register_bytes);
    warp_.registers = registers_;
    warp_.recorded = warp_.witnessed = false;
    warp_.mask = kAllLanes;
    const Dim3 at = block_at(worker_.run->launch, block);
    for (const KernelCode::SpecialSlot& s : kernel_.specials) {
      if (s.which == SpecialRegister::ctaid_x) fill(s, at.x);
      if (s.which == SpecialRegister::ctaid_y) fill(s, at.y);
      if (s.which == SpecialRegister::ctaid_z) fill(s, at.z);
    }
    for (const std::uint32_t pc : order) kernel_.code[pc].run(warp_, kernel_.code[pc]);
    return warp_;
  }

 private:
  void fill(const KernelCode::SpecialSlot& s, std::int64_t value) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      if (s.bytes == 8) {
        warp_.slot<std::uint64_t>(s.slot)[lane] = static_cast<std::uint64_t>(value);
      } else {
        warp_.slot<std::uint32_t>(s.slot)[lane] = static_cast<std::uint32_t>(value);
      }
    }
  }
  const Worker& worker_;
  const KernelCode& kernel_;
  std::vector<std::byte> storage_;
  std::byte* registers_ = nullptr;
  Warp warp_;
};

std::uint64_t address_at(const Warp& w, const Instruction& i, int lane) {
  const auto offset = static_cast<std::uint64_t>(i.immediate);
  if ((i.flags & kFlagAddress32) != 0) {
    return w.slot<std::uint32_t>(i.a)[lane] + static_cast<std::uint32_t>(offset);
  }
  return w.slot<std::uint64_t>(i.a)[lane] + offset;
}

int stored_bytes(const Instruction& i) {
  return std::max<int>(1, i.width) * std::max<int>(1, i.count);
}

// Which block's threads have the word's address in a store whose address can be computed.
struct Found {
  std::int64_t block = kNobodyStores;
  int warp = -1;
  bool near = false;  // some thread's address is in the word's buffer
};

Found look_for(const Worker& worker, const Instruction& i, const std::vector<std::uint32_t>& order,
               const HangNote& note, const MemoryBuffer* buffer) {
  const std::int64_t grid = note.in_shared ? 1 : block_count(worker.run->launch);
  const auto warps = static_cast<std::int64_t>(worker.warps.size());
  Found found;
  if (grid * warps > kMostComputedWarps) return {kStoreNotKnown, -1, true};
  WarpAnywhere anywhere(worker);
  for (std::int64_t b = 0; b < grid; ++b) {
    const std::int64_t block = note.in_shared ? note.row.block : b;
    for (std::int64_t v = 0; v < warps; ++v) {
      const Warp& w = anywhere.compute(block, static_cast<std::size_t>(v), order);
      const int lanes =
          std::min<int>(kWarpLanes, worker.threads - static_cast<int>(v) * kWarpLanes);
      for (int lane = 0; lane < lanes; ++lane) {
        std::uint64_t address = address_at(w, i, lane);
        if (note.in_shared && address - kSharedWindow < kSpaceWindowBytes) address -= kSharedWindow;
        found.near =
            found.near || note.in_shared || (buffer != nullptr && buffer->holds(address, 1));
        const auto bytes = static_cast<std::uint64_t>(stored_bytes(i));
        if (note.address - address >= bytes) continue;
        if (found.block == kNobodyStores || found.block == block) {
          found.warp = found.block == kNobodyStores || found.warp == static_cast<int>(v)
                           ? static_cast<int>(v)
                           : -1;
          found.block = block;
        } else {
          found.block = kEveryBlockStores;
          found.warp = -1;
        }
      }
    }
  }
  return found;
}

// Whether a pointer that the address may come from leads to the buffer.
bool may_touch(const Worker& worker, const Definitions& definitions, const Instruction& i,
               const MemoryBuffer* buffer) {
  if (buffer == nullptr) return true;
  std::unordered_set<std::uint32_t> seen;
  std::vector<std::uint32_t> slots;
  const bool known = definitions.roots(i.a, seen, slots);
  bool pointer = false;
  for (const std::uint32_t slot : slots) {
    // A fixed slot is the same in all warps.
    std::uint64_t value = 0;
    std::memcpy(&value, worker.warps.front().registers + slot, sizeof value);
    if (buffer->holds(value, 1)) return true;
    pointer = pointer || worker.run->memory->find(value) != nullptr;
  }
  return !known && !pointer;
}

}  // namespace

std::vector<StorePlace> possible_stores(const Worker& worker, const HangNote& note,
                                        const std::vector<std::int64_t>& executed) {
  const KernelCode& kernel = *worker.kernel;
  const MemoryBuffer* const buffer =
      note.in_shared ? nullptr : worker.run->memory->find(note.address);
  const Definitions definitions(kernel);
  std::vector<StorePlace> places;
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
    const Instruction& i = kernel.code[pc];
    const InstructionSource& source = kernel.sources[i.source];
    if (i.kind != InstructionKind::ordinary || i.source == note.source ||
        !writes_memory(source.opcode) || i.site == kNoSite) {
      continue;
    }
    const bool shared = i.space == AddressSpace::shared;
    if (i.space != AddressSpace::generic && shared != note.in_shared) continue;
    if (i.space == AddressSpace::local) continue;
    StorePlace place{pc, {source.position, source.opcode, executed[pc], kStoreNotKnown, -1}};
    std::vector<std::uint32_t> order;
    if (definitions.plan(i.a, order)) {
      const Found found = look_for(worker, i, order, note, buffer);
      if (!found.near) continue;
      place.store.block = found.block == kEveryBlockStores ? kStoreNotKnown : found.block;
      place.store.warp = found.warp;
    } else if (!note.in_shared && !may_touch(worker, definitions, i, buffer)) {
      continue;
    }
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace warpscope
