// profiling/emulator/memory/access_shared.cpp: accesses to shared memory.
#include <algorithm>
#include <bit>

#include "profiling/emulator/memory/cost.h"
#include "profiling/emulator/memory/memory_path.h"

namespace warpscope {

AccessStrength strength_of(const Instruction& i, AccessIntent intent) {
  if (intent == AccessIntent::update) return AccessStrength::strong;
  if ((i.flags & kFlagStrong) == 0) return AccessStrength::weak;
  return (i.flags & kFlagVolatile) != 0 ? AccessStrength::by_volatile : AccessStrength::strong;
}

void MemoryPath::shared_finding(SharedFinding finding, int lane, int byte) const {
  if (finding == SharedFinding::uninitialised && i.undefined == UndefinedUse::load) {
    const auto load = static_cast<std::uint32_t>(&i - worker().kernel->code.data());
    warp.undefined.push_back({i.d, lane_bit(lane), load, lane,
                              static_cast<std::int64_t>(access.address[lane]), element});
    return;
  }
  note_shared_finding(warp, i, finding, lane,
                      static_cast<std::int64_t>(access.address[lane]) + byte, element, intent);
}

void MemoryPath::count_shared(std::uint32_t lanes, std::uint32_t elsewhere) const {
  Worker& k = worker();
  if (site == kNoSite || !k.sums) return;
  k.site_space[site] = static_cast<std::uint8_t>(Space::shared) + 1;
  if (access.contiguous) {
    add_contiguous_shared(k.totals[site], access.address[0], width);
  } else if (elsewhere == 0) {
    add_shared(k.totals[site], access.address, leaving(lanes), width, kind);
  } else {
    add_remote(k.totals[site], access.address, leaving(lanes | elsewhere), width, kind);
  }
}

void MemoryPath::tell_shadow(std::uint32_t lanes) const {
  Worker& k = worker();
  const AccessStrength strength = strength_of(i, intent);
  const bool weak = strength == AccessStrength::weak;
  if (access.same_value != nullptr && weak && !access.contiguous &&
      store_together(warp, i, access, lanes, width, element, nullptr)) {
    return;
  }
  const bool words = width == 4 && weak;
  const auto warp_index = static_cast<int>(warp.index);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    if (words) {
      rest = intent == AccessIntent::read
                 ? k.shadow.read_words(warp_index, rest, warp.sync_count, access.address)
                 : k.shadow.write_words(warp_index, rest, warp.sync_count, access.address);
      if (rest == 0) break;
    }
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<std::int64_t>(access.address[lane]);
    for (int e = 0; intent != AccessIntent::write && e * element < width; ++e) {
      if ((access.unused >> e & 1) != 0) continue;
      const SharedFinding finding =
          k.shadow.read(warp_index, lane, warp.sync_count, at + e * element, element, strength);
      if (finding != SharedFinding::none) shared_finding(finding, lane, e * element);
    }
    if (intent != AccessIntent::read) {
      const SharedFinding finding =
          k.shadow.write(warp_index, lane, warp.sync_count, at, width, strength, 0,
                         access.changed_bytes(warp, i, lane, width));
      if (finding != SharedFinding::none) shared_finding(finding, lane, 0);
    }
  }
}

std::uint32_t MemoryPath::shared(std::uint32_t lanes) const {
  lanes &= ~misaligned(lanes);
  Worker& k = worker();
  // The array that the address was made from, where that is known, else all of the block's.
  const int known = k.source(i).shared_variable;
  const KernelCode::SharedVariable* array =
      known < 0 ? nullptr : &k.kernel->shared_variables[static_cast<std::size_t>(known)];
  const std::uint64_t begin = array == nullptr ? 0 : static_cast<std::uint64_t>(array->offset);
  const std::uint64_t end =
      array == nullptr || array->bytes == 0
          ? k.shared.size()
          : std::min<std::uint64_t>(k.shared.size(),
                                    begin + static_cast<std::uint64_t>(array->bytes));
  const std::uint64_t size = end > begin ? end - begin : 0;
  const auto w = static_cast<std::uint64_t>(width);
  std::uint32_t outside = 0;
  std::uint64_t different = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const std::uint64_t at = access.address[lane] - begin;  // of what lies before: very large
    outside |= static_cast<std::uint32_t>(at < size && at + w <= size ? 0 : 1) << lane;
    different |= access.address[lane] ^ (access.address[0] + static_cast<std::uint64_t>(lane) * w);
  }
  outside &= lanes;
  std::uint32_t elsewhere = 0;
  if (outside != 0) {
    lanes &= ~outside;
    elsewhere = in_other_blocks(outside);
    if (outside != 0) fault_outside_shared(outside, array, static_cast<std::int64_t>(size));
  }
  if ((lanes | elsewhere) == 0) return 0;
  access.contiguous = lanes == kAllLanes && different == 0;
  if (access.contiguous) {
    access.first = k.shared.data() + access.address[0];
  } else {
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      access.pointer[lane] = k.shared.data() + access.address[lane];
    }
  }
  count_shared(lanes, elsewhere);
  if (k.shadowed && lanes != 0) tell_shadow(lanes);
  return lanes | elsewhere;
}

std::uint32_t MemoryPath::in_other_blocks(std::uint32_t& outside) const {
  // The block alone has .shared::cta; PTX takes .shared for that.
  const bool reaches =
      i.space == AddressSpace::generic || opcode().find("shared::cluster") != std::string::npos;
  std::uint32_t found = 0, named = 0;
  for (std::uint32_t rest = outside; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (!names_block(access.address[lane])) continue;
    named |= lane_bit(lane);
    if (!reaches) continue;
    std::uint64_t at = access.address[lane];
    Worker* const other = block_at(warp, i, lane, at);
    if (other == nullptr) continue;
    if (at + static_cast<std::uint64_t>(width) > other->shared.size()) {
      fault_outside_block(lane, at, *other);
      continue;
    }
    access.pointer[lane] = other->shared.data() + at;
    found |= lane_bit(lane);
    if (!other->shadowed) continue;
    const SharedFinding finding =
        other->shadow.visit(static_cast<std::int64_t>(at), width, intent != AccessIntent::read);
    if (finding != SharedFinding::none && intent != AccessIntent::write) {
      fault_empty_block(lane, at, *other);
    }
  }
  if (named != 0 && !reaches) fault_not_mapped(named);
  outside &= ~named;
  return found;
}

}  // namespace warpscope
