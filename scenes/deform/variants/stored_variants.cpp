// scenes/deform/variants/stored_variants.cpp: variants that store borders, coordinates, values or
// weights in another way than the published kernels.
#include <algorithm>
#include <utility>

#include "scenes/deform/constraints.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/variants/variants.h"
#include "scenes/deform/work.h"

namespace warpscope::deform {
namespace {

// Weights of a query add up to this, or to one.
double weight_sum(const Configuration& axes) {
  return std::max(1.0, static_cast<double>(shape_of(axes).group_samples()) / 8);
}

// Sums are in f32, so the remaining error comes from the roundings of stored values: 2⁻¹¹ for f16,
// 2⁻⁸ for bf16. Places in f32 are rounded by 2⁻²⁴ of a level's side along either axis. That is
// multiplied by the difference of values from pixel to pixel, which is as large as the values
// themselves. Places in f16 are exact in f32.
Tolerance float_sums(const Configuration& axes) {
  const ElementType type = value_type(axes);
  if (type != ElementType::f32) return {.magnitude = type == ElementType::f16 ? 2e-3 : 8e-3};
  std::int64_t side = 0;
  for (const Level& level : level_sizes(axes)) side = std::max({side, level.height, level.width});
  return {.magnitude = 1e-5,
          .absolute = 2 * 0x1.0p-24 * static_cast<double>(side) * weight_sum(axes)};
}

// Coordinates in f32, compared with the exact reference.
Variant float_variant(std::string name, std::string label, std::string sentence,
                      std::string look_at, StoredAs stored) {
  Variant v = deform_variant(
      std::move(name), std::move(label), "ours", std::move(sentence), std::move(look_at),
      [stored](const Workload& w) { return fp32_coordinates_steps(w, stored); });
  v.reference = "exact";
  v.reported_references = {"file"};
  v.pipe = Pipe::fp32;
  v.scratch = [stored](const Workload& w) { return converted_scratch(w, stored); };
  v.constraints = {whole_lanes()};
  if (stored != StoredAs::input) v.constraints.push_back(halves());
  return v;
}

Variant bare_variant() {
  Variant v = lanes_variant(
      "unpadded_values", "values without rings",
      "Levels are stored without rings, and each corner is tested against the border.",
      "Bytes of values and executed instructions: a ring costs memory, a test costs an instruction "
      "per corner.");
  v.steps = unpadded_values_steps;
  v.scratch = unpadded_values_scratch;
  v.constraints.push_back(ring_of_zeros());
  charge_value_bytes(v, 2, bare_rows);
  return v;
}

Variant softmax_variant() {
  Variant v = lanes_variant(
      "fused_softmax", "fused softmax",
      "Takes logits and computes the softmax over a query's samples in the kernel, in f32.",
      "Instructions of the exponentials, which every lane of a query computes. The other variants' "
      "times leave out the softmax kernel before them, with its reads and writes.");
  v.accuracy = "softmax in f32, half precision";
  v.steps = fused_softmax_steps;
  v.constraints.push_back(softmax_weights());
  return v;
}

Variant composed_variant() {
  Variant v = lanes_variant("sample_then_reduce", "sample, then reduce",
                            "As with a framework's operators: one grid sample per level, then a "
                            "weighted sum. No vendor library has the whole.",
                            "DRAM bytes: every sample is written and read again.");
  v.family = "composed";
  v.accuracy = "half precision, samples rounded";
  v.steps = sample_then_reduce_steps;
  v.scratch = sample_then_reduce_scratch;
  v.constraints.push_back(samples_fit_memory());
  charge_samples(v);
  return v;
}

}  // namespace

std::vector<Variant> stored_variants() {
  Variant floats = float_variant(
      "fp32_coordinates", "coordinates in f32",
      "Coordinates, weights and sums are in f32; values as stored.",
      "The error from exact coordinates, compared with variants in f16: from 128 pixels on, their "
      "samples are up to a sixteenth of a pixel off. And the time: [[fp32_coordinates.time.warm > "
      "interleaved_compile_time_points.time.warm => it takes "
      "{ratio(fp32_coordinates.time.warm, interleaved_compile_time_points.time.warm)} times the "
      "baseline's time. | exactness costs nothing here. || what does exactness cost?]]",
      StoredAs::input);
  floats.accuracy = "f32 sums";
  floats.tolerance_at = float_sums;
  Variant bf16 = float_variant("bf16_values", "values in bf16",
                               "Values converted to bf16 beforehand, coordinates and sums in f32.",
                               "The error: 8 significant bits instead of 11, for the same bytes.",
                               StoredAs::bf16);
  bf16.accuracy = "bf16 values, f32 sums";
  bf16.tolerance_at = [](const Configuration&) { return Tolerance{.magnitude = 8e-3}; };
  Variant fp8 = float_variant(
      "fp8_values", "values in fp8",
      "Values converted to fp8 (e4m3) beforehand, coordinates and sums in f32.",
      "Sectors per gather request: 8 bytes per lane. The error is larger: 4 significant bits.",
      StoredAs::fp8);
  fp8.accuracy = "fp8 values, f32 sums";
  fp8.own_roof_at = nullptr;  // its corners are half as large
  // Below 2⁻⁶ a step of e4m3 is 2⁻⁹ whatever the number. source: OCP 8-bit floating point.
  fp8.tolerance_at = [](const Configuration& axes) {
    return Tolerance{.magnitude = 8e-2, .absolute = 0x1.0p-10 * weight_sum(axes)};
  };
  charge_value_bytes(fp8, 1, [](const Workload& w) { return shape_of(w.axes).rows; });
  return {lanes_variant("branch_free", "no branch at the border",
                        "No branch skips a sample outside its level: its address is moved into the "
                        "level, and its weight and values are selected as zero.",
                        "Executed branches, and the selects in their place. Nothing is gained if "
                        "all samples count."),
          std::move(floats),
          bare_variant(),
          composed_variant(),
          softmax_variant(),
          std::move(bf16),
          std::move(fp8)};
}

}  // namespace warpscope::deform
