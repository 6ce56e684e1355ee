// workbench/workspace/workspace_progress.cpp: what is on its way, and what the last jobs came to.
#include <algorithm>

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
  return std::any_of(jobs.begin(), jobs.end(),
                     [&](const Job& job) { return job.scene == scene_ && job.variant == variant; });
}

WorkProgress Workspace::progress() const {
  WorkProgress progress;
  if (!client_ || client_->outstanding().empty()) {
    // A live trace takes a few frames: only longer ones are worth a bar.
    if (!emulator_ || emulator_->outstanding().empty()) return progress;
    const Job* running = emulator_->running();
    const Job& job = running != nullptr ? *running : emulator_->outstanding().front();
    const std::optional<Progress> said = session_.progress(job.job);
    progress.busy = true;
    progress.waiting = emulator_->outstanding().size();
    progress.ratio = said ? said->done_ratio : 0;
    progress.text = "tracing " + job.variant;
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
  progress.text = client_->ready() ? "measuring " + job.variant : "the engine is starting";
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

std::optional<int> Workspace::counter_passes(const std::string& set) const {
  const Hello* hello = session_.engine();
  const auto& history = session_.history();
  for (auto point = history.rbegin(); point != history.rend(); ++point) {
    if (point->counter_passes == 0 || point->counters != set) continue;
    const bool here =
        hello == nullptr || !hello->device || hello->device->name == point->conditions.device;
    if (here) return point->counter_passes;
  }
  return std::nullopt;
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
