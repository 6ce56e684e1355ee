// scenes/csrmm/article.h: what the published article claims, as relations.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::csrmm {

std::vector<ArticleClaim> article();

}  // namespace warpscope::csrmm
