// scenes/deform/work.h: what a sum of samples must cost by arithmetic alone.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform {

std::vector<WorkTerm> work_terms();

// Values of so many bytes, and so many pixels an image.
void charge_value_bytes(Variant& variant, std::int64_t bytes,
                        std::int64_t (*rows)(const Workload&));
// All samples written and read once more.
void charge_samples(Variant& variant);

}  // namespace warpscope::deform
