// profiling/emulator/access_path.cpp: from the addresses of a warp to bytes of the host.
#include "profiling/emulator/access_path.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "profiling/emulator/cost.h"
#include "profiling/emulator/loaded_sectors.h"

namespace warpscope {
namespace {

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}
std::string bytes_text(std::int64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }
std::uint32_t bit(int lane) { return 1u << lane; }

// One memory instruction with what is the same for all its lanes.
struct Path {
  Warp& warp;
  const Instruction& i;
  int width, element;
  AccessIntent intent;
  AccessKind kind;
  std::uint32_t site;
  Access& access;

  Worker& worker() const { return *warp.worker; }
  std::string opcode() const { return worker().source(i).opcode; }

  std::uint32_t misaligned(std::uint32_t lanes) const {
    std::uint64_t low = 0;
    for (int lane = 0; lane < 32; ++lane)
      low |= (lanes >> lane & 1) != 0 ? access.address[lane] : 0;
    const std::uint64_t rest = static_cast<std::uint64_t>(width) - 1;
    if ((low & rest) == 0) return 0;
    std::uint32_t bad = 0;
    for (int lane = 0; lane < 32; ++lane)
      if ((lanes >> lane & 1) != 0 && (access.address[lane] & rest) != 0) bad |= bit(lane);
    if (fault_is_first(warp, i, FaultKind::misaligned, bad)) {
      const std::uint64_t address = access.address[std::countr_zero(bad)];
      std::string buffer;
      std::int64_t index = -1;
      std::string what = "address " + hexadecimal(address);
      if (const MemoryBuffer* b = worker().run->memory->find(address)) {
        what = element_name(*b, static_cast<std::int64_t>(address - b->address), &index);
        buffer = b->spec.name;
      }
      tell_fault(warp, i, FaultKind::misaligned, bad,
                 opcode() + verb_of(intent) + what + ", " +
                     bytes_text(static_cast<std::int64_t>(address & rest)) +
                     " past a multiple of its " + std::to_string(width) + " bytes",
                 buffer, index);
    }
    return bad;
  }

  // The lanes that go to memory: of lanes that the warp adds up first, the highest alone.
  std::uint32_t leaving(std::uint32_t lanes) const {
    if ((i.flags & flag_merged) == 0 || lanes == 0) return lanes;
    if (static_cast<WarpMerge>(i.b) == WarpMerge::whole_warps && lanes != all_lanes) return lanes;
    return bit(31 - std::countl_zero(lanes));
  }

  void count_global(std::uint32_t lanes, Space space) const {
    if (site == no_site || !worker().sums || lanes == 0) return;
    lanes = leaving(lanes);
    AccessTotals& totals = worker().totals[site];
    worker().site_space[site] = static_cast<std::uint8_t>(space) + 1;
    if (access.contiguous && lanes == all_lanes) {
      add_contiguous_global(totals, access.address[0], width);
    } else {
      add_global(totals, access.address, lanes, width, kind);
    }
  }
  // Of lanes that will touch memory: for who looks for repetition, or for what a loop reads.
  void watch(std::uint32_t lanes, AddressSpace space) const {
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
  void record(std::uint32_t lanes, AddressSpace space) const {
    if (lanes != 0 && worker().watch.active()) watch(lanes, space);
    if (!warp.recorded || site == no_site || lanes == 0) return;
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

  void fault_outside(std::uint32_t lanes) const {
    if (!fault_is_first(warp, i, FaultKind::out_of_bounds, lanes)) return;
    const std::uint64_t address = access.address[std::countr_zero(lanes)];
    const MemoryBuffer* b = worker().run->memory->nearest(address);
    if (const MemoryBuffer* holder = worker().run->memory->find(address)) b = holder;
    std::string detail = opcode() + verb_of(intent), buffer;
    std::int64_t index = -1;
    if (b == nullptr) {
      detail += address < 4096 ? "through a null pointer (address " + hexadecimal(address) + ")"
                               : "address " + hexadecimal(address) + ", where no buffer is";
    } else {
      const auto offset = static_cast<std::int64_t>(address - b->address);
      detail += element_name(*b, offset, &index) + ", ";
      buffer = b->spec.name;
      if (b->holds(address, static_cast<std::uint64_t>(width))) {
        detail += "which is constant: kernels only read it";
      } else if (offset < 0) {
        detail += bytes_text(-offset) + " before the first byte of " + b->spec.name;
      } else {
        detail += bytes_text(offset + width - b->bytes) + " beyond the " + bytes_text(b->bytes) +
                  " of " + b->spec.name;
      }
    }
    tell_fault(warp, i, FaultKind::out_of_bounds, lanes, detail, buffer, index);
  }

  void fault_uninitialised(std::uint32_t lanes, const std::string& what, const std::string& buffer,
                           std::int64_t index) const {
    tell_fault(warp, i, FaultKind::uninitialised_read, lanes,
               opcode() + " reads " + what + ", which nothing has written", buffer, index);
  }

  // Calls function(offset, bytes) for the row of the lanes, or for each of them.
  template <typename F>
  void for_parts(const MemoryBuffer& b, std::uint32_t lanes, F function) const {
    const auto w = static_cast<std::uint64_t>(width);
    if (access.contiguous && lanes == all_lanes)
      return function(access.address[0] - b.address, w * 32);
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      function(access.address[std::countr_zero(rest)] - b.address, w);
  }

  // Makes bytes that are made by page, checks reads element by element, marks writes.
  void prepare_bytes(MemoryBuffer& b, std::uint32_t lanes) const {
    if (b.plain.load(std::memory_order_acquire)) return;
    const auto w = static_cast<std::uint64_t>(width);
    for_parts(b, lanes, [&b](std::uint64_t at, std::uint64_t bytes) { b.prepare(at, bytes); });
    if (b.all_initialised.load(std::memory_order_relaxed)) return;
    if (intent != AccessIntent::write && worker().run->options->check_uninitialised) {
      std::uint32_t bad = 0;
      if (!(access.contiguous && lanes == all_lanes &&
            b.is_initialised(access.address[0] - b.address, w * 32))) {
        for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
          const int lane = std::countr_zero(rest);
          if (!b.is_initialised(access.address[lane] - b.address, w)) bad |= bit(lane);
        }
      }
      if (bad != 0 && fault_is_first(warp, i, FaultKind::uninitialised_read, bad)) {
        std::int64_t index = -1;
        const auto offset =
            static_cast<std::int64_t>(access.address[std::countr_zero(bad)] - b.address);
        const std::string name = element_name(b, offset, &index);
        fault_uninitialised(bad, name, b.spec.name, index);
      }
    }
    if (intent == AccessIntent::read) return;
    for_parts(b, lanes, [&b](std::uint64_t at, std::uint64_t bytes) { b.mark(at, bytes); });
  }

  // Lanes that load through the read-only cache what this launch writes, or the other way round.
  void watch_read_only(const MemoryBuffer& b, std::uint32_t lanes) const {
    const bool writes = intent != AccessIntent::read;
    if (worker().run->read_only_loads == nullptr) return;
    const auto w = static_cast<std::uint64_t>(width);
    if (access.contiguous && lanes == all_lanes &&
        !meets_read_only_load(warp, i, b, access.address[0] - b.address, w * 32, writes)) {
      return;
    }
    std::uint32_t bad = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (meets_read_only_load(warp, i, b, access.address[lane] - b.address, w, writes))
        bad |= bit(lane);
    }
    if (bad == 0) return;
    const std::uint64_t at = access.address[std::countr_zero(bad)] - b.address;
    fault_stale_read(warp, i, b, bad, at, w, writes);
  }
  void touch(const MemoryBuffer* b, std::uint32_t lanes, Space space) const {
    BlockRaces* const races = worker().run->races;
    if (races != nullptr && races->tracks(*b))
      races->look(warp, i, *b, access.address, lanes, width, intent);
    if (site == no_site || !worker().sums) return;
    count_touch(worker(), site, *b, lane_count(lanes));
    if (intent == AccessIntent::read && space == Space::global)
      note_loaded(worker(), *b, access, lanes, width);
    if (!worker().notes_writers || intent == AccessIntent::read) return;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const std::uint64_t at = access.address[std::countr_zero(rest)] - b->address;
      note_writer(worker(), *b, at, static_cast<std::uint64_t>(width));
    }
  }

  std::uint32_t global(std::uint32_t lanes, Space space) const {
    const std::uint64_t* const a = access.address;
    const auto w = static_cast<std::uint64_t>(width);
    if (lanes == all_lanes) {
      std::uint64_t different = 0;
      for (int lane = 0; lane < 32; ++lane)
        different |= a[lane] ^ (a[0] + static_cast<std::uint64_t>(lane) * w);
      access.contiguous = different == 0;
    }
    // Lanes one after the other are aligned when the first is.
    if (!access.contiguous || (a[0] & (w - 1)) != 0) {
      const std::uint32_t bad = misaligned(lanes);
      lanes &= ~bad;
      access.contiguous = access.contiguous && bad == 0;
    }
    if (lanes == 0) return 0;
    MemoryBuffer*& last =
        worker().last_buffer[static_cast<std::size_t>(&i - worker().kernel->code.data())];
    const int first_lane = std::countr_zero(lanes);
    if (last == nullptr || !last->holds(a[first_lane], w)) {
      if (MemoryBuffer* found = worker().run->memory->find(a[first_lane])) last = found;
    }
    // Lanes that would write constants are found one at a time.
    if (last != nullptr && last->read_only && intent != AccessIntent::read) last = nullptr;
    if (access.contiguous && last != nullptr && last->holds(a[0], w * 32)) {
      access.first = last->data + (a[0] - last->address);
      prepare_bytes(*last, lanes);
      watch_read_only(*last, lanes);
      count_global(lanes, space);
      touch(last, lanes, space);
      return lanes;
    }
    access.contiguous = false;
    std::uint32_t inside = 0;
    if (last != nullptr) {
      const std::uint64_t base = last->address;
      const std::uint64_t most = static_cast<std::uint64_t>(last->bytes) - w;
      if (static_cast<std::uint64_t>(last->bytes) >= w) {
        for (int lane = 0; lane < 32; ++lane) {
          inside |= static_cast<std::uint32_t>(a[lane] - base <= most ? 1 : 0) << lane;
        }
      }
      inside &= lanes;
      for (int lane = 0; lane < 32; ++lane) {
        const std::uint64_t offset = (inside >> lane & 1) != 0 ? a[lane] - base : 0;
        access.pointer[lane] = last->data + offset;
      }
      if (inside != 0) {
        prepare_bytes(*last, inside);
        watch_read_only(*last, inside);
        touch(last, inside, space);
      }
    }
    // Lanes in other buffers, one at a time.
    std::uint32_t outside = 0;
    for (std::uint32_t rest = lanes & ~inside; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      MemoryBuffer* b = worker().run->memory->find(a[lane]);
      if (b == nullptr || !b->holds(a[lane], w) || (b->read_only && intent != AccessIntent::read)) {
        outside |= bit(lane);
        continue;
      }
      access.pointer[lane] = b->data + (a[lane] - b->address);
      prepare_bytes(*b, bit(lane));
      watch_read_only(*b, bit(lane));
      touch(b, bit(lane), space);
    }
    if (outside != 0) fault_outside(outside);
    lanes &= ~outside;
    count_global(lanes, space);
    return lanes;
  }

  void shared_finding(SharedFinding finding, int lane) const {
    note_shared_finding(warp, i, finding, lane, static_cast<std::int64_t>(access.address[lane]),
                        element, intent);
  }

  void fault_outside_shared(std::uint32_t lanes, const KernelCode::SharedVariable* array,
                            std::int64_t bytes) const {
    if (!fault_is_first(warp, i, FaultKind::out_of_bounds, lanes)) return;
    // Addresses of shared memory have 32 bits: what lies before byte 0 wraps around.
    const std::int64_t at = static_cast<std::int32_t>(access.address[std::countr_zero(lanes)]);
    std::string detail = opcode() + verb_of(intent);
    if (array == nullptr) {
      tell_fault(warp, i, FaultKind::out_of_bounds, lanes,
                 detail + "shared memory at byte " + std::to_string(at) + ", beyond the " +
                     bytes_text(bytes) + " of the block",
                 "shared memory", -1);
      return;
    }
    const std::int64_t offset = at - array->offset;
    const std::int64_t size = array->element_bytes > 1 ? array->element_bytes : element;
    const std::int64_t index = offset >= 0 ? offset / size : -((size - 1 - offset) / size);
    detail += array->name + "[" + std::to_string(index) + "], ";
    if (offset < 0) {
      detail += bytes_text(-offset) + " before the first byte of " + array->name;
    } else {
      detail += bytes_text(offset + width - bytes) + " beyond the " + bytes_text(bytes) + " of " +
                array->name;
    }
    tell_fault(warp, i, FaultKind::out_of_bounds, lanes, detail, array->name, index);
  }

  std::uint32_t shared(std::uint32_t lanes) const {
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
      different |=
          access.address[lane] ^ (access.address[0] + static_cast<std::uint64_t>(lane) * w);
    }
    outside &= lanes;
    if (outside != 0) {
      fault_outside_shared(outside, array, static_cast<std::int64_t>(size));
      lanes &= ~outside;
    }
    if (lanes == 0) return 0;
    access.contiguous = lanes == all_lanes && different == 0;
    if (access.contiguous) {
      access.first = k.shared.data() + access.address[0];
    } else {
      for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        access.pointer[lane] = k.shared.data() + access.address[lane];
      }
    }
    if (site != no_site && k.sums) {
      k.site_space[site] = static_cast<std::uint8_t>(Space::shared) + 1;
      if (access.contiguous) {
        add_contiguous_shared(k.totals[site], access.address[0], width);
      } else {
        add_shared(k.totals[site], access.address, leaving(lanes), width, kind);
      }
    }
    if (k.shadowed) {
      const bool strong = intent == AccessIntent::update || (i.flags & flag_strong) != 0;
      if (access.same_value != nullptr && !strong && !access.contiguous &&
          store_together(warp, i, access, lanes, width, element)) {
        return lanes;
      }
      const bool words = width == 4 && !strong;
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
        if (intent != AccessIntent::write) {
          const SharedFinding finding =
              k.shadow.read(warp_index, lane, warp.sync_count, at, width, strong);
          if (finding != SharedFinding::none) shared_finding(finding, lane);
        }
        if (intent != AccessIntent::read) {
          const SharedFinding finding =
              k.shadow.write(warp_index, lane, warp.sync_count, at, width, strong);
          if (finding != SharedFinding::none) shared_finding(finding, lane);
        }
      }
    }
    return lanes;
  }

  std::uint32_t local(std::uint32_t lanes) const {
    lanes &= ~misaligned(lanes);
    Worker& k = worker();
    const auto size = static_cast<std::uint64_t>(k.kernel->local_bytes);
    const auto w = static_cast<std::uint64_t>(width);
    std::uint32_t outside = 0, empty = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t at = access.address[lane];
      if (at >= size || at + w > size) {
        outside |= bit(lane);
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
        if (!any && intent == AccessIntent::read) empty |= bit(lane);
      }
    }
    if (outside != 0) {
      note_fault(
          warp, i, FaultKind::out_of_bounds, outside,
          opcode() + verb_of(intent) + "local memory at byte " +
              std::to_string(static_cast<std::int64_t>(access.address[std::countr_zero(outside)])) +
              ", beyond the " + bytes_text(k.kernel->local_bytes) + " of a thread",
          "local memory");
      lanes &= ~outside;
    }
    if (empty != 0 && site != no_site && k.run->options->check_uninitialised) {
      note_fault(warp, i, FaultKind::uninitialised_read, empty,
                 opcode() + " reads local memory at byte " +
                     std::to_string(access.address[std::countr_zero(empty)]) +
                     ", which nothing has written",
                 "local memory");
    }
    // The device interleaves local memory so that lanes at one offset lie side by side.
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t at = access.address[lane];
      access.address[lane] = local_window + at / w * w * 32 + static_cast<std::uint64_t>(lane) * w;
    }
    count_global(lanes, Space::local);
    return lanes;
  }

  std::uint32_t param(std::uint32_t lanes) const {
    Worker& k = worker();
    const std::uint64_t size = k.run->parameters.size();
    std::uint32_t outside = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t at = access.address[lane];
      if (at >= size || at + static_cast<std::uint64_t>(width) > size ||
          intent != AccessIntent::read) {
        outside |= bit(lane);
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

  void generic(std::uint32_t lanes) {
    std::uint32_t in_shared = 0, in_local = 0, in_param = 0;
    std::uint64_t smallest = ~0ull;
    for (int lane = 0; lane < 32; ++lane) {
      if ((lanes >> lane & 1) != 0 && access.address[lane] < smallest) {
        smallest = access.address[lane];
      }
    }
    if (smallest < last_window_end) {
      for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        std::uint64_t& at = access.address[lane];
        const auto take = [&](std::uint64_t window, std::uint32_t& which) {
          if (at - window >= window_bytes) return false;
          at -= window;
          which |= bit(lane);
          return true;
        };
        if (!take(shared_window, in_shared) && !take(local_window, in_local)) {
          take(param_window, in_param);
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
    part(in_global, AddressSpace::global,
         [&](std::uint32_t m) { return global(m, Space::global); });
    if (spaces > 1) access.contiguous = false;
    access.mask = done;
  }
};

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
  if ((i.flags & flag_address32) != 0) {
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
  Path path{warp, i, width, element, intent, kind, site, access};
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
  if (site == no_site || !worker.sums) return;
  auto& touched = worker.touched[site];
  if (touched.empty()) touched.resize(worker.run->memory->buffers.size());
  touched[buffer.index] += static_cast<std::uint32_t>(lanes);
}

void note_writer(Worker& worker, const MemoryBuffer& buffer, std::uint64_t offset,
                 std::uint64_t bytes) {
  if (worker.writers.size() <= buffer.index) worker.writers.resize(buffer.index + 1);
  Worker::Writers& writers = worker.writers[buffer.index];
  if (writers.blocks.empty()) {
    const unsigned element = static_cast<unsigned>(element_bytes(buffer.spec.type));
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
