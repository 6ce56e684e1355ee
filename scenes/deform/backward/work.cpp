// scenes/deform/backward/work.cpp: what the gradients must cost by arithmetic alone.
#include "scenes/deform/backward/work.h"

#include <optional>

#include "scenes/deform/inputs/shapes.h"

namespace warpscope::deform_backward {
namespace {

using Value = std::optional<double>;

constexpr double kGradientBytes = 4;  // of f32

double type_bytes(const Workload& w) {
  return static_cast<double>(element_bytes(deform::value_type(w.axes)));
}

// value, loc, weight and grad_out.
double read_bytes(const Workload& w) {
  const deform::Shape s = deform::shape_of(w.axes);
  return type_bytes(w) * static_cast<double>(s.values() + 3 * s.samples() + s.outputs());
}
double write_bytes(const Workload& w) {
  const deform::Shape s = deform::shape_of(w.axes);
  return kGradientBytes * static_cast<double>(s.values() + 3 * s.samples());
}

// Corners of the samples that count, one channel each.
double corner_channels(const Workload& w) {
  const deform::Shape s = deform::shape_of(w.axes);
  return 4 * static_cast<double>(s.samples() * s.channels) * w.fact("valid_ratio");
}

}  // namespace

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "arithmetic", "FLOP",
       "16·C per sample that counts. For each of four corners and C channels: a multiply and an "
       "add for the product with the values, and the same for their gradient.",
       [](const Workload& w, const Variant&) -> Value { return 4 * corner_channels(w); }},
      {"model.dram_bytes", "compulsory DRAM bytes", "B",
       "Values, locations, weights and the gradient of the outputs read once, three gradients "
       "written once.",
       [](const Workload& w, const Variant&) -> Value { return read_bytes(w) + write_bytes(w); }},
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "Values, locations, weights and the gradient of the outputs read once.",
       [](const Workload& w, const Variant&) -> Value { return read_bytes(w); }},
      {"model.gather_bytes", "gathered bytes", "B",
       "Four corners of C channels per sample that counts.",
       [](const Workload& w, const Variant&) -> Value {
         return type_bytes(w) * corner_channels(w);
       }},
      {"model.scatter_bytes", "addends of the values' gradient", "B",
       "Four corners of C channels in f32 per sample that counts, before any are merged.",
       [](const Workload& w, const Variant&) -> Value {
         return kGradientBytes * corner_channels(w);
       }},
      {"model.valid_ratio", "samples inside", "1",
       "The share of samples that count, of all samples or of a million of them.",
       [](const Workload& w, const Variant&) -> Value { return w.fact("valid_ratio"); }},
  };
}

}  // namespace warpscope::deform_backward
