// scenes/autoencoder/step/fused_step.cpp: the steps of a whole training step in few launches.
#include "scenes/autoencoder/step/fused_step.h"

#include <algorithm>
#include <utility>

#include "scenes/autoencoder/inputs/drawn_bits.h"
#include "scenes/autoencoder/steps/winograd_steps.h"
#include "scenes/base/step_buffers.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr double kFoldedShare = 4.0 / 9;     // 16 products per small pixel in place of 36
constexpr std::size_t kWinogradProduct = 1;  // its step, after that of windows or of gradients

// The products of the step, and where the weights of each begin among those that are packed.
struct Plan {
  Plan(const Configuration& axes, std::int64_t outputs_of_windows)
      : outputs(outputs_of_windows),
        first(conv_named(axes, "Conv1")),
        second(conv_named(axes, "Conv2")),
        third(conv_named(axes, "Conv3")),
        fourth(conv_named(axes, "Conv4")),
        fifth(conv_named(axes, "Conv5")),
        tensors(tensors_of(axes)),
        forward{tiled(first, PackKind::forward, false), tiled(second, PackKind::forward, true),
                tiled(third, PackKind::forward, true), tiled(fourth, PackKind::folded, false)},
        back{tiled(second, PackKind::dgrad, true), tiled(third, PackKind::dgrad, true),
             tiled(fourth, PackKind::folded_dgrad, true),
             tiled(fifth, PackKind::folded_dgrad, false)},
        wgrad{tiled_wgrad(second, false), tiled_wgrad(third, false), tiled_wgrad(fourth, true)},
        winograd_gradients{winograd_wgrad(second, form(1)), winograd_wgrad(third, form(2)),
                           winograd_wgrad(fourth, form(3))},
        last(three_outputs(fifth)) {
    const std::int64_t windows = first.images * first.pixels() / 4;
    constexpr std::int64_t kWindowsOfTile = 32, kBlocksEach = 2;
    first_splits =
        std::min(kDesignDevice.multiprocessors * kBlocksEach, ceil_divide(windows, kWindowsOfTile));
  }

  const std::int64_t outputs;  // of Winograd's windows, 2 or 4; 0: there are none
  const Conv first, second, third, fourth, fifth;
  const std::vector<Tensor> tensors;
  const TiledConv forward[4];                 // Conv1 … Conv4
  const TiledConv back[4];                    // Conv2 … Conv5
  const TiledWgrad wgrad[3];                  // Conv2 … Conv4
  const WinogradWgrad winograd_gradients[3];  // Conv2 … Conv4
  const ThreeOutputs last;
  std::int64_t first_splits = 1;  // of the gradients of Conv1's weights

  // Whether a layer is by Winograd's windows, in all its directions: Conv2 … Conv4, counted from 0.
  bool transforms(std::size_t layer) const { return outputs > 0 && layer >= 1 && layer <= 3; }
  WinogradForm form(std::size_t layer) const {
    return {std::max<std::int64_t>(outputs, 2), layer == 3};
  }

  std::int64_t w(std::size_t layer) const { return tensors[2 * layer].first * kFloatBytes; }
  std::int64_t b(std::size_t layer) const { return tensors[2 * layer + 1].first * kFloatBytes; }
  const Conv& layer(std::size_t i) const {
    const Conv* const all[] = {&first, &second, &third, &fourth, &fifth};
    return *all[i];
  }
  // The packings of Conv1 … Conv4, and those of Conv2 … Conv5.
  Packing packing_forward(std::size_t i) const {
    return transforms(i) ? winograd(layer(i), form(i), false).packing() : forward[i].packing();
  }
  Packing packing_back(std::size_t i) const {
    return transforms(i + 1) ? winograd(layer(i + 1), form(i + 1), true).packing()
                             : back[i].packing();
  }
  // Numbers before the packed weights of a product; those of the layer of three outputs come last.
  std::int64_t packed_forward(std::size_t i) const {
    std::int64_t values = 0;
    for (std::size_t j = 0; j < i; ++j) values += packing_forward(j).values;
    return values;
  }
  std::int64_t packed_back(std::size_t i) const {
    std::int64_t values = packed_forward(4);
    for (std::size_t j = 0; j < i; ++j) values += packing_back(j).values;
    return values;
  }
  std::int64_t packed_last() const { return packed_back(4); }
  std::int64_t packed_values() const { return packed_last() + last.packed_values(); }
  std::int64_t first_share_values() const {
    return first_splits * (kTaps * kImageChannels + 1) * first.out;
  }
  std::int64_t most_share_values() const {
    std::int64_t most = std::max(first_share_values(), last.share_values());
    const auto take = [&most](std::int64_t values) { most = std::max(most, values); };
    for (std::size_t i = 0; i < 4; ++i) {
      if (!transforms(i)) take(forward[i].splits * forward[i].share_values());
      if (!transforms(i + 1)) take(back[i].splits * back[i].share_values());
    }
    for (std::size_t i = 0; i < 3; ++i)
      take(transforms(i + 1) ? winograd_gradients[i].share_values() : wgrad[i].share_values());
    return most;
  }
};

BufferArgument packed_at(std::int64_t values) { return {"packed", values * kFloatBytes}; }

// ±1, or the place of a window, drawn by the index; a count of blocks is none.
StandIn drawn(const std::string& buffer) {
  if (buffer == "arrived")
    return {buffer, "no block has arrived", [](std::span<std::byte> bytes) {
              std::fill(bytes.begin(), bytes.end(), std::byte{0});
            }};
  const bool places = buffer.starts_with("places");
  return {buffer,
          buffer + (places ? " is drawn by the index, 0 to 3" : " is 1 or −1, drawn by the index"),
          places ? fill_with_places<std::uint8_t> : fill_with_signs};
}

// One launch for all layers: the blocks of each layer follow those of the one before.
Step pack_all_step(const Plan& plan) {
  std::string jobs;
  std::int64_t all = 0, kinds = 0;
  const auto add = [&](const Packing& packing, std::size_t layer, std::int64_t packed) {
    kinds |= bit_of(packing.kind);
    std::string job;
    for (const std::int64_t number :
         {static_cast<std::int64_t>(packing.kind), packing.out, packing.in, packing.rows,
          packing.columns, plan.w(layer) / kFloatBytes, packed, all})
      job += (job.empty() ? "{" : ",") + std::to_string(number);
    jobs += (jobs.empty() ? "{" : ",") + job + "}";
    all += packing.blocks;
  };
  for (std::size_t i = 0; i < 4; ++i) {
    add(plan.packing_forward(i), i, plan.packed_forward(i));
    add(plan.packing_back(i), i + 1, plan.packed_back(i));
  }
  add(plan.last.packing(), 4, plan.packed_last());
  KernelLaunch kernel =
      kernel_of_threads("autoencoder/pack_weights.cu", "pack_all", all * kBlockThreads,
                        {BufferArgument{"parameters"}, BufferArgument{"packed"}});
  kernel.defines = {{"JOBS", jobs + "}"}, define("KINDS", kinds)};
  return run_kernel("", std::move(kernel));
}

Steps first_wgrad_steps(const Plan& plan) {
  const char* const source = "autoencoder/first_layer_wgrad.cu";
  const Defines defines = {define("OUT", plan.first.out), define("HALF", plan.first.side / 2),
                           define("SPLITS", plan.first_splits)};
  KernelLaunch sums{source,
                    "first_layer_wgrad",
                    defines,
                    {{plan.first_splits, ceil_divide(plan.first.out, kBlockThreads), 1},
                     {kBlockThreads, 1, 1},
                     0,
                     {}},
                    {BufferArgument{"x"}, BufferArgument{"dp1"}, BufferArgument{"places1"},
                     BufferArgument{"shares"}, as_int(plan.first.images)}};
  constexpr std::int64_t kSums = 32;  // of a block
  KernelLaunch add = kernel_of_threads(
      source, "add_first_layer",
      ceil_divide((kTaps * kImageChannels + 1) * plan.first.out, kSums) * kBlockThreads,
      {BufferArgument{"shares"}, BufferArgument{"gradients", plan.w(0)},
       BufferArgument{"gradients", plan.b(0)}});
  add.defines = defines;
  return {run_kernel("shares of gradients", std::move(sums)), run_kernel("add up", std::move(add))};
}

// The steps, collected.
class Chain {
 public:
  // Named "Conv3 dgrad: add up", tagged, with stand-ins and what they cost: the step of an operator
  // that multiplies, its first where nothing else is said, has its arithmetic and the bytes of its
  // arrays.
  void add(const std::string& layer, const std::string& what, const std::string& phase, Steps steps,
           double flops, double values, std::size_t multiplies = 0) {
    const bool one = steps.size() == 1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Step& step = steps[i];
      step.name = layer + " " + what + (one ? "" : ": " + step.name);
      step.tags = {{"layer", layer}, {"phase", phase}};
      step.work = {{"model.flops", i == multiplies ? flops : 0},
                   {"model.dram_bytes", i == multiplies ? kFloatBytes * values : 0}};
      if (std::holds_alternative<KernelLaunch>(step.action)) {
        for (const std::string& name : buffers_of(step)) {
          if (name != "x") step.stand_ins.push_back(drawn(name));
        }
      }
      steps_.push_back(std::move(step));
    }
  }
  Steps take() { return std::move(steps_); }

 private:
  Steps steps_;
};

double count(std::int64_t values) { return static_cast<double>(values); }
double flops_of(const Plan& plan, std::size_t layer) {
  const Conv& s = plan.layer(layer);
  const double share = plan.transforms(layer) ? plan.form(layer).share()
                       : s.behind_upsample    ? kFoldedShare
                                              : 1;
  return 2 * count(s.products()) * share;
}
// Numbers that a layer has on either side in this step, and its weights.
double values_of(const Conv& s) {
  const bool pooled = s.layer == "Conv1" || s.layer == "Conv2";
  return count(s.in_values()) / (s.behind_upsample ? 4 : 1) +
         count(s.out_values()) / (pooled ? 4 : 1) + count(s.weights() + s.out);
}

// The windows of a layer's input, from the forward pass to the gradients of weights.
std::string kept_windows(std::size_t layer) { return "windows" + std::to_string(layer + 1); }

void add_forward(const Plan& plan, const Configuration& axes, Chain& chain) {
  const char* const from[] = {"x", "p1", "p2", "y3"};
  const char* const to[] = {"p1", "p2", "y3", "y4"};
  const char* const places[] = {"places1", "places2", "", ""};
  for (std::size_t i = 0; i < 4; ++i) {
    const Conv& layer = plan.layer(i);
    if (plan.transforms(i)) {
      WinogradArrays arrays = {.from = {from[i]},
                               .filters = packed_at(plan.packed_forward(i)),
                               .other = BufferArgument{"parameters", plan.b(i)},
                               .to = {to[i]},
                               .windows = {kept_windows(i)}};
      if (i < 2) arrays.places = BufferArgument{places[i]};
      chain.add(layer.layer, "forward", "forward",
                winograd_layer(winograd(layer, plan.form(i), false), arrays,
                               i < 2 ? Finish::pool : Finish::bias),
                flops_of(plan, i), values_of(layer), kWinogradProduct);
      continue;
    }
    const TileArrays arrays = {
        {from[i]}, packed_at(plan.packed_forward(i)), {to[i]}, "parameters", plan.b(i), places[i],
        {"shares"}};
    chain.add(
        layer.layer, "forward", "forward",
        multiply_steps(plan.forward[i], "product", arrays, i < 2 ? Finish::pool : Finish::bias),
        flops_of(plan, i), values_of(layer));
  }
  chain.add("Conv5", "forward", "forward",
            {three_outputs_step(plan.last, {"y4"}, packed_at(plan.packed_last()),
                                {"parameters", plan.b(4)}, {"y5"})},
            flops_of(plan, 4), values_of(plan.fifth));
  const double images = count(image_values(axes));
  // The loss belongs to the forward pass: a training reads the loss of other images from it.
  chain.add("loss", "forward and backward", "forward",
            {one_loss_step(image_values(axes), "y5", "x", "dy5")}, 4 * images, 3 * images);
}

void add_backward(const Plan& plan, Chain& chain) {
  const auto slopes = [&](std::size_t layer, bool bias) {
    return BufferArgument{"gradients", bias ? plan.b(layer) : plan.w(layer)};
  };
  // Gradients of the weights of Conv2 … Conv4.
  const auto wgrad = [&](std::size_t i, const char* x, const char* dy) {
    const Conv& s = plan.layer(i + 1);
    const BufferArgument dw = slopes(i + 1, false), db = slopes(i + 1, true);
    const bool transforms = plan.transforms(i + 1);
    chain.add(s.layer, "wgrad", "wgrad",
              transforms ? winograd_wgrad_layer(
                               plan.winograd_gradients[i],
                               {{dy}, {kept_windows(i + 1)}, {"windows"}, {"shares"}, dw, db})
                         : wgrad_steps(plan.wgrad[i], {x}, {dy}, {"shares"}, dw, db),
              flops_of(plan, i + 1), values_of(s), transforms ? kWinogradProduct : 0);
  };
  // From the gradient of layer i + 2 to that before the ReLU of the layer before.
  const auto dgrad = [&](std::size_t i, const char* from, const char* to, const char* mask,
                         const char* places) {
    const Conv& s = plan.layer(i + 1);
    const Finish finish = places[0] == 0 ? Finish::mask : Finish::unpool;
    if (plan.transforms(i + 1)) {
      const WinogradArrays arrays = {.from = {from},
                                     .filters = packed_at(plan.packed_back(i)),
                                     .other = BufferArgument{mask},
                                     .to = {to},
                                     .places = array_or_none(places)};
      chain.add(s.layer, "dgrad", "dgrad",
                winograd_layer(winograd(s, plan.form(i + 1), true), arrays, finish),
                flops_of(plan, i + 1), values_of(s), kWinogradProduct);
      return;
    }
    const TileArrays arrays = {{from},    packed_at(plan.packed_back(i)), {to}, mask, 0, places,
                               {"shares"}};
    chain.add(s.layer, "dgrad", "dgrad", multiply_steps(plan.back[i], "product", arrays, finish),
              flops_of(plan, i + 1), values_of(s));
  };
  chain.add("Conv5", "wgrad", "wgrad",
            three_outputs_wgrad_steps(plan.last, {"y4"}, {"dy5"}, {"shares"}, slopes(4, false),
                                      slopes(4, true)),
            flops_of(plan, 4), values_of(plan.fifth));
  dgrad(3, "dy5", "dy4", "y4", "");
  wgrad(2, "y3", "dy4");
  dgrad(2, "dy4", "dy3", "y3", "");
  wgrad(1, "p2", "dy3");
  dgrad(1, "dy3", "dy2", "p2", "places2");
  wgrad(0, "p1", "dy2");
  dgrad(0, "dy2", "dp1", "p1", "");
  chain.add("Conv1", "wgrad", "wgrad", first_wgrad_steps(plan), flops_of(plan, 0),
            values_of(plan.first));
}

BufferSpec map_of(const std::string& name, const Conv& s, std::int64_t side,
                  ElementType type = ElementType::f32) {
  return {name,
          type,
          s.images * s.out * side * side,
          BufferRole::scratch,
          {s.images, s.out, side, side},
          name + "[N, C, S, S]"};
}

}  // namespace

Steps fused_step_steps(const Workload& w, std::int64_t winograd) {
  const Plan plan(w.axes, winograd);
  Chain chain;
  chain.add("loss", "no block counted", "forward", {{"", Phase::prepare, Memset{"arrived", 0}}}, 0,
            0);
  chain.add("weights", "packed", "forward", {pack_all_step(plan)}, 0,
            count(parameter_count(w.axes) + plan.packed_values()));
  add_forward(plan, w.axes, chain);
  add_backward(plan, chain);
  const auto parameters = count(parameter_count(w.axes));
  chain.add("weights", "update", "update",
            {sgd_step(w, "", 0, parameter_count(w.axes), "gradients")}, 2 * parameters,
            3 * parameters);
  return chain.take();
}

Buffers fused_step_scratch(const Workload& w, std::int64_t winograd_outputs) {
  const Plan plan(w.axes, winograd_outputs);
  const Conv &one = plan.first, &two = plan.second, &three = plan.third, &four = plan.fourth,
             &five = plan.fifth;
  Buffers all = {
      map_of("p1", one, one.side / 2),
      map_of("places1", one, one.side / 2, ElementType::u8),
      map_of("p2", two, two.side / 2),
      map_of("places2", two, two.side / 2, ElementType::u8),
      map_of("y3", three, three.side),
      map_of("y4", four, four.side),
      map_of("y5", five, five.side),
      map_of("dp1", one, one.side / 2),
      map_of("dy2", two, two.side),
      map_of("dy3", three, three.side),
      map_of("dy4", four, four.side),
      map_of("dy5", five, five.side),
      floats_buffer("packed", plan.packed_values(), "packed[weights as tiles read them]"),
      floats_buffer("shares", plan.most_share_values(), "shares[of the product with most]")};
  for (BufferSpec& buffer : loss_scratch(w)) all.push_back(std::move(buffer));
  if (plan.outputs == 0) return all;
  std::int64_t windows = 0, sums = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    const Winograd forward = winograd(plan.layer(i), plan.form(i), false);
    const Winograd back = winograd(plan.layer(i), plan.form(i), true);
    all.push_back(floats_buffer(kept_windows(i), forward.v_values(),
                                kept_windows(i) + "[numbers, in, windows]"));
    sums = std::max({sums, forward.sum_values(), back.sum_values()});
    // Windows of gradients are needed in two directions.
    windows =
        std::max({windows, back.v_values(), plan.winograd_gradients[i - 1].gradient_values()});
  }
  for (BufferSpec& buffer : winograd_buffers(windows, sums)) all.push_back(std::move(buffer));
  return all;
}

double fused_step_flops(const Configuration& axes, std::int64_t winograd) {
  const Plan plan(axes, winograd);
  double flops = 0;
  for (std::size_t i = 0; i < 5; ++i) flops += (plan.layer(i).of_image ? 2 : 3) * flops_of(plan, i);
  return flops;
}

}  // namespace warpscope::autoencoder
