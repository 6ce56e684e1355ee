// scenes/autoencoder/inputs/reference.h: the reference of every output.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::autoencoder {

// "direct": maps are NCHW, weights [out, in, 3, 3]. "direct_nhwc": outputs lie as NHWC and
// [out, 3, 3, in], inputs as they are made.
std::vector<Reference> references();

}  // namespace warpscope::autoencoder
