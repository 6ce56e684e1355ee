// scenes/deform/backward/deform_backward.cpp: the gradients of multi-scale deformable attention.
#include "scenes/deform/backward/deform_backward.h"

#include "scenes/deform/axes.h"
#include "scenes/deform/backward/axes.h"
#include "scenes/deform/backward/hard_cases.h"
#include "scenes/deform/backward/inputs.h"
#include "scenes/deform/backward/variants.h"
#include "scenes/deform/backward/work.h"
#include "scenes/deform/inputs/shapes.h"

namespace warpscope {
namespace {

using deform::Shape;
using deform::shape_of;

std::int64_t estimate_bytes(const Configuration& axes) {
  constexpr std::int64_t kGradientBytes = 4;    // f32
  constexpr std::int64_t kReferenceBytes = 24;  // reference, accumulation, magnitude in f64
  const Shape s = shape_of(axes);
  const std::int64_t gradients = s.values() + 3 * s.samples();
  return element_bytes(deform::value_type(axes)) * (gradients + s.outputs()) +
         (kGradientBytes + kReferenceBytes) * gradients + 24 * s.level_count();
}

std::int64_t estimate_whole_bytes(const Configuration& axes) {
  return 24 * shape_of(axes).level_count();
}

std::vector<BufferSpec> buffers(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const ElementType type = deform::value_type(w.axes), f32 = ElementType::f32;
  const std::int64_t levels = s.level_count();
  const auto input = BufferRole::input, output = BufferRole::output;
  const std::vector<std::int64_t> of_values = {s.batch, s.rows, s.heads, s.channels};
  const std::vector<std::int64_t> of_samples = {s.batch, s.queries, s.heads, levels, s.points};
  std::vector<std::int64_t> of_places = of_samples;
  of_places.push_back(2);
  return {
      {"value", type, s.values(), input, of_values, "value[Bt, S, heads, C]"},
      {"shapes", ElementType::i64, 2 * levels, input, {levels, 2}, "shapes[L, 2]"},
      {"starts", ElementType::i64, levels, input, {levels}, "starts[L]"},
      {"loc", type, 2 * s.samples(), input, of_places, "loc[Bt, Q, heads, L, P, 2]"},
      {"weight", type, s.samples(), input, of_samples, "weight[Bt, Q, heads, L, P]"},
      {"grad_out",
       type,
       s.outputs(),
       input,
       {s.batch, s.queries, s.heads * s.channels},
       "grad_out[Bt, Q, heads·C]"},
      {"grad_value", f32, s.values(), output, of_values, "grad_value[Bt, S, heads, C]"},
      {"grad_loc", f32, 2 * s.samples(), output, of_places, "grad_loc[Bt, Q, heads, L, P, 2]"},
      {"grad_weight", f32, s.samples(), output, of_samples, "grad_weight[Bt, Q, heads, L, P]"},
  };
}

}  // namespace

Scene deform_backward_scene() {
  Scene scene;
  scene.name = "deform_backward";
  scene.title = "Multi-scale deformable attention, backward: a scatter of bilinear samples";
  scene.story =
      "The gradients of deform's outputs with respect to its values, locations and weights. Each "
      "sample adds to four pixels of the values' gradient, so the gather of the forward pass "
      "becomes a scatter with atomics. The gradients of a location and a weight are sums over "
      "channels.";
  scene.axes = deform_backward::axes();
  scene.presets = deform_backward::presets();
  scene.hard_cases = deform_backward::hard_cases;
  scene.input_groups = deform_backward::input_groups();
  scene.admit = deform::admit;
  scene.estimate_bytes = estimate_bytes;
  scene.estimate_whole_bytes = estimate_whole_bytes;
  scene.buffers = buffers;
  scene.references = deform_backward::references();
  scene.work_terms = deform_backward::work_terms();
  scene.variants = deform_backward::variants();
  scene.baseline = "block_per_query";
  return scene;
}

}  // namespace warpscope
