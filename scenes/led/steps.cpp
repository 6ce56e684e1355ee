// scenes/led/steps.cpp: what each kernel of `led` runs: sources, defines, grids, arguments.
#include "scenes/led/steps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "scenes/led/shapes.h"

namespace warpscope::led {
namespace {

std::pair<std::string, std::string> load_width(const Workload& w) {
  return {"LOAD_WIDTH", integers(w.axes) ? "4" : w.text("load_width")};
}

// The side is passed as the last argument: B is not a constant of these kernels.
KernelLaunch run_time_kernel(const Workload& w, const std::string& technique, Launch launch) {
  KernelLaunch kernel = kernel_of(w, technique, std::move(launch));
  std::erase_if(kernel.defines, [](const auto& define) { return define.first == "B"; });
  kernel.defines.push_back(load_width(w));
  kernel.arguments.emplace_back(as_int(w.integer("block")));
  return kernel;
}

std::pair<std::string, std::string> quads(const Workload& w) {
  return define("QUADS", quads_are_aligned(w));
}

Steps grid3d_steps(const Workload& w, const std::string& technique) {
  const Shape s = shape_of(w.axes);
  return {run_kernel(
      "multiply",
      kernel_of(w, technique,
                {{s.leds, s.channels, s.frames}, {kWarpLanes, 1, 1}, pattern_bytes(w), {}}))};
}

}  // namespace

KernelLaunch kernel_of(const Workload& w, const std::string& technique, Launch launch,
                       const std::vector<Argument>& between) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel{
      "led/" + technique + ".cu",
      technique,
      {define("B", s.block), define("UINT8", integers(w.axes)), define("RAW", raw_sums(w.axes))},
      launch,
      {BufferArgument{"values"}, BufferArgument{"positions"}, BufferArgument{"frames"}}};
  kernel.arguments.insert(kernel.arguments.end(), between.begin(), between.end());
  kernel.arguments.emplace_back(BufferArgument{"out"});
  for (const std::int64_t size : {s.leds, s.channels, s.height, s.width, s.frames})
    kernel.arguments.emplace_back(as_int(size));
  kernel.arguments.emplace_back(as_int(planar(w.axes)));
  return kernel;
}

bool quads_are_aligned(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return s.block % kQuad == 0 && s.width % kQuad == 0 && w.fact("column_quads") != 0;
}

bool frame_rows_fill_16_bytes(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return s.width * s.value_bytes % 16 == 0;
}

std::int64_t pattern_bytes(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return s.block * s.block * s.value_bytes;
}

std::int64_t frames_of_tile(const Workload& w) {
  const auto frames = static_cast<std::uint64_t>(std::max<std::int64_t>(1, w.integer("frames")));
  return std::min(w.integer("frame_tile"), static_cast<std::int64_t>(std::bit_ceil(frames)));
}

bool block_known_at_run_time(const Workload& w) {
  return w.axes.has("block_known") && w.text("block_known") == "run time";
}

bool copies_as_listed(const Workload& w) {
  return w.axes.has("copy") && w.text("copy") == "as listed";
}

Steps single_frame_repeated_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const Launch launch = {{s.leds, s.channels, 1}, {kWarpLanes, 1, 1}, 0, {}};
  Steps steps;
  for (std::int64_t f = 0; f < s.frames; ++f) {
    KernelLaunch kernel;
    if (block_known_at_run_time(w)) {
      kernel = run_time_kernel(w, "single_frame_run_time", launch);
    } else {
      kernel = kernel_of(w, "single_frame_repeated", launch);
      kernel.defines.push_back(load_width(w));
    }
    kernel.arguments.emplace_back(as_int(f));
    steps.push_back(run_kernel("frame " + std::to_string(f), std::move(kernel)));
  }
  return steps;
}

Steps grid3d_shared_pattern_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  if (block_known_at_run_time(w)) {
    const char* const technique = copies_as_listed(w) ? "grid3d_listed_copy" : "grid3d_run_time";
    return {run_kernel(
        "multiply", run_time_kernel(w, technique,
                                    {{s.leds, s.channels, s.frames}, {kWarpLanes, 1, 1}, 0, {}}))};
  }
  Steps steps = grid3d_steps(w, "grid3d_shared_pattern");
  std::get<KernelLaunch>(steps[0].action).defines.push_back(load_width(w));
  return steps;
}

Steps grid3d_column_lanes_steps(const Workload& w) {
  return grid3d_steps(w, "grid3d_column_lanes");
}

Steps grid2d_frame_loop_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel = kernel_of(w, "grid2d_frame_loop",
                                  {{s.leds, s.channels, 1}, {256, 1, 1}, pattern_bytes(w), {}});
  kernel.defines.push_back(quads(w));
  return {run_kernel("multiply", std::move(kernel))};
}

Steps direct_global_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t warps = std::min<std::int64_t>(8, s.frames);
  KernelLaunch kernel = kernel_of(
      w, "direct_global",
      {{s.leds, s.channels, ceil_divide(s.frames, warps)}, {warps * kWarpLanes, 1, 1}, 0, {}});
  kernel.defines.push_back(quads(w));
  kernel.defines.push_back(define("WARPS", warps));
  return {run_kernel("multiply", std::move(kernel))};
}

Steps frames_per_warp_early_exit_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel = kernel_of(
      w, "frames_per_warp_early_exit",
      {{s.leds, s.channels, ceil_divide(s.frames, 8)}, {256, 1, 1}, pattern_bytes(w), {}});
  kernel.defines.push_back(quads(w));
  return {run_kernel("multiply", std::move(kernel))};
}

Steps frames_innermost_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  constexpr std::int64_t kThreads = 256, kFramesOfTile = 8;
  const std::int64_t pixels = s.channels * s.height * s.width;
  const auto lanes = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::min<std::int64_t>(kWarpLanes, s.frames))));
  KernelLaunch kernel =
      kernel_of(w, "frames_innermost",
                {{s.leds, s.channels, ceil_divide(s.frames, lanes)}, {kThreads, 1, 1}, 0, {}});
  kernel.defines.push_back(define("FRAMES", lanes));
  kernel.arguments[2] = BufferArgument{"innermost"};
  KernelLaunch lay = kernel;
  lay.entry = "lay_frames_innermost";
  lay.launch.grid = {ceil_divide(pixels, kThreads), ceil_divide(s.frames, kFramesOfTile), 1};
  lay.arguments = {BufferArgument{"frames"}, BufferArgument{"innermost"}, pixels, as_int(s.frames)};
  return {run_kernel("lay frames innermost", std::move(lay)),
          run_kernel("multiply", std::move(kernel))};
}

Buffers frames_innermost_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return {{"innermost",
           integers(w.axes) ? ElementType::u8 : ElementType::f32,
           s.pixels(),
           BufferRole::scratch,
           {s.channels, s.height, s.width, s.frames},
           "innermost[C, H, W, F]"}};
}

std::int64_t pattern_threads(const Workload& w) {
  constexpr std::int64_t kMostValues = 64;  // in registers of one thread
  const std::int64_t values = w.integer("block") * w.integer("block");
  for (const std::int64_t threads : {128, 256, 512}) {
    if (values <= kMostValues * threads) return threads;
  }
  return 0;
}

Steps pattern_in_registers_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t threads = std::max<std::int64_t>(kWarpLanes, pattern_threads(w));
  KernelLaunch kernel =
      kernel_of(w, "pattern_in_registers", {{s.leds, s.channels, 1}, {threads, 1, 1}, 0, {}});
  kernel.defines.push_back(define("THREADS", threads));
  kernel.defines.push_back(define("FRAME_TILE", frames_of_tile(w)));
  return {run_kernel("multiply", std::move(kernel))};
}

ChoiceFeatures choice_features(const std::vector<Axis>& axes) {
  ChoiceFeatures all;
  for (const char* name :
       {"dtype", "output", "positions", "leds", "channels", "height", "width", "block", "frames"})
    all.push_back(axis_feature(*find_axis(axes, name)));
  const auto add = [&all](const char* name, const char* label, double (*of)(const Workload&)) {
    all.push_back(
        number_feature(name, label, [of](const Workload& w) { return std::optional(of(w)); }));
  };
  add("products", "products",
      [](const Workload& w) { return static_cast<double>(shape_of(w.axes).products()); });
  add("blocks", "blocks of all channels",
      [](const Workload& w) { return static_cast<double>(shape_of(w.axes).blocks()); });
  add("pattern_bytes", "bytes of all patterns", [](const Workload& w) {
    const Shape s = shape_of(w.axes);
    return static_cast<double>(s.values() * s.value_bytes);
  });
  add("frame_bytes", "bytes of all frames", [](const Workload& w) {
    const Shape s = shape_of(w.axes);
    return static_cast<double>(s.pixels() * s.value_bytes);
  });
  add("reuse", "uses of a fetched pixel", [](const Workload& w) {
    const double fetched = w.fact("window_pixels");
    return fetched > 0 ? static_cast<double>(shape_of(w.axes).values()) / fetched : 0;
  });
  add("outputs", "sums",
      [](const Workload& w) { return static_cast<double>(shape_of(w.axes).outputs()); });
  for (const char* fact : {"block_sectors", "innermost_sectors", "window_sectors", "box_sectors",
                           "window_pixels", "window_columns", "window_rows", "window_area",
                           "box_pixels", "box_columns", "covered_pixels"}) {
    all.push_back(number_feature(
        fact, fact, [fact](const Workload& w) -> std::optional<double> { return w.fact(fact); }));
  }
  add("covered_share", "share of the pixels that an LED covers", [](const Workload& w) {
    const double pixels = static_cast<double>(shape_of(w.axes).pixels());
    return w.fact("covered_pixels") * w.real("frames") / std::max(1.0, pixels);
  });
  add("box_reuse", "uses of a pixel of a box", [](const Workload& w) {
    const double fetched = w.fact("box_pixels");
    return fetched > 0 ? static_cast<double>(shape_of(w.axes).values()) / fetched : 0;
  });
  add("bytes_once", "bytes of all patterns and of the covered pixels of all frames",
      [](const Workload& w) {
        const Shape s = shape_of(w.axes);
        return (static_cast<double>(s.values()) + w.fact("covered_pixels") * w.real("frames")) *
               static_cast<double>(s.value_bytes);
      });
  add("frames_of_8", "frames modulo 8",
      [](const Workload& w) { return static_cast<double>(w.integer("frames") % 8); });
  add("columns_of_32", "block side modulo 32",
      [](const Workload& w) { return static_cast<double>(w.integer("block") % 32); });
  add("columns_of_4", "block side modulo 4",
      [](const Workload& w) { return static_cast<double>(w.integer("block") % 4); });
  add("whole_quads", "1 if columns, block and width are multiples of 4",
      [](const Workload& w) { return quads_are_aligned(w) ? 1.0 : 0.0; });
  add("whole_rows", "1 if a row of a frame is a multiple of 16 bytes",
      [](const Workload& w) { return frame_rows_fill_16_bytes(w) ? 1.0 : 0.0; });
  return all;
}

}  // namespace warpscope::led
