// tests/workbench/workspace/small_scene.h: a scene of what no shipped one has yet: leagues, texts,
// remedies.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope {

// Two leagues of two variants, a pattern that is typed and checked against a rule, a list, an axis
// of one variant with its own default, and a constraint that another value of the axis mends.
inline Scene small_scene() {
  Scene scene;
  scene.name = "small";
  scene.title = "A small scene";
  scene.story = "It has what panels are tested with.";
  scene.axes.push_back(number_axis("n", "columns", "columns", "How many.", AxisKind::integer,
                                   AxisScale::log, Binding::argument, 1, 1024, std::int64_t{64}));
  Axis pattern;
  pattern.name = "pattern";
  pattern.label = "which columns are kept";
  pattern.description = "A 1 for every column that is kept.";
  pattern.kind = AxisKind::text;
  pattern.default_value = std::string("1100");
  pattern.admit_text = [](std::string_view text) -> Result<void> {
    if (text.find_first_not_of("01") == std::string_view::npos && !text.empty()) return {};
    return failure(ErrorKind::usage, "only 0 and 1 stand in a pattern", "axis pattern",
                   "write one such as 1100");
  };
  scene.axes.push_back(pattern);
  Axis layers;
  layers.name = "layers";
  layers.label = "widths of layers";
  layers.kind = AxisKind::list;
  layers.default_value = std::string("92,46,23");
  layers.typed_minimum = 1;
  layers.typed_maximum = 512;
  scene.axes.push_back(layers);
  Axis tile = number_axis("tile", "rows of a tile", "rows", "How many rows each block keeps.",
                          AxisKind::integer, AxisScale::linear, Binding::compile_time, 1, 64,
                          std::int64_t{8});
  tile.of_variants = {"tiled"};
  tile.defaults_of = {{"tiled", AxisValue(std::int64_t{16})}};
  scene.axes.push_back(tile);
  scene.admit = [](const Configuration&) -> Result<void> { return {}; };
  for (const auto& [name, league] :
       {std::pair{"plain", "fp32"}, std::pair{"tiled", "fp32"}, std::pair{"tensor", "tf32"},
        std::pair{"tensor_tiled", "tf32"}}) {
    Variant variant;
    variant.name = name;
    variant.label = name;
    variant.sentence = "A variant of a test.";
    variant.league = league;
    scene.variants.push_back(variant);
  }
  scene.variants[1].constraints.push_back(
      {"needs n above 32",
       [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
         if (w.integer("n") > 32) return std::nullopt;
         return "n is " + std::to_string(w.integer("n"));
       },
       [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
         return AxisChange{"use 64 columns", {{"n", "64"}}};
       }});
  scene.leagues = {{"fp32", "FP32", "Meets the bound of single precision.", "plain", ""},
                   {"tf32", "TF32", "Rounds its products to TF32.", "tensor", ""}};
  scene.baseline = "plain";
  return scene;
}

}  // namespace warpscope
