// scenes/esmm/tables.h: the article's tables of its two kernels, beside what they are here.
#pragma once

#include <vector>

#include "scenes/article_table.h"

namespace warpscope::esmm {

// Its summary of six aspects, and its analysis of register pressure.
std::vector<ArticleTable> article_tables();

}  // namespace warpscope::esmm
