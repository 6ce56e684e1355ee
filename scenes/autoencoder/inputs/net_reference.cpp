// scenes/autoencoder/inputs/net_reference.cpp: the reference of a whole training step.
#include "scenes/autoencoder/inputs/net_reference.h"

#include <cmath>
#include <optional>
#include <utility>

#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/shapes.h"

namespace warpscope::autoencoder {
namespace {

using Arguments = std::vector<Argument>;

// What a convolution reads, as net_reference.cu numbers it.
enum class From : std::int64_t { image = 0, map = 1, sums = 2 };

From from_of(const Conv& s) {
  return s.of_image ? From::image : s.behind_upsample ? From::sums : From::map;
}

std::string sums_of(std::size_t layer) { return "net sums " + std::to_string(layer + 1); }
std::string pooled_of(std::size_t layer) { return "net pooled " + std::to_string(layer + 1); }
std::string slopes_of(std::size_t layer) { return "net slopes " + std::to_string(layer + 1); }
std::string pooled_slopes_of(std::size_t layer) {
  return "net pooled slopes " + std::to_string(layer + 1);
}

// The steps of one reference, layer by layer.
class NetSteps {
 public:
  NetSteps(const Workload& w, bool nhwc, Products products)
      : w_(w), nhwc_(nhwc), products_(products), tensors_(tensors_of(w.axes)) {
    for (const std::string& layer : conv_layers()) convs_.push_back(conv_named(w.axes, layer));
  }

  std::vector<Step> all() {
    if (products_ == Products::bf16) {
      coarse_ = true;
      gradients();
      coarse_ = false;
    }
    gradients();
    loss();
    update();
    return std::move(steps_);
  }

 private:
  void add(std::string name, std::string entry, std::int64_t threads, Arguments arguments,
           From from = From::map, bool fours = false) {
    KernelLaunch kernel{
        "autoencoder/net_reference.cu",
        std::move(entry),
        {define("FROM", static_cast<std::int64_t>(from)), define("FOURS", fours ? 1 : 0),
         define("NHWC", nhwc_ ? 1 : 0), define("PRODUCTS", static_cast<std::int64_t>(products_)),
         define("COARSE", coarse_ ? 1 : 0)},
        {{ceil_divide(threads, kBlockThreads), 1, 1}, {kBlockThreads, 1, 1}, 0, {}},
        std::move(arguments)};
    if (coarse_) name += ", factors rounded";
    steps_.push_back(run_kernel(std::move(name), std::move(kernel)));
  }

  void gradients() {
    for (std::size_t l = 0; l < convs_.size(); ++l) forward(l);
    slopes();
    for (std::size_t l = convs_.size(); l-- > 0;) backward(l);
  }

  BufferArgument input(std::size_t layer) const {
    const From from = from_of(convs_[layer]);
    return {from == From::image ? "x"
            : from == From::map ? pooled_of(layer - 1)
                                : sums_of(layer - 1)};
  }
  // A tensor of the parameters as they began.
  BufferArgument tensor(std::size_t t) const {
    return {"parameters", tensors_[t].first * element_bytes(ElementType::f32)};
  }
  Arguments parts_of(const char* output, std::int64_t first = 0) const {
    Arguments arguments;
    for (const char* part : {".reference", ".accumulation", ".magnitude"})
      arguments.emplace_back(
          BufferArgument{std::string(output) + part, first * element_bytes(ElementType::f64)});
    return arguments;
  }
  static Arguments joined(Arguments arguments, Arguments more) {
    for (Argument& one : more) arguments.push_back(std::move(one));
    return arguments;
  }

  void forward(std::size_t l) {
    const Conv& s = convs_[l];
    add(s.layer + " of the reference", "net_conv", s.out_values(),
        {BufferArgument{sums_of(l)}, s.out_values(), input(l), tensor(2 * l), tensor(2 * l + 1),
         as_int(s.in), as_int(s.out), as_int(s.side)},
        from_of(s));
    if (l >= 2) return;
    add("pool after it", "net_pool", s.out_values() / 4,
        {BufferArgument{pooled_of(l)}, s.out_values() / 4, BufferArgument{sums_of(l)},
         as_int(s.side / 2)});
  }

  void loss() {
    const std::int64_t values = image_values(w_.axes);
    const std::size_t last = convs_.size() - 1;
    add("loss of the reference", "net_loss", 1,
        joined(parts_of("loss"), {BufferArgument{sums_of(last)}, BufferArgument{"x"}, values}));
  }

  void slopes() {
    const std::int64_t values = image_values(w_.axes);
    const std::size_t last = convs_.size() - 1;
    add("gradient of the loss", "net_loss_gradient", values,
        {BufferArgument{slopes_of(last)}, values, BufferArgument{sums_of(last)},
         BufferArgument{"x"}});
  }

  void backward(std::size_t l) {
    const Conv& s = convs_[l];
    add("weights of " + s.layer, "net_wgrad", s.weights(),
        joined(parts_of("gradients", tensors_[2 * l].first),
               {s.weights(), input(l), BufferArgument{slopes_of(l)}, as_int(s.images), as_int(s.in),
                as_int(s.out), as_int(s.side)}),
        from_of(s));
    add("biases of " + s.layer, "net_bias_gradient", s.out,
        joined(parts_of("gradients", tensors_[2 * l + 1].first),
               {s.out, BufferArgument{slopes_of(l)}, as_int(s.images), as_int(s.out),
                as_int(s.pixels())}));
    if (l == 0) return;
    const bool fours = s.behind_upsample;
    const std::int64_t values = s.in_values() / (fours ? 4 : 1);
    const BufferArgument to{fours ? slopes_of(l - 1) : pooled_slopes_of(l - 1)};
    const BufferArgument sums{sums_of(l - 1)};
    add("inputs of " + s.layer, "net_dgrad", values,
        {to, values, BufferArgument{slopes_of(l)}, tensor(2 * l), sums, as_int(s.in), as_int(s.out),
         as_int(s.side)},
        From::map, fours);
    if (fours) return;
    const std::int64_t large = 4 * values;
    add("pool before it", "net_unpool", large,
        {BufferArgument{slopes_of(l - 1)}, large, to, sums, as_int(s.side)});
  }

  void update() {
    const char* const parameters = nhwc_ ? "parameters_nhwc" : "parameters";
    const std::int64_t count = parameter_count(w_.axes);
    Arguments arguments = parts_of(parameters);
    for (Argument& one :
         Arguments{count, BufferArgument{parameters}, BufferArgument{"gradients.reference"},
                   BufferArgument{"gradients.accumulation"}, static_cast<float>(w_.real("lr"))})
      arguments.push_back(std::move(one));
    add("update of the reference", "net_sgd", count, std::move(arguments));
  }

  const Workload& w_;
  bool nhwc_, coarse_ = false;
  Products products_;
  std::vector<Tensor> tensors_;
  std::vector<Conv> convs_;
  std::vector<Step> steps_;
};

Net::Doubles doubles_of(const Inputs& inputs, const char* name) {
  const auto values = inputs.at(name).elements<float>();
  Net::Doubles doubles(static_cast<std::size_t>(values.count()));
  for (std::size_t i = 0; i < doubles.size(); ++i)
    doubles[i] = static_cast<double>(values[static_cast<std::int64_t>(i)]);
  return doubles;
}

// All gradients of a net at a point.
struct Gradients {
  Gradients(const Configuration& axes, Rounding rounding, const Net::Doubles& parameters,
            const Net::Doubles& images)
      : net(axes, rounding),
        pass(net.forward(parameters, images)),
        slopes(net.backward(pass, parameters, images)) {}
  ReferenceValue of(std::int64_t parameter) const { return net.gradient(pass, slopes, parameter); }

  Net net;
  Net::Pass pass;
  std::vector<Net::Map> slopes;
};

BufferSpec numbers(std::string name, std::int64_t count) {
  constexpr std::int64_t kParts = 2;  // value and variance
  std::string symbol = name + "[N, C, S, S, 2]";
  return {std::move(name),     ElementType::f64, kParts * count,
          BufferRole::scratch, {count, kParts},  std::move(symbol)};
}

}  // namespace

std::vector<Step> net_steps(const Workload& w, bool nhwc, Products products) {
  return NetSteps(w, nhwc, products).all();
}

std::vector<BufferSpec> net_scratch(const Workload& w) {
  std::vector<BufferSpec> all;
  for (std::size_t l = 0; l < conv_layers().size(); ++l) {
    const std::int64_t values = conv_named(w.axes, conv_layers()[l]).out_values();
    all.push_back(numbers(sums_of(l), values));
    all.push_back(numbers(slopes_of(l), values));
    if (l >= 2) continue;
    all.push_back(numbers(pooled_of(l), values / 4));
    all.push_back(numbers(pooled_slopes_of(l), values / 4));
  }
  return all;
}

bool net_host_reaches(const Workload& w) {
  // About four images of the scene's defaults: seconds on a machine that has a device.
  constexpr std::int64_t kMostProducts = 2'100'000'000;
  return step_products(w.axes) <= kMostProducts;
}

void net_host(const Workload& w, const Inputs& inputs, const std::string& output,
              std::span<const std::int64_t> elements, std::span<ReferenceValue> values, bool nhwc,
              Products products) {
  const Net::Doubles images = doubles_of(inputs, "x"),
                     parameters = doubles_of(inputs, "parameters");
  const Rounding rounding = rounding_of(products);
  if (output == "loss") {
    const Net net(w.axes, rounding);
    const ReferenceValue loss = net.loss(net.forward(parameters, images), images);
    for (ReferenceValue& value : values) value = loss;
    return;
  }
  const Gradients gradients(w.axes, rounding, parameters, images);
  std::optional<Gradients> coarse;
  if (products == Products::bf16) coarse.emplace(w.axes, kCoarse, parameters, images);
  const bool of_nhwc = output == "parameters_nhwc" || (nhwc && output == "gradients");
  const double lr = static_cast<double>(static_cast<float>(w.real("lr")));
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const std::int64_t i = of_nhwc ? as_nchw(w.axes, elements[e]) : elements[e];
    ReferenceValue slope = gradients.of(i);
    if (coarse)
      slope.accumulation += std::abs(coarse->of(i).value - slope.value) / (kBound * kRoundoff);
    values[e] = slope;
    if (output == "gradients") continue;
    const double before = parameters[static_cast<std::size_t>(i)], step = lr * slope.value;
    const double magnitude = std::abs(before) + std::abs(step);
    values[e] = {before - step, magnitude + lr * slope.accumulation, magnitude};
  }
}

std::int64_t as_nchw(const Configuration& axes, std::int64_t parameter) {
  for (const Tensor& tensor : tensors_of(axes)) {
    const std::int64_t i = parameter - tensor.first;
    if (i >= tensor.count) continue;
    if (tensor.in == 0) return parameter;
    const std::int64_t c = i % tensor.in, tap = i / tensor.in % kTaps, k = i / tensor.in / kTaps;
    return tensor.first + (k * tensor.in + c) * kTaps + tap;
  }
  return parameter;
}

}  // namespace warpscope::autoencoder
