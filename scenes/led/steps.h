// scenes/led/steps.h: what each kernel of `led` runs: sources, defines, grids, arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/choice/choose.h"

// Every function gives the steps of one technique at one workload.

namespace warpscope::led {

// What fitted costs may depend on. `axes`: of the scene.
ChoiceFeatures choice_features(const std::vector<Axis>& axes);

using Steps = std::vector<Step>;
using Buffers = std::vector<BufferSpec>;

// A kernel whose entry is named like its source, with the constants all sources know and the
// arguments all kernels begin and end with; `between` stands after frames.
KernelLaunch kernel_of(const Workload& w, const std::string& technique, Launch launch,
                       const std::vector<Argument>& between = {});

// Whether lanes may load four pixels at once: block, width and all columns are multiples of 4.
bool quads_are_aligned(const Workload& w);

// Whether a row of a frame is a multiple of 16 bytes, as tensor maps ask.
bool frame_rows_fill_16_bytes(const Workload& w);

// How the two published kernels are read: as the article's text says, or as recorded before the
// side was an axis.
struct SeedReading {
  const char *load_width, *block_known;
};
inline constexpr SeedReading kAsText = {"16", "run time"};
inline constexpr SeedReading kAsRecorded = {"4", "compile time"};
// The default values of the axes.
inline constexpr SeedReading kDefaultReading = kAsText;
inline constexpr std::int64_t kSideOfSeedArray = 64;  // of the published kernel's static shared
                                                      // array

bool block_known_at_run_time(const Workload& w);
bool copies_as_listed(const Workload& w);  // the pattern, to shared memory
Steps single_frame_repeated_steps(const Workload& w);
Steps grid3d_shared_pattern_steps(const Workload& w);
Steps grid3d_column_lanes_steps(const Workload& w);
Steps grid2d_frame_loop_steps(const Workload& w);
Steps direct_global_steps(const Workload& w);
Steps frames_per_warp_early_exit_steps(const Workload& w);

Steps frames_innermost_steps(const Workload& w);
Buffers frames_innermost_scratch(const Workload& w);

// Threads that hold the pattern of one block, at most 64 values each; 0: too few fit.
std::int64_t pattern_threads(const Workload& w);
Steps pattern_in_registers_steps(const Workload& w);

// Groups of leds_per_block neighbours: prepare steps that sort, and what they write.
Buffers groups_scratch(const Workload& w);

// Frames whose largest window fits in shared memory together, a power of two, at least 1.
std::int64_t resident_frames(const Workload& w);
std::int64_t leds_per_block_bytes(const Workload& w);
Steps leds_per_block_steps(const Workload& w);

// The forms of window_strips.cu that follow from a workload.
struct WindowStrips {
  std::int64_t frame_tile = 0;  // frames whose strips are resident together
  std::int64_t strip_rows = 0, stages = 0;
  std::int64_t pitch = 0;       // columns of a buffer
  std::int64_t copy_bytes = 0;  // of a lane's copy
  std::int64_t shared_bytes = 0;
};
WindowStrips window_strips_form(const Workload& w);
Steps window_strips_steps(const Workload& w);

// The forms of window_boxes.cu that follow from a workload.
struct WindowBoxes {
  std::int64_t group = 0;  // LEDs and warps per block, without the producer
  std::int64_t frame_tile = 0;
  std::int64_t strip_rows = 0, stages = 0;
  std::int64_t box_columns = 0;
  std::int64_t boxes = 0;   // resident side by side
  std::int64_t blocks = 0;  // at most one per multiprocessor
  std::int64_t shared_bytes = 0;
};
WindowBoxes window_boxes_form(const Workload& w);
Steps window_boxes_steps(const Workload& w);
Buffers window_boxes_scratch(const Workload& w);

// The forms of window_tensor_core.cu that follow from a workload.
struct WindowTensorCore {
  std::int64_t boxes = 0;  // resident side by side, with rows of 64 bytes
  std::int64_t stages = 0;
  std::int64_t items = 0;   // groups of all channels
  std::int64_t blocks = 0;  // at most one per multiprocessor
  std::int64_t shared_bytes = 0;
};
// Whether a row of a pattern is a multiple of 16 bytes, as its bulk copies ask.
bool pattern_rows_fill_16_bytes(const Workload& w);
WindowTensorCore window_tensor_core_form(const Workload& w);
// `terms`: TF32 products that stand for one of f32, 1 or 3.
Steps window_tensor_core_steps(const Workload& w, std::int64_t terms);
Buffers window_tensor_core_scratch(const Workload& w);

// Frames of one tile: the axis frame_tile, or less where there are fewer frames.
std::int64_t frames_of_tile(const Workload& w);

// Bytes of a block of values, as staged in shared memory.
std::int64_t pattern_bytes(const Workload& w);

}  // namespace warpscope::led
