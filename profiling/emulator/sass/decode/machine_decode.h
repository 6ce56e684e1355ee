// profiling/emulator/sass/decode/machine_decode.h: a function of machine code as the instructions
// that the emulator runs.
#pragma once

#include <memory>
#include <string>

#include "profiling/emulator/sass/read/machine_image.h"
#include "profiling/emulator/sass/read/machine_text.h"
#include "profiling/emulator/state/kernel_code.h"
#include "scenes/base/step.h"

namespace warpscope {

// An instruction that is not known becomes a trap, which names it in KernelCode::unknown.
// `main_file` as of Program::parse; `cluster` is the launch's.
std::shared_ptr<KernelCode> decode_machine_code(const MachineFunction& function,
                                                const MachineImage& image,
                                                const std::string& main_file,
                                                const Dim3& cluster = {});

}  // namespace warpscope
