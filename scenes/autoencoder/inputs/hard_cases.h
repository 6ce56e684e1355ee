// scenes/autoencoder/inputs/hard_cases.h: the hard cases of `autoencoder`.
#pragma once

#include <vector>

#include "scenes/base/hard_case.h"

namespace warpscope::autoencoder {

std::vector<HardCase> hard_cases();

}  // namespace warpscope::autoencoder
