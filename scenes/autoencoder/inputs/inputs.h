// scenes/autoencoder/inputs/inputs.h: the arrays of every part, and how inputs are drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

// Inputs of a layer after a ReLU are max(0, N(0, 1)): half of them are zero, so windows of equal
// values are common, as in a real network. Those of a layer after an upsampling come in groups of
// four equal values. Gradients are N(0, 1), weights N(0, 2/(9·in)), biases N(0, 0.01). No bias is
// zero, so a kernel that forgets them is detected. A whole step has its parameters twice, in the
// layouts of NCHW and NHWC kernels; both describe the same network.

namespace warpscope::autoencoder {

// Inputs, outputs and states of the part.
std::vector<BufferSpec> buffers(const Workload& w);
const std::vector<std::string>& input_names();  // of every part

void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes);
// Whether an array is drawn: images of a file are not.
bool has_elements(const Workload& w, const std::string& array);
// Reads images of a file, and drops arrays of another part. error: input.
Result<void> generate(const Configuration& axes, Inputs& inputs, Facts& facts);
// Holds a file to the batch. error: input.
Result<Configuration> settle(const Configuration& axes);

}  // namespace warpscope::autoencoder
