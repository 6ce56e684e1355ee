// scenes/autoencoder/fused_step.cpp: the steps of a whole training step in few launches.
#include "scenes/autoencoder/fused_step.h"

#include <algorithm>
#include <utility>

#include "scenes/autoencoder/drawn_bits.h"
#include "scenes/autoencoder/winograd_steps.h"
#include "scenes/base/step_buffers.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr double kFoldedShare = 4.0 / 9;       // 16 products a small pixel in place of 36
constexpr double kWinogradShare = 4.0 / 9;     // 16 products for four outputs in place of 36
constexpr std::int64_t kThreeOutputsKind = 4;  // behind those of PackKind, in packed_weights.cuh

// The products of the step, and where the weights of each begin among those that are packed.
struct Plan {
  Plan(const Configuration& axes, bool winograd)
      : by_winograd(winograd),
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
        last(three_outputs(fifth)) {
    const std::int64_t windows = first.images * first.pixels() / 4;
    constexpr std::int64_t kWindowsOfTile = 32, kBlocksEach = 2;
    first_splits =
        std::min(kDesignDevice.multiprocessors * kBlocksEach, ceil_divide(windows, kWindowsOfTile));
  }

  const bool by_winograd;  // Conv2, forward and back to its input
  const Conv first, second, third, fourth, fifth;
  const std::vector<Tensor> tensors;
  const TiledConv forward[4];  // Conv1 … Conv4
  const TiledConv back[4];     // Conv2 … Conv5
  const TiledWgrad wgrad[3];   // Conv2 … Conv4
  const ThreeOutputs last;
  std::int64_t first_splits = 1;  // of the gradients of Conv1's weights

  std::int64_t w(std::size_t layer) const { return tensors[2 * layer].first * kFloatBytes; }
  std::int64_t b(std::size_t layer) const { return tensors[2 * layer + 1].first * kFloatBytes; }
  // Numbers before the packed weights of a product; of the layer of three outputs `third` is last.
  std::int64_t packed_forward(std::size_t i) const {
    std::int64_t values = 0;
    for (std::size_t j = 0; j < i; ++j) values += forward[j].packed_values();
    return values;
  }
  std::int64_t packed_back(std::size_t i) const {
    std::int64_t values = packed_forward(4);
    for (std::size_t j = 0; j < i; ++j) values += back[j].packed_values();
    return values;
  }
  std::int64_t packed_last() const { return packed_back(4); }
  std::int64_t packed_values() const { return packed_last() + last.packed_values(); }
  std::int64_t first_share_values() const {
    return first_splits * (kTaps * kImageChannels + 1) * first.out;
  }
  std::int64_t most_share_values() const {
    std::int64_t most = std::max(first_share_values(), last.share_values());
    for (const TiledConv* one : {forward, back}) {
      for (int i = 0; i < 4; ++i) most = std::max(most, one[i].splits * one[i].share_values());
    }
    for (const TiledWgrad& one : wgrad) most = std::max(most, one.share_values());
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

// One launch for all layers, a layer of the grid each.
Step pack_all_step(const Plan& plan) {
  std::string jobs;
  std::int64_t most = 0;
  const auto add = [&](std::int64_t kind, const Conv& s, std::int64_t rows, std::int64_t columns,
                       std::int64_t weights, std::int64_t packed, std::int64_t blocks) {
    most = std::max(most, blocks);
    std::string job;
    for (const std::int64_t number :
         {kind, s.out, s.in, rows, columns, weights / kFloatBytes, packed})
      job += (job.empty() ? "{" : ",") + std::to_string(number);
    jobs += (jobs.empty() ? "{" : ",") + job + "}";
  };
  const Conv* const layers[] = {&plan.first, &plan.second, &plan.third, &plan.fourth, &plan.fifth};
  for (std::size_t i = 0; i < 4; ++i) {
    const TiledConv &to = plan.forward[i], &from = plan.back[i];
    add(static_cast<std::int64_t>(to.kind), *layers[i], to.packed_rows(), to.packed_columns(),
        plan.w(i), plan.packed_forward(i), to.pack_blocks());
    add(static_cast<std::int64_t>(from.kind), *layers[i + 1], from.packed_rows(),
        from.packed_columns(), plan.w(i + 1), plan.packed_back(i), from.pack_blocks());
  }
  add(kThreeOutputsKind, plan.fifth, 0, 0, plan.w(4), plan.packed_last(),
      ceil_divide(plan.last.packed_values(), kBlockThreads));
  constexpr std::int64_t kJobs = 9;
  KernelLaunch kernel =
      kernel_of_threads("autoencoder/pack_weights.cu", "pack_all", most * kBlockThreads,
                        {BufferArgument{"parameters"}, BufferArgument{"packed"}});
  kernel.launch.grid.y = kJobs;
  kernel.defines = {{"JOBS", jobs + "}"}};
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
  // Named "Conv3 dgrad: add up", tagged, with stand-ins and what they cost: the first step of an
  // operator has its arithmetic and the bytes of its arrays.
  void add(const std::string& layer, const std::string& what, const std::string& phase, Steps steps,
           double flops, double values) {
    const bool one = steps.size() == 1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Step& step = steps[i];
      step.name = layer + " " + what + (one ? "" : ": " + step.name);
      step.tags = {{"layer", layer}, {"phase", phase}};
      step.work = {{"model.flops", i == 0 ? flops : 0},
                   {"model.dram_bytes", i == 0 ? kFloatBytes * values : 0}};
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
double flops_of(const Conv& s) {
  return 2 * count(s.products()) * (s.behind_upsample ? kFoldedShare : 1);
}
// Numbers that a layer has on either side in this step, and its weights.
double values_of(const Conv& s) {
  const bool pooled = s.layer == "Conv1" || s.layer == "Conv2";
  return count(s.in_values()) / (s.behind_upsample ? 4 : 1) +
         count(s.out_values()) / (pooled ? 4 : 1) + count(s.weights() + s.out);
}

void add_forward(const Plan& plan, const Configuration& axes, Chain& chain) {
  const Conv* const layers[] = {&plan.first, &plan.second, &plan.third, &plan.fourth, &plan.fifth};
  const char* const from[] = {"x", "p1", "p2", "y3"};
  const char* const to[] = {"p1", "p2", "y3", "y4"};
  const char* const places[] = {"places1", "places2", "", ""};
  for (std::size_t i = 0; i < 4; ++i) {
    if (plan.by_winograd && i == 1) {
      const BufferArgument w{"parameters", plan.w(i)}, b{"parameters", plan.b(i)};
      chain.add("Conv2", "forward", "forward",
                winograd_layer(winograd(plan.second, false), {"p1"}, w, b, {"p2"},
                               BufferArgument{"places2"}, Finish::pool),
                kWinogradShare * flops_of(plan.second), values_of(plan.second));
      continue;
    }
    const TileArrays arrays = {
        {from[i]}, packed_at(plan.packed_forward(i)), {to[i]}, "parameters", plan.b(i), places[i],
        {"shares"}};
    chain.add(
        layers[i]->layer, "forward", "forward",
        multiply_steps(plan.forward[i], "product", arrays, i < 2 ? Finish::pool : Finish::bias),
        flops_of(*layers[i]), values_of(*layers[i]));
  }
  chain.add("Conv5", "forward", "forward",
            {three_outputs_step(plan.last, {"y4"}, packed_at(plan.packed_last()),
                                {"parameters", plan.b(4)}, {"y5"})},
            flops_of(plan.fifth), values_of(plan.fifth));
  const double images = count(image_values(axes));
  // Of the forward pass: a training takes its loss of other images from there.
  chain.add("loss", "forward and backward", "forward",
            {one_loss_step(image_values(axes), "y5", "x", "dy5")}, 4 * images, 3 * images);
}

void add_backward(const Plan& plan, Chain& chain) {
  const auto wgrad = [&](const Conv& s, Steps steps) {
    chain.add(s.layer, "wgrad", "wgrad", std::move(steps), flops_of(s), values_of(s));
  };
  const auto slopes = [&](std::size_t layer, bool bias) {
    return BufferArgument{"gradients", bias ? plan.b(layer) : plan.w(layer)};
  };
  // From the gradient of layer i + 2 to that before the ReLU of the layer before.
  const auto dgrad = [&](std::size_t i, const Conv& s, const char* from, const char* to,
                         const char* mask, const char* places) {
    const TileArrays arrays = {{from},    packed_at(plan.packed_back(i)), {to}, mask, 0, places,
                               {"shares"}};
    chain.add(s.layer, "dgrad", "dgrad",
              multiply_steps(plan.back[i], "product", arrays,
                             places[0] == 0 ? Finish::mask : Finish::unpool),
              flops_of(s), values_of(s));
  };
  wgrad(plan.fifth, three_outputs_wgrad_steps(plan.last, {"y4"}, {"dy5"}, {"shares"},
                                              slopes(4, false), slopes(4, true)));
  dgrad(3, plan.fifth, "dy5", "dy4", "y4", "");
  wgrad(plan.fourth,
        wgrad_steps(plan.wgrad[2], {"y3"}, {"dy4"}, {"shares"}, slopes(3, false), slopes(3, true)));
  dgrad(2, plan.fourth, "dy4", "dy3", "y3", "");
  wgrad(plan.third,
        wgrad_steps(plan.wgrad[1], {"p2"}, {"dy3"}, {"shares"}, slopes(2, false), slopes(2, true)));
  dgrad(1, plan.third, "dy3", "dy2", "p2", "places2");
  wgrad(plan.second,
        wgrad_steps(plan.wgrad[0], {"p1"}, {"dy2"}, {"shares"}, slopes(1, false), slopes(1, true)));
  if (plan.by_winograd) {
    const BufferArgument w{"parameters", plan.w(1)};
    chain.add("Conv2", "dgrad", "dgrad",
              winograd_layer(winograd(plan.second, true), {"dy2"}, w, BufferArgument{"p1"}, {"dp1"},
                             std::int64_t{0}, Finish::mask),
              kWinogradShare * flops_of(plan.second), values_of(plan.second));
  } else {
    dgrad(0, plan.second, "dy2", "dp1", "p1", "");
  }
  wgrad(plan.first, first_wgrad_steps(plan));
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

Steps fused_step_steps(const Workload& w, bool winograd) {
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

Buffers fused_step_scratch(const Workload& w, bool by_winograd) {
  const Plan plan(w.axes, by_winograd);
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
  if (!by_winograd) return all;
  for (BufferSpec& buffer :
       winograd_buffers({winograd(plan.second, false), winograd(plan.second, true)}))
    all.push_back(std::move(buffer));
  return all;
}

double fused_step_flops(const Configuration& axes, bool winograd) {
  double flops = 0;
  for (const std::string& layer : conv_layers()) {
    const Conv s = conv_named(axes, layer);
    const double spared = winograd && layer == "Conv2" ? 2 * (1 - kWinogradShare) : 0;
    flops += ((s.of_image ? 2 : 3) - spared) * flops_of(s);
  }
  return flops;
}

}  // namespace warpscope::autoencoder
