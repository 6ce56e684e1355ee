// scenes/autoencoder/training/training_pictures.h: what a network under training shows of itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scenes/training.h"

namespace warpscope::autoencoder {

// Inputs with their reconstructions and differences, Conv1's filters, maps of the latent values.
std::vector<TrainingPicture> training_pictures();

// Images of [images, 3, side, side] in rows of sixteen, the first 256 of them.
Raster drawn_images(const Configuration& axes, std::span<const float> images);

// Whether a variant's maps and weights have channels innermost.
bool channels_innermost(const Variant& variant, const Workload& w);
// Maps as [images, channels, side, side]; where channels are innermost they are turned.
std::vector<float> as_planes(std::span<const float> maps, std::int64_t images,
                             std::int64_t channels, std::int64_t side, bool innermost);

}  // namespace warpscope::autoencoder
