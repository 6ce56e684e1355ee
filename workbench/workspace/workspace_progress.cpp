// workbench/workspace/workspace_progress.cpp: what is on its way, and what the last jobs came to.
#include <algorithm>

#include "profiling/training/checkpoint.h"
#include "scenes/host/cache.h"
#include "scenes/training.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

std::optional<EngineDelay> Workspace::engine_delay() const {
  for (const EngineClient* client : {client_.get(), emulator_.get()}) {
    if (client == nullptr) continue;
    if (std::optional<EngineDelay> delay = client->delay()) return delay;
  }
  return std::nullopt;
}

std::string quote_tag(const std::string& counters) {
  return counters == "none" ? "quoted times" : "quoted counters";
}

bool Workspace::awaits(const std::string& variant) const {
  if (!client_) return false;
  const auto& jobs = client_->outstanding();
  return std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) {
    return job.kind != JobKind::train && job.scene == scene_ && job.variant == variant;
  });
}

bool Workspace::awaits_roofs() const {
  return roofs_follow() || (client_ && client_->is_outstanding("roofs"));
}

WorkProgress Workspace::progress() const {
  WorkProgress progress;
  if (roofs_follow() && client_->outstanding().empty()) {
    progress.busy = true;
    progress.waiting = 1;
    progress.text = "the roofs of this device follow";
    return progress;
  }
  if (!client_ || client_->outstanding().empty()) {
    // A live trace takes a few frames: only longer ones are worth a bar.
    if (!emulator_ || emulator_->outstanding().empty()) return progress;
    const Job* running = emulator_->running();
    const Job& job = running != nullptr ? *running : emulator_->outstanding().front();
    const std::optional<Progress> said = session_.progress(job.job);
    progress.busy = true;
    progress.waiting = emulator_->outstanding().size();
    progress.ratio = said ? said->done_ratio : 0;
    progress.text = (job.kind == JobKind::train ? "training " : "tracing ") + job.variant;
    if (said && !said->text.empty()) progress.text += " · " + said->text;
    return progress;
  }
  progress.busy = true;
  progress.waiting = client_->outstanding().size();
  const Job* running = client_->running();
  const Job& job = running != nullptr ? *running : client_->outstanding().front();
  const std::size_t done = batch_ > progress.waiting ? batch_ - progress.waiting : 0;
  const std::optional<Progress> said = session_.progress(job.job);
  progress.ratio = (static_cast<double>(done) + (said ? said->done_ratio : 0.0)) /
                   static_cast<double>(std::max<std::size_t>(1, batch_));
  const char* const doing = job.kind == JobKind::train ? "training " : "measuring ";
  progress.text = client_->ready() ? doing + job.variant : "the engine is starting";
  if (said) progress.text += " · " + said->text;
  if (progress.waiting > 1)
    progress.text += " · " + std::to_string(progress.waiting - 1) + " waiting";
  return progress;
}

SweepProgress Workspace::sweep_progress() const {
  SweepProgress progress{swept_axis_, 0, sweep_jobs_.size()};
  // Of jobs so old that the session let go of them there is nothing to wait for.
  const std::int64_t oldest = session_.jobs().empty() ? 0 : session_.jobs().front().first;
  for (const std::int64_t job : sweep_jobs_)
    progress.done += job < oldest || session_.done(job) ? 1 : 0;
  return progress;
}

bool Workspace::profiler_starts() const {
  const Job* const job = client_ ? client_->running() : nullptr;
  return job != nullptr && job->kind == JobKind::measure && job->first && !job->time &&
         !session_.progress(job->job);
}

std::optional<int> Workspace::counter_passes(const std::string& set) const {
  const Hello* hello = session_.engine();
  const bool known = hello != nullptr && hello->device;
  return session_.counter_passes(set, known ? hello->device->name : "");
}

namespace {

constexpr const char* kShelf = "training";
constexpr std::int64_t kMostCheckpointBytes = 128LL << 20;

std::string checkpoint_name(const std::string& scene) { return scene + ".checkpoint"; }

std::string words_of(const TrainingState& state) {
  return "step " + std::to_string(state.step) + " of " + std::to_string(state.steps) + ", " +
         state.variant;
}

}  // namespace

// Beside the recording, where there is one; and where the next window finds it.
void Workspace::keep_training(const TrainingState& state) {
  trained_ = state;
  if (const Result<Cache> cache = Cache::open())
    cache->write(kShelf, checkpoint_name(state.scene), checkpoint_text(state));
  if (!file_) return;
  const std::filesystem::path path = file_->path().string() + ".checkpoint";
  if (Result<void> written = write_checkpoint(path, state); !written)
    notify(sentence(written.error()));
}

void Workspace::find_training() {
  if (!scene().training || (trained_ && trained_->scene == scene_)) return;
  const Result<Cache> cache = Cache::open();
  if (!cache) return;
  const auto text = cache->read(kShelf, checkpoint_name(scene_), kMostCheckpointBytes);
  if (!text) return;
  // One that cannot be read is one that is not there: the next training takes its place.
  if (Result<TrainingState> state = parse_checkpoint(*text, checkpoint_name(scene_)))
    trained_ = std::move(*state);
}

Result<void> Workspace::show_last_job() {
  const auto& jobs = session_.jobs();
  const auto last = std::find_if(jobs.rbegin(), jobs.rend(), [](const auto& numbered) {
    const JobKind kind = numbered.second.kind;
    return kind == JobKind::train || kind == JobKind::trace;
  });
  if (last == jobs.rend()) return {};
  const Job& job = last->second;
  if (Result<void> turned = choose_scene(job.scene); !turned) return turned;
  if (auto axes = with_values(scene().axes, selection.axes, job.axes)) {
    selection.axes = std::move(*axes);
    if (find_variant(scene(), job.variant) != nullptr) selection.variant = job.variant;
    fit_selection();
  }
  return {};
}

TrainingStanding Workspace::training() const {
  TrainingStanding standing;
  const bool kept = trained_ && trained_->scene == scene_;
  if (kept && trained_->step < trained_->steps) standing.kept = words_of(*trained_);
  const JobState last = last_job(JobKind::train);
  if (last.job == nullptr) return standing;
  using Stage = TrainingStanding::Stage;
  standing.variant = last.job->variant;
  if (kept) standing.steps = trained_->steps;
  if (!last.done) {
    const bool ours = last.job->job == training_job_;
    standing.stage = ours ? Stage::under_way : Stage::paused;
    if (last.progress) standing.ratio = last.progress->done_ratio;
    standing.text = !ours           ? "the recording ends before the training does"
                    : last.progress ? last.progress->text
                                    : "the engine is starting";
    return standing;
  }
  standing.stage = last.done->status == DoneStatus::finished ? Stage::over
                   : last.done->status == DoneStatus::failed ? Stage::failed
                   : training_stopped_                       ? Stage::stopped
                                                             : Stage::paused;
  if (last.done->error) standing.text = sentence(*last.done->error);
  standing.ratio = standing.stage == Stage::over ? 1
                   : kept && trained_->steps > 0
                       ? static_cast<double>(trained_->step) / static_cast<double>(trained_->steps)
                       : 0;
  return standing;
}

Workspace::JobState Workspace::last_job(JobKind kind, const std::string& variant) const {
  const auto& jobs = session_.jobs();
  for (auto at = jobs.rbegin(); at != jobs.rend(); ++at) {
    const Job& job = at->second;
    if (job.kind != kind || job.scene != scene_) continue;
    if (!variant.empty() && job.variant != variant) continue;
    return {&job, session_.progress(at->first), session_.done(at->first)};
  }
  return {};
}

}  // namespace warpscope
