// scenes/autoencoder/inputs/reference.cpp: the reference of every output: direct sums in double
// precision.
#include "scenes/autoencoder/inputs/reference.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "scenes/autoencoder/automatic.h"
#include "scenes/autoencoder/inputs/inputs.h"
#include "scenes/autoencoder/inputs/net_reference.h"
#include "scenes/autoencoder/steps/direct.h"

namespace warpscope::autoencoder {
namespace {

using Elements = std::span<const std::int64_t>;
using Values = std::span<ReferenceValue>;
using Floats = ElementsOf<float>;

Floats floats(const Inputs& inputs, const char* name) { return inputs.at(name).elements<float>(); }

ReferenceValue exactly(double value) { return {value, std::abs(value), std::abs(value)}; }

// Writes at(i) for each element asked for.
template <typename At>
void fill(Elements elements, Values values, At at) {
  for (std::size_t e = 0; e < elements.size(); ++e) values[e] = at(elements[e]);
}

// Where an element of [outer][inner][channels] lies in [outer][channels][inner].
std::int64_t channels_outside(std::int64_t element, std::int64_t channels, std::int64_t inner) {
  const std::int64_t channel = element % channels, place = element / channels % inner;
  return (element / channels / inner * channels + channel) * inner + place;
}

void conv_host(const Workload& w, const Inputs& inputs, const std::string& output,
               Elements elements, Values values, bool nhwc) {
  const Conv s = conv_of(w.axes);
  const auto of_map = [&](std::int64_t element, std::int64_t channels) {
    return nhwc ? channels_outside(element, channels, s.pixels()) : element;
  };
  if (output == "y") {
    const Floats x = floats(inputs, "x"), weights = floats(inputs, "w"), b = floats(inputs, "b");
    return fill(elements, values, [&](std::int64_t i) {
      ReferenceValue y = conv_at(s, x, weights, b, of_map(i, s.out));
      if (s.relu) y.value = relu_of(y.value);
      return y;
    });
  }
  const Floats dy = floats(inputs, "dy");
  if (output == "dx") {
    const Floats weights = floats(inputs, "w");
    return fill(elements, values,
                [&](std::int64_t i) { return dgrad_at(s, dy, weights, of_map(i, s.in)); });
  }
  if (output == "db")
    return fill(elements, values, [&](std::int64_t i) { return bias_gradient_at(s, dy, i); });
  const Floats x = floats(inputs, "x");
  fill(elements, values, [&](std::int64_t i) {
    return wgrad_at(s, x, dy, nhwc ? channels_outside(i, s.in, kTaps) : i);
  });
}

void conv_pool_host(const Workload& w, const Inputs& inputs, const std::string& output,
                    Elements elements, Values values) {
  const Conv s = conv_of(w.axes);
  const Floats x = floats(inputs, "x");
  if (backward(w.axes)) {
    const Floats y = floats(inputs, "y"), dy = floats(inputs, "dy");
    const auto argmax = inputs.at("argmax").elements<std::uint32_t>();
    return fill(elements, values, [&](std::int64_t i) {
      return output == "db" ? pooled_bias_gradient_at(s, y, dy, i)
                            : pooled_wgrad_at(s, x, y, argmax, dy, i);
    });
  }
  const Floats weights = floats(inputs, "w"), b = floats(inputs, "b");
  fill(elements, values, [&](std::int64_t i) {
    const Place at = place_of(i, s.side / 2);
    // In f32, as the start value is there.
    ReferenceValue best{static_cast<float>(kPoolStart), 0, 0};
    for (std::int64_t k = 0; k < 4; ++k) {
      const std::int64_t element =
          (at.plane * s.side + 2 * at.row + k / 2) * s.side + 2 * at.column + k % 2;
      const ReferenceValue y = conv_at(s, x, weights, b, element);
      best.value = std::max(best.value, relu_of(y.value));
      best.magnitude = std::max(best.magnitude, y.magnitude);
      best.accumulation = std::max(best.accumulation, y.accumulation);
    }
    return best;
  });
}

void window_host(const Workload& w, const Inputs& inputs, const std::string& output,
                 Elements elements, Values values) {
  const std::int64_t side = windows_of(w.axes).small_side;
  if (part_of(w.axes) == Part::upsample) {
    const Floats from = floats(inputs, output == "y" ? "x" : "dy");
    return fill(elements, values, [&](std::int64_t i) {
      if (output == "y") return exactly(from[window_of(side, i)]);
      return upsample_gradient_at(side, from, i);
    });
  }
  if (output == "dx") {
    const Floats dy = floats(inputs, "dy");
    const auto argmax = inputs.at("argmax").elements<std::uint32_t>();
    return fill(elements, values,
                [&](std::int64_t i) { return exactly(pool_gradient_at(side, dy, argmax, i)); });
  }
  const Floats x = floats(inputs, "x");
  fill(elements, values, [&](std::int64_t i) {
    const Pooled best = pool_at(side, x, i);
    // In f32, as the start value is there.
    return exactly(output == "y" ? static_cast<double>(static_cast<float>(best.value))
                                 : static_cast<double>(best.place));
  });
}

void loss_host(const Workload& w, const Inputs& inputs, const std::string& output,
               Elements elements, Values values) {
  const Floats p = floats(inputs, "p"), t = floats(inputs, "t");
  const std::int64_t count = image_values(w.axes);
  if (output == "loss")
    return fill(elements, values, [&](std::int64_t) { return loss_of(p, t, count); });
  fill(elements, values, [&](std::int64_t i) { return exactly(loss_gradient_at(p, t, count, i)); });
}

void sgd_host(const Workload& w, const Inputs& inputs, Elements elements, Values values) {
  const Floats parameters = floats(inputs, "parameters"), slopes = floats(inputs, "slopes");
  const double lr = static_cast<double>(static_cast<float>(w.real("lr")));
  fill(elements, values, [&](std::int64_t i) {
    const double before = parameters[i], step = lr * slopes[i];
    const double scale = std::abs(before) + std::abs(step);
    return ReferenceValue{before - step, scale, scale};
  });
}

// How outputs lie, and what the factors of a whole step's convolutions may be.
struct Kind {
  bool nhwc = false;
  Products products = Products::f32;
  std::optional<PickedLeague> league = {};  // whose pick says whether it is NHWC
};
bool is_nhwc(const Kind& kind, const Configuration& axes) {
  return kind.league ? picks_nhwc(*kind.league, axes) : kind.nhwc;
}

void host(const Workload& w, const Inputs& inputs, const std::string& output, Elements elements,
          Values values, const Kind& kind) {
  switch (part_of(w.axes)) {
    case Part::conv:
      return conv_host(w, inputs, output, elements, values, is_nhwc(kind, w.axes));
    case Part::conv_pool:
      return conv_pool_host(w, inputs, output, elements, values);
    case Part::pool:
    case Part::upsample:
      return window_host(w, inputs, output, elements, values);
    case Part::loss:
      return loss_host(w, inputs, output, elements, values);
    case Part::sgd:
      return sgd_host(w, inputs, elements, values);
    case Part::step:
      return net_host(w, inputs, output, elements, values, kind.nhwc, kind.products);
  }
}

// A kernel of reference.cu that writes all of one output, one thread per element.
Step of_output(const BufferSpec& output, std::string entry, std::vector<Argument> arguments,
               bool nhwc = false) {
  KernelLaunch kernel{
      "autoencoder/reference.cu",
      std::move(entry),
      {define("NHWC", nhwc ? 1 : 0)},
      {{ceil_divide(output.count, kBlockThreads), 1, 1}, {kBlockThreads, 1, 1}, 0, {}},
      {}};
  for (const char* part : {".reference", ".accumulation", ".magnitude"})
    kernel.arguments.emplace_back(BufferArgument{output.name + part});
  kernel.arguments.emplace_back(output.count);
  for (Argument& argument : arguments) kernel.arguments.push_back(std::move(argument));
  return run_kernel("reference of " + output.name, std::move(kernel));
}

Step conv_step(const Workload& w, const BufferSpec& output, bool nhwc) {
  const Conv s = conv_of(w.axes);
  const std::map<std::string, std::pair<std::string, std::vector<std::string>>> kernels = {
      {"y", {"reference_conv", {"x", "w", "b"}}},
      {"dx", {"reference_dgrad", {"dy", "w"}}},
      {"dw", {"reference_wgrad", {"x", "dy"}}},
      {"db", {"reference_bias_gradient", {"dy"}}}};
  const auto& [entry, arrays] = kernels.at(output.name);
  std::vector<Argument> arguments;
  for (const std::string& array : arrays) arguments.emplace_back(BufferArgument{array});
  for (const std::int64_t size : {s.images, s.in, s.out, s.side})
    arguments.emplace_back(as_int(size));
  if (output.name == "y") arguments.emplace_back(as_int(s.relu ? 1 : 0));
  return of_output(output, entry, std::move(arguments), nhwc);
}

Step other_step(const Workload& w, const BufferSpec& output) {
  const auto b = [](const char* name) { return BufferArgument{name}; };
  const std::string& name = output.name;
  switch (part_of(w.axes)) {
    case Part::conv_pool: {
      const Conv s = conv_of(w.axes);
      if (name == "db")
        return of_output(output, "reference_pooled_bias_gradient",
                         {b("y"), b("dy"), as_int(s.images), as_int(s.out), as_int(s.side / 2)});
      if (name == "dw")
        return of_output(output, "reference_pooled_wgrad",
                         {b("x"), b("y"), b("argmax"), b("dy"), as_int(s.images), as_int(s.in),
                          as_int(s.out), as_int(s.side / 2)});
      return of_output(
          output, "reference_conv_pool",
          {b("x"), b("w"), b("b"), as_int(s.images), as_int(s.in), as_int(s.out), as_int(s.side)});
    }
    case Part::pool: {
      const Argument side = as_int(windows_of(w.axes).small_side);
      if (name == "dx")
        return of_output(output, "reference_pool_gradient", {b("dy"), b("argmax"), side});
      return of_output(output, "reference_pool", {b("x"), side, as_int(name == "argmax" ? 1 : 0)});
    }
    case Part::upsample: {
      const Argument side = as_int(windows_of(w.axes).small_side);
      if (name == "y") return of_output(output, "reference_upsample", {b("x"), side});
      return of_output(output, "reference_upsample_gradient", {b("dy"), side});
    }
    case Part::loss:
      if (name == "loss")
        return of_output(output, "reference_loss", {b("p"), b("t"), image_values(w.axes)});
      return of_output(output, "reference_loss_gradient", {b("p"), b("t")});
    default:
      return of_output(output, "reference_sgd",
                       {b("parameters"), b("slopes"), static_cast<float>(w.real("lr"))});
  }
}

std::vector<Step> device_steps(const Workload& w, const Kind& kind) {
  if (part_of(w.axes) == Part::step) return net_steps(w, kind.nhwc, kind.products);
  std::vector<Step> steps;
  for (const BufferSpec& buffer : buffers(w)) {
    if (buffer.role == BufferRole::input) continue;
    steps.push_back(part_of(w.axes) == Part::conv ? conv_step(w, buffer, is_nhwc(kind, w.axes))
                                                  : other_step(w, buffer));
  }
  return steps;
}

Reference reference(std::string name, std::string sentence, Kind kind) {
  Reference made;
  made.name = std::move(name);
  made.sentence = std::move(sentence);
  made.steps = [kind](const Workload& w) { return device_steps(w, kind); };
  made.host = [kind](const Workload& w, const Inputs& inputs, const std::string& output,
                     Elements elements,
                     Values values) { host(w, inputs, output, elements, values, kind); };
  made.scratch = [](const Workload& w) {
    return part_of(w.axes) == Part::step ? net_scratch(w) : std::vector<BufferSpec>{};
  };
  made.host_reaches = [](const Workload& w) {
    return part_of(w.axes) != Part::step || net_host_reaches(w);
  };
  return made;
}

}  // namespace

std::vector<Reference> references() {
  return {
      reference("direct",
                "Direct sums in double precision, maps as NCHW. For a whole step they are chained, "
                "with the error that single precision may have by then. The kernels that compute "
                "it are compared with the CPU at 64 random elements, except for whole steps with "
                "more than 2.1·10⁹ products (about four images at the defaults).",
                {}),
      reference("direct_nhwc", "The same, outputs as NHWC.", {.nhwc = true}),
      reference("direct_tf32",
                "The same as direct. For a whole step, with the error of convolutions whose "
                "factors are rounded to TF32.",
                {.products = Products::tf32}),
      reference("direct_tf32_nhwc", "The same, outputs as NHWC.",
                {.nhwc = true, .products = Products::tf32}),
      reference("direct_bf16",
                "The same as direct. For a whole step, with the error of convolutions whose "
                "factors are rounded to bfloat16.",
                {.products = Products::bf16}),
      reference("direct_of_pick",
                "For a convolution, the same as direct or direct_nhwc, depending on the layout of "
                "the variant that the automatic FP32-class choice picks.",
                {.league = PickedLeague::f32_class}),
      reference("direct_of_tf32_pick", "The same, of TF32.", {.league = PickedLeague::tf32})};
}

}  // namespace warpscope::autoencoder
