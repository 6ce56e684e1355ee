// scenes/esmm/article.h: claims of the article that the scene follows, as relations.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::esmm {

std::vector<ArticleClaim> article();

}  // namespace warpscope::esmm
