// scenes/autoencoder/training/training.h: how a whole training step of `autoencoder` learns.
#pragma once

#include "scenes/training.h"

namespace warpscope::autoencoder {

Training training();

}  // namespace warpscope::autoencoder
