// scenes/autoencoder/step/tensor_step.cpp: a whole training step on tensor cores.
#include "scenes/autoencoder/step/tensor_step.h"

#include <algorithm>
#include <map>
#include <utility>

#include "scenes/autoencoder/inputs/drawn_bits.h"
#include "scenes/base/step_buffers.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kPlaces = 16;      // around a window, −1 to 2 in either direction
constexpr std::int64_t kGathered = 28;    // columns of an image's pixel, and a one
constexpr std::int64_t kPieceBytes = 16;  // of a pixel's columns, that a thread writes
constexpr double kFolded = 4.0 / 9;       // 16 products a small pixel in place of 36

constexpr std::int64_t kDescentThreads = 288, kDescentLanes = 32;
// Blocks of tensor_descend to the end of a layer's group: of Conv5 and 4, Conv3, Conv2, Conv1.
std::int64_t descent_blocks_to(std::size_t layer, std::int64_t channels) {
  const std::int64_t half = channels / 2;
  const auto chunks = [](std::int64_t count) { return ceil_divide(count, kDescentLanes); };
  std::int64_t blocks = 0;
  if (layer <= 4)
    blocks += (kImageChannels * kTaps + 1) * chunks(channels) + channels * chunks(half) + 1;
  if (layer <= 3) blocks += half * chunks(half) + chunks(half);
  if (layer <= 2) blocks += half * chunks(channels) + chunks(half);
  if (layer <= 1) blocks += chunks(channels * kGathered);
  return blocks;
}

// Layers whose SGD update is one launch.
struct Descent {
  const char* what;
  std::size_t first, last;
};

// What a buffer holds where a step is seen alone.
StandIn drawn(const BufferSpec& buffer) {
  return {buffer.name, buffer.name + " is 1 or −1, or bits, drawn by the index",
          [type = buffer.type](std::span<std::byte> bytes) {
            DrawnBits next;
            if (type == ElementType::u32) {
              for (std::uint32_t& word : elements_in<std::uint32_t>(bytes))
                word = static_cast<std::uint32_t>(next());
            } else if (type == ElementType::bf16) {
              constexpr std::uint16_t kOne = 0x3f80, kSign = 0x8000;
              for (std::uint16_t& bits : elements_in<std::uint16_t>(bytes))
                bits = next() & 1 ? kOne : kOne | kSign;
            } else {
              fill_with_signs(bytes);
            }
          }};
}

std::int64_t windows_of(const PixelMap& map) { return map.images * map.side * map.side; }

double flops_of(const Conv& s) {
  return 2.0 * static_cast<double>(s.products()) * (s.behind_upsample ? kFolded : 1);
}

class TensorStep {
 public:
  TensorStep(const Workload& w, TensorType type)
      : w_(w),
        type_(type),
        branches_(w.axes.has("branches") && w.text("branches") == "on"),
        tensors_(tensors_of(w.axes)) {
    for (const std::string& layer : conv_layers()) convs_.push_back(conv_named(w.axes, layer));
    forward();
    loss();
    backward();
    add_stand_ins();
  }

  Steps take_steps() { return std::move(steps_); }
  Buffers take_scratch() { return std::move(scratch_); }
  double executed_flops() const { return executed_; }

 private:
  const Conv& conv(std::size_t number) const { return convs_[number - 1]; }
  std::int64_t images() const { return conv(1).images; }

  PixelMap map(std::string name, std::int64_t side, std::int64_t channels) const {
    return {std::move(name), images(), side, padded(type_, channels)};
  }
  // The maps between the layers, as large as their gradients, by the layer that made them.
  PixelMap pooled(std::size_t layer, const char* name) const {
    return map(name + std::to_string(layer), conv(layer).side / 2, conv(layer).out);
  }
  PixelMap made(std::size_t layer, const char* name) const {
    const Conv& next = conv(layer + 1);
    return map(name + std::to_string(layer), next.side / 2, next.in);
  }
  PixelMap columns() const { return map("columns", conv(1).side, kGathered - 1); }
  // What a pixel before the last upsampling gives, and its gradient.
  std::int64_t given_values() const { return kPlaces * conv(5).out; }
  PixelMap given_slopes() const { return map("given_slopes", conv(5).side / 2, given_values()); }

  BufferArgument parameters(std::size_t tensor) const {
    return {"parameters", tensors_[tensor].first * element_bytes(ElementType::f32)};
  }
  void keep(BufferSpec buffer) { scratch_.push_back(std::move(buffer)); }
  void keep(const PixelMap& map) { keep(map_buffer(type_, map)); }
  void keep_values(const std::string& name, std::int64_t count) {
    keep({name, ElementType::f32, count, BufferRole::scratch, {count}, name});
  }

  void add(const std::string& layer, const std::string& what, const std::string& phase,
           KernelLaunch kernel, double flops = 0) {
    Step step = run_kernel(layer + " " + what, std::move(kernel));
    step.tags = {{"layer", layer}, {"phase", phase}};
    step.work = {{"model.flops", flops}};
    steps_.push_back(std::move(step));
  }
  // The step added last, where the graph has branches: aside, or the one that waits for those.
  void lies_aside() { steps_.back().aside = branches_; }
  void joins() { steps_.back().joins = branches_; }
  void add_product(std::size_t layer, const char* what, const char* phase,
                   const TensorProduct& product) {
    const Conv& s = conv(layer);
    executed_ += autoencoder::executed_flops(product);
    add(s.layer, what, phase, tensor_product(product), flops_of(s));
  }

  TensorProduct product(TensorTaps taps, After after, PixelMap from, std::string filters,
                        std::int64_t side, std::int64_t out, const PixelMap& result) const {
    TensorProduct p;
    p.type = type_;
    p.taps = taps;
    p.after = after;
    p.relu = after == After::map;
    p.from = std::move(from);
    p.filters = std::move(filters);
    p.side = side;
    p.out = out;
    p.result = result.buffer;
    p.pitch = result.pitch;
    return p;
  }

  void filters() {
    const std::int64_t all = conv(1).out, half = conv(2).out, given = given_values();
    const auto filters = static_cast<std::int64_t>(TensorTaps::filter);
    std::vector<Argument> arguments = {BufferArgument{"parameters"}};
    const auto one = [&](const char* name, std::int64_t count, std::int64_t rows,
                         std::int64_t depth) {
      keep(filters_buffer(type_, name, count, rows, depth));
      arguments.emplace_back(BufferArgument{name});
    };
    one("filters1", 1, all, kGathered - 1);
    one("filters2", filters, half, all);
    one("filters3", filters, half, half);
    one("filters4", kPlaces, all, half);
    one("filters5", 1, given, all);
    one("back2", filters, all, half);
    one("back3", filters, half, half);
    one("back4", kPlaces, half, all);
    one("back5", 1, all, given);
    arguments.emplace_back(as_int(all));
    // Layers in the middle by tiles, then a thread a number.
    constexpr std::int64_t kTileOut = 16, kTileIn = 32;
    std::int64_t blocks = 0;
    for (const std::size_t layer : {std::size_t{2}, std::size_t{3}, std::size_t{4}})
      blocks +=
          padded(type_, conv(layer).out) / kTileOut * (padded(type_, conv(layer).in) / kTileIn);
    for (const char* name : {"filters1", "filters5", "back5"})
      for (const BufferSpec& buffer : scratch_)
        if (buffer.name == name) blocks += ceil_divide(buffer.count, kBlockThreads);
    KernelLaunch kernel;
    kernel.source = "autoencoder/tensor_layouts.cu";
    kernel.entry = "tensor_filters_of_step";
    kernel.arguments = std::move(arguments);
    kernel.launch = {{blocks, 1, 1}, {kBlockThreads, 1, 1}, 0, {}};
    kernel.defines = defines_of(type_);
    add("weights", "filters", "forward", std::move(kernel));
    lies_aside();
  }

  void forward() {
    filters();
    keep(columns());
    const std::int64_t count = scratch_.back().count, bytes = element_bytes(element_of(type_));
    KernelLaunch kernel = kernel_of_threads(
        "autoencoder/tensor_layouts.cu", "tensor_columns", count * bytes / kPieceBytes,
        {BufferArgument{"x"}, BufferArgument{"columns"}, count, as_int(conv(1).side)});
    kernel.defines = defines_of(type_);
    add("images", "columns", "forward", std::move(kernel));
    for (const std::size_t layer : {std::size_t{1}, std::size_t{2}}) {
      const Conv& s = conv(layer);
      const std::string number = std::to_string(layer);
      const PixelMap to = pooled(layer, "pooled");
      TensorProduct p = product(layer == 1 ? TensorTaps::pixel : TensorTaps::filter, After::pool,
                                layer == 1 ? columns() : pooled(1, "pooled"), "filters" + number,
                                s.side, s.out, to);
      p.bias = parameters(2 * layer - 1);
      p.places = "places" + number;
      keep(to);
      keep(places_buffer(p.places, to));
      if (layer == 2) {
        // The latents, as planes.
        p.exact = "p2";
        keep_values(p.exact, windows_of(to) * s.out);
      }
      add_product(layer, "forward", "forward", p);
      if (layer == 1) joins();
    }
    for (const std::size_t layer : {std::size_t{3}, std::size_t{4}}) {
      const PixelMap to = made(layer, "map");
      const bool folded = conv(layer).behind_upsample;
      TensorProduct p =
          product(folded ? TensorTaps::phase : TensorTaps::filter, After::map,
                  folded ? made(3, "map") : pooled(2, "pooled"), "filters" + std::to_string(layer),
                  folded ? to.side / 2 : to.side, conv(layer).out, to);
      p.bias = parameters(2 * layer - 1);
      keep(to);
      add_product(layer, "forward", "forward", p);
    }
    const PixelMap given = {"given", images(), conv(5).side / 2, given_values()};
    keep_values(given.buffer, windows_of(given) * given.pitch);
    add_product(5, "forward", "forward",
                product(TensorTaps::pixel, After::sums, made(4, "map"), "filters5", given.side,
                        given.pitch, given));
  }

  void loss() {
    const PixelMap slopes = given_slopes();
    const std::int64_t values = image_values(w_.axes), threads = windows_of(slopes) * kPlaces;
    const std::int64_t blocks = ceil_divide(threads, kBlockThreads);
    keep(slopes);
    keep_values("y5", values);
    keep_values("partial_sums", blocks);
    KernelLaunch kernel = kernel_of_threads(
        "autoencoder/tensor_loss.cu", "tensor_loss", threads,
        {BufferArgument{"given"}, parameters(9), BufferArgument{"x"}, BufferArgument{slopes.buffer},
         BufferArgument{"y5"}, BufferArgument{"partial_sums"}, as_int(images()),
         as_int(slopes.side), as_int(slopes.pitch)});
    kernel.defines = defines_of(type_);
    constexpr double kFlops = 4;  // a value's difference, square, sum and gradient
    add("loss", "and gradient", "forward", std::move(kernel), kFlops * static_cast<double>(values));
    kernel = kernel_of_threads(
        "autoencoder/tensor_loss.cu", "tensor_loss_sum", kBlockThreads,
        {BufferArgument{"partial_sums"}, BufferArgument{"loss"}, as_int(blocks), values});
    kernel.defines = defines_of(type_);
    add("loss", "sum", "forward", std::move(kernel));
    lies_aside();
  }

  // Gradients of weights and their SGD updates are on the other branch. A chain without branches
  // has one SGD update at its end.
  void backward() {
    gather(5, TensorTaps::pixel, given_slopes(), made(4, "map"), given_values());
    pass_back(5,
              product(TensorTaps::pixel, After::back, given_slopes(), "back5", made(4, "map").side,
                      conv(5).in, made(4, "slopes")),
              made(4, "map"), made(4, "slopes"));
    gather(4, TensorTaps::window, made(4, "slopes"), made(3, "map"), conv(4).out);
    if (branches_) descend({"update of Conv4 and 5", 4, 5});
    pass_back(4,
              product(TensorTaps::window, After::back, made(4, "slopes"), "back4",
                      made(3, "map").side, conv(4).in, made(3, "slopes")),
              made(3, "map"), made(3, "slopes"));
    const PixelMap before_pool = map("slopes2", conv(2).side, conv(2).out);
    TensorProduct unpooled = product(TensorTaps::filter, After::unpool, made(3, "slopes"), "back3",
                                     conv(3).side, conv(3).in, before_pool);
    unpooled.places = "places2";
    pass_back(3, unpooled, pooled(2, "pooled"), before_pool);
    gather(2, TensorTaps::filter, before_pool, pooled(1, "pooled"), conv(2).out);
    // Conv3's comes after that, while the backward pass still has Conv2 to do, which alone is the
    // shortest.
    gather(3, TensorTaps::filter, made(3, "slopes"), pooled(2, "pooled"), conv(3).out);
    if (branches_) descend({"update of Conv2 and 3", 2, 3});
    pass_back(2,
              product(TensorTaps::filter, After::back, before_pool, "back2", conv(2).side,
                      conv(2).in, pooled(1, "slopes")),
              pooled(1, "pooled"), pooled(1, "slopes"));
    gather_pooled();
    descend(branches_ ? Descent{"update of Conv1", 1, 1} : Descent{"update", 1, 5});
  }

  void pass_back(std::size_t layer, TensorProduct p, const PixelMap& y, const PixelMap& to) {
    p.mirrored = p.taps == TensorTaps::filter;
    p.y = y.buffer;
    keep(to);
    add_product(layer, "dgrad", "dgrad", p);
  }

  void gather(std::size_t layer, TensorTaps taps, PixelMap dy, PixelMap x, std::int64_t out) {
    const std::string number = std::to_string(layer);
    TensorShares s{type_, taps,           std::move(dy),     std::move(x),
                   out,   conv(layer).in, "shares" + number, "bias_shares" + number};
    s.sharing = blocks_of_share(w_.axes);
    // Fewer blocks leave the way back room, and fewer shares are added up: 298 µs against 302.
    if (branches_ && layer >= 3 && layer <= 4) s.sixths = layer == 4 ? 3 : 4;
    for (BufferSpec& buffer : shares_buffers(s)) keep(std::move(buffer));
    counts_[layer - 1] = s.count();
    executed_ += autoencoder::executed_flops(s);
    add(conv(layer).layer, "wgrad", "wgrad", tensor_shares(s), flops_of(conv(layer)));
    lies_aside();
  }

  void gather_pooled() {
    const PooledShares s = {type_,     pooled(1, "slopes"), columns(),
                            "places1", conv(1).out,         "shares1"};
    counts_[0] = s.count();
    keep_values(s.shares, s.count() * s.out * kGathered);
    executed_ += autoencoder::executed_flops(s);
    // Only one of a window's four pixels has a gradient.
    add(conv(1).layer, "wgrad", "wgrad", tensor_shares(s), flops_of(conv(1)) / 4);
  }

  // The SGD update of some layers, whose shares are there. Buffers of the other layers are not
  // read.
  void descend(const Descent& of) {
    const auto shares_of = [&of](const char* kind, std::size_t layer) {
      const bool there = layer >= of.first && layer <= of.last;
      return BufferArgument{there ? kind + std::to_string(layer) : std::string("gradients")};
    };
    std::vector<Argument> arguments;
    for (std::size_t layer = 1; layer <= convs_.size(); ++layer)
      arguments.emplace_back(shares_of("shares", layer));
    for (std::size_t layer = 2; layer <= convs_.size(); ++layer)
      arguments.emplace_back(shares_of("bias_shares", layer));
    arguments.emplace_back(BufferArgument{"parameters"});
    arguments.emplace_back(BufferArgument{"gradients"});
    arguments.emplace_back(as_int(conv(1).out));
    for (const std::int64_t count : counts_) arguments.emplace_back(as_int(count));
    const std::int64_t first = descent_blocks_to(of.last + 1, conv(1).out);
    arguments.emplace_back(as_int(first));
    arguments.emplace_back(static_cast<float>(w_.real("lr")));
    KernelLaunch kernel;
    kernel.source = "autoencoder/tensor_descend.cu";
    kernel.entry = "tensor_descend";
    kernel.arguments = std::move(arguments);
    const std::int64_t end = descent_blocks_to(of.first, conv(1).out);
    kernel.launch = {{end - first, 1, 1}, {kDescentThreads, 1, 1}, 0, {}};
    std::int64_t parameters = 0;
    for (std::size_t layer = of.first; layer <= of.last; ++layer)
      parameters += conv(layer).weights() + conv(layer).out;
    constexpr double kFlops = 2;  // a parameter
    add("weights", of.what, "update", std::move(kernel), kFlops * static_cast<double>(parameters));
    if (of.first > 1) lies_aside();
  }

  // Other steps touch each buffer too, and would have to run whole before it. And each of them goes
  // in or out once.
  void add_stand_ins() {
    std::map<std::string, BufferSpec> by_name;
    for (const BufferSpec& buffer : scratch_) by_name[buffer.name] = buffer;
    const std::int64_t values = image_values(w_.axes), all = parameter_count(w_.axes);
    for (const auto& [name, count] :
         {std::pair("x", values), {"parameters", all}, {"gradients", all}, {"loss", 1}})
      by_name[name] = {name, ElementType::f32, count, BufferRole::scratch, {count}, name};
    for (Step& step : steps_) {
      double bytes = 0;
      for (const std::string& name : buffers_of(step)) {
        const BufferSpec& buffer = by_name.at(name);
        bytes += static_cast<double>(buffer.count * element_bytes(buffer.type));
        if (name != "x") step.stand_ins.push_back(drawn(buffer));
      }
      step.work["model.dram_bytes"] = bytes;
    }
  }

  const Workload& w_;
  TensorType type_;
  bool branches_;
  std::vector<Tensor> tensors_;
  std::vector<Conv> convs_;
  std::int64_t counts_[5] = {};
  double executed_ = 0;
  Steps steps_;
  Buffers scratch_;
};

}  // namespace

Steps tensor_step_steps(const Workload& w, TensorType type) {
  return TensorStep(w, type).take_steps();
}

Buffers tensor_step_scratch(const Workload& w, TensorType type) {
  return TensorStep(w, type).take_scratch();
}

double tensor_step_executed_flops(const Workload& w, TensorType type) {
  return TensorStep(w, type).executed_flops();
}

double tensor_step_flops(const Workload& w) {
  double flops = 0;
  for (const std::string& layer : conv_layers()) {
    const Conv s = conv_named(w.axes, layer);
    const double directions = s.of_image ? 1.25 : 3;  // back to Conv1's weights a quarter
    flops += directions * 2 * static_cast<double>(s.products()) * (s.behind_upsample ? kFolded : 1);
  }
  return flops;
}

}  // namespace warpscope::autoencoder
