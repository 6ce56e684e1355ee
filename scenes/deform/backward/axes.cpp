// scenes/deform/backward/axes.cpp: what can be varied in `deform_backward`.
#include "scenes/deform/backward/axes.h"

#include <set>
#include <string>
#include <utility>

#include "scenes/deform/axes.h"
#include "scenes/deform/backward/variants.h"

namespace warpscope::deform_backward {
namespace {

Axis type_axis() {
  return choice_axis("dtype", "type",
                     "Type of values, locations, weights and the gradient of the outputs. The "
                     "computed gradients are always f32.",
                     {"fp32", "fp16"}, Binding::compile_time);
}

}  // namespace

std::vector<Axis> axes() {
  const std::set<std::string> shared = {
      "batch",   "queries", "level_sizes", "height0", "width0",   "level_list",
      "levels",  "points",  "channels",    "heads",   "locality", "sigma",
      "outside", "weights", "ring",        "dtype",   "seed"};
  std::vector<Axis> all;
  for (Axis& axis : deform::axes()) {
    if (shared.count(axis.name) == 0) continue;
    if (axis.name == "level_list") axis.default_value = std::string("50,80,25,40,13,20,7,10");
    all.push_back(axis.name == "dtype" ? type_axis() : std::move(axis));
  }
  Axis block =
      typed_from(whole_axis("block_size", "threads per block", "threads", "Threads per block.",
                            AxisScale::log, Binding::launch_shape, 64, 512, 256, {64, 128, 256}),
                 32, 1024);
  block.of_variants = variants_of_blocks();
  all.push_back(std::move(block));
  Axis chunk = typed_from(whole_axis("chunk", "samples per warp", "samples",
                                     "Most samples of a cell that a warp adds up.", AxisScale::log,
                                     Binding::compile_time, 16, 1024, 128, {32, 128, 512}),
                          1, 65536);
  chunk.of_variants = {"sorted_cells", "sorted_parts"};
  all.push_back(std::move(chunk));
  Axis parts =
      typed_from(whole_axis("parts", "parts per image", "parts",
                            "Parts of the queries of an image and head, each counted by a block.",
                            AxisScale::log, Binding::launch_shape, 1, 64, 16, {4, 8, 16, 32}),
                 1, 1024);
  parts.of_variants = {"sorted_parts"};
  all.push_back(std::move(parts));
  Axis tile =
      typed_from(whole_axis("tile", "queries per tile", "queries",
                            "Queries of an image whose samples a block sorts.", AxisScale::log,
                            Binding::launch_shape, 256, 8192, 1024, {512, 1024, 2048, 4096}),
                 1, 65536);
  tile.of_variants = {"sorted_tiles"};
  all.push_back(std::move(tile));
  return all;
}

std::vector<Preset> presets() {
  const auto sizes = [](const char* name, const char* sentence, const char* batch,
                        const char* queries, const char* height, const char* width,
                        const char* points, const char* heads, const char* locality) {
    return Preset{name,
                  sentence,
                  {{"batch", batch},
                   {"queries", queries},
                   {"level_sizes", "halving"},
                   {"height0", height},
                   {"width0", width},
                   {"levels", "4"},
                   {"points", points},
                   {"channels", "32"},
                   {"heads", heads},
                   {"locality", locality}}};
  };
  return {
      sizes("48 images · 20522 queries (default)", "The workload of the scene deform.", "48",
            "20522", "92", "160", "8", "1", "seed window"),
      sizes("an encoder: 2 images · 8 heads",
            "One query per pixel of four levels, four points, eight heads, around each query.", "2",
            "17821", "100", "134", "4", "8", "reference + offset"),
  };
}

}  // namespace warpscope::deform_backward
