// scenes/led/inputs.h: where the blocks lie, what light they hold, and the frames.
#pragma once

#include <cstdint>
#include <span>

#include "scenes/base/scene.h"

// Every generator is a pure function of the configuration and its random seed, with its own
// streams.

namespace warpscope::led {

// The streams of random numbers, one a quantity.
enum Stream : std::uint32_t { kRows = 31, kColumns, kCentres, kJitter, kPatterns, kPhase };
std::uint64_t seed_of(const Configuration& axes);

// Elements of positions (but for sorted ones), values and frames from `first` on, of what no file
// gives; see InputGroup::elements and by_index.
void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes);
bool has_elements(const Workload& w, const std::string& array);

// Writes positions i32[C, N, 2], each block inside the frame; facts column_quads (1 where every
// column is a multiple of 4) and covered_pixels (under at least one block, summed over channels).
// error: input (a block over a border).
Result<void> generate_positions(const Configuration& axes, Inputs& inputs, Facts& facts);

// Writes values [C, N, B, B]; facts quantisation_bias and quantisation_error: mean and largest
// difference of the u8 patterns, read as value / 255, from the f32 ones (0 for f32), over the first
// 64 LEDs.
Result<void> generate_values(const Configuration& axes, Inputs& inputs, Facts& facts);

// Writes frames [F, C, H, W]; frame f is time step f.
Result<void> generate_frames(const Configuration& axes, Inputs& inputs, Facts& facts);

// An f32 pattern value as u8: "254 truncated" is the published rule, "255 rounded" the unbiased
// one.
std::uint8_t quantised(float value, bool truncated);

}  // namespace warpscope::led
