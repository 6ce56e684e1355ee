// scenes/led/block_places.h: where the blocks of LEDs lie in the frame.
#pragma once

#include <cstdint>
#include <span>

#include "scenes/base/scene.h"
#include "scenes/led/shapes.h"

namespace warpscope::led {

// Writes the elements of the array positions from `first` on, by the rule of the axis positions;
// where that is “sorted” they are the uniform ones, not sorted yet.
void make_positions(const Configuration& axes, std::int64_t first,
                    std::span<std::int32_t> positions);

// The uniform ones in another order, the same in every channel.
void sort_positions(const Shape& s, std::span<std::int32_t> positions);

// Pixels under at least one block, summed over channels.
double covered_pixels(std::span<const std::int32_t> positions, const Shape& s);

// Checks that every block lies inside the frame. error: input, naming LED, channel, row, column and
// the frame's size.
Result<void> validate_positions(std::span<const std::int32_t> positions, const Configuration& axes);

}  // namespace warpscope::led
