// tests/scenes/deform_backward_test.cpp: the gradients of `deform_backward` are those of `deform`.
#include "scenes/deform/backward/deform_backward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "scenes/base/element_inputs.h"
#include "scenes/base/hard_case.h"
#include "scenes/deform/deform.h"
#include "scenes/deform/inputs/shapes.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;

const Changes kSmall = {{"batch", "2"},     {"queries", "3"}, {"height0", "7"},
                        {"width0", "6"},    {"levels", "2"},  {"points", "3"},
                        {"channels", "8"},  {"heads", "2"},   {"locality", "uniform"},
                        {"outside", "0.2"}, {"ring", "data"}, {"weights", "softmax"},
                        {"dtype", "fp32"}};

struct Made {
  Scene scene;
  Workload w;
  Inputs inputs;
  std::int64_t count(const std::string& array) const {
    for (const BufferSpec& spec : scene.buffers(w))
      if (spec.name == array) return spec.count;
    return 0;
  }
  // All elements of an output by the host's reference.
  std::vector<ReferenceValue> reference(const std::string& output) const {
    std::vector<std::int64_t> elements(static_cast<std::size_t>(count(output)));
    std::iota(elements.begin(), elements.end(), 0);
    std::vector<ReferenceValue> values(elements.size());
    find_reference(scene, "exact")->host(w, inputs, output, elements, values);
    return values;
  }
};

Made make(Scene scene, const Changes& changes) {
  Made made{std::move(scene), {}, {}};
  made.w.axes = *with_values(made.scene.axes, with_defaults(made.scene.axes, {}), changes);
  const auto groups =
      regenerate_inputs(made.scene, nullptr, made.w.axes, made.inputs, made.w.facts);
  EXPECT_TRUE(groups) << sentence(groups.error());
  make_element_inputs(made.scene, made.w, made.inputs);
  return made;
}

// The forward pass on the same arrays, as one number: the sum of out · grad_out.
class Forward {
 public:
  Forward()
      : backward(make(deform_backward_scene(), kSmall)), forward_(make(deform_scene(), kSmall)) {}

  double sum() const {
    const auto outputs = forward_.reference("out");
    const auto grad_out = backward.inputs.at("grad_out").as<float>();
    double sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      sum += outputs[i].value * static_cast<double>(grad_out[i]);
    return sum;
  }

  // How the sum changes per unit of an element, from `step` below it to `step` above.
  double slope(const std::string& array, std::int64_t element, double step) {
    float& number = forward_.inputs.at(array).as<float>()[static_cast<std::size_t>(element)];
    const float before = number;
    number = static_cast<float>(before + step);
    const double above = sum(), to = number;
    number = static_cast<float>(before - step);
    const double below = sum(), from = number;
    number = before;
    return (above - below) / (to - from);
  }

  float at(const std::string& array, std::int64_t element) const {
    return backward.inputs.at(array).as<float>()[static_cast<std::size_t>(element)];
  }

  Made backward;

 private:
  Made forward_;
};

TEST(DeformBackward, HasTheInputsOfTheForwardPass) {
  const Made backward = make(deform_backward_scene(), kSmall),
             forward = make(deform_scene(), kSmall);
  for (const char* array : {"value", "shapes", "starts", "loc", "weight"}) {
    const auto a = backward.inputs.at(array).bytes(), b = forward.inputs.at(array).bytes();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << array;
  }
}

// The sum is linear in values and weights: a difference over any step is the derivative.
TEST(DeformBackward, GradientsOfValuesAndWeightsAreDifferencesOfTheForwardPass) {
  Forward forward;
  for (const char* array : {"value", "weight"}) {
    const auto gradients = forward.backward.reference(std::string("grad_") + array);
    std::int64_t not_zero = 0;
    for (std::size_t i = 0; i < gradients.size(); i += 5) {
      not_zero += gradients[i].value != 0 ? 1 : 0;
      EXPECT_NEAR(forward.slope(array, static_cast<std::int64_t>(i), 1), gradients[i].value,
                  1e-4 * (1 + gradients[i].magnitude))
          << array << " " << i;
    }
    EXPECT_GT(not_zero, 10) << array;
  }
}

// Between two pixels the sum is linear in a location.
TEST(DeformBackward, GradientsOfLocationsAreDifferencesOfTheForwardPass) {
  Forward forward;
  const deform::Shape s = deform::shape_of(forward.backward.w.axes);
  const auto gradients = forward.backward.reference("grad_loc");
  int compared = 0, outside = 0;
  for (std::int64_t i = 0; i < std::ssize(gradients); ++i) {
    const deform::Level& level =
        s.levels[static_cast<std::size_t>(i / 2 % s.group_samples() / s.points)];
    const auto side = static_cast<double>(i % 2 == 0 ? level.width : level.height);
    const double at = forward.at("loc", i) * side + 0.5, fraction = at - std::floor(at);
    if (fraction < 0.01 || fraction > 0.99) continue;
    const ReferenceValue& gradient = gradients[static_cast<std::size_t>(i)];
    EXPECT_NEAR(forward.slope("loc", i, 0.005 / side), gradient.value,
                1e-3 * (1 + gradient.magnitude))
        << i;
    ++(gradient.magnitude > 0 ? compared : outside);
  }
  EXPECT_GT(compared, 50);
  EXPECT_GT(outside, 10);
}

// A sample outside of its level has no gradient at all.
TEST(DeformBackward, NothingComesOfSamplesOutside) {
  Changes changes = kSmall;
  changes["outside"] = "1";
  const Made backward = make(deform_backward_scene(), changes);
  for (const char* output : {"grad_value", "grad_loc", "grad_weight"}) {
    for (const ReferenceValue& value : backward.reference(output)) {
      EXPECT_EQ(value.value, 0) << output;
      EXPECT_EQ(value.magnitude, 0) << output;
    }
  }
}

}  // namespace
}  // namespace warpscope
