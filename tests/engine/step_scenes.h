// tests/engine/step_scenes.h: small scenes that use every kind of step, buffer and submission.
#pragma once

#include <vector>

#include "scenes/base/scene.h"
#include "scenes/base/source.h"

namespace warpscope {

//   training   two training steps: a state that a run changes, a curve, a picture, tags;
//              on a stream, as a graph, on the host, and one that leaves the state unchanged
//   pieces     parts of buffers named by a list axis, an input made on the device, an output of
//              integers that is exact to the bit, a reference that judges nothing
//   library    a library call before a kernel, with and without a function on the host
//   constants  an array of a module in constant memory, filled, filled again, and missed
std::vector<Scene> step_scenes();

// The text of their kernels, as a job carries it.
KernelSource step_kernels();

}  // namespace warpscope
