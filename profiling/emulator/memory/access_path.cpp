// profiling/emulator/memory/access_path.cpp: from the addresses of a warp to bytes of the host.
#include "profiling/emulator/memory/access_path.h"

#include <algorithm>
#include <bit>

#include "profiling/emulator/memory/memory_path.h"
#include "profiling/emulator/memory/unwritten_registers.h"

namespace warpscope {
namespace {

// Reports lanes that will touch memory to the search for repetition and for what a loop reads.
void watch_lanes(const MemoryPath& path, std::uint32_t lanes, AddressSpace space) {
  Watch& watch = path.worker().watch;
  const auto at = [&](int lane) {
    return path.access.contiguous ? path.access.first + std::ptrdiff_t{lane} * path.width
                                  : path.access.pointer[lane];
  };
  if (path.intent != AccessIntent::read) {
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      watch.note_write(at(std::countr_zero(rest)), static_cast<std::size_t>(path.width));
  }
  const bool read = path.intent != AccessIntent::write &&
                    (space == AddressSpace::global || space == AddressSpace::shared);
  if (!path.warp.witnessed || !read) return;
  const int lane = std::countr_zero(lanes);
  watch.witnesses->push_back(
      {&path.i, lanes, space, path.access.address[lane], at(lane), path.element});
}

void record_request(const MemoryPath& path, std::uint32_t lanes, AddressSpace space) {
  if (lanes != 0 && path.worker().watch.active()) watch_lanes(path, lanes, space);
  if (!path.warp.recorded || path.site == kNoSite || lanes == 0) return;
  lanes = path.leaving(lanes);
  if (static_cast<std::int64_t>(path.worker().requests.size()) >=
      path.worker().run->options->maximum_requests) {
    path.worker().truncated = true;
    return;
  }
  WarpRequest& request = path.worker().requests.emplace_back();
  request.site = path.site;
  request.warp = path.warp.index;
  request.block = path.worker().block_index;
  request.order = path.warp.order;
  request.active = lanes;
  for (int lane = 0; lane < 32; ++lane)
    request.addresses[lane] = (lanes >> lane & 1) != 0 ? path.access.address[lane] : 0;
}

std::uint32_t access_local(const MemoryPath& path, std::uint32_t lanes) {
  lanes &= ~misaligned_lanes(path, lanes);
  Worker& k = path.worker();
  const auto size = static_cast<std::uint64_t>(k.kernel->local_bytes);
  const auto w = static_cast<std::uint64_t>(path.width);
  std::uint32_t outside = 0, empty = 0;
  std::uint64_t empty_byte = 0;  // of the first lane
  const bool checked = path.site != kNoSite && k.run->options->check_uninitialised;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t at = path.access.address[lane];
    if (at >= size || at + w > size) {
      outside |= lane_bit(lane);
      continue;
    }
    const std::uint64_t own = static_cast<std::uint64_t>(lane) * size + at;
    path.access.pointer[lane] = path.warp.local + own;
    std::uint8_t* const bits =
        k.local_initialised.data() + (path.warp.local - k.local_memory.data()) + own;
    for (std::uint64_t e = 0; e < w; e += static_cast<std::uint64_t>(path.element)) {
      bool any = false;
      for (int n = 0; n < path.element; ++n) {
        any = any || bits[e + static_cast<std::uint64_t>(n)] != 0;
        if (path.intent != AccessIntent::read) bits[e + static_cast<std::uint64_t>(n)] = 1;
      }
      const bool used =
          (path.access.unused >> (e / static_cast<std::uint64_t>(path.element)) & 1) == 0;
      if (any || !used || path.intent != AccessIntent::read || !checked) continue;
      if (path.i.undefined == UndefinedUse::mark) {
        mark_unwritten(path.warp, path.i,
                       static_cast<int>(e / static_cast<std::uint64_t>(path.element)), lane,
                       {AddressSpace::local, nullptr, static_cast<std::int64_t>(at + e)});
        continue;
      }
      if (empty == 0) empty_byte = at + e;
      empty |= lane_bit(lane);
    }
  }
  if (outside != 0) {
    fault_outside_local(path, outside);
    lanes &= ~outside;
  }
  if (empty != 0) fault_empty_local(path.warp, path.i, empty, empty_byte);
  // The device interleaves local memory so that lanes at one offset lie side by side.
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t at = path.access.address[lane];
    path.access.address[lane] =
        kLocalWindow + at / w * w * 32 + static_cast<std::uint64_t>(lane) * w;
  }
  count_global(path, lanes, Space::local);
  return lanes;
}

std::uint32_t access_parameters(const MemoryPath& path, std::uint32_t lanes) {
  Worker& k = path.worker();
  const std::uint64_t size = k.run->parameters.size();
  std::uint32_t outside = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t at = path.access.address[lane];
    if (at >= size || at + static_cast<std::uint64_t>(path.width) > size ||
        path.intent != AccessIntent::read) {
      outside |= lane_bit(lane);
    } else {
      path.access.pointer[lane] = k.run->parameters.data() + at;
    }
  }
  if (outside != 0) {
    note_fault(path.warp, path.i, FaultKind::out_of_bounds, outside,
               path.opcode() + verb_of(path.intent) + "outside the kernel's parameters",
               "parameters");
  }
  return lanes & ~outside;
}

void access_generic(const MemoryPath& path, std::uint32_t lanes) {
  std::uint32_t in_shared = 0, in_local = 0, in_param = 0;
  std::uint64_t smallest = ~0ull;
  for (int lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) != 0 && path.access.address[lane] < smallest) {
      smallest = path.access.address[lane];
    }
  }
  if (smallest < kLastWindowEnd) {
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::uint64_t& at = path.access.address[lane];
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
    record_request(path, good, space);
    done |= good;
  };
  part(in_shared, AddressSpace::shared, [&](std::uint32_t m) { return access_shared(path, m); });
  part(in_local, AddressSpace::local, [&](std::uint32_t m) { return access_local(path, m); });
  part(in_param, AddressSpace::param, [&](std::uint32_t m) { return access_parameters(path, m); });
  part(in_global, AddressSpace::global,
       [&](std::uint32_t m) { return access_global(path, m, Space::global); });
  if (spaces > 1) path.access.contiguous = false;
  path.access.mask = done;
}

}  // namespace

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
  const MemoryPath path{warp, i, width, element, intent, kind, site, access};
  switch (space) {
    case AddressSpace::global:
      access.mask = access_global(path, warp.mask, Space::global);
      break;
    case AddressSpace::constant:
      access.mask = access_global(path, warp.mask, Space::constant);
      break;
    case AddressSpace::shared:
      access.mask = access_shared(path, warp.mask);
      break;
    case AddressSpace::local:
      access.mask = access_local(path, warp.mask);
      break;
    case AddressSpace::param:
      access.mask = access_parameters(path, warp.mask);
      break;
    case AddressSpace::generic:
      access_generic(path, warp.mask);
      return;
  }
  record_request(path, access.mask, space);
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
