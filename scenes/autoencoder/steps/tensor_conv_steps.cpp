// scenes/autoencoder/steps/tensor_conv_steps.cpp: what one convolution on tensor cores runs.
#include <utility>

#include "scenes/autoencoder/step/tensor_product.h"

namespace warpscope::autoencoder {
namespace {

constexpr const char* kLayouts = "autoencoder/tensor_layouts.cu";

PixelMap map_of(const Conv& s, TensorType type, std::string buffer, std::int64_t channels) {
  return {std::move(buffer), s.images, s.side, padded(type, channels)};
}
PixelMap x_of(const Conv& s, TensorType type) { return map_of(s, type, "x_nhwc", s.in); }
PixelMap dy_of(const Conv& s, TensorType type) { return map_of(s, type, "dy_nhwc", s.out); }

Step bring_map(const Conv& s, TensorType type, const std::string& from, const PixelMap& to,
               std::int64_t channels) {
  const std::int64_t pitch = channels_of_pixel(type, to), count = s.images * s.pixels() * pitch;
  KernelLaunch kernel = kernel_of_threads(kLayouts, "tensor_map", count,
                                          {BufferArgument{from}, BufferArgument{to.buffer}, count,
                                           as_int(channels), as_int(s.pixels()), as_int(pitch)});
  kernel.defines = defines_of(type);
  return prepare_kernel(from + " to NHWC, rounded", std::move(kernel));
}

Step bring_filters(const Conv& s, TensorType type, Filters kind) {
  const bool back = kind == Filters::back;
  const std::int64_t count =
      kTaps * (back ? s.in : s.out) * parts_of(type) * padded(type, back ? s.out : s.in);
  KernelLaunch kernel =
      kernel_of_threads(kLayouts, "tensor_filters", count,
                        {BufferArgument{"w"}, BufferArgument{"filters"}, as_int(s.out),
                         as_int(s.in), as_int(static_cast<std::int64_t>(kind))});
  kernel.defines = defines_of(type);
  return prepare_kernel("w by taps, rounded", std::move(kernel));
}

TensorProduct product_of(const Conv& s, TensorType type, Direction direction) {
  TensorProduct p;
  p.type = type;
  p.filters = "filters";
  p.side = s.side;
  if (direction == Direction::forward) {
    p.after = After::output;
    p.relu = s.relu;
    p.from = x_of(s, type);
    p.out = p.pitch = s.out;
    p.result = "y";
    p.bias = {"b"};
  } else {
    p.mirrored = true;
    p.from = dy_of(s, type);
    p.out = p.pitch = s.in;
    p.result = "dx";
  }
  return p;
}

TensorShares shares_of(const Workload& w, TensorType type) {
  const Conv s = conv_of(w.axes);
  TensorShares shares;
  shares.type = type;
  shares.sharing = blocks_of_share(w.axes);
  shares.dy = dy_of(s, type);
  shares.x = x_of(s, type);
  shares.out = s.out;
  shares.in = s.in;
  shares.shares = "shares";
  shares.bias_shares = "bias_shares";
  return shares;
}

}  // namespace

Steps tensor_conv_steps(const Workload& w, TensorType type) {
  const Conv s = conv_of(w.axes);
  const Direction direction = direction_of(w.axes);
  Steps steps;
  if (direction != Direction::dgrad) steps.push_back(bring_map(s, type, "x", x_of(s, type), s.in));
  if (direction != Direction::forward)
    steps.push_back(bring_map(s, type, "dy", dy_of(s, type), s.out));
  if (direction == Direction::wgrad) {
    const TensorShares shares = shares_of(w, type);
    steps.push_back(run_kernel("weight gradient of shares", tensor_shares(shares)));
    Step add = run_kernel(
        "add up",
        kernel_of_threads(
            "autoencoder/tensor_shares.cu", "tensor_shares", s.out * (kTaps * s.in + 1),
            {BufferArgument{"shares"}, BufferArgument{"bias_shares"}, BufferArgument{"dw"},
             BufferArgument{"db"}, as_int(shares.count()), as_int(s.out), as_int(s.in)}));
    add.stand_ins = {all_ones("shares"), all_ones("bias_shares")};
    steps.push_back(std::move(add));
    return tagged(w, std::move(steps));
  }
  const bool back = direction == Direction::dgrad;
  steps.push_back(bring_filters(s, type, back ? Filters::back : Filters::forward));
  steps.push_back(run_kernel(back ? "input gradient" : "convolve",
                             tensor_product(product_of(s, type, direction))));
  return tagged(w, std::move(steps));
}

Buffers tensor_conv_scratch(const Workload& w, TensorType type) {
  const Conv s = conv_of(w.axes);
  const BufferSpec x = map_buffer(type, x_of(s, type)), dy = map_buffer(type, dy_of(s, type));
  switch (direction_of(w.axes)) {
    case Direction::forward:
      return {x, filters_buffer(type, "filters", kTaps, s.out, s.in)};
    case Direction::dgrad:
      return {dy, filters_buffer(type, "filters", kTaps, s.in, s.out)};
    case Direction::wgrad:
      break;
  }
  Buffers all = shares_buffers(shares_of(w, type));
  all.push_back(x);
  all.push_back(dy);
  return all;
}

double tensor_conv_flops(const Workload& w, TensorType type) {
  const Conv s = conv_of(w.axes);
  const Direction direction = direction_of(w.axes);
  return direction == Direction::wgrad ? executed_flops(shares_of(w, type))
                                       : executed_flops(product_of(s, type, direction));
}

}  // namespace warpscope::autoencoder
