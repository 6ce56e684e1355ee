// profiling/emulator/memory/access_shared.cpp: accesses to shared memory.
#include <algorithm>
#include <bit>

#include "profiling/emulator/memory/cost.h"
#include "profiling/emulator/memory/memory_path.h"
#include "profiling/emulator/memory/unwritten_registers.h"

namespace warpscope {
namespace {

void tell_shared_finding(const MemoryPath& path, SharedFinding finding, int lane, int byte) {
  const std::int64_t at = static_cast<std::int64_t>(path.access.address[lane]) + byte;
  if (finding == SharedFinding::uninitialised && path.i.undefined == UndefinedUse::mark) {
    return mark_unwritten(path.warp, path.i, byte / path.element, lane,
                          {AddressSpace::shared, nullptr, at});
  }
  if (finding == SharedFinding::uninitialised && path.i.undefined == UndefinedUse::load) {
    const auto load = static_cast<std::uint32_t>(&path.i - path.worker().kernel->code.data());
    path.warp.undefined.push_back({path.i.d, lane_bit(lane), load, lane,
                                   static_cast<std::int64_t>(path.access.address[lane]),
                                   path.element});
    return;
  }
  note_shared_finding(path.warp, path.i, finding, lane, at, path.element, path.intent);
}

// `elsewhere`: lanes in memory of other blocks.
void count_shared(const MemoryPath& path, std::uint32_t lanes, std::uint32_t elsewhere) {
  Worker& k = path.worker();
  if (path.site == kNoSite || !k.sums) return;
  k.site_space[path.site] = static_cast<std::uint8_t>(Space::shared) + 1;
  if (path.access.contiguous) {
    add_contiguous_shared(k.totals[path.site], path.access.address[0], path.width);
  } else if (elsewhere == 0) {
    add_shared(k.totals[path.site], path.access.address, path.leaving(lanes), path.width,
               path.kind);
  } else {
    add_remote(k.totals[path.site], path.access.address, path.leaving(lanes | elsewhere),
               path.width, path.kind);
  }
}

void tell_shadow(const MemoryPath& path, std::uint32_t lanes) {
  Worker& k = path.worker();
  const AccessStrength strength = strength_of(path.i, path.intent);
  const bool weak = strength == AccessStrength::weak;
  if (path.access.same_value != nullptr && weak && !path.access.contiguous &&
      store_together(path.warp, path.i, path.access, lanes, path.width, path.element, nullptr)) {
    return;
  }
  // Vectors of words go the same way; parts that an instruction leaves out are read by none.
  const int words = weak && path.width % 4 == 0 && path.element % 4 == 0 && path.access.unused == 0
                        ? path.width / 4
                        : 0;
  const auto warp_index = static_cast<int>(path.warp.index);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    if (words != 0) {
      rest = path.intent == AccessIntent::read
                 ? k.shadow.read_words(warp_index, rest, path.warp.sync_count, path.access.address,
                                       words)
                 : k.shadow.write_words(warp_index, rest, path.warp.sync_count, path.access.address,
                                        words);
      if (rest == 0) break;
    }
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<std::int64_t>(path.access.address[lane]);
    for (int e = 0; path.intent != AccessIntent::write && e * path.element < path.width; ++e) {
      if ((path.access.unused >> e & 1) != 0) continue;
      const SharedFinding finding = k.shadow.read(warp_index, lane, path.warp.sync_count,
                                                  at + e * path.element, path.element, strength);
      if (finding != SharedFinding::none)
        tell_shared_finding(path, finding, lane, e * path.element);
    }
    if (path.intent != AccessIntent::read) {
      const SharedFinding finding =
          k.shadow.write(warp_index, lane, path.warp.sync_count, at, path.width, strength, 0,
                         path.access.changed_bytes(path.warp, path.i, lane, path.width));
      if (finding != SharedFinding::none) tell_shared_finding(path, finding, lane, 0);
    }
  }
}

// The lanes that find another block's memory at addresses outside the block's own. `outside` keeps
// the lanes that name no block.
std::uint32_t lanes_in_other_blocks(const MemoryPath& path, std::uint32_t& outside) {
  // The block alone has .shared::cta; PTX takes .shared for that.
  const bool reaches = path.i.space == AddressSpace::generic ||
                       path.opcode().find("shared::cluster") != std::string::npos;
  std::uint32_t found = 0, named = 0;
  for (std::uint32_t rest = outside; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (!names_block(path.access.address[lane])) continue;
    named |= lane_bit(lane);
    if (!reaches) continue;
    std::uint64_t at = path.access.address[lane];
    Worker* const other = block_at(path.warp, path.i, lane, at);
    if (other == nullptr) continue;
    if (at + static_cast<std::uint64_t>(path.width) > other->shared.size()) {
      fault_outside_block(path, lane, at, *other);
      continue;
    }
    path.access.pointer[lane] = other->shared.data() + at;
    found |= lane_bit(lane);
    if (!other->shadowed) continue;
    const SharedFinding finding = other->shadow.visit(static_cast<std::int64_t>(at), path.width,
                                                      path.intent != AccessIntent::read);
    if (finding != SharedFinding::none && path.intent != AccessIntent::write) {
      fault_empty_block(path, lane, at, *other);
    }
  }
  if (named != 0 && !reaches) fault_not_mapped(path, named);
  outside &= ~named;
  return found;
}

}  // namespace

AccessStrength strength_of(const Instruction& i, AccessIntent intent) {
  if (intent == AccessIntent::update) return AccessStrength::strong;
  if ((i.flags & kFlagStrong) == 0) return AccessStrength::weak;
  return (i.flags & kFlagVolatile) != 0 ? AccessStrength::by_volatile : AccessStrength::strong;
}

std::uint32_t access_shared(const MemoryPath& path, std::uint32_t lanes) {
  lanes &= ~misaligned_lanes(path, lanes);
  Worker& k = path.worker();
  // The array that the address was made from, where that is known, else all of the block's.
  const int known = k.source(path.i).shared_variable;
  const KernelCode::SharedVariable* array =
      known < 0 ? nullptr : &k.kernel->shared_variables[static_cast<std::size_t>(known)];
  const std::uint64_t begin = array == nullptr ? 0 : static_cast<std::uint64_t>(array->offset);
  const std::uint64_t end =
      array == nullptr || array->bytes == 0
          ? k.shared.size()
          : std::min<std::uint64_t>(k.shared.size(),
                                    begin + static_cast<std::uint64_t>(array->bytes));
  const std::uint64_t size = end > begin ? end - begin : 0;
  const auto w = static_cast<std::uint64_t>(path.width);
  std::uint32_t outside = 0;
  std::uint64_t different = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const std::uint64_t at = path.access.address[lane] - begin;  // of what lies before: very large
    outside |= static_cast<std::uint32_t>(at < size && at + w <= size ? 0 : 1) << lane;
    different |=
        path.access.address[lane] ^ (path.access.address[0] + static_cast<std::uint64_t>(lane) * w);
  }
  outside &= lanes;
  std::uint32_t elsewhere = 0;
  if (outside != 0) {
    lanes &= ~outside;
    elsewhere = lanes_in_other_blocks(path, outside);
    if (outside != 0) fault_outside_shared(path, outside, array, static_cast<std::int64_t>(size));
  }
  if ((lanes | elsewhere) == 0) return 0;
  path.access.contiguous = lanes == kAllLanes && different == 0;
  if (path.access.contiguous) {
    path.access.first = k.shared.data() + path.access.address[0];
  } else {
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      path.access.pointer[lane] = k.shared.data() + path.access.address[lane];
    }
  }
  count_shared(path, lanes, elsewhere);
  if (k.shadowed && lanes != 0) tell_shadow(path, lanes);
  return lanes | elsewhere;
}

}  // namespace warpscope
