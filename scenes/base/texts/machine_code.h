// scenes/base/texts/machine_code.h: the name of the text that has a kernel's machine code, and for
// which architectures it is emulated.
#pragma once

#include <algorithm>
#include <array>

namespace warpscope {

// It follows the name of the text that the code is of: "norm/capture.ptx.cubin". A launch whose
// source ends so has machine code alone.
inline constexpr const char* kMachineCodeSuffix = ".cubin";

// Compute capabilities, the preferred first. Figures of 9.0 were compared with an H200's counters.
// Those of the others were not: whatever is made of them says so.
inline constexpr int kCheckedMachineCode = 90;
inline constexpr std::array<int, 10> kEmulatedMachineCodes = {
    kCheckedMachineCode, 89, 87, 86, 80, 75, 100, 103, 120, 121};
// The same for sentences.
inline constexpr const char* kEmulatedMachineCodeNames =
    "sm_75 to sm_90, sm_100, sm_103, sm_120 or sm_121";
// From here on launches pass their constants in other places than before.
inline constexpr int kFirstBlackwell = 100;

inline bool is_emulated_machine_code(int compute_capability) {
  return std::find(kEmulatedMachineCodes.begin(), kEmulatedMachineCodes.end(),
                   compute_capability) != kEmulatedMachineCodes.end();
}

}  // namespace warpscope
