// scenes/led/led.cpp: brightness of LEDs from video frames: axes, inputs, reference, work model.
#include "scenes/led/led.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scenes/led/article.h"
#include "scenes/led/frame_files.h"
#include "scenes/led/grouping.h"
#include "scenes/led/hard_cases.h"
#include "scenes/led/inputs.h"
#include "scenes/led/reference.h"
#include "scenes/led/shapes.h"
#include "scenes/led/steps.h"
#include "scenes/led/variants.h"
#include "scenes/led/work.h"

namespace warpscope {
namespace {

using led::integers;
using led::Shape;
using led::shape_of;

Axis only_for(Axis axis, const char* decides, const char* choice) {
  axis.applies = [decides, choice](const Configuration& c) { return c.text(decides) == choice; };
  return axis;
}

Axis file_axis(std::string name, std::string label, std::string description,
               std::vector<std::string> takes, const char* decides, const char* choice) {
  Axis axis;
  axis.name = std::move(name);
  axis.label = std::move(label);
  axis.description = std::move(description);
  axis.kind = AxisKind::file;
  axis.takes = std::move(takes);
  axis.binds = Binding::input;
  axis.default_value = std::string();
  return only_for(std::move(axis), decides, choice);
}

Axis of_variants(Axis axis, std::vector<std::string> variants) {
  axis.of_variants = std::move(variants);
  return axis;
}

// Long: a table of axes, one after the other.
std::vector<Axis> led_axes() {
  const auto linear = AxisScale::linear;
  const auto log = AxisScale::log;
  Axis load_width = choice_axis("load_width", "bytes per load",
                                "How the two published kernels load the image: four 4-byte loads, "
                                "as shipped, or one 16-byte load, as the article's text says.",
                                {"4", "16"}, Binding::compile_time);
  load_width.applies = [](const Configuration& c) { return !integers(c); };
  load_width.of_variants = {"single_frame_repeated", "grid3d_shared_pattern"};
  load_width.default_value = std::string(led::kDefaultReading.load_width);
  Axis block_known =
      choice_axis("block_known", "block side known",
                  "Whether the two published kernels know the block side at compile time, or get "
                  "it as an argument, as in the article, with a 64×64 shared array.",
                  {"compile time", "run time"}, Binding::compile_time);
  block_known.of_variants = load_width.of_variants;
  block_known.default_value = std::string(led::kDefaultReading.block_known);
  block_known.before = std::string(led::kAsRecorded.block_known);
  Axis copy = choice_axis("copy", "copy of the pattern",
                          "How a lane copies its part of the pattern to shared memory: one value "
                          "at a time, or with the published loop, which the compiler may unroll.",
                          {"one by one", "as listed"}, Binding::compile_time);
  copy.of_variants = {"grid3d_shared_pattern"};
  Axis broken = choice_axis("broken", "show broken variants",
                            "Also shows a kernel with a deliberate bug, to study it.",
                            {"off", "on"}, Binding::launch_shape);
  broken.of_variants = {"frames_per_warp_early_exit"};
  broken.before = std::string("on");
  return {
      typed_from(
          whole_axis("leds", "LEDs", "LEDs", "Number of LEDs. Each has one pattern per channel.",
                     log, Binding::argument, 1, 16384, 3008, {64, 256, 512, 1000, 2600, 3008}),
          0, 262144),
      whole_axis("channels", "channels", "",
                 "Colour channels of a frame. Each has its own patterns.", linear,
                 Binding::argument, 1, 4, 3),
      typed_from(whole_axis("height", "frame height", "px", "Rows of a frame.", log,
                            Binding::argument, 32, 2160, 480, {128, 256, 480, 512, 1080}),
                 4, 16384),
      typed_from(whole_axis("width", "frame width", "px", "Columns of a frame.", log,
                            Binding::argument, 32, 3840, 800, {128, 256, 512, 800, 1920}),
                 4, 16384),
      typed_from(whole_axis("block", "block side", "px",
                            "Side of the square block of pixels under an LED.", linear,
                            Binding::compile_time, 32, 128, 64, {32, 64, 96, 128}),
                 4, 256),
      typed_from(whole_axis("frames", "frames", "frames", "Frames in a batch.", log,
                            Binding::launch_shape, 1, 64, 8, {1, 2, 4, 8, 16, 32, 64}),
                 0, 100000),
      choice_axis("dtype", "type",
                  "The type of patterns and frames: f32, or bytes with exact integer sums.",
                  {"fp32", "uint8"}, Binding::compile_time),
      choice_axis("output", "output order",
                  "Whether the channels of an LED are adjacent in the output.",
                  {"interleaved", "planar"}, Binding::argument),
      only_where(choice_axis("sums", "sums", "Results divided by 255² as f32, or raw integers.",
                             {"scaled", "raw uint32"}, Binding::compile_time),
                 integers),
      only_where(choice_axis(
                     "quantise", "quantisation",
                     "How a pattern value becomes a byte: the published rule, or the unbiased one.",
                     {"254 truncated", "255 rounded"}),
                 integers),
      choice_axis("positions", "positions",
                  "Where the blocks are: at random, the same but sorted by halves, around centres, "
                  "on a panel, or at random per channel.",
                  {"uniform", "sorted", "clustered", "grid-jitter", "per-channel"}),
      choice_axis("patterns", "patterns",
                  "One to three spots of light per block, or your own files.",
                  {"generated", "raw files"}),
      file_axis(
          "pattern_folder", "folder of patterns",
          "The folder with values.raw and positions.raw, little-endian, in the arrays' layout.",
          {"/"}, "patterns", "raw files"),
      choice_axis("picture", "picture", "What the frames show. Frame f is time step f.",
                  {"plasma", "gradient", "moving ring", "files"}),
      file_axis(
          "frame_files", "files of frames",
          "A folder of .png and .ppm files, one per frame, or several files separated by ';'.",
          {".png", ".ppm", "/"}, "picture", "files"),
      only_for(choice_axis("fit", "other sizes", "How a picture of another size is handled.",
                           {"refuse", "bilinear"}),
               "picture", "files"),
      std::move(broken),
      std::move(load_width),
      std::move(block_known),
      std::move(copy),
      of_variants(typed_from(whole_axis("frame_tile", "frames per tile", "frames",
                                        "Frames whose sums a lane keeps at the same time.", log,
                                        Binding::compile_time, 1, 8, 8, {1, 2, 4, 8}),
                             1, 8),
                  {"leds_per_block", "pattern_in_registers", "dp4a_registers", "window_strips",
                   "window_boxes", "pick_by_shape"}),
      of_variants(
          typed_from(whole_axis("leds_per_block", "LEDs per block", "LEDs",
                                "Number of neighbouring LEDs that share a window of pixels.",
                                linear, Binding::compile_time, 1, 32, 16, {1, 4, 8, 16, 24, 32}),
                     1, 32),
          {"leds_per_block", "window_strips", "pick_by_shape"}),
      of_variants(typed_from(whole_axis("strip_rows", "rows per strip", "rows",
                                        "Rows of a window that are in shared memory together.", log,
                                        Binding::compile_time, 2, 16, 8, {4, 8, 16}),
                             1, 32),
                  {"window_strips", "pick_by_shape"}),
      of_variants(typed_from(whole_axis("stages", "strips in flight", "strips",
                                        "Strips in shared memory, including the one in use.",
                                        linear, Binding::compile_time, 2, 4, 2, {2, 3, 4}),
                             2, 4),
                  {"window_strips", "pick_by_shape"}),
      typed_from(whole_axis("seed", "seed", "", "Random seed of all inputs.", linear,
                            Binding::input, 0, 1e6, 42),
                 0, 9007199254740991.0),  // 2^53 - 1: exact in a double
  };
}

std::vector<Preset> led_presets() {
  using Values = std::map<std::string, std::string>;
  const auto sweep = [](std::string name, Values values) {
    return Preset{std::move(name),
                  "A sweep of the published benchmark: move the slider frames. "
                  "[[grid3d_shared_pattern.time.cold > single_frame_repeated.time.cold => The "
                  "published batch kernel loses here: {ratio(single_frame_repeated.time.cold, "
                  "grid3d_shared_pattern.time.cold)}× the speed of repeated single frames. | "
                  "grid3d_shared_pattern.time.cold < single_frame_repeated.time.cold => The "
                  "published batch kernel wins here: {ratio(single_frame_repeated.time.cold, "
                  "grid3d_shared_pattern.time.cold)}× the speed of repeated single frames.]]",
                  std::move(values)};
  };
  const Values production = {{"leds", "3008"}, {"channels", "3"}, {"height", "480"},
                             {"width", "800"}, {"block", "64"},   {"frames", "8"},
                             {"dtype", "fp32"}};
  const auto like_production = [&production](std::string name, std::string sentence,
                                             const Values& changes) {
    Preset preset{std::move(name), std::move(sentence), production};
    for (const auto& [axis, value] : changes) preset.values[axis] = value;
    return preset;
  };
  const Values small = {{"leds", "64"},  {"channels", "3"}, {"height", "128"}, {"width", "128"},
                        {"block", "32"}, {"frames", "8"},   {"dtype", "fp32"}};
  Values middle = small, large = small, bytes;
  middle.insert_or_assign("leds", "256");
  middle.insert_or_assign("block", "64");
  middle.insert_or_assign("height", "256");
  middle.insert_or_assign("width", "256");
  bytes = middle;
  bytes.insert_or_assign("dtype", "uint8");
  large.insert_or_assign("leds", "512");
  large.insert_or_assign("block", "64");
  large.insert_or_assign("height", "512");
  large.insert_or_assign("width", "512");
  return {
      like_production("3008 LEDs · 480×800 · F 8 (default)", "The article's problem in production.",
                      {}),
      like_production("3008 LEDs, bytes", "The same with patterns and frames as bytes.",
                      {{"dtype", "uint8"}}),
      like_production("1000 LEDs · F 16", "A smaller panel and a longer batch.",
                      {{"leds", "1000"}, {"frames", "16"}}),
      sweep("64 LEDs · 128×128 · B 32", small),
      sweep("256 LEDs · 256×256 · B 64", middle),
      sweep("512 LEDs · 512×512 · B 64", large),
      sweep("256 LEDs · 256×256 · B 64, bytes", bytes),
  };
}

Result<void> admit(const Configuration& axes) {
  const Shape s = shape_of(axes);
  if (s.block > s.height || s.block > s.width) {
    return failure(ErrorKind::usage,
                   "a block of " + std::to_string(s.block) + "×" + std::to_string(s.block) +
                       " does not fit inside a frame of " + std::to_string(s.height) + "×" +
                       std::to_string(s.width),
                   "axes block, height and width", "lower block or enlarge the frame");
  }
  constexpr std::int64_t kMostElements = 4'000'000'000;  // 16 GB of host memory
  const auto check = [](std::int64_t count, const char* what, const char* which) -> Result<void> {
    if (count <= kMostElements) return {};
    return failure(ErrorKind::usage,
                   std::string(what) + " would have " + std::to_string(count) + " elements", which,
                   "lower them until it is at most " + std::to_string(kMostElements));
  };
  return check(s.values(), "values", "axes leds, channels and block")
      .and_then([&] { return check(s.pixels(), "frames", "axes frames, height and width"); })
      .and_then([&] { return check(s.outputs(), "out", "axes frames and leds"); })
      .and_then([&] { return led::admit_files(axes); });
}

std::int64_t estimate_bytes(const Configuration& axes) {
  const Shape s = shape_of(axes);
  constexpr std::int64_t kReferenceBytes = 24;  // reference, accumulation, magnitude: 8 each
  return s.value_bytes * (s.values() + s.pixels()) + 8 * s.blocks() +
         (4 + kReferenceBytes) * s.outputs();
}

std::int64_t estimate_whole_bytes(const Configuration& axes) {
  const Shape s = shape_of(axes);
  return 8 * s.blocks() + (axes.text("patterns") == "raw files" ? s.value_bytes * s.values() : 0) +
         (axes.text("picture") == "files" ? s.value_bytes * s.pixels() : 0);
}

std::vector<BufferSpec> buffers(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const ElementType type = integers(w.axes) ? ElementType::u8 : ElementType::f32;
  const bool planar = led::planar(w.axes);
  const std::vector<std::int64_t> out_shape =
      planar ? std::vector<std::int64_t>{s.frames, s.channels, s.leds}
             : std::vector<std::int64_t>{s.frames, s.leds, s.channels};
  return {
      {"values",
       type,
       s.values(),
       BufferRole::input,
       {s.channels, s.leds, s.block, s.block},
       "values[C, N, B, B]"},
      {"positions",
       ElementType::i32,
       2 * s.blocks(),
       BufferRole::input,
       {s.channels, s.leds, 2},
       "positions[C, N, 2]"},
      {"frames",
       type,
       s.pixels(),
       BufferRole::input,
       {s.frames, s.channels, s.height, s.width},
       "frames[F, C, H, W]"},
      {"out", led::raw_sums(w.axes) ? ElementType::u32 : ElementType::f32, s.outputs(),
       BufferRole::output, out_shape, planar ? "out[F, C, N]" : "out[F, N, C]"},
  };
}

std::optional<std::string> nothing_to_do(const Workload& w) {
  if (w.integer("leds") == 0) return "empty: there are no LEDs";
  if (w.integer("frames") == 0) return "empty: there are no frames";
  return std::nullopt;
}

}  // namespace

// Long: a table of what the scene consists of.
Scene led_scene() {
  Scene scene;
  scene.name = "led";
  scene.title = "Brightness of LEDs from video frames, many frames per run";
  scene.story =
      "The brightness of an LED in a frame is the dot product of its pattern of weights and the "
      "pixels under it. Batching frames was meant to load each pattern once. "
      "[[grid3d_shared_pattern.time.cold > single_frame_repeated.time.cold => The first batch "
      "kernel takes {ratio(grid3d_shared_pattern.time.cold, single_frame_repeated.time.cold)} "
      "times as long as one launch per frame. | grid3d_shared_pattern.time.cold < "
      "single_frame_repeated.time.cold => The first batch kernel takes "
      "{ratio(grid3d_shared_pattern.time.cold, single_frame_repeated.time.cold)} of the time of "
      "one launch per frame here. | Within the noise, the first batch kernel takes as long as one "
      "launch per frame here. || Whether the first batch kernel gains from that depends on the "
      "sizes and the device.]] The counters show why: bank conflicts, patterns still read once per "
      "frame, and pixels that neighbours fetch again and again.";
  scene.axes = led_axes();
  scene.presets = led_presets();
  scene.hard_cases = led::hard_cases;
  scene.input_groups = {
      {"positions",
       {"leds", "channels", "height", "width", "block", "positions", "patterns", "pattern_folder",
        "seed"},
       {},
       {"positions"},
       led::generate_positions,
       led::make_elements,
       nullptr,
       led::has_elements,
       "the widest window of a group of blocks determines launch shapes, and sorted positions "
       "depend on each other"},
      {"groups", {"leds_per_block", "dtype"}, {"positions"}, {}, led::measure_groups},
      {"boxes", {"frames", "frame_tile", "dtype"}, {"positions"}, {}, led::measure_box_groups},
      {"cores", {"dtype"}, {"positions"}, {}, led::measure_core_groups},
      {"sectors",
       {"leds_per_block", "frames", "frame_tile", "dtype"},
       {"boxes"},
       {},
       led::measure_sectors},
      {"values",
       {"leds", "channels", "block", "dtype", "quantise", "patterns", "pattern_folder", "seed"},
       {},
       {"values"},
       led::generate_values,
       led::make_elements,
       nullptr,
       led::has_elements},
      {"frames",
       {"frames", "channels", "height", "width", "dtype", "picture", "frame_files", "fit", "seed"},
       {},
       {"frames"},
       led::generate_frames,
       led::make_elements,
       nullptr,
       led::has_elements},
  };
  scene.admit = admit;
  scene.estimate_bytes = estimate_bytes;
  scene.estimate_whole_bytes = estimate_whole_bytes;
  scene.buffers = buffers;
  scene.nothing_to_do = nothing_to_do;
  scene.references = led::references();
  scene.l2_expectation = led::l2_expectation();
  scene.work_terms = led::work_terms();
  scene.variants = led::variants(scene.axes);
  scene.article = led::article();
  scene.baseline = "single_frame_repeated";
  scene.library_baseline = "cusparse_csr";
  return scene;
}

}  // namespace warpscope
