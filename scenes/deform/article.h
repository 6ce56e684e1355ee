// scenes/deform/article.h: what the seed behind the scene claims, as relations.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform {

std::vector<ArticleClaim> article();

}  // namespace warpscope::deform
