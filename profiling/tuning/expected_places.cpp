// profiling/tuning/expected_places.cpp: what fitted costs take at configurations that were not
// measured.
#include "profiling/tuning/expected_places.h"

#include <utility>

#include "profiling/tuning/choice_story.h"
#include "scenes/base/element_inputs.h"

namespace warpscope {
namespace {

// More than that takes longer than a frame.
constexpr std::int64_t kMostWholeBytes = 16LL << 20, kMostLateBytes = 64LL << 20;

}  // namespace

Result<Workload> ExpectedPlaces::workload(const Configuration& axes) {
  if (made_ && *made_ == axes) return workload_;
  if (Result<void> admitted = scene_->admit(axes); !admitted)
    return tl::unexpected(admitted.error());
  if (scene_->estimate_whole_bytes != nullptr &&
      scene_->estimate_whole_bytes(axes) > kMostWholeBytes)
    return failure(ErrorKind::resource, "its inputs are too large to be made for a prediction",
                   scene_->name, "measure it");
  const std::optional<Configuration> before = std::exchange(made_, std::nullopt);
  if (!before) {
    workload_ = {};
    inputs_.clear();
  }
  const auto made = regenerate_inputs_by_page(*scene_, axes, before, workload_, inputs_);
  if (!made) {
    workload_ = {};
    inputs_.clear();
    return tl::unexpected(made.error());
  }
  made_ = axes;
  if (scene_->estimate_bytes(axes) > kMostLateBytes) workload_.late = nullptr;
  return workload_;
}

ExpectedPlace ExpectedPlaces::at(const Configuration& axes) {
  const Result<Workload> here = workload(axes);
  if (!here) return {{}, sentence(here.error())};
  Result<std::vector<ExpectedTime>> rows = expected_rows(*scene_, automatic_, *here, device_);
  if (!rows) return {{}, sentence(rows.error())};
  if (rows->empty()) return {{}, "no variant of the table can run here"};
  return {std::move(*rows), ""};
}

}  // namespace warpscope
