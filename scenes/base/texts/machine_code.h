// scenes/base/texts/machine_code.h: the name of the text that has a kernel's machine code.
#pragma once

namespace warpscope {

// It follows the name of the text that the code is of: "norm/capture.ptx.cubin". A launch whose
// source ends so has machine code alone.
inline constexpr const char* kMachineCodeSuffix = ".cubin";

}  // namespace warpscope
