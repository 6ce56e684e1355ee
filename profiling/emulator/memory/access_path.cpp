// profiling/emulator/memory/access_path.cpp: from the addresses of a warp to bytes of the host.
#include "profiling/emulator/memory/access_path.h"

#include <algorithm>
#include <bit>

#include "profiling/emulator/memory/memory_path.h"

namespace warpscope {

void MemoryPath::watch(std::uint32_t lanes, AddressSpace space) const {
  Watch& watch = worker().watch;
  const auto at = [&](int lane) {
    return access.contiguous ? access.first + std::ptrdiff_t{lane} * width : access.pointer[lane];
  };
  if (intent != AccessIntent::read) {
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      watch.note_write(at(std::countr_zero(rest)), static_cast<std::size_t>(width));
  }
  const bool read = intent != AccessIntent::write &&
                    (space == AddressSpace::global || space == AddressSpace::shared);
  if (!warp.witnessed || !read) return;
  const int lane = std::countr_zero(lanes);
  watch.witnesses->push_back({&i, lanes, space, access.address[lane], at(lane), element});
}

void MemoryPath::record(std::uint32_t lanes, AddressSpace space) const {
  if (lanes != 0 && worker().watch.active()) watch(lanes, space);
  if (!warp.recorded || site == kNoSite || lanes == 0) return;
  lanes = leaving(lanes);
  if (static_cast<std::int64_t>(worker().requests.size()) >=
      worker().run->options->maximum_requests) {
    worker().truncated = true;
    return;
  }
  WarpRequest& request = worker().requests.emplace_back();
  request.site = site;
  request.warp = warp.index;
  request.block = worker().block_index;
  request.order = warp.order;
  request.active = lanes;
  for (int lane = 0; lane < 32; ++lane)
    request.addresses[lane] = (lanes >> lane & 1) != 0 ? access.address[lane] : 0;
}

std::uint32_t MemoryPath::local(std::uint32_t lanes) const {
  lanes &= ~misaligned(lanes);
  Worker& k = worker();
  const auto size = static_cast<std::uint64_t>(k.kernel->local_bytes);
  const auto w = static_cast<std::uint64_t>(width);
  std::uint32_t outside = 0, empty = 0;
  std::uint64_t empty_byte = 0;  // of the first lane
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t at = access.address[lane];
    if (at >= size || at + w > size) {
      outside |= lane_bit(lane);
      continue;
    }
    const std::uint64_t own = static_cast<std::uint64_t>(lane) * size + at;
    access.pointer[lane] = warp.local + own;
    std::uint8_t* const bits =
        k.local_initialised.data() + (warp.local - k.local_memory.data()) + own;
    for (std::uint64_t e = 0; e < w; e += static_cast<std::uint64_t>(element)) {
      bool any = false;
      for (int n = 0; n < element; ++n) {
        any = any || bits[e + static_cast<std::uint64_t>(n)] != 0;
        if (intent != AccessIntent::read) bits[e + static_cast<std::uint64_t>(n)] = 1;
      }
      const bool used = (access.unused >> (e / static_cast<std::uint64_t>(element)) & 1) == 0;
      if (any || !used || intent != AccessIntent::read) continue;
      if (empty == 0) empty_byte = at + e;
      empty |= lane_bit(lane);
    }
  }
  if (outside != 0) {
    fault_outside_local(outside);
    lanes &= ~outside;
  }
  if (empty != 0 && site != kNoSite && k.run->options->check_uninitialised) {
    fault_empty_local(empty, empty_byte);
  }
  // The device interleaves local memory so that lanes at one offset lie side by side.
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t at = access.address[lane];
    access.address[lane] = kLocalWindow + at / w * w * 32 + static_cast<std::uint64_t>(lane) * w;
  }
  count_global(lanes, Space::local);
  return lanes;
}

std::uint32_t MemoryPath::param(std::uint32_t lanes) const {
  Worker& k = worker();
  const std::uint64_t size = k.run->parameters.size();
  std::uint32_t outside = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t at = access.address[lane];
    if (at >= size || at + static_cast<std::uint64_t>(width) > size ||
        intent != AccessIntent::read) {
      outside |= lane_bit(lane);
    } else {
      access.pointer[lane] = k.run->parameters.data() + at;
    }
  }
  if (outside != 0) {
    note_fault(warp, i, FaultKind::out_of_bounds, outside,
               opcode() + verb_of(intent) + "outside the kernel's parameters", "parameters");
  }
  return lanes & ~outside;
}

void MemoryPath::generic(std::uint32_t lanes) {
  std::uint32_t in_shared = 0, in_local = 0, in_param = 0;
  std::uint64_t smallest = ~0ull;
  for (int lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) != 0 && access.address[lane] < smallest) {
      smallest = access.address[lane];
    }
  }
  if (smallest < kLastWindowEnd) {
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::uint64_t& at = access.address[lane];
      const auto take = [&](std::uint64_t window, std::uint32_t& which) {
        const bool shared = window == kSharedWindow;
        if (at - window >= (shared ? kSharedWindowBytes : kSpaceWindowBytes)) return false;
        at -= window;
        which |= lane_bit(lane);
        return true;
      };
      if (!take(kSharedWindow, in_shared) && !take(kLocalWindow, in_local)) {
        take(kParamWindow, in_param);
      }
    }
  }
  std::uint32_t done = 0;
  const std::uint32_t in_global = lanes & ~(in_shared | in_local | in_param);
  const int spaces = (in_shared != 0) + (in_local != 0) + (in_param != 0) + (in_global != 0);
  const auto part = [&](std::uint32_t which, AddressSpace space, auto function) {
    if (which == 0) return;
    const std::uint32_t good = function(which);
    record(good, space);
    done |= good;
  };
  part(in_shared, AddressSpace::shared, [&](std::uint32_t m) { return shared(m); });
  part(in_local, AddressSpace::local, [&](std::uint32_t m) { return local(m); });
  part(in_param, AddressSpace::param, [&](std::uint32_t m) { return param(m); });
  part(in_global, AddressSpace::global, [&](std::uint32_t m) { return global(m, Space::global); });
  if (spaces > 1) access.contiguous = false;
  access.mask = done;
}

const char* verb_of(AccessIntent intent) {
  switch (intent) {
    case AccessIntent::read:
      return " reads ";
    case AccessIntent::write:
      return " writes ";
    case AccessIntent::update:
      break;
  }
  return " updates ";
}

const std::uint32_t* operand_slots(const Warp& warp, const Instruction& i) {
  return warp.worker->kernel->slots.data() + i.extra;
}

void resolve(Warp& warp, const Instruction& i, std::uint32_t address_slot, std::int64_t offset,
             AddressSpace space, int width, int element, AccessIntent intent, AccessKind kind,
             std::uint32_t site, Access& access) {
  if ((i.flags & kFlagAddress32) != 0) {
    const std::uint32_t* const a = warp.slot<std::uint32_t>(address_slot);
    // 32-bit addresses wrap like the registers they are in.
    for (int lane = 0; lane < 32; ++lane) {
      access.address[lane] = a[lane] + static_cast<std::uint32_t>(offset);
    }
  } else {
    const std::uint64_t* const a = warp.slot<std::uint64_t>(address_slot);
    for (int lane = 0; lane < 32; ++lane) {
      access.address[lane] = a[lane] + static_cast<std::uint64_t>(offset);
    }
  }
  access.contiguous = false;
  if (warp.worker->watch.active()) warp.worker->watch.settle();
  MemoryPath path{warp, i, width, element, intent, kind, site, access};
  switch (space) {
    case AddressSpace::global:
      access.mask = path.global(warp.mask, Space::global);
      break;
    case AddressSpace::constant:
      access.mask = path.global(warp.mask, Space::constant);
      break;
    case AddressSpace::shared:
      access.mask = path.shared(warp.mask);
      break;
    case AddressSpace::local:
      access.mask = path.local(warp.mask);
      break;
    case AddressSpace::param:
      access.mask = path.param(warp.mask);
      break;
    case AddressSpace::generic:
      path.generic(warp.mask);
      return;
  }
  path.record(access.mask, space);
}

void count_touch(Worker& worker, std::uint32_t site, const MemoryBuffer& buffer, int lanes) {
  if (site == kNoSite || !worker.sums) return;
  auto& touched = worker.touched[site];
  if (touched.empty()) touched.resize(worker.run->memory->buffers.size());
  touched[buffer.index] += static_cast<std::uint32_t>(lanes);
}

void note_writer(Worker& worker, const MemoryBuffer& buffer, std::uint64_t offset,
                 std::uint64_t bytes) {
  if (worker.writers.size() <= buffer.index) worker.writers.resize(buffer.index + 1);
  Worker::Writers& writers = worker.writers[buffer.index];
  if (writers.blocks.empty()) {
    const auto element = static_cast<unsigned>(element_bytes(buffer.spec.type));
    writers.shift = std::countr_zero(element);
    while ((buffer.bytes >> writers.shift) >= worker.run->options->writer_entries) ++writers.shift;
    writers.blocks.assign(static_cast<std::size_t>(buffer.bytes >> writers.shift) + 1, -1);
  }
  const std::uint64_t last = (offset + bytes - 1) >> writers.shift;
  for (std::uint64_t e = offset >> writers.shift; e <= last; ++e) {
    writers.blocks[e] = std::max(writers.blocks[e], worker.block_index);
  }
}

}  // namespace warpscope
