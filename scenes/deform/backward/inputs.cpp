// scenes/deform/backward/inputs.cpp: the inputs of `deform`, and the gradient of its outputs.
#include "scenes/deform/backward/inputs.h"

#include <string>
#include <utility>

#include "scenes/base/half.h"
#include "scenes/deform/inputs/inputs.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/host/random.h"

namespace warpscope::deform_backward {
namespace {

constexpr std::uint32_t kGradients = 47;  // stream of random numbers: 41 to 46 are deform's

void make_gradients(const Workload& w, const std::string&, std::int64_t first,
                    std::span<std::byte> bytes) {
  const RandomStream stream(static_cast<std::uint64_t>(w.integer("seed")), kGradients);
  const auto next = [&] {
    return static_cast<float>(stream.normal(static_cast<std::uint64_t>(first++)));
  };
  if (deform::value_type(w.axes) == ElementType::f32) {
    for (float& element : elements_in<float>(bytes)) element = next();
  } else {
    for (std::uint16_t& element : elements_in<std::uint16_t>(bytes)) element = to_f16(next());
  }
}

}  // namespace

std::vector<InputGroup> input_groups() {
  using Names = std::vector<std::string>;
  const auto joined = [](Names all, const Names& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Names of_levels = {"level_sizes", "height0", "width0", "level_list", "levels"};
  const Names of_queries = joined({"batch", "queries", "heads", "dtype", "seed"}, of_levels);
  const Names of_samples = joined({"points"}, of_queries);
  InputGroup levels;
  levels.name = "levels";
  levels.axes = of_levels;
  levels.arrays = {"shapes", "starts"};
  levels.generate = deform::generate_levels;
  levels.whole_because = "they are three numbers a level";
  const auto made = [](std::string name, Names axes, std::string array, auto elements) {
    InputGroup group;
    group.name = std::move(name);
    group.axes = std::move(axes);
    group.arrays = {std::move(array)};
    group.elements = elements;
    return group;
  };
  InputGroup locations = made("locations", joined({"locality", "sigma", "outside"}, of_samples),
                              "loc", deform::make_elements);
  locations.generate = deform::generate_locations;
  return {
      std::move(levels),
      made("values", joined({"batch", "heads", "channels", "ring", "dtype", "seed"}, of_levels),
           "value", deform::make_elements),
      std::move(locations),
      made("weights", joined({"weights"}, of_samples), "weight", deform::make_elements),
      made("gradient of the outputs", {"batch", "queries", "heads", "channels", "dtype", "seed"},
           "grad_out", make_gradients)};
}

}  // namespace warpscope::deform_backward
