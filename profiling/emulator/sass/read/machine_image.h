// profiling/emulator/sass/read/machine_image.h: the parts of a cubin that emulation needs, without
// its instructions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/emulator/emulator.h"
#include "scenes/host/result.h"

namespace warpscope {

// What a kernel needs of its cubin, besides instructions.
struct MachineImage {
  int compute_capability = 0;
  int registers = 0;  // of a thread
  std::int64_t shared_bytes = 0, local_bytes = 0, parameter_bytes = 0;
  std::vector<ParameterInfo> parameters;
  std::int64_t most_threads = 0;
  std::uint32_t parameters_at = 0x210, descriptor_at = 0x208;  // in bank 0
  std::int64_t system_shared = 1024;  // bytes of shared memory before those of the kernel
  std::string bank_of_literals;       // c[0x2]
  // __constant__ variables in bank 3, and those whose addresses are in bank 4.
  struct Variable {
    std::string name;
    int bank = 0;              // 3 or 4
    std::uint32_t offset = 0;  // in the bank
    std::int64_t bytes = 0;
  };
  std::vector<Variable> variables;
};
// Parameters begin so many bytes after a multiple of 64, to which those of tensor maps are aligned.
inline std::uint32_t parameter_shift(const MachineImage& image) { return image.parameters_at % 64; }
// error: input: it is not a cubin that can be read, or has no such kernel.
Result<MachineImage> read_machine_image(std::string_view cubin, const std::string& function);

}  // namespace warpscope
