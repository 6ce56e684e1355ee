// profiling/capture/injected/reach.cpp: the device memory that a launch can reach by its arguments.
#include "profiling/capture/injected/reach.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

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
  int holder = 0;
  CUdevice own = 0;
  if (driver.cuPointerGetAttribute(&holder, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address) ==
          CUDA_SUCCESS &&
      driver.cuCtxGetDevice(&own) == CUDA_SUCCESS && holder != own)
    return argument +
           " points into memory of another GPU; a kernel that waits for that GPU does "
           "not end in the replay";
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

void StoredPointers::follow(std::string_view bytes, std::vector<CapturedMemory>& memory) {
  constexpr std::uint64_t kLowest = std::uint64_t{1} << 32, kHighest = std::uint64_t{1} << 47;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (word < kLowest || word >= kHighest) continue;
    const bool known = std::any_of(memory.begin(), memory.end(), [word](const CapturedMemory& m) {
      return word >= m.address && word - m.address < m.bytes;
    });
    followed_ += known || add(word, memory) ? 1 : 0;
  }
}

bool StoredPointers::add(std::uint64_t word, std::vector<CapturedMemory>& memory) {
  constexpr std::size_t kMostQuestions = 50'000;
  constexpr std::uint64_t kLeastAllocation = 256;
  auto left = left_out_.upper_bound(word);
  if (left != left_out_.begin() && word - std::prev(left)->first < std::prev(left)->second) {
    ++left_;
    return false;
  }
  const std::uint64_t part = word / kLeastAllocation;
  if (nothing_there_.size() >= kMostQuestions || nothing_there_.count(part) != 0) return false;
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  if (driver_.cuMemGetAddressRange(&base, &bytes, word) != CUDA_SUCCESS || bytes == 0) {
    nothing_there_.insert(part);
    return false;
  }
  if (bytes > room_bytes_) {
    left_out_[base] = bytes;
    ++left_;
    return false;
  }
  room_bytes_ -= bytes;
  memory.push_back({CapturedMemory::Kind::pointed, base, bytes, ""});
  return true;
}

std::vector<std::string> StoredPointers::notes() const {
  std::vector<std::string> all;
  if (followed_ > 0)
    all.push_back(std::to_string(followed_) +
                  (followed_ == 1 ? " word of its memory is taken for an address"
                                  : " words of its memory are taken for addresses") +
                  " of device memory, found by scanning; the replay moves them");
  std::uint64_t bytes = 0;
  for (const auto& [base, size] : left_out_) bytes += size;
  if (left_ > 0)
    all.push_back(
        std::to_string(left_) +
        (left_ == 1 ? " word of its memory points" : " words of its memory point") + " to " +
        bytes_text(bytes) +
        " that were not saved, as at most 64 MiB (or --budget) are: a kernel that follows "
        "them fails in the replay");
  return all;
}

}  // namespace warpscope
