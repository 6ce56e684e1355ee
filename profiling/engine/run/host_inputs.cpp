// profiling/engine/run/host_inputs.cpp: the inputs of one configuration on the host.
#include "profiling/engine/run/host_inputs.h"

#include <utility>

namespace warpscope {

Result<void> HostInputs::make(const Scene& scene, const Configuration& axes) {
  if (scene_ != &scene) {
    scene_ = &scene;
    axes_.reset();
    arrays_.clear();
    made_.clear();
  }
  if (are_of(scene, axes)) return {};
  const std::optional<Configuration> before = std::exchange(axes_, std::nullopt);
  if (!before) facts_ = {};
  const Result<std::vector<std::string>> made =
      regenerate_inputs(scene, before ? &*before : nullptr, axes, arrays_, facts_);
  if (!made) return tl::unexpected(made.error());
  made_.insert(made->begin(), made->end());
  axes_ = axes;
  return {};
}

std::set<std::string> HostInputs::take_made() { return std::exchange(made_, {}); }

}  // namespace warpscope
