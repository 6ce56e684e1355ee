// scenes/deform/axes.cpp: what can be varied in `deform`.
#include "scenes/deform/axes.h"

#include <string>
#include <tuple>
#include <utility>

#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/variants/variants.h"

namespace warpscope::deform {
namespace {

constexpr std::int64_t kMostSide = 512;  // pixels of a level
constexpr std::size_t kMostLevels = 5;

bool halves(const Configuration& c) { return c.text("level_sizes") == "halving"; }
bool lists(const Configuration& c) { return c.text("level_sizes") == "list"; }
bool generated(const Configuration& c) { return !from_dump(c); }
bool around_references(const Configuration& c) {
  return generated(c) && c.text("locality") == "reference + offset";
}

Axis level_list() {
  Axis axis;
  axis.name = "level_list";
  axis.label = "sizes of levels";
  axis.description = "Height and width of each level, largest first, without the ring.";
  axis.kind = AxisKind::list;
  axis.binds = Binding::input;
  axis.default_value = std::string("92,160,46,80,23,40,12,20");
  axis.typed_minimum = 1;
  axis.typed_maximum = kMostSide;
  axis.minimum_items = 2;
  axis.maximum_items = 2 * kMostLevels;
  return only_where(std::move(axis), lists);
}

Axis dump_folder() {
  Axis axis;
  axis.name = "dump_folder";
  axis.label = "folder of a dump";
  axis.description =
      "A folder of little-endian files: value.bin, spatial_shapes.bin, level_start_index.bin, "
      "sampling_locations.bin and attention_weights.bin, or the same with _data in their names.";
  axis.kind = AxisKind::file;
  axis.takes = {"/"};
  axis.binds = Binding::input;
  axis.default_value = std::string();
  return only_where(std::move(axis), from_dump);
}

Axis expected_file() {
  Axis axis;
  axis.name = "expected_file";
  axis.label = "expected output";
  axis.description =
      "Output of another program for this dump: little-endian f16 in the order of the output. The "
      "difference is shown beside the verdict but does not decide it. Empty: no comparison.";
  axis.kind = AxisKind::file;
  axis.takes = {".bin"};
  axis.binds = Binding::input;
  axis.default_value = std::string();
  return only_where(std::move(axis), from_dump);
}

// What is the tuning of some variants.
std::vector<Axis> variant_axes() {
  const auto of = [](Axis axis, std::vector<std::string> variants) {
    axis.of_variants = std::move(variants);
    return axis;
  };
  Axis block =
      of(typed_from(whole_axis("block_size", "threads per block", "threads",
                               "Threads per block; the published launches use 512.", AxisScale::log,
                               Binding::launch_shape, 64, 512, 512, {64, 128, 256, 512}),
                    64, 1024),
         variants_of_blocks());
  block.defaults_of = {
      {"lane_per_point_shuffle", std::int64_t{256}},  {"async_metadata", std::int64_t{256}},
      {"pair_row_gather", std::int64_t{256}},         {"tma_box_per_sample", std::int64_t{128}},
      {"small_levels_in_shared", std::int64_t{1024}}, {"bulk_staged_levels", std::int64_t{1024}}};
  Axis cap = whole_axis("register_cap", "register limit", "registers",
                        "Registers that a thread may use. With 512 threads it can have 128.",
                        AxisScale::linear, Binding::compile_time, 32, 255, 128, {64, 128});
  Axis lanes = whole_axis("query_lanes", "lanes per query", "lanes",
                          "Lanes that share the points of a query.", AxisScale::log,
                          Binding::compile_time, 1, 8, 8, {4, 8});
  return {
      std::move(block),
      of(std::move(cap), {"two_phase_capped"}),
      of(typed_from(
             whole_axis("unroll", "points per group", "points",
                        "Points whose addresses and weights are computed before they are used.",
                        AxisScale::log, Binding::compile_time, 1, 8, 8, {1, 2, 4, 8}),
             1, 16),
         {"two_phase_unroll"}),
      of(std::move(lanes), {"lane_per_point_shuffle"}),
      of(typed_from(whole_axis("turns", "turns per block", "turns",
                               "How often a block takes a share of neighbouring queries. With more "
                               "turns, all blocks work on fewer images at a time.",
                               AxisScale::log, Binding::launch_shape, 1, 16, 2, {1, 2, 4, 8}),
                    1, 1024),
         {"pair_rows_tensor", "pair_rows_two_passes", "pair_rows_bulk"}),
      of(whole_axis("passes", "passes", "passes",
                    "How often a block goes over its share. With two passes, L1 holds fewer levels "
                    "at a time.",
                    AxisScale::linear, Binding::compile_time, 1, 2, 2),
         {"pair_rows_bulk"}),
      of(whole_axis("staged_levels", "staged levels", "levels",
                    "How many of the last levels are in shared memory.", AxisScale::linear,
                    Binding::compile_time, 1, kMostLevels, 2),
         {"small_levels_in_shared", "bulk_staged_levels"}),
      of(typed_from(
             whole_axis(
                 "cell", "cell side", "px",
                 "Side of a cell, in pixels of the first level, whose queries are sorted together.",
                 AxisScale::log, Binding::compile_time, 1, 64, 8),
             1, 512),
         {"sorted_queries", "sorted_windows"}),
      of(whole_axis("window_side", "window side", "px",
                    "Side of the window, in pixels of the first level, that two blocks hold in "
                    "shared memory.",
                    AxisScale::linear, Binding::compile_time, 8, 64, 24, {8, 16, 24, 32, 48, 64}),
         {"sorted_windows"}),
  };
}

}  // namespace

// Long: a table of axes, one after the other.
std::vector<Axis> axes() {
  const auto linear = AxisScale::linear;
  const auto log = AxisScale::log;
  Axis sigma = number_axis(
      "sigma", "spread", "px",
      "Standard deviation of an offset from its reference point, in pixels of the sampled level.",
      AxisKind::real, linear, Binding::input, 0, 32, 4.0);
  Axis outside = number_axis("outside", "samples outside", "ratio",
                             "The share of samples outside their level, on any of its four sides.",
                             AxisKind::real, linear, Binding::input, 0, 0.5, 0.0);
  outside.typed_maximum = 1;
  Axis seed = whole_axis("seed", "seed", "", "Random seed of all inputs.", linear, Binding::input,
                         0, 1e6, 42);
  std::vector<Axis> all = {
      typed_from(whole_axis("batch", "images", "images",
                            "Images per batch; each has its own levels and queries.", log,
                            Binding::argument, 1, 96, 48, {1, 6, 12, 24, 48, 96}),
                 1, 4096),
      typed_from(whole_axis("queries", "queries", "queries", "Queries per image.", log,
                            Binding::argument, 1, 131072, 20522, {1024, 4096, 15422, 20522}),
                 1, 1 << 22),
      choice_axis("level_sizes", "level sizes",
                  "Each level half as large as the one before, or sizes from a list.",
                  {"halving", "list"}),
      only_where(typed_from(whole_axis("height0", "height", "px",
                                       "Rows of the largest level, without the ring.", linear,
                                       Binding::input, 8, 256, 92),
                            1, kMostSide),
                 halves),
      only_where(typed_from(whole_axis("width0", "width", "px",
                                       "Columns of the largest level, without the ring.", linear,
                                       Binding::input, 8, 512, 160),
                            1, kMostSide),
                 halves),
      level_list(),
      only_where(whole_axis("levels", "levels", "levels",
                            "Levels that each query samples. A list of sizes overrides it.", linear,
                            Binding::compile_time, 1, kMostLevels, 4),
                 halves),
      whole_axis("points", "points", "points", "Samples per query in each level.", linear,
                 Binding::compile_time, 1, 16, 8, {4, 8, 16}),
      whole_axis("channels", "channels", "", "Channels per head. 16 bytes hold eight in f16.",
                 linear, Binding::compile_time, 8, 128, 32, {32, 64, 128}),
      whole_axis("heads", "heads", "heads", "Heads, each with its own channels and points.", linear,
                 Binding::compile_time, 1, 8, 1),
      choice_axis("inputs", "inputs", "Random numbers, or your own dump.",
                  {"generated", "raw files"}),
      dump_folder(),
      expected_file(),
      only_where(choice_axis("locality", "sampled places",
                             "Uniform in the middle (0.3 to 0.7 of both axes), uniform over the "
                             "whole level, or around the query's reference point.",
                             {"seed window", "uniform", "reference + offset"}),
                 generated),
      only_where(std::move(sigma), around_references),
      only_where(std::move(outside), generated),
      only_where(choice_axis("weights", "weights",
                             "1/8 for each sample, or the softmax of random numbers over the "
                             "levels and points of a query.",
                             {"1/8 each", "softmax"}),
                 generated),
      only_where(choice_axis("ring", "ring",
                             "The ring of pixels around a level: zeros, as for zero padding, or "
                             "values like the others.",
                             {"zero", "data"}),
                 generated),
      choice_axis("dtype", "type",
                  "Type of values, weights and outputs. Locations are f16 unless this is f32.",
                  {"fp16", "bf16", "fp32"}, Binding::compile_time),
      choice_axis("broken", "show broken variants",
                  "Also lists a kernel that is wrong on purpose, to show why it fails.",
                  {"off", "on"}, Binding::launch_shape),
  };
  for (Axis& axis : variant_axes()) all.push_back(std::move(axis));
  all.push_back(only_where(typed_from(std::move(seed), 0, 9007199254740991.0), generated));
  return all;
}

std::vector<Preset> presets() {
  const auto sizes = [](const char* name, const char* sentence, const char* queries) {
    return Preset{name,
                  sentence,
                  {{"batch", "48"},
                   {"queries", queries},
                   {"level_sizes", "halving"},
                   {"height0", "92"},
                   {"width0", "160"},
                   {"levels", "4"},
                   {"points", "8"},
                   {"channels", "32"},
                   {"heads", "1"}}};
  };
  return {
      sizes("48 images · 20522 queries (default)", "One query per row of the values.", "20522"),
      sizes("48 images · 123376 queries", "The default of the published program.", "123376"),
      sizes("48 images · 15422 queries", "The number of the published times.", "15422"),
  };
}

Result<void> admit(const Configuration& axes) {
  constexpr std::int64_t kMostElements = 4'000'000'000;
  if (lists(axes) && axes.list("level_list").size() % 2 != 0) {
    return failure(ErrorKind::usage,
                   "the list has " + std::to_string(axes.list("level_list").size()) +
                       " numbers: a level has a height and a width",
                   "axis level_list", "type them in pairs: 92,160,46,80");
  }
  const Shape s = shape_of(axes);
  for (const auto& [count, what, which] :
       {std::tuple(s.values(), "value", "axes batch, heads, channels and the levels' sizes"),
        {2 * s.samples(), "loc", "axes batch, queries, heads, levels and points"},
        {s.outputs(), "out", "axes batch, queries, heads and channels"}}) {
    if (count <= kMostElements) continue;
    return failure(ErrorKind::usage,
                   std::string(what) + " would have " + std::to_string(count) + " elements", which,
                   "lower them to at most " + std::to_string(kMostElements));
  }
  return {};
}

}  // namespace warpscope::deform
