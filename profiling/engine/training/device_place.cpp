// profiling/engine/training/device_place.cpp: a training on a device.
#include "profiling/engine/training/device_place.h"

#include <algorithm>
#include <utility>

#include "profiling/engine/run/stage.h"

namespace warpscope {
namespace {

class DevicePlace : public TrainingPlace {
 public:
  DevicePlace(const Device& device, KernelStore& kernels, const Scene& scene,
              const Variant& variant)
      : device_(device),
        kernels_(kernels),
        scene_(scene),
        variant_(variant),
        stage_(device, kernels) {}

  Result<void> open(const Job& job, const Configuration& axes) {
    kernels_.use(sources_among(job.sources));
    if (Result<void> set = stage_.set(scene_, axes); !set) return set;
    if (auto why = cannot_learn(*scene_.training, variant_, workload(), device_.limits()))
      return failure(ErrorKind::usage, *why, variant_.name, "choose another variant or other axes");
    Result<Stage::Bound> bound = stage_.bind(variant_);
    if (!bound) return tl::unexpected(bound.error());
    bound_ = std::move(*bound);
    point_ = {scene_.name, variant_.name, configuration_key(scene_.axes, axes, variant_.name),
              stage_.code_id(variant_), device_.description().uuid};
    if (Result<void> begun = stage_.restore_states(bound_); !begun) return begun;
    for (const std::vector<BoundStep>* steps : {&bound_.prepare, &bound_.run}) {
      for (const BoundStep& step : *steps) {
        if (Result<void> made = step.prepare_library(device_.stream()); !made) return made;
        if (steps == &bound_.run) continue;
        if (Result<void> ran = step.run(device_.stream()); !ran) return ran;
      }
    }
    return device_.synchronise("preparing a training");
  }

  const Workload& workload() const override { return stage_.workload(); }
  PointId point() const override { return point_; }

  Result<void> write(const std::string& buffer, std::span<const std::byte> bytes) override {
    if (const auto mirror = bound_.mirrors->find(buffer); mirror != bound_.mirrors->end()) {
      if (mirror->second.bytes().size() != bytes.size()) return another_size(buffer);
      std::copy(bytes.begin(), bytes.end(), mirror->second.bytes().begin());
    }
    return stage_.write(bound_, buffer, bytes);
  }
  Result<std::vector<std::byte>> read(const std::string& buffer) override {
    if (bound_.left_on_host.count(buffer) != 0) {
      const std::span<std::byte> bytes = bound_.mirrors->at(buffer).bytes();
      return std::vector<std::byte>(bytes.begin(), bytes.end());
    }
    return stage_.bytes_of(bound_, buffer);
  }
  Result<bool> run(bool loss_alone, const std::function<bool()>&) override {
    for (const BoundStep& step : bound_.run) {
      if (loss_alone && !scene_.training->makes_loss(step.step())) continue;
      if (Result<void> ran = step.run(device_.stream()); !ran) return tl::unexpected(ran.error());
    }
    return device_.synchronise("a step of a training").map([] { return true; });
  }

 private:
  static tl::unexpected<Error> another_size(const std::string& buffer) {
    return failure(ErrorKind::usage, "it has another size than what is written to it", buffer);
  }

  const Device& device_;
  KernelStore& kernels_;
  const Scene& scene_;
  const Variant& variant_;
  Stage stage_;
  Stage::Bound bound_;
  PointId point_;
};

}  // namespace

Result<std::unique_ptr<TrainingPlace>> open_device_place(const Device& device, KernelStore& kernels,
                                                         const Job& job, const Scene& scene,
                                                         const Variant& variant,
                                                         const Configuration& axes) {
  auto place = std::make_unique<DevicePlace>(device, kernels, scene, variant);
  if (Result<void> opened = place->open(job, axes); !opened) return tl::unexpected(opened.error());
  return place;
}

}  // namespace warpscope
