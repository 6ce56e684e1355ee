// scenes/autoencoder/article.h: claims of the article that the scene follows, as relations.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::autoencoder {

std::vector<ArticleClaim> article();

}  // namespace warpscope::autoencoder
