// scenes/led/article.h: what the published article claims, as relations.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::led {

std::vector<ArticleClaim> article();

}  // namespace warpscope::led
