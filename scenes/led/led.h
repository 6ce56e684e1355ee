// scenes/led/led.h: light of LEDs from frames: batched Aᵀb where each column of A is one block.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope {

Scene led_scene();

}  // namespace warpscope
