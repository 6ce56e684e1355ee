// profiling/session.h: everything that was measured, in order, as an append-only file of messages.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <list>
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
  // The newest of every scene, variant, key and step, in the order in which they last came.
  std::vector<const Trace*> traces() const;
  // Every timeline and every point, newest per key, in the order first measured.
  std::vector<const Timeline*> timelines() const;
  std::vector<const Measurement*> all_points() const;
  const RoofSet* roofs() const;  // the newest
  const Hello* engine() const;   // the newest engine hello
  const std::deque<Measurement>& history() const { return history_; }
  const std::vector<LogLine>& log() const { return log_; }
  std::optional<Progress> progress(std::int64_t job) const;
  std::optional<Done> done(std::int64_t job) const;
  const std::deque<std::pair<std::int64_t, Job>>& jobs() const { return jobs_; }
  // Grows by one with every applied message: panels compare it to know what is fresh.
  std::uint64_t revision() const { return revision_; }

 private:
  // Deques: a long session grows without moving what it has, which would hold up a frame.
  std::deque<Measurement> history_;
  std::deque<Measurement> points_;             // newest per key, in the order first measured
  std::map<std::string, std::size_t> places_;  // of points, by scene/variant/key …
  std::map<std::string, std::vector<std::size_t>> places_of_;  // … and by scene/variant
  std::map<std::string, Timeline> timelines_;
  std::list<Trace> traces_;  // newest last; panels keep pointers for a frame
  std::optional<RoofSet> roofs_;
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
// that is not a session at all is an error. error: input (not a session, empty, over
// `maximum_bytes` of text, a line over 128 MiB, no such file), resource (memory).
Result<SessionReading> read_session(const std::filesystem::path& path,
                                    std::int64_t maximum_bytes = 1LL << 30);

// The lines of a .wsj, packed or not, as they are, those of newer versions too; a torn last one is
// left out. Whether they are messages is not asked. error: as read_session.
Result<std::string> session_text(const std::filesystem::path& path,
                                 std::int64_t maximum_bytes = 1LL << 30);

// Appends lines to a .wsj, one flush a line. Opening repairs nothing: a torn last line is ended
// with a newline first. error: input (a packed session, a name that ends in .gz), environment (no
// permission, disk full) naming the remedy; what was appended before stays.
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
