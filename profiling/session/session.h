// profiling/session/session.h: everything that was measured, in order, as an append-only file of
// messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/messages/protocol.h"
#include "profiling/session/line_reader.h"
#include "profiling/session/seal.h"
#include "profiling/session/stores/session_stores.h"
#include "scenes/host/write_file.h"

// A Session is the store that panels read. It is filled by reading a .wsj file or by `apply`ing
// messages as they arrive; a SessionFile appends the same lines to disk, flushed one by one.
//
//   Result<SessionReading> reading = read_session("h200.wsj.gz");  // warnings: torn last line, …
//   const PointId id{"csrmm", "warp_row", key, "", uuid};          // "": of the newest source
//   const Measurement* m = reading->session.latest(id);
//
// A place is a scene, variant, key and device. What was measured there with several sources is all
// kept: the newest is shown, the others are reached through `sources`.

namespace warpscope {

class Session {
 public:
  // Scenes that are folders are looked up in the catalogue, and those of a file are opened in it.
  explicit Session(std::shared_ptr<Catalogue> catalogue) : catalogue_(std::move(catalogue)) {}
  Session() : Session(std::make_shared<Catalogue>()) {}  // its own
  const Catalogue& catalogue() const { return *catalogue_; }

  void apply(const Message& message);
  // The same for a message of a file: it is not part of the history.
  void take(Message message);

  // The newest measurement of a point; without a code_id that of the newest source. One with
  // counters is kept beside a newer one without: of the same source its counters are merged into
  // the newest timing. What another device measured is never an answer.
  const Measurement* latest(const PointId& id) const { return stores_.points.latest(id); }
  // Everything at the place, whatever its source, newest first.
  std::vector<const Measurement*> sources(const PointId& id) const {
    return stores_.points.sources(id);
  }
  // Whether a newer source was measured at its place.
  bool earlier_source(const Measurement& point) const {
    return stores_.points.earlier_source(point);
  }
  // The places of a variant, newest source each, in the order first measured; of one device, or of
  // all of them.
  std::vector<const Measurement*> points(const std::string& scene, const std::string& variant,
                                         std::optional<std::string_view> device = {}) const;
  // The same at one key, of every device.
  std::vector<const Measurement*> points_at(const std::string& scene, const std::string& variant,
                                            const std::string& key) const {
    return stores_.points.at(scene, variant, key);
  }
  // Every place, newest source each, and every point, earlier sources too, in the order first
  // measured.
  std::vector<const Measurement*> newest_points() const { return stores_.points.newest(); }
  std::vector<const Measurement*> all_points() const { return stores_.points.all(); }
  // Those that something was measured on (see on_a_device), in the order first seen.
  const std::vector<DeviceName>& devices() const { return stores_.points.devices(); }
  // Forgets what was measured on other devices.
  void keep_device(std::string_view device);

  // As `latest`.
  const Timeline* timeline(const PointId& id) const { return stores_.timelines.find(id); }
  // The newest trace of a point, of one step or (`step` empty) of whichever step came last. It has
  // no device, and its source is told by its source_hash.
  const Trace* trace(const PointId& id, const std::string& step = "") const {
    return stores_.traces.find(id, step);
  }
  // The newest of each step of a point, by the steps' names.
  std::vector<const Trace*> traces(const PointId& id) const { return stores_.traces.of(id); }
  // The newest of every scene, variant, key and step, in the order in which they last came or were
  // used.
  std::vector<const Trace*> traces() const { return stores_.traces.all(); }
  // The newest of each point.
  std::vector<const Timeline*> timelines() const { return stores_.timelines.all(); }
  const RoofSet* roofs() const;  // the newest
  // The newest of each device; the newest of all last.
  const std::deque<RoofSet>& roof_sets() const { return stores_.engines.roof_sets(); }
  const Hello* engine() const { return stores_.engines.newest(); }  // that measures
  // The hello that describes a card, else one of another card of its model, which is built alike.
  // Null: no engine that measures described such a card. For a device without a name, the newest
  // hello.
  const Hello* engine_of(const DeviceName& device) const { return stores_.engines.of(device); }
  // The hello of the emulator that made a trace of this session; null: it is not in the session.
  const Hello* emulator_of(const Trace& trace) const {
    return stores_.engines.emulator(stores_.traces.emulators_of(trace));
  }
  // Every measurement that was applied, in order (in a window the newest ones: see let_go).
  const std::deque<Measurement>& history() const { return stores_.history.all(); }
  const std::vector<LogLine>& log() const { return stores_.jobs.lines(); }
  const Outcomes& outcomes() const { return stores_.outcomes; }  // curves, pictures, iterations
  // How many passes the newest measurement with these counters took, on cards of that name, or on
  // any if it is empty.
  std::optional<int> counter_passes(const std::string& counters, const std::string& device) const {
    return stores_.points.counter_passes(counters, device);
  }
  std::optional<Progress> progress(std::int64_t job) const { return stores_.jobs.progress(job); }
  std::optional<Done> done(std::int64_t job) const { return stores_.jobs.done(job); }
  const std::deque<JobLog::Numbered>& jobs() const { return stores_.jobs.jobs(); }
  // Grows by one with every applied message: panels compare it to know what is fresh.
  std::uint64_t revision() const { return revision_; }

  using Memory = HeldInMemory;
  using Limits = MemoryLimits;
  using Needed = NeededInMemory;
  using LetGo = LetGoOfMemory;
  Memory memory() const { return stores_.memory(); }
  // What is held until now came from a file: it is as large as the file, and nothing lets go of it.
  void opened_all() { stores_.opened_all(); }
  // Where a kind takes more than its limit, lets go of what was used longest ago until it takes a
  // tenth less; the newest of each kind stays. Pointers to what went are dangling.
  LetGo let_go(const Limits& limits, const Needed& needed) {
    return stores_.let_go(limits, needed);
  }
  // Keeps this many of the newest measuring jobs; jobs of other kinds stay.
  void keep_measuring_jobs(std::size_t most) { stores_.jobs.keep_measuring(most); }
  // Looked at: of all traces those of this point are the last to go.
  void use_traces(const PointId& id) { stores_.traces.use(id); }

 private:
  std::shared_ptr<Catalogue> catalogue_;
  SessionStores stores_;
  std::uint64_t revision_ = 0;
};

struct SessionReading {
  Session session;
  std::int64_t lines = 0;
  std::vector<std::string> warnings;  // "line 812 is torn and was skipped", "from protocol 3: …"
};

// Reads a .wsj, packed with gzip or not, whatever its name. Axes that points lack are completed
// (see complete_axes). A torn last line, lines that are not messages, and a packed file that is
// torn or damaged after its first message are warnings; a file that is not a session at all is an
// error. error: input (no such file, not a session, empty, over `maximum_bytes` of text or what a
// packed file may unpack to, a line over 128 MiB, more than a thousand lines that are not messages,
// over 512 MiB and 16 times the file in memory), resource.
Result<SessionReading> read_session(const std::filesystem::path& path,
                                    std::int64_t maximum_bytes = 1LL << 30);

// What is read of sessions: of `times` measurements that were not finished are left out, too.
struct Reading {
  PointParts parts = PointParts::all;
  std::int64_t maximum_bytes = 1LL << 30;
  // Where the scenes of the file are opened; null: in a catalogue of the session's own.
  std::shared_ptr<Catalogue> catalogue = nullptr;
};

// Several sessions as one, as if they had been recorded one after the other; the job numbers of
// later files continue. If a point was recorded several times, the newest by date counts. error: as
// read_session.
Result<SessionReading> read_sessions(const std::vector<std::filesystem::path>& paths,
                                     const Reading& wanted = {});

// The device that a person means by a UUID or its beginning ("GPU-c84b"), or by a name that one
// alone has; as PointId has it. error: usage, naming the devices there are.
Result<std::string> find_device(const Session& session, const std::string& wanted);

// The lines of a .wsj, packed or not, as they are, those of newer versions too; a torn last one is
// left out. Whether they are messages is not asked. error: as read_session.
Result<std::string> session_text(const std::filesystem::path& path,
                                 std::int64_t maximum_bytes = 1LL << 30);

// Gives away the lines of several, one after the other; jobs of later ones are numbered on, as
// read_sessions does. error: as read_session.
Result<void> write_joined(const std::vector<std::filesystem::path>& paths, const TextSink& write,
                          std::int64_t maximum_bytes = 1LL << 30);

// Appends lines to a .wsj, one write a line. What is there is left as it is: the line after a torn
// one begins with a newline. error: input (no regular file, a file that does not begin with a
// message, a packed session, a name that ends in .gz), environment (no permission, disk full)
// naming the remedy; what was appended before stays. Before the first message of a scene that is a
// folder goes its text.
class SessionFile {
 public:
  // Texts of scenes that are folders are taken from the catalogue; null: there are none.
  static Result<SessionFile> open(const std::filesystem::path& path,
                                  std::shared_ptr<const Catalogue> catalogue = nullptr);
  SessionFile(SessionFile&&) noexcept;
  SessionFile& operator=(SessionFile&&) noexcept;
  ~SessionFile();
  Result<void> append(const Message& message);
  // Records into it alone: no other program may claim it until this is gone, which then seals it
  // (seal.h). Ends of jobs are brought to the disk. error: environment: who records into it.
  Result<void> claim();
  // Seals what was appended since the last seal, and brings it to the disk. error: as append.
  Result<void> seal();
  const std::filesystem::path& path() const { return path_; }

 private:
  SessionFile() = default;
  Result<void> write(const Message& message);
  Result<void> write_line(const std::string& line) const;
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool claimed_ = false;
  LineSeal unsealed_;
  std::chrono::steady_clock::time_point synced_{};
  std::shared_ptr<const Catalogue> catalogue_;
  std::set<std::string> scenes_;  // SceneText::hash of those that are there
};

}  // namespace warpscope
