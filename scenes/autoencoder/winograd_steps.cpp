// scenes/autoencoder/winograd_steps.cpp: what a convolution by F(2×2, 3×3) runs.
#include "scenes/autoencoder/winograd_steps.h"

#include <utility>

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kNumbers = 16;  // of a window

Step windows_step(const Winograd& conv, const Defines& defines, const BufferArgument& from,
                  const BufferArgument& windows) {
  KernelLaunch kernel =
      kernel_of_threads("autoencoder/winograd_2x2.cu", "winograd_windows",
                        conv.rows() * conv.across(), {from, windows, as_int(conv.images)});
  kernel.defines = defines;
  return run_kernel("windows", std::move(kernel));
}

Defines defines_of(const Winograd& conv, Finish finish) {
  Defines defines = conv.tile.defines();
  for (const auto& one :
       {define("SOURCES", conv.sources), define("TARGETS", conv.targets), define("SIDE", conv.side),
        define("FINISH", static_cast<std::int64_t>(finish))})
    defines.push_back(one);
  return defines;
}

}  // namespace

Winograd winograd(const Conv& s, bool dgrad) {
  Winograd conv{
      s.images, dgrad ? s.out : s.in, dgrad ? s.in : s.out, s.side, dgrad, s.relu && !dgrad, {}};
  conv.tile = tile_for(conv.targets);
  return conv;
}

Packing Winograd::packing() const {
  return {dgrad ? PackKind::winograd_dgrad : PackKind::winograd,
          dgrad ? sources : targets,
          dgrad ? targets : sources,
          rows(),
          columns(),
          u_values(),
          pack_blocks(sources, columns())};
}

Steps winograd_layer(const Winograd& conv, const WinogradArrays& arrays, Finish finish) {
  const BufferArgument sums{"sums"};
  const Defines defines = defines_of(conv, finish);
  const auto of_threads = [&](const char* entry, std::int64_t threads,
                              std::vector<Argument> arguments) {
    KernelLaunch kernel =
        kernel_of_threads("autoencoder/winograd_2x2.cu", entry, threads, std::move(arguments));
    kernel.defines = defines;
    return kernel;
  };
  KernelLaunch product = of_threads("winograd_multiply", 1,
                                    {arrays.filters, arrays.windows, sums, as_int(conv.images)});
  product.launch.grid = {conv.across() / conv.tile.n(), conv.columns() / conv.tile.m(), kNumbers};
  product.launch.block = {conv.tile.threads(), 1, 1};
  return {windows_step(conv, defines, arrays.from, arrays.windows),
          run_kernel("product", std::move(product)),
          run_kernel("outputs", of_threads("winograd_outputs", conv.targets * conv.across(),
                                           {sums, arrays.other, arrays.to, arrays.places,
                                            as_int(conv.images), as_int(conv.relu ? 1 : 0)}))};
}

Buffers winograd_buffers(std::int64_t windows, std::int64_t sums) {
  return {floats_buffer("windows", windows, "windows[16, sources, windows]"),
          floats_buffer("sums", sums, "sums[16, targets, windows]")};
}

WinogradWgrad winograd_wgrad(const Conv& s) {
  WinogradWgrad conv{winograd(s, false), wgrad_tile(s.out, s.in), 1};
  const std::int64_t tiles =
      kNumbers * ceil_divide(s.in, conv.tile.n()) * ceil_divide(s.out, conv.tile.m());
  conv.splits = splits_for(tiles, conv.forward.across() / conv.tile.depth, conv.tile);
  return conv;
}

Steps winograd_wgrad_layer(const WinogradWgrad& conv, const WinogradWgradArrays& arrays) {
  constexpr std::int64_t kInputs = 32;  // of a block that adds up
  const char* const source = "autoencoder/winograd_wgrad.cu";
  const Winograd& forward = conv.forward;
  Defines defines = conv.tile.defines();
  for (const auto& one :
       {define("IN", conv.in()), define("OUT", conv.out()), define("SIDE", forward.side),
        define("ROWS", forward.rows()), define("SPLITS", conv.splits)})
    defines.push_back(one);
  const Argument across = as_int(forward.across());
  KernelLaunch gradients =
      kernel_of_threads(source, "winograd_gradients", conv.out() * forward.across(),
                        {arrays.dy, arrays.gradients, as_int(forward.images), across});
  KernelLaunch product{source,
                       "winograd_wgrad_multiply",
                       {},
                       {{ceil_divide(conv.in(), conv.tile.n()),
                         ceil_divide(conv.out(), conv.tile.m()), kNumbers * conv.splits},
                        {conv.tile.threads(), 1, 1},
                        0,
                        {}},
                       {arrays.gradients, arrays.windows, arrays.shares, across}};
  KernelLaunch add = kernel_of_threads(source, "add_winograd_shares",
                                       conv.out() * ceil_divide(conv.in(), kInputs) * kBlockThreads,
                                       {arrays.shares, arrays.dw, arrays.db});
  for (KernelLaunch* kernel : {&gradients, &product, &add}) kernel->defines = defines;
  return {run_kernel("gradients", std::move(gradients)),
          run_kernel("shares of gradients", std::move(product)),
          run_kernel("add up", std::move(add))};
}

Steps winograd_steps(const Workload& w) {
  if (direction_of(w.axes) == Direction::wgrad) {
    const WinogradWgrad conv = winograd_wgrad(conv_of(w.axes));
    Steps steps = {
        windows_step(conv.forward, defines_of(conv.forward, Finish::bias), {"x"}, {"windows"})};
    for (Step& step : winograd_wgrad_layer(
             conv, {{"dy"}, {"windows"}, {"gradients"}, {"shares"}, {"dw"}, {"db"}}))
      steps.push_back(std::move(step));
    steps[2].stand_ins = {all_ones("windows"), all_ones("gradients")};
    steps[3].stand_ins = {all_ones("shares")};
    return tagged(w, std::move(steps));
  }
  const bool dgrad = direction_of(w.axes) == Direction::dgrad;
  const Winograd conv = winograd(conv_of(w.axes), dgrad);
  WinogradArrays arrays = {
      .from = {dgrad ? "dy" : "x"}, .filters = {"filters"}, .to = {dgrad ? "dx" : "y"}};
  if (!dgrad) arrays.other = BufferArgument{"b"};
  Steps steps = {pack_step(conv.packing(), {"w"}, arrays.filters)};
  for (Step& step : winograd_layer(conv, arrays, Finish::bias)) steps.push_back(std::move(step));
  steps[2].stand_ins = {all_ones("filters"), all_ones("windows")};
  steps[3].stand_ins = {all_ones("sums")};
  return tagged(w, std::move(steps));
}

Buffers winograd_scratch(const Workload& w) {
  const Conv s = conv_of(w.axes);
  if (direction_of(w.axes) != Direction::wgrad) {
    const Winograd conv = winograd(s, direction_of(w.axes) == Direction::dgrad);
    Buffers all = winograd_buffers(conv.v_values(), conv.sum_values());
    all.push_back(floats_buffer("filters", conv.u_values(), "filters[16, sources, targets]"));
    return all;
  }
  const WinogradWgrad conv = winograd_wgrad(s);
  return {
      floats_buffer("windows", conv.forward.v_values(), "windows[16, in, windows]"),
      floats_buffer("gradients", conv.gradient_values(), "gradients[16, out, windows]"),
      floats_buffer("shares", conv.share_values(), "shares[16·splits, out, in]; [splits, out]")};
}

}  // namespace warpscope::autoencoder
