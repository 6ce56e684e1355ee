// profiling/training/weight_files.h: learnt weights and codes as files that other programs read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/messages/training_state.h"
#include "scenes/training.h"

// Weights are a folder: all tensors in sequence as raw f32 (`weights.f32`), and each as .npy with
// its shape. Both can be read again, and so can files of other programs that have their channels
// innermost. A raw file does not say which layout it has, so the caller does.
//
//   write_weights("out", *scene.training, axes, state.weights);
//   Result<std::vector<std::uint8_t>> bytes = read_weights("out", *scene.training, axes, false);

namespace warpscope {

inline constexpr const char* kRawWeights = "weights.f32";

// The folder is made where it is missing. error: environment.
Result<void> write_weights(const std::filesystem::path& folder, const Training& training,
                           const Configuration& axes, std::span<const std::uint8_t> weights);
// A raw file, or a folder as above, whose .npy files count where all are there. error: input: a
// wrong size, naming what was found and expected and both layouts; another shape or type.
Result<std::vector<std::uint8_t>> read_weights(const std::filesystem::path& path,
                                               const Training& training, const Configuration& axes,
                                               bool other_layout);

// Codes of all that is held out, in their order.
Result<void> write_latents(const std::filesystem::path& path, const std::vector<Latents>& parts);
// error: input: no .npy, another type, or another shape than [any, shape of one].
Result<Latents> read_latents(const std::filesystem::path& path, const Training& training,
                             const Configuration& axes);

}  // namespace warpscope
