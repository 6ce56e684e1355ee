// scenes/autoencoder/article.h: what the seed behind the scene says of its kernels, as relations.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::autoencoder {

std::vector<ArticleClaim> article();

}  // namespace warpscope::autoencoder
