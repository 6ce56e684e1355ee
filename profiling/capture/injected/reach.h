// profiling/capture/injected/reach.h: the device memory that a launch can reach by its arguments.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiling/capture/capture.h"
#include "profiling/capture/injected/driver.h"

namespace warpscope {

struct Reach {
  std::vector<CapturedMemory> memory;  // whole allocations, each once
  std::vector<CapturedPointer> pointers;
  std::vector<std::string> notes;
};

// Every aligned word of the parameters that is an address in an allocation counts as a pointer.
// error: resource: the allocations together are larger than the budget.
Result<Reach> reach_of(const CaptureDriver& driver,
                       const std::vector<CapturedParameter>& parameters,
                       std::uint64_t budget_bytes);

// Follows the addresses that captured memory holds. They are found by scanning: every aligned word
// that is an address of device memory counts.
class StoredPointers {
 public:
  // `room_bytes`: how much more memory may be reached.
  StoredPointers(const CaptureDriver& driver, std::uint64_t room_bytes)
      : driver_(driver), room_bytes_(room_bytes) {}

  // Looks at bytes of a memory; allocations that are new are added to the list.
  void follow(std::string_view bytes, std::vector<CapturedMemory>& memory);
  // What is worth knowing, a sentence each.
  std::vector<std::string> notes() const;

 private:
  bool add(std::uint64_t word, std::vector<CapturedMemory>& memory);

  const CaptureDriver& driver_;
  std::uint64_t room_bytes_;
  std::int64_t followed_ = 0, left_ = 0;             // words
  std::map<std::uint64_t, std::uint64_t> left_out_;  // allocations without room: base, bytes
  std::set<std::uint64_t> nothing_there_;            // parts of 256 bytes
};

// "1.5 GB"
std::string bytes_text(std::uint64_t bytes);

}  // namespace warpscope
