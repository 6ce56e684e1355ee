// workbench/workspace/session/standing.cpp: how far what a panel asks for has come.
#include "workbench/workspace/session/standing.h"

#include <algorithm>

#include "workbench/workspace/session/engines.h"

namespace warpscope {
namespace {

// A live trace takes a few frames: only longer ones are worth a bar.
WorkProgress emulation_progress(const EngineClient& emulator, const Session& session) {
  WorkProgress progress;
  const Job* running = emulator.running();
  const Job& job = running != nullptr ? *running : emulator.outstanding().front();
  const std::optional<Progress> said = session.progress(job.job);
  progress.busy = true;
  progress.waiting = emulator.outstanding().size();
  progress.ratio = said ? said->done_ratio : 0;
  progress.text = (job.is<TrainJob>()     ? "training "
                   : job.is<ListingJob>() ? "listing "
                                          : "tracing ") +
                  job.variant;
  if (said && !said->text.empty()) progress.text += " · " + said->text;
  return progress;
}

}  // namespace

JobState last_job(const Session& session, const std::string& scene, JobKind kind,
                  const std::string& variant) {
  const auto& jobs = session.jobs();
  for (auto at = jobs.rbegin(); at != jobs.rend(); ++at) {
    const Job& job = at->second;
    if (job.kind() != kind || job.scene != scene) continue;
    if (!variant.empty() && job.variant != variant) continue;
    return {&job, session.progress(at->first), session.done(at->first)};
  }
  return {};
}

WorkProgress work_progress(const Engines& engines, const Session& session, std::size_t batch,
                           bool roofs_follow) {
  const EngineClient *engine = engines.measuring(), *emulator = engines.emulating();
  const bool idle = engine == nullptr || engine->outstanding().empty();
  WorkProgress progress;
  if (idle && roofs_follow) {
    progress.busy = true;
    progress.waiting = 1;
    progress.text = "the roofs of this device follow";
    return progress;
  }
  if (idle) {
    const bool rests = emulator == nullptr || emulator->outstanding().empty();
    return rests ? progress : emulation_progress(*emulator, session);
  }
  progress.busy = true;
  progress.waiting = engine->outstanding().size();
  const Job* running = engine->running();
  const Job& job = running != nullptr ? *running : engine->outstanding().front();
  const std::size_t done = batch > progress.waiting ? batch - progress.waiting : 0;
  const std::optional<Progress> said = session.progress(job.job);
  progress.ratio = (static_cast<double>(done) + (said ? said->done_ratio : 0.0)) /
                   static_cast<double>(std::max<std::size_t>(1, batch));
  const char* const doing = job.is<TrainJob>() ? "training " : "measuring ";
  progress.text = engine->ready() ? doing + job.variant : "the engine is starting";
  if (said) progress.text += " · " + said->text;
  if (progress.waiting > 1)
    progress.text += " · " + std::to_string(progress.waiting - 1) + " waiting";
  return progress;
}

std::optional<int> counter_passes(const Session& session, const std::string& set) {
  const Hello* hello = session.engine();
  const bool known = hello != nullptr && hello->device;
  return session.counter_passes(set, known ? hello->device->name : "");
}

}  // namespace warpscope
