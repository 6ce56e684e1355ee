// scenes/autoencoder/step/step.h: a whole training step, put together of what a level runs for each
// layer.
#pragma once

#include <functional>
#include <string>

#include "scenes/autoencoder/steps/steps.h"

// Maps of a step, beside x, loss, gradients and parameters: y1 … y5 of the convolutions (after
// their ReLU), p1 and p2 of the pools with argmax1 and argmax2, u1 and u2 of the upsamplings, and
// the gradient of each: dy1 …, dp1 …, du1 …

namespace warpscope::autoencoder {

// What one level of the ladder runs for each kind of layer.
struct Level {
  std::function<Steps(const Conv&, Direction, const ConvArrays&)> convolve;  // ReLU and all
  std::function<Steps(const Windows&, bool backward, const WindowArrays&)> pool, upsample;
  // From dy after a ReLU to dy before it, in place, by y's sign.
  std::function<Step(const std::string& y, const std::string& dy, std::int64_t values)> mask;
  // The mean of squares of p against t, and its gradient.
  std::function<Steps(std::int64_t values, const std::string& p, const std::string& t,
                      const std::string& dp)>
      loss;
  std::function<Step(const Workload&, const Tensor&, const std::string& parameters)> update;
  bool nhwc = false;    // maps and weights have channels innermost
  bool copies = true;   // images come from the host, and the loss goes there
  bool faulty = false;  // the published chain: see its sentence
  bool columns = false;
  bool two_stage_loss = false;  // with the scratch that it adds up in
  bool update_at_once = false;  // all tensors by one launch
  bool bias_shares = false;     // gradients of biases by shares, in scratch
};

Level naive_level();
Level faulty_level();  // naive, with the faults of the published kernels
Level nchw_level();
Level im2col_level(bool strided);
Level cudnn_level(const CudnnRow& row);
Level cpu_level();  // in cpu_level.cpp

Steps step_steps(const Workload& w, const Level& level);
Buffers step_scratch(const Workload& w, const Level& level);
std::int64_t buffer_bytes(const Buffers& buffers);

}  // namespace warpscope::autoencoder
