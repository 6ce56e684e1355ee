// profiling/emulator/run/print.cpp: what kernels may call without defining it: vprintf, malloc and
// the messages of assertions.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "profiling/emulator/run/scheduler.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostPrinted = 1 << 20;
constexpr std::size_t kLongestText = 4096;

// Bytes at a generic address of one lane; false when there are none.
bool read_bytes(const Warp& w, int lane, std::uint64_t at, void* to, std::size_t bytes) {
  const Worker& worker = *w.worker;
  const std::byte* from = nullptr;
  if (at - kLocalWindow < kSpaceWindowBytes) {
    const std::uint64_t offset = at - kLocalWindow;
    const auto size = static_cast<std::uint64_t>(worker.kernel->local_bytes);
    if (offset + bytes > size) return false;
    from = w.local + static_cast<std::uint64_t>(lane) * size + offset;
  } else if (at - kSharedWindow < kSpaceWindowBytes) {
    if (at - kSharedWindow + bytes > worker.shared.size()) return false;
    from = worker.shared.data() + (at - kSharedWindow);
  } else {
    MemoryBuffer* b = worker.run->memory->find(at);
    if (b == nullptr || !b->holds(at, bytes)) return false;
    b->prepare(at - b->address, bytes);
    from = b->data + (at - b->address);
  }
  std::memcpy(to, from, bytes);
  return true;
}

std::string read_text(const Warp& w, int lane, std::uint64_t at) {
  std::string text;
  char c = 0;
  while (text.size() < kLongestText && read_bytes(w, lane, at++, &c, 1) && c != 0) text += c;
  return text;
}

// A parameter of the call: `bytes` at an offset of the lane's local memory.
std::uint64_t parameter(const Warp& w, int lane, std::uint32_t offset, std::size_t bytes) {
  std::uint64_t value = 0;
  read_bytes(w, lane, kLocalWindow + offset, &value, bytes);
  return value;
}

// Arguments lie one after the other, each aligned to its size.
struct Arguments {
  const Warp& w;
  int lane;
  std::uint64_t at;
  std::uint64_t next(std::size_t bytes) {
    at = (at + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    read_bytes(w, lane, at, &value, bytes);
    at += bytes;
    return value;
  }
};

// "%5.2f" as the host's snprintf is asked for it: without the sizes of integers, which are the
// device's.
struct Conversion {
  std::string spec = "%";
  bool wide = false;  // 8 bytes
  char kind = 0;
};

// Reads what follows a '%' at `at` and leaves `at` on the kind; false where the pattern ends before
// it.
bool read_conversion(const std::string& pattern, std::size_t& at, Arguments& list,
                     Conversion& read) {
  ++at;
  while (at < pattern.size() && std::strchr("-+ #0123456789.*hlLqjzt", pattern[at]) != nullptr) {
    const char c = pattern[at++];
    if (c == '*') {
      read.spec += std::to_string(static_cast<std::int32_t>(list.next(4)) % 256);
    } else if (std::strchr("lLqjzt", c) != nullptr) {
      read.wide = true;
    } else if (c != 'h' && read.spec.size() < 8) {  // a width of a million would be made in full
      read.spec += c;
    }
  }
  if (at >= pattern.size()) return false;
  read.kind = pattern[at];
  return true;
}

// The next argument as text.
std::string converted(const Conversion& as, Arguments& list) {
  char piece[512];
  piece[0] = 0;
  switch (as.kind) {
    case '%':
      return "%";
    case 'd':
    case 'i':
      std::snprintf(piece, sizeof piece, (as.spec + "lld").c_str(),
                    as.wide ? static_cast<long long>(list.next(8))
                            : static_cast<long long>(static_cast<std::int32_t>(list.next(4))));
      break;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      std::snprintf(piece, sizeof piece, (as.spec + "ll" + as.kind).c_str(),
                    static_cast<unsigned long long>(list.next(as.wide ? 8 : 4)));
      break;
    case 'c':
      piece[0] = static_cast<char>(list.next(4)), piece[1] = 0;
      break;
    case 'p':
      std::snprintf(piece, sizeof piece, "0x%llx", static_cast<unsigned long long>(list.next(8)));
      break;
    case 's':
      return read_text(list.w, list.lane, list.next(8));
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      std::snprintf(piece, sizeof piece, (as.spec + as.kind).c_str(),
                    std::bit_cast<double>(list.next(8)));
      break;
    default:
      return as.spec + as.kind;
  }
  return piece;
}

std::string format(const Warp& w, int lane, const std::string& pattern, std::uint64_t arguments) {
  std::string text;
  Arguments list{w, lane, arguments};
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] != '%') {
      text += pattern[k];
      continue;
    }
    Conversion conversion;
    if (!read_conversion(pattern, k, list, conversion)) break;
    text += converted(conversion, list);
  }
  return text;
}

}  // namespace

void print_lanes(Warp& w, const Instruction& i) {
  const std::uint32_t* const slots = w.worker->kernel->slots.data() + i.extra;
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::string pattern = read_text(w, lane, parameter(w, lane, slots[0], 8));
    const std::string text = format(w, lane, pattern, parameter(w, lane, slots[1], 8));
    if (w.worker->printed.size() + text.size() < kMostPrinted) w.worker->printed += text;
    const auto size = static_cast<std::uint64_t>(w.worker->kernel->local_bytes);
    if (slots[2] + 4ull <= size) {
      const auto count = static_cast<std::int32_t>(text.size());
      std::memcpy(w.local + static_cast<std::uint64_t>(lane) * size + slots[2], &count,
                  sizeof count);
    }
  }
}

void allocate_lanes(Warp& w, const Instruction& i) {
  const std::uint32_t* const slots = w.worker->kernel->slots.data() + i.extra;
  const auto size = static_cast<std::uint64_t>(w.worker->kernel->local_bytes);
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address =
        w.worker->run->memory->allocate(parameter(w, lane, slots[0], sizeof(std::uint64_t)));
    if (slots[1] + sizeof address > size) continue;
    std::byte* const to = w.local + static_cast<std::uint64_t>(lane) * size + slots[1];
    std::memcpy(to, &address, sizeof address);
    const auto offset = static_cast<std::size_t>(to - w.worker->local_memory.data());
    std::fill_n(w.worker->local_initialised.begin() + static_cast<std::ptrdiff_t>(offset),
                sizeof address, 1);
  }
}

std::string assertion_text(Warp& w, const Instruction& i, int lane) {
  const std::uint32_t* const slots = w.worker->kernel->slots.data() + i.extra;
  return "the assertion \"" + read_text(w, lane, parameter(w, lane, slots[0], 8)) + "\" of line " +
         std::to_string(parameter(w, lane, slots[2], 4)) + " failed";
}

}  // namespace warpscope
