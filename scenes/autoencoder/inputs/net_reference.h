// scenes/autoencoder/inputs/net_reference.h: the reference of a whole training step.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenes/autoencoder/net.h"
#include "scenes/base/scene.h"

// Loss, gradients and parameters in double precision. `accumulation` is, in roundoffs of f32, how
// far single precision may lie from them: net.h says of what it is made.

namespace warpscope::autoencoder {

// `nhwc`: gradients, and the parameters that are judged, lie as [out, 3, 3, in].
std::vector<Step> net_steps(const Workload& w, bool nhwc, Products products);
// Maps of double precision that those keep between them.
std::vector<BufferSpec> net_scratch(const Workload& w);
void net_host(const Workload& w, const Inputs& inputs, const std::string& output,
              std::span<const std::int64_t> elements, std::span<ReferenceValue> values, bool nhwc,
              Products products);
// Whether the host makes it in seconds.
bool net_host_reaches(const Workload& w);

// Where a parameter that lies as [out, 3, 3, in] lies as [out, in, 3, 3], among all ten tensors.
std::int64_t as_nchw(const Configuration& axes, std::int64_t parameter);

}  // namespace warpscope::autoencoder
