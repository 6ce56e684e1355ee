// profiling/emulator/emulate_code.h: runs a decoded kernel, whatever text it was decoded from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiling/emulator/emulator.h"

namespace warpscope {

struct CodeToRun {
  const KernelCode& kernel;
  const std::string& main_file;
  // Places of the variables that the kernel's code names by index.
  const std::vector<std::uint64_t>& variable_addresses;
};
// error: usage (wrong arguments, no such block), resource. What a device would not start is refused
// before: launch_limits.h.
Result<EmulatedRun> emulate_code(const CodeToRun& what, const Launch& launch,
                                 std::span<const ArgumentBytes> arguments, EmulatedMemory& memory,
                                 const EmulateOptions& options);

}  // namespace warpscope
