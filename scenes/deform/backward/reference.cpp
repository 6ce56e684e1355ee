// scenes/deform/backward/reference.cpp: what each gradient must be, on the device and on the CPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "scenes/base/kernel_parts.h"
#include "scenes/deform/backward/inputs.h"
#include "scenes/deform/inputs/numbers.h"
#include "scenes/deform/inputs/shapes.h"

namespace warpscope::deform_backward {
namespace {

using deform::Numbers;
using deform::Shape;

constexpr std::int64_t kThreads = 128;

struct Arrays {
  Numbers value, loc, weight, grad_out;
};

// The four corners of a sample that counts.
struct Corners {
  double height = 0, width = 0, dx = 0, dy = 0;
  std::array<std::int64_t, 4> pixels = {};  // of one head: [batch][rows][heads]
};

// A place in pixels of the level with its ring, rounded once.
double place_of(double location, std::int64_t pixels) {
  return std::fma(static_cast<float>(location), static_cast<float>(pixels), 0.5F);
}

// No value: the sample does not count.
std::optional<Corners> corners_of(const Shape& s, const Arrays& arrays, std::int64_t sample) {
  const std::int64_t group = sample / s.group_samples();
  const deform::Level& level =
      s.levels[static_cast<std::size_t>(sample % s.group_samples() / s.points)];
  const double x = place_of(arrays.loc[2 * sample], level.width);
  const double y = place_of(arrays.loc[2 * sample + 1], level.height);
  const bool inside = 0 < x && x < static_cast<double>(level.width + 1) && 0 < y &&
                      y < static_cast<double>(level.height + 1);
  if (!inside) return std::nullopt;
  const double left = std::floor(x), top = std::floor(y);
  Corners c{static_cast<double>(level.height), static_cast<double>(level.width), x - left, y - top};
  const std::int64_t row = group / s.heads / s.queries * s.rows + level.first_row +
                           static_cast<std::int64_t>(top) * level.columns() +
                           static_cast<std::int64_t>(left);
  for (std::int64_t k = 0; k < 4; ++k) {
    c.pixels[static_cast<std::size_t>(k)] =
        (row + k / 2 * level.columns() + k % 2) * s.heads + group % s.heads;
  }
  return c;
}

double across(const Corners& c, int corner) { return corner % 2 == 1 ? c.dx : 1 - c.dx; }
double down(const Corners& c, int corner) { return corner / 2 == 1 ? c.dy : 1 - c.dy; }

void add(ReferenceValue& sum, double product) {
  sum.value += product;
  sum.magnitude += std::abs(product);
}

// Elements of grad_value: one pass over the samples of the images that have one of them.
void of_values(const Shape& s, const Arrays& arrays, std::span<const std::int64_t> elements,
               std::span<ReferenceValue> values) {
  struct Wanted {
    std::int64_t pixel, channel;
    std::size_t at;
  };
  std::vector<Wanted> wanted;
  std::set<std::int64_t> images;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    wanted.push_back({elements[e] / s.channels, elements[e] % s.channels, e});
    images.insert(elements[e] / s.channels / s.heads / s.rows);
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const Wanted& a, const Wanted& b) { return a.pixel < b.pixel; });
  std::vector<std::int32_t> first(static_cast<std::size_t>(s.batch * s.rows * s.heads), -1);
  for (std::size_t i = wanted.size(); i-- > 0;)
    first[static_cast<std::size_t>(wanted[i].pixel)] = static_cast<std::int32_t>(i);
  std::vector<double> terms(elements.size());
  const std::int64_t of_image = s.queries * s.heads * s.group_samples();
  for (const std::int64_t image : images) {
    for (std::int64_t sample = image * of_image; sample < (image + 1) * of_image; ++sample) {
      const std::optional<Corners> c = corners_of(s, arrays, sample);
      if (!c) continue;
      for (int k = 0; k < 4; ++k) {
        const std::int64_t pixel = c->pixels[static_cast<std::size_t>(k)];
        const std::int32_t begin = first[static_cast<std::size_t>(pixel)];
        if (begin < 0) continue;
        const double share = across(*c, k) * down(*c, k) * arrays.weight[sample];
        const std::int64_t out = sample / s.group_samples() * s.channels;
        for (auto i = static_cast<std::size_t>(begin);
             i < wanted.size() && wanted[i].pixel == pixel; ++i) {
          add(values[wanted[i].at], share * arrays.grad_out[out + wanted[i].channel]);
          ++terms[wanted[i].at];
        }
      }
    }
  }
  for (std::size_t e = 0; e < elements.size(); ++e)
    values[e].accumulation = values[e].magnitude * std::sqrt(terms[e]);
}

enum class Of { x, y, weight };

// One gradient of a sample: a sum over its channels and corners.
ReferenceValue of_sample(const Shape& s, const Arrays& arrays, std::int64_t sample, Of what) {
  ReferenceValue sum;
  const std::optional<Corners> c = corners_of(s, arrays, sample);
  if (!c) return sum;
  const std::int64_t out = sample / s.group_samples() * s.channels;
  for (std::int64_t channel = 0; channel < s.channels; ++channel) {
    const double g = arrays.grad_out[out + channel];
    for (int k = 0; k < 4; ++k) {
      const double v = arrays.value[c->pixels[static_cast<std::size_t>(k)] * s.channels + channel];
      if (what == Of::x) add(sum, (k % 2 == 1 ? v : -v) * down(*c, k) * g);
      if (what == Of::y) add(sum, (k / 2 == 1 ? v : -v) * across(*c, k) * g);
      if (what == Of::weight) add(sum, across(*c, k) * down(*c, k) * v * g);
    }
  }
  if (what != Of::weight) {
    // After the sum: an infinite weight gives an infinite gradient.
    const double factor = arrays.weight[sample] * (what == Of::x ? c->width : c->height);
    sum.value *= factor;
    sum.magnitude *= std::abs(factor);
  }
  sum.accumulation = sum.magnitude * std::sqrt(4 * static_cast<double>(s.channels));
  return sum;
}

void host(const Workload& w, const Inputs& inputs, const std::string& output,
          std::span<const std::int64_t> elements, std::span<ReferenceValue> values) {
  const Shape s = deform::shape_of(w.axes);
  const Arrays arrays{Numbers(inputs.at("value")), Numbers(inputs.at("loc")),
                      Numbers(inputs.at("weight")), Numbers(inputs.at("grad_out"))};
  std::fill(values.begin(), values.end(), ReferenceValue{});
  if (output == "grad_value") return of_values(s, arrays, elements, values);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    values[e] = output == "grad_weight"
                    ? of_sample(s, arrays, elements[e], Of::weight)
                    : of_sample(s, arrays, elements[e] / 2, elements[e] % 2 == 0 ? Of::x : Of::y);
  }
}

KernelLaunch kernel_of(const Workload& w, const char* entry, std::int64_t threads) {
  KernelLaunch kernel{"deform_backward/reference.cu", entry, {}, {}, {}};
  kernel.defines = {define("TYPE", deform::value_type(w.axes) == ElementType::f32 ? 0 : 1)};
  kernel.launch = {{ceil_divide(threads, kThreads), 1, 1}, {kThreads, 1, 1}, 0, {}};
  return kernel;
}

std::vector<Step> device_steps(const Workload& w) {
  const Shape s = deform::shape_of(w.axes);
  const auto buffer = [](const char* name) { return Argument{BufferArgument{name}}; };
  const std::vector<Argument> sizes = {s.batch,         s.queries, s.rows,    s.heads,
                                       s.level_count(), s.points,  s.channels};
  KernelLaunch of_values = kernel_of(w, "reference_values", s.samples() * s.channels);
  of_values.arguments = {buffer("shapes"),
                         buffer("starts"),
                         buffer("loc"),
                         buffer("weight"),
                         buffer("grad_out"),
                         buffer("grad_value.reference"),
                         buffer("grad_value.accumulation"),
                         buffer("grad_value.magnitude")};
  KernelLaunch scales = kernel_of(w, "reference_scales", s.values());
  scales.arguments = {buffer("grad_value.accumulation"), buffer("grad_value.magnitude"),
                      s.values()};
  KernelLaunch of_samples = kernel_of(w, "reference_samples", s.samples());
  of_samples.arguments = {buffer("value"),
                          buffer("shapes"),
                          buffer("starts"),
                          buffer("loc"),
                          buffer("weight"),
                          buffer("grad_out"),
                          buffer("grad_loc.reference"),
                          buffer("grad_loc.accumulation"),
                          buffer("grad_loc.magnitude"),
                          buffer("grad_weight.reference"),
                          buffer("grad_weight.accumulation"),
                          buffer("grad_weight.magnitude")};
  for (KernelLaunch* kernel : {&of_values, &of_samples})
    kernel->arguments.insert(kernel->arguments.end(), sizes.begin(), sizes.end());
  return {{"clear reference", Phase::run, Memset{"grad_value.reference"}},
          {"clear terms", Phase::run, Memset{"grad_value.accumulation"}},
          {"clear magnitude", Phase::run, Memset{"grad_value.magnitude"}},
          run_kernel("reference of values", std::move(of_values)),
          run_kernel("scales", std::move(scales)),
          run_kernel("reference of samples", std::move(of_samples))};
}

}  // namespace

std::vector<Reference> references() {
  Reference exact;
  exact.name = "exact";
  exact.sentence =
      "Products and sums in double precision. A sample's place is rounded to f32 once, as in every "
      "variant.";
  exact.steps = device_steps;
  exact.host = host;
  return {std::move(exact)};
}

}  // namespace warpscope::deform_backward
