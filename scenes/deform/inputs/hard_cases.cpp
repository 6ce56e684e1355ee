// scenes/deform/inputs/hard_cases.cpp: the hard cases of `deform`.
#include "scenes/deform/inputs/hard_cases.h"

#include <map>
#include <string>
#include <utility>

#include "scenes/deform/inputs/shapes.h"

namespace warpscope::deform {
namespace {

using Values = std::map<std::string, std::string>;

HardCase at(std::string name, std::string sentence, Values sizes) {
  Values values = {{"batch", "2"},        {"queries", "21"},       {"height0", "13"},
                   {"width0", "10"},      {"locality", "uniform"}, {"outside", "0.2"},
                   {"weights", "softmax"}};
  for (auto& [axis, value] : sizes) values.insert_or_assign(axis, std::move(value));
  return {std::move(name), std::move(sentence), std::move(values)};
}

// A sample whose place is no number does not count; a weight that is no number counts where its
// sample does; an infinite one makes no number of the ring's zeros.
void not_finite(const Workload& w, Inputs& inputs) {
  const Shape s = shape_of(w.axes);
  HostArray &loc = inputs.at("loc"), &weight = inputs.at("weight"), &value = inputs.at("value");
  const auto place = [&](std::int64_t query, double where, double factor) {
    const std::int64_t sample = query * s.group_samples();
    poke(loc, 2 * sample, where);
    poke(loc, 2 * sample + 1, where);
    poke(weight, sample, factor);
  };
  place(0, kNotANumber, 1);
  place(1, 0.5, kNotANumber);
  place(2, -1, kNotANumber);
  place(3, 0, kInfinity);
  place(4, 2, kInfinity);
  place(5, kInfinity, 1);
  poke(value, (5 * 12 + 4) * s.channels, kInfinity);
  poke(value, 0, kNotANumber);
}

// 256 images of 514 × 514 pixels and 32 channels: 2.16e9 values, few of which are sampled.
HardCase far_values() {
  HardCase far = at("far_values", "Values beyond 2^31.",
                    {{"batch", "256"},
                     {"queries", "1"},
                     {"level_sizes", "list"},
                     {"level_list", "512,512"},
                     {"points", "1"}});
  // What lays out, converts or sorts all values would run for hours.
  far.variants = {"runtime_point_loop",
                  "interleaved_compile_time_points",
                  "scalar_metadata",
                  "metadata_ahead",
                  "two_phase_unrolled",
                  "two_phase_wide_offsets",
                  "two_phase_unroll",
                  "second_weight_load",
                  "branch_free",
                  "fp32_coordinates",
                  "lane_per_point_shuffle",
                  "async_metadata",
                  "pair_row_gather"};
  far.elements = [](const Workload& w, const Inputs&) {
    std::vector<std::int64_t> last;
    const std::int64_t count = shape_of(w.axes).outputs();
    for (std::int64_t e = count - 640; e < count; ++e) last.push_back(e);
    return last;
  };
  return far;
}

}  // namespace

std::vector<HardCase> hard_cases() {
  HardCase strange = at("not_finite", "Positions, weights and values that are not numbers.",
                        {{"batch", "1"}, {"outside", "0"}, {"weights", "1/8 each"}});
  strange.change = not_finite;
  strange.left_out = {
      {"sample_then_reduce", "A composed operator cannot know which of its samples do not count."},
      {"fp8_values", "Eight bits have no infinity."},
      {"unpadded_values", "Without rings there are no zeros to multiply."}};
  return {
      at("one_below_blocks", "One query below a whole block of 128.",
         {{"batch", "1"}, {"queries", "127"}}),
      at("one_above_blocks", "One query above a whole block of 128.",
         {{"batch", "1"}, {"queries", "129"}, {"ring", "data"}, {"weights", "1/8 each"}}),
      at("primes", "Sides, queries and images that no tile divides, data in the ring.",
         {{"batch", "3"}, {"queries", "37"}, {"height0", "17"}, {"width0", "11"}}),
      at("one_query", "One query of one image.", {{"batch", "1"}, {"queries", "1"}}),
      at("odd_channels", "Heads, points and channels that do not fill a warp.",
         {{"heads", "3"}, {"points", "5"}, {"channels", "24"}, {"levels", "3"}}),
      at("one_level", "One level with one point.",
         {{"levels", "1"}, {"points", "1"}, {"queries", "130"}}),
      at("thin_levels", "Levels of one row or one column.",
         {{"level_sizes", "list"}, {"level_list", "3,50,7,1,1,9,2,2"}, {"ring", "data"}}),
      at("beyond_windows", "Samples inside, at the edge and outside of a block's window.",
         {{"batch", "2"},
          {"queries", "257"},
          {"levels", "2"},
          {"channels", "16"},
          {"locality", "uniform"},
          {"height0", "40"},
          {"width0", "48"}}),
      at("one_place",
         "All points of a level at one position: the rounding errors of f16 sums add up.",
         {{"queries", "129"},
          {"locality", "reference + offset"},
          {"sigma", "0"},
          {"outside", "0"},
          {"weights", "1/8 each"}}),
      at("bf16", "The same in bfloat16.", {{"dtype", "bf16"}, {"queries", "33"}}),
      at("fp32", "The same in f32.", {{"dtype", "fp32"}, {"queries", "33"}}),
      std::move(strange),
      far_values(),
  };
}

}  // namespace warpscope::deform
