// profiling/session/stores/job_log.h: the jobs of a session, how far they are, and what engines
// said.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "profiling/messages/protocol.h"
#include "profiling/session/stores/held.h"

namespace warpscope {

class JobLog {
 public:
  using Numbered = std::pair<std::int64_t, Job>;

  void keep(Job job);  // without the texts and weights that go to an engine with it
  void keep(const Progress& progress) { progress_[progress.job] = progress; }
  void keep(const Done& done);
  void keep(const LogLine& line);

  const std::deque<Numbered>& jobs() const { return jobs_; }
  const std::vector<LogLine>& lines() const { return lines_; }
  std::optional<Progress> progress(std::int64_t job) const;
  std::optional<Done> done(std::int64_t job) const;

  Held held() const { return {jobs_.size(), bytes_}; }
  void let_go(std::size_t most);
  // Keeps this many of the newest measuring jobs; jobs of other kinds stay.
  void keep_measuring(std::size_t most);

 private:
  void forget(const Numbered& numbered);

  std::deque<Numbered> jobs_;
  std::int64_t bytes_ = 0;
  std::map<std::int64_t, Progress> progress_;
  std::map<std::int64_t, Done> done_;
  std::vector<LogLine> lines_;
};

}  // namespace warpscope
