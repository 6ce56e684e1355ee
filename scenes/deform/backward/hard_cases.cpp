// scenes/deform/backward/hard_cases.cpp: the hard cases of `deform_backward`.
#include "scenes/deform/backward/hard_cases.h"

#include <map>
#include <string>
#include <utility>

#include "scenes/deform/inputs/shapes.h"

namespace warpscope::deform_backward {
namespace {

using Values = std::map<std::string, std::string>;

HardCase at(std::string name, std::string sentence, Values sizes) {
  Values values = {{"batch", "2"},        {"queries", "9"},        {"height0", "13"},
                   {"width0", "10"},      {"locality", "uniform"}, {"outside", "0.2"},
                   {"weights", "softmax"}};
  for (auto& [axis, value] : sizes) values.insert_or_assign(axis, std::move(value));
  return {std::move(name), std::move(sentence), std::move(values)};
}

// The first samples of each query and head lie at chosen places: exactly where samples begin to
// count, on centres of pixels, on borders, and one f32 step to either side.
void on_borders(const Workload& w, Inputs& inputs) {
  const deform::Shape s = deform::shape_of(w.axes);
  HostArray& loc = inputs.at("loc");
  for (std::int64_t sample = 0; sample < s.samples(); ++sample) {
    const deform::Level& level =
        s.levels[static_cast<std::size_t>(sample % s.group_samples() / s.points)];
    const auto place = [&](std::int64_t which, std::int64_t pixels) {
      const double half = 0.5 / static_cast<double>(pixels), step = 0x1.0p-22;
      const double places[] = {-half, -half + step, half,     half - step, 0,
                               1,     0.5,          1 - half, 1 + half,    1 + half - step};
      return places[which % std::ssize(places)];
    };
    poke(loc, 2 * sample, place(sample, level.width));
    poke(loc, 2 * sample + 1, place(sample / 10 + sample, level.height));
  }
}

// A sample whose place is no number does not count, whatever its weight: no gradient is then a NaN.
void nowhere(const Workload& w, Inputs& inputs) {
  const deform::Shape s = deform::shape_of(w.axes);
  HostArray &loc = inputs.at("loc"), &weight = inputs.at("weight");
  for (std::int64_t sample = 0; sample < s.samples(); sample += 3) {
    const double places[] = {kNotANumber, kInfinity, -kInfinity, -3, 1e30, 4};
    poke(loc, 2 * sample + sample % 2, places[sample / 3 % std::ssize(places)]);
    if (sample % 2 == 0) poke(weight, sample, kNotANumber);
  }
}

// A weight that is no number counts where its sample does; so does an infinite one, which makes no
// number of a share of zero. Values and gradients of the outputs likewise.
void not_finite(const Workload& w, Inputs& inputs) {
  const deform::Shape s = deform::shape_of(w.axes);
  HostArray &loc = inputs.at("loc"), &weight = inputs.at("weight");
  const auto sample_of = [&](std::int64_t query, double where, double factor) {
    const std::int64_t sample = query * s.heads * s.group_samples();
    poke(loc, 2 * sample, where);
    poke(loc, 2 * sample + 1, where);
    poke(weight, sample, factor);
  };
  sample_of(0, 0.5, kNotANumber);
  sample_of(1, 0.25, kInfinity);
  sample_of(2, 0.75, -kInfinity);
  sample_of(3, -3, kInfinity);
  poke(inputs.at("grad_out"), 4 * s.heads * s.channels + 1, kNotANumber);
  poke(inputs.at("value"), (5 * 12 + 4) * s.heads * s.channels, kInfinity);
  poke(inputs.at("value"), 3, kNotANumber);
}

HardCase changed(HardCase made, void (*change)(const Workload&, Inputs&)) {
  made.change = change;
  return made;
}

}  // namespace

std::vector<HardCase> hard_cases() {
  return {
      at("one_below_blocks", "One query below a whole number of warps and blocks.",
         {{"batch", "1"}, {"queries", "31"}}),
      at("one_above_blocks", "One query above a whole number of warps and blocks.",
         {{"batch", "1"}, {"queries", "65"}, {"points", "3"}, {"weights", "1/8 each"}}),
      at("primes", "Sides, queries and images that no tile divides, data in the ring.",
         {{"batch", "3"}, {"queries", "7"}, {"height0", "17"}, {"width0", "11"}, {"ring", "data"}}),
      at("one_query", "One query of one image.", {{"batch", "1"}, {"queries", "1"}}),
      at("odd_channels", "Heads, points and channels that do not fill a warp.",
         {{"heads", "3"}, {"points", "5"}, {"channels", "24"}, {"levels", "3"}}),
      at("few_channels", "Eight channels of several heads: many queries in a warp.",
         {{"heads", "2"}, {"channels", "8"}, {"points", "9"}}),
      at("many_channels", "More channels than a warp has lanes.",
         {{"channels", "64"}, {"points", "2"}, {"queries", "5"}}),
      at("one_level", "One level with one point.",
         {{"levels", "1"}, {"points", "1"}, {"queries", "40"}}),
      at("thin_levels", "Levels of one pixel, one row or one column.",
         {{"level_sizes", "list"}, {"level_list", "3,50,7,1,1,9,1,1"}, {"ring", "data"}}),
      at("one_place", "All points of a level at one position: many addends for one pixel.",
         {{"batch", "1"},
          {"queries", "130"},
          {"height0", "4"},
          {"width0", "4"},
          {"levels", "2"},
          {"locality", "seed window"},
          {"outside", "0"}}),
      at("many_parts", "Several tiles of queries per image, and several parts of a cell.",
         {{"queries", "70"},
          {"tile", "16"},
          {"parts", "3"},
          {"chunk", "16"},
          {"heads", "2"},
          {"levels", "2"}}),
      at("fp16", "Inputs in f16.", {{"dtype", "fp16"}, {"ring", "data"}}),
      changed(at("on_borders", "Samples exactly on borders and centres of pixels, and beside them.",
                 {{"queries", "12"}, {"outside", "0"}, {"ring", "data"}}),
              on_borders),
      changed(at("nowhere", "Places that are not numbers, or far outside.", {{"outside", "0"}}),
              nowhere),
      changed(at("not_finite", "Weights, values and gradients that are not numbers.",
                 {{"outside", "0"}, {"ring", "data"}}),
              not_finite),
  };
}

}  // namespace warpscope::deform_backward
