// profiling/capture/injected/reach.cpp: the device memory that a launch can reach by its arguments.
#include "profiling/capture/injected/reach.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace warpscope {
namespace {

// Nothing is allocated below; small numbers are sizes.
constexpr std::uint64_t kLowestAddress = 1 << 16;

// The place of an allocation in the list; it is added if it is new.
std::uint32_t place_of(std::vector<CapturedMemory>& memory, std::uint64_t base,
                       std::uint64_t bytes) {
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (memory[i].address == base) return static_cast<std::uint32_t>(i);
  }
  memory.push_back({CapturedMemory::Kind::argument, base, bytes, ""});
  return static_cast<std::uint32_t>(memory.size() - 1);
}

// What is worth knowing about memory that is not the device's own; empty: nothing.
std::string note_of(const CaptureDriver& driver, CUdeviceptr address, std::size_t parameter) {
  const std::string argument = "argument " + std::to_string(parameter + 1);
  unsigned managed = 0, type = 0;
  if (driver.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address) ==
          CUDA_SUCCESS &&
      managed != 0)
    return argument + " points into managed memory; the replay keeps it in device memory";
  if (driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) ==
          CUDA_SUCCESS &&
      type == CU_MEMORYTYPE_HOST)
    return argument +
           " points into page-locked memory of the host; the replay keeps it in device "
           "memory";
  return {};
}

// Whether the program has memory there. Numbers below 2^32 are sizes rather than addresses.
bool is_of_host(std::uint64_t address) {
  constexpr std::uint64_t kPage = 4096, kLowest = std::uint64_t{1} << 32,
                          kHighest = std::uint64_t{1} << 47;
  if (address < kLowest || address >= kHighest) return false;
  unsigned char resident = 0;
  return ::mincore(reinterpret_cast<void*>(address / kPage * kPage), 1, &resident) == 0;
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit < 4; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

Result<Reach> reach_of(const CaptureDriver& driver,
                       const std::vector<CapturedParameter>& parameters,
                       std::uint64_t budget_bytes) {
  Reach reach;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const CapturedParameter& parameter = parameters[i];
    // Words are aligned in the argument block, where the parameter may begin anywhere.
    for (std::uint64_t at = (8 - parameter.offset % 8) % 8; at + 8 <= parameter.bytes.size();
         at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, parameter.bytes.data() + at, sizeof word);
      CUdeviceptr base = 0;
      std::size_t bytes = 0;
      if (word < kLowestAddress) continue;
      if (driver.cuMemGetAddressRange(&base, &bytes, word) != CUDA_SUCCESS || bytes == 0) {
        if (is_of_host(word))
          reach.notes.push_back("argument " + std::to_string(i + 1) +
                                " is an address of the program's own memory, which the device may "
                                "read directly; it was not saved");
        continue;
      }
      const std::size_t known = reach.memory.size();
      const std::uint32_t memory = place_of(reach.memory, base, bytes);
      reach.pointers.push_back({false, static_cast<std::uint32_t>(i), at, memory, word - base});
      if (reach.memory.size() == known) continue;
      total += bytes;
      if (std::string note = note_of(driver, word, i); !note.empty())
        reach.notes.push_back(std::move(note));
    }
  }
  if (total <= budget_bytes) return reach;
  return failure(ErrorKind::resource,
                 "its arguments reach " + bytes_text(total) +
                     " of memory, more than the budget of " + bytes_text(budget_bytes),
                 "", "raise --budget, or use --no-data");
}

std::int64_t addresses_in(std::string_view bytes, const std::vector<CapturedMemory>& memory) {
  std::int64_t count = 0;
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  for (const CapturedMemory& m : memory) {
    low = std::min(low, m.address);
    high = std::max(high, m.address + m.bytes);
  }
  low = std::max(low, kLowestAddress);
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (word < low || word >= high) continue;
    count += std::any_of(memory.begin(), memory.end(), [word](const CapturedMemory& m) {
      return word >= m.address && word - m.address < m.bytes;
    });
  }
  return count;
}

}  // namespace warpscope
