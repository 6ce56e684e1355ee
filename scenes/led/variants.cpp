// scenes/led/variants.cpp: led's variants: names, words, constraints and tolerances.
#include "scenes/led/variants.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "scenes/led/constraints.h"
#include "scenes/led/shapes.h"
#include "scenes/led/steps.h"
#include "scenes/led/work.h"

namespace warpscope::led {
namespace {

// A sum of block² f32 products. Below the smallest normal number, 2⁻¹²⁶, a product has fewer
// bits, and a library may take it for 0.
Tolerance within(double magnitude, const Configuration& axes) {
  const auto block = static_cast<double>(axes.integer("block"));
  return {.magnitude = magnitude, .absolute = block * block * std::ldexp(1.0, -126)};
}

// Sums of f32 products must stay within 1e-5 of Σ|a·b|. Sums of bytes are exact, so division by
// 255² leaves only the rounding of one quotient: at most one unit in the last place.
Tolerance exact_or_f32(const Configuration& axes) {
  if (!integers(axes)) return within(1e-5, axes);
  if (raw_sums(axes)) return {};
  return {.reference = std::ldexp(1.0, -23)};
}

// Why more comes from DRAM than every pattern and pixel once.
void explain_pushed_out(Variant& v, double most_ratio) {
  explain(
      v, "model.dram_read_bytes", Side::below, most_ratio,
      "Patterns stream through L2 and evict pixels that other blocks need again. How many varies.");
}

std::int64_t window_strips_bytes(const Workload& w) { return window_strips_form(w).shared_bytes; }

// How often patterns are read.
std::int64_t once_a_frame(const Workload& w) { return w.integer("frames"); }
std::int64_t once_in_8_frames(const Workload& w) { return ceil_divide(w.integer("frames"), 8); }
std::int64_t once_in_32_frames(const Workload& w) { return ceil_divide(w.integer("frames"), 32); }
std::int64_t once_a_resident_tile(const Workload& w) {
  return ceil_divide(w.integer("frames"), resident_frames(w));
}
std::int64_t once_a_tile(const Workload& w) {
  return ceil_divide(w.integer("frames"), frames_of_tile(w));
}

// What variants read.
constexpr Reads kDirect = {.patterns = once_in_8_frames, .apart = true};
constexpr Reads kInRegisters = {.pattern_held = true};
constexpr Reads kStrips = {
    .patterns = once_a_tile, .pixels = Pixels::windows, .pattern_held = true};
constexpr Reads kBoxes = {
    .patterns = once_a_tile, .apart = true, .pixels = Pixels::boxes, .pattern_held = true};

// The rows of a window begin inside a sector.
void explain_copied_sectors(Variant& v, double most_ratio) {
  explain(v, kL2ReadTerm, Side::below, most_ratio,
          "An asynchronous copy counts the shared-memory sectors that it fills, twice if they come "
          "from two lines. That is more than it reads if it shifts the data.");
}

std::vector<Variant> seed_variants() {
  Variant single = led_variant(
      "single_frame_repeated", "single frame, repeated", "seed",
      "It launches once per frame, with one warp per LED. Each lane handles whole rows of the "
      "LED's block of pixels.",
      "[[single_frame_repeated.l1.sectors_per_request_load > 24 => Sectors per load request: "
      "{l1.sectors_per_request_load:single_frame_repeated}, nearly one per lane. | Sectors per "
      "load request: {l1.sectors_per_request_load:single_frame_repeated}. || Sectors per load "
      "request.]] Lanes read distant rows. Every pattern is read once per frame.",
      single_frame_repeated_steps);
  charge_reads(single, {.patterns = once_a_frame, .apart = true});
  single.constraints = {lanes_own_rows(), quads_aligned()};
  explain(single, kL2ReadTerm, Side::below, 0.12,
          "With one row per lane a request touches 32 lines, and each line is needed eight times. "
          "L1 evicts some of them before that, so they come from L2 again.");

  Variant shared = led_variant(
      "grid3d_shared_pattern", "3-D grid, shared pattern", "seed",
      "One launch for all frames. Each block copies its pattern to shared memory and uses it for "
      "one frame. Each lane copies a contiguous part value by value: `volatile` and `unroll 1` "
      "keep its stores separate. The axis “copy of the pattern” has the published loop.",
      "Shared-memory wavefronts per request, and the occupancy with a whole pattern in shared "
      "memory per warp[[grid3d_shared_pattern.occupancy.achieved < 100 % => : "
      "{occupancy.achieved:grid3d_shared_pattern}]].",
      grid3d_shared_pattern_steps);
  shared.accuracy = "f32 sums, also over the lanes for bytes";
  shared.tolerance_at = [](const Configuration& axes) {
    return integers(axes) ? Tolerance{.reference = 1e-6} : exact_or_f32(axes);
  };
  // Beside 16 KB a block of patterns L1 loses most lines before they are used up: it reads up to 13
  // times what L1 could save, which is not expected but an interval.
  charge_reads(shared, {.patterns = once_a_frame, .apart = true});
  charge(shared, kL2ReadTerm, [](const Workload&) { return std::nullopt; });
  shared.constraints = {
      lanes_own_rows(),
      quads_aligned(),
      shared_bytes_fit(pattern_bytes),
      blocks_fit_the_seeds_array(),
      listed_copies_know_no_side(),
      frames_fit_grid_z(),
      {"sums must be scaled", [](const Workload& w, const DeviceLimits&) -> Violation {
         if (!raw_sums(w.axes)) return std::nullopt;
         return "the sum over the lanes is in float and rounds above 2²⁴, so raw sums would be "
                "wrong";
       }}};

  Variant columns = led_variant(
      "grid3d_column_lanes", "3-D grid, lanes side by side", "ablation",
      "The same grid and copy, but neighbouring lanes read neighbouring values.",
      "The cost of bank conflicts and uncoalesced sectors alone[[grid3d_column_lanes.time.cold < "
      "grid3d_shared_pattern.time.cold => : {time.cold:grid3d_column_lanes} instead of "
      "{time.cold:grid3d_shared_pattern} | : {time.cold:grid3d_column_lanes} without, "
      "{time.cold:grid3d_shared_pattern} with them]]. A block still handles one frame.",
      grid3d_column_lanes_steps);
  charge_reads(columns, {.patterns = once_a_frame, .apart = true});
  columns.constraints = {shared_bytes_fit(pattern_bytes), frames_fit_grid_z()};
  return {std::move(single), std::move(shared), std::move(columns)};
}

std::vector<Variant> frame_loop_variants() {
  Variant loop =
      led_variant("grid2d_frame_loop", "2-D grid, frame loop", "ours",
                  "The loop over frames moves into the block: a pattern is loaded once, coalesced, "
                  "and used for all frames.",
                  "DRAM bytes: the pattern is loaded once, not once per "
                  "frame[[grid2d_frame_loop.dram.bytes_read < grid3d_column_lanes.dram.bytes_read "
                  "=> , and {dram.bytes_read:grid2d_frame_loop} are read instead of "
                  "{dram.bytes_read:grid3d_column_lanes} | , and no fewer bytes are read than with "
                  "one frame per block: a cache had them]].",
                  grid2d_frame_loop_steps);
  charge_reads(loop, {});
  loop.constraints = {shared_bytes_fit(pattern_bytes)};

  Variant direct =
      led_variant("direct_global", "direct, no shared memory", "ours",
                  "One warp per frame reads pattern and pixels from global memory, "
                  "coalesced. The warps of a block share one pattern through L1.",
                  "A pattern value is used once per frame: [[direct_global.time.cold "
                  "<= grid2d_frame_loop.time.cold => without shared memory it is no "
                  "slower than the frame loop with it. | the frame loop with shared "
                  "memory is faster here all the same, {time.cold:grid2d_frame_loop} "
                  "with cold caches. || is shared memory needed? Compare it with the frame loop.]]",
                  direct_global_steps);
  charge_reads(direct, kDirect);
  direct.constraints = {frames_fit_grid_z()};

  Variant innermost = led_variant(
      "frames_innermost", "frames innermost", "ours",
      "Frames are first rearranged with the batch innermost. The lanes of a warp then read one "
      "pixel of many frames.",
      "Requests read whole lines, but rearranging all frames costs "
      "extra[[abs(ratio(frames_innermost.l2.bytes_to_sm, pattern_in_registers.l2.bytes_to_sm) - 1) "
      "< 10 % => ; the bytes from L2 hardly change | frames_innermost.l2.bytes_to_sm < "
      "pattern_in_registers.l2.bytes_to_sm => ; {ratio(frames_innermost.l2.bytes_to_sm, "
      "pattern_in_registers.l2.bytes_to_sm)} of the bytes from L2 | ; the bytes from L2 rise]].",
      frames_innermost_steps);
  innermost.scratch = frames_innermost_scratch;
  charge_reads(innermost,
               {.patterns = once_in_32_frames, .apart = true, .pixels = Pixels::innermost});
  return {std::move(loop), std::move(direct), std::move(innermost)};
}

Variant registers_variant() {
  Variant registers = led_variant(
      "pattern_in_registers", "pattern in registers", "ours",
      "The threads of a block keep the pattern in registers and loop over tiles of frames.",
      "A pattern is loaded from L2 once. What remains are the pixels under the "
      "blocks[[pattern_in_registers.l2.bytes_to_sm > 2 * pattern_in_registers.model.dram_bytes => "
      ": {ratio(pattern_in_registers.l2.bytes_to_sm, pattern_in_registers.model.dram_bytes)} times "
      "what patterns and frames hold | : {l2.bytes_to_sm:pattern_in_registers} in all]].",
      pattern_in_registers_steps);
  charge_reads(registers, kInRegisters);
  registers.constraints = {
      quads_aligned(),
      {"a thread holds at most 64 values", [](const Workload& w, const DeviceLimits&) -> Violation {
         if (pattern_threads(w) != 0) return std::nullopt;
         const std::int64_t block = w.integer("block");
         return "B² / 512 threads = " + std::to_string(ceil_divide(block * block, 512)) +
                " values per thread; its registers hold 64";
       }}};
  registers.applies = [](const Configuration& axes) { return !integers(axes); };
  return registers;
}

Variant dp4a_variant() {
  Variant dp4a = registers_variant();
  dp4a.name = "dp4a_registers";
  dp4a.label = "four-byte dot products";
  dp4a.sentence =
      "The threads of a block keep the pattern's bytes in registers. One instruction adds four "
      "products to a 32-bit sum.";
  dp4a.look_at =
      "The same kernel with bytes instead of floats[[dp4a_registers.binds.cold = 'L2' => : L2 "
      "still limits it. | : {dp4a_registers.binds.cold} limits it. || : which roof limits it?]]";
  dp4a.applies = integers;
  return dp4a;
}

Variant automatic_variant(const std::vector<Variant>& among, const std::vector<Axis>& axes) {
  const auto choice = std::make_shared<const AutomaticChoice>("led", "pick_by_shape",
                                                              choice_features(axes), among, axes);
  Variant pick = led_variant(
      "pick_by_shape", "pick by shape", "ours", kFittedChoiceSentence,
      "The picked variant and the reason are next to its name. [[pick_by_shape.time.cold <= 1.03 * "
      "best.cold(like.pick_by_shape) => Nothing that gives the same results is more than 3 % "
      "faster here. | {fastest.cold(like.pick_by_shape)} gives the same results in "
      "{ratio(best.cold(like.pick_by_shape), pick_by_shape.time.cold)} of its time here.]]",
      nullptr);
  act_as_picked(pick, choice, work_terms());
  return pick;
}

Variant early_exit_variant() {
  Variant early = led_variant(
      "frames_per_warp_early_exit", "early exit (wrong if frames % 8 > 0)", "lesson",
      "Wrong on purpose if the number of frames is not a multiple of 8: warps without a frame exit "
      "before loading their share of the pattern.",
      "The emulator names the shared values that no thread wrote, and the source line.",
      frames_per_warp_early_exit_steps);
  charge_reads(early, {.patterns = once_in_8_frames, .apart = true});
  early.applies = [](const Configuration& axes) {
    return axes.has("broken") && axes.text("broken") == "on";
  };
  early.constraints = {shared_bytes_fit(pattern_bytes), frames_fit_grid_z()};
  early.expected_fault = [](const Workload& w) -> Violation {
    const std::int64_t absent = (8 - w.integer("frames") % 8) % 8;
    if (absent == 0) return std::nullopt;
    return std::to_string(absent) +
           " warps have no frame and exit before loading their share of the pattern";
  };
  return early;
}

Variant leds_per_block_variant() {
  Variant whole = led_variant(
      "leds_per_block", "LEDs per block", "ours",
      "Neighbouring LEDs share a thread block. The window of pixels under all of them is in shared "
      "memory, for as many frames as fit.",
      "Patterns are read once per tile of frames; pixels of the window are "
      "shared[[leds_per_block.l2.bytes_to_sm < pattern_in_registers.l2.bytes_to_sm => : "
      "{l2.bytes_to_sm:leds_per_block} from L2 instead of {l2.bytes_to_sm:pattern_in_registers} | "
      ": but no fewer bytes come from L2 than for the pattern in registers]].",
      leds_per_block_steps);
  whole.scratch = groups_scratch;
  charge_reads(whole,
               {.patterns = once_a_resident_tile, .pixels = Pixels::windows, .pattern_held = true});
  whole.constraints = {quads_aligned(), shared_bytes_fit(leds_per_block_bytes)};
  explain_copied_sectors(whole, 0.2);  // 16 % on an H200
  explain(whole, "model.dram_read_bytes", Side::below, 0.26,
          "Patterns are read again for every tile of frames. L2 still has most of them, not all: "
          "on an H200, 22 % of the bytes were read again.");
  whole.choice = [](const Workload& w) {
    return std::to_string(resident_frames(w)) + " frames of the largest window fit together";
  };
  return whole;
}

Variant window_strips_variant() {
  Variant strips = led_variant(
      "window_strips", "window strips", "ours",
      "A group's window streams through shared memory in strips of rows, for all frames (cp.async, "
      "not bulk tensor copies). Each pattern row is read once, directly into registers.",
      "The markers of DRAM, L2 and shared memory: a strip is used while the next is copied. "
      "[[window_strips.binding_ratio.cold < 90 % => {window_strips.binds.cold} limits it, at "
      "{window_strips.binding_ratio.cold} of that roof: better overlap would help. | "
      "{window_strips.binds.cold} limits it, at {window_strips.binding_ratio.cold} of that roof.]]",
      window_strips_steps);
  strips.scratch = groups_scratch;
  charge_reads(strips, kStrips);
  strips.constraints = {quads_aligned(), shared_bytes_fit(window_strips_bytes)};
  explain_copied_sectors(strips, 0.26);  // 17 and 22 % on an H200
  explain_pushed_out(strips, 0.16);      // 12 %
  return strips;
}

Variant window_boxes_variant() {
  Variant boxes =
      led_variant("window_boxes", "window boxes", "ours",
                  "The hardware copies the window in boxes of columns, rows and frames (bulk "
                  "tensor copies). Persistent blocks, one per multiprocessor, copy the first "
                  "strips of the next group while they still use those of the current one.",
                  "No consumer warp copies or waits at a block barrier: compare stalls and DRAM "
                  "rate with window strips. [[window_boxes.time.cold < window_strips.time.cold => "
                  "It takes {ratio(window_boxes.time.cold, window_strips.time.cold)} times as "
                  "long. | window_boxes.time.cold > window_strips.time.cold => Here it is "
                  "slower. | Here the difference is within the noise.]]",
                  window_boxes_steps);
  boxes.scratch = window_boxes_scratch;
  charge_reads(boxes, kBoxes);
  boxes.constraints = {
      quads_aligned(), bulk_tensor_copies(), frame_rows_aligned(),
      shared_bytes_fit([](const Workload& w) { return window_boxes_form(w).shared_bytes; })};
  return boxes;
}

Variant window_tensor_core_variant() {
  Variant cores =
      led_variant("window_tensor_core", "window on tensor cores", "ours",
                  "A group's LEDs, eight frames and the window's pixels form a small matrix "
                  "product on tensor cores, with zeros outside the blocks. Three TF32 products "
                  "replace one of f32; byte products are exact.",
                  "Shared memory is read once for all LEDs of a group. Many small copies and "
                  "address computations are added. [[window_tensor_core.time.cold > "
                  "window_boxes.time.cold => It is slower than window boxes here, so arithmetic "
                  "was not the limit. | window_tensor_core.time.cold < window_boxes.time.cold => "
                  "It is faster than window boxes here. | It is no faster than window boxes here. "
                  "|| Is it an improvement over window boxes?]]",
                  [](const Workload& w) { return window_tensor_core_steps(w, 3); });
  cores.accuracy = "3×TF32 products, exact for bytes";
  cores.pipe_at = [](const Configuration& axes) {
    return integers(axes) ? Pipe::mma_s8 : Pipe::mma_tf32;
  };
  cores.scratch = window_tensor_core_scratch;
  charge_reads(cores, {.patterns = once_in_8_frames, .pixels = Pixels::cores});
  explain_pushed_out(cores, 0.34);  // 30 % on an H200
  cores.constraints = {
      quads_aligned(),
      bulk_tensor_copies(),
      frame_rows_aligned(),
      byte_sums_fit_32_bits(),
      pattern_rows_aligned(),
      shared_bytes_fit([](const Workload& w) { return window_tensor_core_form(w).shared_bytes; })};
  return cores;
}

Variant window_tensor_core_1_variant() {
  Variant rounded = window_tensor_core_variant();
  rounded.name = "window_tensor_core_1";
  rounded.label = "the same, rounded to TF32";
  rounded.sentence =
      "The same with pixels and patterns rounded to TF32: one product instead of three.";
  rounded.look_at = "What one product instead of three saves, and what it costs in accuracy.";
  rounded.accuracy = "TF32 products";
  rounded.tolerance_at = [](const Configuration& axes) { return within(2e-3, axes); };
  rounded.steps = [](const Workload& w) { return window_tensor_core_steps(w, 1); };
  rounded.applies = [](const Configuration& axes) { return !integers(axes); };
  return rounded;
}

}  // namespace

Variant led_variant(std::string name, std::string label, std::string family, std::string sentence,
                    std::string look_at, std::function<Steps(const Workload&)> steps) {
  Variant v;
  v.name = std::move(name);
  v.label = std::move(label);
  v.family = std::move(family);
  v.sentence = std::move(sentence);
  v.look_at = std::move(look_at);
  v.accuracy = "f32 sums, exact for bytes";
  v.reference = "exact";
  v.tolerance_at = exact_or_f32;
  // Bytes are multiplied one by one in places, which is slower: dp4a is the ceiling of both.
  v.pipe_at = [](const Configuration& axes) { return integers(axes) ? Pipe::dp4a : Pipe::fp32; };
  v.steps = std::move(steps);
  explain_pushed_out(v, 0.1);  // 7 % at most on an H200
  return v;
}

std::vector<Variant> variants(const std::vector<Axis>& axes) {
  std::vector<Variant> all = seed_variants();
  for (Variant& v : frame_loop_variants()) all.push_back(std::move(v));
  for (auto made :
       {leds_per_block_variant, registers_variant, window_strips_variant, window_boxes_variant,
        window_tensor_core_variant, window_tensor_core_1_variant, dp4a_variant})
    all.push_back(made());
  std::vector<Variant> libraries = library_variants();
  std::vector<Variant> among = all;
  among.insert(among.end(), libraries.begin(), libraries.end());
  all.push_back(automatic_variant(among, axes));
  all.push_back(early_exit_variant());
  for (Variant& v : libraries) all.push_back(std::move(v));
  return all;
}

}  // namespace warpscope::led
