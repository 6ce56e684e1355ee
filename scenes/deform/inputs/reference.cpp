// scenes/deform/inputs/reference.cpp: what every output must be, on the device and on the CPU.
#include "scenes/deform/inputs/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "scenes/deform/inputs/numbers.h"
#include "scenes/deform/inputs/shapes.h"

namespace warpscope::deform {
namespace {

constexpr std::int64_t kThreads = 128;

// The nearest f16, ties to even; beyond the largest, 65504, infinite. source: IEEE 754 binary16.
double to_nearest_half(double v) {
  if (!std::isfinite(v) || v == 0) return v;
  const double step = std::ldexp(1.0, std::max(std::ilogb(v), -14) - 10);
  const double nearest = std::nearbyint(v / step) * step;
  return std::abs(nearest) > 65504 ? std::copysign(std::numeric_limits<double>::infinity(), v)
                                   : nearest;
}
double as_it_is(double v) { return v; }

struct Arrays {
  Numbers value, loc, weight;
};

// Products as they are added up, and what a sum of them in halves may be off by, in units of 2⁻¹¹,
// in whichever order it is made. No partial sum passes the larger of the sums of products of one
// sign, and each step rounds by up to 2⁻¹¹ of the partial sum. n roundings that know nothing of
// each other make a walk, √n, and half as much again for the steps that are farther off than most.
// But a product that is the one before it once more (points of a level in one place) is rounded
// alike: such steps add up, at the mean of what the partial sum is on its way, a half.
class Products {
 public:
  void next_level() { before_ = {}; }
  void add(std::size_t corner, double product) {
    sum_ += product;
    signs_[product < 0 ? 1 : 0] += std::abs(product);
    if (product != 0) ++terms_;
    if (product != 0 && product == before_[corner]) ++repeated_;
    before_[corner] = product;
  }
  ReferenceValue value() const {
    return {sum_, std::max(signs_[0], signs_[1]) * (1.5 * std::sqrt(terms_) + 1 + repeated_ / 2),
            signs_[0] + signs_[1]};
  }

 private:
  double sum_ = 0, terms_ = 0, repeated_ = 0;
  std::array<double, 2> signs_ = {};   // of one sign
  std::array<double, 4> before_ = {};  // the corners of the sample before
};

// One output channel of one query and head, every product of it.
template <typename Round>
ReferenceValue sum_of(const Shape& s, const Arrays& arrays, std::int64_t element, Round round) {
  const std::int64_t group = element / s.channels, channel = element % s.channels;
  const std::int64_t head = group % s.heads, image = group / s.heads / s.queries;
  Products products;
  for (std::int64_t i = 0; i < s.group_samples(); ++i) {
    if (i % s.points == 0) products.next_level();
    const Level& level = s.levels[static_cast<std::size_t>(i / s.points)];
    const std::int64_t sample = group * s.group_samples() + i;
    const double x = round(arrays.loc[2 * sample] * static_cast<double>(level.width) + 0.5);
    const double y = round(arrays.loc[2 * sample + 1] * static_cast<double>(level.height) + 0.5);
    const bool inside = 0 < x && x < static_cast<double>(level.width + 1) && 0 < y &&
                        y < static_cast<double>(level.height + 1);
    if (!inside) continue;
    const double left = std::floor(x), top = std::floor(y);
    const double dx[2] = {round(1 - (x - left)), x - left}, dy[2] = {round(1 - (y - top)), y - top};
    for (std::int64_t corner = 0; corner < 4; ++corner) {
      const std::int64_t down = corner / 2, across = corner % 2;
      const std::int64_t row = image * s.rows + level.first_row +
                               (static_cast<std::int64_t>(top) + down) * level.columns() +
                               static_cast<std::int64_t>(left) + across;
      const double share = round(round(dx[across] * dy[down]) * arrays.weight[sample]);
      products.add(static_cast<std::size_t>(corner),
                   share * arrays.value[(row * s.heads + head) * s.channels + channel]);
    }
  }
  return products.value();
}

// What an f16 cannot hold is infinite in every output.
ReferenceValue stored(ReferenceValue value, ElementType type) {
  if (type == ElementType::f16 && std::isinf(to_nearest_half(value.value)))
    value.value = to_nearest_half(value.value);
  return value;
}

template <typename Round>
void host(const Workload& w, const Inputs& inputs, std::span<const std::int64_t> elements,
          std::span<ReferenceValue> values, Round round) {
  const Shape s = shape_of(w.axes);
  const Arrays arrays{Numbers(inputs.at("value")), Numbers(inputs.at("loc")),
                      Numbers(inputs.at("weight"))};
  for (std::size_t e = 0; e < elements.size(); ++e)
    values[e] = stored(sum_of(s, arrays, elements[e], round), value_type(w.axes));
}

std::vector<Step> device_steps(const Workload& w, bool halves) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel{
      "deform/reference.cu",
      "deform_reference",
      {define("TYPE", value_type(w.axes) == ElementType::f32   ? 0
                      : value_type(w.axes) == ElementType::f16 ? 1
                                                               : 2),
       define("HALVES", halves ? 1 : 0)},
      {{ceil_divide(s.outputs(), kThreads), 1, 1}, {kThreads, 1, 1}, 0, {}},
      {BufferArgument{"value"}, BufferArgument{"shapes"}, BufferArgument{"starts"},
       BufferArgument{"loc"}, BufferArgument{"weight"}, BufferArgument{"out.reference"},
       BufferArgument{"out.accumulation"}, BufferArgument{"out.magnitude"}, s.batch, s.queries,
       s.rows, s.heads, s.level_count(), s.points, s.channels}};
  return {run_kernel("reference", std::move(kernel))};
}

// What a file says that the outputs are, with the bounds of sums in halves.
Reference of_file() {
  Reference made;
  made.name = "file";
  made.sentence = "The output of the program that wrote the dump, from its file.";
  made.reported_only = true;
  made.applies = has_expected;
  made.steps = [](const Workload& w) {
    const std::int64_t outputs = shape_of(w.axes).outputs();
    KernelLaunch kernel{"deform/expected.cu",
                        "expected",
                        {},
                        {{ceil_divide(outputs, kThreads), 1, 1}, {kThreads, 1, 1}, 0, {}},
                        {BufferArgument{"expected"}, BufferArgument{"out.reference"}, outputs}};
    std::vector<Step> steps = device_steps(w, true);
    steps.push_back(run_kernel("expected", std::move(kernel)));
    return steps;
  };
  made.host = [](const Workload& w, const Inputs& inputs, const std::string&,
                 std::span<const std::int64_t> elements, std::span<ReferenceValue> values) {
    host(w, inputs, elements, values, to_nearest_half);
    const Numbers expected(inputs.at("expected"));
    for (std::size_t e = 0; e < elements.size(); ++e) values[e].value = expected[elements[e]];
  };
  return made;
}

template <typename Round>
Reference reference(std::string name, std::string sentence, bool halves, Round round) {
  Reference made;
  made.name = std::move(name);
  made.sentence = std::move(sentence);
  made.steps = [halves](const Workload& w) { return device_steps(w, halves); };
  made.host = [round](const Workload& w, const Inputs& inputs, const std::string&,
                      std::span<const std::int64_t> elements, std::span<ReferenceValue> values) {
    host(w, inputs, elements, values, round);
  };
  return made;
}

}  // namespace

std::vector<Reference> references() {
  return {reference("half",
                    "Coordinates, bilinear weights and their products with the attention weight "
                    "rounded to f16, sums in double precision.",
                    true, to_nearest_half),
          reference("exact", "Exact coordinates and weights, sums in double precision.", false,
                    as_it_is),
          of_file()};
}

}  // namespace warpscope::deform
