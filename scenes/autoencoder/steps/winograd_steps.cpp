// scenes/autoencoder/steps/winograd_steps.cpp: what a convolution by F(2×2, 3×3) or F(4×4, 3×3)
// runs.
#include "scenes/autoencoder/steps/winograd_steps.h"

#include <utility>

namespace warpscope::autoencoder {
namespace {

constexpr const char* kSource = "autoencoder/winograd.cu";

Step windows_step(const Winograd& conv, const Defines& defines, const BufferArgument& from,
                  const BufferArgument& windows) {
  KernelLaunch kernel = kernel_of_threads(kSource, "winograd_windows", conv.rows() * conv.across(),
                                          {from, windows, as_int(conv.images)});
  kernel.defines = defines;
  return run_kernel("windows", std::move(kernel));
}

Defines defines_of(const TileShape& tile, const Winograd& conv) {
  Defines defines = tile.defines();
  for (const auto& one : {define("SIDE", conv.side), define("OUTPUTS", conv.form.outputs),
                          define("UPSAMPLED", conv.form.upsampled ? 1 : 0)})
    defines.push_back(one);
  return defines;
}
Defines defines_of(const Winograd& conv, Finish finish) {
  Defines defines = defines_of(conv.tile, conv);
  for (const auto& one :
       {define("SOURCES", conv.sources), define("TARGETS", conv.targets),
        define("BACK", conv.dgrad ? 1 : 0), define("FINISH", static_cast<std::int64_t>(finish))})
    defines.push_back(one);
  return defines;
}

// Products have few tiles where windows are large: of 64×128 sums, four of which a multiprocessor
// holds, more are under way at once at the end than of 128×128. Measured on an NVIDIA H200, steps
// of 64 images: 740 µs against 762; of 1024 as fast.
TileShape tile_of(const Winograd& conv) {
  constexpr std::int64_t kFewTargets = 32;
  if (conv.targets <= kFewTargets) return tile_for(conv.targets);
  return {.warps_m = 2, .warps_n = 2, .blocks = 4};
}

}  // namespace

Winograd winograd(const Conv& s, const WinogradForm& form, bool dgrad) {
  Winograd conv{
      s.images, dgrad ? s.out : s.in, dgrad ? s.in : s.out, s.side, dgrad, s.relu && !dgrad, form,
      {}};
  conv.tile = tile_of(conv);
  return conv;
}

Packing Winograd::packing() const {
  return {winograd_kind(form.outputs, dgrad, form.upsampled),
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
    KernelLaunch kernel = kernel_of_threads(kSource, entry, threads, std::move(arguments));
    kernel.defines = defines;
    return kernel;
  };
  KernelLaunch product = of_threads("winograd_multiply", 1,
                                    {arrays.filters, arrays.windows, sums, as_int(conv.images)});
  product.launch.grid = {conv.across() / conv.tile.n(), conv.columns() / conv.tile.m(),
                         conv.form.numbers()};
  product.launch.block = {conv.tile.threads(), 1, 1};
  return {windows_step(conv, defines, arrays.from, arrays.windows),
          run_kernel("product", std::move(product)),
          run_kernel("outputs", of_threads("winograd_outputs", conv.targets * conv.across(),
                                           {sums, arrays.other, arrays.to, arrays.places,
                                            as_int(conv.images), as_int(conv.relu ? 1 : 0)}))};
}

Buffers winograd_buffers(std::int64_t windows, std::int64_t sums) {
  return {floats_buffer("windows", windows, "windows[numbers, sources, windows]"),
          floats_buffer("sums", sums, "sums[numbers, targets, windows]")};
}

WinogradWgrad winograd_wgrad(const Conv& s, const WinogradForm& form) {
  WinogradWgrad conv{winograd(s, form, false), wgrad_tile(s.out, s.in), 1};
  const std::int64_t tiles =
      form.numbers() * ceil_divide(s.in, conv.tile.n()) * ceil_divide(s.out, conv.tile.m());
  conv.splits = splits_for(tiles, conv.forward.across() / conv.tile.depth, conv.tile);
  return conv;
}

Steps winograd_wgrad_layer(const WinogradWgrad& conv, const WinogradWgradArrays& arrays) {
  constexpr std::int64_t kInputs = 32;  // of a block that adds up
  const char* const source = "autoencoder/winograd_wgrad.cu";
  const Winograd& forward = conv.forward;
  Defines defines = defines_of(conv.tile, forward);
  for (const auto& one : {define("IN", conv.in()), define("OUT", conv.out()),
                          define("ROWS", forward.rows()), define("SPLITS", conv.splits)})
    defines.push_back(one);
  const Argument across = as_int(forward.across());
  KernelLaunch gradients =
      kernel_of_threads(source, "winograd_gradients", conv.out() * forward.across(),
                        {arrays.dy, arrays.gradients, as_int(forward.images), across});
  KernelLaunch product{
      source,
      "winograd_wgrad_multiply",
      {},
      {{ceil_divide(conv.in(), conv.tile.n()), ceil_divide(conv.out(), conv.tile.m()),
        forward.form.numbers() * conv.splits},
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

namespace {

// Forward or back, or gradients of weights, from what the scene's buffers hold.
Steps convolution(const Workload& w, const WinogradForm& form, const BufferArgument& x) {
  if (direction_of(w.axes) == Direction::wgrad) {
    const WinogradWgrad conv = winograd_wgrad(conv_of(w.axes), form);
    Steps steps = {
        windows_step(conv.forward, defines_of(conv.forward, Finish::bias), x, {"windows"})};
    for (Step& step : winograd_wgrad_layer(
             conv, {{"dy"}, {"windows"}, {"gradients"}, {"shares"}, {"dw"}, {"db"}}))
      steps.push_back(std::move(step));
    steps[2].stand_ins = {all_ones("windows"), all_ones("gradients")};
    steps[3].stand_ins = {all_ones("shares")};
    return steps;
  }
  const bool dgrad = direction_of(w.axes) == Direction::dgrad;
  const Winograd conv = winograd(conv_of(w.axes), form, dgrad);
  WinogradArrays arrays = {
      .from = dgrad ? BufferArgument{"dy"} : x, .filters = {"filters"}, .to = {dgrad ? "dx" : "y"}};
  if (!dgrad) arrays.other = BufferArgument{"b"};
  Steps steps = {pack_step(conv.packing(), {"w"}, arrays.filters)};
  for (Step& step : winograd_layer(conv, arrays, Finish::bias)) steps.push_back(std::move(step));
  steps[2].stand_ins = {all_ones("filters"), all_ones("windows")};
  steps[3].stand_ins = {all_ones("sums")};
  return steps;
}

Buffers scratch_of(const Workload& w, const WinogradForm& form) {
  const Conv s = conv_of(w.axes);
  if (direction_of(w.axes) != Direction::wgrad) {
    const Winograd conv = winograd(s, form, direction_of(w.axes) == Direction::dgrad);
    Buffers all = winograd_buffers(conv.v_values(), conv.sum_values());
    all.push_back(floats_buffer("filters", conv.u_values(), "filters[numbers, sources, targets]"));
    return all;
  }
  const WinogradWgrad conv = winograd_wgrad(s, form);
  return {floats_buffer("windows", conv.forward.v_values(), "windows[numbers, in, windows]"),
          floats_buffer("gradients", conv.gradient_values(), "gradients[numbers, out, windows]"),
          floats_buffer("shares", conv.share_values(),
                        "shares[numbers·splits, out, in]; [splits, out]")};
}

}  // namespace

std::int64_t winograd_tile(const Configuration& axes) {
  return axes.has("winograd_tile") && axes.text("winograd_tile") == "2×2" ? 2 : 4;
}

Steps winograd_steps(const Workload& w, std::int64_t outputs) {
  return tagged(w, convolution(w, {.outputs = outputs}, {"x"}));
}

Buffers winograd_scratch(const Workload& w, std::int64_t outputs) {
  return scratch_of(w, {.outputs = outputs});
}

Steps winograd_folded_steps(const Workload& w) {
  Steps steps = {small_map_step(conv_of(w.axes))};
  for (Step& step : convolution(w, {winograd_tile(w.axes), true}, {"small"}))
    steps.push_back(std::move(step));
  return tagged(w, std::move(steps));
}

Buffers winograd_folded_scratch(const Workload& w) {
  Buffers all = scratch_of(w, {winograd_tile(w.axes), true});
  all.push_back(small_map_buffer(conv_of(w.axes)));
  return all;
}

}  // namespace warpscope::autoencoder
