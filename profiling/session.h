// profiling/session.h: everything that was measured, in order, as an append-only file of messages.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/protocol.h"

// A Session is the store that panels read. It is filled by reading a .wsj file or by `apply`ing
// messages as they arrive; a SessionFile appends the same lines to disk, flushed one by one.
//
//   Result<SessionReading> reading = read_session("h200.wsj.gz");  // warnings: torn last line, …
//   const Measurement* m = reading->session.latest("csrmm", "warp_row", key);

namespace warpscope {

class Session {
 public:
  void apply(const Message& message);

  // The newest measurement of a point; one with counters is kept beside a newer one without:
  // `latest` merges counters of the same source hash and conditions into the newest timing.
  const Measurement* latest(const std::string& scene, const std::string& variant,
                            const std::string& key) const;
  // All points of a variant, newest per key, in the order first measured.
  std::vector<const Measurement*> points(const std::string& scene,
                                         const std::string& variant) const;
  const Timeline* timeline(const std::string& scene, const std::string& variant,
                           const std::string& key) const;
  // The newest trace of a point, of one step or (`step` empty) of whichever step came last.
  const Trace* trace(const std::string& scene, const std::string& variant, const std::string& key,
                     const std::string& step = "") const;
  // The newest of every scene, variant, key and step, in the order in which they last came or were
  // used.
  std::vector<const Trace*> traces() const;
  // Every timeline and every point, newest per key, in the order first measured.
  std::vector<const Timeline*> timelines() const;
  std::vector<const Measurement*> all_points() const;
  const RoofSet* roofs() const;  // the newest
  // The newest of each device; the newest of all last.
  const std::deque<RoofSet>& roof_sets() const { return roof_sets_; }
  const Hello* engine() const;  // the newest engine hello
  // Every measurement that came, in order (in a window the newest ones: see let_go).
  const std::deque<Measurement>& history() const { return history_; }
  const std::vector<LogLine>& log() const { return log_; }
  std::optional<Progress> progress(std::int64_t job) const;
  std::optional<Done> done(std::int64_t job) const;
  const std::deque<std::pair<std::int64_t, Job>>& jobs() const { return jobs_; }
  // Grows by one with every applied message: panels compare it to know what is fresh.
  std::uint64_t revision() const { return revision_; }

  // What is held in memory, and how much it takes.
  struct Held {
    std::size_t count = 0;
    std::int64_t bytes = 0;
  };
  struct Memory {
    Held opened;                                    // points, traces and timelines of a file
    Held traces, points, history, timelines, jobs;  // what came later
  };
  Memory memory() const;
  // What is held until now came from a file: it is as large as the file, and nothing lets go of it.
  void opened_all();
  // What a window keeps of what comes later; the file that it records to keeps all.
  struct Limits {
    std::int64_t trace_bytes = 0, point_bytes = 0, history_bytes = 0, timeline_bytes = 0;
    std::size_t jobs = 0;
  };
  struct Needed {  // stays, whatever the limit
    std::function<bool(const Trace&)> trace;
    std::function<bool(const Measurement&)> point;
  };
  // What went, of figures that a person could miss.
  struct LetGo {
    std::size_t traces = 0, points = 0, timelines = 0;
  };
  // Where a kind takes more than its limit, lets go of what was used longest ago until it takes a
  // tenth less; the newest of each kind stays. Pointers to what went are dangling.
  LetGo let_go(const Limits& limits, const Needed& needed);
  // Looked at: of all traces those of this point are the last to go.
  void use_traces(const std::string& scene, const std::string& variant, const std::string& key);

 private:
  struct KeptTrace {
    Trace trace;
    std::int64_t bytes = 0;
    bool opened = false;
  };
  struct KeptTimeline {
    Timeline timeline;
    std::int64_t bytes = 0;
    std::uint64_t revision = 0;
    bool opened = false;
  };
  // Of the point at the same place.
  struct PointUse {
    std::int64_t bytes = 0;
    std::uint64_t revision = 0;  // as of which it came last
    bool opened = false;
  };
  static std::string trace_key(const Trace& trace);  // its point and step
  std::size_t let_go_points(std::int64_t limit, const Needed& needed);
  std::size_t let_go_traces(std::int64_t limit, const Needed& needed);
  std::size_t let_go_timelines(std::int64_t limit);
  void let_go_jobs(std::size_t most);
  // Deques: a long session grows without moving what it has, which would hold up a frame.
  std::deque<Measurement> history_;
  std::deque<Measurement> points_;  // newest per key, in the order first measured
  std::deque<PointUse> uses_;
  std::map<std::string, std::size_t> places_;  // of points, by scene/variant/key …
  std::map<std::string, std::vector<std::size_t>> places_of_;  // … and by scene/variant
  std::map<std::string, KeptTimeline> timelines_;
  // By use, the last one last; panels keep pointers for a frame.
  std::map<std::uint64_t, KeptTrace> traces_;
  std::map<std::string, std::uint64_t> trace_places_;  // by trace_key
  std::uint64_t trace_uses_ = 0;
  std::int64_t history_bytes_ = 0, point_bytes_ = 0, job_bytes_ = 0;  // points: not of a file
  Held opened_points_;
  std::deque<RoofSet> roof_sets_;
  std::optional<Hello> engine_;
  std::vector<LogLine> log_;
  std::map<std::int64_t, Progress> progress_;
  std::map<std::int64_t, Done> done_;
  std::deque<std::pair<std::int64_t, Job>> jobs_;
  std::uint64_t revision_ = 0;
};

// What a point is compared with: the scene's baseline at its configuration, or the first variant of
// the ladder that applies there. Null where that was not measured.
const Measurement* baseline_of(const Session& session, const Measurement& point);

struct SessionReading {
  Session session;
  std::int64_t lines = 0;
  std::vector<std::string> warnings;  // "line 812 is torn and was skipped", "from protocol 3: …"
};

// Reads a .wsj, packed with gzip or not, whatever its name. A torn last line, lines that are no
// messages, and a packed file that is torn or damaged behind its first message are warnings; a file
// that is not a session at all is an error. error: input (no such file, not a session, empty, over
// `maximum_bytes` of text or what a packed file may unpack to, a line over 128 MiB, more than a
// thousand lines that are none, over 512 MiB and 16 times the file in memory), resource.
Result<SessionReading> read_session(const std::filesystem::path& path,
                                    std::int64_t maximum_bytes = 1LL << 30);

// The lines of a .wsj, packed or not, as they are, those of newer versions too; a torn last one is
// left out. Whether they are messages is not asked. error: as read_session.
Result<std::string> session_text(const std::filesystem::path& path,
                                 std::int64_t maximum_bytes = 1LL << 30);

// Appends lines to a .wsj, one write a line. What is there is left as it is: the line behind a torn
// one begins with a newline. error: input (no regular file, a file that does not begin with a
// message, a packed session, a name that ends in .gz), environment (no permission, disk full)
// naming the remedy; what was appended before stays.
class SessionFile {
 public:
  static Result<SessionFile> open(const std::filesystem::path& path);
  SessionFile(SessionFile&&) noexcept;
  SessionFile& operator=(SessionFile&&) noexcept;
  ~SessionFile();
  Result<void> append(const Message& message);
  const std::filesystem::path& path() const { return path_; }

 private:
  SessionFile() = default;
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace warpscope
