// scenes/autoencoder/autoencoder.h: the scene of a convolutional autoencoder, layer by layer.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope {

Scene autoencoder_scene();

}  // namespace warpscope
