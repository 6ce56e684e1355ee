// profiling/engine/training/emulated_place.cpp: a training on the emulator; steps on the host run
// there.
#include "profiling/engine/training/emulated_place.h"

#include <algorithm>
#include <map>
#include <utility>

#include "profiling/engine/compile/own_sources.h"
#include "profiling/engine/run/emulated/emulated_stage.h"
#include "profiling/figures/metric.h"
#include "scenes/base/texts/code_id.h"

namespace warpscope {
namespace {

// With more operations than this in kernels a step takes minutes: a core emulates some tens of
// millions per second.
constexpr double kMostEmulatedFlops = 4e9;

class EmulatedPlace : public TrainingPlace {
 public:
  EmulatedPlace(const Scene& scene, const Variant& variant) : scene_(scene), variant_(variant) {}

  Result<void> open(const Job& job, const Configuration& axes) {
    stage_.use(with_own_sources(sources_among(job.sources)));
    if (Result<void> set = stage_.set(scene_, axes); !set) return set;
    if (auto why = cannot_learn(*scene_.training, variant_, workload(), DeviceLimits{}))
      return failure(ErrorKind::usage, *why, variant_.name, "choose another variant or other axes");
    if (Result<void> bounded = admit_size(); !bounded) return bounded;
    for (Step& step : variant_.steps(workload())) {
      if (scene_.training->makes_loss(step)) loss_steps_.push_back(step);
      (step.phase == Phase::prepare ? prepare_ : steps_).push_back(std::move(step));
    }
    for (const BufferSpec& buffer : scene_.buffers(workload())) {
      if (buffer.role == BufferRole::state) states_.push_back(buffer.name);
    }
    point_ = {scene_.name, variant_.name, configuration_key(scene_.axes, axes, variant_.name), "",
              ""};
    std::vector<Step> all = prepare_;
    all.insert(all.end(), steps_.begin(), steps_.end());
    const auto id = code_id(all, stage_.sources(), [](std::string_view) { return std::nullopt; });
    if (id) point_.code_id = id->value_or("");
    if (Result<void> begun = stage_.begin(variant_); !begun) return begun;
    return prepare_.empty() ? Result<void>{} : run_steps(prepare_, {}).map([](bool) {});
  }

  const Workload& workload() const override { return stage_.workload(); }
  PointId point() const override { return point_; }
  Result<void> write(const std::string& buffer, std::span<const std::byte> bytes) override {
    return stage_.write(buffer, bytes);
  }
  Result<std::vector<std::byte>> read(const std::string& buffer) override {
    if (!stage_.holds_buffer(buffer))
      return failure(ErrorKind::usage, "there is no buffer of this name here", buffer);
    const std::span<const std::byte> bytes = stage_.bytes_of(buffer);
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }
  Result<bool> run(bool loss_alone, const std::function<bool()>& interrupted) override {
    std::map<std::string, std::vector<std::byte>> before;
    for (const std::string& state : states_) before[state] = *read(state);
    const Result<bool> ran = run_steps(loss_alone ? loss_steps_ : steps_, interrupted);
    if (!ran || *ran) return ran;
    for (const auto& [state, bytes] : before) {
      if (Result<void> restored = write(state, bytes); !restored)
        return tl::unexpected(restored.error());
    }
    return false;
  }

 private:
  Result<void> admit_size() const {
    if (!variant_.own_kernels) return {};
    for (const WorkTerm& term : scene_.work_terms) {
      if (term.id != "model.flops") continue;
      const std::optional<double> flops = evaluate(term, workload(), variant_);
      if (!flops || *flops <= kMostEmulatedFlops) continue;
      return failure(ErrorKind::resource,
                     "a step is " + format_value(*flops, "FLOP") +
                         ", which would take minutes in the emulator",
                     variant_.name,
                     "train on a GPU, on the processor, or at smaller sizes (size=8 channels=4 "
                     "batch=4)");
    }
    return {};
  }

  Result<bool> run_steps(const std::vector<Step>& steps, const std::function<bool()>& interrupted) {
    EmulatedStage::View view;
    view.sums = false;
    view.cancelled = interrupted;
    const Result<EmulatedStage::Run> run = stage_.go_on(variant_, steps, view);
    if (!run) return tl::unexpected(run.error());
    if (!run->faults.empty()) {
      return failure(ErrorKind::input, run->faults.front().sentence, variant_.name,
                     "correct the kernel at the line named");
    }
    return !run->cancelled;
  }

  const Scene& scene_;
  const Variant& variant_;
  EmulatedStage stage_;
  PointId point_;
  std::vector<Step> prepare_, steps_, loss_steps_;
  std::vector<std::string> states_;
};

}  // namespace

Result<std::unique_ptr<TrainingPlace>> open_emulated_place(const Job& job, const Scene& scene,
                                                           const Variant& variant,
                                                           const Configuration& axes) {
  auto place = std::make_unique<EmulatedPlace>(scene, variant);
  if (Result<void> opened = place->open(job, axes); !opened) return tl::unexpected(opened.error());
  return place;
}

}  // namespace warpscope
