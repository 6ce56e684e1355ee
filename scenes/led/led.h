// scenes/led/led.h: brightness of LEDs from video frames: batched Aᵀb where each column of A is
// one dense block.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope {

Scene led_scene();

}  // namespace warpscope
