// profiling/emulator/decode/decode.h: an entry of a module to instructions on slots.
#pragma once

#include <memory>
#include <string>

#include "profiling/emulator/ptx/module.h"
#include "profiling/emulator/state/kernel_code.h"

namespace warpscope {

// Calls are inlined. An instruction that cannot be decoded becomes a trap that carries its text:
// the kernel opens all the same, and the fault names line and opcode if it is reached. `main_file`
// is the person's own text, whose lines instructions are shown at.
std::shared_ptr<KernelCode> decode_kernel(const PtxModule& module, const std::string& main_file,
                                          const PtxFunction& entry);

}  // namespace warpscope
