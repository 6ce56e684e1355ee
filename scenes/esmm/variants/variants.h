// scenes/esmm/variants/variants.h: esmm's ladder, in teaching order.
#pragma once

#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/esmm/steps.h"

// Buffers: a, b and c.

namespace warpscope::esmm {

std::vector<Variant> variants();
std::vector<Variant> library_variants();
std::vector<Variant> list_variants();
std::vector<Variant> word_variants();   // that pass K by words, on CUDA cores
std::vector<Variant> wgmma_variants();  // on tensor cores, by warpgroups
std::vector<League> leagues();

// What all rows share; the league is FP32 until it is changed.
Variant esmm_variant(std::string name, std::string label, std::string family, std::string sentence,
                     std::string look_at, std::function<Steps(const Workload&)> steps);

}  // namespace warpscope::esmm
