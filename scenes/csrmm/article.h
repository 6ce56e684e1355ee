// scenes/csrmm/article.h: what the seed behind the scene claims, as relations.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::csrmm {

std::vector<ArticleClaim> article();

}  // namespace warpscope::csrmm
