// scenes/deform/work.h: what a sum of samples must cost by arithmetic alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform {

std::vector<WorkTerm> work_terms();

// Values of `bytes` bytes, with `rows` pixels per image.
void charge_value_bytes(Variant& variant, std::int64_t bytes,
                        std::int64_t (*rows)(const Workload&));
// All samples written and read once more.
void charge_samples(Variant& variant);
// The small levels, copied by every block for every image that it has queries of.
void charge_staging(Variant& variant, const std::string& technique);

}  // namespace warpscope::deform
