// scenes/patterns/reference.cpp: what y must be for each operation, on the device and on the CPU.
#include "scenes/patterns/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "scenes/patterns/shapes.h"

namespace warpscope::patterns {
namespace {

Step reference_step(const std::string& entry, std::int64_t elements,
                    std::vector<Argument> arguments) {
  KernelLaunch kernel{"patterns/reference.cu", entry, {}, {}, std::move(arguments)};
  kernel.launch.grid = {std::max<std::int64_t>(1, ceil_divide(elements, kThreads)), 1, 1};
  kernel.launch.block = {kThreads, 1, 1};
  return {entry, Phase::run, std::move(kernel)};
}

const BufferArgument kX{"x"}, kReference{"y.reference"}, kAccumulation{"y.accumulation"},
    kMagnitude{"y.magnitude"};

std::vector<Step> device_steps(const Workload& w) {
  const Configuration& axes = w.axes;
  const std::int64_t outputs = output_elements(axes), n = axes.integer("n");
  if (op_is(axes, "copy")) {
    return {
        reference_step("reference_copy", outputs,
                       {kX, kReference, kAccumulation, kMagnitude, outputs, axes.integer("offset"),
                        axes.integer("stride"), elements_per_lane(axes)})};
  }
  if (op_is(axes, "transpose")) {
    return {reference_step("reference_transpose", outputs,
                           {kX, kReference, kAccumulation, kMagnitude, axes.integer("rows"),
                            axes.integer("columns")})};
  }
  if (op_is(axes, "gather")) {
    return {
        reference_step("reference_gather", outputs,
                       {kX, BufferArgument{"index"}, kReference, kAccumulation, kMagnitude, n})};
  }
  if (op_is(axes, "atomics")) {
    return {
        {"clear reference", Phase::run, Memset{"y.reference", 0}},
        {"clear magnitude", Phase::run, Memset{"y.magnitude", 0}},
        reference_step("reference_bins", n, {kX, BufferArgument{"key"}, kReference, kMagnitude, n}),
        reference_step("reference_bins_scale", outputs,
                       {BufferArgument{"bin_counts"}, kMagnitude, kAccumulation, outputs})};
  }
  const bool reduction = op_is(axes, "reduction");
  const std::int64_t pitch = reduction ? kPiece : kFields;
  return {reference_step("reference_sums", outputs,
                         {kX, kReference, kAccumulation, kMagnitude, n, outputs, pitch,
                          reduction ? kPiece : axes.integer("fields")})};
}

ReferenceValue moved(float value) {
  const double magnitude = std::abs(static_cast<double>(value));
  return {value, magnitude, magnitude};
}

void finish(ReferenceValue& value, std::int64_t terms) {
  value.accumulation = value.magnitude * std::sqrt(static_cast<double>(terms));
}

void add(ReferenceValue& sum, float value) {
  sum.value += static_cast<double>(value);
  sum.magnitude += std::abs(static_cast<double>(value));
}

// One pass over the keys finds the elements of the wanted bins.
void host_bins(const Inputs& inputs, std::span<const std::int64_t> elements,
               std::span<ReferenceValue> values) {
  const ElementsOf<float> x = inputs.at("x").elements<float>();
  const auto key = inputs.at("key").as<std::int32_t>();
  std::map<std::int64_t, std::pair<ReferenceValue, std::int64_t>> wanted;  // bin → sum, terms
  for (const std::int64_t element : elements) wanted[element] = {};
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto found = wanted.find(key[i]);
    if (found == wanted.end()) continue;
    add(found->second.first, x[static_cast<std::int64_t>(i)]);
    ++found->second.second;
  }
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto& [sum, terms] = wanted.at(elements[e]);
    values[e] = sum;
    finish(values[e], terms);
  }
}

void host(const Workload& w, const Inputs& inputs, std::span<const std::int64_t> elements,
          std::span<ReferenceValue> values) {
  const Configuration& axes = w.axes;
  if (op_is(axes, "atomics")) return host_bins(inputs, elements, values);
  const ElementsOf<float> x = inputs.at("x").elements<float>();
  const auto at = [&x](std::int64_t i) { return x[i]; };
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const std::int64_t i = elements[e];
    if (op_is(axes, "copy")) {
      const std::int64_t per_lane = elements_per_lane(axes);
      const std::int64_t vector = i / per_lane * axes.integer("stride");
      values[e] = moved(at(axes.integer("offset") + vector * per_lane + i % per_lane));
    } else if (op_is(axes, "transpose")) {
      const std::int64_t rows = axes.integer("rows");
      values[e] = moved(at(i % rows * axes.integer("columns") + i / rows));
    } else if (op_is(axes, "gather")) {
      values[e] = moved(at(inputs.at("index").elements<std::int32_t>()[i]));
    } else {
      const bool reduction = op_is(axes, "reduction");
      const std::int64_t begin = i * (reduction ? kPiece : kFields);
      const std::int64_t terms =
          std::min(reduction ? kPiece : axes.integer("fields"), axes.integer("n") - begin);
      values[e] = {};
      for (std::int64_t j = begin; j < begin + terms; ++j) add(values[e], at(j));
      finish(values[e], terms);
    }
  }
}

}  // namespace

std::vector<Reference> references() {
  return {{"exact", "Every element in its place, and every sum in double precision.", device_steps,
           [](const Workload& w, const Inputs& inputs, const std::string&,
              std::span<const std::int64_t> elements,
              std::span<ReferenceValue> values) { host(w, inputs, elements, values); }}};
}

}  // namespace warpscope::patterns
