// scenes/deform/variants/variants.h: deform's ladder, in teaching order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/deform/steps.h"

// Buffers: value, shapes, starts, loc, weight (logits where softmax makes it) and out.

namespace warpscope::deform {

std::vector<Variant> variants();
// The parts of that list whose values, places or queries differ from those of the published
// kernels.
std::vector<Variant> stored_variants();
std::vector<Variant> placed_variants();
std::vector<Variant> pair_variants();  // eight lanes read two corners

// Variants that have the axis block_size.
std::vector<std::string> variants_of_blocks();

// What all variants share: coordinates in half precision, compared with the reference that rounds
// in the same way.
Variant deform_variant(std::string name, std::string label, std::string family,
                       std::string sentence, std::string look_at,
                       std::function<Steps(const Workload&)> steps);
// The same of ours, whose kernel is named as the variant and has no constants of its own.
Variant lanes_variant(const std::string& name, std::string label, std::string sentence,
                      std::string look_at);

}  // namespace warpscope::deform
