// scenes/autoencoder/variants/pooled_variants.cpp: the ladder of a convolution with the pool after
// it.
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/variants/variants.h"
#include "scenes/autoencoder/work.h"

namespace warpscope::autoencoder {

std::vector<Variant> pooled_variants() {
  Variant chain = part_variant(
      Part::conv_pool, "conv_then_pool", "convolution, then pool",
      "nchw_grid2d with its ReLU, and a kernel that reads the map and keeps one value of four. "
      "Backward, the gradient of the whole map is written, and nchw_grid2d sums over all of it.",
      "DRAM bytes: the map is written and read again, and one value of four is kept. Backward, "
      "three of four gradients are zero and are multiplied anyway.",
      conv_then_pool_steps);
  chain.scratch = conv_then_pool_scratch;
  chain.constraints = {layers_fit_grid()};
  charge_map(chain);
  Variant fused =
      part_variant(Part::conv_pool, "fused_relu_pool", "convolution, ReLU and pool in one",
                   "A thread computes the four outputs of a window from 16 pixels and keeps the "
                   "largest; forward.",
                   "DRAM bytes compared with conv_then_pool: there is no map in memory. Registers "
                   "and threads: a thread keeps four sums.",
                   fused_relu_pool_steps);
  fused.applies = [](const Configuration& axes) {
    return part_of(axes) == Part::conv_pool && !backward(axes);
  };
  Variant places = part_variant(
      Part::conv_pool, "pool_fused_argmax", "in one, places in two bits",
      "fused_relu_pool with the place of each maximum in two bits; 32 windows take two words. "
      "Backward, the sums for weights and biases visit just those pixels, and the two bits are "
      "packed before timing starts.",
      "Backward, products and DRAM bytes compared with conv_then_pool: one pixel per window, and "
      "no map of gradients. Lanes whose window has no positive maximum exit early.",
      pool_fused_argmax_steps);
  places.scratch = pool_fused_argmax_scratch;
  charge_places(places);
  for (Variant* v : {&chain, &fused, &places}) v->tolerance_at = tolerance_of_sums;
  return {std::move(chain), std::move(fused), std::move(places)};
}

}  // namespace warpscope::autoencoder
