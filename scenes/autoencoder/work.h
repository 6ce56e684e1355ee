// scenes/autoencoder/work.h: what each part must cost by arithmetic alone.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::autoencoder {

std::vector<WorkTerm> work_terms();
// Charges the variant for columns that are written and read again.
void charge_columns(Variant& v);

}  // namespace warpscope::autoencoder
