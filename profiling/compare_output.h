// profiling/compare_output.h: an output held to its reference, and the verdict in words.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "profiling/measurement.h"
#include "scenes/scene.h"

// The rule of kernels/engine/compare.cu on the CPU, for outputs of the emulator: a NaN agrees only
// with a NaN, an infinity only with itself, everything else when |out − ref| is within the bound.

namespace warpscope {

struct OutputComparison {
  std::int64_t checked = 0, mismatches = 0;
  std::int64_t worst = 0;        // index of the element nearest to its bound or farthest beyond
  double worst_error_ratio = 0;  // its error / bound; ≥ 1e300 where it is not a number
};

// out[i] is the element `first` + i of the buffer, expected[i] its reference.
void compare_elements(std::span<const float> out, std::span<const ReferenceValue> expected,
                      const Tolerance& tolerance, std::int64_t first, OutputComparison& comparison);
void compare_elements(std::span<const std::uint32_t> out, std::span<const ReferenceValue> expected,
                      const Tolerance& tolerance, std::int64_t first, OutputComparison& comparison);

// `tolerance` with the rounding of an output that is stored in `type`: the unit roundoff, 2⁻¹¹ of
// an f16 and 2⁻⁸ of a bf16, and half the smallest f16. f32: as it is.
Tolerance for_output(Tolerance tolerance, ElementType type);

// "c[17, 3]" from a flat index and the buffer's extents.
std::string element_name(const BufferSpec& spec, std::int64_t index);

Verdict verdict_of(const OutputComparison& comparison, const BufferSpec& output);

}  // namespace warpscope
