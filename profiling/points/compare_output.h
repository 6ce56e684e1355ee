// profiling/points/compare_output.h: compares an output with its reference, in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "profiling/points/measurement.h"
#include "profiling/points/outcome_messages.h"
#include "scenes/base/scene.h"

// The rule of kernels/engine/compare.cu on the CPU, for outputs of the emulator: a NaN agrees only
// with a NaN, an infinity only with itself, everything else when |out − ref| is within the bound.
// A bit-exact output is compared with the reference rounded to its own type; an error is then a
// number of steps from one number of that type to the next (ulp; of an integer, the difference).

namespace warpscope {

// An element as it lies in memory: its value and its place among the numbers of its type:
// neighbours are one apart, −0 and 0 too.
struct OutputElement {
  double value = 0;
  std::int64_t place = 0;
};
OutputElement element_at(ElementType type, const std::byte* at);
// How many steps of the type lie between two that are numbers: to the last one where there are
// fewer than 2^53.
double steps_apart(const OutputElement& a, const OutputElement& b);

struct OutputComparison {
  std::int64_t checked = 0, mismatches = 0;
  std::int64_t worst = 0;  // index of the element nearest to its bound or farthest beyond
  // Its error / bound; 1e300 where it is not a number, 1e299 where the bound is 0.
  double worst_error_ratio = 0;
  bool bit_exact = false;  // … then the error in steps
  // What stands there and what was expected; no value: it was not read.
  struct Pair {
    double value = 0, expected = 0;
  };
  std::optional<Pair> at_worst = {};
};

// out[i] is the element `first` + i of the buffer, expected[i] its reference.
void compare_elements(std::span<const float> out, std::span<const ReferenceValue> expected,
                      const Tolerance& tolerance, std::int64_t first, OutputComparison& comparison);
void compare_elements(std::span<const std::uint32_t> out, std::span<const ReferenceValue> expected,
                      const Tolerance& tolerance, std::int64_t first, OutputComparison& comparison);
// Elements of any type as they lie in memory. A reference is a double: one of a bit-exact i64 that
// is 2^53 or more in size cannot say what the bits are, and nothing passes it.
void compare_elements(ElementType type, std::span<const std::byte> out,
                      std::span<const ReferenceValue> expected, const Tolerance& tolerance,
                      std::int64_t first, OutputComparison& comparison);

// Whether an output of nothing but zeros would pass as well, though not all of the reference is 0:
// such a tolerance judges nothing.
bool accepts_zeros(ElementType type, std::span<const ReferenceValue> expected,
                   const Tolerance& tolerance);
// What is said of it. error: input.
tl::unexpected<Error> judges_nothing(const std::string& output);

// The verdict where there is nothing to hold outputs to.
Verdict without_reference();
// The verdict on a variant that wrote into an input.
Verdict written_into(const std::string& input);
// An element beside its reference, as texts.
WrongElement wrong_element(const BufferSpec& spec, std::int64_t index,
                           std::span<const std::byte> element, const ReferenceValue& expected);
// The first element of a whole output that does not pass; no value if all do.
std::optional<WrongElement> find_first_wrong(const BufferSpec& spec, std::span<const std::byte> out,
                                             std::span<const ReferenceValue> expected,
                                             const Tolerance& tolerance);

// The reference that judges a variant. error: internal, where the scene has none that does.
Result<const Reference*> judging_reference(const Scene& scene, const Variant& variant);
// Any that a variant names. error: internal, where the scene has none of this name.
Result<const Reference*> named_reference(const Scene& scene, const Variant& variant,
                                         const std::string& name);

// What kernels/engine/compare.cu calls a type.
int comparison_type(ElementType type);

// `tolerance` with the rounding of an output that is stored in `type`: the unit roundoff, 2⁻¹¹ of
// an f16 and 2⁻⁸ of a bf16, and half the smallest f16. f32: as it is.
Tolerance for_output(Tolerance tolerance, ElementType type);

// "c[17, 3]" from a flat index and the buffer's extents.
std::string element_name(const BufferSpec& spec, std::int64_t index);

Verdict verdict_of(const OutputComparison& comparison, const BufferSpec& output);

// One verdict of several outputs: the worst one's words, all their elements.
void add_output(Verdict& whole, const Verdict& output);

// The error against a reference that judges nothing, of all outputs together.
ReportedError reported_error(const std::string& reference, const Verdict& whole);

}  // namespace warpscope
