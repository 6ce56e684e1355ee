// workbench/workspace/session/opened_session.cpp: the session that is shown, and the file it is
// recorded to.
#include "workbench/workspace/session/opened_session.h"

#include <algorithm>
#include <utility>

#include "profiling/session/roof_join.h"
#include "workbench/workspace/session/recorded_sessions.h"

namespace warpscope {

std::string OpenedSession::opened_by_hand() const {
  if (opened_.size() != 1) return "";
  const auto own = recorded_sessions();
  std::error_code ignored;
  const bool shipped = std::any_of(own.begin(), own.end(), [&](const auto& path) {
    return std::filesystem::equivalent(path, opened_.front(), ignored);
  });
  return shipped ? "" : std::filesystem::absolute(opened_.front(), ignored).string();
}

bool OpenedSession::bundled() const {
  const auto own = recorded_sessions();
  return std::any_of(own.begin(), own.end(), [this](const auto& path) {
    return path.filename().string() == recorded_name_;
  });
}

Result<void> OpenedSession::open(const std::vector<std::filesystem::path>& paths) {
  Result<SessionReading> reading = read_sessions(paths, {.catalogue = catalogue_});
  if (!reading) return tl::unexpected(reading.error());
  session_ = std::move(reading->session);
  session_.opened_all();
  let_go_ = {};
  lent_ = lent_roofs(session_);
  baselines_ = {};
  for (const NamedBaseline* baseline : session_.outcomes().baselines())
    baselines_.all.push_back(std::make_shared<const NamedBaseline>(*baseline));
  ++openings_;
  opened_ = paths;
  recorded_ = true;
  recorded_name_.clear();
  for (const std::filesystem::path& path : paths)
    recorded_name_ += (recorded_name_.empty() ? "" : " + ") + path.filename().string();
  for (const std::string& warning : reading->warnings)
    log_.notify(paths.size() == 1 ? recorded_name_ + ": " + warning : warning);
  return {};
}

Result<void> OpenedSession::record(const std::filesystem::path& path) {
  const std::optional<std::string> torn = torn_end(path);
  // Two locks of one file exclude each other within a program, too.
  std::error_code ignored;
  if (file_ && std::filesystem::equivalent(path, file_->path(), ignored)) return {};
  Result<SessionFile> file = SessionFile::open(path, catalogue_);
  if (!file) return tl::unexpected(file.error());
  if (const Result<void> claimed = file->claim(); !claimed) return tl::unexpected(claimed.error());
  if (torn) log_.notify(*torn);
  file_ = std::move(*file);
  return {};
}

void OpenedSession::append(const Message& message) {
  if (!file_ || std::holds_alternative<Progress>(message)) return;
  const auto* measurement = std::get_if<Measurement>(&message);
  if (measurement != nullptr && measurement->partial) return;
  if (Result<void> kept = file_->append(message); !kept) {
    log_.notify(sentence(kept.error()));
    file_.reset();
  }
}

void OpenedSession::keep(const Message& message) {
  apply(message);
  append(message);
}

void OpenedSession::follow(const NamedBaselines& baselines, bool others) {
  if (!others) {
    for (const NamedBaseline& change : changes_between(baselines_, baselines)) keep(change);
  }
  baselines_ = baselines;
}

// A trace takes from some hundred kB to 90 MB (its requests are limited in number), a point with
// all its counters and samples 30 kB, a job 1 kB.
const Session::Limits& OpenedSession::memory_limits() {
  static const Session::Limits limits{.trace_bytes = 96 << 20,
                                      .point_bytes = 256 << 20,
                                      .history_bytes = 4 << 20,
                                      .timeline_bytes = 16 << 20,
                                      .jobs = 8192,
                                      .outcome_bytes = 64 << 20};
  return limits;
}

void OpenedSession::release_traces(const std::function<bool(const Trace&)>& needed) {
  Session::Limits limits = limits_;
  limits.trace_bytes = 0;
  const auto all = [](const Measurement&) { return true; };
  let_go_.traces += session_.let_go(limits, {needed, all}).traces;
}

void OpenedSession::bound_memory(const Session::Needed& needed) {
  if (bounded_ == session_.revision()) return;
  bounded_ = session_.revision();
  const Session::LetGo gone = session_.let_go(limits_, needed);
  let_go_.traces += gone.traces;
  let_go_.points += gone.points;
  let_go_.timelines += gone.timelines;
  let_go_.outcomes += gone.outcomes;
  if (gone.points > 0) ++openings_;
}

}  // namespace warpscope
