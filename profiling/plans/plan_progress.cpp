// profiling/plans/plan_progress.cpp: which points of a plan a session has answers to.
#include "profiling/plans/plan_progress.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "profiling/messages/packed_text.h"
#include "profiling/plans/plan_costs.h"
#include "profiling/plans/plan_file.h"
#include "profiling/session/line_reader.h"

namespace warpscope {

bool is_answer(Outcome outcome) {
  return outcome != Outcome::unchecked && outcome != Outcome::engine_died;
}

Result<PlanProgress> plan_progress(const std::filesystem::path& session) {
  PlanProgress progress;
  std::error_code unknown;
  if (!std::filesystem::exists(session, unknown) ||
      std::filesystem::file_size(session, unknown) == 0)
    return progress;
  Result<TextLines> lines = TextLines::open(session, std::numeric_limits<std::int64_t>::max());
  if (!lines) return tl::unexpected(lines.error());
  LineReader reader(PointParts::times);
  std::unordered_map<std::int64_t, std::string> tags;  // by job, the newest of its number
  std::set<std::int64_t> emulated;  // jobs of which a trace or a compilation has come
  const auto answer = [&](std::int64_t job) {
    if (const auto tag = tags.find(job); tag != tags.end()) progress.answered.insert(tag->second);
  };
  while (const auto line = lines->next()) {
    if (line->empty()) continue;
    const Result<Message> message = reader.read(*line);
    if (!message) continue;
    if (const auto* job = std::get_if<Job>(&*message)) {
      tags.erase(job->job);
      if (is_plan_tag(job->tag)) tags[job->job] = job->tag;
    }
    if (const auto* timeline = std::get_if<Timeline>(&*message)) answer(timeline->job);
    if (const auto* trace = std::get_if<Trace>(&*message)) emulated.insert(trace->job);
    if (const auto* made = std::get_if<Compilation>(&*message)) emulated.insert(made->job);
    if (const auto* done = std::get_if<Done>(&*message)) {
      // All launches and architectures of the job have come.
      const bool whole = emulated.erase(done->job) != 0 && done->status == DoneStatus::finished;
      if (whole) answer(done->job);
    }
    const auto* point = std::get_if<Measurement>(&*message);
    if (point == nullptr || point->partial) continue;
    if (is_answer(point->verdict.outcome)) answer(point->job);
    progress.newest_date_s =
        std::max(progress.newest_date_s, seconds_of_date(point->conditions.date).value_or(0));
  }
  return progress;
}

}  // namespace warpscope
