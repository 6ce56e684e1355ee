// profiling/emulator/state/read_only_loads.cpp: read-only loads of what the same launch writes.
#include "profiling/emulator/state/read_only_loads.h"

#include <bit>
#include <map>
#include <new>
#include <string_view>
#include <utility>

#include "profiling/emulator/state/bit_words.h"

namespace warpscope {
namespace {

bool has_bits(std::uint64_t* words, std::uint64_t offset, std::uint64_t width) {
  return for_words(offset, width, [&](std::uint64_t word, std::uint64_t wanted) {
    std::atomic_ref<std::uint64_t> there(words[word]);
    return (there.load(std::memory_order_relaxed) & wanted) == wanted;
  });
}
void set_bits(std::uint64_t* words, std::uint64_t offset, std::uint64_t width) {
  for_words(offset, width, [&](std::uint64_t word, std::uint64_t wanted) {
    std::atomic_ref<std::uint64_t> there(words[word]);
    if (wanted == ~0ull) {
      there.store(wanted, std::memory_order_relaxed);
    } else {
      there.fetch_or(wanted, std::memory_order_relaxed);
    }
    return true;
  });
}

}  // namespace

ReadOnlyLoads::ReadOnlyLoads(const std::vector<bool>& written, const KernelCode& kernel)
    : buffers_(written.size()), name_of_(kernel.code.size()), by_instruction_(kernel.code.size()) {
  for (std::size_t b = 0; b < written.size(); ++b) buffers_[b].watched = written[b];
  std::map<std::pair<int, std::string_view>, std::uint32_t> names;
  for (std::uint32_t pc = 0; pc < name_of_.size(); ++pc) {
    const InstructionSource& source = kernel.sources[kernel.code[pc].source];
    const int line = source.line_index >= 0 ? source.line_index : -1 - static_cast<int>(pc);
    name_of_[pc] = names.try_emplace({line, source.opcode}, pc).first->second;
  }
}

std::uint64_t* ReadOnlyLoads::Bits::words(const MemoryBuffer& buffer, std::mutex& mutex) {
  if (std::uint64_t* const there = words_.load(std::memory_order_acquire)) return there;
  const std::lock_guard lock(mutex);
  if (owner_ == nullptr) {
    const auto count = static_cast<std::size_t>(buffer.bytes) / kBitsOfWord + 1;
    owner_.reset(static_cast<std::uint64_t*>(std::calloc(count, sizeof(std::uint64_t))));
    if (owner_ == nullptr) throw std::bad_alloc();
    words_.store(owner_.get(), std::memory_order_release);
  }
  return owner_.get();
}

ReadOnlyLoads::Part& ReadOnlyLoads::part_of(std::uint32_t pc, Side side,
                                            const MemoryBuffer& buffer) {
  Parts& parts = by_instruction_[pc];
  const auto find = [&]() -> Part* {
    for (Part* p = parts.first.load(std::memory_order_acquire); p != nullptr; p = p->next.get()) {
      if (p->buffer == buffer.index && p->side == side) return p;
    }
    return nullptr;
  };
  if (Part* const known = find()) return *known;
  const std::lock_guard lock(mutex_);
  if (Part* const known = find()) return *known;
  auto made = std::make_unique<Part>();
  made->pc = pc;
  made->buffer = buffer.index;
  made->side = side;
  made->next = std::move(parts.owner);
  parts.owner = std::move(made);
  parts.owner->older = newest_.load(std::memory_order_relaxed);
  newest_.store(parts.owner.get(), std::memory_order_release);
  parts.first.store(parts.owner.get(), std::memory_order_release);
  return *parts.owner;
}

bool ReadOnlyLoads::note(Side side, const MemoryBuffer& buffer, std::uint64_t offset,
                         std::uint64_t bytes, std::uint32_t pc) {
  Buffer& b = buffers_[buffer.index];
  if (!b.watched) return true;
  std::uint64_t* const own = b.bits[static_cast<int>(side)].words(buffer, mutex_);
  if (!has_bits(own, offset, bytes)) {
    std::atomic<std::uint32_t>& first = b.first_name[static_cast<int>(side)];
    const std::uint32_t name = name_of_[pc];
    std::uint32_t known = first.load(std::memory_order_relaxed);
    if (known == nobody && first.compare_exchange_strong(known, name)) known = name;
    // The name of the first accessor is set before the bits, so that a thread that finds a byte
    // also finds a name.
    if (known != name) {
      set_bits(part_of(name, side, buffer).bits.words(buffer, mutex_), offset, bytes);
    }
    set_bits(own, offset, bytes);
  }
  std::uint64_t* const other = b.bits[1 - static_cast<int>(side)].words();
  if (other == nullptr) return true;
  return for_words(offset, bytes, [&](std::uint64_t word, std::uint64_t wanted) {
    std::atomic_ref<std::uint64_t> there(other[word]);
    return (there.load(std::memory_order_relaxed) & wanted) == 0;
  });
}

ReadOnlyLoads::Meeting ReadOnlyLoads::meeting(Side side, const MemoryBuffer& buffer,
                                              std::uint64_t offset, std::uint64_t bytes) const {
  const Buffer& b = buffers_[buffer.index];
  Meeting found{b.first_name[static_cast<int>(side)].load(std::memory_order_relaxed), offset};
  for_words(offset, bytes, [&](std::uint64_t word, std::uint64_t wanted) {
    std::atomic_ref<std::uint64_t> there(b.bits[static_cast<int>(side)].words()[word]);
    const std::uint64_t common = there.load(std::memory_order_relaxed) & wanted;
    if (common == 0) return true;
    found.offset = word * kBitsOfWord + static_cast<std::uint64_t>(std::countr_zero(common));
    return false;
  });
  for (const Part* p = newest_.load(std::memory_order_acquire); p != nullptr; p = p->older) {
    std::uint64_t* const words = p->bits.words();
    if (p->buffer != buffer.index || p->side != side || words == nullptr) continue;
    std::atomic_ref<std::uint64_t> there(words[found.offset / kBitsOfWord]);
    if ((there.load(std::memory_order_relaxed) >> found.offset % kBitsOfWord & 1) != 0) {
      found.pc = p->pc;
      return found;
    }
  }
  return found;
}

}  // namespace warpscope
