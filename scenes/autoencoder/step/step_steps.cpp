// scenes/autoencoder/step/step_steps.cpp: a whole training step, layer by layer.
#include <algorithm>
#include <set>
#include <utility>

#include "scenes/autoencoder/inputs/drawn_bits.h"
#include "scenes/autoencoder/step/step.h"
#include "scenes/base/step_buffers.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kFloatBytes = 4;

// A convolution with what stands around it.
struct Link {
  Conv conv;
  std::string in, din, y, dy;  // din empty: nobody asks for it
  std::string before, behind;  // an upsampling, a pool; empty: none
  std::string y_before, dy_before;
  std::string p, dp, argmax;
  std::int64_t first_weight = 0, first_bias = 0;  // among the ten tensors
};

std::vector<Link> links_of(const Configuration& axes, const Level& level) {
  const std::vector<Tensor> tensors = tensors_of(axes);
  std::vector<Link> links;
  for (std::size_t l = 0; l < conv_layers().size(); ++l) {
    const std::string number = std::to_string(l + 1);
    Link link;
    link.conv = conv_named(axes, conv_layers()[l]);
    link.y = "y" + number;
    link.dy = "dy" + number;
    if (l == 0) {
      link.in = level.nhwc ? "x_nhwc" : "x";
    } else if (link.conv.behind_upsample) {
      const std::string up = std::to_string(l - 2);
      link.before = "Up" + up;
      link.in = "u" + up;
      link.din = "du" + up;
      link.y_before = links.back().y;
      link.dy_before = links.back().dy;
    } else {
      link.in = links.back().p;
      link.din = links.back().dp;
    }
    if (l < 2) {
      link.behind = "Pool" + number;
      link.p = "p" + number;
      link.dp = "dp" + number;
      link.argmax = "argmax" + number;
    }
    link.first_weight = tensors[2 * l].first;
    link.first_bias = tensors[2 * l + 1].first;
    links.push_back(std::move(link));
  }
  return links;
}

// ±1, or the place of a window, drawn by the index: what a kernel that is looked at alone reads.
StandIn drawn(const std::string& buffer) {
  const bool places = buffer.starts_with("argmax");
  return {buffer,
          buffer + (places ? " is drawn by the index, 0 to 3" : " is 1 or −1, drawn by the index"),
          places ? fill_with_places<std::uint32_t> : fill_with_signs};
}

// What the steps of a layer in one phase must cost together.
struct Cost {
  double flops = 0, bytes = 0;  // arithmetic; each array once in or out
};

Cost cost_of(const Conv& s) {
  const double values = static_cast<double>(s.in_values() + s.out_values() + s.weights() + s.out);
  return {2.0 * static_cast<double>(s.products()), kFloatBytes * values};
}
// `argmax`: places of maxima are written or read as well.
Cost cost_of(const Windows& s, bool argmax) {
  const double values = static_cast<double>(s.large_values() + s.small_values() * (argmax ? 2 : 1));
  return {0, kFloatBytes * values};
}
Cost cost_of_values(std::int64_t values, double flops_each, double arrays) {
  const auto count = static_cast<double>(values);
  return {flops_each * count, kFloatBytes * arrays * count};
}

// The arithmetic is shared by the library's products where there are some, else it is the first
// step's; so are the bytes, which no step of a layer has to move twice.
void share_out(const Cost& cost, Steps& steps) {
  const auto is_product = [](const Step& step) {
    return std::holds_alternative<LibraryCall>(step.action);
  };
  const auto calls = std::count_if(steps.begin(), steps.end(), is_product);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double flops = calls == 0             ? (i == 0 ? cost.flops : 0)
                         : is_product(steps[i]) ? cost.flops / static_cast<double>(calls)
                                                : 0;
    steps[i].work = {{"model.flops", flops}, {"model.dram_bytes", i == 0 ? cost.bytes : 0}};
  }
}

// The steps of one level, collected.
class Chain {
 public:
  Chain(const Workload& w, const Level& level)
      : w_(w), level_(level), links_(links_of(w.axes, level)) {}

  Steps all() {
    begin();
    for (const Link& link : links_) forward(link);
    loss();
    for (auto link = links_.rbegin(); link != links_.rend(); ++link) backward(*link);
    update();
    return std::move(steps_);
  }

 private:
  // Named "Conv1 wgrad: bias gradient", tagged, with stand-ins.
  void add(const std::string& layer, const std::string& what, const std::string& phase, Steps steps,
           const Cost& cost) {
    share_out(cost, steps);
    const bool one = steps.size() == 1;
    for (Step& step : steps) {
      step.name = layer + " " + what + (one ? "" : ": " + step.name);
      step.tags = {{"layer", layer}, {"phase", phase}};
      if (std::holds_alternative<KernelLaunch>(step.action)) stand_in(step);
      steps_.push_back(std::move(step));
    }
  }

  // For all that it touches but the images: other steps touch each of these too, and would have to
  // run whole before it.
  static void stand_in(Step& step) {
    for (const std::string& name : buffers_of(step)) {
      const bool has = std::any_of(step.stand_ins.begin(), step.stand_ins.end(),
                                   [&](const StandIn& one) { return one.buffer == name; });
      if (name != "x" && !has) step.stand_ins.push_back(drawn(name));
    }
  }

  ConvArrays arrays_of(const Link& link) const {
    const char* const parameters = level_.nhwc ? "parameters_nhwc" : "parameters";
    const std::int64_t w = link.first_weight * kFloatBytes, b = link.first_bias * kFloatBytes;
    return {{link.in},  {parameters, w}, {parameters, b},  {link.y},
            {link.din}, {link.dy},       {"gradients", w}, {"gradients", b}};
  }

  Step turned(std::string name, const std::string& from, const std::string& to,
              std::int64_t channels, std::int64_t inner) const {
    const std::int64_t count = image_values(w_.axes);
    return run_kernel(std::move(name), kernel_of_threads("autoencoder/to_nhwc.cu", "to_nhwc", count,
                                                         {BufferArgument{from}, BufferArgument{to},
                                                          count, as_int(channels), as_int(inner)}));
  }
  std::int64_t pixels() const { return links_.front().conv.pixels(); }
  Cost copied(double arrays) const { return cost_of_values(image_values(w_.axes), 0, arrays); }

  void begin() {
    constexpr auto kToDevice = HostCopy::Direction::to_device;
    if (level_.copies) {
      add("images", "to the device", "forward", {{"", Phase::run, HostCopy{"x", kToDevice}}},
          copied(1));
      add("targets", "to the device", "forward", {{"", Phase::run, HostCopy{"x", kToDevice}}},
          copied(1));
    }
    if (level_.nhwc)
      add("images", "to NHWC", "forward", {turned("", "x", "x_nhwc", kImageChannels, pixels())},
          copied(2));
    if (level_.faulty)
      add("targets", "kept", "forward", {{"", Phase::run, DeviceCopy{"x", "target"}}}, copied(2));
  }

  void forward(const Link& link) {
    if (!link.before.empty())
      add(link.before, "forward", "forward",
          level_.upsample(windows_named(w_.axes, link.before), false,
                          {.x = {link.y_before}, .y = {link.in}}),
          cost_of(windows_named(w_.axes, link.before), false));
    add(link.conv.layer, "forward", "forward",
        level_.convolve(link.conv, Direction::forward, arrays_of(link)), cost_of(link.conv));
    if (!link.behind.empty())
      add(link.behind, "forward", "forward",
          level_.pool(windows_named(w_.axes, link.behind), false,
                      {.x = {link.y}, .y = {link.p}, .argmax = {link.argmax}}),
          cost_of(windows_named(w_.axes, link.behind), true));
  }

  void loss() {
    const Link& last = links_.back();
    std::string p = last.y, t = links_.front().in;
    if (level_.faulty) {
      // [pixels, channels] of an image become [channels, pixels].
      add("loss", "output to NCHW", "forward",
          {turned("", last.y, "p_nchw", pixels(), kImageChannels)}, copied(2));
      p = "p_nchw", t = "target";
    }
    Steps steps = level_.loss(image_values(w_.axes), p, t, last.dy);
    Steps gradient = {std::move(steps.back())};
    steps.pop_back();
    // A difference, a square and a sum for each value; its gradient is the difference, scaled.
    add("loss", "forward", "forward", std::move(steps),
        cost_of_values(image_values(w_.axes), 3, 2));
    if (level_.copies) {
      constexpr auto kToHost = HostCopy::Direction::to_host;
      for (const auto& [name, direction] : {std::pair("to the host", kToHost),
                                            {"back", HostCopy::Direction::to_device},
                                            {"to the host again", kToHost}})
        add("loss", name, "forward", {{"", Phase::run, HostCopy{"loss", direction}}},
            {0, kFloatBytes});
    }
    add("loss", "backward", "backward", std::move(gradient),
        cost_of_values(image_values(w_.axes), 1, 3));
  }

  void backward(const Link& link) {
    const Conv& s = link.conv;
    if (!link.behind.empty())
      add(link.behind, "backward", "backward",
          level_.pool(windows_named(w_.axes, link.behind), true,
                      {.argmax = {link.argmax}, .dx = {link.dy}, .dy = {link.dp}}),
          cost_of(windows_named(w_.axes, link.behind), true));
    if (s.relu)
      add(s.layer, "ReLU gradient", "backward", {level_.mask(link.y, link.dy, s.out_values())},
          cost_of_values(s.out_values(), 0, 3));
    ConvArrays arrays = arrays_of(link);
    if (level_.faulty && s.of_image) arrays.x = {"x"};
    add(s.layer, "wgrad", "wgrad", level_.convolve(s, Direction::wgrad, arrays), cost_of(s));
    if (level_.faulty && s.of_image) arrays.dx = {"target"};
    if (arrays.dx.buffer.empty()) return;
    add(s.layer, "dgrad", "dgrad", level_.convolve(s, Direction::dgrad, arrays), cost_of(s));
    if (!link.before.empty())
      add(link.before, "backward", "backward",
          level_.upsample(windows_named(w_.axes, link.before), true,
                          {.dx = {link.dy_before}, .dy = {link.din}}),
          cost_of(windows_named(w_.axes, link.before), false));
  }

  void update() {
    const char* const parameters = level_.nhwc ? "parameters_nhwc" : "parameters";
    if (level_.update_at_once) {
      const std::int64_t count = parameter_count(w_.axes);
      add("weights", "update", "update", {sgd_step(w_, "", 0, count, "gradients", parameters)},
          cost_of_values(count, 2, 3));
      return;
    }
    const std::vector<Tensor> tensors = tensors_of(w_.axes);
    for (std::size_t t = 0; t < tensors.size(); ++t)
      add(links_[t / 2].conv.layer, t % 2 == 0 ? "update of w" : "update of b", "update",
          {level_.update(w_, tensors[t], parameters)}, cost_of_values(tensors[t].count, 2, 3));
  }

  const Workload& w_;
  const Level& level_;
  std::vector<Link> links_;
  Steps steps_;
};

BufferSpec map_of(std::string name, std::int64_t images, std::int64_t channels, std::int64_t side,
                  bool nhwc, ElementType type = ElementType::f32) {
  std::vector<std::int64_t> shape = {images, channels, side, side};
  if (nhwc) shape = {images, side, side, channels};
  std::string symbol = name + (nhwc ? "[N, S, S, C]" : "[N, C, S, S]");
  return {std::move(name),
          type,
          images * channels * side * side,
          BufferRole::scratch,
          std::move(shape),
          std::move(symbol)};
}

Step sgd_of_tensor(const Workload& w, const Tensor& tensor, const std::string& parameters) {
  return sgd_step(w, "", tensor.first, tensor.count, "gradients", parameters);
}

Step relu_mask(const std::string& y, const std::string& dy, std::int64_t values) {
  return run_kernel("", kernel_of_threads("autoencoder/relu_gradient.cu", "relu_gradient", values,
                                          {BufferArgument{y}, BufferArgument{dy}, values}));
}

}  // namespace

Level nchw_level() {
  Level level;
  level.convolve = nchw_grid2d_layer;
  level.pool = pool_scatter_layer;
  level.upsample = upsample_pixels_layer;
  level.mask = relu_mask;
  level.loss = loss_atomic_steps;
  level.update = sgd_of_tensor;
  return level;
}

Level naive_level() {
  Level level = nchw_level();
  level.convolve = naive_nhwc_layer;
  level.pool = pool_nhwc_layer;
  level.upsample = upsample_nhwc_layer;
  level.nhwc = true;
  return level;
}

Level faulty_level() {
  Level level = naive_level();
  level.faulty = true;
  return level;
}

Level im2col_level(bool strided) {
  Level level = nchw_level();
  level.convolve = [strided](const Conv& s, Direction direction, const ConvArrays& a) {
    return im2col_layer(s, direction, a, strided);
  };
  level.columns = true;
  return level;
}

Level cudnn_level(const CudnnRow& row) {
  Level level = row.channels_innermost ? naive_level() : nchw_level();
  level.convolve = [row](const Conv& s, Direction direction, const ConvArrays& a) {
    return cudnn_layer(s, direction, a, row);
  };
  level.pool = row.channels_innermost ? pool_nhwc_windows_layer : pool_windows_layer;
  level.upsample = row.channels_innermost ? upsample_quads_nhwc_layer : upsample_row_pairs_layer;
  level.loss = loss_two_stage_steps;
  level.two_stage_loss = level.update_at_once = level.bias_shares = true;
  level.copies = false;
  return level;
}

Steps step_steps(const Workload& w, const Level& level) { return Chain(w, level).all(); }

Buffers step_scratch(const Workload& w, const Level& level) {
  Buffers all;
  const std::int64_t images = w.integer("batch");
  const auto add = [&](const std::string& name, std::int64_t channels, std::int64_t side) {
    all.push_back(map_of(name, images, channels, side, level.nhwc));
  };
  for (const Link& link : links_of(w.axes, level)) {
    const Conv& s = link.conv;
    for (const std::string& name : {link.y, link.dy}) add(name, s.out, s.side);
    if (!link.before.empty()) {
      for (const std::string& name : {link.in, link.din}) add(name, s.in, s.side);
    }
    if (link.behind.empty()) continue;
    for (const std::string& name : {link.p, link.dp}) add(name, s.out, s.side / 2);
    all.push_back(map_of(link.argmax, images, s.out, s.side / 2, level.nhwc, ElementType::u32));
  }
  const std::int64_t side = w.integer("size");
  if (level.nhwc) add("x_nhwc", kImageChannels, side);
  if (level.faulty) {
    for (const char* name : {"p_nchw", "target"})
      all.push_back(map_of(name, images, kImageChannels, side, false));
  }
  if (level.two_stage_loss) {
    for (BufferSpec& buffer : loss_scratch(w)) all.push_back(std::move(buffer));
  }
  if (level.bias_shares) all.push_back(bias_shares_buffer(w.axes));
  if (level.columns) {
    const std::int64_t values = most_column_values(w.axes);
    all.push_back({"columns",
                   ElementType::f32,
                   values,
                   BufferRole::scratch,
                   {values},
                   "columns[of the widest layer]"});
  }
  return all;
}

std::int64_t buffer_bytes(const Buffers& buffers) {
  std::int64_t bytes = 0;
  for (const BufferSpec& buffer : buffers) bytes += buffer.count * element_bytes(buffer.type);
  return bytes;
}

}  // namespace warpscope::autoencoder
