// scenes/autoencoder/automatic.h: the rows of `autoencoder` that pick another row.
#pragma once

#include <string>
#include <vector>

#include "scenes/autoencoder/variants/variants.h"

// Each belongs to a league: the bound of f32 without tensor cores, the same bound with them, the
// bound of TF32, or the bound of bf16. A pick depends only on axes and on planned arithmetic.

namespace warpscope::autoencoder {

enum class PickedLeague { f32, f32_class, tf32, bf16 };

// `among`: all rows of the scene; `axes`: of the scene.
std::vector<Variant> automatic_variants(const std::vector<Variant>& among,
                                        const std::vector<Axis>& axes);
// The rows that a league may pick at some axes, of a part.
std::vector<std::string> automatic_candidates(PickedLeague league, Part part);
// For a convolution: whether the picked row writes maps with channels innermost.
bool picks_nhwc(PickedLeague league, const Configuration& axes);

}  // namespace warpscope::autoencoder
