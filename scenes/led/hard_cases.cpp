// scenes/led/hard_cases.cpp: the hard cases of `led`.
#include "scenes/led/hard_cases.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "scenes/led/shapes.h"

namespace warpscope::led {
namespace {

using Values = std::map<std::string, std::string>;

// Light up to the edges of every pattern, where drawn spots have none: a last row or column that is
// left out shows.
void lit_edges(const Workload& w, Inputs& inputs) {
  HostArray& values = inputs.at("values");
  if (integers(w.axes)) {
    for (std::uint8_t& value : values.as<std::uint8_t>()) value = std::max(value, std::uint8_t{63});
  } else {
    for (float& value : values.as<float>()) value = std::max(value, 0.3f);
  }
}

HardCase at(std::string name, std::string sentence, Values sizes) {
  Values values = {{"leds", "17"},   {"channels", "2"}, {"height", "71"},
                   {"width", "100"}, {"block", "32"},   {"frames", "9"}};
  for (auto& [axis, value] : sizes) values.insert_or_assign(axis, std::move(value));
  return {std::move(name), std::move(sentence), std::move(values), lit_edges};
}

// Frame 0 is zero: what is no number in a pattern must show there all the same.
void not_finite_patterns(const Workload& w, Inputs& inputs) {
  const Shape s = shape_of(w.axes);
  HostArray &values = inputs.at("values"), &frames = inputs.at("frames");
  const std::span<float> pixels = frames.as<float>();
  std::fill_n(pixels.begin(), s.channels * s.height * s.width, 0.0f);
  const std::int64_t area = s.block * s.block;
  poke(values, 3 * area + 77, kNotANumber);
  poke(values, 5 * area, kInfinity);
  poke(values, (s.leds + 8) * area - 1, -kInfinity);  // the last of a pattern of channel 1
}

// Pixels that lie in windows of blocks which do not reach them.
void not_finite_pixels(const Workload& w, Inputs& inputs) {
  const Shape s = shape_of(w.axes);
  HostArray& frames = inputs.at("frames");
  const std::int64_t plane = s.height * s.width;
  poke(frames, s.channels * plane + 40 * s.width + 48, kInfinity);  // frame 1, channel 0
  poke(frames, (2 * s.channels + 1) * plane + 20 * s.width + 33,
       kNotANumber);  // frame 2, channel 1
}

// The largest sums of bytes: beyond what a float, or a scale that was cut to a byte, can hold.
void brightest(const Workload&, Inputs& inputs) {
  for (const char* array : {"values", "frames"})
    std::ranges::fill(inputs.at(array).as<std::uint8_t>(), std::uint8_t{255});
}

// Nine frames of 16384 × 16384 pixels: 2.4e9 of them.
HardCase far_frames() {
  HardCase far = at(
      "far_frames", "Pixels with indices beyond 2^31.",
      {{"leds", "1"}, {"channels", "1"}, {"height", "16384"}, {"width", "16384"}, {"frames", "9"}});
  far.change = nullptr;
  // What lays out all frames anew would run for hours.
  far.variants = {"single_frame_repeated", "grid3d_shared_pattern", "grid3d_column_lanes",
                  "grid2d_frame_loop",     "direct_global",         "pattern_in_registers",
                  "leds_per_block",        "window_strips",         "window_boxes"};
  far.elements = [](const Workload& w, const Inputs&) {
    std::vector<std::int64_t> all;
    for (std::int64_t f = 0; f < w.integer("frames"); ++f) all.push_back(f);
    return all;
  };
  return far;
}

// 786432 patterns of 4096 values: 3.2e9 of them. The last block is of the last pattern.
HardCase far_patterns() {
  HardCase far = at("far_patterns", "Pattern values with indices beyond 2^31.",
                    {{"leds", "262144"},
                     {"channels", "3"},
                     {"height", "64"},
                     {"width", "64"},
                     {"block", "64"},
                     {"frames", "1"}});
  far.change = nullptr;
  far.variants = {"single_frame_repeated", "grid3d_shared_pattern", "grid3d_column_lanes",
                  "grid2d_frame_loop",     "direct_global",         "pattern_in_registers"};
  far.elements = [](const Workload& w, const Inputs&) {
    return std::vector<std::int64_t>{w.integer("leds") * w.integer("channels") - 1};
  };
  far.blocks = {-1};
  return far;
}

}  // namespace

std::vector<HardCase> hard_cases() {
  HardCase above = at("one_above_tiles",
                      "One LED above a group of 16 and one frame above a tile of 8. The published "
                      "batch kernel sums in the same order as its single frames.",
                      {{"output", "planar"}});
  above.same_bits_as = {{"grid3d_shared_pattern", "single_frame_repeated"}};
  HardCase known = above;
  known.name = "side_at_compile_time";
  known.sentence = "The two published kernels with the block side known and 4-byte loads.";
  known.values["block_known"] = "compile time";
  known.values["load_width"] = "4";
  known.values["block"] = "64";
  HardCase known_bytes =
      at("side_at_compile_time_of_bytes", "The same with bytes and blocks of 32.",
         {{"dtype", "uint8"}, {"width", "112"}, {"block_known", "compile time"}});
  HardCase patterns =
      at("not_finite_patterns", "NaN and infinities in patterns, also over a frame of zeros.", {});
  patterns.change = not_finite_patterns;
  HardCase pixels =
      at("not_finite_pixels",
         "A NaN and an infinity in pixels that are in windows but not in all of their blocks.", {});
  pixels.change = not_finite_pixels;
  HardCase largest = at("brightest_bytes", "Every byte is 255: the largest sums, divided by 255².",
                        {{"dtype", "uint8"}, {"width", "112"}, {"leds", "9"}});
  largest.change = brightest;
  HardCase raw = largest;
  raw.name = "brightest_raw_bytes";
  raw.sentence = "The same as raw integers: every bit counts.";
  raw.values["sums"] = "raw uint32";
  return {
      at("one_below_tiles", "One LED below a group of 16 and one frame below a tile of 8.",
         {{"leds", "15"}, {"frames", "7"}, {"height", "33"}, {"width", "36"}}),
      at("whole_tiles", "One full group, one full tile of frames, and frames as large as a block.",
         {{"leds", "16"}, {"frames", "8"}, {"height", "32"}, {"width", "32"}}),
      std::move(above),
      std::move(known),
      std::move(known_bytes),
      at("one_frame", "One frame, one channel and one LED.",
         {{"leds", "1"}, {"channels", "1"}, {"frames", "1"}}),
      at("many_frames", "33 frames: one above every tile of 8, 16 and 32.",
         {{"leds", "5"}, {"frames", "33"}}),
      at("odd_sides", "Sides of frames and blocks are primes.",
         {{"leds", "13"}, {"height", "73"}, {"width", "101"}, {"block", "37"}}),
      at("blocks_of_36", "Block sides are multiples of four, but not of a warp.",
         {{"leds", "19"}, {"block", "36"}, {"positions", "clustered"}}),
      at("bytes", "Bytes with sizes one above every tile, divided by 255².",
         {{"dtype", "uint8"}, {"width", "112"}}),
      at("odd_bytes", "Bytes with prime row lengths.",
         {{"dtype", "uint8"}, {"width", "101"}, {"height", "73"}, {"output", "planar"}}),
      std::move(largest),
      std::move(raw),
      std::move(patterns),
      std::move(pixels),
      far_frames(),
      far_patterns(),
  };
}

}  // namespace warpscope::led
