// scenes/autoencoder/winograd_steps.cpp: what a convolution by F(2×2, 3×3) runs.
#include "scenes/autoencoder/winograd_steps.h"

#include <algorithm>
#include <utility>

namespace warpscope::autoencoder {

Winograd winograd(const Conv& s, bool dgrad) {
  Winograd conv{
      s.images, dgrad ? s.out : s.in, dgrad ? s.in : s.out, s.side, dgrad, s.relu && !dgrad, {}};
  conv.tile = tile_for(conv.targets);
  return conv;
}

Steps winograd_layer(const Winograd& conv, const BufferArgument& from, const BufferArgument& w,
                     const Argument& other, const BufferArgument& to, const Argument& places,
                     Finish finish, const std::string& prefix) {
  const BufferArgument filters{prefix + "filters"}, windows{prefix + "windows"},
      sums{prefix + "sums"};
  Defines defines = conv.tile.defines();
  for (const auto& one :
       {define("SOURCES", conv.sources), define("TARGETS", conv.targets), define("SIDE", conv.side),
        define("DGRAD", conv.dgrad ? 1 : 0), define("FINISH", static_cast<std::int64_t>(finish))})
    defines.push_back(one);
  const auto of_threads = [&](const char* entry, std::int64_t threads,
                              std::vector<Argument> arguments) {
    KernelLaunch kernel =
        kernel_of_threads("autoencoder/winograd_2x2.cu", entry, threads, std::move(arguments));
    kernel.defines = defines;
    return kernel;
  };
  KernelLaunch product =
      of_threads("winograd_multiply", 1, {filters, windows, sums, as_int(conv.images)});
  product.launch.grid = {conv.across() / conv.tile.n(), conv.columns() / conv.tile.m(), 16};
  product.launch.block = {conv.tile.threads(), 1, 1};
  return {run_kernel("filters",
                     of_threads("winograd_weights", conv.rows() * conv.columns(), {w, filters})),
          run_kernel("windows", of_threads("winograd_windows", conv.rows() * conv.across(),
                                           {from, windows, as_int(conv.images)})),
          run_kernel("product", std::move(product)),
          run_kernel("outputs", of_threads("winograd_outputs", conv.targets * conv.across(),
                                           {sums, other, to, places, as_int(conv.images),
                                            as_int(conv.relu ? 1 : 0)}))};
}

Buffers winograd_buffers(const std::vector<Winograd>& convs, const std::string& prefix) {
  std::int64_t u = 0, v = 0, sums = 0;
  for (const Winograd& conv : convs) {
    u = std::max(u, conv.u_values());
    v = std::max(v, conv.v_values());
    sums = std::max(sums, conv.sum_values());
  }
  return {floats_buffer(prefix + "filters", u, prefix + "filters[16, sources, targets]"),
          floats_buffer(prefix + "windows", v, prefix + "windows[16, sources, windows]"),
          floats_buffer(prefix + "sums", sums, prefix + "sums[16, targets, windows]")};
}

Steps winograd_steps(const Workload& w) {
  const bool dgrad = direction_of(w.axes) == Direction::dgrad;
  const Argument none = std::int64_t{0};
  Steps steps = winograd_layer(winograd(conv_of(w.axes), dgrad), {dgrad ? "dy" : "x"}, {"w"},
                               dgrad ? none : Argument{BufferArgument{"b"}}, {dgrad ? "dx" : "y"},
                               none, Finish::bias);
  steps[2].stand_ins = {all_ones("filters"), all_ones("windows")};
  steps[3].stand_ins = {all_ones("sums")};
  return tagged(w, std::move(steps));
}

Buffers winograd_scratch(const Workload& w) {
  return winograd_buffers({winograd(conv_of(w.axes), direction_of(w.axes) == Direction::dgrad)});
}

}  // namespace warpscope::autoencoder
