// scenes/esmm/inputs/reference.cpp: what C must be, on the device and on the CPU.
#include "scenes/esmm/inputs/reference.h"

#include <cmath>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/inputs/shapes.h"

namespace warpscope::esmm {
namespace {

constexpr std::int64_t kSide = 32;  // of a block's tile in reference.cu

std::vector<Step> device_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel{
      "esmm/reference.cu",
      "esmm_reference",
      {},
      {},
      {BufferArgument{"a"}, BufferArgument{"b"}, BufferArgument{"c.reference"},
       BufferArgument{"c.accumulation"}, BufferArgument{"c.magnitude"}, s.m, s.n, s.k}};
  kernel.launch.grid = {ceil_divide(s.n, kSide), ceil_divide(s.m, kSide), 1};
  kernel.launch.block = {kSide * kSide, 1, 1};
  return {run_kernel("reference", std::move(kernel))};
}

void host(const Workload& w, const Inputs& inputs, std::span<const std::int64_t> elements,
          std::span<ReferenceValue> values) {
  const Shape s = shape_of(w.axes);
  const ElementsOf<float> a = inputs.at("a").elements<float>(),
                          b = inputs.at("b").elements<float>();
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const std::int64_t row = elements[e] / s.n, column = elements[e] % s.n;
    ReferenceValue value;
    for (std::int64_t k = 0; k < s.k; ++k) {
      const double product = static_cast<double>(a[row * s.k + k]) * b[k * s.n + column];
      value.value += product;
      value.magnitude += std::abs(product);
    }
    value.accumulation = value.magnitude * std::sqrt(static_cast<double>(s.k));
    values[e] = value;
  }
}

}  // namespace

std::vector<Reference> references() {
  return {{"exact", "Every product of A and B, zeros included, in double precision.", device_steps,
           [](const Workload& w, const Inputs& inputs, const std::string&,
              std::span<const std::int64_t> elements,
              std::span<ReferenceValue> values) { host(w, inputs, elements, values); }}};
}

}  // namespace warpscope::esmm
