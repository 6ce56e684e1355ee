// scenes/autoencoder/work.h: what each part must cost by arithmetic alone.
#pragma once

#include <functional>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::autoencoder {

std::vector<WorkTerm> work_terms();
// Charges the variant for columns that are written and read again.
void charge_columns(Variant& v);
// For a map that is written by one kernel and read by the next; backward, for its zeros too.
void charge_map(Variant& v);
// For places of maxima that have two bits each.
void charge_places(Variant& v);
// For four filters of 2×2 on the small map in place of nine taps on the large one.
void charge_folding(Variant& v);
// For a share of the products that direct sums have.
void charge_winograd(Variant& v, std::function<double(const Configuration&)> share);

}  // namespace warpscope::autoencoder
