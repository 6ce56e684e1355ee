// scenes/led/article.cpp: what the seed behind the scene claims, as relations.
#include "scenes/led/article.h"

namespace warpscope::led {

// All at the scene's defaults (3008 LEDs, 8 frames, f32, the seed's two kernels as the text has
// them), cold, but for what names its sizes.
// Long: a table of claims, one after the other.
std::vector<ArticleClaim> article() {
  return {
      {"Batching the frames pays: expected was a time that grows with the patterns alone.",
       "grid3d_shared_pattern.time.cold < single_frame_repeated.time.cold",
       "The batch takes {grid3d_shared_pattern.time.cold}, eight launches of one frame "
       "{single_frame_repeated.time.cold}: {ratio(single_frame_repeated.time.cold, "
       "grid3d_shared_pattern.time.cold)}×."},
      {"Measured, the batch reaches 0.36× of repeated single frames on average.",
       "ratio(single_frame_repeated.time.cold, grid3d_shared_pattern.time.cold) ~ 0.36 within 15 %",
       "{ratio(single_frame_repeated.time.cold, grid3d_shared_pattern.time.cold)}× with "
       "{axis.leds} LEDs and {axis.load_width} bytes a load; with 4 bytes a load and a side that "
       "the compiler knows {ratio(single_frame_repeated@load_width=4,block_known='compile "
       "time'.time.cold, grid3d_shared_pattern@load_width=4,block_known='compile "
       "time'.time.cold)}×."},
      {"Measured, the batch reaches at best 0.69× of repeated single frames.",
       "ratio(single_frame_repeated.time.cold, grid3d_shared_pattern.time.cold) <= 0.69",
       "{ratio(single_frame_repeated.time.cold, grid3d_shared_pattern.time.cold)}× with "
       "{axis.load_width} bytes a load."},
      {"The batch loses with few LEDs too: 64 of them, blocks of 32×32.",
       "grid3d_shared_pattern@leds=64,height=128,width=128,block=32.time.cold > "
       "single_frame_repeated@leds=64,height=128,width=128,block=32.time.cold",
       "{ratio(single_frame_repeated@leds=64,height=128,width=128,block=32.time.cold, "
       "grid3d_shared_pattern@leds=64,height=128,width=128,block=32.time.cold)}× at 8 frames: "
       "{grid3d_shared_pattern@leds=64,height=128,width=128,block=32.time.cold} and "
       "{single_frame_repeated@leds=64,height=128,width=128,block=32.time.cold}."},
      {"Its time grows with the frames in proportion.",
       "grid3d_shared_pattern@frames=32.time.cold ~ 4 * grid3d_shared_pattern.time.cold within 5 %",
       "{grid3d_shared_pattern.time.cold} with 8 frames, "
       "{grid3d_shared_pattern@frames=32.time.cold} "
       "with 32: {ratio(grid3d_shared_pattern@frames=32.time.cold, "
       "grid3d_shared_pattern.time.cold)}× for four times the frames and the same patterns."},
      {"Bytes are 1.44 times as fast at 8 frames.",
       "ratio(single_frame_repeated.time.cold, single_frame_repeated@dtype=uint8.time.cold) ~ 1.44 "
       "within 10 %",
       "{single_frame_repeated@dtype=uint8.time.cold} in bytes, {single_frame_repeated.time.cold} "
       "in "
       "f32: {ratio(single_frame_repeated.time.cold, "
       "single_frame_repeated@dtype=uint8.time.cold)}×, "
       "with every LED placed. The figure was had with seven LEDs of eight in one corner."},
      {"Both give the same results.",
       "grid3d_shared_pattern.outcome = 'correct' and single_frame_repeated.outcome = 'correct'",
       "The batch is {grid3d_shared_pattern.outcome}, the single frames are "
       "{single_frame_repeated.outcome}, each held to a reference in double precision."},
      {"A pattern is loaded once for all frames instead of once a frame.",
       "grid3d_shared_pattern.l2.bytes_to_sm < 0.5 * single_frame_repeated.l2.bytes_to_sm",
       "{grid3d_shared_pattern.l2.bytes_to_sm} cross from L2 in the batch, "
       "{single_frame_repeated.l2.bytes_to_sm} in the single "
       "frames[[grid3d_shared_pattern.l2.bytes_to_sm < 0.5 * single_frame_repeated.l2.bytes_to_sm "
       "=> . | : a block is one frame, and loads its pattern for that one.]]"},
      {"A block of 64×64 floats takes 64 KB of shared memory.", "64 * 64 * 4 B = 64 KiB",
       "64 · 64 · 4 bytes are 16 KiB."},
      {"First cause: the latency of loading a block into shared memory.",
       "grid3d_shared_pattern.shared.bank_conflicts < 2 * "
       "grid3d_column_lanes.shared.bank_conflicts",
       "[[grid3d_shared_pattern.shared.bank_conflicts < 2 * "
       "grid3d_column_lanes.shared.bank_conflicts => No more conflicts than elsewhere: | It is not "
       "latency:]] {grid3d_shared_pattern.shared.bank_conflicts} bank conflicts are "
       "counted. The same copy with lanes side by side has "
       "{grid3d_column_lanes.shared.bank_conflicts} and takes {grid3d_column_lanes.time.cold}."},
      {"Second cause: a grid of three dimensions has too many small blocks.",
       "grid3d_column_lanes.time.cold > 0.8 * grid3d_shared_pattern.time.cold",
       "The same grid with lanes side by side takes {ratio(grid3d_column_lanes.time.cold, "
       "grid3d_shared_pattern.time.cold)} of the time[[grid3d_column_lanes.time.cold > 0.8 * "
       "grid3d_shared_pattern.time.cold => . | : the grid is not what costs.]] "
       "{grid3d_shared_pattern.occupancy.achieved} of a multiprocessor's warps are at work."},
      {"Third cause: the batch breaks coalescing.",
       "grid3d_shared_pattern.l1.sectors_per_request_load > 1.1 * "
       "single_frame_repeated.l1.sectors_per_request_load",
       "{grid3d_shared_pattern.l1.sectors_per_request_load} sectors a load request in the batch, "
       "{single_frame_repeated.l1.sectors_per_request_load} in the single frames."},
      {"Rows are read from shared memory with the same vectors as from the image.",
       "grid3d_shared_pattern.shared.bank_conflicts < 0.1 * grid3d_shared_pattern.l1.wavefronts",
       "{grid3d_shared_pattern.shared.bank_conflicts} conflicts among "
       "{grid3d_shared_pattern.l1.wavefronts} wavefronts: of the copy's stores, and of reads from "
       "rows that lie 512 bytes apart."},
      {"Fourth cause: one LED, channel and frame a block.",
       "leds_per_block.l2.bytes_to_sm < 0.9 * pattern_in_registers.l2.bytes_to_sm",
       "Neighbours that share a window fetch {leds_per_block.l2.bytes_to_sm} from L2, one LED a "
       "block {pattern_in_registers.l2.bytes_to_sm}."},
      {"A loop over the frames inside the block would help.",
       "grid2d_frame_loop.time.cold < single_frame_repeated.time.cold",
       "{grid2d_frame_loop.time.cold} instead of {single_frame_repeated.time.cold}."},
      {"Leaving shared memory out would help.",
       "direct_global.time.cold < single_frame_repeated.time.cold",
       "{direct_global.time.cold} instead of {single_frame_repeated.time.cold}."},
      {"A layout with the frames innermost would help.",
       "frames_innermost.time.cold < direct_global.time.cold",
       "{frames_innermost.time.cold} with the making of the layout; lanes side by side in the old "
       "layout take {direct_global.time.cold}."},
      {"Several LEDs a block would help.",
       "best.cold(leds_per_block, window_strips, window_boxes) < direct_global.time.cold",
       "{leds_per_block.time.cold} with whole windows, {window_strips.time.cold} in strips, "
       "{window_boxes.time.cold} in boxes; one LED a block {direct_global.time.cold}."},
  };
}

}  // namespace warpscope::led
