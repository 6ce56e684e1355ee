// scenes/autoencoder/variants/variants.h: autoencoder's ladders, one a part, in teaching order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenes/autoencoder/steps/steps.h"

namespace warpscope::autoencoder {

std::vector<Variant> variants();
// The parts of that list: convolutions; pools, upsamplings, loss and SGD update.
std::vector<Variant> conv_variants();
std::vector<Variant> cudnn_variants();   // among those of the convolutions
std::vector<Variant> tensor_variants();  // … on tensor cores
std::vector<Variant> pooled_variants();  // … with a pool after them, too
std::vector<Variant> layer_variants();
std::vector<Variant> step_variants();         // of whole steps
std::vector<Variant> fused_variants();        // of few launches
std::vector<Variant> tensor_step_variants();  // … on tensor cores

// Rows of one league meet one accuracy. In a part where a league's baseline does not apply, the
// first of its rows is the baseline.
std::vector<League> leagues();

// What the rows of a part share: a row in f32, compared with the direct sums.
Variant part_variant(Part part, std::string name, std::string label, std::string sentence,
                     std::string look_at, std::function<Steps(const Workload&)> steps);

// What algorithms that transform their factors, as Winograd's, may leave where every product of a
// sum is zero, so that the reference allows no error: some roundoffs of terms that cancel. 6e-8,
// one of a number below 1, was seen at six channels and three images.
inline constexpr double kRestOfTransforms = 1e-6;

// The tolerance of sums of products in f32.
Tolerance tolerance_of_sums(const Configuration& axes);

}  // namespace warpscope::autoencoder
