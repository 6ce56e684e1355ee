// profiling/capture/injected/reach.h: the device memory that a launch can reach by its arguments.
#pragma once

#include <cstdint>
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

// How many aligned words of these bytes are addresses in that memory: pointers that the
// kernel may follow.
std::int64_t addresses_in(std::string_view bytes, const std::vector<CapturedMemory>& memory);

// "1.5 GB"
std::string bytes_text(std::uint64_t bytes);

}  // namespace warpscope
