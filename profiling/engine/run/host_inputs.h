// profiling/engine/run/host_inputs.h: the inputs of one configuration on the host.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "scenes/base/scene.h"

// They can be made before the device is needed: what differs from the device is known by the groups
// that were made since the last upload.
//
//   HostInputs inputs;
//   inputs.make(scene, axes);                    // the groups whose axes moved
//   upload(inputs.arrays(), inputs.take_made());

namespace warpscope {

class HostInputs {
 public:
  Inputs& arrays() { return arrays_; }
  const Facts& facts() const { return facts_; }
  bool are_of(const Scene& scene, const Configuration& axes) const {
    return scene_ == &scene && axes_ && *axes_ == axes;
  }
  // error: input, resource. After one, the next call makes all of them.
  Result<void> make(const Scene& scene, const Configuration& axes);
  // The groups that were made since the last call.
  std::set<std::string> take_made();

 private:
  const Scene* scene_ = nullptr;
  std::optional<Configuration> axes_;
  Facts facts_;
  Inputs arrays_;
  std::set<std::string> made_;
};

}  // namespace warpscope
