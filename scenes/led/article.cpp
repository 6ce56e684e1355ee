// scenes/led/article.cpp: what the published article claims, as relations.
#include "scenes/led/article.h"

#include <string>
#include <utility>

namespace warpscope::led {

// All at the scene's defaults (3008 LEDs, 8 frames, f32, the two published kernels as in the text),
// cold, unless sizes are named.
namespace {

// The article's ratio: how many times as long repeated single frames take as the batch, both in one
// reading ("@load_width=4"; empty: as its text has them).
std::string gain(const std::string& reading = "") {
  return "ratio(single_frame_repeated" + reading + ".time.cold, grid3d_shared_pattern" + reading +
         ".time.cold)";
}

// The article's benchmark has its smallest system alone: 64 LEDs with blocks of 32×32. The sweep is
// that and the two larger systems of the scene's presets, over the frames that were recorded.
constexpr const char* kSweep = " over points@leds=64/256/512,height=128/256/512,dtype=fp32)";
constexpr const char* kEverywhere = " over points@dtype=fp32)";
constexpr const char* kAsShipped = "@load_width=4,block_known='compile time'";
constexpr const char* kSideKnown = "@block_known='compile time'";

std::string mean(const std::string& figure, const std::string& over) {
  return "mean(" + figure + over;
}
std::string most(const std::string& figure, const std::string& over) {
  return "max(" + figure + over;
}
std::string in_braces(const std::string& expression) { return "{" + expression + "}"; }

// What the article reports of its benchmark.
std::vector<ArticleClaim> benchmark() {
  const std::string smallest = "leds=64,height=128,width=128,block=32,frames=32";
  return {
      {"Throughput should scale linearly with the batch.",
       "ratio(4 * grid3d_shared_pattern.time.cold, grid3d_shared_pattern@frames=32.time.cold) ~ 4 "
       "within 10 %",
       "Four times as many frames take {ratio(grid3d_shared_pattern@frames=32.time.cold, "
       "grid3d_shared_pattern.time.cold)} times as long: the throughput is {ratio(4 * "
       "grid3d_shared_pattern.time.cold, grid3d_shared_pattern@frames=32.time.cold)} times as "
       "high[[ratio(4 * grid3d_shared_pattern.time.cold, "
       "grid3d_shared_pattern@frames=32.time.cold) ~ 4 within 10 % => . | : the time grows with "
       "the batch, not the throughput.]] The article did not check this criterion."},
      {"The batch is slower than repeated single frames, whatever the size.",
       std::string("count(grid3d_shared_pattern.time.cold <= single_frame_repeated.time.cold") +
           kEverywhere + " = 0",
       "The batch takes {grid3d_shared_pattern.time.cold}, {axis.frames} launches of one frame "
       "take {single_frame_repeated.time.cold}: " +
           in_braces(gain()) + "×. The best case is " + in_braces(most(gain(), kEverywhere)) +
           "× at " + in_braces("at_max(" + gain() + kEverywhere) +
           ". It is slower at {count(grid3d_shared_pattern.time.cold > "
           "single_frame_repeated.time.cold" +
           kEverywhere + "} of " + in_braces("points(" + gain() + kEverywhere) + "."},
      {"The batch reaches 0.36× the speed of repeated single frames on average.",
       mean(gain(), kSweep) + " ~ 0.36 within 15 %",
       in_braces(mean(gain(), kSweep)) + "× over " + in_braces("points(" + gain() + kSweep) +
           ", with {axis.load_width} bytes per load and the side as an argument; with 4 bytes per "
           "load and the side known at compile time " +
           in_braces(mean(gain(kAsShipped), kSweep)) + "×. Over all " +
           in_braces("count(" + gain() + kEverywhere) + " points of f32 it is " +
           in_braces(mean(gain(), kEverywhere)) + "×."},
      {"The batch reaches at best 0.69× the speed of repeated single frames.",
       most(gain(), kSweep) + " <= 0.69",
       in_braces(most(gain(), kSweep)) + "× at " + in_braces("at_max(" + gain() + kSweep) +
           ", the best of " + in_braces("points(" + gain() + kSweep) +
           ". With the side known at compile time it is " +
           in_braces(most(gain(kSideKnown), kSweep)) + "× at " +
           in_braces("at_max(" + gain(kSideKnown) + kSweep) + "."},
      {"Its best case is the smallest system, 64 LEDs with blocks of 32×32, with 32 frames.",
       gain("@" + smallest) + " >= " + most(gain(), kSweep),
       "There it reaches " + in_braces(gain("@" + smallest)) + "×: {grid3d_shared_pattern@" +
           smallest + ".time.cold} and {single_frame_repeated@" + smallest +
           ".time.cold}. The best is " + in_braces(most(gain(), kSweep)) + "× at " +
           in_braces("at_max(" + gain() + kSweep) + ", of " +
           in_braces("points(" + gain() + kSweep) + "."},
  };
}

// What it says of the kernel.
std::vector<ArticleClaim> kernel() {
  return {
      {"Both give the same results.",
       "grid3d_shared_pattern.outcome = 'correct' and single_frame_repeated.outcome = 'correct'",
       "The batch is {grid3d_shared_pattern.outcome}, the single frames are "
       "{single_frame_repeated.outcome}, each compared with a double-precision reference."},
      {"A pattern is loaded once for all frames instead of once per frame.",
       "grid3d_shared_pattern.l2.bytes_to_sm < 0.5 * single_frame_repeated.l2.bytes_to_sm",
       "{grid3d_shared_pattern.l2.bytes_to_sm} are read from L2 in the batch, "
       "{single_frame_repeated.l2.bytes_to_sm} in the single "
       "frames[[grid3d_shared_pattern.l2.bytes_to_sm < 0.5 * single_frame_repeated.l2.bytes_to_sm "
       "=> . | : a block is one frame, and loads its pattern for that frame alone.]]"},
      {"A block of 64×64 floats takes 64 KB of shared memory.", "64 * 64 * 4 B = 64 KiB",
       "64 · 64 · 4 bytes are 16 KiB, as its text says elsewhere; the kernel has "
       "{grid3d_shared_pattern.steps.shared_bytes}."},
      {"Each of 32 threads copies about 128 elements of the pattern.", "64 * 64 / 32 = 128",
       "64 · 64 values over 32 lanes are 128 each: the variant copies them one after the "
       "other[[grid3d_shared_pattern@copy='as listed'.time.cold > 0 us => and takes "
       "{grid3d_shared_pattern.time.cold}; with the published loop, which the compiler may unroll, "
       "it takes {grid3d_shared_pattern@copy='as listed'.time.cold} and has "
       "{grid3d_shared_pattern@copy='as listed'.shared.bank_conflicts} bank conflicts instead of "
       "{grid3d_shared_pattern.shared.bank_conflicts}. | . || .]]"},
      {"The reduction takes a workspace of 128 bytes in shared memory.",
       "grid3d_shared_pattern.steps.shared_bytes >= 64 * 64 * 4 B + 128 B",
       "Shuffles reduce in registers and need no workspace: the kernel has "
       "{grid3d_shared_pattern.steps.shared_bytes} of shared memory, and the pattern alone takes "
       "{64 * 64 * 4 B}."},
      {"Results are coalesced writes.",
       "32 B * grid3d_shared_pattern.l1.sectors_store <= 2 * 4 B * axis.leds * axis.channels * "
       "axis.frames",
       "{grid3d_shared_pattern.l1.sectors_store} sectors of 32 bytes are written for {axis.leds * "
       "axis.channels * axis.frames} results of 4 bytes: each block has one result, which one lane "
       "stores."},
  };
}

// The causes that it gives, and what it would try.
std::vector<ArticleClaim> causes_and_alternatives() {
  return {
      {"First cause: the latency of loading a block into shared memory.",
       "grid3d_shared_pattern.shared.bank_conflicts < 2 * "
       "grid3d_column_lanes.shared.bank_conflicts",
       "[[grid3d_shared_pattern.shared.bank_conflicts < 2 * "
       "grid3d_column_lanes.shared.bank_conflicts => No more conflicts than elsewhere: | It is not "
       "latency:]] {grid3d_shared_pattern.shared.bank_conflicts} bank conflicts are counted. The "
       "same copy with adjacent lanes on adjacent values has "
       "{grid3d_column_lanes.shared.bank_conflicts} and takes {grid3d_column_lanes.time.cold}."},
      {"Second cause: a grid of three dimensions has too many small blocks.",
       "grid3d_column_lanes.time.cold > 0.8 * grid3d_shared_pattern.time.cold",
       "The same grid with adjacent lanes on adjacent values takes "
       "{ratio(grid3d_column_lanes.time.cold, grid3d_shared_pattern.time.cold)} of the "
       "time[[grid3d_column_lanes.time.cold > 0.8 * grid3d_shared_pattern.time.cold => . | : the "
       "grid is not the cause.]] {grid3d_shared_pattern.occupancy.achieved} of a multiprocessor's "
       "warp slots are in use."},
      {"Third cause: the batch breaks coalescing.",
       "grid3d_shared_pattern.l1.sectors_per_request_load > 1.1 * "
       "single_frame_repeated.l1.sectors_per_request_load",
       "{grid3d_shared_pattern.l1.sectors_per_request_load} sectors per load request in the batch, "
       "{single_frame_repeated.l1.sectors_per_request_load} in the single frames."},
      {"Rows are read from shared memory with the same vector loads as from the image.",
       "grid3d_shared_pattern.shared.bank_conflicts < 0.1 * grid3d_shared_pattern.l1.wavefronts",
       "{grid3d_shared_pattern.shared.bank_conflicts} conflicts among "
       "{grid3d_shared_pattern.l1.wavefronts} wavefronts, from the copy's stores and from reads of "
       "rows that are 512 bytes apart."},
      {"Fourth cause: one LED, channel and frame per block.",
       "leds_per_block.l2.bytes_to_sm < 0.9 * pattern_in_registers.l2.bytes_to_sm",
       "Neighbours that share a window fetch {leds_per_block.l2.bytes_to_sm} from L2; with one LED "
       "per block it is {pattern_in_registers.l2.bytes_to_sm}."},
      {"A loop over the frames inside the block would help.",
       "grid2d_frame_loop.time.cold < single_frame_repeated.time.cold",
       "{grid2d_frame_loop.time.cold} instead of {single_frame_repeated.time.cold}."},
      {"Doing without shared memory would help.",
       "direct_global.time.cold < single_frame_repeated.time.cold",
       "{direct_global.time.cold} instead of {single_frame_repeated.time.cold}."},
      {"A layout with the frames innermost would help.",
       "frames_innermost.time.cold < direct_global.time.cold",
       "{frames_innermost.time.cold} including the rearrangement; coalesced reads in the old "
       "layout take {direct_global.time.cold}."},
      {"Several LEDs per block would help.",
       "best.cold(leds_per_block, window_strips, window_boxes) < direct_global.time.cold",
       "{leds_per_block.time.cold} with whole windows, {window_strips.time.cold} in strips, "
       "{window_boxes.time.cold} in boxes; with one LED per block {direct_global.time.cold}."},
  };
}

}  // namespace

std::vector<ArticleClaim> article() {
  std::vector<ArticleClaim> all = benchmark();
  for (auto* part : {&kernel, &causes_and_alternatives}) {
    for (ArticleClaim& claim : (*part)()) all.push_back(std::move(claim));
  }
  return all;
}

}  // namespace warpscope::led
