// workbench/workspace/jobs/training_control.cpp: a training: begun, paused, gone on with.
#include "workbench/workspace/jobs/training_control.h"

#include <utility>

#include "profiling/training/checkpoint.h"
#include "scenes/host/cache.h"
#include "scenes/training.h"

namespace warpscope {
namespace {

constexpr const char* kShelf = "training";
constexpr std::int64_t kMostCheckpointBytes = 128LL << 20;

std::string checkpoint_name(const std::string& scene) { return scene + ".checkpoint"; }

std::string words_of(const TrainingState& state) {
  return "step " + std::to_string(state.step) + " of " + std::to_string(state.steps) + ", " +
         state.variant;
}

}  // namespace

TrainingControl::TrainingControl(const OpenedSession& opened, const ShownScene& scene,
                                 Selection& selection, Engines& engines, JobScheduler& jobs,
                                 WindowLog& log)
    : opened_(opened),
      scene_(scene),
      selection_(selection),
      engines_(engines),
      jobs_(jobs),
      log_(log) {}

bool TrainingControl::of_scene() const { return trained_ && trained_->scene == scene_.name(); }

void TrainingControl::submit(const Variant& variant, Job job) {
  job.tag = "train";
  job.scene = scene_.name();
  job.variant = variant.name;
  const Result<Configuration> axes = configured(scene_.scene(), variant.name, job.axes);
  if (!axes) return log_.notify(sentence(axes.error()));
  // A variant of the processor needs no device, and none waits for it.
  const bool on_host = runs_on_host_alone(variant, {*axes, {}});
  EngineClient* engine = on_host ? engines_.emulating() : engines_.at_hand(opened_.session());
  if (engine == nullptr) return log_.notify("there is neither a device nor an emulator here");
  for (EngineClient* other : {engines_.measuring(), engines_.emulating()}) {
    if (other != nullptr && other != engine) other->cancel_tagged("train");
  }
  engine->start();
  stopped_ = false;
  job_ = jobs_.send(*engine, std::move(job));
}

void TrainingControl::begin(const std::string& name) {
  const Scene& scene = scene_.scene();
  const Variant* variant = find_variant(scene, name);
  if (variant == nullptr || !scene.training) return;
  Job job;
  job.axes = texts_of(for_variant(scene.axes, selection_.axes, variant->name));
  for (const auto& [name, text] : scene.training->settings) job.axes[name] = text;
  job.work = TrainJob{.training = selection_.training, .resume = {}};
  submit(*variant, std::move(job));
}

void TrainingControl::go_on() {
  const Variant* variant = of_scene() ? find_variant(scene_.scene(), trained_->variant) : nullptr;
  if (variant == nullptr) return log_.notify("there is no training to continue: start one");
  Job job;
  job.axes = trained_->axes;
  TrainJob asked{.training = trained_->settings, .resume = trained_};
  // Longer than it was meant to be, where that is asked for.
  if (const auto epochs = selection_.training.find("epochs"); epochs != selection_.training.end())
    asked.training["epochs"] = epochs->second;
  job.work = std::move(asked);
  if (auto axes = with_values(scene_.scene().axes, selection_.axes, trained_->axes)) {
    selection_.axes = std::move(*axes);
    selection_.variant = variant->name;
  }
  submit(*variant, std::move(job));
}

void TrainingControl::pause() {
  stopped_ = false;
  engines_.cancel_tagged("train");
}

void TrainingControl::stop() {
  stopped_ = true;
  engines_.cancel_tagged("train");
}

// Beside the recording, where there is one; and where the next window finds it.
void TrainingControl::keep(const TrainingState& state) {
  trained_ = state;
  if (const Result<Cache> cache = Cache::open())
    cache->write(kShelf, checkpoint_name(state.scene), checkpoint_text(state));
  if (opened_.file() == nullptr) return;
  const std::filesystem::path path = opened_.file()->path().string() + ".checkpoint";
  if (Result<void> written = write_checkpoint(path, state); !written)
    log_.notify(sentence(written.error()));
}

void TrainingControl::find() {
  if (!scene_.scene().training || of_scene()) return;
  const Result<Cache> cache = Cache::open();
  if (!cache) return;
  const auto text = cache->read(kShelf, checkpoint_name(scene_.name()), kMostCheckpointBytes);
  if (!text) return;
  // One that cannot be read is one that is not there: the next training takes its place.
  if (Result<TrainingState> state = parse_checkpoint(*text, checkpoint_name(scene_.name())))
    trained_ = std::move(*state);
}

TrainingStanding TrainingControl::standing() const {
  TrainingStanding standing;
  const bool kept = of_scene();
  if (kept && trained_->step < trained_->steps) standing.kept = words_of(*trained_);
  const JobState last = last_job(opened_.session(), scene_.name(), JobKind::train);
  if (last.job == nullptr) return standing;
  using Stage = TrainingStanding::Stage;
  standing.variant = last.job->variant;
  if (kept) standing.steps = trained_->steps;
  if (!last.done) {
    const bool ours = last.job->job == job_;
    standing.stage = ours ? Stage::under_way : Stage::paused;
    if (last.progress) standing.ratio = last.progress->done_ratio;
    standing.text = !ours           ? "the recording ends before the training does"
                    : last.progress ? last.progress->text
                                    : "the engine is starting";
    return standing;
  }
  standing.stage = last.done->status == DoneStatus::finished ? Stage::over
                   : last.done->status == DoneStatus::failed ? Stage::failed
                   : stopped_                                ? Stage::stopped
                                                             : Stage::paused;
  if (last.done->error) standing.text = sentence(*last.done->error);
  standing.ratio = standing.stage == Stage::over ? 1
                   : kept && trained_->steps > 0
                       ? static_cast<double>(trained_->step) / static_cast<double>(trained_->steps)
                       : 0;
  return standing;
}

}  // namespace warpscope
