// scenes/autoencoder/automatic.h: the rows of `autoencoder` that pick another row.
#pragma once

#include <string>
#include <vector>

#include "scenes/autoencoder/variants/variants.h"

// Each is of a league: what is held to the bound of f32 without tensor cores, to the same bound
// with them, to that of TF32 and to that of bf16. A pick depends on axes and on planned arithmetic
// alone.

namespace warpscope::autoencoder {

enum class PickedLeague { f32, f32_class, tf32, bf16 };

// `among`: all rows of the scene; `axes`: of the scene.
std::vector<Variant> automatic_variants(const std::vector<Variant>& among,
                                        const std::vector<Axis>& axes);
// The rows that a league may pick at some axes, of a part.
std::vector<std::string> automatic_candidates(PickedLeague league, Part part);
// Of a convolution: whether what is picked writes maps with channels innermost.
bool picks_nhwc(PickedLeague league, const Configuration& axes);

}  // namespace warpscope::autoencoder
