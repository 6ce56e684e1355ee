// scenes/patterns/article.h: what textbooks claim of access patterns, as relations.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::patterns {

std::vector<ArticleClaim> article();

}  // namespace warpscope::patterns
