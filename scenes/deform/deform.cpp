// scenes/deform/deform.cpp: multi-scale deformable attention: bilinear samples of several levels,
// weighed and summed.
#include "scenes/deform/deform.h"

#include "scenes/deform/article.h"
#include "scenes/deform/axes.h"
#include "scenes/deform/inputs/dump_files.h"
#include "scenes/deform/inputs/hard_cases.h"
#include "scenes/deform/inputs/inputs.h"
#include "scenes/deform/inputs/picture.h"
#include "scenes/deform/inputs/reference.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/roofs.h"
#include "scenes/deform/variants/variants.h"
#include "scenes/deform/work.h"

namespace warpscope {
namespace {

using deform::Shape;
using deform::shape_of;

std::int64_t value_bytes(const Configuration& axes) {
  return element_bytes(deform::value_type(axes));
}
std::int64_t location_bytes(const Configuration& axes) {
  return element_bytes(deform::location_type(axes));
}

std::int64_t estimate_bytes(const Configuration& axes) {
  constexpr std::int64_t kReferenceBytes = 24;  // reference, accumulation, magnitude in f64
  const Shape s = shape_of(axes);
  const std::int64_t of_sample = deform::has_logits(axes) ? 2 : 1;
  return value_bytes(axes) * (s.values() + of_sample * s.samples() + s.outputs()) +
         location_bytes(axes) * 2 * s.samples() + kReferenceBytes * s.outputs() +
         24 * s.level_count() + (deform::has_expected(axes) ? 2 * s.outputs() : 0);
}

std::int64_t estimate_whole_bytes(const Configuration& axes) {
  const Shape s = shape_of(axes);
  const std::int64_t of_levels = 24 * s.level_count();
  if (!deform::from_dump(axes)) return of_levels;
  const std::int64_t expected = deform::has_expected(axes) ? s.outputs() : 0;
  return of_levels + 2 * (s.values() + 3 * s.samples() + expected);
}

std::vector<BufferSpec> buffers(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const ElementType type = deform::value_type(w.axes);
  const auto input = BufferRole::input;
  const std::int64_t levels = s.level_count();
  std::vector<BufferSpec> all = {
      {"value",
       type,
       s.values(),
       input,
       {s.batch, s.rows, s.heads, s.channels},
       "value[Bt, S, heads, C]"},
      {"shapes", ElementType::i64, 2 * levels, input, {levels, 2}, "shapes[L, 2]"},
      {"starts", ElementType::i64, levels, input, {levels}, "starts[L]"},
      {"loc",
       deform::location_type(w.axes),
       2 * s.samples(),
       input,
       {s.batch, s.queries, s.heads, levels, s.points, 2},
       "loc[Bt, Q, heads, L, P, 2]"},
      {"weight",
       type,
       s.samples(),
       input,
       {s.batch, s.queries, s.heads, levels, s.points},
       "weight[Bt, Q, heads, L, P]"},
      {"out",
       type,
       s.outputs(),
       BufferRole::output,
       {s.batch, s.queries, s.heads * s.channels},
       "out[Bt, Q, heads·C]"},
  };
  if (deform::has_logits(w.axes)) {
    BufferSpec logits = all[4];
    logits.name = "logits";
    logits.symbol = "logits[Bt, Q, heads, L, P]";
    all.insert(all.begin() + 5, std::move(logits));
  }
  if (deform::has_expected(w.axes)) {
    all.push_back({"expected",
                   type,
                   s.outputs(),
                   input,
                   {s.batch, s.queries, s.heads * s.channels},
                   "expected[Bt, Q, heads·C]"});
  }
  return all;
}

}  // namespace

// Long: a table of what the scene consists of.
Scene deform_scene() {
  Scene scene;
  scene.name = "deform";
  scene.title = "Multi-scale deformable attention: bilinear samples of several levels";
  scene.story =
      "Every query samples each size of an image, called a level, at a few computed positions. A "
      "sample mixes the four nearest pixels. The samples are summed with attention weights. It is "
      "a gather of 64-byte pieces at computed addresses: little DRAM traffic, few flops, much "
      "address arithmetic. No vendor library has it: theirs sample one level with one "
      "transformation.";
  scene.axes = deform::axes();
  scene.presets = deform::presets();
  scene.hard_cases = deform::hard_cases;
  const std::vector<std::string> of_levels = {"level_sizes", "height0", "width0", "level_list",
                                              "levels"};
  const std::vector<std::string> of_samples = {"batch", "queries", "heads", "points",
                                               "dtype", "inputs",  "seed",  "dump_folder"};
  const auto joined = [](std::vector<std::string> all, const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string because = "a file says all";
  scene.input_groups = {
      {"levels",
       of_levels,
       {},
       {"shapes", "starts"},
       deform::generate_levels,
       nullptr,
       nullptr,
       nullptr,
       "they are three numbers a level"},
      {"values",
       joined({"batch", "heads", "channels", "ring", "dtype", "inputs", "dump_folder", "seed"},
              of_levels),
       {},
       {"value"},
       deform::generate_values,
       deform::make_elements,
       nullptr,
       deform::has_elements,
       because},
      {"locations",
       joined(joined({"locality", "sigma", "outside"}, of_samples), of_levels),
       {},
       {"loc"},
       deform::generate_locations,
       deform::make_elements,
       nullptr,
       deform::has_elements,
       because},
      {"weights",
       joined(joined({"weights"}, of_samples), of_levels),
       {},
       {"weight", "logits"},
       deform::generate_weights,
       deform::make_elements,
       nullptr,
       deform::has_elements,
       because},
      {"expected output",
       joined({"channels", "expected_file"}, of_samples),
       {},
       {"expected"},
       deform::generate_expected,
       nullptr,
       nullptr,
       nullptr,
       because},
  };
  scene.settle = deform::settle;
  scene.admit = deform::admit;
  scene.estimate_bytes = estimate_bytes;
  scene.estimate_whole_bytes = estimate_whole_bytes;
  scene.buffers = buffers;
  scene.references = deform::references();
  scene.work_terms = deform::work_terms();
  scene.roofs = deform::roofs();
  scene.variants = deform::variants();
  scene.article = deform::article();
  scene.pictures = {
      {"samples",
       "The levels of the first image with their rings. Red: the corners nearest to the samples of "
       "the middle query",
       {},
       [](const Workload& w, const HostBuffers&) { return deform::samples_picture(w); }}};
  scene.pixel_maps = deform::level_maps;
  scene.baseline = "interleaved_compile_time_points";
  return scene;
}

}  // namespace warpscope
