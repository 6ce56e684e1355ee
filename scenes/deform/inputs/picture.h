// scenes/deform/inputs/picture.h: where one query samples the levels, as a picture.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope::deform {

// The levels of the first image side by side, their first channel in grey, rings included, and the
// samples of the query in the middle in red.
Raster samples_picture(const Workload& w);

// The levels in `value`, and of elements of `loc` the places that they say.
PixelMaps level_maps(const Workload& w);

}  // namespace warpscope::deform
